"""Dots and Boxes: a player draws an edge; a player who closes a box owns it, and moves again.

Sources: E. R. Berlekamp, The Dots-and-Boxes Game (2000), ch. 1. The file protocol defines the numbers of the edges.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

from gomogo_core.games import _boxes_text
from gomogo_core.games._boxes_text import OWNER_MARKS, BoxesState
from gomogo_core.games.base import Game, IllegalMove, Move, Outcome, Position, Reason, Seat, option
from gomogo_core.games.boards import Symmetry
from gomogo_core.games.boards.edges import Edge, EdgeBoard, EdgeEffect, edge_board
from gomogo_core.printable import count_with_noun

__all__ = ["GAME", "DotsAndBoxes", "DotsAndBoxesPosition", "Edge"]

_MAX_LISTED_EDGES = 8  # the largest number of edges that a sentence lists


class DotsAndBoxes(Game):
    """Players draw edges in turn. A player who closes a box owns it and moves again.

    The player with the most boxes wins.
    """

    name: ClassVar[str] = "dots_and_boxes"
    score_unit: ClassVar[tuple[str, str]] = ("box", "boxes")
    moves_are_board_places: ClassVar[bool] = True

    rows: int = option(3, "boxes from top to bottom", low=1, high=20)
    cols: int = option(3, "boxes from left to right", low=1, high=20)
    players: int = option(2, "number of players", low=2, high=len(OWNER_MARKS))

    @property
    def seats(self) -> int:
        """The number of players."""
        return self.players

    @property
    def box_count(self) -> int:
        """The number of boxes."""
        return self.rows * self.cols

    @property
    def opening_advice(self) -> str:
        """The long-chain rule for two players (Berlekamp, ch. 2).

        If all boxes lie in c unopened chains, dots - 1 - c edges are drawn, each in a turn of its own. So the first
        player must open a chain if dots + c is odd.
        """
        if self.players != 2:
            return ""
        dot_count = (self.rows + 1) * (self.cols + 1)
        first, second = ("odd", "even") if dot_count % 2 else ("even", "odd")
        return (
            f"Rule of thumb: with {dot_count} dots, the first player wants an {first} number of long chains (three or "
            f"more boxes), and the second player an {second} number."
        )

    @cached_property
    def board(self) -> EdgeBoard:
        """The board's geometry."""
        return edge_board(self.rows, self.cols)

    def symmetries(self) -> Sequence[Symmetry]:
        """Return all symmetries of the board."""
        return self.board.symmetries()

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges: the horizontal edges by number, then the vertical edges."""
        return self.board.edges

    @cached_property
    def boxes(self) -> tuple[int, ...]:
        """The mask of the four sides of each box; boxes are numbered row by row from 0."""
        return self.board.boxes

    @cached_property
    def edge_effects(self) -> dict[Edge, EdgeEffect]:
        """The effect of drawing each edge: the edge's mask, and the boxes beside it."""
        return self.board.edge_effects

    def start(self) -> DotsAndBoxesPosition:
        """Return the position without edges."""
        return DotsAndBoxesPosition(self, 0, bytes(self.rows * self.cols), 1)

    def parse(self, text: str) -> Edge:
        """Parse an Edge from "h 7", "H7" or "h,7". Raises NotAMove."""
        return self.board.parse(text)

    def format(self, move: Move) -> str:
        """Return the canonical text: "h7"."""
        return self.board.name_of[move]

    def how_to_move(self) -> str:
        """Return one sentence for a human at the console."""
        return (
            f"Type an edge: h0 to h{self.board.horizontal_count - 1} are horizontal, "
            f"v0 to v{self.board.vertical_count - 1} vertical."
        )

    def from_diagram(self, text: str) -> DotsAndBoxesPosition:
        """Parse a diagram. Raises BadDiagram if the text does not describe a position of this game.

        In a diagram without a footer, no seat has left, and either no box is closed or all boxes are.
        """
        return DotsAndBoxesPosition(self, *_boxes_text.parse_diagram(self.board, self.players, text))


