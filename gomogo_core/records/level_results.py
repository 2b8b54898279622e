"""A person's results against opponents of one kind, game by game; they select a level that suits the person.

Uses the database tables; knows no levels.
"""

from __future__ import annotations

from gomogo_core.records.aggregates import ME
from gomogo_core.records.store import Status, Store, starting_with


def my_results(store: Store, game: str, opponents: str) -> list[tuple[str, float]]:
    """Return the results of the person at this computer against opponents of one kind, in the order of play.

    opponents: the prefix of their names. Each result is an opponent's name and the share of the opponents that the
    person beat; an equal rank counts half. Games that an opponent lost by its own fault are left out, since they tell
    nothing about the person.
    """
    return _results_by_opponent(
        store, "SELECT key, seat FROM seats WHERE spec = 'human' AND name = :person", ME, game, opponents
    )


def results_of(store: Store, sitter: str, game: str, opponents: str) -> list[tuple[str, float]]:
    """Return these results for the person with one browser's session on the page."""
    return _results_by_opponent(store, "SELECT key, seat FROM sitters WHERE sitter = :person", sitter, game, opponents)


def _results_by_opponent(store: Store, sat: str, person: str, game: str, opponents: str) -> list[tuple[str, float]]:
    """Return the results in the seats that the query `sat` selects, by game key and seat number."""
    query = f"""
        SELECT min(other.name), min(own.points) FROM seats AS other
        JOIN ({sat}) AS theirs ON theirs.key = other.key
        JOIN seats AS own ON own.key = theirs.key AND own.seat = theirs.seat
        JOIN games ON games.key = other.key
        WHERE other.name LIKE :opponents ESCAPE '/' AND other.seat != own.seat AND status = :played AND game = :game
        GROUP BY games.key, games.started HAVING count(other.forfeit) = 0 ORDER BY games.started, games.key
    """
    values = {"person": person, "opponents": starting_with(opponents), "played": Status.PLAYED, "game": game}
    with store.reading() as connection:
        return [(name, share) for name, share in connection.rows(query, **values)]
