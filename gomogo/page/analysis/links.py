"""Reads positions from the URLs of the analysis board, and writes such URLs.

The module uses rules and texts, and does not depend on HTTP requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from gomogo.new_games import BOARD_SIZE_OPTIONS, usual_komi
from gomogo.page.play.form_choices import board_size_choices, level_fields
from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Position, Seat
from gomogo_core.session.actions import ActionRefused

_MAX_MOVES = 2000  # moves in a URL
_MAX_TYPED_CHARACTERS = 10_000
_JOINED_MOVES_PATTERN = re.compile(r"(?:[a-z]\d{1,2}){2,}", re.IGNORECASE)  # such as h8i9j10
_MOVE_NUMBER_PATTERN = re.compile(r"\d+\.+(?=\D|$)")  # such as "12." before a move


class ViewedLine(NamedTuple):
    """A game and a line of moves from its start, as the analysis board shows them.

    move_number: the number of moves on the board. position: the position after these moves. earlier_positions: the
    positions before `position`. set_up: the number of moves that only lead to the stones of the start position.
    """

    game: Game
    moves: list[str]
    move_number: int
    position: Position
    earlier_positions: Sequence[Position] = ()
    set_up: int = 0


class SizeChoice(NamedTuple):
    """A size of the board. url: the URL of a new board of this size. is_current: whether the shown board has this
    size.
    """

    url: str
    label: str
    is_current: bool


def position_url(game: Game, moves: Sequence[str], move_number: int | None = None, set_up: int = 0) -> str:
    """Return the URL of a position on the analysis board. It contains all moves.

    move_number: the number of moves on the board; None for all. set_up: as in ViewedLine.
    """
    options = [f"option-{quote(name)}={quote(text)}" for name, text in option_texts(game).items()]
    move_parameter = [] if move_number is None or move_number == len(moves) else [f"at={move_number}"]
    start = [f"setup={set_up}"] if set_up else []
    return "/analysis?" + "&".join(
        [f"game={game.name}", *options, f"moves={quote(' '.join(moves))}", *move_parameter, *start]
    )


def option_texts(game: Game) -> dict[str, str]:
    """Return the options of a game that differ from their defaults, as texts in a URL."""
    return {name: str(value).lower() for name, value in game.non_default_options.items()}


def new_game_url(line: ViewedLine, seat: Seat | None = None, level: int | None = None) -> str:
    """Return the URL for a new game from this position; empty if the game is over.

    seat: the visitor's seat; by default, that of the player to move. level: the opponent's level; by default, that of
    an empty form.
    """
    if line.position.outcome() is not None:
        return ""
    query = position_url(line.game, line.moves[: line.move_number]).partition("?")[2]
    opponent = f"&{urlencode(level_fields(level))}" if level else ""
    return f"/?{query}&seat={seat or line.position.to_move}{opponent}"


def size_choices(game: Game) -> list[SizeChoice]:
    """Return the usual sizes of a game's board, and the size of this game's board if it is not among them."""
    rules = {name: text for name, text in option_texts(game).items() if name not in BOARD_SIZE_OPTIONS}
    choices = []
    for spec, words in board_size_choices(game.name):
        sized_game = games.load(game.name, **rules, **read_named_values(spec))
        choices.append(SizeChoice(position_url(sized_game, []), words, sized_game == game))
    if choices and not any(choice.is_current for choice in choices):
        size = game.options.get("size")
        rows, columns = game.options.get("rows", size), game.options.get("cols", size)
        choices.append(SizeChoice(position_url(game, []), f"{rows}×{columns}", is_current=True))
    return choices


def read_query(query: Mapping[str, Any]) -> ViewedLine:
    """Return the game and the line of moves that the query of a URL contains. Raises UserError if they are invalid.

    The field `move` contains typed moves, which follow those of the field `moves`. A URL without the field `moves`
    shows a new board; the options that this URL leaves empty then have the values of a new game.
    """
    game = games.load(str(query.get("game", "gomoku")), **_read_options(query))
    linked, typed = str(query.get("moves", "")).split(), split_moves(str(query.get("move", ""))[:_MAX_TYPED_CHARACTERS])
    at, set_up = str(query.get("at", "")), str(query.get("setup", ""))
    if len(linked) + len(typed) > _MAX_MOVES:
        raise UserError(f"The link has more than {_MAX_MOVES} moves.", "Share the game instead.")
    positions, texts = [game.start()], list[str]()
    for text in (*linked, *typed):
        try:
            move = game.parse(text)
            positions.append(positions[-1].play(move))
        except IllegalMove as error:
            raise ActionRefused(f"Move {len(texts) + 1}, {text[:40]}: {error.why}.", "Try another move.") from None
        except NotAMove as error:
            if len(texts) >= len(linked):
                remedy = f"{error.hint[0].upper()}{error.hint[1:]}."
                raise UserError(f"{text[:40]!r} is not a move.", remedy) from None
            raise UserError(f"The link is not a position: {error}.", "Try another move.") from None
        texts.append(game.format(move))
    start = min(_read_move_count(set_up, 0), len(linked))
    number = max(start, min(_read_move_count(at, len(texts)), len(texts)))
    return ViewedLine(game, texts, number, positions[number], positions[:number], start)


def _read_move_count(text: str, default: int) -> int:
    """Return the number of moves in a URL; the default if the text is not a valid number of moves."""
    return int(text) if text.isdecimal() and len(text) < 6 else default


def split_moves(text: str) -> list[str]:
    """Return the moves in a typed text, without commas and move numbers.

    >>> split_moves("1. h8 2. i9, j10"), split_moves("h8i9j10"), split_moves("8,8")
    (['h8', 'i9', 'j10'], ['h8', 'i9', 'j10'], ['8,8'])
    """
    return list(_split_moves(text))


def _split_moves(text: str) -> Iterator[str]:
    for word in _MOVE_NUMBER_PATTERN.sub(" ", text).split():
        if _JOINED_MOVES_PATTERN.fullmatch(word):
            yield from re.findall(r"[A-Za-z]\d+", word)
        elif bare := word.strip(",;"):
            yield bare


def _read_options(query: Mapping[str, Any]) -> dict[str, str]:
    """Return the options in a URL. For a new board, add the size and the komi of a new game if the URL has none."""
    options = {
        name.removeprefix("option-"): str(value)[:40]
        for name, value in query.items()
        if name.startswith("option-") and (value or "moves" in query)
    }
    name = str(query.get("game", "gomoku"))
    if "moves" in query or name not in games.names():
        return options
    if not options.keys() & set(BOARD_SIZE_OPTIONS):
        options |= read_named_values(next((spec for spec, _ in board_size_choices(name)), ""))
    if "komi" not in options and (komi := usual_komi(name, options)):
        options["komi"] = komi
    return options


def read_named_values(spec: str) -> dict[str, str]:
    """Return the values in a text such as "rows=3 cols=3". Words without a value are left out."""
    return dict(word.split("=", 1) for word in spec.split() if "=" in word)
