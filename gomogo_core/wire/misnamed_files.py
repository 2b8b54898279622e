"""Finds a file that an agent wrote by mistake instead of `move_file`. The module does not depend on games."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from gomogo_core.wire.small_files import read_state

_MAX_ENTRIES = 500  # the most entries of folders to read, because a program can create any number of folders
# the least similarity of two names, as difflib measures it; "move_flie", "movefile" and "move-file.txt" pass
_MIN_SIMILARITY = 0.75
_CLOCK_ERROR = 0.02  # seconds by which the time stamp of a file may be behind the clock


def find_misnamed_move_file(folder: Path, other_folders: Sequence[Path], since: float, team: str) -> str | None:
    """Return the path of a file that an agent wrote by mistake after `since` (by time.time()); None if there is none.

    In `folder` and below, this is a file whose name is similar to `move_file`, or whose text begins with the team's
    name; the result is relative to `folder`. Directly in the folders `other_folders`, only a similar name counts; the
    result is an absolute path.
    """
    recent_files = list(_recently_written(folder, since - _CLOCK_ERROR, recursive=True))
    other_files = [path for path in recent_files if path != folder / "move_file"]
    for path in other_files:
        if _resembles_move_file(path.name):
            return repr(str(path.relative_to(folder)))
    for path in other_files:
        words = (read_state(str(path), 80).content or b"").decode("utf-8", "replace").casefold().split()
        if words[:1] == [team.casefold()] and 2 <= len(words) <= 3:
            return repr(str(path.relative_to(folder)))
    for other_folder in other_folders:
        for path in _recently_written(other_folder, since - _CLOCK_ERROR, recursive=False):
            if _resembles_move_file(path.name):
                return repr(str(path))
    return None


_REFEREE_FILES = {"end_game", "history_file", "game.json", "position.json", "next_game", ".move_file.new"}


def _recently_written(folder: Path, since: float, *, recursive: bool) -> Iterator[Path]:
    folders_to_scan, entries_left = [folder], _MAX_ENTRIES
    while folders_to_scan and entries_left:
        try:
            entries = list(os.scandir(folders_to_scan.pop(0)))
        except OSError:
            continue
        for entry in sorted(entries[:entries_left], key=lambda dir_entry: dir_entry.name):
            entries_left -= 1
            try:
                if entry.is_dir(follow_symlinks=False):
                    if recursive:
                        folders_to_scan.append(Path(entry.path))
                elif entry.name not in _REFEREE_FILES and entry.stat(follow_symlinks=False).st_mtime >= since:
                    yield Path(entry.path)
            except OSError:  # the file no longer exists
                continue


def _resembles_move_file(name: str) -> bool:
    from difflib import SequenceMatcher  # seldom needed

    name_without_ending = name.casefold()
    for ending in (".txt", ".text", ".dat"):
        name_without_ending = name_without_ending.removesuffix(ending)
    return SequenceMatcher(None, name_without_ending, "move_file").ratio() >= _MIN_SIMILARITY
