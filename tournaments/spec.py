"""Read the settings of a tournament from a user's TOML file. The error about an unknown key names the most similar
key.

The module does not depend on stores, and starts no program.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, get_args, get_type_hints

import msgspec

from gomogo_core.errors import UserError, suggest_name
from gomogo_core.play.adjudication import Adjudication
from gomogo_core.play.clock import DEFAULT_GRACE, TimeControl
from gomogo_core.processes.limits import DEFAULT_MEMORY_MB, DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.regular_files import read_user_file
from tournaments.formats import FORMATS
from tournaments.schedules import PositiveCount

_MAX_FILE_BYTES = 1_000_000  # size limit of a TOML file
_RUN_NAME_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")

MoveTimeLimit = float | Literal["none"] | None


class TimeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A player's time limits in seconds. The default is 10 s per move; `per_move = "none"` means no limit.

    total: the limit for the whole game. increment: the seconds added after each move. grace: the seconds by which a
    move may be late.
    """

    per_move: MoveTimeLimit = None
    total: float | None = None
    increment: float = 0.0
    grace: float = DEFAULT_GRACE

    def to_time_control(self) -> TimeControl:
        """Return the time control. Raises UserError for invalid times."""
        if self.per_move == "none":
            return TimeControl(None, self.total, self.increment, self.grace)
        return TimeControl.from_limits(self.per_move, self.total, self.increment, self.grace)

    @staticmethod
    def from_time_control(control: TimeControl) -> TimeSettings:
        """Return the settings that result in this time control."""
        per_move: MoveTimeLimit = "none" if control.per_move is None else control.per_move
        return TimeSettings(per_move=per_move, total=control.total, increment=control.increment, grace=control.grace)


class AdjudicationSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings by which games end before the rules end them.

    moves: the number of moves after which a game is a draw. score, agree: a player wins when both players have reported
    a score of at least `score` in its favour for `agree` consecutive moves.
    """

    moves: PositiveCount | None = None
    score: Annotated[float, msgspec.Meta(gt=0)] | None = None
    agree: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 4

    def to_adjudication(self) -> Adjudication:
        """Return these settings in the form for the game loop."""
        return Adjudication(moves=self.moves, score=self.score, agree=self.agree)


class SubmissionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of a course for its submissions.

    build_seconds: time limit of a build. megabytes: size limit of a submission. memory_mb: the maximum memory that an
    agent.toml may request. check: whether submissions are checked before they play, or the names of the checks; whether
    a submission starts is always checked. against_each_other: whether submissions also play each other. required: the
    number of wins required against each arena agent. anonymous: whether students see each other's numbers instead of
    names. roster: the CSV file with the list of students; empty for none.
    """

    build_seconds: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 120.0
    megabytes: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 100
    memory_mb: PositiveCount = DEFAULT_MEMORY_MB
    check: bool | tuple[str, ...] = True
    against_each_other: bool = True
    required: dict[str, PositiveCount] = {}
    anonymous: bool = True
    roster: str = ""


class TournamentSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All settings of a tournament.

    agents_folder: a folder of agents for an open format; agents may be added while the tournament runs. openings:
    "random:N", "balanced", a file or folder, or "none"; by default "balanced" between engines, else "none".
    openings_plies: the number of moves from each line of a file; by default all. illegal: whether an illegal move
    loses, or the player moves again. classic_pace: whether turns follow each other as slowly as under WPI's referee.
    odds: time limits of single agents, if they differ from `time`.

    workers: the number of games at a time; by default as many as the cores allow. cores_per_game: by default the number
    that the agents' threads and pondering need. pin: whether each running game has cores of its own. sandbox: the level
    of isolation. These four settings do not change which games are played, so they may change at any time.
    submissions: the settings of a course.
    """

    name: str
    game: str = "gomoku"
    options: dict[str, bool | int | float | str] = {}
    format: str = "round_robin"
    agents: tuple[str, ...]
    games_per_pair: PositiveCount = 2
    agents_folder: str = ""
    openings: str | None = None
    openings_plies: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None
    seed: int = 0
    illegal: Literal["forfeit", "retry"] = "forfeit"
    classic_pace: bool = False
    adjudicate: AdjudicationSettings = AdjudicationSettings()
    workers: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    cores_per_game: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    pin: bool = True
    sandbox: SandboxLevel = DEFAULT_SANDBOX
    time: TimeSettings = TimeSettings()
    odds: dict[str, TimeSettings] = {}
    submissions: SubmissionSettings | None = None

    def format_options(self) -> dict[str, Any]:
        """Return the values of the keys that only this tournament's format has."""
        return {option.name: getattr(self, option.name) for option in FORMATS[self.format].options}


