"""What stands on the board before the players think: random moves, or the lines of a file; the same for every pair.

Knows rules and search; not who plays.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import isqrt
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.games._grid import Grid, Point
from gomogo_core.games.base import Game, Move, NotAMove, Position
from gomogo_core.play.events import Ply
from gomogo_core.search import Limits, alpha_beta, plies_to_end

_MOST_BYTES = 10_000_000  # of a file of openings: Gomocup's largest has 20 KB
_OFFSETS = re.compile(r"-?\d+\s*,\s*-?\d+(\s*,\s*-?\d+\s*,\s*-?\d+)*")
_CANDIDATES = 5  # random openings of which the most even is taken
_TRIES = 100  # to find as many
_DEPTH = 2  # plies a search looks ahead to say how even an opening is
_SYMMETRIES = 8  # of a square


@dataclass(frozen=True, slots=True)
class Openings:
    """An endless row of openings for one game, numbered from 0. identity: two with the same are the same."""

    game: Game
    identity: str
    moves: Callable[[int], Sequence[Move]]

    def plies(self, number: int) -> tuple[Ply, ...]:
        """The moves of one opening, each with the seat that made it."""
        position, plies = self.game.start(), []
        for move in self.moves(number):
            plies.append(Ply(position.to_move, self.game.format(move)))
            position = position.play(move)
        return tuple(plies)


def openings(asked: str, game: Game, *, seed: int, folder: Path) -> Openings:
    """The openings that a tournament asks for: "random:N", a file (relative to `folder`), or none.

    Raises UserError for what is neither, and for a file with a line that is no opening of this game.
    """
    if not asked:
        return Openings(game, "", lambda number: ())
    if asked.startswith("random:") or asked == "random":
        count = asked.removeprefix("random").removeprefix(":")
        if not count.isascii() or not count.isdigit() or not 1 <= int(count) <= 100:
            raise UserError(
                f"openings = {asked!r} does not say how many moves.", 'Write "random:4", or a file\'s path.'
            )
        return Openings(game, asked, lambda number: _random_opening(game, int(count), seed, number))
    lines = list(_read(folder / asked, game))
    written = "\n".join(" ".join(map(game.format, moves)) for moves in lines)
    identity = f"file:{hashlib.sha256(written.encode()).hexdigest()}"
    return Openings(game, identity, lambda number: _in_turn(lines, game, number))


def _in_turn(lines: Sequence[Sequence[Move]], game: Game, number: int) -> Sequence[Move]:
    """Line after line; then all again, turned and mirrored, as a short book has no more of its own."""
    turn, line = divmod(number, len(lines))
    grid = getattr(game, "grid", None)
    if not isinstance(grid, Grid) or grid.columns != grid.rows:
        return lines[line]
    return [_turned(move, turn % _SYMMETRIES, grid.columns) for move in lines[line]]


def _turned(move: Move, symmetry: int, size: int) -> Move:
    """The move under one of the eight symmetries of a square; 0 leaves it where it is."""
    if not isinstance(move, Point):
        return move
    column, row = move
    if symmetry & 1:
        column = size + 1 - column
    if symmetry & 2:
        row = size + 1 - row
    return Point(row, column) if symmetry & 4 else Point(column, row)


def _read(path: Path, game: Game) -> Iterator[list[Move]]:
    """The openings of a file: Gomocup's offsets (x,y from the centre, black first), or moves ("h8 i9"), one a line."""
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode()
    except OSError as fault:
        raise UserError(
            f"The openings {path} cannot be read: {fault.strerror}.", 'Give a file\'s path, or "random:4".'
        ) from None
    except UnicodeDecodeError:
        raise UserError(f"The openings {path} are not UTF-8 text.", "Give a text file, an opening a line.") from None
    found = 0
    for number, line in enumerate(text.splitlines(), 1):
        content = line.partition("#")[0].strip()
        if content:
            found += 1
            yield _line(content, game, f"{path}, line {number}")
    if not found:
        raise UserError(f"The openings {path} hold no line.", f"Write an opening a line, like {_example(game)}.")


