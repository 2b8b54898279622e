"""What Go, Capture Go and Robogo share: stones with liberties, captures, suicide, ko, passes.

Knows no way to win: a game says in `_judge` what its last move decided. Rules: GAMES as in docs/reference/games.md;
"ko" and "superko" as J. Tromp and B. Taylor's logical rules of Go have them (1995), one variant an option.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

from gomogo_core.games import _stones_text
from gomogo_core.games._board import BLACK, WHITE, Board, Plane, plane
from gomogo_core.games._grid import Grid, Point
from gomogo_core.games._ko import Past, returning
from gomogo_core.games.base import Game, IllegalMove, Move, Outcome, Position, Reason, Seat, option

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
    return option(default, "which earlier boards may not return", of=("simple", "positional", "situational"))


def move_cap_option() -> Any:
    """Declare the option `max_moves`, three times the points of the board when nothing else is said."""
    return option(
        1083,
        "moves, passes among them, after which the game ends",
        low=1,
        follows=lambda chosen: 3 * chosen["rows"] * chosen["cols"],
        rule="3 · rows · cols",
    )


class StonesGame(Game):
    """A game on a board of points with chains and liberties.

    ko: the rule, or none where any board may return. max_moves: or None. captures: whether stones can be taken.
    """

    size: int = option(19, "points along each side", low=2, high=25)
    rows: int = option(19, "rows of points", low=1, high=25, follows=lambda chosen: chosen["size"], rule="size")
    cols: int = option(19, "points in a row", low=1, high=25, follows=lambda chosen: chosen["size"], rule="size")
    passing: bool = option(True, "a player may pass; where not, who cannot move loses")
    suicide: bool = option(False, "a move may leave its own stones without liberties: they are taken off")

    ko: str = "none"
    max_moves: int | None = None
    captures: bool = True
    position: ClassVar[type[StonesPosition]]

    @cached_property
    def superko(self) -> bool:
        """Whether all earlier boards matter. Where nothing is taken, none can return."""
        return self.captures and self.ko in ("positional", "situational")

    def settled(self) -> dict[str, Any]:
        """`size` is the longer side, and what it is at least."""
        low = next(spec.low for spec in self.declared if spec.name == "size")
        return {"size": max(self.options["rows"], self.options["cols"], low or 1)}

    @cached_property
    def plane(self) -> Plane:
        """The board's geometry, by bits."""
        return plane(self.cols, self.rows)

    @property
    def grid(self) -> Grid:
        """The board's geometry, by points."""
        return self.plane.grid

    def start(self) -> StonesPosition:
        """The empty board; black, seat 1, moves."""
        return self.position(self, Board.of(self.plane))

    def parse(self, text: str) -> Move:
        """A Point from "d4", "D 4" or "4,4"; PASS from "pass". Raises NotAMove."""
        return PASS if text.strip().casefold() == "pass" else self.grid.parse(text)

    def format(self, move: Move) -> str:
        """The written form: "d4", or "pass"."""
        return "pass" if move is PASS else self.grid.name_of[move]  # type: ignore[index]

    def how_to_move(self) -> str:
        """One sentence for a person at the console."""
        sentence = f"Type a column letter and a row, like {self.grid.names[self.grid.area // 2]}"
        return f"{sentence}, or pass." if self.passing else f"{sentence}."

    def from_diagram(self, text: str) -> StonesPosition:
        """The position a diagram shows. Raises BadDiagram where the text shows no position of this game."""
        return _stones_text.read(self, text)


