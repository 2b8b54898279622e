"""Dots and Boxes: draw an edge; who closes a box owns it, and moves again.

Sources: E. R. Berlekamp, The Dots-and-Boxes Game (2000), ch. 1; the edges are numbered as the file protocol has them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from typing import Any, ClassVar

from gomogo_core.games import _boxes_text
from gomogo_core.games._boxes_text import MARKS, Parts
from gomogo_core.games._edges import Edge, Edges, Step, edges
from gomogo_core.games.base import Game, IllegalMove, Move, Outcome, Position, Reason, Seat, option

__all__ = ["GAME", "DotsAndBoxes", "DotsAndBoxesPosition", "Edge"]

_MOST = 8  # edges that a sentence lists


class DotsAndBoxes(Game):
    """Players draw one undrawn edge in turn; who closes a box owns it and moves again; most boxes win."""

    name: ClassVar[str] = "dots_and_boxes"
    points: ClassVar[tuple[str, str]] = ("box", "boxes")

    rows: int = option(3, "boxes from top to bottom", low=1, high=20)
    cols: int = option(3, "boxes from left to right", low=1, high=20)
    players: int = option(2, "how many play", low=2, high=len(MARKS))

    @property
    def seats(self) -> int:
        """How many play."""
        return self.players

    @cached_property
    def board(self) -> Edges:
        """The board's geometry."""
        return edges(self.rows, self.cols)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Every edge: the horizontal ones by number, then the vertical ones."""
        return self.board.edges

    @cached_property
    def bit(self) -> dict[Edge, int]:
        """The place of each edge in `edges`, which is its bit in a mask: `1 << game.bit[edge]`."""
        return self.board.bit

    @cached_property
    def boxes(self) -> tuple[int, ...]:
        """Of each box, numbered row by row from 0, the mask of its four sides."""
        return self.board.boxes

    @cached_property
    def steps(self) -> dict[Edge, Step]:
        """What drawing each edge touches."""
        return self.board.steps

    def start(self) -> DotsAndBoxesPosition:
        """The bare dots."""
        return DotsAndBoxesPosition(self, 0, bytes(self.rows * self.cols), 1)

    def parse(self, text: str) -> Edge:
        """An Edge from "h 7", "H7" or "h,7". Raises NotAMove."""
        return self.board.parse(text)

    def format(self, move: Move) -> str:
        """The written form: "h7"."""
        return self.board.name_of[move]  # type: ignore[index]

    def how_to_move(self) -> str:
        """One sentence for a person at the console."""
        return f"Type an edge: h0 to h{self.board.horizontal - 1} lie, v0 to v{self.board.vertical - 1} stand."

    def from_diagram(self, text: str) -> DotsAndBoxesPosition:
        """The position a diagram shows. Without a footer nobody has left, and no box is closed or all are.

        Raises BadDiagram where the text shows no position of this game.
        """
        return DotsAndBoxesPosition(self, *_boxes_text.read(self.board, self.players, text))


class DotsAndBoxesPosition(Position):
    """The edges drawn, who owns which box, and who moves next.

    drawn: the mask of the drawn edges; the bit of each is in `game.bit`. owners: a byte for each box, numbered row by
    row: the seat that owns it, or 0. scores: boxes by seat. away: the seats that left. Once the game is over, `to_move`
    is the seat that moved last.
    """

    __slots__ = ("_before", "_free", "_last", "_outcome", "away", "drawn", "game", "owners", "scores", "to_move")
    game: DotsAndBoxes

    def __init__(
        self, game: DotsAndBoxes, drawn: int, owners: bytes, to_move: Seat, away: frozenset[Seat] = frozenset()
    ) -> None:
        self.game = game
        self.drawn = drawn
        self.owners = owners
        self.to_move = to_move
        self.away = away
        self.scores = tuple(owners.count(seat) for seat in range(1, game.players + 1))
        self._outcome = self._counted() if drawn == game.board.all else None
        self._free: list[Edge] | None = list(game.board.undrawn(drawn))  # the undrawn edges, once they are known
        self._before, self._last = self._free, 0  # those before the last move, and the mask of the edge it drew

    def key(self) -> Hashable:
        """The drawn edges, the boxes' owners, whose turn it is, and who has left."""
        return self.drawn, self.owners, self.to_move if self._outcome is None else 0, self.away

    def moves(self) -> Iterator[Move]:
        """Every undrawn edge, the horizontal ones first."""
        return iter(self._free or self._find_free())

    def _find_free(self) -> list[Edge]:
        """Find the undrawn edges. Only now: most positions of a search are leaves, and are never asked for moves."""
        free = self._before.copy()
        if self._last:
            del free[(~self.drawn & (self._last - 1)).bit_count()]  # so many undrawn edges stand before it
        self._free = free
        return free

    def why_illegal(self, move: Move) -> str | None:
        """Which rule forbids `move`, or None."""
        if self._outcome is not None:
            return "the game is over"
        step = self.game.steps.get(move) if isinstance(move, Edge) else None
        if step is None:
            return f"{move} is not on this board"
        return f"{move} is drawn already" if self.drawn & step.mask else None

    def play(self, move: Move) -> DotsAndBoxesPosition:
        """The position after `move`. Raises IllegalMove."""
        game, drawn, seat = self.game, self.drawn, self.to_move
        step = game.steps.get(move) if type(move) is Edge else None
        if step is None or drawn & step[0]:
            raise IllegalMove(self.why_illegal(move) or "")
        mask, boxes = step
        # not by __init__, which has to count, and to look for what is known here: half of the time of a random game
        after = _new(DotsAndBoxesPosition)
        after.game, after.away = game, self.away
        after._free = None
        after._before = self._free or self._find_free()
        after._last = mask
        after.drawn = drawn = drawn | mask
        owners, closed = self.owners, 0
        for sides, box in boxes:
            if drawn & sides == sides:
                owners = owners[:box] + _BYTES[seat] + owners[box + 1 :]
                closed += 1
        after.owners = owners
        after._outcome = None
        if closed:
            scores = self.scores
            after.scores = (*scores[: seat - 1], scores[seat - 1] + closed, *scores[seat:])
            after.to_move = seat
            if drawn == game.board.all:  # the last edge closes a box, as each edge has one beside it
                after._outcome = after._counted()
        else:
            after.scores = self.scores
            after.to_move = self._next() if self.away else seat % game.players + 1
        return after

    def _next(self) -> Seat:
        """The seat after the one to move, past those who left."""
        seat = self.to_move % self.game.players + 1
        while seat in self.away:
            seat = seat % self.game.players + 1
        return seat

    def withdraw(self, seat: Seat) -> DotsAndBoxesPosition:
        """The position in which `seat` has left: its boxes stay its own, and its turns are passed over.

        Raises IllegalMove where fewer than two would be left, or nobody plays there.
        """
        if not 1 <= seat <= self.game.players or seat in self.away:
            raise IllegalMove(f"nobody plays in seat {seat}")
        away = self.away | {seat}
        if self.game.players - len(away) < 2:
            raise IllegalMove(f"{self.game.name} ends when only one player is left")
        moves_next = self._next() if seat == self.to_move else self.to_move
        return DotsAndBoxesPosition(self.game, self.drawn, self.owners, moves_next, away)

    def told(self, move: Move) -> str:
        """How many boxes `move` takes, and whether its player moves again."""
        if self.why_illegal(move):
            return ""
        after = self.play(move)
        count = after.scores[self.to_move - 1] - self.scores[self.to_move - 1]
        if not count:
            return ""
        if after._outcome is not None:
            return "takes the last box" if count == 1 else f"takes the last {count} boxes"
        return f"takes {_boxes(count)} and moves again"

    def explain(self, before: Position | None, move: Move | None) -> str:
        """Which edges close a box, and which let the next player close one."""
        sides = {box: (self.drawn & mask).bit_count() for box, mask in enumerate(self.game.boxes)}
        closing, giving = list[str](), list[str]()
        for edge in () if self._outcome is not None else self.moves():
            mask = self.game.steps[edge].mask  # type: ignore[index]
            beside = [sides[box] for box, around in enumerate(self.game.boxes) if around & mask]
            (closing if 3 in beside else giving if 2 in beside else []).append(str(edge))
        said = [f"Who draws one of these closes a box: {_listed(closing)}."] if closing else []
        if giving:
            said.append(f"Who draws one of these lets the next player close a box: {_listed(giving)}.")
        return "\n".join(said)

    def outcome(self) -> Outcome | None:
        """Who has most boxes, once all edges are drawn."""
        return self._outcome

    def _counted(self) -> Outcome:
        """The ranks by boxes, 1 1 3 where two are equally good; who left comes after all who stayed."""
        stayed = [score for seat, score in enumerate(self.scores, 1) if seat not in self.away]
        ranks = tuple(
            len(stayed) + 1 if seat in self.away else 1 + sum(other > score for other in stayed)
            for seat, score in enumerate(self.scores, 1)
        )
        first, *others = sorted(stayed, reverse=True)
        detail = " to ".join([_boxes(first), *map(str, others)])
        return Outcome(ranks, Reason.BOXES, detail, self.scores)

    def mark(self, seat: Seat) -> str:
        """The character that stands in the boxes of `seat`: x, o, then a digit or a letter of its own."""
        return MARKS[seat - 1]

    def rows(self) -> tuple[str, ...]:
        """Dots, drawn edges and boxes, a character each: `+`, `-`, `|`, the owner's mark, blank for what is open."""
        return _boxes_text.rows(self.game.board, self.drawn, self.owners)

    def facts(self) -> dict[str, Any]:
        """Boxes by seat, how many edges are undrawn, whose each box is, row by row (0: open), and who has left."""
        cols, owners = self.game.cols, list(self.owners)
        away = {"away": sorted(self.away)} if self.away else {}
        return {
            "scores": list(self.scores),
            "moves_left": len(self.game.edges) - self.drawn.bit_count(),
            "owners": [owners[i : i + cols] for i in range(0, len(owners), cols)],
            **away,
        }

    def diagram(self) -> str:
        """The board, then who is to move, the boxes of each seat, and who has left."""
        parts = Parts(self.drawn, self.owners, self.to_move, self.away)
        return _boxes_text.diagram(self.game.board, self.game.players, parts)


_new = object.__new__
_BYTES = tuple(bytes((seat,)) for seat in range(len(MARKS) + 1))


def _listed(edges: list[str]) -> str:
    return " ".join(edges[:_MOST]) + (f" and {len(edges) - _MOST} more" if len(edges) > _MOST else "")


def _boxes(count: int) -> str:
    return "1 box" if count == 1 else f"{count} boxes"


GAME = DotsAndBoxes
