"""A hint of a puzzle names a right move and an area that contains it; the goal is explained in a sentence."""

from __future__ import annotations

import pytest

from gomogo_core.errors import UserError
from gomogo_core.puzzles.attempts import Verdict, hint, judge_attempt, solution_moves
from gomogo_core.puzzles.puzzle import Puzzle, shipped_puzzles

ONE_PER_KIND = {(puzzle.game.name, puzzle.turns, puzzle.is_defence): puzzle for puzzle in shipped_puzzles().values()}


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", ONE_PER_KIND.values(), ids=map(str, ONE_PER_KIND))
def test_a_hint_names_a_right_move_in_a_small_area(puzzle: Puzzle) -> None:
    move, area = hint(puzzle)
    assert judge_attempt(puzzle, (move,)).verdict is not Verdict.WRONG
    assert move in area
    assert 4 <= len(area) <= 9
    assert puzzle.goal_explanation.endswith(".")


def test_a_hint_after_right_moves_is_for_the_next_one_and_a_solved_puzzle_has_none() -> None:
    puzzle = next(puzzle for puzzle in ONE_PER_KIND.values() if puzzle.game.name == "gomoku" and puzzle.turns == 2)
    first, _ = hint(puzzle)
    second, _ = hint(puzzle, (first,))
    assert judge_attempt(puzzle, (first, second)).verdict is Verdict.SOLVED
    with pytest.raises(UserError, match="over"):
        hint(puzzle, (first, second))
    assert first in solution_moves(puzzle)
