"""Ratings from results, on the Elo scale: the most likely ones, with intervals that the results themselves give.

Knows numbers only: no games, no store, no screen; the model is davidson.py's. The intervals come from weighing the
results anew at random many times: D. B. Rubin, The Bayesian Bootstrap, Annals of Statistics 9 (1981). What hangs
together, such as the two games of a pair from one opening, is weighed as one. So intervals need not be symmetric.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import NamedTuple

from tournaments.davidson import Cell, Fit, fit

ELO_PER_NAT = 400 / math.log(10)
SAMPLES, FEWEST = 400, 80  # times that the results are weighed anew: fewer where many players take long
_FITS = 4_000  # of one player's strength, after which it takes long
_PRIOR_GAMES = 1.0  # drawn, for each player, against the average; and for the first seat's advantage
_TAIL = 0.025
_FREEDOM = 2  # at least: with less, intervals would be wider than any difference in strength
_NORMAL = NormalDist()
_Z = _NORMAL.inv_cdf(1 - _TAIL)
_NEARLY = 1e-3  # nats to which weighed results are fitted: a sixth of an Elo


class Meeting(NamedTuple):
    """Games between two players with `first` in the first seat: how many it won, drew and lost."""

    first: str
    second: str
    wins: float = 0
    draws: float = 0
    losses: float = 0


class Unit(NamedTuple):
    """Meetings that hang together, such as the games of a pair, and how often exactly these came about."""

    meetings: tuple[Meeting, ...]
    times: int = 1


class Rating(NamedTuple):
    """A rating on the Elo scale, and the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


class Ratings(NamedTuple):
    """What the results say of everybody whom games link, with mean 0.

    first_seat: what that seat is worth, None where nobody changed seats. draws: how likely equals draw, seats apart.
    better: for each two players how likely the one is the stronger. apart: the groups whom no games link to these.
    """

    players: dict[str, Rating]
    first_seat: Rating | None
    draws: float
    better: dict[tuple[str, str], float]
    apart: tuple[tuple[str, ...], ...]