def _line(content: str, game: Game, where: str) -> list[Move]:
    if _OFFSETS.fullmatch(content):
        words = [word.strip() for word in re.findall(r"[^,]+,[^,]+", content)]
        moves = [_from_offset(word, game, where) for word in words]
    else:
        words = content.split()
        moves = [_from_text(word, game, where) for word in words]
    position = game.start()
    for word, move in zip(words, moves, strict=True):
        if why := position.why_illegal(move):
            raise UserError(f"{where}: {word}: {why}.", "Mend the line, or take it out.")
        position = position.play(move)
    if position.outcome() is not None:
        raise UserError(f"{where}: the game is over before it begins.", "Mend the line, or take it out.")
    return moves


def _from_text(word: str, game: Game, where: str) -> Move:
    try:
        return game.parse(word)
    except NotAMove as wrong:
        offsets = ", or offsets from the centre like 0,0, 1,-1" if isinstance(getattr(game, "grid", None), Grid) else ""
        raise UserError(f"{where}: {wrong}.", f"Write moves like {_example(game)}{offsets}.") from None


def _example(game: Game) -> str:
    """Two moves as they are written."""
    return " ".join(map(game.format, islice(game.start().moves(), 2)))


def _from_offset(word: str, game: Game, where: str) -> Move:
    grid = getattr(game, "grid", None)
    if not isinstance(grid, Grid):
        raise UserError(f"{where}: {game.name} has no centre to count from.", "Write moves, separated by blanks.")
    right, down = (int(number) for number in word.split(","))
    point = Point(grid.columns // 2 + 1 + right, grid.rows // 2 + 1 + down)
    if point not in grid.number:
        raise UserError(
            f"{where}: {word} is off a board of {grid.columns}×{grid.rows}.", "Take a larger board, or mend it."
        )
    return point


def _random_opening(game: Game, count: int, seed: int, number: int) -> Sequence[Move]:
    """Random moves near the centre, after which nobody wins for sure: of some, those that leave the sides most even.

    The number alone decides it, so that a tournament that goes on has the openings it had.
    """
    chance = random.Random(f"{seed}:{number}:{count}")
    candidates: list[tuple[float, list[Move]]] = []
    for _ in range(_TRIES):
        moves, position = _random_moves(game, count, chance)
        ahead = None if position is None else alpha_beta.search(position, Limits(depth=_DEPTH)).value
        if ahead is not None and plies_to_end(ahead) is None:
            candidates.append((abs(ahead), moves))
        if len(candidates) == _CANDIDATES:
            break
    if not candidates:
        raise UserError(
            f"No {count} random moves of {game.name} were found that leave a game to play.",
            'Ask for fewer, as in openings = "random:2".',
        )
    return min(candidates, key=lambda candidate: candidate[0])[1]


def _random_moves(game: Game, count: int, chance: random.Random) -> tuple[list[Move], Position | None]:
    position, moves = game.start(), list[Move]()
    for _ in range(count):
        choices = _by_lot(position, count)
        if not choices:
            return moves, None
        moves.append(chance.choice(choices))
        position = position.play(moves[-1])
    return moves, None if position.outcome() is not None else position


def _by_lot(position: Position, count: int) -> Sequence[Move]:
    """What may be drawn: on a board of points a point near the centre; elsewhere any move.

    The choices of swap and swap2 are the players' own. Near is the square of 7 × 7 in the middle, or a larger one
    where many moves must find room.
    """
    grid = getattr(position.game, "grid", None)
    if not isinstance(grid, Grid):
        return list(position.moves())
    points = [move for move in position.moves() if isinstance(move, Point)]
    reach, column, row = max(3, isqrt(count)), (grid.columns + 1) / 2, (grid.rows + 1) / 2
    near = [point for point in points if abs(point.column - column) <= reach and abs(point.row - row) <= reach]
    return near or points
