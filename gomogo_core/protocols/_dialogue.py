"""One turn's questions and answers at a terminal, and the words that may be typed instead of a move.

Knows positions and the words of their rules; how a board is drawn, a hint found or a game saved, it is given.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice
from typing import Protocol

from gomogo_core.cancellation import Cancelled
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, IllegalMove, Move, NotAMove, Position, Reason, Seat
from gomogo_core.play.events import Ply, last_move
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.protocols.console import Face

Hint = Callable[[Position, float], tuple[Move, str]]
Save = Callable[[Sequence[Ply], str], str]

_HINT_TIME = 2.0  # seconds, but at most a quarter of the human's time left
_FEW = 6  # list the legal moves when there are at most this many: choices of an opening, the last points


class Draw(Protocol):
    """Makes a board with its footer into text; as gomogo_core.drawing.text.picture does."""

    def __call__(
        self,
        position: Position,
        names: Sequence[str],
        last: Move | None = None,
        clocks: Sequence[float | None] = (),
        *,
        colour: bool = False,
        width: int = 80,
        named: bool = False,
    ) -> str:
        """The text."""


class HumanLeft(Cancelled):
    """A person left. unasked: by Ctrl-C or the end of the input, and not by saying so."""

    def __init__(self, *, unasked: bool) -> None:
        super().__init__("the person left")
        self.unasked = unasked


class TakenBack(Cancelled):
    """The person in `seat` takes moves back. stay: how many of the game's moves stay on the board."""

    def __init__(self, stay: int, seat: Seat) -> None:
        super().__init__("a move was taken back")
        self.stay, self.seat = stay, seat


@dataclass
class Terminal:
    """What all who sit at one terminal share.

    draw: the board and its footer. hint: a good move within a number of seconds, and a sentence on it. save: writes the
    moves to a file named, or to one of its own choice, and says where they are. no_undo, no_save: why there is none.
    ask_to_leave: whether Ctrl-C only asks. shown, read: sentences of the rules as they are to be shown, and typed moves
    as they are to be read, where points are called otherwise here. people: the seats of those who sit here, entered as
    they sit down.
    """

    console: Face
    draw: Draw
    hint: Hint
    save: Save | None = None
    no_undo: str = ""
    no_save: str = ""
    ask_to_leave: bool = True
    shown: Callable[[str], str] = str
    read: Callable[[str], str] = str
    people: set[Seat] = field(default_factory=set)

    def board(
        self,
        position: Position,
        names: Sequence[str],
        last: Move | None,
        clocks: Sequence[float | None],
        *,
        named: bool = False,
    ) -> str:
        """The board as this terminal shows it; `named`, with the name of each move where it would be made."""
        drawn = self.draw(
            position,
            names,
            last,
            clocks,
            colour=self.console.colour,
            width=self.console.width,
            named=named,
        )
        return f"\n{drawn}"

    def say(self, sentence: str) -> None:
        """Say a sentence of the rules', its points called as at this terminal."""
        self.console.say(self.shown(sentence))

    def may_leave(self, plies: Sequence[Ply], deadline: float = math.inf) -> None:
        """Ask whether to leave the game, and raise Left if so. At the end of the input, leave without a question."""
        if not self.ask_to_leave:
            raise HumanLeft(unasked=True)
        saving = "s = save it and leave, " * (self.save is not None)
        try:
            answer = self.console.ask(lambda: f"Leave the game? y = leave, {saving}Enter = go on > ", deadline)
        except (KeyboardInterrupt, EOFError):
            raise HumanLeft(unasked=True) from None
        if answer.casefold() in ("y", "yes", "l", "leave"):
            raise HumanLeft(unasked=True)
        if answer.casefold() in ("s", "save") and self.keep(plies):
            raise HumanLeft(unasked=True)

    def keep(self, plies: Sequence[Ply], file: str = "") -> bool:
        """Save the game, and say what became of it."""
        if self.save is None:
            self.console.say(self.no_save)
            return False
        try:
            self.console.say(self.save(plies, file))
        except UserError as wrong:
            self.console.say(str(wrong))
            return False
        return True


