"""A conversation with a program on trial, line by line, without a game.

Uses processes and lines; the checks know what to say.
"""

from __future__ import annotations

import re
import time
from collections import deque
from pathlib import Path
from types import TracebackType

from gomogo_core.arena import Confinement
from gomogo_core.arena.conditions import busy_sentence
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.trial import Fault, Trial
from gomogo_core.processes import cpu_times
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.protocols import engine_of
from gomogo_core.protocols.conversation import Conversation, LineTooLong
from gomogo_core.protocols.engine_client import START_LIMIT

PATIENCE = 5.0  # seconds for an answer that needs no thought
LEAVING = 1.0  # seconds to exit after the last command
_AFTER_NEWS = 0.2  # seconds for a refusal of a command that has no answer
_MOST_SKIPPED = 100  # lines
_MOST_RAW = 4096  # bytes


class Dialogue:
    """A program started for one conversation, confined as `sandbox` says. A context manager that ends it.

    slack: additional seconds for each answer, for a busy machine.
    """

    def __init__(self, agent: Agent, folder: Path, sandbox: Level = DEFAULT, slack: float = 0.0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._process = Confinement(agent, sandbox).start(agent.command_line(agent.name), folder, pipes=True)
        self._talk = _RecordedConversation(self._process, keep_blank=engine_of(agent.protocol).keeps_blank_lines)
        self._last = ""
        self._put_back = deque[str]()
        self.skipped = list[str]()  # lines of its output that were not answers
        self._slack = slack
        self._since, self._waited = time.monotonic(), 0.0  # the time of the last command, and the waits before it
        self._loaded = False  # whether it has written anything

    @classmethod
    def of(cls, trial: Trial) -> Dialogue:
        """Return a conversation with the agent on trial."""
        return cls(trial.agent, trial.folder, trial.sandbox, trial.slack)

    def __enter__(self) -> Dialogue:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(fault, Fault):
            fault.doubt = busy_sentence(self._waits() - self._waited, time.monotonic() - self._since)
        self._process.end()
        if isinstance(fault, Fault) and not fault.printed:
            fault.printed = self._process.printed

    def say(self, *lines: str) -> None:
        """Send lines."""
        self._last = lines[-1]
        self._note_time()
        self._talk.send("".join(f"{line}\r\n" for line in lines))

    def _note_time(self) -> None:
        if self._loaded:  # the program may still be loading, which counts, too
            self._since, self._waited = time.monotonic(), self._waits()

    def _waits(self) -> float:
        """Seconds that its program has waited for a core so far."""
        return cpu_times.tree_times(self._process.pid).waited or 0.0

    def expect(self, pattern: str, expected: str, *, skip: str = "", within: float | None = None) -> str:
        """Return the next line that is not empty and does not begin with `skip`. Raises Fault unless `pattern` matches.

        within: seconds, by default PATIENCE; before its first line, the time in which the referee lets it load.
        """
        within = self._slack + ((PATIENCE if within is None else within) if self._loaded else START_LIMIT)
        line = self._next_line(time.monotonic() + within, skip, expected)
        if line is None:
            ended = self._process.exit_description() if self._talk.is_closed else None
            what = f"its program {ended}" if ended else f"it said nothing within {within:g} s"
            raise Fault(f"To {self._last!r} {what}.", expected)
        if not re.fullmatch(pattern, line, re.IGNORECASE):
            raise Fault(f"To {self._last!r} it answered {line[:120]!r}.", expected)
        return line

    def _next_line(self, until: float, skip: str, expected: str) -> str | None:
        """Return the next line that is not empty and does not begin with `skip`, or None."""
        while (line := self._line(until, expected)) is not None:
            if line and not (skip and re.match(skip, line, re.IGNORECASE)):
                return line
            self.skipped.extend([line] if line and len(self.skipped) < _MOST_SKIPPED else [])
        return None

    def _line(self, until: float, expected: str) -> str | None:
        """Return the next line, or None. Raises Fault for a line without an end."""
        if self._put_back:
            return self._put_back.popleft()
        try:
            line = self._talk.next_line(until)
        except LineTooLong:
            raise Fault(f"To {self._last!r} it wrote a line without an end.", expected) from None
        self._loaded |= line is not None
        return line

    def remaining_lines(self) -> list[str]:
        """Return the lines of an answer up to an empty one."""
        until, lines = time.monotonic() + PATIENCE + self._slack, list[str]()
        while line := self._line(until, "An empty line after the answer."):
            lines.append(line)
        return lines

    def expect_silence(self, seconds: float, expected: str, *, skip: str = "") -> None:
        """Raise Fault if it writes a line now that does not begin with `skip`."""
        if line := self._next_line(time.monotonic() + seconds, skip, expected):
            raise Fault(f"After {self._last!r} it said {line[:120]!r}, unasked.", expected)

    def skip_lines(self, pattern: str, expected: str) -> None:
        """Skip lines that begin with `pattern` after a command without an answer; keep the other lines."""
        until, others = time.monotonic() + max(_AFTER_NEWS, self._slack / 10), list[str]()
        while (line := self._line(until, expected)) is not None:
            if not re.match(pattern, line, re.IGNORECASE):
                others.append(line)
        self._put_back.extend(others)

    @property
    def ends_lines_by_cr_alone(self) -> bool:
        """Whether it has ended a line by CR alone."""
        return re.search(rb"[^\r\n]\r[^\r\n]", self._talk.raw) is not None

    def expect_exit(self, expected: str) -> None:
        """Raise Fault unless it exits now; a program that has written nothing yet may still be loading."""
        within = self._slack + (LEAVING if self._loaded else START_LIMIT)
        if not self._process.wait(within):
            raise Fault(f"{within:g} s after {self._last!r} it was still there.", expected)

    def close_input(self) -> None:
        """Close its input."""
        self._last = "the end of its input"
        self._note_time()
        self._process.close_input()


class _RecordedConversation(Conversation):
    """A conversation that keeps the first bytes of the program's output unchanged."""

    raw = b""

    def _record(self, piece: bytes) -> None:
        self.raw = (self.raw + piece)[:_MOST_RAW]
        super()._record(piece)
