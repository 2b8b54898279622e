"""Whether an agent's program is there, and whether it can sit down to a game.

Knows agents and games; how they were named is no matter.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from gomogo_core.catalogue._agent import Agent
from gomogo_core.catalogue._protocols import PIPES
from gomogo_core.errors import UserError, there_are
from gomogo_core.games.base import Game


def check_program(player: Agent) -> None:
    """Raise UserError unless the program that plays is there and may be started."""
    program = player.words("team")[0]
    if "/" not in program:
        missing = None if shutil.which(program) else "no such program"
    elif not Path(program).is_file():
        missing = "no such file"
    else:
        missing = None if os.access(program, os.X_OK) else "permission denied"
    if missing:
        remedy = "Mend its command, or install what it names."
        if missing == "permission denied":
            remedy = f"Try: chmod +x {program}, or name what runs it before it in the command."
        raise UserError(f'Cannot start agent "{player.name}": {program}: {missing}.', remedy)


def why_not_told(game: Game, player: Agent) -> str | None:
    """Why a player's protocol cannot tell it of this game, as a sentence; None where it can."""
    if player.protocol not in PIPES:
        return None
    from gomogo_core.protocols.engines import ENGINES

    return ENGINES[player.protocol].why_not(game, player.settings)


def check(game: Game, players: Sequence[Agent], opening: bool = False) -> None:
    """Raise UserError unless these agents can sit down to this game, with moves on the board before if `opening`."""
    if len(players) != game.seats:
        raise UserError(
            f"{game.name} is for {game.seats} players, and {there_are(len(players))}.", f"Name {game.seats} players."
        )
    for player in players:
        if not player.plays(game.name):
            raise UserError(f"{player.spec} does not play {game.name}.", f"It plays {', '.join(player.games)}.")
        if why := why_not_told(game, player):
            raise UserError(f"{player.spec} cannot sit down: {why}.", "Choose other options, or another player.")
        if opening and not player.knows_history:
            raise UserError(
                f"{player.spec} cannot be told of moves made before it came: it reads only the last one.",
                "Play from the empty board, or write ready = true in its agent.toml if it reads history_file.",
            )
