"""The tournament of a course: every submission against each arena agent, and against the others on request.

Uses plans and agents that are ready, but neither their preparation nor grades.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

from gomogo_core import catalogue
from gomogo_core.arena import make_names_distinct
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.fingerprints import of_agent
from gomogo_core.levels import levels
from gomogo_core.play.clock import TimeControl
from tournaments.formats import entry
from tournaments.plan import Plan, locate_spec
from tournaments.schedules import ScheduledGame, ScheduleResult, meetings
from tournaments.spec import Submissions
from tournaments.submissions.roster import Roster, RosterEntry, read_roster
from tournaments.task import Task

_HASH = 16  # hexadecimal digits of an arena agent's hash in its name within the run, as many as of a submission's


@dataclass(frozen=True)
class Entrant:
    """A player.

    name: in tables. called: its name for other students. hash: the hash of its files. spec: the spec for the catalogue.
    given: the spec as the user wrote it; empty for a submission.
    """

    name: str
    called: str
    hash: str
    spec: str
    agent: Agent
    given: str = ""

    @property
    def player(self) -> str:
        """Return its name within the run. Another version is another player, so its games are played again."""
        return f"{self.given or self.name}@{self.hash[:_HASH]}"


@dataclass(frozen=True)
class Course(Plan):
    """A plan whose players are the arena agents and the submissions that can play."""

    students: tuple[Entrant, ...] = ()

    @cached_property
    def intake(self) -> Submissions:
        """Return the settings of submissions."""
        return self.spec.submissions or Submissions()

    @cached_property
    def people(self) -> tuple[RosterEntry, ...] | None:
        """Return the class list, if the file names one. Raises UserError if it cannot be read."""
        return read_roster(self.folder / self.intake.roster) if self.intake.roster else None

    def roster(self, titles: Iterable[str]) -> Roster | None:
        """Return the class list with the owners of these entries, if the file names a list.

        Raises UserError if one person owns two.
        """
        return None if self.people is None else Roster.of(self.people, titles, self.intake.roster)

    @property
    def is_open(self) -> bool:
        """Return the settings without the submissions: a new or later submission does not change the tournament."""
        return True

    @property
    def captures_output(self) -> bool:
        """Return True: the author of a program wants to read its output."""
        return True

    def with_current_agents(self) -> Plan:
        """Return the plan itself: no player joins during the run."""
        return self

    @cached_property
    def _levels(self) -> Mapping[str, float]:
        """Return the agents of the game's levels and their seconds by name, if the file names no agents."""
        return {} if self.spec.agents else {level.name: level.seconds for level in levels(self.spec.game)}

    @cached_property
    def arena_agents(self) -> tuple[Entrant, ...]:
        """Return the arena agents as entrants: those that the file names, or those of the game's levels."""
        if self.spec.agents:
            found = [(spec, catalogue.agent(locate_spec(spec, self.folder))) for spec in self.spec.agents]
        else:
            found = [(level.name, replace(level.opponent(), spec=level.spec)) for level in levels(self.spec.game)]
        names = make_names_distinct([agent.name for _, agent in found])
        return tuple(
            Entrant(name, name, of_agent(agent), locate_spec(agent.spec, self.folder), agent, given=given)
            for name, (given, agent) in zip(names, found, strict=True)
        )

    @cached_property
    def entrants(self) -> tuple[Entrant, ...]:
        """Return all players, the arena agents first."""
        return (*self.arena_agents, *self.students)

    @property
    def specs(self) -> tuple[str, ...]:
        """Return the players' names with their hashes, which every record thus contains."""
        return tuple(one.player for one in self.entrants)

    @cached_property
    def located_specs(self) -> tuple[str, ...]:
        """Return the specs for the catalogue."""
        return tuple(one.spec for one in self.entrants)

    @cached_property
    def agents(self) -> tuple[Agent, ...]:
        """The agents."""
        return tuple(one.agent for one in self.entrants)

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """Return the hashes: of the arena agents' files, and of whole submissions."""
        return tuple(one.hash for one in self.entrants)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the players' names in tables."""
        return make_names_distinct([one.name for one in self.entrants])

    @cached_property
    def called(self) -> tuple[str, ...]:
        """Return the names in the game, which opponents can read."""
        return make_names_distinct([one.called for one in self.entrants])

    @cached_property
    def controls(self) -> tuple[TimeControl, ...]:
        """Return the time control of each player. Levels have a time control of their own."""
        usual, odds = self.spec.time.control(), self.spec.odds
        own = {name: TimeControl(seconds) for name, seconds in self._levels.items()}
        own |= {one.given: odds[one.given].control() for one in self.arena_agents if one.given in odds}
        return tuple(own.get(one.given) or one.agent.time_control(usual) for one in self.entrants)

    @cached_property
    def terms(self) -> dict[str, Any]:
        """Return the terms of the games, including the time controls of the levels."""
        times = {name: asdict(TimeControl(seconds)) for name, seconds in self._levels.items()}
        terms = super().terms
        return {**terms, "odds": {**times, **terms["odds"]}}

    @property
    def _shape(self) -> dict[str, Any]:
        """Return the format: a round robin in which some players do not meet."""
        return {**super()._shape, "against_each_other": self.intake.against_each_other}

    @cached_property
    def _groups(self) -> Sequence[tuple[int, ...]]:
        """Return the groups of players that meet: each holds a student, or several if the settings say so."""
        arena, everybody, seats = len(self.arena_agents), len(self.entrants), self.game.seats
        most = seats if self.intake.against_each_other else 1
        return sorted(
            (*ours, *theirs)
            for students in range(1, most + 1)
            for ours in combinations(range(arena), seats - students)
            for theirs in combinations(range(arena, everybody), students)
        )

    @property
    def games_of_two(self) -> int:
        """Return the number of games in which a student meets another player."""
        others = len(self.entrants) if self.intake.against_each_other else len(self.arena_agents) + 1
        return comb(max(0, others - 2), self.game.seats - 2) * self.spec.games_per_pair

    def games(self, results: Iterable[ScheduleResult] = ()) -> int:
        """Return the number of games."""
        return len(self._groups) * self.spec.games_per_pair

    def pairings(self, results: Iterable[ScheduleResult] = (), *, ahead: int = 1) -> Iterator[ScheduledGame]:
        """Return every game."""
        return meetings(entry(self.settings, self.game.seats), self._groups)

    def task(self, pairing: ScheduledGame) -> Task:
        """Return the task of a pairing for a worker. All agents are built already; their names are those for other
        students.
        """
        return replace(super().task(pairing), called=tuple(self.called[number] for number in pairing.players))

    def check(self) -> None:
        """Raise UserError if the file is wrong, before anything starts."""
        for key, wanted in (("format", "round_robin"), ("agents_folder", "")):
            if getattr(self.spec, key) != wanted:
                raise UserError(
                    f"{self.spec.name}: {key} cannot be used with submissions.",
                    f"Remove {key} from the file.",
                )
        for agent in (one.agent for one in self.arena_agents):
            if agent.is_human:
                raise UserError(f"{self.spec.name}: a human cannot play in a course.", "Leave out the agent human.")
        most = {one.name: self.spec.games_per_pair for one in self.arena_agents}
        for name, games in self.intake.required.items():
            if name not in most:
                raise UserError(
                    f"{self.spec.name}: required: {name!r} is not an agent of the arena.", suggest_name(name, most)
                )
            if games > most[name] and self.game.seats == 2:
                raise UserError(
                    f"{self.spec.name}: {games} wins against {name} are required, only {most[name]} games planned.",
                    "Lower it, or raise games_per_pair.",
                )
        _ = self.people  # raises UserError if the list cannot be read
        self.check_players()

    def check_players(self) -> None:
        """Raise UserError if the players cannot play it; never for a student's fault."""
        seated = replace(self, students=self.students or self.arena_agents[:1])  # only arena agents are checked here
        if len(seated.entrants) >= self.game.seats or not self.students:
            super(Course, seated).check()
