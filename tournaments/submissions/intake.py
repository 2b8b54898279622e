"""Import students' submissions: copy each entry into a folder of its own, whose name is the hash of the content.

An entry is the folder or file that a student hands in. A faulty entry does not affect other entries. The module builds
nothing and starts no program.
"""

from __future__ import annotations

import ast
import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from filelock import FileLock, Timeout

from gomogo_core import fingerprints
from gomogo_core.catalogue import to_team_name
from gomogo_core.errors import UserError
from gomogo_core.printable import printable
from gomogo_core.regular_files import read_regular
from gomogo_core.wire.small_files import remove_tree
from tournaments.submissions.copying import (
    CopyLimits,
    UnusableSubmission,
    copy_file,
    copy_folder,
    extract_zip,
    is_ignored,
)
from tournaments.submissions.entry_names import NameRegister, folded_title, table_name

_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")
_ENTRY_SUFFIXES = (".zip", ".py", *_OTHER_ARCHIVES)
_HASH_DIGITS = 16  # are enough to distinguish the versions of one student's program
AMBIGUITY_REMEDY = "Which one counts? Move the others out of the folder."
_DEFAULT_MEGABYTES = 100  # size limit of an entry that does not belong to a course
_FOLDER_REMEDY = "Name a folder with a folder or a zip file for each student."


@dataclass(frozen=True)
class Submission:
    """One student's submission.

    entry_name: the name of the folder or file that was handed in. name: the entry's key, for files. hash: a hash of all
    files of the submission. folder: the folder with the copy. program: the path of the agent in this
    folder, for the catalogue. fault: the reason why the submission cannot be used, or empty. A submission with a fault
    may have neither hash nor folder. title: the name of the entry without its suffix.
    """

    entry_name: str
    name: str
    hash: str = ""
    folder: Path = Path()
    program: Path = Path()
    fault: str = ""
    title: str = ""

    @property
    def table_name(self) -> str:
        """The name in tables."""
        return table_name(self.title, self.name)

    def hide_folder(self, text: str) -> str:
        """Return a text for the student, without the path and the name of the copy."""
        if not self.hash:
            return text
        for path in {str(self.folder), str(self.folder.absolute()), str(self.folder.resolve())}:
            text = text.replace(f"{path}/", "").replace(path, self.entry_name)
        return text.replace(self.hash, self.entry_name)  # the catalogue gives an agent the name of its folder


@dataclass(frozen=True)
class Intake:
    """All imported submissions, in the order of their entries. skipped: the names of files that are no submissions."""

    submissions: tuple[Submission, ...]
    skipped: tuple[str, ...] = ()

    @property
    def titles(self) -> dict[str, str]:
        """The names of all entries, by their titles."""
        return {submission.title: submission.entry_name for submission in self.submissions}

    def add_faults(self, faults: Mapping[str, str]) -> Intake:
        """Return the intake with faults for some submissions. faults: the faults by the titles of the entries."""
        return replace(
            self,
            submissions=tuple(
                replace(submission, fault=faults[submission.title]) if submission.title in faults else submission
                for submission in self.submissions
            ),
        )

    def duplicate_sentences(self) -> list[str]:
        """Return a sentence for each group of submissions with exactly the same files."""
        names_by_hash: dict[str, list[str]] = {}
        for submission in self.submissions:
            if submission.hash:
                names_by_hash.setdefault(submission.hash, []).append(printable(submission.entry_name))
        return [
            f"{', '.join(names[:-1])} and {names[-1]} handed in the same files, so the order among them is chance."
            for names in names_by_hash.values()
            if len(names) > 1
        ]


@contextmanager
def lock_intake(copies: Path, run: str) -> Iterator[None]:
    """Lock the import of submissions for a run. Raises UserError if another process has the lock."""
    lock = FileLock(copies / ".lock", timeout=1.0)
    try:
        copies.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UserError(
            f"Another process is playing the submissions for {run!r}.",
            f"Wait for it, or stop it with `gomogo tournament stop {run}`.",
        ) from None
    except OSError as error:
        raise UserError(
            f"{copies} cannot be written: {error.strerror}.", "Choose another store with --store."
        ) from None
    try:
        yield
    finally:
        lock.release()


