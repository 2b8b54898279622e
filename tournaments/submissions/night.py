"""The tournament of a night: every submission against each player of the house, and against the others if asked.

Knows plans and agents that are ready; neither how they became so, nor grades.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

from gomogo_core import catalogue
from gomogo_core.arena import distinct
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError, nearest
from gomogo_core.fingerprints import of_agent
from gomogo_core.levels import levels
from gomogo_core.play.clock import TimeControl
from tournaments.formats import entry
from tournaments.plan import Plan, Task, located
from tournaments.schedules import Pairing, Result, meetings
from tournaments.spec import Submissions

_HASH = 16  # hexadecimal digits of a house agent's hash in its name within the run, as many as of a submission's


@dataclass(frozen=True)
class Entrant:
    """Somebody who plays. name: in tables. called: by the others. hash: of its files. spec: what finds it.

    given: the spec as the user wrote it, where it is of the house.
    """

    name: str
    called: str
    hash: str
    spec: str
    agent: Agent
    given: str = ""

    @property
    def player(self) -> str:
        """Who it is within the run: another version is another player, so that its games are played anew."""
        return f"{self.given or self.name}@{self.hash[:_HASH]}"


@dataclass(frozen=True)
class Night(Plan):
    """A plan whose players are the house's and those who have handed in something that plays."""

    students: tuple[Entrant, ...] = ()

    @cached_property
    def asks(self) -> Submissions:
        """How submissions are treated."""
        return self.spec.submissions or Submissions()

    @property
    def is_open(self) -> bool:
        """Who hands in anew, or later, does not change what the tournament asks for."""
        return True

    @property
    def hears_out(self) -> bool:
        """Who wrote a program wants to read what it printed."""
        return True

    def renewed(self) -> Plan:
        """The plan itself: nobody comes while it is played."""
        return self

    @cached_property
    def _levels(self) -> Mapping[str, float]:
        """Where the file names no agents: those of the game's levels and their seconds, by their names."""
        return {} if self.spec.agents else {level.name: level.seconds for level in levels(self.spec.game)}

    @cached_property
    def house(self) -> tuple[Entrant, ...]:
        """The house's players: the file's agents, or those of the game's levels."""
        if self.spec.agents:
            found = [(spec, catalogue.agent(located(spec, self.folder))) for spec in self.spec.agents]
        else:
            found = [(level.name, replace(level.opponent(), spec=level.spec)) for level in levels(self.spec.game)]
        names = distinct([agent.name for _, agent in found])
        return tuple(
            Entrant(name, name, of_agent(agent), located(agent.spec, self.folder), agent, given=given)
            for name, (given, agent) in zip(names, found, strict=True)
        )

    @cached_property
    def entrants(self) -> tuple[Entrant, ...]:
        """Everybody who plays, the house first."""
        return (*self.house, *self.students)

    @property
    def specs(self) -> tuple[str, ...]:
        """Who they are: with the hash, which so stands in every record."""
        return tuple(one.player for one in self.entrants)

    @cached_property
    def located(self) -> tuple[str, ...]:
        """The specs by which the catalogue finds them."""
        return tuple(one.spec for one in self.entrants)

    @cached_property
    def agents(self) -> tuple[Agent, ...]:
        """The agents."""
        return tuple(one.agent for one in self.entrants)

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """Of the house's agents their files', of submissions all that was handed in."""
        return tuple(one.hash for one in self.entrants)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What tables call them."""
        return distinct([one.name for one in self.entrants])

    @cached_property
    def called(self) -> tuple[str, ...]:
        """What they are called at the table, where their opponents can read it."""
        return distinct([one.called for one in self.entrants])

    @cached_property
    def controls(self) -> tuple[TimeControl, ...]:
        """Everybody's time; levels have their own."""
        usual, odds = self.spec.time.control(), self.spec.odds
        own = {name: TimeControl(seconds) for name, seconds in self._levels.items()}
        own |= {one.given: odds[one.given].control() for one in self.house if one.given in odds}
        return tuple(own.get(one.given) or one.agent.under(usual) for one in self.entrants)

    @cached_property
    def terms(self) -> dict[str, Any]:
        """On what terms games are played; the levels' times are among them."""
        times = {name: asdict(TimeControl(seconds)) for name, seconds in self._levels.items()}
        terms = super().terms
        return {**terms, "odds": {**times, **terms["odds"]}}

    @property
    def _shape(self) -> dict[str, Any]:
        """The table is that of a round robin in which some do not meet."""
        return {**super()._shape, "against_each_other": self.asks.against_each_other}

    def _groups(self) -> Sequence[tuple[int, ...]]:
        """Who sits at one table: the house's players never without a student, students together if they are to."""
        house = len(self.house)
        tables = combinations(range(len(self.entrants)), self.game.seats)
        most = self.game.seats if self.asks.against_each_other else 1
        return [table for table in tables if 1 <= sum(player >= house for player in table) <= most]

    @property
    def games_of_two(self) -> int:
        """In how many games a student meets somebody."""
        others = len(self.entrants) if self.asks.against_each_other else len(self.house) + 1
        return comb(max(0, others - 2), self.game.seats - 2) * self.spec.games_per_pair

    def games(self, results: Iterable[Result] = ()) -> int:
        """How many games it comes to."""
        return len(self._groups()) * self.spec.games_per_pair

    def pairings(self, results: Iterable[Result] = (), *, ahead: int = 1) -> Iterator[Pairing]:
        """Every game."""
        return meetings(entry(self.asked, self.game.seats), self._groups())

    def task(self, pairing: Pairing) -> Task:
        """What a worker needs to play a pairing: everybody has been built, and is called what others may know."""
        return replace(super().task(pairing), called=tuple(self.called[number] for number in pairing.players))

    def check(self) -> None:
        """Raise UserError where it cannot be played, before anything starts; no fault of a student's is one."""
        for key, wanted in (("format", "round_robin"), ("agents_folder", "")):
            if getattr(self.spec, key) != wanted:
                raise UserError(
                    f"{self.spec.name}: {key} is not for submissions: each meets the house, and the others if asked.",
                    "Leave it out.",
                )
        for agent in (one.agent for one in self.house):
            if agent.protocol == "human":
                raise UserError(f"{self.spec.name}: a person does not play all night.", "Leave out the agent human.")
        most = {one.name: self.spec.games_per_pair for one in self.house}
        for name, games in self.asks.required.items():
            if name not in most:
                raise UserError(f"{self.spec.name}: required: {name!r} is no player of the house.", nearest(name, most))
            if games > most[name] and self.game.seats == 2:
                raise UserError(
                    f"{self.spec.name}: nobody can win {games} of {most[name]} games against {name}.",
                    "Lower it, or raise games_per_pair.",
                )
        seated = replace(self, students=self.students or self.house[:1])  # the house alone can be wrong, too
        if len(seated.entrants) >= self.game.seats or not self.students:
            super(Night, seated).check()
