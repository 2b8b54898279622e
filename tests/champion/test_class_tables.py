"""The program that fits the class tables: its features are the evaluation's, and planted tables are found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gomogo_core.engines import compiling
from gomogo_core.games.gomoku import Gomoku
from training import champion_games
from training import gomoku_classes as fit

GAME = Gomoku(size=9)
MODULE: Any = compiling.load("gomogo_core.engines.gomoku")


def test_counts_times_parameters_are_the_evaluation() -> None:
    from gomogo_core.engines.gomoku import classes, search, weights

    record = next(champion_games.self_play_games(MODULE, GAME, 1, 50, 0))
    features = fit.extract_features(MODULE, GAME, [record])
    table = classes.shipped_parameters().reshape(-1, classes.PARAMETER_COLUMNS) / (1 << classes.PARAMETER_FRACTION_BITS)
    engine = MODULE.GomokuEngine(GAME, memory_mb=1)
    cells, expected = bytearray.fromhex(record["cells"]), []
    for move, _ in record["moves"]:
        engine.set_position(bytes(cells))
        expected.append(search.point_value_sum(engine.state))
        cells[move] = 1 if cells.count(1) == cells.count(2) else 2
    values = features.parameter_counts @ table.ravel() + weights.TEMPO
    assert 0 < len(values) <= len(expected)
    for value in values:  # the engine rounds the value of each point
        assert min(abs(value - other) for other in expected) < 0.5 * 81


def test_the_fit_recovers_a_planted_table() -> None:
    rng = np.random.default_rng(1)
    planted = np.array([[0.8, -0.3], [0.0, 0.5]])
    counts = rng.integers(-3, 4, (4000, 4)).astype(np.float32)
    z = counts @ planted.ravel()
    features = fit.PositionFeatures(counts, z * fit._VALUE_PER_LOG_ODDS, 1 / (1 + np.exp(-z)), np.arange(4000))
    fitted_values, before, after = fit.fit_parameters(features, np.zeros((2, 2)), 0)
    assert after < before
    assert np.allclose(fitted_values, planted, atol=0.05)


def test_games_depend_on_seed_and_number_alone() -> None:
    games = champion_games.self_play_games(MODULE, GAME, 1, 50, 0)
    first, second = next(games), next(games)
    assert next(champion_games.self_play_games(MODULE, GAME, 1, 50, 1)) == second != first


def test_a_file_truncated_by_a_kill_continues(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text('{"a": 1}\n{"a"')
    assert champion_games.read_lines(path) == [{"a": 1}]
    champion_games.append_until(path, 3, iter([{"a": 2}, {"a": 3}, {"a": 4}]))
    assert champion_games.read_lines(path) == [{"a": 1}, {"a": 2}, {"a": 3}]


def test_the_written_file_holds_the_parameters(tmp_path: Path) -> None:
    from gomogo_core.engines.gomoku import weights

    path = tmp_path / "weights.py"
    path.write_text(fit.weights_source(weights.PARAMETERS, weights.TEMPO))
    space: dict[str, Any] = {}
    exec(path.read_text(), space)
    assert (space["PARAMETERS"], space["TEMPO"]) == (weights.PARAMETERS, weights.TEMPO)


@pytest.mark.parametrize(("pairs", "expected"), [([[1, 1]] * 40, "H1 is accepted"), ([[1, 0]] * 20, "+0 Elo")])
def test_the_report_of_a_match_has_its_statistics(pairs: list[list[float]], expected: str) -> None:
    assert expected in fit.match_report(pairs)
