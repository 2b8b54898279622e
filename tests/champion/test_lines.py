"""The champion's line network: the engine computes it as it is defined, and a killed fit continues."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from gomogo_core.engines import compiling
from gomogo_core.engines.gomoku import array_layout, board, classes, line_network, search
from gomogo_core.games.gomoku import Gomoku
from tests.champion._positions import random_position
from training import champion_games

MODULE: Any = compiling.load("gomogo_core.engines.gomoku")
place_stone: Any = board.place_stone  # mypy does not understand Numba's types


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


def positions_to_compare(size: int) -> list[Any]:
    return list(random_position(Gomoku(size=size), random.Random(size), 40))[::9]


def compiled_sums(engine: Any) -> Any:
    line_network.update_sums(engine.arrays)
    return engine.state[array_layout.LINE_SUMS_START : array_layout.LINE_SUMS_START + array_layout.CHANNELS]


@pytest.mark.parametrize("size", [7, 15, 20])
def test_the_sums_are_those_of_their_definition(size: int) -> None:
    network = classes.shipped_line_network()
    engine = MODULE.GomokuEngine(Gomoku(size=size), memory_mb=1, line_network=classes.shipped_line_network())
    for position in positions_to_compare(size):
        engine.set_position(position.cells)
        expected = [sums_of(position.cells, size, own, network["rows"]) for own in (1, 2)]
        assert compiled_sums(engine).tolist() == expected[0] + expected[1]


@pytest.mark.parametrize("size", [15, 16, 19, 20])
def test_boards_of_16_to_19_rows_have_another_network(size: int) -> None:
    network = classes.shipped_line_network(for_middle_sizes=15 < size < 20)
    engine = MODULE.GomokuEngine(Gomoku(size=size), memory_mb=1)
    assert (engine.rows == line_network.row_table(network["rows"])).all()
    head = engine.class_tables[classes.LINE_HEAD_OFFSET : classes.LINE_HEAD_OFFSET + network["head"].size]
    assert (head == network["head"].ravel()).all()


def test_the_sums_follow_stones_that_are_placed_and_removed() -> None:
    rng, game = random.Random(1), Gomoku(size=15)
    engine, fresh = (MODULE.GomokuEngine(game, memory_mb=1) for _ in range(2))
    cells, moves = bytearray(225), list[int]()
    engine.set_position(bytes(cells))
    compared = 0
    for _ in range(600):
        if moves and rng.random() < 0.45:
            board.remove_last_stone(engine.arrays)
            cells[moves.pop()] = 0
        else:
            move = rng.choice([i for i in range(225) if not cells[i]])
            cells[move] = 1 + len(moves) % 2
            moves.append(move)
            place_stone(engine.arrays, array_layout.cell_of(move % 15, move // 15))
        if rng.random() < 0.3:
            fresh.set_position(bytes(cells))
            assert compiled_sums(engine).tolist() == compiled_sums(fresh).tolist()
            compared += 1
    assert compared > 100


def test_the_value_and_the_ranks_are_those_of_the_weights() -> None:
    network, units, channels = classes.shipped_line_network(), array_layout.HIDDEN_UNITS, array_layout.CHANNELS
    head, policy = (network[part].astype(float) for part in ("head", "policy"))
    rank_moves: Any = search.rank_moves  # mypy does not understand Numba's types
    engine = MODULE.GomokuEngine(Gomoku(size=15), memory_mb=1)
    s, compared = engine.state, 0
    for seed in range(20):
        engine.set_position(champion_games.random_opening(engine.game, random.Random(seed)).cells)
        mover = int(s[array_layout.TURN])
        halves = np.roll(np.arange(channels), channels // 2 * (mover - 1))  # the mover's channels first
        counts = s[array_layout.CLASS_COUNTS_START : array_layout.CLASS_COUNTS_START + 48].reshape(3, 16)[
            [mover, 3 - mover]
        ]
        if counts[:, [classes.WINNING_FOUR, classes.FIVE]].any():
            continue
        counted = counts[:, classes.FIRST_COUNTED_CLASS : classes.FIRST_COUNTED_CLASS + classes.COUNTED_CLASSES].ravel()
        steps = classes.STEP_OF_COUNT[np.minimum(counted, 63)]
        places = 2 + channels + steps + classes.COUNT_STEPS * np.arange(len(steps))
        hidden = (head[0] + compiled_sums(engine)[halves] @ head[2 : 2 + channels]) / (1 << classes.LINE_SUM_BITS)
        hidden += head[places[steps > 0]].sum(0)
        hidden[:-1] = np.maximum(hidden[:-1], 0)
        value = hidden @ head[1] / (1 << (classes.HIDDEN_BITS + classes.RESULT_BITS))
        assert abs(search.evaluate(engine.arrays) - value) <= 3
        weights = policy[0] + hidden[: units - 1] @ policy[1:] / (1 << classes.LINE_POLICY_SHIFT)
        weights /= 1 << (classes.LINE_POLICY_SHIFT + classes.LINE_POLICY_BITS)
        count = search.generate_moves(s, array_layout.MOVE_LISTS_START)
        rank_moves(engine.arrays, array_layout.MOVE_LISTS_START, count, 0, 0)
        features = engine.features.reshape(-1, channels)
        for cell, rank in s[array_layout.MOVE_LISTS_START : array_layout.MOVE_LISTS_START + 2 * count].reshape(
            count, 2
        ):
            # the weights of the engine are whole numbers
            assert abs(rank - np.clip(features[cell], 0, line_network.MAX_FEATURE)[halves] @ weights) <= 17
            compared += 1
    assert compared > 500


@pytest.mark.long
@pytest.mark.parametrize("size", [7, 15, 20])
def test_the_sums_of_the_fit_are_those_of_the_engine(size: int) -> None:
    pytest.importorskip("torch")
    from training.gomoku_lines import line_sums

    engine = MODULE.GomokuEngine(Gomoku(size=size), memory_mb=1, line_network=classes.shipped_line_network())
    for position in positions_to_compare(size):
        engine.set_position(position.cells)
        views = np.frombuffer(position.cells, np.uint8).reshape(1, size, size)
        assert compiled_sums(engine).tolist() == line_sums(views, classes.shipped_line_network()["rows"])[0].tolist()


@pytest.mark.long
def test_a_killed_fit_continues_with_the_stage_that_it_had_not_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    from training import gomoku_lines

    torch.set_num_threads(1)
    monkeypatch.setattr(gomoku_lines, "_TEACHER_CHANNELS", 4)
    monkeypatch.setattr(gomoku_lines, "_TEACHER_BLOCKS", 1)
    monkeypatch.setattr(gomoku_lines, "_POLICY_STEPS", 3)

    def fit(*options: str) -> str:
        command = [str(tmp_path), "--games", "5", "--nodes", "20", "--teacher-steps", "3", "--steps", "3", *options]
        result = CliRunner().invoke(gomoku_lines.main, command, catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    first = fit()
    path = tmp_path / "line_network.npz"
    network = dict(np.load(path))
    half_channels, units = array_layout.CHANNELS // 2, array_layout.HIDDEN_UNITS
    assert (network["rows"].shape, network["rows"].dtype) == (classes.shipped_line_network()["rows"].shape, np.int16)
    assert (network["head"].shape, network["head"].dtype) == (classes.shipped_line_network()["head"].shape, np.int32)
    assert network["head"].shape[1] == units
    assert (network["policy"].shape, network["policy"].dtype) == ((units, 2 * half_channels), np.int32)
    assert (network["head"][2 + 2 * half_channels :: classes.COUNT_STEPS] == 0).all()
    records = champion_games.read_lines(tmp_path / "games.jsonl")
    assert [len(record["cells"]) // 2 for record in records] == [225, 225, 225, 225, 400]

    path.unlink()
    (tmp_path / "rows.npz").unlink()
    teacher = (tmp_path / "teacher.npz").stat().st_mtime_ns
    second_fit = fit()
    assert all((np.load(path)[name] == network[name]).all() for name in network)
    assert json.loads(second_fit.splitlines()[-1]) == json.loads(first.splitlines()[-1])
    assert (tmp_path / "teacher.npz").stat().st_mtime_ns == teacher
    fit("--teacher-steps", "4")
    assert (tmp_path / "teacher.npz").stat().st_mtime_ns != teacher


@pytest.mark.long
def test_the_head_has_the_values_that_the_engine_computes() -> None:
    pytest.importorskip("torch")
    from training import gomoku_lines

    game = Gomoku()
    games = gomoku_lines.games_on_all_sizes(MODULE, 1, 50, 0)
    positions = gomoku_lines.quiet_line_positions(MODULE, [next(games), next(games)])[15]
    rows, head = (classes.shipped_line_network()[part] for part in ("rows", "head"))
    counts = np.concatenate([head[2 + array_layout.CHANNELS :], np.zeros_like(head[:1])])
    hidden = (head[0] + gomoku_lines.line_sums(positions.boards, rows) @ head[2 : 2 + array_layout.CHANNELS]) / 2**13
    hidden += counts[positions.count_rows].sum(1)
    hidden[:, :-1] = np.maximum(hidden[:, :-1], 0)
    engine = MODULE.GomokuEngine(game, memory_mb=1)
    assert len(hidden) > 10
    for mover_board, expected in zip(positions.boards, hidden @ head[1].astype(float) / 2**24, strict=True):
        # the colours alternate, and black begins
        is_black = (mover_board == 1).sum() == (mover_board == 2).sum()
        cells = np.where(mover_board == 0, 0, mover_board if is_black else 3 - mover_board).astype(np.uint8).tobytes()
        engine.set_position(cells)
        engine_values = search.evaluate(engine.arrays)
        assert abs(engine_values - expected) < 3


def test_random_moves_are_near_stones_and_the_best_move_is_kept() -> None:
    game = Gomoku(size=9)
    record = next(champion_games.self_play_games(MODULE, game, 1, 30, 0, random_share=0.5))
    assert record == next(champion_games.self_play_games(MODULE, game, 1, 30, 0, random_share=0.5))
    assert "best" not in next(champion_games.self_play_games(MODULE, game, 1, 30, 0))
    changed = [move != best_move for (move, _), best_move in zip(record["moves"], record["best"], strict=True)]
    assert any(changed)
    assert not all(changed)
    start = game.replay([game.board.points[i] for i in (0, 40)])
    near = champion_games.points_near_stones(start)  # type: ignore[arg-type]
    assert near == [
        i
        for i in range(81)
        if i not in (0, 40) and ((i // 9 < 3 and i % 9 < 3) or (2 <= i // 9 <= 6 and 2 <= i % 9 <= 6))
    ]


def test_an_even_opening_has_a_small_value() -> None:
    def first_values(even_share: float) -> list[int]:
        games = (
            champion_games.self_play_games(MODULE, Gomoku(), 1, 100, number, even_share=even_share)
            for number in range(8)
        )
        return [abs(next(game)["moves"][0][1]) for game in games]

    assert max(first_values(1.0)) <= 150  # a longer search than the one that accepted the opening
    assert max(first_values(0.0)) > 300