class StonesPosition(Position):
    """A board with stones, and what of its past the rules need.

    board: the stones. number: how many moves were made, passes among them. passes: in a row, just now. captures: by
    seat, the stones taken. previous: the key of the board before the last move, for simple ko; past: for superko.
    last: the last move.
    """

    __slots__ = ("_legal", "_outcome", "board", "captures", "game", "last", "number", "passes", "past", "previous",
                 "to_move")  # fmt: skip
    game: StonesGame

    def __init__(
        self,
        game: StonesGame,
        board: Board,
        to_move: Seat = BLACK,
        number: int = 0,
        passes: int = 0,
        captures: tuple[int, int] = (0, 0),
        previous: int | None = None,
        past: Past | None = None,
        last: Move | None = None,
    ) -> None:
        self.game, self.board, self.to_move, self.number = game, board, to_move, number
        self.passes, self.captures, self.previous, self.last = passes, captures, previous, last
        if past is None and game.superko:
            past = Past.since(board, to_move, number, situational=game.ko == "situational")
        self.past = past
        self._legal: int | None = None
        self._outcome = self._judge()

    @abstractmethod
    def _judge(self) -> Outcome | None:
        """What the rules of this game say of the position; called once, when it is made."""

    def _stuck(self) -> Outcome | None:
        """A loss for who has no move, where passing is not allowed."""
        if self.game.passing or self.legal:
            return None
        return Outcome.won_by(3 - self.to_move, Reason.NO_MOVE, "no move left")

    # What stands where

    def at(self, point: Point) -> Seat | None:
        """Whose stone stands on `point`, or None."""
        return self.board.colour(self.game.plane.place[point]) or None

    def rows(self) -> tuple[str, ...]:
        """The board, x for black, o for white, a point for empty."""
        return self.game.plane.rows_of(self.board.black, self.board.white)

    def key(self) -> Hashable:
        """Board, turn, passes, the ko or the boards that may not return, and the number of moves where it matters."""
        ko: Hashable = None  # a game that is over forbids nothing more
        if self._outcome is None:
            ko = frozenset(self.past.signs) if self.past is not None else self.ko_mask()
        number = self.number if self.game.max_moves is not None else 0
        return self.board.key, self.to_move, self.passes, number, ko, self._counts()

    def _counts(self) -> Hashable:
        """What else decides this game: captures, where they do."""
        return None

    # What may be played

    @property
    def legal(self) -> int:
        """The mask of the points on which a stone may be placed now, if the game is not over."""
        if self._legal is None:
            self._legal = self.board.empty & ~self._forbidden()
        return self._legal

    def _forbidden(self) -> int:
        if not self.game.captures:
            return 0
        return self.ko_mask() | (0 if self.game.suicide else self.board.suicides(self.to_move))

    def ko_mask(self) -> int:
        """The mask of the points that a rule of ko forbids now."""
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
                if self._returns(board.put(mover, i)):
                    found |= plane.bits[i]
        return found

    def _returns(self, board: Board) -> bool:
        """Whether the rule of ko forbids a move to lead to `board`."""
        if (past := self.past) is not None:
            return past.holds(board, past.sign(board, 3 - self.to_move))
        return self.previous == board.key

    def moves(self) -> Iterator[Move]:
        """Every point on which a stone may be placed, row by row; then PASS, where passing is allowed."""
        if self._outcome is not None:
            return iter(())
        found: list[Any] = self.game.plane.listed(self.legal)
        if self.game.passing:
            found.append(PASS)
        return iter(found)

    def why_illegal(self, move: Move) -> str | None:
        """Which rule forbids `move`, and since when, or None."""
        if self._outcome is not None:
            return "the game is over"
        if move is PASS:
            return None if self.game.passing else "passing is not allowed in this game"
        i = self.game.plane.place.get(move) if isinstance(move, Point) else None
        if i is None:
            return f"{move} is not on this board"
        if colour := self.board.colour(i):
            return f"{move} is occupied by {COLOURS[colour]}"
        after = self._put(i)
        if after.lost and not self.game.suicide:
            return SUICIDE
        if not self._returns(after):
            return None
        number = self.number - 1 if self.past is None else self.past.when(after, 3 - self.to_move)
        back = f"ko: the board would be as it was {f'after move {number}' if number else 'at the start'}"
        return back + ", with the same player to move" * (self.game.ko == "situational")

    def _put(self, i: int) -> Board:
        return (self.board.put if self.game.captures else self.board.put_alone)(self.to_move, i)

    def play(self, move: Move) -> StonesPosition:
        """The position after `move`. Raises IllegalMove."""
        game, mover, past = self.game, self.to_move, self.past
        if move is PASS:
            if why := self.why_illegal(move):
                raise IllegalMove(why)
            if past is not None:
                past = past.then(None, self.board, past.sign(self.board, 3 - mover))
            return self._next(self.board, self.passes + 1, self.captures, past, move)
        i = game.plane.place.get(move) if isinstance(move, Point) else None
        if i is None or self._outcome is not None or not self.board.empty >> i & 1:
            raise IllegalMove(self.why_illegal(move) or "")
        after = self._put(i)
        if past is None:
            returns = self.previous == after.key if game.ko == "simple" else False
        else:
            sign = past.sign(after, 3 - mover)
            returns = past.holds(after, sign)
            past = past.then(move, after, sign)  # type: ignore[arg-type]
        if returns or (after.lost and not game.suicide):
            raise IllegalMove(self.why_illegal(move) or "")
        captures = self.captures
        if after.taken or after.lost:  # stones that commit suicide are the other's captures
            one, other = captures[mover - 1] + after.taken.bit_count(), captures[2 - mover] + after.lost.bit_count()
            captures = (one, other) if mover == BLACK else (other, one)
        return self._next(after, 0, captures, past, move)

    def _next(
        self, board: Board, passes: int, captures: tuple[int, int], past: Past | None, move: Move
    ) -> StonesPosition:
        game = self.game
        previous = self.board.key if game.ko == "simple" and game.captures else None
        return type(self)(game, board, 3 - self.to_move, self.number + 1, passes, captures, previous, past, move)

    # How it ends

    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self._outcome

    # What is said of it

    def told(self, move: Move) -> str:
        """How many stones the move takes."""
        if not isinstance(move, Point) or not self.game.captures:
            return ""
        after = self._put(self.game.plane.place[move])
        return _stones_text.taken(after.taken.bit_count(), after.lost.bit_count())

    def explain(self, before: Position | None, move: Move | None) -> str:
        """Why stones were taken, what is in atari, whose territory is whose, which points ko forbids."""
        return _stones_text.explain(self, before if isinstance(before, StonesPosition) else None, move)

    def explain_move(self, before: Position, move: Move) -> str:
        """Why stones were taken."""
        return "\n".join(_stones_text.captures(self, before, move))

    def explain_score(self) -> list[str]:
        """Sentences on what counts in this game."""
        return []

    def facts(self) -> dict[str, Any]:
        """The captures by seat, passes in a row, the points that ko forbids, and what the move cap leaves."""
        told: dict[str, Any] = {"captures": list(self.captures)} if self.game.captures else {}
        told["passes"] = self.passes
        if self.game.ko != "none":
            told["ko"] = self.ko_names()
        if self.game.max_moves is not None:
            told["moves_left"] = self.game.max_moves - self.number
        return told

    def ko_names(self) -> list[str]:
        """The names of the points that a rule of ko forbids; where passing is not allowed, that may end the game."""
        if self._outcome is not None and self.game.passing:
            return []
        return [str(point) for point in self.game.plane.listed(self.ko_mask())]

    def diagram(self) -> str:
        """The board, then all that it does not show."""
        return _stones_text.draw(self)
