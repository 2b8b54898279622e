"""The dialogue with a human in one turn at a terminal, and the commands that may be typed instead of a move.

Uses sessions; the caller provides the functions that draw a board and save a game. The session answers every command
about the game.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TypeAlias

from gomogo_core.cancellation import Cancelled
from gomogo_core.drawing.coordinates import OURS, Coordinates
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Move, Position, Reason
from gomogo_core.play.events import last_move
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.protocols.console import ConsoleInterface
from gomogo_core.session.game_session import ActionRefused, GameSession, NeedsConfirmation, NotUnderstood
from gomogo_core.session.referee import MovesTakenBack

Draw: TypeAlias = Callable[..., str]  # gomogo_core.drawing.text.picture, or a function with its parameters
Save: TypeAlias = Callable[[GameSession, str], str]

_HINT_TIME = 2.0  # seconds of a hint's search, at most a quarter of the human's remaining time
_FEW = 6  # list the legal moves if there are no more than this: choices of an opening, or the last points
_YES = ("y", "yes")


class HumanLeft(Cancelled):
    """A person left. unasked: whether by Ctrl-C or the end of the input, instead of a typed command."""

    def __init__(self, *, unasked: bool) -> None:
        super().__init__("the person left")
        self.unasked = unasked


@dataclass
class Terminal:
    """The settings that all humans at one terminal share.

    visitor: their common identity in the session. draw: returns the board and its footer. save: writes the game to a
    named file, or to one of its own choice, and returns a sentence about it; None if games cannot be saved, for the
    reason `no_save`. ask_to_leave: whether Ctrl-C asks before it leaves. coordinates: the coordinates of typed moves
    and of shown sentences.
    """

    console: ConsoleInterface
    draw: Draw
    session: GameSession
    visitor: str
    save: Save | None = None
    no_save: str = ""
    ask_to_leave: bool = True
    coordinates: Coordinates = OURS

    def board(
        self, position: Position, last: Move | None, clocks: Sequence[float | None], *, named: bool = False
    ) -> str:
        """Return the board as this terminal shows it. named: with the name of each move at its place."""
        face = self.console
        drawn = self.draw(
            position,
            self.session.names,
            last,
            clocks,
            colour=face.colour,
            width=face.width,
            named=named,
            coordinates=self.coordinates,
        )
        return f"\n{drawn}"

    def say(self, sentence: str) -> None:
        """Print a sentence of the rules, with its points in the coordinates of this terminal."""
        self.console.say(self.coordinates.display(sentence))

    def may_leave(self, deadline: float = math.inf) -> None:
        """Ask whether to leave the game, and raise HumanLeft if the answer is yes.

        At the end of the input, leave at once.
        """
        if not self.ask_to_leave:
            raise HumanLeft(unasked=True)
        saving = "s = save it and leave, " * (self.save is not None)
        try:
            answer = self.console.ask(lambda: f"Leave the game? y = leave, {saving}Enter = go on > ", deadline)
        except (KeyboardInterrupt, EOFError):
            raise HumanLeft(unasked=True) from None
        if answer.casefold() in (*_YES, "l", "leave"):
            raise HumanLeft(unasked=True)
        if answer.casefold() in ("s", "save") and self.save_and_report():
            raise HumanLeft(unasked=True)

    def save_and_report(self, file: str = "") -> bool:
        """Save the game, and print the result."""
        if self.save is None:
            self.console.say(self.no_save)
            return False
        try:
            self.console.say(self.save(self.session, file))
        except UserError as wrong:
            self.console.say(str(wrong))
            return False
        return True


class TurnDialogue:
    """The dialogue of one turn. started: when the turn began, by default now."""

    def __init__(self, terminal: Terminal, turn: Turn, started: float | None = None) -> None:
        self.terminal, self.console, self.session = terminal, terminal.console, terminal.session
        self.turn, self.position = turn, turn.position
        self.started = time.monotonic() if started is None else started
        self.deadline = self.started + turn.allowed + turn.grace

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def ask_for_move(self) -> Reply | Failure:
        self.turn.on_waiting()
        self.show_board()
        if self.turn.refused:
            self.terminal.say(f"Refused: {self.turn.refused}.")
        try:
            while True:
                try:
                    if (move := self.answer_to(self.ask(self.prompt))) is not None:
                        return move
                except ActionRefused as wrong:
                    self.console.say(wrong.what)
                except KeyboardInterrupt:
                    self.terminal.may_leave(self.deadline)
        except TimeoutError:
            self.console.say("Your time is over.")
            taken, allowed = self.seconds, self.turn.allowed
            return Failure(Reason.OUT_OF_TIME, f"{taken:.3f} s taken, {allowed:g} s allowed", taken)
        except EOFError:
            raise HumanLeft(unasked=True) from None

    def ask(self, prompt: Callable[[], str]) -> str:
        return self.console.ask(prompt, self.deadline)

    def prompt(self) -> str:
        seat = self.position.to_move
        who = f"{self.session.names[seat - 1]} ({self.position.mark(seat)})"
        if math.isfinite(self.turn.allowed):
            limit = f"{round(self.turn.allowed, 2):g} s"
            taken = f"{self.seconds:>{len(f'{self.turn.allowed:.1f}')}.1f} / " * self.console.live
            return f"{who} {taken}{limit} > "
        minutes, seconds = divmod(int(self.seconds), 60)
        return f"{who} {minutes:2}:{seconds:02} > " if self.console.live else f"{who} > "

    def show_board(self) -> None:
        self.console.say(self.drawn())
        if task := self.position.describe_task():
            self.terminal.say(task)
        moves = [self.position.game.format(move) for move in islice(self.position.moves(), _FEW + 1)]
        if 1 < len(moves) <= _FEW:
            self.terminal.say(f"You may play {', '.join(moves[:-1])} or {moves[-1]}.")

    def drawn(self, *, named: bool = False) -> str:
        last = last_move(self.position.game, self.turn.plies)
        return self.terminal.board(self.position, last, self.turn.clocks, named=named)

    def answer_to(self, line: str) -> Reply | None:
        """Return the reply that ends the turn, or None after another command. Raises ActionRefused."""
        word, _, rest = line.partition(" ")
        command = _COMMANDS_BY_NAME.get(word.casefold())
        if not line:
            return None
        if command is not None and (not rest or command.arguments):
            return command.action(self, rest.strip())
        try:
            return self.play(line)
        except NotUnderstood as wrong:
            self.console.say(f"{wrong.what} {_suggest_command(word)}")
        except NeedsConfirmation as wrong:
            self.console.say(wrong.what)
            question = f"{wrong.remedy} y/n > "
            if self.ask(lambda: question).casefold() in _YES:
                return self.play(line, sure=True)
        return None

    def play(self, line: str, *, sure: bool = False) -> Reply:
        seconds = self.seconds
        if seconds > self.turn.allowed + self.turn.grace:  # the session would keep a move that the referee rejects
            raise TimeoutError
        played = self.session.play(
            self.terminal.visitor, line, sure=sure, seconds=seconds, coordinates=self.terminal.coordinates
        )
        return Reply(played.move, seconds)

    # The commands that may be typed instead of a move

    def undo(self, _: str) -> None:
        self.session.take_back(self.terminal.visitor)
        raise MovesTakenBack("moves were taken back")

    def hint(self, _: str) -> None:
        left = self.deadline - time.monotonic()
        self.terminal.say(self.session.hint(self.terminal.visitor, min(_HINT_TIME, left / 4)))

    def resign(self, _: str) -> Reply:
        self.session.resign(self.terminal.visitor)
        return Reply(RESIGN, self.seconds)

    def save(self, file: str) -> None:
        self.terminal.save_and_report(file)

    def board(self, _: str) -> None:
        self.show_board()

    def names_of_moves(self, _: str) -> None:
        named = self.drawn(named=True)
        self.console.say(
            named if named != self.drawn() else f"{named}\nThe letters and numbers at its edges name all points."
        )

    def explain(self, _: str) -> None:
        nothing = f"There is nothing to explain here. {self.position.game.how_to_move()}"
        self.terminal.say(self.session.explain() or nothing)

    def help(self, _: str) -> None:
        self.terminal.say(self.position.game.how_to_move())
        self.console.say(_command_table())

    def quit(self, _: str) -> None:
        raise HumanLeft(unasked=False)


@dataclass(frozen=True, slots=True)
class Command:
    """A command that may be typed instead of a move.

    action: executes the command, and returns a reply if that ends the turn.
    """

    name: str
    about: str
    action: Callable[[TurnDialogue, str], Reply | None]
    arguments: str = ""
    others: tuple[str, ...] = ()


COMMANDS = (
    Command("undo", "take back your last move and the answer to it", TurnDialogue.undo),
    Command("hint", "ask for a good move", TurnDialogue.hint),
    Command("resign", "give up the game: you lose it", TurnDialogue.resign),
    Command("save", "write the game to a file, for `gomogo play --load FILE`", TurnDialogue.save, "[FILE]"),
    Command("board", "show the board again", TurnDialogue.board),
    Command("names", "show the board with the names of the moves on it", TurnDialogue.names_of_moves),
    Command("explain", "say why stones were taken, what is in danger, and what belongs to whom", TurnDialogue.explain),
    Command("help", "show this list", TurnDialogue.help, others=("?",)),
    Command("quit", "leave; `gomogo play` keeps the game for --continue", TurnDialogue.quit, others=("exit", "q")),
)
_COMMANDS_BY_NAME = {name: command for command in COMMANDS for name in (command.name, *command.others)}


def commands_in_a_line() -> str:
    """Return a sentence that lists the commands."""
    words = [f"{command.name} {command.arguments}".strip() for command in COMMANDS]
    return f"You may also type {', '.join(words[:-1])} or {words[-1]}."


def _command_table() -> str:
    return "\n".join(f"  {command.name + ' ' + command.arguments:<12} {command.about}" for command in COMMANDS)


def _suggest_command(word: str) -> str:
    close = get_close_matches(word.casefold(), [command.name for command in COMMANDS], n=1)
    return f"Did you mean {close[0]}?" if close else "`help` lists what you can type."
