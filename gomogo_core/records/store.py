"""The store: every finished game and every run, in SQLite or, by URL, in PostgreSQL.

Uses records of games, but not how they are planned, played or counted. One writer at a time.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError, OperationalError

from gomogo_core.errors import UserError, nearest
from gomogo_core.records import _database
from gomogo_core.records._database import connect, friendly_errors, may_write, name_of_store, store_url
from gomogo_core.records._lock import hold_run_lock
from gomogo_core.records._rows import game_row, seat_rows
from gomogo_core.records._tables import bring_up_to_date, games, is_up_to_date, records, runs, seats
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.paths import STORE as DEFAULT

__all__ = ["DEFAULT", "Entry", "Run", "Status", "Store"]

_AT_ONCE = 200  # records in one query


class Status(StrEnum):
    """Whether a stored game counts: played; unplayed (void three times); set aside (its run asks for others now, or it
    was played again).
    """

    PLAYED = "played"
    UNPLAYED = "unplayed"
    SET_ASIDE = "set aside"


@dataclass(frozen=True, slots=True)
class Run:
    """A match or a tournament in the store.

    fingerprint: a hash of `asked`, the settings. planned: the number of games as far as it is known; None for an
    endless run. started: Unix time.
    """

    id: int
    name: str
    fingerprint: str
    asked: Mapping[str, Any]
    planned: int | None
    started: float


class Entry(NamedTuple):
    """A game to store. players: by seat, the names within the run. pair: as in `Store.add`."""

    played: PlayedGame
    players: tuple[str, ...]
    pair: int | None = None


class Store:
    """An open store. Use it in a `with` statement: the last one to close it leaves a single file."""

    def __init__(self, where: str, engine: Engine) -> None:
        self.where, self._engine = where, engine

    @staticmethod
    def open(where: str | os.PathLike[str] | None = None, *, create: bool = True) -> Store:
        """Open the store at a path or URL, `gomogo.db` here if none is given, and bring it up to date.

        create: make it where it is missing; without, UserError says that nothing has been played there.
        """
        url = store_url(where)
        if not create and url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
            raise UserError(
                f"There is no store at {name_of_store(url)}: nothing has been played there.",
                "Play something first (`gomogo play alpha_beta`), or name the store by --store.",
            )
        store = Store(name_of_store(url), connect(url, writable=create or may_write(url)))
        try:
            with friendly_errors(store.where):
                store._prepare_patiently()
        except BaseException:
            store.close()
            raise
        return store

    def _prepare_patiently(self) -> None:
        """Prepare it beside others who prepare it: SQLite does not wait while another turns a new file to WAL mode."""
        until = time.monotonic() + _database.PATIENCE
        while True:
            try:
                self._prepare()
                return
            except OperationalError as busy:
                if "is locked" not in str(busy.orig) or time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def _prepare(self) -> None:
        with self._reading() as connection:
            if is_up_to_date(connection):
                return
        with self._writing() as connection:
            _database.prepare_alone(connection)
            bring_up_to_date(connection, self.where)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._engine.connect().execution_options(writes=True) as connection, connection.begin():
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for queries; database errors become UserError."""
        with friendly_errors(self.where), self._reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a connection within one transaction; database errors become UserError."""
        with friendly_errors(self.where), self._writing() as connection:
            yield connection

    @property
    def folder(self) -> Path:
        """Return the folder for files that belong to the store: beside it, or here for the store of a server."""
        url = self._engine.url
        return Path(url.database or "").parent if url.get_backend_name() == "sqlite" else Path.cwd()

    # Games

    def add(
        self, played: PlayedGame, run: Run | None = None, players: Sequence[str] = (), pair: int | None = None
    ) -> bool:
        """Store a game, in one transaction; False if a game with its key is stored already.

        A void game is stored as unplayed; a played game replaces it. players: by seat, the names within the run; by
        default the agents' specs. pair: the same number for the games of a run that began from one opening.
        """
        return self.add_all([Entry(played, tuple(players) or played.specs, pair)], run) == [True]

    def add_all(self, entries: Sequence[Entry], run: Run | None = None) -> list[bool]:
        """Store several games as `add` does, in one transaction with one disk flush. Returns whether each is new."""
        if not entries:
            return []
        with friendly_errors(self.where):
            try:
                with self._writing() as connection:
                    return _insert(connection, entries, None if run is None else run.id)
            except IntegrityError:  # another process has added one of the games meanwhile
                if len(entries) == 1:
                    return [False]
        return [new for entry in entries for new in self.add_all([entry], run)]

    def game(self, key: str) -> PlayedGame:
        """Return the only game whose key begins with `key`, or for "last" the last one. Raises UserError."""
        found = select(records.c.key, records.c.json).join(games, games.c.key == records.c.key)
        if key == "last":
            found = found.order_by(games.c.started.desc()).limit(1)
        else:
            found = found.where(records.c.key.startswith(key, autoescape=True)).limit(2)
        with self.reading() as connection:
            rows = connection.execute(found).all()
        if not rows:
            raise self._no_game(key)
        if len(rows) > 1:
            raise UserError(f"Several games have keys that begin with {key!r}.", "Write more letters of the key.")
        return PlayedGame.from_json(json.loads(rows[0].json))

    def latest(self, most: int) -> list[tuple[str, tuple[str, ...]]]:
        """Return the keys of the latest games, `most` at most, each with the players' names by seat."""
        last = select(games.c.key, games.c.started).order_by(games.c.started.desc()).limit(most).subquery()
        query = select(seats.c.key, seats.c.name).join(last, last.c.key == seats.c.key)
        names: dict[str, list[str]] = {}
        with self.reading() as connection:
            for row in connection.execute(query.order_by(last.c.started.desc(), seats.c.key, seats.c.seat)):
                names.setdefault(row.key, []).append(row.name)
        return [(key, tuple(found)) for key, found in names.items()]

    def _no_game(self, key: str) -> UserError:
        """Return the error for a key that no game has; its remedy is a command that works on this store."""
        with self.reading() as connection:
            some = connection.execute(select(games.c.key).limit(1)).first() is not None
        where = "" if self.where == DEFAULT else f" --store {self.where}"
        if not some:
            return UserError(
                f"The store {self.where} holds no game yet.", f"Play one: `gomogo play alpha_beta{where}`."
            )
        lists = f"`gomogo tournament results{where}` lists the games of a run."
        return UserError(
            f"The store {self.where} holds no game whose key begins with {key!r}.",
            lists if self.runs() else f"`gomogo replay last{where}` shows the last one played.",
        )

    def games_of(
        self, run: Run | None = None, *, game: str | None = None, player: str | None = None
    ) -> Iterator[PlayedGame]:
        """Yield every game that counts, in the order of their start; only some are in memory at a time.

        run: only its games. game: only games by these rules. player: only games of this name or agent's spec.
        """
        query = select(games.c.key).where(games.c.status == Status.PLAYED)
        if run is not None:
            query = query.where(games.c.run == run.id)
        if game is not None:
            query = query.where(games.c.game == game)
        if player is not None:
            theirs = select(seats.c.key).where(or_(seats.c.name == player, seats.c.spec == player))
            query = query.where(games.c.key.in_(theirs))
        with self.reading() as connection:
            keys = connection.execute(query.order_by(games.c.started)).scalars().all()
        for first in range(0, len(keys), _AT_ONCE):
            some = keys[first : first + _AT_ONCE]
            with self.reading() as connection:
                chosen = select(records.c.key, records.c.json).where(records.c.key.in_(some))
                held = {row.key: row.json for row in connection.execute(chosen)}
            yield from (PlayedGame.from_json(json.loads(held[key])) for key in some)

    # Runs

    def runs(self) -> list[Run]:
        """Return all runs, the latest first."""
        with self.reading() as connection:
            return [
                _run(row) for row in connection.execute(select(runs).order_by(runs.c.started.desc(), runs.c.id.desc()))
            ]

    def run(self, name: str) -> Run:
        """Return the run called `name`. Raises UserError if there is none."""
        if (run := self.find(name)) is None:
            known = [run.name for run in self.runs()]
            raise UserError(f"The store {self.where} holds no run called {name!r}.", nearest(name, known))
        return run

    def find(self, name: str) -> Run | None:
        """Return the run called `name`, or None."""
        with self.reading() as connection:
            row = connection.execute(select(runs).where(runs.c.name == name)).one_or_none()
        return None if row is None else _run(row)

    def begin(self, name: str, fingerprint: str, asked: Mapping[str, Any], planned: int | None) -> Run | None:
        """Insert a new run; None if a run of this name exists."""
        row = {"name": name, "fingerprint": fingerprint, "asked": json.dumps(asked), "planned": planned or 0}
        with friendly_errors(self.where):
            try:
                with self._writing() as connection:
                    connection.execute(insert(runs).values(**row, started=time.time(), stop=False))
            except IntegrityError:
                return None
        return self.find(name)

    def withdraw(self, run: Run) -> bool:
        """Delete a run without games, as if it had never begun; False if it has a game."""
        its_games = select(games.c.key).where(games.c.run == run.id)
        with friendly_errors(self.where), self._writing() as connection:
            return bool(connection.execute(delete(runs).where(runs.c.id == run.id, ~its_games.exists())).rowcount)

    def change(
        self, run: Run, fingerprint: str, asked: Mapping[str, Any], kept: Collection[str], planned: int | None
    ) -> Run:
        """Change the settings of a run: its games with a key in `kept` count, the others are set aside."""
        with friendly_errors(self.where), self._writing() as connection:
            row: dict[str, Any] = {"fingerprint": fingerprint, "asked": json.dumps(asked), "planned": planned or 0}
            connection.execute(update(runs).where(runs.c.id == run.id).values(**row))
            held = connection.execute(select(games.c.key, games.c.status).where(games.c.run == run.id)).all()
            wanted = [
                {"its_key": key, "now": Status.PLAYED if key in kept else Status.SET_ASIDE}
                for key, status in held
                if status != Status.UNPLAYED and (status == Status.PLAYED) != (key in kept)
            ]
            if wanted:
                statement = update(games).where(games.c.key == bindparam("its_key")).values(status=bindparam("now"))
                connection.execute(statement, wanted)
        return replace(run, fingerprint=fingerprint, asked=json.loads(row["asked"]), planned=planned or None)

    def set_aside(self, run: Run, keys: Collection[str]) -> None:
        """Let these games count no longer, so that they can be played again; their records get other keys."""
        with friendly_errors(self.where), self._writing() as connection:
            for key in keys:
                _rename(connection, run, key)

    def mark(self, run: Run, keys: Collection[str], status: Status) -> None:
        """Let games that had been set aside count again, or let games count no longer until they do again."""
        with friendly_errors(self.where), self._writing() as connection:
            statement = update(games).where(games.c.run == run.id, games.c.key == bindparam("its_key"))
            connection.execute(statement.values(status=status), [{"its_key": key} for key in keys])

    def note(self, run: Run, asked: Mapping[str, Any], planned: int | None) -> Run:
        """Update the settings and the number of games of a running run, as far as they have become known."""
        with friendly_errors(self.where), self._writing() as connection:
            row: dict[str, Any] = {"asked": json.dumps(asked), "planned": planned or 0}
            connection.execute(update(runs).where(runs.c.id == run.id).values(**row))
        return replace(run, asked=json.loads(row["asked"]), planned=planned or None)

    def keys(self, run: Run, status: Status = Status.PLAYED) -> set[str]:
        """Return the keys of a run's games of one status."""
        with self.reading() as connection:
            query = select(games.c.key).where(games.c.run == run.id, games.c.status == status)
            return set(connection.execute(query).scalars())

    def keys_by_status(self, run: Run) -> dict[Status, set[str]]:
        """Return the keys of all games of a run, by their status."""
        with self.reading() as connection:
            rows = connection.execute(select(games.c.key, games.c.status).where(games.c.run == run.id)).all()
        return {status: {key for key, its in rows if its == status} for status in Status}

    def doubtful(self, run: Run) -> set[str]:
        """Return the keys of the games that count, and were lost on time on a machine that may be at fault."""
        with self.reading() as connection:
            query = select(games.c.key).where(games.c.run == run.id, games.c.status == Status.PLAYED, games.c.doubtful)
            return set(connection.execute(query).scalars())

    def played_by(self, run: Run, worker: str) -> set[str]:
        """Return the keys of the games that count and that this worker played."""
        with self.reading() as connection:
            query = select(games.c.key).where(games.c.run == run.id, games.c.status == Status.PLAYED)
            return set(connection.execute(query.where(games.c.worker == worker)).scalars())

    def count(self, run: Run, status: Status = Status.PLAYED) -> int:
        """Return how many games of a run have this status."""
        with self.reading() as connection:
            query = select(func.count()).select_from(games).where(games.c.run == run.id, games.c.status == status)
            return int(connection.execute(query).scalar_one())

    def ask_to_stop(self, run: Run, stop: bool = True) -> None:
        """Ask the runner, perhaps another process, to finish its games and stop; or withdraw that."""
        with friendly_errors(self.where), self._writing() as connection:
            connection.execute(update(runs).where(runs.c.id == run.id).values(stop=stop))

    def asked_to_stop(self, run: Run) -> bool:
        """Return whether the runner is asked to stop."""
        with self.reading() as connection:
            return bool(connection.execute(select(runs.c.stop).where(runs.c.id == run.id)).scalar_one())

    @contextmanager
    def holding(self, name: str, patience: float = 1.0) -> Iterator[None]:
        """Lock the run `name`, so that no other process plays it. Raises UserError if another process does."""
        busy = self._busy(name)
        with hold_run_lock(self._engine, name, busy, patience):
            yield

    def _busy(self, name: str) -> UserError:
        return UserError(
            f"The run {name!r} in {self.where} is being played by another process.",
            f"Wait for it, or end it by `gomogo tournament stop {name}`.",
        )

    def is_played(self, name: str) -> bool:
        """Return whether a process plays the run `name` now; False if the lock cannot be examined."""
        busy = self._busy(name)
        try:
            with hold_run_lock(self._engine, name, busy, patience=0):
                return False
        except UserError as refused:
            return refused is busy


