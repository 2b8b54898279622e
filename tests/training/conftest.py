"""The tests of training need its compiled functions: they are slow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests._compiled import is_left_out
from training import load_boards

HERE = Path(__file__).parent


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip these tests if slow ones are not selected."""
    return is_left_out(HERE, load_boards, collection_path, config)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark every test here."""
    if HERE in item.path.parents:
        item.add_marker("slow")
