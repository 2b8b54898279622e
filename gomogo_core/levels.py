"""How strong an opponent a person asks for: eight levels for every game, and the one at which they win about half.

Knows agents by their specs; no store, and nobody who plays. A game's levels are a file in agents/levels/.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gomogo_core.catalogue import HOUSE, Agent, agent
from gomogo_core.errors import UserError

WEAKEST, STRONGEST = 1, 8
FIRST = 3  # where somebody begins of whom nothing is known
_FOLDER = HOUSE / "levels"
_FOR_ANY = "any"  # the file for games without one of their own
_NAME = re.compile(r"level-([1-8])(-\d+)?")  # the second of two at a table is level-3-2
_LONG, _SHORT = 1.0, 0.5  # steps: while only wins or only losses are known, and from then on
_BEYOND = 1  # level past the ends that a place may lie: else who stands near one would not win half


@dataclass(frozen=True, slots=True)
class Level:
    """One rung. number: 1 is the weakest. spec: the agent. seconds: what it has for a move."""

    number: int
    spec: str
    seconds: float

    @property
    def name(self) -> str:
        """What tables and records call whoever plays on this level."""
        return f"level-{self.number}"

    def opponent(self) -> Agent:
        """The agent, under the level's name; its spec says who it is."""
        return replace(agent(self.spec), name=self.name)


@dataclass(frozen=True, slots=True)
class Advice:
    """The level to play next, and why, as the end of a sentence."""

    level: int
    why: str


def levels(game: str) -> tuple[Level, ...]:
    """The levels of the game called `game`, the weakest first. Raises UserError where its file is not as it must be."""
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
    """The level of a player of this name; None for one that was named otherwise.

    >>> level_of("level-4"), level_of("greedy")
    (4, None)
    """
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else None


def adapted(results: Iterable[tuple[int, float]]) -> Advice:
    """The level for a person of whom these results are known, in the order they were played.

    results: the level of the opponents, and the share of them that the person beat: 1 a win, 0 a loss, one half a draw.

    A staircase, one step up for a win and one down for a loss, comes to rest where both are equally likely, however
    steeply the chances fall from level to level (W. Dixon and A. Mood, Journal of the American Statistical Association
    43, 1948). A step is a level until the person has both won and lost, and half of one from then on. To win against a
    weaker opponent than one's own, or to lose to a stronger, is no news.
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
    return Advice(_nearest(place), _why(pulls))


def _nearest(place: float) -> int:
    return min(max(math.floor(place + 0.5), WEAKEST), STRONGEST)


def _why(pulls: list[float]) -> str:
    if not pulls:
        return "nothing is known of you yet"
    last, alike = pulls[-1], 0
    while alike < len(pulls) and pulls[-1 - alike] * last > 0:
        alike += 1
    if not last:
        return "your last game was even"
    games = "game" if alike == 1 else f"{alike} games"
    return f"you {'won' if last > 0 else 'lost'} your last {games}"
