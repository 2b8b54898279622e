"""Searches finished games by player, result and opening, and counts each player's results in each game.

The newest games come first, in pages. The module uses the tables, but no rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason, Seat
from gomogo_core.records.aggregates import count_rows_sql
from gomogo_core.records.store import GameStatus, Store

_MOVE_PATTERN = re.compile(r"[a-z0-9]{1,12}")


class GameQuery(NamedTuple):
    """The conditions of a search. An empty condition matches every game.

    player: a name or a spec. game: the name of the rules. result: the player's result: "win", "draw" or "loss". reason:
    a `Reason`. opening: the first moves in the game's notation, "h8 g7". run: the name of a run.
    """

    player: str = ""
    game: str = ""
    result: str = ""
    reason: str = ""
    opening: str = ""
    run: str = ""


class GameSummary(NamedTuple):
    """One game. names: the players' names by seat. started: the Unix time of the start."""

    key: str
    game: str
    names: tuple[str, ...]
    winner: Seat | None
    reason: str
    plies: int
    started: float


class PlayerResults(NamedTuple):
    """One player's results in one game, over the whole store."""

    name: str
    game: str
    games: int
    wins: int
    draws: int
    losses: int


def find_games(store: Store, criteria: GameQuery, limit: int, offset: int = 0) -> list[GameSummary]:
    """Return at most `limit` played games that match `criteria`, and skip the first `offset` such games.

    Raises UserError for an opening that is not a list of moves.
    """
    conditions, parameters = ["status = :played"], dict[str, Any](criteria._asdict(), played=GameStatus.PLAYED)
    parameters["reason"] = _reason_name(criteria.reason)
    conditions += [f"{column} = :{column}" for column in ("game", "reason") if parameters[column]]
    seat_conditions = ["(name = :player OR spec = :player)"] * bool(criteria.player)
    seat_conditions += ["result = :result"] * bool(criteria.result)
    if seat_conditions:
        conditions.append(f"key IN (SELECT key FROM seats WHERE {' AND '.join(seat_conditions)})")
    if criteria.run:
        conditions.append("run IN (SELECT id FROM runs WHERE name = :run)")
    if criteria.opening:
        parameters["spaced"], parameters["dense"] = _opening_patterns(criteria.opening)
        conditions.append("key IN (SELECT key FROM records WHERE json LIKE :spaced OR json LIKE :dense)")
    query = f"""
        SELECT key, game, winner, reason, plies, started FROM games WHERE {" AND ".join(conditions)}
        ORDER BY started DESC, key LIMIT :most OFFSET :after
    """
    with store.read_transaction() as connection:
        rows = connection.rows(query, **parameters, most=limit, after=offset)
        names: dict[str, list[str]] = {row[0]: [] for row in rows}
        name_query = "SELECT key, name FROM seats WHERE key IN :keys ORDER BY key, seat"
        for key, name in connection.rows(name_query, keys=list(names)):
            names[key].append(name)
    return [GameSummary(key, game, tuple(names[key]), *summary_values) for key, game, *summary_values in rows]


def _reason_name(text: str) -> str:
    """Return the stored name of a reason. "five", the name of earlier versions, becomes "line"."""
    try:
        return Reason(text).value
    except ValueError:
        return text


def _opening_patterns(opening: str) -> list[str]:
    """Return SQL patterns for records of games that begin with these moves, by any seat.

    Older records have blanks after commas and colons; newer records have none.
    """
    moves = opening.casefold().split()
    for move in moves:
        if not _MOVE_PATTERN.fullmatch(move):
            raise UserError(f"{move[:40]!r} is not a move in the notation of game records.", "Write for example h8 g7.")
    spaced = '%"plies": [' + ", ".join(f'[_, "{move}"]' for move in moves) + "%"
    return [spaced, spaced.replace(" ", "")]


def player_results(store: Store) -> list[PlayerResults]:
    """Return at most 500 results, each of one player in one game, sorted by the game.

    For each game, the players with the most plays come first.
    """
    result_counts = ", ".join(count_rows_sql(f"result = '{result}'") for result in ("win", "draw", "loss"))
    query = f"""
        SELECT name, game, count(*), {result_counts} FROM seats JOIN games ON games.key = seats.key
        WHERE status = :played GROUP BY name, game ORDER BY game, count(*) DESC, name LIMIT 500
    """
    return [PlayerResults(*row) for row in store.rows(query, played=GameStatus.PLAYED)]


def stored_reasons(store: Store) -> Sequence[str]:
    """Return the reasons for which played games in the store have ended, without repetitions."""
    query = "SELECT DISTINCT reason FROM games WHERE status = :played ORDER BY reason"
    return [reason for (reason,) in store.rows(query, played=GameStatus.PLAYED)]
