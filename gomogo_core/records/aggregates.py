"""Lets the database count the results of stored games; 100,000 games take less than two seconds.

The module computes no ratings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from gomogo_core.games.base import Reason, Seat
from gomogo_core.records.store import GameStatus, Run, Store

LOCAL_USER_NAME = "me"  # stands for the human at this computer: for every seat with the spec `human`
_SEAT_LIMIT = 1000  # a number greater than any seat
_TALLY_BASE = 32  # base of the packed numbers of games: more than two players ever play from one opening


class SeatTally(NamedTuple):
    """The results of one player in one seat, in all games that ended for one reason.

    forfeit: the reason if the player lost these games by a forfeit. points: 1 for each win and one half for each draw.
    plies: the number of moves of all players. own_moves, own_seconds: the number of the player's own moves, and the
    time that they took. doubtful: the number of games that a player lost on time, perhaps by the machine's fault.
    """

    player: str
    seat: Seat
    forfeit: str | None
    reason: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    plies: int
    own_moves: int
    own_seconds: float
    doubtful: int


class PairTally(NamedTuple):
    """The number of pairs of games between two players that have the same combination of results.

    A pair consists of all games of the two players from one opening. A game without an opening is a pair by itself.
    as_first: the wins, draws and losses of `player` in the games of a pair in which `opponent` had a later seat.
    as_second: the same for the other games of the pair. pair_count: the number of pairs with these results.
    """

    player: str
    opponent: str
    as_first: tuple[int, int, int]
    as_second: tuple[int, int, int]
    pair_count: int


class OpponentTally(NamedTuple):
    """The results of a player against another player, in all games that ended for one reason.

    If the player lost by a forfeit, the forfeit is the reason. doubtful: the number of games that the player lost on
    time, perhaps by the machine's fault.
    """

    player: str
    opponent: str
    reason: str
    games: int
    wins: int
    draws: int
    losses: int
    doubtful: int


class ReasonTally(NamedTuple):
    """The results of a player in the plays of one game that ended for the same reason."""

    game: str
    reason: str
    wins: int
    draws: int
    losses: int


class GameRow(NamedTuple):
    """One game of a run: its players by seat, and its result.

    started: the Unix time of the start. duration: the seconds that the game took.
    """

    key: str
    names: tuple[str, ...]
    winner: Seat | None
    reason: str
    plies: int
    started: float
    duration: float


class RankedGame(NamedTuple):
    """The result of a game of a run: the players and their ranks by seat (0 in a void game), and the pair's number."""

    key: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]
    pair: int


class OpponentScore(NamedTuple):
    """A player's score against one opponent."""

    opponent: str
    game_name: str
    game_count: int
    wins: int
    draws: int
    losses: int


def count_rows_sql(condition: str) -> str:
    """Return the SQL expression for the number of rows where a condition holds."""
    return f"sum(CASE WHEN {condition} THEN 1 ELSE 0 END)"


_RESULT_COUNTS = ", ".join(count_rows_sql(f"own.result = '{result}'") for result in ("win", "draw", "loss"))
_RANK_COUNTS = ", ".join(count_rows_sql(f"own.rank {sign} other.rank") for sign in "<=>")
_REASON_SQL = "coalesce(own.forfeit, games.reason)"  # a player's own forfeit, else the reason of the game's end
_RUN_CONDITION_SQL = "games.run = :run AND games.status IN :statuses"


def seat_tallies(store: Store, run: Run) -> list[SeatTally]:
    """Count each player's results in each seat, by reason, in one pass over the games."""
    query = f"""
        SELECT player, seat, forfeit, {_REASON_SQL}, count(*), {_RESULT_COUNTS}, sum(points), sum(plies), sum(moves),
            sum(seconds), {count_rows_sql("doubtful")}
        FROM seats AS own JOIN games ON games.key = own.key
        WHERE {_RUN_CONDITION_SQL} GROUP BY player, seat, forfeit, {_REASON_SQL}
    """
    return [SeatTally(*row) for row in store.rows(query, run=run.id, statuses=[GameStatus.PLAYED])]


