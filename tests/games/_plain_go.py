"""The rules of Go in a second, plain implementation, to check the fast ones.

Does not use the project. A spot is a column and a row, from 1. A board maps spots to stones, 1 or 2; chains are found
by walking, and the past is a list of whole boards.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Spot: TypeAlias = tuple[int, int]
Stones: TypeAlias = Mapping[Spot, int]


class PlainGo:
    """A game of Go, played on by `play`. captures: whether stones can be captured; ko may be "none"."""

    def __init__(self, cols: int, rows: int, ko: str, suicide: bool, captures: bool = True) -> None:
        self.spots = [(column, row) for row in range(1, rows + 1) for column in range(1, cols + 1)]
        self.ko, self.suicide, self.captures = ko, suicide, captures
        self.to_move = 1
        self.stones: dict[Spot, int] = {}
        self.captured = {1: 0, 2: 0}  # by the capturing player
        self.passes = 0
        self.boards = [self.stones]  # after 0 moves, 1 move, 2 moves …
        self.turns = [1]

    def beside(self, spot: Spot) -> list[Spot]:
        """Return the spots joined to this one by a line."""
        column, row = spot
        neighbours = [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
        return [other for other in neighbours if other in self.spots]

    def joined(self, spot: Spot, stones: Stones) -> set[Spot]:
        """Return all spots connected with `spot` by lines and by the same contents: black, white, or nothing."""
        chain, spots_left = {spot}, [spot]
        while spots_left:
            for other in self.beside(spots_left.pop()):
                if other not in chain and stones.get(other) == stones.get(spot):
                    chain.add(other)
                    spots_left.append(other)
        return chain

    def has_liberties(self, chain: set[Spot], stones: Stones) -> bool:
        """Whether a chain has a liberty."""
        return any(other not in stones for spot in chain for other in self.beside(spot))

    def board_after(self, spot: Spot) -> tuple[dict[Spot, int], int, int]:
        """Return the board after a stone there, and the numbers of captured and of lost own stones."""
        stones = {**self.stones, spot: self.to_move}
        if not self.captures:
            return stones, 0, 0
        captured: set[Spot] = set()
        for other in self.beside(spot):
            if stones.get(other) == 3 - self.to_move and not self.has_liberties(
                chain := self.joined(other, stones), stones
            ):
                captured |= chain
        for other in captured:
            del stones[other]
        own = self.joined(spot, stones)
        if self.has_liberties(own, stones):
            return stones, len(captured), 0
        for other in own:
            del stones[other]
        return stones, len(captured), len(own)

    def forbidden(self, spot: Spot) -> str:
        """Return the rule that forbids a stone there, with the earlier move for ko; or ""."""
        if spot in self.stones:
            return "occupied"
        stones, _, own_lost = self.board_after(spot)
        if own_lost and not self.suicide:
            return "suicide"
        numbers = range(len(self.boards))
        if self.ko == "simple":  # the board before the opponent's move
            numbers = numbers[-2:-1]
        elif self.ko == "situational":  # with the same player to move
            numbers = range(len(self.boards) % 2, len(self.boards), 2)
        elif self.ko == "none" or not self.captures:
            numbers = range(0)
        for number in numbers:
            if self.boards[number] == stones:
                return f"ko {number}"
        return ""

    def legal(self) -> set[Spot]:
        """Return the points where a stone may be placed."""
        return {spot for spot in self.spots if not self.forbidden(spot)}

    def play(self, spot: Spot | None) -> None:
        """Place a stone, or pass."""
        self.passes = self.passes + 1 if spot is None else 0
        if spot is not None:
            self.stones, captured, own_lost = self.board_after(spot)
            self.captured[self.to_move] += captured
            self.captured[3 - self.to_move] += own_lost
        self.boards.append(self.stones)
        self.to_move = 3 - self.to_move

    def territory(self, colour: int) -> set[Spot]:
        """Return the empty spots of parts of the board that touch stones of this colour only."""
        surrounded = set()
        for spot in self.spots:
            if spot not in self.stones:
                part = self.joined(spot, self.stones)
                if {self.stones[o] for s in part for o in self.beside(s) if o in self.stones} == {colour}:
                    surrounded.add(spot)
        return surrounded

    def longest_row(self, colour: int, diagonals: bool) -> int:
        """Return the longest row of this colour."""
        longest = 0
        for column_step, down in ((1, 0), (0, 1), (1, 1), (-1, 1))[: 4 if diagonals else 2]:
            for column, row in self.spots:
                count = 0
                while self.stones.get((column + count * column_step, row + count * down)) == colour:
                    count += 1
                longest = max(longest, count)
        return longest
