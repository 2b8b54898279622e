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
    contains_ignored_name,
    copy_file,
    copy_folder,
    extract_zip,
)
from tournaments.submissions.entry_names import SubmissionIdRegister, choose_table_name, normalize_base_name

_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")
_ENTRY_SUFFIXES = (".zip", ".py", *_OTHER_ARCHIVES)
_HASH_DIGITS = 16  # are enough to distinguish the versions of one student's program
AMBIGUITY_REMEDY = "Which one counts? Move the others out of the folder."
_DEFAULT_MEGABYTES = 100  # size limit of an entry that does not belong to a course
_FOLDER_REMEDY = "Name a folder with a folder or a zip file for each student."


@dataclass(frozen=True)
class Submission:
    """One student's submission.

    original_name: the name of the folder or file that was handed in. key: the entry's key, for files. content_hash: a
    hash of all files of the submission. copy_path: the folder with the copy. agent_path: the path of the agent in this
    folder, for the catalogue. problem: the reason why the submission cannot be used, or empty. A submission with a
    problem may have neither hash nor copy. base_name: the name of the entry without its suffix.
    """

    original_name: str
    key: str
    content_hash: str = ""
    copy_path: Path = Path()
    agent_path: Path = Path()
    problem: str = ""
    base_name: str = ""

    @property
    def name_in_tables(self) -> str:
        """The name in tables."""
        return choose_table_name(self.base_name, self.key)

    def hide_folder(self, text: str) -> str:
        """Return a text for the student, without the path and the name of the copy."""
        if not self.content_hash:
            return text
        for path in {str(self.copy_path), str(self.copy_path.absolute()), str(self.copy_path.resolve())}:
            text = text.replace(f"{path}/", "").replace(path, self.original_name)
        return text.replace(self.content_hash, self.original_name)  # the name of the folder, and so of the agent


@dataclass(frozen=True)
class ImportedSubmissions:
    """All imported submissions, in the order of their entries. skipped_names: the names of files that are no
    submissions.
    """

    submissions: tuple[Submission, ...]
    skipped_names: tuple[str, ...] = ()

    @property
    def original_names(self) -> dict[str, str]:
        """The names of all entries, by their base names."""
        return {submission.base_name: submission.original_name for submission in self.submissions}

    def with_problems(self, problems: Mapping[str, str]) -> ImportedSubmissions:
        """Return the same import with problems of some submissions. problems: the problems by base name."""
        submissions = (
            replace(submission, problem=problems.get(submission.base_name, submission.problem))
            for submission in self.submissions
        )
        return replace(self, submissions=tuple(submissions))

    def describe_duplicates(self) -> list[str]:
        """Return a sentence for each group of submissions with exactly the same files."""
        names_by_hash: dict[str, list[str]] = {}
        for submission in self.submissions:
            if submission.content_hash:
                names_by_hash.setdefault(submission.content_hash, []).append(printable(submission.original_name))
        return [
            f"{', '.join(names[:-1])} and {names[-1]} handed in the same files, so the order among them is chance."
            for names in names_by_hash.values()
            if len(names) > 1
        ]


@contextmanager
def lock_import(copies: Path, run: str) -> Iterator[None]:
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
        raise _copies_error(copies, "written", error) from None
    try:
        yield
    finally:
        lock.release()


def _copies_error(copies: Path, action: str, error: OSError) -> UserError:
    return UserError(f"{copies} cannot be {action}: {error.strerror}.", "Choose another store with --store.")


def import_submissions(
    submissions_folder: Path, copies: Path, max_megabytes: int, register: SubmissionIdRegister
) -> ImportedSubmissions:
    """Import every entry of a folder. copies: the folder for the copies. max_megabytes: size limit of an entry.

    register: the register that has the keys of earlier entries, and creates keys for new entries. Entries that differ
    only by case or suffix are one submission with a fault. Raises UserError if the folder cannot be read, if the folder
    is clearly the wrong one, or if the copies cannot be written.
    """
    try:
        entries = sorted(submissions_folder.iterdir())
    except OSError as error:
        problem = f"The folder of submissions {submissions_folder} cannot be read: {error.strerror}."
        raise UserError(problem, _FOLDER_REMEDY) from None
    if copies.resolve().is_relative_to(submissions_folder.resolve()):
        raise UserError(
            f"The folder {submissions_folder} contains {copies}, the folder for copies of submissions.", _FOLDER_REMEDY
        )
    try:
        copies.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _copies_error(copies, "created", error) from None
    groups, skipped = dict[str, list[Path]](), list[str]()
    for entry in entries:
        if entry.name.startswith(".") or contains_ignored_name(entry.name):
            continue
        if _is_submission(entry):
            groups.setdefault(normalize_base_name(base_name_of(entry)), []).append(entry)
        else:
            skipped.append(entry.name)
    # if earlier runs had submissions, the folder is probably mistyped: empty grades must not replace the old ones
    if not groups and any(entry.is_dir() for entry in copies.iterdir()):
        raise UserError(
            f"The folder {submissions_folder} contains no submissions, although there were some in an earlier run.",
            _FOLDER_REMEDY,
        )
    keys = register.assign_keys([base_name_of(group[0]) for group in groups.values()])
    imported = tuple(
        _create_ambiguous_submission(group, key)
        if group[1:]
        else _import_submission(group[0], key, copies, max_megabytes)
        for group, key in zip(groups.values(), keys, strict=True)
    )
    return ImportedSubmissions(imported, tuple(skipped))


