"""The number of moves that searching agents make too late on a busy machine.

python -m bench.late --json

Two agents play a match, several games at a time, while other processes keep the processor busy. `late` is the number of
games lost on time, and `doubtful` the number of those in whose records the machine is noted as a possible cause.
`over_limit` is the number of moves that needed the grace period. `used` is the median share of the time limit that a
move took. `over_p999_ms` and `over_max_ms` say by how many milliseconds the slowest thousandth of the moves, and the
slowest move, exceeded the limit; below 0 they were in time.
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

_BURN = "import time\nwhile True: time.time()"


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
    with tempfile.TemporaryDirectory() as place:
        gomogo = [sys.executable, "-m", "gomogo"]
        environment = {**os.environ, "GOMOGO_STORE": f"{place}/late.db"}
        match = [*gomogo, "match", *agents.split(","), "--game", game, "--name", "late", "--no-pin", "--json"]
        match += [f"--games={games}", f"--workers={workers}", f"--time={seconds}", f"--seed={seed}"]
        match += ["--openings=random:4"]
        burning = [subprocess.Popen([sys.executable, "-c", _BURN]) for _ in range(burners)]
        try:
            # on such a busy machine some games may be void; then the command exits with 1
            subprocess.run(match, env=environment, check=False, stdout=subprocess.DEVNULL)
        finally:
            for process in burning:
                process.kill()
                process.wait()
        export = [*gomogo, "export", "late", "--format=json", f"--output={place}/games"]
        subprocess.run(export, env=environment, check=True, stdout=subprocess.DEVNULL)
        records = [json.loads(path.read_text(encoding="utf-8")) for path in Path(place, "games").rglob("*.json")]
    found = _late_moves(records, seconds)
    click.echo(json.dumps(found) if as_json else f"{found['late']} of {found['moves']} moves late")


def _late_moves(records: list[dict[str, Any]], limit: float) -> dict[str, Any]:
    took = sorted(seconds for record in records for seconds in record["seconds"])
    late = [record for record in records if record["outcome"]["reason"] == "out_of_time"]
    return {
        "games": len(records),
        "moves": len(took) + len(late),
        "late": len(late),
        "doubtful": sum(bool(record["doubtful"]) for record in late),
        "over_limit": sum(seconds > limit for seconds in took),
        "used": round(statistics.median(took) / limit, 3),
        "over_p999_ms": round(1000 * (took[int(0.999 * len(took))] - limit), 1),
        "over_max_ms": round(1000 * (took[-1] - limit), 1),
    }


if __name__ == "__main__":
    main()
