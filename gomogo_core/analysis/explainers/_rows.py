"""Explains moves of Gomoku and Robogo by the rows that a stone makes, extends and stops."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress
from typing import Any, TypeVar

from gomogo_core.analysis.explainers._explainer import Explainer
from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import GomokuPosition
from gomogo_core.games.robogo import RobogoPosition
from gomogo_core.games.stones.rules import COLOURS
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.evaluation.gomoku_node import GomokuNode, number_word

_MAX_CLOSE_DISTANCE = 2  # stones within this distance can soon form a row
_MAX_NAMED_POINTS = 6  # a threat that more points stop is not urgent
_GIVES_STONES_UP = "gives up"  # the beginning of the idea of a stone that does not stay on the board
_FAULTS = ("misses", "leaves", "lets")  # the beginnings of facts about a win or a threat that a move leaves
_DISTANCE_WORDS = ("stays close", "opens away")  # the beginnings of facts that give no reason for a hint

RowPosition = GomokuPosition | RobogoPosition
RowPositionT = TypeVar("RowPositionT", bound=RowPosition)


class RowExplainer(Explainer[RowPositionT]):
    """Explains a stone by its rows; a pass, and a choice of an opening rule, are explained as in any game."""

    names_winning_line = True

    def line_reason(self, position: RowPositionT, move: Move) -> str:
        """Return the rows that the first move of a line makes or stops, in words; empty if there are none."""
        return _row_reason(self, position, move)

    def _hint_effects(self, position: RowPositionT, move: Move, end: Any) -> str:
        """Return the rows that a move makes or stops, in words. The distance from the other stones is no reason for a
        hint. A move that blocks one of several threats has both facts.
        """
        effects = super()._hint_effects(position, move, end)
        if isinstance(move, Point) and effects.startswith(_FAULTS):
            colour = 3 - _colour(position)
            stones = max(_fullest_rows(position, move, colour), key=len)
            stones_words = " ".join(map(str, stones))
            if len(stones) == position.game.line - 2 and stones_words not in effects:
                return f"blocks {COLOURS[colour]}'s {number_word(len(stones))} {stones_words}, but {effects}"
        return "" if effects.startswith(_DISTANCE_WORDS) else effects

    def _compare_moves(
        self, position: RowPositionT, move: str, line: Sequence[str], answers: Sequence[str], *, is_proved: bool
    ) -> tuple[str, str]:
        """Compare two moves as in any game. If the best reply to the played move makes no threat, name the rows of
        the reply, and the fault of a played four or three. Without any difference, name the reply only.
        """
        reason, harm = super()._compare_moves(position, move, line, answers, is_proved=is_proved)
        if not answers:
            return reason, harm
        next_position: Any = position.play(position.game.parse(move))
        if f"makes an open {number_word(position.game.line - 2)}" in harm:
            # the search may prefer another win to the row that is already on the board, but the reader sees the row
            left = _left_threat_fact(next_position)
            return reason, f"{move} {left}." if left else harm
        if harm:
            return reason, harm
        opponent, reply = side_name(position, next_position.to_move), answers[0]
        if next_position.why_illegal(position.game.parse(reply)):
            return reason, harm
        benefit = self._describe_benefit(next_position, answers, "")
        if benefit.startswith("blocks"):
            idea = node_of(position).describe_move(position.game.parse(move)) or ""
            four = f"makes a {number_word(position.game.line - 1)}"
            return reason, f"{move} {four} too early: {opponent} blocks it at {reply}." * (idea == four)
        harms = [_closed_row_words(position, position.game.parse(move))]
        if (benefit and reply != line[0]) or not reason:
            harms.append(f"{opponent}'s best reply to {move} is {reply}{f': it {benefit}' * bool(benefit)}.")
        return reason, " ".join(filter(None, harms))

    def _describe_benefit(self, position: RowPositionT, line: Sequence[str], answer: str) -> str:
        """Describe the benefit of the first move of a line. A win or a threat that the move leaves to the opponent is
        not a benefit.
        """
        benefit = super()._describe_benefit(position, line, answer)
        return "" if benefit.startswith(_FAULTS) else benefit

    def _describe_threat(self, position: RowPositionT, move: Move) -> str:
        """Return the evaluation's description of a move, and the stones with which the move makes its rows."""
        idea = super()._describe_threat(position, move)
        if not isinstance(move, Point) or not idea:
            return idea
        return f"{idea}{_stones_suffix(position, move, idea)}"

    def _facts(self, position_before: RowPositionT, move: Move, position_after: Any, idea: str) -> Iterator[str]:
        """Yield a missed win, a threat that the move leaves, or the facts about rows. If the move wins, yield nothing,
        because other facts do not matter then.
        """
        if not isinstance(move, Point):
            yield from super()._facts(position_before, move, position_after, idea)
        elif missed := _missed_row_fact(position_before, position_after):
            yield missed
        elif not idea or (position_after.outcome() is None and not idea.startswith(_GIVES_STONES_UP)):
            if left := _left_threat_fact(position_after):
                yield left
                return
            facts = list(_row_facts(position_before, move, idea))
            yield from facts
            yield from self._other_facts(position_before, move, position_after, has_facts=bool(idea or facts))

    def _other_facts(
        self, position_before: RowPositionT, move: Point, position_after: Any, *, has_facts: bool
    ) -> Iterator[str]:
        """Yield facts about a stone beside those about rows. has_facts: whether there are facts about rows."""
        if not has_facts:
            yield distance_words(position_before, move)

    def _answer_sentence(self, position_before: RowPositionT, move: Move, position_after: RowPositionT) -> str:
        """Return a sentence on the points at which the opponent stops the threat that a move makes; empty if the move
        makes none.
        """
        if not isinstance(move, Point) or position_after.outcome() is not None:
            return ""
        node, opponent = node_of(position_after), side_name(position_after, position_after.to_move)
        idea = node_of(position_before).describe_move(move) or ""
        if not isinstance(node, GomokuNode) or not ("makes " in idea or "threatens" in idea):
            return ""
        certain = node.certain_value()
        if certain is not None:
            return "" if certain > 0 else f"{opponent} cannot stop it."
        if (only_move := node.only_move()) is not None:
            return f"{opponent} must answer at {only_move}."
        if not (points := _stopping_points(node)) or len(points) > _MAX_NAMED_POINTS:
            return ""
        return f"{opponent} can stop it at {_alternatives(points)}."


