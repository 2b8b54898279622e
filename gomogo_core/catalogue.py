"""Finds agents and protocols by name, and reads what an agent says of itself.

An agent's spec is its identity everywhere: `alpha_beta`, `alpha_beta?depth=3`, `path/bot.py`, `path/folder`,
`files:TEAM:COMMAND`, `gomocup:COMMAND`, `gtp:COMMAND`, `json:COMMAND`, `human`. Starts nothing and plays nothing.
Standard library only.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import sys
import threading
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from gomogo_core import games
from gomogo_core.agent import read_options
from gomogo_core.errors import UserError, nearest
from gomogo_core.games.base import Game
from gomogo_core.protocols.settings import LIMITS, NO_SETTINGS, Settings
from gomogo_core.wire.lines import check_teams

HOUSE = Path(__file__).resolve().parent.parent / "agents"
_RUN = "from gomogo_core.agent import main; main()"
_TOML_KEYS = {"name": str, "command": (str, list), "protocol": str, "games": list, "build": str, "ready": bool}
_TOML_KEYS |= {"options": dict, **dict.fromkeys(LIMITS, int)}
PIPES = ("gomocup", "gtp", "json")  # protocols spoken through standard input and output
_PROTOCOLS = {
    "files": "files in a folder of its own (the default)",
    "gomocup": "Gomocup's and Piskvork's protocol for Gomoku, through pipes",
    "gtp": "the Go Text Protocol, through pipes",
    "json": "one JSON object a line, through pipes",
    "human": "a person at this terminal",
}
_GAMES = {"gomocup": ("gomoku",), "gtp": ("go", "gomoku", "capture_go", "robogo"), "json": ()}
_MOST_BYTES = 1_000_000  # of an agent.toml
_INTERPRETERS = re.compile(r"(python|node|java|ruby|perl|wine|mono|dotnet|sh|bash|env)[\d.]*")


@dataclass(frozen=True)
class Agent:
    """A program on disk that plays.

    spec: its identity. name: what tables and files call it, fit for a team's name. about: a sentence. games: names of
    those it plays, none for all. command: its words, with {team} for the team's name. folder: where it lies.
    says_ready: it tells when it is loaded; None where only running it would show. keep: one process plays many games.
    settings: what the user asks of it. owns_folder: all that lies in its folder is its own.
    """

    spec: str
    name: str
    about: str
    command: tuple[str, ...]
    folder: Path
    games: tuple[str, ...] = ()
    protocol: str = "files"
    says_ready: bool | None = None
    keep: bool = False
    build: str = ""
    settings: Settings = NO_SETTINGS
    owns_folder: bool = False

    @property
    def house(self) -> bool:
        """Whether it is one of the house's."""
        return self.folder.is_relative_to(HOUSE)

    def plays(self, game: str) -> bool:
        """Whether it plays the game of this name."""
        return not self.games or game in self.games

    @property
    def knows_history(self) -> bool:
        """Whether it can be told of moves made before it came: a program of old sees only the last one."""
        return self.says_ready is True

    def words(self, team: str) -> list[str]:
        """Its command line for a team of this name."""
        return [word.replace("{team}", team).replace("{here}", str(self.folder)) for word in self.command]


def protocols() -> tuple[tuple[str, str], ...]:
    """Every way a player is reached, with a sentence on it."""
    return tuple(_PROTOCOLS.items())


def agents(folder: Path = HOUSE) -> tuple[str, ...]:
    """The names of all agents in a folder: files with a `choose`, folders with an agent.toml."""
    found = [path.stem for path in folder.glob("*.py") if not path.name.startswith("_")]
    found += [path.parent.name for path in folder.glob("*/agent.toml")]
    return tuple(sorted(found))


