"""Simulated players with a known optimum reach it, a killed tuning continues, and only a gain is reported as one."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from tests.tournaments._commands import Command
from tournaments.plan import Plan
from tournaments.schedules import ScheduleResult
from tournaments.spec import spec_from_values
from tournaments.tuning import TunedOption, Tuning, TuningPlan, add_options_to_spec, parse_tuned_option

BEST = 70
PLANTED = f'''"""Any legal move, or it resigns, the more often the further `skill` is from {BEST}."""
import random
KEEP_RUNNING = True
def choose(position, clock, *, skill: int = 10, idle: float = 0.5):
    return "resign" if random.random() < abs(skill - {BEST}) / 100 else random.choice(list(position.moves()))
'''
SMALL = ("-o", "size=5", "-o", "line=4", "--seed", "1", "--openings", "random:2")


def tuning(*options: TunedOption, iterations: int = 100) -> Tuning:
    return Tuning("bot.py", options, iterations, 4, 1)


def strength(spec: str) -> float:
    """Return the Elo of a simulated player, which is lower if its options are further from their optimum."""
    values = dict(pair.split("=") for pair in spec.partition("?")[2].split("&"))
    return -sum(200 * ((float(value) - BEST) / 50) ** 2 for value in values.values())


def played(tuned: Tuning, rng: random.Random) -> list[tuple[float, ...]]:
    """Return the steps of a tuning of simulated players."""
    scores = dict[int, float]()
    for iteration in range(tuned.iterations):
        first_spec, other = tuned.version_specs(iteration, tuned.compute_steps(scores)[-1])
        wins = 1 / (1 + 10 ** ((strength(other) - strength(first_spec)) / 400))
        scores[iteration] = fmean(1 if rng.random() < wins else -1 for _ in range(2 * tuned.pairs))
    return tuned.compute_steps(scores)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_planted_players_reach_their_optimum(seed: int, whole: bool) -> None:
    options = [TunedOption(name, 10, 0, 100, whole) for name in ("one", "two")]
    steps = played(tuning(*options), random.Random(seed))
    for option, place in zip(options, tuning(*options).mean_of_later_half(steps), strict=True):
        assert abs(option.value_at(place) - BEST) < 12


def test_an_option_without_effect_does_not_keep_another_from_its_optimum() -> None:
    tuned = tuning(TunedOption("one", 10, 0, 100, False), TunedOption("idle", BEST, BEST - 1e-6, BEST + 1e-6, False))
    assert abs(tuned.options[0].value_at(tuned.mean_of_later_half(played(tuned, random.Random(3)))[0]) - BEST) < 12


@pytest.mark.parametrize("iteration", [0, 50, 99])
def test_two_versions_always_differ(iteration: int) -> None:
    tuned = tuning(TunedOption("depth", 2, 1, 3, True))
    assert len(set(tuned.version_specs(iteration, (0.5,)))) == 2


def test_tuned_versions_stay_in_their_range() -> None:
    tuned = tuning(TunedOption("depth", 1, 1, 9, True), TunedOption("risk", 1.0, 0.0, 1.0, False))
    for spec in tuned.version_specs(0, (0.0, 1.0)):
        values = dict(pair.split("=") for pair in spec.partition("?")[2].split("&"))
        assert 1 <= int(values["depth"]) <= 9
        assert 0 <= float(values["risk"]) <= 1


def test_the_next_games_are_planned_when_all_of_an_iteration_have_ended() -> None:
    path = "alpha_beta"
    option = parse_tuned_option(agent(path), "depth=1..4")
    tuned = Tuning(path, (option,), 3, 2, 1)
    spec = spec_from_values({"name": "t", "agents": [path, path], "games_per_pair": 12}, "The test")
    plan = TuningPlan(spec, Path(), tuned)
    first = list(plan.scheduled_games())
    assert [(game.player_indexes, game.opening_number) for game in first] == [
        ((0, 1), 0),
        ((1, 0), 0),
        ((0, 1), 1),
        ((1, 0), 1),
    ]
    results = [ScheduleResult(game.player_indexes, (1, 2), game.opening_number) for game in first]
    assert list(plan.scheduled_games(results[:3])) == first
    assert list(plan.scheduled_games(results))[:4] == first
    later = list(plan.scheduled_games(results))[4:]
    assert [game.opening_number for game in later] == [2, 2, 3, 3]
    specs = {plan.task(game).specs for game in later}
    assert {frozenset(pair) for pair in specs} == {frozenset(tuned.version_specs(1, plan.steps[1]))}
    assert plan.openings_setting == "random:4"
    other = TuningPlan(spec, Path(), Tuning(path, (option,), 3, 2, 2))
    assert plan.fingerprint != other.fingerprint != Plan(spec, Path()).fingerprint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depth", "not an option with a range"),
        ("depth=4..1", "4 is not less than 1"),
        ("depth=1..nan", "not an option with a range"),
        ("width=1..4", "no numeric option"),
        ("depth=5..9", "starts at"),
        ("depth=1.5..9", "whole numbers"),
    ],
)
def test_a_range_that_cannot_be_tuned_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_tuned_option(agent("alpha_beta"), text)


def test_an_engine_has_the_options_of_its_spec() -> None:
    engine_agent = agent("gomocup:./brain?risk=0.5&style=wild&depth=4")
    assert engine_agent.numeric_options == {"risk": 0.5, "depth": 4}
    with pytest.raises(UserError, match="no numeric option") as error_info:
        parse_tuned_option(engine_agent, "style=1..2")
    assert error_info.value.remedy.endswith("in the spec: gomocup:./brain?risk=0.5&style=wild&depth=4&style=1.")
    with pytest.raises(UserError) as error_info:
        parse_tuned_option(engine_agent, "rsik=0..1")
    assert error_info.value.remedy == "Did you mean risk?"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("bot.py", "bot.py?a=1"),
        ("bot.py?b=2", "bot.py?b=2&a=1"),
        ("bot.py?a=7&b=2", "bot.py?a=1&b=2"),
        ("gomocup:./brain?a=7", "gomocup:./brain?a=1"),
    ],
)
def test_options_are_written_into_a_spec(spec: str, expected: str) -> None:
    assert add_options_to_spec(spec, {"a": "1"}) == expected


def test_a_tuning_that_cannot_start_gives_the_reason(command: Command) -> None:
    Path("planted.py").write_text(PLANTED)
    result = command("tune", "planted.py")
    assert (result.code, "skill (10), idle (0.5)" in result.err) == (1, True)
    assert command("tune", "planted.py", "skill=0..100", "skill=0..50").code == 1
    assert not Path("gomogo.db").exists()


@pytest.mark.slow
def test_a_planted_agent_is_tuned_and_tested(command: Command) -> None:
    Path("planted.py").write_text(PLANTED)
    result = command("tune", "planted.py", "skill=0..100", "--iterations", "40", "--json", "--workers", "2", *SMALL)
    assert result.code == 0
    (option,) = result.json["options"]
    assert option["start"] == 10
    assert abs(option["tuned"] - BEST) < 15
    assert result.json["gained"]
    assert "Iteration 40 of 40: skill 10 → " in result.err


@pytest.mark.slow
def test_a_tuning_without_a_gain_reports_none(command: Command) -> None:
    Path("planted.py").write_text(PLANTED)
    asked = ("idle=0..1", "--iterations", "4", "--pairs", "2", "--test-games", "20", "--workers", "2", *SMALL)
    result = command("tune", f"planted.py?skill={BEST}", *asked)
    assert result.code == 0
    assert "does not show that the tuned agent is stronger" in result.out


@pytest.mark.slow
def test_a_killed_tuning_ends_with_the_same_result(tmp_path: Path) -> None:
    """The games have seeds, so both tunings play the same games."""
    (tmp_path / "planted.py").write_text(PLANTED)
    asked = ["planted.py", "skill=0..100", "--iterations", "12", "--test-games", "0", "--json", "--name", "t", *SMALL]

    def tune(store: str) -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "gomogo", "tune", *asked, "--store", str(tmp_path / store)]
        return subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ended(store: str) -> Any:
        out, err = tune(store).communicate(timeout=60)
        assert out, err
        return json.loads(out)

    whole = ended("whole.db")
    for delay in (1.5, 1.0):
        runner = tune("killed.db")
        time.sleep(delay)
        runner.kill()
        runner.communicate()
    assert ended("killed.db") == whole
