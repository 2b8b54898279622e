"""Exchanges single lines with a program that is checked, without a game. The callers, which are checks, contain the
commands.
"""

from __future__ import annotations

import re
import time
from collections import deque
from pathlib import Path
from types import TracebackType

from gomogo_core.arena import Confinement
from gomogo_core.arena.conditions import core_wait_sentence
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.trial import CheckFailed, Trial
from gomogo_core.processes import cpu_times
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.protocols import engine_class_of
from gomogo_core.protocols.conversation import Conversation, LineTooLong
from gomogo_core.protocols.engine_client import START_LIMIT

ANSWER_TIMEOUT = 5.0  # seconds for an answer that needs no search
EXIT_TIMEOUT = 1.0  # seconds in which the program must exit after the last command
_EXIT_DESCRIPTION_TIMEOUT = 1.0  # seconds to wait for the end of a process whose output has ended
_REFUSAL_TIMEOUT = 0.2  # seconds to wait for a refusal of a command that has no answer
_MAX_SKIPPED_LINES = 100
_MAX_RAW_OUTPUT_BYTES = 4096


class Dialogue:
    """A program that is started to exchange lines with it. As a context manager, the dialogue ends the program.

    sandbox: the program's sandbox level. slack: additional seconds for each answer, for a busy machine.
    """

    def __init__(self, agent: Agent, folder: Path, sandbox: SandboxLevel = DEFAULT_SANDBOX, slack: float = 0.0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._process = Confinement(agent, sandbox).start(agent.command_line(agent.name), folder, pipes=True)
        self._conversation = _RecordedConversation(
            self._process, keeps_blank_lines=engine_class_of(agent.protocol).keeps_blank_lines
        )
        self._last_command = ""
        self._kept_lines = deque[str]()
        self.skipped_lines = list[str]()  # the lines of the program's output that were not answers
        self._slack = slack
        # the time of the last command, and the seconds of waiting for a core before that time
        self._command_time, self._core_wait_before = time.monotonic(), 0.0
        self._has_written = False  # whether the program has written anything

    @classmethod
    def with_agent(cls, trial: Trial) -> Dialogue:
        """Start the agent of a trial, and return the dialogue with it."""
        return cls(trial.agent, trial.folder, trial.sandbox, trial.slack)

    def __enter__(self) -> Dialogue:
        return self

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(raised, CheckFailed):
            raised.doubt = core_wait_sentence(
                self._core_wait_seconds() - self._core_wait_before, time.monotonic() - self._command_time
            )
        self._process.end()
        if isinstance(raised, CheckFailed) and not raised.output:
            raised.output = self._process.output_text

    def send(self, *lines: str) -> None:
        """Send lines to the program."""
        self._last_command = lines[-1]
        self._record_command_time()
        self._conversation.send("".join(f"{line}\r\n" for line in lines))

    def _record_command_time(self) -> None:
        if self._has_written:  # before the first output, the time of loading counts too
            self._command_time, self._core_wait_before = time.monotonic(), self._core_wait_seconds()

    def _core_wait_seconds(self) -> float:
        """Return the seconds for which the program has waited for a core so far."""
        return cpu_times.process_tree_times(self._process.pid).waited or 0.0

    def expect_line(self, pattern: str, expected: str, *, skip: str = "", seconds: float | None = None) -> str:
        """Return the next line that is not empty and does not begin with `skip`. This line must match `pattern`.

        expected: a sentence with the expected answer. seconds: the most seconds until the line, by default
        ANSWER_TIMEOUT; before the program's first line, the time in which a program may load. Raises CheckFailed.
        """
        seconds = self._slack + ((ANSWER_TIMEOUT if seconds is None else seconds) if self._has_written else START_LIMIT)
        line = self._next_line(time.monotonic() + seconds, skip, expected)
        if line is None:
            behaviour = f"it wrote nothing within {seconds:g} s"
            if self._conversation.is_closed:
                self._process.wait(_EXIT_DESCRIPTION_TIMEOUT)  # its output ends a moment before the process
                behaviour = f"its program {self._process.exit_description() or 'closed its output'}"
            raise CheckFailed(f"After {self._last_command!r} {behaviour}.", expected)
        if not re.fullmatch(pattern, line, re.IGNORECASE):
            raise CheckFailed(f"To {self._last_command!r} it answered {line[:120]!r}.", expected)
        return line

    def _next_line(self, deadline: float, skip: str, expected: str) -> str | None:
        """Return the next line that is not empty and does not begin with `skip`; None if none arrives in time."""
        while (line := self._read_line(deadline, expected)) is not None:
            if line and not (skip and re.match(skip, line, re.IGNORECASE)):
                return line
            self.skipped_lines.extend([line] if line and len(self.skipped_lines) < _MAX_SKIPPED_LINES else [])
        return None

    def _read_line(self, deadline: float, expected: str) -> str | None:
        """Return the next line; None if none arrives in time. Raises CheckFailed for a line without an end."""
        if self._kept_lines:
            return self._kept_lines.popleft()
        try:
            line = self._conversation.next_line(deadline)
        except LineTooLong:
            raise CheckFailed(f"After {self._last_command!r} it wrote a line without an end.", expected) from None
        self._has_written |= line is not None
        return line

    def remaining_lines(self) -> list[str]:
        """Return the lines of an answer that have not been read yet, up to an empty line."""
        deadline, lines = time.monotonic() + ANSWER_TIMEOUT + self._slack, list[str]()
        while line := self._read_line(deadline, "An empty line after the answer."):
            lines.append(line)
        return lines

    def expect_silence(self, seconds: float, expected: str, *, skip: str = "") -> None:
        """Raise CheckFailed if within `seconds` the program writes a line that does not begin with `skip`."""
        if line := self._next_line(time.monotonic() + seconds, skip, expected):
            raise CheckFailed(f"After {self._last_command!r}, which has no answer, it wrote {line[:120]!r}.", expected)

    def drop_lines(self, pattern: str, expected: str) -> None:
        """After a command that has no answer, drop the lines that begin with `pattern`; later calls return the others.

        expected: a sentence with the expected behaviour. Raises CheckFailed for a line without an end.
        """
        deadline, other_lines = time.monotonic() + max(_REFUSAL_TIMEOUT, self._slack / 10), list[str]()
        while (line := self._read_line(deadline, expected)) is not None:
            if not re.match(pattern, line, re.IGNORECASE):
                other_lines.append(line)
        self._kept_lines.extend(other_lines)

    @property
    def ends_lines_by_cr_alone(self) -> bool:
        """Whether the program has ended a line by CR alone."""
        return re.search(rb"[^\r\n]\r[^\r\n]", self._conversation.raw_output) is not None

    def expect_exit(self, expected: str) -> None:
        """Raise CheckFailed unless the program exits within EXIT_TIMEOUT, or START_LIMIT if it has written nothing yet:
        then it may still be loading.
        """
        seconds = self._slack + (EXIT_TIMEOUT if self._has_written else START_LIMIT)
        if not self._process.wait(seconds):
            raise CheckFailed(f"{seconds:g} s after {self._last_command!r} it was still running.", expected)

    def close_input(self) -> None:
        """Close the input of the program."""
        self._last_command = "the end of its input"
        self._record_command_time()
        self._process.close_input()


class _RecordedConversation(Conversation):
    """A conversation that also stores the first bytes of the program's output, without any change to line ends."""

    raw_output = b""

    def _add_output(self, chunk: bytes) -> None:
        self.raw_output = (self.raw_output + chunk)[:_MAX_RAW_OUTPUT_BYTES]
        super()._add_output(chunk)