def _insert(connection: Connection, entries: Sequence[Entry], run: int | None) -> list[bool]:
    """Insert games, each key once; a game that could not be played is replaced."""
    keys = [entry.played.key for entry in entries]
    held = {row.key: row.status for row in connection.execute(_HELD, {"keys": keys})}
    if unplayed := [key for key, status in held.items() if status == Status.UNPLAYED]:
        for table in (records, seats, games):
            connection.execute(table.delete().where(table.c.key.in_(unplayed)))
    taken, new = held.keys() - set(unplayed), list[bool]()
    for key in keys:
        new.append(key not in taken)
        taken |= {key}
    fresh = [entry for entry, is_new in zip(entries, new, strict=True) if is_new]
    if not fresh:
        return new
    statuses = [Status.UNPLAYED if entry.played.outcome.void else Status.PLAYED for entry in fresh]
    rows = [game_row(entry.played, run, status, entry.pair) for entry, status in zip(fresh, statuses, strict=True)]
    connection.execute(_NEW_GAMES, rows)
    connection.execute(_NEW_SEATS, [row for entry in fresh for row in seat_rows(entry.played, entry.players)])
    connection.execute(_NEW_RECORDS, [{"key": entry.played.key, "json": entry.played.as_text()} for entry in fresh])
    return new


