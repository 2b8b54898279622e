"""Maximum-likelihood strengths from results, with draws and an advantage of the first seat.

The module uses numbers only: no games, no store, no screen. The model: let d be the first player's lead in strength
plus the first seat's advantage. The probabilities of a win, a draw and a loss of the first player are proportional to
exp(d/2), nu and exp(-d/2), where nu is a parameter for draws (R. R. Davidson, On Extending the Bradley-Terry Model to
Accommodate Ties in Paired Comparison Experiments, JASA 65, 1970; the seat's term: R. R. Davidson and R. J. Beaver,
Biometrics 33, 1977). Without draws this is the model of R. A. Bradley and M. E. Terry, Biometrika 39, 1952. Newton's
method finds the maximum, because the likelihood is concave.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

_MAX_NEWTON_STEPS = 100
_PRECISION_NATS = 1e-10
_MAX_STEP_NATS = 2.0  # a longer step may overshoot if there are many wins


class PairCounts(NamedTuple):
    """The results of two players in one seat order. first_player, second_player: the players' numbers; the first player
    has the first seat. Wins and losses are those of the first player. Counts may be fractions.
    """

    first_player: int
    second_player: int
    wins: float
    draws: float
    losses: float


class DavidsonFit(NamedTuple):
    """The most likely parameters. strengths: the players' strengths in nats, with mean 0. log_nu: the logarithm of nu;
    -inf if there were no draws. seat_advantage_nats: the advantage in nats; None if no players swapped seats, since
    the advantage then cannot be distinguished from strength.
    """

    strengths: tuple[float, ...]
    seat_advantage_nats: float | None
    log_nu: float

    def outcome_probabilities(self, lead_nats: float) -> tuple[float, float, float]:
        """Return the probabilities of a win, a draw and a loss of the first player. lead_nats: the first player's lead,
        including the advantage of its seat.
        """
        win, loss = math.exp(min(lead_nats / 2, 300.0)), math.exp(min(-lead_nats / 2, 300.0))
        draw = math.exp(self.log_nu)
        total = win + draw + loss
        return win / total, draw / total, loss / total


def fit_davidson(
    player_count: int,
    pair_counts: Iterable[PairCounts],
    prior: Sequence[tuple[float, float]],
    start_parameters: DavidsonFit | None = None,
    *,
    fixed: Mapping[int, float] | None = None,
) -> DavidsonFit:
    """Fit strengths to counts of results by maximum likelihood.

    prior: a pair (wins, losses) for each player, counted as results against a player of strength 0, and one more pair
    at the end for the first seat's advantage. Without these results, a player that never lost has no finite strength.
    start_parameters: the parameters from which the search starts, such as a fit to nearly the same counts. fixed: fixed
    strengths, by player; if any are given, the mean of all strengths is not moved to 0.
    """
    fixed = fixed or {}
    pair_counts = [counts for counts in pair_counts if counts.wins or counts.draws or counts.losses]
    has_draws = any(counts.draws for counts in pair_counts)
    has_seat_parameter = not _is_advantage_undetermined(player_count, pair_counts)
    parameter_count = player_count + 1 + has_draws
    parameters = [0.0] * parameter_count
    if start_parameters is not None:
        log_nu = start_parameters.log_nu if start_parameters.log_nu > -math.inf else 0.0
        advantage = start_parameters.seat_advantage_nats or 0.0
        parameters = [*start_parameters.strengths, advantage, *([log_nu] * has_draws)]
    if not has_seat_parameter:
        parameters[player_count] = 0.0
    for player, strength in fixed.items():
        parameters[player] = strength
    fixed_parameters = [*fixed, *([] if has_seat_parameter else [player_count])]
    for _ in range(_MAX_NEWTON_STEPS):
        gradient, curvature = _derivatives(parameters, player_count, pair_counts, prior, has_draws)
        for index in fixed_parameters:
            _fix_parameter(index, gradient, curvature)
        changes = solve_linear_systems(curvature, [gradient])[0]
        largest_change = max(map(abs, changes))
        scale = min(1.0, _MAX_STEP_NATS / largest_change) if largest_change else 0.0
        parameters = [value + scale * change for value, change in zip(parameters, changes, strict=True)]
        if largest_change < _PRECISION_NATS:
            break
    mean = 0.0 if fixed else sum(parameters[:player_count]) / max(1, player_count)
    strengths = tuple(value - mean for value in parameters[:player_count])
    advantage_nats = parameters[player_count] if has_seat_parameter else None
    return DavidsonFit(strengths, advantage_nats, parameters[-1] if has_draws else -math.inf)


def log_likelihood(
    fitted: DavidsonFit, pair_counts: Iterable[PairCounts], prior: Sequence[tuple[float, float]]
) -> float:
    """Return the log-likelihood of these results under a fit. prior: the same as for `fit_davidson`."""
    advantage, total = fitted.seat_advantage_nats or 0.0, 0.0
    for (wins, losses), strength in zip(prior, (*fitted.strengths, advantage), strict=True):
        total -= wins * math.log1p(math.exp(-strength)) + losses * math.log1p(math.exp(strength))
    if fitted.log_nu > -math.inf:
        nu = math.exp(fitted.log_nu)
        total += (math.log(nu) + math.log(2)) / 2 - math.log(nu + 2)
    for first, second, wins, draws, losses in pair_counts:
        lead = fitted.strengths[first] - fitted.strengths[second] + advantage
        total += lead_log_likelihood(fitted, lead, wins, draws, losses)
    return total


def lead_log_likelihood(fitted: DavidsonFit, lead_nats: float, wins: float, draws: float, losses: float) -> float:
    """Return the log-likelihood of these results of the first player. lead_nats: the first player's lead, including the
    advantage of its seat.
    """
    nu = math.exp(fitted.log_nu)
    total = (wins - losses) * lead_nats / 2 + (draws * fitted.log_nu if draws else 0.0)
    return total - (wins + draws + losses) * math.log(math.exp(lead_nats / 2) + nu + math.exp(-lead_nats / 2))


def covariance(
    fitted: DavidsonFit, pair_counts: Iterable[PairCounts], prior: Sequence[tuple[float, float]]
) -> list[list[float]]:
    """Return the covariance that the fitted parameters would have if all games were independent: the inverse of the
    curvature.
    """
    player_count, has_draws = len(fitted.strengths), fitted.log_nu > -math.inf
    parameters = [*fitted.strengths, fitted.seat_advantage_nats or 0.0, *([fitted.log_nu] if has_draws else [])]
    gradient, curvature = _derivatives(parameters, player_count, list(pair_counts), prior, has_draws)
    if fitted.seat_advantage_nats is None:
        _fix_parameter(player_count, gradient, curvature)
    indexes = range(len(parameters))
    return solve_linear_systems(curvature, [[float(row == column) for column in indexes] for row in indexes])


def _is_advantage_undetermined(player_count: int, pair_counts: Sequence[PairCounts]) -> bool:
    """Return whether the games do not show how much of the leads is due to the first seat, and how much to strength.

    Then a change of the strengths would have the same effect as the advantage: it would raise the lead of every first
    player by one same amount.
    """
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(player_count)]
    for counts in pair_counts:
        neighbours[counts.first_player].append((counts.second_player, -1))
        neighbours[counts.second_player].append((counts.first_player, 1))
    heights: dict[int, int] = {}
    for root in range(player_count):
        if root in heights:
            continue
        heights[root], unvisited = 0, [root]
        while unvisited:
            player = unvisited.pop()
            for neighbour, step in neighbours[player]:
                if neighbour not in heights:
                    heights[neighbour] = heights[player] + step
                    unvisited.append(neighbour)
                elif heights[neighbour] != heights[player] + step:
                    return False
    return True


def _fix_parameter(index: int, gradient: list[float], curvature: list[list[float]]) -> None:
    """Change the equations of a Newton step so that one parameter keeps its value."""
    for other_index in range(len(gradient)):
        curvature[other_index][index] = curvature[index][other_index] = 0.0
    gradient[index], curvature[index][index] = 0.0, 1.0


def _derivatives(
    parameters: Sequence[float],
    player_count: int,
    pair_counts: Sequence[PairCounts],
    prior: Sequence[tuple[float, float]],
    has_draws: bool,
) -> tuple[list[float], list[list[float]]]:
    """Return the gradient of the log-likelihood, and the negative of its second derivatives."""
    parameter_count, seat = len(parameters), player_count
    gradient = [0.0] * parameter_count
    curvature = [[0.0] * parameter_count for _ in range(parameter_count)]
    for index, (wins, losses) in enumerate(prior):
        expected = 1 / (1 + math.exp(-parameters[index]))
        gradient[index] += wins - (wins + losses) * expected
        curvature[index][index] += (wins + losses) * expected * (1 - expected)
    if has_draws:  # add half a draw between equal players: otherwise nu would be infinite if all games were drawn
        share = 1 / (1 + 2 * math.exp(-parameters[-1]))
        gradient[-1] += 0.5 - share
        curvature[-1][-1] += share * (1 - share)
    nu = math.exp(parameters[-1]) if has_draws else 0.0
    for first, second, wins, draws, losses in pair_counts:
        ratio = math.exp((parameters[first] - parameters[second] + parameters[seat]) / 2)
        win, loss = ratio, 1 / ratio
        total, games = win + nu + loss, wins + draws + losses
        mean, draw = (win - loss) / total, nu / total
        slope = (wins - losses - games * mean) / 2
        weight = games * ((win + loss) / total - mean * mean) / 4
        gradient[first] += slope
        gradient[second] -= slope
        gradient[seat] += slope
        first_row, second_row = curvature[first], curvature[second]
        first_row[first] += weight
        second_row[second] += weight
        first_row[second] -= weight
        second_row[first] -= weight
        first_row[seat] += weight
        second_row[seat] -= weight
        curvature[seat][seat] += weight
        if has_draws:
            draw_term = games * draw * mean / 2
            first_row[-1] -= draw_term
            second_row[-1] += draw_term
            curvature[seat][-1] -= draw_term
            gradient[-1] += draws - games * draw
            curvature[-1][-1] += games * draw * (1 - draw)
    # the matrix is symmetric: copy the sums above the diagonal to the cells below it
    for row in (seat, parameter_count - 1):
        for column in range(row):
            curvature[row][column] = curvature[column][row]
    return gradient, curvature


def solve_linear_systems(
    matrix: Sequence[Sequence[float]], right_sides: Sequence[Sequence[float]]
) -> list[list[float]]:
    """Solve matrix · x = right for each right side by Cholesky decomposition.

    The matrix must be symmetric and positive definite; only its lower triangle is read.
    """
    size = len(matrix)
    lower: list[list[float]] = []
    for i in range(size):
        row: list[float] = []
        for j in range(i):
            row.append((matrix[i][j] - _dot_product(row, lower[j][:j])) / lower[j][j])
        row.append(math.sqrt(max(matrix[i][i] - _dot_product(row, row), 1e-300)))
        lower.append(row)
    columns = [[lower[k][i] for k in range(i + 1, size)] for i in range(size)]
    solutions = []
    for right_side in right_sides:
        forward_solution: list[float] = []
        for i in range(size):
            forward_solution.append((right_side[i] - _dot_product(lower[i][:i], forward_solution)) / lower[i][i])
        solution = [0.0] * size
        for i in reversed(range(size)):
            solution[i] = (forward_solution[i] - _dot_product(columns[i], solution[i + 1 :])) / lower[i][i]
        solutions.append(solution)
    return solutions


def _dot_product(left: Iterable[float], right: Iterable[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
