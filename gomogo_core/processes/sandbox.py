"""The sandbox: the command line of bubblewrap (bwrap), with which a program can read only the files that it needs.

A program in the sandbox has its own process ids, no network, no shared memory with other programs, a new /tmp, a
read-only system, and one folder that it can write. If root starts bwrap, bwrap works as root, and the program runs as a
user that no other program has (setpriv). If an ordinary user starts bwrap, bwrap works in a user namespace.

If the sandbox cannot work, an error with the reason is raised, and no game starts, so that a program is never less
confined than requested. The module uses commands, folders and users, but no agent and no game.
"""

from __future__ import annotations

import fcntl
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gomogo_core import procfs
from gomogo_core.errors import UserError
from gomogo_core.processes import runtimes
from gomogo_core.processes.seccomp import syscall_filter
from gomogo_core.processes.users import SandboxUser

FOLDER_IN_SANDBOX = "/game"  # the path of a program's folder inside the sandbox
_USER_ID_INSIDE = 1000  # the id of this process's user inside the sandbox
_TEMPORARY_BYTES = 64 << 20  # bytes of the program's /tmp, and of its shared memory; both are in memory
_OLDEST_BWRAP = (0, 7)  # the oldest version of bwrap that works; earlier versions cannot limit folders in memory
_COPIED_FILES = ("/etc/ld.so.cache", "/etc/ssl/openssl.cnf")
_DEVICES = ("null", "zero", "random", "urandom")
_PASSED_ON_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "TZ")  # the only environment variables passed on to a program
_EXEC_WITH_PIPES = 'exec "$@" <&8 >&9 8<&- 9>&-'
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
_LIMITS_REMEDY = "Or use --sandbox limits, which confines programs less: see docs/how-to/run-untrusted-programs.md."


class SandboxedCommand(NamedTuple):
    """A command that runs in the sandbox.

    words: the command line. environment: the environment variables. descriptors: the descriptors of files that bwrap
    reads before the program starts; the caller closes them.
    """

    words: list[str]
    environment: dict[str, str]
    descriptors: tuple[int, ...]


def sandboxed_command(
    command: Sequence[str],
    folder: Path,
    readable_paths: Sequence[Path],
    user: SandboxUser | None,
    environment: Mapping[str, str] | None = None,
    *,
    mount_point: str = FOLDER_IN_SANDBOX,
    tools: Sequence[str] = (),
    pipes: bool = False,
) -> SandboxedCommand:
    """Return the command that runs `command` in the sandbox. Raises UserError if a program is missing.

    folder: the folder that the command can write, under the path `mount_point`. readable_paths: paths that the command
    can read besides the system and its runtime. user: the user that runs the command, required if this process is run
    by root. environment: additional variables. tools: programs that the command calls, whose runtimes become readable
    too. pipes: whether the command's input and output are the descriptors 8 and 9.
    """
    # these calls come first, so that a missing program raises an error before any descriptor is open
    bwrap, user_words = _program_path("bwrap"), _user_options(user)
    words = runtimes.find_program(command)
    user_id = _USER_ID_INSIDE if user is None else user.user_id
    files = {
        "/etc/passwd": _data_descriptor(f"player:x:{user_id}:{user_id}::{mount_point}:/bin/sh\n".encode()),
        "/etc/group": _data_descriptor(f"player:x:{user_id}:\n".encode()),
    }
    for name in filter(os.path.isfile, _COPIED_FILES):
        files[name] = _move_to_high_descriptor(os.open(name, os.O_RDONLY | os.O_CLOEXEC))
    seccomp = _data_descriptor(syscall_filter())
    programs = [words[0], *(tool_path for tool in tools if (tool_path := shutil.which(tool)))]
    all_readable = [*readable_paths, *(path for program in programs for path in runtimes.needed_paths([program]))]
    path = ":".join(dict.fromkeys([*map(os.path.dirname, programs), *_SYSTEM_PATH.split(":")]))
    variables = {name: os.environ[name] for name in _PASSED_ON_VARIABLES if name in os.environ}
    variables = {"LANG": "C.UTF-8", **variables, "PATH": path, "HOME": mount_point, "TMPDIR": "/tmp", "USER": "player"}
    if runtimes.rustup_folder() in all_readable:
        variables["RUSTUP_HOME"] = str(runtimes.rustup_folder())
    options = [
        *_namespace_options(user),
        *_system_mounts(files),
        *("--seccomp", str(seccomp)),
        *_read_only_mounts(all_readable),
        *_parent_folders([Path(mount_point)]),
        *("--bind", str(folder), mount_point, "--chdir", mount_point),
        *("--remount-ro", "/"),
    ]
    # every program in the sandbox can read bwrap's command line, so it must not contain this user's paths
    arguments = _data_descriptor(b"".join(os.fsencode(word) + b"\0" for word in options))
    words = [
        *(bwrap, "--args", str(arguments), "--"),
        *user_words,
        *(("sh", "-c", _EXEC_WITH_PIPES, "sh") if pipes else ()),
        *words,
    ]
    return SandboxedCommand(words, {**variables, **(environment or {})}, (*files.values(), seccomp, arguments))


