"""The paths of single games: their records in the user's data folder, and their live files beside a local store."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import time
from pathlib import Path

from gomogo_core.folders import data_folder
from gomogo_core.records.game_record import PlayedGame

STORE = "gomogo.db"  # the default store
# the beginning of the names of temporary folders, for users without a home folder
_TEMPORARY_PREFIX = "gomogo-records-"
_WRITE_TIMEOUT = 60.0  # seconds after which a temporary folder certainly contains its record
MAX_RECORDS = 200  # the most records of single games; the oldest are removed


def records_folder() -> Path:
    """Return the folder of the records of single games (gameTest.py, referee.py). Each is a file named by its key."""
    return data_folder() / "records"


def stored_records(key: str = "") -> list[Path]:
    """Return the files in `records_folder()` whose keys begin with `key`, the latest first."""
    found = [path for path in records_folder().glob("*.json") if path.name.startswith(key)]
    return sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)


def store_record(played: PlayedGame, folder: Path | None = None) -> Path:
    """Write the record of one game, as record.json in `folder` or in the user's data folder, and return its path."""
    text = json.dumps(played.as_json(), indent=1)
    if folder is not None:
        path = folder / "record.json"
        _write(path, text)
        return path
    try:
        records = records_folder()
        records.mkdir(parents=True, exist_ok=True)
        path = records / f"{played.key}.json"
        _write(path, text)
    except OSError:  # there is no writable home folder
        records = Path(tempfile.mkdtemp(prefix=_TEMPORARY_PREFIX))
        path = records / f"{played.key}.json"
        _write(path, text)
    older = sorted(records.glob("*.json"), key=lambda record: record.stat().st_mtime)[:-MAX_RECORDS]
    for record in older:
        with contextlib.suppress(OSError):
            record.unlink()
    return path


def live_folder() -> Path | None:
    """Return the folder for the live file of a game that is not stored: beside the store, if there is one.

    Without a store nobody watches the game, so no folder is created.
    """
    named = os.environ.get("GOMOGO_STORE", STORE)
    if "://" in named:
        return Path.cwd() / "live"
    store = Path(named).expanduser()
    return store.absolute().parent / "live" if store.exists() else None


def _write(path: Path, text: str) -> None:
    """Write a file completely or not at all, because a truncated record could not be read."""
    aside = path.with_suffix(".part")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    except OSError:
        aside.unlink(missing_ok=True)
        raise


def temporary_record_folders() -> list[Path]:
    """Return the temporary folders in which `store_record` put a record because it could not write to a home folder.

    Folders younger than a minute are left out, since their record may not be complete yet.
    """
    found = Path(tempfile.gettempdir()).glob(f"{_TEMPORARY_PREFIX}*")
    return sorted(path for path in found if path.is_dir() and time.time() - path.stat().st_mtime > _WRITE_TIMEOUT)
