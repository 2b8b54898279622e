"""The settings of a tournament, in a user's TOML file. An unknown key is an error that names the nearest known one.

Needs no store, and starts nothing.
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
from gomogo_core.play.clock import GRACE, TimeControl
from gomogo_core.processes.limits import DEFAULT, MEMORY_MB, Level
from gomogo_core.regular_files import read_regular
from tournaments.formats import FORMATS
from tournaments.schedules import Count

_MOST_BYTES = 1_000_000  # the largest TOML file
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,79}")

Limit = float | Literal["none"] | None


class Time(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A player's time in seconds. The default is 10 s a move; `per_move = "none"` means no limit."""

    per_move: Limit = None
    total: float | None = None
    increment: float = 0.0
    grace: float = GRACE

    def control(self) -> TimeControl:
        """Return the limits. Raises UserError for an impossible time."""
        if self.per_move == "none":
            return TimeControl(None, self.total, self.increment, self.grace)
        return TimeControl.of(self.per_move, self.total, self.increment, self.grace)

    @staticmethod
    def of(control: TimeControl) -> Time:
        """Return the settings that give this control."""
        per_move: Limit = "none" if control.per_move is None else control.per_move
        return Time(per_move=per_move, total=control.total, increment=control.increment, grace=control.grace)


class Adjudicate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The limits for games that their rules would continue.

    moves: the number after which the game is drawn. score, agree: a player has won when both players report so with at
    least this score for this number of consecutive moves.
    """

    moves: Count | None = None
    score: Annotated[float, msgspec.Meta(gt=0)] | None = None
    agree: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 4

    def adjudication(self) -> Adjudication:
        """Return the same for the game loop."""
        return Adjudication(moves=self.moves, score=self.score, agree=self.agree)


class Submissions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings for intake and grades of submissions.

    build_seconds: time limit of a build. megabytes: size limit of a submission. memory_mb: the most memory that an
    agent.toml may request. check: whether, or by which checks, submissions are tested before they play; the start is
    always tested. against_each_other: whether they meet, too. required: games to win against arena agents. anonymous:
    whether students are numbers to each other. roster: the list of the course, a CSV file; none if empty.
    """

    build_seconds: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 120.0
    megabytes: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 100
    memory_mb: Count = MEMORY_MB
    check: bool | tuple[str, ...] = True
    against_each_other: bool = True
    required: dict[str, Count] = {}
    anonymous: bool = True
    roster: str = ""


class TournamentSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All settings of a tournament.

    agents_folder: the folder of the agents of an open format, also those that arrive while it runs. openings:
    "random:N", "balanced", a file or folder, or "none"; by default balanced between engines, else none. openings_plies:
    moves from each line of a file; by default all. classic_pace: whether turns follow each other as slowly as under
    WPI's referee. odds: times of single agents that differ from `time`.

    workers: games at a time; by default one for each core, or for each `cores_per_game` of them. cores_per_game: by
    default the agents' threads and pondering decide. pin: whether a running game has these cores for itself. sandbox:
    the level of isolation. These four settings affect how games are played, not which, and may change at any time.
    submissions: the settings for a folder of submissions.
    """

    name: str
    game: str = "gomoku"
    options: dict[str, bool | int | float | str] = {}
    format: str = "round_robin"
    agents: tuple[str, ...]
    games_per_pair: Count = 2
    agents_folder: str = ""
    openings: str | None = None
    openings_plies: Annotated[int, msgspec.Meta(ge=1, le=1000)] | None = None
    seed: int = 0
    illegal: Literal["forfeit", "retry"] = "forfeit"
    classic_pace: bool = False
    adjudicate: Adjudicate = Adjudicate()
    workers: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    cores_per_game: Annotated[int, msgspec.Meta(ge=1, le=1024)] | None = None
    pin: bool = True
    sandbox: Level = DEFAULT
    time: Time = Time()
    odds: dict[str, Time] = {}
    submissions: Submissions | None = None

    def format_options(self) -> dict[str, Any]:
        """Return the values of the format's own keys."""
        return {option.name: getattr(self, option.name) for option in FORMATS[self.format].options}


_OPTIONS = {option.name: option for form in FORMATS.values() for option in form.options}
# the keys of all formats are on the same level as the common ones
WHOLE_SPEC: type[TournamentSpec] = msgspec.defstruct(  # type: ignore[assignment]
    "WholeSpec",
    [*_OPTIONS.values()],
    bases=(TournamentSpec,),
    frozen=True,
    forbid_unknown_fields=True,
    kw_only=True,
)


def read(path: Path) -> TournamentSpec:
    """Read a tournament's TOML; the file's name is its default name. Raises UserError with place and reason."""
    try:
        content = read_regular(path, _MOST_BYTES + 1)
    except OSError as fault:
        raise UserError(f"{path} cannot be read: {fault.strerror}.", "Name a tournament's TOML file.") from None
    if len(content) > _MOST_BYTES:
        raise UserError(f"{path} is larger than a megabyte: it is not a tournament.", "Name a tournament's TOML file.")
    try:
        plain = tomllib.loads(content.decode())
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        raise UserError(f"{path}, line {line}: the file is not UTF-8.", "Save it as UTF-8.") from None
    except (ValueError, RecursionError) as fault:  # Python raises ValueError for a number of 5000 digits
        raise UserError(f"{path} is not TOML: {fault}.", 'Write `key = value` lines; write text in "quotes".') from None
    spec = convert({"name": path.stem, **plain}, str(path))
    _refuse_equal_teams(spec, str(path))
    return spec


