"""A hint of a puzzle names a right move and an area that contains it; the goal is explained in a sentence."""

from __future__ import annotations

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.puzzles.attempts import Verdict, area_around, hint, judge_attempt, whole_solution
from gomogo_core.puzzles.puzzle import Puzzle, shipped_puzzles

ONE_PER_KIND = {(puzzle.game.name, puzzle.turns, puzzle.is_defence): puzzle for puzzle in shipped_puzzles().values()}


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", ONE_PER_KIND.values(), ids=map(str, ONE_PER_KIND))
def test_a_hint_names_a_right_move_in_a_small_area(puzzle: Puzzle) -> None:
    move, area = hint(puzzle)
    assert judge_attempt(puzzle, (move,)).verdict is not Verdict.WRONG
    assert move in area
    legal = set(map(puzzle.game.format, puzzle.position.moves())) - {"pass"}
    assert legal.issuperset(area)
    assert min(3, len(legal)) <= len(area) <= 25, "the area gives the move away, or is too large to help"
    assert puzzle.goal_explanation.endswith(".")


def test_the_area_of_a_hint_grows_until_it_has_three_legal_moves() -> None:
    crowded = load("go", size=9).replay(["a1", "a2", "b2", "b1", "c1", "c2", "a3", "b3"])
    area = area_around(crowded, crowded.game.parse("c3"))
    assert area == [
        "d1",
        "e1",
        "d2",
        "e2",
        "c3",
        "d3",
        "e3",
        *(f"{letter}{row}" for row in (4, 5) for letter in "abcde"),
    ]
    assert len(area_around(crowded, crowded.game.parse("e5"))) == 9
    assert area_around(crowded, crowded.game.parse("pass")) == []
    edges = load("dots_and_boxes", rows=2, cols=2).replay(["h0", "h2", "v0", "h1", "v1"])
    assert area_around(edges, edges.game.parse("h4")) == ["h4", "v3", "v4"], "the box of h4 has enough"
    edges = load("dots_and_boxes", rows=2, cols=2).replay(["h0", "h2", "v0", "h1", "v2"])
    area = area_around(edges, edges.game.parse("v1"))
    assert area == ["h3", "h4", "h5", "v1", "v3", "v4", "v5"], "the boxes of v1 have only h3 beside it"


def test_a_hint_after_right_moves_is_for_the_next_one_and_a_solved_puzzle_has_none() -> None:
    puzzle = next(puzzle for puzzle in ONE_PER_KIND.values() if puzzle.game.name == "gomoku" and puzzle.turns == 2)
    first, _ = hint(puzzle)
    second, _ = hint(puzzle, (first,))
    assert judge_attempt(puzzle, (first, second)).verdict is Verdict.SOLVED
    with pytest.raises(UserError, match="over"):
        hint(puzzle, (first, second))
    assert first in whole_solution(puzzle)