def _is_submission(entry: Path) -> bool:
    return entry.is_dir() or entry.suffix.casefold() in _ENTRY_SUFFIXES


def base_name_of(entry: Path) -> str:
    """Return the name of an entry without the suffix of a file, such as `.zip`."""
    base_name = entry.name
    while not entry.is_dir() and (suffix := Path(base_name).suffix) and suffix.casefold() in _ENTRY_SUFFIXES:
        base_name = base_name.removesuffix(suffix)
    return base_name


def _create_ambiguous_submission(entries: Sequence[Path], key: str) -> Submission:
    """Return a single submission with a fault for entries that differ only by case or suffix. Only the instructor knows
    which entry counts.
    """
    entry_names = " and ".join(f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries)
    problem = f"The names of these entries differ only by case or suffix. {AMBIGUITY_REMEDY}"
    return Submission(entry_names, key, problem=problem, base_name=base_name_of(entries[0]))


def _import_submission(entry: Path, key: str, copies: Path, max_megabytes: int) -> Submission:
    entry_folder, submission = copies / key, Submission(entry.name, key, base_name=base_name_of(entry))
    entry_folder.mkdir(exist_ok=True)
    new_copy = Path(mkdtemp(prefix="new-", dir=entry_folder))
    try:
        _copy_submission(entry, new_copy, CopyLimits(max_megabytes))
        for folder in (new_copy, *new_copy.rglob("*/")):
            folder.chmod(0o755)  # in the sandbox, the program may run as another user, who must be able to read it
        digest = fingerprints.folder_fingerprint(new_copy)[:_HASH_DIGITS]
        stored_copy = entry_folder / digest
        if not preparation_file(stored_copy).exists():  # keep an older copy with this file, since it is already built
            if stored_copy.exists():
                remove_tree(stored_copy)
            os.replace(new_copy, stored_copy)
        submission = replace(submission, content_hash=digest, copy_path=stored_copy)
        return replace(submission, agent_path=_find_program(stored_copy))
    except UnusableSubmission as error:
        return replace(submission, problem=str(error))
    finally:
        if new_copy.exists():
            remove_tree(new_copy)


@contextmanager
def unpack_submission(entry: Path) -> Iterator[Path]:
    """Copy one entry as a course does, and yield the path of its agent in the copy, for the catalogue.

    Raises UserError if the entry is unusable, or if it is a folder of several entries.
    """
    with TemporaryDirectory(prefix="gomogo-", ignore_cleanup_errors=True) as work_folder:
        submission = _import_submission(entry, to_team_name(base_name_of(entry)), Path(work_folder), _DEFAULT_MEGABYTES)
        if submission.problem:
            inner_entries = sorted(filter(_is_submission, entry.iterdir())) if entry.is_dir() else []
            has_python_file = any(inner.suffix.casefold() == ".py" and not inner.is_dir() for inner in inner_entries)
            if len(inner_entries) > 1 and not has_python_file:
                raise UserError(
                    f"{entry} contains several entries, and only one can be checked at a time.",
                    f"Name one: gomogo agent check {shlex.quote(str(inner_entries[0]))}",
                )
            raise UserError(
                f"{entry} cannot be used: {submission.problem}",
                "Name a .py file, or a folder or zip that has an agent.toml, or one Python file with choose().",
            )
        yield submission.agent_path


def _copy_submission(entry: Path, folder: Path, limits: CopyLimits) -> None:
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


def id_register_file(copies: Path) -> Path:
    """Return the file with the students' keys and numbers, in the folder of the copies."""
    return copies / ".names.json"


def preparation_file(folder: Path) -> Path:
    """Return the file with the result of building and checking the copy in `folder`. A copy without this file is built
    and checked again.
    """
    return folder.with_name(f"{folder.name}.json")


def failure_file(folder: Path) -> Path:
    """Return the file with the reason why the copy in `folder` did not play in the last run."""
    return folder.with_name(f"{folder.name}.failed.txt")


def remove_old_copies(copies: Path, imported: ImportedSubmissions) -> None:
    """Remove the copies of versions that are no longer submitted; their games stay in the store."""
    current_folders = {submission.copy_path for submission in imported.submissions if submission.content_hash}
    for folder in copies.glob("*/*/"):
        if folder not in current_folders:
            preparation_file(folder).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
    current_failures = {failure_file(folder) for folder in current_folders}
    for file in copies.glob("*/*.failed.txt"):  # a failed build leaves no copy, only this file
        if file not in current_failures:
            file.unlink(missing_ok=True)
