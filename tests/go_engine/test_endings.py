"""The champion of Go resigns no won game, and passes only if the count as it stands does not cost it the game."""

from __future__ import annotations

import pytest

from bench import wrong_endings
from gomogo_core.games.go import Go


@pytest.mark.slow
def test_short_games_have_no_wrong_resignation_and_no_wrong_pass() -> None:
    kinds, faults, sides = (
        [wrong_endings.EndingCounts(5, quits) for quits in (False, True)],
        list[str](),
        wrong_endings.load_agents(),
    )
    for counts in kinds:
        for number in range(6):
            faults += wrong_endings.play_game(sides, Go(size=5, komi=0.5), f"test:{number}", 1000, counts)
    assert not faults
    assert sum(kind.resignations + kind.losing_passes for kind in kinds) > 3
