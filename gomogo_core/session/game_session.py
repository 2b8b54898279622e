"""A session: an interactive game with its seats, its moves and its messages.

The list of actions in a session is the game: a referee reads the moves of humans from the list, and adds the moves of
agents. The module uses rules and records, but no search, no user interface, no thread and no store. actions.py has the
seats, the actions and the errors; advice.py has hints and explanations.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.drawing.coordinates import FILE_COORDINATES, Coordinates
from gomogo_core.games.base import RESIGN, Game, IllegalMove, Move, NotAMove, Outcome, Position, Reason, Seat
from gomogo_core.play.clock import NO_LIMIT, Clock, TimeControl
from gomogo_core.play.events import Ply, last_move
from gomogo_core.records.game_record import DepartedPlayer
from gomogo_core.session.actions import Action, ActionRefused, NeedsConfirmation, NotUnderstood, SeatInfo

_TRY_ANOTHER_MOVE = "Try another move."
_MIN_TOTAL_SECONDS = 0.01  # a time control cannot have a total of 0


@dataclass
class GameSession:
    """An interactive game. Hold `lock` while you change the game.

    version: the number of changes. restart_count: the number of changes after which a referee must begin again,
    such as removed moves. opening_length: the number of actions at the beginning, whose times are unknown.
    why_no_undo: the reason why no move can be taken back; empty if moves can. human_time_control: the time control
    of each human when the game began. is_class_game: whether a teacher started the game. pause_reason: a sentence
    for the players while the game is paused; else empty. first_position: the position before the first action, if
    it is not the start of the game; this position is not stored. started: the Unix time of the start. warnings,
    departed: as in `PlayedGame`.
    """

    game: Game
    seat_infos: tuple[SeatInfo, ...]
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    started: float = field(default_factory=time.time)
    actions: list[Action] = field(default_factory=list)
    warnings: list[tuple[int, Seat, str]] = field(default_factory=list)
    departed: list[DepartedPlayer] = field(default_factory=list)
    outcome: Outcome | None = None
    note: str = ""  # a message for all viewers: the place in the queue, or an error
    version: int = 0
    restart_count: int = 0
    is_stored: bool = False  # whether the store has the record of the finished game
    is_deleted: bool = False
    greeting: str = ""  # the level of the opponent and the reason for it, shown when the game begins
    deletion_requests: set[str] = field(default_factory=set)  # visitors who ask to delete the session
    undo_requested_by: str = ""  # the visitor who asks the human opponent for permission to take back a move
    undo_declined_for: str = ""  # the visitor whose last request was declined; empty after the next change
    draw_offered_by: set[str] = field(default_factory=set)  # visitors who offer or accept a draw
    draw_declined_for: str = ""  # the visitor whose offer was declined, until that visitor's next move
    rematch_requested_by: set[str] = field(default_factory=set)  # visitors who want another game
    rematch_key: str = ""  # the key of the next game
    opening_length: int = 0
    why_no_undo: str = ""
    human_time_control: TimeControl = NO_LIMIT
    is_class_game: bool = False
    pause_reason: str = ""
    first_position: Position | None = None
    lock: RLock = field(default_factory=RLock, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._positions = [self.first_position or self.game.start()]
        for action in self.actions:
            self._positions.append(self._position_after_action(self._positions[-1], action))
        self.turn_started_at = time.monotonic()
        self.changed_at = -math.inf  # monotonic time of the last change; -inf if unknown

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players, by seat."""
        return tuple(seat_info.name for seat_info in self.seat_infos)

    @property
    def position(self) -> Position:
        """The current position."""
        return self._positions[-1]

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The moves and departures so far."""
        return tuple(Ply(action.seat, action.move) for action in self.actions)

    @property
    def last(self) -> Move | None:
        """The last move, if there is one."""
        return last_move(self.game, self.plies)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.outcome is not None or self.position.outcome() is not None or self.is_deleted or self.was_resigned

    @property
    def is_running_between_humans(self) -> bool:
        """Whether the game is not over, and people with different browsers play each other."""
        return not self.is_over and len({info.visitor for info in self.seat_infos if info.is_human}) > 1

    @property
    def was_resigned(self) -> bool:
        """Whether all players but one have resigned or left."""
        resignation_count = sum(action.move == RESIGN for action in self.actions)
        return resignation_count > 0 and resignation_count >= len(self.seat_infos) - 1

    @property
    def last_to_leave(self) -> Seat | None:
        """The player whose resignation or departure ended the game, if any."""
        return self.actions[-1].seat if self.was_resigned else None

    def recent_history(self, count: int) -> tuple[list[Action], list[Position]]:
        """Return the last `count` actions, and the positions before the first of them and after each."""
        with self.lock:
            first_index = max(0, len(self.actions) - count)
            return self.actions[first_index:], self._positions[first_index:]

    def last_round(self) -> list[tuple[Action, Position, Position]]:
        """Return the last actions, one for each player, each with the positions before and after it.

        In games in which a player can move several times in a row, the last action of each other player comes first.
        """
        with self.lock:
            count = len(self.actions)
            last_numbers = {action.seat: number for number, action in enumerate(self.actions)}.values()
            numbers = sorted({*range(max(0, count - len(self.seat_infos)), count), *last_numbers})
            return [(self.actions[number], *self._positions[number : number + 2]) for number in numbers]

    def referee_plies(self) -> tuple[Ply, ...]:
        """Return the plies from which a referee starts: all except a final resignation, which the outcome states."""
        return self.plies[:-1] if self.was_resigned else self.plies

    @property
    def has_free_seats(self) -> bool:
        """Whether an invited player has not joined yet, so that the game has not begun."""
        return any(seat_info.is_free for seat_info in self.seat_infos)

    @property
    def is_paused(self) -> bool:
        """Whether the game is paused: no clock runs, and no move is accepted."""
        return bool(self.pause_reason) and not self.is_over

    @property
    def has_agents(self) -> bool:
        """Whether an agent plays in this session."""
        return not all(seat_info.is_human for seat_info in self.seat_infos)

    @property
    def needs_referee(self) -> bool:
        """Whether an agent must move, a human's clock runs, or the end of the game must be recorded."""
        if self.is_over:
            return not self.is_stored
        return (
            not self.is_paused
            and not self.has_free_seats
            and (not self.seat_infos[self.position.to_move - 1].is_human or self.is_clock_running)
        )

    @property
    def has_clocks(self) -> bool:
        """Whether the humans play with a clock."""
        return self.human_time_control.total is not None

    @property
    def is_first_turn(self) -> bool:
        """Whether the player to move has not moved in this game yet."""
        return all(action.seat != self.position.to_move for action in self.actions[self.opening_length :])

    def lacks_first_move(self, seconds: float) -> bool:
        """Whether the player to move, in a game of several humans with a clock, has made no first move in `seconds`."""
        is_waiting = self.is_over or self.has_free_seats or self.is_paused or len(set(self.visitors().values())) < 2
        is_late = time.monotonic() - self.turn_started_at > seconds
        return self.has_clocks and self.is_first_turn and is_late and not is_waiting

    @property
    def is_clock_running(self) -> bool:
        """Whether the clock of the human to move runs.

        It does not run before the human's first move, since the human may not have noticed that the game has begun.
        """
        is_stopped = self.is_over or self.has_free_seats or self.is_paused
        return self.has_clocks and not is_stopped and not self.is_first_turn

    def set_human_clocks(self, control: TimeControl) -> None:
        """Give each human this time control. Call it before the game begins."""
        self.human_time_control = control
        for seat, seat_info in enumerate(self.seat_infos, 1):
            if seat_info.is_human:
                self._change_seat(seat, control=control)

    def clocks(self) -> tuple[float | None, ...]:
        """Return, by seat, the seconds that each human had left when this turn began; None if there is no clock."""
        return tuple(info.control.total if self.has_clocks and info.is_human else None for info in self.seat_infos)

    def seats_of(self, visitor: str) -> tuple[Seat, ...]:
        """Return the seats of this visitor."""
        return tuple(seat for seat, seat_visitor in self.visitors().items() if seat_visitor == visitor)

    def visitors(self) -> dict[Seat, str]:
        """Return the visitor of each seat that a human has taken."""
        return {seat: seat_info.visitor for seat, seat_info in enumerate(self.seat_infos, 1) if seat_info.visitor}

    def take_seat(self, invite: str, visitor: str, name: str) -> Seat:
        """Give a visitor the free seat with the secret `invite`. Raises ActionRefused."""
        for seat, seat_info in enumerate(self.seat_infos, 1):
            if seat_info.is_free and seat_info.invite == invite:
                self._change_seat(seat, visitor=visitor, invite="", name=name)
                self._notify_viewers()
                return seat
        raise ActionRefused("That seat is taken.", "Ask the sender of the link for another game.")

    # Actions

    def play(
        self,
        visitor: str,
        text: str,
        *,
        is_confirmed: bool = False,
        seconds: float | None = None,
        coordinates: Coordinates = FILE_COORDINATES,
    ) -> Action:
        """Play a human's move. Raises ActionRefused, or NeedsConfirmation if the move loses by a rule.

        is_confirmed: whether the human has confirmed the move. seconds: the time that the move took, by default the
        time since the last change. coordinates: the coordinates in which `text` is written.
        """
        seat = self._require_turn(visitor)
        try:
            move = self.game.parse(coordinates.parse(text))
        except NotAMove as error:
            raise NotUnderstood(
                f"{text[:40]!r} is not a move: {coordinates.display(error.hint)}.", _TRY_ANOTHER_MOVE
            ) from None
        if reason := self.position.why_illegal(move):
            raise ActionRefused(f"No: {coordinates.display(reason)}.", _TRY_ANOTHER_MOVE)
        if not is_confirmed:
            explainer = explainer_of(self.game)
            warnings = filter(None, (self.position.warning(move), explainer.warning_before_pass(self.position, move)))
            if warning_text := ". ".join(warnings):
                question = "Pass anyway?" if self.game.format(move) == "pass" else "Play it anyway?"
                dead_points = explainer.dead_stones_before_pass(self.position, move)
                raise NeedsConfirmation(f"{coordinates.display(warning_text)}.", question, dead_points)
        seconds_taken = time.monotonic() - self.turn_started_at if seconds is None else seconds
        if self.has_clocks and self.is_first_turn:
            seconds_taken = 0.0
        clock = Clock(self.seat_infos[seat - 1].control)
        if seconds_taken > clock.allowed_seconds + clock.control.grace:  # the referee has not ended the game yet
            raise ActionRefused("Your time is over.", "Start another game.")
        action = self.add(Action(seat, self.game.format(move), seconds_taken))
        if self.has_clocks:  # charge the clock at once; the referee does the same a moment later
            clock.charge(seconds_taken)
            self.set_clock(seat, clock.left_in_game)
        return action

    def resign(self, visitor: str) -> None:
        """Resign for a visitor, in any player's turn. Raises ActionRefused."""
        seats = [seat for seat in self._require_seats(visitor) if not self._has_left(seat)]
        if self.is_over or not seats:
            raise ActionRefused("The game is over.", "Start another game.")
        is_own_turn = self.position.to_move in seats
        self.record_departure(self.position.to_move if is_own_turn else seats[0], Reason.RESIGNED, "resigned")
        if not is_own_turn and not self.was_resigned:
            self.restart_count += 1  # the referee begins again, so that the others see the resignation now

    def record_departure(self, seat: Seat, reason: Reason, detail: str) -> None:
        """Record that a player resigned or forfeited."""
        if not self._has_left(seat):
            self.charge_turn()
            self.departed.append(DepartedPlayer(seat, reason, detail))
            self.add(Action(seat, RESIGN, 0.0))

    def request_deletion(self, visitor: str) -> list[str]:
        """Record a visitor's request to delete the session. Return the names of the humans who have not agreed yet."""
        self.deletion_requests.add(visitor)
        self.mark_changed()
        return [info.name for info in self.seat_infos if info.visitor and info.visitor not in self.deletion_requests]

    def take_back(self, visitor: str) -> str:
        """Take back the visitor's last move and all later moves, or ask the human opponent to agree.

        Return the name of the human who is asked, or an empty text if nobody is asked. Raises ActionRefused.
        """
        kept_count = self._actions_before_undo(visitor)
        opponents = self._other_humans(visitor)
        if opponents and self.undo_requested_by != opponents[0].visitor:
            self.undo_requested_by, self.undo_declined_for = visitor, ""
            self.mark_changed()
            return opponents[0].name
        self._keep_first_actions(kept_count)
        return ""

    def refusal_to_take_back(self, visitor: str) -> ActionRefused | None:
        """Return the error that `take_back` would raise now, else None."""
        try:
            self._actions_before_undo(visitor)
        except ActionRefused as error:
            return error
        return None

    def _actions_before_undo(self, visitor: str) -> int:
        """Return the number of actions before the visitor's last move.

        Raises ActionRefused if the move cannot be taken back.
        """
        seats = self._require_seats(visitor)
        if self.is_over:
            raise ActionRefused("The game is over, so no move can be taken back.", "Start another game.")
        self._check_not_paused()
        if self.why_no_undo:
            raise ActionRefused(self.why_no_undo, "Continue, or resign.")
        if len(self._other_humans(visitor)) > 1:
            raise ActionRefused("Moves cannot be taken back against several humans.", "Continue, or resign.")
        if (action_count := self._actions_before_last_move(seats)) is None:
            opening_note = " Moves before the start of this game stay." * bool(self.opening_length)
            raise ActionRefused(f"You have no move to take back.{opening_note}", self.game.how_to_move())
        return action_count

    def _other_humans(self, visitor: str) -> list[SeatInfo]:
        return [info for info in self.seat_infos if info.is_human and info.visitor != visitor]

    def _actions_before_last_move(self, seats: Collection[Seat]) -> int | None:
        """Return the number of actions before the last move of these seats; None if they have no move after the
        opening.
        """
        for action_count in reversed(range(self.opening_length, len(self.actions))):
            action = self.actions[action_count]
            if action.seat in seats and action.move != RESIGN:
                return action_count
        return None

    def answer_undo(self, visitor: str, *, agree: bool) -> None:
        """Answer the human opponent's request to take back a move. Raises ActionRefused if there is no such request."""
        asking_visitor = self.undo_requested_by
        if not self._require_seats(visitor) or asking_visitor in ("", visitor):
            raise ActionRefused("Nobody asks to take back a move.", "Continue the game.")
        self._check_not_paused()
        self.undo_requested_by = ""
        self.mark_changed()
        if not agree:
            self.undo_declined_for = asking_visitor
        elif not self.is_over:
            kept_count = self._actions_before_last_move(self.seats_of(asking_visitor))
            if kept_count is not None:
                self._keep_first_actions(kept_count)

    @property
    def is_draw_agreed(self) -> bool:
        """Whether both players offer or accept a draw."""
        return self.draw_offered_by >= set(self.visitors().values())

    def offer_draw(self, visitor: str) -> None:
        """Offer the human opponent a draw, or accept the opponent's offer.

        An offer stands until the opponent moves. After a refusal, the next offer must wait for the visitor's next move.
        The game does not end. Raises ActionRefused.
        """
        self._require_seats(visitor)
        if self.is_over:
            raise ActionRefused("The game is over.", "Start another game.")
        if len(self.seat_infos) != 2 or not self.is_running_between_humans:
            raise ActionRefused("A draw needs one human opponent.", "Continue, or resign.")
        if self.has_free_seats:
            raise ActionRefused("Some players have not joined yet.", "Send them the link.")
        self._check_not_paused()
        if self.draw_declined_for == visitor:
            raise ActionRefused("Your offer of a draw was declined.", "Offer a draw again after your next move.")
        self.draw_offered_by.add(visitor)
        self.mark_changed()

    def decline_draw(self, visitor: str) -> None:
        """Decline the opponent's offer of a draw. Raises ActionRefused if there is no offer."""
        offerers = self.draw_offered_by - {visitor}
        if not self._require_seats(visitor) or not offerers:
            raise ActionRefused("Nobody offers a draw.", "Continue the game.")
        self.draw_declined_for = offerers.pop()
        self.draw_offered_by.clear()
        self.mark_changed()

    def ask_rematch(self, visitor: str) -> GameSession | None:
        """Record that a visitor wants another game with the same settings, in which each player moves to the next seat.

        Return the new session once every human wants another game, else None. Raises ActionRefused.
        """
        self._require_seats(visitor)
        if not self.is_over:
            raise ActionRefused("The game is not over.", "Finish it, or resign.")
        self.rematch_requested_by.add(visitor)
        self.mark_changed()
        if set(self.visitors().values()) > self.rematch_requested_by:
            return None
        rematch = GameSession(
            self.game,
            (*self.seat_infos[1:], self.seat_infos[0]),
            actions=self.actions[: self.opening_length],
            why_no_undo=self.why_no_undo,
            opening_length=self.opening_length,
        )
        if self.has_clocks:
            rematch.set_human_clocks(self.human_time_control)
        return rematch

    def _keep_first_actions(self, count: int) -> None:
        self.undo_requested_by = self.undo_declined_for = ""
        self.draw_offered_by.clear()
        warning = f"took back {len(self.actions) - count} of the moves"
        self.warnings.append((len(self.actions), self.position.to_move, warning))
        del self.actions[count:]
        del self._positions[count + 1 :]
        departed_seats = {action.seat for action in self.actions if action.move == RESIGN}
        self.departed = [player for player in self.departed if player.seat in departed_seats]
        self.restart_count += 1
        self._notify_viewers()

    def add(self, action: Action) -> Action:
        """Add an action of any player and return it with its effect. Raises IllegalMove and NotAMove."""
        position = self.position
        effect = "" if action.move == RESIGN else position.describe_effect(self.game.parse(action.move))
        next_position = self._position_after_action(position, action)
        action = action._replace(effect=effect)
        self.actions.append(action)
        self._positions.append(next_position)
        self.undo_requested_by = self.undo_declined_for = ""
        mover = self.seat_infos[action.seat - 1].visitor
        self.draw_offered_by &= {mover}
        if self.draw_declined_for == mover:
            self.draw_declined_for = ""
        self._notify_viewers()
        return action

    def set_clock(self, seat: Seat, seconds_left: float | None) -> None:
        """Record a player's remaining time for the whole game after the last move, in seconds; None for no limit."""
        if seconds_left is not None:
            self.actions[-1] = self.actions[-1]._replace(clock=seconds_left)
            control = self.seat_infos[seat - 1].control
            self._change_seat(seat, control=replace(control, total=max(seconds_left, _MIN_TOTAL_SECONDS)))
            self.mark_changed()

    def charge_turn(self) -> None:
        """Subtract the time of this turn so far from the clock of the human to move."""
        seat = self.position.to_move
        if self.is_clock_running and (seconds_left := self.seat_infos[seat - 1].control.total) is not None:
            seconds_left = max(_MIN_TOTAL_SECONDS, seconds_left - (time.monotonic() - self.turn_started_at))
            self._change_seat(seat, control=replace(self.seat_infos[seat - 1].control, total=seconds_left))
            self.turn_started_at = time.monotonic()

    def _change_seat(self, seat: Seat, **values: Any) -> None:
        changed_seat = replace(self.seat_infos[seat - 1], **values)
        self.seat_infos = (*self.seat_infos[: seat - 1], changed_seat, *self.seat_infos[seat:])

    def pause(self, reason: str) -> None:
        """Stop the clocks, and refuse moves until `resume`. reason: a sentence for the players."""
        if not self.is_over:
            if not self.pause_reason:
                self.charge_turn()
            self.pause_reason = reason
            self._notify_viewers()

    def resume(self) -> None:
        """Let a paused game continue."""
        if self.pause_reason:
            self.pause_reason = ""
            self._notify_viewers()

    def _check_not_paused(self) -> None:
        if self.is_paused:
            raise ActionRefused(self.pause_reason, "Wait until it continues.")

    def give_seat(self, visitor: str, new_visitor: str, name: str) -> None:
        """Give the seats of a visitor to `new_visitor`. name: the name of the new visitor."""
        for seat in self._require_seats(visitor):
            self._change_seat(seat, visitor=new_visitor, name=name)
        self.undo_requested_by = self.undo_declined_for = self.draw_declined_for = ""
        self.draw_offered_by.clear()
        self.mark_changed()

    def end(self, outcome: Outcome) -> None:
        """Record the outcome."""
        if not self.is_over:
            self.charge_turn()
        self.outcome = outcome
        self._notify_viewers()

    def set_note(self, note: str) -> None:
        """Set the message that all viewers see."""
        if self.note != note:
            self.note = note
            self._notify_viewers()

    def mark_changed(self) -> None:
        """Count a change, so that every viewer loads the session again."""
        self.version += 1

    def _notify_viewers(self) -> None:
        self.version += 1
        self.turn_started_at = self.changed_at = time.monotonic()

    def _position_after_action(self, position: Position, action: Action) -> Position:
        if action.move == RESIGN and self.game.seats == 2:
            return position
        try:
            return self.game.apply_action(position, action.seat, action.move)
        except IllegalMove:
            if action.move == RESIGN:  # only one player is left: the game has ended, and there is no further position
                return position
            raise

    def _has_left(self, seat: Seat) -> bool:
        return any(action.seat == seat and action.move == RESIGN for action in self.actions)

    def _require_seats(self, visitor: str) -> tuple[Seat, ...]:
        seats = self.seats_of(visitor)
        if not seats:
            raise ActionRefused("You do not play in this game.", "Start your own game.")
        return seats

    def _require_turn(self, visitor: str) -> Seat:
        seats = self._require_seats(visitor)
        if self.is_over:
            raise ActionRefused("The game is over.", "Start another game.")
        if self.has_free_seats:
            raise ActionRefused("Some players have not joined yet.", "Send them the link.")
        self._check_not_paused()
        if self.position.to_move not in seats:
            raise ActionRefused("It is not your turn.", f"{self.names[self.position.to_move - 1]} is to move.")
        return self.position.to_move
