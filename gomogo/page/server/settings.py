"""Settings of the page server: the opponents and the limits.

Uses agents and numbers, but no request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gomogo_core import catalogue
from gomogo_core.analysis.live import METHODS
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.protocols import protocols

LONGEST = 5.0  # default seconds of an opponent for a move
MOST_SECONDS = 60.0  # the most seconds that a person may set
MOST_UNFINISHED = 20  # unfinished games that one person may have
MOST_SEATS = 6  # seats of one game on the page


@dataclass(frozen=True, slots=True)
class PageSettings:
    """Settings of the operator. agents: opponents beside the levels. most_games: maximum number of games with agents at
    a time.

    hosts: accepted host names; empty for any. sandbox: the confinement of the agents' programs. most_analyses: maximum
    number of analyses at a time, reviews included. analysts: agents and engines that visitors may analyse with, beside
    our own searches.
    """

    agents: tuple[Agent, ...]
    most_games: int = 4
    hosts: tuple[str, ...] = ()
    sandbox: Level = DEFAULT
    most_analyses: int = 2
    analysts: tuple[Agent, ...] = ()

    def analysts_for(self, game: str) -> dict[str, str]:
        """Return the analysts of the game of this name, the best first: their specs and names."""
        ours = {one: one for one in METHODS if one != "champion" or game == "gomoku"}
        return ours | {one.spec: one.name for one in self.analysts if _surely_plays(one, game)}

    def agents_for(self, game: str) -> tuple[Agent, ...]:
        """Return the agents that play the game of this name."""
        return tuple(one for one in self.agents if _surely_plays(one, game))

    def agent(self, spec: str) -> Agent:
        """Return the listed agent of this spec. Raises UserError for any other spec."""
        for one in self.agents:
            if one.spec == spec:
                return one
        raise UserError("This agent is not available here.", "Choose an agent from the list, or a level.")


def _surely_plays(agent: Agent, game: str) -> bool:
    """Return whether the agent plays the game of this name, as far as its description states."""
    games = agent.games[:1] if protocols()[agent.protocol].first_game_only else agent.games
    return not games or game in games


def find_agents(specs: Sequence[str]) -> tuple[Agent, ...]:
    """Return the agents of these specs; without any, the shipped agents. Raises UserError for an unknown agent."""
    if specs:
        return tuple(catalogue.agent(spec) for spec in specs)
    found = []
    for name in catalogue.agents():
        try:
            one = catalogue.agent(name)
        except UserError:  # an unreadable agent does not hide the others
            continue
        if not one.is_human:
            found.append(one)
    return tuple(found)
