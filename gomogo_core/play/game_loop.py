"""The loop that plays one game. Every verdict is made here, and nowhere else.

Knows rules, clocks and players; not how players are reached, nor what is done with the events.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from gomogo_core.games.base import RESIGN, IllegalMove, NotAMove, Outcome, Position, Reason, Seat
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import Clock
from gomogo_core.play.events import Ended, Event, Left, Listener, Moved, Ply, Started, Table, Warned
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.stopping import Stopped, heed

_WITHOUT_THE_LINE = (Reason.ILLEGAL_MOVE, Reason.OUT_OF_TIME)  # whose evidence is another sentence
MOST_REFUSALS = 100  # of one move, under `retry`: an agent without a clock could go on for ever
MOST_DOUBTS = 3  # turns of one game that are given anew: who writes in another's name would else never stop


def play_game(
    table: Table,
    players: Sequence[Player],
    listeners: Sequence[Listener] = (),
    *,
    retry: bool = False,
    pace: float = 0.0,
    adjudication: Adjudication | None = None,
    stood_still: Callable[[], float] = lambda: 0.0,
    lenient: bool = False,
) -> Outcome:
    """Play one game to its end and say how it ended.

    players: by seat. retry: an illegal line is refused and its clock runs on, instead of losing. pace: seconds to keep
    at least between two turns. adjudication: when to end a game that its rules would let go on. An interrupt or a fault
    of our own is a void outcome, after which the exception goes on.

    stood_still: seconds that we have not been running since the game began. Nobody can say what a player's time was
    then: the game is void; lenient: only where it would be lost on time, since a person has put it aside.
    """
    return _Game(table, players, listeners, retry, pace, adjudication, stood_still, lenient).play()


class _Game:
    def __init__(
        self,
        table: Table,
        players: Sequence[Player],
        listeners: Sequence[Listener],
        retry: bool,
        pace: float,
        adjudication: Adjudication | None,
        stood_still: Callable[[], float],
        lenient: bool,
    ) -> None:
        self.table, self.players, self.listeners, self.retry, self.pace = table, players, listeners, retry, pace
        self.stood_still, self.lenient = stood_still, lenient
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
        self.doubts = 0  # turns given anew, since somebody else may have written the answer
        self.untold: list[tuple[Ply, Event]] = []  # moves of which those who wait have not yet heard

    def play(self) -> Outcome:
        outcome = Outcome((0,) * len(self.players), Reason.REFEREE_FAULT, "the referee failed")
        try:
            outcome = self._start() or self._turns()
        except (KeyboardInterrupt, Stopped):
            outcome = Outcome((0,) * len(self.players), Reason.INTERRUPTED, "the referee was interrupted")
            raise
        except BaseException as fault:
            outcome = Outcome((0,) * len(self.players), Reason.REFEREE_FAULT, f"{type(fault).__name__}: {fault}")
            raise
        finally:
            with ExitStack() as farewells:  # each is said, whatever becomes of the others
                for player in self.players:
                    farewells.callback(player.finish, outcome)
                farewells.callback(self._tell, Ended(outcome, self.position))
                farewells.callback(self._catch_up)
        return outcome

    def _start(self) -> Outcome | None:
        for seat, player in enumerate(self.players, 1):
            player.start(self.table, seat)
        away = {gone for gone, _ in self.gone}
        there = [(seat, player) for seat, player in enumerate(self.players, 1) if seat not in away]
        failures = [(seat, failure) for seat, player in there if (failure := player.ready())]
        if failures and (void := self._spoilt()):
            return void
        if failures and len(failures) == len(there):
            return self._void(failures[0][1])
        self._tell(Started(self.table, self.position))
        for seat, failure in failures:
            if outcome := self._leaves(seat, failure):
                return outcome
        return None

    def _turns(self) -> Outcome:
        while (ended := self.position.outcome() or self.adjudicated) is None:
            heed()  # some players never wait
            started = time.monotonic()
            outcome = self._turn(self.position.to_move)
            if outcome is not None:
                return outcome
            if self.pace:
                time.sleep(max(0.0, self.pace - (time.monotonic() - started)))
        return self._with_the_gone(ended)

    def _turn(self, seat: Seat) -> Outcome | None:
        """Ask for one move until there is one, or the player has left."""
        clock, player = self.clocks[seat - 1], self.players[seat - 1]
        spent, refused, refusals = 0.0, None, 0
        while True:
            allowed = clock.allowed - spent
            reply = player.choose(self._question(seat, allowed if allowed > 0 else 0.0, refused))
            if self.untold:
                self._catch_up()
            if not self.lenient and (void := self._spoilt()):
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
                    return Outcome((0,) * len(self.players), Reason.INTERRUPTED, doubt.why)
                self._tell(Warned(seat, f"{doubt.why}: asked anew"))
                refused = doubt.why
                continue
            spent += reply.seconds
            if not self.retry or failure.reason not in (Reason.ILLEGAL_MOVE, Reason.NOT_A_MOVE):
                if isinstance(reply, Reply) and failure.reason in _WITHOUT_THE_LINE:
                    self._tell(Warned(seat, f"wrote {reply.text!r}"))
                return self._leaves(seat, failure)
            refused, refusals = failure.evidence, refusals + 1
            if refusals == MOST_REFUSALS:
                return self._leaves(seat, Failure(failure.reason, f"{refused} (refused {refusals} times)"))
            self._tell(Warned(seat, f"refused: {refused}"))

    def _question(self, seat: Seat, allowed: float, refused: str | None) -> Turn:
        lefts = tuple([clock.left for clock in self.clocks])
        grace, others = self.clocks[seat - 1].control.grace, self.others[seat - 1]
        return Turn(self.position, self.before, self.plies, allowed, grace, lefts, refused, others, self._catch_up)

    def _others(self, seat: Seat) -> tuple[Player, ...]:
        """Who still sits at the table beside this one."""
        away = {seat, *(gone for gone, _ in self.gone)}
        return tuple(player for other, player in enumerate(self.players, 1) if other not in away)

    def _catch_up(self) -> None:
        """Tell everybody of the moves they have not heard of."""
        told, self.untold = self.untold, []
        for ply, moved in told:
            for seat, player in enumerate(self.players, 1):
                if seat != self.position.to_move:
                    player.accepted(ply)
            self._tell(moved)

    def _judge(self, reply: Reply, spent: float, clock: Clock) -> Failure | None:
        """Accept the move, or say what is wrong with it."""
        seat = self.position.to_move
        for warning in reply.warnings:
            self._tell(Warned(seat, warning))
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
        # the next must know before it is asked; the others hear of it while that one thinks
        self.players[after.to_move - 1].accepted(ply)
        said = (reply.thoughts, reply.score, reply.line, reply.values)
        self.untold.append((ply, Moved(seat, ply.move, after, spent, clock.left, *said)))
        if self.judge is not None:
            self.adjudicated = self.judge.after(seat, len(self.plies) - len(self.gone), reply.score)
        return None

    def _leaves(self, seat: Seat, failure: Failure) -> Outcome | None:
        """A player loses by its own doing: the last of two wins at once, three and more play on without it."""
        if failure.reason is Reason.OUT_OF_TIME and (void := self._spoilt()):
            return void
        deaths = [player.death() for player in self.players]
        if failure.reason is Reason.CRASHED and all(deaths) and not self.gone:
            return self._void(failure)
        self.gone.append((seat, failure))
        away = {gone for gone, _ in self.gone}
        staying = [s for s in range(1, len(self.players) + 1) if s not in away]
        if len(staying) == 1:
            return self._with_the_gone(Outcome.won_by(staying[0], failure.reason, failure.evidence, len(self.players)))
        self.position = self.position.withdraw(seat)
        self.others = [self._others(other) for other in range(1, len(self.players) + 1)]
        ply = Ply(seat, RESIGN)
        self.plies.append(ply)
        for player in self.players:
            player.accepted(ply)
        self._tell(Left(seat, failure.reason, failure.evidence, self.position))
        return None

    def _with_the_gone(self, ended: Outcome) -> Outcome:
        """Put those who left at the end, the first to leave last of all."""
        if not self.gone:
            return ended
        ranks, away = list(ended.ranks), [seat for seat, _ in self.gone]
        staying = sorted(rank for seat, rank in enumerate(ranks, 1) if seat not in away)
        for seat, rank in enumerate(ended.ranks, 1):
            ranks[seat - 1] = len(ranks) - away.index(seat) if seat in away else 1 + staying.index(rank)
        return Outcome(tuple(ranks), ended.reason, ended.detail, ended.scores)

    def _spoilt(self) -> Outcome | None:
        """A referee that stood still, stopped or asleep with its machine, cannot say who was late."""
        if not (seconds := self.stood_still()):
            return None
        why = f"the referee stood still for {seconds:.1f} s"
        return Outcome((0,) * len(self.players), Reason.INTERRUPTED, why)

    def _void(self, failure: Failure) -> Outcome:
        return Outcome((0,) * len(self.players), Reason.ALL_CRASHED, failure.evidence)

    def _tell(self, event: Event) -> None:
        for listener in self.listeners:
            listener(event)
