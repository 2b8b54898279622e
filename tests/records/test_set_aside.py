"""Games to play again: those lost on time on a busy machine, and all of a bad worker."""

from __future__ import annotations

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.aggregates import opponent_tallies, pair_tallies, time_losses_by_worker
from gomogo_core.records.game_record import Machine, PlayedGame
from gomogo_core.records.store import GameStatus, Store
from tests.records.conftest import PlayedBy

LATE = Outcome.won_by(1, Reason.OUT_OF_TIME, "10.1 s taken, 10 s allowed")


def test_a_record_names_the_machine_of_the_game(store: Store, played: PlayedBy) -> None:
    game = played(
        machine=Machine("here", "one", (2, 3), 0.25, 0.5), cpu=(0.5, None), waited=(0.1, None), doubtful="it waited"
    )
    store.add(game)
    assert store.game(game.key) == game


def test_a_record_of_an_earlier_version_names_no_machine(played: PlayedBy) -> None:
    record_json = played().as_json()
    for key in ("machine", "cpu", "waited", "doubtful"):
        del record_json[key]
    record = PlayedGame.from_json(record_json)
    assert (record.machine, record.cpu, record.waited, record.doubtful) == (None, (), (), "")


def test_a_game_set_aside_does_not_count_and_can_be_played_again(store: Store, played: PlayedBy) -> None:
    run = store.insert_run("spring", "f", {}, 1)
    assert run
    for number in (1, 2):
        assert store.add(played(key="a", outcome=LATE, doubtful="it waited"), run, ("x", "y"), pair=7)
        assert store.game_keys(run, only_doubtful=True) == {"a"}
        assert {tally.player: (tally.losses, tally.doubtful) for tally in opponent_tallies(store, run)} == {
            "x": (0, 0),
            "y": (1, 1),
        }
        store.set_aside(run, {"a", "unknown"})
        assert store.game_keys(run, only_doubtful=True) == store.game_keys(run) == set()
        assert store.game_keys(run, GameStatus.SET_ASIDE) == {f"{n}-a" for n in range(1, number + 1)}
    assert store.game("2-a").outcome == LATE
    assert store.game("2-a").key == "2-a"
    assert store.add(played(key="a"), run, ("x", "y"), pair=7)
    assert [game.outcome.reason for game in store.games_of(run)] == [Reason.LINE]
    assert [pair.pair_count for pair in pair_tallies(store, run)] == [1]


def test_games_and_losses_on_time_are_counted_by_worker(store: Store, played: PlayedBy) -> None:
    run = store.insert_run("spring", "f", {}, 5)
    assert run
    for key, worker, late in [("a", "one", True), ("b", "one", False), ("c", "two", False), ("d", "", True)]:
        outcome_fields = {"outcome": LATE} if late else {}
        store.add(played(key=key, machine=Machine("here", worker), **outcome_fields), run)
    store.add(played(key="e", machine=Machine("here", "one"), outcome=LATE))  # outside of the run
    assert time_losses_by_worker(store, run) == {"one": (2, 1), "two": (1, 0)}
    assert store.game_keys(run, worker="one") == {"a", "b"}
    store.set_aside(run, {"a"})
    assert time_losses_by_worker(store, run) == {"one": (1, 0), "two": (1, 0)}
