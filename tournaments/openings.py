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
_BALANCED_FOLDER = Path(__file__).with_name(BALANCED)  # has a book, NAME.txt, for each game with balanced openings
_MAX_RANDOM_MOVES = 100
_CACHE_SIZE = 1000  # openings; all pairs of players play an opening at about the same time


@dataclass(frozen=True, slots=True)
class Openings:
    """An endless sequence of openings for one game, numbered from 0. identity: a text that is equal for equal
    sequences.

    moves_of: a function that returns the moves of the opening with a given number.
    """

    identity: str
    moves_of: Callable[[int], tuple[Ply, ...]]
    _cache: dict[int, tuple[Ply, ...]] = field(default_factory=dict)  # every pair of players requests each opening

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
    return _balanced_book_path(game).is_file() and game.options == load(game.name).options


def _balanced_book_path(game: Game) -> Path:
    return _BALANCED_FOLDER / f"{game.name}.txt"


@cache
def _read_balanced_lines(name: str) -> list[Sequence[Move]]:
    """Return the balanced openings of a game. This function does not check their moves, which would take a tenth of the
    start-up time; a test checks that they are legal.
    """
    game = load(name)
    lines = _balanced_book_path(game).read_text(encoding="utf-8").splitlines()
    move_texts = [line.partition("#")[0].split() for line in lines]
    return [[game.parse(text) for text in texts] for texts in move_texts if texts]


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
        move_count = choice.removeprefix("random").removeprefix(":")
        if not move_count.isascii() or not move_count.isdigit() or not 1 <= int(move_count) <= _MAX_RANDOM_MOVES:
            raise UserError(
                f"openings = {choice!r} needs a number of moves from 1 to {_MAX_RANDOM_MOVES}.",
                'Write "random:4", or the path of a file.',
            )
        # imported here, because the module loads the search, which most runs do not need
        from tournaments.random_openings import create_even_opening

        def moves_of(number: int) -> tuple[Ply, ...]:
            return _play_opening(game, create_even_opening(game, int(move_count), seed, number))[0]

        return Openings(choice, moves_of)
    if choice == BALANCED and not has_balanced_openings(game):
        options_note = "these options of " if _balanced_book_path(game).is_file() else ""
        raise UserError(
            f"There are no balanced openings for {options_note}{game.name}.", 'Write openings = "random:4".'
        )
    if choice == BALANCED:
        lines = [moves[:plies] for moves in _read_balanced_lines(game.name)]
    else:
        from tournaments.opening_book import read_book

        lines = read_book(folder / choice, game, plies)
    lines_text = "\n".join(" ".join(map(game.format, moves)) for moves in lines)
    identity = f"file:{hashlib.sha256(lines_text.encode()).hexdigest()}"
    if choice == BALANCED:
        identity = f"{BALANCED} {identity}"
        random.Random(seed).shuffle(lines)
    return Openings(identity, _BookOpenings(lines, game))


class _BookOpenings:
    """The openings of a book: its lines in their order, then the same lines rotated and mirrored, to extend a short
    book.

    A line that leads to the same position as an earlier line is left out, such as the mirror image of a symmetric line.
    After the last line, the sequence repeats.
    """

    def __init__(self, lines: Sequence[Sequence[Move]], game: Game) -> None:
        self._known_lines: list[tuple[Ply, ...]] = []
        self._further_lines = self._generate_lines(lines, game)

    def __call__(self, number: int) -> tuple[Ply, ...]:
        known_lines = self._known_lines
        known_lines += islice(self._further_lines, max(0, number + 1 - len(known_lines)))
        return known_lines[number % len(known_lines)]

    @staticmethod
    def _generate_lines(lines: Sequence[Sequence[Move]], game: Game) -> Iterator[tuple[Ply, ...]]:
        seen_keys = set[Hashable]()
        for symmetry in game.symmetries():
            for line in lines:
                plies, position = _play_opening(game, map(symmetry, line))
                if (key := position.key()) not in seen_keys:
                    seen_keys.add(key)
                    yield plies
