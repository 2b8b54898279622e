"""`gomogo solve gomoku` prints what the threat search proves, and refuses what it cannot decide."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from gomogo.cli import gomogo
from gomogo_core.errors import UserError

pytestmark = pytest.mark.slow


def solve(*words: str) -> str:
    return CliRunner().invoke(gomogo, ["solve", "gomoku", *words], catch_exceptions=False, standalone_mode=False).output


def test_a_win_by_threats_is_printed_with_its_line() -> None:
    solution = json.loads(solve("--moves", "h8 i9 i8 j9 g8 k9", "--json"))
    assert (solution["result"], solution["plies"], len(solution["line"])) == ("win", 3, 3)


def test_a_position_without_a_proof_on_a_large_board_is_refused() -> None:
    with pytest.raises(UserError, match="too large to solve"):
        solve()


def test_a_finished_game_needs_no_search() -> None:
    assert "is over" in solve("--moves", "a1 a2 b1 b2 c1 c2 d1 d2 e1")
