"""The choices that the form for a new game offers: levels, boards, rules, handicaps and clocks.

new_game.py reads the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gomogo.new_games import BOARD_SIZE_OPTIONS, GO, KOMI_BY_SCORING, USUAL_BOARD_SIDES, usual_board_side
from gomogo.page.server.settings import MAX_SEATS
from gomogo_core import games, levels
from gomogo_core.drawing.svg_points import star_points
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.level_names import WEAKEST
from gomogo_core.play.clock import TimeControl

PLAYERS_OPTION = "players"
OTHER_OPPONENT, LEVEL_PREFIX = (
    "other",
    "level-",
)  # values of the field `opponent`: see the field `other`, and a level with this prefix
_SHOWN_LEVELS = (1, 3, 5, 7, 8)  # levels with buttons of their own; the others are in a list
_BOX_BOARD_SIDES = (3, 4, 5, 6)  # the usual numbers of boxes along a side
_OFFERED_CLOCKS = ("3+2", "5+0", "5+3", "10+0", "10+5", "15+10", "30+20")  # minutes per game + seconds per move
_MAX_MINUTES, _MAX_INCREMENT = 180, 60
MAX_HANDICAP = 9
_NETWORK_GRACE_SECONDS = 1.0  # added to the time limit of each move, for the way between browser and server


class FieldError(UserError):
    """The error for an invalid value in a field of the form. field: the name of the field; empty for the whole form."""

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.field = field


class LevelChoice(NamedTuple):
    """A level as a choice in the form.

    name: the value of the form's field. has_button: whether it has a button of its own. about: how it plays, or which
    extra of Gomogo it needs. is_extra_missing: whether this extra is not installed.
    """

    name: str
    title: str
    label: str
    has_button: bool
    about: str
    is_extra_missing: bool = False


def level_choices(game: str) -> list[LevelChoice]:
    """Return the levels of a game as choices."""
    return [
        LevelChoice(
            level.name,
            level.title,
            level.label,
            level.number in _SHOWN_LEVELS,
            f"{level.label} needs compiled engines: pip install 'gomogo[{extra}]'" if extra else level.description,
            bool(extra),
        )
        for level in levels.levels_of_game(game)
        for extra in [level.missing_extra]
    ]


def level_fields(number: int) -> dict[str, str]:
    """Return the fields of the form that choose a level as the opponent.

    >>> level_fields(3), level_fields(4)
    ({'opponent': 'level-3'}, {'opponent': 'other', 'other': 'level-4'})
    """
    name = f"{LEVEL_PREFIX}{number}"
    return {"opponent": name} if number in _SHOWN_LEVELS else {"opponent": OTHER_OPPONENT, "other": name}


def board_size_choices(name: str) -> list[tuple[str, str]]:
    """Return the usual sizes of a game's board, each as options and as words. The first one is the default.

    >>> board_size_choices("go")[0], board_size_choices("dots_and_boxes")[0]
    (('size=9', '9×9'), ('rows=3 cols=3', '3×3'))
    """
    game = games.load(name)
    specs = {spec.name: spec for spec in games.rules(name).declared_options}
    if "size" in specs and isinstance(game.board, PointBoard):
        default, low, high = game.options["size"], specs["size"].low or 1, specs["size"].high or 99
        first = usual_board_side(name)
        sides = [
            first,
            *sorted(side for side in {*USUAL_BOARD_SIDES, default} if side != first and low <= side <= high),
        ]
        return [(f"size={side}", f"{side}×{side}") for side in sides]
    if {"rows", "cols"} <= set(specs) and isinstance(game.board, EdgeBoard):
        return [(f"rows={side} cols={side}", f"{side}×{side}") for side in _BOX_BOARD_SIDES]
    return []


def beginner_game_fields(name: str) -> dict[str, str]:
    """Return the fields of the form for a beginner's first game: against the weakest level, on the usual board."""
    sizes = board_size_choices(name)
    komi = {"option-komi": ""} if name == GO else {}  # an empty field: the usual komi of this board
    return {"game": name, **level_fields(WEAKEST), "size": sizes[0][0] if sizes else "", **komi}


