"""Gomoku: five in a row, with its variants. _gomoku_openings.py has the openings `swap` and `swap2`.

Sources: L. V. Allis, Searching for Solutions in Games and Artificial Intelligence (1994), ch. 5; the Renju
International Federation's rules for `renju`; the referee of WPI's course CS4341 for `takeover`; Gomocup's rules for
`swap2`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, ClassVar

from gomogo_core.games import _completion_hints
from gomogo_core.games import _gomoku_openings as openings
from gomogo_core.games._gomoku_openings import Choice, Phase
from gomogo_core.games._renju import why_forbidden
from gomogo_core.games.base import (
    BadDiagram,
    BadOption,
    Game,
    IllegalMove,
    Move,
    NotAMove,
    Outcome,
    Position,
    Reason,
    Seat,
    option,
)
from gomogo_core.games.boards import Symmetry
from gomogo_core.games.boards.points import CELL_CODES, Point, PointBoard, point_board

__all__ = ["BLACK", "COLOURS", "EMPTY", "GAME", "WHITE", "Choice", "Gomoku", "GomokuPosition", "Phase", "why_forbidden"]

EMPTY, BLACK, WHITE = 0, 1, 2
COLOURS = {BLACK: "black", WHITE: "white"}
_EMPTY_TO_ONE = bytes.maketrans(bytes((EMPTY, BLACK, WHITE)), b"\1\0\0")  # 1 for an empty point, else 0
_SIGNS = bytes.maketrans(bytes((EMPTY, BLACK, WHITE)), b".xo")


class Gomoku(Game):
    """Players place stones on empty points in turn. The first row of `line` stones wins.

    A full board is a draw.
    """

    name: ClassVar[str] = "gomoku"
    moves_are_board_places: ClassVar[bool] = True
    quiet_opening_length: ClassVar[int] = 4  # until then, estimates of short searches differ by an inaccuracy or more

    size: int = option(15, "points along each side", low=5, high=26)
    line: int = option(5, "stones in a row that win", low=3, high=26)
    exact: bool = option(False, "a longer row does not win")
    renju: bool = option(False, "black's overlines, double fours and double threes lose")
    opening: str = option("none", "rule for the first stones", choices=openings.OPENING_NAMES)

    def check_options(self) -> None:
        """Refuse a row longer than the board, and `renju` together with `exact` or another length of the row."""
        if self.line > self.size:
            raise BadOption(
                f"line {self.line} is too long: a board of size {self.size} has no such row.",
                f"Try line={self.size} or less, or a larger size.",
            )
        if self.renju and (self.exact or self.line != 5):
            raise BadOption(
                "renju requires line=5, and has its own rule for longer rows.",
                "Leave out exact and line, or renju.",
            )

    @cached_property
    def board(self) -> PointBoard:
        """The board's geometry."""
        return point_board(self.size, self.size)

    @cached_property
    def winning_row_patterns(self) -> tuple[bytes, ...]:
        """The shortest winning row of each colour, as `line` equal bytes."""
        return tuple(bytes((colour,)) * self.line for colour in (EMPTY, BLACK, WHITE))

    @cached_property
    def board_row_pattern(self) -> re.Pattern[str]:
        """A pattern whose matches in the text of a board are its rows. Slices would take three times as long."""
        return re.compile("." * self.size)

    def symmetries(self) -> Sequence[Symmetry]:
        """Return all symmetries of the board."""
        return self.board.symmetries()

    def start(self) -> GomokuPosition:
        """Return the empty board. In `swap` and `swap2`, the opening begins with three stones of the first player."""
        phase = Phase.PLACE_THREE if openings.has_phases(self.opening) else Phase.PLAY
        return GomokuPosition(self, bytes(self.size * self.size), 0, 1, phase, None, None)

    def parse(self, text: str) -> Move:
        """Parse a Point from "h 8", "H8", "h8" or "8,8", or a Choice from its word. Raises NotAMove."""
        if (known_point := self.board.points_by_text.get(text)) is not None:
            return known_point
        if openings.has_phases(self.opening) and (word := text.strip().casefold()) in ("swap", "stay", "place"):
            return Choice(word)
        return self.board.parse(text)

    def format(self, move: Move) -> str:
        """Return the canonical text: "h8", or the choice's word."""
        return move.value if isinstance(move, Choice) else self.board.name_of[move]

    def how_to_move(self) -> str:
        """Return one sentence for a human at the console."""
        return f"Type a column letter and a row, like {self.board.names[self.board.area // 2]}."

    def from_diagram(self, text: str) -> GomokuPosition:
        """Parse a diagram. Without a footer, black is seat 1 and the opening is over.

        Raises BadDiagram if the text does not describe a position of this game.
        """
        cells, footer = self.board.parse_drawing(text, CELL_CODES)
        stone_count = self.size * self.size - cells.count(EMPTY)
        if cells.count(BLACK) - cells.count(WHITE) not in (0, 1):
            raise BadDiagram(
                f"There are {cells.count(BLACK)} black and {cells.count(WHITE)} white stones.",
                "Black must have as many stones as white, or one more.",
            )
        try:
            black = int(footer.get("black", "seat 1").removeprefix("seat"))
            phase = Phase(footer.get("opening", "play"))
            if black not in (1, 2):
                raise ValueError
            last_move = self.board.parse(footer["last"]) if "last" in footer else None
        except (ValueError, NotAMove):
            raise BadDiagram(
                "The lines below the board do not name the seat of black, or a point for the last move.",
                "Write them as `black: seat 1` and `last: h8`, or leave them out.",
            ) from None
        if phase is not Phase.PLAY and (black == 2 or not openings.is_possible_phase(self.opening, phase, stone_count)):
            raise BadDiagram(
                f"The line `opening: {phase.value}` contradicts opening={self.opening}, {stone_count} stones, "
                f"black: seat {black}.",
                "Leave out the line `opening:` if the opening is over.",
            )
        last_colour = BLACK if stone_count % 2 else WHITE
        last_number = None if last_move is None else self.board.number_of[last_move]
        if last_number is not None and cells[last_number] != last_colour:
            raise BadDiagram(
                f"The line `last: {last_move}` is wrong: {COLOURS[last_colour]} moved last, and has no stone there.",
                f"Name a point with a {COLOURS[last_colour]} stone on it, or leave out `last:`.",
            )
        if stone_count == 1:
            last_number = cells.index(BLACK)
        position = GomokuPosition(self, cells, stone_count, black, phase, last_number, None)
        position._outcome = position._find_outcome()
        return position


