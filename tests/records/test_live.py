"""The live file describes a running game line by line, and never harms it."""

from __future__ import annotations

from pathlib import Path

from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import NO_LIMIT
from gomogo_core.play.events import Ended, Event, GameSetup, Moved, Ply, Started, Warned
from gomogo_core.records.live_format import (
    LiveFile,
    live_games,
    read_live_events,
    remove_abandoned_live_files,
    remove_live_files,
)

GAME = load("gomoku")
TABLE = GameSetup(GAME, ("ann", "bob"), (NO_LIMIT, NO_LIMIT), (Ply(1, "h8"),), seed=3)
STARTED = Started(TABLE, GAME.replay(["h8"]))
MOVED = Moved(2, "i9", GAME.replay(["h8", "i9"]), 0.5)


def tell(folder: Path, key: str, *events: Event, run: str = "spring") -> Path:
    live = LiveFile(folder, key, run)
    for event in events:
        live(event)
    return live.path


def test_the_live_file_has_one_line_per_event(tmp_path: Path) -> None:
    end = Ended(Outcome.won_by(1, Reason.RESIGNED), MOVED.position)
    path = tell(tmp_path / "live", "k", STARTED, MOVED, Warned(2, "wrote early"), end)
    events = list(read_live_events(path))
    assert [event["event"] for event in events] == ["started", "moved", "warned", "ended"]
    assert events[0]["names"] == ["ann", "bob"]
    assert events[0]["opening"] == [[1, "h8"]]
    assert (events[1]["seat"], events[1]["move"], events[1]["seconds"]) == (2, "i9", 0.5)
    assert events[3]["reason"] == "resigned"


def test_running_games_are_named(tmp_path: Path) -> None:
    tell(tmp_path, "k", STARTED, MOVED)
    (game,) = live_games(tmp_path)
    assert (game.key, game.run, game.names, game.move_count) == ("k", "spring", ("ann", "bob"), 1)


def test_an_incomplete_line_is_not_read(tmp_path: Path) -> None:
    path = tell(tmp_path, "k", STARTED, MOVED)
    path.write_text(path.read_text()[:-5])
    assert [event["event"] for event in read_live_events(path)] == ["started"]


def test_invalid_live_files_are_ignored(tmp_path: Path) -> None:
    for name, content in (("a", b""), ("b", b"{}\n"), ("c", b"[1]\n"), ("d", b"\xff\n"), ("e", b"not json\n")):
        (tmp_path / f"{name}.jsonl").write_bytes(content)
    assert live_games(tmp_path) == []
    assert live_games(tmp_path / "missing") == []


def test_a_second_attempt_starts_a_new_live_file(tmp_path: Path) -> None:
    tell(tmp_path, "k", STARTED, MOVED, MOVED)
    assert len(list(read_live_events(tell(tmp_path, "k", STARTED)))) == 1


def test_live_files_of_a_killed_run_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / "live"
    tell(folder, "a", STARTED, run="spring")
    tell(folder, "b", STARTED, run="autumn")
    remove_abandoned_live_files(folder, "spring")
    assert [game.key for game in live_games(folder)] == ["b"]
    remove_live_files(folder, ["b"])
    assert not folder.exists()


def test_a_disk_that_fails_does_not_harm_the_game(tmp_path: Path) -> None:
    (tmp_path / "live").write_text("a file where the folder should be")
    tell(tmp_path / "live", "k", STARTED, MOVED)