def import_submissions(submissions_folder: Path, copies: Path, megabytes: int, register: NameRegister) -> Intake:
    """Import every entry of a folder. copies: the folder for the copies. megabytes: size limit of an entry.

    register: the register that has the keys of earlier entries, and creates keys for new entries. Entries that differ
    only by case or suffix are one submission with a fault. Raises UserError if the folder cannot be read, if the folder
    is clearly the wrong one, or if the copies cannot be written.
    """
    try:
        entries = sorted(
            entry
            for entry in submissions_folder.iterdir()
            if not entry.name.startswith(".") and not is_ignored(entry.name)
        )
    except OSError as error:
        raise UserError(
            f"The folder of submissions {submissions_folder} cannot be read: {error.strerror}.",
            _FOLDER_REMEDY,
        ) from None
    if copies.resolve().is_relative_to(submissions_folder.resolve()):
        raise UserError(
            f"The folder {submissions_folder} contains {copies}, the folder for copies of submissions.", _FOLDER_REMEDY
        )
    try:
        copies.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            f"{copies} cannot be created: {error.strerror}.", "Choose another store with --store."
        ) from None
    groups, skipped = dict[str, list[Path]](), list[str]()
    for entry in entries:
        if _is_submission(entry):
            groups.setdefault(folded_title(entry_title(entry)), []).append(entry)
        else:
            skipped.append(entry.name)
    if not groups and any(
        entry.is_dir() for entry in copies.iterdir()
    ):  # for a mistyped folder, no empty grades may be written
        raise UserError(
            f"The folder {submissions_folder} contains no submissions, although there were some in an earlier run.",
            _FOLDER_REMEDY,
        )
    names = register.keys([entry_title(entry_group[0]) for entry_group in groups.values()])
    imported = tuple(
        _create_ambiguous_submission(entry_group, name)
        if entry_group[1:]
        else _import_entry(entry_group[0], name, copies, megabytes)
        for entry_group, name in zip(groups.values(), names, strict=True)
    )
    return Intake(imported, tuple(skipped))


def _is_submission(entry: Path) -> bool:
    return entry.is_dir() or entry.suffix.casefold() in _ENTRY_SUFFIXES


def entry_title(entry: Path) -> str:
    """Return the name of an entry without the suffix of a file, such as `.zip`."""
    title = entry.name
    while not entry.is_dir() and (suffix := Path(title).suffix) and suffix.casefold() in _ENTRY_SUFFIXES:
        title = title.removesuffix(suffix)
    return title


def _create_ambiguous_submission(entries: Sequence[Path], name: str) -> Submission:
    """Return a single submission with a fault for entries that differ only by case or suffix. Only the instructor knows
    which entry counts.
    """
    entry_names = " and ".join(f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries)
    fault = f"The names of these entries differ only by case or suffix. {AMBIGUITY_REMEDY}"
    return Submission(entry_names, name, fault=fault, title=entry_title(entries[0]))


def _import_entry(entry: Path, name: str, copies: Path, megabytes: int) -> Submission:
    entry_folder = copies / name
    entry_folder.mkdir(exist_ok=True)
    new_copy = Path(mkdtemp(prefix="new-", dir=entry_folder))
    try:
        _copy_entry(entry, new_copy, CopyLimits(megabytes))
        for folder in (new_copy, *new_copy.rglob("*/")):
            folder.chmod(0o755)  # in the sandbox, the program may run as another user, who must be able to read it
        digest = fingerprints.folder_fingerprint(new_copy)[:_HASH_DIGITS]
        stored_copy = entry_folder / digest
        if not prepared_file(stored_copy).exists():  # keep an older copy with this file, since it is already built
            if stored_copy.exists():
                remove_tree(stored_copy)
            os.replace(new_copy, stored_copy)
    except UnusableSubmission as error:
        return Submission(entry.name, name, fault=str(error), title=entry_title(entry))
    finally:
        if new_copy.exists():
            remove_tree(new_copy)
    try:
        return Submission(entry.name, name, digest, stored_copy, _find_program(stored_copy), title=entry_title(entry))
    except UnusableSubmission as error:
        return Submission(entry.name, name, digest, stored_copy, fault=str(error), title=entry_title(entry))


