"""Faults of the original referee: each row of the protocol's second list, in both layouts and both ways to wait."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import signal
import threading
import time
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.play.events import Moved
from gomogo_core.processes import cpu_times
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.move_reader import MoveReader


def first_answer(room: Any, text: str | bytes, per_move: float = 0.4) -> Any:
    """A's first answer, in a game where nothing else happens."""
    room.start(per_move=per_move)
    room.wait_for_turn("A")
    room.write("A", text)
    return room.end()


@pytest.mark.parametrize(
    "text",
    """
    garbage|A zz 8|A h x|A h 99|A h -1|A h 0|A hh 8|A h 8.5|A 99999999999999999999|A h 99999999999999999999|C h 8|A pass
    8 h A|<b>A</b>|\x00\x00\x00\x00|A\x00h\x008|\ufeff\ufeffA h 8|\ufffe\x00A
    """.strip()
    .replace("\n    ", "|")
    .split("|"),
)
def test_an_invalid_line_loses_as_not_a_move(room: Any, text: str | bytes) -> None:
    outcome = first_answer(room, text, per_move=5)
    assert (outcome.winner, outcome.reason) == (2, Reason.NOT_A_MOVE)
    assert (room.folder("B") / "end_game").read_text() == "END: B WINS!  A LOSES!  invalid move\n"


@pytest.mark.parametrize("text", ["", "   \n", "A", "A ", "A h", "a H ", "A\n", "A re"])
def test_an_incomplete_line_is_awaited_until_the_time_limit(room: Any, text: str) -> None:
    outcome = first_answer(room, text)
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TIME)
    assert (room.folder("B") / "end_game").read_text() == "END: B WINS!  A LOSES!  out of time\n"


@pytest.mark.parametrize("has_core", [True, False])
def test_a_move_read_late_counts_from_its_writing_if_the_referee_had_no_core(
    room: Any, monkeypatch: pytest.MonkeyPatch, has_core: bool
) -> None:
    wait_on_idle_machine = MoveReader.wait

    def wait_long(*arguments: Any) -> Any:
        time.sleep(2.5)
        return wait_on_idle_machine(*arguments)

    monkeypatch.setattr(MoveReader, "wait", wait_long)
    monkeypatch.setattr(cpu_times, "thread_core_wait", lambda _: 0.0 if has_core else time.monotonic())
    room.start(per_move=2)
    room.wait_for_turn("A")
    room.write("A", "A h 8")
    if has_core:
        assert room.end().reason is Reason.OUT_OF_TIME
    else:
        room.wait_for_turn("B")
        assert "the referee had no core" in room.warnings()[0]


def test_the_opponents_name_loses_for_the_owner_of_a_private_folder(private_room: Any) -> None:
    outcome = first_answer(private_room, "B h 8", per_move=5)
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TURN)
    assert (private_room.folder("B") / "end_game").read_text() == "END: B WINS!  A LOSES!  out of order move\n"


@pytest.mark.parametrize("opening", [[], ["h 8"]])
def test_the_opponents_second_line_proves_nothing_in_a_shared_folder(shared_room: Any, opening: list[str]) -> None:
    room = shared_room
    room.start()
    for move in opening:
        room.move("A", move)
    mover, other = "AB"[len(opening)], "BA"[len(opening)]
    before = f"{other} {opening[-1]}\n" if opening else ""
    room.wait_for_turn(mover)
    for text in (f"{other} i 9", f"{other} k 10\n", f"{before}{other} c 3"):
        room.write(mover, text)
        room.wait_until(lambda: room.read_move_file(mover) == before, "the line's return")
    room.write(mover, f"{mover} d 4")
    room.wait_for_end_of_turn(mover)
    room.wait_for_turn(other)
    assert room.read_move_file(other) == f"{mover} d 4\n"
    assert room.warnings() == [f"the line '{other.casefold()} i 9' names another team: not counted"]


