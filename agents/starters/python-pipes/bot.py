"""A bot that plays Gomoku by pipes: wins at once where it can, and plays any empty point where it cannot.

Begin at `choose`, which is all that knows how to play. Below it stands the talk with the referee, which needs no
change. The referee starts `python3 bot.py`; each line that comes in, and each that goes out, is one JSON object.

(In Python there is a shorter way: `gomogo agent new NAME` writes a bot that is one function, and talks for you.)
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from typing import Any

# ---- How it plays ----------------------------------------------------------------------------------------------------


@dataclass
class Turn:
    """What the bot knows on its turn.

    board: the rows of the board, the top one first; "x" is black, "o" white, "." empty. line: how many in a row win.
    mine: the character of our own stones.
    """

    board: list[str]
    line: int
    mine: str

    @property
    def size(self) -> int:
        """How many points are along each side."""
        return len(self.board)


def choose(turn: Turn) -> tuple[int, int]:
    """Choose a point: its row and its column, both counted from 0. Change this: it is where your bot becomes yours."""
    empty = [(row, column) for row in range(turn.size) for column in range(turn.size) if turn.board[row][column] == "."]
    for row, column in empty:
        if wins(turn, row, column):
            return row, column
    return random.choice(empty)


def wins(turn: Turn, row: int, column: int) -> bool:
    """Whether a stone of ours on this point makes a row that wins."""
    return any(
        stones(turn, row, column, down, right) + 1 + stones(turn, row, column, -down, -right) >= turn.line
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def stones(turn: Turn, row: int, column: int, down: int, right: int) -> int:
    """How many of our stones stand from a point on in one direction, the point itself left out."""
    count = 0
    while True:
        row, column = row + down, column + right
        if not (0 <= row < turn.size and 0 <= column < turn.size) or turn.board[row][column] != turn.mine:
            return count
        count += 1


# ---- The talk with the referee ---------------------------------------------------------------------------------------


def answer(told: dict[str, Any]) -> str:
    """Return our move, as people write it: a letter for the column, then the row."""
    # told["moves"] has all moves so far; this bot needs no more than the board
    if told.get("opening") in ("choose", "choose last"):  # an opening wants a word now, "swap" or "stay"
        return "stay"
    row, column = choose(Turn(told["board"], told["options"]["line"], told["marks"][told["you"]]))
    return f"{chr(ord('a') + column)}{row + 1}"


def say(**words: Any) -> None:
    """Write one line, and see that it is on its way: what waits in a buffer is not heard."""
    print(json.dumps(words), flush=True)


def main() -> None:
    """Answer line after line until there are no more: then nobody needs us."""
    for line in sys.stdin.buffer:
        told = json.loads(line)
        if told["type"] == "game":
            # Build what takes long here: no clock runs before we say that we are ready. With keep we say that this
            # process may play game after game; it remembers nothing from one to the next.
            say(ready=True, keep=True)
        elif told["type"] == "turn":
            say(move=answer(told))
        # "end" says how the game ended. What is not known, now or later, is passed over.


if __name__ == "__main__":
    main()
