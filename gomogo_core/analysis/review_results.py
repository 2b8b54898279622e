"""The results of the searches of a review, one for each position, and the mistakes that a review finds.

The module uses searches, but judges no moves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gomogo_core.analysis import strongest_search
from gomogo_core.analysis.live_analysis import score_words, stream_analyses
from gomogo_core.games.base import Move, Outcome, Position, Seat
from gomogo_core.search import SearchLimits
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import CERTAIN_THRESHOLD, advantage
from gomogo_core.search.result import ExpectedEnd

_MAX_VARIATION_MOVES = 16  # the most moves of a variation in a review


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """One mistake. number: the number of the move, counted from 1. sentence: a description of the mistake.

    better_move: a better move if the search found one, else empty. annotation: the annotation of the move in lists:
    `??` for a blunder, `?` for a mistake, `?!` for an inaccuracy.
    costs_only_points: whether the move lost points in Go, but hardly any win chance, so that points judge a retry.
    """

    number: int
    sentence: str
    better_move: str = ""
    annotation: str = "?"
    costs_only_points: bool = False

    @property
    def is_blunder(self) -> bool:
        """Whether the move gave up a won game, lost a game that was not lost before, or lost many points in Go."""
        return self.annotation == "??"

    @property
    def noun(self) -> str:
        """The name of such a move: blunder, mistake or inaccuracy."""
        return {"??": "blunder", "?": "mistake", "?!": "inaccuracy"}[self.annotation]


class PositionResult(NamedTuple):
    """The result of the search of one position.

    seat: the player to move. value: the value for that player. clear_lead: the value of a clear lead. line: the
    principal variation in the game's notation. effect: the effect of the best move by the rules, for example "captures
    2 stones". idea: the evaluation's description of the best move, for example "makes an open four". `effect` and
    `idea` may be empty. nodes: the number of positions or playouts of the search. checked_loss: the advantage that the
    played move gave away according to longer searches; None if no longer searches ran. expected_end: as in
    PositionAnalysis. points_lost: the points that the played move lost according to longer searches; None if this is
    not known or not certain. is_solved: whether the search saw the whole rest of the game. decided_stones,
    gained_area: the reasons for the best move by the methods of `Explainer` with these names; empty if unknown.
    """

    seat: Seat
    value: float
    clear_lead: float
    depth: int
    line: tuple[str, ...]
    effect: str = ""
    idea: str = ""
    nodes: float = math.inf
    checked_loss: float | None = None
    expected_end: ExpectedEnd | None = None
    points_lost: float | None = None
    is_solved: bool = False
    decided_stones: str = ""
    gained_area: str = ""

    @property
    def best_move(self) -> str:
        """The best move, in the game's notation."""
        return self.line[0]

    @property
    def score(self) -> float:
        """The mover's advantage, from -1 to 1."""
        return advantage(self.value, self.clear_lead)

    def score_of(self, seat: Seat) -> float:
        """Return the advantage of a player in a game for two, from -1 to 1."""
        return self.score if seat == self.seat else -self.score

    @property
    def score_words(self) -> str:
        """The mover's score in words, for example "slightly better"."""
        return score_words(self.value, self.clear_lead)


def search_position(position: Position, stop_at: float, agent: str) -> PositionResult | None:
    """Search one position until `stop_at`, a time of the monotonic clock. Return None if the time was too short.

    agent: one of `live_analysis.METHODS`.
    """
    *_, analysis = stream_analyses(position, SearchLimits(stop_at=stop_at), agent=agent, lines=1)
    value, variation = analysis.lines[0]
    end = analysis.expected_end
    if not has_usable_value(position, value, analysis.depth, analysis.nodes, end):
        return None
    return position_result(position, value, analysis.clear_lead, analysis.depth, variation, analysis.nodes, end)


def review_agent(position: Position) -> str:
    """Return the agent that reviews a game: if possible its compiled engine, which a review waits for."""
    return "champion" if strongest_search.has_engine(position) else "strongest"


def has_usable_value(position: Position, value: float, depth: int, nodes: int, end: ExpectedEnd | None) -> bool:
    """Return whether the value of a search means anything: it is certain, or comes from a complete depth or a playout.

    value, depth, nodes, end: the results of the search.
    """
    # a proved draw has the value of an even position, and needs no new nodes if the table of an earlier search has it
    is_proved = end is not None and not position.game.scores_places
    return is_proved or abs(value) > CERTAIN_THRESHOLD or (depth > 0 and nodes > 0)


def position_result(
    position: Position,
    value: float,
    clear_lead: float,
    depth: int,
    line: Sequence[Move],
    nodes: int,
    end: ExpectedEnd | None = None,
) -> PositionResult:
    """Return the result of a search, with a description of its best move. line: the principal variation."""
    effect, idea = position.describe_effect(line[0]), node_of(position).describe_move(line[0]) or ""
    names = tuple(position.game.format(move) for move in line[:_MAX_VARIATION_MOVES])
    # in a game of territory, captures make room for new moves, so no depth reaches the end of each line
    is_solved = not position.game.scores_places and depth >= sum(1 for _ in position.moves())
    return PositionResult(
        position.to_move, value, clear_lead, depth, names, effect, idea, nodes, expected_end=end, is_solved=is_solved
    )


def win_chance_percent(advantage: float) -> int:
    """Return the win chance of a player with this advantage, in percent."""
    return round(50 + 50 * advantage)


def outcome_score(outcome: Outcome, seat: Seat) -> float:
    """Return the score of a seat: 1 for a win, 0 for a draw, -1 for a loss."""
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner == seat else -1.0


def advantage_of_seat(first_advantage: float, seat: Seat) -> float:
    """Convert the first player's advantage to that of a player in a game for two."""
    return first_advantage if seat == 1 else -first_advantage
