"""The openings of a tournament: random moves, the lines of a book, or the balanced openings that come with Gomogo.

Every pair of players gets the same openings, in the order that this module decides. opening_book.py reads openings from
files, random_openings.py creates them.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.play.events import Ply

BALANCED = "balanced"
_FOLDER = Path(__file__).with_name(BALANCED)  # a book for each game that has balanced openings, under its name
_MAX_RANDOM_MOVES = 100
_CACHE_SIZE = 1000  # the number of openings in the cache; all pairs play an opening at about the same time


@dataclass(frozen=True, slots=True)
class Openings:
    """An endless sequence of openings for one game, numbered from 0. identity: a text that is equal for equal
    sequences.

    moves_of: a function that returns the moves of the opening with a given number.
    """

    identity: str
    moves_of: Callable[[int], tuple[Ply, ...]]
    _cache: dict[int, tuple[Ply, ...]] = field(default_factory=dict)  # because every pair requests each opening

    def plies(self, number: int) -> tuple[Ply, ...]:
        """Return the moves of one opening, each with the seat that made it."""
        if number not in self._cache:
            if len(self._cache) >= _CACHE_SIZE:
                self._cache.clear()
            self._cache[number] = self.moves_of(number)
        return self._cache[number]


def _play_opening(game: Game, moves: Iterable[Move]) -> tuple[tuple[Ply, ...], Position]:
    """Return the moves, each with the seat that made it, and the position after them."""
    position, plies = game.start(), []
    for move in moves:
        plies.append(Ply(position.to_move, game.format(move)))
        position = position.play(move)
    return tuple(plies), position


def has_balanced_openings(game: Game) -> bool:
    """Return whether Gomogo has balanced openings for this game. Such openings exist for default options only."""
    return _balanced_book(game).is_file() and game.options == load(game.name).options


def _balanced_book(game: Game) -> Path:
    return _FOLDER / f"{game.name}.txt"


@cache
def _balanced_lines(name: str) -> list[Sequence[Move]]:
    """Return the balanced openings of a game. Their moves are not checked here, which would take a tenth of the
    start-up time; a test proves that they are legal.
    """
    game = load(name)
    lines = _balanced_book(game).read_text(encoding="utf-8").splitlines()
    written = [line.partition("#")[0].split() for line in lines]
    return [[game.parse(word) for word in words] for words in written if words]


def load_openings(choice: str, game: Game, *, seed: int, folder: Path, plies: int | None = None) -> Openings:
    """Return the openings of a tournament.

    choice: "random:N", "balanced", a file or a folder (relative to `folder`), or an empty text for none. The seed
    decides the moves of random openings, and the order of balanced openings; a book keeps its own order. plies: the
    number of moves from each line of a book; None for all. Raises UserError for any other text, and for a file with a
    line that is not an opening of this game.
    """
    is_random = choice.startswith("random:") or choice == "random"
    if plies is not None and (is_random or not choice):
        raise UserError(
            f"openings_plies = {plies} is the number of moves to take from a file, and there is no file.",
            f'Write openings = "random:{plies}", or leave openings_plies out.',
        )
    if not choice:
        return Openings("", lambda number: ())
    if is_random:
        count = choice.removeprefix("random").removeprefix(":")
        if not count.isascii() or not count.isdigit() or not 1 <= int(count) <= _MAX_RANDOM_MOVES:
            raise UserError(
                f"openings = {choice!r} needs a number of moves from 1 to {_MAX_RANDOM_MOVES}.",
                'Write "random:4", or the path of a file.',
            )
        # not imported above, because it loads the search, which most runs do not need
        from tournaments.random_openings import create_even_opening

        return Openings(
            choice, lambda number: _play_opening(game, create_even_opening(game, int(count), seed, number))[0]
        )
    if choice == BALANCED and not has_balanced_openings(game):
        other = "these options of " if _balanced_book(game).is_file() else ""
        raise UserError(f"There are no balanced openings for {other}{game.name}.", 'Write openings = "random:4".')
    if choice == BALANCED:
        lines = [moves[:plies] for moves in _balanced_lines(game.name)]
    else:
        from tournaments.opening_book import read_book

        lines = read_book(folder / choice, game, plies)
    written = "\n".join(" ".join(map(game.format, moves)) for moves in lines)
    identity = f"file:{hashlib.sha256(written.encode()).hexdigest()}"
    if choice == BALANCED:
        identity = f"{BALANCED} {identity}"
        random.Random(seed).shuffle(lines)
    return Openings(identity, _BookOpenings(lines, game))


class _BookOpenings:
    """The lines of a book in their order, then the same lines rotated and mirrored, which extends a short book.

    A line that leads to the same position as an earlier line is left out, such as the mirror image of a symmetric line.
    After the last line the sequence repeats.
    """

    def __init__(self, lines: Sequence[Sequence[Move]], game: Game) -> None:
        self._different: list[tuple[Ply, ...]] = []
        self._more = self._all_symmetries(lines, game)

    def __call__(self, number: int) -> tuple[Ply, ...]:
        known = self._different
        known += islice(self._more, max(0, number + 1 - len(known)))
        return known[number % len(known)]

    @staticmethod
    def _all_symmetries(lines: Sequence[Sequence[Move]], game: Game) -> Iterator[tuple[Ply, ...]]:
        seen = set[Hashable]()
        for turned in game.symmetries():
            for line in lines:
                plies, position = _play_opening(game, map(turned, line))
                if (key := position.key()) not in seen:
                    seen.add(key)
                    yield plies