@lru_cache(maxsize=256)
def _row_reason(explainer: RowExplainer[Any], position: RowPosition, move: Move) -> str:
    """Return the rows that a move makes or stops, in words. Results are cached, because an analysis asks for the same
    moves again and again.
    """
    effects = explainer.describe_effects(position, move)
    return "" if effects.startswith(_DISTANCE_WORDS) else effects


def _stones_suffix(position: RowPosition, move: Point, idea: str) -> str:
    """Return the stones with which a move makes the rows that `idea` names, such as " with h8 i9"; "" for none."""
    lengths, words = range(position.game.line - 2, position.game.line + 1), idea.replace("s ", " ").split()
    shortest = next((length for length in lengths if number_word(length) in words), math.inf)
    rows = [row for row in _fullest_rows(position, move, _colour(position)) if len(row) + 1 >= shortest]
    return f" with {' '.join(str(stone) for row in rows for stone in row)}" if rows else ""


def _closed_row_words(position: RowPosition, move: Move) -> str:
    """Return a sentence on a played three if it is not an open three; empty for other moves."""
    if not isinstance(move, Point) or node_of(position).describe_move(move):
        return ""
    row = max(_fullest_rows(position, move, _colour(position)), key=len)
    if len(row) + 1 != position.game.line - 2:
        return ""
    length = number_word(len(row) + 1)
    opponent = side_name(position, 3 - position.to_move)
    return f"{move} makes only a closed {length} with {' '.join(map(str, row))}, which {opponent} need not stop."


def _missed_row_fact(position_before: RowPosition, position_after: Any) -> str:
    """Return the fact that a move misses a win by one stone, or leaves such a win to the opponent; empty if it does
    neither.

    It is more important than any fact about the stone itself.
    """
    if position_after.outcome() is not None:
        return ""
    if own_win := _winning_point(position_before):
        return f"misses the row of {position_before.game.line} at {own_win}"
    theirs, opponent = _winning_point(position_after), COLOURS[_colour(position_after)]
    return f"leaves {opponent} a row of {position_before.game.line} at {theirs}" if theirs else ""


def _winning_point(position: Any) -> Point | None:
    """Return a point at which the player to move wins at once; None if there is none."""
    node = node_of(position)
    for point in _points_with_threat(node, node.board_lines.win_masks) if isinstance(node, GomokuNode) else ():
        outcome = None if position.why_illegal(point) else position.play(point).outcome()
        if outcome is not None and outcome.winner == position.to_move:
            return point
    return None


def _points_with_threat(node: GomokuNode, masks: Sequence[int]) -> list[Point]:
    """Return the points at which a stone of the player to move has a threat. masks: the threats, by the colour."""
    lanes = node.board_lines
    return list(compress(lanes.points, lanes.unpack(node.threats & masks[node.colour])))


def _left_threat_fact(position_after: Any) -> str:
    """Return the fact that a move leaves the opponent a winning threat; empty if there is none.

    The opponent is to move and completes no row at once; see `_missed_row_fact`.
    """
    node = node_of(position_after)
    if not isinstance(node, GomokuNode) or (node.certain_value() or 0) <= 0:
        return ""
    colour, line = node.colour, position_after.game.line
    for point in _points_with_threat(node, node.board_lines.two_four_masks):
        idea = node.describe_move(point)
        if position_after.why_illegal(point) or not idea or (node.child_after(point).certain_value() or 0) >= 0:
            continue
        if f"an open {number_word(line - 1)}" in idea:
            stones = max(_fullest_rows(position_after, point, colour), key=len)
            return f"leaves {COLOURS[colour]}'s open {number_word(line - 2)} {' '.join(map(str, stones))}"
        return f"lets {COLOURS[colour]} play {point}, which {idea}"
    return ""


