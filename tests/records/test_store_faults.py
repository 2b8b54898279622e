"""Faults of a store are reported in plain words and harm no data; an older store is migrated."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.records import _database, _tables
from gomogo_core.records.aggregates import results_by_reason
from gomogo_core.records.queries import GameQuery, find_games, stored_reasons
from gomogo_core.records.store import Store
from tests.records._at_once import PROCESS_COUNT, open_store_at_once
from tests.records.conftest import PlayedBy


def test_reading_does_not_create_a_missing_store(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no store at"):
        Store.open(tmp_path / "games.db", create=False)
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("spring cleaning\n" * 100)
    with pytest.raises(UserError, match="it is not an SQLite database"):
        Store.open(path)
    assert path.read_text().startswith("spring cleaning")


def test_a_missing_folder_of_a_store_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the folder is missing or not writable"):
        Store.open(tmp_path / "none" / "games.db")


def test_the_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "chess.db") as other:
        other.execute("CREATE TABLE games (pgn TEXT)")
    other.close()
    with pytest.raises(UserError, match="the database of another program"):
        Store.open(tmp_path / "chess.db")


def test_a_store_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    Store.open(tmp_path / "games.db").close()
    with sqlite3.connect(tmp_path / "games.db") as database:
        database.execute("UPDATE gomogo_store SET schema = 99")
    database.close()
    with pytest.raises(UserError, match="written by a newer Gomogo: it has schema 99"):
        Store.open(tmp_path / "games.db")


def test_an_older_store_is_migrated(tmp_path: Path, played: PlayedBy, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "games.db") as store:
        store.add(played(key="old"))
    newest = 2 + len(_tables.MIGRATIONS)
    monkeypatch.setattr(_tables, "MIGRATIONS", [*_tables.MIGRATIONS, ("ALTER TABLE games ADD COLUMN place TEXT",)])
    for _ in range(2):  # the second time there is nothing left to do
        with Store.open(tmp_path / "games.db") as store, store.read_transaction() as connection:
            assert connection.value("SELECT schema FROM gomogo_store") == newest
            assert connection.column("SELECT place FROM games") == [None]


def test_a_store_without_pairs_and_workers_is_migrated_with_its_games(tmp_path: Path, played: PlayedBy) -> None:
    with Store.open(tmp_path / "games.db") as store:
        store.add(played(key="old"))
    with sqlite3.connect(tmp_path / "games.db") as database:  # as schema 1 was
        for column in ("pair", "worker", "doubtful"):
            database.execute(f"ALTER TABLE games DROP COLUMN {column}")
        database.execute("UPDATE gomogo_store SET schema = 1")
    database.close()
    with Store.open(tmp_path / "games.db") as store, store.read_transaction() as connection:
        assert connection.rows("SELECT key, pair, worker FROM games") == [("old", None, None)]
        assert store.game("old").key == "old"


def test_migration_renames_legacy_reasons(store: Store, played: PlayedBy) -> None:
    store.add(played(key="old"))
    with store.write_transaction() as connection:  # as schema 4 was
        connection.execute("UPDATE games SET reason = 'five'")
        connection.execute("""UPDATE records SET json = replace(json, '"line",', '"five",')""")
        connection.execute("UPDATE gomogo_store SET schema = 4")
    assert '"five"' in record_text(store)
    with Store.open(store._database.address.path or store._database.address.url) as opened:
        for reason in ("line", "five"):
            assert [(summary.key, summary.reason) for summary in find_games(opened, GameQuery(reason=reason), 9)] == [
                ("old", "line")
            ]
        assert stored_reasons(opened) == ["line"]
        assert opened.game("old").outcome.reason is Reason.LINE
        assert results_by_reason(opened, "ann") == [("gomoku", "line", 1, 0, 0)]


def record_text(store: Store) -> str:
    with store.read_transaction() as connection:
        return str(connection.value("SELECT json FROM records"))


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store.open(tmp_path / "games.db").close()

    migrations = _tables.MIGRATIONS
    fails_half_way = ("ALTER TABLE games ADD COLUMN place TEXT", "UPDATE nowhere SET place = ''")
    monkeypatch.setattr(_tables, "MIGRATIONS", [*migrations, fails_half_way])
    with pytest.raises(UserError, match="not a store of Gomogo"):
        Store.open(tmp_path / "games.db")
    monkeypatch.setattr(_tables, "MIGRATIONS", migrations)
    with Store.open(tmp_path / "games.db") as store, store.read_transaction() as connection:
        assert "place" not in [column[0] for column in connection.execute("SELECT * FROM games").description]


def test_a_full_disk_is_reported(tmp_path: Path, played: PlayedBy) -> None:
    with Store.open(tmp_path / "games.db") as store:
        with store.read_transaction() as connection:
            connection.execute("PRAGMA max_page_count = 1")
            connection.execute("ROLLBACK")
        with pytest.raises(UserError, match="the disk is full") as error_info:
            store.add(played(outputs=("x" * 100_000, "")))
    assert "Free some space" in error_info.value.remedy


def test_a_locked_store_is_reported(tmp_path: Path, played: PlayedBy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_database, "LOCK_TIMEOUT", 0.01)
    with Store.open(tmp_path / "games.db") as store:
        other = sqlite3.connect(tmp_path / "games.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UserError, match="another program holds it"):
            store.add(played())
        other.close()


def test_opening_waits_for_a_process_that_creates_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite itself refuses at once to turn a file to WAL mode while another writes to it."""
    other = sqlite3.connect(tmp_path / "games.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    waited = list[float]()

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            other.close()

    monkeypatch.setattr("gomogo_core.records.store.time", SimpleNamespace(sleep=wait, monotonic=lambda: 0.0))
    monkeypatch.setattr(_database, "LOCK_TIMEOUT", 0.01)
    with Store.open(tmp_path / "games.db") as store, store.read_transaction() as connection:
        assert connection.value("SELECT count(*) FROM games") == 0
    assert len(waited) == 3


def test_several_processes_open_a_new_store_at_once(tmp_path: Path) -> None:
    """A match, a page and a report that begin together: each finds the tables, however they fall between each other."""
    for number in range(5):
        assert open_store_at_once(tmp_path / f"{number}.db") == [0] * PROCESS_COUNT


def test_a_read_only_store_can_be_read(tmp_path: Path, played: PlayedBy, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "games.db") as store:
        store.add(played(key="there"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with Store.open(tmp_path / "games.db", create=False) as store:
        assert store.game("there").names == ("ann", "bob")
        with pytest.raises(UserError, match="it is read-only"):
            store.add(played())
    assert os.listdir(tmp_path) == ["games.db"]


@pytest.mark.parametrize(
    "url",
    [
        "no such://thing",
        "nosuch://host/db",
        "postgresql+nosuch://host/db",
        "sqlite://",
        "mysql://host/db",
        "pg://a:x@[h",
    ],
)
def test_an_invalid_store_address_is_reported(url: str) -> None:
    with pytest.raises(UserError):
        Store.open(url)


def test_a_password_is_not_shown() -> None:
    shown_name = _database.parse_address("postgresql://ann:secret@host/games").name
    assert "secret" not in shown_name
    assert shown_name.startswith("postgresql://ann:***@host")
