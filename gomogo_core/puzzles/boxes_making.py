"""Finds puzzles of Dots and Boxes in games, and plays games that contain them.

The player of a puzzle has a decision: an edge that looks right to a beginner is wrong. The module uses positions and
proofs.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from gomogo_core import games
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.puzzles.boxes_proofs import (
    best_edges,
    best_line,
    boxes_after_edges,
    boxes_if_small,
    first_decision,
    possible_techniques,
    safe_edges,
    technique_of,
    tempting_edges,
    wrong_tempting_edges,
)
from gomogo_core.puzzles.puzzle import BOXES_THEMES, Puzzle
from gomogo_core.search.boxes.board import geometry_of
from gomogo_core.search.boxes.symmetry import symmetries_of

_MAX_TURNS = 3
_FREE_EDGES = range(6, 33)  # the possible numbers of free edges in a puzzle
_MAX_SAFE_EDGES = 6  # with more of them, a proof takes too long for a user who waits for a verdict
_MAX_NODES = 1_500  # the most nodes of the proof of a result
_MAX_RIGHT_SHARE = 0.5  # the largest share of right edges at a decision
# how many of eight puzzles with a theme are on each size of board: (rows, columns)
_BOARD_SHARES = {(3, 4): 1, (4, 4): 4, (5, 5): 3}


def boxes_puzzle(game: DotsAndBoxes, moves: Sequence[str], position: DotsAndBoxesPosition) -> Puzzle | None:
    """Return the puzzle of a position; None if the turn has no decision, or if its proof is too large."""
    if not _has_puzzle_size(position) or (boxes := boxes_if_small(position, _MAX_NODES)) is None:
        return None
    line = best_line(position)
    decision = first_decision(position, line, in_turn=True)
    if decision is None:
        return None
    deciding = _position_after(position, line[:decision])
    if len(best_edges(deciding)) > _MAX_RIGHT_SHARE * deciding.facts()["moves_left"]:
        return None
    theme, turns = technique_of(position, line), _turns_with_decisions(position, line)
    return Puzzle(game, tuple(moves), turns, theme=theme, boxes=boxes)


def _has_puzzle_size(position: DotsAndBoxesPosition) -> bool:
    return position.facts()["moves_left"] in _FREE_EDGES and len(safe_edges(position)) <= _MAX_SAFE_EDGES


def decides_game(puzzle: Puzzle) -> bool:
    """Return whether the player of a puzzle wins, but not after a wrong edge at the first decision."""
    position = puzzle.position
    assert isinstance(position, DotsAndBoxesPosition)
    line = best_line(position)
    decision = first_decision(position, line, in_turn=True)
    assert decision is not None
    counts, box_count = boxes_after_edges(_position_after(position, line[:decision])), puzzle.game.box_count
    best = max(counts.values())
    return 2 * best > box_count and all(2 * count <= box_count for count in counts.values() if count < best)


def _turns_with_decisions(position: DotsAndBoxesPosition, line: Sequence[str]) -> int:
    """Return the number of own turns up to the first one without a decision; at most `_MAX_TURNS`."""
    seat, was_own, turns_decide = position.to_move, False, list[bool]()
    for text in line:
        is_own = position.to_move == seat
        if is_own:
            turns_decide += [] if was_own else [False]
            turns_decide[-1] = turns_decide[-1] or bool(wrong_tempting_edges(position))
        position, was_own = position.play(position.game.parse(text)), is_own
    return min(_MAX_TURNS, len(list(itertools.takewhile(bool, turns_decide))))


def _position_after(position: DotsAndBoxesPosition, line: Sequence[str]) -> DotsAndBoxesPosition:
    for text in line:
        position = position.play(position.game.parse(text))
    return position


def make_boxes_puzzles(count: int, seed: int) -> list[Puzzle]:
    """Return `count` puzzles of each of BOXES_THEMES that decide the game, each from a game of its own.

    In a game, both players draw a random edge among those that look right to a beginner. So they take every box, and
    open the shortest chain. The boards have 3 × 4, 4 × 4 and 5 × 5 boxes.
    """
    all_sizes = [size for size, share in _BOARD_SHARES.items() for _ in range(share)]
    sizes = list(itertools.islice(itertools.cycle(all_sizes), count))
    puzzles = dict[object, Puzzle]()
    for theme, size in itertools.product(BOXES_THEMES, _BOARD_SHARES):
        for puzzle in itertools.islice(_puzzles_in_games(theme, size, seed), sizes.count(size)):
            puzzles[_shape(puzzle)] = puzzle
    return list(puzzles.values())


def _puzzles_in_games(theme: str, size: tuple[int, int], seed: int) -> Iterator[Puzzle]:
    """Play games without end, and yield the first puzzle with a theme that decides the game from each of them.

    Boards that differ by a symmetry only give one puzzle.
    """
    rng, game = random.Random(f"{theme} {size} {seed}"), games.load("dots_and_boxes", rows=size[0], cols=size[1])
    assert isinstance(game, DotsAndBoxes)
    shapes = set[object]()
    while True:
        puzzle = _first_puzzle(game, theme, rng)
        if puzzle is not None and (shape := _shape(puzzle)) not in shapes:
            shapes.add(shape)
            yield puzzle


def _first_puzzle(game: DotsAndBoxes, theme: str, rng: random.Random) -> Puzzle | None:
    """Play a game, and return its first puzzle with a theme that decides the game; None if there is no such puzzle."""
    position, moves, former_seat = game.start(), list[str](), 0
    while position.outcome() is None:
        begins_turn = position.to_move != former_seat
        if begins_turn and theme in possible_techniques(position) and _has_puzzle_size(position):
            boxes = boxes_if_small(position, _MAX_NODES)
            if boxes is not None and 2 * boxes > game.box_count:
                puzzle = boxes_puzzle(game, moves, position)
                if puzzle is not None and puzzle.theme == theme and decides_game(puzzle):
                    return puzzle
        former_seat = position.to_move
        edge = rng.choice(tempting_edges(position))
        moves.append(game.format(edge))
        position = position.play(edge)
    return None


def _shape(puzzle: Puzzle) -> tuple[object, ...]:
    """Return a value that is equal for puzzles whose boards differ by a symmetry only."""
    position = puzzle.position
    assert isinstance(position, DotsAndBoxesPosition)
    geometry = geometry_of(position.game.rows, position.game.cols)
    free_edge_mask = geometry.free_edge_mask(position.drawn)
    return position.game, symmetries_of(geometry).least_mirror_image(free_edge_mask), puzzle.boxes