class FormField(NamedTuple):
    """A field of the form for an option of a game.

    label: its name for a human. unit: the unit or a remark, shown after a number. choices: values with their words;
    empty for a number. group: the heading under which it is shown, "Board" or "Rules".
    """

    name: str
    label: str
    unit: str
    value: str
    choices: tuple[tuple[str, str], ...]
    low: float | None
    high: float | None
    step: str
    group: str


_FORBIDDEN_ALLOWED_CHOICES = (("false", "Forbidden"), ("true", "Allowed"))
# the label, and the words for each value or the unit of a number; other options are shown as the game declares them
_OPTION_WORDS: Mapping[str, tuple[str, str | tuple[tuple[str, str], ...]]] = {
    "size": ("Other size", "points along each side"),
    "rows": ("Rows", "from top to bottom"),
    "cols": ("Columns", "from left to right"),
    "line": ("Winning row", "stones"),
    "exact": ("A longer row", (("false", "Wins too"), ("true", "Does not win"))),
    "renju": ("Black's double threes and fours", (("false", "Allowed"), ("true", "Lose (Renju)"))),
    "opening": (
        "Opening",
        (("none", "Free"), ("swap", "Swap"), ("swap2", "Swap 2"), ("takeover", "Take over the first stone")),
    ),
    "passing": ("Passing", (("true", "Allowed"), ("false", "Not allowed"))),
    "suicide": ("Suicide", _FORBIDDEN_ALLOWED_CHOICES),
    "captures": ("Captures", (("true", "As in Go"), ("false", "None"))),
    "diagonals": ("Diagonal rows", (("false", "Do not count"), ("true", "Win too"))),
    "ko": (
        "Ko: boards that may not recur",
        (
            ("simple", "The last board"),
            ("positional", "Any earlier board"),
            ("situational", "Any, same player to move"),
            ("none", "No rule"),
        ),
    ),
    "scoring": ("Scoring", (("area", "Stones and territory"), ("territory", "Territory"), ("stone", "Stones"))),
    "komi": ("Komi", "points for White; if empty, 7.5, 6.5 by territory, 0.5 with a handicap, 0 on small boards"),
    "max_moves": ("Longest game", "moves"),
    "target": ("Captured stones that win", "stones"),
}


def option_fields(name: str) -> list[FormField]:
    """Return fields for the options of a game. The number of players has no field: it follows from the opponents."""
    default = games.load(name).options
    fields = []
    for spec in games.rules(name).declared_options:
        if spec.name == PLAYERS_OPTION:
            continue
        value = default[spec.name]
        label, words = _OPTION_WORDS.get(spec.name, (spec.name.replace("_", " ").capitalize(), spec.description))
        values = ("false", "true") if isinstance(value, bool) else spec.choices
        named = dict(words) if not isinstance(words, str) else {choice: choice.replace("_", " ") for choice in values}
        choices = tuple(
            (choice, named.get(choice, choice))
            for choice in sorted(values, key=lambda choice: (*named, choice).index(choice))
        )
        follows = spec.default_from is not None or value is None
        default_text = str(value).casefold()
        if spec.name in BOARD_SIZE_OPTIONS:
            default_text = "as chosen above"
        elif follows:
            default_text = spec.default_formula or ""
        fields.append(
            FormField(
                spec.name,
                label,
                words if isinstance(words, str) else "",
                f"{KOMI_BY_SCORING['area']:g}" if name == GO and spec.name == "komi" else default_text,
                choices,
                spec.low,
                spec.high,
                "any" if isinstance(value, float) else "1",
                "Board" if spec.name in BOARD_SIZE_OPTIONS else "Rules",
            )
        )
    return fields


