"""Ratings from results: the Bradley-Terry model by maximum likelihood, on the Elo scale, with 95 % intervals.

Knows numbers only: no games, no store, no screen. Standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

ELO_PER_NAT = 400 / math.log(10)
_Z95 = 1.959963984540054  # the 97.5 % point of the normal distribution
_PRIOR_GAMES = 1.0
_STEPS = 100


class Meeting(NamedTuple):
    """What two players did to each other: so many games, of which `first` scored so many points (a draw is half)."""

    first: str
    second: str
    games: int
    points: float


class Rating(NamedTuple):
    """A rating on the Elo scale, and the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


def bradley_terry(meetings: Iterable[Meeting], *, prior_games: float = _PRIOR_GAMES) -> dict[str, Rating]:
    """Rate everybody whom games link, with mean 0.

    The model: a scores 1/(1 + exp(b - a)) against b (R. A. Bradley and M. E. Terry, Biometrika 39, 1952). A draw is
    half a win for each. The maximum of the likelihood is found by Newton's method, which the likelihood's concavity
    allows (D. R. Hunter, Annals of Statistics 32, 2004, section 2); intervals come from the Fisher information there.
    prior_games: each player is given so many drawn games against the average; few enough to weigh little, and without
    them a player who never lost would have no finite rating.

    Where games leave groups that never met, ratings between them mean nothing: only the largest group is rated.
    """
    meetings = [meeting for meeting in meetings if meeting.games and meeting.first != meeting.second]
    players = _largest_group(meetings)
    number = {player: i for i, player in enumerate(players)}
    games = [(number[m.first], number[m.second], m.games, m.points) for m in meetings if m.first in number]
    strengths = [0.0] * len(players)
    for _ in range(_STEPS):
        gradient, information = _derivatives(strengths, games, prior_games)
        step = _solve(information, [gradient])[0]
        longest = max(map(abs, step), default=0.0)
        scale = min(1.0, 2.0 / longest) if longest else 0.0  # a longer step may overshoot where wins are many
        strengths = [strength + scale * change for strength, change in zip(strengths, step, strict=True)]
        if longest < 1e-10:
            break
    return _on_the_elo_scale(players, strengths, _derivatives(strengths, games, prior_games)[1])


def _derivatives(
    strengths: Sequence[float], games: Sequence[tuple[int, int, int, float]], prior_games: float
) -> tuple[list[float], list[list[float]]]:
    """The gradient of the log-likelihood, and the Fisher information."""
    size = len(strengths)
    gradient = [0.0] * size
    information = [[0.0] * size for _ in range(size)]
    for i, strength in enumerate(strengths):
        expected = _logistic(strength)
        gradient[i] += prior_games * (0.5 - expected)
        information[i][i] += prior_games * expected * (1 - expected)
    for a, b, count, points in games:
        expected = _logistic(strengths[a] - strengths[b])
        surprise, weight = points - count * expected, count * expected * (1 - expected)
        gradient[a] += surprise
        gradient[b] -= surprise
        information[a][a] += weight
        information[b][b] += weight
        information[a][b] -= weight
        information[b][a] -= weight
    return gradient, information


def _on_the_elo_scale(
    players: Sequence[str], strengths: Sequence[float], information: list[list[float]]
) -> dict[str, Rating]:
    """Move the mean to 0, and give each rating the spread it then has."""
    size = len(players)
    mean = sum(strengths) / max(1, size)
    centring = [[(i == j) - 1 / size for j in range(size)] for i in range(size)]
    spread = _solve(information, centring)  # row i: covariance · (e_i - 1/n)
    ratings = {}
    for i, player in enumerate(players):
        variance = sum(c * s for c, s in zip(centring[i], spread[i], strict=True))
        elo, half = (strengths[i] - mean) * ELO_PER_NAT, _Z95 * math.sqrt(max(0.0, variance)) * ELO_PER_NAT
        ratings[player] = Rating(elo, elo - half, elo + half)
    return ratings


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _dot(left: Iterable[float], right: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


def _solve(matrix: list[list[float]], rights: Sequence[Sequence[float]]) -> list[list[float]]:
    """Solve matrix · x = right for each right side, by Cholesky: the matrix is symmetric and positive definite."""
    size = len(matrix)
    lower: list[list[float]] = []
    for i in range(size):
        row: list[float] = []
        for j in range(i + 1):
            rest = matrix[i][j] - _dot(row, lower[j][:j]) if j < i else matrix[i][i] - _dot(row, row)
            row.append(rest / lower[j][j] if j < i else math.sqrt(rest))
        lower.append(row)
    columns = [[lower[k][i] for k in range(i + 1, size)] for i in range(size)]
    solutions = []
    for right in rights:
        halfway: list[float] = []
        for i in range(size):
            halfway.append((right[i] - _dot(lower[i][:i], halfway)) / lower[i][i])
        solution = [0.0] * size
        for i in reversed(range(size)):
            solution[i] = (halfway[i] - _dot(columns[i], solution[i + 1 :])) / lower[i][i]
        solutions.append(solution)
    return solutions


def _largest_group(meetings: Sequence[Meeting]) -> list[str]:
    """The most players that games link to each other; of equally many, those who met first."""
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
    return max(groups.values(), key=len, default=[])