def test_a_mover_without_its_own_line_runs_out_of_time_in_a_shared_folder(shared_room: Any) -> None:
    room = shared_room
    room.start(per_move=0.4)
    room.wait_for_turn("A")
    room.write("A", "B h 8")
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TIME)
    assert outcome.detail == "no line of its own was written (the line 'b h 8' names another team) within 0.4 s"


@pytest.mark.parametrize("method", ["emptied", "removed"])
def test_an_emptied_move_file_is_restored_in_a_shared_folder(shared_room: Any, method: str) -> None:
    room = shared_room
    room.start()
    room.move("A", "h 8")
    room.wait_for_turn("B")
    path = room.folder("B") / "move_file"
    if method == "emptied":
        room.write("B", "")
    else:
        path.unlink()
    room.wait_until(lambda: path.exists() and room.read_move_file("B") == "A h 8\n", "the line's return")
    with open(path, "a") as file:  # a team may append to the content that it found
        file.write("B i 9\n")
    room.wait_for_turn("A")
    assert room.read_move_file("A") == "B i 9\n"


def test_a_move_written_into_the_file_that_is_being_replaced_counts(shared_room: Any) -> None:
    """The mover opens `move_file` a moment before the referee restores it."""
    room = shared_room
    room.start()
    room.move("A", "h 8")
    reader, opened = room.players[0].game_folder.reader, []
    restore = reader._write_delivered_line

    def restores() -> None:
        opened.append(os.open(room.folder("B") / "move_file", os.O_WRONLY | os.O_TRUNC))
        restore()

    reader._write_delivered_line = restores
    room.wait_for_turn("B")
    room.write("B", "A k 10\n")
    room.wait_until(lambda: opened and room.read_move_file("B") == "A h 8\n", "the line's return")
    for piece in (b"B j 1", b"0"):
        os.write(opened[0], piece)
        time.sleep(0.1)
    os.close(opened[0])
    room.wait_for_turn("A")
    assert room.read_move_file("A") == "B j 10\n"


def test_analysis_of_a_move_is_recorded_and_hidden_from_the_opponent(room: Any) -> None:
    room.start()
    room.wait_for_turn("A")
    room.write("A", 'A h 8\n{"score": 7, "line": ["h8", "i9"], "thoughts": "A i 1"}\n')
    room.wait_for_end_of_turn("A")
    room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 8\n"
    room.write("B", "B h 9\nA i 9\n")
    room.wait_until(lambda: len(room.moves()) == 2, "B's move")
    analyses = [(event.score, event.line, event.thoughts) for event in room.events if isinstance(event, Moved)]
    assert analyses == [(7.0, "h8 i9", "A i 1"), (None, None, None)]


def test_an_occupied_point_is_an_invalid_move_with_its_reason(room: Any) -> None:
    room.start()
    room.move("A", "h 8")
    room.wait_for_turn("B")
    room.write("B", "B h 8")
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (1, Reason.ILLEGAL_MOVE)
    assert outcome.detail == "h8 is occupied by black"


def test_a_take_over_is_for_the_second_move_only(room: Any) -> None:
    room.start(load("gomoku", opening="takeover"))
    room.move("A", "h 8")
    room.move("B", "h 8")
    room.wait_for_turn("A")
    room.write("A", "A h 8")
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (2, Reason.ILLEGAL_MOVE)
    assert (room.folder("A") / "history_file").read_text() == "A h 8\nB h 8\n"


@pytest.mark.slow
@pytest.mark.parametrize("replacement", ["deleted", "fifo", "folder", "link"])
def test_every_replacement_of_move_file_gets_a_verdict(room: Any, replacement: str) -> None:
    room.start(per_move=0.4)
    room.wait_for_turn("A")
    path = room.folder("A") / "move_file"
    path.unlink()
    if replacement == "fifo":
        os.mkfifo(path)
    elif replacement == "folder":
        path.mkdir()
    elif replacement == "link":
        path.symlink_to("/etc/passwd")
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TIME)
    assert (room.folder("B") / "end_game").read_text().startswith("END: B WINS!")