_FORMAT_OPTIONS = {option.name: option for form in FORMATS.values() for option in form.options}
# the type of the settings, with the keys of all formats on the same level as the common keys, as in the file
SPEC_WITH_FORMAT_OPTIONS: type[TournamentSpec] = msgspec.defstruct(  # type: ignore[assignment]
    "SpecWithFormatOptions",
    [*_FORMAT_OPTIONS.values()],
    bases=(TournamentSpec,),
    frozen=True,
    forbid_unknown_fields=True,
    kw_only=True,
)


def read_spec(path: Path) -> TournamentSpec:
    """Read a tournament's TOML file. The file's name is the default name of the tournament. Raises UserError, with the
    place and the reason, if the file is invalid.
    """
    content = read_user_file(path, _MAX_FILE_BYTES, "Name a tournament's TOML file.")
    try:
        values = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UserError(f"{path}, line {line}: the file is not UTF-8.", "Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:  # an integer of more than 4300 digits also raises ValueError
        raise UserError(f"{path} is not TOML: {error}.", 'Write `key = value` lines; write text in "quotes".') from None
    spec = spec_from_values({"name": path.stem, **values}, str(path))
    _check_team_names(spec, str(path))
    return spec


def _check_team_names(spec: TournamentSpec, source: str) -> None:
    """Raise UserError for two agents with the same team name, which a table could not distinguish."""
    teams = [agent.split(":")[1] for agent in spec.agents if agent.startswith("files:")]
    for index, team in enumerate(teams):
        if team.casefold() in (other_team.casefold() for other_team in teams[:index]):
            raise UserError(
                f"{source}: two agents have the team name {team}.",
                "Put each into a folder with an agent.toml, and name the folders: 'first?name=A', 'second?name=B'.",
            )


def spec_from_values(values: Any, source: str) -> TournamentSpec:
    """Return the spec with these values of a TOML file. Raises a UserError that names the wrong key.

    source: the name of the file, for messages.
    """
    if isinstance(values, dict) and (values.get("agents_folder") or "submissions" in values):
        values = {"agents": [], **values}
    try:
        spec = msgspec.convert(values, SPEC_WITH_FORMAT_OPTIONS)
    except (msgspec.ValidationError, RecursionError) as error:
        raise _create_readable_error(str(error), source) from None
    if not _RUN_NAME_PATTERN.fullmatch(spec.name):
        raise UserError(
            f"{source}: name {spec.name!r} is not a valid name for a run.",
            "Use up to 80 letters, digits, `-`, `_`, `+` and `.`, a letter or digit first.",
        )
    for agent in spec.odds:
        if agent not in spec.agents and not (spec.agents_folder and agent.startswith(f"{spec.agents_folder}/")):
            raise UserError(
                f"{source}: `odds` names {agent!r}, which is not in `agents`.", suggest_name(agent, spec.agents)
            )
    if spec.format not in FORMATS:
        raise UserError(f"{source}: there is no format {spec.format!r}.", suggest_name(spec.format, FORMATS))
    for key, format_names in _format_keys():
        if spec.format not in format_names and getattr(spec, key) != getattr(_DEFAULT_SPEC, key):
            raise UserError(
                f"{source}: {key} is for the format {format_names[0]}, and the format here is {spec.format}.",
                "Leave it out.",
            )
    for time_settings in (spec.time, *spec.odds.values()):
        try:
            time_settings.to_time_control()
        except UserError as error:
            raise UserError(f"{source}: {error.problem}", error.remedy) from None
    return spec


def _format_keys() -> Iterator[tuple[str, list[str]]]:
    """Yield each key that only some formats have, with the names of these formats."""
    for key in _FORMAT_OPTIONS:
        yield key, [name for name, form in FORMATS.items() if key in (option.name for option in form.options)]
    yield "agents_folder", [name for name, form in FORMATS.items() if form.players_may_change]


_DEFAULT_SPEC = SPEC_WITH_FORMAT_OPTIONS(name="plain", agents=())
_UNKNOWN_KEY_PATTERN = re.compile(r"Object contains unknown field `(?P<key>.*)`", re.DOTALL)
_MISSING_KEY_PATTERN = re.compile(r"Object missing required field `(?P<key>.*)`")
_INVALID_CHOICE_PATTERN = re.compile(r"Invalid enum value (?P<word>.*)", re.DOTALL)
_MESSAGE_PATTERN = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<keys>.*)`)?", re.DOTALL)
_TYPE_WORDS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "null": "nothing"}
_TYPE_WORDS |= {"object": "a table", "array": "a list"}
# a line below the header of each table, for messages
_TOML_TABLE_EXAMPLES = {
    "time": "per_move = 0.5",
    "odds": "greedy = { per_move = 0.5 }",
    "options": "size = 9",
    "adjudicate": "moves = 100",
    "submissions": "build_seconds = 60",
}
_TYPE_WORDS |= {"object": "a table", "array": "a list"}


def _create_readable_error(message: str, source: str) -> UserError:
    """Return the error for a message of msgspec, such as "Expected `int`, got `str` - at `$.seed`"."""
    match = _MESSAGE_PATTERN.fullmatch(message)
    problem, key_path = (match["what"], match["keys"] or "") if match else (message, "")
    value_type = _find_type(key_path)
    if unknown_key := _UNKNOWN_KEY_PATTERN.fullmatch(problem):
        key = f"{key_path}.{unknown_key['key']}".lstrip(".")
        suggestion = suggest_name(unknown_key["key"], value_type.__struct_fields__)
        return UserError(f"{source}: there is no key {key!r}.", suggestion)
    if missing_key := _MISSING_KEY_PATTERN.fullmatch(problem):
        key = missing_key["key"]
        return UserError(f"{source}: the key {key!r} is missing.", f"Write {key} = … in it.")
    if choice := _INVALID_CHOICE_PATTERN.fullmatch(problem):
        text = choice["word"].strip("'")
        suggestion = suggest_name(text, _find_allowed_texts(value_type))
        remedy = 'Write a number of seconds, or "none".' if float in get_args(value_type) else suggestion
        return UserError(f"{source}: {key_path} cannot be {text!r}.", remedy)
    problem_text = re.sub(
        r"`([^`]*)`", lambda types: " or ".join(_TYPE_WORDS.get(name, name) for name in types[1].split(" | ")), problem
    )
    remedy = "Write a value of that kind, or leave the key out."
    if problem_text.startswith("Expected a table") and (example := _TOML_TABLE_EXAMPLES.get(key_path)):
        remedy = f"Write a line [{key_path}] and below it, for example, {example}."
    return UserError(f"{source}: {key_path}: {problem_text[:1].lower()}{problem_text[1:]}.", remedy)


def _find_type(key_path: str) -> Any:
    """Return the type of the value with a path of keys like `time.per_move` or `odds[...]`."""
    value_type: Any = SPEC_WITH_FORMAT_OPTIONS
    for part in re.findall(r"[A-Za-z_]+|\[[^]]*\]", key_path):
        value_type = get_args(value_type)[-1] if part.startswith("[") else get_type_hints(value_type)[part]
        if isinstance(value_type, UnionType):  # an optional table
            tables = (member for member in get_args(value_type) if hasattr(member, "__struct_fields__"))
            value_type = next(tables, value_type)
    return value_type


def _find_allowed_texts(value_type: Any) -> list[str]:
    """Return the texts that a type of literals allows."""
    if isinstance(value_type, str):
        return [value_type]
    return [text for member in get_args(value_type) for text in _find_allowed_texts(member)]
