"""Explains moves of Go by the facts about stones, and the stones that look dead to humans who are about to pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from operator import itemgetter
from statistics import fmean
from time import monotonic

from gomogo_core.analysis.explainers._explainer import Hint, shown_chance
from gomogo_core.analysis.explainers._stones import StonesExplainer
from gomogo_core.analysis.go_reasons import can_be_captured, find_fights, is_missed
from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move, Seat
from gomogo_core.games.boards import Place
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import COLOURS, PASS
from gomogo_core.printable import count_with_noun
from gomogo_core.search.go.atari import capturing_points
from gomogo_core.search.go.passing import loses_if_both_pass, wins_by_passing
from gomogo_core.search.node import CERTAIN_THRESHOLD, advantage
from gomogo_core.search.playouts.dead_stones import dead_stones, points_worth_a_stone
from gomogo_core.search.result import ExpectedEnd, PositionAnalysis, playout_deviation

# With this win chance in percent, hardly any move of Go loses. Then the second half of the time compares this number of
# lines, and a hint names the move with the most points. The chance of this move is at most `_MAX_CHANCE_LOSS`
# percentage points below the best chance.
_FAR_AHEAD_CHANCE, _FAR_AHEAD_LINES, _MAX_CHANCE_LOSS = 98.5, 4, 1.5
# a move counts as good as the best within this number of standard deviations, and at most within this advantage
_MAX_DEVIATIONS, _MAX_FIGHT_LOSS = 2, 0.15
_MAX_SETTLED_SECONDS = 0.5  # to find out whether a player who is far ahead may pass
_MAX_NAMED_CHAINS = 3
# Advice to capture dead stones appears if at most this share of the points has an owner between these bounds.
_MIN_OWNER, _MAX_OPEN_SHARE = 0.5, 0.1
# stones are decided by a move if their expected owner, from 1 to -1, is at least this after it, and the opponent after
# another move; fewer stones are hardly the point of a move
_MIN_DECIDED_OWNER, _MIN_DECIDED_STONES = 0.3, 3
# a part of the board is named if it has more than this share of what a move gains; smaller gains of a point are chance
_MIN_AREA_SHARE, _MIN_OWNER_GAIN = 0.4, 0.1
_DEAD_OWNER = -0.7  # the owner, from 1 to -1, of the points of a chain that looks dead


class GoExplainer(StonesExplainer[GoPosition]):
    """Explains moves of Go."""

    def _describe_harm(self, position: GoPosition, move: str, answer: str) -> str:
        if position.game.parse(move) is not PASS:
            return super()._describe_harm(position, move, answer)
        opponent = 3 - position.to_move
        if not (dead_points := dead_stones(position.play(PASS))[opponent]):
            return super()._describe_harm(position, move, answer)
        stones = count_with_noun(len(dead_points), f"dead {COLOURS[opponent]} stone")
        verb, object_ = ("is", "it") if len(dead_points) == 1 else ("are", "them")
        return (
            f"If both players pass while {stones} {verb} on the board, every stone counts as alive: "
            f"capture {object_} first."
        )

    def decided_stones(self, position: GoPosition, move: str, ends: Sequence[ExpectedEnd]) -> str:
        """Name the most stones of one player that live after one of two moves, and die after the other.

        The stones may belong to several chains; the text names a point of the largest one.
        """
        geometry, board, decided = position.game.bit_geometry, position.board, list[tuple[int, int, Point]]()
        for seat in (position.to_move, 3 - position.to_move) if ends else ():
            chains = list[tuple[int, Point]]()
            for stones, _, _ in board.chains_of(board.stone_mask(seat)):
                points = geometry.points_in(stones)
                better, played = (_mean_owner(end.owners, points, position.to_move) for end in ends)
                if better >= _MIN_DECIDED_OWNER and played <= -_MIN_DECIDED_OWNER:
                    chains.append((len(points), points[0]))
            if chains:
                decided.append((sum(count for count, _ in chains), seat, max(chains, key=itemgetter(0))[1]))
        count, seat, point = max(decided, key=itemgetter(0), default=(0, 0, None))
        if point is None or count < _MIN_DECIDED_STONES:
            return ""
        verb, fate = ("saves", "die") if seat == position.to_move else ("kills", "live")
        words = f"{side_name(position, seat)}'s {count} stones at {position.game.format(point)}"
        return f"probably {verb} {words}, which {fate} after {'a pass' if move == 'pass' else move}"

    def gained_area(self, position: GoPosition, ends: Sequence[ExpectedEnd]) -> str:
        """Name the corner, the side or the centre with the largest share of the points that a better move gains."""
        if not ends:
            return ""
        gains, sign = dict[str, float](), 1 if position.to_move == BLACK else -1
        for point in position.game.bit_geometry.index_of:
            better, played = (end.owners.get(point, 0.0) for end in ends)
            area = _area_of(position, point)
            gains[area] = gains.get(area, 0.0) + max(0.0, sign * (better - played) - _MIN_OWNER_GAIN)
        area = max(gains, key=gains.__getitem__)
        return f"gains most {area}" if gains[area] > _MIN_AREA_SHARE * sum(gains.values()) else ""

    def count_lines(self, analysis: PositionAnalysis) -> int:
        """Return the number of lines to compare: several if the mover is far ahead, so that hardly any move loses."""
        return _FAR_AHEAD_LINES if _is_far_ahead(analysis) else 1

    def hint(
        self,
        position: GoPosition,
        move: Move,
        value: float,
        clear_lead: float,
        analysis: PositionAnalysis | None = None,
    ) -> Hint:
        """Return a hint with the expected lead and advice on passing. Its win chance is that of the position.

        If the mover is far ahead, points decide. Otherwise a move that captures or saves stones comes before the best
        move, if the search does not show that the best move is better.
        """
        can_pass, end = False, None if analysis is None else analysis.expected_end
        if analysis is not None and move is not PASS and _is_far_ahead(analysis):
            move = _move_with_most_points(position, analysis)
            is_settled = not points_worth_a_stone(position, monotonic() + _MAX_SETTLED_SECONDS)
            can_pass = is_settled and not loses_if_both_pass(position)
            if can_pass and can_be_captured(position, move):
                move = PASS
        elif analysis is not None and move is not PASS and abs(value) <= CERTAIN_THRESHOLD:
            move = _move_that_wins_fight(position, move, analysis)
        found = super().hint(position, move, value, clear_lead, analysis)
        if analysis is not None and end is not None:
            found = Hint(move, _with_expected_lead(position, found, analysis.shown_lead(position.to_move)))
        if advice := advice_to_capture(position, move, {} if end is None else end.owners):
            return Hint(move, f"{found.reason}; {advice}")
        if can_pass and move is not PASS:
            return Hint(move, f"{found.reason}; the borders are settled, so passing is safe now")
        return found

    def likely_result(self, position: GoPosition, analyse: Callable[[], PositionAnalysis | None]) -> str:
        """Return a sentence on the likely result; empty after a pass, at the end of the game, and without an engine."""
        analysis = None if position.passes or position.outcome() is not None else analyse()
        if analysis is None or analysis.expected_end is None:
            return ""
        lead = analysis.shown_lead(position.to_move)
        leader, mover = side_name(position, 1 if lead > 0 else 2), side_name(position, position.to_move)
        result = f"{leader} wins by about {_points_text(lead)}" if round(2 * lead) else "about even"
        win_chance = shown_chance(analysis.lines[0].value, analysis.clear_lead)
        return f"Likely result: {result} ({mover}'s win chance: {win_chance} %)."

    def warning_before_pass(self, position: GoPosition, move: Move) -> str:
        """Return a warning, without a full stop, that a pass may leave dead stones of the opponent; else "".

        The warning appears only if the pass ends the game, or if it loses the game after a pass of the opponent. It
        contains the score, unless `Position.warning` does.
        """
        if move is not PASS or position.why_illegal(move):
            return ""
        if not position.passes and position.warning(move) is None:
            return ""
        opponent = 3 - position.to_move
        dead_points, in_atari = set(dead_stones(position)[opponent]), 0
        for captured in capturing_points(position.board, position.to_move).values():
            in_atari |= captured
        points = tuple(dead_points | set(position.game.bit_geometry.points_in(in_atari)))
        if not points:
            return ""
        words = _dead_stones_clause(opponent, points)
        if len(points) > len(dead_points):  # the opponent could still save those in atari
            words += f" or {'is' if len(points) == 1 else 'are'} in atari"
        clause = f"{'it counts' if len(points) == 1 else 'they count'} unless captured first"
        warning = f"{words}; {clause} ({_chain_names(position, points)})"
        if position.warning(move) is not None:  # it tells the score
            return warning
        black, white = position.scores()
        return f"Score now: black {black:g}, white {white:g}. {warning}"

    def dead_stones_before_pass(self, position: GoPosition, move: Move) -> Mapping[Seat, Sequence[Point]] | None:
        """Return the points of each player's stones that look dead, if `move` is a pass; else None."""
        if move is not PASS or position.outcome() is not None:
            return None
        return dead_stones(position)

    def dead_stones_at_end(self, position: GoPosition) -> tuple[list[Point], str]:
        """Return the points of the stones that look dead at the end of a game, and a sentence about them."""
        if position.outcome() is None:
            return [], ""
        dead_points_by_seat = dead_stones(position)
        if not (words := [_dead_stones_clause(seat, points) for seat, points in dead_points_by_seat.items() if points]):
            return [], ""
        points = [point for dead_points in dead_points_by_seat.values() for point in dead_points]
        return points, f"{' and '.join(words)} (marked ×); they count, because nobody captured them before the end."

    def stones_expected_dead(self, position: GoPosition, owners: Mapping[Place, float]) -> list[Point]:
        """Return the points of the stones that look dead, because an analysis expects that the opponent will own them.

        owners: the owner of each point, as in `ExpectedEnd`. The stones of a chain are alive or dead together.
        """
        geometry, board, dead_points = position.game.bit_geometry, position.board, list[Point]()
        for colour in (BLACK, WHITE):
            for stones, _, _ in board.chains_of(board.stone_mask(colour)):
                points = geometry.points_in(stones)
                if _mean_owner(owners, points, colour) <= _DEAD_OWNER:
                    dead_points += points
        return dead_points


