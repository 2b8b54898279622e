"""The number of moves that searching agents make too late on a busy machine.

python -m bench.late_moves --json

Two agents play a match, several games at a time, while other processes keep the processor busy. `late` is the number of
games lost on time, and `doubtful` the number of these games whose records name the machine as a possible cause. Such
games count as lost here, as in every match that is not continued with --replay-doubtful; no game is played again.
`over_limit` is the number of moves that needed the grace period. `used` is the median share of the time limit that a
move took. `over_p999_ms` and `over_max_ms` are the milliseconds by which the slowest thousandth of the moves, and the
slowest move, exceeded the limit. A negative number means that they were in time. Run `gomogo warm` first; otherwise the
agents compete with the compilation of their engines.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

_BURNER_SCRIPT = "import time\nwhile True: time.time()"


@click.command()
@click.option("--agents", default="iterative_deepening,mcts", show_default=True, help="The two agents.")
@click.option("--game", default="gomoku", show_default=True, help="The game that they play.")
@click.option("--games", default=20, show_default=True, help="Number of games.")
@click.option("--workers", default=4, show_default=True, help="Number of games at a time.")
@click.option("--burners", default=4, show_default=True, help="Number of processes that keep the processor busy.")
@click.option("--time", "seconds", default=0.1, show_default=True, help="Seconds for each move.")
@click.option("--seed", default=1, show_default=True, help="The seed of the match.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(
    agents: str, game: str, games: int, workers: int, burners: int, seconds: float, seed: int, as_json: bool
) -> None:
    """Count late moves while other processes keep the processor busy."""
    with tempfile.TemporaryDirectory() as folder:
        gomogo_command = [sys.executable, "-m", "gomogo"]
        environment = {**os.environ, "GOMOGO_STORE": f"{folder}/late.db"}
        match_options = ["--game", game, "--name", "late", "--no-pin", "--json"]
        match_command = [*gomogo_command, "match", *agents.split(","), *match_options]
        match_command += [f"--games={games}", f"--workers={workers}", f"--time={seconds}", f"--seed={seed}"]
        match_command += ["--openings=random:4"]
        burner_processes = [subprocess.Popen([sys.executable, "-c", _BURNER_SCRIPT]) for _ in range(burners)]
        try:
            # on such a busy machine, some games may be void; the command then exits with 1
            subprocess.run(match_command, env=environment, check=False, stdout=subprocess.DEVNULL)
        finally:
            for process in burner_processes:
                process.kill()
                process.wait()
        export_command = [*gomogo_command, "export", "late", "--format=json", f"--output={folder}/games"]
        subprocess.run(export_command, env=environment, check=True, stdout=subprocess.DEVNULL)
        records = [json.loads(path.read_text(encoding="utf-8")) for path in Path(folder, "games").rglob("*.json")]
    if not any(record["seconds"] for record in records):
        raise click.ClickException("Every game ended before its first move, so there is nothing to measure.")
    figures = _count_late_moves(records, seconds)
    click.echo(json.dumps(figures) if as_json else f"{figures['late']} of {figures['moves']} moves late")


def _count_late_moves(records: list[dict[str, Any]], limit: float) -> dict[str, Any]:
    move_seconds = sorted(seconds for record in records for seconds in record["seconds"])
    late_games = [record for record in records if record["outcome"]["reason"] == "out_of_time"]
    return {
        "games": len(records),
        "moves": len(move_seconds) + len(late_games),
        "late": len(late_games),
        "doubtful": sum(bool(record["doubtful"]) for record in late_games),
        "over_limit": sum(seconds > limit for seconds in move_seconds),
        "used": round(statistics.median(move_seconds) / limit, 3),
        "over_p999_ms": round(1000 * (move_seconds[int(0.999 * len(move_seconds))] - limit), 1),
        "over_max_ms": round(1000 * (move_seconds[-1] - limit), 1),
    }


if __name__ == "__main__":
    main()
