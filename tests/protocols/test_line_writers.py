"""Two programs of one user in private folders: nobody loses by a line that another may have written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.processes.io_counters import WriteCounter
from gomogo_core.protocols.files import MAX_REPEATED_TURNS, FilesPlayer
from gomogo_core.wire.game_folder import GameFolder

pytestmark = pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="only Linux counts what a program writes")

HAND = """
import os
while line := os.read(0, 4096).decode():
    path, _, text = line.rstrip("\\n").partition("|")
    with open(path, "wb", buffering=0) as file:
        text and file.write(text.encode() + b"\\n")
    os.close(os.open(path + ".done", os.O_CREAT | os.O_WRONLY))
"""
Deed = tuple[str, str]  # the writers and their lines in the move_file of `mine`


class Hand:
    """A program that writes exactly the lines it receives."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-S", "-c", HAND], stdin=subprocess.PIPE)

    def write(self, path: Path, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path}|{text}".encode())
        self.process.stdin.flush()
        done_file = Path(f"{path}.done")
        while not done_file.exists():
            assert self.process.poll() is None
        done_file.unlink()


@pytest.fixture
def hands() -> Iterator[dict[str, Hand]]:
    writers = {"mine": Hand(), "strange": Hand()}
    yield writers
    for hand in writers.values():
        hand.process.kill()
        hand.process.communicate()


@pytest.fixture
def asked(tmp_path: Path, hands: dict[str, Hand]) -> Iterator[Callable[..., Reply | Failure]]:
    """Ask `mine` for a move while these deeds are done; its answer."""
    table = GameSetup(load("gomoku", size=5), ("mine", "strange"), (TimeControl(), TimeControl()))
    players: list[FilesPlayer] = []

    def ask(*rounds: list[Deed], enclosed: bool = False, ready: bool = True, seconds: float = 0.2) -> Reply | Failure:
        for seat, name in enumerate(table.names, 1):
            game_folder = GameFolder(tmp_path / name, table.names, owner=name)
            player = FilesPlayer(name, game_folder, None, ready, is_sandboxed=enclosed)
            player.start(table, seat)
            player._write_counter = WriteCounter(hands[name].process.pid)
            players.append(player)
        following = iter(rounds)

        def on_waiting() -> None:
            for team, text in next(following):
                hands[team].write(tmp_path / "mine" / "move_file", text)

        position, plies = table.game.replay(["c3", "d4"]), (Ply(1, "c3"), Ply(2, "d4"))
        turn = Turn(position, None, plies, seconds, 0.0, (None, None), opponents=(players[1],), on_waiting=on_waiting)
        return players[0].await_move(turn)

    yield ask
    for player in players:
        assert player._write_counter is not None
        player._write_counter.close()
        player.game_folder.remove()


@pytest.mark.parametrize("text", ["mine zz 99", "strange a 1", "mine a 99", "mine c 3", " "])
def test_a_player_with_an_overwritten_line_is_asked_again(asked: Callable[..., Reply | Failure], text: str) -> None:
    reply = asked([("mine", "mine a 1"), ("strange", text)], [("mine", "mine b 2")])
    assert isinstance(reply, Reply)
    assert reply.text == "b 2"
    counted = f"its move_file of {len(text) + 1} bytes was written 2 times; it wrote 9 bytes in one time"
    assert f"{counted}: another program may have done that: asked again" in reply.warnings


def test_a_legal_line_counts_with_any_writer(asked: Callable[..., Reply | Failure]) -> None:
    reply = asked([("mine", "mine a 1"), ("strange", "mine b 2")], seconds=30.0)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.warnings) == ("b 2", ())


def test_a_legacy_program_cannot_be_asked_again(asked: Callable[..., Reply | Failure]) -> None:
    reply = asked([("mine", "mine a 1"), ("strange", "mine zz 99")], ready=False)
    assert isinstance(reply, Failure)
    assert reply.reason is Reason.INTERRUPTED
    assert "another program may have done that" in reply.evidence


def test_the_number_of_repeated_turns_is_limited(asked: Callable[..., Reply | Failure]) -> None:
    reply = asked(*[[("mine", "mine a 1"), ("strange", "mine zz 99")]] * (MAX_REPEATED_TURNS + 1))
    assert isinstance(reply, Failure)
    assert reply.reason is Reason.INTERRUPTED


def test_with_two_writers_the_player_is_asked_again(asked: Callable[..., Reply | Failure]) -> None:
    reply = asked([("mine", ""), ("strange", "mine zz 9"), ("mine", "mine zz 99")], [("mine", "resign")])
    assert "asked again" in reply.warnings[-1]


@pytest.mark.parametrize("deeds", [("mine zz 99",), ("", "mine zz 99"), ("mine zz", "mine zz 99", "mine zz 9")])
def test_the_only_writer_of_a_line_is_responsible(
    asked: Callable[..., Reply | Failure], deeds: tuple[str, ...]
) -> None:
    reply = asked([("mine", text) for text in deeds])
    assert isinstance(reply, Failure)
    assert (reply.reason, reply.warnings) == (Reason.NOT_A_MOVE, ())


def test_in_the_sandbox_the_writer_is_certain(asked: Callable[..., Reply | Failure]) -> None:
    reply = asked([("mine", "mine zz 9"), ("strange", "mine zz 99")], enclosed=True)
    assert isinstance(reply, Failure)
    assert (reply.reason, reply.warnings) == (Reason.NOT_A_MOVE, ())


def test_a_line_of_another_program_is_not_an_answer(
    asked: Callable[..., Reply | Failure],
) -> None:
    reply = asked([("strange", "mine zz 99")])
    assert isinstance(reply, Failure)
    assert reply.reason is Reason.OUT_OF_TIME
