"""The dialogue with a human in one turn at a terminal, and the commands that the human may type instead of a move.

The session executes the commands about the game. The caller provides the functions that draw a board and save a game.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TypeAlias

from gomogo_core.cancellation import GameCancelled
from gomogo_core.drawing.coordinates import FILE_COORDINATES, Coordinates
from gomogo_core.drawing.text import printable
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Move, Position, Reason
from gomogo_core.play.events import last_move
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.protocols.console import ConsoleInterface
from gomogo_core.session.actions import ActionRefused, NeedsConfirmation, NotUnderstood
from gomogo_core.session.advice import explain_last_round, hint_sentence
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.referee import MovesTakenBack

DrawFunction: TypeAlias = Callable[..., str]  # has the parameters of gomogo_core.drawing.text.picture
SaveFunction: TypeAlias = Callable[[GameSession, str], str]  # saves a session, and returns a sentence about it

_MAX_HINT_SECONDS = 2.0  # the search for a hint also takes at most a quarter of the human's remaining time
_MAX_LISTED_MOVES = 6  # the dialogue lists the legal moves if there are few, such as swap and stay in an opening
_YES_ANSWERS = ("y", "yes")


class HumanLeft(GameCancelled):
    """Raised when a human leaves.

    by_interrupt: whether the human left by Ctrl-C or the end of the input, not by a typed command.
    """

    def __init__(self, *, by_interrupt: bool) -> None:
        super().__init__("the human left")
        self.by_interrupt = by_interrupt


@dataclass
class Terminal:
    """The settings that all humans at one terminal share.

    visitor: the identity that these humans share in the session. draw: a function that returns the board and its
    footer. save: a function that writes the game to the file of a given name, or to a new file if the name is empty;
    None if games cannot be saved. why_no_save: the reason why games cannot be saved. asks_before_leaving: whether the
    terminal asks for confirmation after Ctrl-C. coordinates: the coordinates of typed moves and of printed sentences.
    format_name: a function that returns the displayed name of a player.
    """

    console: ConsoleInterface
    draw: DrawFunction
    session: GameSession
    visitor: str
    save: SaveFunction | None = None
    why_no_save: str = ""
    asks_before_leaving: bool = True
    coordinates: Coordinates = FILE_COORDINATES
    format_name: Callable[[str], str] = printable

    @property
    def names(self) -> list[str]:
        """The displayed names of the players, by seat."""
        return [self.format_name(name) for name in self.session.names]

    def board(
        self,
        position: Position,
        last_move_made: Move | None,
        clocks: Sequence[float | None],
        *,
        show_names: bool = False,
    ) -> str:
        """Return the board as this terminal shows it. show_names: whether each place shows the name of its move."""
        console = self.console
        picture = self.draw(
            position,
            self.names,
            last_move_made,
            clocks,
            colour=console.uses_colour,
            width=console.width,
            show_names=show_names,
            coordinates=self.coordinates,
        )
        return f"\n{picture}"

    def say(self, sentence: str) -> None:
        """Print a sentence, with its points in the coordinates of this terminal."""
        self.console.say(self.coordinates.display(sentence))

    def confirm_leaving(self, deadline: float = math.inf) -> None:
        """Ask whether to leave the game, and raise HumanLeft if the answer is yes or the input has ended."""
        if not self.asks_before_leaving:
            raise HumanLeft(by_interrupt=True)
        saving = "s = save it and leave, " * (self.save is not None)
        try:
            answer = self.console.ask(lambda: f"Leave the game? y = leave, {saving}Enter = go on > ", deadline)
        except (KeyboardInterrupt, EOFError):
            raise HumanLeft(by_interrupt=True) from None
        if answer.casefold() in (*_YES_ANSWERS, "l", "leave"):
            raise HumanLeft(by_interrupt=True)
        if answer.casefold() in ("s", "save") and self.save_and_report():
            raise HumanLeft(by_interrupt=True)

    def save_and_report(self, file_name: str = "") -> bool:
        """Save the game, and print a sentence with the result. Return whether the game was saved.

        file_name: the name of the file; empty for a new file.
        """
        if self.save is None:
            self.console.say(self.why_no_save)
            return False
        try:
            self.console.say(self.save(self.session, file_name))
        except UserError as error:
            self.console.say(str(error))
            return False
        return True


class TurnDialogue:
    """The dialogue of one turn. started: the time at which the turn began, by default now."""

    def __init__(self, terminal: Terminal, turn: Turn, started: float | None = None) -> None:
        self.terminal, self.console, self.session = terminal, terminal.console, terminal.session
        self.turn, self.position = turn, turn.position
        self.started = time.monotonic() if started is None else started
        self.deadline = self.started + turn.allowed_seconds + turn.grace

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def ask_for_move(self) -> Reply | Failure:
        self.turn.on_waiting()
        self.show_board()
        if self.turn.refusal:
            self.terminal.say(f"Refused: {self.turn.refusal}.")
        try:
            while True:
                try:
                    if (move := self.execute(self.ask(self.prompt))) is not None:
                        return move
                except ActionRefused as error:
                    self.console.say(error.problem)
                except KeyboardInterrupt:
                    self.terminal.confirm_leaving(self.deadline)
        except TimeoutError:
            self.console.say("Your time is over.")
            seconds = self.seconds
            evidence = f"{seconds:.3f} s taken, {self.turn.allowed_seconds:g} s allowed"
            return Failure(Reason.OUT_OF_TIME, evidence, seconds)
        except EOFError:
            raise HumanLeft(by_interrupt=True) from None

    def ask(self, prompt: Callable[[], str]) -> str:
        return self.console.ask(prompt, self.deadline)

    def prompt(self) -> str:
        seat = self.position.to_move
        player = f"{self.terminal.names[seat - 1]} ({self.position.mark(seat)})"
        if self.position.pass_ends_game:  # in the full screen, this line stays while messages scroll away
            player = f"{self.terminal.names[2 - seat]} passed. {player}"
        if math.isfinite(self.turn.allowed_seconds):
            limit_text = f"{round(self.turn.allowed_seconds, 2):g} s"
            elapsed_text = f"{self.seconds:>{len(f'{self.turn.allowed_seconds:.1f}')}.1f} / " * self.console.can_redraw
            return f"{player} {elapsed_text}{limit_text} > "
        minutes, seconds = divmod(int(self.seconds), 60)
        return f"{player} {minutes:2}:{seconds:02} > " if self.console.can_redraw else f"{player} > "

    def show_board(self) -> None:
        self.console.say(self.drawn_board())
        if task := self.position.describe_task():
            self.terminal.say(task)
        moves = [self.position.game.format(move) for move in islice(self.position.moves(), _MAX_LISTED_MOVES + 1)]
        if 1 < len(moves) <= _MAX_LISTED_MOVES:
            self.terminal.say(f"You may play {', '.join(moves[:-1])} or {moves[-1]}.")

    def drawn_board(self, *, show_names: bool = False) -> str:
        last_move_made = last_move(self.position.game, self.turn.plies)
        return self.terminal.board(self.position, last_move_made, self.turn.clocks, show_names=show_names)

    def _known_words(self) -> list[str]:
        """Return the commands, and the moves that are words, such as pass."""
        moves = map(self.position.game.format, self.position.moves())
        return [*(command.name for command in COMMANDS), *(move for move in moves if move.isalpha())]

    def execute(self, line: str) -> Reply | None:
        """Execute a typed move or command. Return the reply that ends the turn, else None. Raises ActionRefused."""
        word, _, argument = line.partition(" ")
        command = _COMMANDS_BY_NAME.get(word.casefold())
        if not line:
            return None
        if command is not None and (not argument or command.argument_names):
            return command.action(self, argument.strip())
        try:
            return self.play(line)
        except NotUnderstood as error:
            self.console.say(f"{error.problem} {_suggest_word(word, self._known_words())}")
        except NeedsConfirmation as error:
            self.console.say(error.problem)
            question = f"{error.remedy} y/n > "
            if (answer := self.ask(lambda: question)) == line or answer.casefold() in _YES_ANSWERS:
                return self.play(line, is_confirmed=True)
        return None

    def play(self, line: str, *, is_confirmed: bool = False) -> Reply:
        seconds = self.seconds
        # without this check, the session would contain a move that the referee then rejects as too late
        if seconds > self.turn.allowed_seconds + self.turn.grace:
            raise TimeoutError
        visitor, coordinates = self.terminal.visitor, self.terminal.coordinates
        action = self.session.play(visitor, line, is_confirmed=is_confirmed, seconds=seconds, coordinates=coordinates)
        return Reply(action.move, seconds)

    # The commands that a human may type instead of a move

    def undo(self, _: str) -> None:
        self.session.take_back(self.terminal.visitor)
        raise MovesTakenBack("moves were taken back")

    def hint(self, _: str) -> None:
        seconds_left = self.deadline - time.monotonic()
        self.terminal.say(hint_sentence(self.session, self.terminal.visitor, min(_MAX_HINT_SECONDS, seconds_left / 4)))

    def resign(self, _: str) -> Reply:
        self.session.resign(self.terminal.visitor)
        return Reply(RESIGN, self.seconds)

    def save(self, file_name: str) -> None:
        self.terminal.save_and_report(file_name)

    def board(self, _: str) -> None:
        self.show_board()

    def show_move_names(self, _: str) -> None:
        named_board = self.drawn_board(show_names=True)
        self.console.say(named_board)
        if named_board == self.drawn_board():
            self.console.say("The letters and numbers at its edges name all points.")

    def explain(self, _: str) -> None:
        no_explanation = f"There is nothing to explain here. {self.position.game.how_to_move()}"
        self.terminal.say(explain_last_round(self.session, self.terminal.format_name) or no_explanation)

    def help(self, _: str) -> None:
        self.terminal.say(self.position.game.how_to_move())
        names = {f"{command.name} {command.argument_names}": command.summary for command in COMMANDS}
        self.console.say("\n".join(f"  {name:<12} {summary}" for name, summary in names.items()))

    def quit(self, _: str) -> None:
        raise HumanLeft(by_interrupt=False)


@dataclass(frozen=True, slots=True)
class Command:
    """A command that a human may type instead of a move.

    summary: a line for `help`. action: a function that executes the command, and returns a reply if the command ends
    the turn. argument_names: the names that `help` shows. aliases: other names of the command.
    """

    name: str
    summary: str
    action: Callable[[TurnDialogue, str], Reply | None]
    argument_names: str = ""
    aliases: tuple[str, ...] = ()


COMMANDS = (
    Command("undo", "take back your last move and the answer to it", TurnDialogue.undo),
    Command("hint", "ask for a good move", TurnDialogue.hint),
    Command("resign", "give up the game: you lose it", TurnDialogue.resign),
    Command("save", "write the game to a file, for `gomogo play --load FILE`", TurnDialogue.save, "[FILE]"),
    Command("board", "show the board again", TurnDialogue.board),
    Command("names", "show the board with the names of the moves on it", TurnDialogue.show_move_names),
    Command("explain", "explain the captures, the stones in danger and the territory", TurnDialogue.explain),
    Command("help", "show this list", TurnDialogue.help, aliases=("?",)),
    Command("quit", "leave; `gomogo play` keeps the game for --continue", TurnDialogue.quit, aliases=("exit", "q")),
)
_COMMANDS_BY_NAME = {name: command for command in COMMANDS for name in (command.name, *command.aliases)}


def commands_sentence() -> str:
    """Return a sentence that lists the commands."""
    words = [f"{command.name} {command.argument_names}".strip() for command in COMMANDS]
    return f"You may also type {', '.join(words[:-1])} or {words[-1]}."


def _suggest_word(word: str, known_words: Collection[str]) -> str:
    similar_words = get_close_matches(word.casefold(), known_words, n=1)
    return f"Did you mean {similar_words[0]}?" if similar_words else "`help` lists what you can type."
