"""A session by itself: its stored form, its refusals, and the events that a referee records in it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.game_loop import play_game
from gomogo_core.play.player import Reply, Turn
from gomogo_core.session.actions import ActionRefused, NotUnderstood, SeatInfo
from gomogo_core.session.advice import hint_sentence
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.referee import HumanPlayer, Referee
from gomogo_core.session.sentences import action_sentence
from gomogo_core.session.stored_session import session_from_json, session_json


def session(*names: str, **options: object) -> GameSession:
    seat_infos = tuple(SeatInfo(name, "human", visitor=name) for name in names)
    game = load("gomoku", size=7) if len(names) == 2 else load("dots_and_boxes", players=len(names))
    return GameSession(game, seat_infos, **options)  # type: ignore[arg-type]


class ScriptedHuman(HumanPlayer):
    """A player with its moves."""

    moves = ("a1", "b1", "c1", "d1", "e1")

    def await_move(self, turn: Turn) -> Reply:
        turn.on_waiting()
        return Reply(self.moves[len(turn.plies) // 2] if self.name == "x" else f"a{7 - len(turn.plies) // 2}", 0.25)


def test_a_session_with_clocks_is_restored_unchanged() -> None:
    new_session = session("ann", "bo", opening_length=1)
    new_session.seat_infos = (SeatInfo("ann", "human", TimeControl(None, 60.0, 2.0), "ann"), new_session.seat_infos[1])
    new_session.play("ann", "d4", seconds=3.0)
    new_session.set_clock(1, 59.0)
    restored = session_from_json(json.loads(json.dumps(session_json(new_session))))
    assert session_json(restored) == session_json(new_session)
    assert restored.seat_infos[0].control == TimeControl(None, 59.0, 2.0)
    assert (restored.actions[0].clock, restored.opening_length) == (59.0, 1)


def test_a_session_of_an_earlier_version_is_read() -> None:
    plain = session_json(session("ann", "bo"))
    for chair, seconds in zip(plain["chairs"], (None, 2.5), strict=True):
        del chair["control"]
        chair["seconds"] = seconds
    del plain["opening"], plain["no_undo"]
    restored = session_from_json(json.loads(json.dumps(plain)))
    assert [info.control for info in restored.seat_infos] == [NO_LIMIT, TimeControl(2.5, grace=1.0)]


def test_refusals_name_the_reason() -> None:
    new_session = session("ann", "bo", why_no_undo="bo's program receives only the last move.")
    new_session.play("ann", "d4")
    for refused_action, words in (
        (lambda: new_session.play("ann", "d5"), "It is not your turn."),
        (lambda: new_session.play("bo", "d4"), "No: d4 is occupied by black."),
        (lambda: new_session.take_back("ann"), "bo's program receives only the last move."),
        (lambda: hint_sentence(new_session, "ann", 1.0), "It is not your turn."),
        (lambda: new_session.resign("cy"), "You do not play in this game."),
    ):
        with pytest.raises(ActionRefused) as error_info:
            refused_action()
        assert error_info.value.problem == words
    with pytest.raises(NotUnderstood, match="'dd' is not a move"):
        new_session.play("bo", "dd")


def test_a_resignation_among_three_notifies_the_others_without_a_new_game() -> None:
    new_session = session("ann", "bo", "cy")
    new_session.resign("ann")
    assert (new_session.restart_count, new_session.position.to_move) == (0, 2)
    assert action_sentence(new_session, new_session.actions[0], (1,)) == "You resigned. The others play on"
    new_session.resign("cy")
    assert new_session.is_over
    assert action_sentence(new_session, new_session.actions[1]) == "cy resigned"


def test_a_referee_records_the_moves_and_the_clocks_of_programs() -> None:
    new_session = GameSession(
        load("gomoku", size=7), tuple(SeatInfo(name, name, TimeControl(None, 9.0)) for name in "xo")
    )
    controls = tuple(info.control for info in new_session.seat_infos)
    listener = Referee(new_session).on_event
    play_game(
        GameSetup(new_session.game, new_session.names, controls), [ScriptedHuman("x"), ScriptedHuman("o")], [listener]
    )
    assert new_session.plies[:2] == (Ply(1, "a1"), Ply(2, "a7"))
    assert [new_session.actions[8].clock, new_session.seat_infos[0].control.total] == [7.75, 7.75]
    assert new_session.is_over


def test_the_clock_of_a_turn_stops_with_the_game() -> None:
    endings: tuple[Callable[[GameSession], object], ...] = (
        lambda ended_session: ended_session.play("ann", "e3", seconds=10.0),
        lambda ended_session: ended_session.resign("bo"),
        lambda ended_session: ended_session.end(Outcome.draw(Reason.AGREEMENT)),
        lambda ended_session: ended_session.pause("The teacher has paused the games."),
    )
    for end in endings:
        new_session = session("ann", "bo")
        new_session.game = load("gomoku", size=5, line=3)
        new_session.__post_init__()
        new_session.set_human_clocks(TimeControl(None, 60.0, 2.0))
        for name, move in (("ann", "c3"), ("bo", "a1"), ("ann", "d3"), ("bo", "a2")):
            new_session.play(name, move, seconds=0.0)
        new_session.turn_started_at -= 10.0
        end(new_session)
        clock_left = new_session.clocks()[0]
        assert clock_left is not None
        assert 64.0 - 10.0 - 1.0 < clock_left <= 64.0 - 10.0 + 2.0, "two increments, and the time of this turn"


def test_a_paused_session_refuses_moves_until_it_continues() -> None:
    new_session = session("ann", "bo")
    new_session.set_human_clocks(TimeControl(None, 60.0))
    new_session.pause("The teacher has paused the games.")
    assert not new_session.needs_referee
    for refused_action in (lambda: new_session.play("ann", "d4"), lambda: new_session.take_back("ann")):
        with pytest.raises(ActionRefused, match="The teacher has paused the games"):
            refused_action()
    restored = session_from_json(json.loads(json.dumps(session_json(new_session))))
    restored.turn_started_at -= 1000.0
    restored.pause("Lunch.")
    restored.resume()
    restored.play("ann", "d4")
    first = restored.clocks()[0]
    assert first is not None
    assert first > 50.0, "the clock stood still"


def test_a_declined_request_is_known_to_its_player_until_the_next_move() -> None:
    new_session = session("ann", "bo")
    new_session.play("ann", "d4")
    new_session.take_back("ann")
    new_session.answer_undo("bo", agree=False)
    assert new_session.undo_declined_for == "ann"
    new_session.play("bo", "d5")
    assert new_session.undo_declined_for == ""
