"""The speed of a whole `gomogo match` with every game stored: games per second, and processor time per game.

The time is measured as a user experiences it: from the start of the command to its end, when it has printed its table.
The processor time is that of all processes of the match: the command, its workers, supervisors and agents.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gomogo_core.records.store import Store

_ROOT = str(Path(__file__).resolve().parent.parent)


def command_environment() -> dict[str, str]:
    """Return the environment of the measured commands, which run this clone's modules.

    Python may cache the compiled modules, as on a user's machine. With PYTHONDONTWRITEBYTECODE, each process would
    compile all modules again, which takes as long as everything else until the first move.
    """
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**variables, "PYTHONPATH": _ROOT}


class MatchCost(NamedTuple):
    """The cost of a match.

    wall: the seconds from its start to its end. cpu: the seconds of processor time of all processes that it started.
    """

    games: int
    wall: float
    cpu: float

    @property
    def per_second(self) -> float:
        """Return the games per second; the start and the end of the command count in the time."""
        return self.games / self.wall


def measure_match(agents: Sequence[str], games: int, workers: int) -> MatchCost:
    """Play a match of `games` games. Raises CalledProcessError if the command fails."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "games.db"
        options = ["-n", str(games), "--workers", str(workers), "--seed", "1", "--time", "1", "--store", str(store)]
        usage_before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "gomogo", "match", *agents, *options],
            env=command_environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        wall_seconds, usage_after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        with Store.open(store) as opened_store:
            assert opened_store.count_games(opened_store.runs()[0]) == games
    return MatchCost(
        games, wall_seconds, usage_after.ru_utime + usage_after.ru_stime - usage_before.ru_utime - usage_before.ru_stime
    )


def measure_scaling(agents: Sequence[str], games: int) -> dict[str, float]:
    """Return the speeds of whole matches with one worker and with one worker per core.

    Each match is played twice, and the shorter time counts, since other programs can slow a match down but not speed it
    up.
    """
    core_count = len(os.sched_getaffinity(0))
    costs = {workers: [measure_match(agents, games, workers) for _ in range(2)] for workers in sorted({1, core_count})}
    best_costs = {workers: min(matches, key=lambda match: match.wall) for workers, matches in costs.items()}
    start_cpu = min(measure_match(agents, 2, 1).cpu for _ in range(3))
    return {
        "match_games": games,
        "games_per_second_1": round(best_costs[1].per_second, 1),
        f"games_per_second_{core_count}": round(best_costs[core_count].per_second, 1),
        "scaling": round(best_costs[core_count].per_second / best_costs[1].per_second, 2),
        "cpu_ms_per_game": round((best_costs[1].cpu - start_cpu) / games * 1e3, 2),
        "cpu_s_of_two_games": round(start_cpu, 2),
    }
