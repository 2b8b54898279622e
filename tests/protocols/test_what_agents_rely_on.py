"""What real agents rely on: each row of the protocol's first list, in both layouts, by inotify and by polling."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.games.base import Reason
from gomogo_core.protocols.files import MIN_TURN_GAP
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.inotify import CREATE, MOVED_TO, InotifyWatch

pytestmark = pytest.mark.slow

WIN = ["a 5", "a 6", "b 5", "b 6", "c 5", "c 6", "d 5", "d 6", "e 5"]  # A's five in row 5


def play(room: Any, moves: list[str]) -> None:
    for number, move in enumerate(moves):
        room.move("AB"[number % 2], move)


def test_move_file_exists_from_the_start_and_is_never_emptied(room: Any) -> None:
    room.folder("A").mkdir(exist_ok=True)
    room.start()
    states: list[str] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            try:
                states.append(room.read_move_file("A"))
            except FileNotFoundError:
                states.append("missing")

    room.wait_for_turn("A")
    assert room.read_move_file("A") == ""
    watcher = threading.Thread(target=watch)
    watcher.start()
    for number, move in enumerate(WIN):
        team = "AB"[number % 2]
        room.wait_for_turn(team)
        # an agent that replaces the file, so that only the referee can have emptied it
        aside = room.place / "unfinished"
        aside.write_text(f"{team} {move}")
        aside.replace(room.folder(team) / "move_file")
        room.wait_for_end_of_turn(team)
    room.end()
    stop.set()
    watcher.join()
    first = next(i for i, text in enumerate(states) if text)
    assert "missing" not in states
    assert "" not in states[first:]


def test_the_opponents_line_is_written_before_go(room: Any) -> None:
    room.start()
    for number, move in enumerate(WIN[:-1]):
        team = "AB"[number % 2]
        go = room.folder(team) / f"{team}.go"
        while not go.exists():
            pass
        before = f"{'BA'[number % 2]} {WIN[number - 1]}\n" if number else ""
        assert room.read_move_file(team) == before
        assert go.read_text() in ("", "go!")  # created in place, then filled
        room.write(team, f"{team} {move}")
        room.wait_for_end_of_turn(team)


def test_the_go_file_contains_go(room: Any) -> None:
    room.start()
    go = room.wait_for_turn("A")
    room.wait_until(lambda: go.read_text() == "go!", "the text go!")


def test_the_go_file_is_created_in_place_for_watchers(room: Any) -> None:
    room.start()
    room.move("A", "a 5")
    watch = InotifyWatch(str(room.folder("A")), CREATE | MOVED_TO)
    room.move("B", "b 5")
    room.wait_for_turn("A")
    events = [(mask, name) for mask, name in watch.events() if name == b"A.go"]
    watch.close()
    assert events == [(CREATE, b"A.go")]


def test_the_own_line_stays_until_the_next_own_turn(room: Any) -> None:
    room.start()
    room.move("A", "a 5")
    room.wait_for_turn("B")
    assert room.read_move_file("A").split() == ["A", "a", "5"]
    time.sleep(0.02)
    assert room.read_move_file("A").split() == ["A", "a", "5"]


def test_the_go_file_is_removed_after_an_accepted_move(room: Any) -> None:
    room.start()
    for number, move in enumerate(WIN):
        team = "AB"[number % 2]
        room.wait_for_turn(team).unlink()
        room.write(team, f"{team} {move}")
        room.wait_until(
            lambda n=number: len(room.folder("B").joinpath("history_file").read_text().splitlines()) > n, "a move"
        )
    assert room.end().winner == 1


def test_a_file_written_in_pieces_is_read_when_complete(room: Any, waiting: str) -> None:
    room.start()
    room.wait_for_turn("A")
    with open(room.folder("A") / "move_file", "w") as file:
        for piece in ("A", " ", "h", " 1"):
            file.write(piece)
            file.flush()
            time.sleep(0.1)
        file.write("2")
    room.wait_for_end_of_turn("A")
    room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 12\n"


def test_an_unclosed_line_is_read_once_it_stops_changing(room: Any) -> None:
    room.start()
    room.wait_for_turn("A")
    with open(room.folder("A") / "move_file", "w") as file:
        file.write("A h 8\n")
        file.flush()
        room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 8\n"


def test_a_write_that_restores_the_timestamps_is_noticed(room: Any) -> None:
    room.start()
    room.wait_for_turn("A")
    path = room.folder("A") / "move_file"
    before = path.stat()
    room.write("A", "A h 8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 8\n"


@pytest.mark.parametrize(
    "text", ["A h 8", "a H 8", "A  h   8  \n", "A H 8\r\n", "A h 8\nmore\n", "A h 8 and more", "A h8", "\nA h 8\n"]
)
def test_newlines_case_blanks_and_further_fields_do_not_matter(room: Any, text: str) -> None:
    room.start()
    room.wait_for_turn("A")
    room.write("A", text)
    room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 8\n"


def test_the_end_shows_the_last_line_the_result_and_the_history(room: Any) -> None:
    room.start()
    play(room, WIN)
    assert room.end().winner == 1
    for team in "AB":
        folder: Path = room.folder(team)
        assert room.read_move_file(team) == "A e 5\n"
        assert (folder / "end_game").read_text() == "END: A WINS!  B LOSES!  5 in a row!\n"
        history = [f"{'AB'[n % 2]} {move}" for n, move in enumerate(WIN)]
        assert (folder / "history_file").read_text().splitlines() == history


def test_the_history_grows_with_every_move(room: Any) -> None:
    room.start()
    for number, move in enumerate(WIN[:4]):
        room.move("AB"[number % 2], move)
        room.wait_for_turn("BA"[number % 2])
        for team in "AB":
            room.wait_until(
                lambda t=team, n=number: len((room.folder(t) / "history_file").read_text().splitlines()) == n + 1,
                "a line",
            )


@pytest.mark.slow
def test_a_move_near_the_end_of_the_time_counts(room: Any) -> None:
    room.start(per_move=6.0)
    room.wait_for_turn("A")
    time.sleep(5.0)  # a busy machine has the last second
    room.write("A", "A h 8")
    room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 8\n"


def test_a_move_long_after_the_time_does_not(room: Any) -> None:
    room.start(per_move=0.3)
    room.wait_for_turn("A")
    time.sleep(0.5)
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TIME)


def test_the_classic_pace_keeps_turns_apart(room: Any) -> None:
    room.start(pace=0.2)
    start = time.monotonic()
    play(room, WIN[:4])
    assert time.monotonic() - start >= 2.5 * 0.2  # the first rest began with the first turn, a little earlier


@pytest.mark.parametrize(("says_ready", "turn_gap", "least_pause"), [(False, 0.0, MIN_TURN_GAP), (True, 0.25, 0.25)])
def test_an_agent_can_see_the_gap_between_two_turns(
    room: Any, monkeypatch: pytest.MonkeyPatch, says_ready: bool, turn_gap: float, least_pause: float
) -> None:
    rests: list[float] = []
    show_turn = GameFolder.create_turn_file

    def shows(game_folder: GameFolder, team: str) -> None:
        rests.append(time.monotonic() - game_folder.turn_ended_at(team))
        show_turn(game_folder, team)

    monkeypatch.setattr(GameFolder, "create_turn_file", shows)
    room.start(says_ready=says_ready, turn_gap=turn_gap)
    play(room, WIN)
    assert room.end().winner == 1
    assert len(rests) == len(WIN)
    assert min(rests) >= least_pause


def test_a_deleted_go_file_is_restored(room: Any) -> None:
    room.start(says_ready=False)
    for number, move in enumerate(WIN):
        team = "AB"[number % 2]
        for _ in range(2):
            room.wait_for_turn(team).unlink()
        room.wait_for_turn(team)
        room.write(team, f"{team} {move}")
        room.wait_for_end_of_turn(team)
    assert room.end().winner == 1


def test_a_loss_on_time_without_ready_names_the_remedy(room: Any) -> None:
    room.start(per_move=1, says_ready=False)
    room.move("A", "h 8")
    room.move("B", "h 9")
    outcome = room.end()
    assert outcome.detail == (
        "nothing was written within 1 s; if it sleeps after a move, or waits until its .go disappears, "
        "set classic_pace = true for it"
    )


def test_files_of_an_earlier_game_are_removed_at_the_start(room: Any) -> None:
    for team in "BA":
        folder = room.folder(team)
        folder.mkdir(exist_ok=True)
        for name in ("move_file", "end_game", "history_file", "position.json", "next_game"):
            (folder / name).write_text("B h 8\n")
        (folder / "B.go").write_text("go!")
        (folder / f"{team}.ready").write_text(str(os.getpid()))
        (folder / "notes.txt").write_text("mine")
    room.start()
    room.wait_until(lambda: not (room.folder("B") / "B.go").exists(), "the old turn's end")
    room.wait_for_turn("A")
    for team in "AB":
        folder = room.folder(team)
        assert (folder / "move_file").read_text() == ""
        assert (folder / "history_file").read_text() == ""
        assert not (folder / "end_game").exists()
        assert not (folder / "next_game").exists()
        assert (folder / f"{team}.ready").exists(), "its process is alive"
        assert (folder / "notes.txt").read_text() == "mine"
    assert not (room.folder("B") / "B.go").exists()


def test_a_foreign_go_source_file_is_never_overwritten(room: Any) -> None:
    room.folder("A").mkdir(exist_ok=True)
    (room.folder("A") / "A.go").write_text("package main\n")
    room.start()
    room.thread.join(10)
    assert "A.go in this folder is not a game file" in str(room.fault)
    assert (room.folder("A") / "A.go").read_text() == "package main\n"
    room.fault = None
