"""Tune numeric options of an agent by its own games: SPSA, with a pair of games as its measurement.

Uses plans and results; plays nothing. A step is a pure function of the seed and of the earlier results, so a resumed
tuning computes the same steps.

J. C. Spall, Multivariate Stochastic Approximation Using a Simultaneous Perturbation Gradient Approximation (IEEE
Transactions on Automatic Control 37, 1992): each iteration changes all options at once, by random signs, in one
direction and in the other. The two versions meet, and the options follow the better one. The exponents are those of
his guidelines (IEEE Transactions on Aerospace and Electronic Systems 34, 1998). The result is the mean of the later
half of the values, which varies less than the last one (B. Polyak and A. Juditsky, SIAM Journal on Control and
Optimization 30, 1992).
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from statistics import fmean
from typing import Any

from gomogo_core import catalogue
from gomogo_core.errors import UserError, suggest_name
from tournaments.openings import BALANCED, has_balanced
from tournaments.plan import Plan, locate_spec
from tournaments.schedules import ScheduledGame, ScheduleResult
from tournaments.task import Task

_GAMES = 2  # games of a pair
_WIDTH = 0.2  # share of the range by which an option is changed in either direction, in the last iteration
_WIDTH_FALLS, _RATE_FALLS = 0.101, 0.602  # Spall's exponents
# the first step after a score of 1, in widths of that change; simulated players lost 1 to 5 Elo with this value
_RATE = 2.0
_STABLE = 0.1  # share of all iterations that is added to the number of each, so that not only the first steps are large
_TREND = 10  # iterations whose change is shown

Places = tuple[float, ...]  # places of the options, from 0 (low end) to 1 (high end)


@dataclass(frozen=True, slots=True)
class TunedOption:
    """An option that is tuned between two ends. whole: whether it takes whole numbers."""

    name: str
    start: float
    low: float
    high: float
    whole: bool

    @property
    def first(self) -> float:
        """The place of the starting value."""
        return (self.start - self.low) / (self.high - self.low)

    def value(self, place: float) -> float:
        """Return the value at a place; not rounded."""
        return self.low + place * (self.high - self.low)

    def text(self, place: float) -> str:
        """Return the value in the form of an agent's spec."""
        value = self.value(place)
        return str(math.floor(value + 0.5)) if self.whole else f"{value:.5g}"

    def width(self, least: float) -> float:
        """Return the smallest change, at least `least`, that makes two versions differ."""
        return max(least, 0.5 / (self.high - self.low)) if self.whole else least


def tuned_option(agent: catalogue.Agent, text: str) -> TunedOption:
    """Read NAME=LOW..HIGH for an agent, which has the starting value. Raises UserError."""
    name, _, ends = text.partition("=")
    try:
        low, high = map(float, ends.split(".."))
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ValueError
    except ValueError:
        raise UserError(f"{text!r} is no range of an option.", "Write NAME=LOW..HIGH, like depth=1..6.") from None
    numbers = agent.numeric_options
    if name not in numbers:
        if agent.protocol != "files" or agent.owns_folder:
            remedy = f"Give its starting value in the spec: {agent.spec}?{name}={low:g}."
        else:
            remedy = suggest_name(name, numbers) if numbers else "It has none: give `choose` keyword-only arguments."
        raise UserError(f"{agent.spec} has no numeric option {name!r}.", remedy)
    start = numbers[name]
    if not low <= start <= high:
        raise UserError(
            f"{name} starts at {start:g}, which is not between {low:g} and {high:g}.",
            "Give another range, or another starting value in the spec.",
        )
    whole = isinstance(start, int)
    if whole and (low % 1 or high % 1):
        raise UserError(f"{name} takes whole numbers, which {ends} are not.", f"Write {name}=1..6, for example.")
    return TunedOption(name, start, low, high, whole)


def with_options(spec: str, values: Mapping[str, str]) -> str:
    """Return an agent's spec with these options in it, in place of those of the same names."""
    named, mark, query = spec.rpartition("?")
    if not mark or "=" not in query:
        named, query = spec, ""
    given = dict(pair.split("=", 1) for pair in query.split("&") if "=" in pair)
    return f"{named}?{'&'.join(f'{name}={value}' for name, value in {**given, **values}.items())}"


