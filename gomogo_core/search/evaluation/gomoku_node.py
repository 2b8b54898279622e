"""A Gomoku position in a search: its score and its visible wins, which are updated after each stone.

The module contains no method of search, no openings and no forbidden points; gomoku_lines.py has the numbers of each
line.

A result is certain in three cases. First, the mover can make five. Second, the opponent can make five at two points (an
open four, or two fours at once). Third, the mover can make such a pair of points, and the opponent has no four (an open
three with the move). Otherwise the value of the position is the value of the mover's rows minus the opponent's.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from itertools import compress
from operator import attrgetter

from gomogo_core.games.base import Move
from gomogo_core.games.gomoku import BLACK, WHITE, GomokuPosition
from gomogo_core.search.evaluation.gomoku_lines import (
    FULL_LANE,
    LANE_BITS,
    BoardLines,
    LineScore,
    first_point,
    lines_of_board,
)
from gomogo_core.search.node import INFINITY, BestChild, Node, win_in

_HIGH_BIT = 1 << LANE_BITS - 1
_GAINS = {BLACK: attrgetter("black_gains"), WHITE: attrgetter("white_gains")}


class GomokuNode(Node):
    """A position in which the next move is a stone, or the game is over.

    `board_key` holds the stones, two bits for each point. `colour` is the mover's colour. `score` is the value of
    black's rows minus white's. `nearby_lanes` has full lanes for the points near a stone. `winner` is the colour of the
    winner, or 0. `parent` is the node before the last stone, and `last_point` the point of that stone.
    """

    __slots__ = (
        "_gains_by_colour", "board_key", "board_lines", "colour", "is_over", "last_point", "line_scores",
        "nearby_lanes", "parent", "ply", "score", "stone_count", "threats", "to_move", "winner",
    )  # fmt: skip

    board_lines: BoardLines
    line_scores: list[LineScore]
    score: int
    threats: int
    nearby_lanes: int
    board_key: int
    stone_count: int
    colour: int
    winner: int
    parent: GomokuNode | None
    last_point: int
    _gains_by_colour: list[int | None]

    @classmethod
    def from_position(cls, position: GomokuPosition, ply: int = 0) -> GomokuNode:
        """Return the node of `position`, computed from the whole board."""
        node = cls()
        node.board_lines = lanes = lines_of_board(position.game)
        values = [0] * len(lanes.lines)
        node.board_key, node.nearby_lanes = 0, FULL_LANE << LANE_BITS * lanes.centre
        for point, colour in enumerate(position.cells):
            if colour:
                node.nearby_lanes |= lanes.near_lanes[point]
                node.board_key += lanes.stone_key[colour][point]
                for k, part in lanes.lines_through[colour][point]:
                    values[k] += part
        node.line_scores = [line[value] for line, value in zip(lanes.lines, values, strict=True)]
        node._sum_line_scores()
        node.stone_count, node.colour, node.to_move, node.ply = position.stones, position.colour, position.to_move, ply
        node.parent, node.last_point = None, -1
        outcome = position.outcome()
        node.is_over = outcome is not None
        node.winner = 0
        if outcome is not None and outcome.winner is not None:
            node.winner = BLACK if outcome.winner == position.black else WHITE
        return node

    def _sum_line_scores(self) -> None:
        """Compute the numbers of the position from those of all lines."""
        _, scores, threats, black_gains, white_gains = map(sum, zip(*self.line_scores, strict=True))
        self.score, self.threats, self._gains_by_colour = scores, threats, [0, black_gains, white_gains]

    def child_after(self, move: Move) -> GomokuNode:
        """Return the node after a stone on `move`."""
        lanes, colour = self.board_lines, self.colour
        point = lanes.number_of[move]  # type: ignore[index]
        node = type(self)()
        node.board_lines = lanes
        node.line_scores = lines = self.line_scores.copy()
        score, threats = self.score, self.threats
        for k, part in lanes.lines_through[colour][point]:
            old = lines[k]
            lines[k] = new = lanes.lines[k][old.code + part]
            score += new.score - old.score
            threats += new.threats - old.threats
        node.score, node.threats = score, threats
        node._gains_by_colour = [0, None, None]
        node.nearby_lanes = self.nearby_lanes | lanes.near_lanes[point]
        node.board_key = self.board_key + lanes.stone_key[colour][point]
        node.stone_count = self.stone_count + 1
        node.colour = 3 - colour
        node.to_move = 3 - self.to_move
        node.ply = self.ply + 1
        node.winner = colour if self.threats & lanes.win_masks_at[colour][point] else 0
        node.is_over = node.winner != 0 or node.stone_count == lanes.area
        node.parent, node.last_point = self, point
        return node

    def gains(self, colour: int) -> int:
        """Return lanes with the gain in the side's score by a stone of `colour` on each point; computed on demand."""
        lanes = self._gains_by_colour[colour]
        if lanes is None:
            assert self.parent is not None
            lanes = self.parent.gains(colour)
            gains_of_line = _GAINS[colour]
            for k in self._changed_lines():
                lanes += gains_of_line(self.line_scores[k]) - gains_of_line(self.parent.line_scores[k])
            self._gains_by_colour[colour] = lanes
        return lanes

    def _changed_lines(self) -> Collection[int]:
        """Return the numbers of the lines that differ from the parent node."""
        return self.board_lines.line_numbers_through[self.last_point]

    def certain_value(self) -> float | None:
        """Return the value if the game is over, or if a case of the module's docstring makes it certain; else None."""
        if self.is_over:
            return 0 if not self.winner else win_in(self.ply) if self.winner == self.colour else -win_in(self.ply)
        lanes, colour, threats = self.board_lines, self.colour, self.threats
        if threats & lanes.win_masks[colour]:
            return win_in(self.ply + 1)
        opponent_wins = threats & lanes.win_masks[3 - colour]
        if opponent_wins:
            return -win_in(self.ply + 2) if opponent_wins >> (first_point(opponent_wins) + 1) * LANE_BITS else None
        return win_in(self.ply + 3) if threats & lanes.two_four_masks[colour] else None

    def value(self) -> float:
        """Return the certain value, or the mover's rows minus the opponent's."""
        certain = self.certain_value()
        if certain is not None:
            return certain
        return self.score if self.colour == BLACK else -self.score

    def values_by_seat(self) -> tuple[float, ...]:
        """Return the value for the mover, and its negative for the opponent."""
        value = self.value()
        return (value, -value) if self.to_move == 1 else (-value, value)

    def best_child(self, alpha: float, beta: float) -> BestChild | None:
        """Compare the values of all children with alpha and beta at once, and return the best.

        Return None if the opponent has a four, or if only one point is empty: then the node has only one child.
        """
        lanes, colour, threats = self.board_lines, self.colour, self.threats
        if threats & lanes.win_masks[3 - colour] or self.stone_count + 1 == lanes.area:
            return None
        if wins := threats & lanes.win_masks[colour]:
            return BestChild(win_in(self.ply + 1), lanes.points[first_point(wins)], 1)
        if two_fours := threats & lanes.two_four_masks[colour]:
            return BestChild(win_in(self.ply + 3), lanes.points[first_point(two_fours)], 1)
        if threats & lanes.two_four_masks[3 - colour]:
            return self._best_defence(beta)
        gains = self.gains(colour) & self.nearby_lanes
        score = (self.score if colour == BLACK else -self.score) - lanes.zero_gain_lane
        child_count = self.nearby_lanes.bit_count() // LANE_BITS - self.stone_count
        if self._any_lane_reaches(gains, beta - score):
            return BestChild(beta, None, child_count)
        if not self._any_lane_reaches(gains, alpha + 1 - score):
            return BestChild(alpha, None, child_count)
        lane_gains = lanes.unpack(gains)
        highest_gain = max(lane_gains)
        return BestChild(score + highest_gain, lanes.points[lane_gains.index(highest_gain)], child_count)

    def _best_defence(self, beta: float) -> BestChild:
        """Return the best child in a position with a threat: play each defence, since each changes the threats."""
        best_child = BestChild(-INFINITY, None, 0)
        for compared_count, move in enumerate(self.defences() or self.moves()[:1], 1):
            value = -self.child_after(move).value()
            best_child = best_child.better_child(value, move, compared_count)
            if value >= beta:
                break
        return best_child

    def _any_lane_reaches(self, gains: int, min_gain: float) -> bool:
        """Return whether a lane of `gains` holds `min_gain` or more.

        The method adds a number to each lane, so that the lane's highest bit is set if the lane held at least
        `min_gain`. Then it tests the highest bits of all lanes at once.
        """
        if not 0 < min_gain < _HIGH_BIT:
            return min_gain <= 0
        return (gains + (_HIGH_BIT - int(min_gain)) * self.board_lines.ones) & self.board_lines.high_bits != 0

    def moves(self) -> Sequence[Move]:
        """Return the points near stones, the most important for both players first; or a winning point alone."""
        lanes, colour, threats = self.board_lines, self.colour, self.threats
        win_lanes = threats & lanes.win_masks[colour] or threats & lanes.win_masks[3 - colour]
        return [lanes.points[first_point(win_lanes)]] if win_lanes else self._points_sorted_by_gain(self.nearby_lanes)

    def moves_in_game_order(self) -> Sequence[Move]:
        """Return the points near stones, row by row."""
        return list(compress(self.board_lines.points, self.board_lines.unpack(self.gains(BLACK) & self.nearby_lanes)))

    def _points_sorted_by_gain(self, candidates: int) -> list[Move]:
        """Return the empty points among the full lanes `candidates`, ordered by the sum of both sides' gains."""
        lanes = self.board_lines
        lane_gains = lanes.unpack((self.gains(BLACK) + self.gains(WHITE)) & candidates)
        sorted_points = sorted(compress(range(lanes.area), lane_gains), key=lane_gains.__getitem__, reverse=True)
        return [lanes.points[point] for point in sorted_points]

    def only_move(self) -> Move | None:
        """Return the point where the opponent would make five, if the mover itself cannot make five."""
        if self.threats & self.board_lines.win_masks[self.colour]:
            return None
        opponent_wins = self.threats & self.board_lines.win_masks[3 - self.colour]
        return self.board_lines.points[first_point(opponent_wins)] if opponent_wins else None

    def forcing_moves(self) -> Sequence[Move]:
        """Return the points where a stone makes a four. If the opponent has a four, the stone must also block it."""
        fours = self.threats & self.board_lines.four_masks[self.colour]
        if opponent_wins := self.threats & self.board_lines.win_masks[3 - self.colour]:
            fours &= FULL_LANE << LANE_BITS * first_point(opponent_wins)
        return self._points_sorted_by_gain(self.board_lines.fill_nonzero_lanes(fours)) if fours else ()

    def defences(self) -> Sequence[Move] | None:
        """Return the defences against an open three. Some are points where the mover makes a four. The others share a
        row with every point where the opponent would make an open four. After any other move, the opponent makes five
        within four plies.
        """
        lanes, colour, threats = self.board_lines, self.colour, self.threats
        dangers = threats & lanes.two_four_masks[3 - colour]
        if not dangers or threats & (lanes.win_masks[colour] | lanes.win_masks[3 - colour]):
            return None
        defence_lanes = self.nearby_lanes
        while dangers:
            point = first_point(dangers)
            defence_lanes &= lanes.same_row_lanes[point]
            dangers &= ~(FULL_LANE << LANE_BITS * point)
        return self._points_sorted_by_gain(defence_lanes | lanes.fill_nonzero_lanes(threats & lanes.four_masks[colour]))

    def key(self) -> Hashable:
        """Return the board as a key; the number of stones determines the turn."""
        return self.board_key

    def describe_move(self, move: Move) -> str | None:
        """Describe the rows that the stone makes and blocks, the most important first."""
        lanes, own_colour, opponent_colour = self.board_lines, self.colour, 3 - self.colour
        point = lanes.number_of[move]  # type: ignore[index]
        point_threats, next_node = self.threats & FULL_LANE << LANE_BITS * point, self.child_after(move)
        five, four, three = (number_word(lanes.winning_length - missing) for missing in range(3))
        if point_threats & lanes.win_masks[own_colour]:
            return f"makes {five} in a row"
        sentences = []
        if point_threats & lanes.win_masks[opponent_colour]:
            is_stopped = not next_node.threats & lanes.win_masks[opponent_colour]
            sentences.append(f"blocks a {four}" if is_stopped else f"blocks one of several ways to make {five}")
        if point_threats & lanes.two_four_masks[own_colour]:
            is_open = next_node._has_open_four(own_colour, point)
            sentences.append(f"makes an open {four}" if is_open else f"makes two {four}s")
        elif point_threats & lanes.four_masks[own_colour]:
            is_double = any(next_node._open_threes(own_colour, point, point))
            sentences.append(f"makes a {four} and an open {three} at once" if is_double else f"makes a {four}")
        elif open_three_count := sum(next_node._open_threes(own_colour, point, point)):
            sentences.append(f"makes an open {three}" if open_three_count == 1 else f"makes two open {three}s")
        elif lanes.fill_nonzero_lanes(next_node.threats & lanes.two_four_masks[own_colour]) & ~lanes.fill_nonzero_lanes(
            self.threats & lanes.two_four_masks[own_colour]
        ):
            sentences.append(f"threatens two {four}s")
        opponent_fours, opponent_wins = lanes.two_four_masks[opponent_colour], lanes.win_masks[opponent_colour]
        if self.threats & opponent_fours and not next_node.threats & (opponent_fours | opponent_wins):
            is_open_three = any(self._open_threes(opponent_colour, point))
            sentences.append(f"blocks an open {three}" if is_open_three else f"blocks two {four}s")
        return " and ".join(sentences) or None

    def _has_open_four(self, colour: int, point: int) -> bool:
        """Return whether the stone on `point` is in an open four."""
        lanes = self.board_lines
        numbers = lanes.line_numbers_through[point]
        return any(self._open_four(self.line_scores[k], lanes.lines[k].points, colour, [point]) for k in numbers)

    def _open_threes(self, colour: int, point: int, *stones: int) -> list[bool]:
        """Return, for each line through `point`, whether one more stone of `colour` makes an open four.

        stones: points in the row of the open four.
        """
        lanes = self.board_lines
        fours = self.threats & lanes.two_four_masks[colour]
        results = []
        for k in lanes.line_numbers_through[point]:
            line, has_open_four = lanes.lines[k], False
            for other_point in line.points:
                if fours & FULL_LANE << LANE_BITS * other_point:
                    code = self.line_scores[k].code + dict(lanes.lines_through[colour][other_point])[k]
                    stones_now = [other_point, *stones]
                    has_open_four = has_open_four or self._open_four(line[code], line.points, colour, stones_now)
            results.append(has_open_four)
        return results

    def _open_four(self, line_score: LineScore, points: range, colour: int, row_points: Sequence[int]) -> bool:
        """Return whether a line has an open four through all points of `row_points`: one stone too few to win, and at
        both ends an empty point where the missing stone wins.
        """
        lanes, sign = self.board_lines, str(colour)
        signs, indices = f"{line_score.code:o}".zfill(len(points)), [points.index(point) for point in row_points]
        first_index, last_index = min(indices), max(indices)
        low = len(signs[: first_index + 1].rstrip(sign))
        high = len(signs) - len(signs[last_index:].lstrip(sign))
        return (
            set(signs[low:high]) == {sign}
            and high - low == lanes.winning_length - 1
            and low > 0
            and high < len(signs)
            and all(line_score.threats & lanes.win_masks_at[colour][points[end]] for end in (low - 1, high))
        )


def number_word(number: int) -> str:
    """Return a number up to ten as a word, and a larger number in digits."""
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else str(number)
