"""The store keeps every game once and survives any failure; its counts are right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.aggregates import (
    game_rows,
    pair_tallies,
    results_by_reason,
    scores_by_opponent,
    seat_tallies,
)
from gomogo_core.records.game_record import DepartedPlayer, PlayedGame
from gomogo_core.records.level_results import local_user_results
from gomogo_core.records.store import GameStatus, Run, Store
from tests.records.conftest import PlayedBy


def begin(store: Store, name: str = "spring") -> Run:
    run = store.insert_run(name, "fingerprint", {"name": name}, 2)
    assert run is not None
    return run


def forfeits(store: Store, run: Run) -> set[tuple[str, str, int]]:
    return {(t.player, t.forfeit, t.games) for t in seat_tallies(store, run) if t.forfeit is not None}


def test_a_loaded_game_equals_the_stored_one(store: Store, played: PlayedBy) -> None:
    game = played(thoughts=("x" * 9, *[None] * 8), outputs=("out\ud800\0", "err"), seed=7)
    assert store.add(game)
    assert store.game(game.key) == game


def test_a_key_prefix_finds_a_game(store: Store, played: PlayedBy) -> None:
    game = played(key="abc123")
    store.add(game)
    store.add(played(key="abd456"))
    assert store.game("abc") == game
    with pytest.raises(UserError, match="Several games"):
        store.game("ab")
    with pytest.raises(UserError, match="no game whose key begins with 'a%'"):
        store.game("a%")


def test_the_last_game_is_the_one_that_started_last(store: Store, played: PlayedBy) -> None:
    with pytest.raises(UserError, match="contains no game yet"):
        store.game("last")
    store.add(played(key="later", started=2.0))
    store.add(played(key="earlier", started=1.0))
    assert store.game("last").key == "later"


def test_a_key_is_stored_once(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    assert store.add(played(key="k"), run, ("ann", "bob"))
    assert not store.add(played(key="k", names=("eve", "bob")), run, ("eve", "bob"))
    assert store.game_keys(run) == {"k"}
    assert store.game("k").names == ("ann", "bob")


def test_only_a_played_game_replaces_an_unplayed_one(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    void = Outcome((0, 0), Reason.REFEREE_FAULT, "no room")
    assert store.add(played(key="k", outcome=void), run)
    assert (store.count_games(run), store.count_games(run, GameStatus.UNPLAYED)) == (0, 1)
    assert store.add(played(key="k"), run)
    assert (store.count_games(run), store.count_games(run, GameStatus.UNPLAYED)) == (1, 0)
    assert not store.add(played(key="k", outcome=void), run)
    assert store.count_games(run) == 1


def test_a_committed_game_survives_a_kill_of_its_writer(tmp_path: Path) -> None:
    store_path = tmp_path / "games.db"
    program = (
        "import os, signal, sys\n"
        "from gomogo_core.records.store import Store\n"
        "from tests.records.conftest import played_by\n"
        f"store = Store.open({str(store_path)!r})\n"
        "store.add(played_by(key='kept'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=False, cwd=Path(__file__).parents[2])
    with Store.open(store_path) as store:
        assert store.game("kept").names == ("ann", "bob")


def test_a_closed_store_is_a_single_file(tmp_path: Path, played: PlayedBy) -> None:
    with Store.open(tmp_path / "games.db") as store:
        store.add(played(), begin(store))
        with store.lock_run("spring"):
            assert store.is_run_being_played("spring")
        assert not store.is_run_being_played("spring")
    assert os.listdir(tmp_path) == ["games.db"]


def test_a_run_name_is_unique(store: Store) -> None:
    run = begin(store)
    assert store.insert_run("spring", "other", {}, 3) is None
    assert store.run("spring") == run
    with pytest.raises(UserError, match="no run called 'sprign'") as error_info:
        store.run("sprign")
    assert error_info.value.remedy == "Did you mean spring?"


def test_a_run_without_a_game_can_be_deleted(store: Store, played: PlayedBy) -> None:
    assert store.delete_unused_run(begin(store))
    spring = begin(store)  # its name is free again
    store.add(played(), spring)
    assert not store.delete_unused_run(spring)
    assert [run.name for run in store.runs()] == ["spring"]


def test_a_changed_run_keeps_the_games_of_its_new_plan(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    for key in "abc":
        store.add(played(key=key), run)
    run = store.change_run(run, "new", {"name": "spring"}, 4, {"b", "c", "d", "e"})
    assert (run.fingerprint, run.planned_games) == ("new", 4)
    assert store.game_keys(run) == {"b", "c"}
    assert store.game_keys(run, GameStatus.SET_ASIDE) == {"a"}
    run = store.change_run(run, "old", {"name": "spring"}, None, {"a", "b"})
    assert run.planned_games is None
    assert store.game_keys(run) == {"a", "b"}


def test_a_game_set_aside_counts_again_when_marked_as_played(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    for key in "abc":
        store.add(played(key=key), run)
    run = store.change_run(run, "new", {"name": "spring"}, 1, {"a"})
    store.set_status(run, {"b"}, GameStatus.PLAYED)
    assert store.game_keys(run) == {"a", "b"}
    store.set_status(run, {"a", "b"}, GameStatus.SET_ASIDE)
    assert store.game_keys(run, GameStatus.SET_ASIDE) == {"a", "b", "c"}


def test_changed_settings_of_a_run_are_stored(store: Store) -> None:
    run = begin(store)
    run = store.change_run(run, run.fingerprint, {"name": "spring", "players": []}, 7)
    assert (run.fingerprint, run.settings, run.planned_games) == ("fingerprint", {"name": "spring", "players": []}, 7)


def test_another_process_can_ask_a_run_to_stop(store: Store) -> None:
    run = begin(store)
    assert not store.is_stop_requested(run)
    store.request_stop(run)
    assert store.is_stop_requested(run)
    store.request_stop(run, False)
    assert not store.is_stop_requested(run)


def test_only_one_process_plays_a_run(tmp_path: Path) -> None:
    with Store.open(tmp_path / "games.db") as store, store.lock_run("spring"):
        program = (
            "from gomogo_core.records.store import Store\n"
            f"store = Store.open({str(tmp_path / 'games.db')!r})\n"
            "with store.lock_run('autumn', timeout=0): print('autumn is free')\n"
            "with store.lock_run('spring', timeout=0): print('spring is free')\n"
        )
        result = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2]
        )
    assert result.stdout == "autumn is free\n"
    assert "'spring' in" in result.stderr
    assert "is being played by another process" in result.stderr


def test_results_are_counted_by_seat(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    for key, names in (("a", ("ann", "bob")), ("b", ("ann", "bob")), ("c", ("bob", "ann"))):
        store.add(played(names, key=key, opening_length=2), run, names)
    tie = Outcome.draw(Reason.BOARD_FULL)
    store.add(played(("bob", "ann"), "h8", key="d", outcome=tie), run, ("bob", "ann"))
    counted = {(tally.player, tally.seat, tally.reason): tally for tally in seat_tallies(store, run)}
    line, full = "line", "board_full"
    assert counted["ann", 1, line][4:9] == (2, 2, 0, 0, 2.0)
    assert (counted["ann", 2, line][4:9], counted["ann", 2, full][4:9]) == ((1, 0, 0, 1, 0.0), (1, 0, 1, 0, 0.5))
    assert (counted["bob", 1, line][4:9], counted["bob", 1, full][4:9]) == ((1, 1, 0, 0, 1.0), (1, 0, 1, 0, 0.5))
    assert counted["ann", 1, line].plies == 18
    assert counted["ann", 1, line].own_moves == 8  # five stones a game, of which one belongs to the opening
    assert counted["ann", 1, line].own_seconds == pytest.approx(2.0)
    assert set(pair_tallies(store, run)) == {
        ("ann", "bob", (1, 0, 0), (0, 0, 0), 2),
        ("ann", "bob", (0, 0, 0), (0, 0, 1), 1),
        ("ann", "bob", (0, 0, 0), (0, 1, 0), 1),
    }


def test_results_of_the_whole_store_are_counted_by_reason(store: Store, played: PlayedBy) -> None:
    late = Outcome.won_by(2, Reason.OUT_OF_TIME, "late")
    store.add(played(("ann", "bob"), key="a"), begin(store), ("ann", "bob"))
    store.add(played(("ann", "eve"), "h8", key="b", outcome=late))
    store.add(played(("bob", "ann"), "h8", key="c", outcome=Outcome.draw(Reason.BOARD_FULL)))
    store.add(played(("ann", "bob"), "h8", key="d", outcome=Outcome((0, 0), Reason.INTERRUPTED)))
    assert results_by_reason(store, "ann") == [
        ("gomoku", "board_full", 0, 1, 0),
        ("gomoku", "line", 1, 0, 0),
        ("gomoku", "out_of_time", 0, 0, 1),
    ]
    assert results_by_reason(store, "eve") == [("gomoku", "out_of_time", 1, 0, 0)]
    assert results_by_reason(store, "nobody") == []


def test_a_departed_player_of_three_has_its_own_reason(store: Store, played: PlayedBy) -> None:
    names = ("ann", "bob", "eve")
    outcome = Outcome((3, 1, 2), Reason.BOXES)
    departed = (DepartedPlayer(1, Reason.CRASHED, "exited"),)
    terms: dict[str, Any] = {"controls": (TimeControl(),) * 3, "outcome": outcome, "departed": departed}
    store.add(played(names, "h8", key="a", **terms), begin(store), names)
    reasons = {tally.player: (tally.reason, tally.wins) for tally in seat_tallies(store, store.runs()[0])}
    assert reasons == {"ann": ("crashed", 0), "bob": ("boxes", 1), "eve": ("boxes", 0)}


def test_games_of_one_opening_are_counted_together(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    tie = Outcome.draw(Reason.BOARD_FULL)
    for pair in (0, 1):
        for names in (("ann", "bob"), ("bob", "ann")):
            store.add(played(names, key=f"{pair}{names}"), run, names, pair)  # the first seat wins
    store.add(played(("bob", "ann"), "h8", key="x", outcome=tie), run, ("bob", "ann"), 2)
    three = ("eve", "bob", "ann")
    store.add(played(three, "", key="y", outcome=Outcome((1, 3, 2), Reason.SCORE)), run, three, 3)
    assert set(pair_tallies(store, run)) == {
        ("ann", "bob", (1, 0, 0), (0, 0, 1), 2),
        ("ann", "bob", (0, 0, 0), (0, 1, 0), 1),
        ("ann", "bob", (0, 0, 0), (1, 0, 0), 1),
        ("ann", "eve", (0, 0, 0), (0, 0, 1), 1),
        ("bob", "eve", (0, 0, 0), (0, 0, 1), 1),
    }


def test_forfeits_count_for_the_player_at_fault(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    late = Outcome.won_by(2, Reason.OUT_OF_TIME, "1.2 s taken, 1 s allowed")
    store.add(played(moves="h8", key="a", outcome=late), run, ("ann", "bob"))
    store.add(played(moves="h8", key="b", outcome=Outcome.won_by(1, Reason.RESIGNED)), run, ("ann", "bob"))
    assert forfeits(store, run) == {("ann", "out_of_time", 1)}


def test_each_departed_player_at_fault_has_a_forfeit(store: Store, played: PlayedBy) -> None:
    run, three = begin(store), ("ann", "bob", "eve")
    game = played(
        three,
        "",
        outcome=Outcome((1, 3, 2), Reason.CRASHED, "exited with code 1"),
        departed=(DepartedPlayer(2, Reason.OUT_OF_TIME, "11 s taken"),),
    )
    store.add(game, run, three)
    assert forfeits(store, run) == {("bob", "out_of_time", 1), ("eve", "crashed", 1)}
    points = {tally.player: tally.points for tally in seat_tallies(store, run)}
    assert points == {"ann": 1.0, "eve": 0.5, "bob": 0.0}


def test_void_games_do_not_count(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    store.add(played(outcome=Outcome((0, 0), Reason.ALL_CRASHED)), run, ("ann", "bob"))
    assert not seat_tallies(store, run)
    assert not pair_tallies(store, run)
    assert not game_rows(store, run)
    assert not scores_by_opponent(store, "ann")


def test_games_are_read_in_batches_in_order_of_start(
    store: Store, played: PlayedBy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gomogo_core.records.store._RECORDS_PER_QUERY", 2)
    for number in range(5):
        store.add(played(key=f"{9 - number}", started=float(number)))
    games = store.games_of()
    assert next(games).key == "9"
    for key in ("9", "8", "7"):  # later records are read when their turn comes
        with store.write_transaction() as connection:
            connection.execute("UPDATE records SET json = replace(json, 'ann', 'eve') WHERE key = :key", key=key)
    assert [(game.key, game.names[0]) for game in games] == [("8", "ann"), ("7", "eve"), ("6", "ann"), ("5", "ann")]


def test_games_of_a_run_are_listed_in_order_of_start(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    store.add(played(key="second", started=2.0), run)
    store.add(played(("bob", "ann"), key="first", started=1.0), run)
    store.add(played(key="elsewhere"))
    assert [(row.key, row.names, row.winner) for row in game_rows(store, run)] == [
        ("first", ("bob", "ann"), 1),
        ("second", ("ann", "bob"), 1),
    ]
    assert [game.key for game in store.games_of(run)] == ["first", "second"]


def test_me_is_the_player_of_a_human_seat(store: Store, played: PlayedBy) -> None:
    def at_the_console(*specs: str, **record_fields: Any) -> PlayedGame:
        return played(specs=specs, **record_fields)

    store.add(at_the_console("human", "greedy", names=("human", "greedy")))
    store.add(at_the_console("greedy", "human", names=("greedy", "Ann")))
    store.add(at_the_console("human", "human", names=("guest", "me")))
    store.add(at_the_console("greedy", "minimax", names=("greedy", "minimax")))
    assert scores_by_opponent(store, "me") == [("greedy", "gomoku", 2, 1, 0, 1), ("guest", "gomoku", 1, 0, 0, 1)]
    assert scores_by_opponent(store, "Ann") == [("greedy", "gomoku", 1, 0, 0, 1)]


def test_results_against_levels_omit_faults_of_the_opponent(store: Store, played: PlayedBy) -> None:
    def game(seats: tuple[str, ...], started: float, **record_fields: Any) -> None:
        specs = tuple("human" if name in ("me", "guest") else "beginner" for name in seats)
        store.add(played(seats, specs=specs, started=started, **record_fields))

    won, loss, draw_outcome = (
        Outcome.won_by(1, Reason.LINE),
        Outcome.won_by(2, Reason.LINE),
        Outcome.draw(Reason.BOARD_FULL),
    )
    game(("level-4", "me"), 30.0, outcome=won)
    game(("me", "level-3"), 10.0, outcome=won)
    game(("me", "level-3"), 20.0, outcome=draw_outcome)
    game(("me", "level-5"), 40.0, outcome=Outcome.won_by(1, Reason.CRASHED, "exited"))
    game(("me", "level-5"), 50.0, outcome=Outcome.won_by(2, Reason.OUT_OF_TIME, "11 s"))
    game(("me", "greedy"), 60.0, outcome=loss)
    game(("guest", "level-5"), 70.0, outcome=loss)
    game(("me", "level-5"), 80.0, outcome=Outcome((0, 0), Reason.INTERRUPTED))
    game(("me", "level-2", "level-2-2"), 90.0, moves="", outcome=Outcome((2, 1, 3), Reason.BOXES))
    assert local_user_results(store, "gomoku") == [
        ("level-3", 1.0), ("level-3", 0.5), ("level-4", 0.0), ("level-5", 0.0), ("level-2", 0.5)
    ]  # fmt: skip
    assert local_user_results(store, "go") == []


def test_moves_are_counted_for_the_player_that_made_them(store: Store, played: PlayedBy) -> None:
    run = begin(store)
    plies = (Ply(1, "h8"), Ply(2, "a1"), Ply(1, "h9"))
    store.add(played(moves="h8 a1 h9", plies=plies, outcome=Outcome.won_by(1, Reason.RESIGNED)), run, ("ann", "bob"))
    assert {tally.player: tally.own_moves for tally in seat_tallies(store, run)} == {"ann": 2, "bob": 1}
