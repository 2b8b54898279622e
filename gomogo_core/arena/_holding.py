"""How the agents of one arena are held: what each may see and take, by the arena's level.

Knows agents and processes; no folder's files, no protocol's words and no verdict.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gomogo_core.arena._building import OURS, build, environment
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import MEMORY_MB, Level, Limits
from gomogo_core.processes.process import Process

if TYPE_CHECKING:
    from gomogo_core.processes.users import User

_GOMOGO = ("gomogo_core", "gomogo", "agents")  # what `gomogo engine` consists of
_TRIAL = 30.0  # seconds for a look around in the sandbox
_CHECK = """
[ -x "$1" ] || { echo "it cannot run $1"; exit 9; }
for file; do [ -r "$file" ] || { echo "it cannot read $file"; exit 9; }; done
lost=$(ldd "$(readlink -f "$1")" 2>/dev/null | grep 'not found') && { echo "$1 needs $lost"; exit 9; }
exit 0
"""
_readable: set[Agent] = set()
_lock = threading.Lock()


class Hold:
    """One agent, from its seat at a table until its process has ended.

    user: the number of the user that its program will be, where that is not ours.
    """

    def __init__(self, agent: Agent, level: Level) -> None:
        self.agent, self.level = agent, "none" if agent.protocol == "human" else level
        self._user: User | None = None
        if self.level == "bwrap":
            from gomogo_core.processes import sandbox

            self._user = sandbox.user()

    @property
    def user(self) -> int | None:
        """The number of the user that its program will be, where that is not ours."""
        return None if self._user is None else self._user.number

    @property
    def keeps(self) -> bool:
        """Whether its process may play another game: in the sandbox each game has a fresh one."""
        return self.level != "bwrap"

    def start(self, words: Sequence[str], folder: Path, *, pipes: bool = False) -> Process:
        """Start its program in a folder that is there."""
        if self.level == "bwrap":
            return self._enclosed(words, folder, pipes)
        told, person = environment(), self.agent.protocol == "human"
        if self.level == "none":
            return Process(words, folder, told, terminal=person, pipes=pipes)
        if pipes or not self.agent.keep:  # who plays by files and is kept leaves this folder behind
            told["TMPDIR"] = str(folder)
        return Process(words, folder, told, pipes=pipes, limits=limits_of(self.agent))

    def _enclosed(self, words: Sequence[str], folder: Path, pipes: bool) -> Process:
        from gomogo_core.processes import sandbox

        if self.user is not None:
            folder.chmod(0o755)
            os.chown(folder, self.user, self.user)
        enclosed = sandbox.enclose(words, folder, shown(self.agent), self._user, modules(), pipes=pipes)
        return Process(
            enclosed.words,
            folder,
            enclosed.environment,
            pipes=pipes,
            limits=limits_of(self.agent, own_user=self._user is not None),
            wrapped=True,
            passed=enclosed.descriptors,
            at_end=self.close,
        )

    def close(self) -> None:
        """Free its user, after its process has ended, or instead of starting one. Safe to call again."""
        if self._user is not None:
            self._user.close()


def limits_of(agent: Agent, *, own_user: bool = False) -> Limits:
    """What an agent may take."""
    return Limits(memory_mb=agent.settings.memory_mb or MEMORY_MB, own_user=own_user)


def modules() -> dict[str, str]:
    """What a program in the sandbox is told of our own modules, which it may import."""
    return {"PYTHONPATH": str(OURS), "PYTHONDONTWRITEBYTECODE": "1"}


def shown(agent: Agent) -> list[Path]:
    """What an agent may read beside the system and its runtime: our modules, and what is its own.

    That is the folder of an agent.toml; of a Python file its folder too, unless other agents lie there; else what its
    command names: files, folders with an agent.toml, and all of gomogo where it is that. Raises UserError for a folder
    that holds more than one agent's own.
    """
    from gomogo_core.processes.runtimes import too_wide

    if agent.owns_folder and too_wide(agent.folder):
        raise UserError(
            f"{agent.spec} cannot play in the sandbox: its folder {agent.folder} holds what is not its own.",
            "Put its agent.toml and its program into a folder of their own.",
        )
    if agent.owns_folder or agent.house or (_is_alone(agent) and not too_wide(agent.folder)):
        return [OURS / "gomogo_core", agent.folder]
    words = list(_all_words(agent.command))
    named = [Path(word) for word in words[1:] if word.startswith("/") and _is_named(Path(word))]
    ours = _GOMOGO if any(map(_is_gomogo, words)) else ("gomogo_core",)
    return [*(OURS / room for room in ours), *named]


def _all_words(command: Sequence[str]) -> Iterator[str]:
    """The words of a command, and those within one: `sh -c "exec ./engine weights"`."""
    for word in command:
        yield word
        if any(map(str.isspace, word)):
            with contextlib.suppress(ValueError):  # a quotation mark that is not closed: no command line
                yield from shlex.split(word)


def _is_gomogo(word: str) -> bool:
    return Path(word).name == "gomogo"


def _is_named(path: Path) -> bool:
    """Whether a path in a command is a file, or an agent's folder that holds nothing else."""
    from gomogo_core.processes.runtimes import too_wide

    return path.is_file() or ((path / "agent.toml").is_file() and not too_wide(path))


