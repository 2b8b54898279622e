"""Puzzles and introductions on the page, as our script and a browser without scripts ask for them."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlencode

import pytest

from gomogo_core.puzzles.attempts import judge_attempt
from gomogo_core.puzzles.lessons import LESSON_SUMMARIES, lesson_steps
from gomogo_core.puzzles.puzzle import Puzzle, shipped_puzzles
from tests._games import create_record
from tests.page.conftest import Browser, PageServer, wait_until

FIRST = next(puzzle for puzzle in shipped_puzzles().values() if puzzle.game.name == "capture_go" and puzzle.turns == 2)
THREE = "game=gomoku&option-size=9&moves=e5+a1+d5+i9+c5+i1"


def answer(browser: Browser, path: str) -> Any:
    """What our script is answered."""
    return json.loads(browser.get(path, Accept="application/json"))


def right_and_wrong(puzzle: Puzzle) -> tuple[str, str]:
    """A right first move, and a wrong one."""
    position, write = puzzle.position, puzzle.game.format
    right = puzzle.right_moves(position, puzzle.turns)
    return write(right[0]), next(write(move) for move in position.moves() if move not in right)


def test_the_overview_names_every_game(me: Browser) -> None:
    page_text = me.get("/puzzles")
    for name in LESSON_SUMMARIES:
        assert f'href="/puzzles/{name}"' in page_text
        assert f'href="/learn/{name}"' in page_text
    assert re.search(r">hard \(\d+, 2 to 3 moves\)<", page_text)
    assert re.search(r">medium \(\d+, 2 moves\)<", page_text)
    assert re.search(r">easy \(\d+, 1 to 2 turns\)<", page_text), "Dots and Boxes"
    assert me.get("/puzzles/chess")
    assert me.status == 404
    assert 'data-key="' in me.get("/puzzles/capture_go")


def test_an_attempt_at_a_puzzle_is_judged_and_answered(me: Browser) -> None:
    right, wrong_move = right_and_wrong(FIRST)
    answer_json = answer(me, f"/puzzle/{FIRST.key}/try?tried={wrong_move}")
    assert (answer_json["verdict"], answer_json["tried"], answer_json["line"]) == ("wrong", [], [])
    refutation = judge_attempt(FIRST, (wrong_move,)).refutation
    assert answer_json["part"].count("ghost") == len(refutation) > 1, "the wrong move and the line that refutes it"
    answer_json = answer(me, f"/puzzle/{FIRST.key}/try?tried={right}")
    assert (answer_json["verdict"], answer_json["tried"]) == ("open", [right])
    assert len(answer_json["line"]) == 2
    assert "1 move to go" in answer_json["words"]
    line = answer(me, f"/puzzle/{FIRST.key}/answer?tried={right}")
    assert line["line"][0] == right
    assert len(line["parts"]) == len(line["line"]) + 1 == 4
    assert line["start"] == 2
    assert [part.count("ghost") for part in line["parts"]] == [0, 0, 1, 0]
    answer_json = answer(me, f"/puzzle/{FIRST.key}/try?tried={right}+{line['line'][2]}")
    assert answer_json["verdict"] == "solved"
    assert 'role="button"' not in answer_json["part"]


def test_a_solved_puzzle_of_boxes_continues_step_by_step(me: Browser) -> None:
    puzzle = next(puzzle for puzzle in shipped_puzzles().values() if (puzzle.theme, puzzle.turns) == ("control", 1))
    right, _ = right_and_wrong(puzzle)
    solved = answer(me, f"/puzzle/{puzzle.key}/try?tried={right}")
    continuation = solved["continuation"]
    assert solved["part"].count("ghost") == 0
    assert continuation["line"][:1] == solved["line"] == [right]
    assert len(continuation["parts"]) == len(continuation["line"]) + 1
    assert not any("ghost" in part for part in continuation["parts"])
    assert answer(me, f"/puzzle/{FIRST.key}/try")["continuation"] is None


def test_an_attempt_at_a_puzzle_needs_no_script(me: Browser) -> None:
    right, wrong_move = right_and_wrong(FIRST)
    assert FIRST.goal_sentence in me.get(f"/puzzle/{FIRST.key}")
    assert "Try again." in me.get(f"/puzzle/{FIRST.key}?tried={wrong_move}")
    assert "1 move to go" in me.get(f"/puzzle/{FIRST.key}?tried={right}")
    page_text = me.get(f"/puzzle/{FIRST.key}?answer=1")
    assert "The answer:" in page_text
    assert page_text.count(" ghost") == 3


@pytest.mark.parametrize("tried_text", ["z99", "nonsense", "a1 " * 100])
def test_an_illegal_attempt_at_a_puzzle_is_refused_with_the_reason(me: Browser, tried_text: str) -> None:
    answer_json = answer(me, f"/puzzle/{FIRST.key}/try?{urlencode({'tried': tried_text})}")
    assert me.status == 400
    assert answer_json["refused"]
    assert answer_json["remedy"]


def test_every_position_with_a_proved_goal_is_a_puzzle(me: Browser) -> None:
    assert "Black wins in 2." in me.get(f"/puzzle/position?{THREE}")
    assert answer(me, f"/puzzle/position/try?{THREE}&tried=b5")["verdict"] == "open"
    assert "No win" in me.get("/puzzle/position?game=gomoku&moves=h8")
    assert me.status == 404


def test_a_running_game_between_two_people_is_no_puzzle(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="link", option_size="9", name="ann")
    friend = server.join(key, "bob")
    for number, move in enumerate(("e5", "a1", "d5", "i9", "c5", "i1")):
        (friend if number % 2 else me).move(key, move)
    assert "against another person" in me.get(f"/puzzle/position?{THREE}")
    assert "Black wins" in server.browser().get(f"/puzzle/position?{THREE}")


@pytest.mark.parametrize("name", LESSON_SUMMARIES)
def test_an_introduction_continues_step_by_step(me: Browser, name: str) -> None:
    steps = lesson_steps(name)
    for number, step in enumerate(steps, 1):
        page_text = me.get(f"/learn/{name}?step={number}")
        assert f"step {number} of {len(steps)}" in page_text
        assert f"You: {'Blue' if name == 'dots_and_boxes' else 'Black'}" in page_text
        assert ("Play a first game against Beginner" in page_text) == (number == len(steps))
        assert (LESSON_SUMMARIES[name] in page_text) == (number == len(steps))
        first, *later = [answers[0] for answers in (step.answers, *step.later_answers)]
        answer_json = answer(me, f"/learn/{name}/try?step={number}&tried={'+'.join((first, *later))}")
        assert (answer_json["verdict"], answer_json["words"]) == ("solved", step.success)
        assert ("territory black" in answer_json["part"]) == (step.answers == ("pass",)), (
            "the end of Go shows what counts"
        )
        hint = answer(me, f"/learn/{name}/hint?step={number}")
        assert (hint["words"], hint["move"]) == (step.hint, first)
        assert (first in hint["area"]) == (first != "pass")
        if later:
            assert answer(me, f"/learn/{name}/hint?step={number}&tried={first}")["move"] == later[0]
            wrong = answer(me, f"/learn/{name}/try?step={number}&tried={first}+{later[-1] if later[1:] else 'v2'}")
            assert (wrong["verdict"], wrong["tried"]) == ("wrong", [first])
    assert me.get("/learn/chess")
    assert me.status == 404


@pytest.mark.slow
@pytest.mark.parametrize("name", LESSON_SUMMARIES)
def test_an_introduction_ends_with_a_first_game(me: Browser, name: str) -> None:
    page_text = me.get(f"/learn/{name}?step={len(lesson_steps(name))}")
    form = page_text[page_text.index('action="/play"') : page_text.index('id="first-game"')]
    fields = dict(re.findall(r'name="([\w-]+)" value="([^"]*)"', form))
    key = me.begin(**{field.replace("-", "_"): value for field, value in fields.items() if field != "token"})
    page = me.get(f"/play/{key}")
    assert "Beginner (level 1)" in page
    assert "Your turn" in page


def test_marks_for_beginners_belong_to_the_position(me: Browser) -> None:
    key = me.begin(game="go", option_size="5", opponent="here")
    me.move(key, "a1")
    me.move(key, "b1")
    marks = [(mark["place"], mark["kind"]) for mark in answer(me, f"/play/{key}/marks")]
    assert ("a1", "atari") in marks
    assert ("b1", "atari") not in marks
    assert marks == [
        (mark["place"], mark["kind"]) for mark in answer(me, "/analysis/marks?game=go&option-size=5&moves=a1+b1")
    ]
    assert "Show liberties" in me.get(f"/play/{key}")
    assert "Show liberties" not in me.get("/analysis?game=gomoku")


def test_puzzles_are_chosen_by_difficulty(me: Browser) -> None:
    page_text = me.get("/puzzle/position?" + THREE)
    assert 'data-others=""' in page_text, "a puzzle of a game is not in the shipped list"
    begun = me.client.get("/puzzles/gomoku?level=hard", follow_redirects=False).headers["location"]
    key = begun.removeprefix("/puzzle/").removesuffix("?level=hard")
    assert shipped_puzzles()[key].level == "hard"
    others_match = re.search(r'data-others="([^"]*)"', me.get(begun))
    assert others_match
    assert {shipped_puzzles()[key].level for key in others_match[1].split()} == {"hard"}
    assert re.search(
        rf'href="/puzzles/gomoku\?level=hard" data-choice="level=hard" data-of="{key} ', me.get("/puzzles")
    )


def test_puzzles_are_chosen_by_theme(me: Browser) -> None:
    assert re.search(
        r'href="/puzzles/go\?theme=net" data-choice="theme=net" data-of="\w+ [^"]*">net ', me.get("/puzzles")
    )
    begun = me.client.get("/puzzles/go?theme=net&level=none", follow_redirects=False).headers["location"]
    assert begun.endswith("?theme=net")
    others_match = re.search(r'data-choice="theme=net" data-others="([^"]*)"', me.get(begun))
    assert others_match
    assert {shipped_puzzles()[key].theme for key in others_match[1].split()} == {"net"}


@pytest.mark.slow
def test_a_tournament_gives_the_puzzles_that_its_games_missed(server: PageServer, me: Browser) -> None:
    players = [{"player": f"spec-{name}", "name": name} for name in ("ann", "bob")]
    asked = {"game": "gomoku", "options": {}, "players": players, "format": "round_robin"}
    run = server.store.insert_run("spring", "spring", asked, None)
    assert run is not None
    missed = create_record("missed", "e5 a1 d5 i9 c5 i1 a9 b5", size=9)
    server.store.add(missed, run)
    url = "/runs/spring/puzzles"
    assert f'href="{url}"' in me.get("/runs/spring")
    wait_until(lambda: "data-searching" not in me.get(url))
    page_text = me.get(url)
    assert "Puzzles in the 1 game: 1." in page_text
    assert "Black wins in 2." in page_text
    link = re.search(r'href="(/puzzle/position[^"]*)"', page_text)
    assert link
    assert 'href="/runs/spring/puzzles"' in me.get(link[1].replace("&amp;", "&"))
    assert "Black wins in 2." not in me.get(f"{url}?level=hard")
    me.get("/runs/winter/puzzles")
    assert me.status == 404
