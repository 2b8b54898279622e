"""The trained network as an agent: it needs only onnxruntime, completes fives, and names a missing file or package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.engines import network
from gomogo_core.errors import UserError
from gomogo_core.games.gomoku import Choice, Gomoku
from tests.agents._matches import agent, clock
from tests.project._tracked import ROOT


def chosen_move(text: str, **options: Any) -> str:
    """Return the agent's move after these moves."""
    game = Gomoku(**options)
    return str(game.format(agent("mm_ai")(game.replay(text.split()), clock(1.0))))


@pytest.mark.parametrize(
    ("moves", "expected_moves"),
    [
        ("e8 a1 f8 a2 g8 a3 h8 o15", {"d8", "i8"}),  # its own five
        ("a1 e5 c1 f6 e1 g7 g1 h8", {"d4", "i9"}),  # the opponent's
    ],
)
@pytest.mark.parametrize("size", [15, 19])
def test_a_plain_five_is_completed_or_stopped(moves: str, expected_moves: set[str], size: int) -> None:
    assert chosen_move(moves, size=size) in expected_moves


@pytest.mark.slow
def test_opening_choices_and_other_row_lengths_are_played() -> None:
    assert chosen_move("h8 a1 h9", opening="swap") in {choice.value for choice in Choice}
    assert chosen_move("h8 a1", size=7 + 8, line=4)


def test_a_move_that_renju_forbids_is_not_chosen() -> None:
    game = Gomoku(renju=True)
    moves = ("h8", "a1", "g8", "a3", "f8", "a5", "e8", "a7", "h9", "o1", "h10", "o3", "c8", "o5")
    position = game.replay(moves)  # d8 makes six for black
    assert position.warning(game.parse("d8"))
    assert game.format(agent("mm_ai")(position, clock(1.0))) != "d8"


def test_the_network_reports_its_values() -> None:
    game, turn = Gomoku(), clock(1.0)
    chosen_move = agent("mm_ai")(game.replay(["h8", "g7"]), turn)
    assert f'"{game.format(chosen_move)}"' in turn.analysis_text or game.format(chosen_move) in turn.analysis_text


def test_the_agent_loads_no_training_code() -> None:
    code = (
        "import sys; sys.path[:0] = ['agents', '.']; import mm_ai; from gomogo_core.games.gomoku import Gomoku;"
        "mm_ai.prepare(Gomoku()); print(*{'torch', 'onnx', 'numba', 'training'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert result.stdout.split() == []


def test_without_onnxruntime_the_error_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "find_spec", lambda name: None)
    with pytest.raises(UserError) as error_info:
        network.load(network.NETWORKS_FOLDER / "mm_ai.onnx")
    assert error_info.value.problem == "This agent needs onnxruntime, which is not installed."
    assert error_info.value.remedy == "Run: pip install 'gomogo[neural]'"


def test_a_file_without_a_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no network"):
        network.load(tmp_path / "none.onnx")
    (tmp_path / "other.onnx").write_bytes(b"no network")
    with pytest.raises(UserError, match="is not a network"):
        network.load(tmp_path / "other.onnx")


def test_the_network_file_is_small_and_names_its_origin() -> None:
    path = network.NETWORKS_FOLDER / "mm_ai.onnx"
    assert path.stat().st_size < 3_000_000
    for key in (b"made_by", b"moves_sha256", b"seed"):
        assert key in path.read_bytes()
