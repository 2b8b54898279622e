"""Live analysis: reports the best moves of a position while a search runs. It also puts the scores of an analysis into
words.

The module uses positions and search, but no process and no user interface.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any

from gomogo_core.analysis import strongest_search
from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games.base import Move, Position
from gomogo_core.search import SearchLimits, alpha_beta, iterative_deepening, mcts, plies_to_end
from gomogo_core.search.go.move_priors import move_priors
from gomogo_core.search.node import Node, advantage
from gomogo_core.search.playouts.go import StonesPlayoutNode
from gomogo_core.search.prior import Prior
from gomogo_core.search.result import ExpectedEnd, PositionAnalysis, ScoredLine

MAX_LINES = 8
_PLAYOUT_GAMES = ("go", "capture_go")  # games in which playouts estimate a position better than an evaluation does
_PERCENT = 50  # percentage points of win chance per unit of advantage
_MAX_POINTS_ERROR = 2.0  # the standard error of points that are shown
_MAX_EVEN_LEAD = 2.0  # the largest lead in points that a text names although the game is about even
_MAX_VARIATION_MOVES = 12  # the most moves of a variation in JSON
_MIN_VARIATION_MOVES = 3  # a shorter variation is continued by a short search, unless it ends the game
_CONTINUATION_DEPTH, _CONTINUATION_SECONDS = 3, 0.01  # the limits of that search
_MAX_EVEN_ADVANTAGE, _MAX_SLIGHT_ADVANTAGE, _MAX_CLEAR_ADVANTAGE = 0.12, 0.35, 0.75  # advantages, from 0 to 1


def _stream_one_ply_search(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
    limits.depth = 1
    return alpha_beta.stream_analyses(position, limits, lines)


def _stream_by_deepening(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
    if position.game.seats > 2:
        return alpha_beta.stream_analyses(position, limits, lines)
    return iterative_deepening.stream_analyses(position, limits, lines)


def _stream_by_strongest(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
    if position.game.name in _PLAYOUT_GAMES:
        return strongest_search.stream_analyses(position, limits, lines, fallback=_stream_by_mcts)
    return strongest_search.stream_analyses(position, limits, lines)


def _stream_by_engine(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
    """Search by the compiled engine. The time for loading the engine does not count as search time."""
    started_at = limits.now()
    strongest_search.wait_for_engine(position)
    limits.stop_at += limits.now() - started_at
    return strongest_search.stream_analyses(position, limits, lines)


def _stream_by_mcts(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
    return mcts.stream_analyses(position, limits, lines, priors=_move_priors)


def _move_priors(node: Node) -> Mapping[Move, Prior]:
    assert isinstance(node, StonesPlayoutNode)
    return move_priors(node.position)


# the search methods, by the names of the agents that use them; "strongest" takes the best method for each game
METHODS: dict[str, strongest_search.StreamAnalyses] = {
    "strongest": _stream_by_strongest,
    "champion": _stream_by_engine,
    "iterative_deepening": _stream_by_deepening,
    "mcts": mcts.stream_analyses,
    "alpha_beta": alpha_beta.stream_analyses,
    "greedy": _stream_one_ply_search,
}


def stream_analyses(
    position: Position, limits: SearchLimits, *, agent: str = "strongest", lines: int = 3
) -> Iterator[PositionAnalysis]:
    """Search until one of the limits is reached or `limits.stop()` is called, and yield the best moves repeatedly.

    The lines are sorted by value, but the uncertain lines of a search by playouts follow after the others. Lines whose
    win chances are equal in whole percent keep their order. Each line contains the opponent's answer, unless its first
    move ends the game or a proof had no time to find the answer. agent: a key of METHODS. lines: the number of moves,
    at most MAX_LINES; a search by playouts gives each of them a minimum share of the playouts, and yields fewer only
    before that many moves have a playout. Raises UserError for an unknown agent, and ValueError if the game is over.
    """
    if agent not in METHODS:
        raise UserError(f"The agent {agent!r} offers no analysis.", suggest_name(agent, METHODS))
    if agent == "champion" and not strongest_search.has_engine(position):
        raise UserError(f"No champion plays {position.game.name} with these options.", "Leave out the agent's name.")
    lines = max(1, min(lines, MAX_LINES))
    analyses = _add_wins_at_once(position, METHODS[agent](position, limits, lines), lines)
    return _sort_lines_by_value(_lengthen_short_variations(position, analyses))


def _add_wins_at_once(
    position: Position, analyses: Iterator[PositionAnalysis], line_count: int
) -> Iterator[PositionAnalysis]:
    """If the best move of an analysis wins at once, and the analysis has too few lines, add the other moves that win at
    once. A search stops after the first winning move.
    """
    for analysis in analyses:
        best_value = analysis.lines[0].value if analysis.lines else 0.0
        if best_value > 0 and plies_to_end(best_value) == 1 and len(analysis.lines) < line_count:
            seen_moves = {line.variation[0] for line in analysis.lines}
            wins = [
                ScoredLine(best_value, (move,))
                for move in position.moves()
                if move not in seen_moves
                and (outcome := position.play(move).outcome()) is not None
                and outcome.winner == position.to_move
            ]
            analysis = analysis._replace(lines=(*analysis.lines, *wins)[:line_count])
        yield analysis


def _lengthen_short_variations(position: Position, analyses: Iterator[PositionAnalysis]) -> Iterator[PositionAnalysis]:
    """Continue short variations, such as the variation of a move whose answers the search has not evaluated.

    The continuation is that of an earlier analysis by the same search, or else the result of a short search.
    """
    latest_variations = dict[Move, tuple[Move, ...]]()  # by their first move
    # in Dots and Boxes, a short search only takes the first of many safe edges, so the variation gets just one answer
    min_moves, max_added_moves = _MIN_VARIATION_MOVES, _CONTINUATION_DEPTH
    if position.game.box_count:
        min_moves, max_added_moves = 2, 1

    def lengthen_variation(variation: tuple[Move, ...]) -> tuple[Move, ...]:
        earlier_variation = latest_variations.get(variation[0], ())
        if len(earlier_variation) > len(variation) and earlier_variation[: len(variation)] == variation:
            return earlier_variation
        if len(variation) < min_moves:
            end_position = position
            for move in variation:
                end_position = end_position.play(move)
            if end_position.outcome() is None:
                limits = SearchLimits(depth=_CONTINUATION_DEPTH, stop_at=monotonic() + _CONTINUATION_SECONDS)
                variation += iterative_deepening.search(end_position, limits).variation[:max_added_moves]
        latest_variations[variation[0]] = variation
        return variation

    for analysis in analyses:
        if analysis.expected_end is not None and not position.game.scores_places:
            yield analysis  # a short search could continue a proved line by a move that does not keep its value
            continue
        lines = tuple(line._replace(variation=lengthen_variation(line.variation)) for line in analysis.lines)
        yield analysis._replace(lines=lines)


def _sort_lines_by_value(analyses: Iterator[PositionAnalysis]) -> Iterator[PositionAnalysis]:
    """Sort the lines of analyses by value, unless their order is more reliable than their values."""
    earlier_order: list[Move] = []
    for analysis in analyses:
        if analysis.has_ranked_lines:
            yield analysis
            continue
        ranks = {move: rank for rank, move in enumerate(earlier_order)}
        values = {line: _rounded_value(line.value, analysis.clear_lead) for line in analysis.lines}
        lines = sorted(analysis.lines, key=lambda line: (-values[line], ranks.get(line.variation[0], MAX_LINES)))
        earlier_order = [line.variation[0] for line in lines]
        yield analysis._replace(lines=tuple(lines))


def _rounded_value(value: float, clear_lead: float) -> float:
    """Return a value that is equal for lines with equal win chances in whole percent."""
    return value if plies_to_end(value) is not None else round(_PERCENT * advantage(value, clear_lead))


def score_words(value: float, clear_lead: float) -> str:
    """Describe a value in words, for the player to move. clear_lead: the value of a clear lead.

    >>> score_words(999_995, 1.0), score_words(-999_999, 1.0), score_words(0.1, 1.0), score_words(-2.5, 1.0)
    ('wins', 'loses', 'even', 'much worse')
    """
    if (plies := plies_to_end(value)) is not None:
        return certain_result_words(plies, is_win=value > 0)
    size = abs(share := advantage(value, clear_lead))
    if size < _MAX_EVEN_ADVANTAGE:
        return "even"
    word = "better" if share > 0 else "worse"
    if size < _MAX_SLIGHT_ADVANTAGE:
        return f"slightly {word}"
    return word if size < _MAX_CLEAR_ADVANTAGE else f"much {word}"


def certain_result_words(plies: int, *, is_win: bool) -> str:
    """Describe a certain win or loss of the player to move. plies: the number of plies that the search found.

    The words do not name this number, because the search does not prove that there is no faster win and no slower loss.
    Only a move that ends the game is known to be the fastest: it "wins at once".
    """
    return "loses" if not is_win else "wins at once" if plies <= 1 else "wins"


def as_json(analysis: PositionAnalysis, position: Position) -> dict[str, Any]:
    """Return an analysis as plain values for JSON, with moves in the game's notation.

    `score` is the advantage of the player to move, from -1 to 1. `stones` is the result of `line_markings`. `points` is
    the difference in expected points from the first line, for the player to move; None if the search expects no points,
    or if the standard error is more than two points. `lead` is the first player's expected lead after a line of Go, 0
    if the win chance of the line favours the other player, and None if `points` is None.
    `uncertain` tells whether the value of the line is mostly chance. `playouts` is None unless the search counts the
    playouts that begin with each move. `reason` is "" unless the reason for the move is known. `expected_end` is None
    unless the search expects an end in points. `missed_captures` are sentences on captures that the first line misses,
    or does not prevent. `leads` is the result of `_proved_leads`.
    """
    game, end, explainer = position.game, analysis.expected_end, explainer_of(position.game)
    moves, leads = [line.variation[0] for line in analysis.lines], analysis.leads

    def score(value: float) -> float:
        return round(advantage(value, analysis.clear_lead), 3)

    return {
        "lines": [
            {
                "move": game.format(move),
                "value": round(line.value, 3),
                "score": score(line.value),
                "words": _line_value_words(position, line.value, analysis.clear_lead, leads.get(move)),
                "points": _points_gained(position, analysis, move),
                "lead": _line_lead(position, analysis, line),
                "uncertain": analysis.is_uncertain(line),
                "playouts": analysis.playouts.get(move),
                "reason": analysis.reasons.get(move, "") or explainer.line_reason(position, move),
                "line": list(map(game.format, line.variation[:_MAX_VARIATION_MOVES])),
                "stones": line_markings(position, line.variation[:_MAX_VARIATION_MOVES]),
            }
            for move, line in zip(moves, analysis.lines, strict=True)
        ],
        "lead": analysis.clear_lead,
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "seconds": round(analysis.seconds, 3),
        "scores": {game.format(move): score(value) for move, value in _move_values(analysis).items()},
        "expected_end": end and _expected_end_as_json(end, position, analysis.shown_lead(position.to_move)),
        "missed_captures": list(analysis.missed_captures),
        "leads": _proved_leads(analysis, position),
    }


def _proved_leads(analysis: PositionAnalysis, position: Position) -> dict[str, int]:
    """Return the final lead of the player to move after each edge of Dots and Boxes; empty until all are proved."""
    leads, moves = analysis.leads, list(position.moves())
    if position.game.scores_places or analysis.expected_end is None or len(leads) < len(moves):
        return {}
    sign = 1 if position.to_move == 1 else -1
    return {position.game.format(move): sign * round(leads[move]) for move in moves}


def _points_gained(position: Position, analysis: PositionAnalysis, move: Move) -> float | None:
    """Return the points that the player to move gains by a move over the first line; None if they are unknown."""
    best_lead, lead = (analysis.leads.get(a_move) for a_move in (analysis.lines[0].variation[0], move))
    if best_lead is None or lead is None:
        return None
    if analysis.expected_end is not None and (playouts := analysis.playouts.get(move)):
        # the ends of playouts differ by tens of points, so the mean of a few hundred playouts is too uncertain
        error = analysis.expected_end.error * math.sqrt(analysis.nodes / playouts)
        if error > _MAX_POINTS_ERROR and lead != best_lead:
            return None
    difference = lead - best_lead if position.to_move == 1 else best_lead - lead
    return round(difference, 1) + 0.0  # the sum is 0.0 instead of -0.0


def _line_lead(position: Position, analysis: PositionAnalysis, line: ScoredLine) -> float | None:
    """Return the first player's expected lead after a line of Go; None if it is unknown.

    It is 0 if the lead and the win chance of the line favour different players, as in `PositionAnalysis.shown_lead`.
    """
    end, points = analysis.expected_end, _points_gained(position, analysis, line.variation[0])
    if end is None or points is None or not position.game.scores_places:
        return None
    lead = end.lead + (points if position.to_move == 1 else -points)
    return round(analysis.consistent_lead(lead, line.value, position.to_move), 1)


def _expected_end_as_json(end: ExpectedEnd, position: Position, shown_lead: float) -> dict[str, Any]:
    words = about_lead_words(position, shown_lead) if end.error else lead_words(position, shown_lead)
    if position.game.scores_places and not round(shown_lead) and abs(end.lead) <= _MAX_EVEN_LEAD:
        words = f"{words} ({side_name(position, 1 if end.lead > 0 else 2)} +{abs(end.lead):.1f})"
    return {
        "lead": round(end.lead, 2),
        "error": round(end.error, 2),
        "words": words if position.game.scores_places else words.replace("leads", "wins"),  # others have a proved end
        "owners": {str(place): round(owner, 2) for place, owner in end.owners.items()},
        "dead": list(map(str, explainer_of(position.game).stones_expected_dead(position, end.owners))),
    }


def _line_value_words(position: Position, value: float, clear_lead: float, lead: float | None) -> str:
    """Describe the value of a line in words, for the player to move. lead: the lead at its end; None if unknown."""
    if lead == 0 and not position.game.scores_places:
        return "draws"
    return score_words(value, clear_lead) + margin_suffix(position, lead)


def margin_suffix(position: Position, lead: float | None) -> str:
    """Return a suffix for words such as "wins": " by 5 boxes", for example; empty if the final lead is not certain."""
    boxes = 0 if lead is None or position.game.scores_places else round(abs(lead))
    return f" by {boxes} {position.game.score_unit[boxes != 1]}" if boxes else ""


def lead_words(position: Position, lead: float) -> str:
    """Describe the first player's lead in points, rounded to half a point.

    >>> from gomogo_core.games import load
    >>> start = load("go").start()
    >>> lead_words(start, 4.4), lead_words(start, -0.9), lead_words(start, 0.1)
    ('Black leads by 4.5 points', 'White leads by 1 point', 'The game is about even')
    """
    if not (points := round(2 * abs(lead)) / 2):
        return "The game is about even" if position.game.scores_places else "Neither leads"
    name = side_name(position, 1 if lead > 0 else 2)
    return f"{name} leads by {points:g} {position.game.score_unit[points != 1]}"


def about_lead_words(position: Position, lead: float) -> str:
    """Describe the first player's estimated lead in whole points, for example "Black leads by about 4 points"."""
    return lead_words(position, round(lead)).replace(" by ", " by about ")


def line_markings(position: Position, line: Sequence[Move]) -> list[tuple[str, str]]:
    """Return the board places that the moves of a line change, each with the mark of the move's player.

    line: the moves; the first illegal move and all moves after it are ignored.
    """
    markings = list[tuple[str, str]]()
    if (board := position.game.board) is None:
        return markings
    for move in line:
        if position.why_illegal(move):
            break
        if (place := position.place_to_mark(move)) is not None:
            markings.append((board.name_of[place], position.mark(position.to_move)))
        position = position.play(move)
    return markings


def _move_values(analysis: PositionAnalysis) -> Mapping[Move, float]:
    lines = [line for line in analysis.lines if not analysis.is_uncertain(line)]
    return {**analysis.move_values, **{line.variation[0]: line.value for line in lines}}
