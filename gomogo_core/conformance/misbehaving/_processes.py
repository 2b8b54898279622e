"""Faults with processes and memory: a program exits, stops, starts many processes, leaves some, or kills others.

Each function commits one fault, which its name and docstring describe. The module uses clients, but no referee.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from gomogo_core.conformance.misbehaving._clients import Client
from gomogo_core.conformance.misbehaving._registry import (
    FILES,
    GOMOCUP,
    JSON,
    PIPE_PROTOCOLS,
    FaultMoment,
    NextBehaviour,
    register_fault,
)

_CHILD_COUNT = 100
_CHILD_SECONDS = 30.0  # seconds after which every child exits, even if the referee has died
_CHUNK_BYTES = 16 << 20
_MAX_MEMORY_BYTES = 600 << 20  # bytes: the most memory that a fault takes


def _start_sleeping_process() -> int:
    """Start a process that sleeps, and return its id."""
    child = os.fork()
    if child == 0:
        time.sleep(_CHILD_SECONDS)
        os._exit(0)
    return child


@register_fault("crashed", FaultMoment.START)
def exits_at_start(client: Client, move: str) -> None:
    """It exits before it writes anything."""
    sys.exit("no licence found")


@register_fault("crashed")
def exits_on_its_turn(client: Client, move: str) -> None:
    """It exits instead of answering."""
    os._exit(7)


@register_fault("crashed", FaultMoment.WAITING, pause=0.1)
def exits_while_the_others_think(client: Client, move: str) -> None:
    """It answers, and exits 30 ms later."""
    time.sleep(0.03)
    os._exit(0)


@register_fault("crashed")
def dies_of_a_signal(client: Client, move: str) -> None:
    """The system ends it by a signal, as after a segmentation fault."""
    os.kill(os.getpid(), signal.SIGSEGV)


@register_fault("crashed", protocols=PIPE_PROTOCOLS)
def closes_its_output(client: Client, move: str) -> None:
    """It closes its standard output, and keeps running."""
    os.close(1)


@register_fault("out_of_time", verdict_at_deadline=True)
def stops_itself(client: Client, move: str) -> None:
    """It stops itself by SIGSTOP."""
    os.kill(os.getpid(), signal.SIGSTOP)


@register_fault("crashed")
def kills_its_parent(client: Client, move: str) -> None:
    """It kills its parent process, and keeps running with a child."""
    _start_sleeping_process()
    os.kill(os.getppid(), signal.SIGKILL)


@register_fault("crashed")
def stops_its_parent(client: Client, move: str) -> None:
    """It stops its parent process by SIGSTOP, so that the parent does not end it."""
    os.kill(os.getppid(), signal.SIGSTOP)


@register_fault("crashed")
def kills_its_process_group(client: Client, move: str) -> None:
    """It kills its own process group and that of its parent."""
    _start_sleeping_process()
    os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)
    os.killpg(0, signal.SIGKILL)


@register_fault(None)
def starts_100_processes(client: Client, move: str) -> NextBehaviour:
    """It starts 100 processes that stay, and plays on."""
    for _ in range(_CHILD_COUNT):
        _start_sleeping_process()
    return NextBehaviour.ANSWER_HONESTLY


@register_fault("too_much_memory", protocols=(FILES, GOMOCUP, JSON), memory_mb=100)
def takes_more_memory_than_it_may(client: Client, move: str) -> None:
    """It takes more and more memory, up to 600 MB, although its limit is 100 MB."""
    memory = bytearray()
    while len(memory) < _MAX_MEMORY_BYTES:
        memory += b"x" * _CHUNK_BYTES
        time.sleep(0.005)
    time.sleep(_CHILD_SECONDS)


@register_fault("too_much_memory", protocols=(FILES, GOMOCUP, JSON), memory_mb=100)
def takes_memory_by_many_processes(client: Client, move: str) -> None:
    """It starts 20 processes of 16 MB each, although all of them together may use only 100 MB."""
    for _ in range(20):
        if os.fork() == 0:
            memory = b"x" * _CHUNK_BYTES
            time.sleep(_CHILD_SECONDS)
            os._exit(len(memory) % 2)
    time.sleep(_CHILD_SECONDS)


@register_fault("out_of_time", verdict_at_deadline=True)
def forks_again_and_again(client: Client, move: str) -> None:
    """It starts a chain of up to 3,000 processes, each of which starts the next one and exits."""
    client.turn_noticed_at = time.monotonic()
    deadline = client.turn_noticed_at + 3 * (client.limit + client.grace)
    for _ in range(3000):
        if os.fork() or time.monotonic() > deadline:
            os._exit(0) if os.getpid() != _PROGRAM_PID else time.sleep(_CHILD_SECONDS)
    os._exit(0)


@register_fault(None)
def leaves_a_grandchild_in_a_session_of_its_own(client: Client, move: str) -> NextBehaviour:
    """It starts a process that starts another, which has its own session and ignores signals. Then it plays on."""
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os.setsid()
            for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(signal_number, signal.SIG_IGN)
            time.sleep(_CHILD_SECONDS)
        os._exit(0)
    os.waitpid(child, 0)
    return NextBehaviour.ANSWER_HONESTLY


@register_fault(None, FaultMoment.END)
def ignores_the_end(client: Client, move: str) -> None:
    """It ignores SIGTERM, and keeps running after the end of the game."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(_CHILD_SECONDS)


@register_fault(None, FaultMoment.END)
def spins_after_the_end(client: Client, move: str) -> None:
    """It uses a whole core after the end of the game."""
    deadline = time.monotonic() + _CHILD_SECONDS
    while time.monotonic() < deadline:
        pass


_PROGRAM_PID = os.getpid()
