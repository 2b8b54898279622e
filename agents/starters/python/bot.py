"""A bot that plays Gomoku wins at once where it can, and plays any empty point where it cannot.

Start at `choose`, which makes all decisions. The code below it communicates with the referee, and needs no change. By
files the referee starts `python3 bot.py TEAM` in a folder that contains all files of the game. By pipes it starts
`python3 bot.py`, and each line of input and of output is one JSON object.

(Python has a shorter way: `gomogo agent new NAME` writes a bot with one function, without communication code.)
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
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


def line_of_files(team: str) -> str:
    """Read the referee's files, and return the line of our move."""
    position = json.loads(Path("position.json").read_text(encoding="utf-8"))
    options = json.loads(Path("game.json").read_text(encoding="utf-8"))["options"]
    # history_file has all moves so far, one per line; this bot needs only the board
    if position.get("opening") in ("choose", "choose last"):  # the opening needs a word now, "swap" or "stay"
        return f"{team} stay\n"
    row, column = choose(Turn(position["board"], options["line"], position["marks"][team]))
    return f"{team} {chr(ord('a') + column)} {row + 1}\n"


def standing() -> tuple[int, str]:
    """Return the current move_file: its number, and its text. A new file of the same name has another number."""
    with open("move_file", encoding="utf-8", errors="replace") as file:
        return os.fstat(file.fileno()).st_ino, file.read()


def play_by_files(team: str) -> None:
    """Report that we are ready, and answer every turn until the game is over."""
    go, ready, over = Path(f"{team}.go"), Path(f"{team}.ready"), Path("end_game")
    answered = (0, "")  # the move_file of our last answer
    left_over = over.exists()  # from an earlier game, until the referee has cleaned the folder

    # Do slow preparations here: no clock runs before we report, by our process number, that we are ready.
    ready.write_text(str(os.getpid()), encoding="utf-8")
    while True:
        # Look every 2 ms. Notifications of the system (inotify on Linux) are faster, and cost no polling.
        time.sleep(0.002)
        if not over.exists():
            left_over = False
        elif not left_over:
            break
        # Our .go stays a moment longer than our turn. But for every turn the referee first replaces the old move_file
        # by a new one. So, in this order, look for a file that is not our answer, then for the .go.
        if left_over or not Path("move_file").exists() or (now := standing()) == answered or not go.exists():
            continue
        line = line_of_files(team)
        answered = now[0], line
        Path("move_file").write_text(line, encoding="utf-8")  # in one write: half a line is not a move
    ready.unlink(missing_ok=True)


def text_of_move(message: dict[str, Any]) -> str:
    """Return our move, as people write it: a letter for the column, then the row."""
    # message["moves"] has all moves so far; this bot needs only the board
    if message.get("opening") in ("choose", "choose last"):  # the opening needs a word now, "swap" or "stay"
        return "stay"
    row, column = choose(Turn(message["board"], message["options"]["line"], message["marks"][message["you"]]))
    return f"{chr(ord('a') + column)}{row + 1}"


def send(**words: Any) -> None:
    """Write one line, and flush it: the referee does not see buffered output."""
    print(json.dumps(words), flush=True)


def play_by_pipes() -> None:
    """Answer line after line until the input ends."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message["type"] == "game":
            # Do slow preparations here: no clock runs before we report that we are ready. With keep we announce that
            # this process may play several games; it stores nothing from one game to the next.
            send(ready=True, keep=True)
        elif message["type"] == "turn":
            send(move=text_of_move(message))
        # "end" reports the result of the game. Ignore unknown messages, now and in the future.


if __name__ == "__main__":
    if len(sys.argv) > 1:
        play_by_files(sys.argv[1])
    else:
        play_by_pipes()
