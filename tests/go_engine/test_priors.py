"""The scores of moves in Robogo: rows come first, and symmetry and colours change nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gomogo_core.engines import compiling
from gomogo_core.games.boards.points import Point
from gomogo_core.games.robogo import Robogo, RobogoPosition
from gomogo_core.games.stones.rules import PASS

compiling.load("gomogo_core.engines.go")

from gomogo_core.engines.go import array_layout, board, priors  # noqa: E402  (after the cache is set)
from gomogo_core.engines.go.engine import GoEngine  # noqa: E402


def positions(count: int, seed: int) -> Iterator[tuple[GoEngine, RobogoPosition]]:
    """Yield engines and their equal positions within random games on 7 × 7, half of them with diagonal rows."""
    for number in range(count):
        rng = random.Random(f"{seed}:{number}")
        game = Robogo(size=7, line=4, diagonals=number % 2 > 0)
        position = game.start()
        for _ in range(rng.randint(8, 24)):
            if position.outcome() is None:
                position = position.play(rng.choice([move for move in position.moves() if move is not PASS]))
        if position.outcome() is None:
            assert isinstance(position, RobogoPosition)
            engine = GoEngine(game, memory_mb=1)
            engine.set_position(position)
            yield engine, position


def scores(engine: GoEngine, position: RobogoPosition) -> dict[Point, int]:
    """The score of each point where the mover may play."""
    points = [move for move in position.moves() if isinstance(move, Point)]
    return {point: priors.robogo_score(engine.state, engine.cell_at_point(point)) for point in points}


def test_the_best_score_completes_a_row_or_else_stops_one() -> None:
    completed = stopped = 0
    for engine, position in positions(600, 1):
        point_scores = scores(engine, position)
        best_point = max(point_scores, key=point_scores.__getitem__)
        mover = position.to_move
        wins = {move for move in point_scores if board.makes_row(engine.state, engine.cell_at_point(move), mover)}
        losses = {move for move in point_scores if board.makes_row(engine.state, engine.cell_at_point(move), 3 - mover)}
        if wins:
            assert best_point in wins, position.diagram()
            completed += 1
        elif losses:
            assert best_point in losses, position.diagram()
            stopped += 1
    assert min(completed, stopped) > 20, (completed, stopped)


def test_scores_are_equal_under_symmetry_and_for_both_colours() -> None:
    for engine, position in positions(30, 2):
        game = position.game
        point_scores = scores(engine, position)
        for turn in game.symmetries():
            turned = GoEngine(game, memory_mb=1)
            board.reset(turned.state)
            for point in game.board.points:
                if colour := position.at(point):  # with the colours exchanged
                    board._place_stone(turned.state, turned.cell_at_point(turn(point)), 3 - colour)
            turned.state[array_layout.TURN] = 3 - position.to_move
            for point, score in point_scores.items():
                assert priors.robogo_score(turned.state, turned.cell_at_point(turn(point))) == score


def test_a_pass_has_the_lowest_score() -> None:
    for engine, position in positions(30, 3):
        assert priors.robogo_score(engine.state, array_layout.PASS) <= min(scores(engine, position).values())
