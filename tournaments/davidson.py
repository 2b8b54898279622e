"""Maximum-likelihood strengths from results, with draws and an advantage of the first seat.

Uses numbers only. The model: with d the first player's lead in strength, the first seat's advantage included, the
probabilities of a win, a draw and a loss of the first player are proportional to exp(d/2), nu and exp(-d/2) (R. R.
Davidson, On Extending the Bradley-Terry Model to Accommodate Ties in Paired Comparison Experiments, JASA 65, 1970; the
seat's term: R. R. Davidson and R. J. Beaver, Biometrics 33, 1977). Without draws this is the model of R. A. Bradley and
M. E. Terry, Biometrika 39, 1952. The maximum is found by Newton's method, which the likelihood's concavity allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

_STEPS = 100
_EXACT = 1e-10  # nats
_LONGEST = 2.0  # a longer step may overshoot if wins are many


class Cell(NamedTuple):
    """The results between two players, given by their numbers; the first one has the first seat. Counts may be
    fractions.
    """

    first: int
    second: int
    wins: float
    draws: float
    losses: float


class Fit(NamedTuple):
    """The most likely strengths, in nats, of mean 0; the first seat's advantage; log nu, -inf if there were no draws.

    The advantage is None if no player changed seats: then the results cannot separate it from strength.
    """

    strengths: tuple[float, ...]
    first_seat: float | None
    draws: float

    def outcome_probabilities(self, lead: float) -> tuple[float, float, float]:
        """Return the probabilities of win, draw and loss of the first player for its lead, with its seat advantage."""
        win, loss = math.exp(min(lead / 2, 300.0)), math.exp(min(-lead / 2, 300.0))
        draw = math.exp(self.draws)
        total = win + draw + loss
        return win / total, draw / total, loss / total


def fit(
    players: int,
    cells: Iterable[Cell],
    prior: Sequence[tuple[float, float]],
    start: Fit | None = None,
    *,
    held: Mapping[int, float] | None = None,
) -> Fit:
    """Fit strengths to the cells by maximum likelihood.

    prior: for each player, wins and losses against a player of strength 0 that count in addition to the cells, and one
    more such pair for the first seat's advantage. Without them a player that never lost has no finite strength. start:
    the start of the search, such as a fit to nearly the same cells. held: fixed strengths, by player; then the mean of
    all strengths is not moved to 0.
    """
    held = held or {}
    cells = [cell for cell in cells if cell.wins or cell.draws or cell.losses]
    drawn, seated = any(cell.draws for cell in cells), not _fixed_seats(players, cells)
    size = players + 1 + drawn
    point = [0.0] * size
    if start is not None:
        point = [
            *start.strengths,
            start.first_seat or 0.0,
            *([start.draws] if drawn and start.draws > -math.inf else [0.0] * drawn),
        ]
    if not seated:
        point[players] = 0.0
    for player, strength in held.items():
        point[player] = strength
    still = [*held, *([] if seated else [players])]
    for _ in range(_STEPS):
        gradient, curvature = _derivatives(point, players, cells, prior, drawn)
        for number in still:
            _fix_value(number, gradient, curvature)
        step = solve(curvature, [gradient])[0]
        longest = max(map(abs, step))
        scale = min(1.0, _LONGEST / longest) if longest else 0.0
        point = [value + scale * change for value, change in zip(point, step, strict=True)]
        if longest < _EXACT:
            break
    mean = 0.0 if held else sum(point[:players]) / max(1, players)
    strengths = tuple(value - mean for value in point[:players])
    return Fit(strengths, point[players] if seated else None, point[-1] if drawn else -math.inf)


def log_likelihood(fitted: Fit, cells: Iterable[Cell], prior: Sequence[tuple[float, float]]) -> float:
    """Return the log-likelihood of the cells under a fit, with the prior of `fit`."""
    seat, total = fitted.first_seat or 0.0, 0.0
    for (wins, losses), value in zip(prior, (*fitted.strengths, seat), strict=True):
        total -= wins * math.log1p(math.exp(-value)) + losses * math.log1p(math.exp(value))
    if fitted.draws > -math.inf:
        nu = math.exp(fitted.draws)
        total += (math.log(nu) + math.log(2)) / 2 - math.log(nu + 2)
    for first, second, wins, draws, losses in cells:
        total += lead_log_likelihood(
            fitted, fitted.strengths[first] - fitted.strengths[second] + seat, wins, draws, losses
        )
    return total


def lead_log_likelihood(fitted: Fit, lead: float, wins: float, draws: float, losses: float) -> float:
    """Return the log-likelihood of these results for a lead of the first player, seat advantage included."""
    nu = math.exp(fitted.draws)
    total = (wins - losses) * lead / 2 + (draws * fitted.draws if draws else 0.0)
    return total - (wins + draws + losses) * math.log(math.exp(lead / 2) + nu + math.exp(-lead / 2))


def covariance(fitted: Fit, cells: Iterable[Cell], prior: Sequence[tuple[float, float]]) -> list[list[float]]:
    """Return the inverse of the curvature at a fit: its covariance if all games were independent."""
    players, drawn = len(fitted.strengths), fitted.draws > -math.inf
    point = [*fitted.strengths, fitted.first_seat or 0.0, *([fitted.draws] if drawn else [])]
    gradient, curvature = _derivatives(point, players, list(cells), prior, drawn)
    if fitted.first_seat is None:
        _fix_value(players, gradient, curvature)
    return solve(curvature, [[float(i == j) for j in range(len(point))] for i in range(len(point))])


def _fixed_seats(players: int, cells: Sequence[Cell]) -> bool:
    """Return whether strengths alone could raise each first player's lead by the same amount, as the seat does."""
    beside: list[list[tuple[int, int]]] = [[] for _ in range(players)]
    for cell in cells:
        beside[cell.first].append((cell.second, -1))
        beside[cell.second].append((cell.first, 1))
    height: dict[int, int] = {}
    for root in range(players):
        if root in height:
            continue
        height[root], waiting = 0, [root]
        while waiting:
            player = waiting.pop()
            for other, step in beside[player]:
                if other not in height:
                    height[other] = height[player] + step
                    waiting.append(other)
                elif height[other] != height[player] + step:
                    return False
    return True


