"""The tables of the store, and how an older store becomes a newer one.

Knows no game's rules and no tournament; `store.py` reads and writes what stands here.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    inspect,
    text,
)

from gomogo_core.errors import UserError

metadata = MetaData()

version = Table("gomogo_store", metadata, Column("schema", Integer, primary_key=True, autoincrement=False))

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("fingerprint", Text, nullable=False),  # of what it asks for
    Column("asked", Text, nullable=False),  # what it asks for, as JSON
    Column("planned", Integer, nullable=False),  # games, 0 for a run without end
    Column("started", Float, nullable=False),  # Unix time
    Column("stop", Boolean, nullable=False),  # somebody asks the runner to finish
)

games = Table(
    "games",
    metadata,
    Column("key", Text, primary_key=True),
    Column("run", ForeignKey("runs.id"), nullable=True),  # none for a game at the console
    Column("status", Text, nullable=False),  # a Status
    Column("game", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("winner", Integer, nullable=True),  # a seat
    Column("plies", Integer, nullable=False),
    Column("started", Float, nullable=False),
    Column("duration", Float, nullable=False),
    Column("pair", Integer, nullable=True),  # of its run: games of one number began with the same opening
    Column("worker", Text, nullable=True),  # which of several places played it
    Column("doubtful", Boolean, nullable=True),  # a loss on time that may be the machine's fault
    Index("games_by_run", "run", "status"),
    Index("games_by_time", "started"),
)

seats = Table(
    "seats",
    metadata,
    Column("key", ForeignKey("games.key"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player", Text, nullable=False),  # who it is within its run; outside of runs the agent's spec
    Column("spec", Text, nullable=False),
    Column("name", Text, nullable=False),  # as shown at the table
    Column("rank", Integer, nullable=False),
    Column("result", Text, nullable=False),  # win, draw, loss
    Column("points", Float, nullable=False),  # the share of its opponents it beat; half for an equal rank
    Column("forfeit", Text, nullable=True),  # the reason, where the player lost by one
    Column("moves", Integer, nullable=False),  # of its own, without those of the opening
    Column("seconds", Float, nullable=False),  # they took, together
    Index("seats_by_spec", "spec"),
    Index("seats_by_name", "name"),
)

# The whole record lies apart: a table of standings reads 100,000 games and none of their moves.
records = Table(
    "records", metadata, Column("key", ForeignKey("games.key"), primary_key=True), Column("json", Text, nullable=False)
)

# Games that people play on the page, whether they are over or not; `sitters` says whose they are.
sittings = Table(
    "sittings",
    metadata,
    Column("key", Text, primary_key=True),  # of the game, here and once it is stored
    Column("json", Text, nullable=False),  # as far as it went
    Column("over", Boolean, nullable=False),
    Column("changed", Float, nullable=False),  # Unix time
)

sitters = Table(
    "sitters",
    metadata,
    Column("key", ForeignKey("sittings.key"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("sitter", Text, nullable=False),  # who sits there, as a browser's session says, which is not kept itself
    Index("sitters_by_sitter", "sitter"),
)

Migration = Callable[[Connection], None]


def _know_pairs(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE games ADD COLUMN pair INTEGER"))


def _know_workers(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE games ADD COLUMN worker TEXT"))
    connection.execute(text("ALTER TABLE games ADD COLUMN doubtful BOOLEAN"))


def _know_sittings(connection: Connection) -> None:
    metadata.create_all(connection, [sittings, sitters])


MIGRATIONS: list[Migration] = [
    _know_pairs,
    _know_workers,
    _know_sittings,
]  # the first makes schema 2 from schema 1, the next 3 from 2 …


def is_up_to_date(connection: Connection) -> bool:
    """Whether a store has the newest schema, so that there is nothing to write."""
    return version.name in inspect(connection).get_table_names() and (
        connection.execute(version.select()).scalar_one() == 1 + len(MIGRATIONS)
    )


def bring_up_to_date(connection: Connection, where: str) -> None:
    """Make the tables in an empty store, or bring those of an older program to the newest schema, all or nothing.

    Raises UserError for the store of a newer program, and for a database that is something else.
    """
    newest = 1 + len(MIGRATIONS)
    present = set(inspect(connection).get_table_names())
    if version.name not in present:
        if taken := present & metadata.tables.keys():
            raise UserError(
                f"{where} is the database of another program: it has a table {min(taken)}.",
                "Name a store of its own by --store.",
            )
        metadata.create_all(connection)
        connection.execute(version.insert().values(schema=newest))
        return
    found = connection.execute(version.select()).scalar_one()
    if found > newest:
        raise UserError(
            f"{where} was written by a newer Gomogo: it has schema {found}, this one reads up to {newest}.",
            "Update Gomogo, or name another store by --store.",
        )
    for migrate in MIGRATIONS[found - 1 :]:
        migrate(connection)
    connection.execute(version.update().values(schema=newest))
