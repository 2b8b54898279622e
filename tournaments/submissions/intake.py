"""Take in students' submissions: copy each entry into a folder of its own, named by the hash of its content.

Uses folders and zips; builds and starts nothing. A fault of one entry concerns that entry alone.
"""

from __future__ import annotations

import ast
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from filelock import FileLock, Timeout

from gomogo_core import fingerprints
from gomogo_core.errors import UserError
from gomogo_core.printable import printable
from gomogo_core.regular_files import read_regular
from gomogo_core.wire.small_files import remove_tree
from tournaments.submissions.copying import Allowance, Unusable, copy, copy_file, extract, is_left_out
from tournaments.submissions.entry_names import NameRegister, equal_entries

_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")
_ENDINGS = (".zip", ".py", *_OTHER_ARCHIVES)
_HASH = 16  # hexadecimal digits: enough to tell the versions of one student's program apart
_HOLDS = "Name a folder that holds a folder or a zip for each student."


@dataclass(frozen=True)
class Submission:
    """One student's submission.

    entry: the name of the folder or zip. name: its key, for tables and files. hash: of all its files. folder: their
    copies. program: the path in it for the catalogue. fault: why it cannot be used, or empty. A submission with a fault
    may have neither hash nor folder. title: the entry's name without its ending.
    """

    entry: str
    name: str
    hash: str = ""
    folder: Path = Path()
    program: Path = Path()
    fault: str = ""
    title: str = ""


@dataclass(frozen=True)
class Intake:
    """All submissions, by name; and other files beside them."""

    submissions: tuple[Submission, ...]
    others: tuple[str, ...] = ()

    @property
    def titles(self) -> dict[str, str]:
        """Return the names of all entries, by the same without their endings."""
        return {one.title: one.entry for one in self.submissions}


@contextmanager
def lock_intake(work: Path, run: str) -> Iterator[None]:
    """Lock the import of submissions for a run. Raises UserError while another process holds the lock."""
    lock = FileLock(work / ".lock", timeout=1.0)
    try:
        work.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        raise UserError(
            f"Another process is playing the submissions for {run!r}.",
            f"Wait for it, or stop it with `gomogo tournament stop {run}`.",
        ) from None
    except OSError as fault:
        raise UserError(f"{work} cannot be written: {fault.strerror}.", "Choose another store with --store.") from None
    try:
        yield
    finally:
        lock.release()


def import_submissions(handed_in: Path, work: Path, megabytes: int, register: NameRegister) -> Intake:
    """Take in every entry of a folder. work: the folder of the copies. megabytes: the size limit of one.

    register: knows the keys of earlier entries, and gives keys to new ones. Raises UserError if there is no such
    folder, if it is clearly the wrong one, if two entries differ only by case or ending, or if the copies cannot be
    written.
    """
    try:
        entries = sorted(
            one for one in handed_in.iterdir() if not one.name.startswith(".") and not is_left_out(one.name)
        )
    except OSError as fault:
        raise UserError(
            f"The folder of submissions {handed_in} cannot be read: {fault.strerror}.",
            _HOLDS,
        ) from None
    if work.resolve().is_relative_to(handed_in.resolve()):
        raise UserError(f"The folder {handed_in} holds {work}, the folder for copies of submissions.", _HOLDS)
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UserError(f"{work} cannot be made: {fault.strerror}.", "Choose another store with --store.") from None
    found, others = list[Path](), list[str]()
    for one in entries:
        if _is_submission(one):
            found.append(one)
        else:
            others.append(one.name)
    if not found and any(one.is_dir() for one in work.iterdir()):  # a mistyped folder must not produce empty grades
        raise UserError(
            f"The folder of submissions {handed_in} holds none, although there were submissions before.", _HOLDS
        )
    _refuse_the_same(handed_in, found)
    names = register.keys([entry_title(one) for one in found])
    taken = tuple(_import_entry(one, name, work, megabytes) for one, name in zip(found, names, strict=True))
    return Intake(taken, tuple(others))


def _is_submission(entry: Path) -> bool:
    return entry.is_dir() or entry.suffix.casefold() in _ENDINGS


def entry_title(entry: Path) -> str:
    """Return the name of an entry without its ending: a folder has none."""
    name = entry.name
    while not entry.is_dir() and (suffix := Path(name).suffix) and suffix.casefold() in _ENDINGS:
        name = name.removesuffix(suffix)
    return name