@dataclass(frozen=True, slots=True)
class Tuning:
    """The tuned options, and the schedule. pairs: the number of pairs of games in each iteration."""

    agent: str
    options: tuple[TunedOption, ...]
    iterations: int
    pairs: int
    seed: int

    def steps(self, scores: Mapping[int, float]) -> list[Places]:
        """Return the places before each iteration, as far as they are known, and after the last one.

        scores: by iteration, what the first version scored, from -1 (it lost all games) to 1.
        """
        found = [tuple(option.first for option in self.options)]
        while (k := len(found) - 1) < self.iterations and k in scores:
            stable = _STABLE * self.iterations
            rate = _RATE * ((1 + stable) / (k + 1 + stable)) ** _RATE_FALLS
            moved = zip(found[k], self._widths(k), self._random_signs(k), strict=True)
            found.append(tuple(min(max(x + rate * width * sign * scores[k], 0), 1) for x, width, sign in moved))
        return found

    def versions(self, iteration: int, places: Places) -> tuple[str, str]:
        """Return the specs of the two versions that meet in an iteration which begins at these places."""
        changes = [
            width * sign for width, sign in zip(self._widths(iteration), self._random_signs(iteration), strict=True)
        ]
        one, other = (tuple(x + way * change for x, change in zip(places, changes, strict=True)) for way in (1, -1))
        return self.spec(one), self.spec(other)

    def spec(self, places: Places) -> str:
        """Return the agent's spec with its options at these places, or at the ends next to them."""
        inside = (min(max(place, 0), 1) for place in places)
        values = {option.name: option.text(place) for option, place in zip(self.options, inside, strict=True)}
        return with_options(self.agent, values)

    def result(self, steps: Sequence[Places]) -> Places:
        """Return the mean of the later half of the places."""
        later = steps[len(steps) // 2 :]
        return tuple(map(fmean, zip(*later, strict=True)))

    def summary(self, steps: Sequence[Places]) -> str:
        """Return the progress, each option's current value, and its change in the last iterations, as one line."""
        before = steps[max(0, len(steps) - 1 - _TREND)]
        words = [
            f"{option.name} {option.start:g} → {option.value(now):.4g} ({option.value(now) - option.value(then):+.2g})"
            for option, now, then in zip(self.options, steps[-1], before, strict=True)
        ]
        since = f"; in parentheses the change in the last {_TREND} iterations" if len(steps) > _TREND else ""
        return f"Iteration {len(steps) - 1} of {self.iterations}: {', '.join(words)}{since}."

    def _widths(self, iteration: int) -> list[float]:
        wanted = _WIDTH * (self.iterations / (iteration + 1)) ** _WIDTH_FALLS
        return [option.width(wanted) for option in self.options]

    def _random_signs(self, iteration: int) -> list[int]:
        return random.Random(f"{self.seed}:{iteration}").choices((-1, 1), k=len(self.options))


@dataclass(frozen=True)
class TuningPlan(Plan):
    """The games of a tuning: in each iteration its two versions meet, `plus` and `minus`, which are the players."""

    tuning: Tuning
    steps: list[Places] = field(default_factory=list, compare=False)  # after the results of the last call

    @cached_property
    def players(self) -> tuple[str, ...]:
        """The two versions; their options change from iteration to iteration."""
        return "plus", "minus"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of the versions in tables."""
        return self.players

    @cached_property
    def openings_text(self) -> str:
        """Return the text for `openings`. Without openings, deterministic agents would repeat one game."""
        if self.spec.openings is None:
            engines = has_balanced(self.game) and all(agent.is_engine for agent in self.agents)
            return BALANCED if engines else "random:4"
        return super().openings_text

    @cached_property
    def terms(self) -> dict[str, Any]:
        """Return the terms of every game, and the tuned options."""
        return {**super().terms, "tuning": asdict(self.tuning)}

    def pairings(self, results: Iterable[ScheduleResult] = (), *, ahead: int = 1) -> Iterator[ScheduledGame]:
        """Return the games of all iterations whose versions are known."""
        self.steps[:] = self.tuning.steps(scores(results, self.tuning.pairs))
        last = min(len(self.steps), self.tuning.iterations) * self.tuning.pairs
        for pair in range(last):
            yield ScheduledGame((0, 1), pair)
            yield ScheduledGame((1, 0), pair)

    def task(self, pairing: ScheduledGame) -> Task:
        """Return the task of a pairing, with the versions of its iteration."""
        iteration = pairing.opening // self.tuning.pairs
        versions = self.tuning.versions(iteration, self.steps[iteration])
        specs = tuple(versions[number] for number in pairing.players)
        agents = tuple(locate_spec(spec, self.folder) for spec in specs)
        return replace(super().task(pairing), specs=specs, agents=agents)


def scores(results: Iterable[ScheduleResult], pairs: int) -> dict[int, float]:
    """Return the score of the first player, from -1 to 1, in each iteration all of whose games have a result."""
    games: defaultdict[int, list[float]] = defaultdict(list)
    for result in results:
        own = result.points[result.players.index(0)]
        games[result.opening // pairs].append(2 * own - 1)
    return {iteration: fmean(points) for iteration, points in games.items() if len(points) == _GAMES * pairs}