def _data_descriptor(data: bytes) -> int:
    """Return a descriptor from which this content can be read."""
    descriptor = os.memfd_create("gomogo")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return _move_to_high_descriptor(descriptor)


def _move_to_high_descriptor(descriptor: int) -> int:
    """Move a file to a descriptor of 10 or more, because the program uses the lower descriptors. Return the new
    descriptor.
    """
    high_descriptor = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return high_descriptor


def _namespace_options(user: SandboxUser | None) -> list[str]:
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--new-session", "--hostname", "sandbox", "--cap-drop", "ALL"]
    if user is None:
        return [*words, "--unshare-user", "--uid", str(_USER_ID_INSIDE), "--gid", str(_USER_ID_INSIDE)]
    # setpriv needs these capabilities, and drops them
    return [*words, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]


def _user_options(user: SandboxUser | None) -> list[str]:
    if user is None:
        return []
    user_id = str(user.user_id)
    return [_program_path("setpriv"), "--reuid", user_id, "--regid", user_id, "--clear-groups", "--inh-caps=-all", "--"]


def _system_mounts(files: Mapping[str, int]) -> list[str]:
    """Return the options for the paths that every program can read. files: descriptors of files to copy, by path.

    A mount takes up to a millisecond, and several milliseconds on a busy machine, so small files are copied instead.
    """
    words = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = f"/{name}"
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    words += _parent_folders([Path(name) for name in files])
    for name, descriptor in files.items():
        words += ["--perms", "0444", "--file", str(descriptor), name]
    if os.path.islink("/etc/localtime"):
        words += ["--symlink", os.path.realpath("/etc/localtime"), "/etc/localtime"]
    for path in ("/etc/alternatives", *map(str, Path("/etc").glob("java*"))):
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--perms", "0755", "--dir", "/dev"]
    for name in _DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    words += ["--symlink", "/proc/self/fd", "/dev/fd", "--perms", "0755", "--dir", "/var"]
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        words += ["--symlink", f"/proc/self/fd/{descriptor}", f"/dev/{name}"]
    for path in ("/dev/shm", "/tmp"):
        words += ["--perms", "1777", "--size", str(_TEMPORARY_BYTES), "--tmpfs", path]
    return [*words, "--symlink", "../tmp", "/var/tmp"]


def _read_only_mounts(readable_paths: Sequence[Path]) -> list[str]:
    outside_system = {path for path in readable_paths if not runtimes.is_in_system_folder(path)}
    # a path inside another readable path needs no mount
    paths = [path for path in sorted(outside_system) if outside_system.isdisjoint(path.parents)]
    mounts = [word for path in paths for word in ("--ro-bind", str(path), str(path))]
    return _parent_folders(paths) + mounts


