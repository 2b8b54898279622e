"""The shipped puzzles: each one is proved again, and 200 tries are judged as a search of every move judges them."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest

from gomogo_core import games
from gomogo_core.games.base import Position
from gomogo_core.games.boards.points import Point
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.puzzles.attacks import FoursAttack
from gomogo_core.puzzles.attempts import Attempt, Verdict, judge_attempt, whole_solution
from gomogo_core.puzzles.boxes_making import boxes_puzzle, decides_game
from gomogo_core.puzzles.difficulty import measure_difficulty
from gomogo_core.puzzles.go_attacks import unconditional_life_mask
from gomogo_core.puzzles.go_making import Goal, area_goal, capture_goal, defence_goal
from gomogo_core.puzzles.go_simplifying import position_of_stones
from gomogo_core.puzzles.making import RULES, puzzle_at
from gomogo_core.puzzles.puzzle import (
    BOXES_THEMES,
    CAPTURE_GO_THEMES,
    LEVELS,
    THEMES,
    Puzzle,
    chain_at,
    shipped_puzzles,
    solving_order,
    themes_of,
)
from gomogo_core.records.board_setup import moves_to_set_up
from tests.puzzles._naive import is_solving_move

PUZZLES = list(shipped_puzzles().values())
DEFENDED = {"go", "capture_go"}  # in Gomoku, a search of every move would take too long
GO_FAMILY = [puzzle for puzzle in PUZZLES if puzzle.is_set_up]
GO_KINDS = {"go": THEMES.keys() | {"attack", "defence"}, "capture_go": CAPTURE_GO_THEMES.keys() | {"attack", "defence"}}
_MAX_NAIVE_PUZZLES = 20  # puzzles of a game that a search of every move judges
_NAIVE = 2  # moves of the attacker, up to which every move is tried
_NAIVE_EDGES = 12  # free edges, up to which every order of them is tried


def test_each_other_game_has_forty_puzzles() -> None:
    others = [puzzle for puzzle in PUZZLES if not (puzzle.is_defence or puzzle.by_fours or puzzle.theme)]
    counts = Counter(puzzle.game.name for puzzle in others if puzzle not in GO_FAMILY)
    assert counts == {"gomoku": 40, "robogo": 40}
    assert len(shipped_puzzles()) == len(PUZZLES)


@pytest.mark.parametrize(("name", "least"), [("go", 70), ("capture_go", 60)])
def test_go_has_puzzles_of_each_kind_on_boards_with_few_stones(name: str, least: int) -> None:
    own = [puzzle for puzzle in PUZZLES if puzzle.game.name == name]
    assert len(own) >= least
    assert all(puzzle in GO_FAMILY for puzzle in own), "no position of a game has only stones that matter"
    assert {puzzle.kind for puzzle in own} == GO_KINDS[name] - {"throw-in", "double"}, "these are rare"
    stone_counts = sorted(sum(mark in "xo" for row in puzzle.position.rows() for mark in row) for puzzle in own)
    assert stone_counts[-1] <= 22
    assert stone_counts[len(own) // 2] <= 14
    assert not any(puzzle.last_move for puzzle in own), "the order of the stones has no meaning"


@pytest.mark.slow
@pytest.mark.parametrize("name", GO_KINDS)
def test_each_stone_of_a_puzzle_matters(name: str) -> None:
    puzzle = next(puzzle for puzzle in GO_FAMILY if (puzzle.game.name, puzzle.kind) == (name, "attack"))
    position, goal = puzzle.position, _goal_of(puzzle)
    assert isinstance(position, GoFamilyPosition)
    assert goal
    geometry, board = position.game.bit_geometry, position.board
    marked = set(chain_at(position, puzzle.target))
    for point in geometry.points_in(board.black_mask | board.white_mask):
        if str(point) not in marked:
            removed = geometry.masks[geometry.index_of[point]]
            fewer = StoneBoard.of(geometry, board.black_mask & ~removed, board.white_mask & ~removed)
            candidate = position_of_stones(position.game, fewer, position.to_move)
            assert capture_goal(candidate, puzzle.target, is_quick=True) != goal, point


def _goal_of(puzzle: Puzzle) -> Goal | None:
    """Prove the goal of a puzzle of Go or Capture Go again."""
    position = puzzle.position
    assert isinstance(position, GoFamilyPosition)
    if puzzle.theme in ("kill", "live"):
        return area_goal(position, puzzle.target)
    return (defence_goal if puzzle.is_defence else capture_goal)(position, puzzle.target)


def test_one_obvious_move_is_easy() -> None:
    """A straight three: only the middle point makes two eyes, or kills."""
    space = {WHITE: ["a2", "b2", "c2", "d2", "d1"], BLACK: ["a3", "b3", "c3", "d3", "e3", "e2", "e1"]}
    game = games.load("go", size=9)
    hardest_easy = max(puzzle.difficulty for puzzle in GO_FAMILY if (puzzle.game.name, puzzle.level) == ("go", "easy"))
    for to_move, theme, turns in ((WHITE, "live", 1), (BLACK, "kill", 4)):
        puzzle = Puzzle(game, tuple(moves_to_set_up(game, space, to_move)), turns, "a2", theme=theme)
        assert measure_difficulty(puzzle) <= hardest_easy


def test_no_position_of_a_puzzle_lies_within_the_solution_of_another_one() -> None:
    """Both would come from one game, so the later position would show the beginning of the earlier solution."""
    pairs = [
        (puzzle.key, later_puzzle.key)
        for puzzle, later_puzzle in itertools.permutations(PUZZLES, 2)
        if puzzle.game == later_puzzle.game
        and puzzle.moves == later_puzzle.moves[: len(puzzle.moves)]
        and 0 < len(later_puzzle.moves) - len(puzzle.moves) <= puzzle.solution_length
    ]
    assert pairs == []


def test_no_two_puzzles_are_equal_if_turned_mirrored_or_in_exchanged_colours() -> None:
    keys_by_shape = dict[object, str]()
    for puzzle in PUZZLES:
        if not puzzle.game.box_count:
            swap = str.maketrans("xo", "ox") if puzzle.position.to_move == WHITE else {}
            rows = tuple(row.translate(swap) for row in puzzle.position.rows())
            turned = [rows, tuple(map("".join, zip(*rows, strict=True)))]
            flipped = [image[::step] for image in turned for step in (1, -1)]
            shape = min(tuple(row[::step] for row in image) for image in flipped for step in (1, -1))
            assert keys_by_shape.setdefault((puzzle.game.name, shape), puzzle.key) == puzzle.key


@pytest.mark.parametrize("name", RULES)
def test_each_level_of_a_game_has_at_least_a_sixth_of_its_puzzles(name: str) -> None:
    own = [puzzle for puzzle in PUZZLES if puzzle.game.name == name]
    counts = Counter(puzzle.level for puzzle in own)
    assert set(counts) == set(LEVELS)
    assert min(counts.values()) >= len(own) / 6
    assert [puzzle.level for puzzle in own] == sorted((puzzle.level for puzzle in own), key=LEVELS.index)
    assert [puzzle.difficulty for puzzle in own] == sorted(puzzle.difficulty for puzzle in own)
    assert len({(puzzle.difficulty, puzzle.level) for puzzle in own}) == len({puzzle.difficulty for puzzle in own})


def test_a_puzzle_is_difficult_if_many_moves_look_right() -> None:
    """Four moves make a four, and two of them win: anybody sees that. The proof is large, since the board is empty."""
    (simple,) = [puzzle for puzzle in PUZZLES if puzzle.key == "e53e084556"]
    assert simple.level == "easy"
    tempting = max(
        (puzzle for puzzle in PUZZLES if (puzzle.game.name, puzzle.kind, puzzle.turns) == ("gomoku", "attack", 3)),
        key=lambda puzzle: puzzle.difficulty,
    )
    assert tempting.level == "hard"
    assert tempting.attack is not None
    assert simple.attack is not None
    assert len(tempting.attack.threats(tempting.position, 3)) > len(simple.attack.threats(simple.position, 2)) == 4


def test_a_puzzle_with_an_obvious_first_move_is_not_hard() -> None:
    """Fifteen moves make a four, but an open three can be extended to an open four, which anybody sees."""
    obvious = shipped_puzzles()["6de6a26df4"]
    assert obvious.attack is not None
    assert len(obvious.attack.threats(obvious.position, obvious.turns)) == 15
    assert measure_difficulty(obvious) == shipped_puzzles()["e53e084556"].difficulty
    assert {puzzle.turns for puzzle in PUZZLES if puzzle.game.name == "gomoku" and puzzle.level == "hard"} == {3, 4, 5}


@pytest.mark.parametrize("name", ["gomoku", "robogo"])
def test_a_puzzle_with_more_own_moves_is_not_easier(name: str) -> None:
    own = [puzzle for puzzle in PUZZLES if puzzle.game.name == name and not (puzzle.is_defence or puzzle.by_fours)]
    # in Gomoku, a win by a four at each move is longer
    for turns, levels in ((1, {"easy"}), (3, {"medium", "hard"} if name == "gomoku" else {"hard"})):
        assert {puzzle.level for puzzle in own if puzzle.turns == turns} <= levels


DEFENCES = [puzzle for puzzle in PUZZLES if puzzle.game.name == "gomoku" and puzzle.is_defence]
LONG_PUZZLES = [puzzle for puzzle in PUZZLES if puzzle.by_fours]


@pytest.mark.parametrize("puzzle", LONG_PUZZLES, ids=lambda puzzle: puzzle.key)
def test_a_long_puzzle_of_gomoku_is_won_with_a_four_at_each_move(puzzle: Puzzle) -> None:
    position, line = puzzle.position, [puzzle.game.parse(text) for text in whole_solution(puzzle)]
    mark, rest = position.mark(position.to_move), line[1:]
    assert (puzzle.level, len(line)) == ("hard", 2 * puzzle.turns - 1)
    assert puzzle.turns >= 4
    for move, answer in zip(line[::2], line[1::2], strict=False):
        position = position.play(move)
        completing = _completing_points(position, mark)
        assert completing, "the move threatens to complete a row"
        assert answer in completing or len(completing) > 1
        position = position.play(answer)
    assert rest[-1] in _completing_points(position, mark)
    assert isinstance(puzzle.attack, FoursAttack)
    quiet = next(move for move in puzzle.position.moves() if not _completing_points(puzzle.position.play(move), mark))
    judged = judge_attempt(puzzle, (puzzle.game.format(quiet),))
    assert judged.sentence == f"{quiet} does not threaten to complete a row. Try again."


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", LONG_PUZZLES, ids=lambda puzzle: puzzle.key)
def test_a_long_puzzle_has_no_short_win_of_another_kind(puzzle: Puzzle) -> None:
    assert puzzle_at(puzzle.game, puzzle.moves, puzzle.position) is None


def test_there_are_long_puzzles() -> None:
    assert len(LONG_PUZZLES) == 12


def _completing_points(position: Position, mark: str) -> list[Point]:
    """Return the empty points on which a stone of `mark` completes a row of five or more."""
    rows = position.rows()
    size = range(len(rows))
    stones = {(x, y) for y in size for x in size if rows[y][x] == mark}
    empty = [(x, y) for y in size for x in size if rows[y][x] not in "xo"]

    def length(x: int, y: int, right: int, down: int) -> int:
        return next(
            count for count in itertools.count() if (x + right * (count + 1), y + down * (count + 1)) not in stones
        )

    return [
        Point(x + 1, y + 1)
        for x, y in empty
        if any(length(x, y, *way) + length(x, y, -way[0], -way[1]) >= 4 for way in ((1, 0), (0, 1), (1, 1), (1, -1)))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["kill", "live"])
def test_each_wrong_move_about_life_and_death_is_refuted(theme: str) -> None:
    for puzzle in [puzzle for puzzle in GO_FAMILY if puzzle.theme == theme]:
        position, attack = puzzle.position, puzzle.attack
        assert attack is not None
        (right,) = puzzle.right_moves(position, puzzle.turns)
        for move in attack.first_moves(position):
            judged = judge_attempt(puzzle, (puzzle.game.format(move),))
            assert (judged.verdict is Verdict.WRONG) == (move != right)
            if move != right:
                assert len(judged.refutation) == 2, "the opponent's answer is shown"
                assert ("has two eyes" if theme == "kill" else "captures the stones") in judged.sentence


@pytest.mark.slow
@pytest.mark.parametrize("name", GO_KINDS)
def test_the_solution_of_a_puzzle_of_go_reaches_the_goal(name: str) -> None:
    for puzzle in [puzzle for puzzle in GO_FAMILY if puzzle.game.name == name and not puzzle.is_defence]:
        end = puzzle.game.replay([*puzzle.moves, *whole_solution(puzzle)])
        assert isinstance(end, GoFamilyPosition)
        player = puzzle.position.to_move
        if not puzzle.target:
            assert end.outcome()
            continue
        target = end.game.bit_geometry.index_of[end.game.board.parse(puzzle.target)]
        if puzzle.theme == "live":
            assert unconditional_life_mask(end.board, player) >> target & 1
        elif puzzle.theme == "kill":
            assert end.board.colour(target) == 0 or puzzle.is_settled(end)
        else:
            assert end.board.colour(target) != 3 - player


def test_a_solved_puzzle_of_go_names_its_theme() -> None:
    for theme in ("net", "snapback"):
        puzzle = next(puzzle for puzzle in PUZZLES if puzzle.theme == theme)
        assert theme not in f"{puzzle.goal_sentence} {puzzle.goal_explanation}"
        solved = judge_attempt(puzzle, tuple(whole_solution(puzzle)[::2]))
        assert solved.sentence.endswith(f" The theme: {themes_of(puzzle.game)[theme]}.")


BOXES = [puzzle for puzzle in PUZZLES if puzzle.game.name == "dots_and_boxes"]


def test_each_theme_of_boxes_has_eight_puzzles_on_boards_of_several_sizes() -> None:
    assert Counter(puzzle.theme for puzzle in BOXES) == dict.fromkeys(BOXES_THEMES, 8)
    for theme in BOXES_THEMES:
        sizes = Counter(puzzle.game.box_count for puzzle in BOXES if puzzle.theme == theme)
        assert sizes == {12: 1, 16: 4, 25: 3}
    assert sum(puzzle.turns > 1 for puzzle in BOXES) >= 12


def test_to_refuse_a_box_is_difficult() -> None:
    """A beginner takes every box; in these puzzles boxes must be left."""
    refusing_puzzles = [puzzle for puzzle in BOXES if puzzle.theme in ("double_cross", "loop")]
    assert min(puzzle.difficulty for puzzle in refusing_puzzles) > min(puzzle.difficulty for puzzle in BOXES)
    assert "easy" not in {puzzle.level for puzzle in refusing_puzzles if puzzle.turns > 1}


def _check(puzzle: Puzzle) -> None:
    position = puzzle.position
    if isinstance(position, DotsAndBoxesPosition):
        assert boxes_puzzle(position.game, puzzle.moves, position) == replace(puzzle, difficulty=0.0, rating="")
        assert decides_game(puzzle)
        end = puzzle.game.replay([*puzzle.moves, *whole_solution(puzzle)])
        assert isinstance(end, DotsAndBoxesPosition)
        assert end.scores[position.to_move - 1] == puzzle.boxes
        return
    if puzzle in GO_FAMILY:
        goal = _goal_of(puzzle)
        assert goal
        assert isinstance(position, GoFamilyPosition)
        assert goal.puzzle(position.game, puzzle.moves, is_set_up=True) == replace(puzzle, difficulty=0.0, rating="")
        return
    if puzzle.is_defence:
        assert puzzle.attack is not None
        assert 1 < puzzle.attack.moves_needed_if_idle(position, puzzle.turns) <= puzzle.turns
        (right,) = puzzle.right_moves(position, 1)
        assert not FoursAttack(puzzle.attack.attacker).moves_needed(position.play(right), 7)
        return
    attack = puzzle.attack
    assert attack is not None
    assert attack.moves_needed(position, puzzle.turns) == puzzle.turns
    assert attack.right_moves(position, puzzle.turns)


@pytest.mark.parametrize("name", RULES)
def test_an_easy_puzzle_of_each_game_is_proved_again(name: str) -> None:
    _check(next(puzzle for puzzle in PUZZLES if puzzle.game.name == name))


@pytest.mark.slow
@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: f"{puzzle.game.name}-{puzzle.key}")
def test_every_puzzle_is_proved_again(puzzle: Puzzle) -> None:
    _check(puzzle)
    assert measure_difficulty(puzzle) == puzzle.difficulty


def _is_small(attempt: Attempt) -> bool:
    """Whether every move of the rest can be tried."""
    if attempt.position.game.box_count:
        return len(list(attempt.position.moves())) <= _NAIVE_EDGES
    return attempt.moves_left <= _NAIVE


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_attempts_are_judged_as_by_a_full_search(name: str) -> None:
    choose = random.Random(name)
    tries = Counter[Verdict]()
    own = [puzzle for puzzle in PUZZLES if puzzle.game.name == name and not puzzle.is_defence]
    if name in GO_KINDS:  # the goals of these themes are other ones
        own = [puzzle for puzzle in own if puzzle.theme not in ("ladder", "kill", "live")]
        own = choose.sample(own, _MAX_NAIVE_PUZZLES)
    for puzzle in own:
        at = judge_attempt(puzzle)
        while at.verdict is Verdict.OPEN:
            right = puzzle.right_moves(at.position, at.moves_left)
            if _is_small(at):
                for move in [right[0], *choose.sample(list(at.position.moves()), 2)]:
                    judged = judge_attempt(puzzle, (*at.right_tries, puzzle.game.format(move)))
                    expected = is_solving_move(puzzle, at.position, at.moves_left, move)
                    assert (judged.verdict is not Verdict.WRONG) == expected, (puzzle, at.right_tries, move)
                    tries[judged.verdict] += 1
            at = judge_attempt(puzzle, (*at.right_tries, puzzle.game.format(right[0])))
    assert tries[Verdict.WRONG] >= 20
    assert tries.total() - tries[Verdict.WRONG] >= 40


def test_there_are_puzzles_of_gomoku_about_the_only_defence() -> None:
    assert len(DEFENCES) == 12
    assert all(len(puzzle.moves) <= 24 for puzzle in DEFENCES), "the stones are few"


@pytest.mark.slow
def test_only_one_natural_defence_of_gomoku_holds_and_the_board_shows_how_each_other_one_loses() -> None:
    puzzle = shipped_puzzles()["87f84803e6"]
    position, attack = puzzle.position, puzzle.attack
    assert attack is not None
    (right,) = puzzle.right_moves(position, 1)
    natural = attack.partial_defences(position, 2)
    assert right in natural
    assert len(natural) > 1
    for move in set(natural) - {right}:
        judged = judge_attempt(puzzle, (puzzle.game.format(move),))
        assert judged.verdict is Verdict.WRONG
        outcome = puzzle.game.replay([*puzzle.moves, *judged.refutation]).outcome()
        assert outcome is not None
        assert outcome.winner == attack.attacker
    assert not attack.moves_needed(position.play(right), puzzle.turns + 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DEFENDED))
def test_the_only_move_stops_the_goal_and_any_other_is_refuted(name: str) -> None:
    puzzles = [puzzle for puzzle in PUZZLES if puzzle.game.name == name and puzzle.is_defence]
    for puzzle in random.Random(name).sample(puzzles, min(len(puzzles), _MAX_NAIVE_PUZZLES // 2)):
        position, choose = puzzle.position, random.Random(puzzle.key)
        (right,) = puzzle.right_moves(position, 1)
        assert judge_attempt(puzzle, (puzzle.game.format(right),)).verdict is Verdict.SOLVED
        for move in choose.sample([other_move for other_move in position.moves() if other_move != right], 2):
            judged = judge_attempt(puzzle, (puzzle.game.format(move),))
            assert judged.verdict is Verdict.WRONG
            answer = puzzle.game.parse(judged.refutation[1])
            assert f" plays {puzzle.game.format(answer)}" in judged.sentence
            assert any(is_solving_move(puzzle, position.play(move), moves_left, answer) for moves_left in (1, 2, 3)), (
                puzzle,
                move,
            )
    if name == "capture_go":  # on the larger board of Go, this search takes too long
        short = min(puzzles, key=lambda puzzle: len(list(puzzle.position.moves())))
        assert is_solving_move(short, short.position, _NAIVE, short.right_moves(short.position, 1)[0])


@pytest.mark.parametrize("name", RULES)
def test_a_user_meets_puzzles_of_growing_difficulty_and_mixed_kinds(name: str) -> None:
    own = [puzzle for puzzle in PUZZLES if puzzle.game.name == name]
    order = solving_order(own)
    assert sorted(puzzle.key for puzzle in order) == sorted(puzzle.key for puzzle in own)
    assert order[0].level == "easy"
    firsts = [next(index for index, puzzle in enumerate(order) if puzzle.level == level) for level in LEVELS]
    assert firsts == sorted(firsts)
    assert {puzzle.level for puzzle in order[: len(order) // 3]} >= {"easy", "medium"}
    turns = [puzzle.turns for puzzle in order if puzzle.level == "easy"]
    assert name != "gomoku" or set(turns[:10]) == {1, 2}, "ten equal tasks in a row bore anybody"
    third = len(order) // 3
    first_third, last_third = (sum(puzzle.difficulty for puzzle in part) for part in (order[:third], order[-third:]))
    assert first_third < last_third
