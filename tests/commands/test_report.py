"""`gomogo report` writes one file: its content, the number of games, and refused input."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from itertools import combinations, pairwise
from pathlib import Path

import matplotlib
import pytest

from gomogo.report import _charts
from gomogo.report.inline_figures import LINE_COLOURS
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.records.store import Store
from tests.commands.conftest import Gomogo
from tests.commands.test_train import ROW
from tests.records.conftest import played_by
from tournaments.ratings import Rating

pytestmark = pytest.mark.slow

BOB = "b<o>b"


@pytest.fixture
def stored(run: Gomogo) -> None:
    """A run of three games, one of which was lost by a fault, and a game by itself."""
    players = [{"player": name, "name": name} for name in ("ann", BOB)]
    asked = {"game": "gomoku", "options": load("gomoku").options, "players": players, "format": "round_robin"}
    forfeit = Outcome.won_by(1, Reason.ILLEGAL_MOVE, "h8 is occupied by </script>")
    with Store.open("gomogo.db") as store:
        spring = store.insert_run("spring", "fingerprint", asked, 3)
        store.add(played_by(("ann", BOB), key="a", started=1.0), spring)
        store.add(played_by((BOB, "ann"), key="b", started=2.0), spring)
        store.add(played_by(("ann", BOB), "h8", key="c", started=3.0, outcome=forfeit), spring)
        store.add(played_by(("ann", "eve"), key="d", started=4.0))


def games_in(page: str) -> list[dict[str, object]]:
    script_match = re.search(r'<script type="application/json" id="played">(.*?)</script>', page, re.DOTALL)
    assert script_match
    return [json.loads(line) for line in script_match[1].split("\n") if line]


def test_a_comparison_rates_the_common_players_by_their_games_with_each_other(run: Gomogo) -> None:
    for name, other_names, losses in (("week1", ("eve", "fay"), 28), ("week2", ("gus",), 24)):
        names = ("ann", BOB, *other_names)
        players = [{"player": name, "name": name} for name in names]
        asked = {"game": "gomoku", "options": load("gomoku").options, "players": players, "format": "round_robin"}
        with Store.open("gomogo.db") as store:
            stored = store.insert_run(name, name, asked, None)
            for number, pair in enumerate([*combinations(names, 2), *25 * [("ann", BOB)], *losses * [(BOB, "ann")]]):
                outcome = Outcome.won_by(2 if number % 3 == 0 else 1, Reason.LINE)
                store.add(played_by(pair, outcome=outcome, key=f"{name}{number}", started=1.0), stored)
    Path("week1.toml").write_text('name = "week1"\ngame = "gomoku"\nagents = ["random_mover", "greedy"]\n')
    assert run("report", "week2", "--compare", "week1.toml").exit_code == 0
    page = Path("report-week2.html").read_text()
    assert re.search(r"<p>Gomoku; \d+ games, started \d{4}-", page)
    assert "“Before” is week1. The games and the score count only opponents that the player met in both runs" in page
    table = page[page.index("<h2>Compared with week1</h2>") :].split("</table>")[0]
    first, second = (re.findall("<td[^>]*>(.*?)</td>", row) for row in table.split("<tr>")[2:])
    assert {*first[:2]} == {"50", "54"}, "the games against eve, fay and gus do not count"
    for row in (first, second):
        for now, before, change in (row[2:5], row[5:8]):
            numbers = [float(text.replace("−", "-")) for text in (now, before, change)]
            assert numbers[2] == pytest.approx(numbers[0] - numbers[1]), "also of the rounded numbers"
    low, high = (end.strip() for end in first[-1].split("to"))
    opposite = str.maketrans("+−", "−+")
    assert [end.strip().translate(opposite) for end in second[-1].split("to")] == [high, low]


def test_a_comparison_shows_bounds_for_players_who_won_or_lost_all_games(run: Gomogo) -> None:
    players = [{"player": name, "name": name} for name in ("ann", "bob", "eve")]
    asked = {"game": "gomoku", "options": load("gomoku").options, "players": players, "format": "round_robin"}
    with Store.open("gomogo.db") as store:
        for name in ("week1", "week2"):
            stored = store.insert_run(name, name, asked, None)
            for number, pair in enumerate(3 * [("ann", "bob"), ("ann", "eve"), ("bob", "eve"), ("eve", "bob")]):
                store.add(played_by(pair, key=f"{name}{number}", started=1.0), stored)
    assert run("report", "week2", "--compare", "week1").exit_code == 0
    page = Path("report-week2.html").read_text()
    assert "<p>“Before” is week1. Elo is shown if" in page, "both runs have the same players"
    table = page[page.index("<h2>Compared with week1</h2>") :].split("</table>")[0]
    titles = re.findall("<th [^>]*>([^<]*)</th>", table.split("</thead>")[0])
    assert len(set(titles)) == len(titles) == 10
    ann = re.findall("<td[^>]*>(.*?)</td>", table[table.index(">ann<") :].split("</tr>")[0])
    bound = re.search(r">ann<.*?<td[^>]*>(at least [^<]*)</td>", page)
    assert bound
    assert ann[5:] == [bound[1], bound[1], "–", "–"]


def test_the_time_limit_of_a_late_move_counts_as_its_time(run: Gomogo) -> None:
    players = [{"player": name, "name": name} for name in ("ann", "bob")]
    asked = {"game": "gomoku", "options": load("gomoku").options, "players": players, "format": "round_robin"}
    late = Outcome.won_by(1, Reason.OUT_OF_TIME, "2.060 s taken, 2 s allowed")
    controls, moves = (TimeControl(2.0), TimeControl(None, total=60.0)), "h8 a1 h9"
    with Store.open("gomogo.db") as store:
        spring = store.insert_run("spring", "fingerprint", asked, 2)
        store.add(played_by(("bob", "ann"), "h8 a1", key="a", outcome=Outcome.won_by(2, Reason.OUT_OF_TIME),
                            controls=controls), spring)  # fmt: skip
        store.add(played_by(("bob", "ann"), moves, key="b", outcome=late, controls=controls,
                            clocks=(None, 12.5, None)), spring)  # fmt: skip
    assert run("report", "spring").exit_code == 0
    page = Path("report-spring.html").read_text()
    assert "longest at least 2 s<" in page
    assert "longest at least 12.5 s<" in page
    assert "The mean time per move leaves out moves that were too late." in page


def test_a_report_names_the_players_without_a_line_in_the_chart(run: Gomogo) -> None:
    names = [f"player{number}" for number in range(len(LINE_COLOURS) + 1)]
    players = [{"player": name, "name": name} for name in names]
    asked = {"game": "gomoku", "options": load("gomoku").options, "players": players, "format": "round_robin"}
    with Store.open("gomogo.db") as store:
        stored = store.insert_run("many", "many", asked, None)
        for name, other in pairwise(names):
            store.add(played_by((name, other), key=name, started=1.0), stored)
    assert run("report", "many").exit_code == 0
    assert "Without a line: player" in Path("report-many.html").read_text()


@pytest.mark.usefixtures("stored")
def test_the_curves_of_trainings_are_in_the_report(run: Gomogo) -> None:
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "statistics.jsonl").write_text(f"{json.dumps(ROW)}\n", encoding="utf-8")
    assert run("report", "spring", "--training", "one", "--training", "two").exit_code == 0
    page = Path("report-spring.html").read_text()
    assert "<h2>Training</h2>" in page
    assert "two, as first player 80" in page
    Path("notes.html").write_text("<!doctype html><p>Notes</p>\n")
    error = run("report", "spring", "-o", "notes.html").exception
    assert isinstance(error, UserError)
    assert error.problem == "notes.html already exists and is not a report, so it was not overwritten."
    error = run("report", "spring", "--training", "nowhere").exception
    assert isinstance(error, UserError)
    assert error.problem == "nowhere has no statistics."


@pytest.mark.usefixtures("stored")
def test_the_table_the_charts_and_every_game_are_in_one_file(run: Gomogo) -> None:
    assert run("report", "spring", "-o", "out/spring.html").exit_code == 0
    page = Path("out/spring.html").read_text()
    assert len(re.findall(r"<tr[ >]", page)) == 3 + 3 + 3 + 4  # standings, crosstable, reasons, games
    assert page.count('class="chart"') == 3, "no chart of ratings after three games"
    assert "b&lt;o&gt;b lost by its own fault: 1 illegal move" in page
    assert BOB not in page
    assert "to open it<noscript>" in page  # no blank before the full stop
    games = games_in(page)
    assert [game["names"] for game in games] == [["ann", BOB], [BOB, "ann"], ["ann", BOB]]
    assert games[0]["changes"] == "xh8;oa1;xi8;oa2;xj8;oa3;xk8;oa4;xl8"
    assert games[0]["won"] == ["h8", "i8", "j8", "k8", "l8"]
    assert "h8 is occupied by </script>" in str(games[2]["ending"])
    assert page.count("<template") == 1
    saved = re.findall(r'download="(\w+).csv" href="data:text/csv;charset=utf-8;base64,([\w+/=]+)"', page)
    tables = {name: base64.b64decode(content).decode("utf-8-sig").splitlines() for name, content in saved}
    assert tables["players"][1].startswith("1,ann,2,3,2,0,1,")
    assert [line.split(",")[1:5] for line in tables["games"][1:]] == [
        ["ann", BOB, "ann", "line"],
        [BOB, "ann", BOB, "line"],
        ["ann", BOB, "ann", "illegal_move"],
    ]


def test_simultaneous_games_are_found_by_their_numbers(run: Gomogo) -> None:
    players = [{"player": name, "name": name} for name in ("ann", "bob")]
    asked = {"game": "gomoku", "options": load("gomoku").options, "players": players, "format": "round_robin"}
    with Store.open("gomogo.db") as store:
        spring = store.insert_run("spring", "fingerprint", asked, 3)
        for key, moves in (("c", "h8"), ("a", "h8 a1"), ("b", "h8 a1 h9")):
            store.add(played_by(moves=moves, key=key, started=1.0, outcome=Outcome.draw(Reason.MOVE_CAP)), spring)
    assert run("report").exit_code == 0
    page = Path("report-spring.html").read_text()
    listed = re.findall(r'href="#game-(\d+)">.*?<td>the limit of moves</td><td data-label="moves">(\d+)</td>', page)
    embedded = [len(str(game["moves"]).split()) for game in games_in(page)]
    assert (
        [(int(number), int(count)) for number, count in listed]
        == list(enumerate(embedded, 1))
        == [(1, 2), (2, 3), (3, 1)]
    )


@pytest.mark.usefixtures("stored")
def test_the_content_policy_allows_only_the_script_of_the_report(run: Gomogo) -> None:
    assert run("report").exit_code == 0  # the latest run
    page = Path("report-spring.html").read_text()
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    sign = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{sign}&#x27;" in page
    assert "default-src &#x27;none&#x27;" in page
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)


@pytest.mark.usefixtures("stored")
def test_a_report_contains_the_latest_games_and_counts_all(run: Gomogo) -> None:
    assert run("report", "spring", "--games", "1").exit_code == 0
    page = Path("report-spring.html").read_text()
    assert "This file contains the moves of the latest 1 of 3 games." in page
    assert [game["moves"] for game in games_in(page)] == ["h8"]
    assert re.findall(r'href="#game-(\d+)">(\d+)<', page) == [("3", "3")]
    again = run("report", "spring", "--games", "0")
    assert again.exit_code == 0
    assert "The report is in report-spring.html, in place of an earlier one." in again.output
    assert games_in(Path("report-spring.html").read_text()) == []


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "problem"),
    [(("summer",), "no run called 'summer'"), (("spring", "-o", "gomogo.db/x"), "cannot be written")],
)
def test_an_impossible_report_is_refused(run: Gomogo, words: tuple[str, ...], problem: str) -> None:
    error = run("report", *words).exception
    assert isinstance(error, UserError)
    assert problem in error.problem


def test_a_run_without_a_game_yet_has_a_report(run: Gomogo) -> None:
    asked = {"game": "go", "options": load("go").options, "players": [], "format": "round_robin"}
    with Store.open("gomogo.db") as store:
        store.insert_run("spring", "fingerprint", asked, None)
    assert run("report").exit_code == 0
    page = Path("report-spring.html").read_text()
    assert games_in(page) == []
    assert 'class="chart"' not in page


@pytest.mark.usefixtures("stored")
def test_charts_ignore_matplotlib_settings_and_names(run: Gomogo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo.text.standings_table.MIN_GAMES_FOR_ELO", 1)
    monkeypatch.setattr("gomogo.text.standings_table._MAX_INTERVAL_WIDTH", math.inf)
    with matplotlib.rc_context({"text.color": "red", "svg.fonttype": "path"}):
        assert run("report", "spring").exit_code == 0
    charts = re.findall(r'<svg [^>]*class="chart".*?</svg>', Path("report-spring.html").read_text(), re.DOTALL)
    chart_texts = [re.findall(r"<text[^>]*>([^<]*)</text>", chart) for chart in charts]
    assert [chart.count('role="img"') for chart in charts] == [1, 1, 1, 1]
    lead = {re.sub(r"[-+]\d+", "+0", text) for text in chart_texts[0]}
    assert lead & {"ann over b&lt;o&gt;b: +0", "b&lt;o&gt;b over ann: +0"}
    assert {"Elo", "games of the tournament", "seconds", "b&lt;o&gt;b, illegal move: 1"} <= {
        t for s in chart_texts for t in s
    }
    assert all(fallback in ("1b1b1b", "c9c9c9", "ffffff") or name.startswith("--line-")
               for chart in charts for name, fallback in re.findall(r"var\((--[\w-]+), #(\w+)\)", chart))  # fmt: skip
    assert not re.search(r"(?<!, )#[0-9a-f]{6}\b", "".join(charts))  # no colour but the page's
    named = re.findall(r' id="([^"]+)"', "".join(charts))
    assert len(set(named)) == len(named)


@pytest.mark.usefixtures("stored")
def test_without_matplotlib_the_report_omits_the_charts(run: Gomogo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo.report.inline_figures.find_spec", lambda name: None)
    written = run("report", "spring")
    assert written.exit_code == 0
    assert "pip install 'gomogo[report]'" in written.stderr
    page = Path("report-spring.html").read_text()
    assert "The report has no charts: matplotlib is not installed." in page
    assert 'class="chart"' not in page
    assert len(games_in(page)) == 3


def test_a_name_in_a_chart_is_plain_text() -> None:
    chart = _charts.draw_ratings([("#ffffff $x^2$ </b>\x1b\ud800 漢", Rating(1.0, -2.0, 5.0))])
    assert ">#ffffff $x^2$ &lt;/b&gt;\\x1b\\ud800 漢: +1<" in chart


def test_charts_of_empty_and_extreme_data_are_drawn() -> None:
    charts = [
        _charts.draw_ratings([]),
        _charts.draw_score_curves({}, 0),
        _charts.draw_score_curves({"ann": []}, 0),
        _charts.draw_forfeits([]),
    ]
    charts += [
        _charts.draw_move_times({}),
        _charts.draw_move_times({"ann": [0.0]}),
        _charts.draw_move_times({"ann": [1e9, 5.0]}),
    ]
    assert all(chart.startswith("<svg") and chart.count('class="chart"') == 1 for chart in charts)
