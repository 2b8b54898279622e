"""The store: every finished game and every run, in SQLite or, by URL, in PostgreSQL.

Knows records of games; not how they are planned, played or counted. One writer at a time.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError, OperationalError

from gomogo_core.errors import UserError, nearest
from gomogo_core.records._database import address, connect, in_words, may_write, shown
from gomogo_core.records._hold import hold
from gomogo_core.records._rows import game_row, seat_rows
from gomogo_core.records._tables import bring_up_to_date, games, is_up_to_date, records, runs, seats
from gomogo_core.records.places import STORE as DEFAULT
from gomogo_core.records.played import PlayedGame

__all__ = ["DEFAULT", "Run", "Status", "Store"]

_AT_ONCE = 200  # records that are read together
_PATIENCE = 5.0  # seconds that a store may be locked while it is opened


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

    fingerprint: of what it asks for, which is `asked`. planned: how many games that is, as far as it is known; None for
    a run without end. started: Unix time.
    """

    id: int
    name: str
    fingerprint: str
    asked: Mapping[str, Any]
    planned: int | None
    started: float


class Store:
    """An open store. Use it in a `with` statement: the last one to close it leaves a single file."""

    def __init__(self, where: str, engine: Engine) -> None:
        self.where, self._engine = where, engine

    @staticmethod
    def open(where: str | os.PathLike[str] | None = None, *, create: bool = True) -> Store:
        """Open the store at a path or URL, `gomogo.db` here if none is given, and bring it up to date.

        create: make it where it is missing; without, UserError says that nothing has been played there.
        """
        url = address(where)
        if not create and url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
            raise UserError(
                f"There is no store at {shown(url)}: nothing has been played there.",
                "Play something first (`gomogo play alpha_beta`), or say where the store is by --store.",
            )
        store = Store(shown(url), connect(url, writable=create or may_write(url)))
        try:
            with in_words(store.where):
                store._prepare_patiently()
        except BaseException:
            store.close()
            raise
        return store

    def _prepare_patiently(self) -> None:
        """Prepare it, beside others who do so: SQLite does not wait for whoever turns a new file to WAL mode."""
        until = time.monotonic() + _PATIENCE
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
        """A connection for queries, whose faults are told in words."""
        with in_words(self.where), self._reading() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A connection within one transaction, whose faults are told in words."""
        with in_words(self.where), self._writing() as connection:
            yield connection

    @property
    def folder(self) -> Path:
        """Where files that go with the store lie: beside it, or here for the store of a server."""
        url = self._engine.url
        return Path(url.database or "").parent if url.get_backend_name() == "sqlite" else Path.cwd()

    # Games

    def add(
        self, played: PlayedGame, run: Run | None = None, players: Sequence[str] = (), pair: int | None = None
    ) -> bool:
        """Keep a game, in one transaction; False where one with its key is there already.

        A void game is kept as unplayed, and makes way for one that is played. players: by seat, who it is within the
        run; without, the agents' specs. pair: the same number for the games of a run that began from one opening.
        """
        status = Status.UNPLAYED if played.outcome.void else Status.PLAYED
        with in_words(self.where):
            try:
                with self._writing() as connection:
                    self._forget_unplayed(connection, played.key)
                    row = game_row(played, None if run is None else run.id, status, pair)
                    connection.execute(insert(games).values(row))
                    connection.execute(insert(seats), seat_rows(played, tuple(players) or played.specs))
                    connection.execute(insert(records).values(key=played.key, json=json.dumps(played.as_json())))
            except IntegrityError:
                return False
        return True

    @staticmethod
    def _forget_unplayed(connection: Connection, key: str) -> None:
        unplayed = select(games.c.key).where(games.c.key == key, games.c.status == Status.UNPLAYED)
        if connection.execute(unplayed).first():
            for table in (records, seats, games):
                connection.execute(table.delete().where(table.c.key == key))

    def game(self, key: str) -> PlayedGame:
        """The game whose key begins with `key`; for "last" the last one played. Raises UserError for none, or many."""
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

    def _no_game(self, key: str) -> UserError:
        """What to say where no key begins with `key`; the advice is a command that works on this store."""
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
        """Every game that counts, in the order they were played; some are held at a time, however many there are.

        run: only its games. game: only those by these rules. player: only those of this name or agent's spec.
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
        """All runs, the latest first."""
        with self.reading() as connection:
            return [
                _run(row) for row in connection.execute(select(runs).order_by(runs.c.started.desc(), runs.c.id.desc()))
            ]

    def run(self, name: str) -> Run:
        """The run called `name`. Raises UserError where there is none."""
        known = {run.name: run for run in self.runs()}
        if name not in known:
            raise UserError(f"The store {self.where} holds no run called {name!r}.", nearest(name, known))
        return known[name]

    def begin(self, name: str, fingerprint: str, asked: Mapping[str, Any], planned: int | None) -> Run | None:
        """Enter a new run; None where one of this name is there already."""
        row = {"name": name, "fingerprint": fingerprint, "asked": json.dumps(asked), "planned": planned or 0}
        with in_words(self.where):
            try:
                with self._writing() as connection:
                    connection.execute(insert(runs).values(**row, started=time.time(), stop=False))
            except IntegrityError:
                return None
        return self.run(name)

    def withdraw(self, run: Run) -> bool:
        """Take a run out that has no game, as if it had never been begun; False where it has one."""
        its_games = select(games.c.key).where(games.c.run == run.id)
        with in_words(self.where), self._writing() as connection:
            return bool(connection.execute(delete(runs).where(runs.c.id == run.id, ~its_games.exists())).rowcount)

    def change(
        self, run: Run, fingerprint: str, asked: Mapping[str, Any], kept: Collection[str], planned: int | None
    ) -> Run:
        """Let a run ask for something else: of its games those with a key in `kept` count, the others are set aside."""
        with in_words(self.where), self._writing() as connection:
            row = {"fingerprint": fingerprint, "asked": json.dumps(asked), "planned": planned or 0}
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
        return self.run(run.name)

    def set_aside(self, run: Run, keys: Collection[str]) -> None:
        """Let these games count no longer, so that they can be played again; their records get other keys."""
        with in_words(self.where), self._writing() as connection:
            for key in keys:
                _rename(connection, run, key)

    def mark(self, run: Run, keys: Collection[str], status: Status) -> None:
        """Let games that had been set aside count again, or let games count no longer until they do again."""
        with in_words(self.where), self._writing() as connection:
            statement = update(games).where(games.c.run == run.id, games.c.key == bindparam("its_key"))
            connection.execute(statement.values(status=status), [{"its_key": key} for key in keys])

    def note(self, run: Run, asked: Mapping[str, Any], planned: int | None) -> Run:
        """Write down what has become known of a run while it goes on: who plays in it, how many games it is."""
        with in_words(self.where), self._writing() as connection:
            row = {"asked": json.dumps(asked), "planned": planned or 0}
            connection.execute(update(runs).where(runs.c.id == run.id).values(**row))
        return self.run(run.name)

    def keys(self, run: Run, status: Status = Status.PLAYED) -> set[str]:
        """The keys of a run's games of one status."""
        with self.reading() as connection:
            query = select(games.c.key).where(games.c.run == run.id, games.c.status == status)
            return set(connection.execute(query).scalars())

    def doubtful(self, run: Run) -> set[str]:
        """The keys of the games that count, and were lost on time on a machine that may be at fault."""
        with self.reading() as connection:
            query = select(games.c.key).where(games.c.run == run.id, games.c.status == Status.PLAYED, games.c.doubtful)
            return set(connection.execute(query).scalars())

    def played_by(self, run: Run, worker: str) -> set[str]:
        """The keys of the games that count and that this worker played."""
        with self.reading() as connection:
            query = select(games.c.key).where(games.c.run == run.id, games.c.status == Status.PLAYED)
            return set(connection.execute(query.where(games.c.worker == worker)).scalars())

    def count(self, run: Run, status: Status = Status.PLAYED) -> int:
        """How many games of a run have this status."""
        with self.reading() as connection:
            query = select(func.count()).select_from(games).where(games.c.run == run.id, games.c.status == status)
            return int(connection.execute(query).scalar_one())

    def ask_to_stop(self, run: Run, stop: bool = True) -> None:
        """Leave word for the runner, which may be another process, to finish its games and stop; or take it back."""
        with in_words(self.where), self._writing() as connection:
            connection.execute(update(runs).where(runs.c.id == run.id).values(stop=stop))

    def asked_to_stop(self, run: Run) -> bool:
        """Whether there is such word."""
        with self.reading() as connection:
            return bool(connection.execute(select(runs.c.stop).where(runs.c.id == run.id)).scalar_one())

    @contextmanager
    def holding(self, name: str, patience: float = 1.0) -> Iterator[None]:
        """Be the only one to play the run `name`, in any process. Raises UserError while another one does."""
        with hold(self._engine, name, self._busy(name), patience):
            yield

    def _busy(self, name: str) -> UserError:
        return UserError(
            f"The run {name!r} in {self.where} is being played by another process.",
            f"Wait for it, or end it by `gomogo tournament stop {name}`.",
        )

    def is_played(self, name: str) -> bool:
        """Whether a process plays the run `name` now; no, where we may not look."""
        busy = self._busy(name)
        try:
            with hold(self._engine, name, busy, patience=0):
                return False
        except UserError as refused:
            return refused is busy


def _rename(connection: Connection, run: Run, key: str) -> None:
    """Give a game of a run that counts a key with the first free number before it, and its status.

    Not behind it: who asks for a game by the first letters of its key means the one that counts.
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
