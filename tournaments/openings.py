"""Openings: random moves, those of a book, or the balanced ones that come with Gomogo; the same for every pair.

Uses the order of openings; opening_book.py reads them from files, random_openings.py creates them.
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
_MOST_RANDOM = 100  # moves
_MOST_KNOWN = 1000  # cached openings: all pairs play an opening at about the same time


@dataclass(frozen=True, slots=True)
class Openings:
    """An endless sequence of openings for one game, numbered from 0. identity: equal for equal sequences.

    make: returns the moves of one opening.
    """

    identity: str
    make: Callable[[int], tuple[Ply, ...]]
    _known: dict[int, tuple[Ply, ...]] = field(default_factory=dict)  # every pair requests each opening

    def plies(self, number: int) -> tuple[Ply, ...]:
        """Return the moves of one opening, each with the seat that made it."""
        if number not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[number] = self.make(number)
        return self._known[number]


def _play_opening(game: Game, moves: Iterable[Move]) -> tuple[tuple[Ply, ...], Position]:
    """Return the moves, each with the seat that made it, and the position after them."""
    position, plies = game.start(), []
    for move in moves:
        plies.append(Ply(position.to_move, game.format(move)))
        position = position.play(move)
    return tuple(plies), position


def has_balanced(game: Game) -> bool:
    """Return whether balanced openings come with Gomogo for this game: they fit its usual options only."""
    return _balanced_book(game).is_file() and game.options == load(game.name).options


def _balanced_book(game: Game) -> Path:
    return _FOLDER / f"{game.name}.txt"


@cache
def _balanced_lines(name: str) -> list[Sequence[Move]]:
    """Return the balanced openings of a game. A test proves that they are legal: checking them here would take a tenth
    of the start-up time.
    """
    game = load(name)
    lines = _balanced_book(game).read_text(encoding="utf-8").splitlines()
    written = [line.partition("#")[0].split() for line in lines]
    return [[game.parse(word) for word in words] for words in written if words]


def openings(choice: str, game: Game, *, seed: int, folder: Path, plies: int | None = None) -> Openings:
    """Return the openings of a tournament: "random:N", "balanced", a file or a folder (relative to `folder`), or none.

    The seed decides the moves of random openings, and the order of balanced ones; a book is played in its own order.
    plies: the number of moves from each line of a book; None for all. Raises UserError for any other text, and for a
    file with a line that is no opening of this game.
    """
    by_lot = choice.startswith("random:") or choice == "random"
    if plies is not None and (by_lot or not choice):
        raise UserError(
            f"openings_plies = {plies} says how many moves of a file are taken, and there is no file.",
            f'Write openings = "random:{plies}", or leave openings_plies out.',
        )
    if not choice:
        return Openings("", lambda number: ())
    if by_lot:
        count = choice.removeprefix("random").removeprefix(":")
        if not count.isascii() or not count.isdigit() or not 1 <= int(count) <= _MOST_RANDOM:
            raise UserError(
                f"openings = {choice!r} does not say how many moves.", 'Write "random:4", or a file\'s path.'
            )
        # imported only here: it loads the search, which most runs do not need
        from tournaments.random_openings import even_opening

        return Openings(choice, lambda number: _play_opening(game, even_opening(game, int(count), seed, number))[0])
    if choice == BALANCED and not has_balanced(game):
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
    return Openings(identity, _InTurn(lines, game))


class _InTurn:
    """The lines of a book in turn; then all of them rotated and mirrored, to extend a short book.

    A line that leads to an earlier position, such as its own mirror image, comes after all different ones.
    """

    def __init__(self, lines: Sequence[Sequence[Move]], game: Game) -> None:
        self._different: list[tuple[Ply, ...]] = []
        self._more = self._images(lines, game)

    def __call__(self, number: int) -> tuple[Ply, ...]:
        known = self._different
        known += islice(self._more, max(0, number + 1 - len(known)))
        return known[number % len(known)]

    @staticmethod
    def _images(lines: Sequence[Sequence[Move]], game: Game) -> Iterator[tuple[Ply, ...]]:
        seen = set[Hashable]()
        for turned in game.symmetries():
            for line in lines:
                plies, position = _play_opening(game, map(turned, line))
                if (key := position.key()) not in seen:
                    seen.add(key)
                    yield plies
