"""The same questions as the proofs of puzzles, answered by trying every move: slow, and simple."""

from __future__ import annotations

from functools import cache

from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.puzzles.puzzle import Puzzle


def attacking_seat(puzzle: Puzzle) -> Seat:
    """The player who tries to reach the goal."""
    seat = puzzle.position.to_move
    return 3 - seat if puzzle.is_defence else seat


def goal_result(puzzle: Puzzle, position: Position) -> bool | None:
    """Whether the goal is reached; None while the game goes on."""
    seat = attacking_seat(puzzle)
    if puzzle.target:
        assert isinstance(position, GoFamilyPosition)
        if position.at(puzzle.game.parse(puzzle.target)) != 3 - seat:  # type: ignore[arg-type]
            return True
        return None if position.outcome() is None else False
    return None if (outcome := position.outcome()) is None else outcome.winner == seat


def is_solving_move(puzzle: Puzzle, position: Position, moves_left: int, move: Move) -> bool:
    """Whether `move` forces the goal with `moves_left` - 1 moves after it; in boxes, if it keeps the margin; as the
    defender's first move, whether the goal cannot be forced with `moves_left` moves.
    """
    after = position.play(move)
    if isinstance(after, DotsAndBoxesPosition):
        assert isinstance(position, DotsAndBoxesPosition)
        return margin(after) == margin(position)
    result = goal_result(puzzle, after)
    if position.to_move != attacking_seat(puzzle):
        return not (can_win(puzzle, after, moves_left) if result is None else result)
    if result is not None:
        return result
    return moves_left > 1 and all(can_win(puzzle, after.play(reply), moves_left - 1) for reply in after.moves())


def can_win(puzzle: Puzzle, position: Position, moves_left: int) -> bool:
    """Whether the attacker, to move, forces the goal within `moves_left` moves."""
    if (result := goal_result(puzzle, position)) is not None:
        return result
    return any(is_solving_move(puzzle, position, moves_left, move) for move in position.moves())


def margin(position: DotsAndBoxesPosition) -> float:
    """The first player's lead at the end, by every order of the edges."""
    lead = position.scores[0] - position.scores[1]
    own_lead = _ahead(position.game, position.drawn)
    return lead + (own_lead if position.to_move == 1 else -own_lead)


@cache
def _ahead(game: DotsAndBoxes, drawn_mask: int) -> int:
    """How many more of the open boxes the player to move gets than the other, by every order of the edges."""
    margins = list[int]()
    for step in game.edge_effects.values():
        if not drawn_mask & step.mask:
            after = drawn_mask | step.mask
            closed = sum(after & sides == sides for sides, _ in step.adjacent_boxes)
            margins.append(closed + _ahead(game, after) if closed else -_ahead(game, after))
    return max(margins, default=0)
