"""Games that people play on a page are kept as they go, and an older store learns of them."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from gomogo_core.records.sittings import forget, keep, kept, kept_of, unfinished_of
from gomogo_core.records.store import Store
from tests.records.conftest import PlayedBy


def test_a_sitting_is_kept_found_changed_and_forgotten(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        keep(store, "one", {"moves": []}, {1: "ann"}, over=False)
        keep(store, "two", {"moves": [1]}, {1: "ann", 2: "bob"}, over=False)
        keep(store, "one", {"moves": ["h8"]}, {1: "ann", 2: "cid"}, over=True)
        found = kept(store, "one")
        assert found is not None
        assert (found.plain, found.over) == ({"moves": ["h8"]}, True)
        assert [one.key for one in kept_of(store, "ann")] == ["one", "two"]
        assert [one.key for one in kept_of(store, "cid")] == ["one"]
        assert (unfinished_of(store, "ann"), unfinished_of(store, "cid")) == (1, 0)
        forget(store, "one")
        assert kept(store, "one") is None
        assert [one.key for one in kept_of(store, "ann")] == ["two"]
        forget(store, "one")


def test_a_store_from_before_the_page_learns_of_it(tmp_path: Path) -> None:
    where = tmp_path / "old.db"
    with Store.open(where) as store, store.writing() as connection:
        connection.execute(text("DROP TABLE sitters"))
        connection.execute(text("DROP TABLE sittings"))
        connection.execute(text("UPDATE gomogo_store SET schema = 3"))
    with Store.open(where) as store:
        keep(store, "one", {}, {1: "ann"}, over=False)
        assert unfinished_of(store, "ann") == 1


def test_a_sitting_goes_with_its_record_and_other_games_stay(tmp_path: Path, played: PlayedBy) -> None:
    with Store.open(tmp_path / "a.db") as store:
        for key in ("one", "other"):
            store.add(played(key=key))
        keep(store, "one", {}, {1: "ann"}, over=True)
        forget(store, "one")
        forget(store, "other")
        assert [game.key for game in store.games_of()] == ["other"]
