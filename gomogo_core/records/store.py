"""The store of all finished games and all runs, in an SQLite file or in a PostgreSQL database.

Only one process can write at a time. The module stores records, and does not plan, play or count games.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Self

from gomogo_core.errors import UserError, suggest_name
from gomogo_core.records import _database
from gomogo_core.records._database import Connection, Database, parse_address
from gomogo_core.records._lock import locked_run
from gomogo_core.records._tables import create_or_migrate, is_up_to_date
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.paths import DEFAULT_STORE
from gomogo_core.records.rows import game_row, seat_rows

__all__ = ["DEFAULT_STORE", "GameStatus", "GameToStore", "Run", "Store"]

_RECORDS_PER_QUERY = 200


class GameStatus(StrEnum):
    """The status of a stored game. Only games with the status PLAYED count.

    UNPLAYED: the game was void three times. SET_ASIDE: the run no longer needs the game, or it was played again.
    """

    PLAYED = "played"
    UNPLAYED = "unplayed"
    SET_ASIDE = "set aside"


@dataclass(frozen=True, slots=True)
class Run:
    """A match or a tournament in the store.

    settings: the settings that decide the games. fingerprint: a hash of `settings`. planned_games: the number of games,
    as far as it is known; None for a run without end. started: the Unix time of the start.
    """

    id: int
    name: str
    fingerprint: str
    settings: Mapping[str, Any]
    planned_games: int | None
    started: float


class GameToStore(NamedTuple):
    """A game to store. players: the players' names in the run, by seat. pair: as in `Store.add`."""

    played_game: PlayedGame
    players: tuple[str, ...]
    pair: int | None = None


