"""The command line in a folder with two fast bots, and the output of commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

BOT = '''"""Any legal move."""
import random
KEEP_RUNNING = True
def choose(position, clock):
    return random.choice(list(position.moves()))
'''
QUICK_OPTIONS = ("--option", "size=6", "--option", "line=4", "--workers", "2")


class CommandResult(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., CommandResult]


def write_tournament_file(**overrides: object) -> str:
    path = Path("spring.toml")
    asked = {"agents": ["a.py", "b.py"], "games_per_pair": 4, **overrides}
    lines = [f"{key} = {json.dumps(value)}" for key, value in asked.items()]
    path.write_text("\n".join([*lines, "[options]", "size = 6", "line = 4"]))
    return str(path)
