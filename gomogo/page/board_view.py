"""The view models of pages with a board, and the status line above the board.

Their values are texts for templates, which escape them. The module uses positions and sessions, and does not depend on
HTTP requests.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from inspect import getdoc
from itertools import count, islice
from typing import Any

from markupsafe import Markup

from gomogo.text.names import display_name
from gomogo_core import games
from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.live_analysis import line_markings
from gomogo_core.drawing.colours import side_name
from gomogo_core.drawing.svg import svg
from gomogo_core.drawing.svg_points import UNLABELLED_MARGIN, labelled_margin
from gomogo_core.drawing.text import format_clock, player_state, printable
from gomogo_core.games.base import RESIGN, Game, Move, Position, Seat
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.games.go import NO_DEAD_STONES_REMINDER
from gomogo_core.level_names import level_of_player
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.sentences import action_sentence

_GREETING_ROUND_COUNT = 2  # rounds of moves during which a game's greeting is shown
# The number of legal moves that are tested for a place on the board: the number of places plus this number.
_MAX_EXTRA_MOVES = 400
_GAMES_LISTED_FIRST = ("gomoku", "go", "capture_go", "robogo", "dots_and_boxes")
_MAX_BOOK_COLUMN_COUNT = 25
_COLOUR_OF_MARK = {"x": "black", "o": "white"}
_SIZE_OPTIONS = {"size", "rows", "cols"}


@dataclass(frozen=True, slots=True)
class PlayerLine:
    """The line of one player on the page.

    mark: the player's sign on the board. colour_class: the CSS class of the player's colour. clock: the clock as text.
    score_text: the player's captures, boxes or points, as text. is_away: whether a human's page is closed or hidden.
    seconds_left: the seconds on the player's clock at the start of the turn; None if it is not running.
    """

    mark: str
    colour_class: str
    name: str
    score_text: str
    clock: str
    is_to_move: bool
    is_away: bool = False
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class OffBoardMove:
    """A button for a move without a place on the board. move: the text of the move. label: the text on the button."""

    move: str
    label: str


@dataclass(frozen=True, slots=True)
class BoardView:
    """The changing part of a page with a board. board: the picture. diagram: the position as text. moves: the moves so
    far. effects_text: the effects of the last moves. note: a message. links: the URL and the label of each link.

    is_waiting: whether an invited player has not joined yet. bottom_index: the index of the player below the board.
    turn_colour: the colour of the visitor's next move, such as "black"; empty if it is not their turn. answer_buttons:
    URLs and labels of buttons that answer requests of other players. next_game_url: the URL that the page opens
    by itself after the game, such as that of a rematch; empty for none. forbidden_actions: the kinds of actions whose
    controls are hidden, such as "no-help".

    note_is_score: whether the note is the score at the end of the game. note_is_request: whether the note is about a
    request of a player, so that it must not be overlooked. has_lost: whether the visitor lost the game;
    then the first button leads to the review. is_after_pass: whether the opponent has passed, so that a pass of the
    visitor ends the game; the page then emphasizes the status. why_no_undo: why the visitor cannot take back a move
    now; empty if that is possible.
    """

    board: Markup
    diagram: str
    player_lines: tuple[PlayerLine, ...]
    effects_text: str = ""
    note: str = ""
    off_board_moves: tuple[OffBoardMove, ...] = ()
    moves: tuple[str, ...] = ()
    is_waiting: bool = False
    links: dict[str, str] = field(default_factory=dict)
    bottom_index: int = 0
    turn_colour: str = ""
    answer_buttons: tuple[tuple[str, str], ...] = ()
    next_game_url: str = ""
    forbidden_actions: str = ""
    note_is_score: bool = False
    note_is_request: bool = False
    has_lost: bool = False
    is_after_pass: bool = False
    why_no_undo: str = ""


def game_title(game: str) -> str:
    """Return the name of a game as people write it.

    >>> game_title("dots_and_boxes")
    'Dots and Boxes'
    """
    return " ".join(word if word == "and" else word.capitalize() for word in game.split("_"))


def ordered_games() -> list[str]:
    """Return the names of all games in the order in which every page lists them. The best known game is first.

    >>> ordered_games()[:3]
    ['gomoku', 'go', 'capture_go']
    """
    return sorted(
        games.names(), key=lambda name: (_GAMES_LISTED_FIRST.index(name) if name in _GAMES_LISTED_FIRST else 9, name)
    )


def describe_game(game: Game) -> str:
    """Return the name of a game with the size of its board, and other options that differ from their defaults.

    >>> from gomogo_core.games import load
    >>> describe_game(load("gomoku")), describe_game(load("dots_and_boxes", rows=4, players=3))
    ('Gomoku 15×15', 'Dots and Boxes 4×3, players 3')
    """
    sides = ("rows", "cols") if "rows" in game.options else ("size", "size")
    size_text = "×".join(str(game.options[side]) for side in sides if side in game.options)  # a game may have no size
    options = game.non_default_options.items()
    words = [_option_words(name, value) for name, value in options if name not in _SIZE_OPTIONS]
    return ", ".join([f"{game_title(game.name)} {size_text}".rstrip(), *words])


def rules_summary(game: Game) -> str:
    """Return the summary of a game's rules, in which the names of options are replaced by their values."""
    summary = (getdoc(games.rules(game.name)) or "").partition("\n")[0]
    return re.sub(r"`(\w+)`", lambda match: str(game.options.get(match[1], match[1])), summary)


