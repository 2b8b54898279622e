"""A bot that plays Gomoku by pipes: wins at once where it can, and plays any empty point where it cannot.

Start at `choose`, which makes all decisions. The code below it communicates with the referee, and needs no change. The
referee starts `python3 bot.py`; each line of input and each line of output is one JSON object.

(Python has a shorter way: `gomogo agent new NAME` writes a bot with one function, without communication code.)
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
    """The bot's knowledge on its turn.

    board: the rows of the board, the top one first; "x" is black, "o" white, "." empty. line: the number of stones in a
    row that wins. mine: the character of our own stones.
    """

    board: list[str]
    line: int
    mine: str

    @property
    def size(self) -> int:
        """Return the number of points along each side."""
        return len(self.board)


def choose(turn: Turn) -> tuple[int, int]:
    """Choose a point: its row and its column, both counted from 0. Change this function to write your own bot."""
    empty = [(row, column) for row in range(turn.size) for column in range(turn.size) if turn.board[row][column] == "."]
    for row, column in empty:
        if wins(turn, row, column):
            return row, column
    return random.choice(empty)


def wins(turn: Turn, row: int, column: int) -> bool:
    """Return whether a stone of ours on this point makes a winning row."""
    return any(
        stones(turn, row, column, down, right) + 1 + stones(turn, row, column, -down, -right) >= turn.line
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def stones(turn: Turn, row: int, column: int, down: int, right: int) -> int:
    """Return the number of our stones next to a point in one direction."""
    count = 0
    while True:
        row, column = row + down, column + right
        if not (0 <= row < turn.size and 0 <= column < turn.size) or turn.board[row][column] != turn.mine:
            return count
        count += 1


# ---- Communication with the referee ----------------------------------------------------------------------------------


def answer(message: dict[str, Any]) -> str:
    """Return our move, as people write it: a letter for the column, then the row."""
    # message["moves"] has all moves so far; this bot needs only the board
    if message.get("opening") in ("choose", "choose last"):  # the opening needs a word now, "swap" or "stay"
        return "stay"
    row, column = choose(Turn(message["board"], message["options"]["line"], message["marks"][message["you"]]))
    return f"{chr(ord('a') + column)}{row + 1}"


def send(**words: Any) -> None:
    """Write one line, and flush it: the referee does not see buffered output."""
    print(json.dumps(words), flush=True)


def main() -> None:
    """Answer line after line until the input ends."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "game":
            # Do slow preparations here: no clock runs before we report that we are ready. With keep we announce that
            # this process may play several games; it stores nothing from one game to the next.
            send(ready=True, keep=True)
        elif message["type"] == "turn":
            send(move=answer(message))
        # "end" reports the result of the game. Ignore unknown messages, now and in the future.


if __name__ == "__main__":
    main()
