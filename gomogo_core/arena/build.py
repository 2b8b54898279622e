"""Prepares an agent's program: runs its build command once, and checks that the program exists. The module starts no
agent.
"""

from __future__ import annotations

import os
import re
import threading
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from gomogo_core.catalogue import Agent, check_program
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT_SANDBOX, ResourceLimits, SandboxLevel
from gomogo_core.processes.process import Process

BUILD_TIMEOUT = 300.0  # seconds that a build command may take
_BUILD_LIMITS = ResourceLimits(folder_mb=4096, folder_entries=200_000)  # of an agent's folder after the build
PACKAGES_FOLDER = Path(__file__).resolve().parents[2]  # the folder that contains Gomogo's own packages
# Python writes at once what a bot prints, so that nothing is lost when the bot is killed, and errors come last
UNBUFFERED_OUTPUT = {"PYTHONUNBUFFERED": "1"}
_built_agents: set[Agent] = set()
_build_lock = threading.Lock()


class BuildResult(NamedTuple):
    """The result of a build.

    exit_description: `exited with code 0` for success, None for a timeout. output: the output of the command.
    """

    exit_description: str | None
    output: str

    @property
    def succeeded(self) -> bool:
        """Whether the command succeeded."""
        return self.exit_description == "exited with code 0"


def build_agent(agent: Agent, level: SandboxLevel = DEFAULT_SANDBOX) -> None:
    """Run the agent's build command, once in this process, and check that its program can be started.

    Raises UserError with the command's error, or the reason why the program cannot be started.
    """
    with _build_lock:
        if agent in _built_agents:
            return
        if agent.build_command:
            _check_build(agent, run_build_command(agent, level))
        check_program(agent)
        _built_agents.add(agent)


def record_agent_as_built(agent: Agent) -> None:
    """Record that another process has built the agent, so that this process does not build it."""
    with _build_lock:
        _built_agents.add(agent)


def _check_build(agent: Agent, result: BuildResult) -> None:
    remedy = f"Run `{agent.build_command}` in {agent.folder}"
    if result.exit_description is None:
        raise UserError(f"Building {agent.spec} took more than {BUILD_TIMEOUT:g} s.", f"{remedy} yourself.")
    if not result.succeeded:
        reason = _error_line(result.output) or result.exit_description
        raise UserError(f"Building {agent.spec} failed: {reason}.", f"{remedy} and fix its errors.")


def _error_line(output: str) -> str:
    """Return the first line of the output that contains the word error, as compilers print it; else the last line."""
    lines = output.strip().splitlines()
    # the pattern does not match make's echo of a command: `cc -Werror x.c`
    error_lines = (line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE))
    return next(error_lines, lines[-1] if lines else "").strip().rstrip(".")


def run_build_command(agent: Agent, level: SandboxLevel = DEFAULT_SANDBOX, limit: float = BUILD_TIMEOUT) -> BuildResult:
    """Run the agent's build command in its folder. After `limit` seconds, end it and all its children.

    In the sandbox the command can write only to that folder and to /tmp.
    """
    command = ["sh", "-c", agent.build_command]
    if level == "bwrap":
        return _build_in_sandbox(agent, command, limit)
    limits = _BUILD_LIMITS if level == "limits" else None
    return _run_process(Process(command, agent.folder, dict(os.environ), limits=limits), limit)


def _run_process(process: Process, limit: float) -> BuildResult:
    try:
        exit_description = process.exit_description() if process.wait(limit) else None
    finally:
        process.end()
    return BuildResult(exit_description, process.output_text)


def _build_in_sandbox(agent: Agent, command: list[str], limit: float) -> BuildResult:
    from gomogo_core.processes import sandbox

    sandbox.require_sandbox()
    user, owner = sandbox.sandbox_user(), agent.folder.stat()
    if user is not None:
        _change_owner(agent.folder, user.user_id, user.user_id)
    try:
        sandboxed = sandbox.sandboxed_command(
            command,
            agent.folder,
            [PACKAGES_FOLDER / "gomogo_core"],
            user,
            {"HOME": "/tmp", "PYTHONPATH": str(PACKAGES_FOLDER)},
            mount_point=str(agent.folder),
            tools=re.findall(r"[\w.+-]+", agent.build_command),
        )
        process = Process(
            sandboxed.words,
            agent.folder,
            sandboxed.environment,
            limits=replace(_BUILD_LIMITS, has_own_user=user is not None),
            is_sandboxed=True,
            command_descriptors=sandboxed.descriptors,
        )
        return _run_process(process, limit)
    finally:
        if user is not None:
            _change_owner(agent.folder, owner.st_uid, owner.st_gid)
            user.close()


def _change_owner(folder: Path, user_id: int, group_id: int) -> None:
    """Change the owner of a folder and of its content. No agent may run meanwhile, because an agent could move
    files.
    """
    for _, folders, files, folder_descriptor in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            os.chown(name, user_id, group_id, dir_fd=folder_descriptor, follow_symlinks=False)
    os.chown(folder, user_id, group_id)


def child_environment() -> dict[str, str]:
    """Return this process's environment variables, with Gomogo's modules on PYTHONPATH, so that agents find the modules
    in a clone too.
    """
    paths = [str(PACKAGES_FOLDER), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, **UNBUFFERED_OUTPUT, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
