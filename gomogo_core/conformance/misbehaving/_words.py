"""Misdeeds by what is said: rubbish, too much of it, moves that are none.

Knows voices; no referee.
"""

from __future__ import annotations

import os
import time

from gomogo_core.conformance.misbehaving._deeds import FILES, GOMOCUP, GTP, JSON, PIPES, Then, When, misdeed
from gomogo_core.conformance.misbehaving._voices import FilesVoice, Voice

_BLOCK = b"x" * 65536
_MEGABYTES = 100
_LINES = 100_000
_PIECE = 100  # lines
ESCAPES = "\x1b[31;1m\x1b]0;owned\x07<script>alert(1)</script>\u202e\x9b2J\x07"  # what a terminal and a page obey
_TALK = {GOMOCUP: b"MESSAGE and on\n", GTP: b"# and on\n", JSON: b'{"thoughts": "and on"}\n', FILES: b"and on\n"}


def _say(voice: Voice, text: str) -> Then:
    voice.write(text.encode() + (b"\n\n" if voice.protocol == GTP else b"\n"))
    return Then.SILENCE


# Rubbish


@misdeed("not_a_move", but={GTP: "out_of_time"})
def writes_rubbish(voice: Voice, move: str) -> Then:
    """It writes every byte that there is, with line ends among them."""
    voice.write(b"\xff\xfe\x00\x01rubbish\n" + bytes(range(256)) + b"\n" + bytes(range(255, 20, -1)) + b"\n")
    return Then.SILENCE


@misdeed("not_a_move", but={GTP: "out_of_time"})
def writes_in_utf_16(voice: Voice, move: str) -> Then:
    """It writes its move in UTF-16."""
    voice.write(voice.text(move).encode("utf-16-le") + b"\n\x00\n")
    return Then.SILENCE


@misdeed("not_a_move")
def writes_nul_bytes(voice: Voice, move: str) -> Then:
    """It puts NUL bytes among the signs of its move."""
    text = voice.text(move).encode()
    voice.write(text[:-1] + b"\0" + text[-1:] + b"\0\n\n")
    return Then.SILENCE


@misdeed("not_a_move", but={GTP: "out_of_time"})
def writes_terminal_escapes_and_html(voice: Voice, move: str) -> Then:
    """It writes signs that a terminal and a page obey, instead of a move."""
    return _say(voice, ESCAPES)


@misdeed(None)
def prints_terminal_escapes_and_html(voice: Voice, move: str) -> Then:
    """It says such signs in its talk and prints them, and plays on."""
    os.write(2, f"{ESCAPES}\n".encode())
    said = ESCAPES.encode()
    talk = {GOMOCUP: b"MESSAGE " + said, GTP: b"# " + said, JSON: b'{"thoughts": "\\u001b[31m<b>\\ud800\\u0000"}'}
    if voice.protocol != FILES:
        voice.write(talk[voice.protocol] + b"\n")
    return Then.ANSWER


# Too much


@misdeed("not_a_move")
def writes_a_line_without_an_end(voice: Voice, move: str) -> Then:
    """It writes one line that goes on and on, for 20 MB."""
    for number in range(320):
        voice.write(_BLOCK, more=number > 0)
        time.sleep(0.001)
    return Then.SILENCE


@misdeed("not_a_move")
def writes_100_mb_in_one_line(voice: Voice, move: str) -> Then:
    """It writes 100 MB, then the end of the line."""
    voice.write(_BLOCK * 16)
    for _ in range(_MEGABYTES - 1):
        voice.write(_BLOCK * 16, more=True)
    voice.write(b"\n", more=True)
    return Then.SILENCE


@misdeed(None, on=(FILES,))
def writes_100_mb_behind_its_move(voice: Voice, move: str) -> Then:
    """It writes its move, and 100 MB of blanks behind it."""
    voice.write(voice.text(move).encode() + b" " * (_MEGABYTES << 20))
    voice.taken.add(move)
    return Then.GO_ON


@misdeed("out_of_time", on=PIPES, waits=True)
def talks_without_end(voice: Voice, move: str) -> Then:
    """It says more than 100,000 lines a second, and no move."""
    until = time.monotonic() + 3 * (voice.limit + voice.grace)
    while time.monotonic() < until:
        voice.write(_TALK[voice.protocol] * _PIECE)
    return Then.SILENCE


