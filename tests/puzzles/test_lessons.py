"""The introductions: five steps for each game, whose answers are legal and are the ones that do what is asked."""

from __future__ import annotations

from collections import Counter

import pytest

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import Position
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.puzzles.attacks import attack_of
from gomogo_core.puzzles.attempts import Verdict
from gomogo_core.puzzles.lessons import LESSONS, LessonStep, lesson_steps, try_step

_IDS = [f"{step.game_name}-{step.title}" for step in LESSONS]


def test_every_game_has_five_steps() -> None:
    assert Counter(step.game_name for step in LESSONS) == dict.fromkeys(games.names(), 5)


@pytest.mark.parametrize("step", LESSONS, ids=_IDS)
def test_an_answer_is_accepted_and_another_move_is_not(step: LessonStep) -> None:
    for answer in step.answers:
        assert try_step(step, [answer])[1:] == (Verdict.SOLVED, step.success)
    for other in set(map(step.game.format, step.position.moves())) - set(step.answers):
        assert try_step(step, [other]) == (step.position, Verdict.WRONG, f"{step.hint} Try again.")


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
    if turns := attack.moves_needed(position, 2):
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


def test_a_game_without_an_introduction_is_refused() -> None:
    with pytest.raises(UserError):
        lesson_steps("chess")
