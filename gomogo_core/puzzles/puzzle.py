"""One puzzle: a position, a goal for the player to move, and the number of moves; and the puzzles that are shipped.

Uses positions and proofs. A puzzle stores no answers: they are proved whenever somebody tries a move.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.games.dots_and_boxes import DotsAndBoxes
from gomogo_core.puzzles.attacks import Attack, attack_of
from gomogo_core.search.solve import Solution, solve

SHIPPED = Path(__file__).with_name("shipped.json")
_MEGABYTES = 100  # less than a table of all positions needs
LEVELS = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Puzzle:
    """A position after `moves`, and a goal that the player to move can force.

    turns: how many moves of its own that takes. target: a point of the chain to capture, in Go. In Dots and Boxes the
    goal is the best edge, move after move until the turn passes; turns is the number of best edges at the start.
    """

    game: Game
    moves: tuple[str, ...]
    turns: int
    target: str = ""

    @cached_property
    def key(self) -> str:
        """A name that depends on the position and the goal only."""
        return hashlib.sha256(json.dumps(self.as_dict()).encode()).hexdigest()[:10]

    @cached_property
    def position(self) -> Position:
        """The position to begin with."""
        return self.game.replay(self.moves)

    @cached_property
    def attack(self) -> Attack | None:
        """The proofs of the goal; None in Dots and Boxes."""
        return attack_of(self.position, self.target)

    @property
    def words(self) -> str:
        """The goal in one sentence."""
        who = seat_words(self.position)
        if isinstance(self.game, DotsAndBoxes):
            return f"{who} is to move. Find the best edge."
        goal = f"captures the marked {_stones(self)}" if self.target else "wins"
        return f"{who} {goal} in {self.turns}."

    @property
    def level(self) -> str:
        """How difficult the puzzle is: easy, medium or hard."""
        if isinstance(self.game, DotsAndBoxes):
            free = self.position.facts()["moves_left"]
            return LEVELS[(free > 8) + (free > 12)]
        return LEVELS[min(self.turns, 3) - 1]

    def right_moves(self, position: Position, left: int) -> list[Move]:
        """Return every right move in a position of this puzzle, with `left` moves to go."""
        if self.attack is None:
            return list(solve_exactly(position).best)
        return self.attack.right_moves(position, left)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, which `read` takes."""
        target = {"target": self.target} if self.target else {}
        options = {name: str(value).lower() for name, value in self.game.non_default_options.items()}
        return {
            "game": self.game.name,
            **({"options": options} if options else {}),
            "moves": " ".join(self.moves),
            "turns": self.turns,
            **target,
        }


def solve_exactly(position: Position) -> Solution:
    """Return the exact solution of a position of Dots and Boxes, searched: a table takes seconds to build."""
    return solve(position, megabytes=_MEGABYTES)


def seat_words(position: Position) -> str:
    """Return the player to move at the start of a sentence: Black, White, or The first player (x)."""
    if isinstance(position.game.board, PointBoard):
        return {"x": "Black", "o": "White"}[position.mark(position.to_move)]
    return f"The {('first', 'second')[position.to_move - 1]} player ({position.mark(position.to_move)})"


def _stones(puzzle: Puzzle) -> str:
    return "stones" if len(chain_at(puzzle.position, puzzle.target)) > 1 else "stone"


def chain_at(position: Position, point: str) -> list[str]:
    """Return the names of the points of a chain; none without stones."""
    from gomogo_core.games.stones.rules import StonesPosition

    if not point or not isinstance(position, StonesPosition):
        return []
    plane = position.game.plane
    i = plane.place[position.game.board.parse(point)]
    return [str(one) for one in plane.listed(position.board.chain(i)[0])] if position.board.colour(i) else []


def read(plain: Mapping[str, Any]) -> Puzzle:
    """Return the puzzle of plain values, with legal moves. Raises UserError."""
    try:
        game = games.load(str(plain["game"]), **plain.get("options", {}))
        found = Puzzle(game, tuple(str(plain["moves"]).split()), int(plain["turns"]), str(plain.get("target", "")))
        found.position  # noqa: B018  (it is replayed once, and kept)
    except (KeyError, TypeError, ValueError) as wrong:
        raise UserError(f"A puzzle cannot be read: {wrong}.", "Write the file again by `gomogo puzzle find`.") from None
    return found


def read_file(path: Path) -> list[Puzzle]:
    """Return the puzzles of a file that `write_file` wrote. Raises UserError."""
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))["puzzles"]
        return [read(one) for one in plain]
    except OSError as wrong:
        raise UserError(f"{path} cannot be read: {wrong.strerror}.", "Name another file.") from None
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path} is not a file of puzzles.", "Write one by `gomogo puzzle find`.") from None


def as_text(puzzles: Iterable[Puzzle]) -> str:
    """Return the content of a file of puzzles, a line each."""
    lines = ",\n".join(json.dumps(one.as_dict()) for one in puzzles)
    return f'{{"schema": 1, "puzzles": [\n{lines}\n]}}\n'


@cache
def shipped() -> Mapping[str, Puzzle]:
    """Return the shipped puzzles by key, by game and from easy to hard."""
    found = sorted(read_file(SHIPPED), key=lambda one: (one.game.name, LEVELS.index(one.level)))
    return {one.key: one for one in found}
