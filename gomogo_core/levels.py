"""Levels of difficulty: eight for every game, and the one at which a human wins about half of the games.

Uses agents by their specs, but no store and no players. The levels of a game are a file in agents/levels/.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gomogo_core.catalogue import Agent, agent
from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER

WEAKEST, STRONGEST = 1, 8
_TITLES = ("Beginner", "Learner", "Casual", "Improver", "Club", "Advanced", "Strong", "Champion")
FIRST = 3  # the level of a human without results
_FOLDER = AGENTS_FOLDER / "levels"
_FOR_ANY = "any"  # the file for games without a file of their own
_NAME = re.compile(r"level-([1-8])(-\d+)?")  # the second agent of the same level in a game is level-3-2
_LONG, _SHORT = 1.0, 0.5  # step sizes: before and after the first change between wins and losses
# by how many levels the estimate may lie beyond either end; without this, humans near an end would not win half of
# their games
_BEYOND = 1


@dataclass(frozen=True, slots=True)
class Level:
    """One level. number: 1 is the weakest. spec: the agent's spec. seconds: the agent's time per move."""

    number: int
    spec: str
    seconds: float

    @property
    def name(self) -> str:
        """The name of this level's player in tables and records."""
        return f"level-{self.number}"

    @property
    def title(self) -> str:
        """The name of this level for a person."""
        return title(self.number)

    def opponent(self) -> Agent:
        """Return the agent under the level's name; its spec still identifies it."""
        return replace(agent(self.spec), name=self.name)


def title(number: int) -> str:
    """Return the name of a level for a person, for example "Club". number: from WEAKEST to STRONGEST."""
    return _TITLES[number - WEAKEST]


@dataclass(frozen=True, slots=True)
class Advice:
    """The level to play next, and the reason, as the end of a sentence."""

    level: int
    why: str


def levels(game: str) -> tuple[Level, ...]:
    """Return the levels of the game called `game`, the weakest first. Raises UserError if the file is malformed."""
    path = _FOLDER / f"{game}.toml"
    if not path.is_file():
        path = _FOLDER / f"{_FOR_ANY}.toml"
    try:
        rungs = tomllib.loads(path.read_text(encoding="utf-8"))["levels"]
        found = tuple(_level(number, rung) for number, rung in enumerate(rungs, WEAKEST))
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as wrong:
        raise UserError(
            f"{path} does not say who plays on which level: {type(wrong).__name__}: {wrong}.",
            'Write levels = [{ agent = "alpha_beta", seconds = 5 }, …], eight of them.',
        ) from None
    if len(found) != STRONGEST:
        raise UserError(f"{path} has {len(found)} levels.", f"Write {STRONGEST}, the weakest first.")
    return found


def _level(number: int, rung: dict[str, Any]) -> Level:
    if set(rung) != {"agent", "seconds"}:
        raise ValueError(f"level {number} has the keys {', '.join(rung)}, not agent and seconds")
    return Level(number, str(rung["agent"]), float(rung["seconds"]))


def level_of(name: str) -> int | None:
    """Return the level that a player's name contains, or None.

    >>> level_of("level-4"), level_of("greedy")
    (4, None)
    """
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else None


def advise(results: Iterable[tuple[int, float]]) -> Advice:
    """Choose a level for a human from their results, in the order of the games.

    results: pairs of the opponents' level and the share of them that the human beat: 1 a win, 0 a loss, 0.5 a draw.

    A staircase goes one step up after a win and one down after a loss. It settles where both are equally likely,
    however steeply the chances fall from level to level (W. Dixon and A. Mood, Journal of the American Statistical
    Association 43, 1948). A step is one level until the human has both won and lost, and half a level afterwards. A win
    against a weaker opponent, or a loss to a stronger one, changes nothing.
    """
    place, step, pulls = float(FIRST), _LONG, list[float]()
    for level, share in results:
        pull = 2 * share - 1
        pulls.append(pull)
        if (pull > 0 and level < _nearest(place)) or (pull < 0 and level > _nearest(place)):
            continue
        if pull * pulls[0] < 0:
            step = _SHORT
        place = min(max(place + step * pull, WEAKEST - _BEYOND), STRONGEST + _BEYOND)
    return Advice(_nearest(place), _reason_words(pulls))


def advised_level(game: str, results: Iterable[tuple[str, float]]) -> tuple[Level, str]:
    """Return the level for a human with these results, and a sentence with the reason.

    results: as in `advise`, but with the opponents' names; opponents that are not levels are ignored.
    """
    advice = advise((level, share) for name, share in results if (level := level_of(name)) is not None)
    return levels(game)[advice.level - 1], f"Level {advice.level}: {advice.why}."


def _nearest(place: float) -> int:
    return min(max(math.floor(place + 0.5), WEAKEST), STRONGEST)


def _reason_words(pulls: list[float]) -> str:
    if not pulls:
        return "nothing is known of you yet"
    last, alike = pulls[-1], 0
    while alike < len(pulls) and pulls[-1 - alike] * last > 0:
        alike += 1
    if not last:
        return "your last game was even"
    games = "game" if alike == 1 else f"{alike} games"
    return f"you {'won' if last > 0 else 'lost'} your last {games}"
