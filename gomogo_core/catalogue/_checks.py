"""Checks that an agent's program exists, and that the agent can play a game.

The module uses agents and games. It does not depend on the form of an agent's spec.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from gomogo_core.catalogue._agent import Agent
from gomogo_core.catalogue._commands import missing_script
from gomogo_core.errors import UserError, there_are_text
from gomogo_core.games.base import Game
from gomogo_core.protocols import engine_class_of, protocols_by_name


def check_program(agent: Agent) -> None:
    """Raise UserError unless the agent's program exists and is executable."""
    words = agent.command_line("team")
    program = words[0]
    if "/" not in program:
        import shutil  # imported here, because few agents need it, and the import takes each worker 3 ms

        problem = None if shutil.which(program) else "no such program"
    elif not Path(program).is_file():
        problem = "no such file"
    else:
        problem = None if os.access(program, os.X_OK) else "permission denied"
    if not problem and (script := missing_script(words)):
        program, problem = script, "no such file"
    if problem:
        remedy = "Fix its command, or install the missing program."
        if problem == "permission denied":
            remedy = f"Try: chmod +x {program}, or write its interpreter before it in the command."
        raise UserError(f'Cannot start agent "{agent.name}": {program}: {problem}.', remedy)


def why_unsupported(game: Game, agent: Agent) -> str | None:
    """Return the reason why a player's protocol does not support the game or the player's settings, else None."""
    if not agent.uses_pipes:
        return None
    protocol = protocols_by_name()[agent.protocol]
    for name in agent.settings.limits:
        if name not in protocol.settings:
            return f"the protocol {protocol.name} cannot set {name}; the engine's own command must set it"
    return engine_class_of(agent.protocol).why_unsupported(game)


def why_no_undo(players: Iterable[Agent]) -> str:
    """Return the reason why these players cannot continue from an earlier position; empty if they can."""
    for player in players:
        if not player.is_human and not player.knows_history:
            return f"{player.name} receives only the last move, so it cannot continue from an earlier position."
    return ""


def check_agents(game: Game, players: Sequence[Agent], has_opening: bool = False) -> None:
    """Raise UserError unless these agents can play this game.

    has_opening: whether the game starts with moves on the board.
    """
    if len(players) != game.seats:
        problem = f"{game.name} is for {game.seats} players, and {there_are_text(len(players))}."
        raise UserError(problem, f"Name {game.seats} players.")
    for player in players:
        if not player.plays(game.name):
            raise UserError(f"{player.spec} does not play {game.name}.", f"It plays {', '.join(player.games)}.")
        if reason := why_unsupported(game, player):
            raise UserError(f"{player.spec} cannot play: {reason}.", "Choose other options or another player.")
        player.require_extra()
        if has_opening and not player.knows_history:
            raise UserError(
                f"{player.spec} cannot start with moves on the board: it reads only the last move.",
                "Play from the empty board, or write ready = true in its agent.toml if it reads history_file.",
            )
