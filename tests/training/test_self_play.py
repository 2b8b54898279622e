"""How `neural` learns by self-play, with PyTorch. `make bars` runs it where the extra `train` is installed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.dots_and_boxes import DotsAndBoxes
from gomogo_core.games.gomoku import Gomoku

pytestmark = pytest.mark.long
GAME = CaptureGo(size=5)


def small_settings(**changes: Any) -> Any:
    """A learner of a network that is trained in seconds."""
    torch = pytest.importorskip("torch")
    from gomogo_core.search.planes import network_encoding_of
    from training.policy_value import PolicyValueSettings
    from training.self_play import SelfPlay, SelfPlaySettings

    torch.set_num_threads(1)
    view = network_encoding_of(changes.get("game", "capture_go"))
    network = PolicyValueSettings(blocks=1, channels=8, planes=view.planes, has_pass=view.has_pass, auxiliary=True)
    chosen_settings = {
        "game": "capture_go",
        "size": 5,
        "steps": 600,
        "batch": 16,
        "engine_games": 6,
        "engine_rounds": 1,
        "games": 4,
        "full": 12,
        "fast": 4,
    }
    settings = SelfPlaySettings(network=network, **{**chosen_settings, **changes})
    return SelfPlay(settings, 3)


def test_games_against_itself_are_whole_and_give_visits() -> None:
    from training.self_play import self_play_examples, self_play_games

    learner = small_settings(full_share=1.0)
    records = self_play_games(learner.evaluate, GAME, learner.settings, "3:0", 24)
    for record in records:
        position = GAME.replay(record["moves"])
        outcome = position.outcome()
        assert outcome is not None
        assert record["winner"] == (outcome.winner or 0)
        assert record["policy"][-1]
    examples = self_play_examples(records, GAME)
    learnt = examples.policy.sum(1) > 0
    assert learnt.mean() > 0.5
    assert examples.policy.sum(1)[learnt] == pytest.approx(1)
    taken_points = examples.planes[:, [0, 1, 7]].any(1).reshape(len(examples.value), -1)
    assert not examples.policy[:, :-1][taken_points].any()
    ended = [number for number, record in enumerate(records) if record["winner"]]
    assert ended
    lengths = [len(record["moves"]) for record in records]
    assert examples.value[sum(lengths[: ended[0] + 1]) - 1] == 1.0  # the last mover captures


def test_policies_rotate_with_their_positions() -> None:
    np = pytest.importorskip("numpy")
    pytest.importorskip("torch")
    from training.self_play import under_symmetries

    generator = np.random.default_rng(1)
    planes = generator.integers(2, size=(16, 8, 5, 5), dtype=np.uint8)
    policy = np.concatenate([planes[:, 0].reshape(16, -1), np.full((16, 1), 7)], 1).astype(np.float32)
    for symmetry in range(8):
        rotated_planes, shares = under_symmetries(planes, policy, np.full(16, symmetry))
        assert (rotated_planes[:, 0].reshape(16, -1) == shares[:, :-1]).all()
        assert (shares[:, -1] == 7).all()
    assert len({under_symmetries(planes[:1], policy[:1], np.array([i]))[0].tobytes() for i in range(8)}) == 8


def test_a_continued_training_plays_and_learns_the_same(tmp_path: Path) -> None:
    learner = small_settings(playouts=20)
    from gomogo_core.engines import compiling
    from training.imitation import load_learner, save
    from training.self_play import SelfPlay, missing_games, self_play_examples

    def engine() -> Any:
        return compiling.load("gomogo_core.engines.go")

    first = list(missing_games(learner, GAME, engine, 0))
    assert len(first) == 6
    assert list(missing_games(learner, GAME, engine, 4)) == first[4:]
    row = learner.learn(self_play_examples(first, GAME), 200)
    save(tmp_path, learner, row)
    continued = load_learner(tmp_path, SelfPlay)
    assert continued is not None
    played = list(missing_games(learner, GAME, engine, 6))
    assert len(played) == 4
    assert list(missing_games(continued, GAME, engine, 6)) == played
    assert list(missing_games(continued, GAME, engine, 9)) == played[3:]
    examples = self_play_examples(first + played, GAME)
    assert continued.learn(examples, 3) == learner.learn(examples, 3)


def test_the_policy_learns_shares_from_gumbel_searches() -> None:
    from training.self_play import self_play_examples, self_play_games

    learner = small_settings(full_share=1.0, selection="gumbel")
    records = self_play_games(learner.evaluate, GAME, learner.settings, "3:0", 12)
    assert records == self_play_games(learner.evaluate, GAME, learner.settings, "3:0", 12)
    assert all(GAME.replay(record["moves"]).outcome() is not None for record in records)
    shares = [[share for _, share in policy] for record in records for policy in record["policy"] if policy]
    assert all(sum(each) == pytest.approx(1, abs=0.03) for each in shares)
    assert any(0 < share < 1 for each in shares for share in each)
    assert len({tuple(record["moves"]) for record in records}) > 6
    examples = self_play_examples(records, GAME)
    assert examples.policy.sum(1)[examples.policy.sum(1) > 0] == pytest.approx(1)


def test_games_of_gomoku_end_at_a_win_by_fours_and_mix_with_the_champions() -> None:
    np = pytest.importorskip("numpy")
    learner = small_settings(game="gomoku", size=15, full=6, fast=2)
    from gomogo_core.engines import compiling
    from training import champion_games, imitation
    from training.self_play import make_win_by_fours_test, records_of_champion, self_play_examples, self_play_games

    game, module = Gomoku(), compiling.load("gomogo_core.engines.gomoku")
    is_won = make_win_by_fours_test(module, game)
    own = self_play_games(learner.evaluate, game, learner.settings, "3:0", 4, is_won)
    for record in own:
        position = game.replay(record["moves"])
        assert position.outcome() is not None or (is_won(position) and record["winner"] == position.to_move)
        assert not is_won(game.replay(record["moves"][: record["opening"]]))
    games = list(islice(champion_games.self_play_games(module, game, 1, 60, 0), 3))
    champion_examples, imitation_examples = (
        self_play_examples(list(records_of_champion(games, game)), game),
        imitation.imitation_examples(games),
    )
    assert (champion_examples.planes == imitation.planes(imitation_examples.cells)).all()
    assert (champion_examples.policy.argmax(1) == imitation_examples.best).all()
    for field in ("value", "auxiliary", "held_out"):
        assert np.array_equal(getattr(champion_examples, field), getattr(imitation_examples, field))
    all_examples = self_play_examples([*records_of_champion(games, game), *own], game)
    assert np.isnan(all_examples.auxiliary[-1, 1])
    assert len(all_examples.value) == len(champion_examples.value) + sum(
        len(record["moves"]) - record["opening"] for record in own
    )
    first = learner.learn(all_examples, 1)
    assert learner.learn(all_examples, 150).policy_loss < first.policy_loss


def test_gomoku_continues_with_games_against_itself_after_a_kill(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    words = ["neural", "--games", "20", "--nodes", "60", "--steps", "1", "--seed", "1", "--threads", "1"]
    words += ["--self-play", "2", "--self-play-steps", "201", "--selection", "gumbel", "--folder", str(tmp_path)]
    command = [sys.executable, "-m", "gomogo", "train", *words]
    process = subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)][1]  # the first round of both stages
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    result = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    assert "201/201 steps" in result.stderr
    assert len((tmp_path / "self_play" / "searched_games.jsonl").read_text(encoding="utf-8").splitlines()) == 24
    refused = subprocess.run([*command, "--self-play", "3"], capture_output=True, encoding="utf-8", check=False)
    assert refused.returncode == 1
    assert "has self-play 2" in refused.stderr


@pytest.mark.parametrize(("name", "size"), [("robogo", "5"), ("dots_and_boxes", "2")])
def test_the_command_continues_after_a_kill_and_exports_the_same_outputs(name: str, size: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    folder, exported = tmp_path / "run", tmp_path / "net.onnx"
    words = ["neural", "--game", name, "--size", size, "--games", "20", "--nodes", "20", "--self-play", "4"]
    words += ["--steps", "1200", "--seed", "1", "--threads", "1"]
    words += ["--folder", str(folder)]
    command = [sys.executable, "-m", "gomogo", "train"]
    process = subprocess.Popen([*command, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    assert process.stdout.readline()  # wait until there is a checkpoint
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    result = subprocess.run([*command, *words], check=True, capture_output=True, encoding="utf-8")
    assert "1200/1200 steps" in result.stderr
    words = ["export", str(exported), "--folder", str(folder)]
    result = subprocess.run([*command, *words], check=True, capture_output=True, encoding="utf-8")
    assert float(result.stderr.split()[-1]) < 1e-4
    assert exported.stat().st_size < 500_000


def test_games_of_the_engine_start_differently_and_end() -> None:
    pytest.importorskip("torch")
    from gomogo_core.engines import compiling
    from training.self_play import engine_games

    records = list(islice(engine_games(compiling.load("gomogo_core.engines.go"), GAME, 1, 20, 0), 8))
    assert all(GAME.replay(record["moves"]).outcome() is not None for record in records)
    assert len({tuple(record["moves"]) for record in records}) > 4


def test_games_of_the_boxes_engine_name_all_best_edges_near_the_end() -> None:
    pytest.importorskip("torch")
    from gomogo_core.engines import compiling
    from gomogo_core.search.planes import edge_indexer
    from training.self_play import engine_games, self_play_examples

    game, module = DotsAndBoxes(rows=2, cols=2), compiling.load("gomogo_core.engines.boxes")
    records = list(islice(engine_games(module, game, 1, 20, 0), 6))
    assert records[2:] == list(islice(engine_games(module, game, 1, 20, 2), 4))
    solver, index = module.BoxesSolver(2, 2, 1), edge_indexer(game)
    for record in records:
        position: Any = game.start()
        for text, policy in zip(record["moves"], record["policy"], strict=True):
            if policy:
                best_edges = {index(game.edges[edge]) for edge in solver.best_edges(position.drawn)[1]}
                assert {place for place, _ in policy} == best_edges
            position = position.play(game.parse(text))
        assert record["winner"] == (position.outcome().winner or 0)
    examples = self_play_examples(records, game)
    assert examples.policy.shape[1:] == (25,)
    assert not examples.policy.reshape(-1, 5, 5)[examples.planes[:, 1] == 0].any()
