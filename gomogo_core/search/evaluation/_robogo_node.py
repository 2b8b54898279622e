"""A position of Robogo in a search: which moves are worth a look, in which order, and what they do.

Knows no method of search; the rows, and what they make certain, are _robogo_rows.py's.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import compress

from gomogo_core.games._board import BLACK, WHITE
from gomogo_core.games._stones import PASS
from gomogo_core.games.base import Move
from gomogo_core.search.evaluation._gomoku_lanes import FULL, LANE
from gomogo_core.search.evaluation._gomoku_node import in_words
from gomogo_core.search.evaluation._robogo_rows import RobogoRows
from gomogo_core.search.evaluation._robogo_threats import tight
from gomogo_core.search.node import INFINITY, Reply, win_in

_ATARI = 60  # what a stone in atari is worth to the opponent; a row of three, open at one end, is worth 120
_TAKING = 100  # for the order of moves: what a capture counts, beside what the stone gains in rows
_ROOM = 12  # empty points beside others: so many cannot all be forbidden to the opponent after one move
_FEW = 2  # stones on a board that is likely to be its own mirror image
_NOT_ASKED: list[Move] = []


class RobogoNode(RobogoRows):
    """A position, its rows, and its moves."""

    __slots__ = ("_defences",)

    _defences: list[Move] | None

    def _begin(self, *, over: bool, winner: int) -> None:
        super()._begin(over=over, winner=winner)
        self._defences = _NOT_ASKED

    def moves(self) -> Sequence[Move]:
        """The moves near stones, first those where most is at stake for both; of mirror images one.

        Where a stone wins, that one alone; where the opponent's next would, or would lead to a certain win, those alone
        that may stop it.
        """
        if wins := self.wins(self.colour):
            return [self.field.plane.points[wins[0]]]
        if (stopping := self.stopping()) and (near := self.field.in_lanes(stopping) & self.near):
            found = self._ordered(near)
            return [*found, PASS] if self.may_draw() else found
        if defences := self.defences():
            return defences
        found = self._unlike(self._ordered(self._playable()))
        return [*found, PASS] if self.position.game.passing else found

    def natural_moves(self) -> Sequence[Move]:
        """The moves near stones, row by row, then a pass."""
        lanes = self.lanes
        found: list[Move] = list(compress(lanes.points, lanes.unpack(self._playable())))
        return [*found, PASS] if self.position.game.passing else found

    def _playable(self) -> int:
        """The full lanes of the points near stones where a stone may be placed; of all, where there is none near."""
        board, legal, field = self.position.board, self.position.legal, self.field
        lanes = self.vacant & self.near
        for place in field.plane.places(board.empty & ~legal):
            lanes &= ~(FULL << LANE * field.number[place])
        return lanes or field.in_lanes(legal)

    def _ordered(self, where: int) -> list[Move]:
        """The points of the full lanes `where`, by what both sides would gain there in rows and captures."""
        lanes, field = self.lanes, self.field
        each = list(lanes.unpack((self.gains(BLACK) + self.gains(WHITE)) & where))
        _, by_black, by_white = self.breath().takes
        for place in field.plane.places(by_black | by_white):
            if each[number := field.number[place]]:
                each[number] += _TAKING
        order = sorted(compress(range(lanes.area), each), key=each.__getitem__, reverse=True)
        return [lanes.points[number] for number in order]

    def _unlike(self, moves: list[Move]) -> list[Move]:
        """The same moves without those that are another's mirror image, while few stones are on the board."""
        field, position = self.field, self.position
        stones = position.board.black | position.board.white
        if stones.bit_count() > _FEW or position.captures != (0, 0):
            return moves
        fixed = [field.number[place] for place in field.plane.places(stones)]
        images = [image for image in field.images if all(image[number] == number for number in fixed)]
        first: dict[int, Move] = {}
        for move in moves:
            number = self.lanes.number[move]  # type: ignore[index]
            first.setdefault(min(image[number] for image in images), move)
        return list(first.values())

    def only_move(self) -> Move | None:
        """The one move that does not lose at once, if the opponent would win next and the mover cannot win now."""
        stopping = self.stopping()
        if not stopping or stopping & (stopping - 1) or self.may_draw() or self.wins(self.colour):
            return None
        return self.field.plane.points[stopping.bit_length() - 1]

    def forcing_moves(self) -> Sequence[Move]:
        """The points where a stone makes a four; of those only such as stop the opponent's, where there is one."""
        fours = self.lanes.widen(self.threats & self.lanes.fours[self.colour])
        stopping = self.stopping() if fours else None
        if stopping is not None:
            fours &= self.field.in_lanes(stopping)
        return self._ordered(fours & self._playable()) if fours else ()

    def defences(self) -> Sequence[Move] | None:
        """Against a stone after which not all rows can be stopped: what matters to it, captures, and own fours."""
        if self._defences is _NOT_ASKED:
            where = self.defending()
            self._defences = None if where is None else self._ordered(where & self._playable())
        return self._defences

    def value(self) -> float:
        """The verdict, or what the mover's rows are worth less the opponent's, and stones in atari likewise."""
        certain = self.verdict()
        return self._estimate() if certain is None else certain

    def _estimate(self) -> int:
        score = self.score + _ATARI * self.breath().held
        return score if self.colour == BLACK else -score

    def best_child(self, alpha: float, beta: float) -> Reply | None:
        """The best child's value: those that take a stone or make a four one by one, the others all at once.

        None where somebody can complete a row, or the game may be over after any move.
        """
        lanes, colour, threats = self.lanes, self.colour, self.threats
        if threats & (lanes.wins[colour] | lanes.wins[3 - colour]) or self._ends_soon():
            return None
        if (winning := self.winning_move()) is not None:
            return Reply(win_in(self.ply + 3), winning, 1)
        if threats & lanes.two_fours[3 - colour]:
            return self._best_defence(beta) if self.defences() is not None else None
        quiet, score = self._playable(), self._estimate()
        loud = self._loud() & quiet
        quiet ^= loud
        best = Reply(-INFINITY, None, 0)
        for tried, move in enumerate(compress(lanes.points, lanes.unpack(loud)), 1):
            value = -self.play(move).value()
            best = Reply(value, move, tried) if value > best.value else best._replace(evaluated=tried)
            if value >= beta:
                return best
        if self.position.game.passing:
            best = Reply(score, PASS, best.evaluated + 1) if score > best.value else best
        children = best.evaluated + quiet.bit_count() // LANE
        if quiet:
            gains, score = self.gains(colour) & quiet, score - lanes.unchanged
            if self._any_reaches(gains, beta - score):
                return Reply(beta, None, children)
            if self._any_reaches(gains, max(best.value, alpha) + 1 - score):
                each = lanes.unpack(gains)
                most = max(each)
                return Reply(score + most, lanes.points[each.index(most)], children)
        return best._replace(evaluated=children) if best.value > alpha else Reply(alpha, None, children)

    def _loud(self) -> int:
        """The full lanes of the points where a stone may do more than it gains in rows: take, save, be short of air."""
        if not self.field.captures:
            return 0
        field, board, lanes = self.field, self.position.board, self.lanes
        close = tight(board)
        loud = field.in_lanes(self.breath().short | close)
        if fours := self.threats & lanes.fours[self.colour]:  # more than that where the opponent may not stop it
            where = 0
            for place in field.plane.places(close):
                where |= lanes.reach[field.number[place]]
            loud |= lanes.widen(fours) & where
        return loud

    def _ends_soon(self) -> bool:
        """Whether the next move may end the game without a row."""
        position = self.position
        if position.game.passing:
            return position.passes > 0 or not self.moves_left(2)
        breathing = position.board.empty & self.field.plane.beside(position.board.empty)
        return breathing.bit_count() < _ROOM or not self.moves_left(2)

    def key(self) -> Hashable:
        """Board, turn, passes, number of moves, and what ko forbids now.

        What it will forbid after further moves is left out: cycles of more than two captures are rare, and boards that
        were reached by other moves would hardly ever be the same.
        """
        position = self.position
        return position.board.key, self.colour, position.passes, position.number, position.ko_mask()

    def why(self, move: Move) -> str | None:
        """What the move makes, prevents, takes and saves, the weightiest first."""
        if move is PASS:
            return "ends the game as a draw" if self.may_draw() else None
        child, place = self.play(move), self.field.plane.place[move]  # type: ignore[index]
        before, after = self.position.board, child.position.board
        if after.lost:
            return f"gives up {_stones(after.lost.bit_count())}"
        said = [super().why(move)]
        if child.winner or not self.field.captures:
            return said[0]
        if after.taken:
            said.append(f"captures {_stones(after.taken.bit_count())}")
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
