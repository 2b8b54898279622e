"""A path that names a FIFO or a device is refused with a message, and blocks no command."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from click.testing import CliRunner

from gomogo.cli import gomogo
from gomogo_core.arena.confinement import readable_paths
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.fingerprints import agent_fingerprint
from gomogo_core.records.live_format import read_live_events
from gomogo_core.regular_files import NO_LINK_FLAG, READ_FLAGS, open_regular
from tournaments.submissions.roster import read_roster

MOST = 60  # seconds: a guard, so that a test that hangs fails


@pytest.fixture(autouse=True)
def guard() -> Iterator[None]:
    def hangs(number: int, frame: FrameType | None) -> None:
        raise AssertionError("it waits for a FIFO")

    before = signal.signal(signal.SIGALRM, hangs)
    signal.alarm(MOST)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("replay {}", "game.json"),
        ("replay {}", "game.sgf"),
        ("draw {}", "board.txt"),
        ("rate {}", "results.csv"),
        ("play --load {}", "saved.json"),
        ("tournament check {}", "cup.toml"),
        ("match random_mover random_mover --openings {}", "openings.txt"),
        ("match random_mover random_mover --openings {}", "openings.sgf"),
        ("match random_mover {}", "bot.py"),
    ],
)
def test_a_command_refuses_a_fifo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo(name)
    with pytest.raises(UserError) as error_info:
        CliRunner().invoke(gomogo, command.format(f"./{name}").split(), catch_exceptions=False, standalone_mode=False)
    assert "it is not a regular file" in error_info.value.problem
    assert "permission" not in error_info.value.remedy


def test_a_fifo_beside_an_agent_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("def choose(position, clock): ...\n")
    os.mkfifo(tmp_path / "other.py")
    found_agent = agent(str(tmp_path / "bot.py"))
    assert tmp_path in readable_paths(found_agent)
    before = agent_fingerprint(found_agent)
    os.mkfifo(tmp_path / "agent.toml")
    assert agent_fingerprint(found_agent) == before


def test_no_reader_opens_a_fifo(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(OSError, match="it is not a regular file"):
        list(read_live_events(tmp_path / "fifo"))
    with pytest.raises(UserError, match="it is not a regular file"):
        read_roster(tmp_path / "fifo")


@pytest.mark.parametrize(("place", "kind_words"), [("/dev/zero", "it is not a regular file"), ("/", "Is a directory")])
def test_a_path_that_is_not_a_file_is_refused_by_its_kind(place: str, kind_words: str) -> None:
    with pytest.raises(OSError, match=kind_words):
        open_regular(place)


def test_a_link_is_followed_unless_the_caller_refuses_links(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("file")
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"x"
    with pytest.raises(OSError, match="symbolic link"):
        open_regular(tmp_path / "link", READ_FLAGS | NO_LINK_FLAG)
