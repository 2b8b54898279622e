"""A review on the page: its marks, its graph, its better lines, and new games from its mistakes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest

from gomogo.page.archive.charts import draw_review
from gomogo.page.archive.reviews import REVIEW_SECONDS, ReviewInProgress, Reviews
from gomogo_core.analysis.review import Review, build_review
from gomogo_core.analysis.review_results import PositionResult, ReviewFinding
from gomogo_core.games.base import Position
from gomogo_core.printable import count_with_noun
from gomogo_core.records.sgf import read_sgf as read_sgf
from gomogo_core.search.node import WIN_VALUE
from tests._games import create_record
from tests.page.conftest import Browser, PageServer, wait_until
from tests.page.test_lobby import new_game_link


def reviewed(me: Browser, path: str) -> str:
    """The page once its review has ended."""
    wait_until(lambda: "Review in progress" not in me.get(path))
    return me.get(path)


def add_game_with_mistake(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store the game m, whose review says that its move 5 is a mistake and f4 was better."""
    server.store.add(create_record("m", "d4 a1 e4 a7 g1 c4", size=7, line=4))
    line = PositionResult(1, WIN_VALUE - 3, 1.0, 3, ("f4", "c4", "g4"))
    review = Review((ReviewFinding(5, "A mistake.", "f4"),), "", {4: line}, (), {4: 1.0})
    review = replace(review, players=build_review(server.store.game("m"), {}, 1.0).players)
    monkeypatch.setattr("gomogo.page.archive.reviews.build_review", lambda *_: review)


def test_a_review_is_a_page(server: PageServer, me: Browser) -> None:
    server.store.add(create_record("two", "d4 c3", size=7))
    assert "The analysis took" in reviewed(me, "/games/two/review")
    assert me.status == 200


