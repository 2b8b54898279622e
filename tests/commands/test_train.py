"""`gomogo train` refuses in two lines what it cannot do, and draws what was learnt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gomogo.commands.train import common
from gomogo_core.errors import UserError
from tests.commands.conftest import Gomogo

pytestmark = pytest.mark.slow

ROW = {
    "opponent": "greedy",
    "games": 50,
    "first_games": 25,
    "wins": 30,
    "first_wins": 20,
    "draws": 1,
    "moves": 900,
    "missed_wins": 3,
    "missed_blocks": 2,
    "accuracy": 0.9,
    "final_score": 0.2,
    "short_loss": 0.1,
    "long_loss": 0.3,
    "exploration": 0.0,
    "learning_rate": 0.001,
}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mm_ai"], "The number of games is missing"),
        (["mm_ai", "--against", "greedy"], "--against needs --games"),
        (["neural", "--game", "dots_and_boxes", "--size", "7"], "neural cannot learn dots_and_boxes with --size 7"),
        (["neural", "--game", "go", "--size", "4"], "neural cannot learn go with --size 4"),
        (["neural", "--game", "chess"], "chess"),
        (["neural", "--size", "9"], "--size cannot be used for gomoku"),
        (["neural", "--self-play-steps", "9"], "--self-play-steps is for gomoku with --self-play"),
        (["neural", "--game", "go", "--self-play", "9", "--self-play-steps", "9"], "--self-play-steps is for gomoku"),
        (["neural", "--selection", "gumbel"], "--selection needs --self-play"),
        (["plot", "nowhere"], "nowhere has no statistics"),
        (["plot", "-o", "curves.txt"], "curves.txt is not a picture format"),
    ],
)
def test_an_impossible_training_is_refused(words: list[str], message: str, run: Gomogo) -> None:
    error = run("train", *words).exception
    assert isinstance(error, UserError)
    assert message in error.problem


@pytest.mark.parametrize("words", [["mm_ai", "--games", "1"], ["export", "net.onnx"], ["tune"]])
def test_train_without_the_extra_names_what_to_install(
    words: list[str], run: Gomogo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common, "find_spec", lambda name: None)
    error = run("train", *words).exception
    assert isinstance(error, UserError)
    assert error.problem.startswith("Training needs ")
    assert error.remedy == "Run: pip install 'gomogo[train]'"


def test_the_curves_of_two_trainings_are_drawn(run: Gomogo) -> None:
    for name in ("one", "two"):
        folder = Path(name)
        folder.mkdir()
        text = "".join(json.dumps({**ROW, "wins": 20 + i, "first_wins": 10 + i}) + "\n" for i in range(12))
        (folder / "statistics.jsonl").write_text(text, encoding="utf-8")
    result = run("train", "plot", "one", "two", "-o", "curves.svg")
    assert result.stdout == "curves.svg\n"
    assert "</svg>" in Path("curves.svg").read_text(encoding="utf-8")


def test_a_rolling_average_covers_the_last_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    from training.statistics import curves, rolling_mean

    monkeypatch.setattr("training.statistics.ROLLING_ROUNDS", 2)
    assert rolling_mean([1.0, 3.0, float("nan"), 5.0]) == [1.0, 2.0, 3.0, 5.0]
    curve_values = curves([ROW])
    assert curve_values["games won, %"] == {"as first player": [80.0], "as second player": [40.0]}
    assert curve_values["missed fives a game"]["own"] == [0.06]
