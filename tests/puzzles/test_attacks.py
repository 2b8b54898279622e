"""The proofs of goals: compared with a search that tries every move."""

from __future__ import annotations

import random

import pytest

from gomogo_core import games
from gomogo_core.puzzles.attacks import AttackTooLarge, attack_of
from gomogo_core.puzzles.making import find_puzzles, make_puzzles, play_weak_game
from gomogo_core.puzzles.puzzle import Puzzle
from tests.puzzles._naive import is_solving_move

SMALL = [
    ("gomoku", {"size": 5, "line": 4}),
    ("capture_go", {"size": 4}),
    ("robogo", {"size": 4, "line": 3}),
    ("go", {"size": 4}),
]


@pytest.mark.parametrize(("name", "options"), SMALL, ids=[name for name, _ in SMALL])
def test_exactly_the_right_moves_of_small_boards_are_found(name: str, options: dict[str, int]) -> None:
    game, choose = games.load(name, **options), random.Random(5)
    lengths = set[int]()
    while len(lengths) < 2:
        moves = play_weak_game(game, choose)[:14]
        for _, puzzle in find_puzzles(game, moves, missed=False):
            if puzzle.turns > 2:
                continue
            lengths.add(puzzle.turns)
            position = puzzle.position
            right = set(puzzle.right_moves(position, puzzle.turns))
            assert right == {move for move in position.moves() if is_solving_move(puzzle, position, puzzle.turns, move)}


def test_a_win_in_three_is_proved() -> None:
    position = games.load("gomoku", size=9).replay(["c5", "a1", "d5", "i9", "e6", "a9", "e7", "i1"])
    attack = attack_of(position)
    assert attack is not None
    assert attack.moves_needed(position, 2) == 0
    assert attack.moves_needed(position, 3) == 3


def test_a_lost_defender_stops_one_of_two_rows() -> None:
    position = games.load("gomoku", size=9).replay(["c5", "a1", "d5", "a3", "e5", "a7", "f5"])  # an open four
    attack = attack_of(position, attacker=1)
    assert attack is not None
    assert position.game.format(attack.best_defence(position, 1)) in ("b5", "g5")


def test_a_proof_ends_at_its_nodes() -> None:
    position = games.load("gomoku", size=9).replay(["c5", "a1", "d5", "i9", "e6", "a9", "e7", "i1"])
    attack = attack_of(position, max_nodes=20)
    assert attack is not None
    with pytest.raises(AttackTooLarge):
        attack.moves_needed(position, 3)


@pytest.mark.parametrize(
    ("name", "options"),
    [("gomoku", {"renju": True}), ("capture_go", {"target": 2}), ("go", {"size": 5}), ("robogo", {"passing": False})],
)
def test_rules_without_proofs_have_no_goal(name: str, options: dict[str, object]) -> None:
    assert attack_of(games.load(name, **options).start()) is None


def test_the_same_seed_gives_the_same_puzzles() -> None:
    first, second_run = make_puzzles("capture_go", 4, 3), make_puzzles("capture_go", 4, 3)
    assert [puzzle.key for puzzle in first] == [puzzle.key for puzzle in second_run]
    assert len({puzzle.key for puzzle in first}) == len(first) >= 4


def test_a_missed_win_of_a_game_becomes_a_puzzle() -> None:
    game = games.load("gomoku", size=9)
    puzzles = list(find_puzzles(game, ["e5", "a1", "d5", "i9", "c5", "i1", "a9", "b5"]))
    assert [(number, puzzle.turns) for number, puzzle in puzzles] == [(6, 2)]
    assert puzzles[0][1] == Puzzle(game, ("e5", "a1", "d5", "i9", "c5", "i1"), 2)
