"""A person at this terminal as a player: in this process, or in one of their own under a referee.

Knows who is asked and where the answer goes; what is said meanwhile is _talk.py's.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import time

from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Game, IllegalMove, NotAMove, Outcome, Position, Seat
from gomogo_core.play.events import Ply, Table
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.protocols._console import Console, Face
from gomogo_core.protocols._talk import Draw, Hint, Left, Save, TakenBack, Talk, Terminal, commands_in_a_line
from gomogo_core.wire.agent_clock import AgentClock
from gomogo_core.wire.folder import look
from gomogo_core.wire.lines import plies_of
from gomogo_core.wire.told import about_in, clocks_in

__all__ = [
    "Console", "Draw", "Face", "Hint", "Left", "Person", "RefereedPerson", "Save", "TakenBack", "Terminal",
    "commands_in_a_line",
]  # fmt: skip

_MOST_HISTORY = 1 << 20  # bytes
_VERDICT = 2.0  # seconds a referee has to say that the time was over


class Person:
    """Somebody at the terminal, in one seat. Nothing typed costs the turn, unless it is a legal move or `resign`."""

    def __init__(self, name: str, terminal: Terminal) -> None:
        self.name = name
        self.terminal = terminal
        self.names: tuple[str, ...] = ()
        self.seat = 0

    def start(self, table: Table, seat: Seat) -> None:
        """Take the seat."""
        self.names, self.seat = table.names, seat
        self.terminal.people.add(seat)

    def ready(self) -> Failure | None:
        """Be ready: who sits here has called for the game."""
        return None

    def choose(self, turn: Turn) -> Reply | Failure:
        """Show the board, and ask until there is a legal move or the time is over. Raises Left and TakenBack."""
        return Talk(self.terminal, self.names, turn).until_moved()

    def accepted(self, ply: Ply) -> None:
        """Take no notice: the next board shows it."""

    def death(self) -> Failure | None:
        """Live: who leaves says so."""
        return None

    def pulse(self) -> int | None:
        """Give none."""
        return None

    def finish(self, outcome: Outcome) -> None:
        """Leave the seat."""
        self.terminal.people.discard(self.seat)


class RefereedPerson:
    """Answers an agent's question by asking whoever sits at the terminal. Here nothing is taken back or saved."""

    def __init__(self, console: Console, draw: Draw, hint: Hint) -> None:
        self.console = console
        self.terminal = Terminal(
            console,
            draw,
            hint,
            no_undo="A referee keeps this game: what was played stays.",
            no_save="A referee keeps this game: it writes the record itself.",
        )
        self._greeted: object = None
        self._heard = 0  # lines of the history of which the person knows
        atexit.register(self.farewell)  # the agent's side leaves when the game is over, whoever started it

    def move(self, position: Position, clock: AgentClock) -> str:
        """The move typed. Exits when the person leaves, with the code of an interrupt."""
        about = about_in("game.json")
        seats = range(1, position.game.seats + 1)
        names = tuple(about.get("teams") or ("you" if s == position.to_move else f"player {s}" for s in seats))
        self._greet(position)
        # a referee that laid this folder for us alone started us: it hears Ctrl-C as we do, and ends the game
        self.terminal.ask_to_leave = "you" not in about
        clocks = clocks_in("position.json")
        lefts = tuple(clocks.get(name) for name in names)
        before = self._catch_up(position.game)
        turn = Turn(position, before, _last_ply(position), clock.allowed, 0.0, lefts)
        try:
            reply = Talk(self.terminal, names, turn, clock.started).until_moved()
        except Left as left:
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
        """Say what was done since the last turn beside moves being played; the position before the last move."""
        seats = {team: seat for seat, team in enumerate(about_in("game.json").get("teams", ()), 1)}
        lines = list(plies_of((look("history_file", _MOST_HISTORY).content or b"").decode("ascii", "replace")))
        heard, self._heard = min(self._heard, len(lines)), len(lines)
        before, now = None, game.start()
        for number, (team, move) in enumerate(lines):
            try:
                after = game.follow(now, seats.get(team, 0), move)
            except (NotAMove, IllegalMove):  # a line of a referee of old
                continue
            if move == RESIGN:
                told = f"{team} has left: the others play on."
            else:
                does = now.told(game.parse(move))
                told = f"{team} plays {game.format(game.parse(move))}, {does}." if does else ""
                before = now
            if told and number >= heard:
                self.terminal.say(told)
            now = after
        return before

    def wait(self) -> None:
        """Say that it is not our turn, unless somebody else at this terminal may be asked meanwhile."""
        if "you" not in about_in("game.json"):
            self.console.say("Waiting for your turn. Ctrl-C leaves.")

    def farewell(self) -> None:
        """Show how the game ended: the last board, and the result where no referee at this terminal says it."""
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
    """The last move, as `move_file` has it; whose it was does not matter here."""
    _, _, move = (look("move_file", 4096).content or b"").decode("ascii", "replace").strip().partition(" ")
    try:
        return (Ply(0, position.game.format(position.game.parse(move))),)
    except NotAMove:
        return ()


def _await_verdict() -> None:
    """Give the referee time to see that there was no move: a line written now would be judged."""
    until = time.monotonic() + _VERDICT
    while time.monotonic() < until and not os.path.exists("end_game"):
        time.sleep(0.02)
