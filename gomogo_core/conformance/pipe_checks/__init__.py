"""The additional checks of programs that play over pipes. Each module of this package has the checks of a protocol.

Such a module defines PROTOCOL, the name of the protocol, and CHECKS. A protocol without a module has only the common
checks.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from gomogo_core.conformance.agent_checks import AgentCheck

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
PIPE_CHECKS: dict[str, tuple[AgentCheck, ...]] = {module.PROTOCOL: module.CHECKS for module in _MODULES}
