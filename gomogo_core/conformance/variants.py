"""Chooses boards and options of a game for the checks of an agent, from the options that the game declares.

The module names only one game: Gomoku with take-over, the game of course CS4341 at WPI (Worcester Polytechnic
Institute). Programs for the referee of that course do not read `game.json`, so they always play this game.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import suppress

from gomogo_core.games import load, rules
from gomogo_core.games.base import BadOption, Game, Seat
from gomogo_core.play.events import Ply

_BOARD_SIZE_OPTIONS = ("size", "rows", "cols")
_RANDOM_GAME_COUNT = 60  # the number of random games; of their positions, the one with the fewest legal moves is used


def wpi_game() -> Game:
    """Return the game of WPI's course, which a program plays if it does not read the game and its options."""
    return load("gomoku", opening="takeover")


def with_board_size_of(game: Game, other: Game) -> Game:
    """Return `game` on a board of the size that `other` has. If its options allow no such board, return `other`."""
    sizes = {key: other.options[key] for key in _BOARD_SIZE_OPTIONS if key in other.options}
    try:
        return load(game.name, **{**game.non_default_options, **sizes})
    except BadOption:
        return other


def small_game(name: str, side: int) -> Game:
    """Return the game on a board with `side` points along each side, or as near to that size as the game's options
    allow.

    The board is never larger than usual.
    """
    minimums = {spec.name: spec.low or 0 for spec in rules(name).declared_options}
    default_options = load(name).options
    return load(
        name,
        **{
            key: min(default_options[key], max(side, minimums[key]))
            for key in _BOARD_SIZE_OPTIONS
            if key in default_options
        },
    )


def variants(name: str) -> Iterator[Game]:
    """Yield the game with one changed option at a time: each number at its bounds, and each other choice of a word."""
    for spec in rules(name).declared_options:
        if isinstance(spec.default, bool):
            values: tuple[object, ...] = (not spec.default,)
        elif isinstance(spec.default, str):
            values = spec.choices
        else:
            values = (spec.low, spec.high)
        for value in values:
            if value is not None and value != spec.default:
                with suppress(BadOption):  # this value contradicts the default of another option
                    yield load(name, **{spec.name: value})


def variant_text(game: Game) -> str:
    """Return the name of the game with its changed options, as a user writes them.

    >>> variant_text(load("gomoku", size=9))
    'gomoku -o size=9'
    """
    return " ".join([game.name, *(f"-o {key}={value}" for key, value in game.non_default_options.items())])


def nearly_finished_game(game: Game, seat: Seat) -> tuple[Ply, ...]:
    """Return the moves of a random game up to a position in which `seat` is to move and has few legal moves."""
    generator = random.Random(f"{game.name} {seat}")
    fewest: tuple[int, tuple[Ply, ...]] | None = None
    for _ in range(_RANDOM_GAME_COUNT):
        position, plies = game.start(), list[Ply]()
        while position.outcome() is None:
            moves = list(position.moves())
            if position.to_move == seat and plies and (fewest is None or len(moves) < fewest[0]):
                fewest = len(moves), tuple(plies)
            move = generator.choice(moves)
            plies.append(Ply(position.to_move, game.format(move)))
            position = position.play(move)
    return fewest[1] if fewest else ()
