"""The training of agents: environments, networks, learning and export. They need the extra `train`.

The package uses the rules and the compiled shapes of gomogo_core. Only `gomogo train` imports the training code, when
it runs; page and report draw the statistics. An agent that plays loads an exported network, and nothing from this
package.
"""

from __future__ import annotations

from types import ModuleType

from gomogo_core.engines import compiling


def load_boards() -> ModuleType:
    """Return the compiled package `training.gomoku`.

    The package uses the shapes of the Gomoku engine. The engine has its own cache, so it is compiled first.
    """
    compiling.load("gomogo_core.engines.gomoku")
    return compiling.load("training.gomoku")