def _option_words(name: str, value: object) -> str:
    words = name.replace("_", " ")
    if isinstance(value, bool):
        return words if value else f"no {words}"
    return f"{words} {str(value).replace('_', ' ')}"


def seat_colour(position: Position, seat: Seat) -> str:
    """Return the colour of a seat within a sentence, such as "black" or "blue"."""
    return side_name(position, seat).lower()


def seat_names(session: GameSession, seats: Sequence[Seat]) -> tuple[str, ...]:
    """Return the names of the players for use in sentences. If one visitor plays both sides of a board of stones, these
    are the colours.

    seats: the seats of the reader.
    """
    by_colour = len(seats) > 1 and isinstance(session.game.board, PointBoard)
    return tuple(
        seat_colour(session.position, seat).capitalize() if by_colour else display_name(name)
        for seat, name in enumerate(session.names, 1)
    )


def player_lines(
    position: Position, names: Sequence[str], clocks: Sequence[float | None] = (), *, is_over: bool = False
) -> tuple[PlayerLine, ...]:
    """Return a line for each player. is_over: whether the game has ended although the position is not final."""
    is_over = is_over or position.outcome() is not None
    has_boxes = isinstance(position.game.board, EdgeBoard)
    lines = []
    for seat, name in enumerate(names, 1):
        mark = position.mark(seat)
        colour_class = f"owner-{(seat - 1) % 6}" if has_boxes else _COLOUR_OF_MARK.get(mark, "sign")
        seconds_left = clocks[seat - 1] if seat <= len(clocks) else None
        lines.append(
            PlayerLine(
                mark if colour_class not in _COLOUR_OF_MARK.values() else "",
                colour_class,
                display_name(name),
                ", ".join(player_state(position, seat)),
                "" if seconds_left is None else format_clock(seconds_left),
                not is_over and position.to_move == seat,
            )
        )
    return tuple(lines)


def draw_board(
    position: Position,
    marked_move: Move | None,
    *,
    interactive: bool,
    title: str | None = None,
    accessible: bool = True,
    **marks: Any,
) -> Markup:
    """Return the picture of a board as SVG. title: its text alternative; by default, the name of the game.
    accessible: whether each place has a name for screen readers.

    marks: `numbered_places`, `arrows`, `heat`, `ghosts` and `annotation`, as for `svg`. All text in the picture is
    escaped.
    """
    title = f"{game_title(position.game.name)} board" if title is None else title
    picture = svg(
        position,
        last=marked_move,
        interactive=interactive,
        accessible=accessible,
        title=title,
        style=False,
        **marks,
    )
    if attributes := coordinate_attributes(position.game):
        picture = picture.replace("<svg ", f"<svg {attributes} ", 1)
    return Markup(picture)


