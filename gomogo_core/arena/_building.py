"""Makes an agent ready to be started: its build command, once, and a look whether its program is there.

Knows agents; starts none of them.
"""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

from gomogo_core.catalogue import Agent, check_program
from gomogo_core.errors import UserError

BUILD_LIMIT = 300.0  # seconds a build command may take
_ROOT = str(Path(__file__).resolve().parents[2])
_built: set[Agent] = set()
_build_lock = threading.Lock()


def build(agent: Agent) -> None:
    """Run the agent's build command, once in this process, and see that its program can be started.

    Raises UserError with the end of what the command said, or why there is nothing to start.
    """
    with _build_lock:
        if agent in _built:
            return
        if not agent.build:
            check_program(agent)
            _built.add(agent)
            return
        try:
            done = subprocess.run(
                agent.build,
                shell=True,
                cwd=agent.folder,
                capture_output=True,
                text=True,
                timeout=BUILD_LIMIT,
                check=False,
            )
            said = (done.stdout + done.stderr).strip().splitlines()
        except subprocess.TimeoutExpired:
            raise UserError(
                f"Building {agent.spec} took more than {BUILD_LIMIT:g} s.",
                f"Run `{agent.build}` in {agent.folder} yourself.",
            ) from None
        if done.returncode:
            raise UserError(
                f"Building {agent.spec} failed: {said[-1] if said else f'exit code {done.returncode}'}.",
                f"Run `{agent.build}` in {agent.folder} and mend what it says.",
            )
        check_program(agent)
        _built.add(agent)


def environment() -> dict[str, str]:
    """Ours, and our own modules in reach of agents that import them, whether the project is installed or not."""
    paths = [_ROOT, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
