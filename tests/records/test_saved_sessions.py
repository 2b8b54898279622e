"""Games on the page are saved as they go, and an older store gets the tables for them."""

from __future__ import annotations

from pathlib import Path

from gomogo_core.records.sessions import (
    count_unfinished_sessions,
    delete_session,
    load_session,
    save_session,
    sessions_of,
)
from gomogo_core.records.store import Store
from tests.records.conftest import PlayedBy


def test_a_session_is_saved_loaded_changed_and_deleted(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        save_session(store, "one", {"moves": []}, {1: "ann"}, is_over=False)
        save_session(store, "two", {"moves": [1]}, {1: "ann", 2: "bob"}, is_over=False)
        save_session(store, "one", {"moves": ["h8"]}, {1: "ann", 2: "cid"}, is_over=True)
        session = load_session(store, "one")
        assert session is not None
        assert (session.json_values, session.is_over) == ({"moves": ["h8"]}, True)
        assert [session.key for session in sessions_of(store, "ann")] == ["one", "two"]
        assert [session.key for session in sessions_of(store, "cid")] == ["one"]
        assert (count_unfinished_sessions(store, "ann"), count_unfinished_sessions(store, "cid")) == (1, 0)
        delete_session(store, "one")
        assert load_session(store, "one") is None
        assert [session.key for session in sessions_of(store, "ann")] == ["two"]
        delete_session(store, "one")


def test_a_store_from_before_the_page_is_migrated(tmp_path: Path) -> None:
    store_path = tmp_path / "old.db"
    with Store.open(store_path) as store, store.write_transaction() as connection:
        connection.execute("DROP TABLE sitters")
        connection.execute("DROP TABLE sittings")
        connection.execute("UPDATE gomogo_store SET schema = 3")
    with Store.open(store_path) as store:
        save_session(store, "one", {}, {1: "ann"}, is_over=False)
        assert count_unfinished_sessions(store, "ann") == 1


def test_deleting_a_session_deletes_its_record_and_no_other(tmp_path: Path, played: PlayedBy) -> None:
    with Store.open(tmp_path / "a.db") as store:
        for key in ("one", "other"):
            store.add(played(key=key))
        save_session(store, "one", {}, {1: "ann"}, is_over=True)
        delete_session(store, "one")
        delete_session(store, "other")
        assert [game.key for game in store.games_of()] == ["other"]
