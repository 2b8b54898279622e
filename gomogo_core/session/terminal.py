"""A human at this terminal as a player: in the arena's process, or under a referee in a separate process.

The dialogue with the human is in _dialogue.py; this module passes on the human's answers.
"""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from gomogo_core.agent import AgentClock
from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, IllegalMove, NotAMove, Position, Seat
from gomogo_core.play.events import Ply
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.protocols.console import Console, ConsoleInterface
from gomogo_core.session._dialogue import DrawFunction, HumanLeft, Terminal, TurnDialogue, commands_sentence
from gomogo_core.session.actions import Action, SeatInfo
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.referee import HumanPlayer
from gomogo_core.session.sentences import action_sentence
from gomogo_core.wire.game_json import read_clocks, read_game_json
from gomogo_core.wire.lines import moves_in_history
from gomogo_core.wire.small_files import read_state

__all__ = ["Console", "ConsoleInterface", "DrawFunction", "HumanLeft", "RefereedHuman", "Terminal", "TerminalPlayer"]

_MAX_HISTORY_BYTES = 1 << 20
_END_OF_TURN_TIMEOUT = 2.0  # seconds to wait until the referee reports that the time is over
_LOCAL_VISITOR = "here"  # the identity of this human as a visitor, in a session under a referee


class TerminalPlayer(HumanPlayer):
    """A human at the terminal, whose turn ends only by a legal move or by `resign`."""

    def __init__(self, name: str, terminal: Terminal) -> None:
        super().__init__(name)
        self.terminal = terminal

    def await_move(self, turn: Turn) -> Reply | Failure:
        """Show the board, and ask until the human types a legal move or the time is over.

        Raises HumanLeft and MovesTakenBack.
        """
        return TurnDialogue(self.terminal, turn).ask_for_move()


class RefereedHuman:
    """A human under a referee, in a separate process like the process of an agent.

    Moves cannot be taken back, and games cannot be saved.
    """

    def __init__(self, console: Console, draw: DrawFunction) -> None:
        self.console, self.draw = console, draw
        self._greeted_game: object = None
        self._shown_line_count = 0  # the number of history lines that the human has seen
        atexit.register(self.show_end)  # the process exits when the game is over

    def ask_for_move(self, position: Position, clock: AgentClock) -> str:
        """Ask for a move, and return it. If the human leaves, exit with the code of an interrupt."""
        game_json = read_game_json("game.json")
        seats = range(1, position.game.seats + 1)
        names = tuple(
            game_json.get("teams") or ("you" if seat == position.to_move else f"player {seat}" for seat in seats)
        )
        self._greet(position)
        clocks = read_clocks("position.json")
        seconds_left = tuple(clocks.get(name) for name in names)
        terminal = self._terminal(GameSession(position.game, _seat_infos(names, position.to_move)))
        # a referee with a private folder started this process: Ctrl-C also reaches that referee, which ends the game
        terminal.asks_before_leaving = "you" not in game_json
        self._replay_history(terminal)
        if terminal.session.position != position:  # a legacy referee writes no history
            terminal.session = GameSession(position.game, _seat_infos(names, position.to_move), first_position=position)
        turn = Turn(position, None, terminal.session.plies or _last_ply(position), clock.allowed, 0.0, seconds_left)
        try:
            reply = TurnDialogue(terminal, turn, clock.started).ask_for_move()
        except HumanLeft as departure:
            if not departure.by_interrupt:
                self.console.say("You left: the referee counts the game as lost.")
                return RESIGN
            consequence = "the game is stopped" if "you" in game_json else "the referee counts the game as lost"
            self.console.say(f"You left: {consequence}.")
            raise SystemExit(3) from None
        if isinstance(reply, Failure):
            _wait_for_end_of_turn()
            return RESIGN
        return reply.text

    def _terminal(self, session: GameSession) -> Terminal:
        session.why_no_undo = "The referee keeps every move of this game."
        why_no_save = "A referee keeps this game: it writes the record itself."
        return Terminal(self.console, self.draw, session, _LOCAL_VISITOR, why_no_save=why_no_save)

    def _replay_history(self, terminal: Terminal) -> None:
        """Add the referee's history to the session. Print which players resigned and which moves had effects since the
        last turn.
        """
        session, line_count = terminal.session, 0
        for line_count, action in enumerate(_add_history(session), 1):
            if line_count > self._shown_line_count and (action.move == RESIGN or action.effect):
                terminal.say(f"{action_sentence(session, action)}.")
        self._shown_line_count = line_count

    def announce_waiting(self) -> None:
        """Print that it is not this human's turn, unless another human at this terminal may be playing."""
        if "you" not in read_game_json("game.json"):
            self.console.say("Waiting for your turn. Ctrl-C leaves.")

    def show_end(self) -> None:
        """Show the last board, and the result unless a referee at this terminal prints it."""
        result_line = read_state("end_game", 4096).content
        game_json = read_game_json("game.json")
        if result_line is None or not game_json:
            return
        session = GameSession(load(game_json["game"], **game_json["options"]), _seat_infos(game_json["teams"]))
        for _ in _add_history(session):
            pass
        if session.position.outcome() is not None:
            self.console.say(self._terminal(session).board(session.position, session.last, ()))
        if "you" not in game_json:
            self.console.say("\n" + result_line.decode("ascii", "replace").strip())

    def _greet(self, position: Position) -> None:
        if self._greeted_game != position.game:
            self._greeted_game = position.game
            self.console.say(f"\n{position.game.how_to_move()} {commands_sentence()}")


def _seat_infos(names: Sequence[str], own_seat: Seat = 0) -> tuple[SeatInfo, ...]:
    return tuple(
        SeatInfo(name, "human", visitor=_LOCAL_VISITOR if seat == own_seat else "elsewhere")
        for seat, name in enumerate(names, 1)
    )


def _add_history(session: GameSession) -> Iterator[Action]:
    """Add the lines of `history_file` to a session, and yield the actions."""
    lines = (read_state("history_file", _MAX_HISTORY_BYTES).content or b"").decode("ascii", "replace")
    for team, move in moves_in_history(lines):
        seat = session.names.index(team) + 1 if team in session.names else 0
        with suppress(NotAMove, IllegalMove):  # an incomplete line of a legacy referee, or a final `resign`
            move_text = move if move == RESIGN else session.game.format(session.game.parse(move))
            yield session.add(Action(seat, move_text, 0.0))


def _last_ply(position: Position) -> tuple[Ply, ...]:
    """Return the move in `move_file` as a ply without a seat; empty if there is no move."""
    _, _, move = (read_state("move_file", 4096).content or b"").decode("ascii", "replace").strip().partition(" ")
    try:
        return (Ply(0, position.game.format(position.game.parse(move))),)
    except NotAMove:
        return ()


def _wait_for_end_of_turn() -> None:
    """Wait until the referee has ended the turn: before that, it would still accept a move."""
    deadline = time.monotonic() + _END_OF_TURN_TIMEOUT
    while time.monotonic() < deadline and not os.path.exists("end_game"):
        time.sleep(0.02)
