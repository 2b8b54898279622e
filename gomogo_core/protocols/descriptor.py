"""The description of a protocol. Each module of this package that defines PROTOCOL adds a protocol.

Uses names and settings, but no program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gomogo_core.protocols.settings import LIMITS

if TYPE_CHECKING:
    from gomogo_core.protocols.engine_client import Engine


@dataclass(frozen=True, slots=True)
class AgentProtocol:
    """How the referee reaches a player.

    name: as in specs and agent.toml. summary: one phrase. engine: the class that speaks it over pipes; None for files
    and the terminal. games: names of the games that it can express, the usual one first; empty for all. settings: the
    limits of `Settings` that it can send to a program.

    first_game_only: a program is only certain to play the first of its games. whole_seconds: the protocol counts time
    in whole seconds. may_lack: options of games that a program may lack.
    """

    name: str
    summary: str
    engine: type[Engine] | None = None
    games: tuple[str, ...] = ()
    settings: tuple[str, ...] = LIMITS
    first_game_only: bool = False
    whole_seconds: bool = False
    may_lack: Mapping[str, object] = field(default_factory=dict)
