"""The network with its search as an agent: it finds threats exactly, with and without the compiled engine."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from gomogo_core.games.base import Game
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.dots_and_boxes import DotsAndBoxes
from gomogo_core.games.go import Go
from gomogo_core.games.gomoku import Choice, Gomoku
from gomogo_core.games.robogo import Robogo
from tests.agents._matches import agent, clock
from tests.project._tracked import ROOT

pytest.importorskip("onnxruntime")


def chosen_move(text: str, **options: Any) -> str:
    """Return the agent's move after these moves, without the compiled engine."""
    game = Gomoku(**options)
    return str(game.format(agent("neural")(game.replay(text.split()), clock(5.0), visits=40)))


@pytest.mark.parametrize(
    ("moves", "expected_moves"),
    [
        ("e8 a1 f8 a2 g8 a3 h8 o15", {"d8", "i8"}),  # its own five
        ("a1 e5 c1 f6 e1 g7 g1 h8", {"d4", "i9"}),  # the opponent's
        ("e8 a1 f8 a2 g8 o15", {"d8", "h8"}),  # an open four
    ],
)
@pytest.mark.parametrize("size", [15, 19])
def test_neural_completes_and_stops_fives_and_open_fours(moves: str, expected_moves: set[str], size: int) -> None:
    assert chosen_move(moves, size=size) in expected_moves


def test_neural_finds_a_win_by_a_four_and_a_three() -> None:
    game = Gomoku()
    position = game.replay(["f8", "e8", "g8", "a1", "h8", "a3", "i6", "a5", "i7", "a7"])
    move_clock = clock(5.0)
    chosen_move = agent("neural")(position, move_clock, visits=40)
    assert game.format(chosen_move) == "i8"
    assert "wins by threats" in move_clock.analysis_text


def test_the_first_moves_are_near_the_stones() -> None:
    assert chosen_move("") == "h8"
    assert chosen_move("e11") in {f"{column}{row}" for column in "cdefg" for row in range(9, 14)}


@pytest.mark.slow
def test_opening_choices_and_other_row_lengths_are_played() -> None:
    assert chosen_move("h8 a1 h9", opening="swap") in {choice.value for choice in Choice}
    assert chosen_move("h8 a1", line=4)


def test_neural_reports_value_line_and_visit_shares() -> None:
    game, turn = Gomoku(), clock(5.0)
    chosen_move = game.format(agent("neural")(game.replay(["h8", "g7"]), turn, visits=40))
    assert '"score"' in turn.analysis_text
    assert f'"{chosen_move}"' in turn.analysis_text
    assert "40 visits" in turn.analysis_text


@pytest.mark.parametrize(
    ("moves", "expected_moves"),
    [("d4 d3 a1 c4 g7 e4 a7", "d5"), ("d4 d3 a1 c4 g7 e4", "d5")],
    ids=["capture", "escape"],
)
def test_a_chain_in_atari_is_captured_or_extended(moves: str, expected_moves: str) -> None:
    game, turn = CaptureGo(size=7), clock(5.0)
    assert game.format(agent("neural")(game.replay(moves.split()), turn, visits=80)) == expected_moves
    assert "visits" in turn.analysis_text


@pytest.mark.parametrize(
    ("moves", "expected_moves"),
    [("c4 a1 d4 a3 e4 a5 b4 g7", {"a4", "f4"}), ("c4 b4 d4 g7 e4 a1 f4", {"g4"})],
    ids=["own row", "opponent's row"],
)
def test_a_row_of_robogo_is_completed_or_prevented(moves: str, expected_moves: set[str]) -> None:
    game, turn = Robogo(size=7), clock(5.0)
    assert game.format(agent("neural")(game.replay(moves.split()), turn, visits=80)) in expected_moves
    assert "visits" in turn.analysis_text


def test_an_open_box_is_taken() -> None:
    game, turn = DotsAndBoxes(rows=5, cols=5), clock(5.0)
    assert game.format(agent("neural")(game.replay(["h12", "v14", "v15"]), turn, visits=80)) == "h17"
    assert "visits" in turn.analysis_text


@pytest.mark.parametrize(
    "game",
    [
        CaptureGo(size=6),
        CaptureGo(size=7, target=2),
        CaptureGo(size=7, cols=6),
        Go(size=6),
        DotsAndBoxes(rows=2, cols=3),
        DotsAndBoxes(rows=3, cols=3, players=3),
    ],
)
def test_a_board_without_a_network_uses_playouts(game: Game) -> None:
    position, turn = game.start(), clock(0.05)
    assert position.why_illegal(agent("neural")(position, turn)) is None
    assert (
        "plays like mcts: it has networks for gomoku, capture_go 7 × 7, " in json.loads(turn.analysis_text)["thoughts"]
    )


@pytest.mark.parametrize(
    ("options", "message"), [({"line": 4}, "learned only rows of five"), ({"opening": "swap"}, "with choices")]
)
def test_neural_reports_options_unknown_to_its_network(options: dict[str, Any], message: str) -> None:
    game, turn = Gomoku(**options), clock(0.05)
    agent("neural")(game.start(), turn)
    assert "plays like iterative_deepening" in turn.analysis_text
    assert message in turn.analysis_text


def test_the_agent_loads_no_training_code() -> None:
    code = (
        "import sys; sys.path[:0] = ['agents', '.']; import neural; from gomogo_core.games.gomoku import Gomoku;"
        "from gomogo_core.engines import compiling; compiling.has_numba = lambda: False;"
        "neural.prepare(Gomoku()); print(*{'torch', 'onnx', 'numba', 'training'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert result.stdout.split() == []