def _stopping_points(node: GomokuNode) -> list[Point]:
    """Return the points, in the order of the board, where the player to move stops the threat of two fours."""
    attacker_fours = node.board_lines.two_four_masks[3 - node.colour]
    points = [move for move in node.defences() or () if isinstance(move, Point)]
    return sorted(point for point in points if not node.child_after(point).threats & attacker_fours)


def _alternatives(points: Sequence[Point]) -> str:
    """Return points as a list in a sentence, such as "f9, g9 or j9"."""
    names = list(map(str, points))
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _row_facts(position_before: RowPosition, move: Point, idea: str) -> Iterator[str]:
    """Yield facts about the longest row that the stone extends, and about the opponent's longest row that it stops."""
    colour, line = _colour(position_before), position_before.game.line
    own_rows = _fullest_rows(position_before, move, colour)
    stopped_row = max(_fullest_rows(position_before, move, 3 - colour), key=len)
    if len(stopped_row) > 1 and "blocks" not in idea:
        yield f"stops a row of {len(stopped_row)} {COLOURS[3 - colour]} stones"
    longest = max(own_rows, key=len)
    if len(longest) > 1 and "makes" not in idea:
        yield f"builds a row of {len(longest) + 1} with room for {line}"
    elif not idea and line > 4:
        open_twos = [row for row in own_rows if len(row) == line - 4 and _is_open(position_before, move, row[0])]
        if open_twos:
            count = "an" if len(open_twos) == 1 else number_word(len(open_twos))
            partners = " and ".join(" ".join(map(str, row)) for row in open_twos)
            yield f"makes {count} open {number_word(line - 3)}{'s' * (len(open_twos) > 1)} with {partners}"


def _is_open(position: RowPosition, point: Point, stone: Point) -> bool:
    """Return whether a row from an empty point to a stone can become an open row that lacks one stone to win."""
    board, line, colour = position.game.board, position.game.line, _colour(position)
    cells, number = _cells(position), board.number_of[point]
    for places, index in zip(board.lines_through[number], board.index_in_line[number], strict=True):
        points = board.points[places]
        if stone not in points:
            continue
        other_index = points.index(stone)
        signs = [cells[board.number_of[line_point]] for line_point in points]
        low, high = sorted((index, other_index))
        for first in range(max(0, high - line + 1), low):
            if first + line < len(signs) and 3 - colour not in signs[first : first + line + 1]:
                return True
    return False


def distance_words(position: RowPosition, point: Point) -> str:
    """Describe the distance of an empty point from the stones on the board; on an empty board, from the middle."""
    board, cells = position.game.board, _cells(position)
    stones = [stone for stone in board.points if cells[board.number_of[stone]]]
    if stones:
        distance = min(max(abs(stone.row - point.row), abs(stone.column - point.column)) for stone in stones)
        is_close = distance <= _MAX_CLOSE_DISTANCE
        return "stays close to the other stones" if is_close else "opens away from the other stones"
    margin = min(point.row - 1, point.column - 1, board.rows - point.row, board.columns - point.column)
    is_central = 3 * margin >= min(board.rows, board.columns) - 2
    return "opens in the middle of the board" if is_central else "opens near the edge"


def _colour(position: RowPosition) -> int:
    """Return the colour of the player to move."""
    return position.colour if isinstance(position, GomokuPosition) else position.to_move


def _cells(position: RowPosition) -> Sequence[int]:
    """Return the colour of the stone on each point, in the order of the board; 0 for an empty point."""
    if isinstance(position, GomokuPosition):
        return position.cells
    places = position.game.bit_geometry.index_of
    return [position.board.colour(places[point]) for point in position.game.board.points]


def _fullest_rows(position: RowPosition, point: Point, colour: int) -> list[list[Point]]:
    """Return, for each direction, a colour's stones in the possible winning row through a point that has most of them.

    The point is empty. A possible winning row contains no stone of the other colour.
    """
    geometry, line, all_cells = position.game.board, position.game.line, _cells(position)
    number, rows = geometry.number_of[point], []
    directions = 2 if isinstance(position, RobogoPosition) and not position.game.diagonals else 4
    lines = zip(geometry.lines_through[number], geometry.index_in_line[number], strict=True)
    for places, index in list(lines)[:directions]:
        cells, points, fullest = all_cells[places], geometry.points[places], list[Point]()
        for first_index in range(max(0, index - line + 1), min(index, len(cells) - line) + 1):
            window = range(first_index, first_index + line)
            stones = [points[i] for i in window if cells[i] == colour]
            if len(stones) > len(fullest) and not any(cells[i] == 3 - colour for i in window):
                fullest = stones
        rows.append(fullest)
    return rows
