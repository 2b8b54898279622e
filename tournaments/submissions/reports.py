"""Write the folder of grades as a whole or not at all: a crash leaves the old one in place.

Uses grades and the store; counts nothing.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

from gomogo_core.errors import UserError
from gomogo_core.printable import printable
from gomogo_core.records.store import Run, Store
from gomogo_core.wire.small_files import remove_tree
from tournaments.standings import Standings
from tournaments.submissions.course import Course
from tournaments.submissions.grade_files import as_csv, as_junit
from tournaments.submissions.grading import Grade
from tournaments.submissions.preparing import BUILDS
from tournaments.submissions.student_pages import page

FILES = ("table.txt", "standings.json", "grades.csv", "grades.xml", "students")
_AT_FDCWD, _EXCHANGE = -100, 2


def check_place(folder: Path) -> None:
    """Raise UserError unless grades can be written there: other people's files are never replaced."""
    try:
        foreign = sorted({one.name for one in folder.iterdir()} - {*FILES}) if folder.exists() else []
    except OSError as fault:
        raise UserError(f"{folder} cannot be read: {fault.strerror}.", "Name a folder by --grades.") from None
    if foreign:
        raise UserError(
            f"{folder} holds {foreign[0]}, which is not a grades file: the whole folder would be replaced.",
            "Name a folder of its own by --grades.",
        )


def write(
    folder: Path, course: Course, graded: Sequence[Grade], result: Standings, table: str, store: Store, run: Run
) -> None:
    """Write all files of the grades into a new folder, and replace the old one by it.

    table: the table as text. Raises UserError if it cannot be written.
    """
    new: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        for left in folder.parent.glob(f".{folder.name}-new-*"):  # by a process that was killed
            remove_tree(left)
        new = Path(mkdtemp(prefix=f".{folder.name}-new-", dir=folder.parent))
        new.chmod(0o755)
        (new / "table.txt").write_text(f"{table}\n", encoding="utf-8")
        (new / "standings.json").write_text(json.dumps(result.as_json(), indent=2) + "\n", encoding="utf-8")
        (new / "grades.csv").write_text(as_csv(graded), encoding="utf-8")
        (new / "grades.xml").write_bytes(as_junit(graded))
        for grade in graded:
            _write_student(new / "students" / grade.name, course, grade, store, run)
        check_place(folder)
        _replace_folder(new, folder)
    except OSError as fault:
        raise UserError(
            f"The grades cannot be written to {folder}: {fault.strerror}.",
            "The games are stored: fix that, and run the same command again to write the reports.",
        ) from None
    finally:
        if new is not None and new.exists():
            remove_tree(new)


def _write_student(folder: Path, course: Course, grade: Grade, store: Store, run: Run) -> None:
    folder.mkdir(parents=True)
    shown = _names_on_page(course, grade)
    games = store.games_of(run, player=grade.player.player) if grade.player is not None else ()
    with (folder / "index.html").open("w", encoding="utf-8", errors="replace") as file:
        file.writelines(page(grade, course.spec.name, games, shown))
    for step in grade.prepared.steps:
        if step.name == BUILDS:
            log = printable(step.printed, lines=True)  # a reader's terminal must not obey it
            (folder / "build.log").write_text(log, encoding="utf-8", errors="replace")


def _names_on_page(course: Course, grade: Grade) -> Mapping[str, str]:
    """Return the names on a student's page: the student by name, the others as in the game."""
    called = {one.player: one.called for one in course.entrants}
    return {**called, grade.player.player: grade.name} if grade.player is not None else called


def _replace_folder(new: Path, folder: Path) -> None:
    """Replace a folder by a finished one in one step, if the system has such a step."""
    if not folder.exists():
        os.replace(new, folder)
        return
    if not _exchange(new, folder):
        old = Path(mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent))
        os.replace(folder, old)
        os.replace(new, folder)
        remove_tree(old)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders at once; False if that is impossible."""
    if sys.platform != "linux":
        return False
    with suppress(OSError, AttributeError):
        rename = ctypes.CDLL(None).renameat2
        return bool(rename(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0)
    return False
