"""Measures how difficult a puzzle is for a human, and writes files of puzzles with their difficulty.

The size of a proof says little about humans: it is large on an empty board and small on a full board. A human looks for
moves that threaten something. So the difficulty counts the moves to read ahead and the moves that look right.
The module depends on puzzles, attempts and a search of one move.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

from gomogo_core.games.base import Move, Position
from gomogo_core.puzzles.attempts import Verdict, judge_attempt, right_moves
from gomogo_core.puzzles.puzzle import Puzzle
from gomogo_core.search import SearchLimits, alpha_beta


def puzzles_as_text(puzzles: Iterable[Puzzle]) -> str:
    """Return the content of a file of puzzles, with one line per puzzle and with its difficulty."""
    lines = ",\n".join(json.dumps({**puzzle.as_dict(), "difficulty": measure_difficulty(puzzle)}) for puzzle in puzzles)
    return f'{{"schema": 1, "puzzles": [\n{lines}\n]}}\n'


def measure_difficulty(puzzle: Puzzle) -> float:
    """Return the number of moves that a human reads ahead, plus 1 for each doubling of the choice among them, and 1
    for each quiet move.

    The choice is the number of moves that look right, divided by the number of right moves. In an attack, each threat
    looks right, and the human must also read each answer that stops one of the next winning moves. The first move is no
    choice if it is obvious: if a search of one move finds it. A move is quiet if it does not threaten to reach the goal
    with the next move: a human finds forcing moves first. In a defence, each move that stops one of the winning moves
    looks right; the human reads the attack first. In Dots and Boxes, the human takes boxes if possible, and otherwise
    gives as few boxes as possible. A ladder repeats its moves, so it counts half.
    """
    if puzzle.attack is None:
        position = puzzle.position
        choice = _choices_per_right_move(_tempting_edges(position), puzzle.right_moves(position, 1), position)
        return round(1 + math.log2(choice), 2)
    if puzzle.is_defence:
        choice = float(len(puzzle.attack.partial_defences(puzzle.position, puzzle.turns)))
        return round(puzzle.turns + 1 + math.log2(choice), 2)
    choice, quiet_count, attempt = 1.0, 0, judge_attempt(puzzle)
    while attempt.verdict is Verdict.OPEN:
        right_choices = right_moves(puzzle, attempt)
        if attempt.played_moves or alpha_beta.search(attempt.position, SearchLimits(depth=1)).move not in right_choices:
            choice *= len(puzzle.attack.threats(attempt.position, attempt.moves_left)) / len(right_choices)
        moves_left, next_position = attempt.moves_left - 1, attempt.position.play(right_choices[0])
        if moves_left:
            choice *= max(1, len(puzzle.attack.partial_defences(next_position, moves_left)))
            quiet_count += puzzle.attack.moves_needed_if_idle(next_position, 1) == 0
        attempt = judge_attempt(puzzle, (*attempt.right_tries, puzzle.game.format(right_choices[0])))
    difficulty = puzzle.turns + math.log2(choice) + quiet_count
    return round(difficulty / 2 if puzzle.theme == "ladder" else difficulty, 2)


def _choices_per_right_move(tempting: Sequence[Move], right: Sequence[Move], position: Position) -> float:
    """Return the number of moves to choose from for each right move: tempting moves, if some of them are right."""
    right_count = len(set(tempting) & set(right))
    return len(tempting) / right_count if right_count else len(list(position.moves())) / len(right)


def _tempting_edges(position: Position) -> list[Move]:
    """Return the edges that close a box; if there are none, those after which the opponent can close the fewest."""
    edges = list(position.moves())
    if closing_edges := [edge for edge in edges if position.describe_effect(edge)]:
        return closing_edges
    boxes_given = {edge: _boxes_to_close(position.play(edge)) for edge in edges}
    return [edge for edge in edges if boxes_given[edge] == min(boxes_given.values())]


def _boxes_to_close(position: Position) -> int:
    """Return the number of boxes that the player to move can close in succession."""
    count, seat = 0, position.to_move
    while position.outcome() is None and position.to_move == seat:
        closing_edge = next((edge for edge in position.moves() if position.describe_effect(edge)), None)
        if closing_edge is None:
            break
        position, count = position.play(closing_edge), count + 1
    return count
