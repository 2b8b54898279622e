"""Confines the agents of an arena: the sandbox level decides which files each agent can read, and its resource limits.

The module uses agents and processes, but no files of a game and no protocol. It gives no verdict.
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

from gomogo_core.arena.build import (
    PACKAGES_FOLDER,
    UNBUFFERED_OUTPUT,
    build_agent,
    child_environment,
    record_agent_as_built,
)
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER
from gomogo_core.processes.limits import DEFAULT_MEMORY_MB, ResourceLimits, SandboxLevel
from gomogo_core.processes.process import Process
from gomogo_core.regular_files import read_regular

if TYPE_CHECKING:
    from gomogo_core.processes.users import SandboxUser

# the paths that `gomogo engine` reads
_GOMOGO_SOURCE_PATHS = (PACKAGES_FOLDER / "gomogo_core", PACKAGES_FOLDER / "gomogo", AGENTS_FOLDER)
_TRIAL_RUN_LIMIT = 30.0  # seconds for a trial run in the sandbox
_CHECK_SCRIPT = """
[ -x "$1" ] || { echo "it cannot run $1"; exit 9; }
for file; do [ -r "$file" ] || { echo "it cannot read $file"; exit 9; }; done
lost=$(ldd "$(readlink -f "$1")" 2>/dev/null | grep 'not found') && { echo "$1 needs $lost"; exit 9; }
exit 0
"""
_readable_agents: set[Agent] = set()
_readable_agents_lock = threading.Lock()


class Confinement:
    """Confines one agent in one game, until its process has ended.

    The agent is built and checked first, by `prepare_agent`. Raises UserError for a program that cannot be started.
    """

    def __init__(self, agent: Agent, level: SandboxLevel) -> None:
        prepare_agent(agent, level)
        self.agent, self.level = agent, "none" if agent.is_human else level
        self._user: SandboxUser | None = None
        if self.level == "bwrap":
            from gomogo_core.processes import sandbox

            self._user = sandbox.sandbox_user()

    @property
    def user(self) -> int | None:
        """The id of the user that runs the agent's program; None for the user of this process."""
        return None if self._user is None else self._user.user_id

    @property
    def is_reusable(self) -> bool:
        """Whether the agent's process may play another game. In the sandbox each game has a new process."""
        return self.level != "bwrap"

    def start(self, words: Sequence[str], folder: Path, *, pipes: bool = False) -> Process:
        """Start the agent's program in an existing folder. words: the command line. pipes: whether the agent plays over
        pipes.
        """
        if self.level == "bwrap":
            return self._start_in_sandbox(words, folder, pipes)
        environment, is_human = child_environment(), self.agent.is_human
        if self.level == "none":
            return Process(words, folder, environment, terminal=is_human, pipes=pipes)
        if pipes or not self.agent.keeps_running:  # an agent that plays by files and keeps running outlives this folder
            environment["TMPDIR"] = str(folder)
        return Process(words, folder, environment, pipes=pipes, limits=resource_limits_of(self.agent))

    def _start_in_sandbox(self, words: Sequence[str], folder: Path, pipes: bool) -> Process:
        from gomogo_core.processes import sandbox

        if self.user is not None:
            folder.chmod(0o755)
            os.chown(folder, self.user, self.user)
        sandboxed = sandbox.sandboxed_command(
            words, folder, readable_paths(self.agent), self._user, module_environment(), pipes=pipes
        )
        return Process(
            sandboxed.words,
            folder,
            sandboxed.environment,
            pipes=pipes,
            limits=resource_limits_of(self.agent, has_own_user=self._user is not None),
            is_sandboxed=True,
            command_descriptors=sandboxed.descriptors,
            on_end=self.close,
        )

    def close(self) -> None:
        """Free the user that ran the agent's program. Call this after the process has ended, or if no process was
        started.

        Further calls do nothing.
        """
        if self._user is not None:
            self._user.close()


def resource_limits_of(agent: Agent, *, has_own_user: bool = False) -> ResourceLimits:
    """Return the resource limits of an agent. has_own_user: whether the agent runs as a user of its own."""
    memory_mb = agent.settings.memory_mb or DEFAULT_MEMORY_MB
    table_mb = dict(agent.numeric_option_values).get("memory_mb")
    if agent.is_built_in and table_mb is not None:  # a table of this size; the program needs other memory too
        memory_mb = DEFAULT_MEMORY_MB + int(table_mb)
    return ResourceLimits(memory_mb=memory_mb, has_own_user=has_own_user, ponders=agent.ponders)


def module_environment() -> dict[str, str]:
    """Return the environment variables of a program in the sandbox, by which it can import Gomogo's modules."""
    return {"PYTHONPATH": str(PACKAGES_FOLDER), "PYTHONDONTWRITEBYTECODE": "1", **UNBUFFERED_OUTPUT}


