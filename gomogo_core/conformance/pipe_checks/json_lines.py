"""The additional check of programs that read and write one JSON object per line.

The module agent_checks.py plays whole games.
"""

from __future__ import annotations

import json

from gomogo_core.conformance.agent_checks import AgentCheck
from gomogo_core.conformance.dialogue import EXIT_TIMEOUT, Dialogue
from gomogo_core.conformance.trial import Trial

PROTOCOL = "json"


def _check_input_ends(trial: Trial) -> None:
    with Dialogue.with_agent(trial) as dialogue:
        dialogue.send(json.dumps({"type": "weather", "is": "fine"}))
        dialogue.expect_silence(0.2, "Nothing, because objects of an unknown type must be ignored.")
        dialogue.close_input()
        dialogue.expect_exit(f"It exits within {EXIT_TIMEOUT:g} s after the end of its input.")


CHECKS = (
    AgentCheck("input_ends", "it ignores unknown objects, and exits when its input ends", _check_input_ends),
)  # fmt: skip
