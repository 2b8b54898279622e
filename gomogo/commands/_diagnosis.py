"""What an examination of this machine found: a state and a sentence.

Knows no examination.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Health(StrEnum):
    """How well a thing works here."""

    OK = "ok"
    DEGRADED = "degraded"
    MISSING = "missing"


class Diagnosis(NamedTuple):
    """One thing examined. necessary: without it nothing can be played, or nothing be kept."""

    name: str
    state: Health
    words: str
    necessary: bool = False

    @property
    def fatal(self) -> bool:
        """Whether this machine cannot be used as it is."""
        return self.necessary and self.state is Health.MISSING
