"""A person at this terminal as a player: in this process, or in one of their own under a referee.

Knows whom to ask and where the answer goes; _dialogue.py holds the conversation.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import time

from gomogo_core.agent import AgentClock
from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Game, IllegalMove, NotAMove, Outcome, Position, Seat
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.protocols._dialogue import (
    Draw,
    Hint,
    HumanLeft,
    Save,
    TakenBack,
    Terminal,
    TurnDialogue,
    commands_in_a_line,
)
from gomogo_core.protocols.console import Console, Face
from gomogo_core.protocols.descriptor import AgentProtocol
from gomogo_core.wire.game_json import about_in, clocks_in
from gomogo_core.wire.lines import plies_of
from gomogo_core.wire.small_files import look

__all__ = [
    "Console", "Draw", "Face", "Hint", "HumanLeft", "HumanPlayer", "RefereedHuman", "Save", "TakenBack", "Terminal",
    "commands_in_a_line",
]  # fmt: skip

_MOST_HISTORY = 1 << 20  # bytes
_VERDICT = 2.0  # seconds a referee has to say that the time was over


class HumanPlayer:
    """A human at the terminal, in one seat. Only a legal move or `resign` ends the turn."""

    def __init__(self, name: str, terminal: Terminal) -> None:
        self.name = name
        self.terminal = terminal
        self.names: tuple[str, ...] = ()
        self.seat = 0

    def start(self, table: GameSetup, seat: Seat) -> None:
        """Take the seat."""
        self.names, self.seat = table.names, seat
        self.terminal.people.add(seat)

    def ready(self) -> Failure | None:
        """Return at once: the human has started the game."""
        return None

    def choose(self, turn: Turn) -> Reply | Failure:
        """Show the board, and ask until there is a legal move or the time is over. Raises Left and TakenBack."""
        return TurnDialogue(self.terminal, self.names, turn).until_moved()

    def notify_move(self, ply: Ply) -> None:
        """Do nothing: the next board contains the move."""

    def exit_failure(self) -> Failure | None:
        """Return None: a human who leaves raises Left."""
        return None

    def exit_fd(self) -> int | None:
        """Return None: there is no process."""
        return None

    def finish(self, outcome: Outcome) -> None:
        """Leave the seat."""
        self.terminal.people.discard(self.seat)


class RefereedHuman:
    """Answers an agent's turns by asking the human at the terminal. Does not take back moves or save games."""

    def __init__(self, console: Console, draw: Draw, hint: Hint) -> None:
        self.console = console
        self.terminal = Terminal(
            console,
            draw,
            hint,
            no_undo="The referee keeps every move of this game.",
            no_save="A referee keeps this game: it writes the record itself.",
        )
        self._greeted: object = None
        self._lines_shown = 0  # the number of history lines that the human has seen
        atexit.register(self.farewell)  # the agent process exits when the game is over

    def move(self, position: Position, clock: AgentClock) -> str:
        """The move typed. Exits when the person leaves, with the code of an interrupt."""
        about = about_in("game.json")
        seats = range(1, position.game.seats + 1)
        names = tuple(about.get("teams") or ("you" if s == position.to_move else f"player {s}" for s in seats))
        self._greet(position)
        # the referee of a private folder started this process: Ctrl-C reaches it too, and it ends the game
        self.terminal.ask_to_leave = "you" not in about
        clocks = clocks_in("position.json")
        lefts = tuple(clocks.get(name) for name in names)
        before = self._catch_up(position.game)
        turn = Turn(position, before, _last_ply(position), clock.allowed, 0.0, lefts)
        try:
            reply = TurnDialogue(self.terminal, names, turn, clock.started).until_moved()
        except HumanLeft as left:
            if not left.unasked:
                self.console.say("You left: the referee counts the game as lost.")
                return RESIGN
            stopped = "the game is stopped" if "you" in about else "the referee counts the game as lost"
            self.console.say(f"You left: {stopped}.")
            raise SystemExit(3) from None
        if isinstance(reply, Failure):
            _await_verdict()
            return RESIGN
        return reply.text

    def _catch_up(self, game: Game) -> Position | None:
        """Announce departures and effects of moves since the last turn; return the position before the last move."""
        seats = {team: seat for seat, team in enumerate(about_in("game.json").get("teams", ()), 1)}
        lines = list(plies_of((look("history_file", _MOST_HISTORY).content or b"").decode("ascii", "replace")))
        lines_before, self._lines_shown = min(self._lines_shown, len(lines)), len(lines)
        before, now = None, game.start()
        for number, (team, move) in enumerate(lines):
            try:
                after = game.follow(now, seats.get(team, 0), move)
            except (NotAMove, IllegalMove):  # a line of a legacy referee
                continue
            if move == RESIGN:
                told = f"{team} has left: the others play on."
            else:
                does = now.describe_effect(game.parse(move))
                told = f"{team} plays {game.format(game.parse(move))}, {does}." if does else ""
                before = now
            if told and number >= lines_before:
                self.terminal.say(told)
            now = after
        return before

    def wait(self) -> None:
        """Announce that it is not our turn, unless another human at this terminal may play meanwhile."""
        if "you" not in about_in("game.json"):
            self.console.say("Waiting for your turn. Ctrl-C leaves.")

    def farewell(self) -> None:
        """Show the last board, and the result unless a referee at this terminal prints it."""
        end = look("end_game", 4096).content
        about = about_in("game.json")
        if end is None or not about:
            return
        position = load(about["game"], **about["options"]).start()
        seats = {team: seat for seat, team in enumerate(about["teams"], 1)}
        for team, move in plies_of((look("history_file", _MOST_HISTORY).content or b"").decode("ascii", "replace")):
            with contextlib.suppress(NotAMove, IllegalMove):  # the last line may be `resign`
                position = position.game.follow(position, seats.get(team, 0), move)
        if position.outcome() is not None:
            last = [position.game.parse(ply.move) for ply in _last_ply(position)]
            self.console.say(self.terminal.board(position, about["teams"], last[0] if last else None, ()))
        if "you" not in about:
            self.console.say("\n" + end.decode("ascii", "replace").strip())

    def _greet(self, position: Position) -> None:
        if self._greeted != position.game:
            self._greeted = position.game
            self.console.say(f"\n{position.game.how_to_move()} {commands_in_a_line()}")


def _last_ply(position: Position) -> tuple[Ply, ...]:
    """The last move in `move_file`, of any team."""
    _, _, move = (look("move_file", 4096).content or b"").decode("ascii", "replace").strip().partition(" ")
    try:
        return (Ply(0, position.game.format(position.game.parse(move))),)
    except NotAMove:
        return ()


def _await_verdict() -> None:
    """Wait until the referee has ended the turn: it would judge a line written now."""
    until = time.monotonic() + _VERDICT
    while time.monotonic() < until and not os.path.exists("end_game"):
        time.sleep(0.02)


PROTOCOL = AgentProtocol("human", "a person at this terminal", settings=())
