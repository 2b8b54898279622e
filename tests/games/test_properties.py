"""The checks of every game pass with any options, and no move of another game is legal.

Knows no rule of its own.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomogo_core import games
from gomogo_core.conformance.game_checks import CHECKS, GameCheck, RandomGames
from gomogo_core.games.base import IllegalMove
from tests.games._kinds import possible_and_impossible_moves, random_games, random_rules

bounded = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
every_game = pytest.mark.parametrize("name", games.names())


@every_game
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
@bounded
@given(st.data())
def test_a_game_passes_its_checks_with_any_options(name: str, check: GameCheck, data: st.DataObject) -> None:
    check.run(RandomGames(data.draw(random_rules(name)), 1, data.draw(st.integers(0, 2**16))))


@every_game
@bounded
@given(st.data())
def test_only_listed_moves_are_legal_among_the_moves_of_all_games(name: str, data: st.DataObject) -> None:
    position = data.draw(random_games(name)).position
    moves = list(position.moves())
    before = position.key(), position.diagram(), position.outcome(), moves
    legal = [move for move in possible_and_impossible_moves(position.game) if position.why_illegal(move) is None]
    assert {(type(move), move) for move in legal} == {(type(move), move) for move in moves}
    for move in possible_and_impossible_moves(position.game):
        if problem := position.why_illegal(move):
            with pytest.raises(IllegalMove) as caught:
                position.play(move)
            assert caught.value.why == problem
    assert (position.key(), position.diagram(), position.outcome(), list(position.moves())) == before