class Store:
    """An open store. Use it in a `with` statement. When the last process closes an SQLite store, one file remains."""

    def __init__(self, database: Database) -> None:
        self.address, self._database = database.address.name, database

    @staticmethod
    def open(location: str | os.PathLike[str] | None = None, *, create: bool = True) -> Store:
        """Open a store, and migrate it to the newest schema.

        location: a path or URL; by default `gomogo.db` in the working directory. create: whether to create a missing
        store; otherwise a missing store raises UserError.
        """
        address = parse_address(location)
        if not create and address.path is not None and not address.path.exists():
            raise UserError(
                f"There is no store at {address.name}: nothing has been played there.",
                "Play something first (`gomogo play alpha_beta`), or name the store by --store.",
            )
        store = Store(Database(address, writable=create or address.can_write()))
        try:
            with store._database.as_user_errors():
                store._prepare_schema_with_retries()
        except BaseException:
            store.close()
            raise
        return store

    def _prepare_schema_with_retries(self) -> None:
        """Prepare the store, and try again while another process prepares it.

        SQLite itself does not wait while another process changes a new file to WAL mode.
        """
        deadline = time.monotonic() + _database.LOCK_TIMEOUT
        while True:
            try:
                self._create_or_migrate_tables()
                return
            except self._database.OperationalError as error:
                if "is locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def _create_or_migrate_tables(self) -> None:
        with self._database.transaction() as connection:
            if is_up_to_date(connection):
                return
        with self._database.transaction(writes=True) as connection:
            connection.lock_for_setup()
            create_or_migrate(connection, self.address)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def read_transaction(self) -> Iterator[Connection]:
        """Within this context, provide a connection for queries. Errors of the database become UserError."""
        with self._database.as_user_errors(), self._database.transaction() as connection:
            yield connection

    def rows(self, query: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """Return all rows of a query in a transaction of its own. Errors of the database become UserError."""
        with self.read_transaction() as connection:
            return connection.rows(query, **parameters)

    @contextmanager
    def write_transaction(self) -> Iterator[Connection]:
        """Within this context, provide a connection for one writing transaction. Errors become UserError."""
        with self._database.as_user_errors(), self._database.transaction(writes=True) as connection:
            yield connection

    @property
    def folder(self) -> Path:
        """The folder for other files of the store: the folder of an SQLite file, or else the working directory."""
        path = self._database.address.path
        return Path.cwd() if path is None else path.parent

    # Games

    def add(
        self, played_game: PlayedGame, run: Run | None = None, players: Sequence[str] = (), pair: int | None = None
    ) -> bool:
        """Store a game in one transaction. Return False if a game with its key is already stored.

        A void game is stored as unplayed, and a played game replaces it later. players: the names in the run, by seat;
        by default the agents' specs. pair: a number that all games of a run have in common if they begin from one
        opening.
        """
        return self.add_games([GameToStore(played_game, tuple(players) or played_game.specs, pair)], run) == [True]

    def add_games(self, entries: Sequence[GameToStore], run: Run | None = None) -> list[bool]:
        """Store several games in one transaction, as `add` does. Return, for each game, whether it is new."""
        if not entries:
            return []
        try:
            with self.write_transaction() as connection:
                return _insert_games(connection, entries, None if run is None else run.id)
        except self._database.IntegrityError:  # another process has added one of the games in the meantime
            if len(entries) == 1:
                return [False]
        return [is_new for entry in entries for is_new in self.add_games([entry], run)]

    def replace_game(self, played_game: PlayedGame) -> None:
        """Store a game in place of the one with its key, for example with a corrected result.

        played_game: a game that belongs to no run.
        """
        with self.write_transaction() as connection:
            _delete_games(connection, [played_game.key])
            _insert_games(connection, [GameToStore(played_game, played_game.specs, None)], None)

    def game(self, key: str) -> PlayedGame:
        """Return the game whose key begins with `key`, or the last game if `key` is "last".

        Raises UserError if there is no such game, or more than one.
        """
        query = "SELECT records.key, json FROM records JOIN games ON games.key = records.key"
        if key == "last":
            query += " ORDER BY started DESC LIMIT 1"
        else:
            query += " WHERE records.key LIKE :pattern ESCAPE '/' LIMIT 2"
        rows = self.rows(query, pattern=prefix_pattern(key))
        if not rows:
            raise self._no_game_error(key)
        if len(rows) > 1:
            raise UserError(f"Several games have keys that begin with {key!r}.", "Write more letters of the key.")
        return PlayedGame.from_json(json.loads(rows[0][1]))

    def latest_games(self, limit: int) -> list[tuple[str, tuple[str, ...]]]:
        """Return the keys and the players' names, by seat, of the latest games; at most `limit` games."""
        names_by_game: dict[str, list[str]] = {}
        query = """
            SELECT seats.key, name FROM seats
            JOIN (SELECT key, started FROM games ORDER BY started DESC LIMIT :most) AS latest ON latest.key = seats.key
            ORDER BY started DESC, seats.key, seat
        """
        for key, name in self.rows(query, most=limit):
            names_by_game.setdefault(key, []).append(name)
        return [(key, tuple(names)) for key, names in names_by_game.items()]

    def _no_game_error(self, key: str) -> UserError:
        """Return the error for a key that no game has; its remedy is a command that works on this store."""
        has_games = self.rows("SELECT key FROM games LIMIT 1")
        store_option = "" if self.address == DEFAULT_STORE else f" --store {self.address}"
        if not has_games:
            return UserError(
                f"The store {self.address} contains no game yet.", f"Play one: `gomogo play alpha_beta{store_option}`."
            )
        list_remedy = f"`gomogo tournament results{store_option}` lists the games of a run."
        return UserError(
            f"The store {self.address} contains no game whose key begins with {key!r}.",
            list_remedy if self.runs() else f"`gomogo replay last{store_option}` shows the last one played.",
        )

    def games_of(
        self, run: Run | None = None, *, game: str | None = None, player: str | None = None
    ) -> Iterator[PlayedGame]:
        """Yield all played games in the order of their start. Only some of the games are in memory at a time.

        run: only games of this run. game: only plays of the game of this name. player: only games of a player with this
        name or spec.
        """
        query = "SELECT key FROM games WHERE status = :played"
        query += " AND run = :run" * (run is not None) + " AND game = :game" * (game is not None)
        if player is not None:
            query += " AND key IN (SELECT key FROM seats WHERE name = :player OR spec = :player)"
        parameters = {"run": run and run.id, "game": game, "player": player}
        keys = [key for (key,) in self.rows(f"{query} ORDER BY started", played=GameStatus.PLAYED, **parameters)]
        for offset in range(0, len(keys), _RECORDS_PER_QUERY):
            page_keys = keys[offset : offset + _RECORDS_PER_QUERY]
            records_by_key = dict(self.rows("SELECT key, json FROM records WHERE key IN :keys", keys=page_keys))
            yield from (PlayedGame.from_json(json.loads(records_by_key[key])) for key in page_keys)

    def last_game_of(self, run: Run) -> PlayedGame | None:
        """Return the played game of a run that began last; None if there is none."""
        query = "SELECT key FROM games WHERE status = :played AND run = :run ORDER BY started DESC LIMIT 1"
        rows = self.rows(query, played=GameStatus.PLAYED, run=run.id)
        return self.game(rows[0][0]) if rows else None

    # Runs

    def runs(self) -> list[Run]:
        """Return all runs, the latest first."""
        return [_run_from_row(row) for row in self.rows(f"{_SELECT_RUNS} ORDER BY started DESC, id DESC")]

    def run(self, name: str) -> Run:
        """Return the run called `name`. Raises UserError if there is none."""
        if (run := self.find_run(name)) is None:
            names = [run.name for run in self.runs()]
            raise UserError(f"The store {self.address} contains no run called {name!r}.", suggest_name(name, names))
        return run

    def find_run(self, name: str) -> Run | None:
        """Return the run called `name`; None if there is none."""
        rows = self.rows(f"{_SELECT_RUNS} WHERE name = :name", name=name)
        return _run_from_row(rows[0]) if rows else None

    def insert_run(self, name: str, fingerprint: str, settings: Mapping[str, Any], planned: int | None) -> Run | None:
        """Insert a new run. Return None if a run with this name exists."""
        row = {"name": name, "fingerprint": fingerprint, "asked": json.dumps(settings), "planned": planned or 0}
        try:
            with self.write_transaction() as connection:
                connection.insert("runs", [{**row, "started": time.time(), "stop": False}])
        except self._database.IntegrityError:
            return None
        return self.find_run(name)

    def delete_unused_run(self, run: Run) -> bool:
        """Delete a run that has no games. Return False, and delete nothing, if the run has games."""
        statement = "DELETE FROM runs WHERE id = :run AND NOT EXISTS (SELECT key FROM games WHERE run = :run)"
        with self.write_transaction() as connection:
            return bool(connection.execute(statement, run=run.id).rowcount)

    def change_run(
        self,
        run: Run,
        fingerprint: str,
        settings: Mapping[str, Any],
        planned: int | None,
        kept_keys: Collection[str] | None = None,
    ) -> Run:
        """Change the settings and the number of games of a run.

        kept_keys: the keys of the games that count from now on; all others are set aside. None changes no game.
        """
        row: dict[str, Any] = {"fingerprint": fingerprint, "asked": json.dumps(settings), "planned": planned or 0}
        with self.write_transaction() as connection:
            connection.update("runs", row, "id = :id", id=run.id)
            if kept_keys is not None:
                for key, status in connection.rows("SELECT key, status FROM games WHERE run = :run", run=run.id):
                    if status != GameStatus.UNPLAYED and (status == GameStatus.PLAYED) != (key in kept_keys):
                        new_status = GameStatus.PLAYED if key in kept_keys else GameStatus.SET_ASIDE
                        connection.update("games", {"status": new_status}, "key = :key", key=key)
        return replace(run, fingerprint=fingerprint, settings=json.loads(row["asked"]), planned_games=planned or None)

    def set_aside(self, run: Run, keys: Collection[str]) -> None:
        """Set these games aside and give them new keys, so that games with the old keys can be played again."""
        with self.write_transaction() as connection:
            for key in keys:
                _set_aside(connection, run, key)

    def set_status(self, run: Run, keys: Collection[str], status: GameStatus) -> None:
        """Change the status of games of a run."""
        with self.write_transaction() as connection:
            for key in keys:
                connection.update("games", {"status": status}, "run = :run AND key = :key", run=run.id, key=key)

    def game_keys(
        self, run: Run, status: GameStatus = GameStatus.PLAYED, *, worker: str = "", only_doubtful: bool = False
    ) -> set[str]:
        """Return the keys of the games of a run with this status.

        worker: only games of this worker. only_doubtful: only games that a player lost on time, perhaps by the
        machine's fault.
        """
        query = "SELECT key FROM games WHERE run = :run AND status = :status"
        query += " AND worker = :worker" * bool(worker) + " AND doubtful" * only_doubtful
        return {key for (key,) in self.rows(query, run=run.id, status=status, worker=worker)}

    def keys_by_status(self, run: Run) -> dict[GameStatus, set[str]]:
        """Return the keys of all games of a run, by their status."""
        rows = self.rows("SELECT key, status FROM games WHERE run = :run", run=run.id)
        return {status: {key for key, game_status in rows if game_status == status} for status in GameStatus}

    def count_games(self, run: Run, status: GameStatus = GameStatus.PLAYED) -> int:
        """Return the number of games of a run with this status."""
        query = "SELECT count(*) FROM games WHERE run = :run AND status = :status"
        return int(self.rows(query, run=run.id, status=status)[0][0])

    def request_stop(self, run: Run, stop: bool = True) -> None:
        """Ask the process that plays a run to finish its games and stop. stop: False withdraws this request."""
        with self.write_transaction() as connection:
            connection.update("runs", {"stop": stop}, "id = :id", id=run.id)

    def is_stop_requested(self, run: Run) -> bool:
        """Return whether the process that plays a run has been asked to stop."""
        return bool(self.rows("SELECT stop FROM runs WHERE id = :run", run=run.id)[0][0])

    @contextmanager
    def lock_run(self, name: str, timeout: float = 1.0) -> Iterator[None]:
        """Within this context, lock the run `name`, so that no other process plays it.

        Raises UserError if another process holds the lock for `timeout` seconds.
        """
        with locked_run(self._database, name, self._busy_error(name), timeout):
            yield

    def _busy_error(self, name: str) -> UserError:
        return UserError(
            f"The run {name!r} in {self.address} is being played by another process.",
            f"Wait until it ends, or end it by `gomogo tournament stop {name}`.",
        )

    def is_run_being_played(self, name: str) -> bool:
        """Return whether a process plays the run `name` now; False if the lock cannot be checked."""
        busy_error = self._busy_error(name)
        try:
            with locked_run(self._database, name, busy_error, timeout=0):
                return False
        except UserError as error:
            return error is busy_error


def _insert_games(connection: Connection, entries: Sequence[GameToStore], run: int | None) -> list[bool]:
    """Insert games, each key only once. Return, for each game, whether it is new.

    A game replaces an unplayed game with the same key.
    """
    keys = [entry.played_game.key for entry in entries]
    stored_statuses = dict(connection.rows("SELECT key, status FROM games WHERE key IN :keys", keys=keys))
    if unplayed := [key for key, status in stored_statuses.items() if status == GameStatus.UNPLAYED]:
        _delete_games(connection, unplayed)
    taken_keys, are_new = stored_statuses.keys() - set(unplayed), list[bool]()
    for key in keys:
        are_new.append(key not in taken_keys)
        taken_keys |= {key}
    new_entries = [entry for entry, is_new in zip(entries, are_new, strict=True) if is_new]
    if not new_entries:
        return are_new
    statuses = [
        GameStatus.UNPLAYED if entry.played_game.outcome.is_void else GameStatus.PLAYED for entry in new_entries
    ]
    entries_and_statuses = zip(new_entries, statuses, strict=True)
    connection.insert("games", [game_row(game, run, status, pair) for (game, _, pair), status in entries_and_statuses])
    connection.insert("seats", [row for game, players, _ in new_entries for row in seat_rows(game, players)])
    records = [{"key": entry.played_game.key, "json": entry.played_game.as_json_text()} for entry in new_entries]
    connection.insert("records", records)
    return are_new


def _delete_games(connection: Connection, keys: Sequence[str]) -> None:
    for table in ("records", "seats", "games"):
        connection.execute(f"DELETE FROM {table} WHERE key IN :keys", keys=keys)


def _set_aside(connection: Connection, run: Run, key: str) -> None:
    """Set a played game of a run aside, and give it a new key: a number, and then the old key.

    The number comes first, so that the beginning of the old key finds only the game that counts.
    """
    query = "SELECT key FROM games WHERE key = :key AND run = :run AND status = :played"
    if connection.row(query, key=key, run=run.id, played=GameStatus.PLAYED) is None:
        return
    taken_keys = set(connection.column("SELECT key FROM games WHERE key LIKE :pattern", pattern=f"%-{key}"))
    new_key = next(name for number in range(1, len(taken_keys) + 2) if (name := f"{number}-{key}") not in taken_keys)
    columns = "run, game, reason, winner, plies, started, duration, pair, worker, doubtful"
    connection.execute(
        f"INSERT INTO games (key, status, {columns}) SELECT :new, :status, {columns} FROM games WHERE key = :key",
        new=new_key,
        status=GameStatus.SET_ASIDE,
        key=key,
    )
    record = json.loads(connection.value("SELECT json FROM records WHERE key = :key", key=key))
    for table, changes in (("seats", {}), ("records", {"json": json.dumps({**record, "key": new_key})})):
        connection.update(table, {"key": new_key, **changes}, "key = :old", old=key)
    connection.execute("DELETE FROM games WHERE key = :key", key=key)


def prefix_pattern(text: str) -> str:
    """Return the pattern, for LIKE … ESCAPE '/', of all texts that begin with `text`."""
    return re.sub("([%_/])", r"/\1", text) + "%"


_SELECT_RUNS = "SELECT id, name, fingerprint, asked, planned, started FROM runs"


def _run_from_row(row: tuple[Any, ...]) -> Run:
    number, name, fingerprint, settings_json, planned, started = row
    return Run(number, name, fingerprint, json.loads(settings_json), planned or None, started)
