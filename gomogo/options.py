"""The options that several commands share, such as game, time limits and store. The module defines no command."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from gomogo import complete
from gomogo_core import games
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games.base import Game
from gomogo_core.play.clock import CLASSIC_PACE, DEFAULT_GRACE, TimeControl
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SANDBOX_LEVELS, SandboxLevel

if TYPE_CHECKING:
    from gomogo_core.catalogue import Agent

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]  # adds options to a command

FILE_PATH = click.Path(dir_okay=False, path_type=Path)
FOLDER_PATH = click.Path(file_okay=False, path_type=Path)
POSITIVE = click.IntRange(min=1)
# adds --store to a command, which receives `store`: a URL or file, or None for the default place
store_option = click.option(
    "--store", envvar="GOMOGO_STORE", metavar="URL", help="Database of results: a URL or a file."
)
# adds --illegal to a command, which receives `illegal`: "forfeit" or "retry"
illegal_option = click.option(
    "--illegal",
    type=click.Choice(["forfeit", "retry"]),
    default="forfeit",
    show_default=True,
    help="After an illegal move: the player loses the game, or may try again while its clock continues.",
)
# adds --classic-pace to a command, which receives `classic_pace`
pace_option = click.option(
    "--classic-pace", is_flag=True, help=f"Wait {CLASSIC_PACE} s between turns, as WPI's referee did."
)
# adds --reasons to a command, which receives `by_reason`
reasons_option = click.option(
    "--reasons", "by_reason", is_flag=True, help="Print the reasons for wins, draws and losses."
)
_PLAYERS_OPTION = "players"  # the option that sets the number of players, in games for more than two


class TimeControlFinder(Protocol):
    """A function that returns the time controls of the command line for given players."""

    def __call__(self, names: Sequence[str], agents: Sequence[Agent] = ()) -> tuple[TimeControl, ...]:
        """Return each player's time control, by seat."""


def read_settings(settings: Sequence[str]) -> dict[str, str]:
    """Return the values by name from texts such as size=19. Raises UserError for a text without `=`, and for a name
    with two values.
    """
    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise UserError(f"{setting!r} is not an option with a value.", "Write NAME=VALUE, for example size=19.")
        if values.setdefault(name.strip(), value.strip()) != value.strip():
            raise UserError(f"{name} is set twice.", "Set it once.")
    return values


def load_game(
    name: str, settings: Sequence[str], defaults: Mapping[str, Any] | None = None, *, player_count: int = 0
) -> Game:
    """Return the game with its options.

    settings: the user's options, as NAME=VALUE. defaults: the options that the command sets if the user does not.
    player_count: the number of players on the command line, for a game with the option `players`.
    """
    option_specs = {spec.name: spec for spec in games.rules(name).declared_options}
    options = {key: value for key, value in (defaults or {}).items() if key in option_specs}
    if _PLAYERS_OPTION in option_specs and player_count > option_specs[_PLAYERS_OPTION].default:
        options[_PLAYERS_OPTION] = player_count
    return games.load(name, **{**options, **read_settings(settings)})


def game_name_option(text: str) -> Decorator:
    """Return the decorator that adds --game to a command, which receives `game_name`. text: the help text."""
    return click.option(
        "--game",
        "game_name",
        default="gomoku",
        show_default=True,
        metavar="G",
        help=text,
        shell_complete=complete.games,
    )


def game_options(
    players: str,
    defaults: Mapping[str, Any] | None = None,
    usual_options: Callable[[str, Sequence[str]], Mapping[str, Any]] | None = None,
) -> Decorator:
    """Return the decorator that adds --game and --option to a command, which receives `game`.

    players: the name of the command's parameter that has the players. The number of players is the default of the
    game's option `players`. defaults: the options of the game that the command sets if the user does not.
    usual_options: a function that returns more such options for the name of a game and the user's options.
    """

    def decorate(command_function: Callable[..., Any]) -> Callable[..., Any]:
        @game_name_option("Name of the game.")
        @click.option(
            "-o", "--option", "option_texts", multiple=True, metavar="K=V", help="An option of the game, e.g. size=19."
        )
        @functools.wraps(command_function)
        def wrapped(*args: Any, game_name: str, option_texts: tuple[str, ...], **rest: Any) -> Any:
            game = load_game(
                game_name,
                option_texts,
                {**(defaults or {}), **(usual_options(game_name, option_texts) if usual_options else {})},
                player_count=len(rest[players]) if isinstance(rest[players], tuple) else 0,
            )
            return command_function(*args, game=game, **rest)

        return wrapped

    return decorate


