"""An analysis arrives unchanged, within bounds, and invalid content does no harm."""

from __future__ import annotations

import math

import pytest

from gomogo_core.wire.analysis import EMPTY_ANALYSIS, Analysis, analysis_in_move_file, analysis_line


def test_an_analysis_arrives_unchanged() -> None:
    text = analysis_line("in the centre,\nwhere else", 12.5, ["h8", "i9"], {"h8": 0.75, "a1": 0.25})
    assert text.count("\n") == 1
    analysis = Analysis("in the centre,\nwhere else", 12.5, "h8 i9", {"h8": 0.75, "a1": 0.25})
    assert analysis_in_move_file(b"me h 8\n" + text.encode()) == analysis


def test_an_empty_analysis_writes_no_line() -> None:
    assert analysis_line() == ""
    assert analysis_line(score=0.0) == '{"score":0.0}\n', "to stand evenly is something to say"


def test_an_oversized_analysis_drops_the_values_of_moves() -> None:
    many = {f"{column}{row}": row / 7 for column in "abcdefghijklmnopqrs" for row in range(1, 20)}
    text = analysis_line("x" * 100, 3.0, ["h8"], many)
    assert len(text) < 4000
    assert analysis_in_move_file(b"me h 8\n" + text.encode()) == Analysis("x" * 100, 3.0, "h8", None)


@pytest.mark.parametrize(
    "line_rest",
    [
        b"",
        b"me i 9\n",
        b"{",
        b"[1]\n",
        b"{}\n",
        b'{"score": "high", "line": "h8", "thoughts": 7, "values": [1]}\n',
        b'{"score": NaN, "values": {"h8": Infinity}}\n',
        b'{"score": 1' + b"0" * 400 + b"}\n",
        b'{"a":' * 2000,
        b"\xff\xfe\n",
    ],
)
def test_an_invalid_analysis_is_ignored(line_rest: bytes) -> None:
    assert analysis_in_move_file(b"me h 8\n" + line_rest) == EMPTY_ANALYSIS


def test_infinite_numbers_are_not_sent() -> None:
    assert analysis_in_move_file(b"me h 8\n" + analysis_line(score=math.inf).encode()) == EMPTY_ANALYSIS