@contextmanager
def unpack_entry(entry: Path) -> Iterator[Path]:
    """Copy one entry as a course does, and yield the path of its agent in the copy, for the catalogue.

    Raises UserError if the entry is unusable, or if it is a folder of several entries.
    """
    with TemporaryDirectory(prefix="gomogo-", ignore_cleanup_errors=True) as work_folder:
        submission = _import_entry(entry, to_team_name(entry_title(entry)), Path(work_folder), _DEFAULT_MEGABYTES)
        if submission.fault:
            inner_entries = (
                [inner_entry for inner_entry in entry.iterdir() if _is_submission(inner_entry)]
                if entry.is_dir()
                else []
            )
            if len(inner_entries) > 1 and all(
                inner_entry.is_dir() or inner_entry.suffix.casefold() != ".py" for inner_entry in inner_entries
            ):
                raise UserError(
                    f"{entry} contains several entries, and only one can be checked at a time.",
                    f"Name one: gomogo agent check {shlex.quote(str(sorted(inner_entries)[0]))}",
                )
            raise UserError(
                f"{entry} cannot be used: {submission.fault}",
                "Name a .py file, or a folder or a zip with an agent.toml or one Python file with choose.",
            )
        yield submission.program


def _copy_entry(entry: Path, folder: Path, limits: CopyLimits) -> None:
    if entry.is_symlink():
        raise UnusableSubmission("It is a link.")
    if entry.is_dir():
        copy_folder(entry, folder, limits)
    elif entry.suffix.casefold() == ".zip":
        extract_zip(entry, folder, limits)
    elif entry.suffix.casefold() == ".py":
        try:
            copy_file(entry, folder / entry.name, limits)
        except OSError as error:
            raise UnusableSubmission(f"It cannot be read: {error.strerror}.") from None
    else:
        raise UnusableSubmission(f"A {entry.suffix} file is not unpacked: hand in a folder or a .zip file.")


def _find_program(folder: Path) -> Path:
    """Return the path of the agent: the folder that contains agent.toml, or the only Python file with a function
    `choose`.

    If a folder contains only another folder, as an unpacked zip often does, the inner folder is searched.
    """
    if (folder / "agent.toml").is_file():
        return folder
    if programs := [path for path in sorted(folder.glob("*.py")) if path.is_file() and _defines_choose(path)]:
        if len(programs) > 1:
            names = " and ".join(path.name for path in programs)
            raise UnusableSubmission(
                f"{names} have a function choose: keep it in one file only, or write an agent.toml."
            )
        return programs[0]
    visible_entries = [inner_entry for inner_entry in folder.iterdir() if not inner_entry.name.startswith(".")]
    if len(visible_entries) == 1 and visible_entries[0].is_dir():
        return _find_program(visible_entries[0])
    raise UnusableSubmission("It has neither an agent.toml nor a Python file with a function choose(position, clock).")


def _defines_choose(path: Path) -> bool:
    """Return whether a Python file defines `choose`. True also for a file with a syntax error that is the only Python
    file, so that the catalogue reports the error.
    """
    try:
        module = ast.parse(read_regular(path), path.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [python_file for python_file in path.parent.glob("*.py") if python_file.is_file()] == [path]
    return any(isinstance(node, ast.FunctionDef) and node.name == "choose" for node in module.body)


def copies_folder(store: Path, run: str) -> Path:
    """Return the folder for the copies of a run's submissions. store: the folder of the run's store."""
    return store / f"{run}-submissions"


def register_file(copies: Path) -> Path:
    """Return the file with the students' keys and numbers, in the folder of the copies."""
    return copies / ".names.json"


def prepared_file(folder: Path) -> Path:
    """Return the file with the result of building and checking the copy in `folder`. A copy without this file is built
    and checked again.
    """
    return folder.with_name(f"{folder.name}.json")


def remove_old_copies(copies: Path, intake: Intake) -> None:
    """Remove the copies of versions that are no longer submitted; their games stay in the store."""
    current_folders = {submission.folder for submission in intake.submissions if submission.hash}
    for folder in copies.glob("*/*/"):
        if folder not in current_folders:
            prepared_file(folder).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
