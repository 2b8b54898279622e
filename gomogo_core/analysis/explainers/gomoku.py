"""Explains moves of Gomoku by the rows that a stone makes, extends and stops."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from gomogo_core.analysis.explainers._explainer import Explainer
from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import GomokuPosition
from gomogo_core.games.stones.rules import COLOURS
from gomogo_core.search.evaluation.gomoku_node import number_word

_MAX_CLOSE_DISTANCE = 2  # stones within this distance can soon form a row


class GomokuExplainer(Explainer[GomokuPosition]):
    """Explains a stone by its rows; a choice of an opening rule is explained as in any game."""

    names_winning_line = True

    def _compare_moves(
        self, position: GomokuPosition, move: str, line: Sequence[str], answers: Sequence[str], *, is_proved: bool
    ) -> tuple[str, str]:
        """Compare two moves as in any game; if no difference is known, name the best reply to the played move."""
        reason, harm = super()._compare_moves(position, move, line, answers, is_proved=is_proved)
        if answers and not reason and not harm:
            harm = f"{side_name(position, 3 - position.to_move)}'s best reply to {move} is {answers[0]}."
        return reason, harm

    def _describe_threat(self, position: GomokuPosition, move: Move) -> str:
        """Return the evaluation's description of a move, and the stones with which the move makes its rows."""
        idea = super()._describe_threat(position, move)
        if not isinstance(move, Point):
            return idea
        lengths, words = range(position.game.line - 2, position.game.line + 1), idea.replace("s ", " ").split()
        shortest = next((length for length in lengths if number_word(length) in words), math.inf)
        rows = [row for row in _fullest_rows(position, move, position.colour) if len(row) + 1 >= shortest]
        return f"{idea} with {' '.join(str(stone) for row in rows for stone in row)}" if rows else idea

    def _facts(self, position_before: GomokuPosition, move: Move, position_after: Any, idea: str) -> Iterator[str]:
        """Yield a missed win or the facts about rows, unless the move wins: nothing matters beside a win."""
        if not isinstance(move, Point):
            yield from super()._facts(position_before, move, position_after, idea)
        elif missed := _missed_row_fact(position_before, position_after):
            yield missed
        elif not idea or position_after.outcome() is None:
            yield from _row_facts(position_before, move, idea)


EXPLAINER = GomokuExplainer()


def _missed_row_fact(position_before: GomokuPosition, position_after: GomokuPosition) -> str:
    """Return the fact that a move misses a win in one, or leaves one to the opponent; empty if it does neither.

    It is more important than any fact about the stone itself.
    """
    if position_after.outcome() is not None:
        return ""
    if own_win := _winning_point(position_before):
        return f"misses the row of {position_before.game.line} at {own_win}"
    theirs = _winning_point(position_after)
    return f"leaves {COLOURS[position_after.colour]} a row of {position_before.game.line} at {theirs}" if theirs else ""


def _winning_point(position: GomokuPosition) -> Point | None:
    """Return a point at which the player to move wins at once; None if there is none."""
    for point in position.game.board.points:
        if position.cells[position.game.board.number_of[point]]:
            continue
        if max(_most_stones_by_direction(position, point, position.colour)) < position.game.line - 1:
            continue
        outcome = None if position.why_illegal(point) else position.play(point).outcome()
        if outcome is not None and outcome.winner == position.to_move:
            return point
    return None


def _row_facts(position_before: GomokuPosition, move: Point, idea: str) -> Iterator[str]:
    """Yield facts about the longest row that the stone extends, and about the opponent's longest row that it stops."""
    colour, line = position_before.colour, position_before.game.line
    own_rows = _most_stones_by_direction(position_before, move, colour)
    opponent_rows = _most_stones_by_direction(position_before, move, 3 - colour)
    stops = max(opponent_rows) > 1 and "blocks" not in idea
    if stops:
        yield f"stops a row of {max(opponent_rows)} {COLOURS[3 - colour]} stones"
    rows = sum(stone_count > 0 for stone_count in own_rows)
    if max(own_rows) > 1 and "makes" not in idea:
        yield f"builds a row of {max(own_rows) + 1} with room for {line}"
    elif rows > 1 and not idea:
        yield f"builds on {rows} rows at once"
    elif not idea and not stops:
        yield _distance_words(position_before, move)


def _distance_words(position: GomokuPosition, point: Point) -> str:
    """Describe the distance of an empty point from the stones on the board; on an empty board, from the middle."""
    board = position.game.board
    stones = [stone for stone in board.points if position.cells[board.number_of[stone]]]
    if stones:
        distance = min(max(abs(stone.row - point.row), abs(stone.column - point.column)) for stone in stones)
        is_close = distance <= _MAX_CLOSE_DISTANCE
        return "stays close to the other stones" if is_close else "opens away from the other stones"
    margin = min(point.row - 1, point.column - 1, board.rows - point.row, board.columns - point.column)
    is_central = 3 * margin >= min(board.rows, board.columns) - 2
    return "opens in the middle of the board" if is_central else "opens near the edge"


def _most_stones_by_direction(position: GomokuPosition, point: Point, colour: int) -> list[int]:
    """Return, for each direction, the number of stones in the row that `_fullest_rows` returns."""
    return list(map(len, _fullest_rows(position, point, colour)))


def _fullest_rows(position: GomokuPosition, point: Point, colour: int) -> list[list[Point]]:
    """Return, for each direction, a colour's stones in the possible winning row through a point that has most of them.

    The point is empty. A possible winning row contains no stone of the other colour.
    """
    geometry, line = position.game.board, position.game.line
    number, rows = geometry.number_of[point], []
    for places, index in zip(geometry.lines_through[number], geometry.index_in_line[number], strict=True):
        cells, points, fullest = position.cells[places], geometry.points[places], list[Point]()
        for first_index in range(max(0, index - line + 1), min(index, len(cells) - line) + 1):
            window = range(first_index, first_index + line)
            stones = [points[i] for i in window if cells[i] == colour]
            if len(stones) > len(fullest) and not any(cells[i] == 3 - colour for i in window):
                fullest = stones
        rows.append(fullest)
    return rows