def draw_card_board(position: Position, marked_move: Move | None) -> Markup:
    """Return the picture of a board in a group of boards.

    The coordinates of a board of points are outside the part that is shown. The attribute `data-whole` has the view
    with them, which the script shows when the board is enlarged.
    """
    grid = position.game.board
    has_coordinates = isinstance(grid, PointBoard)
    picture = draw_board(position, marked_move, interactive=False, accessible=False, coordinates=has_coordinates)
    if not isinstance(grid, PointBoard):
        return picture
    margin = labelled_margin(grid) - UNLABELLED_MARGIN

    def shown_part(match: re.Match[str]) -> str:
        width, height = (int(side) - 2 * margin for side in match.groups())
        whole = "0 0 {} {}".format(*match.groups())
        return f'viewBox="{margin} {margin} {width} {height}" width="{width}" height="{height}" data-whole="{whole}"'

    return Markup(re.sub(r'viewBox="0 0 (\d+) (\d+)" width="\d+" height="\d+"', shown_part, picture, count=1))


def coordinate_attributes(game: Game) -> Markup:
    """Return the attributes of an element in which the script can show the coordinates of books about Go.

    The attributes are empty for a board without points, or with more columns than the 25 letters of books.
    """
    grid = game.board
    if not isinstance(grid, PointBoard) or grid.columns > _MAX_BOOK_COLUMN_COUNT:
        return Markup("")
    coordinates = "book" if game.row_1_is_at_bottom else "stored"
    return Markup('data-rows="{}" data-columns="{}" data-coordinates="{}"').format(grid.rows, grid.columns, coordinates)


def line_ghosts(position: Position, line: Sequence[Move]) -> dict[Move, str]:
    """Return the ghosts for `draw_board` that show a line of moves from a position."""
    return {position.game.parse(name): mark for name, mark in line_markings(position, line)}


def play_line(position: Position, line: Sequence[Move]) -> tuple[Position, list[Move]]:
    """Return the position after a line of moves, and the moves that have a number on the board: a pass has none, as in
    `line_ghosts`.
    """
    numbered = list[Move]()
    for move in line:
        if position.place_to_mark(move) is not None:
            numbered.append(move)
        position = position.play(move)
    return position, numbered


def off_board_moves(position: Position) -> Iterator[OffBoardMove]:
    """Yield a button for each legal move without a place on the board: a pass, a choice in an opening, a stone to take
    over.
    """
    if position.outcome() is not None:
        return
    game, board = position.game, position.game.board
    if (move := position.takeover_move()) is not None:
        yield OffBoardMove(game.format(move), f"Take over {game.format(move)}")
    for move in islice(position.moves(), _MAX_EXTRA_MOVES if board is None else len(board.places) + _MAX_EXTRA_MOVES):
        if position.place_to_mark(move) is None:
            text = game.format(move)
            yield OffBoardMove(text, text.capitalize())


def session_view(
    session: GameSession,
    seats: Sequence[Seat],
    links: dict[str, str],
    present_seats: Collection[Seat],
) -> BoardView:
    """Return the view of a session for the owner of these seats. The view without seats is that of a spectator.

    links: URLs and their labels. present_seats: the seats of humans whose page is open.
    """
    position = session.position
    away = {
        seat
        for seat, info in enumerate(session.seat_infos, 1)
        if info.visitor and seat not in seats and seat not in present_seats and not session.is_over
    }
    is_running = not session.is_over and not session.has_free_seats and not session.is_paused
    is_own_turn = is_running and position.to_move in seats
    colour = seat_colour(position, position.to_move)
    lines = player_lines(position, session.names, session.clocks(), is_over=session.is_over)
    has_running_clock = clock_since(session) is not None
    dead, dead_words = explainer_of(position.game).dead_stones_at_end(position)
    return BoardView(
        draw_board(
            position,
            session.last,
            interactive=bool(seats) and not session.is_over and not session.is_paused,
            territory=position.outcome() is not None,
            dead=dead,
        ),
        position.diagram(),
        tuple(
            replace(
                line, is_away=seat in away, seconds_left=seconds_left if has_running_clock and line.is_to_move else None
            )
            for seat, line, seconds_left in zip(count(1), lines, session.clocks(), strict=False)
        ),
        _last_actions_text(session),
        session.note or _note(session, dead_words),
        tuple(off_board_moves(position)) if is_own_turn else (),
        tuple(action.move for action in session.actions),
        is_waiting=session.has_free_seats,
        note_is_score=position.outcome() is not None and bool(position.explain()),
        links=links,
        bottom_index=seats[0] - 1 if seats else 0,
        turn_colour=colour if is_own_turn else "",
        is_after_pass=is_own_turn and position.pass_ends_game,
    )


