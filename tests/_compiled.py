"""Folders of tests that need compiled code, which takes about a minute of processor time without a cache.

Such tests have the mark `slow`. If slow tests are not selected, their files are not even imported. If several processes
run tests, one of them compiles while the others wait.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def is_left_out(folder: Path, load: Callable[[], object], path: Path, config: pytest.Config) -> bool | None:
    """Return whether to leave a file of `folder` out. Before the first one is imported, `load` compiles its package."""
    if path.parent != folder or not path.name.startswith("test_"):
        return None
    if "not slow" in config.getoption("markexpr"):
        return True
    with FileLock(Path(tempfile.gettempdir()) / "gomogo-tests-compile.lock"):
        load()
    return None
