"""A person's results against opponents of one kind, game by game; they select a level that suits the person.

Uses tables, but no levels.
"""

from __future__ import annotations

from sqlalchemy import Select, and_, func, select

from gomogo_core.records._tables import games, seats, sitters
from gomogo_core.records.aggregates import ME
from gomogo_core.records.store import Status, Store


def my_results(store: Store, game: str, opponents: str) -> list[tuple[str, float]]:
    """Return the results of the person at this computer against opponents of one kind, in the order of play.

    opponents: the prefix of their names. Each result is an opponent's name and the share of the opponents that the
    person beat; an equal rank counts half. A game that an opponent lost by its own fault says nothing of the person: it
    is left out.
    """
    sat = select(seats.c.key, seats.c.seat).where(seats.c.spec == "human", seats.c.name == ME)
    return _shares(store, sat, game, opponents)


def results_of(store: Store, sitter: str, game: str, opponents: str) -> list[tuple[str, float]]:
    """Return the same for the person with one browser's session on the page."""
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