def _note(session: GameSession, dead_words: str) -> str:
    """Return the message under the board: a greeting or a summary of the rules at the beginning of the game, and the
    rules' comment on the last position after its end.

    dead_words: a sentence about stones that look dead at the end, or ""; it replaces the general reminder of the rule.
    """
    if session.position.outcome() is not None:
        comment = session.position.explain()
        return comment.replace(f"{NO_DEAD_STONES_REMINDER}.", dead_words) if dead_words else comment
    if session.is_over:
        return ""  # after a resignation or a lack of time the rules are of no interest
    move_count = len(session.actions) - session.opening_length
    return (
        ""
        if move_count > _GREETING_ROUND_COUNT * len(session.seat_infos)
        else session.greeting or rules_summary(session.game)
    )


def _last_actions_text(session: GameSession) -> str:
    """Return sentences on the effects of the moves of the last round, and the thoughts of the last agent.

    The thoughts of a level are left out: they are numbers of its search, which do not help a human opponent.
    """
    actions = session.actions[-len(session.seat_infos) :]
    sentences = [
        f"{action_sentence(session, action, format_name=display_name)}."
        for action in actions
        if action.effect or (action.move == RESIGN and not session.is_over)  # then the status line says it
    ]
    name = session.names[actions[-1].seat - 1] if actions else ""
    if actions and actions[-1].thoughts and level_of_player(name) is None:
        sentences.append(f"{display_name(name)} thinks: {printable(actions[-1].thoughts)[:300]}")
    return " ".join(sentences)


def status_text(session: GameSession, seats: Sequence[Seat], result: str = "") -> str:
    """Return the status line of a session for the owner of these seats."""
    position, names = session.position, session.names
    if session.is_deleted:
        return "This game was deleted."
    if session.is_over:
        return result or "The game is over."
    if session.has_free_seats:
        missing = sum(seat_info.is_free for seat_info in session.seat_infos)
        return f"Waiting for {'the other player' if missing == 1 else f'{missing} players'} to join."
    if session.is_paused:
        return session.pause_reason
    seat = position.to_move
    colour = seat_colour(position, seat)
    if seat in seats:
        task = position.describe_task()
        turn = f"Your turn ({colour})" if len(seats) == 1 else f"{seat_names(session, seats)[seat - 1]} is to move"
        return f"{turn}.{' ' + task if task else ''}"
    if session.seat_infos[seat - 1].is_human:
        return f"{display_name(names[seat - 1])} ({colour}) is to move."
    return f"{display_name(names[seat - 1])} ({colour}) is thinking"


def thinking_since(session: GameSession) -> float | None:
    """Return when the agent to move began to think, in seconds of the monotonic clock; None if no agent is to move."""
    if session.is_over or session.has_free_seats or session.seat_infos[session.position.to_move - 1].is_human:
        return None
    if session.is_paused:
        return None
    return session.turn_started_at


def clock_since(session: GameSession) -> float | None:
    """Return when the clock of the human to move began to run, in seconds of the monotonic clock; None if no clock
    runs.
    """
    return session.turn_started_at if session.is_clock_running else None


def time_limit_text(seconds: float | None) -> str:
    """Return a time limit as text, such as "5 s"; an empty text for no limit."""
    return "" if seconds is None or math.isinf(seconds) else f"{seconds:g} s"
