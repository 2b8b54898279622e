"""The output of a run: the table at any width, and the progress."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gomogo.cli import gomogo
from gomogo.commands._progress import ProgressLines, ProgressTable, progress_line
from gomogo.page.watch.standings_rows import standings_rows
from gomogo.text.standings_table import reliable_rating, standings_text
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.formats import FORMATS
from tests.records.conftest import played_by
from tournaments.progress import RunProgress, StopRequest
from tournaments.ratings import Rating
from tournaments.standings import SeatResults, Standings, StandingsRow


def standings_row(name: str, wins: int, draws: int, losses: int, **changes: Any) -> StandingsRow:
    games = wins + draws + losses
    default_values: dict[str, Any] = {
        "score": (wins + draws / 2) / games if games else None,
        "rating": Rating(123.4, -5.6, 250.0) if games else None,
        "forfeits_by_reason": {},
        "results_by_seat": (SeatResults(games, wins, draws, losses), SeatResults(0, 0, 0, 0)),
        "moves_per_game": 31.25 if games else None,
        "seconds_per_move": 0.0625 if games else None,
    }
    return StandingsRow(name, games, wins, draws, losses, **{**default_values, **changes})


STANDINGS = Standings(
    "spring",
    (
        standings_row("alpha_beta", 3, 1, 0),
        standings_row("greedy", 1, 0, 2, forfeits_by_reason={"out_of_time": 2}),
        standings_row("late", 0, 0, 0),
    ),
    finished_games=4,
    planned_games=6,
)


LAST = ("1st seat", "2nd seat", "moves a game", "s a move")


def test_the_table_has_a_line_for_each_player() -> None:
    lines = [line.split("  ") for line in standings_text(STANDINGS).splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert cells == [
        ["player", "games", "won", "drawn", "lost", "ratio", "score", "late", "Elo", "95 %", *LAST],
        [
            "1",
            "alpha_beta",
            "4",
            "3",
            "1",
            "0",
            "∞",
            "0.875",
            "0",
            "–",
            "–",
            "3-1-0",
            "0-0-0",
            "31.2",
            "0.062",
        ],
        [
            "2",
            "greedy",
            "3",
            "1",
            "0",
            "2",
            "0.50",
            "0.333",
            "2",
            "–",
            "–",
            "1-0-2",
            "0-0-0",
            "31.2",
            "0.062",
        ],
        ["3", "late", "0", "0", "0", "0", "–", "–", "0", "–", "–", "0-0-0", "0-0-0", "–", "–"],
        [],
        ["Elo is shown if every player has at least 6 games, and if its 95 % interval is at most 600 wide."],
        [],
        ["greedy lost by its own fault: 2 out of time"],
    ]
    assert len({len(line) for line in standings_text(STANDINGS).splitlines()[:4]}) == 1


@pytest.mark.parametrize(("games", "margin", "is_shown"), [(6, 300.0, True), (6, 301.0, False), (5, 100.0, False)])
def test_one_rule_decides_whether_a_rating_is_shown(games: int, margin: float, is_shown: bool) -> None:
    """The page, the terminal and the chart show or hide the same ratings."""
    rows = tuple(
        standings_row(name, games, 0, 0, rating=Rating(20.0, 20.0 - margin, 20.0 + margin)) for name in ("ann", "bob")
    )
    table = Standings("spring", rows, games, games)
    line = standings_text(table).splitlines()[1]
    assert ("+20" in line) == is_shown
    assert ("to +" in line) == is_shown
    assert (standings_rows(table)[0].elo_text == "+20") == is_shown
    assert [reliable_rating(table, row) is not None for row in rows] == [is_shown, is_shown]
    assert ("Elo is shown if" in standings_text(table)) != is_shown


def test_a_line_says_that_the_places_follow_elo_if_the_scores_have_another_order() -> None:
    rated = {"rating": Rating(0.0, -100.0, 100.0)}
    strong, weak = standings_row("ann", 3, 0, 5, **rated), standings_row("bob", 5, 0, 3, **rated)
    for rows, is_said in (((strong, weak), True), ((weak, strong), False)):
        assert ("The places follow Elo" in standings_text(Standings("spring", rows, 8, 8))) == is_said


def test_every_kind_of_fault_is_counted_in_a_column() -> None:
    faults = {"not_a_move": 1, "illegal_move": 2, "crashed": 4, "cpu_out_of_turn": 8, "too_much_memory": 16}
    table = Standings("spring", (standings_row("ann", 0, 0, 31, forfeits_by_reason=faults),), 31, 31)
    text = standings_text(table)
    title, row, *_ = [re.split(r"\s{2,}", line) for line in text.splitlines()]
    at = title.index("crashed")
    assert title[at : at + 3] == ["crashed", "illegal", "other faults"]
    assert row[at : at + 3] == ["4", "3", "24"]
    assert standings_rows(table)[0].faults == "4 crashed, 3 illegal, 24 other faults"


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_the_table_fits_the_width(width: int) -> None:
    lines = standings_text(STANDINGS, width).splitlines()
    assert max(map(len, lines[:4])) <= width
    assert lines[1].split()[:4] == ["1", "alpha_beta", "4", "3"]


def test_escape_sequences_in_a_name_are_escaped() -> None:
    assert "\\x1b[2J" in standings_text(Standings("spring", (standings_row("\x1b[2J", 1, 0, 0),), 1, 1))


def test_the_headline_shows_the_progress() -> None:
    progress = RunProgress(planned_games=12, played_games=6, games_by_this_runner=3, start_time=time.monotonic() - 6)
    assert progress_line(progress) == "6 of 12 games, 0.5 a second, 0:12 left"
    progress.stop_request = StopRequest.FINISH_RUNNING_GAMES
    assert progress_line(progress) == "6 of 12 games, 0.5 a second"
    assert progress_line(RunProgress(planned_games=12, played_games=6)) == "6 of 12 games"
    without_end = RunProgress(
        planned_games=None, played_games=6, games_by_this_runner=3, start_time=time.monotonic() - 6
    )
    assert progress_line(without_end) == "6 games, 0.5 a second"
    fast = RunProgress(
        planned_games=None, played_games=1200, games_by_this_runner=1200, start_time=time.monotonic() - 5
    )
    assert progress_line(fast) == "1200 games, 240 a second"
    assert progress_line(RunProgress(planned_games=None, played_games=1)) == "1 game"
    assert progress_line(RunProgress(planned_games=1, played_games=1)) == "1 of 1 game"
    assert (
        progress_line(RunProgress(planned_games=12, played_games=6, void_games=2))
        == "6 of 12 games, 2 could not be played"
    )


def test_a_zero_score_has_no_sign(tmp_path: Path) -> None:
    played = played_by(moves="h8", outcome=Outcome.won_by(1, Reason.RESIGNED), scores=(-0.0,))
    (tmp_path / "x.json").write_bytes(FORMATS["json"].write(played))
    output = CliRunner().invoke(gomogo, ["replay", str(tmp_path / "x.json"), "--move", "1"]).stdout
    assert "score 0" in output


def told(lines: ProgressLines, capsys: pytest.CaptureFixture[str], progress: RunProgress) -> list[str]:
    lines(progress)
    out, err = capsys.readouterr()
    assert out == ""  # talk goes to stderr
    return err.splitlines()


def test_progress_lines_are_printed_at_intervals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [100.0]
    monkeypatch.setattr("gomogo.commands._progress.time.monotonic", lambda: times[0])
    lines = ProgressLines(lambda: STANDINGS)
    progress = RunProgress(planned_games=6, played_games=4)
    assert told(lines, capsys, progress) == []
    times[0] += 6
    assert told(lines, capsys, progress) == ["4 of 6 games: alpha_beta 3-1-0, greedy 1-0-2, late 0-0-0"]
    assert told(lines, capsys, progress) == []


def test_no_progress_line_is_printed_without_a_finished_game(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [100.0]
    monkeypatch.setattr("gomogo.commands._progress.time.monotonic", lambda: times[0])
    lines, progress = ProgressLines(lambda: STANDINGS), RunProgress(planned_games=6, played_games=4)
    times[0] += 6
    assert len(told(lines, capsys, progress)) == 1
    times[0] += 60
    assert told(lines, capsys, progress) == []
    progress.played_games = 5
    assert len(told(lines, capsys, progress)) == 1


def test_progress_lines_include_the_state_of_the_test(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [100.0]
    monkeypatch.setattr("gomogo.commands._progress.time.monotonic", lambda: times[0])
    lines = ProgressLines(lambda: STANDINGS, lambda: "LLR 0.7 of -2.94 to 2.94.")
    times[0] += 6
    (line,) = told(lines, capsys, RunProgress(planned_games=6, played_games=4))
    assert line == "4 of 6 games: alpha_beta 3-1-0, greedy 1-0-2, late 0-0-0. LLR 0.7 of -2.94 to 2.94."


def test_joining_and_leaving_agents_are_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines, progress = (
        ProgressLines(lambda: STANDINGS),
        RunProgress(planned_games=None, played_games=4, messages=["ann has come."]),
    )
    assert told(lines, capsys, progress) == ["ann has come."]
    assert told(lines, capsys, progress) == []
    progress.messages += ["b\x1bb has gone."] * 2
    assert told(lines, capsys, progress) == ["b\\x1bb has gone."]
    progress.messages += ["b\x1bb has gone.", "ann has come."]
    assert told(lines, capsys, progress) == ["ann has come."]


def test_an_interrupt_and_a_void_game_are_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines, progress = (
        ProgressLines(lambda: STANDINGS),
        RunProgress(planned_games=6, played_games=4, names_by_running_game={"k": ("a", "b")}),
    )
    progress.latest_record = played_by(moves="h8", outcome=Outcome((0, 0), Reason.REFEREE_FAULT, "no room"))
    assert told(lines, capsys, progress) == ["A game of ann against bob could not be played: no room."]
    assert told(lines, capsys, progress) == []
    progress.latest_record = played_by(("bob", "ann"), "h8", outcome=Outcome((0, 0), Reason.REFEREE_FAULT, "no room"))
    assert told(lines, capsys, progress) == [], "the same reason, in another game of the same players"
    progress.stop_request = StopRequest.FINISH_RUNNING_GAMES
    assert told(lines, capsys, progress) == ["Finishing the 1 running game; Ctrl-C again drops it."]
    progress.stop_request = StopRequest.INTERRUPT_RUNNING_GAMES
    assert told(lines, capsys, progress) == ["Dropping the 1 running game, to play it again."]


def test_the_live_table_shows_standings_and_running_games(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # makes rich treat any output as a terminal
    monkeypatch.setenv("TERM", "xterm")
    counted = 0

    def count() -> Standings:
        nonlocal counted
        counted += 1
        return STANDINGS

    with ProgressTable(count) as live:
        for _ in range(3):
            live(RunProgress(planned_games=6, played_games=4, names_by_running_game={"k": ("ann", "bob")}))
    out, err = capsys.readouterr()
    assert out == ""
    assert "4 of 6 games" in err
    assert "now ann – bob" in err
    assert "alpha_beta" in err
    assert counted == 1  # the table is not counted again before it is out of date
