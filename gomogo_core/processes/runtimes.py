"""Finds the paths that a program must be able to read to start: the links to the program, and the runtime that contains
it.

The system's own folders are left out, because every program can read them. The module has the layouts of virtual
environments and installed runtimes, but no sandbox and no agent.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.folders import data_folder
from gomogo_core.processes import run_folder
from gomogo_core.regular_files import open_regular

SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives")
_NIX_STORE = Path("/nix/store")
_MAX_LINKS = 40
_MAX_FIRST_LINE_BYTES = 256  # the most bytes of a script's first line


def find_program(command: Sequence[str]) -> list[str]:
    """Return the command with the absolute path of its program. Raises UserError if there is no such program."""
    if (path := shutil.which(command[0])) is None and "/" in command[0]:
        raise UserError(
            f"{command[0]} cannot be started: the file does not exist, or is not executable.",
            "Fix its path, build it, or make it executable: chmod +x.",
        )
    if path is None:
        raise UserError(
            f"{command[0]} cannot be started: there is no such program in PATH.",
            f"Install it, or add its folder to PATH, which is {os.environ.get('PATH', 'not set')}.",
        )
    program = os.path.abspath(path)
    return [
        _program_behind_shim(program) if os.path.basename(os.path.dirname(program)) == "shims" else program,
        *command[1:],
    ]


@functools.cache
def _program_behind_shim(shim: str) -> str:
    """Return the program that a version manager's script (pyenv, asdf, …) starts; the script itself if there is none.

    In the sandbox, the script itself would need the whole version manager, and every start would take longer.
    """
    manager_folder = Path(shim).parents[1]
    name = manager_folder.name.lstrip(".")
    manager = shutil.which(name, path=f"{manager_folder}/bin:{manager_folder}/libexec:{os.environ.get('PATH', '')}")
    if manager is None:
        return shim
    completed = subprocess.run([manager, "which", Path(shim).name], capture_output=True, text=True, check=False)
    program = completed.stdout.strip()
    return program if completed.returncode == 0 and os.path.isfile(program) else shim


def needed_paths(command: Sequence[str]) -> list[Path]:
    """Return the paths outside the system's folders that a program needs: files, or the whole folder of a runtime."""
    paths: list[Path] = []
    try:
        program = find_program(command)[0]
    except UserError:
        return paths
    for start in (program, *interpreter_of_script(program)):
        for link in _link_chain(Path(start)):
            if is_in_system_folder(link):
                continue
            paths += [_runtime_folder(link), rustup_folder()] if link.name == "rustup" else [_runtime_folder(link)]
    return list(dict.fromkeys(paths))


def find_private_program(command: Sequence[str], folder: Path) -> Path | None:
    """Return the first program that may be private, of those that a command runs, also by links or as interpreters.

    The programs in this folder, in the system's folders, in PATH and in the Python that runs Gomogo are not private.
    Any other program may be private, and an agent that starts it in the sandbox could read it. Returns None if there is
    no such program.
    """
    program = find_program(command)[0]
    for start in (program, *interpreter_of_script(program)):
        for link in _link_chain(Path(start)):
            if link.is_relative_to(folder):
                continue
            if not _is_public(link):
                return link
            break  # if a link is not private, its target is not checked
    return None


def _is_public(program: Path) -> bool:
    """Return whether every program may read a program: it belongs to the system, to PATH, to the Python that runs
    Gomogo, or to a version manager.
    """
    if is_in_system_folder(program) or str(program.parent) in os.get_exec_path():
        return True
    if any(program.is_relative_to(prefix) for prefix in (sys.prefix, sys.base_prefix)):
        return True
    try:
        return find_program([program.name]) == [str(program)]  # the program behind a version manager's script
    except UserError:
        return False


def rustup_folder() -> Path:
    """Return the folder in which Rust's installer keeps its toolchains."""
    return Path(os.environ.get("RUSTUP_HOME") or Path.home() / ".rustup")


def is_in_system_folder(path: Path) -> bool:
    """Return whether a path is in the system's own folders."""
    return any(path.is_relative_to(folder) for folder in SYSTEM_FOLDERS)


def may_hold_private_files(folder: Path) -> bool:
    """Return whether a folder may contain private files, such as a home folder, results, or games of other programs."""
    if len(folder.parts) < 3:  # the root folder and the folders in it
        return True
    private_folders = [Path.home(), data_folder(), run_folder.run_folders_parent()[0], Path(tempfile.gettempdir())]
    return any(private_folder.resolve().is_relative_to(folder.resolve()) for private_folder in private_folders)


def _link_chain(path: Path) -> Iterator[Path]:
    """Yield a path and, while it is a link, the target of the link."""
    for _ in range(_MAX_LINKS):
        yield path
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / os.readlink(path)))


def interpreter_of_script(program: str) -> list[str]:
    """Return the interpreter that the first line of a script names, directly or through `env`; the list is empty for
    other programs.
    """
    try:
        with open_regular(program) as file:
            first_line = file.readline(_MAX_FIRST_LINE_BYTES)
    except OSError:
        return []
    words = os.fsdecode(first_line[2:]).split() if first_line.startswith(b"#!") else []
    if len(words) > 1 and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return [interpreter] if words and (interpreter := shutil.which(words[0])) else []


def _runtime_folder(program: Path) -> Path:
    """Return the folder of the runtime that contains a program; the program itself if no runtime contains it."""
    if program.is_relative_to(_NIX_STORE):
        return _NIX_STORE
    folder = program.parent.parent
    is_environment = (folder / "pyvenv.cfg").is_file()
    is_hidden_at_home = folder.parent == Path.home() and folder.name.startswith(".")  # ~/.local, ~/.cargo
    is_runtime = program.parent.name == "bin" and (folder / "lib").is_dir()
    if is_environment or (is_runtime and not is_hidden_at_home and not may_hold_private_files(folder)):
        return folder
    return program
