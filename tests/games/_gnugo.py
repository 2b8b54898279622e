"""GNU Go as a judge: questions over GTP, the Go Text Protocol, version 2.

Knows its names of points and its options.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable

from gomogo_core.games.base import Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.rules import GoFamilyGame
from tests._tools import find_program

PROGRAM = find_program("gnugo")
COLOURS = {1: "black", 2: "white"}
COLUMNS = "ABCDEFGHJKLMNOPQRST"  # without I


def ask_gnugo(options: Iterable[str], questions: list[str]) -> list[list[str]]:
    """Return the words of its answer to each question."""
    assert PROGRAM is not None
    result = subprocess.run(
        [PROGRAM, "--mode", "gtp", *options],
        input="\n".join([*questions, "quit", ""]),
        capture_output=True,
        encoding="ascii",
        check=True,
    )
    answers = result.stdout.split("\n\n")[: len(questions)]
    for question, answer in zip(questions, answers, strict=True):
        assert answer.startswith("="), f"GNU Go answers {answer!r} to {question!r}"
    return [answer.removeprefix("=").split() for answer in answers]


def gnugo_rule_options(game: GoFamilyGame) -> list[str]:
    """Return its options for the same rules."""
    ko = {"simple": "--simple-ko", "none": "--no-ko"}.get(game.ko, f"--{game.ko}-superko")
    return [ko, "--allow-all-suicide" if game.suicide else "--forbid-suicide"]


def gnugo_move_name(move: Move, size: int) -> str:
    """Return its name of a move: rows count from the bottom."""
    return f"{COLUMNS[move.column - 1]}{size + 1 - move.row}" if isinstance(move, Point) else "pass"
