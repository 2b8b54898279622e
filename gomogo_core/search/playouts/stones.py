"""Random playouts of Go, Capture Go and Robogo: any legal point except own eyes, or a pass if there is none.

The game's own rules decide when a playout ends. Source: B. Bouzy and B. Helmstetter, Monte-Carlo Go Developments,
Advances in Computer Games 10 (2004): games in which players do not fill their own eyes come to an end, with areas that
can be counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games.base import IllegalMove, Move, Seat
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.evaluation import counts_by_seat
from gomogo_core.search.go.eyes import eye_mask, is_eye
from gomogo_core.search.node import Evaluation, Node, PositionNode
from gomogo_core.search.playouts import Playout, RandomNumber, rewards_of_scores, rewards_of_values

# limit of the moves, as a multiple of the number of points; few games need more than twice that number
MAX_MOVES_PER_POINT = 4


class MeanMargin:
    """The mean of black's margin over the playouts of one search."""

    __slots__ = ("mean", "playout_count")

    def __init__(self) -> None:
        self.mean, self.playout_count = 0.0, 0

    def add_margin(self, margin: float) -> None:
        """Add the margin of one playout."""
        self.playout_count += 1
        self.mean += (margin - self.mean) / self.playout_count


class StonesPlayoutNode(PositionNode):
    """A position in the tree. The moves leave out own eyes, and a pass comes last.

    All nodes of a tree share one `mean_margin`.
    """

    __slots__ = ("mean_margin",)
    position: GoFamilyPosition

    def __init__(
        self, position: GoFamilyPosition, evaluation: Evaluation, ply: int = 0, mean_margin: MeanMargin | None = None
    ):
        super().__init__(position, evaluation, ply)
        self.mean_margin = MeanMargin() if mean_margin is None else mean_margin

    def moves(self) -> Sequence[Move]:
        """Return every legal point except own eyes, then PASS; if there are none of these, every legal move."""
        position = self.position
        points = position.game.bit_geometry.points_in(position.legal_mask & ~eye_mask(position.board, position.to_move))
        moves: list[Move] = [*points, *([PASS] if position.game.passing else [])]
        return moves or tuple(position.moves())

    def child_after(self, move: Move) -> StonesPlayoutNode:
        """Return the node after `move`."""
        return type(self)(self.position.play(move), self.evaluation, self.ply + 1, self.mean_margin)


def node(position: GoFamilyPosition) -> Node:
    """Return the node of `position`, as the root of a tree."""
    return StonesPlayoutNode(position, counts_by_seat)


def run_playout(node: Node, random_number: RandomNumber) -> Playout:
    """Play random moves to the end of the game, and return the rewards."""
    assert isinstance(node, StonesPlayoutNode)
    final_position, moves = play_random_game(node.position, random_number)
    outcome = final_position.outcome()
    if outcome is None:  # the playout reached its maximum length
        return Playout(rewards_of_values(counts_by_seat(final_position)), moves)
    if outcome.scores is not None:
        return Playout(rewards_of_scores(outcome.scores), moves)
    first_reward = 0.5 if outcome.winner is None else float(outcome.winner == 1)
    return Playout((first_reward, 1 - first_reward), moves)


def play_random_game(
    position: GoFamilyPosition, random_number: RandomNumber
) -> tuple[GoFamilyPosition, list[tuple[Seat, Move]]]:
    """Return the position at the end of a random game from `position`, and its moves."""
    geometry, moves = position.game.bit_geometry, list[tuple[Seat, Move]]()
    points, neighbours = geometry.points, geometry.neighbour_masks
    max_moves = MAX_MOVES_PER_POINT * geometry.point_board.area
    free_points = list(geometry.point_indices_in(position.board.empty_mask))
    refuses_suicide = position.game.captures and not position.game.suicide  # whether a stone needs a liberty
    while position.outcome() is None and len(moves) < max_moves:
        mover, board = position.to_move, position.board
        own_stones, opponent_stones, empty = board.stone_mask(mover), board.stone_mask(3 - mover), board.empty_mask
        free_count = len(free_points)
        while free_count:
            k = int(random_number() * free_count)
            i = free_points[k]
            near = neighbours[i]
            if near & empty or not (
                is_eye(geometry, own_stones, opponent_stones, i)
                or (refuses_suicide and not board.has_liberty_after(own_stones, i))
            ):
                move: Move = points[i]
                try:
                    position = position.play(move)
                except IllegalMove:
                    pass
                else:
                    free_points[k] = free_points[-1]
                    free_points.pop()
                    if position.board.captured_mask:
                        free_points.extend(geometry.point_indices_in(position.board.captured_mask))
                    elif position.board.self_captured_mask:
                        free_points.extend(geometry.point_indices_in(position.board.self_captured_mask))
                    break
            free_count -= 1  # not playable on this turn, but perhaps later
            free_points[k], free_points[free_count] = free_points[free_count], i
        else:
            move = PASS if position.game.passing else next(position.moves())
            position = position.play(move)
            if move is not PASS:
                free_points = list(geometry.point_indices_in(position.board.empty_mask))
        moves.append((mover, move))
    return position, moves
