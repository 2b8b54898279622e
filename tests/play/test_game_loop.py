"""Every verdict of the game loop, with two or three players that answer from a list."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, ClassVar

import pytest

from gomogo_core.cancellation import GameCancelled
from gomogo_core.games import load
from gomogo_core.games.base import Game, IllegalMove, Move, NotAMove, Outcome, Position, Reason, Seat, option
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ended, Event, GameSetup, Moved, PlayerLeft, Ply, Started, Warned
from gomogo_core.play.game_loop import play_game
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.play.time_guard import Disturbance, TimeGuard

Answer = str | Reply | Failure | BaseException


class ScriptedPlayer:
    """Answers from a list, and keeps its turns and notifications."""

    def __init__(self, name: str, *answers: Answer, unready: Failure | None = None, dead: bool = False) -> None:
        self.name, self.answers, self.unready, self.dead = name, list(answers), unready, dead
        self.turns: list[Turn] = []
        self.heard: list[Ply] = []
        self.outcome: Outcome | None = None

    def start(self, table: GameSetup, seat: Seat) -> None:
        self.seat = seat

    def await_ready(self) -> Failure | None:
        return self.unready

    def await_move(self, turn: Turn) -> Reply | Failure:
        self.turns.append(turn)
        turn.on_waiting()
        answer = self.answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return Reply(answer, 0.1) if isinstance(answer, str) else answer

    def notify_move(self, ply: Ply) -> None:
        self.heard.append(ply)

    def exit_failure(self) -> Failure | None:
        return Failure(Reason.CRASHED, "exited", seat=self.seat) if self.dead else None

    def exit_fd(self) -> int | None:
        return None

    def finish(self, outcome: Outcome) -> None:
        self.outcome = outcome


def play(
    players: Sequence[ScriptedPlayer], game: Game | None = None, control: TimeControl | None = None, **terms: Any
) -> tuple[Outcome, list[Event]]:
    events: list[Event] = []
    names = tuple(player.name for player in players)
    table = GameSetup(game or load("gomoku", size=5, line=3), names, (control or TimeControl(),) * len(players))
    return play_game(table, players, [events.append], **terms), events


def test_the_events_of_a_game_come_in_order() -> None:
    black, white = ScriptedPlayer("a", "a1", "b1", "c1"), ScriptedPlayer("b", "a2", "b2")
    outcome, events = play([black, white])
    assert [type(event) for event in events] == [Started, *[Moved] * 5, Ended]
    assert [event.move for event in events if isinstance(event, Moved)] == ["a1", "a2", "b1", "b2", "c1"]
    assert (outcome.winner, outcome.reason) == (1, Reason.LINE)
    assert black.outcome == white.outcome == outcome


def test_every_player_is_notified_of_every_move_once() -> None:
    black, white = ScriptedPlayer("a", "a1", "b1", "c1"), ScriptedPlayer("b", "a2", "b2")
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
def test_a_player_forfeits_by_its_own_fault(answer: Answer, reason: Reason) -> None:
    outcome, _ = play([ScriptedPlayer("a", "a1"), ScriptedPlayer("b", answer)])
    assert (outcome.winner, outcome.reason) == (1, reason)


def test_a_move_within_the_grace_counts() -> None:
    outcome, _ = play([ScriptedPlayer("a", Reply("a1", 10.04), "resign"), ScriptedPlayer("b", "a2")])
    assert (outcome.winner, outcome.reason) == (2, Reason.RESIGNED)


def test_the_exit_of_a_waiting_player_ends_the_game_at_once() -> None:
    outcome, _ = play([ScriptedPlayer("a", Failure(Reason.CRASHED, "exited", seat=2)), ScriptedPlayer("b")])
    assert (outcome.winner, outcome.reason) == (1, Reason.CRASHED)


def test_a_player_that_is_never_ready_forfeits_without_a_turn() -> None:
    ready = ScriptedPlayer("b")
    outcome, _ = play([ScriptedPlayer("a", unready=Failure(Reason.OUT_OF_TIME, "not ready")), ready])
    assert (outcome.winner, outcome.reason, ready.turns) == (2, Reason.OUT_OF_TIME, [])


def test_the_game_is_void_if_all_players_crash() -> None:
    failure = Failure(Reason.CRASHED, "exited")
    outcome, _ = play(
        [ScriptedPlayer("a", unready=failure, dead=True), ScriptedPlayer("b", unready=failure, dead=True)]
    )
    assert outcome.is_void
    assert outcome.reason is Reason.ALL_CRASHED


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (KeyboardInterrupt(), Reason.INTERRUPTED),
        (GameCancelled(), Reason.INTERRUPTED),
        (OSError(28, "full"), Reason.REFEREE_FAULT),
    ],
)
def test_a_fault_of_the_referee_or_an_interrupt_is_void_and_releases_all_players(
    fault: BaseException, reason: Reason
) -> None:
    players = [ScriptedPlayer("a", fault), ScriptedPlayer("b")]
    events: list[Event] = []
    table = GameSetup(load("gomoku"), ("a", "b"), (TimeControl(), TimeControl()))
    with pytest.raises(type(fault)):
        play_game(table, players, [events.append])
    assert isinstance(events[-1], Ended)
    assert events[-1].outcome.reason is reason
    assert events[-1].outcome.is_void
    assert [player.outcome for player in players] == [events[-1].outcome] * 2


def test_under_retry_an_illegal_line_is_refused_and_the_clock_runs_on() -> None:
    white = ScriptedPlayer("b", Reply("a1", 4), Failure(Reason.NOT_A_MOVE, "zz", 5), "a2")
    outcome, events = play([ScriptedPlayer("a", "a1", "resign"), white], retry_illegal=True)
    assert [turn.allowed_seconds for turn in white.turns] == [10, 6, 1]
    assert [turn.refusal for turn in white.turns] == [None, "a1 is occupied by black", "zz"]
    assert [type(event) for event in events] == [Started, Moved, Warned, Warned, Moved, Ended]
    assert outcome.reason is Reason.RESIGNED


def test_the_time_also_ends_under_retry() -> None:
    outcome, _ = play(
        [ScriptedPlayer("a", "a1"), ScriptedPlayer("b", Reply("a1", 6), Reply("a2", 6))], retry_illegal=True
    )
    assert outcome.reason is Reason.OUT_OF_TIME


def test_the_number_of_refusals_is_limited() -> None:
    outcome, _ = play(
        [ScriptedPlayer("a", "a1"), ScriptedPlayer("b", *["a1"] * 200)], control=TimeControl(None), retry_illegal=True
    )
    assert (outcome.winner, outcome.reason) == (1, Reason.ILLEGAL_MOVE)


def test_a_failure_without_a_fault_voids_the_game() -> None:
    nobodys = Failure(Reason.INTERRUPTED, "another wrote it", 4.0, warnings=("written twice",))
    outcome, events = play([ScriptedPlayer("a", "a1"), ScriptedPlayer("b", nobodys)])
    assert outcome.is_void
    assert outcome.detail == "another wrote it"
    assert [event.warning for event in events if isinstance(event, Warned)] == ["written twice"]


def test_an_opening_is_on_the_board_before_the_first_turn() -> None:
    black, white = ScriptedPlayer("a", "c1"), ScriptedPlayer("b")
    table = GameSetup(
        load("gomoku", size=5, line=3),
        ("a", "b"),
        (TimeControl(),) * 2,
        (Ply(1, "a1"), Ply(2, "a2"), Ply(1, "b1"), Ply(2, "b2")),
    )
    assert play_game(table, [black, white]).winner == 1
    assert black.turns[0].position == table.game.replay(["a1", "a2", "b1", "b2"])
    assert black.turns[0].previous_position == table.game.replay(["a1", "a2", "b1"])


class Nim(Game):
    """Players take one to three from a heap in turn; taking the last one wins, and the others share the next place."""

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
    """A heap, and the players still in the game, the mover first."""

    def __init__(self, game: Nim, pebbles_left: int, round_: tuple[Seat, ...], last: Seat | None) -> None:
        self.game, self.left, self.round, self.last = game, pebbles_left, round_, last
        self.to_move = round_[0]

    def key(self) -> Hashable:
        return self.left, self.round

    def moves(self) -> Iterator[Move]:
        yield from range(1, min(3, self.left) + 1)

    def why_illegal(self, move: Move) -> str | None:
        return None if move in self.moves() else "too many"

    def play(self, move: Move) -> Position:
        if problem := self.why_illegal(move):
            raise IllegalMove(problem)
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
    outcome, _ = play([ScriptedPlayer("a", "3"), ScriptedPlayer("b", "3"), ScriptedPlayer("c", "3")], Nim())
    assert outcome.ranks == (2, 2, 1)


@pytest.mark.parametrize(
    ("a", "b", "c", "ranks"),
    [
        (["zz"], ["3", "3"], ["3"], (3, 1, 2)),  # the first leaves, the others play on
        (["3", "3"], ["zz"], ["3"], (1, 3, 2)),
        (["3"], ["zz"], ["zz"], (1, 3, 2)),  # the first to leave is last; the only one left wins
        (["resign"], ["resign"], [], (3, 2, 1)),
        ([Failure(Reason.CRASHED, "exited", seat=3), "3", "3"], ["3"], [], (1, 2, 3)),  # a waiting player crashes
    ],
)  # fmt: skip
def test_a_player_of_three_that_forfeits_takes_the_last_place(
    a: list[Answer], b: list[Answer], c: list[Answer], ranks: tuple[int, ...]
) -> None:
    players = [ScriptedPlayer("a", *a), ScriptedPlayer("b", *b), ScriptedPlayer("c", *c)]
    outcome, _ = play(players, Nim())
    assert outcome.ranks == ranks
    assert [player.outcome for player in players] == [outcome] * 3


def test_the_others_are_notified_of_the_player_that_left_and_of_the_reason() -> None:
    players = [ScriptedPlayer("a", "1", "3"), ScriptedPlayer("b", "zz"), ScriptedPlayer("c", "2", "3")]
    outcome, events = play(players, Nim())
    assert [type(event) for event in events] == [Started, Moved, PlayerLeft, *[Moved] * 3, Ended]
    (left_event,) = [event for event in events if isinstance(event, PlayerLeft)]
    assert (left_event.seat, left_event.reason) == (2, Reason.NOT_A_MOVE)
    assert (left_event.position.to_move, outcome.ranks) == (3, (2, 3, 1))
    whole = [Ply(1, "1"), Ply(2, "resign"), Ply(3, "2"), Ply(1, "3"), Ply(3, "3")]
    assert [player.heard for player in players] == [whole] * 3
    position = Nim().start()
    for ply in whole:
        position = position.game.apply_action(position, ply.seat, ply.move)
    assert position == events[-1].position  # type: ignore[union-attr]


def test_a_player_that_left_before_is_not_awaited_and_comes_last() -> None:
    failure = Failure(Reason.CRASHED, "not there")
    players = [ScriptedPlayer("a", "3"), ScriptedPlayer("b", unready=failure), ScriptedPlayer("c", "2", "3")]
    opening = (Ply(1, "1"), Ply(2, "resign"))
    table = GameSetup(Nim(), ("a", "b", "c"), (TimeControl(),) * 3, opening)
    outcome = play_game(table, players)
    assert (outcome.ranks, players[1].turns) == ((2, 3, 1), [])


def test_a_turn_names_the_waiting_players_so_that_their_exit_is_noticed() -> None:
    players = [ScriptedPlayer("a", "3", "3"), ScriptedPlayer("b", "resign"), ScriptedPlayer("c", "3")]
    play(players, Nim())
    assert players[0].turns[0].opponents == (players[1], players[2])
    assert players[2].turns[0].opponents == (players[0],)


def test_a_fault_of_a_listener_is_a_fault_of_the_referee() -> None:
    def broken(event: Event) -> None:
        raise ValueError("a listener's bug")

    listener: Callable[[Event], None] = broken
    table = GameSetup(load("gomoku"), ("a", "b"), (TimeControl(), TimeControl()))
    players = [ScriptedPlayer("a", "h8"), ScriptedPlayer("b")]
    with pytest.raises(ValueError, match="a listener's bug"):
        play_game(table, players, [listener])
    assert all(player.outcome is not None and player.outcome.reason is Reason.REFEREE_FAULT for player in players)


def test_a_game_is_void_if_the_referee_was_suspended() -> None:
    times = iter([0.0, 0.0, 7.25])
    players = [ScriptedPlayer("a", "a1", "b1"), ScriptedPlayer("b", "a2", "b2")]
    outcome, events = play(players, guard=TimeGuard(lambda: next(times)))
    assert (outcome.is_void, outcome.reason) == (True, Reason.INTERRUPTED)
    assert outcome.detail == "the referee was suspended for 7.2 s"
    assert sum(isinstance(event, Moved) for event in events) == 2
    assert all(player.outcome == outcome for player in players)


def test_a_starved_referee_makes_only_a_loss_on_time_void() -> None:
    guard = TimeGuard(starved_seconds=lambda: 2.0)
    assert not play([ScriptedPlayer("a", "a1", "resign"), ScriptedPlayer("b", "a2")], guard=guard)[0].is_void
    late = Failure(Reason.OUT_OF_TIME, "late")
    outcome, _ = play([ScriptedPlayer("a", late), ScriptedPlayer("b")], guard=guard)
    assert outcome.detail == "the referee had no core for 2.0 s"
    assert outcome.is_void


@pytest.mark.parametrize("reason", [Reason.CRASHED, Reason.OUT_OF_TIME])
def test_no_player_forfeits_for_a_late_start_while_the_referee_was_suspended(reason: Reason) -> None:
    players = [ScriptedPlayer("a", unready=Failure(reason, "not ready")), ScriptedPlayer("b")]
    assert play(players, guard=TimeGuard(lambda: 3.0))[0].is_void


LATE: list[Failure | Reply] = [Failure(Reason.OUT_OF_TIME, "nothing was written", 9.0), Reply("a1", 9.0)]


@pytest.mark.parametrize("late", LATE)
def test_in_a_game_with_a_human_only_a_loss_on_time_is_void_after_a_suspension(late: Answer) -> None:
    terms: dict[str, Any] = {"guard": TimeGuard(lambda: 3.0, allows_suspension=True), "control": TimeControl(1.0)}
    outcome, _ = play([ScriptedPlayer("a", "a1", "resign"), ScriptedPlayer("b", "a2")], **terms)
    assert (outcome.winner, outcome.reason) == (2, Reason.RESIGNED)
    assert play([ScriptedPlayer("a", late), ScriptedPlayer("b")], **terms)[0].is_void


# CPU time that another program takes during a turn


def disturbed(seconds: float, *, grave: bool = False, seat: Seat = 1) -> Callable[[Seat], Disturbance | None]:
    disturbance = Disturbance(seat, seconds, f"it used {seconds:g} s", grave)
    return lambda late: None if late == seat else disturbance


def test_time_that_an_opponent_took_is_given_back() -> None:
    late = Reply("a2", 1.8)
    players = [ScriptedPlayer("a", "a1", "resign"), ScriptedPlayer("b", late)]
    outcome, events = play(players, control=TimeControl(1.0), guard=TimeGuard(find_disturbance=disturbed(0.9)))
    assert (outcome.winner, outcome.reason) == (2, Reason.RESIGNED)
    assert [event.warning for event in events if isinstance(event, Warned)] == [
        "its turn is extended by the time that another program took: it used 0.9 s"
    ]
    assert next(
        event.seconds_taken for event in events if isinstance(event, Moved) and event.seat == 2
    ) == pytest.approx(0.9)
    assert players[1].turns[0].extend() == 0.9


def test_a_player_that_is_late_by_more_than_the_time_taken_is_out_of_time() -> None:
    players = [ScriptedPlayer("a", "a1"), ScriptedPlayer("b", Reply("a2", 2.0))]
    outcome, _ = play(players, control=TimeControl(1.0), guard=TimeGuard(find_disturbance=disturbed(0.9)))
    assert (outcome.winner, outcome.reason) == (1, Reason.OUT_OF_TIME)


def test_time_is_not_given_back_twice_after_a_refused_line() -> None:
    players = [ScriptedPlayer("a", "a1", "resign"), ScriptedPlayer("b", Reply("a1", 1.8), Reply("a2", 0.05))]
    outcome, _ = play(
        players, control=TimeControl(1.0), guard=TimeGuard(find_disturbance=disturbed(0.9)), retry_illegal=True
    )
    assert outcome.winner == 2
    assert [turn.extend() for turn in players[1].turns] == [0.9, 0.0]
    assert players[1].turns[1].allowed_seconds == pytest.approx(0.1)


@pytest.mark.parametrize("late", LATE)
def test_a_player_that_makes_its_opponent_late_forfeits(late: Answer) -> None:
    outcome, _ = play(
        [ScriptedPlayer("a", "a1"), ScriptedPlayer("b", late)],
        control=TimeControl(1.0),
        guard=TimeGuard(find_disturbance=disturbed(3.0, grave=True)),
    )
    assert (outcome.winner, outcome.reason) == (2, Reason.CPU_OUT_OF_TURN)
    assert outcome.detail == "it used 3 s"
    assert Reason.CPU_OUT_OF_TURN.kind == "forfeit"


def test_a_game_of_three_is_void_if_one_player_makes_another_late() -> None:
    boxes = load("dots_and_boxes", rows=2, cols=2, players=3)
    players = [ScriptedPlayer("a", "h1"), ScriptedPlayer("b", LATE[0]), ScriptedPlayer("c")]
    assert play(players, boxes, guard=TimeGuard(find_disturbance=disturbed(3.0, grave=True)))[0].is_void


def test_a_turn_in_time_is_not_checked_for_disturbance() -> None:
    def ask(_: Seat) -> Disturbance | None:
        raise AssertionError

    assert (
        play([ScriptedPlayer("a", "a1", "resign"), ScriptedPlayer("b", "a2")], guard=TimeGuard(find_disturbance=ask))[
            0
        ].winner
        == 2
    )
