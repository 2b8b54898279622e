"""One agent's process: started with its supervisor, heard when it dies, ended with its whole tree.

Knows no protocol and no game.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.processes import own_group
from gomogo_core.processes.limits import Limits
from gomogo_core.stopping import heed

_PIECE = 0.1  # seconds between two looks whether we are to stop
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_LAST_WORDS = 10.0  # seconds a supervisor may take to end its tree: it gives up by itself after a few
_MOST_TOLD = 1 << 20  # bytes of a report: a supervisor's has 200,000 at most


class Process:
    """A program that runs in `folder`. `terminal`: it keeps our terminal, since a person sits at it.

    pipes: its standard input and output are ours, at `input` and `output` (descriptors that never block; -1 without).
    pulse: a descriptor that becomes readable when the program has ended, or None where the system has no such thing.
    limits: what it may take, or None. wrapped: `command` puts the program into a sandbox, and ends as it does.
    passed: descriptors that `command` reads for that; they are closed here, and the program has none of them.
    at_end: called once when the whole tree has ended.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        terminal: bool = False,
        pipes: bool = False,
        limits: Limits | None = None,
        wrapped: bool = False,
        passed: Sequence[int] = (),
        at_end: Callable[[], None] | None = None,
    ) -> None:
        self.command, self.folder = list(command), folder
        self.too_much_memory = False  # whether it was ended for that
        self._limits, self._wrapped, self._passed, self._at_end = limits, wrapped, tuple(passed), at_end
        self.input = self.output = -1
        self._told = b""
        self._ended: str | None = None
        self.printed, self._asked = "", False
        if os.name == "nt":
            if pipes:
                raise UserError("Programs cannot be reached through pipes on Windows.", "Use one that plays by files.")
            self._start_alone(environment, terminal)
        else:
            self._start_supervised(environment, terminal, pipes)

    def _start_supervised(self, environment: Mapping[str, str], terminal: bool, pipes: bool) -> None:
        control, self._control = os.pipe()
        self._report, report = os.pipe()
        os.set_blocking(self._report, False)
        theirs: list[int] = []
        if pipes:
            reader, self.input = os.pipe()
            self.output, writer = os.pipe()
            os.set_blocking(self.input, False)
            os.set_blocking(self.output, False)
            theirs = [reader, writer]
        spec = {
            "control": control,
            "report": report,
            "terminal": terminal,
            "pipes": theirs,
            "command": self.command,
            "passed": self._passed,
            "wrapped": self._wrapped,
            "limits": None if self._limits is None else self._limits.told(),
            "groups": _groups(),
        }
        try:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SUPERVISOR), json.dumps(spec)],
                cwd=self.folder,
                env=dict(environment),
                stdin=None if terminal else subprocess.DEVNULL,
                stdout=None if terminal else subprocess.DEVNULL,
                stderr=None if terminal else subprocess.DEVNULL,
                pass_fds=(control, report, *theirs, *self._passed),
                start_new_session=not terminal,
            )
        except OSError:
            os.close(self._control)
            os.close(self._report)
            self._close_pipes()
            if self._at_end is not None:
                self._at_end()
            raise
        finally:
            for descriptor in (control, report, *theirs, *self._passed):
                os.close(descriptor)
        self.pulse: int | None = self._report

    def _start_alone(self, environment: Mapping[str, str], terminal: bool) -> None:
        """Where there is no subreaper and no fork: the tree is ended by its root, with the system's own tool."""
        self.pulse = None
        quiet = None if terminal else subprocess.DEVNULL
        try:
            self._popen = subprocess.Popen(
                self.command, cwd=self.folder, env=dict(environment), stdin=quiet, stdout=quiet, stderr=quiet
            )
        except OSError as wrong:
            self._ended = f"cannot be started: {wrong.strerror}"

    def _close_pipes(self) -> None:
        self.close_input()
        if self.output >= 0:
            os.close(self.output)
            self.output = -1

    def close_input(self) -> None:
        """Let the program read the end of its input. Safe to call again, and without pipes."""
        if self.input >= 0:
            os.close(self.input)
            self.input = -1

    @property
    def pid(self) -> int:
        """The number of the process above all that the program started."""
        return self._popen.pid

    def ended(self) -> str | None:
        """How the program ended ("exited with code 1", "cannot be started: …"), or None while it runs."""
        if self._ended is None:
            self._listen()
        return self._ended

    def _listen(self) -> None:
        if os.name == "nt":
            if self._popen.poll() is not None:
                self._ended = f"exited with code {self._popen.returncode}"
            return
        with contextlib.suppress(BlockingIOError, OSError):
            while piece := os.read(self._report, 65536):
                self._told = (self._told + piece)[-_MOST_TOLD:]
        *lines, self._told = self._told.split(b"\n")
        for line in lines:
            fact = fact_in(line)
            self._ended = fact.get("ended", self._ended)
            if "printed" in fact:
                self.printed, self._asked = fact["printed"], False
            self.too_much_memory |= fact.get("exceeded") == "memory"
        if self._ended is None and self._popen.poll() is not None:
            self._ended = "its supervisor was ended"

    def follow(self, folder: Path) -> None:
        """Know that the program plays in another folder from now on: that one is to be watched."""
        self.folder = folder
        if os.name != "nt" and self._control >= 0 and self._limits is not None:
            with contextlib.suppress(OSError):  # its supervisor was ended
                os.write(self._control, f"{folder}\n".encode())

    def wait(self, seconds: float) -> bool:
        """Wait until the program has ended by itself, and say whether it has. Raises Stopped on a wish to stop."""
        until = time.monotonic() + seconds
        while self.ended() is None and time.monotonic() < until:
            heed()
            if self.pulse is not None:
                poll = select.poll()
                poll.register(self.pulse, select.POLLIN)
                poll.poll(max(0.0, min(_PIECE, until - time.monotonic())) * 1000 + 0.5)
            else:
                time.sleep(0.01)
        return self.ended() is not None

    def hear(self, patience: float = 0.5) -> None:
        """Learn what the program has printed, though it may run on; within so many seconds, or not."""
        if os.name == "nt" or self._control < 0 or (self.ended() is not None and self.printed):
            return
        self._asked = True
        with contextlib.suppress(OSError):  # its supervisor has gone: what it said last is there to be read
            os.write(self._control, b"\n")
        until = time.monotonic() + patience
        poll = select.poll()
        poll.register(self._report, select.POLLIN)
        while self._asked and (left := until - time.monotonic()) > 0:
            gone = self._popen.poll() is not None
            poll.poll(left * 1000 + 0.5)
            self._listen()
            if gone:
                break

    def _hear_out(self) -> None:
        """Take what the supervisor still has to tell, and let it go. A stopped one is woken, a deaf one killed."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._popen.pid, signal.SIGCONT)
        poll, until = select.poll(), time.monotonic() + _LAST_WORDS
        poll.register(self._report, select.POLLIN)
        while (left := until - time.monotonic()) > 0 and poll.poll(left * 1000 + 0.5):
            if not (piece := os.read(self._report, 65536)):
                break
            self._told = (self._told + piece)[-_MOST_TOLD:]
        else:
            self._popen.kill()
        self._listen()
        self._popen.wait()

    def end(self) -> None:
        """End the program and all it started, and collect what it printed. Safe to call again."""
        if os.name == "nt":
            if self._ended is None:
                subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._popen.pid)], capture_output=True, check=False)
                self._popen.wait()
            return
        if self._control < 0:
            return
        os.close(self._control)
        self._control = -1
        self._close_pipes()
        self._hear_out()
        os.close(self._report)
        self.pulse = None
        self._ended = self._ended or "ended by the referee"
        if self._at_end is not None:
            self._at_end()


def fact_in(line: bytes) -> dict[str, str]:
    """What a supervisor tells in a line; nothing where somebody else has written it: at `limits` an agent can."""
    try:
        fact = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return {name: told for name, told in fact.items() if isinstance(told, str)} if isinstance(fact, dict) else {}


@functools.cache
def _groups() -> str:
    """Where each program can have a control group of its own; empty where the system lets us make none."""
    folder = own_group.place()
    if folder:
        own_group.sweep(folder)
    return folder
