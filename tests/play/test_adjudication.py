"""Adjudication ends a game early only where the tournament sets it; an outcome by the rules comes first."""

from __future__ import annotations

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ended, Event, GameSetup, Moved, PlayerLeft, Ply
from gomogo_core.play.game_loop import play_game
from gomogo_core.play.player import Reply
from tests.play.test_game_loop import ScriptedPlayer, play

MOVES = ("a1", "b1", "c1"), ("a2", "b2")  # the first player has three in a row with the fifth move


def capped(max_moves: int) -> tuple[Outcome, list[Event]]:
    first, second = MOVES
    return play([ScriptedPlayer("a", *first), ScriptedPlayer("b", *second)], adjudication=Adjudication(moves=max_moves))


def test_a_game_is_drawn_at_the_move_cap() -> None:
    outcome, events = capped(4)
    assert outcome == Outcome.draw(Reason.MOVE_CAP, "adjudicated at the tournament's move cap")
    assert [event.move for event in events if isinstance(event, Moved)] == ["a1", "a2", "b1", "b2"]
    assert isinstance(events[-1], Ended)


@pytest.mark.parametrize("max_moves", [5, 6, 1000])
def test_a_win_with_the_last_move_counts(max_moves: int) -> None:
    outcome, _ = capped(max_moves)
    assert (outcome.winner, outcome.reason) == (1, Reason.LINE)


def test_moves_of_the_opening_count() -> None:
    table = GameSetup(load("gomoku", size=5), ("a", "b"), (TimeControl(),) * 2, (Ply(1, "a1"), Ply(2, "a2")))
    players = [ScriptedPlayer("a", "b1", "c1"), ScriptedPlayer("b", "b2")]
    outcome = play_game(table, players, adjudication=Adjudication(moves=3))
    assert outcome == Outcome.draw(Reason.MOVE_CAP, "adjudicated at the tournament's move cap")
    assert len(players[1].turns) == 0


def test_a_player_that_left_a_game_of_three_comes_last_after_adjudication() -> None:
    game = load("dots_and_boxes", players=3)
    players = [ScriptedPlayer("a", "resign"), ScriptedPlayer("b", "h0", "h1"), ScriptedPlayer("c", "h2")]
    outcome, events = play(players, game, adjudication=Adjudication(moves=3))
    assert any(isinstance(event, PlayerLeft) for event in events)
    assert (outcome.ranks, outcome.reason) == ((3, 1, 1), Reason.MOVE_CAP)


def test_an_adjudicator_needs_conditions() -> None:
    assert Adjudication().adjudicator(2) is None
    assert Adjudication().as_dict() == {}
    assert Adjudication(moves=9).as_dict() == {"moves": 9}


def judged(*scores: float | None, least_score: float = 100.0, agree: int = 2) -> list[Outcome | None]:
    """The outcomes after each move, for scores that the two players report in turn."""
    adjudicator = Adjudication(score=least_score, agree=agree).adjudicator(2)
    assert adjudicator is not None
    return [adjudicator.adjudicate(number % 2 + 1, number + 1, score) for number, score in enumerate(scores)]


def test_a_game_ends_when_both_players_agree_on_the_winner() -> None:
    *before, last_judgement = judged(150, -200, 100, -100)
    assert before == [None] * 3
    assert last_judgement == Outcome.won_by(1, Reason.AGREEMENT, "both players agreed for 2 moves")
    assert judged(-150, 200, -100, 100)[-1] == Outcome.won_by(2, Reason.AGREEMENT, "both players agreed for 2 moves")


@pytest.mark.parametrize(
    "scores",
    [
        (150, -200, 99, -100, 150, -100),  # one report is below the threshold
        (150, 200, 150, 200, 150, 200),  # both players claim the win
        (150, None, 150, None, 150, None),  # one player reports no score
        (150, -200, None, -200, 150, -200),  # not in a row
        (-150, 200, 150, 200, -150, 200),  # the first player changes its claim
    ],
)
def test_a_game_continues_while_the_players_disagree(scores: tuple[float | None, ...]) -> None:
    assert judged(*scores) == [None] * len(scores)


def test_the_conditions_are_listed_completely() -> None:
    assert Adjudication(score=50.0).as_dict() == {"score": 50.0, "agree": 4}


def test_scores_come_from_the_players() -> None:
    first = ScriptedPlayer("a", *(Reply(move, 0.0, score=500.0) for move in ("a1", "b1", "d1", "e1")))
    second = ScriptedPlayer("b", *(Reply(move, 0.0, score=-500.0) for move in ("a2", "b2", "d2", "e2")))
    outcome, events = play([first, second], adjudication=Adjudication(score=400.0, agree=2))
    assert (outcome.winner, outcome.reason) == (1, Reason.AGREEMENT)
    assert sum(isinstance(event, Moved) for event in events) == 4
