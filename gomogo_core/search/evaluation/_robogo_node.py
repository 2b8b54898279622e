"""A position of Robogo in a search: the moves worth a look, their order, and descriptions of them.

Needs no method of search; _robogo_rows.py has the rows and the certain values.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import compress

from gomogo_core.games.base import Move
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search.evaluation._gomoku_lines import FULL, LANE
from gomogo_core.search.evaluation._gomoku_node import in_words
from gomogo_core.search.evaluation._robogo_rows import RobogoBaseNode
from gomogo_core.search.evaluation._robogo_threats import crowded_points
from gomogo_core.search.node import INFINITY, BestChild, win_in

_ATARI = 60  # value of a stone in atari for the opponent; a row of three, open at one end, is worth 120
_TAKING = 100  # value of a capture in move ordering, in addition to the stone's gain in rows
_ROOM = 12  # empty points with empty neighbours: one move cannot forbid this many to the opponent
_FEW = 2  # up to this number of stones, mirror images are looked for
_NOT_ASKED: list[Move] = []


class RobogoNode(RobogoBaseNode):
    """A position, its rows, and its moves."""

    __slots__ = ("_defences",)

    _defences: list[Move] | None

    def _start(self, *, over: bool, winner: int) -> None:
        super()._start(over=over, winner=winner)
        self._defences = _NOT_ASKED

    def moves(self) -> Sequence[Move]:
        """Return the moves near stones, the most important for both players first; one of each set of mirror images.

        If a stone wins, only that one. If the opponent would win with the next stone, or get a certain win, only the
        moves that may prevent it.
        """
        if wins := self.wins(self.colour):
            return [self.geometry.bit_geometry.points[wins[0]]]
        if (stopping := self.stopping_points()) and (near := self.geometry.in_lanes(stopping) & self.near):
            found = self._points_by_gain(near)
            return [*found, PASS] if self.may_draw() else found
        if defences := self.defences():
            return defences
        found = self._without_mirror_images(self._points_by_gain(self._playable()))
        return [*found, PASS] if self.position.game.passing else found

    def natural_moves(self) -> Sequence[Move]:
        """Return the moves near stones, row by row, then a pass."""
        lanes = self.lanes
        found: list[Move] = list(compress(lanes.points, lanes.unpack(self._playable())))
        return [*found, PASS] if self.position.game.passing else found

    def _playable(self) -> int:
        """Return the full lanes of the legal points near stones; of all legal points if none is near."""
        board, legal, geometry = self.position.board, self.position.legal_mask, self.geometry
        lanes = self.vacant & self.near
        for place in geometry.bit_geometry.bits_in(board.empty & ~legal):
            lanes &= ~(FULL << LANE * geometry.number[place])
        return lanes or geometry.in_lanes(legal)

    def _points_by_gain(self, candidates: int) -> list[Move]:
        """Return the points of the full lanes `candidates`, by both sides' gains there in rows and captures."""
        lanes, geometry = self.lanes, self.geometry
        each = list(lanes.unpack((self.gains(BLACK) + self.gains(WHITE)) & candidates))
        _, by_black, by_white = self.liberties().takes
        for place in geometry.bit_geometry.bits_in(by_black | by_white):
            if each[number := geometry.number[place]]:
                each[number] += _TAKING
        order = sorted(compress(range(lanes.area), each), key=each.__getitem__, reverse=True)
        return [lanes.points[number] for number in order]

    def _without_mirror_images(self, moves: list[Move]) -> list[Move]:
        """Remove moves that are mirror images of others, while few stones are on the board."""
        geometry, position = self.geometry, self.position
        stones = position.board.black | position.board.white
        if stones.bit_count() > _FEW or position.captures != (0, 0):
            return moves
        fixed = [geometry.number[place] for place in geometry.bit_geometry.bits_in(stones)]
        images = [image for image in geometry.images if all(image[number] == number for number in fixed)]
        first: dict[int, Move] = {}
        for move in moves:
            number = self.lanes.number[move]  # type: ignore[index]
            first.setdefault(min(image[number] for image in images), move)
        return list(first.values())

    def only_move(self) -> Move | None:
        """Return the only move that does not lose at once, if the opponent would win next and the mover cannot win."""
        stopping = self.stopping_points()
        if not stopping or stopping & (stopping - 1) or self.may_draw() or self.wins(self.colour):
            return None
        return self.geometry.bit_geometry.points[stopping.bit_length() - 1]

    def forcing_moves(self) -> Sequence[Move]:
        """Return the points where a stone makes a four; if the opponent has one, only those that stop it."""
        fours = self.lanes.widen(self.threats & self.lanes.fours[self.colour])
        stopping = self.stopping_points() if fours else None
        if stopping is not None:
            fours &= self.geometry.in_lanes(stopping)
        return self._points_by_gain(fours & self._playable()) if fours else ()

    def defences(self) -> Sequence[Move] | None:
        """Return the defences against a stone that makes unstoppable rows: related points, captures, and own fours."""
        if self._defences is _NOT_ASKED:
            where = self.defence_lanes()
            self._defences = None if where is None else self._points_by_gain(where & self._playable())
        return self._defences

    def value(self) -> float:
        """Return the certain value, or the mover's rows minus the opponent's, with stones in atari."""
        certain = self.verdict()
        return self._estimate() if certain is None else certain

    def _estimate(self) -> int:
        score = self.score + _ATARI * self.liberties().held
        return score if self.colour == BLACK else -score

    def best_child(self, alpha: float, beta: float) -> BestChild | None:
        """Return the best child: captures and fours one by one, all other moves at once.

        Returns None if a player can complete a row, or if any move may end the game.
        """
        lanes, colour, threats = self.lanes, self.colour, self.threats
        if threats & (lanes.wins[colour] | lanes.wins[3 - colour]) or self._ends_soon():
            return None
        if (winning := self.winning_move()) is not None:
            return BestChild(win_in(self.ply + 3), winning, 1)
        if threats & lanes.two_fours[3 - colour]:
            return self._best_defence(beta) if self.defences() is not None else None
        quiet, score = self._playable(), self._estimate()
        loud = self._effect_lanes() & quiet
        quiet ^= loud
        best = BestChild(-INFINITY, None, 0)
        for tried, move in enumerate(compress(lanes.points, lanes.unpack(loud)), 1):
            value = -self.play(move).value()
            best = BestChild(value, move, tried) if value > best.value else best._replace(compared=tried)
            if value >= beta:
                return best
        if self.position.game.passing:
            best = BestChild(score, PASS, best.compared + 1) if score > best.value else best
        children = best.compared + quiet.bit_count() // LANE
        if quiet:
            gains, score = self.gains(colour) & quiet, score - lanes.unchanged
            if self._any_reaches(gains, beta - score):
                return BestChild(beta, None, children)
            if self._any_reaches(gains, max(best.value, alpha) + 1 - score):
                each = lanes.unpack(gains)
                most = max(each)
                return BestChild(score + most, lanes.points[each.index(most)], children)
        return best._replace(compared=children) if best.value > alpha else BestChild(alpha, None, children)

    def _effect_lanes(self) -> int:
        """Return the full lanes of points with other effects than rows: captures, rescues, a lack of liberties."""
        if not self.geometry.captures:
            return 0
        geometry, board, lanes = self.geometry, self.position.board, self.lanes
        close = crowded_points(board)
        loud = geometry.in_lanes(self.liberties().short | close)
        if fours := self.threats & lanes.fours[self.colour]:  # needed for fours that the opponent may be unable to stop
            where = 0
            for place in geometry.bit_geometry.bits_in(close):
                where |= lanes.reach[geometry.number[place]]
            loud |= lanes.widen(fours) & where
        return loud

    def _ends_soon(self) -> bool:
        """Return whether the next move may end the game without a row."""
        position = self.position
        if position.game.passing:
            return position.passes > 0 or not self.moves_left(2)
        breathing = position.board.empty & self.geometry.bit_geometry.neighbours_of(position.board.empty)
        return breathing.bit_count() < _ROOM or not self.moves_left(2)

    def key(self) -> Hashable:
        """Return StoneBoard, turn, passes, number of moves, and the points that ko forbids now.

        The key leaves out the future effects of ko: cycles of more than two captures are rare. With them, boards
        reached by other moves would hardly ever be the same.
        """
        position = self.position
        return position.board.key, self.colour, position.passes, position.moves_played, position.ko_mask()

    def describe_move(self, move: Move) -> str | None:
        """Describe what the move makes, prevents, captures and saves, the most important first."""
        if move is PASS:
            return "ends the game as a draw" if self.may_draw() else None
        child, place = self.play(move), self.geometry.bit_geometry.bit_of[move]  # type: ignore[index]
        before, after = self.position.board, child.position.board
        if after.self_captured:
            return f"gives up {_stones(after.self_captured.bit_count())}"
        said = [super().describe_move(move)]
        if child.winner or not self.geometry.captures:
            return said[0]
        if after.captured:
            said.append(f"captures {_stones(after.captured.bit_count())}")
            theirs = self.wins(3 - self.colour)
            if theirs and place not in theirs and not child.wins(child.colour):
                said = [f"{said[1]} and breaks a {in_words(self.lanes.row - 1)}", said[0]]
        joined = before.stones(self.colour) & after.chain(place)[0]
        saved = sum(len(places) for _, liberties, places in before.chains_of(joined) if liberties.bit_count() == 1)
        if saved and after.chain(place)[1].bit_count() > 1:
            said.append(f"saves {_stones(saved)} from capture")
        return " and ".join(part for part in said if part) or None


def _stones(number: int) -> str:
    return f"{number} stone" if number == 1 else f"{number} stones"
