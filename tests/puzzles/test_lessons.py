"""The introductions: six to thirteen steps for each game. Their answers are legal, and the only right ones."""

from __future__ import annotations

import re

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games.base import Position
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.puzzles.attacks import attack_of
from gomogo_core.puzzles.attempts import Verdict
from gomogo_core.puzzles.go_attacks import create_ladder_attack
from gomogo_core.puzzles.lessons import LESSONS, LessonStep, lesson_lengths, lesson_steps, try_step
from gomogo_core.puzzles.puzzle import solve_exactly

_LONGER_STEPS = ("A four and a three", "Two open threes", "Fours in succession", "A net")  # they win in three moves
_IDS = [f"{step.game_name}-{step.title}" for step in LESSONS]


def test_every_game_has_an_introduction() -> None:
    assert lesson_lengths() == {"capture_go": 6, "dots_and_boxes": 8, "gomoku": 9, "robogo": 6, "go": 13}


@pytest.mark.parametrize("title", ["Open the shorter chain", "Leave two boxes", "The last safe edge"])
def test_the_answers_of_a_step_on_chains_are_the_best_edges(title: str) -> None:
    (step,) = [step for step in LESSONS if step.title == title]
    assert set(map(step.game.format, solve_exactly(step.position).best_moves)) == set(step.answers)


@pytest.mark.parametrize("title", ["Give nothing away", "The last safe edge"])
def test_the_answers_are_the_edges_that_give_no_box_away(title: str) -> None:
    (step,) = [step for step in LESSONS if step.title == title]
    assert isinstance(step.position, DotsAndBoxesPosition)
    closing_edges, giving_edges = step.position.closing_and_giving_edges()
    assert not closing_edges
    assert set(map(step.game.parse, step.answers)) == set(step.position.moves()) - set(giving_edges)


@pytest.mark.parametrize("step", LESSONS, ids=_IDS)
def test_a_hint_says_more_than_the_task(step: LessonStep) -> None:
    said = set(step.task.lower().replace(".", "").replace(",", "").split())
    new_words = set(step.hint.lower().replace(".", "").replace(",", "").split()) - said
    assert len(new_words) >= 5


@pytest.mark.parametrize("step", LESSONS, ids=_IDS)
def test_a_hint_before_the_first_move_does_not_tell_an_answer_to_a_move(step: LessonStep) -> None:
    assert not re.match(r"Then |White (now |takes|plays|captures|completes)", step.hint)


@pytest.mark.parametrize("step", LESSONS, ids=_IDS)
def test_an_answer_is_accepted_and_another_move_is_not(step: LessonStep) -> None:
    for answer in step.answers:
        assert try_step(step, [answer])[1:] == (Verdict.SOLVED, step.success, ())
    for other in set(map(step.game.format, step.position.moves())) - set(step.answers):
        position, verdict, words, refutation = try_step(step, [other])
        assert (position, verdict) == (step.position, Verdict.WRONG)
        assert words.endswith(f"{step.hint} Try again.")
        assert words.startswith(f"After {other}, ") == bool(refutation)


def test_a_wrong_move_has_the_answer_that_refutes_it() -> None:
    (step,) = [step for step in LESSONS if step.title == "Stop a three"]
    for wrong, answers in (("b5", ("g5",)), ("g7", ("c5", "g5"))):
        attempt = try_step(step, [wrong])
        assert attempt.refutation in [(wrong, answer) for answer in answers]
        assert attempt.words.startswith(f"After {wrong}, white plays {attempt.refutation[1]} and makes an open four.")


@pytest.mark.parametrize("step", LESSONS, ids=_IDS)
def test_the_board_has_the_marked_places_and_they_do_not_give_the_answer_away(step: LessonStep) -> None:
    assert step.marked
    played = set(step.moves) - set(map(step.game.format, step.position.moves()))
    assert set(step.marked) <= played or set(step.marked) == set(step.answers), "marked: stones, or the named point"


