"""How games of this name are played on: as all games on boards of stones are."""

from gomogo_core.search.playouts._stones import node, play_out

__all__ = ["node", "play_out"]
