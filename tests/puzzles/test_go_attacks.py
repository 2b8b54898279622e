"""The proofs about ladders, life and death: compared with a search without pruning, and with positions of books."""

from __future__ import annotations

import random

import pytest

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.go import Go
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.puzzles.attempts import Verdict, judge_attempt
from gomogo_core.puzzles.go_attacks import (
    KillAttack,
    LifeAttack,
    create_area_attack,
    create_ladder_attack,
    unconditional_life_mask,
)
from gomogo_core.puzzles.go_making import composed_corner, theme_puzzles
from gomogo_core.puzzles.puzzle import Puzzle, puzzle_from_json
from gomogo_core.records.board_setup import moves_to_set_up

GAME = Go(size=9)
SPACE_OF_THREE = {2: "a2 b2 c2 d2 d1", 1: "a3 b3 c3 d3 e3 e2 e1"}  # white has the corner points a1, b1 and c1


def set_up(stones: dict[int, str], to_move: int, size: int = 9) -> GoFamilyPosition:
    game = games.load("go", size=size)
    moves = moves_to_set_up(game, {seat: names.split() for seat, names in stones.items()}, to_move)
    position = game.replay(moves)
    assert isinstance(position, GoFamilyPosition)
    return position


def reaches_goal(attack: KillAttack | LifeAttack, position: GoFamilyPosition, target: int, moves_left: int) -> bool:
    """Whether the attacker forces the goal, by every move of the area and passes of the defender."""
    board = position.board
    if isinstance(attack, KillAttack):
        if board.colour(target) != 3 - attack.attacker:
            return True
    elif board.colour(target) != attack.attacker:
        return False
    elif unconditional_life_mask(board, attack.attacker) >> target & 1:
        return True
    if moves_left == 0:
        return False
    moves = position.game.bit_geometry.points_in(attack.area & position.legal_mask)
    if position.to_move == attack.attacker:
        afters = [position.play(move) for move in moves]
        return any(
            (not after.ko_mask() or reaches_goal(attack, after, target, 0))
            and reaches_goal(attack, after, target, moves_left - 1)
            for after in afters
        )
    return all(reaches_goal(attack, position.play(move), target, moves_left) for move in (*moves, PASS))


def test_moves_of_small_corners_are_judged_as_without_pruning() -> None:
    choose, kinds = random.Random(3), set[tuple[str, bool]]()
    while len(kinds) < 4:
        position, _ = composed_corner(GAME, choose) or (None, None)
        if position is None:
            continue
        for stones, _, places in position.board.chains_of(position.board.stone_mask(choose.choice((1, 2)))):
            target = str(GAME.bit_geometry.points_in(stones)[0])
            attack = create_area_attack(position, target, position.to_move)
            if attack is None or (attack.area & position.board.empty_mask).bit_count() > 5:
                continue
            needed = attack.moves_needed(position, 2)
            expected = next((n for n in (1, 2) if reaches_goal(attack, position, places[0], n)), 0)
            assert needed == expected, position.diagram()
            kinds.add((type(attack).__name__, needed > 0))


def test_two_eyes_live_and_one_eye_does_not() -> None:
    one_eye = set_up(SPACE_OF_THREE, 2)
    assert unconditional_life_mask(one_eye.board, 2) == 0
    two_eyes = one_eye.play(GAME.parse("b1"))
    living = unconditional_life_mask(two_eyes.board, 2)
    assert living == two_eyes.board.stone_mask(2)
    assert unconditional_life_mask(two_eyes.board, 1) == 0


def test_the_middle_of_three_points_decides_life_and_death() -> None:
    for to_move, theme, turns in ((2, "live", 1), (1, "kill", 4)):
        position = set_up(SPACE_OF_THREE, to_move)
        (puzzle,) = theme_puzzles(position, ["moves"])
        assert (puzzle.theme, puzzle.turns) == (theme, turns)
        attack = create_area_attack(position, puzzle.target, to_move)
        assert attack is not None
        assert list(map(str, attack.right_moves(position, turns))) == ["b1"]


@pytest.mark.parametrize(
    ("stones", "why"),
    [
        ({2: "a2 b2 c2 d2 d1", 1: "a3 b3 c3 d3 e3 e2"}, "e1 is open"),
        ({2: "a2 b2 c2 d2 d1 f1 f2 f3 a4 b4 c4 e4", 1: "a3 b3 c3 d3 e3 e2 e1"}, "the wall has few liberties"),
    ],
)
def test_an_area_that_is_not_closed_by_safe_stones_has_no_proof(stones: dict[int, str], why: str) -> None:
    assert create_area_attack(set_up(stones, 1), "a2", 1) is None, why


def test_a_stone_on_its_way_breaks_a_ladder() -> None:
    ladder = {1: "c2 d2 b3", 2: "c3"}
    position = set_up(ladder, 1)
    attack = create_ladder_attack(position, "c3")
    assert attack is not None
    assert attack.moves_needed(position, 20) == 12
    assert list(map(str, attack.right_moves(position, 20))) == ["c4"]
    broken = set_up({**ladder, 2: "c3 f6"}, 1)
    attack = create_ladder_attack(broken, "c3")
    assert attack is not None
    assert attack.moves_needed(broken, 20) == 0


def test_a_wrong_move_is_refuted_by_life_or_death() -> None:
    for to_move, theme, words in ((2, "live", "captures the stones"), (1, "kill", "has two eyes")):
        position = set_up(SPACE_OF_THREE, to_move)
        stones = {seat: names.split() for seat, names in SPACE_OF_THREE.items()}
        moves = moves_to_set_up(position.game, stones, to_move)
        puzzle = Puzzle(position.game, tuple(moves), 1 if theme == "live" else 4, "a2", theme=theme)
        judged = judge_attempt(puzzle, ("a1",))
        assert judged.verdict is Verdict.WRONG
        assert judged.refutation == ("a1", "b1")
        assert judged.sentence.endswith(f"plays b1 and {words}. Try again.")
        solved = judge_attempt(puzzle, ("b1",))
        assert solved.verdict is Verdict.SOLVED, "the group is dead, so it need not be captured"
        assert solved.sentence.endswith("cannot make two eyes any more." if theme == "kill" else "and lives.")
        assert puzzle_from_json(puzzle.as_dict()) == puzzle


@pytest.mark.parametrize("change", [{"theme": "jump"}, {"target": ""}, {"game": "gomoku"}])
def test_an_unknown_theme_is_refused(change: dict[str, str]) -> None:
    fields = {"game": "go", "options": {"size": "9"}, "moves": "c2 c3", "turns": 1, "target": "c3", "theme": "net"}
    with pytest.raises(UserError):
        puzzle_from_json({**fields, **change})
