"""The program itself: plays honestly by one protocol until the moment of its misdeed.

python -c COMMAND PROTOCOL MISDEED AT LIMIT GRACE PAUSE PORT TEAM, as `cases.words` writes it. It never stays for more
than a minute. Standard library only.
"""

from __future__ import annotations

import os
import signal
import sys
import time

from gomogo_core.conformance.misbehaving import _folders, _processes, _times, _words  # noqa: F401  (they fill the list)
from gomogo_core.conformance.misbehaving._deeds import MISDEEDS, Then, When
from gomogo_core.conformance.misbehaving._voices import VOICES

HONEST = "honest"  # instead of a misdeed's name
_LONGEST = 60  # seconds: whatever becomes of the referee, none of these programs stays for longer


def main() -> None:
    """Play, misbehave, leave."""
    protocol, name, at, limit, grace, pause, port, team = sys.argv[1:]
    signal.alarm(_LONGEST)
    voice = VOICES[protocol](team, float(limit), float(grace), int(port))
    deed = MISDEEDS.get(name)
    if deed is not None and deed.when is When.START:
        deed.act(voice, "")
    for number, move in enumerate(voice.turns()):
        then, now = Then.ANSWER, deed is not None and number == int(at)
        if deed is None:
            time.sleep(float(pause))
        elif now and deed.when is When.TURN:
            then = deed.act(voice, move)
        if then is Then.SILENCE:
            time.sleep(_LONGEST)
        if then is Then.ANSWER:
            voice.answer(move)
        if deed is not None and now and deed.when is When.WAITING:
            deed.act(voice, move)
    if deed is not None and deed.when is When.END:
        deed.act(voice, "")
    os._exit(0)  # what a misdeed has left running in threads goes along
