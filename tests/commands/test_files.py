"""A file is written whole or not at all; a failed write keeps the previous file."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from gomogo.commands.agent import templates
from gomogo.output_files import is_file_name, write_atomically


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk on which files can be created, but not written."""

    def refuse(path: Path, *_: Any) -> int:
        path.open("wb").close()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", refuse)


def test_an_overwritten_file_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    path.write_text("old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert (path.read_text(), path.stat().st_mode & 0o777, os.listdir(tmp_path)) == ("new", 0o640, ["game.json"])


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "game.json")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "game.json").read_bytes() == b"new"


def test_a_device_is_not_replaced_by_a_file() -> None:
    write_atomically(Path(os.devnull), b"gone")
    assert not Path(os.devnull).is_file()


def test_a_new_file_never_overwrites_another(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("mine")
    with pytest.raises(FileExistsError):
        write_atomically(tmp_path / "bot.py", b"new", must_be_new=True)
    assert (tmp_path / "bot.py").read_text() == "mine"


@pytest.mark.usefixtures("full")
def test_a_full_disk_keeps_the_previous_file(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_text("old")
    for name, new in (("game.json", False), ("other.json", False), ("bot.py", True)):
        with pytest.raises(OSError, match="No space left"):
            write_atomically(tmp_path / name, b"new", must_be_new=new)
    assert os.listdir(tmp_path) == ["game.json"]
    assert (tmp_path / "game.json").read_text() == "old"


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("folder", [False, True])
def test_a_full_disk_leaves_no_partial_agent(tmp_path: Path, folder: bool) -> None:
    with pytest.raises(OSError, match="No space left"):
        templates.write_agent(tmp_path, "my_bot", None, folder=folder)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("word", "is_file"),
    [("no.sgf", True), ("no.JSON", True), ("out/x", True), ("last", False), ("0a1b", False), ("cup.v2", False)],
)
def test_an_extension_or_a_folder_marks_a_file_name(word: str, is_file: bool) -> None:
    assert is_file_name(word, ("sgf", "psq", "json")) is is_file
