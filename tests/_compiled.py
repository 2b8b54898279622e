"""Folders of tests that need compiled code, which takes about a minute of processor time without a cache.

Such tests have the mark `slow`. If slow tests are not selected, their files are not even imported. If several processes
run tests, one of them compiles while the others wait.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from filelock import FileLock

from gomogo_core.engines import compiling
from training import load_boards

_HERE = Path(__file__).parent
_LOADERS: dict[str, Callable[[], object]] = {
    "boxes_champion": partial(compiling.load, "gomogo_core.engines.boxes"),
    "capture_go_solver": partial(compiling.load, "gomogo_core.engines.capture_go"),
    "champion": partial(compiling.load, "gomogo_core.engines.gomoku"),
    "go_engine": partial(compiling.load, "gomogo_core.engines.go"),
    "small_go_solver": partial(compiling.load, "gomogo_core.engines.small_go"),
    "training": load_boards,
}


def needs_compiled_code(path: Path) -> bool:
    """Return whether a file is in one of the folders."""
    return path.parent.parent == _HERE and path.parent.name in _LOADERS


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the files out if slow tests are not selected. Before the first one is imported, compile its package."""
    if not collection_path.name.startswith("test_") or not needs_compiled_code(collection_path):
        return None
    if "not slow" in config.getoption("markexpr"):
        return True
    with FileLock(Path(tempfile.gettempdir()) / "gomogo-tests-compile.lock"):
        _LOADERS[collection_path.parent.name]()
    return None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test in the folders."""
    if needs_compiled_code(item.path):
        item.add_marker("slow")