@misdeed(None)
def prints_100_000_lines(voice: Voice, move: str) -> Then:
    """It prints 100,000 lines to its standard error, then answers."""
    for _ in range(_LINES // _PIECE):
        os.write(2, b"and on\n" * _PIECE)
    return Then.ANSWER


@misdeed("not_a_move", When.WAITING, on=(GTP,))
def gives_an_answer_without_end(voice: Voice, move: str) -> Then:
    """It answers, and goes on to say lines without end, and no empty one."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        voice.write(b"= and\n" + b"on\n" * _PIECE)
    return Then.GO_ON


@misdeed("out_of_time", on=(GOMOCUP,), waits=True)
def suggests_without_end(voice: Voice, move: str) -> Then:
    """It suggests long rubbish again and again, and reads none of the answers."""
    until = time.monotonic() + 3 * (voice.limit + voice.grace)
    while time.monotonic() < until:
        voice.write(b"SUGGEST " + b"7" * 60000 + b"\n")
    return Then.SILENCE


@misdeed(None, on=(JSON,))
def reports_a_huge_score(voice: Voice, move: str) -> Then:
    """It reports scores that no number of the machine holds, then answers."""
    for score in ("1" + "0" * 400, "1e999", "NaN", "-Infinity", "true", "9" * 5000, '{"a": []}'):
        voice.write(b'{"score": ' + score.encode() + b', "line": [1, null]}\n' if len(score) < 5000 else b"{}\n")
    return Then.ANSWER


@misdeed("not_a_move", on=(JSON,))
def nests_its_move_too_deep(voice: Voice, move: str) -> Then:
    """It writes brackets within brackets, 30,000 deep."""
    return _say(voice, '{"move": ' + "[" * 30000 + "]" * 30000 + "}")


@misdeed("not_a_move", on=(JSON,))
def nests_its_move_deep(voice: Voice, move: str) -> Then:
    """It writes brackets within brackets, as deep as they can just be read."""
    return _say(voice, '{"move": ' + "[" * 900 + "]" * 900 + "}")


# Moves that are none


@misdeed("out_of_turn", on=(FILES,))
def writes_in_the_opponents_name(voice: Voice, move: str) -> Then:
    """It writes a line that begins with its opponent's name."""
    other = next(team for team in voice.teams if team != voice.team)
    return _say(voice, voice.text(move).replace(voice.team, other, 1))


@misdeed("not_a_move")
def names_a_row_that_is_no_number(voice: Voice, move: str) -> Then:
    """It names a row by letters."""
    return _say(voice, voice.at_row("zz"))


@misdeed("not_a_move")
def names_a_row_off_the_board(voice: Voice, move: str) -> Then:
    """It names row 99."""
    return _say(voice, voice.at_row("99"))


@misdeed("not_a_move")
def names_a_negative_row(voice: Voice, move: str) -> Then:
    """It names row -1."""
    return _say(voice, voice.at_row("-1"))


@misdeed("not_a_move")
def names_a_huge_row(voice: Voice, move: str) -> Then:
    """It names a row of 5,000 digits: Python reads no such number."""
    return _say(voice, voice.at_row("9" * 5000))


@misdeed("illegal_move", stones=1)
def plays_on_an_occupied_point(voice: Voice, move: str) -> Then:
    """It makes a move that was made before."""
    return _say(voice, voice.text(min(voice.taken)))


@misdeed("illegal_move", on=(FILES, JSON), stones=2, takeover=True)
def takes_over_too_late(voice: Voice, move: str) -> Then:
    """It takes a stone over when only the second move may."""
    return _say(voice, voice.text(min(voice.taken)))


# After the end


@misdeed(None, When.END)
def writes_after_the_end(voice: Voice, move: str) -> Then:
    """It writes moves when the game is over, and into the referee's own files."""
    for _ in range(100):
        voice.write(b"A a 1\n", more=True)
    if isinstance(voice, FilesVoice):
        for name in ("history_file", "end_game", "game.json"):
            with open(voice.path(name), "ab") as file:
                file.write(b"END: I WIN!\n" * 1000)
    return Then.SILENCE
