"""The plan of a tournament: its players, every game with its own key, and the fingerprint of its settings.

Uses the spec, schedules and openings; plays nothing and stores nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from gomogo_core import catalogue, games
from gomogo_core.arena import make_names_distinct
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError, there_are
from gomogo_core.fingerprints import of_agent
from gomogo_core.games.base import Game
from gomogo_core.play.clock import CLASSIC_PACE, TimeControl
from gomogo_core.protocols import pipes
from gomogo_core.records.aggregates import Ranked
from tournaments.agents_folder import FolderScan, scan_folder
from tournaments.formats import FORMATS, entry
from tournaments.openings import BALANCED, Openings, has_balanced, openings
from tournaments.schedules import MOST_GAMES, ScheduledGame, ScheduleResult, TournamentFormat
from tournaments.spec import TournamentSpec
from tournaments.task import Task

_T = TypeVar("_T")


@dataclass(frozen=True)
class Plan:
    """A tournament with its agents and rules loaded. folder: the base of the paths in the spec."""

    spec: TournamentSpec
    folder: Path

    @cached_property
    def game(self) -> Game:
        """The rules."""
        return games.load(self.spec.game, **self.spec.options)

    @cached_property
    def found(self) -> FolderScan:
        """Return the agents that were in the folder when the plan was made."""
        if not self.spec.agents_folder:
            return FolderScan()
        known = {(self.folder / spec).resolve() for spec in self.spec.agents}
        return scan_folder(self.spec.agents_folder, self.folder, self.game, bool(self.openings_text), known)

    @property
    def is_open(self) -> bool:
        """Return whether players may come and go at any time, without a question to the user."""
        return self.format.is_open

    @property
    def captures_output(self) -> bool:
        """Return whether records keep the programs' output, even if nobody lost by its own fault."""
        return False

    @property
    def specs(self) -> tuple[str, ...]:
        """All players' specs."""
        return (*self.spec.agents, *self.found.specs)

    def with_current_agents(self) -> Plan:
        """Return the plan with the agents that are in the folder now; the same plan if none has come or gone."""
        newer = Plan(self.spec, self.folder)
        return self if newer.found == self.found else newer

    @cached_property
    def agents(self) -> tuple[Agent, ...]:
        """The agents, found. Raises UserError for one that is not there."""
        return tuple(map(catalogue.agent, self.located_specs))

    @property
    def has_human(self) -> bool:
        """Return whether a human at this terminal plays."""
        return any(agent.is_human for agent in self.agents)

    @cached_property
    def cores_per_game(self) -> int:
        """Return the cores for one running game: for the player that thinks, and for those that ponder beside it."""
        if self.spec.cores_per_game is not None:
            return self.spec.cores_per_game
        most = max((agent.cores for agent in self.agents), default=1)
        return most + max((agent.cores for agent in self.agents if agent.ponders), default=0)

    @cached_property
    def located_specs(self) -> tuple[str, ...]:
        """Return the specs that the catalogue finds, in any folder."""
        return tuple(locate_spec(spec, self.folder) for spec in self.specs)

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """Return a hash of each agent's files, for records."""
        return tuple(of_agent(agent) for agent in self.agents)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the players' names in tables."""
        return make_names_distinct([agent.name for agent in self.agents])

    @cached_property
    def players(self) -> tuple[str, ...]:
        """Return the players' names in the store: their specs, with a number for an agent that plays against itself."""
        seen: Counter[str] = Counter()
        players = []
        for spec in self.specs:
            seen[spec] += 1
            players.append(spec if seen[spec] == 1 else f"{spec} #{seen[spec]}")
        return tuple(players)

    @cached_property
    def openings_text(self) -> str:
        """Return the text for `openings`: that of the spec; by default "balanced" between engines; empty for none.

        Agents that join from a folder need not be engines, so such a spec must name its openings.
        """
        asked = self.spec.openings
        if asked is None and not self.spec.agents_folder and has_balanced(self.game):
            return BALANCED if all(agent.is_engine for agent in self.agents) else ""
        return "" if asked in (None, "none") else asked

    @cached_property
    def openings(self) -> Openings:
        """The openings of every pair."""
        plies = self.spec.openings_plies
        return openings(self.openings_text, self.game, seed=self.spec.seed, folder=self.folder, plies=plies)

    @cached_property
    def controls(self) -> tuple[TimeControl, ...]:
        """Return each player's time control: from `odds`, else from its spec, else the common one."""
        odds, usual = self.spec.odds, self.spec.time.control()
        return tuple(
            odds[spec].control() if spec in odds else agent.time_control(usual)
            for spec, agent in zip(self.specs, self.agents, strict=True)
        )

    @cached_property
    def terms(self) -> dict[str, Any]:
        """Return the terms of every game. Games with other terms do not count for this plan."""
        adjudicated = self.spec.adjudicate.adjudication().as_dict()
        odds = {agent: asdict(time.control()) for agent, time in self.spec.odds.items()}
        return {
            "game": self.spec.game,
            "options": self.game.options,
            "time": asdict(self.spec.time.control()),
            "odds": odds,
            "openings": self.openings.identity,
            "seed": self.spec.seed,
            "illegal": self.spec.illegal,
            **({"classic_pace": True} if self.spec.classic_pace else {}),
            # left out by default, so that runs older than this option can continue
            **({"adjudicate": adjudicated} if adjudicated else {}),
        }

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Return all settings, as plain values, and the players' names."""
        players = [{"player": p, "name": n} for p, n in zip(self.players, self.names, strict=True)]
        return {"name": self.spec.name, **self.terms, **self._shape, "players": players}

    def settings_since(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings with the present and the earlier players of a ladder: the games of these still count."""
        present, names = set(self.players), set(self.names)
        gone = [one for one in before["players"] if one["player"] not in present]
        named = [{**one, "name": f"{one['name']}-gone" if one["name"] in names else one["name"]} for one in gone]
        return {**self.settings, "players": [*self.settings["players"], *named]}

    @property
    def _shape(self) -> dict[str, Any]:
        own = self.format.shape(self.spec.format_options(), len(self.players))
        return {"format": self.spec.format, "games_per_pair": self.spec.games_per_pair, **own}

    @cached_property
    def fingerprint(self) -> str:
        """Return a hash of the settings: two plans with the same games have the same hash.

        A ladder's players and length may change at any time, and so may submissions.
        """
        if self.is_open:
            return _digest({"name": self.spec.name, **self.terms, **self._shape, "games": None})
        return _digest({"name": self.spec.name, **self.terms, **self._shape, "players": self.players})

    @cached_property
    def _terms_digest(self) -> str:
        return _digest({"name": self.spec.name, **self.terms})

    def check(self) -> None:
        """Raise UserError, before anything starts, if the plan cannot be played."""
        seats = self.game.seats
        if self.spec.submissions is not None and not self.is_open:
            raise UserError(
                f"{self.spec.name}: the folder of submissions is missing.",
                "Name their folder: --submissions DIR.",
            )
        if len(self.agents) < seats:
            raise UserError(
                f"{self.spec.name}: {self.spec.game} is for {seats} players, and {there_are(len(self.agents))}.",
                "Name more agents.",
            )
        if self.spec.adjudicate.moves is not None and "max_moves" in self.game.options:
            raise UserError(
                f"{self.spec.name}: the rules of {self.spec.game} have a move cap of their own.",
                f"Set that: options = {{ max_moves = {self.spec.adjudicate.moves} }}, or -o max_moves for a match.",
            )
        if self.spec.adjudicate.score is not None and seats != 2:
            raise UserError(
                f"{self.spec.name}: a game of {seats} players is not ended by agreement.", "Leave `score` out."
            )
        opened = bool(self.openings.plies(0))
        for agent in self.agents:
            catalogue.check_agents(self.game, [agent] * seats, opened)
        self.format.check(entry(self.settings, seats))
        if (self.games() or 0) > MOST_GAMES:
            raise UserError(
                f"{self.spec.name}: more than {MOST_GAMES:,} games.", "Lower games_per_pair, or the agents."
            )

    @property
    def format(self) -> TournamentFormat:
        """Return the format, which knows the schedule."""
        return FORMATS[self.spec.format]

    def games(self, results: Iterable[ScheduleResult] = ()) -> int | None:
        """Return the number of games, as far as it is known; None for no end."""
        return self.format.games(entry(self.settings, self.game.seats), results)

    def pairings(self, results: Iterable[ScheduleResult] = (), *, ahead: int = 1) -> Iterator[ScheduledGame]:
        """Return every game that can be planned from the results so far, including those already played.

        ahead: the number of games to keep ready in an endless tournament.
        """
        return self.format.pairings(entry(self.settings, self.game.seats, ahead=ahead), results)

    def results(self, games: Iterable[Ranked]) -> Iterator[ScheduleResult]:
        """Yield the stored games that belong to this plan, in the form that its schedule reads."""
        number = {player: i for i, player in enumerate(self.players)}
        for game in games:
            if all(player in number for player in game.players):
                pairing = ScheduledGame(tuple(number[player] for player in game.players), game.pair)
                if self.key(pairing) == game.key:
                    yield ScheduleResult(pairing.players, game.ranks, pairing.opening)

    def key(self, pairing: ScheduledGame) -> str:
        """Return the unique key of a planned game: a hash of its terms, its players by seat, and its opening."""
        who = "\n".join(self.players[number] for number in pairing.players)
        return hashlib.sha256(f"{self._terms_digest}\n{pairing.opening}\n{who}".encode()).hexdigest()[:32]

    def task(self, pairing: ScheduledGame) -> Task:
        """Return the task of a pairing for a worker."""

        def by_seat(values: tuple[_T, ...]) -> tuple[_T, ...]:
            return tuple(values[number] for number in pairing.players)

        key = self.key(pairing)
        return Task(
            key=key,
            pair=pairing.opening,
            run=self.spec.name,
            game=self.spec.game,
            options=dict(self.game.options),
            players=by_seat(self.players),
            names=by_seat(self.names),
            specs=by_seat(self.specs),
            agents=by_seat(self.located_specs),
            controls=by_seat(self.controls),
            opening=self.openings.plies(pairing.opening),
            seed=int(key[:8], 16) & 0x7FFFFFFF,
            retry=self.spec.illegal == "retry",
            adjudication=self.spec.adjudicate.adjudication(),
            hashes=by_seat(self.hashes),
            pace=CLASSIC_PACE if self.spec.classic_pace else 0.0,
        )


def locate_spec(spec: str, folder: Path) -> str:
    """Return an agent's spec; a relative path in it becomes a path in `folder` if that file exists."""
    protocol, colon, command = spec.partition(":")
    if colon and protocol in pipes():
        return f"{protocol}:{re.sub(_PATH, lambda word: _locate_word(word[0], folder), command)}"
    if colon and protocol == "files":
        team, _, command = command.partition(":")
        return f"files:{team}:{re.sub(_PATH, lambda word: _locate_word(word[0], folder), command)}"
    named, mark, query = spec.partition("?")
    if ("/" in named or named.endswith(".py")) and (folder / named).exists():
        return f"{(folder / named).resolve()}{mark}{query}"
    return spec


def _locate_word(word: str, folder: Path) -> str:
    """Return a word of a command line; a path of a file in `folder` becomes absolute. Links are not resolved."""
    path = folder / word
    return shlex.quote(os.path.abspath(path)) if not word.startswith("/") and path.is_file() else word


_PATH = re.compile(r"(?<![^\s])(?:[\w.+~-]*/[\w.+~/-]*|[\w.+-]+\.(?:py|js|jar|exe|rb|pl|sh))")  # words that name files


def _digest(plain: object) -> str:
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