def test_an_incomplete_review_continues_when_it_is_opened_later(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search without a reliable result, as on a busy machine, does not leave a gap for good."""
    server.store.add(create_record("two", "d4 c3 e4", size=7))
    searched, search = list[int](), Reviews._search
    is_busy = True

    async def search_or_fail(
        reviews: Reviews, position: Position, moves: Sequence[str], seconds: float, agent: str
    ) -> PositionResult | None:
        searched.append(len(moves))
        return None if is_busy and len(moves) == 1 else await search(reviews, position, moves, seconds, agent)

    monkeypatch.setattr(Reviews, "_search", search_or_fail)
    page_text = reviewed(me, "/games/two/review")
    assert "This review is incomplete: 1 position was not analysed (move played before: 1)" in page_text
    assert "Open the review again a little later: it then analyses them." in page_text
    is_busy = False
    assert "review is incomplete" in me.get("/games/two/review"), "it does not begin again at once"
    monkeypatch.setattr(ReviewInProgress, "continues_at", property(lambda _: 0.0, lambda *_: None))
    searched.clear()
    assert "review is incomplete" not in reviewed(me, "/games/two/review")
    assert 1 in searched


@pytest.mark.slow
def test_a_review_in_words_shows_its_progress_and_then_its_time(server: PageServer, me: Browser) -> None:
    server.store.add(create_record("n", "a1 e1 a2 e3 d4 e2", size=5, line=3))
    first = me.get("/games/n/review")
    assert "data-reviewing>Review in progress: " in first
    assert "The analysis took" not in first
    assert "The accuracy is 100 % if no move gave away win chance." in first
    beside_board = me.get("/games/n?review=1")
    assert ("Review in progress" in beside_board) != ("The analysis took" in beside_board)
    assert "The analysis took" in reviewed(me, "/games/n/review")


@pytest.mark.slow
def test_a_review_marks_mistakes_on_list_and_board_with_the_better_move(server: PageServer, me: Browser) -> None:
    server.store.add(create_record("m", "a1 e1 a2 e3 d4 e2", size=5, line=3))
    first = me.get("/games/m?move=5&review=1")
    assert "data-reviewing" in first
    assert "<span>Black better</span><span>White better</span>" in first
    assert "accuracy" not in first, "a count of 0 would be taken for the result"
    page_text = reviewed(me, "/games/m?move=5&review=1")
    assert '<li class="mistake grave"><a data-step="to" href="?move=5&amp;review=1"' in page_text
    assert "ann played d4 and missed a win, after which the game was lost. a3 wins at once: it makes" in page_text
    assert "was better" not in page_text, "the sentence says once that a3 wins"
    assert re.search(r'data-point="a3"[^>]*><circle class="stone black ghost"', page_text)
    assert 'data-step="mistake"' in page_text
    assert re.search(r'<a href="\?move=5&amp;review=1" data-step="to"[^>]*aria-label="Move 5"', page_text), "the graph"
    marker = re.search(r'class="now" x1="([^"]+)"', page_text)
    assert marker
    assert f'class="mistake-dot" cx="{marker[1]}"' in page_text, (
        "the mark of a move stands where a click leads to the move"
    )
    in_words = reviewed(me, "/games/m/review")
    summary = re.search(r'class="swatch black" aria-hidden="true"></span> ann</th>(.*)</tr>', in_words)
    assert summary
    accuracy, inaccuracies, mistakes, blunders = re.findall(r"<td[^>]*>([^<]*)</td>", summary[1])
    assert re.fullmatch(r"\d+ %", accuracy)
    counts = [(int(blunders), "blunder"), (int(mistakes), "mistake")]
    words = [f"accuracy {accuracy}", *(count_with_noun(n, noun) for n, noun in counts if n)]
    assert "".join(f"<span>{part}{'' if part == words[-1] else ','}</span> " for part in words) in page_text
    own = re.findall(r'<li class="mistake( \w+)?"><a data-step="to" href="\?move=[135]&', page_text)
    assert [int(inaccuracies), int(mistakes), int(blunders)] == [own.count(kind) for kind in (" slight", "", " grave")]
    before = me.get("/games/m?move=4&review=1&better=1")
    assert re.search(r'data-point="a3"[^>]*><circle class="stone black ghost"', before), (
        "the line from before the mistake"
    )
    assert re.search(r'Instead of move 5: <a data-step="line" href="\?move=4&amp;review=1&amp;better=2">a3</a>', before)
    assert '<a data-step="played" href="?move=5&amp;review=1">Return to the game</a>' in before
    assert "ghost" not in me.get("/games/m?move=4&review=1"), "a step back gives no answer away"
    assert 'title="No mistake follows">First mistake</a>' in me.get("/games/m?move=6&review=1")
    assert ">Next mistake</a>" in me.get("/games/m?move=0&review=1")
    plain = me.get("/games/m?move=5")
    assert 'class="mistake' not in plain
    assert re.search(r'class="sign-words"[^>]*>\?\?<', page_text)
    puzzle = re.search(r'href="(/puzzle/position[^"]*)">Solve it as a puzzle', page_text)
    assert puzzle
    assert "Black wins in 1." in me.get(puzzle[1].replace("&amp;", "&"))
    assert 'class="sign' not in plain
    assert "ghost" not in plain


def test_after_a_mistake_the_board_shows_one_better_move_and_before_it_the_whole_line(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_game_with_mistake(server, monkeypatch)
    after = me.get("/games/m?move=5&review=1")
    assert re.findall(r'data-point="(\w+)"[^>]*><circle class="stone \w+ ghost"', after) == ["f4"]
    link = 'href="?move=4&amp;review=1&amp;better=1">Show the better line</a>'
    assert 0 < after.find('class="finding"') < after.find(link), "the link is below the reason for it"
    before = me.get("/games/m?move=4&review=1&better=1")
    ghosts = re.findall(r'data-point="(\w+)"[^>]*><circle class="stone (\w+) ghost"', before)
    assert ghosts == [("c4", "white"), ("f4", "black"), ("g4", "black")]
    assert re.findall(r'data-step="line" href="([^"]*)">(\w+)</a>', before) == [
        (f"?move=4&amp;review=1&amp;better={step}", move) for step, move in ((2, "f4"), (3, "c4"), (4, "g4"))
    ]


@pytest.mark.parametrize(("advantage", "place"), [(1.0, 'y="12%" dx="0" dy="18"'), (-0.5, 'y="69%" dx="0" dy="-9"')])
def test_the_mark_of_a_mistake_is_beside_its_dot(advantage: float, place: str) -> None:
    review = Review((ReviewFinding(1, "", annotation="??"),), "", {}, (), {0: 0.0, 1: advantage})
    chart = draw_review(review, ("Black", "White"), ["d4", "a1"], 0, "")
    mark = re.search(r'<text [^>]*class="mistake-mark"[^>]*>|<text class="mistake-mark"[^>]*>', chart)
    assert mark
    assert place in mark[0]


def test_a_mark_keeps_away_from_the_other_mistakes() -> None:
    findings = tuple(ReviewFinding(number, "", annotation=sign) for number, sign in ((9, "??"), (10, "?"), (11, "?")))
    review = Review(findings, "", {}, (), {9: -1.0, 10: -0.2, 11: -1.0})
    chart = draw_review(review, ("Black", "White"), ["d4", "a1"] * 30, 0, "")
    marks = re.findall(r'class="mistake-mark"[^>]* dx="(-?\d+)" dy="(-?\d+)">([^<]*)<', chart)
    assert marks == [("-14", "4", "??"), ("0", "-9", "?"), ("14", "4", "?")]


def test_the_graph_of_a_solved_game_of_boxes_shows_the_final_lead() -> None:
    leads = {0: 2.0, 1: 0.0, 2: -4.0}
    review = Review((), "", {}, (), dict.fromkeys(leads, 1.0), final_leads=leads)
    chart = draw_review(review, ("Blue", "Orange"), ["h0", "h1"], 0, "")
    heights = [float(point.split(",")[1]) for point in re.findall(r'<polyline[^>]* points="([^"]*)"', chart)[0].split()]
    assert heights == [31.0, 50.0, 88.0]
    assert re.findall(r"perfectly: ([^<]*)", chart) == ["Blue ahead by 2 boxes", "a draw", "Orange ahead by 4 boxes"]
    assert "win chance" not in chart


def test_a_review_in_which_no_mistake_was_found_says_so_once_and_links_to_more_time(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.store.add(replace(create_record("m", "d4 a1 e4 a7 g1 c4", size=7, line=4), names=("me", "bob")))
    lines = {number: PositionResult(1, 0.0, 1.0, 3, ("f4",)) for number in range(6)}
    review = Review((), "It took 1 s; more time may find more.", lines, (), {}, None, "No single move lost the game.")
    review = replace(review, players=build_review(server.store.game("m"), {}, 1.0).players)
    monkeypatch.setattr("gomogo.page.archive.reviews.build_review", lambda *_: review)
    for name in ("quick", "thorough"):
        monkeypatch.setitem(REVIEW_SECONDS, name, 0.1)
    text = reviewed(me, "/games/m?move=6&review=1")
    assert "<p>No single move lost the game.</p>" in text
    assert "You made no mistake" not in text
    assert 'href="?move=6&amp;review=1&amp;time=normal">more time may find more</a>' in text
    assert "Turning point" not in text, "the review names none"
    longest = reviewed(me, "/games/m?move=6&review=1&time=thorough")
    assert "more time may find more." in longest
    assert "more time may find more</a>" not in longest


def test_the_better_line_is_stepped_through_and_a_step_back_from_its_start_leads_to_the_game(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_game_with_mistake(server, monkeypatch)

    def steps(html: str) -> dict[str, str]:
        return dict(re.findall(r'data-step="(first|back|forward|last)" href="([^"]*)"', html.replace("&amp;", "&")))

    start = me.get("/games/m?move=4&review=1&better=1")
    line_url = "?move=4&review=1&better="
    assert steps(start) == {
        "first": f"{line_url}1", "back": "?move=4&review=1", "forward": f"{line_url}2", "last": f"{line_url}4"
    }  # fmt: skip
    second = me.get("/games/m?move=4&review=1&better=3")
    assert steps(second) == {
        "first": f"{line_url}1", "back": f"{line_url}2", "forward": f"{line_url}4", "last": f"{line_url}4"
    }  # fmt: skip
    stones = re.findall(r'data-point="(\w+)"[^>]*><circle class="stone (\w+)"', second)
    assert {("f4", "black"), ("c4", "white")} < set(stones)
    assert len(stones) == 6
    assert "ghost" not in second
    assert 'aria-current="step">c4</a>' in second
    assert "The better line: 2 of 3 moves." in second
    assert '<p class="finding">A mistake.</p>' in second, "the reason is that of the move in whose place the line is"
    assert "Show the better line" not in second
    assert re.search(r'<span class="count"[^>]*>2 / 3</span>', second)
    assert "/analysis?game=gomoku" in second
    assert "moves=d4%20a1%20e4%20a7%20f4%20c4%20g4&amp;at=6" in second
    assert "3 of 3 moves" in me.get("/games/m?move=4&review=1&better=9999"), "a step past the end stays at the end"
    assert steps(me.get("/games/m?move=5&review=1&better=2"))["forward"] == "?move=6&review=1", "no line begins there"


def test_the_thoughts_of_a_game_are_in_the_menu_of_its_review(server: PageServer, me: Browser) -> None:
    game = create_record("m", "d4 a1 e4 a7", size=7)
    server.store.add(replace(game, thoughts=("depth 3", None, None, None), lines=("a1", None, None, None)))
    for query, is_in_menu in (("", False), ("&review=1", True)):
        before, _, menu = me.get(f"/games/m?move=1{query}").partition('class="menu more"')
        assert [">Thoughts</a>" in part for part in (before, menu)] == [not is_in_menu, is_in_menu]


def test_the_graph_of_dots_and_boxes_names_its_players(server: PageServer, me: Browser) -> None:
    edges = "h0 h1 h2 h3 h4 h5 v0 v1 v2 v3 v4 v5"
    server.store.add(create_record("b", edges, names=("Ann", "Bob"), game="dots_and_boxes", rows=2, cols=2))
    assert "<span>Ann better</span><span>Bob better</span>" in me.get("/games/b?review=1")
    server.store.add(create_record("c", edges, names=("Ann", "Ann"), game="dots_and_boxes", rows=2, cols=2))
    assert "<span>Blue better</span><span>Orange better</span>" in me.get("/games/c?review=1")


@pytest.mark.slow
def test_a_mistake_is_played_again_by_its_player_against_the_same_level(server: PageServer, me: Browser) -> None:
    game = create_record("m", "a1 e1 a2 e3 d4 e2", size=5, line=3)
    server.store.add(replace(game, names=("ann", "level-4"), specs=("human", "greedy")))
    page_text = reviewed(me, "/games/m?move=5&review=1")  # a3 won at once
    mistake = new_game_link(page_text)
    offers = re.findall(r'href="/\?(game=[^"]*)">((?:Instead|After)[^<]*)</a>', page_text)
    assert [words for _, words in offers] == ["Instead of d4, as Black", "After d4, as White"]
    after = dict(parse_qsl(offers[1][0].replace("&amp;", "&")))
    assert (after["moves"], after["seat"]) == ("a1 e1 a2 e3 d4", "2")
    assert (mistake["moves"], mistake["seat"]) == ("a1 e1 a2 e3", "1")
    assert (mistake["opponent"], mistake["other"]) == ("other", "level-4")
    form = me.get(f"/?{urlencode(mistake)}")
    assert "The game continues after 4 moves: black is to move." in form
    assert '<option value="level-4" selected' in form
    preview = form.partition('<div class="preview')[2]
    assert preview.count("stone black") == preview.count("stone white") == 2
    later = new_game_link(me.get("/games/m?move=4"))
    assert (later["moves"], later["seat"]) == ("a1 e1 a2 e3", "1")


@pytest.mark.slow
def test_the_next_mistake_is_one_of_the_human_unless_both_players_are_chosen(server: PageServer, me: Browser) -> None:
    game = create_record("m", "a1 e1 a2 e3 d4 e2", size=5, line=3)  # a3 won at once
    following = re.compile(r'data-step="mistake" href="\?move=(\d+)&')
    for key, specs in (("m", ("human", "greedy")), ("n", ("greedy", "human"))):
        server.store.add(replace(game, key=key, specs=specs))
        page_text = reviewed(me, f"/games/{key}?move=4&review=1")
        assert (following.findall(page_text) == ["5"]) == (key == "m")
        assert "mistake grave" in page_text, "the list of moves marks the mistakes of both"
        assert 'data-step="both" href="?move=4&amp;review=1&amp;both=1">Both players' in page_text
        assert following.findall(reviewed(me, f"/games/{key}?move=4&review=1&both=1")) == ["5"]
    server.store.add(replace(game, key="o"))
    assert "Both players" not in reviewed(me, "/games/o?move=0&review=1")


def test_a_review_of_boxes_says_where_no_result_is_proved(server: PageServer, me: Browser) -> None:
    server.store.add(create_record("bx", "h0 h2 v5", game="dots_and_boxes", rows=6, cols=6))
    page_text = reviewed(me, "/games/bx?move=2&review=1")
    assert "The result is not proved here, so a mistake may have no mark." in page_text
    server.store.add(create_record("bs", "h0 v0 v1 h2 h1", game="dots_and_boxes", rows=2, cols=1))
    page_text = reviewed(me, "/games/bs?move=2&review=1")
    assert "not proved" not in page_text
    assert re.search(r"Top: \w+ ahead by \d box\w*</span><span>Bottom: \w+ by", page_text)


def test_the_win_chances_of_a_mistake_in_boxes_are_called_estimates(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.store.add(create_record("bx", "h0 h2 v5", game="dots_and_boxes", rows=6, cols=6))
    finding = ReviewFinding(3, "A mistake: the win chance fell from 60 to 40 %.", "h4")
    estimate = PositionResult(1, 0.2, 1.0, 3, ("h4", "h6"))
    review = Review((finding,), "", {2: estimate}, (), {2: 0.2})
    review = replace(review, players=build_review(server.store.game("bx"), {}, 1.0).players)
    monkeypatch.setattr("gomogo.page.archive.reviews.build_review", lambda *_: review)
    assert "60 to 40 %. The chances are estimates." in me.get("/games/bx?move=3&review=1")
