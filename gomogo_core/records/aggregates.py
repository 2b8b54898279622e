"""Counts over stored games, computed by the database: 100,000 games take well under two seconds.

Needs no ratings and no table on a screen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, Select, Subquery, Text, and_, case, cast, func, or_, select

from gomogo_core.games.base import Reason, Seat
from gomogo_core.records._tables import games, seats
from gomogo_core.records.store import Run, Status, Store

ME = "me"  # the person at this computer: the player of a seat with the spec `human`
_BEYOND = 1000  # seats of a game
_MOST = 32  # games of two players from one opening are fewer


class SeatTally(NamedTuple):
    """The results of one player in one seat, by the reason of the end: its own forfeit if it lost by one (`forfeit`).

    points: 1 for a win, half for a draw. plies: all players'. moves, seconds: the player's own. doubtful: games that a
    player lost on time, perhaps by the machine's fault.
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
    moves: int
    seconds: float
    doubtful: int


class PairTally(NamedTuple):
    """The number of times that the games of two players from one opening had these results.

    A game without an opening is a pair by itself. seated: wins, draws and losses of `one` with `other` in a later seat
    than its own; unseated: in an earlier one. times: the number of pairs.
    """

    one: str
    other: str
    seated: tuple[int, int, int]
    unseated: tuple[int, int, int]
    times: int


class PairEnds(NamedTuple):
    """The results of a player against another, by reason: its own forfeit if it lost by one."""

    player: str
    other: str
    reason: str
    games: int
    wins: int
    draws: int
    losses: int


class ReasonCounts(NamedTuple):
    """The results of a player in one game, by reason."""

    game: str
    reason: str
    wins: int
    draws: int
    losses: int


class GameRow(NamedTuple):
    """One game of a run: its players by seat, and its result."""

    key: str
    names: tuple[str, ...]
    winner: Seat | None
    reason: str
    plies: int
    started: float
    duration: float


class Ranked(NamedTuple):
    """The result of a game of a run: players by seat, ranks (0 in a void game), and the number of the opening."""

    key: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]
    pair: int


class Score(NamedTuple):
    """A player's score against one opponent."""

    opponent: str
    game: str
    games: int
    wins: int
    draws: int
    losses: int


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _games_of_run(run: Run, statuses: Collection[Status] = (Status.PLAYED,)) -> ColumnElement[bool]:
    return and_(games.c.run == run.id, games.c.status.in_(statuses))


def seat_tallies(store: Store, run: Run) -> list[SeatTally]:
    """Count each player's results in each seat, by reason: one pass over the games serves every column of a table."""
    result, reason = seats.c.result, _reason(seats)
    query = (
        select(
            seats.c.player,
            seats.c.seat,
            seats.c.forfeit,
            reason,
            func.count(),
            _count(result == "win"),
            _count(result == "draw"),
            _count(result == "loss"),
            func.sum(seats.c.points),
            func.sum(games.c.plies),
            func.sum(seats.c.moves),
            func.sum(seats.c.seconds),
            _count(games.c.doubtful.is_(True)),
        )
        .join(games, games.c.key == seats.c.key)
        .where(_games_of_run(run))
        .group_by(seats.c.player, seats.c.seat, seats.c.forfeit, reason)
    )
    with store.reading() as connection:
        return [SeatTally(*row) for row in connection.execute(query)]


def _reason(seat: FromClause) -> ColumnElement[str]:
    """Return the SQL expression for a seat's reason: its own forfeit, else the reason of the game's end."""
    return func.coalesce(seat.c.forfeit, games.c.reason)


def late_by_worker(store: Store, run: Run) -> dict[str, tuple[int, int]]:
    """Count the games of each worker in a run, and those of them that a player lost on time."""
    late = select(seats.c.key).where(seats.c.forfeit == Reason.OUT_OF_TIME.value)
    query = select(games.c.worker, func.count(), _count(games.c.key.in_(late)))
    query = query.where(_games_of_run(run), games.c.worker.is_not(None)).group_by(games.c.worker)
    with store.reading() as connection:
        return {worker: (int(played), int(lost)) for worker, played, lost in connection.execute(query)}