@pytest.mark.parametrize("step", [step for step in LESSONS if isinstance(step.game.board, PointBoard)])
def test_every_stone_belongs_to_the_picture(step: LessonStep) -> None:
    rows = step.position.rows()
    stones = {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark in "xo"}
    for x, y in stones:
        neighbours = {(x + right, y + down) for right in (-1, 0, 1) for down in (-1, 0, 1)} - {(x, y)}
        assert neighbours & stones, f"a stone stands alone:\n{step.position.diagram()}"


@pytest.mark.parametrize("step", [step for step in LESSONS if step.game_name in ("gomoku", "robogo", "capture_go")])
def test_the_answers_are_all_quickest_wins_or_all_defences(step: LessonStep) -> None:
    position, parse = step.position, step.game.parse
    answers = set(map(parse, step.answers))
    attack = attack_of(position)
    assert attack is not None
    if turns := attack.moves_needed(position, 3 if step.title in _LONGER_STEPS else 2):
        assert answers == set(attack.right_moves(position, turns))
        return
    for depth in (1, 2):  # the opponent's shortest win if the player does nothing
        holding_moves = {move for move in position.moves() if _holds(position.play(move), depth)}
        if len(holding_moves) < 10:
            assert answers == holding_moves
            return
    pytest.fail("nothing is asked here")


def _holds(after: Position, turns: int) -> bool:
    attack = attack_of(after)
    return attack is None or not attack.moves_needed(after, turns)


GO_STEPS = {step.title: step for step in LESSONS if step.game_name == "go"}


@pytest.mark.parametrize(("title", "turns"), [("A net", 3), ("A snapback", 2), ("The second eye", 4)])
def test_the_answer_is_the_only_move_that_captures_soonest(title: str, turns: int) -> None:
    step = GO_STEPS[title]
    attack = attack_of(step.position, step.marked[0])
    assert attack is not None
    assert attack.moves_needed(step.position, turns) == turns
    assert list(map(step.game.format, attack.right_moves(step.position, turns))) == list(step.answers)


def test_the_answer_begins_the_only_ladder() -> None:
    step = GO_STEPS["A ladder"]
    ladder = create_ladder_attack(step.position, step.marked[0])
    assert ladder is not None
    assert list(map(step.game.format, ladder.right_moves(step.position, 12))) == list(step.answers)


def test_white_captures_the_stones_unless_they_have_two_eyes() -> None:
    step = GO_STEPS["Two eyes"]
    saving_moves = set()
    for move in step.position.moves():
        attack = attack_of(after := step.position.play(move), "a2", attacker=2)
        assert attack is not None
        if not attack.moves_needed(after, 4):
            saving_moves.add(step.game.format(move))
    assert saving_moves == set(step.answers)
    after = try_step(step, step.answers).position
    assert {"a1", "c1"}.isdisjoint(map(step.game.format, after.moves()))


def test_white_may_not_take_back_in_a_ko() -> None:
    step = GO_STEPS["Ko"]
    after = try_step(step, step.answers).position
    assert step.game.format(step.game.parse("b3")) not in set(map(step.game.format, after.moves()))
    assert after.facts()["ko"] == ["b3"]


def test_a_lost_stone_counts_until_it_is_captured_and_the_last_step_counts() -> None:
    step = GO_STEPS["Lost stones count"]
    pass_twice = ("pass", "pass")
    without_capture = step.game.replay((*step.moves, *pass_twice)).outcome()
    assert without_capture is not None
    assert without_capture.ranks == (2, 1), "white wins"
    end, _, words, _ = try_step(GO_STEPS["The end"], ["pass"])
    outcome = end.outcome()
    assert outcome is not None
    assert outcome.scores == (15, 10)
    black, white = (sum(row.count(mark) for row in end.rows()) for mark in "xo")
    assert {seat: len(list(points)) for seat, points in end.territory().items()} == {1: 15 - black, 2: 10 - white}
    assert words.startswith(f"Black has {black} stones and {15 - black} points of territory: 15. White has {white} and")


def test_a_game_without_an_introduction_is_refused() -> None:
    with pytest.raises(UserError):
        lesson_steps("chess")
