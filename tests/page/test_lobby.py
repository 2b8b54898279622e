"""Games that are over are found, stepped through, exported, shared and reviewed; agents have ratings."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest

from gomogo.page.archive.charts import draw_review
from gomogo.page.archive.reviews import REVIEW_SECONDS
from gomogo_core.analysis import strongest
from gomogo_core.analysis.review import Review, build_review
from gomogo_core.analysis.review_results import PositionResult, ReviewFinding
from gomogo_core.analysis.review_searches import review, search_positions
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.printable import count_with_noun
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.sgf import read_sgf as read_sgf
from gomogo_core.search.node import WIN_VALUE
from gomogo_core.search.result import PositionAnalysis, ScoredLine
from tests.page.conftest import Browser, PageServer, until


def played(
    key: str,
    moves: str,
    names: Sequence[str] = ("ann", "bob"),
    game: str = "gomoku",
    outcome: Outcome | None = None,
    started: float = 0.0,
    **options: object,
) -> PlayedGame:
    """A game of these moves."""
    rules = load(game, **options)
    position, plies = rules.start(), list[Ply]()
    for move in moves.split():
        plies.append(Ply(position.to_move, move))
        position = position.play(rules.parse(move))
    return PlayedGame(
        game=game,
        options=dict(rules.options),
        specs=tuple(f"spec-{name}" for name in names),
        names=tuple(names),
        controls=(TimeControl(),) * len(names),
        plies=tuple(plies),
        opening=0,
        seconds=(0.5,) * len(plies),
        clocks=(None,) * len(plies),
        thoughts=(None,) * len(plies),
        warnings=(),
        outcome=outcome or position.outcome() or Outcome((1, 2), Reason.RESIGNED, "resigned"),
        started=started,
        duration=1.0,
        key=key,
    )


WON = "a1 b1 a2 b2 a3"


@pytest.fixture
def three(server: PageServer) -> PageServer:
    """A store with three games."""
    server.store.add(played("one", WON, size=7, line=3, started=1.0))
    server.store.add(played("two", "d4 c3", ("bob", "cid"), size=7, started=2.0))
    server.store.add(played("tre", "h0 h1", ("ann", "cid"), "dots_and_boxes", started=3.0))
    return server


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("", {"one", "two", "tre"}),
        ("player=ann", {"one", "tre"}),
        ("player=spec-bob", {"one", "two"}),
        ("player=bob&result=loss", {"one"}),
        ("player=bob&result=win", {"two"}),
        ("game=dots_and_boxes", {"tre"}),
        ("reason=line", {"one"}),
        ("reason=five", {"one"}),  # the name in earlier versions
        ("opening=D4+C3", {"two"}),
        ("opening=a1+b1+a2", {"one"}),
        ("opening=b1", set()),
        ("player=nobody", set()),
        ("run=none", set()),
    ],
)
def test_a_query_finds_its_games(three: PageServer, me: Browser, query: str, keys: set[str]) -> None:
    page_text = me.get(f"/games?{query}")
    assert {key for key in ("one", "two", "tre") if f'href="/games/{key}"' in page_text} == keys


def test_long_lists_of_games_are_split_into_pages(server: PageServer, me: Browser) -> None:
    for number in range(51):
        server.store.add(played(f"game-{number:02}", WON, size=7, line=3, started=float(number)))
    first, second = me.get("/games"), me.get("/games?page=1")
    assert "/games/game-50" in first
    assert "/games/game-00" not in first
    assert "/games/game-00" in second
    assert 'href="/games?page=1"' in first


def test_a_draw_has_no_winner_in_the_list_of_games(server: PageServer, me: Browser) -> None:
    server.store.add(played("one", "d4", outcome=Outcome.draw(Reason.BOARD_FULL, "board full"), size=7))
    assert '"won by">nobody<' in me.get("/games")


def test_links_step_through_a_game(three: PageServer, me: Browser) -> None:
    end = me.get("/games/one")
    assert "ann won, after 5 moves: 3 in a row." in end
    third = me.get("/games/one?move=3")
    assert 'data-step="back" href="?move=2"' in third
    assert 'data-step="forward" href="?move=4"' in third
    assert "Move 3: ann played a2 (0.5 s)." in third
    assert third.count("stone black") == 2
    assert third.count('role="img" aria-label="a 2, black"') == 1
    assert "Before the first move." in me.get("/games/one?move=0")
    assert me.get("/games/one?move=99999") == me.get("/games/one")


def test_a_game_is_exported_in_every_format_that_supports_it(three: PageServer, me: Browser) -> None:
    page_text = me.get("/games/one")
    for ending in ("sgf", "psq", "json"):
        assert f"/games/one.{ending}" in page_text
    answer = me.client.get("/games/one.sgf")
    assert read_sgf(answer.content, "it").plies == three.store.game("one").plies
    assert answer.headers["content-disposition"] == 'attachment; filename="ann-bob-one.sgf"'
    assert json.loads(me.get("/games/one.json"))["key"] == "one"
    assert "/games/tre.sgf" not in me.get("/games/tre")
    me.get("/games/tre.sgf")
    assert me.status == 404


def test_a_url_alone_shares_a_position(three: PageServer, me: Browser) -> None:
    page_text = me.get("/games/one?move=3").replace("&amp;", "&")
    link = page_text.partition('href="/analysis?')[2].partition('"')[0]
    shared = me.get(f"/position?{link}")  # the address in earlier versions
    assert "Move 4: white is to move." in shared
    assert shared.count("stone black") == 2


def test_agents_are_listed_with_their_results(three: PageServer, me: Browser) -> None:
    page_text = me.get("/agents")
    assert '<a href="/games?player=ann&amp;game=gomoku">ann</a>' in page_text
    assert "random_mover" in page_text


def test_a_review_names_a_missed_win() -> None:
    missed = played("m", "a1 e1 a2 e3 d4 e2", size=5, line=3)
    findings = review(missed, seconds=2.0).findings
    words = "ann played d4 and missed a win, after which the game was lost. a3 wins at once: it makes three in a row."
    assert any(finding.number == 5 and words in finding.sentence for finding in findings)


def sentences_of(game: PlayedGame, expected_sentence: str) -> list[tuple[int, str]]:
    """The findings of a review: their moves and sentences. A busy machine gets more time for `expected_sentence`."""
    for seconds in (2.0, 8.0, 32.0):
        sentences = [(finding.number, finding.sentence) for finding in review(game, seconds=seconds).findings]
        if any(expected_sentence in sentence for _, sentence in sentences):
            break
    return sentences


def test_a_review_names_missed_captures() -> None:
    rows = range(1, 7)  # ends with six stones on the a, b and c lines: whoever moves next, captures and wins
    walls = " ".join(f"e{row} c{row}" for row in rows) + " " + " ".join(f"b{row} a{row}" for row in rows)
    missed = played("m", f"{walls} g7 b7", game="go", size=7)
    expected_sentence = "a7 was better: it captures 6 stones. g7 loses the 6 stones at b1: White captures them with b7."
    sentences = sentences_of(missed, expected_sentence)
    assert any(number == 25 and expected_sentence in sentence for number, sentence in sentences), sentences


def test_a_review_names_the_turning_point() -> None:
    lost_game = played("m", "b2 c3 e5 c4 e1 c2 a5 c5", size=5, line=4)
    expected_sentence = "The turning point: ann played"
    sentences = sentences_of(lost_game, expected_sentence)
    assert any(expected_sentence in sentence for _, sentence in sentences), sentences


def test_the_turning_point_is_the_losing_move() -> None:
    lost_game = played("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)  # a7 lets an open three be an open four
    expected_sentence = "ann played a7, after which the game was lost."
    turns = [sentence for sentence in sentences_of(lost_game, expected_sentence) if "turning point" in sentence[1]]
    assert [number for number, _ in turns] == [9], turns
    assert expected_sentence in turns[0][1]
    assert "was better" in turns[0][1]


def test_a_move_that_a_search_prefers_after_a_seen_loss_is_not_the_losing_one() -> None:
    lost_game = played("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    results = {
        8: PositionResult(1, 0.0, 100.0, 9, ("e6",)),
        9: PositionResult(2, WIN_VALUE - 5.0, 100.0, 9, ("e6",)),  # bob's turn: the search sees ann's loss
        10: PositionResult(1, -150.0, 100.0, 9, ("b1",)),  # ann's turn: it misses the loss, and prefers her move
        11: PositionResult(2, WIN_VALUE - 1.0, 100.0, 1, ("e7",)),
    }
    turns = [
        finding for finding in build_review(lost_game, results, 1.0).findings if "turning point" in finding.sentence
    ]
    assert [(finding.number, finding.better_move) for finding in turns] == [(9, "e6")]


def test_a_missed_capture_that_costs_nothing_gets_no_mark() -> None:
    rows = range(1, 7)
    walls = " ".join(f"e{row} c{row}" for row in rows) + " " + " ".join(f"b{row} a{row}" for row in rows)
    missed = played("m", f"{walls} g7 b7", game="go", size=7)
    for loss, marks in ((0.0, []), (0.25, ["?"])):
        results = {
            24: PositionResult(1, 0.0, 1.0, 3, ("d7",)),
            25: PositionResult(2, math.atanh(loss) * 2, 1.0, 3, ("b7",)),  # bob's advantage is `loss`
        }
        review_result = build_review(missed, results, 1.0)
        assert [
            finding.annotation for finding in review_result.findings if "captures 6 stones" in finding.sentence
        ] == marks
        assert review_result.players[0].accuracy is not None
        assert (review_result.players[0].accuracy < 99.5) is bool(marks)


def test_a_position_without_time_for_a_search_has_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    for depth, nodes, value, is_known in (
        (0, 5, 0.0, False),
        (1, 0, 0.0, False),
        (1, 5, 0.0, True),
        (0, 0, WIN_VALUE, True),
    ):
        analysis = PositionAnalysis((ScoredLine(value, (load("gomoku", size=7).parse("d4"),)),), depth, nodes, 0.0)
        monkeypatch.setattr(strongest, "stream_analyses", lambda *_, analysis=analysis: iter([analysis]))
        assert bool(list(search_positions(played("m", "a1 d4", size=7), 60.0))) is is_known


def test_a_missed_win_that_costs_nothing_gets_no_mark() -> None:
    missed = played("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    for after, marks in ((-1000.0, []), (-200.0, ["?"]), (0.0, ["??"])):
        results = {
            7: PositionResult(2, WIN_VALUE - 5.0, 100.0, 9, ("d3",)),
            8: PositionResult(1, after, 100.0, 9, ("e6",)),
        }
        review_result = build_review(missed, results, 1.0)
        assert [finding.annotation for finding in review_result.findings if "missed a win" in finding.sentence] == marks
        assert review_result.players[1].accuracy is not None
        assert (review_result.players[1].accuracy < 99.5) is bool(marks)


def test_the_move_that_lost_the_game_lowers_the_accuracy_even_if_the_search_prefers_it() -> None:
    lost_game = played("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    results = {
        8: PositionResult(1, 0.0, 100.0, 9, ("a7",)),
        9: PositionResult(2, WIN_VALUE - 5.0, 100.0, 9, ("e6",)),
        10: PositionResult(1, 4.0 - WIN_VALUE, 100.0, 9, ("b1",)),
    }
    review_result = build_review(lost_game, results, 1.0)
    assert [(finding.number, finding.annotation) for finding in review_result.findings] == [(9, "??")]
    assert review_result.players[0].accuracy is not None
    assert review_result.players[0].accuracy < 60


def test_a_mistake_counts_even_if_the_opponent_answers_it_by_another() -> None:
    game = played("m", "a1 d4 g7 e4 c4 e3 c5 e5 a7 e6 b1 e7", size=7)
    for preferred, numbers in (("e3", []), ("e5", [5, 6])):  # bob plays e3, after the opening, which has no such marks
        results = {
            4: PositionResult(1, 0.0, 100.0, 9, ("d5",)),
            5: PositionResult(2, 300.0, 100.0, 9, (preferred,)),
            6: PositionResult(1, 0.0, 100.0, 9, ("c5",)),
        }
        findings = build_review(game, results, 1.0).findings
        assert [finding.number for finding in findings if "win chance fell" in finding.sentence] == numbers


def reviewed(me: Browser, path: str) -> str:
    """The page once its review has ended."""
    until(lambda: "Review in progress" not in me.get(path))
    return me.get(path)


def test_a_review_is_a_page(three: PageServer, me: Browser) -> None:
    assert "The analysis took" in reviewed(me, "/games/two/review")
    assert me.status == 200


def test_evaluations_are_drawn_and_link_to_the_turning_point(server: PageServer, me: Browser) -> None:
    game = replace(
        played("thought", WON, size=7, line=3),
        scores=(1.0, 3.0, 4.0, -2.0, 9.0),
        lines=(None, None, "a3 b3", None, None),
        thoughts=(None, "hm <b>", None, None, None),
    )
    server.store.add(game)
    text = me.get("/games/thought?move=3")
    assert text.count("<polyline") == 2
    assert "Evaluation +4. Expects a3 b3." in text
    assert 'data-step="turning" href="?move=2">Turning point' in text
    assert "hm &lt;b&gt;" in me.get("/games/thought?move=2")


def test_without_evaluations_no_curve_is_drawn(three: PageServer, me: Browser) -> None:
    text = me.get("/games/one")
    assert "Evaluations" not in text
    assert "Turning point" not in text


def test_a_replay_shows_move_numbers_and_thoughts_on_request(server: PageServer, me: Browser) -> None:
    game = played("marked", WON, size=7, line=3)
    values = (None, {"c3": 0.5, "e5": 0.7, "<b>": 1.0, "d4": float("inf")}, None, None, None)
    server.store.add(replace(game, values=values, lines=(None, "c3 d4", None, None, None)))
    plain = me.get("/games/marked?move=1")
    assert 'class="heat"' not in plain
    assert 'data-step="thoughts" href="?move=1&amp;thoughts=1"' in plain
    text = me.get("/games/marked?move=1&thoughts=1&numbers=1")
    assert text.count('class="heat"') == 1
    assert ">0.5</text>" in text, "the value of an expected move stands on its stone"
    ghosts = re.findall(r'data-point="(\w+)"[^>]*><circle class="stone (\w+) ghost"', text)
    assert ghosts == [("c3", "white"), ("d4", "black")], "expected moves are numbered stones, which hide no other mark"
    assert "The numbers are the values that bob gave the moves. The numbered moves are those that bob expected." in text
    assert 'class="number' in text
    assert 'data-step="forward" href="?move=2&amp;numbers=1&amp;thoughts=1"' in text, "stepping on keeps them"
    assert 'data-step="thoughts" href="?move=1&amp;numbers=1"' in text, "and they are put away again"
    assert "No player reported an evaluation" in me.get("/games/marked?move=3&thoughts=1")
    server.store.add(replace(game, key="one", lines=(None, "c3", None, None, None)))
    assert "The transparent stone is the move that bob expected." in me.get("/games/one?move=1&thoughts=1")


def test_the_link_to_thoughts_needs_recorded_thoughts(three: PageServer, me: Browser) -> None:
    text = me.get("/games/one")
    assert "Numbers</a>" in text
    assert "Thoughts</a>" not in text


@pytest.mark.slow
def test_a_review_in_words_shows_its_progress_and_then_its_time(server: PageServer, me: Browser) -> None:
    server.store.add(played("n", "a1 e1 a2 e3 d4 e2", size=5, line=3))
    first = me.get("/games/n/review")
    assert "data-reviewing>Review in progress: " in first
    assert "The analysis took" not in first
    assert "The accuracy is 100 % if no move gave away win chance." in first
    beside_board = me.get("/games/n?review=1")
    assert ("Review in progress" in beside_board) != ("The analysis took" in beside_board)
    assert "The analysis took" in reviewed(me, "/games/n/review")


@pytest.mark.slow
def test_a_review_marks_mistakes_on_list_and_board_with_the_better_move(server: PageServer, me: Browser) -> None:
    server.store.add(played("m", "a1 e1 a2 e3 d4 e2", size=5, line=3))
    first = me.get("/games/m?move=5&review=1")
    assert "data-reviewing" in first
    assert ">Black better</span><span>White better</span>" in first
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
    assert ", ".join([f"accuracy {accuracy}", *(count_with_noun(n, noun) for n, noun in counts if n)]) in page_text
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


def test_the_default_form_of_a_new_visitor_is_valid(me: Browser) -> None:
    form = me.get("/?game=gomoku")
    checked = re.findall(r'name="(size|opponent|seat)" value="([^"]*)" checked', form)
    assert checked == [("size", "size=15"), ("opponent", "level-3"), ("seat", "1")]
    assert re.findall(r'name="size" value="size=(\d+)"', form) == ["9", "13", "15", "19"]


@pytest.mark.slow
def test_a_new_game_starts_from_any_position_of_a_stored_one(three: PageServer, me: Browser) -> None:
    page_text = me.get("/games/one?move=3").replace("&amp;", "&")
    link = page_text.partition('href="/?game=gomoku')[2].partition('"')[0]
    form = me.get(f"/?game=gomoku{link}")
    assert 'name="moves" value="a1 b1 a2"' in form
    assert "after 3 moves" in form
    assert re.search(r'name="seat" value="2" checked', form)
    fields = {"game": "gomoku", "opponent": "here", "option-size": "7", "option-line": "3", "moves": "a1 b1 a2"}
    key = str(me.post("/play", fields)["go"]).rpartition("/")[2]
    assert [action.move for action in three.session(key).actions] == ["a1", "b1", "a2"]
    assert me.move(key, "c3")["said"] == ""
    assert "cannot begin with these moves" in me.post("/play", {**fields, "moves": "a1 a1"})["refused"]
    assert "over" in me.post("/play", {**fields, "moves": WON})["refused"]
    assert "Play from here" not in me.get("/games/one"), "the game is over there"


def test_the_start_page_continues_games_and_shows_the_last_game_first(server: PageServer, me: Browser) -> None:
    cards = re.compile(r'aria-label="Play ([^"]+)"')
    assert cards.findall(me.get("/"))[:2] == ["Gomoku", "Go"]
    keys = [me.begin(game=game, opponent="here") for game in ("gomoku", "go", "robogo", "capture_go")]
    page_text = me.get("/")
    assert cards.findall(page_text)[:2] == ["Capture Go", "Robogo"]
    boards, _, other_part = page_text.partition('<ul class="grid"')
    assert [key in boards for key in keys] == [False, True, True, True]
    assert keys[0] in other_part
    assert 'href="/learn/robogo"' in page_text


def test_an_error_of_the_store_shows_no_folder(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise UserError(f"{server.store.address} cannot be read: disk I/O error.", f"Look at {server.store.folder}/x.")

    monkeypatch.setattr("gomogo.page.archive.pages.queries.find_games", fail)
    page_text = me.get("/games")
    assert "page.db cannot be read: disk I/O error." in page_text
    assert str(server.folder) not in page_text


def new_game_link(page: str) -> dict[str, str]:
    """The fields of the link to a new game from the shown position."""
    link_match = re.search(r'href="/\?(game=[^"]*)"', page)
    assert link_match
    return dict(parse_qsl(link_match[1].replace("&amp;", "&")))


def test_after_a_mistake_the_board_shows_one_better_move_and_before_it_the_whole_line(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.store.add(played("m", "d4 a1 e4 a7 g1 c4", size=7, line=4))
    line = PositionResult(1, WIN_VALUE - 3, 1.0, 3, ("f4", "c4", "g4"))
    review_result = Review((ReviewFinding(5, "A mistake.", "f4"),), "", {4: line}, (), {4: 1.0})
    review_result = replace(review_result, players=build_review(server.store.game("m"), {}, 1.0).players)
    monkeypatch.setattr("gomogo.page.archive.reviews.build_review", lambda *_: review_result)
    after = me.get("/games/m?move=5&review=1")
    assert re.findall(r'data-point="(\w+)"[^>]*><circle class="stone \w+ ghost"', after) == ["f4"]
    assert 'href="?move=4&amp;review=1&amp;better=1">Show the better line</a>' in after
    before = me.get("/games/m?move=4&review=1&better=1")
    ghosts = re.findall(r'data-point="(\w+)"[^>]*><circle class="stone (\w+) ghost"', before)
    assert ghosts == [("c4", "white"), ("f4", "black"), ("g4", "black")]
    assert re.findall(r'data-step="line" href="([^"]*)">(\w+)</a>', before) == [
        (f"?move=4&amp;review=1&amp;better={step}", move) for step, move in ((2, "f4"), (3, "c4"), (4, "g4"))
    ]


@pytest.mark.parametrize(("advantage", "place"), [(1.0, 'y="19%" dy="18"'), (-0.5, 'y="11"')])
def test_the_mark_of_a_mistake_is_not_drawn_over_its_dot(advantage: float, place: str) -> None:
    review = Review((ReviewFinding(1, "", annotation="??"),), "", {}, (), {0: 0.0, 1: advantage})
    chart = draw_review(review, ("Black", "White"), ["d4", "a1"], 0, "")
    mark = re.search(r'<text [^>]*class="mistake-mark"[^>]*>|<text class="mistake-mark"[^>]*>', chart)
    assert mark
    assert place in mark[0]


def test_the_graph_of_a_solved_game_of_boxes_shows_the_final_lead() -> None:
    leads = {0: 2.0, 1: 0.0, 2: -4.0}
    review = Review((), "", {}, (), dict.fromkeys(leads, 1.0), final_leads=leads)
    chart = draw_review(review, ("Blue", "Orange"), ["h0", "h1"], 0, "")
    heights = [float(point.split(",")[1]) for point in re.findall(r'<polyline[^>]* points="([^"]*)"', chart)[0].split()]
    assert heights == [38.0, 57.0, 95.0]
    assert re.findall(r"perfectly: ([^<]*)", chart) == ["Blue ahead by 2 boxes", "a draw", "Orange ahead by 4 boxes"]
    assert "win chance" not in chart


def test_a_review_in_which_no_mistake_was_found_says_so_once_and_links_to_more_time(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.store.add(replace(played("m", "d4 a1 e4 a7 g1 c4", size=7, line=4), names=("me", "bob")))
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
    server.store.add(played("m", "d4 a1 e4 a7 g1 c4", size=7, line=4))
    line = PositionResult(1, WIN_VALUE - 3, 1.0, 3, ("f4", "c4", "g4"))
    review = Review((ReviewFinding(5, "A mistake.", "f4"),), "", {4: line}, (), {4: 1.0})
    review = replace(review, players=build_review(server.store.game("m"), {}, 1.0).players)
    monkeypatch.setattr("gomogo.page.archive.reviews.build_review", lambda *_: review)

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
    assert '<span class="count">2 / 3</span>' in second
    assert "/analysis?game=gomoku" in second
    assert "moves=d4%20a1%20e4%20a7%20f4%20c4%20g4&amp;at=6" in second
    assert "3 of 3 moves" in me.get("/games/m?move=4&review=1&better=9999"), "a step past the end stays at the end"
    assert steps(me.get("/games/m?move=5&review=1&better=2"))["forward"] == "?move=6&review=1", "no line begins there"


def test_the_graph_of_dots_and_boxes_names_its_players(server: PageServer, me: Browser) -> None:
    edges = "h0 h1 h2 h3 h4 h5 v0 v1 v2 v3 v4 v5"
    server.store.add(played("b", edges, names=("Ann", "Bob"), game="dots_and_boxes", rows=2, cols=2))
    assert ">Ann better</span><span>Bob better</span>" in me.get("/games/b?review=1")
    server.store.add(played("c", edges, names=("Ann", "Ann"), game="dots_and_boxes", rows=2, cols=2))
    assert ">Blue better</span><span>Orange better</span>" in me.get("/games/c?review=1")


@pytest.mark.slow
def test_a_mistake_is_played_again_by_its_player_against_the_same_level(server: PageServer, me: Browser) -> None:
    game = played("m", "a1 e1 a2 e3 d4 e2", size=5, line=3)
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
    game = played("m", "a1 e1 a2 e3 d4 e2", size=5, line=3)  # a3 won at once
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


def test_the_figures_of_a_level_are_shown_with_the_thoughts_alone(server: PageServer, me: Browser) -> None:
    game = played("m", WON, names=("ann", "level-5"), size=7, line=3)
    thoughts, lines = (None, "depth 3", None, None, None), (None, "c3", None, None, None)
    server.store.add(replace(game, thoughts=thoughts, lines=lines))
    assert "depth 3" not in me.get("/games/m?move=2")
    assert "depth 3" in me.get("/games/m?move=2&thoughts=1")


def test_a_new_game_against_a_shown_level_selects_its_button(server: PageServer, me: Browser) -> None:
    server.store.add(replace(played("m", WON, size=7, line=3), names=("level-5", "ann"), specs=("greedy", "human")))
    form = me.get(f"/?{urlencode(new_game_link(me.get('/games/m?move=3')))}")
    assert re.search(r'name="opponent" value="level-5" checked', form)
    assert re.search(r'name="seat" value="2" checked', form)