def time_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --time, --total, --increment and --grace to a command, which receives `controls`.

    `controls(names, agents)` returns each player's TimeControl, by seat. The time in an agent's spec takes precedence,
    unless --time names the player.
    """

    @click.option(
        "--time",
        "times",
        multiple=True,
        metavar="S|none|NAME=S",
        help='Seconds per move; "none" means no limit. NAME=S sets the limit of one player. Default: 10.',
    )
    @click.option(
        "--total",
        type=float,
        metavar="S",
        help="Seconds for the whole game. If --time is not given, there is no limit per move.",
    )
    @click.option(
        "--increment", type=float, default=0.0, metavar="S", help="Seconds added to the total after each move."
    )
    @click.option(
        "--grace",
        type=float,
        default=DEFAULT_GRACE * 1000,
        show_default=True,
        metavar="MS",
        help="Grace period per move, in milliseconds.",
    )
    @functools.wraps(function)
    def wrapped(
        *args: Any, times: tuple[str, ...], total: float | None, increment: float, grace: float, **rest: Any
    ) -> Any:
        return function(*args, controls=_time_control_finder(times, total, increment, grace / 1000), **rest)

    return wrapped


def timed_player(text: str, names: Sequence[str]) -> str:
    """Return the player that a value of --time names, either by the player's name or by the title of its level. Raises
    UserError if there is no such player.
    """
    from gomogo_core.level_names import level_player_name, parse_level_number

    if text in names:
        return text
    if (number := parse_level_number(text)) is not None and level_player_name(number) in names:
        return level_player_name(number)
    raise UserError(f"--time names {text!r}, but no player has that name.", suggest_name(text, names))


def _time_control_finder(
    times: Sequence[str], total: float | None, increment: float, grace: float
) -> TimeControlFinder:
    """Return the function that returns each player's time control. The texts are parsed before this function returns,
    so that errors are reported before anything starts.
    """
    seconds_by_name: dict[str | None, float | None] = {}  # the key None has the limit of all other players
    for text in times:
        name, equals, seconds = text.rpartition("=")
        seconds_by_name[name if equals else None] = _parse_seconds(seconds)

    def control_of(limits: dict[str | None, float | None], name: str, agent: Agent | None = None) -> TimeControl:
        if name not in limits and None not in limits:
            control = TimeControl.from_limits(None, total, increment, grace)
        else:
            control = TimeControl(limits.get(name, limits.get(None)), total, increment, grace)
        return control if agent is None or name in limits else agent.time_control(control)

    control_of(seconds_by_name, "")  # raises UserError for invalid limits

    def controls_by_seat(names: Sequence[str], agents: Sequence[Agent] = ()) -> tuple[TimeControl, ...]:
        limits = {
            name if name is None else timed_player(name, names): seconds for name, seconds in seconds_by_name.items()
        }
        return tuple(control_of(limits, *player) for player in zip(names, agents or (None,) * len(names), strict=True))

    return controls_by_seat


def _parse_seconds(text: str) -> float | None:
    if text.casefold() == "none":
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise UserError(f"--time {text!r} is not a number of seconds.", "Write for example --time 2.5, or --time none.")
    return seconds


def sandbox_option(default: SandboxLevel | None = DEFAULT_SANDBOX) -> Decorator:
    """Return the decorator that adds --sandbox to a command, which receives `sandbox`. default: the default level; None
    if a setting outside the command line decides.
    """
    return click.option(
        "--sandbox",
        type=click.Choice(SANDBOX_LEVELS),
        default=default,
        show_default=default is not None,
        help="Isolation of programs: none, resource limits, or a sandbox that hides all other files.",
    )


def keep_option(text: str) -> Decorator:
    """Return the decorator that adds --keep to a command, which receives `keep`: the absolute path of an empty or new
    folder, or None. text: the help text.
    """

    def require_empty(_: click.Context, __: click.Parameter, keep: Path | None) -> Path | None:
        if keep is not None and keep.exists() and any(keep.iterdir()):
            raise UserError(f"The folder {keep} is not empty.", "Name an empty folder, or one that does not exist yet.")
        return keep and keep.absolute()

    return click.option("--keep", type=FOLDER_PATH, callback=require_empty, metavar="DIR", help=text)
