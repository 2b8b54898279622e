"""Every verdict the loop makes, with players that answer from a list; two of them and three."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, ClassVar

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Game, IllegalMove, Move, NotAMove, Outcome, Position, Reason, Seat, option
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ended, Event, Left, Moved, Ply, Started, Table, Warned
from gomogo_core.play.game_loop import MOST_DOUBTS, play_game
from gomogo_core.play.player import Doubt, Failure, Reply, Turn
from gomogo_core.stopping import Stopped

Answer = str | Reply | Failure | BaseException


class Scripted:
    """Answers from a list; what it was asked and told is kept."""

    def __init__(self, name: str, *answers: Answer, unready: Failure | None = None, dead: bool = False) -> None:
        self.name, self.answers, self.unready, self.dead = name, list(answers), unready, dead
        self.turns: list[Turn] = []
        self.heard: list[Ply] = []
        self.outcome: Outcome | None = None

    def start(self, table: Table, seat: Seat) -> None:
        self.seat = seat

    def ready(self) -> Failure | None:
        return self.unready

    def choose(self, turn: Turn) -> Reply | Failure:
        self.turns.append(turn)
        turn.meanwhile()
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return Reply(answer, 0.1) if isinstance(answer, str) else answer

    def accepted(self, ply: Ply) -> None:
        self.heard.append(ply)

    def death(self) -> Failure | None:
        return Failure(Reason.CRASHED, "exited", seat=self.seat) if self.dead else None

    def pulse(self) -> int | None:
        return None

    def finish(self, outcome: Outcome) -> None:
        self.outcome = outcome


def play(
    players: Sequence[Scripted], game: Game | None = None, control: TimeControl | None = None, **terms: Any
) -> tuple[Outcome, list[Event]]:
    events: list[Event] = []
    names = tuple(player.name for player in players)
    table = Table(game or load("gomoku", size=5, line=3), names, (control or TimeControl(),) * len(players))
    return play_game(table, players, [events.append], **terms), events


def test_a_game_is_told_from_its_start_to_its_end_in_order() -> None:
    black, white = Scripted("a", "a1", "b1", "c1"), Scripted("b", "a2", "b2")
    outcome, events = play([black, white])
    assert [type(event) for event in events] == [Started, *[Moved] * 5, Ended]
    assert [event.move for event in events if isinstance(event, Moved)] == ["a1", "a2", "b1", "b2", "c1"]
    assert (outcome.winner, outcome.reason) == (1, Reason.FIVE)
    assert black.outcome == white.outcome == outcome


def test_everybody_hears_of_every_move_once() -> None:
    black, white = Scripted("a", "a1", "b1", "c1"), Scripted("b", "a2", "b2")
    play([black, white])
    assert black.heard == white.heard == [Ply(1, "a1"), Ply(2, "a2"), Ply(1, "b1"), Ply(2, "b2"), Ply(1, "c1")]


FORFEITS: list[tuple[Answer, Reason]] = [
    ("a1", Reason.ILLEGAL_MOVE),
    ("zz", Reason.NOT_A_MOVE),
    ("resign", Reason.RESIGNED),
    ("RESIGN ", Reason.RESIGNED),
    (Reply("b2", 10.06), Reason.OUT_OF_TIME),
    (Failure(Reason.OUT_OF_TIME, "nothing"), Reason.OUT_OF_TIME),
    (Failure(Reason.OUT_OF_TURN, "a b 2"), Reason.OUT_OF_TURN),
    (Failure(Reason.CRASHED, "exit code 1"), Reason.CRASHED),
]


@pytest.mark.parametrize(("answer", "reason"), FORFEITS)
def test_a_fault_is_a_loss_for_who_made_it(answer: Answer, reason: Reason) -> None:
    outcome, _ = play([Scripted("a", "a1"), Scripted("b", answer)])
    assert (outcome.winner, outcome.reason) == (1, reason)


def test_a_move_within_the_grace_counts() -> None:
    outcome, _ = play([Scripted("a", Reply("a1", 10.04), "resign"), Scripted("b", "a2")])
    assert (outcome.winner, outcome.reason) == (2, Reason.RESIGNED)


def test_the_death_of_the_one_who_waits_ends_the_game_at_once() -> None:
    outcome, _ = play([Scripted("a", Failure(Reason.CRASHED, "exited", seat=2)), Scripted("b")])
    assert (outcome.winner, outcome.reason) == (1, Reason.CRASHED)


def test_who_is_never_ready_loses_and_nobody_is_asked() -> None:
    ready = Scripted("b")
    outcome, _ = play([Scripted("a", unready=Failure(Reason.OUT_OF_TIME, "not ready")), ready])
    assert (outcome.winner, outcome.reason, ready.turns) == (2, Reason.OUT_OF_TIME, [])


def test_when_all_are_dead_the_game_is_void() -> None:
    gone = Failure(Reason.CRASHED, "exited")
    outcome, _ = play([Scripted("a", unready=gone, dead=True), Scripted("b", unready=gone, dead=True)])
    assert outcome.void
    assert outcome.reason is Reason.ALL_CRASHED


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (KeyboardInterrupt(), Reason.INTERRUPTED),
        (Stopped(), Reason.INTERRUPTED),
        (OSError(28, "full"), Reason.REFEREE_FAULT),
    ],
)
def test_our_own_fault_and_an_interrupt_are_void_and_everybody_is_let_go(fault: BaseException, reason: Reason) -> None:
    players = [Scripted("a", fault), Scripted("b")]
    events: list[Event] = []
    table = Table(load("gomoku"), ("a", "b"), (TimeControl(), TimeControl()))
    with pytest.raises(type(fault)):
        play_game(table, players, [events.append])
    assert isinstance(events[-1], Ended)
    assert events[-1].outcome.reason is reason
    assert events[-1].outcome.void
    assert [player.outcome for player in players] == [events[-1].outcome] * 2


def test_under_retry_an_illegal_line_is_refused_and_the_clock_runs_on() -> None:
    white = Scripted("b", Reply("a1", 4), Failure(Reason.NOT_A_MOVE, "zz", 5), "a2")
    outcome, events = play([Scripted("a", "a1", "resign"), white], retry=True)
    assert [turn.allowed for turn in white.turns] == [10, 6, 1]
    assert [turn.refused for turn in white.turns] == [None, "a1 is occupied by black", "zz"]
    assert [type(event) for event in events] == [Started, Moved, Warned, Warned, Moved, Ended]
    assert outcome.reason is Reason.RESIGNED


def test_under_retry_too_the_time_ends() -> None:
    outcome, _ = play([Scripted("a", "a1"), Scripted("b", Reply("a1", 6), Reply("a2", 6))], retry=True)
    assert outcome.reason is Reason.OUT_OF_TIME


def test_refusals_do_not_go_on_for_ever() -> None:
    outcome, _ = play([Scripted("a", "a1"), Scripted("b", *["a1"] * 200)], control=TimeControl(None), retry=True)
    assert (outcome.winner, outcome.reason) == (1, Reason.ILLEGAL_MOVE)


def doubtful(again: bool = True) -> list[Answer]:
    """Answers that lose, each in its own way; another may have written them."""

    def doubt() -> Doubt:
        return Doubt("another wrote it", again)

    return [
        Reply("a1", 4, doubt=doubt),
        Failure(Reason.NOT_A_MOVE, "zz", 5, doubt=doubt),
        Failure(Reason.OUT_OF_TIME, "nothing", 11, doubt=doubt),
    ]


def test_who_may_not_have_written_its_answer_is_asked_anew_with_its_whole_time() -> None:
    white = Scripted("b", *doubtful(), "a2")
    outcome, events = play([Scripted("a", "a1", "resign"), white])
    assert [turn.allowed for turn in white.turns] == [10, 10, 10, 10]
    assert [turn.refused for turn in white.turns] == [None, *["another wrote it"] * 3]
    assert [event.what for event in events if isinstance(event, Warned)] == ["another wrote it: asked anew"] * 3
    assert outcome.reason is Reason.RESIGNED


@pytest.mark.parametrize("answers", [(doubtful() * 2)[: MOST_DOUBTS + 1], doubtful(again=False)[:1]])
def test_who_cannot_be_asked_anew_or_in_vain_has_not_lost(answers: list[Answer]) -> None:
    outcome, _ = play([Scripted("a", "a1"), Scripted("b", *answers)])
    assert outcome.void
    assert outcome.detail == "another wrote it"


def test_an_opening_is_on_the_board_before_anybody_thinks() -> None:
    black, white = Scripted("a", "c1"), Scripted("b")
    table = Table(
        load("gomoku", size=5, line=3),
        ("a", "b"),
        (TimeControl(),) * 2,
        (Ply(1, "a1"), Ply(2, "a2"), Ply(1, "b1"), Ply(2, "b2")),
    )
    assert play_game(table, [black, white]).winner == 1
    assert black.turns[0].position == table.game.replay(["a1", "a2", "b1", "b2"])
    assert black.turns[0].before == table.game.replay(["a1", "a2", "b1"])


class Nim(Game):
    """Take one to three of a heap, in turn round the table; who takes the last wins, the others share the place."""

    name: ClassVar[str] = "nim"
    heap: int = option(9, "matches", low=1)

    @property
    def seats(self) -> int:
        return 3

    def start(self) -> Position:
        return Heap(self, self.heap, (1, 2, 3), None)

    def parse(self, text: str) -> Move:
        if text not in ("1", "2", "3"):
            raise NotAMove(text, "1, 2 or 3")
        return int(text)

    def format(self, move: Move) -> str:
        return str(move)

    def from_diagram(self, text: str) -> Position:
        raise AssertionError


class Heap(Position):
    """A heap, and who is still at the table, the mover first."""

    def __init__(self, game: Nim, left: int, round_: tuple[Seat, ...], last: Seat | None) -> None:
        self.game, self.left, self.round, self.last = game, left, round_, last
        self.to_move = round_[0]

    def key(self) -> Hashable:
        return self.left, self.round

    def moves(self) -> Iterator[Move]:
        yield from range(1, min(3, self.left) + 1)

    def why_illegal(self, move: Move) -> str | None:
        return None if move in self.moves() else "too many"

    def play(self, move: Move) -> Position:
        if why := self.why_illegal(move):
            raise IllegalMove(why)
        assert isinstance(move, int)
        assert isinstance(self.game, Nim)
        return Heap(self.game, self.left - move, (*self.round[1:], self.round[0]), self.to_move)

    def outcome(self) -> Outcome | None:
        return None if self.left else Outcome.won_by(self.last or 1, Reason.SCORE, "took the last", 3)

    def rows(self) -> tuple[str, ...]:
        return ("|" * self.left,)

    def diagram(self) -> str:
        return self.rows()[0]

    def withdraw(self, seat: Seat) -> Position:
        assert isinstance(self.game, Nim)
        return Heap(self.game, self.left, tuple(s for s in self.round if s != seat), self.last)


def test_three_players_take_turns_to_the_end() -> None:
    outcome, _ = play([Scripted("a", "3"), Scripted("b", "3"), Scripted("c", "3")], Nim())
    assert outcome.ranks == (2, 2, 1)


@pytest.mark.parametrize(
    ("a", "b", "c", "ranks"),
    [
        (["zz"], ["3", "3"], ["3"], (3, 1, 2)),  # the first leaves, the others play on
        (["3", "3"], ["zz"], ["3"], (1, 3, 2)),
        (["3"], ["zz"], ["zz"], (1, 3, 2)),  # who leaves first is last; who is left alone wins
        (["resign"], ["resign"], [], (3, 2, 1)),
        ([Failure(Reason.CRASHED, "exited", seat=3), "3", "3"], ["3"], [], (1, 2, 3)),  # one who waits dies
    ],
)  # fmt: skip
def test_one_of_three_who_forfeits_takes_the_last_place(
    a: list[Answer], b: list[Answer], c: list[Answer], ranks: tuple[int, ...]
) -> None:
    players = [Scripted("a", *a), Scripted("b", *b), Scripted("c", *c)]
    outcome, _ = play(players, Nim())
    assert outcome.ranks == ranks
    assert [player.outcome for player in players] == [outcome] * 3


def test_the_others_are_told_who_left_and_why_and_replay_it() -> None:
    players = [Scripted("a", "1", "3"), Scripted("b", "zz"), Scripted("c", "2", "3")]
    outcome, events = play(players, Nim())
    assert [type(event) for event in events] == [Started, Moved, Left, *[Moved] * 3, Ended]
    (left,) = [event for event in events if isinstance(event, Left)]
    assert (left.seat, left.reason) == (2, Reason.NOT_A_MOVE)
    assert (left.position.to_move, outcome.ranks) == (3, (2, 3, 1))
    whole = [Ply(1, "1"), Ply(2, "resign"), Ply(3, "2"), Ply(1, "3"), Ply(3, "3")]
    assert [player.heard for player in players] == [whole] * 3
    position = Nim().start()
    for ply in whole:
        position = position.game.follow(position, ply.seat, ply.move)
    assert position == events[-1].position  # type: ignore[union-attr]


def test_who_has_left_before_is_not_waited_for_and_comes_last() -> None:
    gone = Failure(Reason.CRASHED, "not there")
    players = [Scripted("a", "3"), Scripted("b", unready=gone), Scripted("c", "2", "3")]
    opening = (Ply(1, "1"), Ply(2, "resign"))
    table = Table(Nim(), ("a", "b", "c"), (TimeControl(),) * 3, opening)
    outcome = play_game(table, players)
    assert (outcome.ranks, players[1].turns) == ((2, 3, 1), [])


def test_who_waits_is_told_by_name_so_that_its_death_can_be_felt() -> None:
    players = [Scripted("a", "3", "3"), Scripted("b", "resign"), Scripted("c", "3")]
    play(players, Nim())
    assert players[0].turns[0].others == (players[1], players[2])
    assert players[2].turns[0].others == (players[0],)


def test_a_listener_answers_nothing_but_its_fault_is_ours() -> None:
    def broken(event: Event) -> None:
        raise ValueError("a listener's bug")

    listener: Callable[[Event], None] = broken
    table = Table(load("gomoku"), ("a", "b"), (TimeControl(), TimeControl()))
    players = [Scripted("a", "h8"), Scripted("b")]
    with pytest.raises(ValueError, match="a listener's bug"):
        play_game(table, players, [listener])
    assert all(player.outcome is not None and player.outcome.reason is Reason.REFEREE_FAULT for player in players)


def test_a_game_in_which_the_referee_stood_still_is_void() -> None:
    still = iter([0.0, 0.0, 7.25])
    players = [Scripted("a", "a1", "b1"), Scripted("b", "a2", "b2")]
    outcome, events = play(players, stood_still=lambda: next(still))
    assert (outcome.void, outcome.reason) == (True, Reason.INTERRUPTED)
    assert outcome.detail == "the referee stood still for 7.2 s"
    assert sum(isinstance(event, Moved) for event in events) == 2
    assert all(player.outcome == outcome for player in players)


@pytest.mark.parametrize("reason", [Reason.CRASHED, Reason.OUT_OF_TIME])
def test_nobody_loses_for_not_being_ready_while_the_referee_stood_still(reason: Reason) -> None:
    players = [Scripted("a", unready=Failure(reason, "not ready")), Scripted("b")]
    assert play(players, stood_still=lambda: 3.0)[0].void


LATE = [Failure(Reason.OUT_OF_TIME, "nothing was written", 9.0), Reply("a1", 9.0)]


@pytest.mark.parametrize("late", LATE)
def test_where_a_person_plays_only_a_loss_on_time_is_void_after_a_standstill(late: Answer) -> None:
    terms: dict[str, Any] = {"stood_still": lambda: 3.0, "lenient": True, "control": TimeControl(1.0)}
    outcome, _ = play([Scripted("a", "a1", "resign"), Scripted("b", "a2")], **terms)
    assert (outcome.winner, outcome.reason) == (2, Reason.RESIGNED)
    assert play([Scripted("a", late), Scripted("b")], **terms)[0].void
