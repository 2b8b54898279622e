"""Replaces this process by an agent that plays in the shared folder of a referee (`gomogo agent run`).

The module handles the command and the environment, and reads no game file.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

from gomogo_core.arena import build_agent, child_environment
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.wire.lines import check_teams


def run_as_agent(agent: Agent, team: str | None, folder: Path) -> NoReturn:
    """Build the agent, then replace this process by its program, which keeps the terminal for a human player.

    Raises UserError if the program cannot start, or the team name is not valid.
    """
    if agent.uses_pipes:
        raise UserError(
            f"{agent.spec} communicates over pipes, not files.",
            "Use `gomogo play`, `gomogo match` or `gameTest.py`, which start it themselves.",
        )
    team_name = agent.name if team is None else team
    check_teams([team_name])
    command_words = agent.command_line(team_name)
    if team_name != agent.name and command_words == agent.command_line(agent.name):
        raise UserError(
            f"{agent.spec} always has the name {agent.name}: its command line does not contain {{team}}.",
            "Write {team} into its command line in place of the team's name, or leave out --team.",
        )
    build_agent(agent)
    sys.stdout.flush()
    try:
        os.chdir(folder)
        if os.name == "nt":  # on Windows, exec gives the terminal back to the shell before the agent has ended
            sys.exit(subprocess.call(command_words, env=child_environment()))
        os.execvpe(command_words[0], command_words, child_environment())
    except OSError as error:
        raise UserError(
            f"{agent.spec} cannot be started: {command_words[0]}: {(error.strerror or str(error)).lower()}.",
            "Fix its command, or the permissions of the program.",
        ) from None
