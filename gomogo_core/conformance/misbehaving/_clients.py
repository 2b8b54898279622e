"""Honest players, one for each protocol, that always play the first free move. Their classes have the methods that
faults need.

The module uses the commands of the protocols, but no referee. It imports little, because a program starts for every
game.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

_GTP_COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_POLL_INTERVAL = 0.001  # seconds between two polls of the folder


def free_moves(game: str, options: dict[str, Any], known_moves: set[str]) -> Iterator[str]:
    """Return the free moves: row by row in Gomoku, horizontal edges first in Dots and Boxes."""
    if game == "gomoku":
        size = options["size"]
        all_moves = (f"{chr(97 + column)}{row + 1}" for row in range(size) for column in range(size))
    else:
        rows, cols = options["rows"], options["cols"]
        sides = (("h", (rows + 1) * cols), ("v", rows * (cols + 1)))
        all_moves = (f"{direction}{edge}" for direction, edge_count in sides for edge in range(edge_count))
    return (move for move in all_moves if move not in known_moves)


class Client(ABC):
    """The program's part of a protocol, which receives turns and answers them.

    limit, grace: the seconds for a move, and the grace period. port: a local port that a fault may connect to. folder:
    the working directory, which is the game folder in a game by files. turn_noticed_at: the moment by time.monotonic()
    at which the program noticed its turn. known_moves: the moves that the program knows.
    """

    protocol = ""

    def __init__(self, team: str, limit: float, grace: float, port: int) -> None:
        self.team, self.limit, self.grace, self.port = team, limit, grace, port
        self.folder = os.getcwd()
        self.game, self.options, self.teams = "gomoku", dict[str, Any](), list[str]()
        self.known_moves: set[str] = set()
        self.turn_noticed_at = 0.0

    @abstractmethod
    def honest_moves(self) -> Iterator[str]:
        """Report that the program is loaded, and then yield an honest move for each turn until the game is over."""

    @abstractmethod
    def answer_line(self, move: str) -> str:
        """Return the line that answers with this move, without the line end."""

    @abstractmethod
    def answer_with_row(self, row: str) -> str:
        """Return a line that answers with a point, or an edge, whose row is this text."""

    @abstractmethod
    def write(self, content: bytes, *, continues_last: bool = False) -> None:
        """Write bytes as an answer. continues_last: whether these bytes continue those of the last call."""

    def answer(self, move: str) -> None:
        """Answer correctly with this move."""
        self.known_moves.add(move)
        self.write(self.answer_line(move).encode() + b"\n")

    def first_free_move(self) -> str:
        """Return the first free move, or "resign"."""
        return next(free_moves(self.game, self.options, self.known_moves), "resign")


class FilesClient(Client):
    """Plays by files."""

    protocol = "files"
    _last_written_inode = 0  # the inode of the file that this client wrote last

    def path(self, name: str, team: str | None = None) -> str:
        """Return the path of a file in the client's folder, or in another team's folder."""
        folder = self.folder if team is None else os.path.join(os.path.dirname(self.folder), team)
        return os.path.join(folder, name)

    def has_go_file(self) -> bool:
        """Return whether the client's file TEAM.go exists."""
        return os.path.exists(self.path(f"{self.team}.go"))

    def _move_file_inode(self) -> int:
        """Return the inode of the current move_file, which the referee replaces for each turn."""
        with contextlib.suppress(OSError):
            return os.stat(self.path("move_file")).st_ino
        return 0

    def read(self, name: str) -> str | None:
        """Return the content of a file in the game folder; None if it cannot be read."""
        with contextlib.suppress(OSError), open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()
        return None

    def honest_moves(self) -> Iterator[str]:
        game_json = json.loads(self.read("game.json") or "{}")
        self.game, self.options, self.teams = game_json["game"], game_json["options"], game_json["teams"]
        with open(self.path(f"{self.team}.ready"), "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        while not os.path.exists(self.path("end_game")):
            # TEAM.go may exist after the turn
            if self._move_file_inode() == self._last_written_inode or not self.has_go_file():
                time.sleep(_POLL_INTERVAL)
                continue
            self.turn_noticed_at = time.monotonic()
            moves = (line.partition(" ")[2].replace(" ", "") for line in (self.read("history_file") or "").splitlines())
            self.known_moves = set(moves)
            yield self.first_free_move()

    def answer_line(self, move: str) -> str:
        return f"{self.team} {move[:1]} {move[1:]}" if move[1:].isdigit() else f"{self.team} {move}"

    def answer_with_row(self, row: str) -> str:
        return f"{self.team} {'a' if self.game == 'gomoku' else 'h'} {row}"

    def write(self, content: bytes, *, continues_last: bool = False) -> None:
        with open(self.path("move_file"), "ab" if continues_last else "wb") as file:
            file.write(content)
            self._last_written_inode = os.fstat(file.fileno()).st_ino


class PipesClient(Client):
    """A client that plays over its standard input and output."""

    def lines(self) -> Iterator[str]:
        return map(str.strip, sys.stdin)

    def write(self, content: bytes, *, continues_last: bool = False) -> None:
        while content:
            content = content[os.write(1, content) :]

    def write_line(self, text: str) -> None:
        self.write(text.encode() + b"\n")


class GomocupClient(PipesClient):
    """A Gomocup engine."""

    protocol = "gomocup"

    def honest_moves(self) -> Iterator[str]:
        lines = self.lines()
        for line in lines:
            command, _, arguments = line.partition(" ")
            if command in ("START", "RESTART"):
                self.options = {"size": int(arguments)} if arguments else self.options
                self.known_moves = set()
                self.write_line("OK")
            elif command == "BOARD":
                self.known_moves = {self._stone_text(stone) for stone in iter(lambda: next(lines), "DONE")}
            elif command == "TURN":
                self.known_moves.add(self._stone_text(arguments))
            elif command == "END":
                return
            if command in ("BEGIN", "TURN", "BOARD"):
                self.turn_noticed_at = time.monotonic()
                yield self.first_free_move()

    @staticmethod
    def _stone_text(stone: str) -> str:
        column, row = stone.split(",")[:2]
        return f"{chr(97 + int(column))}{int(row) + 1}"

    def answer_line(self, move: str) -> str:
        return f"{ord(move[0]) - 97},{int(move[1:]) - 1}"

    def answer_with_row(self, row: str) -> str:
        return f"0,{row}"


class GtpClient(PipesClient):
    """A GTP engine that supports `gomogo-game`, and so can play Gomoku."""

    protocol = "gtp"

    def honest_moves(self) -> Iterator[str]:
        for line in self.lines():
            command, _, arguments = line.partition(" ")
            if command == "gomogo-game":
                self.game, _, options = arguments.partition(" ")
                self.options = json.loads(options)
            elif command == "clear_board":
                self.known_moves = set()
            elif command == "play":
                vertex = arguments.split()[1].upper()
                row = self.options["size"] + 1 - int(vertex[1:])
                self.known_moves.add(f"{chr(97 + _GTP_COLUMNS.index(vertex[0]))}{row}")
            elif command == "genmove":
                self.turn_noticed_at = time.monotonic()
                yield self.first_free_move()
                continue
            self.write_line("= gomogo-game\n" if command == "list_commands" else "=\n")
            if command == "quit":
                return

    def answer_line(self, move: str) -> str:
        return f"= {_GTP_COLUMNS[ord(move[0]) - 97]}{self.options['size'] + 1 - int(move[1:])}"

    def answer_with_row(self, row: str) -> str:
        return f"= A{row}"

    def answer(self, move: str) -> None:
        super().answer(move)
        self.write_line("")


class JsonClient(PipesClient):
    """A bot that speaks in JSON objects."""

    protocol = "json"

    def honest_moves(self) -> Iterator[str]:
        for line in self.lines():
            message = json.loads(line)
            if message["type"] == "game":
                self.game, self.options, self.teams = message["game"], message["options"], message["teams"]
                self.write_line('{"ready": true}')
            elif message["type"] == "turn":
                self.known_moves = {move for _, move in message["moves"]}
                self.turn_noticed_at = time.monotonic()
                yield self.first_free_move()

    def answer_line(self, move: str) -> str:
        return json.dumps({"move": move})

    def answer_with_row(self, row: str) -> str:
        return json.dumps({"move": f"{'a' if self.game == 'gomoku' else 'h'}{row}"})


CLIENTS: dict[str, Callable[[str, float, float, int], Client]] = {
    client.protocol: client for client in (FilesClient, GomocupClient, GtpClient, JsonClient)
}