def time_losses_by_worker(store: Store, run: Run) -> dict[str, tuple[int, int]]:
    """Count the games of each worker in a run, and the games among them that a player lost on time."""
    time_losses_sql = count_rows_sql("games.key IN (SELECT key FROM seats WHERE forfeit = :late)")
    condition_sql = f"{_RUN_CONDITION_SQL} AND worker IS NOT NULL"
    query = f"SELECT worker, count(*), {time_losses_sql} FROM games WHERE {condition_sql} GROUP BY worker"
    rows = store.rows(query, run=run.id, statuses=[GameStatus.PLAYED], late=Reason.OUT_OF_TIME.value)
    return {worker: (int(game_count), int(loss_count)) for worker, game_count, loss_count in rows}


def pair_tallies(store: Store, run: Run, *, with_forfeits: bool = True) -> list[PairTally]:
    """Count the results of all pairs of games. with_forfeits: whether games that a player lost by a forfeit count too.

    The database computes one number for each pair: the sum of a power of `_TALLY_BASE` for each game, where
    the exponent stands for the game's result. So counting many games takes no longer than reading them.
    """
    is_in_order = "earlier.player < later.player"
    earlier_won = "earlier.rank < later.rank"
    is_draw = "earlier.rank = later.rank"
    results = (
        f"{is_in_order} AND {earlier_won}",
        f"{is_in_order} AND {is_draw}",
        is_in_order,
        "earlier.rank > later.rank",
        is_draw,
    )
    result_cases = " ".join(f"WHEN {result} THEN {_TALLY_BASE**power}" for power, result in enumerate(results))
    forfeit_condition = (
        "" if with_forfeits else "AND games.key NOT IN (SELECT key FROM seats WHERE forfeit IS NOT NULL)"
    )
    query = f"""
        SELECT one, other, ended, count(*) FROM (
            SELECT CASE WHEN {is_in_order} THEN earlier.player ELSE later.player END AS one,
                CASE WHEN {is_in_order} THEN later.player ELSE earlier.player END AS other,
                coalesce(CAST(games.pair AS TEXT), games.key) AS pair,
                sum(CASE {result_cases} ELSE {_TALLY_BASE ** len(results)} END) AS ended
            FROM seats AS earlier
            JOIN seats AS later ON later.key = earlier.key AND later.seat > earlier.seat
            JOIN games ON games.key = earlier.key
            WHERE {_RUN_CONDITION_SQL} {forfeit_condition} GROUP BY 1, 2, 3
        ) AS pairs GROUP BY one, other, ended
    """
    rows = store.rows(query, run=run.id, statuses=[GameStatus.PLAYED])
    tallies = []
    for first, second, code, pair_count in rows:
        counts = [int(code) // _TALLY_BASE**power % _TALLY_BASE for power in range(len(results) + 1)]
        tallies.append(
            PairTally(first, second, (counts[0], counts[1], counts[2]), (counts[3], counts[4], counts[5]), pair_count)
        )
    return tallies


def opponent_tallies(store: Store, run: Run) -> list[OpponentTally]:
    """Count the results of each player against each other, by reason."""
    doubtful_count = count_rows_sql("own.forfeit = :late AND games.doubtful")
    query = f"""
        SELECT own.player, other.player, {_REASON_SQL}, count(*), {_RANK_COUNTS}, {doubtful_count}
        FROM seats AS own JOIN seats AS other ON other.key = own.key AND other.seat != own.seat
        JOIN games ON games.key = own.key
        WHERE {_RUN_CONDITION_SQL} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    """
    rows = store.rows(query, run=run.id, statuses=[GameStatus.PLAYED], late=Reason.OUT_OF_TIME.value)
    return [OpponentTally(*row) for row in rows]


def scores_with_pair_numbers(store: Store, run: Run, player: str) -> list[tuple[int, float]]:
    """Return, for each game of a run that belongs to a numbered pair, the number of the pair and a player's score."""
    query = f"""
        SELECT pair, points FROM games JOIN seats ON games.key = seats.key
        WHERE {_RUN_CONDITION_SQL} AND player = :player AND pair IS NOT NULL
    """
    rows = store.rows(query, run=run.id, statuses=[GameStatus.PLAYED], player=player)
    return [(pair, points) for pair, points in rows]


def ranked_games(
    store: Store, run: Run, statuses: Collection[GameStatus] = (GameStatus.PLAYED,)
) -> Iterator[RankedGame]:
    """Return the results of all games of a run with one of these statuses, in the order in which the games started."""
    games_by_key: dict[str, RankedGame] = {}
    for key, player, rank, pair in _query_seats(store, run, "seats.key, player, rank, pair", statuses):
        game = games_by_key.get(key, RankedGame(key, (), (), pair or 0))
        games_by_key[key] = RankedGame(key, (*game.players, player), (*game.ranks, rank), game.pair)
    return iter(games_by_key.values())


def game_rows(store: Store, run: Run) -> list[GameRow]:
    """Return the games of a run with the status PLAYED, in the order in which they started."""
    rows_by_key: dict[str, GameRow] = {}
    for key, name, *row_values in _query_seats(store, run, "games.key, name, winner, reason, plies, started, duration"):
        earlier_names = rows_by_key[key].names if key in rows_by_key else ()
        rows_by_key[key] = GameRow(key, (*earlier_names, name), *row_values)
    return list(rows_by_key.values())


def _query_seats(
    store: Store, run: Run, columns: str, statuses: Collection[GameStatus] = (GameStatus.PLAYED,)
) -> list[tuple[Any, ...]]:
    query = f"""
        SELECT {columns} FROM seats JOIN games ON games.key = seats.key
        WHERE {_RUN_CONDITION_SQL} ORDER BY games.started, games.key, seat
    """
    return store.rows(query, run=run.id, statuses=list(statuses))


_PLAYER_GAMES_SQL = f"""
    FROM (
        SELECT key, min(CASE WHEN name = :player THEN seat ELSE seat + {_SEAT_LIMIT} END) AS seat FROM seats
        WHERE name = :player OR spec = :player OR spec = :human GROUP BY key
    ) AS mine
    JOIN seats AS own ON own.key = mine.key AND own.seat = mine.seat % {_SEAT_LIMIT}
    JOIN games ON games.key = mine.key
"""  # the seat of a player in each game: a seat with the player's name, or else a seat with the player's spec


def scores_by_opponent(store: Store, player: str) -> list[OpponentScore]:
    """Return a player's scores against each opponent in each game, over the whole store.

    player: a name, an agent's spec, or "me". If two seats of a game match, the seat whose name is `player` counts.
    """
    query = f"""
        SELECT other.name, games.game, count(*), {_RANK_COUNTS} {_PLAYER_GAMES_SQL}
        JOIN seats AS other ON other.key = mine.key AND other.seat != own.seat
        WHERE games.status = :played GROUP BY other.name, games.game ORDER BY other.name, games.game
    """
    return [OpponentScore(*row) for row in store.rows(query, **_player_parameters(player))]


def results_by_reason(store: Store, player: str) -> list[ReasonTally]:
    """Count a player's results in each game by reason, over the whole store.

    player: a name, an agent's spec, or "me", as in `scores_by_opponent`.
    """
    query = f"""
        SELECT games.game, {_REASON_SQL}, {_RESULT_COUNTS} {_PLAYER_GAMES_SQL}
        WHERE games.status = :played GROUP BY 1, 2 ORDER BY 1, 2
    """
    return [ReasonTally(*row) for row in store.rows(query, **_player_parameters(player))]


def _player_parameters(player: str) -> dict[str, str]:
    return {"player": player, "human": "human" if player == LOCAL_USER_NAME else player, "played": GameStatus.PLAYED}


def player_names(store: Store) -> set[str]:
    """Return every player's name in the store."""
    return {name for (name,) in store.rows("SELECT DISTINCT name FROM seats")}
