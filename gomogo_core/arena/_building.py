"""Makes an agent ready to be started: its build command, once, and a look whether its program is there.

Knows agents; starts none of them.
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import NamedTuple

from gomogo_core.catalogue import Agent, check_program
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import DEFAULT, Level, Limits
from gomogo_core.processes.process import Process

BUILD_LIMIT = 300.0  # seconds a build command may take
_BUILT_MB, _BUILT_ENTRIES = 4096, 200_000  # what its folder may hold in the end
OURS = Path(__file__).resolve().parents[2]  # where our own modules lie
_built: set[Agent] = set()
_build_lock = threading.Lock()


class Built(NamedTuple):
    """What became of a build. ended: how its command did, `exited with code 0` where all is well; None out of time."""

    ended: str | None
    printed: str

    @property
    def well(self) -> bool:
        """Whether the command did what it should."""
        return self.ended == "exited with code 0"


def build(agent: Agent, level: Level = DEFAULT) -> None:
    """Run the agent's build command, once in this process, and see that its program can be started.

    Raises UserError with what the command complained of, or why there is nothing to start.
    """
    with _build_lock:
        if agent in _built:
            return
        if agent.build:
            _check(agent, run_build(agent, level))
        check_program(agent)
        _built.add(agent)


def _check(agent: Agent, built: Built) -> None:
    if built.ended is None:
        raise UserError(
            f"Building {agent.spec} took more than {BUILD_LIMIT:g} s.",
            f"Run `{agent.build}` in {agent.folder} yourself.",
        )
    if not built.well:
        raise UserError(
            f"Building {agent.spec} failed: {_complaint(built.printed) or built.ended}.",
            f"Run `{agent.build}` in {agent.folder} and mend what it says.",
        )


def _complaint(printed: str) -> str:
    """The line that says what is wrong: the first that calls itself an error, as compilers' do, else the last."""
    said = printed.strip().splitlines()
    wrong = (line for line in said if re.search(r"\berror\b", line, re.IGNORECASE))  # not in make's `cc -Werror x.c`
    return next(wrong, said[-1] if said else "").strip().rstrip(".")


def run_build(agent: Agent, level: Level = DEFAULT, limit: float = BUILD_LIMIT) -> Built:
    """Run the agent's build command in its folder, for `limit` seconds at most, with all it starts.

    In the sandbox it can write that folder only, and /tmp.
    """
    command = ["sh", "-c", agent.build]
    if level == "bwrap":
        return _build_inside(agent, command, limit)
    limits = Limits(folder_mb=_BUILT_MB, entries=_BUILT_ENTRIES) if level == "limits" else None
    return _ran(Process(command, agent.folder, dict(os.environ), limits=limits), limit)


def _ran(process: Process, limit: float) -> Built:
    try:
        ended = process.ended() if process.wait(limit) else None
    finally:
        process.end()
    return Built(ended, process.printed)


def _build_inside(agent: Agent, command: list[str], limit: float) -> Built:
    from gomogo_core.processes import sandbox

    sandbox.require()
    user, owner = sandbox.user(), agent.folder.stat()
    if user is not None:
        _give(agent.folder, user.number, user.number)
    try:
        enclosed = sandbox.enclose(
            command,
            agent.folder,
            [OURS / "gomogo_core"],
            user,
            {"HOME": "/tmp", "PYTHONPATH": str(OURS)},
            at=str(agent.folder),
            tools=re.findall(r"[\w.+-]+", agent.build),
        )
        limits = Limits(folder_mb=_BUILT_MB, entries=_BUILT_ENTRIES, own_user=user is not None)
        process = Process(
            enclosed.words,
            agent.folder,
            enclosed.environment,
            limits=limits,
            wrapped=True,
            passed=enclosed.descriptors,
        )
        return _ran(process, limit)
    finally:
        if user is not None:
            _give(agent.folder, owner.st_uid, owner.st_gid)
            user.close()


def _give(folder: Path, user: int, group: int) -> None:
    """Give a folder to a user with all in it, while no program runs that could move things under our hands."""
    for _, folders, files, here in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            os.chown(name, user, group, dir_fd=here, follow_symlinks=False)
    os.chown(folder, user, group)


def environment() -> dict[str, str]:
    """Ours, and our own modules in reach of agents that import them, whether the project is installed or not."""
    paths = [str(OURS), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
