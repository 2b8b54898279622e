"""The protocols by which a program is reached through its standard input and output, by name.

Knows the adapters; starts nothing.
"""

from __future__ import annotations

from gomogo_core.protocols.engine_client import Engine
from gomogo_core.protocols.gomocup import GomocupEngine
from gomogo_core.protocols.gtp import GtpEngine
from gomogo_core.protocols.json_lines import JsonEngine

ENGINES: dict[str, type[Engine]] = {"gomocup": GomocupEngine, "gtp": GtpEngine, "json": JsonEngine}
