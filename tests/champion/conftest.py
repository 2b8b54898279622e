"""The champion's tests need its compiled functions: some twenty seconds of processor time where no cache is there.

They carry the mark `slow`. Where slow tests are not selected, their files are not even imported, and of several
processes that run tests one compiles while the others wait.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from filelock import FileLock

from gomogo_core.engines import compiling

HERE = Path(__file__).parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the tests out where slow ones are not selected; else compile before the first file is imported."""
    if collection_path.parent != HERE or not collection_path.name.startswith("test_"):
        return None
    if "not slow" in config.getoption("markexpr"):
        return True
    with FileLock(Path(tempfile.gettempdir()) / "gomogo-tests-compile.lock"):
        compiling.load("gomogo_core.engines.gomoku")
    return None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test here."""
    if HERE in item.path.parents:
        item.add_marker("slow")
