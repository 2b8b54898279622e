"""The additional checks of programs that read and write one JSON object per line.

The referee knows the protocol; `agent_checks` plays whole games.
"""

from __future__ import annotations

import json

from gomogo_core.conformance.agent_checks import Check
from gomogo_core.conformance.dialogue import LEAVING, Dialogue
from gomogo_core.conformance.trial import Trial

PROTOCOL = "json"


def _leaves_json(trial: Trial) -> None:
    with Dialogue.of(trial) as dialogue:
        dialogue.say(json.dumps({"type": "weather", "is": "fine"}))
        dialogue.expect_silence(0.2, "Nothing: an unknown type is passed over.")
        dialogue.close_input()
        dialogue.expect_exit(f"It leaves within {LEAVING:g} s where its input ends.")


CHECKS = (
    Check("input_ends", "it passes over what it does not know, and leaves where its input ends", _leaves_json),
)  # fmt: skip
