"""A bot that plays Gomoku by files: wins at once where it can, and plays any empty point where it cannot.

Begin at `choose`, which is all that knows how to play. Below it stands the talk with the referee, which needs no
change. The referee starts `python3 bot.py TEAM` in a folder of its own, and all files are there.

(In Python there is a shorter way: `gomogo agent new NAME` writes a bot that is one function, and talks for you.)
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path

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


def answer(team: str) -> str:
    """Read what the referee tells, and return the line of our move."""
    position = json.loads(Path("position.json").read_text(encoding="utf-8"))
    options = json.loads(Path("game.json").read_text(encoding="utf-8"))["options"]
    # history_file has all moves so far, a line each; this bot needs no more than the board
    if position.get("opening") in ("choose", "choose last"):  # an opening wants a word now, "swap" or "stay"
        return f"{team} stay\n"
    row, column = choose(Turn(position["board"], options["line"], position["marks"][team]))
    return f"{team} {chr(ord('a') + column)} {row + 1}\n"


def standing() -> tuple[int, str]:
    """The move_file that stands there now: its number, and its text. A new file of the same name has another number."""
    return os.stat("move_file").st_ino, Path("move_file").read_text(encoding="utf-8", errors="replace")


def main(team: str) -> None:
    """Say that we are ready, and answer turn after turn until the game is over."""
    go, ready, over = Path(f"{team}.go"), Path(f"{team}.ready"), Path("end_game")
    answered = (0, "")  # the move_file that we wrote our last answer into
    left_over = over.exists()  # of an earlier game, until the referee has cleaned the folder

    # Build what takes long here: no clock runs before we say that we are ready, by our process number.
    ready.write_text(str(os.getpid()), encoding="utf-8")
    while True:
        # Look every 2 ms. To be told by the system (inotify on Linux) is quicker, and costs no looking.
        time.sleep(0.002)
        if not over.exists():
            left_over = False
        elif not left_over:
            break
        # Our .go stays a moment longer than our turn. But for every turn the referee first puts a new move_file in the
        # place of the old one: so, in this order, look for a file that is not our answer, then for the .go.
        if left_over or not Path("move_file").exists() or (now := standing()) == answered or not go.exists():
            continue
        line = answer(team)
        answered = now[0], line
        Path("move_file").write_text(line, encoding="utf-8")  # in one go: half a line is no move
    ready.unlink(missing_ok=True)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(f"Usage: {sys.argv[0]} TEAM")
    main(sys.argv[1])
