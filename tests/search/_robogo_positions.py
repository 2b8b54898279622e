"""Robogo for the tests of search: random options, random play, and certain results by trying every move.

Knows the rules alone: no nodes, no search.
"""

from __future__ import annotations

import random
from typing import Any

from gomogo_core.games import load
from gomogo_core.games.base import BadOption
from gomogo_core.games.robogo import Robogo, RobogoPosition
from gomogo_core.games.stones.rules import PASS
from tests.search._stones_positions import position_from_board


def load_robogo(**options: Any) -> Robogo:
    game = load("robogo", **options)
    assert isinstance(game, Robogo)
    return game


def robogo_position(board: str, to_move: int = 1, footer: str = "", **options: Any) -> RobogoPosition:
    """Return the position with these rows of stones, blanks between the rows."""
    position = position_from_board("robogo", board, to_move, footer, **options)
    assert isinstance(position, RobogoPosition)
    return position


def random_robogo_game(rng: random.Random, largest: int = 5, **chosen: Any) -> Robogo:
    """Return Robogo with random options that fit together."""
    while True:
        options = {
            "rows": rng.randint(1, largest),
            "cols": rng.randint(2, largest),
            "line": rng.randint(2, 5),
            "diagonals": rng.random() < 0.3,
            "captures": rng.random() < 0.8,
            "ko": rng.choice(["simple", "positional", "situational"]),
            "passing": rng.random() < 0.6,
            "suicide": rng.random() < 0.3,
            "max_moves": rng.randint(1, 40) if rng.random() < 0.3 else 1000,
        }
        try:
            return load_robogo(**(options | chosen))
        except BadOption:
            continue


def random_robogo_position(rng: random.Random, game: Robogo, moves: int) -> RobogoPosition:
    """Return the position after this many random moves, or fewer if the game ends; players avoid a win if they can."""
    position: Any = game.start()
    for _ in range(moves):
        if position.outcome() is not None:
            break
        legal = list(position.moves())
        rng.shuffle(legal)
        legal.sort(key=lambda move: move is PASS and rng.random() < 0.8)
        after = [position.play(move) for move in legal[:4]]
        position = next((each for each in after if each.outcome() is None), after[0])
    assert isinstance(position, RobogoPosition)
    return position


def wins_at_once(position: RobogoPosition) -> bool:
    """Whether a move ends the game with a win."""
    ends = (position.play(move).outcome() for move in position.moves())
    return any(end is not None and end.winner == position.to_move for end in ends)


def loses_at_once(position: RobogoPosition) -> bool:
    """Whether no move wins, and after each the opponent can."""
    if position.outcome() is not None or wins_at_once(position):
        return False
    return all(p.outcome() is None and wins_at_once(p) for p in map(position.play, position.moves()))  # type: ignore[arg-type]


def wins_in_three(position: RobogoPosition) -> bool:
    """Whether a move makes the opponent lose at once."""
    return any(loses_at_once(position.play(move)) for move in position.moves())  # type: ignore[arg-type]
