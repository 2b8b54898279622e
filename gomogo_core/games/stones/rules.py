"""The common rules of Go, Capture Go and Robogo: stones with liberties, captures, suicide, ko, passes.

Defines no way to win: each game decides in `_judge`. docs/reference/games.md describes the rules. "ko" and "superko"
follow the logical rules of Go by J. Tromp and B. Taylor (1995); an option selects the variant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

from gomogo_core.games.base import Game, IllegalMove, Move, Outcome, Position, Reason, Seat, option
from gomogo_core.games.boards import Change, Symmetry
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.games.stones import text as stones_text
from gomogo_core.games.stones.board import BLACK, WHITE, BitGeometry, StoneBoard, plane
from gomogo_core.games.stones.ko import EarlierBoards, returning

COLOURS = {BLACK: "black", WHITE: "white"}
SUICIDE = "suicide: the stone would have no liberty"


class Pass(Enum):
    """The move that places no stone."""

    PASS = "pass"

    def __str__(self) -> str:
        return self.value


PASS = Pass.PASS


def ko_option(default: str) -> Any:
    """Declare the option `ko`."""
    return option(default, "which earlier boards may not return", choices=("simple", "positional", "situational"))


def move_cap_option() -> Any:
    """Declare the option `max_moves`; its default is three times the number of points."""
    return option(
        1083,
        "moves, passes among them, after which the game ends",
        low=1,
        follows=lambda chosen: 3 * chosen["rows"] * chosen["cols"],
        rule="3 · rows · cols",
    )


class StonesGame(Game):
    """A game on a board of points with chains and liberties.

    ko: the rule, or none if any board may return. max_moves: the cap, or None. captures: whether stones can be
    captured.
    """

    size: int = option(19, "points along each side", low=2, high=25)
    rows: int = option(19, "rows of points", low=1, high=25, follows=lambda chosen: chosen["size"], rule="size")
    cols: int = option(19, "points in a row", low=1, high=25, follows=lambda chosen: chosen["size"], rule="size")
    passing: bool = option(True, "a player may pass; if not, a player who cannot move loses")
    suicide: bool = option(False, "a move may leave its own stones without liberties: they are taken off")

    ko: str = "none"
    max_moves: int | None = None
    captures: bool = True
    moves_are_places: ClassVar[bool] = True
    position: ClassVar[type[StonesPosition]]

    @cached_property
    def superko(self) -> bool:
        """Whether all earlier boards matter. Without captures, none can return."""
        return self.captures and self.ko in ("positional", "situational")

    def derived_options(self, parsed: Mapping[str, Any]) -> dict[str, Any]:
        """Return `size`: the longer side, or the least size if that is greater."""
        low = next(spec.low for spec in self.declared if spec.name == "size")
        return {"size": max(parsed["rows"], parsed["cols"], low or 1)}

    @cached_property
    def plane(self) -> BitGeometry:
        """The board's geometry, by bits."""
        return plane(self.cols, self.rows)

    @property
    def board(self) -> PointBoard:
        """The board's geometry, by points."""
        return self.plane.grid

    def symmetries(self) -> Sequence[Symmetry]:
        """Return all symmetries of the board."""
        return self.board.symmetries()

    def start(self) -> StonesPosition:
        """Return the empty board; black, seat 1, moves."""
        return self.position(self, StoneBoard.of(self.plane))

    def parse(self, text: str) -> Move:
        """Parse a Point from "d4", "D 4" or "4,4", or PASS from "pass". Raises NotAMove."""
        return PASS if text.strip().casefold() == "pass" else self.board.parse(text)

    def format(self, move: Move) -> str:
        """Return the canonical text: "d4", or "pass"."""
        return "pass" if move is PASS else self.board.name_of[move]

    def how_to_move(self) -> str:
        """Return one sentence for a human at the console."""
        sentence = f"Type a column letter and a row, like {self.board.names[self.board.area // 2]}"
        return f"{sentence}, or pass." if self.passing else f"{sentence}."

    def from_diagram(self, text: str) -> StonesPosition:
        """Parse a diagram. Raises BadDiagram if the text does not describe a position of this game."""
        return stones_text.read(self, text)


