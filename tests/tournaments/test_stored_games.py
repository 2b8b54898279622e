"""The commands for stored games: scores, replays, exports."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.store import Store
from tests.records.conftest import played_by
from tests.tournaments._commands import Command, write_tournament_file


def test_results_show_the_score_against_each_opponent(command: Command) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by(("me", "greedy"), specs=("human", "greedy")))
        store.add(played_by(("greedy", "me"), specs=("greedy", "human")))
        store.add(
            played_by(("minimax", "me"), "h8", specs=("minimax", "human"), outcome=Outcome.won_by(2, Reason.RESIGNED))
        )
    result = command("results", "me")
    assert [line.split() for line in result.out.splitlines()] == [
        ["against", "game", "games", "won", "drawn", "lost"],
        ["greedy", "gomoku", "2", "1", "0", "1"],
        ["minimax", "gomoku", "1", "1", "0", "0"],
    ]
    assert command("results", "--json").json["opponents"][0] == {
        "opponent": "greedy", "game": "gomoku", "games": 2, "wins": 1, "draws": 0, "losses": 1,
    }  # fmt: skip
    assert command("results", "gredy").err.splitlines()[1] == "Did you mean greedy?"


def test_replay_without_a_terminal_prints_the_whole_game(command: Command) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by(key="abc", thoughts=("I begin", *[None] * 8)))
    result = command("replay", "abc")
    assert result.out.startswith("ann against bob: gomoku (size 15,")
    assert "  9 l8" in result.out
    assert "8 . . . . . . .(x x x x[x]. . . 8" in result.out
    assert "ann won, after 9 moves: 5 in a row." in result.out
    assert "move 1 of 9; 0.250 s; I begin" in command("replay", "last", "--move", "1").out
    assert "The game has 9 moves." in command("replay", "last", "--move", "10").err


def test_replay_steps_by_the_arrow_keys(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by())
    keys = iter(["\x1b[C", "\x1b[C", "\x1b[D", "\x1b[F", "\x1b[C", "\x1b[H", "\x1b[D", "q"])
    monkeypatch.setattr("click.getchar", lambda: next(keys))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    result = command("replay", "last")
    moves_shown = [line.split()[1] for line in result.out.splitlines() if line.startswith("move ")]
    assert moves_shown == ["0", "1", "2", "1", "9", "9", "0", "0"]


@pytest.mark.parametrize("form", ["sgf", "psq", "json"])
def test_a_game_is_exported_and_replayed_from_its_file(command: Command, form: str) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by())
    assert command("export", "last", "--format", form, "-o", f"out/game.{form}").code == 0
    assert "ann won, after 9 moves: 5 in a row." in command("replay", f"out/game.{form}").out
    assert command("export", f"out/game.{form}", "--format", form).out == Path(f"out/game.{form}").read_text()


@pytest.mark.slow
def test_a_tournament_is_exported_into_a_folder(command: Command) -> None:
    command("tournament", "run", write_tournament_file(workers=1))
    result = command("export", "spring", "-o", "games")
    assert result.err == "4 games are in games.\n"
    files = sorted(path.name for path in Path("games").iterdir())
    assert [name[:9] for name in files] == ["00001-a-b", "00002-b-a", "00003-a-b", "00004-b-a"]
    assert all((Path("games") / name).read_text().startswith("(;FF[4]") for name in files)


def test_a_game_that_cannot_be_written_is_reported(command: Command) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by())
    result = command("export", "last", "-o", "a.py/game.sgf")
    assert result.code == 1
    assert "a.py/game.sgf cannot be written" in result.err


def test_escape_sequences_in_a_stored_game_are_escaped(command: Command) -> None:
    with Store.open("gomogo.db") as store:
        store.add(
            played_by(("\x1b[2Jann", "me"), specs=("x", "human"), thoughts=("\x1b]0;x\x07", *[None] * 8), key="abc")
        )
    for arguments in (("results", "me"), ("replay", "abc"), ("replay", "abc", "--move", "1")):
        result = command(*arguments)
        assert "\x1b" not in result.out
        assert "\\x1b[2Jann" in result.out