def agent(spec: str) -> Agent:
    """The agent that `spec` names. Raises UserError when there is none, or when it cannot be what it says."""
    if not _fits_the_system(spec):
        raise UserError(f"{spec!r} names no agent: no file can be called so.", "Name a file, or an agent of ours.")
    if spec.startswith("files:"):
        return _command_line(spec)
    if (protocol := spec.partition(":")[0]) in PIPES:
        return _engine(spec, protocol)
    if (name := re.split(r"[:,;= ]", spec)[0]) != spec.split("?")[0] and name in agents():
        raise UserError(f"{spec!r} names no agent.", f"Options follow a question mark: {name}?depth=3, for example.")
    if match := re.match(r"([a-z_]+):(?![\\/])", spec):
        raise UserError(f"There is no protocol called {match[1]!r}.", nearest(match[1], ["files", *PIPES]))
    named, _, query = spec.partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True, strict_parsing=False))
    path = _path(named)
    if path.is_dir():
        if given:
            raise UserError(
                f"{named} takes no options: {query!r}.", "Options in a spec are for Python files with choose."
            )
        return _folder(spec, path)
    return _python(spec, path, given)


def _fits_the_system(text: str) -> bool:
    """Whether the system could take the text as the name of something."""
    try:
        return b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _path(named: str) -> Path:
    house = HOUSE / f"{named}.py"
    if re.fullmatch(r"[A-Za-z0-9_-]+", named):
        if os.path.isfile(house) and not named.startswith("_"):
            return house
        if os.path.isfile(HOUSE / named / "agent.toml"):
            return HOUSE / named
    path = Path(os.path.expanduser(named))
    if named and os.path.exists(path):  # False too for a name that is too long; Path.exists would raise
        return path.resolve()
    if "/" in named or named.endswith(".py"):
        raise UserError(
            f"There is no agent at {named}.", "Give the path of a .py file, or of a folder with an agent.toml."
        )
    remedy = f"{nearest(named, agents())} `gomogo list agents` shows all."
    if named and os.path.isfile(f"{named}.py"):
        remedy = f"There is a file of this name: write {named}.py."
    raise UserError(f"There is no agent called {named!r}.", remedy)


def fit_name(text: str) -> str:
    """A team's name made of any text."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.")[:36] or "agent"


def _command_line(spec: str) -> Agent:
    _, team, command = (*spec.split(":", 2), "", "")[:3]
    words = _words(command, spec)
    if not team or not words:
        raise UserError(f"{spec!r} does not say which program plays.", "Write files:TEAM:COMMAND LINE.")
    check_teams([team])
    return Agent(spec, team, f"the program {words[0]}", tuple(words), Path.cwd())


def _engine(spec: str, protocol: str) -> Agent:
    """An engine named by its command, with settings behind the last question mark: `gomocup:./pbrain-x?depth=5`."""
    command, given = spec.partition(":")[2], dict[str, str]()
    if match := _SETTINGS.fullmatch(command):
        command, given = match[1], dict(unquote(pair).split("=", 1) for pair in match[2].split("&"))
    words = _words(command, spec)
    if not words:
        raise UserError(f"{spec!r} does not say which program plays.", f"Write {protocol}:COMMAND LINE.")
    called = given.pop("name", "")
    settings = Settings.of(given, spec)
    named = [called] if called else [_program(words), *(f"{name}-{value}" for name, value in given.items())]
    return Agent(
        spec=spec,
        name=fit_name("-".join(named)),
        about=f"the program {words[0]}",
        command=tuple(words),
        folder=Path.cwd(),
        games=_GAMES[protocol],
        protocol=protocol,
        says_ready=True,
        keep=True,
        settings=settings,
    )


_SETTINGS = re.compile(r"(.*)\?([A-Za-z_][\w.-]*=[^&?\s]*(?:&[A-Za-z_][\w.-]*=[^&?\s]*)*)")


def _program(words: Sequence[str]) -> str:
    """What a command line runs: its first word, or the file that an interpreter is given."""
    named = words[0]
    if _INTERPRETERS.fullmatch(Path(named).name.casefold()):
        named = next((word for word in words[1:] if os.path.isfile(word)), named)
    path = Path(named)
    return path.stem if path.suffix.casefold() in (".py", ".js", ".exe", ".jar", ".sh", ".rb", ".pl") else path.name


def _words(command: str, where: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as wrong:
        raise UserError(f"The command in {where} cannot be read: {wrong}.", "Close every quotation mark.") from None
    # the process starts in its game folder: what names a file here must name it there
    return [_placed(word, os.path.isfile(word) if number else "/" in word) for number, word in enumerate(words)]


def _placed(word: str, names_a_file: bool) -> str:
    """A word with its place, if it names a file here. A link keeps its name: an environment's python is one."""
    return str(Path(word).absolute()) if names_a_file and os.path.exists(word) else word


