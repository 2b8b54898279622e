"""Misdeeds with processes: ended, stopped, started in numbers, left behind, killed; and with memory.

Knows voices; no referee.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from gomogo_core.conformance.misbehaving._deeds import FILES, GOMOCUP, JSON, PIPES, Then, When, misdeed
from gomogo_core.conformance.misbehaving._voices import Voice

_CHILDREN = 100
_STAY = 30.0  # seconds: whatever becomes of the referee, no child stays for longer
_CHUNK = 16 << 20  # bytes
_MOST = 600 << 20  # bytes: never more of this machine's memory


def _child(work: float = _STAY) -> int:
    """Start a process that sleeps."""
    child = os.fork()
    if child == 0:
        time.sleep(work)
        os._exit(0)
    return child


@misdeed("crashed", When.START)
def exits_at_start(voice: Voice, move: str) -> Then:
    """It exits before it has said anything."""
    sys.exit("no licence found")


@misdeed("crashed")
def exits_on_its_turn(voice: Voice, move: str) -> Then:
    """It exits instead of an answer."""
    os._exit(7)


@misdeed("crashed", When.WAITING, pause=0.1)
def exits_while_the_others_think(voice: Voice, move: str) -> Then:
    """It answers, and exits 30 ms later."""
    time.sleep(0.03)
    os._exit(0)


@misdeed("crashed")
def dies_of_a_signal(voice: Voice, move: str) -> Then:
    """It is ended by the system, as by a segmentation fault."""
    os.kill(os.getpid(), signal.SIGSEGV)
    return Then.SILENCE


@misdeed("crashed", on=PIPES)
def closes_its_output(voice: Voice, move: str) -> Then:
    """It closes its standard output, and stays."""
    os.close(1)
    return Then.SILENCE


@misdeed("out_of_time", waits=True)
def stops_itself(voice: Voice, move: str) -> Then:
    """It stops itself by SIGSTOP."""
    os.kill(os.getpid(), signal.SIGSTOP)
    return Then.SILENCE


@misdeed("crashed")
def kills_its_parent(voice: Voice, move: str) -> Then:
    """It kills its parent process, and waits, with a child, to outlive the game."""
    _child()
    os.kill(os.getppid(), signal.SIGKILL)
    return Then.SILENCE


@misdeed("crashed")
def stops_its_parent(voice: Voice, move: str) -> Then:
    """It stops its parent process by SIGSTOP, so that nobody ends it."""
    os.kill(os.getppid(), signal.SIGSTOP)
    return Then.SILENCE


@misdeed("crashed")
def kills_its_process_group(voice: Voice, move: str) -> Then:
    """It kills the process groups of itself and of its parent."""
    _child()
    os.killpg(os.getpgid(os.getppid()), signal.SIGKILL)
    os.killpg(0, signal.SIGKILL)
    return Then.SILENCE


@misdeed(None)
def starts_100_processes(voice: Voice, move: str) -> Then:
    """It starts 100 processes that stay, and plays on."""
    for _ in range(_CHILDREN):
        _child()
    return Then.ANSWER


@misdeed("too_much_memory", on=(FILES, GOMOCUP, JSON), memory_mb=100)
def takes_more_memory_than_it_may(voice: Voice, move: str) -> Then:
    """It takes more and more memory, where it may have 100 MB; 600 MB at most."""
    kept = bytearray()
    while len(kept) < _MOST:
        kept += b"x" * _CHUNK
        time.sleep(0.005)
    time.sleep(_STAY)
    return Then.SILENCE


@misdeed("too_much_memory", on=(FILES, GOMOCUP, JSON), memory_mb=100)
def takes_memory_by_many_processes(voice: Voice, move: str) -> Then:
    """It starts 20 processes of 16 MB, where it may have 100 MB in all."""
    for _ in range(20):
        if os.fork() == 0:
            kept = b"x" * _CHUNK
            time.sleep(_STAY)
            os._exit(len(kept) % 2)
    time.sleep(_STAY)
    return Then.SILENCE


@misdeed("out_of_time", waits=True)
def forks_again_and_again(voice: Voice, move: str) -> Then:
    """Each of its processes starts another one and ends: none is ever there for long; 3,000 of them at most."""
    voice.asked = time.monotonic()
    until = voice.asked + 3 * (voice.limit + voice.grace)
    for _ in range(3000):
        if os.fork() or time.monotonic() > until:
            os._exit(0) if os.getpid() != _ROOT else time.sleep(_STAY)
    os._exit(0)


@misdeed(None)
def leaves_a_grandchild_in_a_session_of_its_own(voice: Voice, move: str) -> Then:
    """It starts a process that starts another, in a session of its own and deaf to signals; and plays on."""
    child = os.fork()
    if child == 0:
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            time.sleep(_STAY)
        os._exit(0)
    os.waitpid(child, 0)
    return Then.ANSWER


@misdeed(None, When.END)
def ignores_the_end(voice: Voice, move: str) -> Then:
    """It is deaf to SIGTERM, and stays after the end."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(_STAY)
    return Then.SILENCE


@misdeed(None, When.END)
def spins_after_the_end(voice: Voice, move: str) -> Then:
    """It takes all the time of a core after the end."""
    until = time.monotonic() + _STAY
    while time.monotonic() < until:
        pass
    return Then.SILENCE


_ROOT = os.getpid()
