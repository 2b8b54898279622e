"""Make the balanced openings of Gomoku: five stones after which both sides win about as often.

    python -m training.gomoku_openings tournaments/balanced/gomoku.txt --count 500 --seed 1

A candidate is five random stones on the 9 × 9 points in the middle. Searches of more and more nodes drop the uneven
ones: each value must be near the value from which games of the champion end evenly. That value is not 0;
docs/why/champion.md has the games that show it, and says why the last search takes two seconds.

A candidate and its value depend on the seed and its number alone, since each has an engine of its own. So the file is
all that a killed run needs: the same command reads its last line, and continues with the next number.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from gomogo_core.engines import compiling
from gomogo_core.errors import UserError
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Gomoku, GomokuPosition

STONES = 5
_REACH = 4  # points on each side of the centre
# nodes of each earlier search, and how far its value may be from the even one
_SIEVE = ((2_000, 75), (30_000, 55), (250_000, 35))
_MEMORY_MB, _LAST_MEMORY_MB = 16, 64
_NUMBER = re.compile(r"# (\d+), ")


def candidate(game: Gomoku, seed: int, number: int) -> list[Point]:
    """Return five random points near the centre, black's first, white's second, and so on."""
    middle = game.size // 2 + 1
    near = range(middle - _REACH, middle + _REACH + 1)
    return random.Random(f"{seed}:{number}").sample([Point(column, row) for row in near for column in near], STONES)


def value_of(module: Any, game: Gomoku, stones: Sequence[Point], nodes: int, even: int, margin: int) -> int | None:
    """Return the champion's value for the player to move next; None if a search finds one that is too far from
    `even`.
    """
    position = game.replay(stones)
    assert isinstance(position, GomokuPosition)
    value = 0
    for limit, most, memory_mb in (*((*search, _MEMORY_MB) for search in _SIEVE), (nodes, margin, _LAST_MEMORY_MB)):
        # remains of another search in the table would change the value
        engine = module.GomokuEngine(game, memory_mb=memory_mb)
        value = engine.analyse(position, nodes=limit).value
        if abs(value - even) > most:
            return None
    return value


def shape(game: Gomoku, stones: Sequence[Point]) -> tuple[Any, ...]:
    """Return a value that is equal for openings that are the same when rotated, mirrored, or in another order."""

    def image(turned: Any) -> tuple[Any, ...]:
        moved = [turned(stone) for stone in stones]
        return tuple(sorted(moved[::2])), tuple(sorted(moved[1::2]))

    return min(image(turned) for turned in game.symmetries())


def stones_of(game: Gomoku, line: str) -> list[Point]:
    """Return the stones of a line of the file."""
    return [game.board.parse(word) for word in line.partition("#")[0].split()]


def read_openings(path: Path, game: Gomoku, head: str) -> tuple[set[tuple[Any, ...]], int]:
    """Return the shapes that a file has, and the number of the next candidate. Raises UserError."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if text and not text.startswith(head):
        raise UserError(f"{path} was made with other settings.", "Give those in its first lines, or another file.")
    lines = text.removeprefix(head).split("\n")[:-1]  # a line without its end was cut off by a kill
    known = {shape(game, stones_of(game, line)) for line in lines}
    path.write_text(head + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    last = _NUMBER.search(lines[-1]) if lines else None
    return known, int(last[1]) + 1 if last else 0


def make_openings(
    module: Any, game: Gomoku, seed: int, nodes: int, even: int, margin: int, known_lines: set[Any], number: int
) -> Iterator[str]:
    """Return lines of the file, beginning with the candidate `number`."""
    while True:
        stones = candidate(game, seed, number)
        looks = shape(game, stones)
        if looks not in known_lines and (value := value_of(module, game, stones, nodes, even, margin)) is not None:
            known_lines.add(looks)
            yield f"{' '.join(map(game.format, stones))}  # {number}, {value:+d}\n"
        number += 1


@click.command()
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--count", default=500, show_default=True, help="Openings in the file.")
@click.option("--seed", default=1, show_default=True, help="Seed of the candidates.")
@click.option("--nodes", default=3_000_000, show_default=True, help="Nodes of the last search.")
@click.option("--even", default=20, show_default=True, help="The value from which both sides win as often.")
@click.option("--margin", default=50, show_default=True, help="Allowed distance of the last value from that.")
def main(path: Path, count: int, seed: int, nodes: int, even: int, margin: int) -> None:
    """Append balanced openings to FILE until it has --count of them."""
    game = Gomoku()
    head = (
        "# Balanced five-stone openings of Gomoku on 15 × 15, found by the champion. Each line: the moves, the number\n"
        "# of the candidate, and the value for the next to move in the champion's units.\n"
        f"# Made by: python -m training.gomoku_openings FILE --seed {seed} --nodes {nodes} --even {even}"
        f" --margin {margin}\n"
    )
    known, number = read_openings(path, game, head)
    module = compiling.load("gomogo_core.engines.gomoku")
    with path.open("a", encoding="utf-8") as file:
        lines = make_openings(module, game, seed, nodes, even, margin, known, number)
        for _ in range(count - len(known)):
            file.write(next(lines))
            file.flush()


if __name__ == "__main__":
    main()
