"""A bare conversation with a program on trial: said, and expected, line by line.

Knows processes and lines; what is to be said is for the checks.
"""

from __future__ import annotations

import re
import time
from collections import deque
from pathlib import Path
from types import TracebackType

from gomogo_core.arena import Hold, prepare
from gomogo_core.catalogue import Agent
from gomogo_core.conformance.trial import Fault
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.protocols._conversation import Conversation, TooLong
from gomogo_core.protocols._engine import START_LIMIT
from gomogo_core.protocols.engines import ENGINES

PATIENCE = 5.0  # seconds for an answer that needs no thought
LEAVING = 1.0  # seconds to leave after the last word
_AFTER_NEWS = 0.2  # seconds for a refusal of what has no answer
_MOST_SKIPPED = 100  # lines
_MOST_RAW = 4096  # bytes


class Dialogue:
    """A program started for one conversation, and held as `sandbox` says. A context manager that ends it."""

    def __init__(self, agent: Agent, folder: Path, sandbox: Level = DEFAULT) -> None:
        prepare(agent, sandbox)
        folder.mkdir(parents=True, exist_ok=True)
        self._process = Hold(agent, sandbox).start(agent.words(agent.name), folder, pipes=True)
        self._talk = _Heard(self._process, blank=ENGINES[agent.protocol].blank_lines)
        self._last = ""
        self._put_back = deque[str]()
        self.skipped = list[str]()  # of what it said, lines that were passed over
        self._loaded = False  # whether it has said anything

    def __enter__(self) -> Dialogue:
        return self

    def __exit__(self, kind: type[BaseException] | None, what: BaseException | None, _: TracebackType | None) -> None:
        self._process.end()
        if isinstance(what, Fault) and not what.printed:
            what.printed = self._process.printed

    def say(self, *lines: str) -> None:
        """Send lines."""
        self._last = lines[-1]
        self._talk.say("".join(f"{line}\r\n" for line in lines))

    def hear(self, pattern: str, expected: str, *, skip: str = "", within: float | None = None) -> str:
        """The next line that is neither empty nor begins with a word of `skip`. Raises Fault unless `pattern` fits.

        within: seconds, PATIENCE if not given; until it has said anything as many as the referee lets it load.
        """
        within = (PATIENCE if within is None else within) if self._loaded else START_LIMIT
        line = self._spoken(time.monotonic() + within, skip, expected)
        if line is None:
            ended = self._process.ended() if self._talk.closed else None
            what = f"its program {ended}" if ended else f"it said nothing within {within:g} s"
            raise Fault(f"To {self._last!r} {what}.", expected)
        if not re.fullmatch(pattern, line, re.IGNORECASE):
            raise Fault(f"To {self._last!r} it answered {line[:120]!r}.", expected)
        return line

    def _spoken(self, until: float, skip: str, expected: str) -> str | None:
        """The next line that is neither empty nor begins with a word of `skip`, or None."""
        while (line := self._line(until, expected)) is not None:
            if line and not (skip and re.match(skip, line, re.IGNORECASE)):
                return line
            self.skipped.extend([line] if line and len(self.skipped) < _MOST_SKIPPED else [])
        return None

    def _line(self, until: float, expected: str) -> str | None:
        """The next line, or None. Raises Fault where it has no end."""
        if self._put_back:
            return self._put_back.popleft()
        try:
            line = self._talk.line(until)
        except TooLong:
            raise Fault(f"To {self._last!r} it wrote a line without an end.", expected) from None
        self._loaded |= line is not None
        return line

    def rest(self) -> list[str]:
        """The lines of an answer up to an empty one."""
        until, lines = time.monotonic() + PATIENCE, list[str]()
        while line := self._line(until, "An empty line after the answer."):
            lines.append(line)
        return lines

    def quiet(self, seconds: float, expected: str, *, skip: str = "") -> None:
        """Raise Fault where it says anything now that does not begin with a word of `skip`."""
        if line := self._spoken(time.monotonic() + seconds, skip, expected):
            raise Fault(f"After {self._last!r} it said {line[:120]!r}, unasked.", expected)

    def pass_over(self, pattern: str, expected: str) -> None:
        """Hear what it says now in words of `pattern` about what has no answer, so that it is no answer to anything."""
        until, others = time.monotonic() + _AFTER_NEWS, list[str]()
        while (line := self._line(until, expected)) is not None:
            if not re.match(pattern, line, re.IGNORECASE):
                others.append(line)
        self._put_back.extend(others)

    @property
    def ends_lines_by_returns(self) -> bool:
        """Whether it has ended a line by CR alone."""
        return re.search(rb"[^\r\n]\r[^\r\n]", self._talk.raw) is not None

    def leaves(self, expected: str) -> None:
        """Raise Fault unless it leaves now; one that has said nothing yet may still be loading."""
        within = LEAVING if self._loaded else START_LIMIT
        if not self._process.wait(within):
            raise Fault(f"{within:g} s after {self._last!r} it was still there.", expected)

    def hang_up(self) -> None:
        """Let it read the end of its input."""
        self._last = "the end of its input"
        self._process.close_input()


class _Heard(Conversation):
    """A conversation that keeps the first bytes of what it hears as they came."""

    raw = b""

    def _take(self, piece: bytes) -> None:
        self.raw = (self.raw + piece)[:_MOST_RAW]
        super()._take(piece)