class GomokuPosition(Position):
    """A board, the seat of black, the phase of the opening, and the last stone.

    `cells` holds size² bytes row by row, each EMPTY, BLACK or WHITE. `stones` is the number of stones, `black` the seat
    of black, and `last` the number of the last stone's point, or None if that is unknown.
    """

    __slots__ = ("_outcome", "_rows", "black", "cells", "game", "last", "phase", "stones", "to_move")
    game: Gomoku

    def __init__(
        self,
        game: Gomoku,
        cells: bytes,
        stones: int,
        black: Seat,
        phase: Phase,
        last: int | None,
        outcome: Outcome | None,
    ) -> None:
        self.game = game
        self.cells = cells
        self.stones = stones
        self.black = black
        self.phase = phase
        self.last = last
        self._outcome = outcome
        self._rows: tuple[str, ...] | None = None  # computed on demand
        if phase is Phase.PLAY:
            self.to_move = black if stones % 2 == 0 else 3 - black
        else:
            self.to_move = openings.seat_to_move(phase)

    @property
    def colour(self) -> int:
        """The colour of the next stone. The colours alternate, even if one player places several stones."""
        return WHITE if self.stones % 2 else BLACK

    def seat_of(self, colour: int) -> Seat:
        """Return the seat that has `colour` now."""
        return self.black if colour == BLACK else 3 - self.black

    def at(self, point: Point) -> Seat | None:
        """Return the seat whose stone is on `point`; None for an empty point."""
        colour = self.cells[self.game.board.number_of[point]]
        return None if colour == EMPTY else self.seat_of(colour)

    def mark(self, seat: Seat) -> str:
        """Return x for the seat of black, o for the seat of white."""
        return "x" if seat == self.black else "o"

    def key(self) -> Hashable:
        """Return a key with the board, the seat of black, the phase, and whether the game goes on."""
        return self.cells, self.black, self.phase, self._outcome is None

    @property
    def can_take_over(self) -> bool:
        """Whether the player to move may take over the first stone, which the rules allow at the second move only."""
        return self.game.opening == "takeover" and self.stones == 1 and self.black == 1 and self.last is not None

    @property
    def is_opening_turn(self) -> bool:
        """Whether the player to move may take over the first stone, or the phases of the opening are not over."""
        return self.phase is not Phase.PLAY or self.can_take_over

    @property
    def is_before_colour_choice(self) -> bool:
        """Whether a player may still choose the colours, so that a stone placed now may become the opponent's."""
        return self.is_opening_turn or (self.stones == 0 and self.game.opening == "takeover")

    def takeover_move(self) -> Move | None:
        """Return the point of the first stone if the player to move may take that stone over, else None."""
        return self.game.board.points[self.last] if self.last is not None and self.can_take_over else None

    def moves(self) -> Iterator[Move]:
        """Return the choices that the opening offers, if any; else every empty point, and the point of a stone that may
        be taken over.
        """
        if self._outcome is not None:
            return iter(())
        if choices := openings.available_choices(self.game.opening, self.phase):
            return iter(choices)
        cells, taken_number = self.cells, self.last if self.can_take_over else None
        if taken_number is not None:
            cells = cells[:taken_number] + b"\0" + cells[taken_number + 1 :]
        # return an iterator, since a list would take four times as long
        return compress(self.game.board.points, cells.translate(_EMPTY_TO_ONE))

    def why_illegal(self, move: Move) -> str | None:
        """Return the rule that forbids `move`; None for a legal move."""
        if self._outcome is not None:
            return "the game is over"
        if choices := openings.available_choices(self.game.opening, self.phase):
            words = [choice.value for choice in choices]
            return None if move in choices else f"now choose: {', '.join(words[:-1])} or {words[-1]}"
        if isinstance(move, Choice):
            return f"{move.value}: there is nothing to choose now, place a stone"
        i = self.game.board.number_of.get(move) if isinstance(move, Point) else None
        if i is None:
            return f"{move} is not on this board"
        if not self.cells[i] or (i == self.last and self.can_take_over):
            return None
        takeover_rule = " (the first stone may be taken at the second move only)"
        return f"{move} is occupied by {COLOURS[self.cells[i]]}" + takeover_rule * (self.game.opening == "takeover")

    def play(self, move: Move) -> GomokuPosition:
        """Return the position after `move`. Raises IllegalMove."""
        cells, stones, phase = self.cells, self.stones, self.phase
        i = self.game.board.number_of.get(move) if isinstance(move, Point) else None
        # a stone on an empty point, the most frequent move, skips this block
        if i is None or cells[i] or self._outcome is not None or phase is not Phase.PLAY:
            if problem := self.why_illegal(move):
                raise IllegalMove(problem)
            if isinstance(move, Choice):
                return self._play_choice(move)
            assert i is not None
            if cells[i]:  # takeover: the stone changes its owner, and the first player moves next
                return GomokuPosition(self.game, cells, 1, 2, phase, i, None)
            phase = openings.phase_after_stone(phase, stones)
        cells = cells[:i] + (b"\2" if stones % 2 else b"\1") + cells[i + 1 :]
        next_position = GomokuPosition(self.game, cells, stones + 1, self.black, phase, i, None)
        next_position._outcome = next_position._outcome_of_last_stone()
        return next_position

    def _play_choice(self, choice: Choice) -> GomokuPosition:
        phase, black = openings.phase_after_choice(choice), 3 - self.black if choice is Choice.SWAP else self.black
        return GomokuPosition(self.game, self.cells, self.stones, black, phase, self.last, None)

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        return self._outcome

    def _outcome_of_last_stone(self) -> Outcome | None:
        """Return the outcome that the last stone causes; None if the game goes on.

        A stone that fills the board and completes a row wins.
        """
        assert self.last is not None
        colour = self.cells[self.last]
        if self._winning_row_through(self.last):
            return Outcome.won_by(self.seat_of(colour), Reason.LINE, f"{self.game.line} in a row")
        if self.game.renju and colour == BLACK and (problem := self._why_last_stone_forbidden()):
            return Outcome.won_by(self.seat_of(WHITE), Reason.FORBIDDEN, problem)
        if self.stones == len(self.cells):
            return Outcome.draw(Reason.BOARD_FULL, "board full")
        return None

    def _why_last_stone_forbidden(self) -> str | None:
        assert self.last is not None
        cells_before = self.cells[: self.last] + b"\0" + self.cells[self.last + 1 :]
        return why_forbidden(cells_before, self.game.size, self.last)

    def _winning_row_through(self, point_number: int) -> tuple[int, ...]:
        """Return the numbers of the points in a winning row through the stone on point number `point_number`; () if
        there is none.
        """
        cells = self.cells
        colour, board = cells[point_number], self.game.board
        row_pattern, lines = self.game.winning_row_patterns[colour], board.lines_through[point_number]
        for direction, (points_before, points_behind) in enumerate(board.line_neighbours[point_number]):
            if cells[points_before] != colour and cells[points_behind] != colour:
                continue  # the usual case: the test takes a third of the time of the slice below
            if row_pattern in cells[lines[direction]] and (
                points := self._winning_row_in_line(point_number, direction)
            ):
                return points
        return ()

    def _winning_row_in_line(self, point_number: int, direction: int) -> tuple[int, ...]:
        """Return the numbers of the points in a winning row through point number `point_number` in one direction; () if
        there is none.
        """
        colour, board, line = self.cells[point_number], self.game.board, self.game.line
        line_slice = board.lines_through[point_number][direction]
        line_cells = self.cells[line_slice]
        first_index = last_index = board.index_in_line[point_number][direction]
        while first_index and line_cells[first_index - 1] == colour:
            first_index -= 1
        while last_index + 1 < len(line_cells) and line_cells[last_index + 1] == colour:
            last_index += 1
        must_be_exact = self.game.exact or (self.game.renju and colour == BLACK)
        if last_index - first_index + 1 == line or (last_index - first_index + 1 > line and not must_be_exact):
            return tuple(range(line_slice.start, line_slice.stop, line_slice.step)[first_index : last_index + 1])
        return ()

    def winning_places(self) -> tuple[Point, ...]:
        """Return the points of the winning row; () if there is none."""
        if self._outcome is None or self._outcome.reason is not Reason.LINE:
            return ()
        last_points = () if self.last is None else (self.last,)
        rows = (self._winning_row_through(i) for i in (*last_points, *range(len(self.cells))) if self.cells[i])
        return tuple(self.game.board.points[i] for i in next(filter(None, rows), ()))

    def _find_outcome(self) -> Outcome | None:
        """Return the outcome of a board that was parsed from a diagram; None if the game goes on."""
        outcome = None if self.last is None else self._outcome_of_last_stone()
        if outcome is not None and outcome.reason is not Reason.BOARD_FULL:
            return outcome
        for i, colour in enumerate(self.cells):
            if colour and self._winning_row_through(i):
                return Outcome.won_by(self.seat_of(colour), Reason.LINE, f"{self.game.line} in a row")
        return Outcome.draw(Reason.BOARD_FULL, "board full") if self.stones == len(self.cells) else None

    def forbidden_points(self) -> tuple[Point, ...]:
        """Return the points that `renju` forbids to black now; () if black does not place the next stone."""
        if not self.game.renju or self.colour != BLACK or self._outcome is not None:
            return ()
        size, points = self.game.size, self.game.board.points
        return tuple(p for i, p in enumerate(points) if not self.cells[i] and why_forbidden(self.cells, size, i))

    def warning(self, move: Move) -> str | None:
        """Return a warning if a legal move is forbidden to black by Renju, and therefore loses."""
        if not self.game.renju or self.colour != BLACK or self.why_illegal(move) or isinstance(move, Choice):
            return None
        outcome = self.play(move).outcome()
        if outcome is None or outcome.reason is not Reason.FORBIDDEN:
            return None
        return f"{move} is forbidden to black ({outcome.detail}): it loses at once"

    def describe_task(self) -> str:
        """Describe the task that the opening gives the player to move."""
        if self.can_take_over and self.last is not None:
            return f"You may also play at {self.game.board.names[self.last]}: then the stone there becomes yours."
        return openings.describe_task(self.game.opening, self.phase, COLOURS[self.colour])

    def explain(self) -> str:
        """List the points that complete a row, and the points that Renju forbids to black."""
        if self._outcome is not None or self.phase is not Phase.PLAY:
            return ""
        sentences = []
        for colour, colour_name in ((BLACK, "Black"), (WHITE, "White")):
            empty_points = ((i, name) for i, name in enumerate(self.game.board.names) if not self.cells[i])
            points = [name for i, name in empty_points if self._completes_row(i, colour)]
            sentences += _completion_hints.completion_sentences(colour_name, self.game.line, points)
        if forbidden := self.forbidden_points():
            sentences.append(f"Black loses with a stone at any of these points: {' '.join(map(str, forbidden))}.")
        return "\n".join(sentences)

    def _completes_row(self, point_number: int, colour: int) -> bool:
        """Return whether a stone of this colour on the empty point number `point_number` completes a row."""
        cells = self.cells[:point_number] + bytes((colour,)) + self.cells[point_number + 1 :]
        next_position = GomokuPosition(self.game, cells, self.stones + 1, self.black, self.phase, point_number, None)
        return bool(next_position._winning_row_through(point_number))

    def rows(self) -> tuple[str, ...]:
        """Return the rows as text: "x" is a black stone, "o" a white stone, and "." an empty point."""
        if self._rows is None:
            self._rows = tuple(self.game.board_row_pattern.findall(self.cells.translate(_SIGNS).decode("ascii")))
        return self._rows

    def facts(self) -> dict[str, Any]:
        """Return the number of empty points, the seat of black, and the phase of an unfinished opening."""
        opening = {} if self.phase is Phase.PLAY else {"opening": self.phase.value}
        return {"moves_left": len(self.cells) - self.stones, "black": self.black, **opening}

    def diagram(self) -> str:
        """Draw the board and a footer: player to move, colour, the seat of black, the last stone, the phase."""
        colour = COLOURS[self.colour]
        footer = {"to move": f"seat {self.to_move} ({colour} {_SIGNS[self.colour]:c})", "black": f"seat {self.black}"}
        if self._outcome is not None:
            footer["to move"] = "nobody"
        if self.last is not None:
            footer["last"] = self.game.board.names[self.last]
        if self.phase is not Phase.PLAY:
            footer["opening"] = self.phase.value
        return self.game.board.draw(self.rows(), footer)


GAME = Gomoku
