"""Agents that learn: environments, networks, learning and export. Needs the extra `train`.

Uses the rules and the compiled shapes of gomogo_core. Only `gomogo train` imports the training code, when it runs; page
and report draw the statistics. An agent that plays loads an exported network and nothing from here.
"""

from __future__ import annotations

from types import ModuleType

from gomogo_core.engines import compiling


def load_boards() -> ModuleType:
    """Return `training.gomoku`, compiled; after the engine whose shapes it uses, which has a cache of its own."""
    compiling.load("gomogo_core.engines.gomoku")
    return compiling.load("training.gomoku")
