"""Agents that write a line in pieces, with pauses: the referee reads every word of it, or waits."""

from __future__ import annotations

import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Reply, Turn
from gomogo_core.protocols.files import FilesPlayer
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.lines import spaced_text

pytestmark = pytest.mark.slow

GAME = load("gomoku", size=19)
TEAMS = ("A", "B")
LONGEST_PAUSE = 0.12
AT_ONCE = 40  # games that run beside each other: they wait most of the time


class Writer:
    """Writes its lines into `move_file` in 1 to 5 pieces, in place, with a pause before each of them, and closes it.

    It may hold the file of its last move open meanwhile, and close that between two pieces.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.path, self.draw = folder / "move_file", random.Random(seed)
        self.held: list[int] = []

    def hold(self) -> None:
        """Open the file of the last move to write, and write nothing."""
        self.held.append(os.open(self.path, os.O_WRONLY))

    def write(self, line: str) -> None:
        draw = self.draw
        file = os.open(self.path, os.O_WRONLY | os.O_TRUNC)
        ends = [*sorted(draw.sample(range(1, len(line)), draw.randint(0, 4))), len(line)]
        for begin, end in zip([0, *ends], ends, strict=False):
            self.pause()
            os.write(file, line[begin:end].encode())
            if draw.random() < 0.5:
                self.release()
        self.pause()
        os.close(file)
        self.release()

    def pause(self) -> None:
        time.sleep(self.draw.uniform(0, LONGEST_PAUSE))

    def release(self) -> None:
        while self.held:
            os.close(self.held.pop())


def misread(place: Path, layout: str, ready: bool, moves: int, seed: int) -> list[str]:
    """Ask two such agents for moves by turns; the lines that were read otherwise than they were written."""
    place.mkdir()
    table, draw = GameSetup(GAME, TEAMS, (TimeControl(10.0),) * 2), random.Random(seed)
    shared = GameFolder(place, TEAMS) if layout == "shared" else None
    folders = {team: place if shared else place / team for team in TEAMS}
    players = [FilesPlayer(team, shared or GameFolder(folders[team], TEAMS, owner=team), None, ready) for team in TEAMS]
    plies: list[Ply] = []
    wrong: list[str] = []
    for seat, player in enumerate(players, 1):
        player.start(table, seat)
    writers = {team: Writer(folders[team], seed + seat) for seat, team in enumerate(TEAMS)}
    position = GAME.start()
    for number in range(moves):
        seat = number % 2 + 1
        team, player = TEAMS[seat - 1], players[seat - 1]
        move = draw.choice([GAME.format(legal_move) for legal_move in position.moves()])
        line = f"{team} {spaced_text(move)}" + draw.choice(["", "\n"])
        thread = threading.Thread(target=writers[team].write, args=(line,))
        reply = player.await_move(Turn(position, None, plies, 10.0, 0.0, (None, None), on_waiting=thread.start))
        thread.join()
        if not isinstance(reply, Reply) or GAME.format(GAME.parse(reply.text)) != move:
            wrong.append(f"{line!r} was read as {reply!r}")
        plies.append(Ply(seat, move))
        for program in players:
            program.notify_move(plies[-1])
        if layout == "private":  # in a shared folder it would delay the next team
            writers[team].hold()
    for writer in writers.values():
        writer.release()
    for player in players:
        player.game_folder.close()
    return wrong


def all_misread(place: Path, layout: str, ready: bool, moves: int) -> list[str]:
    """The misread lines among `moves` moves, in parallel games."""
    with ThreadPoolExecutor(AT_ONCE) as games:
        each = -(-moves // AT_ONCE)
        runs = [games.submit(misread, place / str(n), layout, ready, each, 10 * n) for n in range(AT_ONCE)]
        return [line for run in runs for line in run.result()]


@pytest.mark.parametrize("ready", [True, False], ids=["ready", "says-nothing"])
@pytest.mark.parametrize("layout", ["shared", "private"])
def test_no_line_in_pieces_is_misread(tmp_path: Path, waiting: str, layout: str, ready: bool) -> None:
    assert all_misread(tmp_path, layout, ready, 160) == []


@pytest.mark.long
@pytest.mark.parametrize("ready", [True, False], ids=["ready", "says-nothing"])
@pytest.mark.parametrize("layout", ["shared", "private"])
def test_no_line_in_pieces_is_misread_in_2000_moves(tmp_path: Path, waiting: str, layout: str, ready: bool) -> None:
    assert all_misread(tmp_path, layout, ready, 2000) == []