def _folder(spec: str, folder: Path) -> Agent:
    source = folder / "agent.toml"
    if not source.is_file():
        raise UserError(
            f"The folder {folder} has no agent.toml.", 'Write one, with a line like command = "./bot {team}".'
        )
    try:
        with source.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise UserError(f"{source} is larger than a megabyte.", "Write what `gomogo agent new` writes.")
        told = tomllib.loads(content.decode())
    except (ValueError, RecursionError) as wrong:  # numbers of 5000 digits, too, and brackets in brackets
        raise UserError(f"{source} is no TOML: {wrong}.", "Mend that line.") from None
    except OSError as wrong:
        raise UserError(f"{source} cannot be read: {wrong.strerror}.", "Give yourself the right to read it.") from None
    _check_toml(source, told)
    command = told["command"]
    words = command if isinstance(command, list) else _words(command, str(source))
    if words and not Path(words[0]).is_absolute() and os.path.exists(folder / words[0]):
        words = [str(folder / words[0]), *words[1:]]
    for known in re.findall(r"\{(\w+)\}", " ".join(words)):
        if known not in ("here", "team"):
            raise UserError(f"{source}: nothing is filled in for {{{known}}}.", nearest(known, ["here", "team"]))
    name, protocol = told.get("name", folder.name), told.get("protocol", "files")
    piped = protocol in PIPES
    return Agent(
        spec=spec,
        name=fit_name(name),
        about=f"the program in {folder.name}/",
        command=tuple(words),
        folder=folder,
        games=tuple(told.get("games", _GAMES.get(protocol, ()))),
        protocol=protocol,
        says_ready=True if piped else told.get("ready"),
        keep=piped,
        build=told.get("build", ""),
        settings=_settings(source, told, piped),
        owns_folder=True,
    )


def _settings(source: Path, told: Mapping[str, Any], piped: bool) -> Settings:
    given = {name: str(told[name]) for name in LIMITS if name in told}
    for name, value in told.get("options", {}).items():
        if isinstance(value, dict | list):
            raise UserError(f"{source}: options: {name} is no single value.", "Write a text or a number.")
        given[name] = str(value).lower() if isinstance(value, bool) else str(value)
    if not piped and (others := [name for name in given if name != "memory_mb"]):
        raise UserError(
            f"{source}: {others[0]} is for engines reached through pipes.",
            "Write what the program needs into its command.",
        )
    return Settings.of(given, str(source))


def _check_toml(source: Path, told: Mapping[str, Any]) -> None:
    for key, value in told.items():
        if key not in _TOML_KEYS:
            raise UserError(f"{source} has a key {key!r} that means nothing.", nearest(key, _TOML_KEYS))
        if not isinstance(value, _TOML_KEYS[key]):  # type: ignore[arg-type]
            raise UserError(f"{source}: {key} = {value!r} is of the wrong kind.", f"See `gomogo agent new` for {key}.")
    if not told.get("command"):
        raise UserError(f"{source} names no command.", 'Write a line like command = "./bot {team}".')
    if (protocol := told.get("protocol", "files")) not in ("files", *PIPES):
        raise UserError(f"{source}: there is no protocol {protocol!r}.", nearest(protocol, ["files", *PIPES]))
    for key in ("command", "games"):
        if isinstance(told.get(key), list) and not all(isinstance(word, str) for word in told[key]):
            raise UserError(f"{source}: {key} holds something that is no text.", f"Write {key} as a list of texts.")
    for game in told.get("games", ()):
        if game not in games.names():
            raise UserError(f"{source}: there is no game called {game!r}.", nearest(game, games.names()))


