"""Attempts: right moves are accepted, wrong ones refused with a reason, and the defender answers."""

from __future__ import annotations

import re

import pytest

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.puzzles.answers import answer_sentence, reply_words, theme_of_attack
from gomogo_core.puzzles.attempts import Verdict, judge_attempt, solution_words, whole_solution
from gomogo_core.puzzles.lessons import lesson_steps
from gomogo_core.puzzles.puzzle import BOXES_THEMES, Puzzle, shipped_puzzles

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
    assert (wrong.position, wrong.right_tries) == (THREE.position, ())
    move, reply = wrong.refutation
    assert wrong.sentence == f"h8 threatens nothing: white blocks at {reply}. Try again."
    assert move == "h8"
    after = THREE.position.play(THREE.game.parse(move))
    assert reply_words(after, THREE.game.parse(reply), "threatens two fours") == f"white blocks at {reply}"
    closed = judge_attempt(THREE, ("g5",))
    assert closed.refutation == ("g5", "f5")
    assert closed.sentence == "g5 makes a four, but does not win in 2: white must block at f5. Try again."
    assert judge_attempt(CAPTURE, ("e5",)).sentence == "e5 does not capture the stones. Try again."


def test_a_wrong_move_is_refuted_by_what_the_opponent_does() -> None:
    """White has an open four, and black wins in two only if white cannot win first."""
    late = Puzzle(games.load("gomoku", size=9), ("e5", "a1", "d5", "a2", "c5", "a3", "i9", "a4"), 2)
    wrong = judge_attempt(late, ("f5",))
    assert wrong.refutation == ("f5", "a5")
    assert wrong.sentence == "f5 does not win: white plays a5, makes five in a row and wins. Try again."
    quiet = shipped_puzzles()["0b5f12bd5c"]
    assert quiet.attack is not None
    refuted = quiet.game.replay([*quiet.moves, *judge_attempt(quiet, ("e9",)).refutation])
    assert not quiet.attack.moves_needed(refuted, quiet.turns), "the reply stops the threat that was there before"
    ladder = next(puzzle for puzzle in shipped_puzzles().values() if puzzle.theme == "ladder" and puzzle.is_set_up)
    position = ladder.position
    assert isinstance(position, GoFamilyPosition)
    geometry = position.game.bit_geometry
    target = geometry.index_of[position.game.board.parse(ladder.target)]
    right = ladder.right_moves(position, ladder.turns)
    (atari,) = [move for move in geometry.points_in(position.board.chain(target)[1]) if move not in right]
    move, *line = judge_attempt(ladder, (str(atari),)).refutation
    end = position.game.replay([*ladder.moves, move, *line])
    assert isinstance(end, GoFamilyPosition)
    liberties = count_with_noun(end.board.chain(target)[1].bit_count(), "liberty", "liberties")
    wrong = judge_attempt(ladder, (move,))
    assert wrong.sentence.startswith(f"{move} is an atari, but ")
    assert wrong.sentence.endswith(f" the marked stones have {liberties}. Try again.")
    assert len(wrong.sentence) < 110, "it is read on a phone"


BOXES = [puzzle for puzzle in shipped_puzzles().values() if puzzle.game.name == "dots_and_boxes"]


@pytest.mark.parametrize("theme", BOXES_THEMES)
def test_a_refutation_of_boxes_says_what_the_edge_does_but_does_not_show_the_answer(theme: str) -> None:
    puzzle = next(puzzle for puzzle in BOXES if puzzle.theme == theme)
    answers = {puzzle.game.format(move) for move in puzzle.right_moves(puzzle.position, 1)}
    for name in set(map(puzzle.game.format, puzzle.position.moves())) - answers:
        wrong = judge_attempt(puzzle, (name,))
        assert wrong.verdict is Verdict.WRONG
        assert not answers & set(wrong.refutation)
        assert re.match(rf"{name} costs [1-9]\d* box(es)?: it (takes|leaves|opens|is|lets|divides) ", wrong.sentence)
        assert wrong.sentence.endswith(" Try again.")
        assert not any(re.search(rf"\b{answer}\b", wrong.sentence) for answer in answers)


