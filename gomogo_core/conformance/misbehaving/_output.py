"""Faults with output: rubbish, too much output, and invalid moves.

Each function commits one fault, which its name and docstring describe. The module uses clients, but no referee.
"""

from __future__ import annotations

import os
import time

from gomogo_core.conformance.misbehaving._clients import Client, FilesClient
from gomogo_core.conformance.misbehaving._registry import (
    FILES,
    GOMOCUP,
    GTP,
    JSON,
    PIPE_PROTOCOLS,
    FaultMoment,
    NextBehaviour,
    register_fault,
)

_OUTPUT_BLOCK = b"x" * 65536
_MEGABYTES = 100
_LINE_COUNT = 100_000
_LINES_PER_WRITE = 100
HOSTILE_TEXT = (
    "\x1b[31;1m\x1b]0;owned\x07<script>alert(1)</script>\u202e\x9b2J\x07"  # control sequences for a terminal and a page
)
_ENDLESS_LINES = {
    GOMOCUP: b"MESSAGE and on\n",
    GTP: b"# and on\n",
    JSON: b'{"thoughts": "and on"}\n',
    FILES: b"and on\n",
}


def _send_line(client: Client, text: str) -> None:
    client.write(text.encode() + (b"\n\n" if client.protocol == GTP else b"\n"))


# Rubbish


@register_fault("not_a_move", verdicts_by_protocol={GTP: "out_of_time"})
def writes_rubbish(client: Client, move: str) -> None:
    """It writes every possible byte, with line ends among them."""
    client.write(b"\xff\xfe\x00\x01rubbish\n" + bytes(range(256)) + b"\n" + bytes(range(255, 20, -1)) + b"\n")


@register_fault("not_a_move", verdicts_by_protocol={GTP: "out_of_time"})
def writes_in_utf_16(client: Client, move: str) -> None:
    """It writes its move in UTF-16."""
    client.write(client.answer_line(move).encode("utf-16-le") + b"\n\x00\n")


@register_fault("not_a_move")
def writes_nul_bytes(client: Client, move: str) -> None:
    """It puts NUL bytes into its move."""
    text = client.answer_line(move).encode()
    client.write(text[:-1] + b"\0" + text[-1:] + b"\0\n\n")


@register_fault("not_a_move", verdicts_by_protocol={GTP: "out_of_time"})
def writes_terminal_escapes_and_html(client: Client, move: str) -> None:
    """It writes terminal escapes and HTML instead of a move."""
    _send_line(client, HOSTILE_TEXT)


@register_fault(None)
def prints_terminal_escapes_and_html(client: Client, move: str) -> NextBehaviour:
    """It writes terminal escapes and HTML as messages and to its standard error, and plays on."""
    os.write(2, f"{HOSTILE_TEXT}\n".encode())
    escape_bytes = HOSTILE_TEXT.encode()
    messages = {
        GOMOCUP: b"MESSAGE " + escape_bytes,
        GTP: b"# " + escape_bytes,
        JSON: b'{"thoughts": "\\u001b[31m<b>\\ud800\\u0000"}',
    }
    if client.protocol != FILES:
        client.write(messages[client.protocol] + b"\n")
    return NextBehaviour.ANSWER_HONESTLY


# Too much


@register_fault("not_a_move")
def writes_a_line_without_an_end(client: Client, move: str) -> None:
    """It writes one line of 20 MB without an end."""
    for number in range(320):
        client.write(_OUTPUT_BLOCK, continues_last=number > 0)
        time.sleep(0.001)


@register_fault("not_a_move")
def writes_100_mb_in_one_line(client: Client, move: str) -> None:
    """It writes 100 MB, and then the end of the line."""
    client.write(_OUTPUT_BLOCK * 16)
    for _ in range(_MEGABYTES - 1):
        client.write(_OUTPUT_BLOCK * 16, continues_last=True)
    client.write(b"\n", continues_last=True)


@register_fault(None, protocols=(FILES,))
def writes_100_mb_behind_its_move(client: Client, move: str) -> NextBehaviour:
    """It writes its move, and 100 MB of blanks after it."""
    client.write(client.answer_line(move).encode() + b" " * (_MEGABYTES << 20))
    client.known_moves.add(move)
    return NextBehaviour.AWAIT_TURN


