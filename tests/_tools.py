"""The programs that some tests need besides Python and make, with their Debian packages.

A test names them by a mark, `@pytest.mark.needs("gnugo")`, and is skipped where a tool is missing.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from glob import glob

from gomogo_core.errors import UserError
from gomogo_core.processes import sandbox

DEBIAN_PACKAGES = {  # by the program's name
    "bash": "bash",
    "bwrap": "bubblewrap",
    "chromium": "chromium",
    "g++": "g++",
    "gcc": "gcc libc6-dev",
    "git": "git",
    "gnugo": "gnugo",
    "initdb": "postgresql",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "node": "nodejs",
    "python3": "python3",
    "rustc": "rustc",
    "sh": "dash",
    "unshare": "util-linux mount",
}
_OTHER_NAMES = {"chromium": ("chromium-browser", "google-chrome")}
_DEBIAN_FOLDERS = [
    "/usr/games",
    *sorted(glob("/usr/lib/postgresql/*/bin"), reverse=True),
]  # Debian keeps these off the path


@cache
def find_program(program: str) -> str | None:
    """Return the path of a program of PACKAGES, if it is installed."""
    path = os.pathsep.join([os.environ.get("PATH", ""), *_DEBIAN_FOLDERS])
    names = (program, *_OTHER_NAMES.get(program, ()))
    return next((place for name in names if (place := shutil.which(name, path=path))), None)


@cache
def why_program_missing(program: str) -> str | None:
    """Return why tests that need a program of PACKAGES cannot run here; None if they can."""
    if find_program(program) is None:
        return f"{program} is not here: apt install {DEBIAN_PACKAGES[program]}"
    if program == "bwrap":
        try:
            sandbox.require_sandbox()
        except UserError as error:
            return f"bwrap does not work here: {error}"
    return None
