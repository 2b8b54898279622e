"""Terminals, files and records show a stranger's name and output as text, and never interpret them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gomogo_core.catalogue import agent
from gomogo_core.conformance.misbehaving._output import HOSTILE_TEXT
from gomogo_core.conformance.misbehaving.cases import FAULTS, LONG_LIMIT, misbehaving_program
from gomogo_core.errors import UserError
from gomogo_core.wire.lines import check_teams

NAMES = [
    HOSTILE_TEXT,
    "a\nb\r\nc\0d",
    "../../etc/passwd",
    "x" * 10_000,
    "<b>bold</b>&amp;",
    "\u202egnp.exe",
    "-rf",
    "…",
    "",
]


def folder_named(place: Path, name: str, protocol: str, fault: str = "prints_terminal_escapes_and_html") -> Path:
    """A folder whose agent.toml calls a program that misbehaves by this name."""
    program = misbehaving_program(FAULTS[fault], protocol, 0, LONG_LIMIT)
    place.mkdir()
    description = {"name": name, "command": list(program.command), "protocol": protocol, "games": ["gomoku"]}
    (place / "agent.toml").write_text("\n".join(f"{key} = {json.dumps(value)}" for key, value in description.items()))
    return place


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_name_in_an_agent_toml_becomes_a_valid_team_name(tmp_path: Path, name: str) -> None:
    check_teams([agent(str(folder_named(tmp_path / "bot", name, "json"))).name])


@pytest.mark.slow
@pytest.mark.parametrize("team", [name for name in NAMES if name != "-rf"])
def test_a_team_on_the_command_line_is_refused_in_plain_words(team: str) -> None:
    with pytest.raises(UserError) as error_info:
        agent(f"files:{team}:true")
    assert all(sign.isprintable() or sign == "\n" for sign in str(error_info.value))
    assert len(str(error_info.value)) < 500


def gomogo(here: Path, *words: str) -> str:
    """The output of a command, which must succeed."""
    result = subprocess.run(
        [sys.executable, "-m", "gomogo", *words], cwd=here, stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    output = (result.stdout + result.stderr).decode()
    obeyed = {sign for sign in output if not sign.isprintable()} - {"\n"}
    assert not obeyed, (words, obeyed)
    assert result.returncode == 0, output
    assert "Traceback" not in output
    return output


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["gomocup", "json"])
def test_output_of_an_agent_is_escaped_everywhere(
    tmp_path: Path, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    monkeypatch.setenv("GOMOGO_STORE", str(tmp_path / "games.db"))
    bot = folder_named(tmp_path / "bot", "evil\x1b[31m <b>", protocol)
    loser = folder_named(tmp_path / "loser", "\x07bell", protocol, "writes_terminal_escapes_and_html")
    terse = protocol == "json"  # from here on, its output takes the same path
    output = gomogo(tmp_path, "match", str(bot), "random_mover", "-n", "2", "--option", "size=5", "--name", "one")
    output += gomogo(tmp_path, "replay", "last")
    for words in () if terse else ("results", "tournament results", "tournament show"):
        named = [str(bot)] if words == "results" else ["one"]
        output += gomogo(tmp_path, *words.split(), *named)
    for form in ("sgf", "json", "positions-csv"):
        output += gomogo(tmp_path, "export", "last", "--format", form)
    if terse:
        assert "<b>" in output  # the remark was recorded, and is shown
        return
    output += gomogo(tmp_path, "match", str(loser), "random_mover", "-n", "2", "--option", "size=5", "--name", "two")
    output += gomogo(tmp_path, "replay", "last") + gomogo(tmp_path, "play", str(loser), "random_mover", "-o", "size=5")
    assert "script" in output
