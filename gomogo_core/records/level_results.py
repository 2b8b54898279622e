"""Reads a human's results against the players of levels, for the choice of the next game's level.

The module reads the database tables, and uses only the names of the levels' players.
"""

from __future__ import annotations

from gomogo_core.level_names import LEVEL_PLAYER_PREFIX
from gomogo_core.records.aggregates import LOCAL_USER_NAME
from gomogo_core.records.store import GameStatus, Store, prefix_pattern


def local_user_results(store: Store, game: str) -> list[tuple[str, float]]:
    """Return the results of the human at this computer against the players of levels, in the order of play.

    Each result is an opponent's name and the share of the opponents that the human beat; an equal rank counts half.
    Games that an opponent lost by a forfeit are left out, because they show nothing about the human.
    """
    return _results_by_opponent(
        store, "SELECT key, seat FROM seats WHERE spec = 'human' AND name = :person", LOCAL_USER_NAME, game
    )


def visitor_results(store: Store, visitor: str, game: str) -> list[tuple[str, float]]:
    """Return the results of a visitor of the page, as `local_user_results` does."""
    return _results_by_opponent(store, "SELECT key, seat FROM sitters WHERE sitter = :person", visitor, game)


def _results_by_opponent(store: Store, seats_query: str, person: str, game: str) -> list[tuple[str, float]]:
    """Return the results in the seats that `seats_query` selects, each by its game's key and its number."""
    query = f"""
        SELECT min(other.name), min(own.points) FROM seats AS other
        JOIN ({seats_query}) AS theirs ON theirs.key = other.key
        JOIN seats AS own ON own.key = theirs.key AND own.seat = theirs.seat
        JOIN games ON games.key = other.key
        WHERE other.name LIKE :opponents ESCAPE '/' AND other.seat != own.seat AND status = :played AND game = :game
        GROUP BY games.key, games.started HAVING count(other.forfeit) = 0 ORDER BY games.started, games.key
    """
    opponents = prefix_pattern(LEVEL_PLAYER_PREFIX)
    values = {"person": person, "opponents": opponents, "played": GameStatus.PLAYED, "game": game}
    return [(name, score) for name, score in store.rows(query, **values)]
