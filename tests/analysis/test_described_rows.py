"""The descriptions of rows in Gomoku agree with rows that are counted stone by stone on the whole board."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from gomogo_core.games import load
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.search.evaluation import node_of

Place = tuple[int, int]
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
WORDS = {2: "two", 3: "three", 4: "four", 5: "five"}


class Rows:
    """A board on which rows are counted by walking from stone to stone."""

    def __init__(self, game: Gomoku, stones: dict[Place, int]) -> None:
        self.game, self.stones, self.size, self.line = game, stones, game.size, game.line

    def after(self, place: Place, colour: int) -> Rows:
        return Rows(self.game, {**self.stones, place: colour})

    def is_empty(self, place: Place) -> bool:
        return min(place) > 0 and max(place) <= self.size and place not in self.stones

    def empty(self) -> list[Place]:
        every = ((row, column) for row in range(1, self.size + 1) for column in range(1, self.size + 1))
        return [place for place in every if place not in self.stones]

    def rows_through(self, place: Place, colour: int) -> Iterator[tuple[Place, list[Place]]]:
        """Each direction, with the stones of a colour in an unbroken row through a stone."""
        for down, right in DIRECTIONS:
            row = [place]
            for sign in (1, -1):
                row_at, column_at = place
                while (
                    self.stones.get((row_at := row_at + sign * down, column_at := column_at + sign * right)) == colour
                ):
                    row.append((row_at, column_at))
            yield (down, right), sorted(row)

    def wins(self, place: Place, colour: int, *through: Place) -> bool:
        """Whether a stone on an empty place wins, with a row through some other stones."""
        return any(
            (len(row) == self.line or (len(row) > self.line and not self.game.exact)) and set(through) <= set(row)
            for _, row in self.after(place, colour).rows_through(place, colour)
        )

    def winning_places(self, colour: int, *through: Place) -> list[Place]:
        return [place for place in self.empty() if self.wins(place, colour, *through)]

    def open_fours(self, place: Place, colour: int) -> list[list[Place]]:
        """The open fours through a stone."""
        fours = []
        for (down, right), row in self.rows_through(place, colour):
            ends = [(row[0][0] - down, row[0][1] - right), (row[-1][0] + down, row[-1][1] + right)]
            if len(row) == self.line - 1 and all(self.is_empty(end) and self.wins(end, colour, place) for end in ends):
                fours.append(row)
        return fours

    def open_threes(self, colour: int, *through: Place) -> set[frozenset[Place]]:
        """The stones of each row that one more stone makes an open four. through: stones of the row."""
        return {
            frozenset(row) - {place}
            for place in self.empty()
            for row in self.after(place, colour).open_fours(place, colour)
            if set(through) <= set(row)
        }

    def two_fours(self, colour: int) -> set[Place]:
        """The empty places where a stone makes two ways to win that go through the stone."""
        return {place for place in self.empty() if len(self.after(place, colour).winning_places(colour, place)) > 1}


def assert_sentence(before: GomokuPosition, move: Point, sentence: str) -> str:
    """Return the claim of a description that is false; empty if it is true and leaves nothing important out."""
    game = before.game
    board = Rows(
        game,
        {
            (point.row, point.column): colour
            for point in game.board.points
            if (colour := before.cells[game.board.number_of[point]])
        },
    )
    place, mine, opponent_colour = (move.row, move.column), before.colour, 3 - before.colour
    after = board.after(place, mine)
    five, four, three = (WORDS[game.line - missing] for missing in range(3))
    if board.wins(place, mine):
        return "" if sentence == f"makes {five} in a row" else "no win"
    ways = after.winning_places(mine, place)
    facts: dict[str, Callable[[], bool]] = {  # counted only if needed, because the last ones take long
        f"blocks a {four}": lambda: board.wins(place, opponent_colour) and not after.winning_places(opponent_colour),
        f"blocks one of several ways to make {five}": lambda: (
            board.wins(place, opponent_colour) and bool(after.winning_places(opponent_colour))
        ),
        f"makes an open {four}": lambda: bool(after.open_fours(place, mine)),
        f"makes two {four}s": lambda: len(ways) > 1 and not after.open_fours(place, mine),
        f"makes a {four}": lambda: len(ways) == 1,
        f"an open {three} at once": lambda: len(ways) == 1 and len(after.open_threes(mine, place)) > 0,
        f"makes an open {three}": lambda: not ways and len(after.open_threes(mine, place)) > 0,
        f"makes two open {three}s": lambda: not ways and len(after.open_threes(mine, place)) > 1,
        f"blocks an open {three}": lambda: bool(
            board.open_threes(opponent_colour) - after.open_threes(opponent_colour)
        ),
        f"blocks two {four}s": lambda: bool(board.two_fours(opponent_colour)) and not after.two_fours(opponent_colour),
        f"threatens two {four}s": lambda: not ways and bool(after.two_fours(mine) - board.two_fours(mine)),
    }
    claims = sentence.split(" and ") if sentence else []
    for claim in claims:
        if not facts[claim]():
            return claim
    for makes in (f"makes an open {four}", f"makes two {four}s", f"makes a {four}", f"makes an open {three}"):
        if facts[makes]() and not {makes, f"makes two open {three}s"} & set(claims):
            return f"not: {makes}"
    double = f"an open {three} at once"
    if f"makes a {four}" in claims and facts[double]() and double not in claims:
        return f"not: {double}"
    return ""


@pytest.mark.parametrize("options", [{"size": 9}, {"size": 9, "exact": True}, {"size": 7, "line": 4}], ids=str)
def test_descriptions_agree_with_counted_rows(options: dict[str, object]) -> None:
    rng, checked = random.Random(f"rows {options}"), set[str]()
    for _ in range(12):
        position = load("gomoku", **options).start()
        for _ in range(25):
            assert isinstance(position, GomokuPosition)
            if position.outcome() is not None:
                break
            node = node_of(position)
            near = list(node.moves_in_game_order())
            best_moves = sorted(near, key=lambda move: node.child_after(move).value())[:4]
            for move in dict.fromkeys([*best_moves, *rng.sample(near, min(4, len(near)))]):
                assert isinstance(move, Point)
                description = node.describe_move(move) or ""
                checked.update(description.split(" and "))
                assert not assert_sentence(position, move, description), (position.diagram(), str(move), description)
            position = position.play(rng.choice(best_moves if rng.random() < 0.7 else near))
    assert len(checked) >= 8, checked
