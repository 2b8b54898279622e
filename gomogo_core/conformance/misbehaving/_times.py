"""Faults with time: answers that never come, or that come late, just in time, early, or twice.

Each function commits one fault, which its name and docstring describe. The module uses clients, but no referee.
"""

from __future__ import annotations

import time

from gomogo_core.conformance.misbehaving._clients import Client, FilesClient
from gomogo_core.conformance.misbehaving._registry import FILES, GTP, FaultMoment, NextBehaviour, register_fault

_ENDLESS_SECONDS = 60.0


def _wait_until(client: Client, seconds: float) -> None:
    """Wait until `seconds` after the start of the turn."""
    time.sleep(max(0.0, client.turn_noticed_at + seconds - time.monotonic()))


@register_fault("out_of_time", FaultMoment.START, verdict_at_deadline=True)
def never_starts(client: Client, move: str) -> None:
    """It never reports that it is loaded."""
    time.sleep(_ENDLESS_SECONDS)


@register_fault("out_of_time", verdict_at_deadline=True)
def never_answers(client: Client, move: str) -> None:
    """It writes nothing on its turn."""


@register_fault(None, verdict_at_deadline=True)
def answers_just_in_time(client: Client, move: str) -> NextBehaviour:
    """It answers 20 ms before its limit."""
    _wait_until(client, client.limit - 0.02)
    return NextBehaviour.ANSWER_HONESTLY


@register_fault("out_of_time", verdict_at_deadline=True)
def is_50_ms_late(client: Client, move: str) -> NextBehaviour:
    """It answers 50 ms after its limit and grace period."""
    _wait_until(client, client.limit + client.grace + 0.05)
    return NextBehaviour.ANSWER_HONESTLY


@register_fault("out_of_time", verdict_at_deadline=True)
def is_a_quarter_late(client: Client, move: str) -> NextBehaviour:
    """It takes 1.25 times its limit and grace period."""
    _wait_until(client, 1.25 * (client.limit + client.grace))
    return NextBehaviour.ANSWER_HONESTLY


@register_fault("out_of_time", verdict_at_deadline=True)
def is_five_times_late(client: Client, move: str) -> NextBehaviour:
    """It takes 5 times its limit and grace period."""
    _wait_until(client, 5 * (client.limit + client.grace))
    return NextBehaviour.ANSWER_HONESTLY


@register_fault(None, FaultMoment.WAITING, pause=0.05)
def answers_before_its_turn(client: Client, move: str) -> None:
    """It writes a move while the others think, and once more on its turn."""
    if isinstance(client, FilesClient):  # over pipes, the line would count as its move
        while client.has_go_file():
            time.sleep(0.001)
    _write(client, client.first_free_move())


@register_fault(None, FaultMoment.WAITING, pause=0.05)
def answers_twice(client: Client, move: str) -> None:
    """It writes the same answer twice."""
    _write(client, move)


def _write(client: Client, move: str) -> None:
    client.write(client.answer_line(move).encode() + (b"\n\n" if client.protocol == GTP else b"\n"))


@register_fault("out_of_time", verdict_at_deadline=True)
def writes_half_a_line(client: Client, move: str) -> None:
    """It writes half a line, and no more."""
    client.write(_split_line(client, move)[0])


@register_fault(None)
def writes_half_a_line_then_the_rest(client: Client, move: str) -> NextBehaviour:
    """It writes half a line, and 0.15 s later the whole line."""
    first_half, second_half = _split_line(client, move)
    client.write(first_half)
    time.sleep(0.15)
    if client.protocol != FILES:
        client.write(second_half, continues_last=True)
        client.known_moves.add(move)
        return NextBehaviour.AWAIT_TURN
    return NextBehaviour.ANSWER_HONESTLY


def _split_line(client: Client, move: str) -> tuple[bytes, bytes]:
    """Return two parts of a line. The first part alone is not an answer."""
    text = client.answer_line(move).encode()
    return text[:-1], text[-1:] + (b"\n\n" if client.protocol == GTP else b"\n")
