"""The loop that plays one game: it asks the player to move, passes the answer to `judge`, and emits the events.

The loop knows rules, clocks and players. It knows neither how a player is reached nor what listeners do with events.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from gomogo_core.cancellation import Cancelled, check_cancelled
from gomogo_core.games.base import RESIGN, Outcome, Position, Reason, ReasonKind, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.announcer import Announcer
from gomogo_core.play.clock import Clock
from gomogo_core.play.events import Ended, GameSetup, Listener, Moved, PlayerLeft, Ply, Started, Warned
from gomogo_core.play.guard import TimeGuard
from gomogo_core.play.judge import Accepted, judge
from gomogo_core.play.player import Failure, Player, Reply, Turn

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
        self.previous_position: Position | None = None
        self.position = setup.game.start()
        self.departed_seats: list[Seat] = []  # players that have left, in the order in which they left
        for ply in setup.opening:
            self.previous_position, self.position = (
                self.position,
                setup.game.apply_action(self.position, ply.seat, ply.move),
            )
            if ply.move == RESIGN:
                self.departed_seats.append(ply.seat)
        self.opponents_by_seat = [self._opponents_of(seat) for seat in range(1, len(players) + 1)]

    def play(self) -> Outcome:
        outcome = self._void_outcome(Reason.REFEREE_FAULT, "the referee failed")
        try:
            outcome = self._start() or self._play_turns()
        except (KeyboardInterrupt, Cancelled):
            outcome = self._void_outcome(Reason.INTERRUPTED, "the referee was interrupted")
            raise
        except BaseException as fault:
            outcome = self._void_outcome(Reason.REFEREE_FAULT, f"{type(fault).__name__}: {fault}")
            raise
        finally:
            with ExitStack() as endings:  # close every player, even if closing another player fails
                for player in self.players:
                    endings.callback(player.finish, outcome)
                endings.callback(self.announcer.emit, Ended(outcome, self.position))
                endings.callback(self.announcer.flush)
        return outcome

    def _start(self) -> Outcome | None:
        for seat, player in enumerate(self.players, 1):
            player.start(self.setup, seat)
        present = [(seat, player) for seat, player in enumerate(self.players, 1) if seat not in self.departed_seats]
        failures = [(seat, failure) for seat, player in present if (failure := player.await_ready())]
        if failures and (why := self.guard.suspension_evidence(is_loss=True)):
            return self._void_outcome(Reason.INTERRUPTED, why)
        if failures and len(failures) == len(present):
            return self._void_outcome(Reason.ALL_CRASHED, failures[0][1].evidence)
        self.announcer.emit(Started(self.setup, self.position))
        for seat, failure in failures:
            if outcome := self._forfeit(seat, failure):
                return outcome
        return None

    def _play_turns(self) -> Outcome:
        while (ended := self.position.outcome() or self.adjudicated_outcome) is None:
            check_cancelled()  # some players never wait, so they never check for cancellation
            earliest_next = time.monotonic() + self.pace if self.pace else 0.0
            outcome = self._play_turn(self.position.to_move)
            if outcome is not None:
                return outcome
            if earliest_next:
                time.sleep(max(0.0, earliest_next - time.monotonic()))
        return ended.rank_departed_last(self.departed_seats)

    def _play_turn(self, seat: Seat) -> Outcome | None:
        """Ask the player for a move until it makes one or leaves. Return the outcome if the game ends here, else
        None.
        """
        clock, player = self.clocks[seat - 1], self.players[seat - 1]
        refused, refusals = None, 0
        clock.refused_seconds = clock.extension_seconds = 0.0
        while True:
            reply = player.choose(self._create_turn(seat, clock, refused))
            if self.announcer.pending_moves:
                self.announcer.flush()
            if why := self.guard.suspension_evidence():
                return self._void_outcome(Reason.INTERRUPTED, why)
            for warning in reply.warnings:
                self.announcer.emit(Warned(seat, warning))
            got = reply if isinstance(reply, Failure) else self._judge(seat, clock, reply)
            if isinstance(got, Accepted):
                return None
            clock.refused_seconds += got.seconds
            if got.seat not in (None, seat):  # a waiting player has left; the player to move is still thinking
                if outcome := self._forfeit(got.seat, got):
                    return outcome
                continue
            if not self.retry_illegal or got.reason not in (Reason.ILLEGAL_MOVE, Reason.NOT_A_MOVE):
                if isinstance(reply, Reply) and got.reason in _REASONS_WITHOUT_QUOTE:
                    self.announcer.emit(Warned(seat, f"wrote {reply.text!r}"))
                return self._forfeit(seat, got)
            refused, refusals = got.evidence, refusals + 1
            if refusals == MAX_REFUSALS:
                return self._forfeit(seat, Failure(got.reason, f"{refused} (refused {refusals} times)"))
            self.announcer.emit(Warned(seat, f"refused: {refused}"))

    def _create_turn(self, seat: Seat, clock: Clock, refused: str | None) -> Turn:
        return Turn(
            self.position,
            self.previous_position,
            self.plies,
            clock.left_in_turn,
            clock.control.grace,
            tuple([each.left_in_game for each in self.clocks]) if self.has_total_limit else self.unlimited_clocks,
            refused,
            self.opponents_by_seat[seat - 1],
            self.announcer.flush,
            partial(self._extend_turn, seat, clock, clock.extension_seconds),
        )

    def _extend_turn(self, seat: Seat, clock: Clock, earlier_extension: float) -> float:
        """Extend the turn by the time that other programs used, and return the seconds added.

        earlier_extension: the seconds by which the turn had already been extended when the player was asked.
        """
        if (found := self.guard.minor_disturbance(seat)) is not None and found.seconds > clock.extension_seconds:
            if not clock.extension_seconds:
                self.announcer.emit(
                    Warned(seat, f"its turn is extended by the time that another program took: {found.evidence}")
                )
            clock.extension_seconds = found.seconds
        return clock.extension_seconds - earlier_extension

    def _judge(self, seat: Seat, clock: Clock, reply: Reply) -> Accepted | Failure:
        """Judge a reply. If it is accepted, play the move, charge the clock, and notify the next player."""
        got = judge(self.position, reply, clock)
        if isinstance(got, Failure):
            late = got.reason is Reason.OUT_OF_TIME
            if not late or not self._extend_turn(seat, clock, clock.extension_seconds):
                return got
            if isinstance(got := judge(self.position, reply, clock), Failure):
                return got
        ply = Ply(seat, got.move)
        self.previous_position, self.position = self.position, got.position
        self.plies.append(ply)
        clock.charge(got.seconds)
        analysis = (reply.thoughts, reply.score, reply.line, reply.values)
        moved = Moved(seat, got.move, got.position, got.seconds, clock.left_in_game, *analysis)
        self.announcer.announce_move(ply, moved, got.position.to_move)
        if self.adjudicator is not None:
            self.adjudicated_outcome = self.adjudicator.adjudicate(
                seat, len(self.plies) - len(self.departed_seats), reply.score
            )
        return got

    def _forfeit(self, seat: Seat, failure: Failure) -> Outcome | None:
        """Let a player lose by its failure. Return the outcome if the game ends; None if at least two play on."""
        if failure.reason is Reason.OUT_OF_TIME:
            if why := self.guard.suspension_evidence(is_loss=True):
                return self._void_outcome(Reason.INTERRUPTED, why)
            if found := self.guard.grave_disturbance(seat):
                if len(self.players) - len(self.departed_seats) > 2:  # the others would play on, but the turn is lost
                    return self._void_outcome(Reason.INTERRUPTED, found.evidence)
                return self._forfeit(found.seat, Failure(Reason.CPU_OUT_OF_TURN, found.evidence))
        if failure.reason.kind is ReasonKind.VOID:
            return self._void_outcome(failure.reason, failure.evidence)
        exit_failures = [player.exit_failure() for player in self.players]
        if failure.reason is Reason.CRASHED and all(exit_failures) and not self.departed_seats:
            return self._void_outcome(Reason.ALL_CRASHED, failure.evidence)
        self.departed_seats.append(seat)
        staying = [s for s in range(1, len(self.players) + 1) if s not in self.departed_seats]
        if len(staying) == 1:
            won = Outcome.won_by(staying[0], failure.reason, failure.evidence, len(self.players))
            return won.rank_departed_last(self.departed_seats)
        self.position = self.position.withdraw(seat)
        self.opponents_by_seat = [self._opponents_of(other) for other in range(1, len(self.players) + 1)]
        ply = Ply(seat, RESIGN)
        self.plies.append(ply)
        self.announcer.announce_departure(ply, PlayerLeft(seat, failure.reason, failure.evidence, self.position))
        return None

    def _opponents_of(self, seat: Seat) -> tuple[Player, ...]:
        """Return the opponents of this seat that are still in the game."""
        return tuple(p for other, p in enumerate(self.players, 1) if other not in (seat, *self.departed_seats))

    def _void_outcome(self, reason: Reason, why: str) -> Outcome:
        return Outcome((0,) * len(self.players), reason, why)
