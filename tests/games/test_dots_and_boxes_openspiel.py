"""Dots and Boxes against an independent judge: OpenSpiel plays the same random games, move by move.

Knows how OpenSpiel numbers edges (as we do) and draws owners; its source is no part of this project.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition

pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed here: make test installs it")

SIZES = ((2, 2), (3, 3), (5, 5))


def openspiel_owners(state: Any, rows: int, cols: int) -> list[int]:
    """Return the owner of each box in OpenSpiel's picture of the board."""
    lines = str(state).splitlines()
    signs = (lines[2 * row + 1][4 * col + 2] for row in range(rows) for col in range(cols))
    return [0 if sign == " " else int(sign) for sign in signs]


def compare_random_games(rows: int, cols: int, games: int, seed: int) -> int:
    """Play `games` random games through both, and compare everything after every move. Returns the moves."""
    their_game = pyspiel.load_game("dots_and_boxes", {"num_rows": rows, "num_cols": cols, "utility_margin": True})
    game = load("dots_and_boxes", rows=rows, cols=cols)
    draw = random.Random(seed)
    played = 0
    for _ in range(games):
        state, position = their_game.new_initial_state(), game.start()
        while True:
            assert isinstance(position, DotsAndBoxesPosition)
            moves: list[Move] = list(position.moves())
            edges = [position.game.board.index_of[move] for move in moves]  # type: ignore[index]
            board = "".join(str(position.drawn >> bit & 1) for bit in range(len(position.game.edges)))
            assert edges == state.legal_actions()
            assert board == state.dbn_string()
            assert list(position.owners) == openspiel_owners(state, rows, cols)
            assert (position.outcome() is not None) == state.is_terminal()
            if state.is_terminal():
                break
            assert position.to_move == state.current_player() + 1
            number = draw.randrange(len(moves))
            state.apply_action(edges[number])
            position = position.play(moves[number])
            played += 1
        margin = position.scores[0] - position.scores[1]
        assert state.returns() == [margin, -margin]
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.ranks == ((1, 1) if margin == 0 else (1, 2) if margin > 0 else (2, 1))
    return played


@pytest.mark.parametrize(("rows", "cols"), [*SIZES, (1, 4), (4, 2)])
def test_openspiel_agrees_on_moves_boards_owners_turns_and_results(rows: int, cols: int) -> None:
    edges = (rows + 1) * cols + rows * (cols + 1)
    assert compare_random_games(rows, cols, 40, seed=rows * 100 + cols) == 40 * edges


@pytest.mark.long
@pytest.mark.parametrize(("rows", "cols"), SIZES)
def test_openspiel_agrees_in_2000_games(rows: int, cols: int) -> None:
    edges = (rows + 1) * cols + rows * (cols + 1)
    assert compare_random_games(rows, cols, 2000, seed=7) == 2000 * edges


def test_the_comparison_detects_a_different_board() -> None:
    their_game = pyspiel.load_game("dots_and_boxes", {"num_rows": 2, "num_cols": 2})
    state = their_game.new_initial_state()
    for action in (0, 2, 6, 7):
        state.apply_action(action)
    assert openspiel_owners(state, 2, 2) == [2, 0, 0, 0]
    assert state.dbn_string() == "101000110000"
