"""What lies in folders that strangers fill: submissions as zips, game folders as agents see them; and reports."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gomogo_core.agent._program import AgentGame, AgentProgram
from gomogo_core.errors import UserError
from gomogo_core.processes.process import parse_report_line
from gomogo_core.wire.waiter import Waiter
from tests.reading._of_files import folder
from tests.reading._parsers import Parser
from tournaments.submissions.entry_names import SubmissionIdRegister
from tournaments.submissions.intake import import_submissions


def _zipped(*entries: tuple[str, bytes], mode: int = 0o100644) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            info = zipfile.ZipInfo(name)
            info.external_attr, info.compress_type, info.create_system = mode << 16, zipfile.ZIP_DEFLATED, 3
            archive.writestr(info, content)
    return packed.getvalue()


def _zip(content: bytes) -> object:
    """Import a submission. A fault is a refusal; no file is written outside the submission's folder."""
    handed_in, work = folder() / "handed-in", folder() / "taken-in"
    handed_in.mkdir(exist_ok=True)
    (handed_in / "ann.zip").write_bytes(content)
    entries = sorted(os.listdir(folder()))
    try:
        (imported,) = import_submissions(handed_in, work, 1, SubmissionIdRegister()).submissions
        assert set(os.listdir(work)) == {"ann"}
        assert set(os.listdir(folder())) == {*entries, "taken-in"}
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if imported.problem:
        raise UserError(imported.problem, "Hand in another.")
    return imported


def _game_folder(content: bytes) -> object:
    """What our agents, and a person's console, read of a game; the parts of it stand one after the other."""
    place = folder() / "game"
    place.mkdir(exist_ok=True)
    names = ("game.json", "history_file", "move_file", "position.json")
    for name, part in zip(names, [*content.split(b"\0", 3), b"", b"", b""], strict=False):
        (place / name).write_bytes(part)
    before = Path.cwd()
    os.chdir(place)
    waiter = Waiter(place, 0)
    try:
        agent = AgentProgram("a", lambda position, clock: next(position.moves()), {}, None, ())
        seat = AgentGame(agent, waiter)
        seat._read_game_json()
        seat._require_supported_game()
        position = seat._current_position()
        seat._create_clock(0.0, position)
        return position
    finally:
        waiter.close()
        os.chdir(before)


_BOT: Callable[[str], tuple[str, bytes]] = lambda name: (name, b"def choose(position, clock): ...\n")  # noqa: E731
_ABOUT: dict[str, Any] = {
    "protocol": 1,
    "game": "go",
    "options": {"size": 5},
    "teams": ["a", "b"],
    "time": {"a": {"per_move": None, "total": 60.0, "increment": 0, "grace": 0.05}},
    "seed": 3,
    "you": "a",
}
_FACTS = {"clocks": {"a": 50.0, "b": None}}


def _parts(parts: dict[str, Any], history: bytes = b"", last: bytes = b"", facts: object = _FACTS) -> bytes:
    return b"\0".join([json.dumps(parts).encode(), history, last, json.dumps(facts).encode()])


PARSERS = (
    Parser(
        "zips",
        _zip,
        accepted=(_zipped(_BOT("bot.py")), _zipped(_BOT("deep/bot.py"), ("deep/notes.txt", b"x" * 999))),
        refused=(
            b"",
            b"PK\5\6" + b"\0" * 18,
            _zipped(_BOT("../bot.py")),
            _zipped(_BOT("/bot.py")),
            _zipped(_BOT("bot.py"), mode=0o120777),
            _zipped(("big", b"\0" * 2_000_000)),
            _zipped(_BOT("a/" * 40 + "bot.py")),
            _zipped(_BOT("bot.py"), _BOT("bot.py/x")),
            _zipped(_BOT("x" * 300)),
            _zipped(("agent.toml", b"\xff"))[:-9],
        ),
    ),
    Parser(
        "game_folders",
        _game_folder,
        accepted=(
            _parts(_ABOUT, b"a c 3\nb pass\n", b"b pass\n"),
            _parts({}, b"a h 8\n", b"b zz 99"),
            _parts(_ABOUT, b"a c 3\na c 3\nc x\n"),
            b"[" * 100_000,
            b"[]",
            _parts({**_ABOUT, "time": 5, "teams": 7, "you": ["x"]}),
            _parts({**_ABOUT, "time": {"a": {"total": "soon"}}}, facts={"clocks": {"a": "soon"}}),
        ),
        refused=(_parts({**_ABOUT, "game": "chess"}), _parts({**_ABOUT, "options": {"size": "9" * 5000}})),
    ),
    Parser(
        "reports",
        parse_report_line,
        accepted=(b'{"ended": "exited with code 1"}', b'{"printed": 5}', b"[]", b"[" * 100_000, b"\xff", b"null"),
    ),
)