class StonesPosition(Position):
    """A board with stones, and the part of its past that the rules need.

    board: the stones. number: the number of moves so far, with passes. passes: the number of consecutive passes up to
    now. captures: the captured stones by seat. previous: the key of the board before the last move, for simple ko;
    past: for superko. last: the last move.
    """

    __slots__ = ("_legal", "_outcome", "board", "captures", "game", "last", "number", "passes", "past", "previous",
                 "to_move")  # fmt: skip
    game: StonesGame
    captures: tuple[int, int]

    def __init__(
        self,
        game: StonesGame,
        board: StoneBoard,
        to_move: Seat = BLACK,
        number: int = 0,
        passes: int = 0,
        captures: tuple[int, int] = (0, 0),
        previous: int | None = None,
        past: EarlierBoards | None = None,
        last: Move | None = None,
    ) -> None:
        self.game, self.board, self.to_move, self.number = game, board, to_move, number
        self.passes, self.captures, self.previous, self.last = passes, captures, previous, last
        if past is None and game.superko:
            past = EarlierBoards.after_origin(board, to_move, number, situational=game.ko == "situational")
        self.past = past
        self._legal: int | None = None
        self._outcome = self._judge()

    @abstractmethod
    def _judge(self) -> Outcome | None:
        """Return the outcome by the rules of this game; called once, by __init__."""

    def _outcome_without_moves(self) -> Outcome | None:
        """Return a loss for a player without a move, if passing is not allowed."""
        if self.game.passing or self.legal:
            return None
        return Outcome.won_by(3 - self.to_move, Reason.NO_MOVE, "no move left")

    # The board

    def at(self, point: Point) -> Seat | None:
        """Return the seat whose stone is on `point`, or None."""
        return self.board.colour(self.game.plane.place[point]) or None

    def rows(self) -> tuple[str, ...]:
        """Return the rows: x for black, o for white, a point for empty."""
        return self.game.plane.rows_of(self.board.black, self.board.white)

    def territory(self) -> Mapping[Seat, Sequence[Point]]:
        """Return the empty points that empty points connect with stones of one colour only."""
        black, white = self.board.territory()
        return {BLACK: self.game.plane.points_in(black), WHITE: self.game.plane.points_in(white)}

    def changes(self, before: Position) -> list[Change]:
        """Return the points whose sign differs from the one in `before`; masks take half the time of rows."""
        if not isinstance(before, StonesPosition):
            return super().changes(before)
        old, new = before.board, self.board
        gone = (old.black | old.white) & ~(new.black | new.white)
        masks = (("x", new.black & ~old.black), ("o", new.white & ~old.white), (".", gone))
        return [Change(sign, tuple(map(str, self.game.plane.points_in(mask)))) for sign, mask in masks if mask]

    def key(self) -> Hashable:
        """Return board, turn, passes, ko or earlier boards, and the number of moves if it matters."""
        ko: Hashable = None  # in a finished game, ko forbids nothing
        if self._outcome is None:
            ko = frozenset(self.past.signs) if self.past is not None else self.ko_mask()
        number = self.number if self.game.max_moves is not None else 0
        return self.board.key, self.to_move, self.passes, number, ko, self._other_state()

    def _other_state(self) -> Hashable:
        """Return the part of the key that depends on the game: captures, if they count."""
        return None

    # Legal moves

    @property
    def legal(self) -> int:
        """The mask of the points where a stone may be placed now, if the game is not over."""
        if self._legal is None:
            self._legal = self.board.empty & ~self._forbidden()
        return self._legal

    def _forbidden(self) -> int:
        if not self.game.captures:
            return 0
        return self.ko_mask() | (0 if self.game.suicide else self.board.suicides(self.to_move))

    def ko_mask(self) -> int:
        """Return the mask of the points that the ko rule forbids now."""
        board, mover = self.board, self.to_move
        if self.past is not None:
            earlier = self.past.one_stone_on(board, mover)
        elif self.previous is not None:
            earlier = [self.previous]
        else:
            return 0
        found = returning(board, mover, earlier) if earlier else 0
        if self.game.suicide:
            plane = self.game.plane
            for i in plane.places(board.suicides(mover)):
                if self._repeats_position(board.put(mover, i)):
                    found |= plane.bits[i]
        return found

    def _repeats_position(self, board: StoneBoard) -> bool:
        """Return whether the ko rule forbids a move to lead to `board`."""
        if (past := self.past) is not None:
            return past.has_occurred(board, past.board_number(board, 3 - self.to_move))
        return self.previous == board.key

    def moves(self) -> Iterator[Move]:
        """Yield every legal point, row by row; then PASS, if passing is allowed."""
        if self._outcome is not None:
            return iter(())
        found: list[Any] = self.game.plane.points_in(self.legal)
        if self.game.passing:
            found.append(PASS)
        return iter(found)

    def why_illegal(self, move: Move) -> str | None:
        """Return the rule that forbids `move`, with the earlier move for ko, or None."""
        if self._outcome is not None:
            return "the game is over"
        if move is PASS:
            return None if self.game.passing else "passing is not allowed in this game"
        i = self.game.plane.place.get(move) if isinstance(move, Point) else None
        if i is None:
            return f"{move} is not on this board"
        if colour := self.board.colour(i):
            return f"{move} is occupied by {COLOURS[colour]}"
        after = self._board_after_stone(i)
        if after.lost and not self.game.suicide:
            return SUICIDE
        if not self._repeats_position(after):
            return None
        number = self.number - 1 if self.past is None else self.past.moves_before(after, 3 - self.to_move)
        back = f"ko: the board would be as it was {f'after move {number}' if number else 'at the start'}"
        return back + ", with the same player to move" * (self.game.ko == "situational")

    def _board_after_stone(self, i: int) -> StoneBoard:
        return (self.board.put if self.game.captures else self.board.put_without_captures)(self.to_move, i)

    def play(self, move: Move) -> StonesPosition:
        """Return the position after `move`. Raises IllegalMove."""
        game, mover, past = self.game, self.to_move, self.past
        if move is PASS:
            if why := self.why_illegal(move):
                raise IllegalMove(why)
            if past is not None:
                past = past.after_move(None, self.board, past.board_number(self.board, 3 - mover))
            return self._next_position(self.board, self.passes + 1, self.captures, past, move)
        i = game.plane.place.get(move) if isinstance(move, Point) else None
        if i is None or self._outcome is not None or not self.board.empty >> i & 1:
            raise IllegalMove(self.why_illegal(move) or "")
        after = self._board_after_stone(i)
        if past is None:
            returns = self.previous == after.key if game.ko == "simple" else False
        else:
            sign = past.board_number(after, 3 - mover)
            returns = past.has_occurred(after, sign)
            past = past.after_move(move, after, sign)  # type: ignore[arg-type]
        if returns or (after.lost and not game.suicide):
            raise IllegalMove(self.why_illegal(move) or "")
        captures = self.captures
        if after.taken or after.lost:  # stones that commit suicide count as the opponent's captures
            one, other = captures[mover - 1] + after.taken.bit_count(), captures[2 - mover] + after.lost.bit_count()
            captures = (one, other) if mover == BLACK else (other, one)
        return self._next_position(after, 0, captures, past, move)

    def _next_position(
        self, board: StoneBoard, passes: int, captures: tuple[int, int], past: EarlierBoards | None, move: Move
    ) -> StonesPosition:
        game = self.game
        previous = self.board.key if game.ko == "simple" and game.captures else None
        return type(self)(game, board, 3 - self.to_move, self.number + 1, passes, captures, previous, past, move)

    # The end

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        return self._outcome

    # Descriptions

    def describe_effect(self, move: Move) -> str:
        """Return the number of stones that the move captures."""
        if not isinstance(move, Point) or not self.game.captures:
            return ""
        after = self._board_after_stone(self.game.plane.place[move])
        return stones_text.capture_text(after.taken.bit_count(), after.lost.bit_count())

    def explain(self, before: Position | None, move: Move | None) -> str:
        """Explain captures, ataris, territories and the points that ko forbids."""
        return stones_text.explain(self, before if isinstance(before, StonesPosition) else None, move)

    def explain_move(self, before: Position, move: Move) -> str:
        """Explain captures."""
        return "\n".join(stones_text.captures(self, before, move))

    def explain_score(self) -> list[str]:
        """Return sentences about the score of this game."""
        return []

    def facts(self) -> dict[str, Any]:
        """Return captures by seat, consecutive passes, the points that ko forbids, and the moves left under the cap."""
        told: dict[str, Any] = {"captures": list(self.captures)} if self.game.captures else {}
        told["passes"] = self.passes
        if self.game.ko != "none":
            told["ko"] = self.ko_names()
        if self.game.max_moves is not None:
            told["moves_left"] = self.game.max_moves - self.number
        return told

    def ko_names(self) -> list[str]:
        """Return the names of the points that ko forbids; if passing is not allowed, ko may end the game."""
        if self._outcome is not None and self.game.passing:
            return []
        return [str(point) for point in self.game.plane.points_in(self.ko_mask())]

    def diagram(self) -> str:
        """Draw the board, then the rest of the state."""
        return stones_text.draw(self)
