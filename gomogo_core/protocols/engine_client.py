"""A player that is reached through its standard input and output, in any protocol.

Converts the loop's turns into lines and lines into replies, and watches the deadline. Subclasses know the commands of
each protocol. Makes no verdict.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gomogo_core.games.base import Game, Outcome, Reason, Seat
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.processes.process import Process
from gomogo_core.protocols._exits import failure_of_exit
from gomogo_core.protocols.conversation import LONGEST, Conversation, Note, TooLong
from gomogo_core.protocols.settings import Settings

START_LIMIT = 30.0  # seconds an engine may take to load
_SPOKEN = 20  # the last lines of an engine's output during a turn that are stored
_MOST_SPOKEN = 2000  # characters of them
_QUOTED = 80  # characters of a line in evidence
_LAST_WORDS = 0.3  # seconds between the end of an engine's output and the end of its process
_EARLY = ("wrote a line before its turn",)
# moves to take back; more only if at least as many remain, else a replay from the start is shorter
_ALWAYS_TAKEN_BACK = 4


@dataclass(slots=True)
class EngineAnswer:
    """The answer of an engine: a move in the game's notation, or a text that is no move.

    warnings: remarks about the answer, as sentences without a subject.
    """

    move: str
    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    warnings: tuple[str, ...] = ()


class EngineOutput:
    """The engine's output in this turn, except the move. A plain class, which is cheap to create for each move."""

    last: str = ""
    score: float | None = None
    line: str | None = None
    values: dict[str, float] | None = None

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=_SPOKEN)

    def text(self) -> str | None:
        """Return the end of the output, or None if there was none."""
        return "\n".join(self.lines)[-_MOST_SPOKEN:] or None


