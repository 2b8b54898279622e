"""Fixtures for tournaments between players in this process, which test the runner, and for the command line."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from gomogo.cli import gomogo, run_for_exit_code
from gomogo_core.arena import distinct_team_names
from gomogo_core.catalogue import Agent
from gomogo_core.games.base import Game, Outcome, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Listener, Ply
from gomogo_core.play.game_loop import play_game
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.records.game_record import PlayedGame, Recorder
from gomogo_core.records.store import Store
from tests.tournaments._commands import BOT as QUICK_BOT
from tests.tournaments._commands import Command, CommandResult
from tournaments.plan import Plan
from tournaments.spec import TournamentSpec, spec_from_values

BOT = '"""A bot for tests."""\n\n\ndef choose(position, clock, *, depth: int = 1):\n    return next(position.moves())\n'


class RandomPlayer:
    """A player that plays random legal moves."""

    def __init__(self, name: str, rng: random.Random) -> None:
        self.name, self._rng = name, rng

    def start(self, table: GameSetup, seat: Seat) -> None: ...

    def await_ready(self) -> Failure | None:
        return None

    def await_move(self, turn: Turn) -> Reply | Failure:
        move = self._rng.choice(list(turn.position.moves()))
        return Reply(turn.position.game.format(move), 0.001)

    def notify_move(self, ply: Ply) -> None: ...

    def exit_failure(self) -> Failure | None:
        return None

    def exit_fd(self) -> int | None:
        return None

    def finish(self, outcome: Outcome) -> None: ...


class RandomArena:
    """An arena whose games consist of random moves, which the seed decides."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def process_ids(self) -> dict[Seat, int]:
        return {}  # its players live in this one

    def cpu_before_turn(self, seat: Seat) -> float | None:
        return None

    def play(
        self,
        game: Game,
        agents: Sequence[Agent],
        controls: Sequence[TimeControl],
        *,
        opening: Sequence[Ply] = (),
        seed: int | None = None,
        listeners: Sequence[Listener] = (),
        retry_illegal: bool = False,
        pace: float = 0.0,
        log: Path | None = None,
        adjudication: Adjudication | None = None,
    ) -> PlayedGame:
        assert threading.get_ident() == self.thread  # an arena belongs to one thread
        table = GameSetup(
            game, distinct_team_names([agent.name for agent in agents]), tuple(controls), tuple(opening), seed
        )
        recorder = Recorder(table, tuple(agent.spec for agent in agents))
        rng = random.Random(seed)
        players = [RandomPlayer(name, rng) for name in table.names]
        play_game(
            table, players, (recorder, *listeners), retry_illegal=retry_illegal, pace=pace, adjudication=adjudication
        )
        assert recorder.played_game is not None
        return recorder.played_game


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the bots a.py, b.py, c.py and d.py."""
    for name in "abcd":
        (tmp_path / f"{name}.py").write_text(BOT)
    return tmp_path


def make_spec(**overrides: Any) -> TournamentSpec:
    """Return a tournament of short games, in which three in a row win on a board of 5 × 5 points."""
    asked = {
        "name": "spring",
        "options": {"size": 5, "line": 3},
        "agents": ["a.py", "b.py", "c.py"],
        "games_per_pair": 4,
    }
    return spec_from_values({**asked, **overrides}, "spring.toml")


PlanOf = Callable[..., Plan]


@pytest.fixture
def plan(folder: Path) -> PlanOf:
    """Return a function that makes a plan of a tournament whose bots are in `folder`."""
    return lambda **overrides: Plan(make_spec(**overrides), folder)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "games.db") as opened:
        yield opened


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `gomogo ARGUMENTS` in a folder with the bots a.py and b.py."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOMOGO_STORE", raising=False)
    monkeypatch.setenv("GOMOGO_DATA", str(tmp_path / "data"))  # without the single games of other tests
    for name in "ab":
        Path(f"{name}.py").write_text(QUICK_BOT)

    def run(*arguments: str) -> CommandResult:
        code = run_for_exit_code(lambda: gomogo.main(list(arguments), prog_name="gomogo", standalone_mode=False))
        return CommandResult(code, *capsys.readouterr())

    return run
