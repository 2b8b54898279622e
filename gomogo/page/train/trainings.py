"""The trainings on this computer: their folders, and the processes that train.

Each training runs in its own process, `gomogo train`. Its folder keeps the network, so an interrupted training can be
continued. The module uses processes and folders, and does not depend on HTTP requests.
"""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock, Timeout

from gomogo.design.training_curves import LOCK_FILE, TrainingRow, read_rows
from gomogo_core.errors import UserError

MAX_RUNNING_TRAININGS = 2  # trainings at a time; each uses one thread
_TRAINING_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_LOG_FILE = "log.txt"
_INTERRUPT_SECONDS = 10.0  # the time in which an interrupted training must end, before it is killed


@dataclass(frozen=True, slots=True)
class Training:
    """A training. rows: its statistics, one row per round.

    state: "running", "running elsewhere" (in a process that this server has not started), "stopped", or the reason for
    its failure.
    """

    name: str
    rows: tuple[TrainingRow, ...]
    state: str

    @property
    def game_count(self) -> int:
        """The number of games from which the network has learned."""
        return sum(row["games"] for row in self.rows)


class Trainings:
    """The trainings in `folder`. Each of its subfolders holds one training."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._lock = threading.Lock()

    def list_trainings(self) -> list[Training]:
        """Return all trainings, the most recently changed one first."""
        folders = [(path, read_rows(path)) for path in self._folders()]
        folders.sort(key=lambda folder: folder[0].stat().st_mtime, reverse=True)
        return [
            Training(path.name, rows, self._state(path.name))
            for path, rows in folders
            if rows or path.name in self._processes
        ]

    def _folders(self) -> list[Path]:
        with contextlib.suppress(OSError):
            return [path for path in self.folder.iterdir() if path.is_dir() and _TRAINING_NAME.fullmatch(path.name)]
        return []

    def _state(self, name: str) -> str:
        process = self._processes.get(name)
        code = None if process is None else process.poll()
        if process is not None and code is None:
            return "running"
        if is_locked(self.folder / name):
            return "running elsewhere"
        if not code or code in (-signal.SIGINT, 128 + signal.SIGINT):
            return "stopped"
        lines = (self.folder / name / _LOG_FILE).read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return " ".join(lines[-2:]) or f"failed with exit code {code}"

    def start(self, name: str, games: int, self_play: int, seed: int | None) -> None:
        """Start a training, or continue the training with this name.

        games: the total number of games against greedy. self_play: the total number of games against itself. Raises
        UserError if the training cannot be started.
        """
        if not _TRAINING_NAME.fullmatch(name):
            raise UserError(
                "The name of a training must have 1 to 40 letters a to z, digits, - or _.", "Choose another name."
            )
        if games < 1 and self_play < 1:
            raise UserError("The number of games is missing.", "Enter a number of games.")
        if missing_names := missing_package():
            raise UserError(
                f"Training needs {missing_names}, which is not installed.", "Run: pip install 'gomogo[train]'"
            )
        with self._lock:
            running_names = [name for name, process in self._processes.items() if process.poll() is None]
            if name in running_names:
                raise UserError(f"The training {name} is already running.", "Wait for its end, or choose another name.")
            if len(running_names) >= MAX_RUNNING_TRAININGS:
                raise UserError(f"{MAX_RUNNING_TRAININGS} trainings are running.", "Stop one first.")
            folder = self.folder / name
            folder.mkdir(parents=True, exist_ok=True)
            arguments = ["train", "mm_ai", "--folder", str(folder), "--threads", "1"]
            arguments += ["--games", str(games)] if games else []
            arguments += ["--self-play", str(self_play)] if self_play else []
            arguments += [] if seed is None else ["--seed", str(seed)]
            with (folder / _LOG_FILE).open("wb") as log:
                self._processes[name] = subprocess.Popen(
                    [sys.executable, "-m", "gomogo", *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,  # Ctrl-C at the server does not reach it, and `close` interrupts it
                )

    def stop(self, name: str) -> None:
        """Interrupt a training. Its finished rounds are kept. Raises UserError if this server did not start it."""
        process = self._processes.get(name)
        if process is None or process.poll() is not None:
            raise UserError("This page has not started this training.", "Stop it where it was started.")
        process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Interrupt all trainings, and wait for their end."""
        running_processes = [process for process in self._processes.values() if process.poll() is None]
        for process in running_processes:
            process.send_signal(signal.SIGINT)
        for process in running_processes:
            try:
                process.wait(_INTERRUPT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()  # at most the current round is lost, since checkpoints are written atomically
                process.wait()


def is_locked(folder: Path) -> bool:
    """Return whether a process is training in this folder."""
    if not (path := folder / LOCK_FILE).exists():
        return False
    lock = FileLock(path, blocking=False)
    try:
        lock.acquire()
    except (Timeout, OSError):
        return True
    lock.release()
    return False


def missing_package() -> str:
    """Return the name of a package that training needs and that is not installed; empty if there is none."""
    return next((name for name in ("torch", "numba") if find_spec(name) is None), "")
