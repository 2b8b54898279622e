"""Properties of every position of Gomoku; tests/games/test_properties has those of every game."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings

from gomogo_core.games.gomoku import Gomoku, GomokuPosition, Phase
from tests.games._kinds import RandomGame, random_games

bounded = settings(
    max_examples=80, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


@bounded
@given(random_games("gomoku") | random_games("gomoku", renju=True, line=5, exact=False))
def test_exactly_the_moves_that_lose_by_a_rule_have_a_warning(game: RandomGame) -> None:
    position = game.position
    assert isinstance(position, GomokuPosition)
    warned = {move for move in position.moves() if position.warning(move)}
    losing = set()
    for move in position.moves():
        outcome = position.play(move).outcome()
        if outcome is not None and outcome.winner not in (None, position.to_move):
            losing.add(move)
    assert warned == set(position.forbidden_points())
    assert warned == (losing if position.phase is Phase.PLAY else set())


@bounded
@given(random_games("gomoku"))
def test_different_moves_give_different_positions_without_repetition(game: RandomGame) -> None:
    position = game.position.game.start()
    seen_keys = {position.key()}
    for number, move in enumerate(game.moves, 2):
        position = position.play(move)
        seen_keys.add(position.key())
        assert len(seen_keys) == number
    moves = list(position.moves())
    assert len({position.play(move).key() for move in moves} - seen_keys) == len(moves)


def test_incremental_rows_agree_with_the_board() -> None:
    game = Gomoku(size=7, opening="swap2")
    draw = random.Random(5)
    position = game.start()
    assert position.rows()
    while position.outcome() is None:
        position = position.play(draw.choice(list(position.moves())))
        assert position.rows() == game.from_diagram(position.diagram()).rows()
        assert "".join(position.rows()).count("x") == sum(cell == 1 for cell in position.cells)
