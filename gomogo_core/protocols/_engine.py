"""A player reached through its standard input and output, whatever the language spoken there.

Turns the loop's questions into lines and back, and minds the deadline. Knows no protocol's words: these are given by
a subclass for each. Makes no verdict.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gomogo_core.games.base import Game, Outcome, Reason, Seat
from gomogo_core.play.events import Ply, Table
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.processes.process import Process
from gomogo_core.protocols._conversation import LONGEST, Conversation, Note, TooLong
from gomogo_core.protocols._deaths import death_of
from gomogo_core.protocols.settings import Settings

START_LIMIT = 30.0  # seconds an engine may take to load
_SPOKEN = 20  # of what an engine says while it thinks, so many lines are kept: the last ones
_MOST_SPOKEN = 2000  # characters of them
_SHOWN = 80  # characters of a line in evidence
_LAST_WORDS = 0.3  # seconds between the end of an engine's output and that of its process
_EARLY = ("wrote a line before its turn",)
_ALWAYS_TAKEN_BACK = 4  # moves; more only where fewer than remain: else the way from the start is the shorter one


@dataclass(slots=True)
class Answer:
    """What an engine answered: the text of a move in the game's own writing, or of what cannot be read as one.

    warnings: what is odd about it, as sentences without a subject.
    """

    move: str
    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Spoken:
    """What the engine said on this turn that is no move."""

    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_SPOKEN))
    last: str = ""
    score: float | None = None
    line: str | None = None
    values: dict[str, float] | None = None

    def text(self) -> str | None:
        return "\n".join(self.lines)[-_MOST_SPOKEN:] or None


class Engine(ABC):
    """One program that plays game after game through pipes. Subclasses give the words.

    launch: starts its process. settings: what the user asks of it.
    """

    blank_lines: ClassVar[bool] = False  # whether an empty line means something

    def __init__(self, name: str, launch: Callable[[], Process], settings: Settings) -> None:
        self.name, self.settings = name, settings
        self.seat: Seat = 0
        self.note: Note | None = None  # told of every line of the next game
        self.talk: Conversation | None = None
        self._launch = launch
        self._death: Failure | None = None
        self._felt: tuple[Sequence[Player], list[int]] = ((), [])  # who waits, and everybody's pulses
        self.asked = False  # whether a question is out that it has not answered
        self.stopped = False  # whether its last game was broken off: by a person, who may go on from an earlier point
        self.remarks: tuple[str, ...] = ()  # what it says of the game that has ended
        self._last: Table | None = None  # of the last game

    # What a protocol says

    @classmethod
    def why_not(cls, game: Game, settings: Settings) -> str | None:
        """Why programs of this protocol cannot be told of this game, as a sentence; None where they can."""
        return None

    @abstractmethod
    def greet(self, table: Table, *, again: bool, back: Sequence[Ply] | None = None) -> bool:
        """Begin the first words of a game, without waiting. False: start it anew.

        again: after another one. back: the moves to take back, the last one first, where the last game goes on from an
        earlier point; there may be none.
        """

    @abstractmethod
    def settle(self, until: float) -> Failure | None:
        """Wait until the engine is ready for the game it was greeted for, or say why it never is."""

    @abstractmethod
    def tell_terms(self, table: Table, until: float) -> Failure | None:
        """Tell the limits of a game that goes on, as far as no question tells them."""

    @abstractmethod
    def ask(self, turn: Turn) -> Failure | None:
        """Ask for a move, and tell before what the engine does not know yet."""

    @abstractmethod
    def heard(self, line: str, turn: Turn, spoken: Spoken) -> Answer | Failure | None:
        """Take a line: an answer, a fault, or None for what is neither, noted in `spoken`."""

    def held(self) -> Sequence[Ply] | None:
        """The moves that stand on the engine's own board, where it has one and that is known."""
        return None

    def looks_early(self, line: str) -> bool:
        """Whether a line that came while it was not its turn looks like an answer."""
        return False

    def goodbye(self) -> str:
        """The last words to it."""
        return ""

    # The life of a player

    @property
    def process(self) -> Process | None:
        """Its process, once it runs."""
        return None if self.talk is None else self.talk.process

    def start(self, table: Table, seat: Seat) -> None:
        """Take the seat: start the process, or go on with the one that has played before."""
        if self.talk is not None and self._gone():
            self.end()
        again, back = self.talk is not None, self._back(table, seat)
        self.seat, self._death, self.asked, self._last = seat, None, False, table
        self.stopped, self.remarks = False, ()
        if self.talk is None:
            self._begin()
        self._listen()
        if not self.greet(table, again=again, back=back if again else None):
            self.restart()
            self.greet(table, again=False)

    def _back(self, table: Table, seat: Seat) -> Sequence[Ply] | None:
        """The moves to take back so that the game that was stopped goes on at this one's beginning, the last first."""
        before, held = self._last, self.held() if self.stopped else None
        if before is None or held is None or seat != self.seat:
            return None
        if (before.game.name, before.game.options) != (table.game.name, table.game.options):
            return None
        same = 0
        for ours, theirs in zip(table.opening, held, strict=False):
            if ours != theirs:
                break
            same += 1
        back = held[same:][::-1]
        return back if len(back) <= max(_ALWAYS_TAKEN_BACK, same) else None

    def _begin(self) -> None:
        self.talk = Conversation(self._launch(), blank=self.blank_lines)

    def _listen(self) -> None:
        assert self.talk is not None
        self.talk.note = self.note

    def restart(self) -> None:
        """Put a fresh process in the place of this one."""
        self.end()
        self._begin()
        self._listen()

    def _gone(self) -> bool:
        return self.talk is None or self.talk.closed or self.talk.process.ended() is not None

    def ready(self) -> Failure | None:
        """Wait until the engine is ready: 30 s at most."""
        return self._settled(self.settle)

    def change_terms(self, table: Table, seat: Seat) -> Failure | None:
        """Tell other limits, and take another seat; the process stays."""
        self.seat, self._last = seat, table
        return self._settled(lambda until: self.tell_terms(table, until))

    def _settled(self, words: Callable[[float], Failure | None]) -> Failure | None:
        try:
            failure = words(time.monotonic() + START_LIMIT)
        except TooLong:
            failure = self._too_long(0.0)
        if failure is None:
            return None
        return self.death() or failure

    def not_ready(self) -> Failure:
        """Why `settle` found no answer, with the last it said: it may speak another protocol."""
        heard = self.talk.heard if self.talk is not None else ""
        said = f"; the last it said was {heard[:80]!r}" if heard else ""
        return Failure(Reason.OUT_OF_TIME, f"was not ready {START_LIMIT:g} s after its start{said}")

    def pulse(self) -> int | None:
        """Readable when the process has ended."""
        return None if self.process is None else self.process.pulse

    def death(self) -> Failure | None:
        """How the process ended, with the last line it printed to its standard error."""
        talk = self.talk
        if self._death is None and talk is not None:
            if talk.closed:
                talk.process.wait(_LAST_WORDS)
            ended = talk.process.ended()
            if ended is None and talk.closed:
                ended = "closed its output"
            if ended is not None:
                talk.process.end()
                self._death = death_of(talk.process, ended, self.seat)
        return self._death

    def choose(self, turn: Turn) -> Reply | Failure:
        """Ask, and wait until there is a move, the time is over, or somebody has died."""
        assert self.talk is not None
        since, early = time.monotonic(), False
        if not self.asked or turn.refused:  # else another has left meanwhile, and it thinks on
            early = any(self.looks_early(line) for line in self.talk.waiting())
            since = time.monotonic()
            try:
                failure = self.ask(turn)
            except TooLong:  # in answer to what it was told before the question
                failure = self._too_long(time.monotonic() - since)
            if failure is not None:
                return self.death() or failure
        self.asked = True
        turn.meanwhile()
        until, spoken = since + turn.allowed + turn.grace, Spoken()
        if self._felt[0] is not turn.others:
            self._felt = (turn.others, [pulse for one in turn.others if (pulse := one.pulse()) is not None])
        pulses, deaf = self._felt[1], len(self._felt[1]) < len(turn.others)
        while True:
            try:
                look = min(until, time.monotonic() + 0.1) if deaf else until
                line = self.talk.line(look, pulses)
            except TooLong:
                return self._too_long(time.monotonic() - since)
            seconds = time.monotonic() - since
            if line is not None:
                got = self.heard(line, turn, spoken)
                if isinstance(got, Failure):
                    return self.death() or Failure(got.reason, got.evidence, seconds)
                if got is not None:
                    self.asked = False
                    return self._reply(got, seconds, spoken, early)
                if seconds < turn.allowed + turn.grace:
                    continue
            elif failure := self._deaths(turn, since):
                return failure
            if time.monotonic() >= until:
                nothing = f"only {_shown(spoken.last)} was written" if spoken.last else "nothing was written"
                if turn.refused:
                    nothing = f"{turn.refused}: refused, and nothing legal followed"
                return Failure(Reason.OUT_OF_TIME, f"{nothing} within {turn.allowed:.4g} s", seconds)

    def _reply(self, got: Answer, seconds: float, spoken: Spoken, early: bool) -> Reply:
        score = spoken.score if got.score is None else got.score
        warnings = (*_EARLY, *got.warnings) if early else got.warnings
        thoughts = got.thoughts or (spoken.text() if spoken.lines else None)
        return Reply(got.move, seconds, thoughts, warnings, score, got.line or spoken.line, spoken.values)

    def _too_long(self, seconds: float) -> Failure:
        return Failure(Reason.NOT_A_MOVE, f"wrote a line of more than {LONGEST:,} bytes", seconds)

    def _deaths(self, turn: Turn, since: float) -> Failure | None:
        if own := self.death():
            return own
        for other in turn.others:
            if (failure := other.death()) is not None:
                return Failure(failure.reason, failure.evidence, time.monotonic() - since, failure.seat)
        return None

    def accepted(self, ply: Ply) -> None:  # noqa: B027  (a hook)
        """Take no notice: the next question tells all that is new."""

    def finish(self, outcome: Outcome) -> None:
        """Let the engine rest until the next game, or its end."""
        self.stopped = outcome.reason is Reason.INTERRUPTED

    def leave(self, patience: float) -> None:
        """Say goodbye, wait for the engine to leave by itself, and end it with all it started."""
        if self.talk is None:
            return
        if patience and not self._gone():
            if words := self.goodbye():
                self.talk.say(words)
            self.talk.process.close_input()
            self.talk.process.wait(patience)
        self.end()

    def end(self) -> None:
        """End the process with all it started."""
        if self.talk is not None:
            self.talk.process.end()
            self.talk = None

    @property
    def printed(self) -> str:
        """What it has printed to its standard error, once it has ended."""
        return "" if self.process is None else self.process.printed


def _shown(line: str) -> str:
    return repr(line[:_SHOWN])
