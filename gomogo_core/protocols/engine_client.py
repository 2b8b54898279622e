"""The base class of players that the referee reaches through their standard input and output.

The class converts turns of the game loop into lines, and lines into replies, and watches the deadline. A subclass has
the commands of its protocol. The module gives no verdict.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from gomogo_core.cancellation import check_cancelled
from gomogo_core.games.base import Game, Outcome, Reason, Seat
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.processes.process import Process
from gomogo_core.protocols._exits import failure_of_exit
from gomogo_core.protocols.conversation import MAX_LINE_BYTES, Conversation, LineTooLong, LogLine
from gomogo_core.protocols.settings import Settings

START_LIMIT = 30.0  # seconds that an engine may take to load
_MAX_STORED_LINES = 20  # the most lines of an engine's output in a turn that are stored: the last ones
_MAX_STORED_CHARACTERS = 2000  # the most characters of these lines
_MAX_QUOTED_CHARACTERS = 80  # the most characters of a quoted line
_EXIT_TIMEOUT = 0.3  # seconds to wait for the end of a process whose output has ended
_EARLY_WARNINGS = ("wrote a line before its turn",)
# Up to this number of moves is always taken back on the engine's board. A larger number is taken back only if at least
# as many moves remain; otherwise playing the game again from the start takes fewer commands.
_ALWAYS_UNDONE_MOVE_COUNT = 4


@dataclass(slots=True)
class EngineAnswer:
    """The answer of an engine.

    move: the move in the game's notation, or a text that is not a move. thoughts, score, line: the engine's analysis.
    warnings: remarks about the answer, as sentences without a subject. original_text: the move as the engine wrote it.
    """

    move: str
    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    warnings: tuple[str, ...] = ()
    original_text: str = ""


class EngineOutput:
    """An engine's output in one turn, except the move.

    last_line: the last line. score, line, move_values: the analysis so far. This is not a dataclass, so that it is
    cheap to create for each move.
    """

    last_line: str = ""
    score: float | None = None
    line: str | None = None
    move_values: dict[str, float] | None = None
    _comments: deque[str] | None = None  # created for the first comment, because many engines write none

    def add_comment(self, text: str) -> None:
        """Add a line for people, which the record keeps as the player's thoughts."""
        if self._comments is None:
            self._comments = deque(maxlen=_MAX_STORED_LINES)
        self._comments.append(text)

    def thoughts(self) -> str | None:
        """Return the end of the comments, or None if there were none."""
        return None if self._comments is None else "\n".join(self._comments)[-_MAX_STORED_CHARACTERS:] or None


