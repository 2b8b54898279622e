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

DEFAULT_STORE = "gomogo.db"  # the default store
# the names of temporary folders with the records of users without a writable home folder begin with this word
_TEMPORARY_PREFIX = "gomogo-records-"
_WRITE_TIMEOUT = 60.0  # seconds; the record in an older temporary folder is certainly complete
MAX_RECORDS = 200  # the most records of single games; the oldest are removed


def records_folder() -> Path:
    """Return the folder of the records of single games (of gameTest.py and referee.py). Each file is named by a key."""
    return data_folder() / "records"


def find_record_files(key_prefix: str = "") -> list[Path]:
    """Return the files in `records_folder()` whose keys begin with `key_prefix`, the latest first."""
    files = [path for path in records_folder().glob("*.json") if path.name.startswith(key_prefix)]
    return sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)


def store_record(played_game: PlayedGame, folder: Path | None = None) -> Path:
    """Write the record of one game, and return its path: record.json in `folder`, or a file in the data folder."""
    text = json.dumps(played_game.as_json(), indent=1)
    if folder is not None:
        return _write_atomically(folder / "record.json", text)
    records, name = records_folder(), f"{played_game.key}.json"
    try:
        records.mkdir(parents=True, exist_ok=True)
        path = _write_atomically(records / name, text)
    except OSError:  # there is no writable home folder
        records = Path(tempfile.mkdtemp(prefix=_TEMPORARY_PREFIX))
        path = _write_atomically(records / name, text)
    surplus = sorted(records.glob("*.json"), key=lambda record: record.stat().st_mtime)[:-MAX_RECORDS]
    for record in surplus:
        with contextlib.suppress(OSError):
            record.unlink()
    return path


def live_folder() -> Path | None:
    """Return the folder for the live file of a game that is not stored: beside the store, if there is one.

    Without a store nobody watches the game, so no folder is created.
    """
    store_setting = os.environ.get("GOMOGO_STORE", DEFAULT_STORE)
    if "://" in store_setting:
        return Path.cwd() / "live"
    store = Path(store_setting).expanduser()
    return store.absolute().parent / "live" if store.exists() else None


def _write_atomically(path: Path, text: str) -> Path:
    """Write a file, and return its path. It is complete or does not exist: a truncated record could not be read."""
    temporary = path.with_suffix(".part")
    try:
        temporary.write_text(text, encoding="utf-8")
        return temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def temporary_record_folders() -> list[Path]:
    """Return the temporary folders with records that `store_record` could not write to a home folder.

    Folders younger than a minute are left out, since their record may not be complete yet.
    """
    folders = Path(tempfile.gettempdir()).glob(f"{_TEMPORARY_PREFIX}*")
    return sorted(path for path in folders if path.is_dir() and time.time() - path.stat().st_mtime > _WRITE_TIMEOUT)
