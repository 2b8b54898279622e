"""A player's analysis of its move as a JSON line, and the checks of its content.

Both sides of the file protocol use this line, and so do bots that speak JSON. The module does not depend on moves or
games.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

MAX_TEXT_CHARACTERS = 2000  # the most characters of thoughts, and of a line of moves
_MAX_VALUES, _MAX_MOVE_CHARACTERS = 400, 12  # the most values, and the most characters of their moves
_MAX_LINE_BYTES = 3900  # the most bytes of an analysis line, because the referee reads only 4096 bytes of move_file


class Analysis(NamedTuple):
    """A player's analysis. Each field may be None.

    thoughts: a comment. score: the player's value of its position in its own unit. line: the moves that the player
    expects, separated by blanks. values: the player's values of some moves, by the moves' texts.
    """

    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    values: Mapping[str, float] | None = None


EMPTY_ANALYSIS = Analysis()


def parse_analysis(json_object: Mapping[str, Any]) -> Analysis:
    """Return the analysis in a JSON object, without fields of a wrong type."""
    thoughts, expected_moves = json_object.get("thoughts"), json_object.get("line")
    line_text = None
    if isinstance(expected_moves, list) and all(isinstance(move, str) for move in expected_moves):
        line_text = without_surrogates(" ".join(expected_moves)[:MAX_TEXT_CHARACTERS])
    return Analysis(
        without_surrogates(thoughts[:MAX_TEXT_CHARACTERS]) if isinstance(thoughts, str) and thoughts else None,
        _finite_number(json_object.get("score")),
        line_text,
        _parse_values(json_object.get("values")) or None,
    )


def analysis_in_move_file(content: bytes) -> Analysis:
    """Return the analysis in the second line of `move_file`; it is empty unless that line is a JSON object."""
    _, _, later_lines = content.partition(b"\n")
    if not later_lines.startswith(b"{"):
        return EMPTY_ANALYSIS
    json_object = parse_json_object(later_lines.partition(b"\n")[0].decode("utf-8", "replace"))
    return EMPTY_ANALYSIS if json_object is None else parse_analysis(json_object)


def analysis_line(
    thoughts: str = "",
    score: float | None = None,
    line: Sequence[str] = (),
    values: Mapping[str, float] | None = None,
) -> str:
    """Return an analysis as a JSON line with its newline, or "" if it is empty. Fields that do not fit are left out."""
    fields = {
        "score": score,
        "line": list(line),
        "thoughts": thoughts[:MAX_TEXT_CHARACTERS],
        "values": dict(values or {}),
    }
    while fields := {key: value for key, value in fields.items() if value not in (None, "", [], {})}:
        text = json.dumps(fields, separators=(",", ":")) + "\n"
        if len(text) <= _MAX_LINE_BYTES:
            return text
        fields.popitem()  # the longest fields come last
    return ""


def parse_json_object(line: str) -> dict[str, Any] | None:
    """Return the JSON object in a line; None if the line is not a JSON object."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def without_surrogates(text: str) -> str:
    """Return the text without lone surrogates, which JSON can express but UTF-8 files cannot."""
    return text.encode("utf-8", "replace").decode()


def _parse_values(raw_values: Any) -> dict[str, float]:
    """Return the finite values of moves, rounded to six digits; at most as many as a large board has points."""
    items = islice(raw_values.items(), _MAX_VALUES) if isinstance(raw_values, dict) else ()
    numbers = {without_surrogates(move[:_MAX_MOVE_CHARACTERS]): _finite_number(value) for move, value in items}
    return {move: float(f"{value:.6g}") for move, value in numbers.items() if value is not None}


def _finite_number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON integers are unbounded
        return None
    return number if math.isfinite(number) else None