class DotsAndBoxesPosition(Position):
    """The drawn edges, the owners of the boxes, and the player to move.

    `drawn` is the mask of the drawn edges; `game.board.index_of` has the bit of each edge. `owners` has one byte for
    each box, row by row: the seat that owns the box, or 0. `scores` holds the number of boxes of each seat, and
    `departed` the seats that left. After the end of the game, `to_move` is the seat that moved last.
    """

    __slots__ = ("_last_edge_mask", "_outcome", "_undrawn_edges", "_undrawn_edges_before", "departed", "drawn", "game",
                 "owners", "scores", "to_move")  # fmt: skip
    game: DotsAndBoxes

    def __init__(
        self, game: DotsAndBoxes, drawn: int, owners: bytes, to_move: Seat, departed: frozenset[Seat] = frozenset()
    ) -> None:
        self.game = game
        self.drawn = drawn
        self.owners = owners
        self.to_move = to_move
        self.departed = departed
        self.scores = tuple(owners.count(seat) for seat in range(1, game.players + 1))
        self._outcome = self._outcome_from_boxes() if drawn == game.board.full_mask else None
        self._undrawn_edges: list[Edge] | None = list(game.board.undrawn_edges(drawn))  # None: not computed yet
        # the undrawn edges before the last move, and the mask of its edge; `_compute_undrawn_edges` uses both on demand
        self._undrawn_edges_before, self._last_edge_mask = self._undrawn_edges, 0

    def key(self) -> Hashable:
        """Return the drawn edges, the boxes' owners, the player to move and the seats that left."""
        return self.drawn, self.owners, self.to_move if self._outcome is None else 0, self.departed

    def moves(self) -> Iterator[Move]:
        """Yield every undrawn edge, the horizontal edges first."""
        return iter(self._undrawn_edges or self._compute_undrawn_edges())

    def _compute_undrawn_edges(self) -> list[Edge]:
        """Compute the undrawn edges on demand: most positions of a search are leaves, which need no list of moves."""
        undrawn = self._undrawn_edges_before.copy()
        if self._last_edge_mask:
            index = (~self.drawn & (self._last_edge_mask - 1)).bit_count()  # of undrawn edges before the last edge
            del undrawn[index]
        self._undrawn_edges = undrawn
        return undrawn

    def why_illegal(self, move: Move) -> str | None:
        """Return the rule that forbids `move`; None for a legal move."""
        if self._outcome is not None:
            return "the game is over"
        effect = self.game.edge_effects.get(move) if isinstance(move, Edge) else None
        if effect is None:
            return f"{move} is not on this board"
        return f"{move} is drawn already" if self.drawn & effect.mask else None

    def play(self, move: Move) -> DotsAndBoxesPosition:
        """Return the position after `move`. Raises IllegalMove."""
        game, drawn_mask, seat = self.game, self.drawn, self.to_move
        effect = game.edge_effects.get(move) if type(move) is Edge else None
        if effect is None or drawn_mask & effect[0]:
            raise IllegalMove(self.why_illegal(move) or "")
        mask, adjacent_boxes = effect
        # skip __init__, which would compute known values again; in a random game it would take half of the time
        next_position = _new_position(DotsAndBoxesPosition)
        next_position.game, next_position.departed = game, self.departed
        next_position._undrawn_edges = None
        next_position._undrawn_edges_before = self._undrawn_edges or self._compute_undrawn_edges()
        next_position._last_edge_mask = mask
        next_position.drawn = drawn_mask = drawn_mask | mask
        owners, closed_count = self.owners, 0
        for sides, box in adjacent_boxes:
            if drawn_mask & sides == sides:
                owners = owners[:box] + _OWNER_BYTES[seat] + owners[box + 1 :]
                closed_count += 1
        next_position.owners = owners
        next_position._outcome = None
        if closed_count:
            scores = self.scores
            next_position.scores = (*scores[: seat - 1], scores[seat - 1] + closed_count, *scores[seat:])
            next_position.to_move = seat
            if drawn_mask == game.board.full_mask:  # the last edge always closes a box, since each edge is beside one
                next_position._outcome = next_position._outcome_from_boxes()
        else:
            next_position.scores = self.scores
            next_position.to_move = self._next_seat() if self.departed else seat % game.players + 1
        return next_position

    def _next_seat(self) -> Seat:
        """Return the next seat in the order of play that has not left."""
        seat = self.to_move % self.game.players + 1
        while seat in self.departed:
            seat = seat % self.game.players + 1
        return seat

    def withdraw(self, seat: Seat) -> DotsAndBoxesPosition:
        """Return the position in which `seat` has left. The seat keeps its boxes, and its turns are skipped.

        Raises IllegalMove if fewer than two players would remain, or if the seat does not play.
        """
        if not 1 <= seat <= self.game.players or seat in self.departed:
            raise IllegalMove(f"nobody plays in seat {seat}")
        departed = self.departed | {seat}
        if self.game.players - len(departed) < 2:
            raise IllegalMove(f"{self.game.name} ends when only one player is left")
        next_seat = self._next_seat() if seat == self.to_move else self.to_move
        return DotsAndBoxesPosition(self.game, self.drawn, self.owners, next_seat, departed)

    def describe_effect(self, move: Move) -> str:
        """Describe the boxes that `move` takes, as in "takes 2 boxes and moves again"; return "" if it takes none."""
        if self.why_illegal(move):
            return ""
        next_position = self.play(move)
        box_count = next_position.scores[self.to_move - 1] - self.scores[self.to_move - 1]
        if not box_count:
            return ""
        if next_position._outcome is not None:
            return "takes the last box" if box_count == 1 else f"takes the last {box_count} boxes"
        return f"takes {count_with_noun(box_count, 'box', 'boxes')} and moves again"

    def closing_and_giving_edges(self) -> tuple[list[Edge], list[Edge]]:
        """Return the edges that close a box, and the others that allow the next player to close one."""
        drawn_counts = [(self.drawn & mask).bit_count() for mask in self.game.boxes]
        closing_edges, giving_edges = list[Edge](), list[Edge]()
        for edge in self._undrawn_edges or self._compute_undrawn_edges():
            counts_beside = [drawn_counts[box] for _, box in self.game.edge_effects[edge].adjacent_boxes]
            if 3 in counts_beside:
                closing_edges.append(edge)
            elif 2 in counts_beside:
                giving_edges.append(edge)
        return closing_edges, giving_edges

    def explain(self) -> str:
        """List the edges that close a box. Also list the safe edges or the edges that give a box away, whichever list
        is shorter.
        """
        closing_edges, giving_edges = self.closing_and_giving_edges()
        sentences = [f"These edges close a box: {_join_edges(closing_edges)}."] if closing_edges else []
        unsafe_edges = {*closing_edges, *giving_edges}
        safe_edges = [edge for edge in self.game.board.undrawn_edges(self.drawn) if edge not in unsafe_edges]
        if giving_edges and not safe_edges:
            sentences.append("No edge is safe: each one that closes no box lets the next player close one.")
        elif len(safe_edges) < len(giving_edges):
            sentences.append(f"These edges are safe, because they give no box away: {_join_edges(safe_edges)}.")
        elif giving_edges:
            sentences.append(f"These edges let the next player close a box: {_join_edges(giving_edges)}.")
        return "\n".join(sentences)

    def outcome(self) -> Outcome | None:
        """Return the outcome once all edges are drawn."""
        return self._outcome

    def _outcome_from_boxes(self) -> Outcome:
        """Rank the seats by boxes. Seats that left have the last rank.

        If two of three players have most boxes, the ranks are 1, 1 and 3.
        """
        remaining_scores = [score for seat, score in enumerate(self.scores, 1) if seat not in self.departed]
        ranks = tuple(
            len(remaining_scores) + 1
            if seat in self.departed
            else 1 + sum(other_score > score for other_score in remaining_scores)
            for seat, score in enumerate(self.scores, 1)
        )
        best_score, *other_scores = sorted(remaining_scores, reverse=True)
        detail = " to ".join([count_with_noun(best_score, "box", "boxes"), *map(str, other_scores)])
        return Outcome(ranks, Reason.BOXES, detail, self.scores)

    def mark(self, seat: Seat) -> str:
        """Return the character in the boxes of `seat`: x, o, then a digit or a letter."""
        return OWNER_MARKS[seat - 1]

    def rows(self) -> tuple[str, ...]:
        """Return the rows: `+` for a dot, `-` or `|` for a drawn edge, its owner's mark for a box, else a blank."""
        return _boxes_text.board_rows(self.game.board, self.drawn, self.owners)

    def facts(self) -> dict[str, Any]:
        """Return the boxes of each seat, the number of undrawn edges, the owner of each box, and the seats that left.

        The owners are given row by row: the seat that owns each box, or 0 for an open box.
        """
        cols, owners = self.game.cols, list(self.owners)
        departed = {"away": sorted(self.departed)} if self.departed else {}
        return {
            "scores": list(self.scores),
            "moves_left": len(self.game.edges) - self.drawn.bit_count(),
            "owners": [owners[i : i + cols] for i in range(0, len(owners), cols)],
            **departed,
        }

    def diagram(self) -> str:
        """Draw the board, then the player to move, the boxes of each seat, and the seats that left."""
        state = BoxesState(self.drawn, self.owners, self.to_move, self.departed)
        return _boxes_text.format_diagram(self.game.board, self.game.players, state)


_new_position = object.__new__
_OWNER_BYTES = tuple(bytes((seat,)) for seat in range(len(OWNER_MARKS) + 1))


def _join_edges(edges: list[Edge]) -> str:
    names = " ".join(map(str, edges[:_MAX_LISTED_EDGES]))
    return f"{names} and {len(edges) - _MAX_LISTED_EDGES} more" if len(edges) > _MAX_LISTED_EDGES else names


GAME = DotsAndBoxes