def pair_tallies(store: Store, run: Run) -> list[PairTally]:
    """Count the results of all pairs of games.

    A pair is one number: each of its games adds a power of `_MOST`, one for each possible result. The database only
    adds numbers, so counting many games takes no longer than reading them.
    """
    earlier, later = seats.alias("earlier"), seats.alias("later")
    in_order = earlier.c.player < later.c.player
    won, drawn = earlier.c.rank < later.c.rank, earlier.c.rank == later.c.rank
    ways = (in_order & won, in_order & drawn, in_order, ~in_order & ~won & ~drawn, ~in_order & drawn)
    ended = case(*((way, _MOST**power) for power, way in enumerate(ways)), else_=_MOST ** len(ways))
    one, other = (
        case((in_order, earlier.c.player), else_=later.c.player),
        case((in_order, later.c.player), else_=earlier.c.player),
    )
    pair = func.coalesce(cast(games.c.pair, Text), games.c.key)
    pairs = (
        select(one.label("one"), other.label("other"), func.sum(ended).label("ended"))
        .join(later, and_(earlier.c.key == later.c.key, earlier.c.seat < later.c.seat))
        .join(games, games.c.key == earlier.c.key)
        .where(_games_of_run(run))
        .group_by(one, other, pair)
        .subquery()
    )
    query = select(pairs.c.one, pairs.c.other, pairs.c.ended, func.count()).group_by(*pairs.c)
    with store.reading() as connection:
        rows = connection.execute(query).all()
    found = []
    for first, second, code, times in rows:
        counts = [int(code) // _MOST**power % _MOST for power in range(len(ways) + 1)]
        found.append(
            PairTally(first, second, (counts[0], counts[1], counts[2]), (counts[3], counts[4], counts[5]), times)
        )
    return found


def pair_ends(store: Store, run: Run) -> list[PairEnds]:
    """Count the results of each player against each other, by reason."""
    own, other = seats.alias("own"), seats.alias("other")
    query = (
        select(
            own.c.player,
            other.c.player,
            _reason(own),
            func.count(),
            _count(own.c.rank < other.c.rank),
            _count(own.c.rank == other.c.rank),
            _count(own.c.rank > other.c.rank),
        )
        .select_from(own)
        .join(other, and_(other.c.key == own.c.key, other.c.seat != own.c.seat))
        .join(games, games.c.key == own.c.key)
        .where(_games_of_run(run))
        .group_by(own.c.player, other.c.player, _reason(own))
        .order_by(own.c.player, other.c.player, _reason(own))
    )
    with store.reading() as connection:
        return [PairEnds(*row) for row in connection.execute(query)]


def pair_scores(store: Store, run: Run, player: str) -> list[tuple[int, float]]:
    """Return a player's score in each game, with the number of its pair; games without a number are left out."""
    query = (
        select(games.c.pair, seats.c.points)
        .join(seats, games.c.key == seats.c.key)
        .where(_games_of_run(run), seats.c.player == player, games.c.pair.is_not(None))
    )
    with store.reading() as connection:
        return [(pair, points) for pair, points in connection.execute(query)]


def ranks(store: Store, run: Run, statuses: Collection[Status] = (Status.PLAYED,)) -> Iterator[Ranked]:
    """Return every game of a run with one of these statuses, in the order of their start."""
    query = _seats_of(run, seats.c.key, seats.c.player, seats.c.rank, games.c.pair, statuses=statuses)
    with store.reading() as connection:
        rows = connection.execute(query).all()
    held: dict[str, Ranked] = {}
    for key, player, rank, pair in rows:
        before = held.get(key, Ranked(key, (), (), pair or 0))
        held[key] = Ranked(key, (*before.players, player), (*before.ranks, rank), before.pair)
    return iter(held.values())


def game_rows(store: Store, run: Run) -> list[GameRow]:
    """Return every game of a run that counts, in the order of their start."""
    columns = (games.c.key, seats.c.name, games.c.winner, games.c.reason, games.c.plies)
    with store.reading() as connection:
        rows = connection.execute(_seats_of(run, *columns, games.c.started, games.c.duration)).all()
    held: dict[str, GameRow] = {}
    for key, name, *rest in rows:
        before = held[key].names if key in held else ()
        held[key] = GameRow(key, (*before, name), *rest)
    return list(held.values())


def _seats_of(run: Run, *columns: ColumnElement[Any], statuses: Collection[Status] = (Status.PLAYED,)) -> Select[Any]:
    query: Select[Any] = select(*columns).select_from(seats.join(games, games.c.key == seats.c.key))
    return query.where(_games_of_run(run, statuses)).order_by(games.c.started, games.c.key, seats.c.seat)


def scores_of(store: Store, player: str) -> list[Score]:
    """Return a player's scores against each opponent in each game, over the whole store.

    player: a name, an agent's spec, or "me". If two seats of a game match, the seat with that name counts.
    """
    mine, other, own = _seats_of_player(player), seats.alias("other"), seats.alias("own")
    query = (
        select(
            other.c.name,
            games.c.game,
            func.count(),
            _count(own.c.rank < other.c.rank),
            _count(own.c.rank == other.c.rank),
            _count(own.c.rank > other.c.rank),
        )
        .select_from(mine)
        .join(own, and_(own.c.key == mine.c.key, own.c.seat == mine.c.seat % _BEYOND))
        .join(other, and_(other.c.key == mine.c.key, other.c.seat != own.c.seat))
        .join(games, games.c.key == mine.c.key)
        .where(games.c.status == Status.PLAYED)
        .group_by(other.c.name, games.c.game)
        .order_by(other.c.name, games.c.game)
    )
    with store.reading() as connection:
        return [Score(*row) for row in connection.execute(query)]


def ends_of(store: Store, player: str) -> list[ReasonCounts]:
    """Count a player's results in each game by reason, over the whole store. player: as in `scores_of`."""
    mine, own = _seats_of_player(player), seats.alias("own")
    reason, result = _reason(own), own.c.result
    query = (
        select(games.c.game, reason, _count(result == "win"), _count(result == "draw"), _count(result == "loss"))
        .select_from(mine)
        .join(own, and_(own.c.key == mine.c.key, own.c.seat == mine.c.seat % _BEYOND))
        .join(games, games.c.key == mine.c.key)
        .where(games.c.status == Status.PLAYED)
        .group_by(games.c.game, reason)
        .order_by(games.c.game, reason)
    )
    with store.reading() as connection:
        return [ReasonCounts(*row) for row in connection.execute(query)]


def _seats_of_player(player: str) -> Subquery:
    """Return the SQL query for a player's seat in each game; a seat found by its spec has `_BEYOND` added."""
    known_as = [seats.c.name == player, seats.c.spec == player]
    if player == ME:
        known_as.append(seats.c.spec == "human")
    best = func.min(case((seats.c.name == player, seats.c.seat), else_=seats.c.seat + _BEYOND))
    return select(seats.c.key, best.label("seat")).where(or_(*known_as)).group_by(seats.c.key).subquery()


def known_players(store: Store) -> set[str]:
    """Return every player's name in the store."""
    with store.reading() as connection:
        return set(connection.execute(select(seats.c.name).distinct()).scalars())
