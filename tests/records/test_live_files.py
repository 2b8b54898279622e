"""Live files are written beside the games: never by a referee, never after the end, and not for games of a moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.events import Ended
from gomogo_core.records import live_writer
from gomogo_core.records.live_format import live_games, read_live_events
from gomogo_core.records.live_writer import LiveFiles, live_files_in, live_listener
from gomogo_core.records.paths import live_folder
from tests.records.test_live import MOVED, STARTED

END = Ended(Outcome.won_by(1, Reason.RESIGNED), MOVED.position)


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end, "it does not come about"
        time.sleep(0.01)


def kinds(path: Path) -> list[str]:
    return [event["event"] for event in read_live_events(path)] if path.exists() else []


@pytest.fixture
def files(tmp_path: Path) -> Iterator[LiveFiles]:
    with live_files_in(tmp_path / "live") as files:
        yield files


def test_events_are_written_promptly_and_in_order(files: LiveFiles, tmp_path: Path) -> None:
    listener, path = files.listener_for("k", "spring"), tmp_path / "live" / "k.jsonl"
    listener(STARTED)
    listener(MOVED)
    until(lambda: kinds(path) == ["started", "moved"])
    listener(MOVED)
    until(lambda: kinds(path) == ["started", "moved", "moved"])
    listener(END)
    assert kinds(path) == ["started", "moved", "moved", "ended"], "the end is there before anybody forgets the file"


def test_live_files_of_several_games_are_written_at_once(files: LiveFiles, tmp_path: Path) -> None:
    for key in "ab":
        files.listener_for(key)(STARTED)
    until(lambda: [game.key for game in live_games(tmp_path / "live")] == ["a", "b"])


def test_a_take_back_restarts_the_live_file(files: LiveFiles, tmp_path: Path) -> None:
    listener, path = files.listener_for("k"), tmp_path / "live" / "k.jsonl"
    listener(STARTED)
    listener(MOVED)
    until(lambda: kinds(path) == ["started", "moved"])
    listener(MOVED)
    listener(STARTED)
    until(lambda: kinds(path) == ["started"])


def test_closing_ends_a_writer_thread_that_begins_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_writer, "_WRITE_INTERVAL", 0.0)
    monkeypatch.setattr(live_writer, "_MIN_GAME_SECONDS", 0.0)  # no event is left for another round
    files = LiveFiles(lambda key, run: lambda events: None)
    clear = files._has_events.clear

    def clear_after_close() -> None:
        files._closed.set()
        files._has_events.set()
        clear()

    monkeypatch.setattr(files._has_events, "clear", clear_after_close)
    files.listener_for("k")(STARTED)
    files._thread.join(120)
    assert not files._thread.is_alive()


def test_a_very_short_game_has_no_live_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_writer, "_MIN_GAME_SECONDS", 60.0)
    monkeypatch.setattr(live_writer, "_WRITE_INTERVAL", 0.001)
    with live_files_in(tmp_path / "live") as files:
        moment, longer = files.listener_for("moment"), files.listener_for("longer")
        moment(STARTED)
        moment(MOVED)
        moment(END)
        monkeypatch.setattr(live_writer, "_MIN_GAME_SECONDS", 0.0)
        longer(STARTED)
        until(lambda: live_games(tmp_path / "live"))
        assert [game.key for game in live_games(tmp_path / "live")] == ["longer"]


def test_a_single_game_has_a_live_file_until_its_end(tmp_path: Path) -> None:
    folder = tmp_path / "live"
    with live_listener(folder, "k") as (listener,):
        listener(STARTED)
        until(lambda: live_games(folder))
    assert not folder.exists()
    with live_listener(None, "k") as no_listener:
        assert no_listener == ()


def test_without_a_store_there_is_no_live_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOMOGO_STORE", raising=False)
    assert live_folder() is None
    (tmp_path / "gomogo.db").touch()
    assert live_folder() == tmp_path / "live"
    monkeypatch.setenv("GOMOGO_STORE", str(tmp_path / "other" / "games.db"))
    assert live_folder() is None
    monkeypatch.setenv("GOMOGO_STORE", "postgresql://host/games")
    assert live_folder() == tmp_path / "live"
