"""The fit of the champion's line network: the sums that it reads are the engine's, and a killed fit continues."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.engines import compiling
from gomogo_core.games.gomoku import Gomoku
from tests.champion._positions import walk
from training import champion_games

MODULE: Any = compiling.load("gomogo_core.engines.gomoku")


def sums_of(cells: bytes, size: int, own: int, rows: Any) -> list[int]:
    """Return the sums of the limited features, from the view of the colour `own`, without torch or compiled code."""
    forms = {form: number for number, form in enumerate(forms_of_lines())}
    total = [0] * rows.shape[1]
    for row in range(size):
        for column in range(size):
            feature = [0] * rows.shape[1]
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                line = []
                for i in range(-4, 5):
                    y, x = row + i * down, column + i * right
                    colour = cells[y * size + x] if 0 <= y < size and 0 <= x < size else 3
                    line.append(3 - colour if colour in (1, 2) and own == 2 else colour)
                number = forms[min(code_of(line), code_of(line[::-1]))]
                feature = [a + int(b) for a, b in zip(feature, rows[number], strict=True)]
            total = [a + min(max(b, 0), 255) for a, b in zip(total, feature, strict=True)]
    return total


def code_of(line: list[int]) -> int:
    return sum(colour << (2 * i) for i, colour in enumerate(line))


def forms_of_lines() -> list[int]:
    """Return the codes of all possible lines up to reversal, in order: only walls can be behind a wall."""
    arms: list[list[int]] = [[]]
    for _ in range(4):
        arms = [[*arm, colour] for arm in arms for colour in ((3,) if arm[-1:] == [3] else (0, 1, 2, 3))]
    lines = [[*first[::-1], middle, *second] for first in arms for second in arms for middle in (0, 1, 2)]
    return sorted({min(code_of(line), code_of(line[::-1])) for line in lines})


@pytest.mark.slow
@pytest.mark.parametrize("size", [7, 15, 20])
def test_the_sums_of_the_fit_are_those_of_the_engine(size: int) -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("torch")
    from gomogo_core.engines.gomoku import array_layout, line_network
    from training.gomoku_lines import line_sums

    rows = np.random.default_rng(size).integers(-90, 120, (22143, array_layout.CHANNELS // 2)).astype(np.int16)
    table, engine = line_network.row_table(rows), MODULE.GomokuEngine(Gomoku(size=size), memory_mb=1)
    features = np.zeros(line_network.FEATURE_ARRAY_SIZE, np.int16)
    for position in list(walk(Gomoku(size=size), random.Random(size), 40))[::9]:
        engine.set_position(position.cells)
        line_network.update_sums(engine.state, engine.hashes, features, table)
        compiled = engine.state[array_layout.LINE_SUMS : array_layout.LINE_SUMS + array_layout.CHANNELS].tolist()
        expected = [sums_of(position.cells, size, own, rows) for own in (1, 2)]
        views = np.frombuffer(position.cells, np.uint8).reshape(1, size, size)
        assert compiled == line_sums(views, rows)[0].tolist() == expected[0] + expected[1]


@pytest.mark.slow
def test_a_killed_fit_continues_with_the_stage_that_it_had_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np = pytest.importorskip("numpy")
    torch = pytest.importorskip("torch")
    from click.testing import CliRunner

    from gomogo_core.engines.gomoku import array_layout, classes
    from training import gomoku_lines

    torch.set_num_threads(1)
    monkeypatch.setattr(gomoku_lines, "_TEACHER_CHANNELS", 4)
    monkeypatch.setattr(gomoku_lines, "_TEACHER_BLOCKS", 1)

    def fit(*options: str) -> str:
        command = [str(tmp_path), "--games", "5", "--nodes", "20", "--teacher-steps", "3", "--steps", "3", *options]
        done = CliRunner().invoke(gomoku_lines.main, command, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    first = fit()
    path = tmp_path / "line_network.npz"
    network = dict(np.load(path))
    half, units = array_layout.CHANNELS // 2, array_layout.HIDDEN_UNITS
    assert (network["rows"].shape, network["rows"].dtype) == (classes.shipped_line_rows().shape, np.int16)
    assert (network["head"].size, network["head"].dtype) == (classes.shipped_line_head().size, np.int32)
    assert network["head"].shape[1] == units
    assert (network["head"][2 + 2 * half :: classes.COUNT_STEPS] == 0).all()
    records = champion_games.read_lines(tmp_path / "games.jsonl")
    assert [len(record["cells"]) // 2 for record in records] == [225, 225, 225, 225, 400]

    path.unlink()
    (tmp_path / "rows.npz").unlink()
    teacher = (tmp_path / "teacher.npz").stat().st_mtime_ns
    again = fit()
    assert all((np.load(path)[name] == network[name]).all() for name in network)
    assert json.loads(again.splitlines()[-1]) == json.loads(first.splitlines()[-1])
    assert (tmp_path / "teacher.npz").stat().st_mtime_ns == teacher
    fit("--teacher-steps", "4")
    assert (tmp_path / "teacher.npz").stat().st_mtime_ns != teacher


@pytest.mark.slow
def test_the_head_has_the_values_that_the_engine_computes() -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("torch")
    from gomogo_core.engines.gomoku import array_layout, classes, search
    from training import gomoku_lines

    game = Gomoku()
    games = gomoku_lines.games(MODULE, 1, 50, 0)
    positions = gomoku_lines.line_positions(MODULE, [next(games), next(games)])[15]
    rows, head = classes.shipped_line_rows(), classes.shipped_line_head().reshape(-1, array_layout.HIDDEN_UNITS)
    counts = np.concatenate([head[2 + array_layout.CHANNELS :], np.zeros_like(head[:1])])
    hidden = (head[0] + gomoku_lines.line_sums(positions.views, rows) @ head[2 : 2 + array_layout.CHANNELS]) / 2**13
    hidden += counts[positions.counts].sum(1)
    hidden[:, :-1] = np.maximum(hidden[:, :-1], 0)
    engine = MODULE.GomokuEngine(game, memory_mb=1)
    assert len(hidden) > 10
    for view, expected in zip(positions.views, hidden @ head[1].astype(float) / 2**24, strict=True):
        # the colours alternate, and black begins
        is_black = (view == 1).sum() == (view == 2).sum()
        cells = np.where(view == 0, 0, view if is_black else 3 - view).astype(np.uint8).tobytes()
        engine.set_position(cells)
        found = search.evaluate(engine.state, engine.class_tables, engine.hashes, engine.features, engine.rows)
        assert abs(found - expected) < 3


def test_random_moves_are_near_stones_and_the_best_move_is_kept() -> None:
    game = Gomoku(size=9)
    record = next(champion_games.self_play_games(MODULE, game, 1, 30, 0, random_share=0.5))
    assert record == next(champion_games.self_play_games(MODULE, game, 1, 30, 0, random_share=0.5))
    assert "best" not in next(champion_games.self_play_games(MODULE, game, 1, 30, 0))
    changed = [move != best for (move, _), best in zip(record["moves"], record["best"], strict=True)]
    assert any(changed)
    assert not all(changed)
    start = game.replay([game.board.points[i] for i in (0, 40)])
    near = champion_games.points_near_stones(start)  # type: ignore[arg-type]
    assert near == [
        i
        for i in range(81)
        if i not in (0, 40) and ((i // 9 < 3 and i % 9 < 3) or (2 <= i // 9 <= 6 and 2 <= i % 9 <= 6))
    ]
