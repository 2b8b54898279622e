"""Eight levels for every game, each playable; and the staircase that lets a person win about half of their games."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from gomogo_core import games, levels
from gomogo_core.catalogue import check_agents
from gomogo_core.errors import UserError
from gomogo_core.level_names import STRONGEST, level_of_player
from gomogo_core.levels import FIRST_LEVEL, advise_level

WIN, DRAW, LOSS = 1.0, 0.5, 0.0


@pytest.mark.parametrize("name", games.names())
def test_every_level_of_every_game_has_a_playable_agent(name: str) -> None:
    game_levels = levels.levels_of_game(name)
    assert [level.number for level in game_levels] == list(range(1, 9))
    for level in game_levels:
        check_agents(games.load(name), [level.opponent()] * 2)
        assert level.seconds > 0
        assert (level.opponent().name, level.opponent().spec) == (f"level-{level.number}", level.spec)


@pytest.mark.parametrize("name", games.names())
def test_without_compiled_engines_the_adaptive_level_is_the_highest_playable_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = [(f"level-{number}", WIN) for number in (3, 4, 5, 6, 7, 8)]
    assert levels.advised_level(name, results)[0].number == 8
    monkeypatch.setattr("gomogo_core.catalogue._agent.find_spec", lambda library: None)
    level, words = levels.advised_level(name, results)
    assert not level.missing_extra
    assert words.startswith(level.label)
    assert level.number >= 3


def test_a_game_without_own_levels_uses_the_general_ones() -> None:
    assert levels.levels_of_game("a_game_of_tomorrow") == levels.levels_of_game("any")


def test_no_file_of_levels_is_for_a_game_that_does_not_exist() -> None:
    level_files = {path.stem for path in levels._LEVELS_FOLDER.glob("*.toml")}
    assert level_files <= {*games.names(), "any"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("levels = [", "has no valid list of levels"),
        ("rungs = []", "KeyError: 'levels'"),
        ("levels = [1]", "has no valid list of levels"),
        ('levels = [{ agent = "greedy" }]', "level 1 has the keys agent, not agent and seconds"),
        ('levels = [{ agent = "greedy", seconds = "long" }]', "could not convert"),
        ('levels = [{ agent = "greedy", seconds = 1 }]', "has 1 levels"),
    ],
)
def test_a_level_file_without_an_agent_is_refused(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text(text)
    monkeypatch.setattr(levels, "_LEVELS_FOLDER", tmp_path)
    with pytest.raises(UserError, match=reason):
        levels.levels_of_game("mine")


def test_a_player_name_contains_its_level() -> None:
    assert [level_of_player(name) for name in ("level-1", "level-8-2", "level-9", "my-level-3")] == [1, 8, None, None]


def test_a_new_player_starts_below_the_middle_level() -> None:
    assert advise_level([]).level == FIRST_LEVEL
    assert advise_level([]).reason == "you have no results yet"


@pytest.mark.parametrize(
    ("results", "level", "reason"),
    [
        ([(3, WIN)], 4, "you won your last game"),
        ([(3, WIN), (4, WIN)], 5, "you won your last 2 games"),
        ([(3, LOSS)], 2, "you lost your last game"),
        ([(3, WIN), (4, LOSS)], 4, "you lost your last game"),  # half a step down from 4
        ([(3, WIN), (4, LOSS), (4, LOSS)], 3, "you lost your last 2 games"),
        ([(3, DRAW)], 3, "your last game was even"),
        ([(3, LOSS), (2, LOSS), (1, LOSS), (1, LOSS)], 1, "you lost your last 4 games"),
        ([(n, WIN) for n in (3, 4, 5, 6, 7, 8, 8)], 8, "you won your last 7 games"),
    ],
)
def test_a_win_raises_the_level_and_a_loss_lowers_it(results: list[tuple[int, float]], level: int, reason: str) -> None:
    assert (advise_level(results).level, advise_level(results).reason) == (level, reason)


def test_expected_results_do_not_change_the_level() -> None:
    assert advise_level([(1, WIN), (2, WIN), (8, LOSS)]).level == FIRST_LEVEL
    assert advise_level([(8, WIN)]).level == FIRST_LEVEL + 1


def play(strength: float, steepness: float, games: int, seed: int) -> tuple[float, list[int]]:
    """The share of its games that a person of this strength wins, and the levels played.

    At a level equal to the strength they win half; the chance falls by the logistic curve.
    """
    rng, results = random.Random(seed), list[tuple[int, float]]()
    for _ in range(games):
        level = advise_level(results).level
        wins = rng.random() < 1 / (1 + math.exp(steepness * (level - strength)))
        results.append((level, WIN if wins else LOSS))
    return sum(share for _, share in results) / games, [level for level, _ in results]


@pytest.mark.slow
@pytest.mark.parametrize("steepness", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("strength", [2.0, 2.7, 4.0, 5.4, 7.0])
def test_a_person_of_any_strength_wins_half_of_the_games(strength: float, steepness: float) -> None:
    for seed in range(5):
        won, played = play(strength, steepness, 200, seed)
        assert 0.45 <= won <= 0.55
        assert abs(sum(played[50:]) / 150 - strength) < 1


def test_a_person_stronger_than_all_levels_plays_the_strongest() -> None:
    won, played = play(20, 1.0, 50, 1)
    assert won == 1
    assert set(played[5:]) == {STRONGEST}


def test_the_scores_of_the_levels_are_those_that_were_measured() -> None:
    """The table for Gomoku has a line for each level, the other table a column for each game."""
    text = (Path(__file__).parents[1] / "docs" / "why" / "levels.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if " against " in line]
    rows = [row for row in rows if row[-1].endswith("%")]
    measured = {"gomoku": [row[-1] for row in rows if len(row) == 4]}
    for column, name in enumerate(("go", "capture_go", "robogo", "dots_and_boxes"), 1):
        measured[name] = [row[column] for row in rows if len(row) == 5]
    for name, scores in measured.items():
        assert [f"{level.score} %" for level in levels.levels_of_game(name)[1:]] == scores
        assert levels.levels_of_game(name)[0].score is None


@pytest.mark.parametrize("name", games.names())
def test_a_level_is_described_in_words(name: str) -> None:
    described = [level.description for level in levels.levels_of_game(name)]
    assert len(set(described)) == 8
    for words in described:
        assert words.endswith(".")
        assert not set("?=") & set(words)
