"""Find balanced openings of Gomoku: five stones after which both sides win about equally often.

python -m training.gomoku_openings tournaments/balanced/gomoku.txt --count 500 --seed 1

A candidate is five random stones on the 9 × 9 points in the middle. Searches with more and more nodes reject uneven
candidates: each value must be near the even value, from which both sides win half of the champion's games. The even
value is not 0. docs/why/champion.md has the games that show this, and explains why the last search takes two seconds.

A candidate and its value depend only on the seed and its number, since each has an engine of its own. So a run that was
killed can be continued: the same command reads the last line of the file, and continues with the next number.
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

OPENING_STONE_COUNT = 5
_MAX_CENTRE_DISTANCE = 4  # points on each side of the centre
# the nodes of each earlier search, and the largest distance of its value from the even value
_EARLIER_SEARCHES = ((2_000, 75), (30_000, 55), (250_000, 35))
_MEMORY_MB, _LAST_MEMORY_MB = 16, 64
_CANDIDATE_NUMBER_PATTERN = re.compile(r"# (\d+), ")


def random_candidate(game: Gomoku, seed: int, number: int) -> list[Point]:
    """Return five random points near the centre; the first is black's, the second white's, and so on."""
    middle = game.size // 2 + 1
    near = range(middle - _MAX_CENTRE_DISTANCE, middle + _MAX_CENTRE_DISTANCE + 1)
    near_points = [Point(column, row) for row in near for column in near]
    return random.Random(f"{seed}:{number}").sample(near_points, OPENING_STONE_COUNT)


def value_if_even(
    engine_module: Any, game: Gomoku, stones: Sequence[Point], nodes: int, even_value: int, margin: int
) -> int | None:
    """Return the champion's value for the player to move, or None if the value of one of the searches is too far from
    `even_value`. `margin` is the largest distance for the last search.
    """
    position = game.replay(stones)
    assert isinstance(position, GomokuPosition)
    value = 0
    earlier_searches = [(*search, _MEMORY_MB) for search in _EARLIER_SEARCHES]
    for limit, max_distance, memory_mb in [*earlier_searches, (nodes, margin, _LAST_MEMORY_MB)]:
        # clear the table, because results of another search would change the value
        engine = engine_module.GomokuEngine(game, memory_mb=memory_mb)
        value = engine.analyse(position, nodes=limit).value
        if abs(value - even_value) > max_distance:
            return None
    return value


def canonical_key(game: Gomoku, stones: Sequence[Point]) -> tuple[Any, ...]:
    """Return a key that is equal for openings that differ only by a symmetry or by the order of their stones."""

    def sorted_images(symmetry: Any) -> tuple[Any, ...]:
        images = [symmetry(stone) for stone in stones]
        return tuple(sorted(images[::2])), tuple(sorted(images[1::2]))

    return min(sorted_images(symmetry) for symmetry in game.symmetries())


def parse_stones(game: Gomoku, line: str) -> list[Point]:
    """Return the stones of a line of the file."""
    return [game.board.parse(word) for word in line.partition("#")[0].split()]


def read_openings(path: Path, game: Gomoku, head: str) -> tuple[set[tuple[Any, ...]], int]:
    """Return the keys of the openings in a file, and the number of the next candidate. Raises UserError."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if text and not text.startswith(head):
        raise UserError(
            f"{path} was written with other settings.", "Use the settings in its first lines, or name another file."
        )
    lines = text.removeprefix(head).split("\n")[:-1]  # a process that was killed may leave an incomplete last line
    known_openings = {canonical_key(game, parse_stones(game, line)) for line in lines}
    path.write_text(head + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    last = _CANDIDATE_NUMBER_PATTERN.search(lines[-1]) if lines else None
    return known_openings, int(last[1]) + 1 if last else 0


def make_openings(
    engine_module: Any,
    game: Gomoku,
    seed: int,
    nodes: int,
    even_value: int,
    margin: int,
    known_openings: set[Any],
    number: int,
) -> Iterator[str]:
    """Yield lines of the file, beginning with the candidate `number`."""
    while True:
        stones = random_candidate(game, seed, number)
        key = canonical_key(game, stones)
        if key in known_openings:
            continue
        value = value_if_even(engine_module, game, stones, nodes, even_value, margin)
        if value is not None:
            known_openings.add(key)
            yield f"{' '.join(map(game.format, stones))}  # {number}, {value:+d}\n"
        number += 1


@click.command()
@click.argument("path", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--count", default=500, show_default=True, help="Openings in the file.")
@click.option("--seed", default=1, show_default=True, help="Seed of the candidates.")
@click.option("--nodes", default=3_000_000, show_default=True, help="Nodes of the last search.")
@click.option("--even", default=20, show_default=True, help="The value from which both sides win equally often.")
@click.option("--margin", default=50, show_default=True, help="Largest distance of the last value from the even value.")
def main(path: Path, count: int, seed: int, nodes: int, even: int, margin: int) -> None:
    """Append balanced openings to FILE until it has --count of them."""
    game = Gomoku()
    head = (
        "# Balanced five-stone openings of Gomoku on 15 × 15, found by the champion. Each line: the moves, the number\n"
        "# of the candidate, and the value for the next to move in the champion's units.\n"
        f"# Made by: python -m training.gomoku_openings FILE --seed {seed} --nodes {nodes} --even {even}"
        f" --margin {margin}\n"
    )
    known_openings, number = read_openings(path, game, head)
    engine_module = compiling.load("gomogo_core.engines.gomoku")
    with path.open("a", encoding="utf-8") as file:
        lines = make_openings(engine_module, game, seed, nodes, even, margin, known_openings, number)
        for _ in range(count - len(known_openings)):
            file.write(next(lines))
            file.flush()


if __name__ == "__main__":
    main()
