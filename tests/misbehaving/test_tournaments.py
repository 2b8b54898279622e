"""Tournaments in which half of the agents misbehave: all games are played, and the honest ones are what they were."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.conformance.misbehaving.cases import FAULTS, Fault, misbehaving_program
from gomogo_core.play.clock import TimeControl
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._resumed import resume_state
from tournaments.plan import Plan
from tournaments.runner import Runner
from tournaments.spec import spec_from_values
from tournaments.thread_workers import ThreadWorkers

HONEST = {
    "first": "next(position.moves())",
    "last": "list(position.moves())[-1]",
    "middle": "sorted(position.moves())[len(list(position.moves())) // 2]",
    "winner": "max(position.moves(), key=lambda m: (o := position.play(m).outcome()) is not None and o.winner or 0)",
}
TOURNAMENTS = 8
GAMES_PER_PAIR = 8  # 28 pairs: 224 games
LIMIT = TimeControl(per_move=1.0, grace=0.5)
AT_A_TIME = 4  # many of these games wait


def faults(number: int) -> list[Fault]:
    """Four for one tournament: three whose verdict comes at once, and one that is waited for."""
    fit = [fault for fault in FAULTS.values() if not fault.needs_takeover]
    quick, slow = (
        [fault for fault in fit if not fault.verdict_at_deadline],
        [fault for fault in fit if fault.verdict_at_deadline],
    )
    return [quick[(3 * number + k) % len(quick)] for k in range(3)] + [slow[number % len(slow)]]


def write_agents(folder: Path, number: int) -> list[str]:
    """The folders and files of eight agents; their names, the honest ones first."""
    for name, move in HONEST.items():
        (folder / f"{name}.py").write_text(
            f"KEEP_RUNNING = True\n\n\ndef choose(position, clock):\n    return {move}\n"
        )
    names = [f"{name}.py" for name in HONEST]
    for fault in faults(number):
        protocol = fault.protocols[number % len(fault.protocols)]
        agent = misbehaving_program(fault, protocol, zlib.crc32(fault.name.encode()) % 4, LIMIT)
        (folder / fault.name).mkdir()
        description: dict[str, Any] = {
            "name": agent.name,
            "command": list(agent.command),
            "protocol": protocol,
            "ready": True,
        }
        if protocol != "files":
            del description["ready"]
        if fault.memory_mb:
            description["memory_mb"] = fault.memory_mb
        toml = "\n".join(f"{key} = {json.dumps(value)}" for key, value in description.items())
        (folder / fault.name / "agent.toml").write_text(f'{toml}\ngames = ["gomoku"]\n')
        names.append(f"./{fault.name}")
    return names


def play(folder: Path, store_name: str, agents: list[str]) -> dict[str, PlayedGame]:
    """Play a tournament to its end; its games by their keys."""
    asked = {
        "name": "hostile",
        "options": {"size": 6, "line": 5},
        "agents": agents,
        "games_per_pair": GAMES_PER_PAIR,
        "openings": "random:2",
        "seed": 7,
        "time": {"per_move": LIMIT.per_move, "grace": LIMIT.grace},
    }
    plan = Plan(spec_from_values(asked, "x.toml"), folder)
    with Store.open(folder / f"{store_name}.db") as store:
        run = resume_state(plan, store).stored_run
        progress = Runner(resume_state(plan, store), ThreadWorkers(AT_A_TIME)).play()
        assert progress.is_complete
        assert not any(store.count_games(run, status) for status in GameStatus if status is not GameStatus.PLAYED)
        return {key: store.game(key) for key in store.game_keys(run)}


def told(game: PlayedGame) -> object:
    return game.names, game.plies, game.outcome, game.forfeits


@pytest.mark.long
@pytest.mark.parametrize("number", range(TOURNAMENTS))
def test_misbehaving_agents_do_not_change_games_of_the_others(tmp_path: Path, number: int) -> None:
    agents = write_agents(tmp_path, number)
    alone_results = play(tmp_path, "alone", agents[: len(HONEST)])
    games = play(tmp_path, "mixed", agents)
    pairs = len(agents) * (len(agents) - 1) // 2
    assert len(games) == pairs * GAMES_PER_PAIR >= 200
    assert len(alone_results) == 6 * GAMES_PER_PAIR
    assert {key: told(games[key]) for key in alone_results} == {key: told(game) for key, game in alone_results.items()}
    for game in games.values():
        assert not game.outcome.is_void
        blamed = {game.names[seat - 1].removesuffix("-2") for seat in game.forfeits}
        assert not blamed & set(HONEST), f"{game.names}: {game.outcome}, {game.forfeits}"
