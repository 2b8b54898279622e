"""Where single games leave a trace: their records among a person's data, their live files beside a store that is here.

Standard library only, and no game.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path

from gomogo_core.data_folder import data_folder
from gomogo_core.records.played import PlayedGame

STORE = "gomogo.db"  # the store where none is named
_TEMPORARY = "gomogo-records-"  # and letters: folders where there is no home
_WRITTEN = 60.0  # seconds after which such a folder has its record
MOST_RECORDS = 200  # of single games: the oldest go


def keep_record(played: PlayedGame, folder: Path | None = None) -> Path:
    """Write the record of one game, in `folder` as record.json or among the person's data, and say where it lies."""
    text = json.dumps(played.as_json(), indent=1)
    if folder is not None:
        path = folder / "record.json"
        _write(path, text)
        return path
    try:
        records = data_folder() / "records"
        records.mkdir(parents=True, exist_ok=True)
        path = records / f"{played.key}.json"
        _write(path, text)
    except OSError:  # no home, or none that can be written
        records = Path(tempfile.mkdtemp(prefix=_TEMPORARY))
        path = records / f"{played.key}.json"
        _write(path, text)
    older = sorted(records.glob("*.json"), key=lambda record: record.stat().st_mtime)[:-MOST_RECORDS]
    for record in older:
        with contextlib.suppress(OSError):
            record.unlink()
    return path


def live_folder() -> Path | None:
    """Where the live file of a game belongs that is kept in no store: beside the store here, if there is one.

    Nobody can look on where there is none, and nothing is to be left in such a folder.
    """
    named = os.environ.get("GOMOGO_STORE", STORE)
    if "://" in named:
        return Path.cwd() / "live"
    store = Path(named).expanduser()
    return store.absolute().parent / "live" if store.exists() else None


def _write(path: Path, text: str) -> None:
    """Whole or not at all: a record that ends in the middle could not be read."""
    aside = path.with_suffix(".part")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def temporary_records() -> list[Path]:
    """The folders in the temporary one that `keep_record` made for want of a home, but for those of this minute."""
    found = Path(tempfile.gettempdir()).glob(f"{_TEMPORARY}*")
    return sorted(path for path in found if path.is_dir() and time.time() - path.stat().st_mtime > _WRITTEN)