class Engine(ABC):
    """One program that plays one game after another through pipes. Subclasses define the commands.

    launch: a function that starts the engine's process. settings: the user's settings for the program.
    """

    keeps_blank_lines: ClassVar[bool] = False  # whether empty lines have a meaning in this protocol

    def __init__(self, name: str, launch: Callable[[], Process], settings: Settings) -> None:
        self.name, self.settings = name, settings
        self.seat: Seat = 0
        self.log_line: LogLine | None = None  # logs every line of the next game
        self.conversation: Conversation | None = None
        self._launch = launch
        self._exit_failure: Failure | None = None
        # the waiting players, and their exit descriptors
        self._exit_fds_cache: tuple[Sequence[Player], list[int]] = ((), [])
        self.is_answer_pending = False  # whether the engine has not answered the last question yet
        # whether a human interrupted the engine's last game, and may continue from an earlier point
        self.was_interrupted = False
        self.remarks: tuple[str, ...] = ()  # the engine's remarks about the game that has ended
        self._last_setup: GameSetup | None = None  # the setup of the last game

    def send(self, lines: str) -> None:
        """Send lines to the program, as `Conversation.send` does."""
        assert self.conversation is not None
        self.conversation.send(lines)

    def next_line(self, deadline: float) -> str | None:
        """Return the program's next line, or None at the deadline, as `Conversation.next_line` does."""
        assert self.conversation is not None
        return self.conversation.next_line(deadline)

    # Methods that a protocol defines

    @classmethod
    def why_unsupported(cls, game: Game) -> str | None:
        """Return a sentence with the reason why this protocol cannot express a game; None if it can."""
        return None

    @abstractmethod
    def begin_game(self, setup: GameSetup, *, is_next_game: bool, moves_to_undo: Sequence[Ply] | None = None) -> bool:
        """Send the first commands of a game, without waiting. Return False if the engine needs a new process.

        is_next_game: whether this process has played before. moves_to_undo: if the last game continues from an earlier
        position, the moves to take back, the last one first; else None.
        """

    @abstractmethod
    def wait_until_ready(self, deadline: float) -> Failure | None:
        """Wait until the engine is ready for the game. Return the failure if it does not become ready."""

    @abstractmethod
    def send_limits(self, setup: GameSetup, deadline: float) -> Failure | None:
        """Send the new time limits of a game in progress, unless each question contains them."""

    @abstractmethod
    def ask(self, turn: Turn) -> Failure | None:
        """Send the new moves, and ask for a move."""

    @abstractmethod
    def parse_answer(self, line: str, turn: Turn, engine_output: EngineOutput) -> EngineAnswer | Failure | None:
        """Parse a line of output. Return an answer or a failure. Add any other output to `engine_output`, and return
        None.
        """

    def moves_on_board(self) -> Sequence[Ply] | None:
        """Return the moves on the engine's own board; None if it has no board, or its moves are unknown."""
        return None

    def looks_like_answer(self, line: str) -> bool:
        """Return whether a line that the engine wrote before its turn looks like an answer."""
        return False

    def quit_line(self) -> str:
        """Return the line that ends the program; empty if the protocol has none."""
        return ""

    # The methods of a player

    @property
    def process(self) -> Process | None:
        """The engine's process, once it runs."""
        return None if self.conversation is None else self.conversation.process

    def start(self, setup: GameSetup, seat: Seat) -> None:
        """Take the seat: start the process, or reuse the process of the last game."""
        if self.conversation is not None and self._has_ended():
            self.end()
        is_next_game, moves_to_undo = self.conversation is not None, self._moves_to_undo(setup, seat)
        self.seat, self._exit_failure, self.is_answer_pending, self._last_setup = seat, None, False, setup
        self.was_interrupted, self.remarks = False, ()
        if self.conversation is None:
            self._start_process()
        else:
            self.conversation.log_line = self.log_line
        if not self.begin_game(setup, is_next_game=is_next_game, moves_to_undo=moves_to_undo if is_next_game else None):
            self.restart()
            self.begin_game(setup, is_next_game=False)

    def _moves_to_undo(self, setup: GameSetup, seat: Seat) -> Sequence[Ply] | None:
        """Return the moves to take back, the last one first, if this game continues an interrupted game; else None.

        Also returns None if it takes fewer commands to play the game again from the start.
        """
        last_setup, moves_on_board = self._last_setup, self.moves_on_board() if self.was_interrupted else None
        if last_setup is None or moves_on_board is None or seat != self.seat:
            return None
        if (last_setup.game.name, last_setup.game.options) != (setup.game.name, setup.game.options):
            return None
        same_count = 0
        for played_move, on_board in zip(setup.opening, moves_on_board, strict=False):
            if played_move != on_board:
                break
            same_count += 1
        moves_to_undo = moves_on_board[same_count:][::-1]
        return moves_to_undo if len(moves_to_undo) <= max(_ALWAYS_UNDONE_MOVE_COUNT, same_count) else None

    def _start_process(self) -> None:
        self.conversation = Conversation(self._launch(), keeps_blank_lines=self.keeps_blank_lines)
        self.conversation.log_line = self.log_line

    def restart(self) -> None:
        """Replace the process by a new process."""
        self.end()
        self._start_process()

    def _has_ended(self) -> bool:
        conversation = self.conversation
        return conversation is None or conversation.is_closed or conversation.process.exit_description() is not None

    def await_ready(self) -> Failure | None:
        """Wait until the engine is ready: 30 s at most."""
        failure = self._failure_while_waiting(self.wait_until_ready)
        if failure is None and self.conversation is not None:
            self.conversation.process.end_turn()
        return failure

    def set_limits_and_seat(self, setup: GameSetup, seat: Seat) -> Failure | None:
        """Send other time limits, and take another seat, with the same process."""
        self.seat, self._last_setup = seat, setup
        if self.conversation is not None:
            self.conversation.process.let_run()
        return self._failure_while_waiting(lambda until: self.send_limits(setup, until))

    def _failure_while_waiting(self, wait: Callable[[float], Failure | None]) -> Failure | None:
        try:
            failure = wait(time.monotonic() + START_LIMIT)
        except LineTooLong:
            failure = self._line_too_long_failure(0.0)
        return failure and (self.exit_failure() or failure)

    def readiness_failure(self) -> Failure:
        """Return the failure of an engine that does not become ready.

        The evidence quotes the engine's last line, which may show that the engine speaks another protocol.
        """
        last_line = self.conversation.last_line if self.conversation is not None else ""
        quoted_line = f"; its last line was {last_line[:80]!r}" if last_line else ""
        return Failure(Reason.OUT_OF_TIME, f"was not ready {START_LIMIT:g} s after its start{quoted_line}")

    def exit_fd(self) -> int | None:
        """Return a descriptor that becomes readable when the process ends."""
        return None if self.process is None else self.process.exit_fd

    def exit_failure(self) -> Failure | None:
        """Return a failure, with the last line of the standard error, if the process has ended; else None."""
        conversation = self.conversation
        if self._exit_failure is None and conversation is not None:
            if conversation.is_closed:
                conversation.process.wait(_EXIT_TIMEOUT)
            description = conversation.process.exit_description()
            if description is None and conversation.is_closed:
                description = "closed its output"
            if description is not None:
                conversation.process.end()
                self._exit_failure = failure_of_exit(conversation.process, description, self.seat)
        return self._exit_failure

    def await_move(self, turn: Turn) -> Reply | Failure:
        """Ask for a move. Wait until it arrives, until the time is over, or until a player's program exits."""
        assert self.conversation is not None
        process = self.conversation.process
        process.begin_turn()
        try:
            return self._ask_and_wait(turn, self.conversation)
        finally:
            process.end_turn()

    def _ask_and_wait(self, turn: Turn, conversation: Conversation) -> Reply | Failure:
        asked_at, had_early_answer = time.monotonic(), False
        # if the engine's answer is pending, the engine still thinks, because another player left during this turn
        if not self.is_answer_pending or turn.refusal:
            had_early_answer = any(map(self.looks_like_answer, conversation.take_received_lines()))
            asked_at = time.monotonic()
            try:
                failure = self.ask(turn)
            except LineTooLong:  # this line answers a command that preceded the question
                failure = self._line_too_long_failure(time.monotonic() - asked_at)
            if failure is not None:
                return self.exit_failure() or failure
        self.is_answer_pending = True
        turn.on_waiting()
        deadline, engine_output = asked_at + turn.allowed_seconds + turn.grace, EngineOutput()
        if self._exit_fds_cache[0] is not turn.opponents:
            exit_fds = [fd for opponent in turn.opponents if (fd := opponent.exit_fd()) is not None]
            self._exit_fds_cache = (turn.opponents, exit_fds)
        exit_fds, must_poll = self._exit_fds_cache[1], len(self._exit_fds_cache[1]) < len(turn.opponents)
        while True:
            try:
                look_until = min(deadline, time.monotonic() + 0.1) if must_poll else deadline
                line = conversation.next_line(look_until, exit_fds)
            except LineTooLong:
                return self._line_too_long_failure(time.monotonic() - asked_at)
            seconds = time.monotonic() - asked_at
            if line is not None:
                answer = self.parse_answer(line, turn, engine_output)
                if isinstance(answer, Failure):
                    return self.exit_failure() or Failure(answer.reason, answer.evidence, seconds)
                if answer is not None:
                    self.is_answer_pending = False
                    return self._reply(answer, seconds, engine_output, had_early_answer)
                turn.on_output(engine_output)
                check_cancelled()  # `next_line` does not check while a program writes without a pause
                if seconds < turn.allowed_seconds + turn.grace:
                    continue
            elif failure := self.exit_failure() or turn.opponent_failure(asked_at):
                return failure
            if time.monotonic() >= deadline:
                if (later_deadline := asked_at + turn.allowed_seconds + turn.grace + turn.extend()) > deadline:
                    deadline = later_deadline
                    continue
                evidence = "nothing was written"
                if turn.refusal:
                    evidence = f"{turn.refusal}: refused, and no legal move followed"
                elif engine_output.last_line:
                    evidence = f"only {engine_output.last_line[:_MAX_QUOTED_CHARACTERS]!r} was written"
                return Failure(Reason.OUT_OF_TIME, f"{evidence} within {turn.allowed_seconds:.4g} s", seconds)

    def _reply(
        self, answer: EngineAnswer, seconds: float, engine_output: EngineOutput, had_early_answer: bool
    ) -> Reply:
        score = engine_output.score if answer.score is None else answer.score
        warnings = (*_EARLY_WARNINGS, *answer.warnings) if had_early_answer else answer.warnings
        thoughts, line = answer.thoughts or engine_output.thoughts(), answer.line or engine_output.line
        values, original_text = engine_output.move_values, answer.original_text
        return Reply(answer.move, seconds, thoughts, warnings, score, line, values, original_text)

    def _line_too_long_failure(self, seconds: float) -> Failure:
        return Failure(Reason.NOT_A_MOVE, f"wrote a line of more than {MAX_LINE_BYTES:,} bytes", seconds)

    def notify_move(self, ply: Ply) -> None:  # noqa: B027  (a hook)
        """Do nothing: the next question contains the new moves."""

    def finish(self, outcome: Outcome) -> None:
        """Release the engine until the next game."""
        self.was_interrupted = outcome.reason is Reason.INTERRUPTED
        if self.conversation is not None:
            self.conversation.process.let_run()

    def shut_down(self, timeout: float) -> None:
        """Ask the engine to exit, wait up to `timeout` seconds, and end it with all its child processes."""
        if self.conversation is None:
            return
        if timeout and not self._has_ended():
            if quit_line := self.quit_line():
                self.conversation.send(quit_line)
            self.conversation.process.close_input()
            self.conversation.process.wait(timeout)
        self.end()

    def end(self) -> None:
        """End the process with all its child processes."""
        if self.conversation is not None:
            self.conversation.process.end()
            self.conversation = None

    @property
    def output(self) -> str:
        """The standard error of the process, once it has ended."""
        return "" if self.process is None else self.process.output_text