class Engine(ABC):
    """One program that plays successive games through pipes. Subclasses define the commands.

    launch: starts its process. settings: the user's settings for it.
    """

    blank_lines: ClassVar[bool] = False  # whether an empty line means something

    def __init__(self, name: str, launch: Callable[[], Process], settings: Settings) -> None:
        self.name, self.settings = name, settings
        self.seat: Seat = 0
        self.note: Note | None = None  # receives every line of the next game
        self.talk: Conversation | None = None
        self._launch = launch
        self._death: Failure | None = None
        self._felt: tuple[Sequence[Player], list[int]] = ((), [])  # the waiting players, and their exit descriptors
        self.is_answer_pending = False  # whether it has not yet answered the last question
        self.stopped = False  # whether a human interrupted its last game, and may continue from an earlier point
        self.remarks: tuple[str, ...] = ()  # its remarks about the game that has ended
        self._last: GameSetup | None = None  # the setup of the last game

    # Methods that a protocol defines

    @classmethod
    def why_not(cls, game: Game) -> str | None:
        """Return the reason why this protocol cannot express this game, as a sentence; None if it can."""
        return None

    @abstractmethod
    def greet(self, table: GameSetup, *, again: bool, back: Sequence[Ply] | None = None) -> bool:
        """Send the first commands of a game, without waiting. Returns False if the engine needs a new process.

        again: whether it has played before. back: the moves to take back, the last one first, if the last game
        continues from an earlier point; may be empty.
        """

    @abstractmethod
    def wait_until_ready(self, until: float) -> Failure | None:
        """Wait until the engine is ready for the game, or return why it is not."""

    @abstractmethod
    def tell_terms(self, table: GameSetup, until: float) -> Failure | None:
        """Send the new limits of a game in progress, unless each question contains them."""

    @abstractmethod
    def ask(self, turn: Turn) -> Failure | None:
        """Send the new moves, and ask for a move."""

    @abstractmethod
    def parse_answer(self, line: str, turn: Turn, spoken: EngineOutput) -> EngineAnswer | Failure | None:
        """Parse a line: an answer, a failure, or None for any other output, which is added to `spoken`."""

    def moves_on_board(self) -> Sequence[Ply] | None:
        """Return the moves on the engine's own board; None if it has none, or they are unknown."""
        return None

    def looks_early(self, line: str) -> bool:
        """Return whether a line sent before the engine's turn looks like an answer."""
        return False

    def quit_command(self) -> str:
        """Return the command that ends the program, or ""."""
        return ""

    # The methods of a player

    @property
    def process(self) -> Process | None:
        """Its process, once it runs."""
        return None if self.talk is None else self.talk.process

    def start(self, table: GameSetup, seat: Seat) -> None:
        """Take the seat: start the process, or reuse the process of the last game."""
        if self.talk is not None and self._has_ended():
            self.end()
        again, back = self.talk is not None, self._moves_to_undo(table, seat)
        self.seat, self._death, self.is_answer_pending, self._last = seat, None, False, table
        self.stopped, self.remarks = False, ()
        if self.talk is None:
            self._begin()
        self._listen()
        if not self.greet(table, again=again, back=back if again else None):
            self.restart()
            self.greet(table, again=False)

    def _moves_to_undo(self, table: GameSetup, seat: Seat) -> Sequence[Ply] | None:
        """Return the moves to take back, last first, so that an interrupted game continues at this game's opening.

        Returns None if that is not possible, or not worth it.
        """
        before, held = self._last, self.moves_on_board() if self.stopped else None
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
        self.talk = Conversation(self._launch(), keep_blank=self.blank_lines)

    def _listen(self) -> None:
        assert self.talk is not None
        self.talk.note = self.note

    def restart(self) -> None:
        """Replace the process by a new one."""
        self.end()
        self._begin()
        self._listen()

    def _has_ended(self) -> bool:
        return self.talk is None or self.talk.closed or self.talk.process.exit_description() is not None

    def ready(self) -> Failure | None:
        """Wait until the engine is ready: 30 s at most."""
        failure = self._fault_of_answer(self.wait_until_ready)
        if failure is None and self.talk is not None:
            self.talk.process.end_turn()
        return failure

    def change_terms(self, table: GameSetup, seat: Seat) -> Failure | None:
        """Send other limits, and take another seat, with the same process."""
        self.seat, self._last = seat, table
        if self.talk is not None:
            self.talk.process.release()
        return self._fault_of_answer(lambda until: self.tell_terms(table, until))

    def _fault_of_answer(self, words: Callable[[float], Failure | None]) -> Failure | None:
        try:
            failure = words(time.monotonic() + START_LIMIT)
        except TooLong:
            failure = self._too_long(0.0)
        if failure is None:
            return None
        return self.exit_failure() or failure

    def readiness_failure(self) -> Failure:
        """Return the failure of an engine that does not become ready.

        It quotes the engine's last line, which may show that the engine speaks another protocol.
        """
        last_line = self.talk.last_line if self.talk is not None else ""
        said = f"; the last it said was {last_line[:80]!r}" if last_line else ""
        return Failure(Reason.OUT_OF_TIME, f"was not ready {START_LIMIT:g} s after its start{said}")

    def exit_fd(self) -> int | None:
        """Return a descriptor that becomes readable when the process ends."""
        return None if self.process is None else self.process.exit_fd

    def exit_failure(self) -> Failure | None:
        """Return the failure if the process has ended, with the last line of its standard error; else None."""
        talk = self.talk
        if self._death is None and talk is not None:
            if talk.closed:
                talk.process.wait(_LAST_WORDS)
            ended = talk.process.exit_description()
            if ended is None and talk.closed:
                ended = "closed its output"
            if ended is not None:
                talk.process.end()
                self._death = failure_of_exit(talk.process, ended, self.seat)
        return self._death

    def choose(self, turn: Turn) -> Reply | Failure:
        """Ask, and wait for a move, the end of the time, or the exit of a player's program."""
        assert self.talk is not None
        process = self.talk.process
        process.begin_turn()
        try:
            return self._choose(turn, self.talk)
        finally:
            process.end_turn()

    def _choose(self, turn: Turn, talk: Conversation) -> Reply | Failure:
        since, early = time.monotonic(), False
        # otherwise the engine is still thinking, after another player has left
        if not self.is_answer_pending or turn.refused:
            early = bool(lines := talk.waiting()) and any(map(self.looks_early, lines))
            since = time.monotonic()
            try:
                failure = self.ask(turn)
            except TooLong:  # this line answers a command before the question
                failure = self._too_long(time.monotonic() - since)
            if failure is not None:
                return self.exit_failure() or failure
        self.is_answer_pending = True
        turn.on_waiting()
        until, spoken = since + turn.allowed + turn.grace, EngineOutput()
        if self._felt[0] is not turn.others:
            self._felt = (turn.others, [fd for one in turn.others if (fd := one.exit_fd()) is not None])
        exit_fds, deaf = self._felt[1], len(self._felt[1]) < len(turn.others)
        while True:
            try:
                look = min(until, time.monotonic() + 0.1) if deaf else until
                line = talk.line(look, exit_fds)
            except TooLong:
                return self._too_long(time.monotonic() - since)
            seconds = time.monotonic() - since
            if line is not None:
                got = self.parse_answer(line, turn, spoken)
                if isinstance(got, Failure):
                    return self.exit_failure() or Failure(got.reason, got.evidence, seconds)
                if got is not None:
                    self.is_answer_pending = False
                    return self._reply(got, seconds, spoken, early)
                turn.on_output(spoken)
                if seconds < turn.allowed + turn.grace:
                    continue
            elif failure := self._exit_failure(turn, since):
                return failure
            if time.monotonic() >= until:
                if (later := since + turn.allowed + turn.grace + turn.given_back()) > until:
                    until = later
                    continue
                nothing = f"only {_shorten_line(spoken.last)} was written" if spoken.last else "nothing was written"
                if turn.refused:
                    nothing = f"{turn.refused}: refused, and nothing legal followed"
                return Failure(Reason.OUT_OF_TIME, f"{nothing} within {turn.allowed:.4g} s", seconds)

    def _reply(self, answer: EngineAnswer, seconds: float, spoken: EngineOutput, early: bool) -> Reply:
        score = spoken.score if answer.score is None else answer.score
        warnings = (*_EARLY, *answer.warnings) if early else answer.warnings
        thoughts = answer.thoughts or (spoken.text() if spoken.lines else None)
        return Reply(answer.move, seconds, thoughts, warnings, score, answer.line or spoken.line, spoken.values)

    def _too_long(self, seconds: float) -> Failure:
        return Failure(Reason.NOT_A_MOVE, f"wrote a line of more than {LONGEST:,} bytes", seconds)

    def _exit_failure(self, turn: Turn, since: float) -> Failure | None:
        if own := self.exit_failure():
            return own
        for other in turn.others:
            if (failure := other.exit_failure()) is not None:
                return Failure(failure.reason, failure.evidence, time.monotonic() - since, failure.seat)
        return None

    def notify_move(self, ply: Ply) -> None:  # noqa: B027  (a hook)
        """Do nothing: the next question contains the new moves."""

    def finish(self, outcome: Outcome) -> None:
        """Release the engine until the next game."""
        self.stopped = outcome.reason is Reason.INTERRUPTED
        if self.talk is not None:
            self.talk.process.release()

    def leave(self, patience: float) -> None:
        """Ask the engine to exit, wait `patience` seconds, and end it with all its child processes."""
        if self.talk is None:
            return
        if patience and not self._has_ended():
            if words := self.quit_command():
                self.talk.say(words)
            self.talk.process.close_input()
            self.talk.process.wait(patience)
        self.end()

    def end(self) -> None:
        """End the process with all its child processes."""
        if self.talk is not None:
            self.talk.process.end()
            self.talk = None

    @property
    def printed(self) -> str:
        """The standard error of the process, once it has ended."""
        return "" if self.process is None else self.process.printed


def _shorten_line(line: str) -> str:
    return repr(line[:_QUOTED])
