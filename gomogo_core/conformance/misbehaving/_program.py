"""The misbehaving program: it plays honestly, by one protocol, until the moment of its fault.

Arguments: PROTOCOL FAULT ANSWER_NUMBER LIMIT GRACE PAUSE PORT TEAM, which the module cases.py writes. The program exits
after at most a minute. It needs only the standard library.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from gomogo_core.conformance.misbehaving import _folders, _output, _processes, _times  # noqa: F401  (they fill the list)
from gomogo_core.conformance.misbehaving._clients import CLIENTS
from gomogo_core.conformance.misbehaving._registry import FAULTS, FaultMoment, NextBehaviour

NO_FAULT = "honest"  # the name for a program without a fault
_MAX_SECONDS = 60  # seconds after which every program exits, even if the referee has died


def main() -> None:
    """Play, misbehave, and exit."""
    protocol, fault_name, answer_number, limit, grace, pause, port, team = sys.argv[1:]
    signal.alarm(_MAX_SECONDS)
    client = CLIENTS[protocol](team, float(limit), float(grace), int(port))
    fault = FAULTS.get(fault_name)
    if fault is not None and fault.moment is FaultMoment.START:
        fault.commit(client, "")
    for number, move in enumerate(client.honest_moves()):
        moment = fault.moment if fault is not None and number == int(answer_number) else None
        next_behaviour: NextBehaviour | None = NextBehaviour.ANSWER_HONESTLY
        if fault is None:
            time.sleep(float(pause))
        elif moment is FaultMoment.TURN:
            next_behaviour = fault.commit(client, move)
        if next_behaviour is None:
            time.sleep(_MAX_SECONDS)
        elif next_behaviour is NextBehaviour.ANSWER_HONESTLY:
            client.answer(move)
        if fault is not None and moment is FaultMoment.WAITING:
            fault.commit(client, move)
    if fault is not None and fault.moment is FaultMoment.END:
        fault.commit(client, "")
    os._exit(0)  # os._exit also ends the threads that a fault has started