def _refuse_the_same(handed_in: Path, entries: Sequence[Path]) -> None:
    """Raise UserError if entries differ only by case or ending: only the instructor knows which one counts."""
    groups = equal_entries((f"{one.name}/" if one.is_dir() else one.name, entry_title(one)) for one in entries)
    if groups:
        named = "; ".join(" and ".join(map(printable, names)) for names in groups)
        raise UserError(
            f"Entries in {handed_in} differ only by case or ending: {named}.",
            "Which one counts? Move the other out of the folder.",
        )


def _import_entry(entry: Path, name: str, work: Path, megabytes: int) -> Submission:
    own = work / name
    own.mkdir(exist_ok=True)
    new = Path(mkdtemp(prefix="new-", dir=own))
    try:
        _unpack(entry, new, Allowance(megabytes))
        for folder in (new, *new.rglob("*/")):
            folder.chmod(0o755)  # readable for others: in the sandbox, the program runs as another user
        digest = fingerprints.of_folder(new)[:_HASH]
        folder = own / digest
        if not prepared_file(folder).exists():  # a copy that has a marker was built there
            if folder.exists():
                remove_tree(folder)
            os.replace(new, folder)
    except Unusable as fault:
        return Submission(entry.name, name, fault=str(fault), title=entry_title(entry))
    finally:
        if new.exists():
            remove_tree(new)
    try:
        return Submission(entry.name, name, digest, folder, _program(folder), title=entry_title(entry))
    except Unusable as fault:
        return Submission(entry.name, name, digest, folder, fault=str(fault), title=entry_title(entry))


def _unpack(entry: Path, folder: Path, allowance: Allowance) -> None:
    if entry.is_symlink():
        raise Unusable("It is a link.")
    if entry.is_dir():
        copy(entry, folder, allowance)
    elif entry.suffix.casefold() == ".zip":
        extract(entry, folder, allowance)
    elif entry.suffix.casefold() == ".py":
        try:
            copy_file(entry, folder / entry.name, allowance)
        except OSError as fault:
            raise Unusable(f"It cannot be read: {fault.strerror}.") from None
    else:
        raise Unusable(f"{entry.suffix} is not taken apart: hand in a folder or a .zip.")


def _program(folder: Path) -> Path:
    """Return the agent: the folder with the agent.toml, or the one Python file with `choose`.

    A zipped folder arrives as a folder in a folder: a folder that is alone is entered.
    """
    if (folder / "agent.toml").is_file():
        return folder
    if found := [path for path in sorted(folder.glob("*.py")) if path.is_file() and _defines_choose(path)]:
        if len(found) > 1:
            names = " and ".join(path.name for path in found)
            raise Unusable(f"{names} have a function choose: leave one of them, or write an agent.toml.")
        return found[0]
    inside = [one for one in folder.iterdir() if not one.name.startswith(".")]
    if len(inside) == 1 and inside[0].is_dir():
        return _program(inside[0])
    raise Unusable("It has neither an agent.toml nor a Python file with a function choose(position, clock).")


def _defines_choose(path: Path) -> bool:
    """Return whether a file defines the function, or is the only one and unreadable: then the catalogue gives the
    reason.
    """
    try:
        module = ast.parse(read_regular(path), path.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [other for other in path.parent.glob("*.py") if other.is_file()] == [path]
    return any(isinstance(node, ast.FunctionDef) and node.name == "choose" for node in module.body)


def work_folder(store: Path, run: str) -> Path:
    """Return the folder for the copies of a run's submissions, beside its store."""
    return store / f"{run}-submissions"


def register_file(work: Path) -> Path:
    """Return the file with the students' names, beside their copies."""
    return work / ".names.json"


def prepared_file(folder: Path) -> Path:
    """Return the file that marks the copy in `folder` as built and checked: without it, the steps are repeated."""
    return folder.with_name(f"{folder.name}.json")


def remove_old_copies(work: Path, intake: Intake) -> None:
    """Remove the copies of versions that are no longer submitted; their games stay in the store."""
    wanted = {submission.folder for submission in intake.submissions if submission.hash}
    for folder in work.glob("*/*/"):
        if folder not in wanted:
            prepared_file(folder).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
