"""The tables of the store, and the migrations of older stores.

The module store.py reads and writes these tables. The names of types are those of PostgreSQL; SQLite accepts all of
them except SERIAL. The module does not depend on rules or tournaments.
"""

from __future__ import annotations

from gomogo_core.errors import UserError
from gomogo_core.records._database import Connection

_SESSION_TABLES = {  # finished and unfinished games that humans play on the page or at a terminal, and their players
    "sittings": """
        key TEXT NOT NULL PRIMARY KEY, -- of the game, here and in `games`
        json TEXT NOT NULL, -- the moves so far
        over BOOLEAN NOT NULL,
        changed FLOAT NOT NULL -- Unix time
    """,
    "sitters": """
        key TEXT NOT NULL REFERENCES sittings (key),
        seat INTEGER NOT NULL,
        sitter TEXT NOT NULL, -- a hash of the browser's session, or a terminal's user
        PRIMARY KEY (key, seat)
    """,
}
_CLASSES_COLUMNS_SQL = "name TEXT NOT NULL PRIMARY KEY, json TEXT NOT NULL"  # classes that play on the page
COLUMNS_BY_TABLE = {  # a table comes before the tables that refer to it
    "gomogo_store": "schema INTEGER NOT NULL PRIMARY KEY",
    "runs": """
        id SERIAL PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        fingerprint TEXT NOT NULL, -- a hash of `asked`
        asked TEXT NOT NULL, -- its settings, as JSON
        planned INTEGER NOT NULL, -- games, 0 for a run without end
        started FLOAT NOT NULL, -- Unix time
        stop BOOLEAN NOT NULL -- a request to the runner to finish
    """,
    "games": """
        key TEXT NOT NULL PRIMARY KEY,
        run INTEGER REFERENCES runs (id), -- none for a game at the console
        status TEXT NOT NULL, -- a Status
        game TEXT NOT NULL,
        reason TEXT NOT NULL,
        winner INTEGER, -- a seat
        plies INTEGER NOT NULL,
        started FLOAT NOT NULL,
        duration FLOAT NOT NULL,
        pair INTEGER, -- of its run: games of one number began with the same opening
        worker TEXT, -- the worker that played it, if there were several
        doubtful BOOLEAN -- a loss on time, perhaps by the machine's fault
    """,
    "seats": """
        key TEXT NOT NULL REFERENCES games (key),
        seat INTEGER NOT NULL,
        player TEXT NOT NULL, -- its name within the run; outside of runs the agent's spec
        spec TEXT NOT NULL,
        name TEXT NOT NULL, -- as the game displays it
        rank INTEGER NOT NULL,
        result TEXT NOT NULL, -- win, draw, loss
        points FLOAT NOT NULL, -- the share of its opponents that it beat; an equal rank counts half
        forfeit TEXT, -- the reason, if the player lost by a forfeit
        moves INTEGER NOT NULL, -- its own, without those of the opening
        seconds FLOAT NOT NULL, -- for all its moves together
        PRIMARY KEY (key, seat)
    """,
    # records are not in `games`, because standings read up to 100,000 games and no moves
    "records": "key TEXT NOT NULL PRIMARY KEY REFERENCES games (key), json TEXT NOT NULL",
    **_SESSION_TABLES,
    "classes": _CLASSES_COLUMNS_SQL,
}
_INDICES = (
    "CREATE INDEX games_by_run ON games (run, status)",
    "CREATE INDEX games_by_time ON games (started)",
    "CREATE INDEX seats_by_spec ON seats (spec)",
    "CREATE INDEX seats_by_name ON seats (name)",
)
_SITTERS_INDEX = "CREATE INDEX IF NOT EXISTS sitters_by_sitter ON sitters (sitter)"

# the first entry converts schema 1 to schema 2, the next schema 2 to schema 3, and so on
MIGRATIONS: list[tuple[str, ...]] = [
    ("ALTER TABLE games ADD COLUMN pair INTEGER",),
    ("ALTER TABLE games ADD COLUMN worker TEXT", "ALTER TABLE games ADD COLUMN doubtful BOOLEAN"),
    (*(f"CREATE TABLE IF NOT EXISTS {name} ({columns})" for name, columns in _SESSION_TABLES.items()), _SITTERS_INDEX),
    (
        "UPDATE games SET reason = 'line' WHERE reason = 'five'",
        "UPDATE seats SET forfeit = 'line' WHERE forfeit = 'five'",
    ),
    (f"CREATE TABLE IF NOT EXISTS classes ({_CLASSES_COLUMNS_SQL})",),
]


def is_up_to_date(connection: Connection) -> bool:
    """Return whether a store has the newest schema."""
    return "gomogo_store" in connection.tables() and _schema_version(connection) == 1 + len(MIGRATIONS)


def _schema_version(connection: Connection) -> int:
    return int(connection.value("SELECT schema FROM gomogo_store"))


def create_or_migrate(connection: Connection, address: str) -> None:
    """Create the tables in an empty store, or migrate an older store to the newest schema, in one transaction.

    Raises UserError for the store of a newer version, and for the database of another program.
    """
    newest = 1 + len(MIGRATIONS)
    tables = connection.tables()
    if "gomogo_store" not in tables:
        if foreign_tables := tables & COLUMNS_BY_TABLE.keys():
            raise UserError(
                f"{address} is the database of another program: it has a table {min(foreign_tables)}.",
                "Name a separate store with --store.",
            )
        for name, columns in COLUMNS_BY_TABLE.items():
            native_columns = columns.replace("SERIAL", "INTEGER") if connection.is_sqlite else columns
            connection.execute(f"CREATE TABLE {name} ({native_columns})")
        for index in (*_INDICES, _SITTERS_INDEX):
            connection.execute(index)
        connection.insert("gomogo_store", [{"schema": newest}])
        return
    version = _schema_version(connection)
    if version > newest:
        raise UserError(
            f"{address} was written by a newer Gomogo: it has schema {version}, and this one knows at most {newest}.",
            "Update Gomogo, or name another store by --store.",
        )
    for statements in MIGRATIONS[version - 1 :]:
        for statement in statements:
            connection.execute(statement)
    connection.update("gomogo_store", {"schema": newest}, "schema = :version", version=version)
