"""Misdeeds by the clock: never, late, just in time, early, twice.

Knows voices; no referee.
"""

from __future__ import annotations

import time

from gomogo_core.conformance.misbehaving._deeds import FILES, GTP, Then, When, misdeed
from gomogo_core.conformance.misbehaving._voices import FilesVoice, Voice

_FOR_EVER = 60.0


def _wait_until(voice: Voice, seconds: float) -> None:
    """Wait until so many seconds after the turn was seen."""
    time.sleep(max(0.0, voice.asked + seconds - time.monotonic()))


@misdeed("out_of_time", When.START, waits=True)
def never_starts(voice: Voice, move: str) -> Then:
    """It never says that it is loaded."""
    time.sleep(_FOR_EVER)
    return Then.SILENCE


@misdeed("out_of_time", waits=True)
def never_answers(voice: Voice, move: str) -> Then:
    """It says nothing on its turn."""
    return Then.SILENCE


@misdeed(None, waits=True)
def answers_just_in_time(voice: Voice, move: str) -> Then:
    """It answers when all but 20 ms of its limit are gone."""
    _wait_until(voice, voice.limit - 0.02)
    return Then.ANSWER


@misdeed("out_of_time", waits=True)
def is_50_ms_late(voice: Voice, move: str) -> Then:
    """It answers 50 ms after its limit and grace."""
    _wait_until(voice, voice.limit + voice.grace + 0.05)
    return Then.ANSWER


@misdeed("out_of_time", waits=True)
def is_a_quarter_late(voice: Voice, move: str) -> Then:
    """It takes 1.25 times what it is allowed."""
    _wait_until(voice, 1.25 * (voice.limit + voice.grace))
    return Then.ANSWER


@misdeed("out_of_time", waits=True)
def is_five_times_late(voice: Voice, move: str) -> Then:
    """It takes 5 times what it is allowed."""
    _wait_until(voice, 5 * (voice.limit + voice.grace))
    return Then.ANSWER


@misdeed(None, When.WAITING, pause=0.05)
def answers_before_its_turn(voice: Voice, move: str) -> Then:
    """It writes a move while the others think, and once more on its turn."""
    if isinstance(voice, FilesVoice):  # before that, it would be a line in its turn
        while voice.go_stands():
            time.sleep(0.001)
    return _write(voice, voice.first_free())


@misdeed(None, When.WAITING, pause=0.05)
def answers_twice(voice: Voice, move: str) -> Then:
    """It answers, and says the same once more."""
    return _write(voice, move)


def _write(voice: Voice, move: str) -> Then:
    voice.write(voice.text(move).encode() + (b"\n\n" if voice.protocol == GTP else b"\n"))
    return Then.GO_ON


@misdeed("out_of_time", waits=True)
def writes_half_a_line(voice: Voice, move: str) -> Then:
    """It writes half a line, and no more."""
    voice.write(_half(voice, move)[0])
    return Then.SILENCE


@misdeed(None)
def writes_half_a_line_then_the_rest(voice: Voice, move: str) -> Then:
    """It writes half a line, and 0.15 s later the whole."""
    half, rest = _half(voice, move)
    voice.write(half)
    time.sleep(0.15)
    if voice.protocol != FILES:
        voice.write(rest, more=True)
        voice.taken.add(move)
        return Then.GO_ON
    return Then.ANSWER


def _half(voice: Voice, move: str) -> tuple[bytes, bytes]:
    """Two parts of a line; the first is no answer yet."""
    text = voice.text(move).encode()
    cut = len(text) - 1
    return text[:cut], text[cut:] + (b"\n\n" if voice.protocol == GTP else b"\n")