@register_fault("out_of_time", protocols=PIPE_PROTOCOLS, verdict_at_deadline=True)
def talks_without_end(client: Client, move: str) -> None:
    """It writes more than 100,000 lines per second, and no move."""
    deadline = time.monotonic() + 3 * (client.limit + client.grace)
    while time.monotonic() < deadline:
        client.write(_ENDLESS_LINES[client.protocol] * _LINES_PER_WRITE)


@register_fault(None)
def prints_100_000_lines(client: Client, move: str) -> NextBehaviour:
    """It prints 100,000 lines to its standard error, and answers."""
    for _ in range(_LINE_COUNT // _LINES_PER_WRITE):
        os.write(2, b"and on\n" * _LINES_PER_WRITE)
    return NextBehaviour.ANSWER_HONESTLY


@register_fault("not_a_move", FaultMoment.WAITING, protocols=(GTP,))
def gives_an_answer_without_end(client: Client, move: str) -> None:
    """It answers, and then writes lines without end, but no empty line."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        client.write(b"= and\n" + b"on\n" * _LINES_PER_WRITE)


@register_fault("out_of_time", protocols=(GOMOCUP,), verdict_at_deadline=True)
def suggests_without_end(client: Client, move: str) -> None:
    """It suggests long invalid moves again and again, and reads none of the answers."""
    deadline = time.monotonic() + 3 * (client.limit + client.grace)
    while time.monotonic() < deadline:
        client.write(b"SUGGEST " + b"7" * 60000 + b"\n")


@register_fault(None, protocols=(JSON,))
def reports_a_huge_score(client: Client, move: str) -> NextBehaviour:
    """It reports scores that are not finite numbers, and answers."""
    for score in ("1" + "0" * 400, "1e999", "NaN", "-Infinity", "true", "9" * 5000, '{"a": []}'):
        client.write(b'{"score": ' + score.encode() + b', "line": [1, null]}\n' if len(score) < 5000 else b"{}\n")
    return NextBehaviour.ANSWER_HONESTLY


@register_fault("not_a_move", protocols=(JSON,))
def nests_its_move_too_deep(client: Client, move: str) -> None:
    """It writes 30,000 nested brackets."""
    _send_line(client, '{"move": ' + "[" * 30000 + "]" * 30000 + "}")


@register_fault("not_a_move", protocols=(JSON,))
def nests_its_move_deep(client: Client, move: str) -> None:
    """It writes almost as many nested brackets as the parser can read."""
    _send_line(client, '{"move": ' + "[" * 900 + "]" * 900 + "}")


# Invalid moves


@register_fault("out_of_turn", protocols=(FILES,))
def writes_in_the_opponents_name(client: Client, move: str) -> None:
    """It writes a line that begins with its opponent's name."""
    opponent_team = next(team for team in client.teams if team != client.team)
    _send_line(client, client.answer_line(move).replace(client.team, opponent_team, 1))


@register_fault("not_a_move")
def names_a_row_that_is_no_number(client: Client, move: str) -> None:
    """It names a row by letters."""
    _send_line(client, client.answer_with_row("zz"))


@register_fault("not_a_move")
def names_a_row_off_the_board(client: Client, move: str) -> None:
    """It names row 99."""
    _send_line(client, client.answer_with_row("99"))


@register_fault("not_a_move")
def names_a_negative_row(client: Client, move: str) -> None:
    """It names row -1."""
    _send_line(client, client.answer_with_row("-1"))


@register_fault("not_a_move")
def names_a_huge_row(client: Client, move: str) -> None:
    """It names a row of 5,000 digits, which Python refuses to parse."""
    _send_line(client, client.answer_with_row("9" * 5000))


@register_fault("illegal_move", min_moves=1)
def plays_on_an_occupied_point(client: Client, move: str) -> None:
    """It makes a move that was made before."""
    _send_line(client, client.answer_line(min(client.known_moves)))


@register_fault("illegal_move", protocols=(FILES, JSON), min_moves=2, needs_takeover=True)
def takes_over_too_late(client: Client, move: str) -> None:
    """It takes over a stone after the second move, which is too late."""
    _send_line(client, client.answer_line(min(client.known_moves)))


# After the end


@register_fault(None, FaultMoment.END)
def writes_after_the_end(client: Client, move: str) -> None:
    """It writes moves when the game is over, and writes into the referee's files."""
    for _ in range(100):
        client.write(b"A a 1\n", continues_last=True)
    if isinstance(client, FilesClient):
        for name in ("history_file", "end_game", "game.json"):
            with open(client.path(name), "ab") as file:
                file.write(b"END: I WIN!\n" * 1000)
