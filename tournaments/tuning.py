"""Tune numeric options of an agent with games between two versions of it. The method is SPSA (simultaneous perturbation
stochastic approximation).

The module uses plans and results, and plays no game. Each step is a pure function of the seed and the earlier results,
so a resumed tuning computes the same steps.

Each iteration changes all options at once by small amounts with random signs; a second version gets the opposite
changes. The two versions play against each other, and the options move towards the better one (J. C. Spall,
Multivariate Stochastic Approximation Using a Simultaneous Perturbation Gradient Approximation, IEEE Transactions on
Automatic Control 37, 1992). The exponents are those of Spall's guidelines (IEEE Transactions on Aerospace and
Electronic Systems 34, 1998). The result is the mean of the later half of the values, which varies less than the last
value (B. Polyak and A. Juditsky, SIAM Journal on Control and Optimization 30, 1992).
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property
from statistics import fmean
from typing import Any

from gomogo_core import catalogue
from gomogo_core.errors import UserError, suggest_name
from tournaments.openings import BALANCED, has_balanced_openings
from tournaments.plan import Plan, make_spec_absolute
from tournaments.schedules import ScheduledGame, ScheduleResult
from tournaments.task import GameTask

_PAIR_SIZE = 2  # games of a pair
_LAST_PERTURBATION = 0.2  # the change of an option in either direction in the last iteration, as a share of its range
_PERTURBATION_DECAY, _STEP_DECAY = 0.101, 0.602  # Spall's exponents
# The first step after a score of 1, divided by the first change; simulated players ended 1 to 5 Elo below their best.
_FIRST_STEP_FACTOR = 2.0
# this share of all iterations is added to each iteration's number, so that later steps stay large
_STABILITY_SHARE = 0.1
_TREND_ITERATIONS = 10  # `summary` shows the change in this number of latest iterations

Fractions = tuple[float, ...]  # the value of each option as a fraction of its range: 0 is the low end, 1 the high end


@dataclass(frozen=True, slots=True)
class TunedOption:
    """An option that is tuned between `low` and `high`. start: its value at the beginning. whole: whether its values
    are whole numbers.
    """

    name: str
    start: float
    low: float
    high: float
    whole: bool

    @property
    def start_fraction(self) -> float:
        """The starting value as a fraction of the range."""
        return (self.start - self.low) / (self.high - self.low)

    def value_at(self, fraction: float) -> float:
        """Return the value at a fraction of the range, not rounded."""
        return self.low + fraction * (self.high - self.low)

    def spec_text_at(self, fraction: float) -> str:
        """Return the value at a fraction of the range, as text for an agent's spec."""
        value = self.value_at(fraction)
        return str(math.floor(value + 0.5)) if self.whole else f"{value:.5g}"

    def perturbation(self, minimum: float) -> float:
        """Return the change in either direction: at least `minimum`, and enough to change a whole number."""
        return max(minimum, 0.5 / (self.high - self.low)) if self.whole else minimum


def parse_tuned_option(agent: catalogue.Agent, text: str) -> TunedOption:
    """Return the option of an agent for a text NAME=LOW..HIGH. The starting value is that of the agent.

    Raises UserError if the text is invalid, or the agent has no such option.
    """
    name, _, range_text = text.partition("=")
    try:
        low, high = map(float, range_text.split(".."))
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError
    except ValueError:
        remedy = "Write NAME=LOW..HIGH, for example depth=1..6."
        raise UserError(f"{text!r} is not an option with a range.", remedy) from None
    if low >= high:
        raise UserError(f"{text}: {low:g} is not less than {high:g}.", "Write the lower limit first: NAME=LOW..HIGH.")
    numeric_options = agent.numeric_options
    if name not in numeric_options:
        takes_any_option = agent.protocol != "files" or agent.owns_folder
        if get_close_matches(name, numeric_options, n=1) if takes_any_option else numeric_options:
            remedy = suggest_name(name, numeric_options)
        elif takes_any_option:
            separator = "&" if "?" in agent.spec else "?"
            remedy = f"Give its starting value in the spec: {agent.spec}{separator}{name}={low:g}."
        else:
            remedy = "Give its function `choose` keyword-only arguments."
        raise UserError(f"{agent.spec} has no numeric option {name!r}.", remedy)
    start = numeric_options[name]
    if not low <= start <= high:
        raise UserError(
            f"{name} starts at {start:g}, which is not between {low:g} and {high:g}.",
            "Choose another range, or another starting value in the spec.",
        )
    is_whole = isinstance(start, int)
    if is_whole and (low % 1 or high % 1):
        problem = f"{name} needs whole numbers, and {range_text} is not a range of them."
        raise UserError(problem, f"Write for example {name}=1..6.")
    return TunedOption(name, start, low, high, is_whole)


def add_options_to_spec(spec: str, values: Mapping[str, str]) -> str:
    """Return an agent's spec with these options added. They replace options of the same names."""
    base_spec, separator, query = spec.rpartition("?")
    if not separator or "=" not in query:
        base_spec, query = spec, ""
    present_options = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
    return f"{base_spec}?{'&'.join(f'{name}={value}' for name, value in {**present_options, **values}.items())}"


