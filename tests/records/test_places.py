"""The record of a single game is written whole, or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.paths import store_record
from tests.records.conftest import played_by


def test_a_record_can_be_read_again(tmp_path: Path) -> None:
    played = played_by()
    path = store_record(played, tmp_path)
    assert PlayedGame.from_json(json.loads(path.read_text())) == played
    assert os.listdir(tmp_path) == ["record.json"]


def test_a_full_disk_leaves_the_previous_record_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store_record(played_by(key="before"), tmp_path).read_text()

    def fill_up(path: Path, text: str, **_: str) -> None:
        with path.open("w") as file:
            file.write(text[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", fill_up)
    with pytest.raises(OSError, match="No space left"):
        store_record(played_by(key="after"), tmp_path)
    assert (tmp_path / "record.json").read_text() == before
    assert os.listdir(tmp_path) == ["record.json"]
