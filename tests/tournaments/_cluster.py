"""A dask cluster of processes on this machine. It uses the loopback interface only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
_PATIENCE = 60


class Cluster:
    """A scheduler, and workers that can be added and killed. folder: holds the game folders."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.games = folder / "games"
        self.games.mkdir()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--no-show")
        until = time.monotonic() + _PATIENCE
        while not (self._file.exists() and self._file.read_text()):
            assert self.scheduler.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        self.address: str = json.loads(self._file.read_text())["address"]

    def worker(self, name: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread and no nanny, which would restart the worker if it is killed."""
        return self._start("worker", "--name", name, "--nthreads", "1", "--no-nanny", "--local-directory", name)

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *words, "--host", "127.0.0.1", "--no-dashboard"]
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "GOMOGO_FOLDER": str(self.games),
            "TMPDIR": str(self._folder),  # where cores are claimed
        }
        with (self._folder / f"{words[0]}-{len(self._processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [*command, "--scheduler-file", str(self._file)],
                cwd=self._folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def close(self) -> None:
        """End the workers, then the scheduler, since workers without a scheduler would try to reconnect."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()


def agents_below(pid: int) -> list[psutil.Process]:
    """Return the processes that a worker has started."""
    return psutil.Process(pid).children(recursive=True)
