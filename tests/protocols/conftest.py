"""A referee at work in a thread, in both layouts and both ways of waiting; the tests are the agents."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Game, Outcome
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, GameSetup, Moved, Ply, Warned
from gomogo_core.play.game_loop import play_game
from gomogo_core.protocols.files import FilesPlayer
from gomogo_core.wire.game_folder import GameFolder

TIMEOUT_SECONDS = 120.0  # seconds before a test gives up on the referee


class Room:
    """A game under a referee, with the actions of an agent: look, write, wait for its turn."""

    def __init__(self, place: Path, layout: str) -> None:
        self.place, self.layout = place, layout
        self.events: list[Event] = []
        self.outcome: Outcome | None = None
        self.thread: threading.Thread | None = None
        self.fault: BaseException | None = None
        self.players: list[FilesPlayer] = []

    def folder(self, team: str) -> Path:
        """Return the folder of a team's agent."""
        return self.place if self.layout == "shared" else self.place / team

    def start(
        self,
        game: Game | None = None,
        *,
        per_move: float = 5.0,
        retry: bool = False,
        pace: float = 0.0,
        teams: tuple[str, ...] = ("A", "B"),
        opening: tuple[Ply, ...] = (),
        says_ready: bool = True,
        turn_gap: float = 0.0,
    ) -> None:
        """Begin a game. The agents have said that they are ready, so that nothing waits, or never do."""
        table = GameSetup(game or load("gomoku"), teams, (TimeControl(per_move),) * len(teams), opening)
        shared = GameFolder(self.place, teams) if self.layout == "shared" else None
        boxes = [shared or GameFolder(self.folder(team), teams, owner=team) for team in teams]
        declares_ready = None if says_ready else False
        self.players = [
            FilesPlayer(team, box, None, declares_ready, turn_gap=turn_gap)
            for team, box in zip(teams, boxes, strict=True)
        ]
        for team in teams:
            self.folder(team).mkdir(exist_ok=True)
            if says_ready:
                (self.folder(team) / f"{team}.ready").write_text(str(os.getpid()))

        def referee() -> None:
            try:
                self.outcome = play_game(table, self.players, [self.events.append], retry_illegal=retry, pace=pace)
            except BaseException as error:
                self.fault = error

        self.thread = threading.Thread(target=referee, daemon=True)
        self.thread.start()

    def wait_until(self, happened: Callable[[], object], description: str) -> None:
        """Wait until `happened()` is true."""
        limit = time.monotonic() + TIMEOUT_SECONDS
        while not happened():
            assert self.fault is None, self.fault
            assert time.monotonic() < limit, f"{description} did not happen"
            time.sleep(0.0005)

    def wait_for_turn(self, team: str) -> Path:
        """Wait for the team's turn, and return the path of its .go file."""
        path = self.folder(team) / f"{team}.go"
        self.wait_until(path.exists, f"{path.name}")
        return path

    def wait_for_end_of_turn(self, team: str) -> None:
        """Wait until the team's turn is over."""
        self.wait_until(lambda: not (self.folder(team) / f"{team}.go").exists(), f"the end of {team}'s turn")

    def read_move_file(self, team: str) -> str:
        """Return the content of move_file in a team's folder."""
        return (self.folder(team) / "move_file").read_text()

    def write(self, team: str, text: str | bytes) -> None:
        """Write into move_file as most agents do: opened, truncated, written, closed."""
        content = text.encode() if isinstance(text, str) else text
        with open(self.folder(team) / "move_file", "wb") as file:
            file.write(content)

    def move(self, team: str, move: str) -> None:
        """Wait for the turn, write a line, and wait until it was taken."""
        self.wait_for_turn(team)
        self.write(team, f"{team} {move}")
        self.wait_for_end_of_turn(team)

    def end(self) -> Outcome:
        """Wait for the end of the game."""
        assert self.thread is not None
        self.thread.join(TIMEOUT_SECONDS)
        assert self.fault is None, self.fault
        assert self.outcome is not None, "the game did not end"
        return self.outcome

    def moves(self) -> list[str]:
        return [event.move for event in self.events if isinstance(event, Moved)]

    def warnings(self) -> list[str]:
        return [event.warning for event in self.events if isinstance(event, Warned)]


@pytest.fixture(params=["inotify", "polling"])
def waiting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which the referee learns of a change."""
    monkeypatch.setenv("GOMOGO_INOTIFY", "on" if request.param == "inotify" else "off")
    return str(request.param)


def _use_and_close(room: Room) -> Iterator[Room]:
    """A room for a test; a game that still runs at its end is ended by its players."""
    yield room
    limit = time.monotonic() + TIMEOUT_SECONDS
    while room.thread is not None and room.thread.is_alive() and time.monotonic() < limit:
        for player in room.players:
            with contextlib.suppress(OSError):
                if (room.folder(player.name) / f"{player.name}.go").exists():
                    room.write(player.name, f"{player.name} resign\n")
        room.thread.join(0.02)
    for player in room.players:
        player.game_folder.close()


@pytest.fixture(params=["shared", "private"])
def room(request: pytest.FixtureRequest, tmp_path: Path, waiting: str) -> Iterator[Room]:
    """A room in each layout."""
    yield from _use_and_close(Room(tmp_path, request.param))


@pytest.fixture
def shared_room(tmp_path: Path, waiting: str) -> Iterator[Room]:
    """A room whose teams share one folder, in which nobody knows whose hand wrote a line."""
    yield from _use_and_close(Room(tmp_path, "shared"))


@pytest.fixture
def private_room(tmp_path: Path, waiting: str) -> Iterator[Room]:
    """A room with private folders, for guarantees that a shared folder cannot give."""
    yield from _use_and_close(Room(tmp_path, "private"))
