"""Attempts: right moves are accepted, wrong ones refused with a reason, and the defender answers."""

from __future__ import annotations

import re

import pytest

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.puzzles.answers import answer_sentence, theme_of_attack
from gomogo_core.puzzles.attempts import Verdict, judge_attempt, solution_words, whole_solution
from gomogo_core.puzzles.lessons import lesson_steps
from gomogo_core.puzzles.puzzle import Puzzle, shipped_puzzles

THREE = Puzzle(games.load("gomoku", size=9), ("e5", "a1", "d5", "i9", "c5", "i1"), 2)
CAPTURE = Puzzle(games.load("go", size=5), ("c4", "c3", "b3", "a1", "d3", "a5"), 1, "c3")
EDGE = Puzzle(games.load("dots_and_boxes", rows=2, cols=2), ("h0", "v0", "h5", "v5"), 1)


def test_an_open_three_wins_in_two() -> None:
    attempt = judge_attempt(THREE)
    assert (attempt.verdict, attempt.sentence) == (Verdict.OPEN, "Black wins in 2.")
    first = judge_attempt(THREE, ("f5",))
    assert first.verdict is Verdict.OPEN
    assert first.played_moves[0] == "f5"
    assert first.sentence.startswith("Right: f5 makes an open four. White can block one end only, ")
    last = "g5" if first.played_moves[1] == "b5" else "b5"
    solved = judge_attempt(THREE, ("f5", last))
    assert (solved.verdict, solved.sentence) == (
        Verdict.SOLVED,
        "Right: black wins in 2. The theme: an open four.",
    )


def test_a_solved_attack_names_the_threats_that_decide_it() -> None:
    lesson = next(step for step in lesson_steps("gomoku") if step.title == "Two open threes")
    line = ["f5", "g5", "f4", "f3", "f8"]
    assert theme_of_attack(lesson.position, line) == "two open threes"
    fours = next(step for step in lesson_steps("gomoku") if step.title == "Fours in succession")
    assert theme_of_attack(fours.position, ["f5", "g5", "f4", "g3", "f3"]) == "two fours"


def test_an_answer_says_what_each_own_move_does() -> None:
    line = whole_solution(THREE, ("f5",))
    last = "g5" if line[1] == "b5" else "b5"
    assert answer_sentence(THREE.position, line) == (
        f"The answer: f5 makes an open four: white can block one end only, {line[1]}. {last} makes five in a row."
    )
    fours = next(puzzle for puzzle in shipped_puzzles().values() if puzzle.by_fours and puzzle.turns == 5)
    words = answer_sentence(fours.position, whole_solution(fours))
    assert "must block at" in words
    assert words.endswith(" makes five in a row.")
    assert len(words) < 200, "it is read on a phone"


def test_a_wrong_move_is_refused_with_a_reply_that_refutes_it() -> None:
    wrong = judge_attempt(THREE, ("h8",))
    assert wrong.verdict is Verdict.WRONG
    assert wrong.sentence.startswith("h8 does not win in 2: white answers ")
    assert (wrong.position, wrong.right_tries) == (THREE.position, ())
    move, reply = wrong.refutation
    assert move == "h8"
    assert f"white answers {reply}." in wrong.sentence


@pytest.mark.parametrize("key", ["de34184635", "15116d0ffa", "1b08e191ab"])
def test_a_refutation_of_boxes_does_not_show_the_answer(key: str) -> None:
    puzzle = shipped_puzzles()[key]
    answers = {puzzle.game.format(move) for move in puzzle.right_moves(puzzle.position, 1)}
    refutation = judge_attempt(puzzle, ("v0",)).refutation
    assert len(refutation) > 1
    assert not answers & set(refutation)


def test_the_defender_gives_the_most_stubborn_answer() -> None:
    """After d1 all 42 replies delay the capture equally long. Only c2 and d2 leave a single right move."""
    (puzzle,) = [one for one in shipped_puzzles().values() if one.key == "a90c892aec"]
    judged = judge_attempt(puzzle, ("d1",))
    assert judged.played_moves[1] in ("c2", "d2")
    assert len(puzzle.right_moves(judged.position, judged.moves_left)) == 1


def test_the_marked_stone_is_captured() -> None:
    assert CAPTURE.goal_sentence == "Black captures the marked stone in 1."
    assert judge_attempt(CAPTURE, ("c2",)).verdict is Verdict.SOLVED
    assert judge_attempt(CAPTURE, ("e5",)).verdict is Verdict.WRONG
    assert judge_attempt(CAPTURE, ("pass",)).verdict is Verdict.WRONG


def test_the_best_edge_is_proved() -> None:
    assert EDGE.goal_sentence == "Blue is to move. Find the best edge."
    right = judge_attempt(EDGE, ("h2",))
    assert right.verdict is Verdict.SOLVED
    assert re.fullmatch(r"Right. You end with \d boxes, and the other player with \d. Any other .*", right.sentence)
    assert list(right.played_moves + right.continuation) == whole_solution(EDGE)
    named = answer_sentence(EDGE.position, whole_solution(EDGE))
    assert named == f"The answer: {' '.join(whole_solution(EDGE)[:4])} …", "a long line is not read by anybody"
    assert answer_sentence(EDGE.position, ["h2", "h3"]) == "The answer: h2 h3."
    wrong = judge_attempt(EDGE, ("h1",))
    assert re.fullmatch(r"h1 costs \d box(es)?: you end with \d instead of \d. Try again.", wrong.sentence)
    refuted = EDGE.position
    for played, move in enumerate(wrong.refutation):
        assert played < 1 or refuted.to_move == 2, "the replies are one turn of the other player"
        refuted = refuted.play(EDGE.game.parse(move))
    assert len(wrong.refutation) > 1
    assert refuted.outcome() is not None or refuted.to_move == 1
    after = EDGE.position
    for move in whole_solution(EDGE):
        after = after.play(EDGE.game.parse(move))
    assert after.outcome() is not None


def test_the_best_edge_has_a_reason() -> None:
    puzzle = shipped_puzzles()["9a4ea86b9f"]
    reason = "h9 is better than h4: it is the last safe edge, so the next player must open a chain."
    assert reason in judge_attempt(puzzle, ("h9",)).sentence
    assert reason in solution_words(puzzle, whole_solution(puzzle))
    # Blue opens the first chain after h7 and after h9
    assert judge_attempt(shipped_puzzles()["f12b65ad22"], ("h7",)).sentence.endswith(
        " With best play, Blue must open a chain first after both edges: "
        "h7 leaves 1 long chain (3 boxes or more), and h9 leaves none."
    )


def test_a_solution_continues_from_the_right_moves() -> None:
    assert whole_solution(THREE, ("b5",))[0] == "b5"
    assert len(whole_solution(THREE)) == 3


@pytest.mark.parametrize("move", ["e5", "z99", "nonsense"])
def test_an_illegal_move_is_neither_right_nor_wrong(move: str) -> None:
    with pytest.raises(UserError):
        judge_attempt(THREE, (move,))


def test_an_attempt_after_the_end_is_refused() -> None:
    with pytest.raises(UserError):
        judge_attempt(CAPTURE, ("c2", "a2"))
