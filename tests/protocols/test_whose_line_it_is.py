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
from gomogo_core.play.events import GameSetup
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.processes.io_counters import WriteCounter
from gomogo_core.protocols.files import FilesPlayer
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
        done = Path(f"{path}.done")
        while not done.exists():
            assert self.process.poll() is None
        done.unlink()


@pytest.fixture
def hands() -> Iterator[dict[str, Hand]]:
    both = {"mine": Hand(), "strange": Hand()}
    yield both
    for hand in both.values():
        hand.process.kill()
        hand.process.communicate()


@pytest.fixture
def asked(tmp_path: Path, hands: dict[str, Hand]) -> Iterator[Callable[..., Reply | Failure]]:
    """Ask `mine` for a move while these deeds are done; its answer."""
    table = GameSetup(load("gomoku", size=5), ("mine", "strange"), (TimeControl(), TimeControl()))
    players: list[FilesPlayer] = []

    def ask(*deeds: Deed, enclosed: bool = False, ready: bool = True) -> Reply | Failure:
        for seat, name in enumerate(table.names, 1):
            mailbox = GameFolder(tmp_path / name, table.names, owner=name)
            player = FilesPlayer(name, mailbox, None, ready, enclosed=enclosed)
            player.start(table, seat)
            player._writes = WriteCounter(hands[name].process.pid)
            players.append(player)

        def on_waiting() -> None:
            for who, text in deeds:
                hands[who].write(tmp_path / "mine" / "move_file", text)

        turn = Turn(table.game.start(), None, (), 0.2, 0.0, (None, None), others=(players[1],), on_waiting=on_waiting)
        return players[0].choose(turn)

    yield ask
    for player in players:
        assert player._writes is not None
        player._writes.close()
        player.mailbox.remove()


@pytest.mark.parametrize("text", ["mine zz 99", "strange a 1", "mine a 99", " "])
def test_who_is_overwritten_by_another_is_asked_anew(asked: Callable[..., Reply | Failure], text: str) -> None:
    reply = asked(("mine", "mine a 1"), ("strange", text))
    doubt = reply.doubt()
    assert doubt is not None
    assert doubt.again
    told = f"its move_file, {len(text) + 1} bytes, was written 2 times; it wrote 9 bytes in one time"
    assert doubt.why == f"{told}: another may have done it"


def test_a_program_of_old_cannot_be_asked_anew(asked: Callable[..., Reply | Failure]) -> None:
    doubt = asked(("mine", "mine a 1"), ("strange", "mine zz 99"), ready=False).doubt()
    assert doubt is not None
    assert not doubt.again


def test_nobody_can_say_whose_line_came_last_where_both_wrote(asked: Callable[..., Reply | Failure]) -> None:
    assert asked(("mine", ""), ("strange", "mine zz 9"), ("mine", "mine zz 99")).doubt() is not None


@pytest.mark.parametrize("deeds", [("mine zz 99",), ("", "mine zz 99"), ("mine zz", "mine zz 99", "mine zz 9")])
def test_who_alone_has_written_has_written_it(asked: Callable[..., Reply | Failure], deeds: tuple[str, ...]) -> None:
    reply = asked(*[("mine", text) for text in deeds])
    assert isinstance(reply, Failure)
    assert reply.reason is Reason.NOT_A_MOVE
    assert reply.doubt() is None


def test_in_the_sandbox_there_is_no_doubt(asked: Callable[..., Reply | Failure]) -> None:
    assert asked(("mine", "mine zz 9"), ("strange", "mine zz 99"), enclosed=True).doubt() is None


def test_a_strangers_line_is_no_answer_of_who_wrote_none(asked: Callable[..., Reply | Failure]) -> None:
    reply = asked(("strange", "mine zz 99"))
    assert isinstance(reply, Failure)
    assert reply.reason is Reason.OUT_OF_TIME
