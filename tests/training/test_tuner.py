"""The genetic search of mm_ai's settings: it keeps what is good, repeats itself, and prints what a training reads."""

from __future__ import annotations

import tomllib

import msgspec
import pytest

from training import settings
from training.settings import TrainingSettings


def known_settings() -> TrainingSettings:
    return settings.read_settings(settings.TRAINING_FOLDER / "mm_ai.toml")


def test_a_search_of_tables_is_reproducible_and_keeps_its_start() -> None:
    from training.tuner import as_toml, tune_score_table

    first, second = (list(tune_score_table(known_settings().scores, 2, 4, 20, seed=3)) for _ in range(2))
    assert first == second
    assert [each.number for each in first] == [1, 2]
    assert sum(first[0].measures) > 1.5  # the table of mm_ai.toml wins nearly all games
    read_back = msgspec.convert(tomllib.loads(as_toml(first[1].settings))["scores"], settings.ScoreTableSettings)
    assert read_back.own.five == pytest.approx(first[1].settings.own.five, rel=1e-3)


@pytest.mark.long
def test_a_search_of_trainings_changes_their_numbers_only() -> None:
    torch = pytest.importorskip("torch")
    from training.tuner import as_toml, tune_training

    torch.set_num_threads(1)
    content = msgspec.to_builtins(known_settings())
    content["network"] |= {"channels": (4, 8), "hidden": 8}
    content["learning"] |= {"round": 4, "samples": 12}
    start = msgspec.convert(content, TrainingSettings)
    first, second = (list(tune_training(start, 2, 4, 8, seed=1)) for _ in range(2))
    assert first == second
    last_version = first[-1]
    assert 0 < last_version.measures[0] < 1
    assert last_version.settings.scores == start.scores
    assert last_version.settings.network.channels == start.network.channels
    read_back = tomllib.loads(as_toml(last_version.settings))
    assert set(read_back) == {"network", "optimiser", "learning"}
    assert read_back["learning"]["samples"] == last_version.settings.learning.samples
    changed = msgspec.to_builtins(start)
    for section, values in read_back.items():
        changed[section] |= values
    msgspec.convert(changed, TrainingSettings)


def test_numbers_stay_within_the_settings() -> None:
    np = pytest.importorskip("numpy")
    from training.tuner import _with_searched_values

    new_settings = _with_searched_values(known_settings(), np.array([0.2, 0.01, 0.001, 7.0, 0.1, 0.3, 1.0, 0.1]))
    assert (new_settings.network.hidden, new_settings.learning.exploration) == (1, 1.0)
    assert (new_settings.learning.samples, new_settings.learning.batch) == (1, 3)