def rate(
    units: Iterable[Unit | Meeting], *, prior_games: float = _PRIOR_GAMES, samples: int | None = None, seed: int = 0
) -> Ratings:
    """Rate everybody whom games link to the most others, strongest first.

    Where games leave groups that never met, ratings between them mean nothing: only the largest is rated. prior_games:
    few enough to weigh little. samples: how often the results are weighed anew. seed: of the random weights, so that
    the same results have the same intervals.
    """
    gathered = _gathered(units)
    groups = _groups(meeting for meetings in gathered for meeting in meetings)
    players = groups[0] if groups else ()
    number = {player: i for i, player in enumerate(players)}
    kept = [
        ([(number[m.first], number[m.second], m.wins, m.draws, m.losses) for m in meetings], times)
        for meetings, times in gathered.items()
        if meetings[0].first in number
    ]
    half = prior_games / 2
    best = fit(len(players), _cells(kept, [times for _, times in kept]), [(half, half)] * (len(players) + 1))
    chance = random.Random(seed)
    sampled = []
    if samples is None:
        samples = min(SAMPLES, max(FEWEST, _FITS // max(1, len(players))))
    for _ in range(samples if players else 0):
        weights = [chance.gammavariate(times, 1.0) for _, times in kept]
        prior = [(half * chance.expovariate(1.0), half * chance.expovariate(1.0)) for _ in range(len(players) + 1)]
        sampled.append(fit(len(players), _cells(kept, weights), prior, best, exact=_NEARLY))
    weighed = [
        sum(times for meetings, times in kept if any(i in (m[0], m[1]) for m in meetings)) for i in number.values()
    ]
    return _told(players, best, sampled, list(map(_stretch, weighed)), groups[1:])


def _gathered(units: Iterable[Unit | Meeting]) -> dict[tuple[Meeting, ...], int]:
    """How often the same meetings came about together. A Meeting alone is so many games, each by itself."""
    found: defaultdict[tuple[Meeting, ...], int] = defaultdict(int)
    for unit in units:
        if isinstance(unit, Unit):
            meetings = tuple(m for m in unit.meetings if m.first != m.second and m.wins + m.draws + m.losses)
            if meetings and unit.times:
                found[meetings] += unit.times
        elif unit.first != unit.second:
            for name, times in zip(("wins", "draws", "losses"), unit[2:], strict=True):
                if times:
                    found[(Meeting(unit.first, unit.second, **{name: 1}),)] += int(times)
    return found


def _cells(
    kept: Sequence[tuple[Sequence[tuple[int, int, float, float, float]], int]], weights: Sequence[float]
) -> list[Cell]:
    """All meetings added up by who sat where, each as often as its weight says."""
    sums: dict[tuple[int, int], list[float]] = {}
    for (meetings, _), weight in zip(kept, weights, strict=True):
        for first, second, *counts in meetings:
            total = sums.setdefault((first, second), [0.0, 0.0, 0.0])
            for i, count in enumerate(counts):
                total[i] += weight * count
    return [Cell(*who, *total) for who, total in sums.items()]


def _stretch(units: int) -> float:
    """By how much errors are larger than few units show, when these are weighed anew.

    Weighed units spread less than new ones would, as n - 1 to n + 1 in variance, and Student's t is wider than a normal
    distribution; its quantile by G. Hill, Communications of the ACM 13 (1970), algorithm 396, to its third term.
    """
    freedom = max(_FREEDOM, units - 1)
    terms = (_Z**3 + _Z) / 4 / freedom, (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / 96 / freedom**2
    third = (3 * _Z**7 + 19 * _Z**5 + 17 * _Z**3 - 15 * _Z) / 384 / freedom**3
    return math.sqrt((units + 1) / freedom) * (_Z + sum(terms) + third) / _Z


def _told(
    players: Sequence[str],
    best: Fit,
    sampled: Sequence[Fit],
    stretched: Sequence[float],
    apart: Sequence[tuple[str, ...]],
) -> Ratings:
    spread = [sorted(sample.strengths[i] for sample in sampled) for i in range(len(players))]
    rated = {
        player: _rating(best.strengths[i], spread[i], stretched[i])
        for i, player in sorted(enumerate(players), key=lambda one: -best.strengths[one[0]])
    }
    better = {
        (players[i], players[j]): _likelihood(
            (sum(s.strengths[i] > s.strengths[j] for s in sampled) + 0.5) / (len(sampled) + 1),
            max(stretched[i], stretched[j]),
        )
        for i in range(len(players))
        for j in range(len(players))
        if i != j
    }
    first_seat = None
    if best.first_seat is not None:
        first_seat = _rating(best.first_seat, sorted(sample.first_seat or 0.0 for sample in sampled), min(stretched))
    return Ratings(rated, first_seat, best.shares(0.0)[1], better, tuple(apart))


def _likelihood(share: float, stretch: float) -> float:
    return _NORMAL.cdf(_NORMAL.inv_cdf(share) / stretch)


def _rating(nats: float, sampled: Sequence[float], stretch: float) -> Rating:
    ends = sampled[int(_TAIL * len(sampled))], sampled[-1 - int(_TAIL * len(sampled))]
    low, high = (nats + stretch * (end - nats) for end in ends)
    return Rating(nats * ELO_PER_NAT, low * ELO_PER_NAT, high * ELO_PER_NAT)


def _groups(meetings: Iterable[Meeting]) -> list[tuple[str, ...]]:
    """Who are linked to each other by games, the most players first; of equally many, those who met first."""
    leader: dict[str, str] = {}

    def find(player: str) -> str:
        while leader.setdefault(player, player) != player:
            leader[player] = leader[leader[player]]
            player = leader[player]
        return player

    for meeting in meetings:
        leader[find(meeting.second)] = find(meeting.first)
    groups: dict[str, list[str]] = {}
    for player in leader:
        groups.setdefault(find(player), []).append(player)
    return sorted((tuple(sorted(group)) for group in groups.values()), key=len, reverse=True)
