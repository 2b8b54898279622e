"""Measures how difficult a puzzle is for a human, and writes files of puzzles with their difficulty.

The size of a proof says little about humans: it is large on an empty board and small on a full board. A human looks for
moves that threaten something. So the difficulty counts the moves to read ahead and the moves that look right.
The module depends on puzzles, attempts and a search of one move.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.puzzles.attempts import Verdict, judge_attempt, right_moves
from gomogo_core.puzzles.boxes_proofs import tempting_edges
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
    gives as few boxes as possible; its turns replace the moves to read ahead. A ladder repeats its moves, so it
    counts half.
    """
    if puzzle.boxes_position is not None:
        return round(puzzle.turns + math.log2(_edge_choice(puzzle)), 2)
    assert puzzle.attack is not None
    if puzzle.is_defence:
        threat_moves = puzzle.attack.moves_needed_if_idle(puzzle.position, puzzle.turns)
        choice = float(len(puzzle.attack.partial_defences(puzzle.position, threat_moves)))
        return round(puzzle.turns + 1 + math.log2(choice), 2)
    choice, move_count, quiet_count, attempt = 1.0, 0, 0, judge_attempt(puzzle)
    while attempt.verdict is Verdict.OPEN:
        right_choices = right_moves(puzzle, attempt)
        if attempt.played_moves or alpha_beta.search(attempt.position, SearchLimits(depth=1)).move not in right_choices:
            choice *= len(puzzle.attack.threats(attempt.position, attempt.moves_left)) / len(right_choices)
        move_count, next_position = move_count + 1, attempt.position.play(right_choices[0])
        attempt = judge_attempt(puzzle, (*attempt.right_tries, puzzle.game.format(right_choices[0])))
        if attempt.verdict is Verdict.OPEN:
            choice *= max(1, len(puzzle.attack.partial_defences(next_position, attempt.moves_left)))
            quiet_count += puzzle.attack.moves_needed_if_idle(next_position, 1) == 0
    reading = math.log2(choice) / (2 if puzzle.theme in ("kill", "live") else 1)
    difficulty = move_count + reading + quiet_count
    return round(difficulty / 2 if puzzle.theme == "ladder" else difficulty, 2)


def _edge_choice(puzzle: Puzzle) -> float:
    """Return the product, over the moves of a solution in Dots and Boxes, of the tempting edges for each right one.

    If no tempting edge is right, the player chooses among all edges.
    """
    choice, attempt = 1.0, judge_attempt(puzzle)
    while attempt.verdict is Verdict.OPEN:
        assert isinstance(attempt.position, DotsAndBoxesPosition)
        right_edges, tempting = right_moves(puzzle, attempt), tempting_edges(attempt.position)
        right_count = len(set(tempting) & set(right_edges))
        all_count = attempt.position.facts()["moves_left"]
        choice *= len(tempting) / right_count if right_count else all_count / len(right_edges)
        attempt = judge_attempt(puzzle, (*attempt.right_tries, puzzle.game.format(right_edges[0])))
    return choice