EXPLAINER = GoExplainer()


def _area_of(position: GoPosition, point: Point) -> str:
    """Name the corner, side or centre of a point, if each side of the board is divided into three parts."""
    rows, columns = position.game.rows, position.game.cols
    row = ("upper", "", "lower")[3 * (point.row - 1) // rows]
    column = ("left", "", "right")[3 * (point.column - 1) // columns]
    words = f"{row} {column}".strip()
    return f"in the {words} corner" if row and column else f"on the {words} side" if words else "in the centre"


def _mean_owner(owners: Mapping[Place, float], points: Sequence[Point], seat: Seat) -> float:
    """Return the mean of the owners of points, from 1 for `seat` to -1 for the opponent."""
    return fmean(owners.get(point, 0.0) for point in points) * (1 if seat == BLACK else -1)


def advice_to_capture(position: GoPosition, move: Move, owners: Mapping[Place, float]) -> str:
    """Return the advice to capture dead stones of the opponent before a pass, without a full stop; else "".

    The advice appears after the opponent's pass, or if nearly all points have an owner, unless `move` is a pass
    that wins. owners: the owner of each point, as in `ExpectedEnd`; empty if unknown.
    """
    if move is PASS and wins_by_passing(position):
        return ""
    open_count = sum(abs(owner) < _MIN_OWNER for owner in owners.values())
    if not position.passes and not (owners and open_count <= _MAX_OPEN_SHARE * len(owners)):
        return ""
    opponent = 3 - position.to_move
    if not (points := dead_stones(position)[opponent]):
        return ""
    stones = f"the dead {COLOURS[opponent]} stone{'s' * (len(points) > 1)} at {_chain_names(position, points)}"
    return f"capture {stones} before you pass, because all stones on the board count"


def _chain_names(position: GoPosition, points: Collection[Point]) -> str:
    """Return the name of one point of each chain with stones on `points`."""
    geometry = position.game.bit_geometry
    mask = sum(geometry.masks[geometry.index_of[point]] for point in points)
    chains = list(geometry.groups(mask))
    names = [str(geometry.points_in(chain)[0]) for chain in chains[:_MAX_NAMED_CHAINS]]
    return ", ".join([*names, *(["…"] if len(chains) > len(names) else [])])


def _dead_stones_clause(seat: Seat, dead_points: tuple[Point, ...]) -> str:
    stones = count_with_noun(len(dead_points), f"{COLOURS[seat]} stone")
    return f"{stones} look{'s' if len(dead_points) == 1 else ''} dead"


def _is_far_ahead(analysis: PositionAnalysis) -> bool:
    value = analysis.lines[0].value
    return value <= CERTAIN_THRESHOLD and _win_percentage(value, analysis.clear_lead) >= _FAR_AHEAD_CHANCE


def _win_percentage(value: float, clear_lead: float) -> float:
    return 50 + 50 * advantage(value, clear_lead)


def _move_with_most_points(position: GoPosition, analysis: PositionAnalysis) -> Move:
    """Return the move with the most expected points among those that win nearly as often as the best.

    Only moves with enough playouts count. A stone that can itself be captured is the last choice.
    """
    best, sign = analysis.lines[0], 1 if position.to_move == 1 else -1
    min_percentage = _win_percentage(best.value, analysis.clear_lead) - _MAX_CHANCE_LOSS
    moves = [
        move
        for move, value in analysis.move_values.items()
        if move in analysis.leads and _win_percentage(value, analysis.clear_lead) >= min_percentage
    ]
    moves.sort(key=lambda move: -sign * analysis.leads[move])
    moves = moves or [best.variation[0]]
    return next((move for move in moves if not can_be_captured(position, move)), moves[0])


def _move_that_wins_fight(position: GoPosition, move: Move, analysis: PositionAnalysis) -> Move:
    """Return the best move that captures or saves stones that `move` neither captures nor saves; else `move`.

    The best move of a search varies within its standard deviation. A human expects the move that the stones need.
    """
    values = analysis.move_values
    best = advantage(values.get(move, analysis.lines[0].value), analysis.clear_lead)
    deviation = playout_deviation(max(1, analysis.nodes), best, analysis.clear_lead)
    least = best - min(_MAX_DEVIATIONS * deviation, _MAX_FIGHT_LOSS)
    for fight in find_fights(position):
        moves = [
            reply
            for reply in fight.winning_moves(position.to_move)
            if reply in values and advantage(values[reply], analysis.clear_lead) >= least
        ]
        if moves and is_missed(position, fight, move):
            return max(moves, key=values.__getitem__)
    return move


def _with_expected_lead(position: GoPosition, hint: Hint, lead: float) -> str:
    """Return the reason for a hint in Go, with the expected lead. lead: points, as `shown_lead` returns them."""
    if hint.move is PASS:
        if position.passes:
            return hint.reason
        first, second = position.scores()  # all stones on the board count, also dead ones
        return f"the board is settled; if both players pass, you win by {_points_text(first - second)}"
    leader = "you lead" if (lead > 0) == (position.to_move == 1) else "you are behind"
    points = f"{leader} by about {_points_text(lead)}" if round(2 * lead) else "the game is about even"
    effects, separator, chance = hint.reason.rpartition("; ")
    if separator or chance.startswith("your chance"):
        return f"{effects}{separator}{points}, and {chance}"
    return f"{chance}; {points}"


def _points_text(lead: float) -> str:
    """Return the size of a lead in words, rounded to half a point."""
    size = abs(round(2 * lead) / 2)
    return f"{size:g} point{'s' * (size != 1)}"