def _fix_value(number: int, gradient: list[float], curvature: list[list[float]]) -> None:
    """Fix the value of one parameter."""
    for i in range(len(gradient)):
        curvature[i][number] = curvature[number][i] = 0.0
    gradient[number], curvature[number][number] = 0.0, 1.0


def _derivatives(
    point: Sequence[float], players: int, cells: Sequence[Cell], prior: Sequence[tuple[float, float]], drawn: bool
) -> tuple[list[float], list[list[float]]]:
    """Return the gradient of the log-likelihood, and the negative of its second derivatives."""
    size, seat = len(point), players
    gradient = [0.0] * size
    curvature = [[0.0] * size for _ in range(size)]
    for i, (wins, losses) in enumerate(prior):
        expected = 1 / (1 + math.exp(-point[i]))
        gradient[i] += wins - (wins + losses) * expected
        curvature[i][i] += (wins + losses) * expected * (1 - expected)
    if drawn:  # adds half a draw between equal players: without it, nu would be infinite if all games were drawn
        share = 1 / (1 + 2 * math.exp(-point[-1]))
        gradient[-1] += 0.5 - share
        curvature[-1][-1] += share * (1 - share)
    nu = math.exp(point[-1]) if drawn else 0.0
    for first, second, wins, draws, losses in cells:
        half = math.exp((point[first] - point[second] + point[seat]) / 2)
        win, loss = half, 1 / half
        total, games = win + nu + loss, wins + draws + losses
        mean, draw = (win - loss) / total, nu / total
        slope = (wins - losses - games * mean) / 2
        weight = games * ((win + loss) / total - mean * mean) / 4
        gradient[first] += slope
        gradient[second] -= slope
        gradient[seat] += slope
        one, other = curvature[first], curvature[second]
        one[first] += weight
        other[second] += weight
        one[second] -= weight
        other[first] -= weight
        one[seat] += weight
        other[seat] -= weight
        curvature[seat][seat] += weight
        if drawn:
            across = games * draw * mean / 2
            one[-1] -= across
            other[-1] += across
            curvature[seat][-1] -= across
            gradient[-1] += draws - games * draw
            curvature[-1][-1] += games * draw * (1 - draw)
    for number in (seat, size - 1):  # the sums above the diagonal apply below it, too
        for i in range(number):
            curvature[number][i] = curvature[i][number]
    return gradient, curvature


def solve(matrix: Sequence[Sequence[float]], rights: Sequence[Sequence[float]]) -> list[list[float]]:
    """Solve matrix · x = right for each right side, by Cholesky: the matrix is symmetric and positive definite."""
    size = len(matrix)
    lower: list[list[float]] = []
    for i in range(size):
        row: list[float] = []
        for j in range(i + 1):
            rest = matrix[i][j] - _dot_product(row, lower[j][:j]) if j < i else matrix[i][i] - _dot_product(row, row)
            row.append(rest / lower[j][j] if j < i else math.sqrt(max(rest, 1e-300)))
        lower.append(row)
    columns = [[lower[k][i] for k in range(i + 1, size)] for i in range(size)]
    solutions = []
    for right in rights:
        halfway: list[float] = []
        for i in range(size):
            halfway.append((right[i] - _dot_product(lower[i][:i], halfway)) / lower[i][i])
        solution = [0.0] * size
        for i in reversed(range(size)):
            solution[i] = (halfway[i] - _dot_product(columns[i], solution[i + 1 :])) / lower[i][i]
        solutions.append(solution)
    return solutions


def _dot_product(left: Iterable[float], right: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
