"""The misbehaving program: it plays honestly by one protocol until the moment of its misdeed.

Arguments: PROTOCOL MISDEED ANSWER_NUMBER LIMIT GRACE PAUSE PORT TEAM, which the module cases.py writes. The program
exits after at most a minute. Standard library only.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from gomogo_core.conformance.misbehaving import _folders, _processes, _times, _words  # noqa: F401  (they fill the list)
from gomogo_core.conformance.misbehaving._clients import CLIENTS
from gomogo_core.conformance.misbehaving._registry import MISDEEDS, AfterFault, FaultMoment

HONEST = "honest"  # instead of a misdeed's name
_LONGEST = 60  # seconds after which every program exits, even if the referee has died


def main() -> None:
    """Play, misbehave, and exit."""
    protocol, name, at, limit, grace, pause, port, team = sys.argv[1:]
    signal.alarm(_LONGEST)
    client = CLIENTS[protocol](team, float(limit), float(grace), int(port))
    deed = MISDEEDS.get(name)
    if deed is not None and deed.moment is FaultMoment.START:
        deed.act(client, "")
    for number, move in enumerate(client.turns()):
        then, now = AfterFault.ANSWER, deed is not None and number == int(at)
        if deed is None:
            time.sleep(float(pause))
        elif now and deed.moment is FaultMoment.TURN:
            then = deed.act(client, move)
        if then is AfterFault.SILENCE:
            time.sleep(_LONGEST)
        if then is AfterFault.ANSWER:
            client.answer(move)
        if deed is not None and now and deed.moment is FaultMoment.WAITING:
            deed.act(client, move)
    if deed is not None and deed.moment is FaultMoment.END:
        deed.act(client, "")
    os._exit(0)  # os._exit also ends the threads that a misdeed has started
