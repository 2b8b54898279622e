"""GNU Go as a judge: questions to it over GTP, the Go Text Protocol, version 2.

Knows its names of points and its options. Debian keeps it in /usr/games, which is not on everybody's path.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable

from gomogo_core.games._grid import Point
from gomogo_core.games._stones import StonesGame
from gomogo_core.games.base import Move

PROGRAM = shutil.which("gnugo", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/games")))
MISSING = "GNU Go is not installed here: apt install gnugo"
COLOURS = {1: "black", 2: "white"}
COLUMNS = "ABCDEFGHJKLMNOPQRST"  # without I


def answers(options: Iterable[str], questions: list[str]) -> list[list[str]]:
    """The words of its answer to each question."""
    assert PROGRAM is not None
    done = subprocess.run(
        [PROGRAM, "--mode", "gtp", *options],
        input="\n".join([*questions, "quit", ""]),
        capture_output=True,
        encoding="ascii",
        check=True,
    )
    found = done.stdout.split("\n\n")[: len(questions)]
    for question, answer in zip(questions, found, strict=True):
        assert answer.startswith("="), f"GNU Go answers {answer!r} to {question!r}"
    return [answer.removeprefix("=").split() for answer in found]


def rules_of(game: StonesGame) -> list[str]:
    """Its options for the same rules."""
    ko = {"simple": "--simple-ko", "none": "--no-ko"}.get(game.ko, f"--{game.ko}-superko")
    return [ko, "--allow-all-suicide" if game.suicide else "--forbid-suicide"]


def name_of(move: Move, size: int) -> str:
    """Its name of a move: rows count from the bottom."""
    return f"{COLUMNS[move.column - 1]}{size + 1 - move.row}" if isinstance(move, Point) else "pass"
