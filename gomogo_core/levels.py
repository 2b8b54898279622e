"""The eight levels of difficulty of every game, and the choice of a level at which a human wins about half the games.

A file in agents/levels/ lists the specs of the agents that play the levels of a game. The module does not depend on
stores or players.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from gomogo_core.catalogue import Agent, agent
from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.level_names import STRONGEST, WEAKEST, level_label, level_of_player, level_player_name, level_title

FIRST_LEVEL = 3  # the level of a human without results
_LEVELS_FOLDER = AGENTS_FOLDER / "levels"
_DEFAULT_FILE_NAME = "any"  # the name of the file for games without a file of their own
_STEP_BEFORE_BOTH_RESULTS = 1.0  # in levels, until the human has both won and lost
_STEP_AFTER_BOTH_RESULTS = 0.5
# The estimate may exceed the levels by this number, so that humans at either end win half of their games.
_LEVELS_BEYOND_ENDS = 1


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a game.

    number: the level's number; 1 is the weakest level. spec: the agent's spec. seconds: the agent's time per move.
    score: the measured score against the level below, in percent; None if it is not measured.
    """

    number: int
    spec: str
    seconds: float
    score: int | None = None

    @property
    def name(self) -> str:
        """The name of this level's player in tables and records."""
        return level_player_name(self.number)

    @property
    def title(self) -> str:
        """The name of this level for a human, for example "Club"."""
        return level_title(self.number)

    @property
    def label(self) -> str:
        """The name and number of this level for a human, for example "Club (level 5)"."""
        return level_label(self.number)

    @property
    def description(self) -> str:
        """How this level plays, and its measured score against the level below, in one or two sentences."""
        style = _describe_style(self.spec, self.seconds)
        if self.score is None:
            return f"{style}."
        return f"{style}; scores {self.score} % against {level_label(self.number - 1)}."

    @property
    def missing_extra(self) -> str:
        """The extra of Gomogo that the level needs, if it is not installed; else empty."""
        return agent(self.spec).missing_extra

    def opponent(self) -> Agent:
        """Return the agent that plays this level. The agent has the name of the level, and keeps its own spec."""
        return replace(agent(self.spec), name=self.name)


def _describe_style(spec: str, seconds: float) -> str:
    """Describe how the agent of a level plays, without a period. spec: the agent's spec. seconds: its time per move.

    >>> _describe_style("beginner?overlooks=0.44", 1), _describe_style("champion?nodes=360", 5)
    ('Looks one move ahead and overlooks 44 of 100 moves', 'Reads ahead, 360 positions a move')
    >>> _describe_style("alpha_beta?depth=3", 2), _describe_style("mcts", 5)
    ('Reads 3 moves ahead', 'Reads ahead, at most 5 s a move')
    """
    name, _, options = spec.partition("?")
    values = dict(option.split("=") for option in options.split("&") if option)
    if "overlooks" in values:
        percent = round(100 * float(values["overlooks"]))
        return f"Looks one move ahead and overlooks {f'{percent} of 100 moves' if percent else 'nothing'}"
    growth = " on 9 × 9, more on larger boards" if "growth" in values else ""
    for option, unit in (("nodes", "positions"), ("playouts", "trial games")):
        if option in values:
            return f"Reads ahead, {int(values[option]):,} {unit} a move{growth}"
    if "depth" in values:
        return f"Reads {values['depth']} moves ahead"
    return "Follows chains of boxes" if name == "boxes_chains" else f"Reads ahead, at most {seconds:g} s a move"


@dataclass(frozen=True, slots=True)
class LevelAdvice:
    """The level to play next. reason: a clause, for example "you won your last 2 games"."""

    level: int
    reason: str


def levels_of_game(game: str) -> tuple[Level, ...]:
    """Return the levels of the game called `game`, the weakest first. Raises UserError if their file is malformed."""
    path = _LEVELS_FOLDER / f"{game}.toml"
    if not path.is_file():
        path = _LEVELS_FOLDER / f"{_DEFAULT_FILE_NAME}.toml"
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))["levels"]
        game_levels = tuple(_parse_level(number, entry) for number, entry in enumerate(entries, WEAKEST))
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise UserError(
            f"{path} has no valid list of levels: {type(error).__name__}: {error}.",
            'List eight levels: levels = [{ agent = "alpha_beta", seconds = 5 }, …].',
        ) from None
    if len(game_levels) != STRONGEST:
        raise UserError(f"{path} has {len(game_levels)} levels.", f"List {STRONGEST} levels, the weakest first.")
    return game_levels


def _parse_level(number: int, entry: dict[str, Any]) -> Level:
    if set(entry) - {"score"} != {"agent", "seconds"}:
        raise ValueError(f"level {number} has the keys {', '.join(entry)}, not agent and seconds")
    score = int(entry["score"]) if "score" in entry else None
    return Level(number, str(entry["agent"]), float(entry["seconds"]), score)


def advise_level(results: Iterable[tuple[int, float]]) -> LevelAdvice:
    """Choose a level for a human from their results, in the order of the games.

    results: one pair per game: the level of the opponents, and the human's score, which is 1 for a win, 0 for a loss,
    0.5 for a draw.

    This is a staircase: the estimated level rises by a step after a win and falls by a step after a loss. The level
    settles where a win and a loss are equally likely, however steeply the chances fall from level to level (W. Dixon
    and A. Mood, Journal of the American Statistical Association 43, 1948). A step is one level until the human has both
    won and lost, and half a level afterwards. A win against a weaker opponent, or a loss to a stronger one, changes
    nothing.
    """
    estimate, step = float(FIRST_LEVEL), _STEP_BEFORE_BOTH_RESULTS
    scores = list[float]()  # from -1, a loss, to 1, a win
    for level, points in results:
        score = 2 * points - 1
        scores.append(score)
        if (score > 0 and level < _nearest_level(estimate)) or (score < 0 and level > _nearest_level(estimate)):
            continue
        if score * scores[0] < 0:
            step = _STEP_AFTER_BOTH_RESULTS
        estimate = min(max(estimate + step * score, WEAKEST - _LEVELS_BEYOND_ENDS), STRONGEST + _LEVELS_BEYOND_ENDS)
    return LevelAdvice(_nearest_level(estimate), _latest_results_words(scores))


def advised_level(game: str, results: Iterable[tuple[str, float]]) -> tuple[Level, str]:
    """Return the level for a human with these results, and a sentence with the reason. A level that needs a missing
    extra is replaced by the next lower one that can play.

    results: the same as in `advise_level`, but with the opponent's name instead of a level. Games against other players
    are ignored.
    """
    advice = advise_level((level, score) for name, score in results if (level := level_of_player(name)) is not None)
    game_levels = levels_of_game(game)[: advice.level]
    playable_level = next(
        (candidate for candidate in reversed(game_levels) if not candidate.missing_extra), game_levels[-1]
    )
    return playable_level, f"{playable_level.label}: {advice.reason}."


def _nearest_level(estimate: float) -> int:
    return min(max(math.floor(estimate + 0.5), WEAKEST), STRONGEST)


def _latest_results_words(scores: list[float]) -> str:
    if not scores:
        return "you have no results yet"
    last_score, streak = scores[-1], 0
    while streak < len(scores) and scores[-1 - streak] * last_score > 0:
        streak += 1
    if not last_score:
        return "your last game was even"
    games = "game" if streak == 1 else f"{streak} games"
    return f"you {'won' if last_score > 0 else 'lost'} your last {games}"
