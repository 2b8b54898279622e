"""Scan the agents folder of a ladder for agents that can play, and for agents that cannot play.

The module uses the catalogue, but neither runs nor results.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from gomogo_core import catalogue
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game


class FolderScan(NamedTuple):
    """The agents of a folder that can play. refusal_sentences: for each agent that cannot play, a sentence with the
    reason.
    """

    agent_specs: tuple[str, ...] = ()
    refusal_sentences: tuple[str, ...] = ()


def scan_folder(
    folder_name: str, base_folder: Path, game: Game, has_openings: bool, known_paths: Collection[Path]
) -> FolderScan:
    """Return the agents in the folder `folder_name`, a path relative to `base_folder`, in the order of their names.

    has_openings: whether the games have openings. known_paths: the paths of agents to leave out. An agent that cannot
    be read, perhaps because it is being copied, is read again at the next scan. Raises UserError if the folder does not
    exist.
    """
    folder = base_folder / folder_name
    if not folder.is_dir():
        raise UserError(f"agents_folder: there is no folder {folder}.", "Create it, or name another folder.")
    specs, refusals = [], []
    for name in catalogue.agents(folder):
        path = folder / f"{name}.py" if (folder / f"{name}.py").is_file() else folder / name
        if path.resolve() in known_paths:
            continue
        try:
            agent = catalogue.agent(str(path.resolve()))
            catalogue.check_agents(game, [agent] * game.seats, has_openings)
        except UserError as error:
            refusals.append(f"{path.name} does not play: {error.problem}")
        else:
            specs.append(f"{folder_name.rstrip('/')}/{path.name}")
    return FolderScan(tuple(specs), tuple(refusals))
