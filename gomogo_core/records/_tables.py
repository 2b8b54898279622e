"""The tables of the store, and the migrations of older stores.

Needs no game's rules and no tournament; `store.py` reads and writes these tables.
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
    Column("fingerprint", Text, nullable=False),  # a hash of `asked`
    Column("asked", Text, nullable=False),  # its settings, as JSON
    Column("planned", Integer, nullable=False),  # games, 0 for a run without end
    Column("started", Float, nullable=False),  # Unix time
    Column("stop", Boolean, nullable=False),  # a request to the runner to finish
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
    Column("worker", Text, nullable=True),  # the worker that played it, if there were several
    Column("doubtful", Boolean, nullable=True),  # a loss on time, perhaps by the machine's fault
    Index("games_by_run", "run", "status"),
    Index("games_by_time", "started"),
)

seats = Table(
    "seats",
    metadata,
    Column("key", ForeignKey("games.key"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player", Text, nullable=False),  # its name within the run; outside of runs the agent's spec
    Column("spec", Text, nullable=False),
    Column("name", Text, nullable=False),  # as the game displays it
    Column("rank", Integer, nullable=False),
    Column("result", Text, nullable=False),  # win, draw, loss
    Column("points", Float, nullable=False),  # the share of its opponents that it beat; an equal rank counts half
    Column("forfeit", Text, nullable=True),  # the reason, if the player lost by a forfeit
    Column("moves", Integer, nullable=False),  # its own, without those of the opening
    Column("seconds", Float, nullable=False),  # for all its moves together
    Index("seats_by_spec", "spec"),
    Index("seats_by_name", "name"),
)

# The record is a table of its own: standings read 100,000 games and none of their moves.
records = Table(
    "records", metadata, Column("key", ForeignKey("games.key"), primary_key=True), Column("json", Text, nullable=False)
)

# Games that humans play on the page or at a terminal, finished or not; the table `sitters` names their players.
sittings = Table(
    "sittings",
    metadata,
    Column("key", Text, primary_key=True),  # the key of the game, here and in `games`
    Column("json", Text, nullable=False),  # the moves so far
    Column("over", Boolean, nullable=False),
    Column("changed", Float, nullable=False),  # Unix time
)

sitters = Table(
    "sitters",
    metadata,
    Column("key", ForeignKey("sittings.key"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("sitter", Text, nullable=False),  # a hash of the browser's session, or a terminal's user
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


def _rename_five(connection: Connection) -> None:
    connection.execute(text("UPDATE games SET reason = 'line' WHERE reason = 'five'"))
    connection.execute(text("UPDATE seats SET forfeit = 'line' WHERE forfeit = 'five'"))


MIGRATIONS: list[Migration] = [
    _know_pairs,
    _know_workers,
    _know_sittings,
    _rename_five,
]  # the first makes schema 2 from schema 1, the next schema 3 from schema 2, and so on


def is_up_to_date(connection: Connection) -> bool:
    """Return whether a store has the newest schema, so that nothing has to be written."""
    return version.name in inspect(connection).get_table_names() and (
        connection.execute(version.select()).scalar_one() == 1 + len(MIGRATIONS)
    )


def bring_up_to_date(connection: Connection, where: str) -> None:
    """Create the tables in an empty store, or migrate an older store to the newest schema, in one transaction.

    Raises UserError for the store of a newer version, and for the database of another program.
    """
    newest = 1 + len(MIGRATIONS)
    present = set(inspect(connection).get_table_names())
    if version.name not in present:
        if taken := present & metadata.tables.keys():
            raise UserError(
                f"{where} is the database of another program: it has a table {min(taken)}.",
                "Name a separate store with --store.",
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
