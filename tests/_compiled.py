"""Folders of tests that need compiled code: about a minute of processor time where no cache is there.

Such tests carry the mark `slow`. Where slow tests are not selected, their files are not even imported, and of several
processes that run tests one compiles while the others wait.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def is_left_out(folder: Path, load: Callable[[], object], path: Path, config: pytest.Config) -> bool | None:
    """Whether to leave a file of `folder` out. Before the first one is imported, `load` compiles its package."""
    if path.parent != folder or not path.name.startswith("test_"):
        return None
    if "not slow" in config.getoption("markexpr"):
        return True
    with FileLock(Path(tempfile.gettempdir()) / "gomogo-tests-compile.lock"):
        load()
    return None
