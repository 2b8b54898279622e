"""A game is ended though its rules let it go on, when that is asked for; what the rules say comes first."""

from __future__ import annotations

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ended, Event, Left, Moved, Ply, Table
from gomogo_core.play.game_loop import play_game
from tests.play.test_game_loop import Scripted, play

MOVES = ("a1", "b1", "c1"), ("a2", "b2")  # the first player has three in a row with the fifth move


def capped(most: int) -> tuple[Outcome, list[Event]]:
    first, second = MOVES
    return play([Scripted("a", *first), Scripted("b", *second)], adjudication=Adjudication(moves=most))


def test_after_so_many_moves_a_game_is_drawn() -> None:
    outcome, events = capped(4)
    assert outcome == Outcome.tie(Reason.MOVE_CAP, "adjudicated at the tournament's move cap")
    assert [event.move for event in events if isinstance(event, Moved)] == ["a1", "a2", "b1", "b2"]
    assert isinstance(events[-1], Ended)


@pytest.mark.parametrize("most", [5, 6, 1000])
def test_who_wins_with_the_last_move_has_won(most: int) -> None:
    outcome, _ = capped(most)
    assert (outcome.winner, outcome.reason) == (1, Reason.FIVE)


def test_moves_of_the_opening_count() -> None:
    table = Table(load("gomoku", size=5), ("a", "b"), (TimeControl(),) * 2, (Ply(1, "a1"), Ply(2, "a2")))
    players = [Scripted("a", "b1", "c1"), Scripted("b", "b2")]
    outcome = play_game(table, players, adjudication=Adjudication(moves=3))
    assert outcome == Outcome.tie(Reason.MOVE_CAP, "adjudicated at the tournament's move cap")
    assert len(players[1].turns) == 0


def test_who_left_three_players_comes_last_all_the_same() -> None:
    game = load("dots_and_boxes", players=3)
    players = [Scripted("a", "resign"), Scripted("b", "h0", "h1"), Scripted("c", "h2")]
    outcome, events = play(players, game, adjudication=Adjudication(moves=3))
    assert any(isinstance(event, Left) for event in events)
    assert (outcome.ranks, outcome.reason) == ((3, 1, 1), Reason.MOVE_CAP)


def test_nobody_judges_where_nothing_is_asked() -> None:
    assert Adjudication().judge(2) is None
    assert Adjudication().given() == {}
    assert Adjudication(moves=9).given() == {"moves": 9}
