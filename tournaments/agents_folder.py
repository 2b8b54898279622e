"""The agents in a ladder's folder while it runs: new ones, and those that cannot play.

Uses the catalogue, but neither runs nor results.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from gomogo_core import catalogue
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game


class FolderScan(NamedTuple):
    """The specs of agents that can play, and a sentence on each that cannot."""

    specs: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def scan_folder(
    folder_name: str, base: Path, game: Game, has_openings: bool, known_paths: Collection[Path]
) -> FolderScan:
    """Return the agents in the folder `folder_name`, a path relative to `base`, in the order of their names.

    has_openings: whether the games have openings. known_paths: the paths of agents to leave out. An agent that cannot
    be read, perhaps because it is being copied, is tried again at the next check. Raises UserError if there is no such
    folder.
    """
    folder = base / folder_name
    if not folder.is_dir():
        raise UserError(f"agents_folder: there is no folder {folder}.", "Make it, or name another.")
    specs, refused = [], []
    for name in catalogue.agents(folder):
        path = folder / f"{name}.py" if (folder / f"{name}.py").is_file() else folder / name
        if path.resolve() in known_paths:
            continue
        try:
            agent = catalogue.agent(str(path.resolve()))
            catalogue.check_agents(game, [agent] * game.seats, has_openings)
        except UserError as fault:
            refused.append(f"{path.name} does not play: {fault.what}")
        else:
            specs.append(f"{folder_name.rstrip('/')}/{path.name}")
    return FolderScan(tuple(specs), tuple(refused))
