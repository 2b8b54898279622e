"""Names, analysis, errors and files of agents are escaped on terminals and in files for people."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gomogo_core.arena import child_environment
from gomogo_core.records.formats import FORMATS
from tests.reading._of_files import create_record

ROOT = Path(__file__).parents[2]
ESCAPES = "\x1b[2J\x1b]0;owned\x07\r\x9b31m\u202e\b"
HARM = f"so{ESCAPES}"
TALKS = f"""{HARM!r}
import json, sys
HARM = {HARM!r}
for line in sys.stdin:
    told = json.loads(line)
    print(HARM, file=sys.stderr, flush=True)
    if told["type"] == "game":
        print(json.dumps({{"ready": True}}), flush=True)
    elif told["type"] == "turn":
        rows = told["board"]
        empty = [(c, r) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == "."]
        c, r = empty[0]
        print(json.dumps({{"thoughts": HARM, "line": [HARM], "score": 1}}), flush=True)
        move = HARM if len(empty) < WHEN else chr(97 + c) + str(r + 1)
        print(json.dumps({{"move": move}}), flush=True)
"""
CHOOSES = f"""{HARM!r}
import sys
def choose(position, clock):
    print({HARM!r}, file=sys.stderr)
    return next(position.moves())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with agents that write escapes wherever they can, and a tournament between them."""
    # in its last turn, the second agent writes escapes instead of a move
    for name, fault_place in (("talks", 0), ("ends", 20)):
        (tmp_path / f"{name}.py").write_text(TALKS.replace("WHEN", str(fault_place)))
    (tmp_path / "chooses.py").write_text(CHOOSES)
    (tmp_path / "bot").mkdir()
    name = "".join(f"\\u{ord(sign):04x}" for sign in HARM)
    command = json.dumps([sys.executable, str(tmp_path / "talks.py")])
    (tmp_path / "bot" / "agent.toml").write_text(f'name = "{name}"\ncommand = {command}\nprotocol = "json"\n')
    agents = ["bot", "chooses.py", f"json:{sys.executable} {tmp_path / 'ends.py'}"]
    (tmp_path / "t.toml").write_text(f"agents = {json.dumps(agents)}\noptions = {{ size = 5 }}\n")
    return tmp_path


def said(folder: Path, *words: str, code: int = 0) -> str:
    """Return the output of a command, which contains no control sequence that a terminal would execute."""
    result = subprocess.run(
        [sys.executable, "-m", "gomogo", *words],
        cwd=folder,
        env={**child_environment(), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    out = (result.stdout + result.stderr).decode()
    assert result.returncode == code, out
    obeyed = {sign for sign in out if not sign.isprintable() and sign != "\n"}
    assert not obeyed, f"{words}: {out!r}"
    return out


@pytest.mark.slow
def test_every_command_escapes_the_output_of_agents(folder: Path) -> None:
    assert "so\\x1b[2J" in said(folder, "tournament", "check", "t.toml")
    said(folder, "tournament", "run", "t.toml")
    for words in (
        ("tournament", "show", "t.toml", "--cross", "--reasons"),
        ("tournament", "results", "t.toml"),
        ("results", "chooses"),
        ("replay", "last"),
        ("replay", "last", "--move", "2"),
        ("export", "t", "--format", "positions-csv", "-o", "rows.csv"),
    ):
        said(folder, *words)
    said(folder, "export", "t", "--format", "sgf", "-o", "out")
    files = list(folder.rglob("*.sgf"))
    assert len(files) == 6
    for path in files:
        assert path.name.isascii()
        assert path.name.isprintable()
        assert all(sign.isprintable() or sign == "\n" for sign in path.read_text())


@pytest.mark.slow
def test_watch_and_check_escape_the_output_of_agents(folder: Path) -> None:
    ends = f"json:{sys.executable} {folder / 'ends.py'}"
    assert "so\\x1b[2J" in said(folder, "play", ends, "chooses.py", "-o", "size=5")
    assert "so\\x1b[2J" in said(folder, "agent", "check", ends, "--game", "gomoku", "--only", "whole_games", code=1)


@pytest.mark.slow
def test_refusals_escape_the_content_of_files(folder: Path) -> None:
    escaped = json.dumps(HARM)
    (folder / "key.toml").write_text(f"{escaped} = 1\nagents = []\n")
    (folder / "option.toml").write_text(f'agents = ["greedy"]\noptions = {{ size = {escaped} }}\n')
    (folder / "names.csv").write_text(f"first,second,score\n{HARM.replace(chr(13), '')},b,7\n")
    (folder / "rates.csv").write_text(f"first,second,score\n{HARM.replace(chr(13), '')},b,1\nb,c,0\nc,a,0.5\n")
    (folder / "game.sgf").write_text(f"(;GM[4]SZ[{HARM}])")
    (folder / "game.psq").write_text(f"Piskvorky 15x15, 11:11, 0\n99,99,{ESCAPES}\n")
    (folder / "game.json").write_bytes(
        FORMATS["json"].write(create_record(names=(HARM, "bob"), thoughts=(HARM, None, HARM)))
    )
    (folder / "bad").mkdir()
    (folder / "bad" / "agent.toml").write_text(f"{escaped} = 1\n")
    said(folder, "tournament", "check", "key.toml", code=1)
    said(folder, "tournament", "check", "option.toml", code=1)
    said(folder, "rate", "names.csv", code=1)
    said(folder, "rate", "rates.csv")
    said(folder, "replay", "game.sgf", code=1)
    said(folder, "replay", "game.psq")
    said(folder, "replay", "game.json")
    said(folder, "agent", "check", "bad", code=1)
    said(folder, "tournament", "show", HARM, code=1)


def test_a_record_keeps_raw_output_and_the_screen_escapes_it(folder: Path) -> None:
    words = [sys.executable, str(ROOT / "gameTest.py"), "bot", "chooses.py", "-o", "size=5", "--keep", "kept"]
    result = subprocess.run(words, cwd=folder, env={**os.environ}, capture_output=True, check=True)
    out = (result.stdout + result.stderr).decode()
    assert not {sign for sign in out if not sign.isprintable() and sign != "\n"}
    record = json.loads((folder / "kept" / "record.json").read_text())
    assert HARM in [thoughts for thoughts in record["thoughts"] if thoughts]
