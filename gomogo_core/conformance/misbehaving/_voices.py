"""An honest player in each protocol, with the handles by which a misdeed can be done in it: the first free move always.

Knows the protocols' words; no referee. Standard library only, and little of it: a program starts for every game.
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
_LOOK = 0.001  # seconds between two looks into the folder


def free_moves(game: str, options: dict[str, Any], taken: set[str]) -> Iterator[str]:
    """The moves that nobody has made: row by row in Gomoku, lying edges first in Dots and Boxes."""
    if game == "gomoku":
        size = options["size"]
        every = (f"{chr(97 + column)}{row + 1}" for row in range(size) for column in range(size))
    else:
        rows, cols = options["rows"], options["cols"]
        lying = [f"h{edge}" for edge in range((rows + 1) * cols)]
        every = (move for move in (*lying, *(f"v{edge}" for edge in range(rows * (cols + 1)))))
    return (move for move in every if move not in taken)


class Voice(ABC):
    """How the program hears of its turns, and answers.

    limit, grace: what it is allowed for a move, in seconds. folder: its working directory, where a game by files is
    played. asked: the time.monotonic() moment at which it saw its turn. taken: moves that were made, as it knows.
    """

    protocol = ""

    def __init__(self, team: str, limit: float, grace: float, port: int) -> None:
        self.team, self.limit, self.grace, self.port = team, limit, grace, port
        self.folder = os.getcwd()
        self.game, self.options, self.teams = "gomoku", dict[str, Any](), list[str]()
        self.taken: set[str] = set()
        self.asked = 0.0

    @abstractmethod
    def turns(self) -> Iterator[str]:
        """Say that it is loaded, then give an honest move at each turn, until the game is over."""

    @abstractmethod
    def text(self, move: str) -> str:
        """The answer that says this move, without the end of the line."""

    @abstractmethod
    def at_row(self, row: str) -> str:
        """An answer that names a point, or an edge, by these signs."""

    @abstractmethod
    def write(self, content: bytes, *, more: bool = False) -> None:
        """Put bytes where answers go. more: they go on with what was written last."""

    def answer(self, move: str) -> None:
        """Answer as one should."""
        self.taken.add(move)
        self.write(self.text(move).encode() + b"\n")

    def first_free(self) -> str:
        """The move that an honest program makes here."""
        return next(free_moves(self.game, self.options, self.taken), "resign")


class FilesVoice(Voice):
    """Plays by files."""

    protocol = "files"
    _written = 0  # the number of the file that we have written into last

    def path(self, name: str, team: str | None = None) -> str:
        """A file of its folder, or of another's."""
        folder = self.folder if team is None else os.path.join(os.path.dirname(self.folder), team)
        return os.path.join(folder, name)

    def go_stands(self) -> bool:
        """Whether its .go is there."""
        return os.path.exists(self.path(f"{self.team}.go"))

    def _standing(self) -> int:
        """The number of the file that is move_file now: for each turn the referee puts another in its place."""
        with contextlib.suppress(OSError):
            return os.stat(self.path("move_file")).st_ino
        return 0

    def read(self, name: str) -> str | None:
        """What stands in a file of its folder, or None."""
        with contextlib.suppress(OSError), open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()
        return None

    def turns(self) -> Iterator[str]:
        about = json.loads(self.read("game.json") or "{}")
        self.game, self.options, self.teams = about["game"], about["options"], about["teams"]
        with open(self.path(f"{self.team}.ready"), "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
        while not os.path.exists(self.path("end_game")):
            if self._standing() == self._written or not self.go_stands():  # our .go stays longer than our turn
                time.sleep(_LOOK)
                continue
            self.asked = time.monotonic()
            moves = (line.partition(" ")[2].replace(" ", "") for line in (self.read("history_file") or "").splitlines())
            self.taken = set(moves)
            yield self.first_free()

    def text(self, move: str) -> str:
        return f"{self.team} {move[:1]} {move[1:]}" if move[1:].isdigit() else f"{self.team} {move}"

    def at_row(self, row: str) -> str:
        return f"{self.team} {'a' if self.game == 'gomoku' else 'h'} {row}"

    def write(self, content: bytes, *, more: bool = False) -> None:
        with open(self.path("move_file"), "ab" if more else "wb") as file:
            file.write(content)
            self._written = os.fstat(file.fileno()).st_ino


class PipesVoice(Voice):
    """What those have in common that speak through their standard input and output."""

    def lines(self) -> Iterator[str]:
        for line in sys.stdin:
            yield line.strip()

    def write(self, content: bytes, *, more: bool = False) -> None:
        while content:
            content = content[os.write(1, content) :]

    def say(self, text: str) -> None:
        self.write(text.encode() + b"\n")


class GomocupVoice(PipesVoice):
    """A brain."""

    protocol = "gomocup"

    def turns(self) -> Iterator[str]:
        lines = self.lines()
        for line in lines:
            word, _, rest = line.partition(" ")
            if word in ("START", "RESTART"):
                self.options = {"size": int(rest)} if rest else self.options
                self.taken = set()
                self.say("OK")
            elif word == "BOARD":
                self.taken = {self._named(stone) for stone in iter(lambda: next(lines), "DONE")}
            elif word == "TURN":
                self.taken.add(self._named(rest))
            elif word == "END":
                return
            if word in ("BEGIN", "TURN", "BOARD"):
                self.asked = time.monotonic()
                yield self.first_free()

    @staticmethod
    def _named(stone: str) -> str:
        column, row = stone.split(",")[:2]
        return f"{chr(97 + int(column))}{int(row) + 1}"

    def text(self, move: str) -> str:
        return f"{ord(move[0]) - 97},{int(move[1:]) - 1}"

    def at_row(self, row: str) -> str:
        return f"0,{row}"


class GtpVoice(PipesVoice):
    """An engine that knows `gomogo-game`, so that it can be told of Gomoku."""

    protocol = "gtp"

    def turns(self) -> Iterator[str]:
        for line in self.lines():
            word, _, rest = line.partition(" ")
            if word == "gomogo-game":
                self.game, _, options = rest.partition(" ")
                self.options = json.loads(options)
            elif word == "clear_board":
                self.taken = set()
            elif word == "play":
                vertex = rest.split()[1].upper()
                row = self.options["size"] + 1 - int(vertex[1:])
                self.taken.add(f"{chr(97 + _GTP_COLUMNS.index(vertex[0]))}{row}")
            elif word == "genmove":
                self.asked = time.monotonic()
                yield self.first_free()
                continue
            self.say("= gomogo-game\n" if word == "list_commands" else "=\n")
            if word == "quit":
                return

    def text(self, move: str) -> str:
        return f"= {_GTP_COLUMNS[ord(move[0]) - 97]}{self.options['size'] + 1 - int(move[1:])}"

    def at_row(self, row: str) -> str:
        return f"= A{row}"

    def answer(self, move: str) -> None:
        super().answer(move)
        self.say("")


class JsonVoice(PipesVoice):
    """A bot that speaks in JSON objects."""

    protocol = "json"

    def turns(self) -> Iterator[str]:
        for line in self.lines():
            told = json.loads(line)
            if told["type"] == "game":
                self.game, self.options, self.teams = told["game"], told["options"], told["teams"]
                self.say('{"ready": true}')
            elif told["type"] == "turn":
                self.taken = {move for _, move in told["moves"]}
                self.asked = time.monotonic()
                yield self.first_free()

    def text(self, move: str) -> str:
        return json.dumps({"move": move})

    def at_row(self, row: str) -> str:
        return json.dumps({"move": f"{'a' if self.game == 'gomoku' else 'h'}{row}"})


VOICES: dict[str, Callable[[str, float, float, int], Voice]] = {
    voice.protocol: voice for voice in (FilesVoice, GomocupVoice, GtpVoice, JsonVoice)
}