def test_a_deleted_move_file_can_be_written_again(room: Any) -> None:
    room.start()
    room.wait_for_turn("A")
    (room.folder("A") / "move_file").unlink()
    room.write("A", "A h 8")
    room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 8\n"


def test_half_a_line_is_awaited_until_it_is_complete(room: Any) -> None:
    room.start()
    room.wait_for_turn("A")
    room.write("A", "A h")
    time.sleep(0.3)
    room.write("A", "A h 12")
    room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 12\n"


@pytest.mark.slow
def test_a_line_from_before_the_turn_is_a_warning_and_not_the_move(private_room: Any) -> None:
    room = private_room
    room.start(per_move=2.0)
    room.wait_for_turn("A")
    room.write("B", "B c 3")
    room.write("A", "A h 8")
    room.wait_for_turn("B")
    assert room.read_move_file("B") == "A h 8\n"
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (1, Reason.OUT_OF_TIME)


def test_the_record_keeps_the_warning(private_room: Any) -> None:
    room = private_room
    room.start()
    room.wait_for_turn("A")
    room.write("B", "B c 3")
    room.write("A", "A h 8")
    room.move("B", "d 4")
    room.wait_for_turn("A")
    assert room.warnings() == ["wrote a line before its turn"]


def test_an_opponent_cannot_write_the_movers_line_in_private_folders(private_room: Any) -> None:
    room = private_room
    room.start(per_move=0.4)
    room.wait_for_turn("A")
    room.write("B", "A a 1")
    outcome = room.end()
    assert (outcome.winner, outcome.reason, room.moves()) == (2, Reason.OUT_OF_TIME, [])


def test_a_five_on_the_last_square_beats_the_full_board(room: Any) -> None:
    rows = ["ooxox", "oxoxo", "xxxx.", "oxoxo", "ooxox"]
    points = {
        sign: [f"{'abcde'[c]} {r + 1}" for r in range(5) for c in range(5) if rows[r][c] == sign] for sign in "xo"
    }
    room.start(load("gomoku", size=5))
    for black, white in zip(points["x"], points["o"], strict=True):
        room.move("A", black)
        room.move("B", white)
    room.wait_for_turn("A")
    room.write("A", "A e 3")
    assert room.end().reason is Reason.LINE
    assert (room.folder("B") / "end_game").read_text() == "END: A WINS!  B LOSES!  5 in a row!\n"


def test_an_illegal_line_is_refused_under_retry_and_the_clock_runs_on(
    room: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # on a busy machine, the referee's own wait for a core is taken off a move's time
    monkeypatch.setattr(cpu_times, "thread_core_wait", lambda _: 0.0)
    room.start(retry=True)
    room.move("A", "h 8")
    room.wait_for_turn("B")
    room.write("B", "B h 8")
    room.wait_until(lambda: room.read_move_file("B") == "A h 8\n", "the refusal")
    room.wait_for_turn("B")
    time.sleep(0.1)
    room.write("B", "B rubbish")
    room.wait_until(lambda: room.read_move_file("B") == "A h 8\n", "the second refusal")
    room.wait_for_turn("B")
    room.write("B", "B i 9")
    room.wait_for_turn("A")
    assert room.read_move_file("A") == "B i 9\n"
    assert [warning.split(":")[0] for warning in room.warnings()] == ["refused", "refused"]
    room.move("A", "a 5")
    moved = {event.move: event.seconds_taken for event in room.events if isinstance(event, Moved)}
    assert moved["i9"] > 0.1


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="only Linux has leases")
@pytest.mark.parametrize("name", ["B.go", "move_file"])
def test_a_lease_on_a_file_ends_in_a_verdict(room: Any, name: str) -> None:
    """A process that opens such a file waits until its holder returns the lease, or for 45 s."""
    room.start(per_move=2.0)
    room.wait_for_turn("A")
    path = room.folder("B" if name == "B.go" else "A") / name
    if name == "B.go":
        path.touch()
    file = os.open(path, os.O_RDWR)
    fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
    for _ in range(1000):  # refused while the referee, which polls, has the file open
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            break
        except BlockingIOError:
            time.sleep(0.0005)
    if name == "B.go":
        room.write("A", "A h 8")
    outcome = room.end()
    os.close(file)
    assert outcome.reason is Reason.OUT_OF_TIME
    assert outcome.winner == (1 if name == "B.go" else 2)
    nothing_written = "nothing was written" + (
        " (move_file: it cannot be opened" if name == "move_file" else " within 2 s"
    )
    assert outcome.detail.startswith(nothing_written)


