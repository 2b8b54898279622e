"""The plan of a tournament: its players, its games, each with a unique key, and the fingerprint of its settings.

The module uses the spec, schedules and openings. It plays no game and stores nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from gomogo_core import catalogue, games
from gomogo_core.arena import distinct_team_names
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError, there_are_text
from gomogo_core.fingerprints import agent_fingerprint
from gomogo_core.games.base import Game
from gomogo_core.play.clock import CLASSIC_PACE, TimeControl
from gomogo_core.protocols import pipe_protocol_names
from gomogo_core.records.aggregates import RankedGame
from tournaments.agents_folder import FolderScan, scan_folder
from tournaments.formats import FORMATS, schedule_input
from tournaments.openings import BALANCED, Openings, has_balanced_openings, load_openings
from tournaments.schedules import MAX_GAMES, ScheduledGame, ScheduleResult, TournamentFormat
from tournaments.spec import TournamentSpec
from tournaments.sprt import Sprt
from tournaments.task import GameTask

_Value = TypeVar("_Value")
_DEFAULT_RANDOM_OPENINGS = "random:4"  # the default between engines in games without balanced openings


@dataclass(frozen=True)
class Plan:
    """A tournament with its agents and rules loaded.

    base_folder: the folder to which paths in the spec are relative. sprt: the test that ends a match, or None; it does
    not change the games.
    """

    spec: TournamentSpec
    base_folder: Path
    sprt: Sprt | None = field(default=None, kw_only=True)

    @cached_property
    def game(self) -> Game:
        """The rules."""
        return games.load(self.spec.game, **self.spec.options)

    @cached_property
    def folder_scan(self) -> FolderScan:
        """The agents that were in the agents folder when this property was first read."""
        if not self.spec.agents_folder:
            return FolderScan()
        known_paths = {(self.base_folder / spec).resolve() for spec in self.spec.agents}
        has_openings = bool(self.openings_setting)
        return scan_folder(self.spec.agents_folder, self.base_folder, self.game, has_openings, known_paths)

    @property
    def players_may_change(self) -> bool:
        """Return whether players may join and leave at any time without the user's consent."""
        return self.tournament_format.players_may_change

    @property
    def captures_output(self) -> bool:
        """Return whether every record has the programs' output; otherwise only records of games lost by a fault have
        it.
        """
        return False

    @property
    def specs(self) -> tuple[str, ...]:
        """The specs of all players."""
        return (*self.spec.agents, *self.folder_scan.agent_specs)

    def with_current_agents(self) -> Plan:
        """Return the plan with the agents that are in the folder now; `self` if no agent was added or removed."""
        current_plan = Plan(self.spec, self.base_folder)
        return self if current_plan.folder_scan == self.folder_scan else current_plan

    @cached_property
    def agents(self) -> tuple[Agent, ...]:
        """The agents of all players. Raises UserError for an agent that does not exist."""
        return tuple(map(catalogue.agent, self.absolute_specs))

    @property
    def has_human(self) -> bool:
        """Return whether a human at this terminal plays."""
        return any(agent.is_human for agent in self.agents)

    @cached_property
    def cores_per_game(self) -> int:
        """The number of cores for one running game: the cores of the player to move, plus the cores of an opponent that
        ponders.
        """
        if self.spec.cores_per_game is not None:
            return self.spec.cores_per_game
        mover_cores = max((agent.core_count for agent in self.agents), default=1)
        return mover_cores + max((agent.core_count for agent in self.agents if agent.ponders), default=0)

    @cached_property
    def absolute_specs(self) -> tuple[str, ...]:
        """The players' specs with absolute paths, so that the catalogue finds the agents from any folder."""
        return tuple(make_spec_absolute(spec, self.base_folder) for spec in self.specs)

    @cached_property
    def agent_hashes(self) -> tuple[str, ...]:
        """A hash of each agent's files, for records."""
        return tuple(agent_fingerprint(agent) for agent in self.agents)

    @cached_property
    def display_names(self) -> tuple[str, ...]:
        """The players' names in tables."""
        return distinct_team_names([agent.name for agent in self.agents])

    @cached_property
    def stored_names(self) -> tuple[str, ...]:
        """The players' names in the store: their specs, with a number if an agent plays against itself."""
        name_counts: Counter[str] = Counter()
        players = []
        for spec in self.specs:
            name_counts[spec] += 1
            players.append(spec if name_counts[spec] == 1 else f"{spec} #{name_counts[spec]}")
        return tuple(players)

    @cached_property
    def openings_setting(self) -> str:
        """The argument of `load_openings`: the setting of the spec, or the default.

        By default, engines have balanced openings, or random openings in games without balanced ones, and other agents
        have no openings. A tournament with an agents folder has no openings by default, since agents that join may not
        be engines.
        """
        setting = self.spec.openings
        if setting is not None or self.spec.agents_folder:
            return "" if setting in (None, "none") else setting
        if not all(agent.needs_balanced_openings for agent in self.agents):
            return ""
        return BALANCED if has_balanced_openings(self.game) else _DEFAULT_RANDOM_OPENINGS

    @cached_property
    def openings(self) -> Openings:
        """The openings of every pair."""
        plies, folder = self.spec.openings_plies, self.base_folder
        return load_openings(self.openings_setting, self.game, seed=self.spec.seed, folder=folder, plies=plies)

    @cached_property
    def time_controls(self) -> tuple[TimeControl, ...]:
        """Each player's time control: from `odds`, else from the agent's spec, else the common time control."""
        odds, default_control = self.spec.odds, self.spec.time.to_time_control()
        return tuple(
            odds[spec].to_time_control() if spec in odds else agent.time_control(default_control)
            for spec, agent in zip(self.specs, self.agents, strict=True)
        )

    @cached_property
    def result_settings(self) -> dict[str, Any]:
        """The settings that decide a game's result. Stored games with other settings do not count for this plan."""
        adjudication = self.spec.adjudicate.to_adjudication().as_dict()
        odds = {agent: asdict(time_settings.to_time_control()) for agent, time_settings in self.spec.odds.items()}
        return {
            "game": self.spec.game,
            "options": self.game.options,
            "time": asdict(self.spec.time.to_time_control()),
            "odds": odds,
            "openings": self.openings.identity,
            "seed": self.spec.seed,
            "illegal": self.spec.illegal,
            **({"classic_pace": True} if self.spec.classic_pace else {}),
            # left out by default, so that runs from before this option was added can continue
            **({"adjudicate": adjudication} if adjudication else {}),
        }

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All settings and the players' names, as JSON values."""
        names = zip(self.stored_names, self.display_names, strict=True)
        players = [{"player": player, "name": name} for player, name in names]
        settings = {"name": self.spec.name, **self.result_settings, **self._schedule_settings, "players": players}
        return settings if self.sprt is None else {**settings, "sprt": self.sprt._asdict()}

    def settings_with_former_players(self, stored_settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings with the players that have left a ladder, whose games still count.

        stored_settings: the settings in the store.
        """
        former_players = [
            {**player, "name": f"{player['name']}{'-gone' * (player['name'] in self.display_names)}"}
            for player in stored_settings["players"]
            if player["player"] not in self.stored_names
        ]
        return {**self.settings, "players": [*self.settings["players"], *former_players]}

    @property
    def _schedule_settings(self) -> dict[str, Any]:
        format_options = self.tournament_format.stored_options(self.spec.format_options(), len(self.stored_names))
        return {"format": self.spec.format, "games_per_pair": self.spec.games_per_pair, **format_options}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the settings, equal for two plans with the same games.

        The fingerprint covers neither the players and the length of a ladder nor the submissions of a course, because
        these may change at any time.
        """
        variable_part = {"games": None} if self.players_may_change else {"players": self.stored_names}
        settings = {"name": self.spec.name, **self.result_settings, **self._schedule_settings}
        return _compute_digest({**settings, **variable_part})

    @cached_property
    def _result_settings_digest(self) -> str:
        return _compute_digest({"name": self.spec.name, **self.result_settings})

    def check(self) -> None:
        """Raise UserError if the plan cannot be played. Call this before any program starts."""
        seat_count = self.game.seats
        if self.spec.submissions is not None and not self.players_may_change:
            problem = f"{self.spec.name}: the folder of submissions is missing."
            raise UserError(problem, "Name it: --submissions DIR.")
        if len(self.agents) < seat_count:
            raise UserError(
                f"{self.spec.name}: {self.spec.game} is for {seat_count} players, "
                f"and {there_are_text(len(self.agents))}.",
                "Name more agents.",
            )
        if self.spec.adjudicate.moves is not None and "max_moves" in self.game.options:
            raise UserError(
                f"{self.spec.name}: the rules of {self.spec.game} have an option for the maximum number of moves.",
                f"Use it: options = {{ max_moves = {self.spec.adjudicate.moves} }}, or -o max_moves for a match.",
            )
        if self.spec.adjudicate.score is not None and seat_count != 2:
            raise UserError(
                f"{self.spec.name}: only a game of two players ends by agreement on the score; this has {seat_count}.",
                "Leave `score` out.",
            )
        has_opening = bool(self.openings.plies(0))
        for agent in self.agents:
            catalogue.check_agents(self.game, [agent] * seat_count, has_opening)
        self.tournament_format.check_input(schedule_input(self.settings, seat_count))
        if (self.count_games() or 0) > MAX_GAMES:
            raise UserError(
                f"{self.spec.name}: the tournament has more than {MAX_GAMES:,} games.",
                "Reduce games_per_pair, or the number of agents.",
            )

    @property
    def tournament_format(self) -> TournamentFormat:
        """The format, which has the schedule."""
        return FORMATS[self.spec.format]

    def count_games(self, results: Iterable[ScheduleResult] = ()) -> int | None:
        """Return the number of games that is known from the results so far; None for an endless tournament."""
        return self.tournament_format.count_games(schedule_input(self.settings, self.game.seats), results)

    def scheduled_games(
        self, results: Iterable[ScheduleResult] = (), *, games_ahead: int = 1
    ) -> Iterator[ScheduledGame]:
        """Return every game that the results so far determine, including the games already played.

        games_ahead: the number of games to plan ahead in an endless tournament.
        """
        parameters = schedule_input(self.settings, self.game.seats, games_ahead=games_ahead)
        return self.tournament_format.schedule(parameters, results)

    def schedule_results(self, stored_games: Iterable[RankedGame]) -> Iterator[ScheduleResult]:
        """Yield the results of the stored games that belong to this plan, as input for its schedule."""
        index_of = {player: index for index, player in enumerate(self.stored_names)}
        for stored_game in stored_games:
            if all(player in index_of for player in stored_game.players):
                game = ScheduledGame(tuple(index_of[player] for player in stored_game.players), stored_game.pair)
                if self.game_key(game) == stored_game.key:
                    yield ScheduleResult(game.player_indexes, stored_game.ranks, game.opening_number)

    def game_key(self, game: ScheduledGame) -> str:
        """Return the unique key of a planned game: a hash of the game's settings, its players by seat, and its
        opening.
        """
        players_text = "\n".join(self.stored_names[index] for index in game.player_indexes)
        text = f"{self._result_settings_digest}\n{game.opening_number}\n{players_text}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def task(self, game: ScheduledGame) -> GameTask:
        """Return a planned game as a task for a worker."""

        def by_seat(values: tuple[_Value, ...]) -> tuple[_Value, ...]:
            return tuple(values[index] for index in game.player_indexes)

        key = self.game_key(game)
        return GameTask(
            key=key,
            opening_number=game.opening_number,
            run_name=self.spec.name,
            game=self.spec.game,
            options=dict(self.game.options),
            stored_names=by_seat(self.stored_names),
            display_names=by_seat(self.display_names),
            specs=by_seat(self.specs),
            absolute_specs=by_seat(self.absolute_specs),
            time_controls=by_seat(self.time_controls),
            opening=self.openings.plies(game.opening_number),
            seed=int(key[:8], 16) & 0x7FFFFFFF,
            retry_illegal=self.spec.illegal == "retry",
            adjudication=self.spec.adjudicate.to_adjudication(),
            agent_hashes=by_seat(self.agent_hashes),
            min_turn_seconds=CLASSIC_PACE if self.spec.classic_pace else 0.0,
        )


def make_spec_absolute(spec: str, folder: Path) -> str:
    """Return a spec in which the relative paths of files in `folder` have become absolute."""
    protocol, colon, command = spec.partition(":")
    if colon and protocol in pipe_protocol_names():
        return f"{protocol}:{re.sub(_PATH_PATTERN, lambda word: _make_word_absolute(word[0], folder), command)}"
    if colon and protocol == "files":
        team, _, command = command.partition(":")
        return f"files:{team}:{re.sub(_PATH_PATTERN, lambda word: _make_word_absolute(word[0], folder), command)}"
    name, separator, query = spec.partition("?")
    if ("/" in name or name.endswith(".py")) and (folder / name).exists():
        return f"{(folder / name).resolve()}{separator}{query}"
    return spec


def _make_word_absolute(word: str, folder: Path) -> str:
    """Return a word of a command line. A relative path of a file in `folder` becomes absolute; links are kept."""
    path = folder / word
    return shlex.quote(os.path.abspath(path)) if not word.startswith("/") and path.is_file() else word


# words that name files
_PATH_PATTERN = re.compile(r"(?<![^\s])(?:[\w.+~-]*/[\w.+~/-]*|[\w.+-]+\.(?:py|js|jar|exe|rb|pl|sh))")


def _compute_digest(values: object) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