# built once: building a statement takes longer than running it
_HELD = select(games.c.key, games.c.status).where(games.c.key.in_(bindparam("keys", expanding=True)))
_NEW_GAMES, _NEW_SEATS, _NEW_RECORDS = insert(games), insert(seats), insert(records)


def _rename(connection: Connection, run: Run, key: str) -> None:
    """Give a game of a run that counts a new key, the first free number before the old one, and the status set aside.

    Not after it: the first letters of a key must find the game that counts.
    """
    found = select(games).where(games.c.key == key, games.c.run == run.id, games.c.status == Status.PLAYED)
    if (game := connection.execute(found).mappings().first()) is None:
        return
    taken = set(connection.execute(select(games.c.key).where(games.c.key.endswith(f"-{key}"))).scalars())
    new = next(name for number in range(1, len(taken) + 2) if (name := f"{number}-{key}") not in taken)
    connection.execute(insert(games).values({**game, "key": new, "status": Status.SET_ASIDE}))
    connection.execute(update(seats).where(seats.c.key == key).values(key=new))
    record = connection.execute(select(records.c.json).where(records.c.key == key)).scalar_one()
    connection.execute(
        update(records).where(records.c.key == key).values(key=new, json=json.dumps({**json.loads(record), "key": new}))
    )
    connection.execute(games.delete().where(games.c.key == key))


def _run(row: Any) -> Run:
    return Run(row.id, row.name, row.fingerprint, json.loads(row.asked), row.planned or None, row.started)