def _python(spec: str, path: Path, given: dict[str, str]) -> Agent:
    module = _parsed(path)
    choose = next((n for n in module.body if isinstance(n, ast.FunctionDef) and n.name == "choose"), None)
    if choose is None:
        raise UserError(
            f"{path.name} has no function choose(position, clock): it seems to be a program that polls by itself.",
            f'Name it "files:TEAM:python {path} TEAM" to play it as it is.',
        )
    literals = _literals(module)
    plays = literals.get("GAMES", ())
    if not isinstance(plays, tuple | list | set) or not all(isinstance(game, str) for game in plays):
        raise UserError(f"{path.name}: GAMES = {plays!r} is no list of names.", 'Write GAMES = ("gomoku",), say.')
    about = (ast.get_docstring(module) or "").partition("\n")[0]
    options = [f"{name}={value}" for name, value in given.items()]
    _check_options(choose, given)
    human = path == HOUSE / "human.py"
    return Agent(
        spec=spec,
        name=fit_name("-".join([path.stem, *options]).replace("=", "-")),
        about=about,
        command=(sys.executable, "-P", "-c", _RUN, str(path), "{team}", *options),
        folder=path.parent,
        games=tuple(plays),
        protocol="human" if human else "files",
        says_ready=True,
        keep=bool(literals.get("KEEP_RUNNING", False)),
    )


_parsing = threading.Lock()  # Python 3.11 counts its recursion for all threads together, and raises SystemError


def _parsed(path: Path) -> ast.Module:
    try:
        with _parsing:
            return ast.parse(path.read_bytes(), path.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as wrong:  # the last two: nested too deeply
        raise UserError(
            f"{path} is no Python: {str(wrong) or 'it is nested too deeply'}.",
            "Mend that line, or name a program as files:TEAM:COMMAND.",
        ) from None
    except OSError as wrong:
        raise UserError(f"{path} cannot be read: {wrong.strerror}.", "Give yourself the right to read it.") from None


_NO_LITERAL = (ValueError, TypeError, SyntaxError, RecursionError, MemoryError)  # as ast.literal_eval says no


def _literals(module: ast.Module) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for node in module.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except _NO_LITERAL:
                continue
    return found


def _check_options(choose: ast.FunctionDef, given: dict[str, str]) -> None:
    """Refuse an option before anything starts, by the same rule by which the agent will read it."""
    defaults: dict[str, Any] = {}
    for name, default in zip(choose.args.kwonlyargs, choose.args.kw_defaults, strict=True):
        try:
            defaults[name.arg] = ast.literal_eval(default) if default is not None else ""
        except _NO_LITERAL:
            defaults[name.arg] = ""
    read_options(defaults, given)


def check_program(player: Agent) -> None:
    """Raise UserError unless the program that plays is there and may be started."""
    program = player.words("team")[0]
    if "/" not in program:
        missing = None if shutil.which(program) else "no such program"
    elif not Path(program).is_file():
        missing = "no such file"
    else:
        missing = None if os.access(program, os.X_OK) else "permission denied"
    if missing:
        remedy = "Mend its command, or install what it names."
        if missing == "permission denied":
            remedy = f"Try: chmod +x {program}, or name what runs it before it in the command."
        raise UserError(f'Cannot start agent "{player.name}": {program}: {missing}.', remedy)


def why_not_told(game: Game, player: Agent) -> str | None:
    """Why a player's protocol cannot tell it of this game, as a sentence; None where it can."""
    if player.protocol not in PIPES:
        return None
    from gomogo_core.protocols.engines import ENGINES

    return ENGINES[player.protocol].why_not(game, player.settings)


def check(game: Game, players: Sequence[Agent], opening: bool = False) -> None:
    """Raise UserError unless these agents can sit down to this game, with moves on the board before if `opening`."""
    if len(players) != game.seats:
        raise UserError(
            f"{game.name} is for {game.seats} players, and there are {len(players)}.", f"Name {game.seats} players."
        )
    for player in players:
        if not player.plays(game.name):
            raise UserError(f"{player.spec} does not play {game.name}.", f"It plays {', '.join(player.games)}.")
        if why := why_not_told(game, player):
            raise UserError(f"{player.spec} cannot sit down: {why}.", "Choose other options, or another player.")
        if opening and not player.knows_history:
            raise UserError(
                f"{player.spec} cannot be told of moves made before it came: it reads only the last one.",
                "Play from the empty board, or write ready = true in its agent.toml if it reads history_file.",
            )
