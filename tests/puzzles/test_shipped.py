"""The shipped puzzles: each one is proved again, and 200 tries are judged as a search of every move judges them."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from gomogo_core.puzzles.attacks import attack_of
from gomogo_core.puzzles.attempts import Verdict, attempt
from gomogo_core.puzzles.making import RULES
from gomogo_core.puzzles.puzzle import Puzzle, shipped
from gomogo_core.search.solve import solve
from tests.puzzles._naive import is_right

PUZZLES = list(shipped().values())
_NAIVE = 2  # moves of the attacker, up to which every move is tried


def test_there_are_forty_of_each_game() -> None:
    assert Counter(one.game.name for one in PUZZLES) == dict.fromkeys(RULES, 40)
    assert len(shipped()) == len(PUZZLES)
    assert {one.level for one in PUZZLES} == {"easy", "medium", "hard"}


def _check(puzzle: Puzzle) -> None:
    position = puzzle.position
    if puzzle.game.name == "dots_and_boxes":
        best = solve(position, megabytes=100).best
        assert 0 < len(best) < len(list(position.moves()))
        return
    attack = attack_of(position, puzzle.target)
    assert attack is not None
    assert attack.shortest(position, puzzle.turns) == puzzle.turns
    assert attack.right_moves(position, puzzle.turns)


@pytest.mark.parametrize("name", RULES)
def test_an_easy_one_of_each_game_is_proved_again(name: str) -> None:
    _check(next(one for one in PUZZLES if one.game.name == name))


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda one: f"{one.game.name}-{one.key}")
def test_every_one_is_proved_again(puzzle: Puzzle) -> None:
    _check(puzzle)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_no_wrong_move_is_accepted_and_no_right_one_refused(name: str) -> None:
    choose = random.Random(name)
    tries = Counter[Verdict]()
    for puzzle in [one for one in PUZZLES if one.game.name == name]:
        at = attempt(puzzle)
        while at.verdict is Verdict.OPEN:
            right = puzzle.right_moves(at.position, at.left)
            if at.left <= _NAIVE:
                for move in [right[0], *choose.sample(list(at.position.moves()), 2)]:
                    judged = attempt(puzzle, (*at.tried, puzzle.game.format(move)))
                    expected = is_right(puzzle, at.position, at.left, move)
                    assert (judged.verdict is not Verdict.WRONG) == expected, (puzzle, at.tried, move)
                    tries[judged.verdict] += 1
            at = attempt(puzzle, (*at.tried, puzzle.game.format(right[0])))
    assert tries[Verdict.WRONG] >= 20
    assert tries.total() - tries[Verdict.WRONG] >= 40
