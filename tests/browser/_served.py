"""`gomogo serve` as a process of its own, which can be stopped and started again at the same address."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest


class ServerProcess:
    """The server. store: the file where it keeps games."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.store, self._options = folder, folder / "page.db", options
        self.port = 0
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = ["serve", "--port", str(self.port), "--store", str(self.store), *self._options]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "gomogo", *words],
            cwd=self.folder,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self._process.stderr is not None
        output = ""
        while not (address_match := re.search(r"at (http://127\.0\.0\.1:(\d+))/", output)):
            line = self._process.stderr.readline()
            assert line, f"it did not start: {output}"
            output += line
        self.address, self.port = address_match[1], int(address_match[2])
        teacher = re.search(r"Teacher: http://[^/]*(/class/\S+)", output)
        self.teacher = teacher[1] if teacher else ""

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)
        assert self._process.stderr is not None
        with self._process.stderr as errors:
            code = self._process.wait(120)
            assert code == 0, f"it ended with {code}: {errors.read()}"

    def kill(self) -> None:
        """End it as a power failure does."""
        self._process.kill()
        self._process.wait()
        assert self._process.stderr is not None
        self._process.stderr.close()


def server_fixture(scope: Literal["function", "module"], *options: str) -> Callable[..., Iterator[ServerProcess]]:
    """Return a fixture: one server for each test, or for all tests of a module."""

    @pytest.fixture(scope=scope)
    def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
        server = ServerProcess(tmp_path_factory.mktemp("page"), *options)
        yield server
        server.stop()

    return served


def server_for_module(*options: str) -> Callable[..., Iterator[ServerProcess]]:
    """Return a fixture: one server for all tests of a module."""
    return server_fixture("module", *options)
