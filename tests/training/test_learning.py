"""Training itself, with PyTorch: it learns, continues after kill -9 with the same curve, and exports the same values.

`make bars` runs it where the extra `train` is installed: CI does not install PyTorch.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

SMALL = """
[network]
channels = [4, 8]
hidden = 8
[learning]
round = 4
samples = 32
batch = 32
[scores.own]
four = 10
five = 100
[scores.opponent]
five = 50
"""


def train(folder: Path, *words: str) -> list[str]:
    settings = folder.parent / "small.toml"
    settings.write_text(SMALL, encoding="utf-8")
    own = ["--folder", str(folder), "--settings", str(settings), "--seed", "7", "--device", "cpu", "--threads", "1"]
    return [sys.executable, "-m", "gomogo", "train", "mm_ai", *own, *words]


def statistics_rows(folder: Path) -> list[str]:
    return (folder / "statistics.jsonl").read_text(encoding="utf-8").splitlines()


def test_a_training_killed_ten_times_learns_the_same(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    games = ["--against", "greedy", "--games", "60", "--self-play", "8"]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    subprocess.run(train(whole, *games), check=True, capture_output=True)
    for number in range(10):
        process = subprocess.Popen(train(killed, *games), stderr=subprocess.PIPE)
        assert process.stderr is not None
        process.stderr.readline()  # the first round of this process is over
        time.sleep(0.03 * number)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    subprocess.run(train(killed, *games), check=True, capture_output=True)
    assert statistics_rows(killed) == statistics_rows(whole)
    assert (killed / "checkpoint.pt").stat().st_size < 16_000_000


def test_games_of_a_network_against_itself_differ() -> None:
    pytest.importorskip("torch")
    from training.learning import Learner
    from training.settings import parse_settings

    settings = parse_settings(SMALL.replace("round = 4", "exploration = 0.0"), "small.toml")
    learner = Learner(settings, seed=3, size=9)
    learner.play_round("self", 8)
    assert len({game.moves[: settings.learning.self_play_opening] for game in learner.memory.games}) > 4


def test_a_value_is_the_same_from_every_side_of_the_board() -> None:
    torch = pytest.importorskip("torch")
    from training.network import MmAi
    from training.settings import NetworkSettings

    network = MmAi(NetworkSettings(channels=(4, 6), hidden=5))
    with torch.no_grad():
        network.first.weight.copy_((network.first.weight + network.first.weight.flip(-1)) / 2)
        network.second.weight.copy_((network.second.weight + network.second.weight.flip(-1)) / 2)
        planes = torch.rand(2, 3, 9, 9)
        values = network(planes)
        for turns in range(4):
            assert torch.allclose(network(planes.rot90(turns, (2, 3))), values.rot90(turns, (1, 2)), atol=1e-5)
        away = planes.clone()
        away[:, :, 5, 6:] += 1  # neither in a line with the corner nor within four points of it
        assert torch.equal(network(away)[:, 0, 0], values[:, 0, 0])
        assert not torch.equal(network(away)[:, 5, 5], values[:, 5, 5])


def test_the_scores_are_learnt_and_the_export_has_the_same_values(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder = tmp_path / "run"
    subprocess.run(train(folder, "--games", "120"), check=True, capture_output=True)
    losses = [json.loads(row)["short_loss"] for row in statistics_rows(folder)]
    assert losses[-1] < losses[0] / 3
    exported = tmp_path / "net.onnx"
    command = [sys.executable, "-m", "gomogo", "train", "export", str(exported), "--folder", str(folder)]
    result = subprocess.run(command, check=True, capture_output=True, encoding="utf-8", env={**os.environ})
    assert float(result.stderr.split()[-1]) < 1e-4
    assert exported.stat().st_size < 3_000_000
    second_folder = tmp_path / "again"
    second_training = train(second_folder, "--games", "4", "--from", str(exported), "--json")
    result = subprocess.run(second_training, check=True, capture_output=True, encoding="utf-8")
    assert json.loads(result.stdout)["short_loss"] < losses[0] / 3
    wrong_command = train(tmp_path / "other", "--games", "4", "--from", str(tmp_path / "small.toml"))
    refused = subprocess.run(wrong_command, capture_output=True, check=False)
    assert b"cannot be continued" in refused.stderr
