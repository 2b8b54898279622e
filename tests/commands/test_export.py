"""`gomogo export`: positions of one game, of a run, or of all that are chosen, printed or in one file."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.paths import store_record
from gomogo_core.records.store import Store
from tests.commands.conftest import Gomogo
from tests.records.conftest import LINE, played_by


@pytest.fixture
def stored(run: Gomogo) -> None:
    """A store with a run of two games, a game by itself, and one that is void."""
    with Store.open("gomogo.db") as store:
        spring = store.insert_run("spring", "fingerprint", {}, 2)
        store.add(played_by(("ann", "bob"), key="a", started=1.0), spring)
        store.add(
            played_by(("bob", "eve"), "h8 a1", key="b", started=2.0, outcome=Outcome.draw(Reason.BOARD_FULL)), spring
        )
        store.add(played_by(("ann", "eve"), key="c", started=3.0))
        store.add(played_by(("ann", "eve"), key="d", started=4.0, outcome=Outcome((0, 0), Reason.INTERRUPTED)))


def keys(text: str) -> str:
    """The keys of the games whose positions these lines are, one letter each."""
    game_keys = [json.loads(line)["key"] for line in text.splitlines()]
    return "".join(dict.fromkeys(game_keys))


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        (("a",), "a"),
        (("spring",), "ab"),
        (("all",), "abc"),
        (("all", "--player", "eve"), "bc"),
        (("spring", "--player", "eve"), "b"),
        (("all", "--game", "gomoku"), "abc"),
        (("all", "--game", "go"), ""),
    ],
)
def test_the_positions_of_chosen_games_are_printed(run: Gomogo, words: tuple[str, ...], chosen: str) -> None:
    result = run("export", *words, "--format", "positions-jsonl")
    assert result.exit_code == 0
    assert keys(result.stdout) == chosen


@pytest.mark.usefixtures("stored")
def test_positions_go_into_one_file_or_a_folder(run: Gomogo) -> None:
    assert run("export", "spring", "--format", "positions-csv", "-o", "out/learn.csv").exit_code == 0
    rows = list(csv.DictReader(io.StringIO(Path("out/learn.csv").read_text())))
    assert [row["move"] for row in rows] == [*LINE.split(), "h8", "a1"]
    result = run("export", "all", "--format", "positions-jsonl", "-o", "out")
    assert result.stderr == "The positions are in out/all-positions.jsonl.\n"
    assert keys(Path("out/all-positions.jsonl").read_text()) == "abc"


@pytest.mark.usefixtures("stored")
def test_all_games_can_be_exported_to_separate_files(run: Gomogo) -> None:
    assert run("export", "all", "--player", "ann", "--format", "psq").stderr == "2 games are in all.\n"
    assert sorted(path.name for path in Path("all").iterdir()) == ["00001-ann-bob-a.psq", "00002-ann-eve-c.psq"]


@pytest.mark.usefixtures("stored")
def test_positions_of_a_record_file_are_exported(run: Gomogo) -> None:
    assert run("export", "a", "--format", "json", "-o", "a.json").exit_code == 0
    assert keys(run("export", "a.json", "--format", "positions-jsonl").stdout) == "a"


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("a", "--player", "ann"), "--game and --player select among several games, but a is a single game."),
        (("last", "--game", "go"), "select among several games"),
        (("all", "--player", "anne"), "has no player 'anne'"),
        (("all", "--game", "gomuko"), "There is no game called 'gomuko'"),
        (("autumn",), "contains no game whose key begins with 'autumn'"),
    ],
)
def test_an_impossible_selection_of_games_is_refused(run: Gomogo, words: tuple[str, ...], problem: str) -> None:
    error = run("export", *words, "--format", "positions-csv").exception
    assert isinstance(error, UserError)
    assert problem in error.problem


def test_a_game_of_the_test_script_is_exported_by_its_key(run: Gomogo) -> None:
    store_record(played_by(key="single"))
    assert json.loads(run("export", "single", "--format", "json").stdout)["key"] == "single"  # without any store
    Store.open("gomogo.db").close()
    assert json.loads(run("export", "sin", "--format", "json").stdout)["key"] == "single"