def _refuse_equal_teams(spec: TournamentSpec, source: str) -> None:
    """Raise UserError for two agents of one team: a table would not say which of them won."""
    teams = [agent.split(":")[1] for agent in spec.agents if agent.startswith("files:")]
    for number, team in enumerate(teams):
        if team.casefold() in (other.casefold() for other in teams[:number]):
            raise UserError(
                f"{source}: two agents play as the team {team}.",
                "Give each a folder with an agent.toml, and tell them apart by name: 'first?name=A', 'second?name=B'.",
            )


def convert(plain: Any, source: str) -> TournamentSpec:
    """Make a spec from plain values. Raises UserError that names the key by its path."""
    if isinstance(plain, dict) and (plain.get("agents_folder") or "submissions" in plain):
        plain = {"agents": [], **plain}
    try:
        spec = msgspec.convert(plain, WHOLE_SPEC)
    except (msgspec.ValidationError, RecursionError) as fault:
        raise _in_words(str(fault), source) from None
    if not _NAME.fullmatch(spec.name):
        raise UserError(
            f"{source}: name {spec.name!r} is not a valid name for a run.",
            "Use up to 80 letters, digits, `-`, `_`, `+` and `.`, a letter or digit first.",
        )
    for agent in spec.odds:
        if agent not in spec.agents and not (spec.agents_folder and agent.startswith(f"{spec.agents_folder}/")):
            raise UserError(
                f"{source}: odds are given to {agent!r}, which does not play.", suggest_name(agent, spec.agents)
            )
    if spec.format not in FORMATS:
        raise UserError(f"{source}: there is no format {spec.format!r}.", suggest_name(spec.format, FORMATS))
    for key, its in _format_keys():
        if spec.format not in its and getattr(spec, key) != getattr(_PLAIN, key):
            raise UserError(f"{source}: {key} is for the format {its[0]}, and this is {spec.format}.", "Leave it out.")
    for time in (spec.time, *spec.odds.values()):
        try:
            time.control()
        except UserError as fault:
            raise UserError(f"{source}: {fault.what}", fault.remedy) from None
    return spec


def _format_keys() -> Iterator[tuple[str, list[str]]]:
    """Yield the keys that not all formats have, and the formats that have them."""
    for key in _OPTIONS:
        yield key, [name for name, form in FORMATS.items() if key in (option.name for option in form.options)]
    yield "agents_folder", [name for name, form in FORMATS.items() if form.is_open]


_PLAIN = WHOLE_SPEC(name="plain", agents=())
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<key>.*)`")
_CHOICE = re.compile(r"Invalid enum value (?P<word>.*)", re.DOTALL)
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `\$\.?(?P<keys>.*)`)?", re.DOTALL)
_KINDS = {"int": "a whole number", "float": "a number", "str": "text", "bool": "true or false", "null": "nothing"}
_KINDS |= {"object": "a table", "array": "a list"}


def _in_words(fault: str, source: str) -> UserError:
    """Rephrase msgspec's message ("Expected `int`, got `str` - at `$.seed`") for the user."""
    match = _PLACE.fullmatch(fault)
    what, place = (match["what"], match["keys"] or "") if match else (fault, "")
    kind = _kind(place)
    if unknown := _UNKNOWN.fullmatch(what):
        key = f"{place}.{unknown['key']}".lstrip(".")
        return UserError(f"{source}: there is no key {key!r}.", suggest_name(unknown["key"], kind.__struct_fields__))
    if missing := _MISSING.fullmatch(what):
        return UserError(f"{source}: the key {missing['key']!r} is missing.", f"Write {missing['key']} = … in it.")
    if choice := _CHOICE.fullmatch(what):
        word = choice["word"].strip("'")
        named = suggest_name(word, _allowed_words(kind))
        remedy = 'Write a number of seconds, or "none".' if float in get_args(kind) else named
        return UserError(f"{source}: {place} cannot be {word!r}.", remedy)
    words = re.sub(r"`([^`]*)`", lambda kinds: " or ".join(_KINDS.get(k, k) for k in kinds[1].split(" | ")), what)
    return UserError(
        f"{source}: {place}: {words[:1].lower()}{words[1:]}.", "Write a value of that kind, or leave the key out."
    )


def _kind(place: str) -> Any:
    """Return the type of the value at a place like `time.per_move` or `odds[...]`."""
    kind: Any = WHOLE_SPEC
    for part in re.findall(r"[A-Za-z_]+|\[[^]]*\]", place):
        kind = get_args(kind)[-1] if part.startswith("[") else get_type_hints(kind)[part]
        if isinstance(kind, UnionType):  # an optional table
            kind = next((one for one in get_args(kind) if hasattr(one, "__struct_fields__")), kind)
    return kind


def _allowed_words(kind: Any) -> list[str]:
    """Return the words that a type allows."""
    return [kind] if isinstance(kind, str) else [word for part in get_args(kind) for word in _allowed_words(part)]
