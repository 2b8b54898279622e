"""The adapters through which the referee reaches players, and the registry of the protocols.

Each module of this package that defines PROTOCOL, an `AgentProtocol`, adds a protocol. The first call of
`protocols_by_name` imports these modules.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gomogo_core.protocols.descriptor import AgentProtocol
    from gomogo_core.protocols.engine_client import Engine

__all__ = ["engine_class_of", "pipe_protocol_names", "protocols_by_name"]


@cache
def protocols_by_name() -> dict[str, AgentProtocol]:
    """Return every protocol by name."""
    folder = os.path.dirname(__file__)
    protocol_list: list[AgentProtocol] = []
    for file_name in sorted(os.listdir(folder)):
        if file_name.endswith(".py") and not file_name.startswith("_"):
            with open(os.path.join(folder, file_name), "rb") as source:
                if b"\nPROTOCOL = " in source.read():
                    protocol_list.append(import_module(f"{__name__}.{file_name[:-3]}").PROTOCOL)
    return {protocol.name: protocol for protocol in sorted(protocol_list, key=lambda protocol: protocol.name)}


def pipe_protocol_names() -> tuple[str, ...]:
    """Return the names of the protocols that use standard input and output."""
    return tuple(name for name, protocol in protocols_by_name().items() if protocol.engine_class is not None)


def engine_class_of(name: str) -> type[Engine]:
    """Return the class for engines that speak this protocol over pipes. name: one of `pipe_protocol_names()`."""
    engine = protocols_by_name()[name].engine_class
    assert engine is not None
    return engine
