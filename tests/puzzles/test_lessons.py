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
from gomogo_core.puzzles.boxes_proofs import best_edges, boxes_at_end, safe_edges
from gomogo_core.puzzles.go_attacks import create_ladder_attack
from gomogo_core.puzzles.lessons import LESSONS, LessonStep, lesson_lengths, lesson_steps, try_step
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.chains import MIN_LONG_CHAIN, find_chains

_LONGER_STEPS = ("A four and a three", "Two open threes", "Fours in succession", "A net")  # they win in three moves
_IDS = [f"{step.game_name}-{step.title}" for step in LESSONS]


def test_every_game_has_an_introduction() -> None:
    assert lesson_lengths() == {"capture_go": 6, "dots_and_boxes": 10, "gomoku": 9, "robogo": 6, "go": 13}


BOXES_STEPS = {step.title: step for step in LESSONS if step.game_name == "dots_and_boxes"}


@pytest.mark.parametrize("step", list(BOXES_STEPS.values())[2:], ids=lambda step: step.title)
def test_the_answers_of_a_step_on_chains_are_the_best_edges(step: LessonStep) -> None:
    position, moves = step.position, list[str]()
    for answers in (step.answers, *step.later_answers):
        assert isinstance(position, DotsAndBoxesPosition)
        assert set(map(step.game.format, best_edges(position))) == set(answers)
        moves.append(answers[0])
        position = try_step(step, moves).position


def test_a_step_asks_for_the_whole_chain_and_counts_the_boxes_left() -> None:
    step = BOXES_STEPS["Take a whole chain"]
    for count, left in enumerate(("3 more boxes", "2 more boxes", "1 more box"), 1):
        attempt = try_step(step, ["v1", "h3", "v4", "v3"][:count])
        assert (attempt.verdict, attempt.words) == (Verdict.OPEN, f"Right. You can take {left}.")
    wrong = try_step(step, ["v1", "h3", "v3"])
    assert (wrong.verdict, wrong.position) == (Verdict.WRONG, step.game.replay([*step.moves, "v1", "h3"]))
    assert try_step(step, ["v1", "h3", "v4", "v3"])[0].outcome() is not None
    with pytest.raises(UserError, match="solved"):
        try_step(step, ["v1", "h3", "v4", "v3", "h0"])


@pytest.mark.parametrize(
    ("title", "moves", "score"),
    [
        ("Leave two boxes", ["v1", "v3"], "4 to 2"),
        ("Leave four boxes of a loop", ["v6"], "8 to 4"),
        ("The last safe edge", ["h4"], "4 to 2"),
        ("Count the long chains", ["h8"], "5 to 4"),
    ],
)
def test_a_step_on_chains_names_the_result_of_best_play(title: str, moves: list[str], score: str) -> None:
    step = BOXES_STEPS[title]
    position, verdict, words, _ = try_step(step, moves)
    assert verdict is Verdict.SOLVED
    assert isinstance(position, DotsAndBoxesPosition)
    other_count = boxes_at_end(position)
    assert words.endswith(f" you win by {score}.")
    assert score == f"{step.game.box_count - other_count} to {other_count}"


def test_the_long_chains_are_counted_correctly() -> None:
    """Whatever safe edges follow, the right edge leads to two long chains, and any other safe edge to one."""
    step = BOXES_STEPS["Count the long chains"]
    position = step.position
    assert isinstance(position, DotsAndBoxesPosition)
    for edge in safe_edges(position):
        expected = 2 if step.game.format(edge) in step.answers else 1
        assert _long_chain_counts(position.play(edge)) == {expected}


def _long_chain_counts(position: DotsAndBoxesPosition) -> set[int]:
    """Return the possible numbers of long chains when no edge is safe any more."""
    if edges := safe_edges(position):
        return set().union(*(_long_chain_counts(position.play(edge)) for edge in edges))
    geometry = geometry_of(position.game.rows, position.game.cols)
    free_edges = geometry.free_edge_mask(position.drawn)
    _, in_chains, in_joints = geometry.boxes_by_degree(free_edges)
    assert not in_joints
    return {sum(chain.length >= MIN_LONG_CHAIN for chain in find_chains(geometry, free_edges, in_chains))}


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
    moves, position = list[str](), step.position
    for answers in (step.answers, *step.later_answers):
        attempts = [try_step(step, [*moves, answer]) for answer in answers]
        is_last = len(moves) == len(step.later_answers)
        assert {attempt.verdict for attempt in attempts} == {Verdict.SOLVED if is_last else Verdict.OPEN}
        assert not is_last or {attempt[2:] for attempt in attempts} == {(step.success, ())}
        for other in set(map(step.game.format, position.moves())) - set(answers):
            wrong = try_step(step, [*moves, other])
            assert (wrong.position, wrong.verdict) == (position, Verdict.WRONG)
            assert wrong.words.endswith(f"{step.hint} Try again.")
            assert wrong.words.startswith(f"After {other}, ") == bool(wrong.refutation)
        moves.append(answers[0])
        position = try_step(step, moves).position


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