def test_a_puzzle_of_boxes_continues_until_its_last_turn_ends() -> None:
    puzzle = next(puzzle for puzzle in BOXES if puzzle.turns == 3)
    seat, own_turns = puzzle.position.to_move, 1
    judged = judge_attempt(puzzle)
    while judged.verdict is Verdict.OPEN:
        assert judged.position.to_move == seat
        (*_, best) = puzzle.right_moves(judged.position, judged.moves_left)
        judged = judge_attempt(puzzle, (*judged.right_tries, puzzle.game.format(best)))
        if judged.reply_length:
            own_turns += 1
            before_reply = puzzle.game.replay([*puzzle.moves, *judged.played_moves[: -judged.reply_length]])
            assert before_reply.to_move == 3 - seat
            assert f" {count_with_noun(3 - own_turns + 1, 'turn')} to go." in judged.sentence
    assert own_turns <= 3
    end = puzzle.game.replay([*puzzle.moves, *judged.played_moves, *judged.continuation]).outcome()
    assert end is not None
    assert end.scores is not None
    assert end.scores[seat - 1] == puzzle.boxes


def test_the_defender_gives_the_most_stubborn_answer() -> None:
    """After d1 all 42 replies delay the capture equally long. Only c2 and d2 leave a single right move."""
    puzzle = Puzzle(games.load("capture_go", size=7), ("c3", "d3", "c4", "e3", "c5", "f2", "e2"), 3)
    judged = judge_attempt(puzzle, ("d1",))
    assert judged.played_moves[1] in ("c2", "d2")
    assert len(puzzle.right_moves(judged.position, judged.moves_left)) == 1


def test_the_marked_stone_is_captured() -> None:
    assert CAPTURE.goal_sentence == "Black captures the marked stone in 1."
    assert judge_attempt(CAPTURE, ("c2",)).verdict is Verdict.SOLVED
    assert judge_attempt(CAPTURE, ("e5",)).verdict is Verdict.WRONG
    assert judge_attempt(CAPTURE, ("pass",)).verdict is Verdict.WRONG


def test_the_best_edge_is_proved() -> None:
    assert EDGE.goal_sentence == "Blue is to move, with 4 safe edges. Save a draw, 2 boxes to 2."
    assert (
        EDGE.goal_explanation == "No box is taken yet. Find the best edges of this turn. Orange plays perfectly, too."
    )
    right = judge_attempt(EDGE, ("h2",))
    assert right.verdict is Verdict.SOLVED
    assert re.fullmatch(r"Right: you draw by 2 boxes to 2; \w+ in place of h2 gives you 1. .*", right.sentence)
    assert list(right.played_moves + right.continuation) == whole_solution(EDGE)
    named = answer_sentence(EDGE.position, whole_solution(EDGE))
    assert named == f"The answer: {' '.join(whole_solution(EDGE)[:4])} …", "a long line is not read by anybody"
    assert answer_sentence(EDGE.position, ["h2", "h3"]) == "The answer: h2 h3."
    wrong = judge_attempt(EDGE, ("h1",))
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


def test_a_solved_puzzle_of_boxes_names_the_technique_the_result_and_the_reason() -> None:
    for theme, words in (
        ("double_cross", "opens the first long chain"),
        ("loop", "opens the first long chain"),
        ("control", "opens the first long chain"),
    ):
        puzzle = next(puzzle for puzzle in BOXES if puzzle.theme == theme)
        line = whole_solution(puzzle)
        solved = judge_attempt(puzzle, tuple(_own_moves_of_solution(puzzle)))
        answer_words = solution_words(puzzle, line)
        assert answer_words[0].isupper()
        assert solved.sentence.casefold() == f"Right: {answer_words}".casefold()
        technique = BOXES_THEMES[theme]
        assert solved.sentence.startswith(f"Right: {technique}. You win by {puzzle.boxes} boxes to ")
        assert len(solved.sentence) < 260, "it is read on a phone"
        assert words in solved.sentence


def _own_moves_of_solution(puzzle: Puzzle) -> tuple[str, ...]:
    """The moves of the player in a solution."""
    judged = judge_attempt(puzzle)
    while judged.verdict is Verdict.OPEN:
        best = puzzle.right_moves(judged.position, judged.moves_left)[0]
        judged = judge_attempt(puzzle, (*judged.right_tries, puzzle.game.format(best)))
    return judged.right_tries


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
