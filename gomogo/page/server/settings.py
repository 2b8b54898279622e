"""The settings of the page server: opponents, analysis agents, and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gomogo_core import catalogue
from gomogo_core.analysis.live_analysis import METHODS
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.protocols import protocols_by_name

DEFAULT_MOVE_SECONDS = 5.0  # an opponent's time per move
MAX_MOVE_SECONDS = 60.0  # the longest time per move that a visitor may set
MAX_UNFINISHED_GAMES = 20  # unfinished games of one visitor
MAX_SEATS = 6  # the maximum number of players in a game on the page


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The operator's settings. agents: opponents in addition to the levels. max_games: the maximum number of games with
    agents at a time.

    hosts: accepted host names; empty for any. sandbox: the level of isolation of the agents' programs. max_analyses:
    the maximum number of analyses at a time, including reviews. analysis_agents: agents and engines on the analysis
    board, in addition to Gomogo's own searches.
    """

    agents: tuple[Agent, ...]
    max_games: int = 4
    hosts: tuple[str, ...] = ()
    sandbox: SandboxLevel = DEFAULT_SANDBOX
    max_analyses: int = 2
    analysis_agents: tuple[Agent, ...] = ()

    def analysis_agents_for(self, game: str) -> dict[str, str]:
        """Return the names of the agents that can analyse a game, by their specs; the best first."""
        methods = {method: method for method in METHODS if method != "champion" or game == "gomoku"}
        return methods | {agent.spec: agent.name for agent in self.analysis_agents if _declares_game(agent, game)}

    def agents_for(self, game: str) -> tuple[Agent, ...]:
        """Return the opponents that play a game and whose libraries are installed."""
        return tuple(agent for agent in self.agents if _declares_game(agent, game) and not agent.missing_extra)

    def offered_agent(self, spec: str) -> Agent:
        """Return the opponent with this spec. Raises UserError if the page does not offer it."""
        for agent in self.agents:
            if agent.spec == spec:
                return agent
        raise UserError("This agent is not available here.", "Choose an agent from the list, or a level.")


def _declares_game(agent: Agent, game: str) -> bool:
    """Return whether an agent declares that it plays a game."""
    games = agent.games[:1] if protocols_by_name()[agent.protocol].first_game_only else agent.games
    return not games or game in games


def find_agents(specs: Sequence[str]) -> tuple[Agent, ...]:
    """Return the agents with these specs; without specs, Gomogo's own agents. Raises UserError for an unknown agent."""
    if specs:
        return tuple(catalogue.agent(spec) for spec in specs)
    agents = []
    for name in catalogue.agents():
        try:
            agent = catalogue.agent(name)
        except UserError:  # skip an agent that cannot be loaded
            continue
        if not agent.is_human:
            agents.append(agent)
    return tuple(agents)
