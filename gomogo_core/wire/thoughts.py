"""What a player says of its move beside the move itself: how it is written, and what of it is believed.

Knows JSON and bounds; no move, no game. Both ends of the file protocol use it, and the bots that speak JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

MOST = 2000  # characters of thoughts, and of a line of moves, that are kept
_MOST_VALUES, _LONGEST_MOVE = 400, 12  # moves of which values are kept, and characters of one
_ROOM = 3900  # bytes of what is said beside a move: move_file is read no further than 4096


class Said(NamedTuple):
    """score: how good the player thinks its position is, in its own units. line: the moves it expects, separated by
    blanks. values: how good it thinks each of some moves is.
    """

    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    values: Mapping[str, float] | None = None


NOTHING = Said()


def said_in(told: Mapping[str, Any]) -> Said:
    """What an object says, as far as it can be believed to be that."""
    thoughts, expected = told.get("thoughts"), told.get("line")
    line = None
    if isinstance(expected, list) and all(isinstance(move, str) for move in expected):
        line = whole(" ".join(expected)[:MOST])
    return Said(
        whole(thoughts[:MOST]) if isinstance(thoughts, str) and thoughts else None,
        _number(told.get("score")),
        line,
        _values(told.get("values")) or None,
    )


def said_after(content: bytes) -> Said:
    """What stands in `move_file` behind the line of the move, where that is an object; else nothing."""
    _, _, rest = content.partition(b"\n")
    if not rest.startswith(b"{"):
        return NOTHING
    told = object_in(rest.partition(b"\n")[0].decode("utf-8", "replace"))
    return NOTHING if told is None else said_in(told)


def said_line(
    thoughts: str = "",
    score: float | None = None,
    line: Sequence[str] = (),
    values: Mapping[str, float] | None = None,
) -> str:
    """The line that says so, with its newline; empty where there is nothing to say, or no room for it."""
    told = {"score": score, "line": list(line), "thoughts": thoughts[:MOST], "values": dict(values or {})}
    while told := {key: value for key, value in told.items() if value not in (None, "", [], {})}:
        text = json.dumps(told, separators=(",", ":")) + "\n"
        if len(text) <= _ROOM:
            return text
        told.popitem()  # the longest stand last
    return ""


def object_in(line: str) -> dict[str, Any] | None:
    """The JSON object that a line is, or None."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def whole(text: str) -> str:
    """The text without halves of characters, which JSON can name and no file can hold."""
    return text.encode("utf-8", "replace").decode()


def _values(told: Any) -> dict[str, float]:
    """What is told of moves, as far as it is numbers: of as many as a large board has, to six digits."""
    items = islice(told.items(), _MOST_VALUES) if isinstance(told, dict) else ()
    numbers = {whole(move[:_LONGEST_MOVE]): _number(value) for move, value in items}
    return {move: float(f"{value:.6g}") for move, value in numbers.items() if value is not None}


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON's whole numbers have no end
        return None
    return number if math.isfinite(number) else None
