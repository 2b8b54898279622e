"""What is said beside a move arrives as it was said, within bounds, and no rubbish does harm."""

from __future__ import annotations

import math

import pytest

from gomogo_core.wire.thoughts import NOTHING, Said, said_after, said_line


def test_what_is_told_arrives() -> None:
    text = said_line("in the centre,\nwhere else", 12.5, ["h8", "i9"], {"h8": 0.75, "a1": 0.25})
    assert text.count("\n") == 1
    said = Said("in the centre,\nwhere else", 12.5, "h8 i9", {"h8": 0.75, "a1": 0.25})
    assert said_after(b"me h 8\n" + text.encode()) == said


def test_nothing_told_is_no_line() -> None:
    assert said_line() == ""
    assert said_line(score=0.0) == '{"score":0.0}\n', "to stand evenly is something to say"


def test_what_has_no_room_is_left_out_and_the_score_last() -> None:
    many = {f"{column}{row}": row / 7 for column in "abcdefghijklmnopqrs" for row in range(1, 20)}
    text = said_line("x" * 100, 3.0, ["h8"], many)
    assert len(text) < 4000
    assert said_after(b"me h 8\n" + text.encode()) == Said("x" * 100, 3.0, "h8", None)


@pytest.mark.parametrize(
    "rest",
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
def test_what_cannot_be_believed_says_nothing(rest: bytes) -> None:
    assert said_after(b"me h 8\n" + rest) == NOTHING


def test_numbers_without_end_are_not_told() -> None:
    assert said_after(b"me h 8\n" + said_line(score=math.inf).encode()) == NOTHING
