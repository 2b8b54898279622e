"""A run that cannot continue prints the cause and the command that continues it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomogo_core.errors import UserError
from gomogo_core.records.store import Store
from tests.records.conftest import played_by
from tests.tournaments._commands import BOT, QUICK_OPTIONS, Command, write_tournament_file
from tests.tournaments._deaths import worker_processes
from tournaments.progress import RunProgress, StopRequest
from tournaments.runner import Runner


@pytest.mark.slow
def test_an_interrupted_match_names_the_run_to_continue(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(
            Runner,
            "play",
            lambda self: RunProgress(self.progress.planned_games, 0, stop_request=StopRequest.FINISH_RUNNING_GAMES),
        )
        result = command("match", "a.py", "b.py", "-n", "2", *QUICK_OPTIONS)
        named = command("match", "a.py", "b.py", "-n", "2", "--name", "duel", *QUICK_OPTIONS)
    assert result.code == named.code == 3
    assert "Run the same command with --name a-b-1 added to continue." in result.err
    assert "Run the same command to continue." in named.err
    assert command("match", "a.py", "b.py", "-n", "2", *QUICK_OPTIONS, "--name", "a-b-1", "--json").json["games"] == 2


@pytest.mark.slow
def test_a_match_on_a_full_disk_names_the_run_to_continue(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    play = Runner.play

    def full(runner: Runner) -> RunProgress:
        play(runner)
        raise UserError("The store gomogo.db cannot be used: the disk is full.", "Make room.")

    monkeypatch.setattr(Runner, "play", full)
    result = command("match", "a.py", "b.py", "-n", "2", *QUICK_OPTIONS)
    assert (result.code, result.err.splitlines()[-1]) == (
        1, "Make room. Run the same command with --name a-b-1 added to continue.",
    )  # fmt: skip


def test_a_command_that_cannot_start_ends_its_workers(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise UserError("The store gomogo.db cannot be used: the disk is full.", "Make room.")

    monkeypatch.setattr("gomogo.commands._run.Runner", refuse)
    assert command("match", "a.py", "b.py", "-n", "2", *QUICK_OPTIONS).code == 1
    assert worker_processes() == []


def test_a_match_without_a_finished_game_leaves_no_run(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Runner) -> RunProgress:
        raise UserError("The store gomogo.db cannot be used: the disk is full.", "Make room.")

    monkeypatch.setattr(Runner, "play", full)
    result = command("match", "a.py", "b.py", "-n", "2", *QUICK_OPTIONS)
    assert (result.code, result.err.splitlines()[-1]) == (1, "Make room.")
    with Store.open("gomogo.db") as store:
        assert store.runs() == []


def test_a_match_that_never_started_is_not_stored(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """This concerns a match without a cluster, and a match that was interrupted before its first game."""

    def refuse(*_: object, **__: object) -> None:
        raise UserError("No scheduler answers.", "Start it.")

    with monkeypatch.context() as patched:
        patched.setattr("gomogo.commands._run.create_workers", refuse)
        result = command("match", "a.py", "b.py", "-n", "2", *QUICK_OPTIONS)
    assert (result.code, result.err.splitlines()[-1]) == (1, "Start it.")
    with monkeypatch.context() as patched:
        patched.setattr(
            Runner,
            "play",
            lambda self: RunProgress(self.progress.planned_games, 0, stop_request=StopRequest.INTERRUPT_RUNNING_GAMES),
        )
        assert command("match", "a.py", "b.py", "-n", "2", *QUICK_OPTIONS).code == 3
    with Store.open("gomogo.db") as store:
        assert store.runs() == []


def test_an_unreadable_file_is_reported_in_two_lines(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(write_tournament_file())

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.access", lambda *_, **__: False)  # click asks this, and root may read any file
    monkeypatch.setattr("gomogo_core.regular_files.read_regular", refuse)
    result = command("tournament", "run", str(path))
    assert (result.code, result.err.splitlines()) == (
        1, ["spring.toml cannot be read: Permission denied.", "Name a tournament's TOML file."],
    )  # fmt: skip


@pytest.mark.parametrize("verb", ["replay", "export"])
def test_a_missing_file_is_reported_as_missing(command: Command, verb: str) -> None:
    for name in ("nofile.sgf", "games/nofile"):
        result = command(verb, name)
        assert (result.code, result.err.splitlines()[0]) == (1, f"There is no file {name}.")


@pytest.mark.slow
def test_advice_is_a_command_that_works_on_this_store(command: Command) -> None:
    with Store.open("gomogo.db"):
        assert "Play one: `gomogo play alpha_beta`." in command("replay").err
    with Store.open("mine.db") as store:
        store.add(played_by(key="abc"))
    assert "`gomogo replay last --store mine.db` shows" in command("replay", "xyz", "--store", "mine.db").err
    assert command("replay", "last", "--store", "mine.db").code == 0
    command("tournament", "run", write_tournament_file(), "--store", "mine.db")
    assert "`gomogo tournament results --store mine.db` lists" in command("replay", "xyz", "--store", "mine.db").err


@pytest.mark.slow
def test_a_finished_run_with_an_unreadable_lock_is_not_being_played(command: Command) -> None:
    command("tournament", "run", write_tournament_file())
    with Store.open("gomogo.db") as store, store.lock_run("spring"):
        assert "being played" not in command("tournament", "show").err + command("tournament", "show", "spring").err
        assert store.is_run_being_played("spring")
    Path("gomogo.db.spring.lock").mkdir()  # opening it fails even if the tests run as root
    with Store.open("gomogo.db") as store:
        assert not store.is_run_being_played("spring")


@pytest.mark.slow
def test_games_that_could_not_be_played_are_an_error(command: Command) -> None:
    for name in "ab":
        Path(f"{name}.py").write_text(f"{BOT}raise SystemExit(3)\n")
    ended = command("match", "a.py", "b.py", "--games", "2", *QUICK_OPTIONS)
    assert ended.code == 1
    assert "2 could not be played" in ended.err
    for name in "ab":
        Path(f"{name}.py").write_text(BOT)
    second_result = command("match", "a.py", "b.py", "--games", "2", *QUICK_OPTIONS)
    assert (second_result.code, "2 of 2 games are in" in second_result.err) == (0, True)
