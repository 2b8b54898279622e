"""The compiled board of stones agrees with the rules of gomogo_core.games: stones, moves, captures, ko, results."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core import games
from gomogo_core.engines import compiling
from gomogo_core.games.base import Move
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.rules import PASS, GoFamilyGame, GoFamilyPosition

engine_module = compiling.load("gomogo_core.engines.go")

from gomogo_core.engines.go import array_layout, board  # noqa: E402  (after the cache is set)
from gomogo_core.engines.go.engine import GoEngine  # noqa: E402

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("go", {"size": 4}),
    ("go", {"size": 9, "komi": 7.5}),
    ("go", {"rows": 3, "cols": 7, "suicide": True}),
    ("go", {"size": 4, "ko": "positional", "scoring": "territory"}),
    ("go", {"size": 3, "ko": "situational", "scoring": "stone", "suicide": True}),
    ("go", {"size": 19}),
    ("capture_go", {"size": 5}),
    ("capture_go", {"size": 5, "target": 6, "suicide": True}),
    ("capture_go", {"size": 9, "target": 3}),
    ("robogo", {"size": 5}),
    ("robogo", {"size": 9}),
    ("robogo", {"rows": 4, "cols": 6, "diagonals": True, "ko": "simple"}),
    ("robogo", {"size": 5, "captures": False, "passing": False}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=lambda value: str(value))
def test_the_compiled_board_agrees_with_the_rules_in_random_games(name: str, options: dict[str, Any]) -> None:
    game = games.load(name, **options)
    assert isinstance(game, GoFamilyGame)
    walking, fresh = GoEngine(game, memory_mb=1), GoEngine(game, memory_mb=1)
    checked = 0
    for number in range(2 if game.rows > 9 else 12):
        rng, position = random.Random(f"{name} {options} {number}"), game.start()
        walking.set_position(position)
        while position.outcome() is None and position.moves_played < 150:
            fresh.set_position(position)
            for engine in (walking, fresh):
                assert_engine_agrees(engine, position)
            checked += 1
            stones = [move for move in position.moves() if move is not PASS]
            move = rng.choice(stones) if stones and rng.random() < 0.97 else next(iter(position.moves()), PASS)
            if PASS in position.moves() and (not stones or rng.random() < 0.03):
                move = PASS
            board.play(walking.state, array_layout.PASS if move is PASS else walking.cell_at_point(move))
            position = position.play(move)
            walking._set_earlier_hashes(position)
        outcome = position.outcome()
        if outcome is not None and outcome.reason.value != "no_move":
            result = board.game_result(walking.state)
            assert result == (1 if outcome.winner is None else 2 if outcome.winner == 1 else 0), position.diagram()
    assert checked > 50


def legal_points(engine: GoEngine) -> set[Move]:
    """Return the points where the player to move may place a stone, by the rules of the compiled board."""
    state, after = engine.state, engine.playout_board
    earlier_hashes = engine.earlier_hashes[1 : 1 + engine.earlier_hashes[0]] if engine.game.has_superko else ()
    points = set()
    empty_cells = state[
        array_layout.EMPTY_CELLS_START : array_layout.EMPTY_CELLS_START + state[array_layout.EMPTY_COUNT]
    ]
    for cell in empty_cells.tolist():
        if board.is_legal(state, cell):
            board.copy_board(state, after)
            board.play(after, cell)
            if board.board_hash(after) not in earlier_hashes:
                points.add(engine.move_of(cell))
    return points


def assert_engine_agrees(engine: GoEngine, position: GoFamilyPosition) -> None:
    s, game = engine.state, position.game
    for point in game.board.points:
        assert s[engine.cell_at_point(point)] == (position.at(point) or 0), position.diagram()
    assert tuple(s[array_layout.CAPTURE_COUNTS_START + 1 : array_layout.CAPTURE_COUNTS_START + 3]) == position.captures
    assert board.game_result(s) == board.UNDECIDED
    legal = {move for move in position.moves() if move is not PASS}
    assert legal_points(engine) == legal, position.diagram()
    if isinstance(position, GoPosition):
        black, white = position.scores()
        assert board.doubled_lead(s) == round(2 * (black - white)), position.diagram()
    if game.captures:
        for stones, liberties, places in position.board.chains_of(
            position.board.black_mask | position.board.white_mask
        ):
            cell = engine.cell_at_point(game.bit_geometry.points[places[0]])
            head = s[array_layout.CELL_RECORDS_START + array_layout.RECORD_SIZE * cell + array_layout.CHAIN_HEAD]
            first = array_layout.CELL_RECORDS_START + array_layout.RECORD_SIZE * head
            assert s[first + array_layout.CHAIN_SIZE] == stones.bit_count()
            assert board.has_one_liberty(s, first) == (liberties.bit_count() == 1), position.diagram()
