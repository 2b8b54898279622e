"""The result of one check of this machine: a state and a sentence.

Does not handle how to check it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Health(StrEnum):
    """How well one part works on this machine."""

    OK = "ok"
    DEGRADED = "degraded"
    MISSING = "missing"


class Diagnosis(NamedTuple):
    """The result of one check. necessary: without it no game can be played or stored."""

    name: str
    state: Health
    words: str
    necessary: bool = False

    @property
    def is_fatal(self) -> bool:
        """Whether this machine cannot be used as it is."""
        return self.necessary and self.state is Health.MISSING