def _parent_folders(paths: Sequence[Path]) -> list[str]:
    """Return options that create the parent folders of paths for all users; bwrap itself would create them for their
    owner only.
    """
    folders = {folder for path in paths for folder in path.parents if len(folder.parts) > 1}
    return [word for folder in sorted(folders) for word in ("--perms", "0755", "--dir", str(folder))]


def _program_path(name: str) -> str:
    if (path := shutil.which(name)) is None:
        package = {"bwrap": "bubblewrap", "setpriv": "util-linux"}[name]
        raise UserError(
            f"--sandbox bwrap needs {name}, which is not installed.",
            f"Debian: apt install {package}. {_LIMITS_REMEDY}",
        )
    return path


def sandbox_user() -> SandboxUser | None:
    """Return a separate user for a program if this process is run by root, else None. Close the user when the program
    has ended.
    """
    return SandboxUser() if os.geteuid() == 0 else None


def require_sandbox() -> None:
    """Test the sandbox once. If it does not work on this machine, raise UserError with the reason and a remedy."""
    _test_sandbox(os.environ.get("PATH", ""), os.geteuid() if hasattr(os, "geteuid") else 0)


@functools.cache
def _test_sandbox(search_path: str, user_id: int) -> None:
    """Test the sandbox. The parameters are for the cache, because another PATH or user may have another bwrap."""
    if not sys.platform.startswith("linux"):
        raise UserError("--sandbox bwrap needs Linux: it uses namespaces.", _LIMITS_REMEDY)
    _require_version()
    user = sandbox_user()
    try:
        with tempfile.TemporaryDirectory() as folder:
            completed = run_sandboxed(sandboxed_command(["true"], Path(folder), (), user), 10.0)
    finally:
        if user is not None:
            user.close()
    if completed.returncode:
        last_line = (completed.stdout.strip().splitlines() or [f"exit code {completed.returncode}"])[-1]
        raise UserError(f"--sandbox bwrap does not work here: {last_line}.", f"{_sandbox_remedy()} {_LIMITS_REMEDY}")


def _require_version() -> None:
    command = [_program_path("bwrap"), "--version"]
    version_line = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    version = tuple(map(int, re.findall(r"\d+", version_line)))
    if version < _OLDEST_BWRAP:
        oldest = ".".join(map(str, _OLDEST_BWRAP))
        raise UserError(
            f"--sandbox bwrap needs bubblewrap {oldest}; {version_line.strip()!r} is installed.",
            f"Update it. {_LIMITS_REMEDY}",
        )


def _sandbox_remedy() -> str:
    """Return a remedy for a system that refuses the sandbox, by its settings."""
    if os.geteuid() == 0:
        return "Give the container the right to mount (CAP_SYS_ADMIN), or run this as an ordinary user."
    for name, forbidding_value in (
        ("kernel/apparmor_restrict_unprivileged_userns", b"1"),
        ("kernel/unprivileged_userns_clone", b"0"),
        ("user/max_user_namespaces", b"0"),
    ):
        if procfs.read_file(f"sys/{name}").strip() == forbidding_value:
            setting = f"{name.replace('/', '.')} = {forbidding_value.decode()}"
            return f"{setting} forbids user namespaces: root can change it by sysctl."
    return "In a container, user namespaces must be allowed (--security-opt seccomp=unconfined)."


def run_sandboxed(command: SandboxedCommand, max_seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a command in the sandbox to its end, with all its output in `stdout`.

    Raises subprocess.TimeoutExpired after `max_seconds`.
    """
    try:
        return subprocess.run(
            # this command has no supervisor that would end it
            [command.words[0], "--die-with-parent", *command.words[1:]],
            env=command.environment,
            pass_fds=command.descriptors,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=max_seconds,
            check=False,
        )
    finally:
        for descriptor in command.descriptors:
            os.close(descriptor)
