"""Go against an independent judge: OpenSpiel plays the same random games, move by move.

Knows how OpenSpiel plays: simple ko, no suicide, area scores; the game is a draw when a stone brings back an earlier
board, which our positional superko calls illegal instead; points count from the bottom row, N² is a pass.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from gomogo_core.games.base import Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.rules import GoFamilyPosition
from tests.games._stones import final_outcome, load_stones_game, position_after, random_move

pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed here: make test installs it")

SIGNS = str.maketrans("+XO", ".xo")


def openspiel_state(size: int, komi: float, max_moves: int, actions: list[int]) -> Any:
    """Return OpenSpiel's state after these actions."""
    state = pyspiel.load_game(
        "go", {"board_size": size, "komi": komi, "max_game_length": max_moves}
    ).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def openspiel_action(move: Move, size: int) -> int:
    """Return OpenSpiel's number of a move."""
    return (size - move.row) * size + move.column - 1 if isinstance(move, Point) else size * size


def openspiel_rows(state: Any) -> tuple[str, ...]:
    """Return the board of its picture, which has a heading and the letters below."""
    return tuple(line.split()[1].translate(SIGNS) for line in str(state).splitlines()[2:-1])


def play_both(size: int, games: int, seed: int) -> Counter[str]:
    """Play random games through both, and compare moves, boards, turns, ends and scores. Returns the ends of the
    games.
    """
    draw = random.Random(seed)
    ends: Counter[str] = Counter()
    for _ in range(games):
        max_moves = draw.choice((size * size // 2, 3 * size * size))
        state = openspiel_state(size, 0.0, max_moves, [])
        simple = load_stones_game("go", size=size, max_moves=max_moves).start()
        positional = load_stones_game("go", size=size, max_moves=max_moves, ko="positional").start()
        actions: list[int] = []
        while not state.is_terminal():
            assert simple.outcome() is None
            assert openspiel_rows(state) == simple.rows() == positional.rows()
            assert state.current_player() + 1 == simple.to_move
            moves = list(simple.moves())
            assert sorted(openspiel_action(move, size) for move in moves) == state.legal_actions()
            returning = set(moves) - set(positional.moves())
            for move in returning:
                assert state.child(openspiel_action(move, size)).is_terminal()
            move = random_move(simple, draw)
            actions.append(openspiel_action(move, size))
            state.apply_action(actions[-1])
            if move in returning:
                assert state.returns() == [0.0, 0.0]
                ends["repeated"] += 1
                break
            simple, positional = simple.play(move), positional.play(move)
        else:
            assert openspiel_rows(state) == simple.rows() == positional.rows()
            assert final_outcome(simple) == final_outcome(positional)
            compare_score(simple, actions)
            ends[final_outcome(simple).reason.value] += 1
    return ends


def compare_score(position: GoFamilyPosition, actions: list[int]) -> None:
    """OpenSpiel reports only the winner: a draw if komi equals our margin, and a winner with half a point more or
    less.
    """
    game, scores = position.game, final_outcome(position).scores
    assert scores is not None
    margin = scores[0] - scores[1]
    for komi, winner in ((margin - 0.5, 1.0), (margin, 0.0), (margin + 0.5, -1.0)):
        assert openspiel_state(game.cols, komi, game.max_moves or 0, actions).returns() == [winner, -winner]


@pytest.mark.parametrize(("size", "games"), [(2, 200), (3, 200), (5, 60), (9, 10)])
def test_openspiel_agrees_on_moves_boards_turns_repetitions_and_scores(size: int, games: int) -> None:
    ends = play_both(size, games, seed=size)
    assert ends["move_cap"] > 0
    assert sum(ends.values()) == games


@pytest.mark.long
@pytest.mark.parametrize("size", [5, 9])
def test_openspiel_agrees_in_2000_games(size: int) -> None:
    ends = play_both(size, 2000, seed=7)
    assert sum(ends.values()) == 2000
    assert min(ends["score"], ends["move_cap"], ends["repeated"]) > 0


def test_openspiel_agrees_on_komi() -> None:
    """Its komi is white's, as ours is."""
    assert final_outcome(position_after("go", "c3 pass pass", size=5, komi=24.5)).winner == 1
    assert openspiel_state(5, 24.5, 75, [12, 25, 25]).returns() == [1.0, -1.0]
    assert openspiel_state(5, 25.5, 75, [12, 25, 25]).returns() == [-1.0, 1.0]


def test_the_comparison_detects_a_different_board() -> None:
    assert openspiel_rows(openspiel_state(3, 0.0, 9, [0, 4])) == ("...", ".o.", "x..")
