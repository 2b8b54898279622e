"""The table shows each player's results, and the strength estimated from them."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats

from gomogo.page.watch.standings_rows import standings_rows
from gomogo.report.page import render_report
from gomogo.text.standings_json import standings_json
from gomogo.text.standings_table import crosstable_text, games_text, reasons_text
from gomogo.text.standings_table import standings_text as table_of
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Run, Store
from tests.page.conftest import PageServer
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf
from tournaments.plan import Plan
from tournaments.playing import create_void_record
from tournaments.standings import StandingsRow, compute_standings
from tournaments.task import GameTask


def ended(task: GameTask, outcome: Outcome, moves: int = 4) -> PlayedGame:
    """Return a record of `task` in which each move took half a second."""
    plies = tuple(Ply(1 + number % 2, f"a{number + 1}") for number in range(moves))
    record = create_void_record(task, "", 1.0, 2.0)
    no_scores = (None,) * moves
    return replace(record, plies=plies, seconds=(0.5,) * moves, clocks=no_scores, thoughts=no_scores, outcome=outcome)


def play(plan: Plan, store: Store, *outcomes: Outcome) -> Run:
    """Store the first planned games with these outcomes."""
    run = resume_state(plan, store).stored_run
    for pairing, outcome in zip(plan.scheduled_games(), outcomes, strict=False):
        task = plan.task(pairing)
        assert store.add(ended(task, outcome), run, task.stored_names, task.opening_number)
    return run


WIN, LOSS, DRAW = Outcome.won_by(1, Reason.LINE), Outcome.won_by(2, Reason.LINE), Outcome.draw(Reason.BOARD_FULL)
LATE = Outcome.won_by(2, Reason.OUT_OF_TIME, "late")
TWO = {"agents": ["a.py", "b.py"], "games_per_pair": 4}


def rows(plan: Plan, store: Store, *outcomes: Outcome) -> dict[str, StandingsRow]:
    return {row.name: row for row in compute_standings(store, play(plan, store, *outcomes)).rows}


def test_a_row_counts_games_by_result_and_seat(plan: PlanOf, store: Store) -> None:
    # a moves first in the first and third game
    table = rows(plan(**TWO), store, WIN, WIN, LATE, DRAW)
    a, b = table["a"], table["b"]
    assert (a.games, a.wins, a.draws, a.losses, a.score) == (4, 1, 1, 2, 0.375)
    assert (b.games, b.wins, b.draws, b.losses, b.score) == (4, 2, 1, 1, 0.625)
    assert (a.win_loss_ratio, b.win_loss_ratio) == (0.5, 2.0)
    assert [(seat.games, seat.wins, seat.draws, seat.losses) for seat in a.results_by_seat] == [
        (2, 1, 0, 1),
        (2, 0, 1, 1),
    ]
    assert (a.forfeits_by_reason, b.forfeits_by_reason) == ({"out_of_time": 1}, {})
    assert a.moves_per_game == 4
    assert a.seconds_per_move == 0.5
    assert a.rating is not None
    assert b.rating is not None
    assert a.rating.elo == pytest.approx(-b.rating.elo)
    assert a.rating.low < a.rating.elo < 0 < b.rating.elo


def test_results_are_counted_by_reason(plan: PlanOf, store: Store) -> None:
    table = compute_standings(store, play(plan(**TWO), store, WIN, WIN, LATE, DRAW))
    by_name = {row.name: row.results_by_reason for row in table.rows}
    assert by_name == {
        "a": {"board_full": (0, 1, 0), "line": (1, 0, 1), "out_of_time": (0, 0, 1)},
        "b": {"board_full": (0, 1, 0), "line": (1, 0, 1), "out_of_time": (1, 0, 0)},
    }
    assert [line.split() for line in reasons_text(table).splitlines()] == [
        ["player", "ended", "by", "won", "drawn", "lost"],
        ["b", "a", "full", "board", "0", "1", "0"],
        ["stones", "in", "a", "row", "1", "0", "1"],
        ["time", "1", "0", "0"],
        ["a", "a", "full", "board", "0", "1", "0"],
        ["stones", "in", "a", "row", "1", "0", "1"],
        ["time", "0", "0", "1"],
    ]
    (worse,) = (row for row in standings_json(table)["players"] if row["name"] == "a")
    assert worse["reasons"]["out_of_time"] == {"wins": 0, "draws": 0, "losses": 1}


def test_the_strongest_player_is_first(plan: PlanOf, store: Store) -> None:
    run = play(plan(**TWO), store, LOSS, WIN)
    assert [row.name for row in compute_standings(store, run).rows] == ["b", "a"]


def test_players_not_shown_to_differ_are_named_with_the_games_needed(plan: PlanOf, store: Store) -> None:
    even_standings = compute_standings(store, play(plan(**TWO), store, WIN, LOSS, WIN, DRAW))
    (close,) = even_standings.close_neighbours
    assert (close.higher_player, close.lower_player) == tuple(row.name for row in even_standings.rows)
    assert close.further_games is None or close.further_games > 4
    assert "more games might decide." in table_of(even_standings)
    assert "The first seat is worth" in table_of(even_standings)


def test_forfeits_say_nothing_about_the_first_seat(plan: PlanOf, store: Store) -> None:
    fair = [WIN, LOSS, LOSS, WIN, DRAW, DRAW] * 4  # as good in both seats
    many = {**TWO, "games_per_pair": 40}
    table = compute_standings(store, play(plan(**many), store, *fair, *[LATE] * 16))
    assert table.forfeit_count == 16
    assert table.first_seat_advantage is not None
    assert abs(table.first_seat_advantage.elo) < 1
    assert table.ratings.first_seat_advantage is not None
    assert table.ratings.first_seat_advantage.elo < -50  # with the forfeits, all of them lost on the first seat
    assert ", in the games that nobody lost by a fault." in table_of(table)
    assert standings_json(table)["first_seat"] == table.first_seat_advantage._asdict()


def test_the_first_seat_is_unknown_with_few_games_without_a_fault(plan: PlanOf, store: Store) -> None:
    table = compute_standings(store, play(plan(**TWO), store, WIN, LOSS, LATE, LATE))
    assert table.first_seat_advantage is None
    assert "The advantage of the first seat is unknown: too few games ended without a fault." in table_of(table)


def test_neighbours_with_the_same_score_are_equal_so_far(plan: PlanOf, store: Store) -> None:
    table = compute_standings(store, play(plan(agents=["a.py", "b.py", "c.py"], games_per_pair=2), store, *[DRAW] * 6))
    assert "a and b are equal so far." in table_of(table)
    assert "not shown to be better" not in table_of(table)


def test_neighbours_without_games_have_no_line_and_those_with_few_share_one(plan: PlanOf, store: Store) -> None:
    games = {"agents": ["a.py", "b.py", "c.py", "d.py"], "games_per_pair": 2}
    table = compute_standings(store, play(plan(**games), store, WIN, WIN, WIN, LOSS, WIN, LOSS, WIN, DRAW))
    unmet, *met = [(close.higher_player, close.lower_player) for close in table.close_neighbours]
    assert len(met) == 2
    meetings = {pair: counts for pair, counts in table.head_to_head.items() if set(pair) != set(unmet)}
    text = table_of(replace(table, head_to_head=meetings))
    pairs = ", ".join(f"{higher} and {lower} ({games_text(sum(meetings[higher, lower]))})" for higher, lower in met)
    assert f"\nToo few games to tell which one is better: {pairs}.\n" in text
    assert "0 games" not in text
    assert " ".join(unmet) not in text.replace(" and ", " ")


def test_a_match_reports_its_lead_and_its_certainty(
    plan: PlanOf, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = compute_standings(store, play(plan(**{**TWO, "games_per_pair": 40}), store, *[WIN, LOSS, WIN, WIN] * 10))
    lead, (first, second) = result.lead, result.rows
    assert lead is not None
    assert first.rating is not None
    assert second.rating is not None
    assert lead.elo == pytest.approx(first.rating.elo - second.rating.elo)
    assert lead.low < lead.elo < lead.high
    plain = standings_json(result)
    (better,) = (entry for entry in plain["better"] if entry["player"] == first.name)
    by_t = stats.ttest_1samp([2, 0] * 10, 0).pvalue  # of twenty pairs a player won ten 2:0, the others ended 1:1
    (crosstable_entry,) = (entry for entry in plain["crosstable"] if entry["player"] == first.name)
    assert lead.p == better["p"] == crosstable_entry["p"] == plain["lead"]["p"] == pytest.approx(by_t)
    assert lead.los == better["likelihood"] == plain["lead"]["los"]
    assert f"{first.name} is stronger than {second.name}: p < 0.001, after 40 games." in table_of(result)
    monkeypatch.setattr("gomogo.text.standings_table._MAX_INTERVAL_WIDTH", math.inf)
    table_text = table_of(result)
    assert f"{first.name} is {lead.elo:.0f} Elo stronger than {second.name} (95 %: " in table_text
    assert "), p < 0.001, after 40 games." in table_text
    lines = [line.split() for line in table_text.splitlines()]
    assert "Elo lead" in table_text.splitlines()[0]
    assert f"{lead.elo:+.0f}" in lines[1]
    assert f"−{lead.elo:.0f}" in lines[2]


def test_sentences_below_the_table_wrap_between_words(plan: PlanOf, store: Store) -> None:
    result = compute_standings(store, play(plan(**{**TWO, "games_per_pair": 2}), store, WIN, WIN))
    broken, whole = table_of(result, 60), table_of(result)
    assert max(map(len, broken.split("\n"))) <= 60 < max(map(len, whole.split("\n")))
    below = whole[whole.index("\n\n") :]
    assert broken.split()[-len(below.split()) :] == below.split()


def test_neither_of_two_equal_players_is_called_stronger(plan: PlanOf, store: Store) -> None:
    table_text = table_of(compute_standings(store, play(plan(**TWO), store, *[WIN, WIN, LOSS, LOSS])))
    assert "\nNeither " in table_text
    assert "Elo stronger" not in table_text


def test_no_player_is_called_stronger_without_significance(plan: PlanOf, store: Store) -> None:
    """Ten won games of ten are five pairs. If the players are equal, one wins all five pairs once in sixteen times."""
    result = compute_standings(store, play(plan(**{**TWO, "games_per_pair": 10}), store, *[WIN, LOSS] * 5))
    lead, table_text = result.lead, table_of(result)
    assert lead is not None
    assert lead.p == pytest.approx(1 / 16)
    assert lead.low == 0  # interval and test say the same
    assert f"Neither {lead.higher} nor {lead.lower} is shown to be stronger: p = 0.062, after 10 games." in table_text
    assert "more games might decide." in table_text
    assert f"{lead.higher} is " not in table_text


def test_one_game_is_singular(plan: PlanOf, store: Store) -> None:
    table_text = table_of(compute_standings(store, play(plan(**{**TWO, "games_per_pair": 2}), store, WIN)))
    assert "after 1 game." in table_text
    assert "1 games" not in table_text


def test_the_crosstable_shows_each_result_between_players(plan: PlanOf, store: Store) -> None:
    three = {"agents": ["a.py", "b.py", "c.py"], "games_per_pair": 2}
    result = compute_standings(store, play(plan(**three), store, WIN, WIN, DRAW, LOSS))
    assert " and c (1 game), c and b (1 game)." in table_of(result)
    assert sum(sum(counts) for counts in result.head_to_head.values()) == 8
    for (first_name, other), counts in result.head_to_head.items():
        assert counts == tuple(reversed(result.head_to_head[other, first_name]))
    lines = [line.split() for line in crosstable_text(result).splitlines()]
    names = [line[1] for line in lines[1:]]
    for line in lines[1:]:
        crosstable_rows = [
            f"{c.wins}-{c.draws}-{c.losses}" if (c := result.head_to_head.get((line[1], n))) else "–" for n in names
        ]
        assert line[2:] == crosstable_rows


def test_without_a_loss_the_ratio_is_null(plan: PlanOf, store: Store) -> None:
    table = rows(plan(**TWO), store, WIN)
    assert table["a"].win_loss_ratio is None
    assert table["b"].win_loss_ratio == 0


def test_players_have_no_numbers_before_the_first_game(plan: PlanOf, store: Store) -> None:
    table = compute_standings(store, play(plan(), store))
    assert (table.finished_games, table.planned_games, table.is_complete) == (0, 12, False)
    assert [row.name for row in table.rows] == ["a", "b", "c"]
    assert all(row.rating is None and row.score is None and row.moves_per_game is None for row in table.rows)
    assert [len(row.results_by_seat) for row in table.rows] == [2, 2, 2]


def test_a_player_without_opponents_has_no_rating(plan: PlanOf, store: Store) -> None:
    table = rows(plan(format="gauntlet"), store, WIN)
    assert table["a"].rating is not None
    assert table["c"].rating is None
    assert table["c"].games == 0


def test_the_json_of_standings_has_the_documented_keys(plan: PlanOf, store: Store) -> None:
    run = play(plan(**TWO), store, WIN, LOSS, WIN, LOSS)
    table = json.loads(json.dumps(standings_json(compute_standings(store, run))))
    keys = {
        "schema",
        "run",
        "seed",
        "players",
        "games",
        "complete",
        "first_seat",
        "better",
        "lead",
        "crosstable",
        "rounds",
    }
    assert table.keys() == keys
    entries_by_pair = {(entry["player"], entry["against"]): entry for entry in table["crosstable"]}
    assert all(
        entry["wins"] == entries_by_pair[other, player]["losses"] for (player, other), entry in entries_by_pair.items()
    )
    assert {(entry["player"], entry["than"]) for entry in table["better"]} >= {("a", "b"), ("b", "a")}
    assert (table["games"], table["complete"]) == (4, True)
    assert (table["run"], table["seed"]) == (run.name, run.settings["seed"])
    winner = table["players"][0]
    assert winner.pop("elo_at_least") == winner["elo_low"]
    assert winner.pop("elo_at_most") is None
    assert table["players"][1]["elo_at_most"] == table["players"][1]["elo_high"]
    assert winner.pop("elo_low") < winner.pop("elo") < winner.pop("elo_high")
    assert winner == {
        "name": "a",
        "games": 4,
        "wins": 4,
        "draws": 0,
        "losses": 0,
        "win_loss_ratio": None,
        "score": 1.0,
        "forfeits": {},
        "by_seat": [
            {"games": 2, "wins": 2, "draws": 0, "losses": 0},
            {"games": 2, "wins": 2, "draws": 0, "losses": 0},
        ],
        "moves_per_game": 4.0,
        "seconds_per_move": 0.5,
        "place": None,
        "points": None,
        "reasons": {"line": {"wins": 4, "draws": 0, "losses": 0}},
        "doubtful": 0,
    }


def test_a_table_with_unplayed_games_is_incomplete(plan: PlanOf, store: Store) -> None:
    void = Outcome((0, 0), Reason.REFEREE_FAULT, "no room")
    table = compute_standings(store, play(plan(**TWO), store, WIN, LOSS, WIN, void))
    assert (table.finished_games, table.is_complete) == (3, False)


def test_games_set_aside_do_not_count(plan: PlanOf, store: Store) -> None:
    play(plan(), store, WIN, WIN, WIN, WIN, WIN, WIN)
    run = resume_state(plan(agents=["a.py", "b.py"]), store, allows_changes=True).stored_run
    table = compute_standings(store, run)
    assert [row.name for row in table.rows] == ["a", "b"]
    assert table.finished_games == 2


def test_a_player_that_plays_itself_has_two_rows(plan: PlanOf, store: Store) -> None:
    table = rows(plan(agents=["a.py", "a.py"], games_per_pair=2), store, WIN, WIN)
    assert {name: (row.wins, row.losses) for name, row in table.items()} == {"a": (1, 1), "a-2": (1, 1)}


@pytest.mark.slow
def test_page_and_report_show_the_same_lead_as_the_command(plan: PlanOf, tmp_path: Path) -> None:
    server = PageServer(tmp_path)
    try:
        run = play(plan(**{**TWO, "games_per_pair": 10}), server.store, *[WIN, LOSS] * 5)
        lead = compute_standings(server.store, run).lead
        page_text = server.browser().get(f"/runs/{run.name}")
        written = b"".join(render_report(server.store, run, 0)).decode()
    finally:
        server.stop()
    assert lead is not None
    for page in (page_text, written):
        assert "Elo lead" in page
        assert "is shown to be stronger: p = 0.062, after 10 games." in page
    assert 'data-label="Elo">at least +0<' in page_text, "ten wins in five pairs do not exclude equal players"
    assert ">at least +0</td>" in written
    assert "may be equally strong: the result could be luck." in page_text


def test_a_player_who_won_every_game_has_a_lower_bound_everywhere(plan: PlanOf, store: Store) -> None:
    """A match of twenty wins table_text only "won every game", although the results exclude a small lead."""
    asked = plan(**{**TWO, "games_per_pair": 40})
    run = play(asked, store, *[WIN, LOSS] * 20)
    result = compute_standings(store, run)
    (winner, loser), ratings = result.rows, result.ratings
    assert result.lead is not None
    assert winner.rating is not None
    assert winner.rating_bound == ratings.bounds_by_player[next(iter(ratings.bounds_by_player))]
    bound = round(2 * winner.rating.low)
    assert bound > 100
    shown = table_of(result)
    first, second = ([cell.strip() for cell in re.split(r"\s{2,}", line)] for line in shown.splitlines()[1:3])
    assert [f"at least +{bound}", "–"] == first[8:10]
    assert [f"at most −{bound}", "–"] == second[8:10]
    assert f"{winner.name} is at least {bound} Elo stronger than {loser.name}: p < 0.001, after 40 games." in shown
    assert "Elo is shown if" not in shown
    plain = {row["name"]: row for row in standings_json(result)["players"]}
    assert round(2 * plain[winner.name]["elo_at_least"]) == -round(2 * plain[loser.name]["elo_at_most"]) == bound
    assert [row.elo_text for row in standings_rows(result)] == [f"at least +{bound}", f"at most −{bound}"]
    report = b"".join(render_report(store, run, 0)).decode()
    assert f">at least +{bound}</td>" in report
    assert f"{winner.name} over {loser.name}: at least +{bound}" in report, "the chart"
