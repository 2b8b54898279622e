"""A visitor finds a better move for each mistake of a reviewed game."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from gomogo.page.archive import retries
from gomogo.page.archive.reviews import RetryScore, Reviews, lead_after_move
from gomogo_core.analysis.review import Review, build_review
from gomogo_core.analysis.review_results import PositionResult, ReviewFinding
from gomogo_core.search.result import ExpectedEnd
from tests._games import create_record
from tests.page.conftest import Browser, PageServer
from tests.page.test_puzzles import answer
from tests.page.test_reviews import reviewed

pytestmark = pytest.mark.slow

MISTAKE = "/games/m/retry?move=5&both=1"
TRY = "/games/m/retry/try?move=5&both=1"


@pytest.fixture
def game(server: PageServer, me: Browser) -> Browser:
    """A visitor who has seen the review of a game in which a3 would have won at once instead of d4."""
    server.store.add(create_record("m", "a1 e1 a2 e3 d4 e2", size=5, line=3))
    reviewed(me, "/games/m?move=5&review=1")
    return me


def test_the_review_offers_a_retry_of_every_mistake(game: Browser) -> None:
    page_text = game.get("/games/m?move=5&review=1")
    assert 'href="/games/m/retry?move=5&amp;review=1"' in page_text
    in_words = game.get("/games/m/review")
    assert in_words.count(">Find a better move</a>") == in_words.count(">Move ")


def test_a_retry_accepts_a_better_move_and_refuses_the_others(game: Browser) -> None:
    page_text = unescape(game.get(MISTAKE))
    assert "ann played d4, a blunder. Find a better move." in page_text
    assert 'data-key=""' in page_text, "the browser stores no puzzle"
    right = answer(game, f"{TRY}&tried=a3")
    assert (right["verdict"], right["tried"]) == ("solved", ["a3"])
    assert "win chance of 100 %" in right["words"]
    second_answer = answer(game, f"{TRY}&tried=d4")
    assert (second_answer["verdict"], second_answer["tried"]) == ("wrong", [])
    assert "the move of the game" in second_answer["words"]
    worse = answer(game, f"{TRY}&tried=d1")
    assert worse["verdict"] == "wrong"
    worse_words = re.fullmatch(
        r"After d1 the win chance is \d+ % instead of 100 %. "
        r"White's best answer is (\w+)(, which [a-z -]+)?. Try again.",
        worse["words"],
    )
    assert worse_words
    assert re.search(f'data-point="{worse_words[1]}".*?ghost', worse["part"], re.DOTALL)
    assert answer(game, f"{TRY}&tried=e1")["refused"]


def test_the_lead_after_a_retry_is_that_of_the_mover() -> None:
    won = create_record("b", "v0 v1 h0 h5 v5 h4 h3 v3 v2 v4 h1 h2", game="dots_and_boxes", rows=2, cols=2)
    start, end = won.positions()[0], won.positions()[-1]
    assert [lead_after_move(end, None, seat) for seat in (1, 2)] == [-4, 4]
    result = PositionResult(1, 0.0, 1.0, 12, ("h1",), is_solved=True, expected_end=ExpectedEnd(2.0, 0.0, {}))
    assert [lead_after_move(start, result, seat) for seat in (1, 2)] == [2, -2]
    assert lead_after_move(start, result._replace(is_solved=False), 1) is None


def test_points_judge_a_retry_of_a_move_that_lost_only_points(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.store.add(create_record("p", "a1 e5 c3", game="go", size=5))
    result = PositionResult(1, 4.0, 1.0, 3, ("d3",), checked_loss=0.0, points_lost=6.0)
    finding = ReviewFinding(3, "A mistake: the move lost about 6 points.", "d3", costs_only_points=True)
    review = Review((finding,), "", {2: result}, (), {2: 0.98, 3: 0.98})
    review = replace(review, players=build_review(server.store.game("p"), {}, 1.0).players)
    monkeypatch.setattr("gomogo.page.archive.reviews.build_review", lambda *_: review)
    leads = {"d3": 9.0, "c4": 8.8, "a5": 3.0, "b4": 6.0}

    async def score_after(_: Reviews, __: object, ___: int, ____: object, move: str) -> RetryScore:
        return RetryScore(0.98, leads[move], lead_error=2.5 if move == "b4" else 0.0)

    monkeypatch.setattr(Reviews, "score_after", score_after)
    assert "retry?move=3" in me.get("/games/p/review")
    tried = "/games/p/retry/try?move=3&both=1&tried="
    words = {move: answer(me, tried + move)["words"] for move in ("c4", "a5", "c3", "d3", "b4")}
    assert words == {
        "b4": "Good: b4 is as good as the review's move, d3.",
        "c4": "Good: c4 is as good as the review's move, d3.",
        "a5": "a5 loses about 6 points, compared with the best move. Try again.",
        "c3": "c3 is the move of the game: it loses about 6 points. Try another one.",
        "d3": "Right: the review also prefers d3, with a win chance of 99 %.",
    }


def test_boxes_judge_a_retry_in_a_lost_game(server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = "h0 v1 h2 h7 v4 h8 v9 v2 v7 h1 h11 h4 v8 h5 v6 v5 v3 v0 h3 v11 v10 h10 h6 h9"
    server.store.add(create_record("l", edges, game="dots_and_boxes", rows=3, cols=3))
    before = PositionResult(1, -999_995.0, 1.0, 5, ("h6",), is_solved=True, expected_end=ExpectedEnd(-3.0, 0.0, {}))
    after = PositionResult(2, 999_996.0, 1.0, 4, ("h6",), is_solved=True, expected_end=ExpectedEnd(-7.0, 0.0, {}))
    review = build_review(server.store.game("l"), {19: before._replace(points_lost=4.0), 20: after}, 1.0)
    monkeypatch.setattr("gomogo.page.archive.reviews.build_review", lambda *_: review)
    results = {("v10", "champion"): after, ("h9", "champion"): after._replace(expected_end=None)}

    async def search(_: Reviews, __: object, moves: list[str], ___: float, agent: str) -> PositionResult | None:
        return results.get((moves[-1], agent))

    monkeypatch.setattr(Reviews, "_search", search)
    assert "which loses by 7 boxes instead of 3 if both play perfectly" in review.findings[-1].sentence
    assert "retry?move=20" in me.get("/games/l/review")
    answers = {edge: answer(me, f"/games/l/retry/try?move=20&both=1&tried={edge}") for edge in ("v10", "h9", "h6")}
    assert answers["v10"]["words"] == (
        "v10 loses by 7 boxes instead of 3 if both play perfectly: it leaves 4 boxes to the next player. Try again."
    )
    assert "too busy" in answers["h9"]["refused"], (
        "its win chance is as good as that of the best edge, but not its boxes"
    )
    assert answers["h6"]["words"].startswith("Right: the review also prefers h6: it loses by 3 boxes")


def test_a_right_retry_shows_the_move_of_the_review(game: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "judge_retry", lambda *_: (True, "Good."))
    answer_json = answer(game, f"{TRY}&tried=d1")
    assert re.search(r'data-point="a3".*?ghost', answer_json["part"], re.DOTALL)
    assert answer_json["part"].count("ghost") == 1
    numbers = re.findall(r"retry\?move=(\d+)", game.get("/games/m/review"))
    last_page = game.get(f"/games/m/retry?move={numbers[-1]}&both=1")
    assert f'data-mistakes="{" ".join(numbers)}"' in last_page
    assert f"mistake {len(numbers)} of {len(numbers)}" in last_page


def test_a_review_of_ones_own_game_addresses_the_reader(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="greedy", option_size="5", option_line="3", seat="1")
    server.store.add(create_record(key, "a1 e1 a2 e3 d4 e2", size=5, line=3))
    page_text = reviewed(me, f"/games/{key}?move=5&review=1&both=1")
    assert "ann played" not in page_text
    assert re.search(r'class="finding">(You|The turning point: you) played d4', page_text)
    assert "ann played" not in me.get(f"/games/{key}/review")
    assert "You played d4, a blunder." in me.get(f"/games/{key}/retry?move=5&both=1")
    assert "You played" not in server.browser().get(f"/games/{key}?move=5&review=1")


def test_a_retry_shows_a_hint_and_the_better_move(game: Browser) -> None:
    answer_json = answer(game, "/games/m/retry/hint?move=5")
    assert answer_json["move"] == "a3"
    assert "a3" in answer_json["area"]
    line = answer(game, "/games/m/retry/answer?move=5")
    assert line["line"][0] == "a3"
    assert len(line["parts"]) == len(line["line"]) + 1
    assert "The answer: a3" in game.get(f"{MISTAKE}&answer=1")


def test_a_hint_after_a_wrong_move_gets_the_board_without_the_move(game: Browser) -> None:
    without_move = answer(game, TRY)
    assert (without_move["verdict"], without_move["words"], without_move["tried"]) == ("open", "Black is to move.", [])
    assert "ghost" not in without_move["part"]


def test_a_retry_needs_no_script(game: Browser) -> None:
    assert "the move of the game" in game.get(f"{MISTAKE}&tried=d4")
    assert "Right: " in game.get(f"{MISTAKE}&tried=a3")
    assert '<input type="hidden" name="move" value="5">' in game.get(MISTAKE)


def test_a_retry_without_a_mistake_leads_to_the_review(game: Browser) -> None:
    assert 'class="moves"' in game.get("/games/m/retry?move=1")
    assert answer(game, "/games/m/retry/try?move=1&tried=a3")["refused"]
