"""Draws any position of any game as text: the board with markings, and the players below it.

The module uses positions and names, but no terminal, clock or player. It needs only the standard library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gomogo_core.drawing import _boxes
from gomogo_core.drawing.colours import FAINT, REVERSE_VIDEO, colour_text, mark_colours
from gomogo_core.drawing.coordinates import FILE_COORDINATES, Coordinates
from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.games.stones.board import WHITE
from gomogo_core.printable import printable

__all__ = ["board", "footer", "format_clock", "picture", "printable"]

_KO_SIGN = "~"  # marks a point where ko forbids a stone
_FOOTER_GAP = "   "  # between the parts of a footer


def format_clock(seconds: float) -> str:
    """Format a remaining time as on a clock: "4:05" or "1:00:00"; below ten seconds with tenths, "9.5 s"."""
    if seconds < 10:
        return f"{max(0.0, seconds):.1f} s"
    minutes, seconds_left = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds_left:02}" if minutes >= 60 else f"{minutes}:{seconds_left:02}"


def picture(
    position: Position,
    names: Sequence[str],
    last: Move | None = None,
    clocks: Sequence[float | None] = (),
    *,
    colour: bool = False,
    width: int = 80,
    show_names: bool = False,
    coordinates: Coordinates = FILE_COORDINATES,
) -> str:
    """Return the board and, below it, the footer. `board` and `footer` describe the parameters."""
    board_text = board(position, last, colour=colour, width=width, show_names=show_names, coordinates=coordinates)
    footer_text = footer(position, names, last, clocks, colour=colour, width=width, coordinates=coordinates)
    return f"{board_text}\n\n{footer_text}"


def board(
    position: Position,
    last: Move | None = None,
    *,
    colour: bool = False,
    width: int = 80,
    show_names: bool = False,
    coordinates: Coordinates = FILE_COORDINATES,
) -> str:
    """Return the board alone, with coordinates on all sides if it is a board of points.

    last: the move to mark, in brackets; a winning row is in parentheses. colour: whether to use ANSI colours. width:
    the most characters per line; if there is no space for blanks between the points, marked points are capitals.
    show_names: whether to write each move's name in its place, on a board without coordinates. A point that ko forbids
    is drawn as `~`.
    """
    board = position.game.board
    if isinstance(board, EdgeBoard):
        lines = _boxes.boxes_as_lines(position, board, last, colour=colour, width=width, show_names=show_names)
        return "\n".join(lines)
    if isinstance(board, PointBoard):
        return "\n".join(_PointBoardText(position, board, last, colour, width, coordinates).lines())
    return "\n".join(position.rows())


class _PointBoardText:
    def __init__(
        self,
        position: Position,
        points: PointBoard,
        last: Move | None,
        colour: bool,
        width: int,
        coordinates: Coordinates,
    ) -> None:
        self.rows, self.uses_colour, self.columns = position.rows(), colour, points.columns
        place = None if last is None else position.place_marked_by(last)
        self.last_point = place if isinstance(place, Point) else None
        self.coordinates = coordinates
        self.ko_points = {points.parse(name) for name in position.facts().get("ko", ())}
        self.winning_points = position.winning_places()
        self.mark_codes = mark_colours(position)
        self.label_width = len(str(points.rows))
        self.has_gaps = 2 * self.label_width + 2 * self.columns + 1 <= width

    def lines(self) -> Iterator[str]:
        column_names = (" " if self.has_gaps else "").join(self.coordinates.column_letters(self.columns))
        column_line = self._faint(" " * (self.label_width + 1) + column_names)
        yield column_line
        for row_number, row in enumerate(self.rows, 1):
            signs = (
                self._row_text(row_number, row) if self.has_gaps else f" {''.join(self._row_signs(row_number, row))} "
            )
            label = self.coordinates.row_label(row_number)
            yield f"{self._faint(f'{label:>{self.label_width}}')}{signs}{self._faint(str(label))}"
        yield column_line

    def _faint(self, text: str) -> str:
        return colour_text(text, FAINT) if self.uses_colour else text

    def _row_signs(self, row_number: int, row: str) -> Iterator[str]:
        for column, sign in enumerate(row, 1):
            point = Point(column, row_number)
            is_marked = point == self.last_point or point in self.winning_points
            shown_sign = sign.upper() if is_marked and not self.has_gaps else sign
            if point in self.ko_points:
                shown_sign = _KO_SIGN
            code = self.mark_codes.get(sign, FAINT) + f";{REVERSE_VIDEO}" * is_marked
            yield colour_text(shown_sign, code) if self.uses_colour else shown_sign

    def _row_text(self, row_number: int, row: str) -> str:
        signs = self._row_signs(row_number, row)
        if not self.has_gaps:
            return f" {''.join(signs)} "
        gaps = self._gap_characters(row_number)
        return "".join(gap + sign for gap, sign in zip(gaps, signs, strict=False)) + gaps[-1]

    def _gap_characters(self, row_number: int) -> list[str]:
        """Return the characters before each point of a row, and after the last point; they contain the markings."""
        winning_columns = [
            column for column in range(1, self.columns + 1) if (column, row_number) in self.winning_points
        ]
        gaps = [" "] * (self.columns + 1)
        for column in winning_columns:
            if column - 1 not in winning_columns:
                gaps[column - 1] = "("
            if column + 1 not in winning_columns:
                gaps[column] = ")"
        if self.last_point is not None and self.last_point.row == row_number:
            gaps[self.last_point.column - 1], gaps[self.last_point.column] = "[", "]"
        return gaps


def footer(
    position: Position,
    names: Sequence[str],
    last: Move | None = None,
    clocks: Sequence[float | None] = (),
    *,
    colour: bool = False,
    width: int = 80,
    coordinates: Coordinates = FILE_COORDINATES,
) -> str:
    """Return each player's mark and state, the player to move, and the last move, in lines of at most `width`.

    clocks: the seconds that each player has left for the whole game, by seat; None for a player without such a limit.
    """
    seat_to_move = position.to_move if position.outcome() is None else None
    colour_codes = mark_colours(position)
    parts = list[tuple[str, str]]()  # each with the code of its colour
    for seat, name in enumerate(names, 1):
        player_text = _player_text(position, seat, name, clocks[seat - 1] if clocks else None)
        parts.append((player_text + " to move" * (seat == seat_to_move), colour_codes[position.mark(seat)]))
    if last is not None:
        parts.append((f"last {coordinates.display(position.game.format(last))}", FAINT))
    if ko_points := position.facts().get("ko"):
        parts.append((f"ko {' '.join(map(coordinates.display, ko_points))}", FAINT))
    text, characters_left = "", 0
    for part, code in parts:  # a part is never split between lines
        gap = "" if not text else _FOOTER_GAP if len(_FOOTER_GAP) + len(part) <= characters_left else "\n"
        characters_left = (characters_left if gap == _FOOTER_GAP else width) - len(gap.strip("\n")) - len(part)
        text += gap + (colour_text(part, code) if colour else part)
    return text


def player_state(position: Position, seat: Seat) -> list[str]:
    """Return a player's state in words: the captures, the points, and whether the player has just passed or left.

    In an unfinished game of Go, komi is given instead of the points, which a reader would take for an estimate of the
    result.
    """
    facts = position.facts()
    komi = list[str]()
    if position.game.scores_places and position.outcome() is None:
        del facts["scores"]
        points = position.game.options.get("komi")
        komi = [f"komi {points:g}"] if points and seat == WHITE else []
    units = {"captures": ("captured", "captured"), "scores": position.game.score_unit}
    counts = [(facts[fact][seat - 1], *unit) for fact, unit in units.items() if fact in facts]
    count_texts = [f"{count:g} {singular if count == 1 else plural}" for count, singular, plural in counts]
    has_passed = position.pass_ends_game and position.outcome() is None and seat != position.to_move
    return [*count_texts, *komi, *["passed"] * has_passed, *["left"] * (seat in facts.get("away", ()))]


def _player_text(position: Position, seat: Seat, name: str, seconds_left: float | None) -> str:
    time = [] if seconds_left is None else [format_clock(seconds_left)]
    return ", ".join([f"{position.mark(seat)} {printable(name)}", *player_state(position, seat), *time])
