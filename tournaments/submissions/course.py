"""The plan of a course tournament: every submission plays each arena agent and, if the settings say so, the other
submissions.

The module needs agents that are already built and checked, and computes no grades.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

from gomogo_core import catalogue
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.fingerprints import agent_fingerprint
from gomogo_core.levels import levels_of_game
from gomogo_core.play.clock import TimeControl
from gomogo_core.wire.lines import distinct_names, distinct_team_names
from tournaments.formats import schedule_input
from tournaments.plan import Plan, make_spec_absolute
from tournaments.schedules import ScheduledGame, ScheduleResult, schedule_groups
from tournaments.spec import SubmissionSettings
from tournaments.submissions.roster import RosterStudent, read_roster
from tournaments.task import GameTask

_HASH_DIGITS = 16  # digits of the hash in a player's name in the store


@dataclass(frozen=True)
class CoursePlayer:
    """A player of a course tournament: an arena agent or a submission.

    name: the player's name in tables. public_name: the name that other students see. content_hash: a hash of the
    player's files. spec: the spec by which the catalogue finds the agent. spec_as_written: the spec as the user wrote
    it; empty for a submission. submission_key: the key of a submission; empty for an arena agent.
    """

    name: str
    public_name: str
    content_hash: str
    spec: str
    agent: Agent
    spec_as_written: str = ""
    submission_key: str = ""

    @property
    def stored_name(self) -> str:
        """The player's name in the store. It contains the hash, so a new version of a program is a new player, which
        plays all games.
        """
        return f"{self.spec_as_written or self.submission_key}@{self.content_hash[:_HASH_DIGITS]}"


@dataclass(frozen=True)
class CoursePlan(Plan):
    """A plan whose players are the arena agents and the submissions that can play (`student_players`)."""

    student_players: tuple[CoursePlayer, ...] = ()

    @cached_property
    def submission_settings(self) -> SubmissionSettings:
        """The settings for submissions."""
        return self.spec.submissions or SubmissionSettings()

    @cached_property
    def roster_students(self) -> tuple[RosterStudent, ...] | None:
        """The students on the roster, or None if the file names no roster. Raises UserError if the roster cannot be
        read.
        """
        roster = self.submission_settings.roster
        return read_roster(self.base_folder / roster) if roster else None

    @property
    def players_may_change(self) -> bool:
        """Return True: submissions may be added and changed at any time."""
        return True

    @property
    def captures_output(self) -> bool:
        """Return True: the author of a program may want to read its output."""
        return True

    def with_current_agents(self) -> Plan:
        """Return this plan: no player joins during the run."""
        return self

    @cached_property
    def _seconds_by_level(self) -> Mapping[str, float]:
        """The seconds per move of each level's agent, by its name; empty if the file names agents."""
        return {} if self.spec.agents else {level.name: level.seconds for level in levels_of_game(self.spec.game)}

    @cached_property
    def arena_agents(self) -> tuple[CoursePlayer, ...]:
        """The arena agents: the agents that the file names or, if the file names no agents, the levels of the game."""
        folder, levels = self.base_folder, () if self.spec.agents else levels_of_game(self.spec.game)
        agents = [(spec, catalogue.agent(make_spec_absolute(spec, folder))) for spec in self.spec.agents]
        agents += [(level.name, replace(level.opponent(), spec=level.spec)) for level in levels]
        names = distinct_team_names([agent.name for _, agent in agents])
        return tuple(
            CoursePlayer(name, name, agent_fingerprint(agent), make_spec_absolute(agent.spec, folder), agent, written)
            for name, (written, agent) in zip(names, agents, strict=True)
        )

    @cached_property
    def all_players(self) -> tuple[CoursePlayer, ...]:
        """All players, the arena agents first."""
        return (*self.arena_agents, *self.student_players)

    @property
    def specs(self) -> tuple[str, ...]:
        """The players' names with their hashes. Every record contains them."""
        return tuple(player.stored_name for player in self.all_players)

    @cached_property
    def absolute_specs(self) -> tuple[str, ...]:
        """The specs for the catalogue."""
        return tuple(player.spec for player in self.all_players)

    @cached_property
    def agents(self) -> tuple[Agent, ...]:
        """The agents of all players."""
        return tuple(player.agent for player in self.all_players)

    @cached_property
    def agent_hashes(self) -> tuple[str, ...]:
        """A hash of each arena agent's files, and of each submission."""
        return tuple(player.content_hash for player in self.all_players)

    @cached_property
    def display_names(self) -> tuple[str, ...]:
        """The players' names in tables."""
        return distinct_names([player.name for player in self.all_players])

    @cached_property
    def public_names(self) -> tuple[str, ...]:
        """The names that opponents see."""
        return distinct_team_names([player.public_name for player in self.all_players])

    @cached_property
    def time_controls(self) -> tuple[TimeControl, ...]:
        """Each player's time control. Levels have time controls of their own."""
        default_control, odds = self.spec.time.to_time_control(), self.spec.odds
        own_controls = {name: TimeControl(seconds) for name, seconds in self._seconds_by_level.items()}
        own_controls |= {
            player.spec_as_written: odds[player.spec_as_written].to_time_control()
            for player in self.arena_agents
            if player.spec_as_written in odds
        }
        return tuple(
            own_controls.get(player.spec_as_written) or player.agent.time_control(default_control)
            for player in self.all_players
        )

    @cached_property
    def result_settings(self) -> dict[str, Any]:
        """The settings that decide a game's result, including the time controls of the levels."""
        times = {name: asdict(TimeControl(seconds)) for name, seconds in self._seconds_by_level.items()}
        result_settings = super().result_settings
        return {**result_settings, "odds": {**times, **result_settings["odds"]}}

    @property
    def _schedule_settings(self) -> dict[str, Any]:
        """The settings of the format, a round robin in which some players do not meet."""
        return {**super()._schedule_settings, "against_each_other": self.submission_settings.against_each_other}

    @cached_property
    def _player_groups(self) -> Sequence[tuple[int, ...]]:
        """The groups of players that meet. Each group has one student or, if students play each other, several."""
        arena_agent_count, player_count, seat_count = len(self.arena_agents), len(self.all_players), self.game.seats
        max_students = seat_count if self.submission_settings.against_each_other else 1
        return sorted(
            (*arena_group, *student_group)
            for students_in_group in range(1, max_students + 1)
            for arena_group in combinations(range(arena_agent_count), seat_count - students_in_group)
            for student_group in combinations(range(arena_agent_count, player_count), students_in_group)
        )

    @property
    def games_per_opponent(self) -> int:
        """The number of games in which a student meets one given player."""
        students_meet = self.submission_settings.against_each_other
        player_count = len(self.all_players) if students_meet else len(self.arena_agents) + 1
        return comb(max(0, player_count - 2), self.game.seats - 2) * self.spec.games_per_pair

    def count_games(self, results: Iterable[ScheduleResult] = ()) -> int:
        """Return the number of games."""
        return len(self._player_groups) * self.spec.games_per_pair

    def scheduled_games(
        self, results: Iterable[ScheduleResult] = (), *, games_ahead: int = 1
    ) -> Iterator[ScheduledGame]:
        """Return every game."""
        return schedule_groups(schedule_input(self.settings, self.game.seats), self._player_groups)

    def task(self, game: ScheduledGame) -> GameTask:
        """Return a planned game as a task. Its public names tell the worker that all agents are already built."""
        public_names = tuple(self.public_names[index] for index in game.player_indexes)
        return replace(super().task(game), public_names=public_names)

    def check(self) -> None:
        """Raise UserError, before anything starts, if the settings are invalid."""
        for key, needed_value in (("format", "round_robin"), ("agents_folder", "")):
            if getattr(self.spec, key) != needed_value:
                problem = f"{self.spec.name}: {key} cannot be used with submissions."
                raise UserError(problem, f"Remove {key} from the file.")
        if any(player.agent.is_human for player in self.arena_agents):
            problem = f"{self.spec.name}: a human cannot play in a course tournament."
            raise UserError(problem, "Leave out the agent human.")
        max_wins = {player.name: self.spec.games_per_pair for player in self.arena_agents}
        for name, required_wins in self.submission_settings.required.items():
            if name not in max_wins:
                problem = f"{self.spec.name}: `required` names {name!r}, which is not an arena agent."
                raise UserError(problem, suggest_name(name, max_wins))
            if required_wins > max_wins[name] and self.game.seats == 2:
                raise UserError(
                    f"{self.spec.name}: `required` asks for more wins against {name} ({required_wins}) "
                    f"than games are planned ({max_wins[name]}).",
                    "Require fewer wins, or raise `games_per_pair`.",
                )
        _ = self.roster_students  # raises UserError if the roster cannot be read
        self.check_players()

    def check_players(self) -> None:
        """Raise UserError if the arena agents cannot play the tournament, or there are too few players."""
        # without submissions, an arena agent takes the place of a submission
        course = replace(self, student_players=self.student_players or self.arena_agents[:1])
        if len(course.all_players) >= self.game.seats or not self.student_players:
            super(CoursePlan, course).check()