def _is_alone(agent: Agent) -> bool:
    """Whether an agent is a Python file in a folder without others."""
    files = [
        path for path in agent.folder.glob("*.py") if re.search(rb"^def choose\b", path.read_bytes(), re.MULTILINE)
    ]
    return len(files) == 1 and str(files[0]) in agent.command


def prepare(agent: Agent, level: Level) -> None:
    """Build an agent, once, and see that its program can be started; in the sandbox, that it can be read there.

    Raises UserError with what is missing.
    """
    if level != "bwrap" or agent.protocol == "human":
        build(agent)
        return
    from gomogo_core.processes import sandbox

    sandbox.require()
    build(agent, level)
    with _lock:
        if agent not in _readable:
            _look_around(agent)
            _readable.add(agent)


def _look_around(agent: Agent) -> None:
    """See from inside whether an agent's program, and what it names, can be read."""
    from gomogo_core.processes import runtimes

    words = runtimes.program_of(agent.words("team"))
    if agent.owns_folder and not agent.house and (stray := runtimes.astray(words, agent.folder)) is not None:
        raise UserError(
            f"{agent.spec} cannot play in the sandbox: its command leads to {stray}, outside of its folder.",
            "Put that program into its folder; or, if all agents may read it, the folder where it lies into PATH.",
        )
    named = [word for word in words[1:] if word.startswith("/") and os.path.isfile(word)]
    own = [str(path) for path in shown(agent)]
    tried = [["sh", "-c", _CHECK, "sh", words[0], *runtimes.interpreter(words[0]), *named, *own]]
    if os.path.basename(words[0]).startswith("python"):
        tried.append([words[0], "-c", "import gomogo_core.agent" if agent.command[0] == words[0] else ""])
    if not agent.owns_folder and (ours := [number for number, word in enumerate(words) if _is_gomogo(word)]):
        tried.append([*words[: ours[0] + 1], "--version"])
    for command in tried:
        if fault := _said(agent, command, words):
            raise UserError(
                f"{agent.spec} cannot play in the sandbox: {fault}.",
                "Let everybody read it (chmod a+r; a+x for folders and programs), or name a program of the system's.",
            )


def _said(agent: Agent, command: list[str], words: Sequence[str]) -> str:
    """What a command says in an agent's sandbox before it fails; empty where it does not."""
    import subprocess
    import tempfile

    from gomogo_core.processes import runtimes, sandbox

    user = sandbox.user()
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            there = [*shown(agent), *runtimes.needed(words)]
            tried = sandbox.run(sandbox.enclose(command, Path(folder), there, user, modules()), _TRIAL)
    except subprocess.TimeoutExpired:
        return f"{command[0]} does not start within {_TRIAL:g} s"
    finally:
        if user is not None:
            user.close()
    lines = tried.stdout.strip().splitlines() or [f"exit code {tried.returncode}"]
    return " ".join(lines[-1].split()) if tried.returncode else ""
