"""How `neural` is trained, with PyTorch. `make bars` runs it where the extra `train` is installed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gomogo_core.games.gomoku import Gomoku
from training.champion_games import GAMES_FILE, append_until, self_play_games

pytestmark = pytest.mark.long


def games_of(folder: Path, count: int = 6) -> list[dict[str, object]]:
    from gomogo_core.engines import compiling
    from training.champion_games import read_lines

    folder.mkdir(exist_ok=True)
    module = compiling.load("gomogo_core.engines.gomoku")
    append_until(folder / GAMES_FILE, count, self_play_games(module, Gomoku(), 1, 60, 0))
    return read_lines(folder / GAMES_FILE)


def test_training_positions_follow_the_mover_and_rotate_with_their_moves(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("torch")
    from training.imitation import imitation_examples, under_symmetries

    records = games_of(tmp_path)
    position_examples = imitation_examples(records)
    assert len(position_examples.best) == sum(len(record["moves"]) for record in records)  # type: ignore[arg-type, misc]
    own, other = (position_examples.cells == 1).sum((1, 2)), (position_examples.cells == 2).sum((1, 2))
    assert set((other - own).tolist()) == {0, 1}
    assert (position_examples.cells.reshape(len(own), -1)[np.arange(len(own)), position_examples.best] == 0).all()
    assert 0 <= position_examples.value.min() < 0.3
    assert 0.7 < position_examples.value.max() <= 1
    for symmetry in range(8):
        cells, best_moves = under_symmetries(
            position_examples.cells, position_examples.best, np.full(len(own), symmetry)
        )
        assert ((cells == 1).sum((1, 2)) == own).all()
        marked = position_examples.cells.copy().reshape(len(own), -1)
        marked[np.arange(len(own)), position_examples.best] = 3
        rotated, _ = under_symmetries(
            marked.reshape(position_examples.cells.shape), position_examples.best, np.full(len(own), symmetry)
        )
        assert (rotated.reshape(len(own), -1).argmax(1) == best_moves).all()
    assert (
        len(
            {
                under_symmetries(position_examples.cells[-1:], position_examples.best[-1:], np.array([i]))[0].tobytes()
                for i in range(8)
            }
        )
        == 8
    )


def test_auxiliary_targets_are_the_final_board_and_the_opponents_threat(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    torch = pytest.importorskip("torch")
    from training.imitation import Imitation, ImitationSettings, imitation_examples, ply_target
    from training.policy_value import PolicyValueSettings

    torch.set_num_threads(1)
    records = games_of(tmp_path)
    position_examples = imitation_examples(records)
    plies = [len(record["moves"]) - ply for record in records for ply in range(len(record["moves"]))]  # type: ignore[arg-type]
    assert position_examples.auxiliary[:, 0].tolist() == pytest.approx([ply_target(plies_left) for plies_left in plies])
    won = [
        ply for ply, plies_left in enumerate(plies) if plies_left == 2
    ]  # the opponent makes a row after the next move
    assert position_examples.auxiliary[won, 1].tolist() == [1.0] * len(won)
    assert 0 < position_examples.auxiliary[:, 1].mean() < 1
    for record in records:
        del record["threats"]
    old = imitation_examples(records)
    assert np.isnan(old.auxiliary[:, 1]).all()
    settings = ImitationSettings(steps=40, batch=32, network=PolicyValueSettings(blocks=1, channels=8, auxiliary=True))
    for kept_examples in (position_examples, old):  # games without threats are learnt as well
        learner = Imitation(settings, 3)
        first, last_losses = learner.learn(kept_examples, 1), learner.learn(kept_examples, 39)
        assert 0 < last_losses.held_out_auxiliary_loss < first.held_out_auxiliary_loss
    without = Imitation(ImitationSettings(network=PolicyValueSettings(blocks=1, channels=8)), 3)
    assert without.learn(position_examples, 1).held_out_auxiliary_loss == 0


def test_a_continued_training_learns_the_same(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from training.imitation import Imitation, ImitationSettings, imitation_examples, save
    from training.imitation import load_learner as load_training
    from training.policy_value import PolicyValueSettings

    torch.set_num_threads(1)
    position_examples = imitation_examples(games_of(tmp_path / "games"))
    settings = ImitationSettings(steps=6, batch=16, network=PolicyValueSettings(blocks=1, channels=8))
    whole = Imitation(settings, 3)
    rows = [whole.learn(position_examples, 2) for _ in range(3)]
    imitation_run = Imitation(settings, 3)
    save(tmp_path, imitation_run, imitation_run.learn(position_examples, 2))
    continued = load_training(tmp_path, Imitation)
    assert continued is not None
    assert [continued.learn(position_examples, 2) for _ in range(2)] == rows[1:]


def test_the_command_trains_after_a_kill_and_its_export_has_the_same_outputs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder, exported = tmp_path / "run", tmp_path / "net.onnx"
    games_of(folder, 40)
    words = ["neural", "--games", "40", "--steps", "400", "--folder", str(folder), "--seed", "1", "--threads", "1"]
    command = [sys.executable, "-m", "gomogo", "train"]
    process = subprocess.Popen([*command, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stdout.readline()  # wait until there is a checkpoint
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    result = subprocess.run([*command, *words], check=True, capture_output=True, encoding="utf-8")
    assert "400/400 steps" in result.stderr
    words = ["export", str(exported), "--folder", str(folder)]
    result = subprocess.run([*command, *words], check=True, capture_output=True, encoding="utf-8")
    assert float(result.stderr.split()[-1]) < 1e-4
    assert exported.stat().st_size < 3_000_000