@dataclass(frozen=True, slots=True)
class Tuning:
    """The settings of a tuning. agent: the spec of the agent. pairs: the number of pairs of games in each iteration."""

    agent: str
    options: tuple[TunedOption, ...]
    iterations: int
    pairs: int
    seed: int

    def compute_steps(self, scores: Mapping[int, float]) -> list[Fractions]:
        """Return the options' values before each iteration and after the last one, as far as the results determine
        them.

        scores: the score of the first version in each iteration, from -1 (it lost all games) to 1 (it won all games).
        """
        steps = [tuple(option.start_fraction for option in self.options)]
        while (iteration := len(steps) - 1) < self.iterations and iteration in scores:
            first_number = 1 + _STABILITY_SHARE * self.iterations
            step = _FIRST_STEP_FACTOR * (first_number / (iteration + first_number)) ** _STEP_DECAY * scores[iteration]
            changes = zip(steps[iteration], self._perturbations(iteration), strict=True)
            steps.append(tuple(min(max(fraction + step * change, 0), 1) for fraction, change in changes))
        return steps

    def version_specs(self, iteration: int, fractions: Fractions) -> tuple[str, str]:
        """Return the specs of the two versions in an iteration. fractions: the values before the iteration."""
        pairs = list(zip(fractions, self._perturbations(iteration), strict=True))
        first_version = tuple(fraction + change for fraction, change in pairs)
        second_version = tuple(fraction - change for fraction, change in pairs)
        return self.spec_with_values(first_version), self.spec_with_values(second_version)

    def spec_with_values(self, fractions: Fractions) -> str:
        """Return the agent's spec with these values. A value outside its range is moved to the nearest end."""
        pairs = zip(self.options, fractions, strict=True)
        values = {option.name: option.spec_text_at(min(max(fraction, 0), 1)) for option, fraction in pairs}
        return add_options_to_spec(self.agent, values)

    def mean_of_later_half(self, steps: Sequence[Fractions]) -> Fractions:
        """Return the mean values in the later half of the steps, which is the result of the tuning."""
        later = steps[len(steps) // 2 :]
        return tuple(map(fmean, zip(*later, strict=True)))

    def summary(self, steps: Sequence[Fractions]) -> str:
        """Return one line with the progress, each option's current value, and its change in the last iterations."""
        earlier_fractions = steps[max(0, len(steps) - 1 - _TREND_ITERATIONS)]
        option_texts = [
            f"{option.name} {option.start:g} → {option.value_at(current):.4g} "
            f"({option.value_at(current) - option.value_at(earlier):+.2g})"
            for option, current, earlier in zip(self.options, steps[-1], earlier_fractions, strict=True)
        ]
        trend_note = f"; in parentheses the change in the last {_TREND_ITERATIONS} iterations"
        trend_note *= len(steps) > _TREND_ITERATIONS
        return f"Iteration {len(steps) - 1} of {self.iterations}: {', '.join(option_texts)}{trend_note}."

    def _perturbations(self, iteration: int) -> list[float]:
        """Return the change of each option in the first version: small, with a random sign."""
        minimum = _LAST_PERTURBATION * (self.iterations / (iteration + 1)) ** _PERTURBATION_DECAY
        signs = random.Random(f"{self.seed}:{iteration}").choices((-1, 1), k=len(self.options))
        return [option.perturbation(minimum) * sign for option, sign in zip(self.options, signs, strict=True)]


@dataclass(frozen=True)
class TuningPlan(Plan):
    """The plan of a tuning. Its players are `plus` and `minus`, the two versions that meet in each iteration.

    steps: the result of `Tuning.steps` for the results of the last call of `scheduled_games`.
    """

    tuning: Tuning
    steps: list[Fractions] = field(default_factory=list, compare=False)

    @cached_property
    def stored_names(self) -> tuple[str, ...]:
        """The two versions. Their options change from iteration to iteration."""
        return "plus", "minus"

    @cached_property
    def display_names(self) -> tuple[str, ...]:
        """The names of the versions in tables."""
        return self.stored_names

    @cached_property
    def openings_setting(self) -> str:
        """The argument of `load_openings`. There are always openings by default, since deterministic agents would
        otherwise repeat one game.
        """
        if self.spec.openings is None:
            needs_balanced = all(agent.needs_balanced_openings for agent in self.agents)
            return BALANCED if needs_balanced and has_balanced_openings(self.game) else "random:4"
        return super().openings_setting

    @cached_property
    def result_settings(self) -> dict[str, Any]:
        """The settings on which the results of games depend, including those of the tuning."""
        return {**super().result_settings, "tuning": asdict(self.tuning)}

    def scheduled_games(
        self, results: Iterable[ScheduleResult] = (), *, games_ahead: int = 1
    ) -> Iterator[ScheduledGame]:
        """Return the games of all iterations whose two versions are known from the results so far."""
        self.steps[:] = self.tuning.compute_steps(iteration_scores(results, self.tuning.pairs))
        pair_count = min(len(self.steps), self.tuning.iterations) * self.tuning.pairs
        for pair in range(pair_count):
            yield ScheduledGame((0, 1), pair)
            yield ScheduledGame((1, 0), pair)

    def task(self, game: ScheduledGame) -> GameTask:
        """Return a planned game as a task, with the versions of its iteration."""
        iteration = game.opening_number // self.tuning.pairs
        versions = self.tuning.version_specs(iteration, self.steps[iteration])
        specs = tuple(versions[number] for number in game.player_indexes)
        absolute_specs = tuple(make_spec_absolute(spec, self.base_folder) for spec in specs)
        return replace(super().task(game), specs=specs, absolute_specs=absolute_specs)


def iteration_scores(results: Iterable[ScheduleResult], pairs: int) -> dict[int, float]:
    """Return the first version's score, from -1 to 1, by iteration. Iterations with unplayed games are left out."""
    scores_by_iteration: defaultdict[int, list[float]] = defaultdict(list)
    for result in results:
        first_version_points = result.points[result.player_indexes.index(0)]
        scores_by_iteration[result.opening_number // pairs].append(2 * first_version_points - 1)
    complete = ((number, scores) for number, scores in scores_by_iteration.items() if len(scores) == _PAIR_SIZE * pairs)
    return {iteration: fmean(scores) for iteration, scores in complete}