def handicap_choices(name: str) -> list[int]:
    """Return the numbers of handicap stones that the form offers: in Go 0 and 2 to 9, in other games none."""
    return [0, *range(2, MAX_HANDICAP + 1)] if name == GO else []


def handicap_moves(game: Game, count: int) -> list[str]:
    """Return the opening that gives Black `count` handicap stones: Black places them, and White passes after each stone
    but the last. So the rules of the game need no handicap. Raises FieldError if the game has no such opening.

    >>> handicap_moves(games.load("go", size=9), 2)
    ['g3', 'pass', 'c7']
    """
    if game.name != GO or not game.options["passing"]:
        raise FieldError("handicap", "Handicap stones are for Go with passing.", "Choose a game without a handicap.")
    points = _handicap_points(game)
    if count > len(points) or not 2 <= count <= MAX_HANDICAP:
        raise FieldError(
            "handicap",
            f"This board has no place for {count} handicap stones.",
            f"Choose 2 to {len(points)}." if points else "Choose a larger board.",
        )
    # with an odd number of five or more, one stone is in the middle
    middle = [points[-1]] if count % 2 and count > 4 else []
    stones = [*[point for point in points if point not in middle][: count - len(middle)], *middle]
    return " pass ".join(stones).split()


def _handicap_points(game: Game) -> list[str]:
    """Return the star points of a board in the order of handicap stones: corners, sides, and last the middle."""
    rows, columns = game.options["rows"], game.options["cols"]
    points = star_points(columns, rows)
    column_numbers, down = sorted({point.column for point in points}), sorted({point.row for point in points})
    if len(column_numbers) < 2 or len(down) < 2:
        return []
    left_column, right, top, bottom = column_numbers[0], column_numbers[-1], down[0], down[-1]
    order = [(right, top), (left_column, bottom), (right, bottom), (left_column, top)]
    middle = (columns + 1) // 2, (rows + 1) // 2
    order += [(left_column, middle[1]), (right, middle[1]), (middle[0], top), (middle[0], bottom), middle]
    return [str(Point(*point)) for point in order if Point(*point) in points]


def max_seats(name: str) -> int:
    """Return the maximum number of seats of this game on the page."""
    for spec in games.rules(name).declared_options:
        if spec.name == PLAYERS_OPTION:
            return min(MAX_SEATS, spec.high or MAX_SEATS)
    return games.load(name).seats


def clock_choices() -> list[tuple[str, str]]:
    """Return the clocks that the form offers, each as the value of its field and as words.

    >>> clock_choices()[1]
    ('5+0', '5 min for all moves')
    """
    return [(text, describe_clock(clock)) for text in _OFFERED_CLOCKS if (clock := read_clock(text)) is not None]


def describe_clock(clock: TimeControl) -> str:
    """Return a clock in words, as minutes per game and seconds added per move."""
    minutes = f"{(clock.total or 0) / 60:g} min"
    return f"{minutes} + {clock.increment:g} s a move" if clock.increment else f"{minutes} for all moves"


def read_clock(text: str) -> TimeControl | None:
    """Return the clock for a text such as 5+3: minutes per game, and seconds added after each move.

    Returns None for an empty text. Raises FieldError for an invalid one.
    """
    if not text:
        return None
    minutes, plus, seconds = text.partition("+")
    if not (plus and minutes.isdecimal() and seconds.isdecimal()):
        raise FieldError("clock", f"{text[:20]!r} is not a clock.", "Write minutes and seconds per move, such as 5+3.")
    if not (1 <= int(minutes) <= _MAX_MINUTES and int(seconds) <= _MAX_INCREMENT):
        problem = f"{text[:20]!r} is too short or too long for a clock."
        raise FieldError("clock", problem, f"Use 1 to {_MAX_MINUTES} minutes and 0 to {_MAX_INCREMENT} seconds.")
    return TimeControl(None, 60.0 * int(minutes), float(seconds), _NETWORK_GRACE_SECONDS)
