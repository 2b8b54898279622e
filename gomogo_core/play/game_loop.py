"""The loop that plays one game: it asks the player to move, passes the answer to `judge`, and emits the events.

The loop depends on rules, clocks and players. It does not depend on how players are reached or what listeners do.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from gomogo_core.cancellation import GameCancelled, check_cancelled
from gomogo_core.games.base import RESIGN, Outcome, Reason, ReasonKind, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.announcer import Announcer
from gomogo_core.play.clock import Clock
from gomogo_core.play.events import Ended, GameSetup, Listener, Moved, PlayerLeft, Ply, Started, Warned, positions_after
from gomogo_core.play.judge import AcceptedMove, judge
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.play.time_guard import TimeGuard

# the evidence of these failures does not quote the player's line
_REASONS_WITHOUT_QUOTE = (Reason.ILLEGAL_MOVE, Reason.OUT_OF_TIME)
# the most refusals per move with `retry_illegal`, because without a clock there could be endlessly many
MAX_REFUSALS = 100


def play_game(
    setup: GameSetup,
    players: Sequence[Player],
    listeners: Sequence[Listener] = (),
    *,
    retry_illegal: bool = False,
    pace: float = 0.0,
    adjudication: Adjudication | None = None,
    guard: TimeGuard | None = None,
) -> Outcome:
    """Play one game to its end and return its outcome.

    players: the players by seat. retry_illegal: whether an illegal move is refused while the clock runs on, instead of
    losing the game. pace: the least number of seconds between two turns. adjudication: the conditions that end a game
    early. guard: an object that finds the times that cannot be trusted; by default all times are trusted. After an
    interrupt or an error in Gomogo, the outcome is void, and the exception propagates.
    """
    return _Game(
        setup, players, Announcer(players, listeners), retry_illegal, pace, adjudication, guard or TimeGuard()
    ).play()


class _Game:
    def __init__(
        self,
        setup: GameSetup,
        players: Sequence[Player],
        announcer: Announcer,
        retry_illegal: bool,
        pace: float,
        adjudication: Adjudication | None,
        guard: TimeGuard,
    ) -> None:
        self.setup, self.players, self.announcer = setup, players, announcer
        self.retry_illegal, self.pace, self.guard = retry_illegal, pace, guard
        self.adjudicator = None if adjudication is None else adjudication.adjudicator(len(players))
        self.adjudicated_outcome: Outcome | None = None
        self.clocks = [Clock(control) for control in setup.controls]
        # whether a whole game is limited
        self.has_total_limit = any(control.total is not None for control in setup.controls)
        self.unlimited_clocks = (None,) * len(players)
        self.plies: list[Ply] = list(setup.opening)
        positions = positions_after(setup.game, setup.opening)
        self.position, self.previous_position = positions[-1], positions[-2] if setup.opening else None
        # players that have left, in the order in which they left
        self.departed_seats: list[Seat] = [ply.seat for ply in setup.opening if ply.move == RESIGN]
        self.opponents_by_seat = [self._opponents_of(seat) for seat in range(1, len(players) + 1)]

    def play(self) -> Outcome:
        outcome = self._void_outcome(Reason.REFEREE_FAULT, "the referee failed")
        try:
            outcome = self._start() or self._play_turns()
        except (KeyboardInterrupt, GameCancelled):
            outcome = self._void_outcome(Reason.INTERRUPTED, "the referee was interrupted")
            raise
        except BaseException as error:
            outcome = self._void_outcome(Reason.REFEREE_FAULT, f"{type(error).__name__}: {error}")
            raise
        finally:
            with ExitStack() as exit_stack:  # close every player, even if closing another player fails
                for player in self.players:
                    exit_stack.callback(player.finish, outcome)
                exit_stack.callback(self.announcer.emit, Ended(outcome, self.position))
                exit_stack.callback(self.announcer.flush)
        return outcome

    def _start(self) -> Outcome | None:
        for seat, player in enumerate(self.players, 1):
            player.start(self.setup, seat)
        seated_players = [
            (seat, player) for seat, player in enumerate(self.players, 1) if seat not in self.departed_seats
        ]
        failures = [(seat, failure) for seat, player in seated_players if (failure := player.await_ready())]
        if failures and (suspension := self.guard.suspension_evidence(is_loss=True)):
            return self._void_outcome(Reason.INTERRUPTED, suspension)
        if failures and len(failures) == len(seated_players):
            return self._void_outcome(Reason.ALL_CRASHED, failures[0][1].evidence)
        self.announcer.emit(Started(self.setup, self.position))
        for seat, failure in failures:
            if outcome := self._forfeit(seat, failure):
                return outcome
        return None

    def _play_turns(self) -> Outcome:
        while (final_outcome := self.position.outcome() or self.adjudicated_outcome) is None:
            check_cancelled()  # some players never wait, so they never check for cancellation
            next_turn_at = time.monotonic() + self.pace if self.pace else 0.0
            outcome = self._play_turn(self.position.to_move)
            if outcome is not None:
                return outcome
            if next_turn_at:
                time.sleep(max(0.0, next_turn_at - time.monotonic()))
        return final_outcome.rank_departed_last(self.departed_seats)

    def _play_turn(self, seat: Seat) -> Outcome | None:
        """Ask the player for a move until it makes one or leaves. Return the outcome if the game ends here, else
        None.
        """
        clock, player = self.clocks[seat - 1], self.players[seat - 1]
        refusal, refusal_count = None, 0
        clock.refused_seconds = clock.extension_seconds = 0.0
        while True:
            reply = player.await_move(self._create_turn(seat, clock, refusal))
            if self.announcer.pending_moves:
                self.announcer.flush()
            if suspension := self.guard.suspension_evidence():
                return self._void_outcome(Reason.INTERRUPTED, suspension)
            for warning in reply.warnings:
                self.announcer.emit(Warned(seat, warning))
            verdict = reply if isinstance(reply, Failure) else self._judge(seat, clock, reply)
            if isinstance(verdict, AcceptedMove):
                return None
            clock.refused_seconds += verdict.seconds_taken
            if verdict.seat not in (None, seat):  # a waiting player has left; the player to move is still thinking
                if outcome := self._forfeit(verdict.seat, verdict):
                    return outcome
                continue
            if not self.retry_illegal or verdict.reason not in (Reason.ILLEGAL_MOVE, Reason.NOT_A_MOVE):
                if isinstance(reply, Reply) and verdict.reason in _REASONS_WITHOUT_QUOTE:
                    self.announcer.emit(Warned(seat, f"wrote {reply.text!r}"))
                return self._forfeit(seat, verdict)
            refusal, refusal_count = verdict.evidence, refusal_count + 1
            if refusal_count == MAX_REFUSALS:
                return self._forfeit(seat, Failure(verdict.reason, f"{refusal} (refused {refusal_count} times)"))
            self.announcer.emit(Warned(seat, f"refused: {refusal}"))

    def _create_turn(self, seat: Seat, clock: Clock, refusal: str | None) -> Turn:
        return Turn(
            self.position,
            self.previous_position,
            self.plies,
            clock.left_in_turn,
            clock.control.grace,
            tuple([player_clock.left_in_game for player_clock in self.clocks])
            if self.has_total_limit
            else self.unlimited_clocks,
            refusal,
            self.opponents_by_seat[seat - 1],
            self.announcer.flush,
            partial(self._extend_turn, seat, clock, clock.extension_seconds),
        )

    def _extend_turn(self, seat: Seat, clock: Clock, earlier_extension: float) -> float:
        """Extend the turn by the time that other programs used, and return the seconds added.

        earlier_extension: the seconds by which the turn had already been extended when the player was asked.
        """
        disturbance = self.guard.minor_disturbance(seat)
        if disturbance is not None and disturbance.seconds > clock.extension_seconds:
            if not clock.extension_seconds:
                warning = f"its turn is extended by the time that another program took: {disturbance.evidence}"
                self.announcer.emit(Warned(seat, warning))
            clock.extension_seconds = disturbance.seconds
        return clock.extension_seconds - earlier_extension

    def _judge(self, seat: Seat, clock: Clock, reply: Reply) -> AcceptedMove | Failure:
        """Judge a reply. If it is accepted, play the move, charge the clock, and notify the next player."""
        verdict = judge(self.position, reply, clock)
        if isinstance(verdict, Failure):
            is_late = verdict.reason is Reason.OUT_OF_TIME
            if not is_late or not self._extend_turn(seat, clock, clock.extension_seconds):
                return verdict
            if isinstance(verdict := judge(self.position, reply, clock), Failure):
                return verdict
        ply = Ply(seat, verdict.move)
        self.previous_position, self.position = self.position, verdict.position
        self.plies.append(ply)
        clock.charge(verdict.seconds_taken)
        analysis = (reply.thoughts, reply.score, reply.line, reply.move_values)
        event = Moved(seat, verdict.move, verdict.position, verdict.seconds_taken, clock.left_in_game, *analysis)
        self.announcer.announce_move(ply, event, verdict.position.to_move)
        if self.adjudicator is not None:
            self.adjudicated_outcome = self.adjudicator.adjudicate(
                seat, len(self.plies) - len(self.departed_seats), reply.score
            )
        return verdict

    def _forfeit(self, seat: Seat, failure: Failure) -> Outcome | None:
        """Let a player lose by its failure. Return the outcome if the game ends; None if at least two play on."""
        if failure.reason is Reason.OUT_OF_TIME:
            if suspension := self.guard.suspension_evidence(is_loss=True):
                return self._void_outcome(Reason.INTERRUPTED, suspension)
            if disturbance := self.guard.grave_disturbance(seat):
                if len(self.players) - len(self.departed_seats) > 2:  # the others would play on, but the turn is lost
                    return self._void_outcome(Reason.INTERRUPTED, disturbance.evidence)
                return self._forfeit(disturbance.seat, Failure(Reason.CPU_OUT_OF_TURN, disturbance.evidence))
        if failure.reason.kind is ReasonKind.VOID:
            return self._void_outcome(failure.reason, failure.evidence)
        exit_failures = [player.exit_failure() for player in self.players]
        if failure.reason is Reason.CRASHED and all(exit_failures) and not self.departed_seats:
            return self._void_outcome(Reason.ALL_CRASHED, failure.evidence)
        self.departed_seats.append(seat)
        all_seats = range(1, len(self.players) + 1)
        remaining_seats = [other_seat for other_seat in all_seats if other_seat not in self.departed_seats]
        if len(remaining_seats) == 1:
            outcome = Outcome.won_by(remaining_seats[0], failure.reason, failure.evidence, len(self.players))
            return outcome.rank_departed_last(self.departed_seats)
        self.position = self.position.withdraw(seat)
        self.opponents_by_seat = [self._opponents_of(other_seat) for other_seat in all_seats]
        ply = Ply(seat, RESIGN)
        self.plies.append(ply)
        self.announcer.announce_departure(ply, PlayerLeft(seat, failure.reason, failure.evidence, self.position))
        return None

    def _opponents_of(self, seat: Seat) -> tuple[Player, ...]:
        """Return the opponents of this seat that are still in the game."""
        return tuple(
            player
            for other_seat, player in enumerate(self.players, 1)
            if other_seat not in (seat, *self.departed_seats)
        )

    def _void_outcome(self, reason: Reason, evidence: str) -> Outcome:
        return Outcome((0,) * len(self.players), reason, evidence)
