"""The features of moves in Go agree with the rules on captures, rescues and ataris, and are equal under symmetries and
colours.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from gomogo_core.engines import compiling
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import Go, GoPosition
from gomogo_core.games.stones.rules import PASS

engine_module = compiling.load("gomogo_core.engines.go")

from gomogo_core.engines.go import array_layout, board, move_features  # noqa: E402  (after the cache is set)
from gomogo_core.engines.go.engine import GoEngine  # noqa: E402
from training import go_priors  # noqa: E402

SIZES = (2, 5, 9)


def positions(count: int, seed: int) -> Iterator[tuple[GoEngine, GoPosition, list[int]]]:
    """Yield engines and their equal positions within random games, with the cells of the moves so far."""
    for number in range(count):
        rng = random.Random(f"{seed}:{number}")
        game = Go(size=rng.choice(SIZES))
        position, engine, cells = game.start(), GoEngine(game, memory_mb=1), list[int]()
        engine.set_position(position)
        for _ in range(rng.randint(0, 2 * game.rows * game.rows)):
            if position.outcome() is not None:
                break
            move = rng.choice(list(position.moves()))
            cells.append(array_layout.PASS if move is PASS else engine.cell_at_point(move))
            board.play(engine.state, cells[-1])
            position = position.play(move)
        if position.outcome() is None:
            assert isinstance(position, GoPosition)
            yield engine, position, cells


def found_in(engine: GoEngine, cell: int) -> set[int]:
    count = move_features.write_features(engine.state, cell)
    assert count <= move_features.MAX_FEATURES_PER_MOVE
    numbers = engine.state[array_layout.CANDIDATES_START : array_layout.CANDIDATES_START + count].tolist()
    assert all(0 <= number < move_features.FEATURE_COUNT for number in numbers)
    return set(numbers)


def _is_beside(first_cell: Point, other: Point) -> bool:
    return abs(first_cell.column - other.column) + abs(first_cell.row - other.row) == 1


def liberties_of(position: GoPosition, point: Point) -> int:
    """The number of liberties of the chain on a point."""
    place = position.game.bit_geometry.points.index(point)
    _, liberties, _ = next(
        chain
        for chain in position.board.chains_of(position.board.black_mask | position.board.white_mask)
        if chain[0] >> place & 1
    )
    return liberties.bit_count()


def test_features_of_captures_rescues_and_ataris_agree_with_the_rules() -> None:
    kinds = {"CAPTURE_FEATURES": 3, "RESCUE_FEATURES": 3, "LOST": 1, "SELF_ATARI_FEATURES": 3, "ATARI_FEATURES": 3}
    seen_counts = dict.fromkeys(kinds, 0)
    for engine, position, _ in positions(300, 1):
        mover = position.to_move
        for point in (move for move in position.moves() if isinstance(move, Point)):
            after = position.play(point)
            assert isinstance(after, GoPosition)
            numbers = found_in(engine, engine.cell_at_point(point))
            captured = after.captures[mover - 1] - position.captures[mover - 1]
            liberties_left = liberties_of(after, point)
            neighbours = [near for near in position.game.board.points if position.at(near) and _is_beside(near, point)]
            own = [near for near in neighbours if position.at(near) == mover]
            other_neighbours = [near for near in neighbours if position.at(near) == 3 - mover and after.at(near)]
            has = {
                name: [n for n in numbers if 0 <= n - getattr(move_features, name) < 3]
                for name in seen_counts
                if name != "LOST"
            }
            has["LOST"] = [n for n in numbers if n == move_features.FAILED_RESCUE_FEATURE]
            assert bool(has["CAPTURE_FEATURES"]) == (captured > 0), position.diagram()
            is_in_atari = any(liberties_of(position, near) == 1 for near in own)
            safe = captured > 0 or liberties_left > 1
            assert bool(has["RESCUE_FEATURES"]) == (is_in_atari and safe), (position.diagram(), point)
            assert bool(has["LOST"]) == (is_in_atari and not safe), (position.diagram(), point)
            assert bool(has["SELF_ATARI_FEATURES"]) == (not safe), (position.diagram(), point)
            threatened = [near for near in other_neighbours if liberties_of(after, near) == 1]
            if not captured:
                assert bool(has["ATARI_FEATURES"]) == bool(threatened), (position.diagram(), point)
            for name, hits in has.items():
                seen_counts[name] += bool(hits)
    assert min(seen_counts.values()) > 30, seen_counts


def test_ranks_are_equal_under_symmetry_and_for_both_colours() -> None:
    weights = move_features.weights()
    assert (weights.shape, weights.dtype) == ((move_features.FEATURE_COUNT,), np.int16)
    checked = 0
    for engine, position, cells in positions(60, 2):
        game = position.game
        assert isinstance(game, Go)
        for turn in game.symmetries():
            turned = GoEngine(game, memory_mb=1)
            turned.set_position(game.start())
            images = {array_layout.PASS: array_layout.PASS} | {
                engine.cell_at_point(point): engine.cell_at_point(turn(point)) for point in game.board.points
            }
            for cell in cells:
                board.play(turned.state, images[cell])
            swapped = GoEngine(game, memory_mb=1)
            swapped.set_position(game.start())
            swapped.state[array_layout.TURN] = 2
            for cell in cells:
                board.play(swapped.state, cell)
            for move in position.moves():
                cell = array_layout.PASS if move is PASS else engine.cell_at_point(move)
                rank = move_features.move_rank(engine.state, cell, weights)
                assert move_features.move_rank(turned.state, images[cell], weights) == rank
                assert move_features.move_rank(swapped.state, cell, weights) == rank
                checked += 1
    assert checked > 1000


def test_shipped_ranks_prefer_captures_and_avoid_the_first_line() -> None:
    weights = move_features.weights()
    capture, line = move_features.CAPTURE_FEATURES, move_features.LINE_FEATURES
    assert 0 < weights[capture] < weights[capture + 2]
    assert weights[line + 5] < weights[line + 7] > 0  # on an empty part of the board: the first and the third line


@pytest.mark.long
def test_the_fit_recovers_the_preferences_of_its_games() -> None:
    records = list(islice(go_priors.self_play_games(engine_module, 3, 60, 0), 30))
    assert records[0] == next(go_priors.self_play_games(engine_module, 3, 60, 0))
    examples = go_priors.move_examples(engine_module, records)
    assert examples.is_held_out.any()
    assert not examples.is_held_out.all()
    weights, among = go_priors.fit_weights(examples, 1)
    assert among[3] > 0.4 > among[0]
    assert weights[move_features.CAPTURE_FEATURES + 2] > 0
    assert weights.shape == (move_features.FEATURE_COUNT,)
