"""The loop that plays one game. It makes every verdict; no other module does.

Knows rules, clocks and players; not how players are reached, nor how events are used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from gomogo_core.cancellation import Cancelled, check_cancelled
from gomogo_core.games.base import RESIGN, IllegalMove, NotAMove, Outcome, Position, Reason, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import Clock
from gomogo_core.play.events import Ended, Event, GameSetup, Listener, Moved, PlayerLeft, Ply, Started, Warned
from gomogo_core.play.player import Disturbance, Doubt, Failure, Player, Reply, Turn, no_disturbance

_WITHOUT_THE_LINE = (Reason.ILLEGAL_MOVE, Reason.OUT_OF_TIME)  # their evidence does not quote the line
MOST_REFUSALS = 100  # of one move, under `retry`: an agent without a clock could go on for ever
MOST_DOUBTS = 3  # repeated turns per game: otherwise a program that forges another's lines could go on for ever


def play_game(
    table: GameSetup,
    players: Sequence[Player],
    listeners: Sequence[Listener] = (),
    *,
    retry: bool = False,
    pace: float = 0.0,
    adjudication: Adjudication | None = None,
    stood_still: Callable[[], float] = lambda: 0.0,
    lenient: bool = False,
    disturbance: Callable[[Seat], Disturbance | None] = no_disturbance,
) -> Outcome:
    """Play one game to its end and return its outcome.

    players: by seat. retry: refuse an illegal line and let the clock run on, instead of a forfeit. pace: the least
    number of seconds between two turns. adjudication: the conditions that end a game early. After an interrupt or a
    fault of our own the outcome is void, and the exception propagates.

    stood_still: returns the seconds for which this process has been suspended since the game began. After a suspension
    nobody can know a player's time, so the game is void. lenient: it is void only where a player would lose on time,
    because a human has paused the game.

    disturbance: returns the CPU time that other programs took during a seat's turn. The loop calls it when that
    player's time is over, and adds the time to its limit; where it is grave, the player that took it forfeits.
    """
    return _Game(table, players, listeners, retry, pace, adjudication, stood_still, lenient, disturbance).play()


class _Game:
    def __init__(
        self,
        table: GameSetup,
        players: Sequence[Player],
        listeners: Sequence[Listener],
        retry: bool,
        pace: float,
        adjudication: Adjudication | None,
        stood_still: Callable[[], float],
        lenient: bool,
        disturbance: Callable[[Seat], Disturbance | None],
    ) -> None:
        self.table, self.players, self.listeners, self.retry, self.pace = table, players, listeners, retry, pace
        self.stood_still, self.lenient, self.disturbance = stood_still, lenient, disturbance
        self.given_back = 0.0  # seconds added to this turn, because other programs took them
        self.judge = None if adjudication is None else adjudication.judge(len(players))
        self.adjudicated: Outcome | None = None
        self.clocks = [Clock(control) for control in table.controls]
        self.plies: list[Ply] = list(table.opening)
        self.before: Position | None = None
        self.position = table.game.start()
        self.gone: list[tuple[Seat, Failure]] = []
        for ply in table.opening:
            self.before, self.position = self.position, table.game.follow(self.position, ply.seat, ply.move)
            if ply.move == RESIGN:
                self.gone.append((ply.seat, Failure(Reason.RESIGNED, "left before")))
        self.others = [self._others(seat) for seat in range(1, len(players) + 1)]
        self.doubts = 0  # repeated turns: another program may have written the reply
        self.pending: list[tuple[Ply, Event]] = []  # moves not yet announced to the waiting players and the listeners

    def play(self) -> Outcome:
        outcome = Outcome((0,) * len(self.players), Reason.REFEREE_FAULT, "the referee failed")
        try:
            outcome = self._start() or self._turns()
        except (KeyboardInterrupt, Cancelled):
            outcome = Outcome((0,) * len(self.players), Reason.INTERRUPTED, "the referee was interrupted")
            raise
        except BaseException as fault:
            outcome = Outcome((0,) * len(self.players), Reason.REFEREE_FAULT, f"{type(fault).__name__}: {fault}")
            raise
        finally:
            with ExitStack() as endings:  # each one runs, even if another fails
                for player in self.players:
                    endings.callback(player.finish, outcome)
                endings.callback(self._emit, Ended(outcome, self.position))
                endings.callback(self._announce_pending)
        return outcome

    def _start(self) -> Outcome | None:
        for seat, player in enumerate(self.players, 1):
            player.start(self.table, seat)
        absent = {seat for seat, _ in self.gone}
        present = [(seat, player) for seat, player in enumerate(self.players, 1) if seat not in absent]
        failures = [(seat, failure) for seat, player in present if (failure := player.ready())]
        if failures and (void := self._suspended()):
            return void
        if failures and len(failures) == len(present):
            return self._void(failures[0][1])
        self._emit(Started(self.table, self.position))
        for seat, failure in failures:
            if outcome := self._leaves(seat, failure):
                return outcome
        return None

    def _turns(self) -> Outcome:
        while (ended := self.position.outcome() or self.adjudicated) is None:
            check_cancelled()  # some players never wait, and so never check
            started = time.monotonic()
            outcome = self._turn(self.position.to_move)
            if outcome is not None:
                return outcome
            if self.pace:
                time.sleep(max(0.0, self.pace - (time.monotonic() - started)))
        return self._with_the_gone(ended)

    def _turn(self, seat: Seat) -> Outcome | None:
        """Ask for one move until the player makes one or leaves."""
        clock, player = self.clocks[seat - 1], self.players[seat - 1]
        spent, refused, refusals, self.given_back = 0.0, None, 0, 0.0
        while True:
            allowed = clock.allowed - spent + self.given_back
            reply = player.choose(self._question(seat, allowed if allowed > 0 else 0.0, refused))
            if self.pending:
                self._announce_pending()
            if not self.lenient and (void := self._suspended()):
                return void
            if isinstance(reply, Failure) and reply.seat not in (None, seat):
                if outcome := self._leaves(reply.seat, reply):
                    return outcome
                spent += reply.seconds
                continue
            failure = reply if isinstance(reply, Failure) else self._judge(reply, spent + reply.seconds, clock)
            if failure is None:
                return None
            if doubt := reply.doubt():
                self.doubts += 1
                if not doubt.again or self.doubts > MOST_DOUBTS:
                    return self._undecided(doubt)
                self._emit(Warned(seat, f"{doubt.why}: asked again"))
                refused = doubt.why
                continue
            spent += reply.seconds
            if not self.retry or failure.reason not in (Reason.ILLEGAL_MOVE, Reason.NOT_A_MOVE):
                if isinstance(reply, Reply) and failure.reason in _WITHOUT_THE_LINE:
                    self._emit(Warned(seat, f"wrote {reply.text!r}"))
                return self._leaves(seat, failure)
            refused, refusals = failure.evidence, refusals + 1
            if refusals == MOST_REFUSALS:
                return self._leaves(seat, Failure(failure.reason, f"{refused} (refused {refusals} times)"))
            self._emit(Warned(seat, f"refused: {refused}"))

    def _question(self, seat: Seat, allowed: float, refused: str | None) -> Turn:
        already = self.given_back
        lefts = tuple([clock.left for clock in self.clocks])
        grace, others = self.clocks[seat - 1].control.grace, self.others[seat - 1]
        return Turn(
            self.position,
            self.before,
            self.plies,
            allowed,
            grace,
            lefts,
            refused,
            others,
            self._announce_pending,
            lambda: self._give_back(seat) - already,
        )

    def _give_back(self, seat: Seat) -> float:
        """Seconds added to the time of the player to move, because other players' programs took them."""
        found = self.disturbance(seat)
        if found is not None and not found.grave and found.seconds > self.given_back:
            if not self.given_back:
                self._emit(Warned(seat, f"its turn is extended by the time that another program took: {found.why}"))
            self.given_back = found.seconds
        return self.given_back

    def _others(self, seat: Seat) -> tuple[Player, ...]:
        """The opponents of this seat that are still in the game."""
        absent = {seat, *(gone for gone, _ in self.gone)}
        return tuple(player for other, player in enumerate(self.players, 1) if other not in absent)

    def _announce_pending(self) -> None:
        """Announce the pending moves to the waiting players and to the listeners."""
        pending, self.pending = self.pending, []
        for ply, moved in pending:
            for seat, player in enumerate(self.players, 1):
                if seat != self.position.to_move:
                    player.notify_move(ply)
            self._emit(moved)

    def _judge(self, reply: Reply, spent: float, clock: Clock) -> Failure | None:
        """Accept the move and return None, or return the player's failure."""
        seat = self.position.to_move
        for warning in reply.warnings:
            self._emit(Warned(seat, warning))
        if spent > clock.allowed + clock.control.grace:
            spent = max(0.0, spent - self._give_back(seat))
        if spent > clock.allowed + clock.control.grace:
            return Failure(Reason.OUT_OF_TIME, f"{spent:.3f} s taken, {clock.allowed:g} s allowed")
        if reply.text.strip().casefold() == "resign":
            return Failure(Reason.RESIGNED, "resigned")
        try:
            move = self.table.game.parse(reply.text)
        except NotAMove as wrong:
            return Failure(Reason.NOT_A_MOVE, str(wrong))
        try:
            after = self.position.play(move)
        except IllegalMove as wrong:
            return Failure(Reason.ILLEGAL_MOVE, wrong.why)
        self.before, self.position = self.position, after
        clock.charge(spent)
        ply = Ply(seat, self.table.game.format(move))
        self.plies.append(ply)
        # the next player must know the move before its turn; the others are notified while it thinks
        self.players[after.to_move - 1].notify_move(ply)
        analysis = (reply.thoughts, reply.score, reply.line, reply.values)
        self.pending.append((ply, Moved(seat, ply.move, after, spent, clock.left, *analysis)))
        if self.judge is not None:
            self.adjudicated = self.judge.after(seat, len(self.plies) - len(self.gone), reply.score)
        return None

    def _leaves(self, seat: Seat, failure: Failure) -> Outcome | None:
        """Forfeit a player. If one opponent remains, it wins; two or more opponents play on."""
        if failure.reason is Reason.OUT_OF_TIME:
            if void := self._suspended():
                return void
            if (found := self.disturbance(seat)) is not None and found.grave:
                if len(self.players) - len(self.gone) > 2:  # the others would play on, and this turn is over
                    return self._undecided(Doubt(found.why, again=False))
                return self._leaves(found.seat, Failure(Reason.CPU_OUT_OF_TURN, found.why))
        if doubt := failure.doubt():
            return self._undecided(doubt)
        exit_failures = [player.exit_failure() for player in self.players]
        if failure.reason is Reason.CRASHED and all(exit_failures) and not self.gone:
            return self._void(failure)
        self.gone.append((seat, failure))
        absent = {gone for gone, _ in self.gone}
        staying = [s for s in range(1, len(self.players) + 1) if s not in absent]
        if len(staying) == 1:
            return self._with_the_gone(Outcome.won_by(staying[0], failure.reason, failure.evidence, len(self.players)))
        self.position = self.position.withdraw(seat)
        self.others = [self._others(other) for other in range(1, len(self.players) + 1)]
        ply = Ply(seat, RESIGN)
        self.plies.append(ply)
        for player in self.players:
            player.notify_move(ply)
        self._emit(PlayerLeft(seat, failure.reason, failure.evidence, self.position))
        return None

    def _with_the_gone(self, ended: Outcome) -> Outcome:
        """Rank the players that left behind all others, the first one to leave in the last place."""
        if not self.gone:
            return ended
        ranks, absent = list(ended.ranks), [seat for seat, _ in self.gone]
        staying = sorted(rank for seat, rank in enumerate(ranks, 1) if seat not in absent)
        for seat, rank in enumerate(ended.ranks, 1):
            ranks[seat - 1] = len(ranks) - absent.index(seat) if seat in absent else 1 + staying.index(rank)
        return Outcome(tuple(ranks), ended.reason, ended.detail, ended.scores)

    def _suspended(self) -> Outcome | None:
        """The void outcome if this process was suspended, alone or with its machine: it cannot know the times then."""
        if not (seconds := self.stood_still()):
            return None
        why = f"the referee stood still for {seconds:.1f} s"
        return Outcome((0,) * len(self.players), Reason.INTERRUPTED, why)

    def _undecided(self, doubt: Doubt) -> Outcome:
        return Outcome((0,) * len(self.players), Reason.INTERRUPTED, doubt.why)

    def _void(self, failure: Failure) -> Outcome:
        return Outcome((0,) * len(self.players), Reason.ALL_CRASHED, failure.evidence)

    def _emit(self, event: Event) -> None:
        for listener in self.listeners:
            listener(event)
