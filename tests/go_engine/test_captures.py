"""Forced wins agree with a plain search of the rules, and claims of a result in Capture Go with the solver."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from gomogo_core import games
from gomogo_core.engines import compiling, stop_flag
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition

engine_module: Any = compiling.load("gomogo_core.engines.go")
solver_module: Any = compiling.load("gomogo_core.engines.capture_go")

from gomogo_core.engines.go import board, forced_wins  # noqa: E402  (after the cache is set)

LADDER = "c4 d4 d3 h2 c5 i2"  # then e4 and the ataris after it capture d4, up to the edge


def position_after(name: str, moves: str, **options: Any) -> GoFamilyPosition:
    position = games.load(name, **options).replay(moves.split())
    assert isinstance(position, GoFamilyPosition)
    return position


def completes(position: Any, move: Any) -> bool:
    outcome = position.play(move).outcome()
    return outcome is not None and outcome.winner == position.to_move


def wins_by_threats(position: Any, depth: int) -> bool:
    """Return whether the mover completes a row by threats, in at most `depth` of them; tries every answer."""
    moves = list(position.moves())
    if any(completes(position, move) for move in moves):
        return True
    for move in moves if depth else ():
        after = position.play(move)
        if move is PASS or after.outcome() is not None or any(completes(after, answer) for answer in after.moves()):
            continue
        threat = after.play(PASS)
        if any(completes(threat, second_move) for second_move in threat.moves()) and all(
            wins_by_threats(after.play(answer), depth - 1) for answer in after.moves()
        ):
            return True
    return False


def random_positions(size: int, count: int) -> Iterator[GoFamilyPosition]:
    """Yield positions without a result, with as many moves as fit before the first capture."""
    rng, game = random.Random(size), games.load("capture_go", size=size)
    while count:
        position = game.start()
        for _ in range(rng.randint(4, size * size - 4)):
            safe = [move for move in position.moves() if move is not PASS and not atari_after(position, move)]
            after = position.play(rng.choice(safe)) if safe else position
            if not safe or after.outcome() is not None:
                break
            position = after
        count -= 1
        assert isinstance(position, GoFamilyPosition)
        yield position


def atari_after(position: Any, move: Any) -> bool:
    """Return whether the opponent could capture after this move."""
    after = position.play(move)
    return after.outcome() is None and any(captures(after, answer) for answer in after.moves())


def captures(position: Any, move: Any) -> bool:
    outcome = position.play(move).outcome()
    return outcome is not None and outcome.winner == position.to_move


def wins_by_ataris(position: Any, depth: int) -> bool:
    """Return whether the mover captures by ataris, in at most `depth` of them; tries every answer."""
    moves = list(position.moves())
    if any(captures(position, move) for move in moves):
        return True
    if depth == 0:
        return False
    for move in moves:
        if move is PASS:
            continue
        after = position.play(move)
        if any(captures(after, answer) for answer in after.moves()):
            continue
        if any(captures(after.play(PASS), second_move) for second_move in after.play(PASS).moves()) and all(
            wins_by_ataris(after.play(answer), depth - 1) for answer in after.moves()
        ):
            return True
    return False


def test_a_ladder_is_read_to_the_edge() -> None:
    position = position_after("capture_go", LADDER, size=9)
    capture = engine_module.GoEngine(position.game, memory_mb=8).find_alpha_beta_move(position, depth=1)
    assert capture is not None
    assert (position.game.format(capture.move), capture.win_share) == ("e4", 1.0)


def test_a_broken_ladder_is_not_a_win() -> None:
    position = position_after("capture_go", LADDER.replace("h2", "g7"), size=9)
    capture = engine_module.GoEngine(position.game, memory_mb=8).find_alpha_beta_move(position, depth=2)
    assert capture is not None
    assert capture.win_share < 1


def test_the_share_does_not_depend_on_who_moves_last() -> None:
    position = position_after("capture_go", "e5 e6 d6 f5 d5 f6 c3 g3", size=9)
    engine = engine_module.GoEngine(position.game, memory_mb=1)
    shares = [capture.win_share for capture in engine.stream_alpha_beta_moves(position, depth=5, forget=True)]
    assert len(shares) == 5
    assert all(abs(share - other) < 0.1 for share, other in pairwise(shares[1:]))


def test_without_time_a_position_is_not_taken_for_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def set_flag_at_once(_: object, state: Any, flag: int) -> Iterator[None]:
        state[flag] = 1
        yield

    monkeypatch.setattr(stop_flag, "set_flag_at", set_flag_at_once)
    position = games.load("capture_go", size=9).start()
    capture = engine_module.GoEngine(position.game, memory_mb=1).find_alpha_beta_move(position)
    assert capture is not None
    assert (capture.depth, capture.win_share) == (0, 0.5)


@pytest.mark.slow
def test_atari_sequences_agree_with_the_rules() -> None:
    boards, memory, result_counts = (
        forced_wins.new_board_stack(),
        np.zeros(forced_wins.FORCED_WIN_MEMORY_SIZE, np.int32),
        set(),
    )
    engine = engine_module.GoEngine(games.load("capture_go", size=5), memory_mb=1)
    for position in random_positions(5, 60):
        engine.set_position(position)
        expected = wins_by_ataris(position, 3)
        board.copy_board(engine.state, boards[0])
        is_win = bool(forced_wins.has_forced_win(boards, 0, memory, 10_000))
        assert is_win or not expected
        if is_win and not expected:  # a longer sequence
            assert wins_by_ataris(position, 7)
        result_counts.add(is_win)
    assert result_counts == {True, False}


@pytest.mark.slow
def test_sequences_of_threats_win_against_every_answer() -> None:
    boards, memory, wins = forced_wins.new_board_stack(), np.zeros(forced_wins.FORCED_WIN_MEMORY_SIZE, np.int32), 0
    game, rng = games.load("robogo", size=6), random.Random(3)
    engine = engine_module.GoEngine(game, memory_mb=1)
    for _ in range(150):
        position: Any = game.start()
        for _ in range(rng.randint(6, 14)):
            after = position.play(rng.choice([move for move in position.moves() if move is not PASS]))
            position = position if after.outcome() is not None else after
        engine.set_position(position)
        board.copy_board(engine.state, boards[0])
        if forced_wins.has_forced_win(boards, 0, memory, 10_000):
            first = engine.move_of(int(memory[forced_wins.WINNING_MOVE]))
            assert position.why_illegal(first) is None
            assert wins_by_threats(position, 3)
            wins += not completes(position, first)
    assert wins > 5


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 3, 5])
def test_certain_results_agree_with_the_solver(depth: int) -> None:
    game, claims = games.load("capture_go", size=5), 0
    engine, solver = engine_module.GoEngine(game, memory_mb=8), solver_module.CaptureGoSolver(game)
    for position in random_positions(5, 60):
        capture = engine.find_alpha_beta_move(position, depth=depth)
        assert capture is not None
        if capture.win_share in (0.0, 1.0):
            claims += 1
            winner = position.to_move if capture.win_share else 3 - position.to_move
            assert solver.solve(position, time.monotonic() + 60).winner == winner
    assert claims > 10


def test_other_games_have_no_search_for_captures() -> None:
    for name, options in (("go", {}), ("robogo", {}), ("capture_go", {"target": 2})):
        game = games.load(name, size=5, **options)
        assert engine_module.GoEngine(game, memory_mb=1).find_alpha_beta_move(game.start(), depth=1) is None
