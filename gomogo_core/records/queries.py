"""Queries for finished games by player, result and opening; and each player's results in each game.

Uses tables, but no rules. The newest come first, in pages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import and_, case, func, or_, select

from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason, Seat
from gomogo_core.records._tables import games, records, runs, seats
from gomogo_core.records.store import Status, Store

_MOVE = re.compile(r"[a-z0-9]{1,12}")


class GameQuery(NamedTuple):
    """Search conditions; an empty one matches every game.

    player: a name or a spec. result: the player's, "win", "draw" or "loss". opening: the first moves in the game's
    notation, "h8 g7".
    """

    player: str = ""
    game: str = ""
    result: str = ""
    reason: str = ""
    opening: str = ""
    run: str = ""


class GameSummary(NamedTuple):
    """One game. names: by seat. started: Unix time."""

    key: str
    game: str
    names: tuple[str, ...]
    winner: Seat | None
    reason: str
    plies: int
    started: float


class PlayerRecord(NamedTuple):
    """One player's results in one game, over the whole store."""

    name: str
    game: str
    games: int
    wins: int
    draws: int
    losses: int


def find(store: Store, wanted: GameQuery, most: int, after: int = 0) -> list[GameSummary]:
    """Return the games that count and match `wanted`: `most` of them, after the first `after`. Raises UserError."""
    query = select(games).where(games.c.status == Status.PLAYED)
    for column, value in ((games.c.game, wanted.game), (games.c.reason, _reason_name(wanted.reason))):
        if value:
            query = query.where(column == value)
    if wanted.player or wanted.result:
        theirs = select(seats.c.key)
        if wanted.player:
            theirs = theirs.where(or_(seats.c.name == wanted.player, seats.c.spec == wanted.player))
        if wanted.result:
            theirs = theirs.where(seats.c.result == wanted.result)
        query = query.where(games.c.key.in_(theirs))
    if wanted.run:
        query = query.where(games.c.run.in_(select(runs.c.id).where(runs.c.name == wanted.run)))
    if wanted.opening:
        begins = select(records.c.key).where(or_(*map(records.c.json.like, _opening_patterns(wanted.opening))))
        query = query.where(games.c.key.in_(begins))
    query = query.order_by(games.c.started.desc(), games.c.key).limit(most).offset(after)
    with store.reading() as connection:
        rows = connection.execute(query).all()
        keys = [row.key for row in rows]
        named = select(seats.c.key, seats.c.name).where(seats.c.key.in_(keys)).order_by(seats.c.key, seats.c.seat)
        names: dict[str, list[str]] = {key: [] for key in keys}
        for key, name in connection.execute(named):
            names[key].append(name)
    return [
        GameSummary(row.key, row.game, tuple(names[row.key]), row.winner, row.reason, row.plies, row.started)
        for row in rows
    ]


def _reason_name(text: str) -> str:
    """Return the stored name of a reason; "five", a name of earlier versions, becomes "line"."""
    try:
        return Reason(text).value
    except ValueError:
        return text


def _opening_patterns(opening: str) -> list[str]:
    """Return SQL patterns for records of games that begin with these moves, by any seat.

    Older records have blanks after commas and colons, newer ones have none.
    """
    moves = opening.casefold().split()
    for move in moves:
        if not _MOVE.fullmatch(move):
            raise UserError(f"{move[:40]!r} is no move as records have it.", "Write for example h8 g7.")
    spaced = '%"plies": [' + ", ".join(f'[_, "{move}"]' for move in moves) + "%"
    return [spaced, spaced.replace(" ", "")]


def everybody(store: Store, most: int = 500) -> list[PlayerRecord]:
    """Return every player's results in each game; the players with most games first."""

    def count(result: str) -> object:
        return func.sum(case((seats.c.result == result, 1), else_=0))

    query = (
        select(seats.c.name, games.c.game, func.count(), count("win"), count("draw"), count("loss"))  # type: ignore[call-overload]
        .select_from(seats.join(games, and_(games.c.key == seats.c.key, games.c.status == Status.PLAYED)))
        .group_by(seats.c.name, games.c.game)
        .order_by(games.c.game, func.count().desc(), seats.c.name)
        .limit(most)
    )
    with store.reading() as connection:
        return [PlayerRecord(*row) for row in connection.execute(query)]


def reasons(store: Store) -> Sequence[str]:
    """Return the reasons of the games in the store."""
    with store.reading() as connection:
        query = select(games.c.reason).where(games.c.status == Status.PLAYED).distinct().order_by(games.c.reason)
        return list(connection.execute(query).scalars())
