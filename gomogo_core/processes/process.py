"""The process of one agent: starts it with a supervisor, notices its end, and ends its whole tree of processes.

The module does not depend on protocols or games.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gomogo_core.cancellation import check_cancelled
from gomogo_core.errors import UserError
from gomogo_core.processes import cgroup, cpu_times
from gomogo_core.processes.limits import ResourceLimits
from gomogo_core.processes.supervisor import SURVIVOR_TIMEOUT
from gomogo_core.processes.turns import SharedTurnState, create_shared_turn_state

_PACKAGE_FOLDER_PATTERN = re.escape(os.fspath(Path(__file__).resolve().parent.parent))
_GOMOGO_FRAMES = re.compile(
    rf'^  File "(?:{_PACKAGE_FOLDER_PATTERN}[/\\](?:agent|wire)[/\\]|<string>")[^\n]* line \d+ in .*\n', re.MULTILINE
)
_CHECK_INTERVAL = 0.1  # seconds between two checks for cancellation
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_END_TIMEOUT = 10.0  # seconds that a supervisor may take to end its tree; it gives up earlier
_SUPERVISOR_ANSWER_TIMEOUT = 1.0  # seconds to wait for an answer of the supervisor, which may have to wait for a core
_MAX_REPORT_BYTES = 1 << 20  # bytes of a report; a supervisor writes at most 200,000


class CpuOutOfTurn(NamedTuple):
    """The seconds of CPU time, on any core, that a program used out of turn.

    cpu_since_turn: the CPU time since the program's last turn ended. seconds_since_turn: the time since that turn
    ended. cpu_since_start: the CPU time out of turn since the program started. is_loading: whether the program may
    still be loading. is_stopped: whether the program has used so much that it is stopped out of turn, unless it may
    ponder.
    """

    cpu_since_turn: float = 0.0
    seconds_since_turn: float = 0.0
    cpu_since_start: float = 0.0
    is_loading: bool = False
    is_stopped: bool = False


class Process:
    """A program that runs in `folder`.

    terminal: whether the program uses the referee's terminal, for a human. pipes: whether `input` and `output` are
    connected to the program's standard streams; they are descriptors that never block, or -1. limits: the program's
    resource limits, or None. is_sandboxed: whether `command` starts the program in a sandbox, and exits with the exit
    code of the program. command_descriptors: descriptors that the sandbox command reads; they are closed in this
    process, and the program inherits none of them. on_end: a function that is called once, when the whole tree has
    ended.

    exit_fd: a descriptor that becomes readable when the program has ended; None if the system does not offer one.
    """

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        terminal: bool = False,
        pipes: bool = False,
        limits: ResourceLimits | None = None,
        is_sandboxed: bool = False,
        command_descriptors: Sequence[int] = (),
        on_end: Callable[[], None] | None = None,
    ) -> None:
        self.command, self.folder = list(command), folder
        self.too_much_memory = False  # whether the program was ended because of its memory
        self.waits_for_survivors = False  # whether `end` waits until its supervisor has counted the survivors
        self.survivor_count = 0  # the number of processes of the tree that outlived the program
        self.cpu_times_at_end = cpu_times.UNKNOWN_TIMES  # the times of the tree, if the program had to be ended
        self._limits = limits
        self._is_sandboxed = is_sandboxed
        self._command_descriptors = tuple(command_descriptors)
        self._on_end = on_end
        self.input = self.output = -1
        self._report_tail = b""
        self._exit_text: str | None = None
        self.output_text, self._awaits_output = "", False
        self._turn_state: SharedTurnState | None = None  # the page on which the supervisor reports CPU time
        self._has_checked = False
        if os.name == "nt":
            if pipes:
                raise UserError("Programs cannot play over pipes on Windows.", "Use a program that plays by files.")
            self._start_unsupervised(environment, terminal)
        else:
            self._start_supervised(environment, terminal, pipes)

    def _start_supervised(self, environment: Mapping[str, str], terminal: bool, pipes: bool) -> None:
        control, self._control_pipe = os.pipe()
        self._report_pipe, report = os.pipe()
        os.set_blocking(self._report_pipe, False)
        program_pipes: list[int] = []
        if pipes:
            input_reader, self.input = os.pipe()
            self.output, output_writer = os.pipe()
            os.set_blocking(self.input, False)
            os.set_blocking(self.output, False)
            program_pipes = [input_reader, output_writer]
        page = -1
        if self._limits is not None and hasattr(os, "memfd_create"):
            self._turn_state, page = create_shared_turn_state()
        passed_descriptors = (*self._command_descriptors, *([page] if page >= 0 else []))
        spec = {
            "control": control,
            "report": report,
            "terminal": terminal,
            "pipes": program_pipes,
            "command": self.command,
            "passed": self._command_descriptors,
            "wrapped": self._is_sandboxed,
            "limits": None if self._limits is None else self._limits.as_dict(),
            "turns": page,
            "groups": _cgroup_folder(),
        }
        try:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SUPERVISOR), json.dumps(spec)],
                cwd=self.folder,
                env=dict(environment),
                stdin=None if terminal else subprocess.DEVNULL,
                stdout=None if terminal else subprocess.DEVNULL,
                stderr=None if terminal else subprocess.DEVNULL,
                pass_fds=(control, report, *program_pipes, *passed_descriptors),
                start_new_session=not terminal,
            )
        except OSError:
            os.close(self._control_pipe)
            os.close(self._report_pipe)
            self._close_pipes()
            if self._on_end is not None:
                self._on_end()
            raise
        finally:
            for descriptor in (control, report, *program_pipes, *passed_descriptors):
                os.close(descriptor)
        self.exit_fd: int | None = self._report_pipe

    def _start_unsupervised(self, environment: Mapping[str, str], terminal: bool) -> None:
        """Start without a supervisor on Windows, which has no subreaper and no fork. On Windows, taskkill ends the tree
        later.
        """
        self.exit_fd = None
        stream = None if terminal else subprocess.DEVNULL
        try:
            self._popen = subprocess.Popen(
                self.command, cwd=self.folder, env=dict(environment), stdin=stream, stdout=stream, stderr=stream
            )
        except OSError as error:
            self._exit_text = f"cannot be started: {error.strerror}"

    def _close_pipes(self) -> None:
        self.close_input()
        if self.output >= 0:
            os.close(self.output)
            self.output = -1

    def close_input(self) -> None:
        """Close the program's input. Further calls, and calls without pipes, do nothing."""
        if self.input >= 0:
            os.close(self.input)
            self.input = -1

    @property
    def pid(self) -> int:
        """The id of the root process of the program's tree."""
        return self._popen.pid

    def exit_description(self) -> str | None:
        """Return how the program ended ("exited with code 1", "cannot be started: …"), or None while it runs."""
        if self._exit_text is None:
            self._read_reports()
        return self._exit_text

    def _read_reports(self) -> None:
        if os.name == "nt":
            if self._popen.poll() is not None:
                self._exit_text = f"exited with code {self._popen.returncode}"
            return
        with contextlib.suppress(BlockingIOError, OSError):
            while chunk := os.read(self._report_pipe, 65536):
                self._report_tail = (self._report_tail + chunk)[-_MAX_REPORT_BYTES:]
        *lines, self._report_tail = self._report_tail.split(b"\n")
        for line in lines:
            report = parse_report_line(line)
            self._exit_text = report.get("ended", self._exit_text)
            if "printed" in report:
                self.output_text, self._awaits_output = _GOMOGO_FRAMES.sub("", report["printed"]), False
            self._has_checked |= "checked" in report
            self.too_much_memory |= report.get("exceeded") == "memory"
            if (survivors := report.get("survivors", "")).isdecimal():
                self.survivor_count, self.waits_for_survivors = int(survivors), False
        if self._exit_text is None and self._popen.poll() is not None:
            self._exit_text = "its supervisor was ended"

    def change_folder(self, folder: Path) -> None:
        """Record that the program plays in another folder from now on. The supervisor then checks the size of that
        folder.
        """
        self.folder = folder
        if os.name != "nt" and self._control_pipe >= 0 and self._limits is not None:
            self._send_command(f"{folder}\n".encode())

    def begin_turn(self) -> None:
        """Let the program run from now on. If it was stopped, wait until it runs."""
        if self._turn_state is not None and self._turn_state.let_run(loaded=True):
            self._request_measurement()

    def end_turn(self, *, loaded: bool = True) -> None:
        """Start to measure CPU time out of turn, because the program should wait now. The supervisor may stop the
        program.

        loaded: whether the program has reported that it is loaded, or has had a turn.
        """
        if self._turn_state is not None and self._turn_state.end_turn(loaded=loaded):
            self._send_command(b"check\n")

    def let_run(self) -> None:
        """Let the program run after the end of a game."""
        if self._turn_state is not None and self._turn_state.let_run():
            self._request_measurement()

    def cpu_out_of_turn(self, *, measure_now: bool = False) -> CpuOutOfTurn:
        """Return the program's CPU time out of turn.

        measure_now: whether to measure up to this moment, which takes longer.
        """
        if self._turn_state is None:
            return CpuOutOfTurn()
        if measure_now:
            self._request_measurement()
        read = self._turn_state.read
        return CpuOutOfTurn(
            cpu_since_turn=read("used_in_phase") / 1e9 if read("used_phase") == read("phase") else 0.0,
            seconds_since_turn=(time.monotonic_ns() - read("phase_start")) / 1e9,
            cpu_since_start=read("used_in_all") / 1e9,
            is_loading=read("is_loading") == 1,
            is_stopped=read("exceeds_allowance") == 1,
        )

    def cpu_before_turn(self) -> float | None:
        """Return an upper bound of the seconds of CPU time that the program used before its last turn, or None.

        The bound is exact to a twentieth of a second. None means that the supervisor did not measure the program in
        that turn.
        """
        if self._turn_state is None:
            return None
        read = self._turn_state.read
        turn = read("phase") - 1 + read("phase") % 2
        return read("cpu_at_phase_start") / 1e9 if read("cpu_phase") == turn else None

    def _request_measurement(self) -> None:
        """Ask the supervisor to read the shared page and to measure, and wait until it has done both."""
        if self._control_pipe < 0:
            return
        self._has_checked = False
        self._send_command(b"check!\n")
        deadline = time.monotonic() + _SUPERVISOR_ANSWER_TIMEOUT
        while not self._has_checked and time.monotonic() < deadline and self._popen.poll() is None:
            _wait_until_readable(self._report_pipe, deadline)
            self._read_reports()

    def _send_command(self, command: bytes) -> None:
        if self._control_pipe >= 0:
            with contextlib.suppress(OSError):  # its supervisor was ended
                os.write(self._control_pipe, command)

    def wait(self, seconds: float) -> bool:
        """Wait until the program has ended by itself, at most for `seconds`.

        Return whether it has ended. Raises GameCancelled.
        """
        deadline = time.monotonic() + seconds
        while self.exit_description() is None and time.monotonic() < deadline:
            check_cancelled()
            if self.exit_fd is not None:
                _wait_until_readable(self.exit_fd, min(deadline, time.monotonic() + _CHECK_INTERVAL))
            else:
                time.sleep(0.01)
        return self.exit_description() is not None

    def capture_output(self, timeout: float = 0.5) -> None:
        """Store in `output_text` the output so far of a running program. Give up after `timeout` seconds."""
        if os.name == "nt" or self._control_pipe < 0 or (self.exit_description() is not None and self.output_text):
            return
        self._awaits_output = True
        with contextlib.suppress(OSError):  # the supervisor has ended, but its last report can still be read
            os.write(self._control_pipe, b"\n")
        deadline = time.monotonic() + timeout
        while self._awaits_output and time.monotonic() < deadline:
            has_exited = self._popen.poll() is not None
            _wait_until_readable(self._report_pipe, deadline)
            self._read_reports()
            if has_exited:
                break

    def _read_last_report(self) -> None:
        """Read the supervisor's last report, and wait until the supervisor exits. A stopped supervisor is continued
        first.

        A supervisor that takes too long is killed.
        """
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._popen.pid, signal.SIGCONT)
        deadline = time.monotonic() + _END_TIMEOUT
        while _wait_until_readable(self._report_pipe, deadline):
            if not (chunk := os.read(self._report_pipe, 65536)):
                break
            self._report_tail = (self._report_tail + chunk)[-_MAX_REPORT_BYTES:]
        else:
            self._popen.kill()
        self._read_reports()
        self._popen.wait()

    def _wait_for_survivor_count(self) -> None:
        """If required, wait until the supervisor has counted the processes that outlive the program."""
        deadline = time.monotonic() + SURVIVOR_TIMEOUT + _END_TIMEOUT
        while self.exit_description() and self.waits_for_survivors and time.monotonic() < deadline:
            _wait_until_readable(self._report_pipe, deadline)
            if self._popen.poll() is not None:
                self._read_reports()
                break

    def end(self) -> None:
        """End the program with its whole tree, and collect its output. Further calls do nothing."""
        if os.name == "nt":
            if self._exit_text is None:
                subprocess.run(["taskkill", "/T", "/F", "/PID", str(self._popen.pid)], capture_output=True, check=False)
                self._popen.wait()
            return
        if self._control_pipe < 0:
            return
        if self.exit_description() is None:
            self.cpu_times_at_end = cpu_times.process_tree_times(self.pid)
        self._wait_for_survivor_count()
        os.close(self._control_pipe)
        self._control_pipe = -1
        self._close_pipes()
        self._read_last_report()
        os.close(self._report_pipe)
        if self._turn_state is not None:
            self._turn_state.close()
        self.exit_fd = None
        self._exit_text = self._exit_text or "ended by the referee"
        if self._on_end is not None:
            self._on_end()


def _wait_until_readable(descriptor: int, deadline: float) -> bool:
    """Wait until a descriptor is readable, until `deadline` by time.monotonic(). Return whether it is readable."""
    if (seconds_left := deadline - time.monotonic()) <= 0:
        return False
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(seconds_left * 1000 + 0.5))  # poll counts whole milliseconds


def parse_report_line(line: bytes) -> dict[str, str]:
    """Return the content of a line of a supervisor's report; empty for a line that may have been written by the
    agent.
    """
    try:
        report = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return {name: text for name, text in report.items() if isinstance(text, str)} if isinstance(report, dict) else {}


@functools.cache
def _cgroup_folder() -> str:
    """Return the folder in which each program gets a control group; empty if the system does not allow it."""
    folder = cgroup.own_cgroup_folder()
    if folder:
        cgroup.remove_stale_groups(folder)
    return folder
