"""The type for the result of one check of this machine, for `gomogo doctor`."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Health(StrEnum):
    """The state of one part of this machine."""

    OK = "ok"
    DEGRADED = "degraded"
    MISSING = "missing"


class Diagnosis(NamedTuple):
    """The result of one check. is_necessary: whether games need the part to be played or stored."""

    part_name: str
    health: Health
    sentence: str
    is_necessary: bool = False

    @property
    def is_fatal(self) -> bool:
        """Whether no games can be played on this machine."""
        return self.is_necessary and self.health is Health.MISSING
