"""What a person came to against others of one kind, game by game: from it a level that suits them is found.

Knows tables; no levels.
"""

from __future__ import annotations

from sqlalchemy import Select, and_, func, select

from gomogo_core.records._tables import games, seats, sitters
from gomogo_core.records.store import Status, Store
from gomogo_core.records.tallies import ME


def shares_of_me(store: Store, game: str, opponents: str) -> list[tuple[str, float]]:
    """What the person at this computer came to in each game against others of one kind, in the order they were played.

    opponents: how their names begin. Returns the name of one of them, and the share of all others that the person beat,
    an equal rank counted half. Games that an opponent lost by its own fault say nothing of the person: left out.
    """
    sat = select(seats.c.key, seats.c.seat).where(seats.c.spec == "human", seats.c.name == ME)
    return _shares(store, sat, game, opponents)


def shares_of(store: Store, sitter: str, game: str, opponents: str) -> list[tuple[str, float]]:
    """The same for who sits at the page in one browser."""
    sat = select(sitters.c.key, sitters.c.seat).where(sitters.c.sitter == sitter)
    return _shares(store, sat, game, opponents)


def _shares(store: Store, sat: Select[tuple[str, int]], game: str, opponents: str) -> list[tuple[str, float]]:
    """sat: the seats that the person had, by key and number."""
    theirs, other, own = sat.subquery(), seats.alias("other"), seats.alias("own")
    query = (
        select(func.min(other.c.name), func.min(own.c.points))
        .join(theirs, theirs.c.key == other.c.key)
        .join(own, and_(own.c.key == theirs.c.key, own.c.seat == theirs.c.seat))
        .join(games, games.c.key == other.c.key)
        .where(other.c.name.startswith(opponents, autoescape=True), other.c.seat != own.c.seat)
        .where(games.c.status == Status.PLAYED, games.c.game == game)
        .group_by(games.c.key, games.c.started)
        .having(func.count(other.c.forfeit) == 0)
        .order_by(games.c.started, games.c.key)
    )
    with store.reading() as connection:
        return [(name, share) for name, share in connection.execute(query)]
