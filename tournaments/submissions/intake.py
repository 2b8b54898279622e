"""Takes in what students have handed in: each entry copied into a folder of its own, named by the hash of its content.

Knows folders and zips; builds and starts nothing. A fault of one entry is that entry's, and stops nobody else.
"""

from __future__ import annotations

import ast
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from gomogo_core import fingerprints
from gomogo_core.errors import UserError
from gomogo_core.wire.folder import remove_tree
from tournaments.submissions.folders import copy, copy_file
from tournaments.submissions.limits import Allowance, Unusable, left_out
from tournaments.submissions.names import names_of
from tournaments.submissions.zips import extract

_OTHER_ARCHIVES = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")
_HASH = 16  # hexadecimal digits: enough to tell the versions of one student's program apart
_HOLDS = "Name a folder that holds a folder or a zip for each student."


@dataclass(frozen=True)
class Submission:
    """What one student has handed in.

    entry: the name of the folder or zip. name: made of it, for tables and files. hash: of all its files. folder: where
    they lie now. program: of it, what the catalogue is to be asked for. fault: why it cannot be used, or empty; then it
    may have neither hash nor folder.
    """

    entry: str
    name: str
    hash: str = ""
    folder: Path = Path()
    program: Path = Path()
    fault: str = ""


@dataclass(frozen=True)
class Intake:
    """All that was handed in, by name; and what lies beside it that is no submission."""

    submissions: tuple[Submission, ...]
    others: tuple[str, ...] = ()


def take_in(handed_in: Path, work: Path, megabytes: int) -> Intake:
    """Take in every entry of a folder. work: where the copies go. megabytes: how much one may hold.

    Raises UserError where there is no such folder, where it is plainly another one than was meant, or the copies cannot
    be written.
    """
    try:
        entries = sorted(one for one in handed_in.iterdir() if not one.name.startswith(".") and not left_out(one.name))
    except OSError as fault:
        raise UserError(
            f"The folder of submissions {handed_in} cannot be read: {fault.strerror}.",
            _HOLDS,
        ) from None
    if work.resolve().is_relative_to(handed_in.resolve()):
        raise UserError(f"The folder {handed_in} holds {work}, where copies of what is handed in go.", _HOLDS)
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise UserError(f"{work} cannot be made: {fault.strerror}.", "Name another store by --store.") from None
    found = [one for one in entries if _is_submission(one)]
    if not found and any(one.is_dir() for one in work.iterdir()):  # who mistypes the folder wants no empty grades
        raise UserError(f"The folder of submissions {handed_in} holds none, and there have been some.", _HOLDS)
    names = names_of([one.name if one.is_dir() else one.stem for one in found])
    taken = tuple(_taken(one, name, work, megabytes) for one, name in zip(found, names, strict=True))
    return Intake(taken, tuple(one.name for one in entries if one not in found))


def _is_submission(entry: Path) -> bool:
    return entry.is_dir() or entry.suffix.casefold() in (".zip", ".py", *_OTHER_ARCHIVES)


def _taken(entry: Path, name: str, work: Path, megabytes: int) -> Submission:
    own = work / name
    own.mkdir(exist_ok=True)
    new = Path(mkdtemp(prefix="new-", dir=own))
    try:
        _unpack(entry, new, Allowance(megabytes))
        for folder in (new, *new.rglob("*/")):
            folder.chmod(0o755)  # in the sandbox its program is another user
        digest = fingerprints.of_folder(new)[:_HASH]
        folder = own / digest
        if not prepared_file(folder).exists():  # else it has been built there
            if folder.exists():
                remove_tree(folder)
            os.replace(new, folder)
    except Unusable as fault:
        return Submission(entry.name, name, fault=str(fault))
    finally:
        if new.exists():
            remove_tree(new)
    try:
        return Submission(entry.name, name, digest, folder, _program(folder))
    except Unusable as fault:
        return Submission(entry.name, name, digest, folder, fault=str(fault))


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
    """What plays: the folder with the agent.toml, or the one Python file with `choose`.

    Who zips a folder hands in a folder in a folder: one that is alone is looked into.
    """
    if (folder / "agent.toml").is_file():
        return folder
    if found := [path for path in sorted(folder.glob("*.py")) if path.is_file() and _chooses(path)]:
        if len(found) > 1:
            names = " and ".join(path.name for path in found)
            raise Unusable(f"{names} have a function choose: leave one of them, or write an agent.toml.")
        return found[0]
    inside = [one for one in folder.iterdir() if not one.name.startswith(".")]
    if len(inside) == 1 and inside[0].is_dir():
        return _program(inside[0])
    raise Unusable("It has neither an agent.toml nor a Python file with a function choose(position, clock).")


def _chooses(path: Path) -> bool:
    """Whether a file defines the function, or is the only one and cannot be read: then the catalogue says why."""
    try:
        module = ast.parse(path.read_bytes(), path.name)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [other for other in path.parent.glob("*.py") if other.is_file()] == [path]
    return any(isinstance(node, ast.FunctionDef) and node.name == "choose" for node in module.body)


def work_folder(store: Path, run: str) -> Path:
    """Where the copies of a run's submissions lie, beside its store."""
    return store / f"{run}-submissions"


def prepared_file(folder: Path) -> Path:
    """Where it is written that the copy in `folder` has been built and checked: without it, it is begun anew."""
    return folder.with_name(f"{folder.name}.json")


def forget_old(work: Path, intake: Intake) -> None:
    """Remove the copies of versions that are no longer handed in; their games stay in the store."""
    wanted = {submission.folder for submission in intake.submissions if submission.hash}
    for folder in work.glob("*/*/"):
        if folder not in wanted:
            prepared_file(folder).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