def test_an_agent_that_writes_without_end_gets_a_verdict(room: Any) -> None:
    room.start(per_move=0.5)
    room.wait_for_turn("A")
    stop = threading.Event()

    def rave() -> None:
        while not stop.is_set():
            room.write("A", "A h" * 1000)

    raving = threading.Thread(target=rave)
    raving.start()
    outcome = room.end()
    stop.set()
    raving.join()
    assert outcome.winner == 2


def test_an_overlong_line_is_judged_by_its_beginning(room: Any) -> None:
    outcome = first_answer(room, "x" * 1_000_000, per_move=5)
    assert (outcome.winner, outcome.reason) == (2, Reason.NOT_A_MOVE)


def test_resign_is_a_move_in_every_game(room: Any) -> None:
    outcome = first_answer(room, "A resign", per_move=5)
    assert (outcome.winner, outcome.reason) == (2, Reason.RESIGNED)
    assert (room.folder("B") / "end_game").read_text() == "END: B WINS!  A LOSES!  resigned\n"


@pytest.mark.slow
def test_an_unremovable_go_file_does_not_harm_the_opponent(private_room: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A team may see to it that its `.go` cannot be removed, while its opponent already thinks."""
    room, end_turn = private_room, GameFolder.end_turn

    def ends(game_folder: GameFolder, team: str) -> None:
        if team == "A":
            raise OSError(errno.ENOTEMPTY, "Directory not empty")
        end_turn(game_folder, team)

    monkeypatch.setattr(GameFolder, "end_turn", ends)
    room.start(per_move=2.0)
    room.wait_for_turn("A")
    room.write("A", "A h 8")
    room.move("B", "c 3")
    room.wait_until(lambda: room.read_move_file("A") == "B c 3\n", "A's second turn")
    assert (room.folder("A") / "history_file").read_text() == "A h 8\nB c 3\n"
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TIME)


def test_a_player_that_destroys_its_folder_in_its_turn_loses(private_room: Any) -> None:
    room = private_room
    room.start(per_move=0.4)
    room.wait_for_turn("A")
    shutil.rmtree(room.folder("A"))
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TIME)
    assert (room.folder("B") / "end_game").read_text() == "END: B WINS!  A LOSES!  out of time\n"


def test_a_link_to_another_teams_folder_is_not_read(private_room: Any) -> None:
    room = private_room
    room.start(per_move=0.4)
    room.wait_for_turn("A")
    room.write("B", "B c 3")
    room.folder("A").rename(room.folder("A").with_name("moved"))
    room.folder("A").symlink_to(room.folder("B"))
    outcome = room.end()
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TIME)


def test_a_folder_destroyed_before_the_turn_is_recreated(private_room: Any) -> None:
    room = private_room
    room.start()
    room.wait_for_turn("A")
    shutil.rmtree(room.folder("B"))
    room.write("A", "A h 8")
    room.wait_for_turn("B")
    room.wait_for_end_of_turn("A")
    assert room.read_move_file("B") == "A h 8\n"
    room.write("B", "B i 9")
    room.wait_for_turn("A")
    assert room.read_move_file("A") == "B i 9\n"
    assert (room.folder("B") / "history_file").read_text().startswith("A h 8\n")
    room.wait_for_end_of_turn("B")
    shutil.rmtree(room.folder("B"))
    room.move("A", "k 10")
    room.wait_for_turn("B")
    assert json.loads((room.folder("B") / "game.json").read_text())["you"] == "B"
