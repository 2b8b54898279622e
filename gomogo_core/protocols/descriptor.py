"""The description of a protocol. Each module of this package that defines PROTOCOL adds a protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gomogo_core.protocols.settings import LIMIT_SETTINGS

if TYPE_CHECKING:
    from gomogo_core.protocols.engine_client import Engine


@dataclass(frozen=True, slots=True)
class AgentProtocol:
    """A protocol through which the referee reaches a player.

    name: the protocol's name in specs and in agent.toml. summary: a phrase that describes it. engine_class: the class
    for engines that speak the protocol over pipes; None for files and the terminal. games: the names of the games that
    the protocol can express, the usual game first; empty for all games. settings: the limits of `Settings` that the
    protocol can send to a program.

    first_game_only: whether programs that speak the protocol need to play only the first of `games`.
    counts_whole_seconds: whether the protocol counts time in whole seconds. optional_game_options: values of game
    options that programs need not support.
    """

    name: str
    summary: str
    engine_class: type[Engine] | None = None
    games: tuple[str, ...] = ()
    settings: tuple[str, ...] = LIMIT_SETTINGS
    first_game_only: bool = False
    counts_whole_seconds: bool = False
    optional_game_options: Mapping[str, object] = field(default_factory=dict)
