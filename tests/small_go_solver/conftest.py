"""The tests of the solver of small boards of Robogo and Go need its compiled functions: they are slow."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomogo_core.engines import compiling
from tests._compiled import is_left_out

HERE = Path(__file__).parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip these tests if slow ones are not selected."""
    return is_left_out(HERE, lambda: compiling.load("gomogo_core.engines.small_go"), collection_path, config)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test here."""
    if HERE in item.path.parents:
        item.add_marker("slow")