def readable_paths(agent: Agent) -> list[Path]:
    """Return the paths that an agent may read besides the system's and the runtime's: Gomogo's modules, and its own
    files.

    An agent with an agent.toml may read that file's folder. A Python file may read its folder, unless the folder
    contains other agents. A command may read the files that it names, and the folders with an agent.toml that it names;
    a command that runs `gomogo` may read all of Gomogo. Raises UserError if the folder of an agent.toml is so general
    that it also contains other files, as a home folder does.
    """
    from gomogo_core.processes.runtimes import may_hold_private_files

    if agent.owns_folder and may_hold_private_files(agent.folder):
        raise UserError(
            f"{agent.spec} cannot play in the sandbox: its folder {agent.folder} contains other files too.",
            "Put its agent.toml and its program into a new folder.",
        )
    if agent.owns_folder or agent.is_built_in or (_has_own_folder(agent) and not may_hold_private_files(agent.folder)):
        return [PACKAGES_FOLDER / "gomogo_core", agent.folder]
    words = list(_nested_words(agent.command))
    named_paths = [Path(word) for word in words[1:] if word.startswith("/") and _is_agent_path(Path(word))]
    gomogo_paths = _GOMOGO_SOURCE_PATHS if any(map(_is_gomogo_command, words)) else _GOMOGO_SOURCE_PATHS[:1]
    return [*gomogo_paths, *named_paths]


def _nested_words(command: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command, and the words inside its quoted words, as in `sh -c "exec ./engine weights"`."""
    for word in command:
        yield word
        if any(map(str.isspace, word)):
            with contextlib.suppress(ValueError):  # the word is no command line if a quotation mark is not closed
                yield from shlex.split(word)


def _is_gomogo_command(word: str) -> bool:
    return Path(word).name == "gomogo"


def _is_agent_path(path: Path) -> bool:
    """Return whether a path in a command is a file, or the folder of an agent."""
    from gomogo_core.processes.runtimes import may_hold_private_files

    return path.is_file() or ((path / "agent.toml").is_file() and not may_hold_private_files(path))


def _has_own_folder(agent: Agent) -> bool:
    """Return whether an agent is the only Python agent in its folder."""
    python_files = [path for path in agent.folder.glob("*.py") if path.is_file()]
    agent_files = [path for path in python_files if re.search(rb"^def choose\b", read_regular(path), re.MULTILINE)]
    return len(agent_files) == 1 and str(agent_files[0]) in agent.command


def prepare_agent(agent: Agent, level: SandboxLevel) -> None:
    """Build an agent once, and check that its program can be started and, at the level bwrap, read in the sandbox.

    Raises UserError, which names the missing file.
    """
    if level != "bwrap" or agent.is_human:
        build_agent(agent)
        return
    from gomogo_core.processes import sandbox

    sandbox.require_sandbox()
    build_agent(agent, level)
    with _readable_agents_lock:
        if agent not in _readable_agents:
            _check_readable(agent)
            _readable_agents.add(agent)


def record_agent_as_prepared(agent: Agent) -> None:
    """Record that another process has prepared an agent: two processes must not build in one folder at a time."""
    record_agent_as_built(agent)
    with _readable_agents_lock:
        _readable_agents.add(agent)


def _check_readable(agent: Agent) -> None:
    """Check inside the sandbox that an agent's program, and the files that its command names, can be read."""
    from gomogo_core.processes import runtimes

    words = runtimes.find_program(agent.command_line("team"))
    if agent.owns_folder and not agent.is_built_in:
        private_program = runtimes.find_private_program(words, agent.folder)
        if private_program is not None:
            raise UserError(
                f"{agent.spec} cannot play in the sandbox: its command leads to {private_program}, "
                "outside of its folder.",
                "Put that program into its folder. If all agents may read the program, add its folder to PATH instead.",
            )
    named_files = [word for word in words[1:] if word.startswith("/") and os.path.isfile(word)]
    files = [words[0], *runtimes.interpreter_of_script(words[0]), *named_files, *map(str, readable_paths(agent))]
    commands = [["sh", "-c", _CHECK_SCRIPT, "sh", *files]]
    if os.path.basename(words[0]).startswith("python"):
        commands.append([words[0], "-c", "import gomogo_core.agent" if agent.command[0] == words[0] else ""])
    gomogo_indexes = [index for index, word in enumerate(words) if _is_gomogo_command(word)]
    if gomogo_indexes and not agent.owns_folder:
        commands.append([*words[: gomogo_indexes[0] + 1], "--version"])
    for command in commands:
        if error := _sandbox_error(agent, command, words):
            raise UserError(
                f"{agent.spec} cannot play in the sandbox: {error}.",
                "Make it readable for all users (chmod a+r; a+x for folders and programs), or use a system program.",
            )


def _sandbox_error(agent: Agent, command: list[str], words: Sequence[str]) -> str:
    """Return the error of a command that fails in an agent's sandbox; empty if it succeeds."""
    import subprocess
    import tempfile

    from gomogo_core.processes import runtimes, sandbox

    user = sandbox.sandbox_user()
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            readable = [*readable_paths(agent), *runtimes.needed_paths(words)]
            sandboxed = sandbox.sandboxed_command(command, Path(folder), readable, user, module_environment())
            completed = sandbox.run_sandboxed(sandboxed, _TRIAL_RUN_LIMIT)
    except subprocess.TimeoutExpired:
        return f"{command[0]} does not start within {_TRIAL_RUN_LIMIT:g} s"
    finally:
        if user is not None:
            user.close()
    lines = completed.stdout.strip().splitlines() or [f"exit code {completed.returncode}"]
    return " ".join(lines[-1].split()) if completed.returncode else ""