class TurnDialogue:
    """One turn's questions and answers. names: by seat. started: when the turn began, by default now."""

    def __init__(self, terminal: Terminal, names: Sequence[str], turn: Turn, started: float | None = None) -> None:
        self.terminal, self.console, self.names = terminal, terminal.console, names
        self.turn, self.position = turn, turn.position
        self.started = time.monotonic() if started is None else started
        self.deadline = self.started + turn.allowed + turn.grace

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def until_moved(self) -> Reply | Failure:
        self.turn.on_waiting()
        self.show_board()
        if self.turn.refused:
            self.terminal.say(f"Refused: {self.turn.refused}.")
        try:
            while True:
                try:
                    if (move := self.answer_to(self.ask(self.prompt))) is not None:
                        return Reply(move, self.seconds)
                except KeyboardInterrupt:
                    self.terminal.may_leave(self.turn.plies, self.deadline)
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
        who = f"{self.names[seat - 1]} ({self.position.mark(seat)})"
        if math.isfinite(self.turn.allowed):
            limit = f"{round(self.turn.allowed, 2):g} s"
            taken = f"{self.seconds:>{len(f'{self.turn.allowed:.1f}')}.1f} / " * self.console.live
            return f"{who} {taken}{limit} > "
        minutes, seconds = divmod(int(self.seconds), 60)
        return f"{who} {minutes:2}:{seconds:02} > " if self.console.live else f"{who} > "

    def show_board(self) -> None:
        self.console.say(self.drawn())
        if task := self.position.task():
            self.terminal.say(task)
        moves = [self.position.game.format(move) for move in islice(self.position.moves(), _FEW + 1)]
        if 1 < len(moves) <= _FEW:
            self.terminal.say(f"You may play {', '.join(moves[:-1])} or {moves[-1]}.")

    def drawn(self, *, named: bool = False) -> str:
        last = last_move(self.position.game, self.turn.plies)
        return self.terminal.board(self.position, self.names, last, self.turn.clocks, named=named)

    def answer_to(self, line: str) -> str | None:
        """Return the move in its written form, or None after another command or a mistake."""
        word, _, rest = line.partition(" ")
        command = _COMMANDS_BY_NAME.get(word.casefold())
        if not line:
            return None
        if command is not None and (not rest or command.arguments):
            return command.action(self, rest.strip())
        try:
            move = self.position.game.parse(self.terminal.read(line))
        except NotAMove as wrong:
            self.console.say(f"{line!r} is not a move: {self.terminal.shown(wrong.hint)}. {_meant(word)}")
            return None
        if why := self.position.why_illegal(move):
            self.terminal.say(f"No: {why}.")
            return None
        if warning := self.position.warning(move):
            self.terminal.say(f"{warning}.")
            if self.ask(lambda: "Play it all the same? y/n > ").casefold() not in ("y", "yes"):
                return None
        return self.position.game.format(move)

    # What may be typed instead of a move

    def undo(self, _: str) -> None:
        if self.terminal.no_undo:
            self.console.say(self.terminal.no_undo)
            return
        plies, people = self.turn.plies, self.terminal.people
        mine = [number for number, ply in enumerate(plies) if ply.seat in people]
        if not mine:
            self.console.say("There is no move of yours to take back.")
            return
        raise TakenBack(mine[-1], self.position.to_move)

    def hint(self, _: str) -> None:
        left = self.deadline - time.monotonic()
        move, why = self.terminal.hint(self.position, min(_HINT_TIME, left / 4))
        self.terminal.say(f"{self.position.game.format(move)}: {why}")

    def resign(self, _: str) -> str:
        return "resign"

    def save(self, file: str) -> None:
        self.terminal.keep(self.turn.plies, file)

    def board(self, _: str) -> None:
        self.show_board()

    def names_of_moves(self, _: str) -> None:
        named = self.drawn(named=True)
        self.console.say(named if named != self.drawn() else f"{named}\nThe letters and numbers at its edges name all.")

    def explain(self, _: str) -> None:
        last = last_move(self.position.game, self.turn.plies)
        words = "\n".join([*self._since_own_move(), self.position.explain(self.turn.before, last)]).strip()
        self.terminal.say(words or f"There is nothing to explain here. {self.position.game.how_to_move()}")

    def _since_own_move(self) -> list[str]:
        """Explanations of the last round's moves except the last one, so that it includes the human's own move."""
        game, plies = self.position.game, self.turn.plies
        said, position = [], game.start()
        with suppress(NotAMove, IllegalMove):  # of a game that did not begin at its start
            for number, (seat, text) in enumerate(plies, 1):
                after = game.follow(position, seat, text)
                if len(plies) - game.seats < number < len(plies) and text != RESIGN:
                    said.append(after.explain_move(position, game.parse(text)))
                position = after
        return [words for words in said if words]

    def help(self, _: str) -> None:
        self.terminal.say(self.position.game.how_to_move())
        self.console.say(_explained())

    def quit(self, _: str) -> None:
        raise HumanLeft(unasked=False)


@dataclass(frozen=True, slots=True)
class Command:
    """A word that may be typed instead of a move. action: answers it, and has the move's text where it is one."""

    name: str
    about: str
    action: Callable[[TurnDialogue, str], str | None]
    arguments: str = ""
    others: tuple[str, ...] = ()


COMMANDS = (
    Command("undo", "take back your last move and the answer to it", TurnDialogue.undo),
    Command("hint", "ask for a good move", TurnDialogue.hint),
    Command("resign", "give the game up: you lose it", TurnDialogue.resign),
    Command("save", "write the game to a file, for `gomogo play --load FILE`", TurnDialogue.save, "[FILE]"),
    Command("board", "show the board again", TurnDialogue.board),
    Command("names", "show the board with the names of the moves on it", TurnDialogue.names_of_moves),
    Command("explain", "say why stones were taken, what is in danger, and what belongs to whom", TurnDialogue.explain),
    Command("help", "show this list", TurnDialogue.help, others=("?",)),
    Command("quit", "leave; an unfinished game that is not saved is lost", TurnDialogue.quit, others=("exit", "q")),
)
_COMMANDS_BY_NAME = {name: command for command in COMMANDS for name in (command.name, *command.others)}


def commands_in_a_line() -> str:
    """A sentence that lists the commands."""
    words = [f"{command.name} {command.arguments}".strip() for command in COMMANDS]
    return f"You may also type {', '.join(words[:-1])} or {words[-1]}."


def _explained() -> str:
    return "\n".join(f"  {command.name + ' ' + command.arguments:<12} {command.about}" for command in COMMANDS)


def _meant(word: str) -> str:
    close = get_close_matches(word.casefold(), [command.name for command in COMMANDS], n=1)
    return f"Did you mean {close[0]}?" if close else "`help` lists what you can type."
