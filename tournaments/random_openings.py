"""Random openings: create several random lines, and keep the line after which the players' chances are most even.

The module uses rules and search, but no files and no players.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import isqrt

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.search import SearchLimits, alpha_beta, plies_to_end

_CANDIDATE_LINE_COUNT = 5  # the number of random lines, of which the most even line becomes the opening
_MAX_ATTEMPTS = 100  # attempts to find these lines
# the depths of two searches in plies: evaluations favour the player who moved last, so one depth is odd and one even
_SEARCH_DEPTHS = (1, 2)


def create_even_opening(game: Game, move_count: int, seed: int, opening_number: int) -> Sequence[Move]:
    """Return `move_count` random moves near the centre: the most even of several lines in which nobody has a proven
    win.

    The seed and the number of the opening decide the moves, so that a resumed tournament has the same openings. Raises
    UserError if no line is found.
    """
    rng = random.Random(f"{seed}:{opening_number}:{move_count}")
    candidates: list[tuple[float, list[Move]]] = []
    for _ in range(_MAX_ATTEMPTS):
        moves, position = choose_random_moves(game, move_count, rng)
        score = None if position is None else _mean_score(position)
        if score is not None:
            candidates.append((abs(score), moves))
        if len(candidates) == _CANDIDATE_LINE_COUNT:
            break
    if not candidates:
        raise UserError(
            f"No opening of {move_count} random moves of {game.name} was found that leaves the game undecided.",
            'Use fewer moves, for example openings = "random:2".',
        )
    return min(candidates, key=lambda candidate: candidate[0])[1]


def _mean_score(position: Position) -> float | None:
    """Return the score of the player to move, as the mean of two searches; None if either player has a proven win."""
    values = [alpha_beta.search(position, SearchLimits(depth=depth)).value for depth in _SEARCH_DEPTHS]
    return None if any(plies_to_end(value) is not None for value in values) else sum(values) / len(values)


def choose_random_moves(game: Game, move_count: int, rng: random.Random) -> tuple[list[Move], Position | None]:
    """Return at most `move_count` random candidate moves, and the position after them; None in place of the position if
    the game is over by then.
    """
    position, moves = game.start(), list[Move]()
    for _ in range(move_count):
        candidates = find_candidate_moves(position, move_count)
        if not candidates:
            return moves, None
        moves.append(rng.choice(candidates))
        position = position.play(moves[-1])
    return moves, None if position.outcome() is not None else position


def find_candidate_moves(position: Position, opening_plies: int) -> Sequence[Move]:
    """Return the candidates for the next move of an opening: the legal moves near the centre if each is a point of
    the board, else all legal moves. opening_plies: the number of moves in the whole opening.

    Moves that mark no place on the board (a pass, the choices of swap and swap2) are not candidates. "Near the centre"
    means in the middle square of 7 × 7 points, or in a larger square if the opening has many moves.
    """
    legal_moves = list(position.moves())
    board = position.game.board
    if not isinstance(board, PointBoard):
        return legal_moves
    moves_and_points = [
        (move, point) for move in legal_moves if isinstance(point := position.place_to_mark(move), Point)
    ]
    max_distance = max(3, isqrt(opening_plies))
    centre_column = (board.columns + 1) / 2
    centre_row = (board.rows + 1) / 2
    moves_near_centre = [
        move
        for move, point in moves_and_points
        if abs(point.column - centre_column) <= max_distance and abs(point.row - centre_row) <= max_distance
    ]
    other_candidates = [] if position.game.moves_are_board_places else legal_moves
    return moves_near_centre or [move for move, _ in moves_and_points] or other_candidates
