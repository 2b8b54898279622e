"""The types that schedules use, and the description of a tournament format.

A schedule is a pure function from players and results to the games to play. To resume a tournament, call the schedule
again and leave out the games already played. A schedule does not depend on agents, rules or stores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, permutations
from typing import Annotated, Any, NamedTuple

import msgspec

from gomogo_core.errors import UserError

# the most games of a tournament: a larger number is probably a typing error, and its plan would fill the memory
MAX_GAMES = 1_000_000
PositiveCount = Annotated[int, msgspec.Meta(ge=1, le=MAX_GAMES)]


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """One game to play. player_indexes: the players by seat, as indexes in the list of players. opening_number: the
    number of the game's opening.
    """

    player_indexes: tuple[int, ...]
    opening_number: int


@dataclass(frozen=True, slots=True)
class ScheduleResult:
    """The result of a game. player_indexes: the players by seat, as indexes. ranks: the rank of each, 1 for the winner;
    0 for all players of a void game.

    A void game is played again, unless the tournament has counted it as a draw and continued. opening_number: the
    number of the game's opening.
    """

    player_indexes: tuple[int, ...]
    ranks: tuple[int, ...]
    opening_number: int = 0

    @property
    def is_void(self) -> bool:
        """Whether the game could not be played."""
        return not any(self.ranks)

    @property
    def points(self) -> tuple[float, float]:
        """The scores of the two players by seat: 1 for a win, one half for a draw."""
        first, second = self.ranks
        first_score = 0.5 + 0.5 * (first < second) - 0.5 * (first > second)
        return first_score, 1 - first_score


@dataclass(frozen=True, slots=True)
class ScheduleInput:
    """The input of a schedule. player_count: the number of players. seat_count: the number of players in a game.
    games_per_meeting: the number of games that each pair (or larger group) of players plays when it meets.

    options: the options of the format, by name. seed: a number for random choices. games_ahead: the number of games to
    plan ahead in an endless tournament.
    """

    player_count: int
    seat_count: int
    games_per_meeting: int
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    games_ahead: int = 1


@dataclass(frozen=True, slots=True)
class RoundPairing:
    """Two players who meet in a round, or one player with a bye.

    player_indexes: the players as indexes; None for a player that is not known yet. scores: the players' scores so far.
    is_over: whether the pairing is finished. winner_index: None for a draw, or if the pairing is not finished.
    """

    player_indexes: tuple[int | None, ...]
    scores: tuple[float, ...]
    is_over: bool = False
    winner_index: int | None = None


@dataclass(frozen=True, slots=True)
class FormatStandings:
    """The standings by the rules of the format: the rounds, and each player's place and points."""

    rounds: Sequence[Sequence[RoundPairing]] = ()
    places_by_player: Sequence[int] = ()
    points_by_player: Sequence[float] = ()


class FormatOption(NamedTuple):
    """A key of a tournament's file that only one format has. value_type: the type by which msgspec checks the value."""

    name: str
    value_type: Any
    default: Any = None


@dataclass(frozen=True, slots=True)
class TournamentFormat:
    """The description of a tournament format. Each module in `tournaments/formats` defines a TournamentFormat as
    FORMAT.

    summary: one sentence. schedule: a function that returns the games that can be planned from the results.
    count_games: a function that returns the number of games known from the results so far; None for an endless
    tournament. check_input: a function that raises UserError for an input that cannot be played. options: the keys of a
    tournament's file that only this format has. stored_options: a function that returns the options with their defaults
    filled in, from the user's options and the number of players. compute_standings: a function that returns the
    standings by the rules of the format; None if only ratings decide the places. results_can_add_games: whether results
    can raise the number of games. players_may_change: whether players may join and leave, and the number of games may
    change, without the user's consent. balances_seats: whether players have each seat equally often, for any number of
    games. is_knockout_bracket: whether the rounds are drawn as a tree.
    """

    summary: str
    schedule: Callable[[ScheduleInput, Iterable[ScheduleResult]], Iterator[ScheduledGame]]
    count_games: Callable[[ScheduleInput, Iterable[ScheduleResult]], int | None]
    check_input: Callable[[ScheduleInput], None] = lambda inputs: None
    options: tuple[FormatOption, ...] = ()
    stored_options: Callable[[Mapping[str, Any], int], Mapping[str, Any]] = lambda options, players: options
    compute_standings: Callable[[ScheduleInput, Iterable[ScheduleResult]], FormatStandings] | None = None
    results_can_add_games: bool = False
    players_may_change: bool = False
    balances_seats: bool = False
    is_knockout_bracket: bool = False


def check_two_seats(inputs: ScheduleInput, format_name: str) -> None:
    """Raise UserError for a game of three or more players. format_name: the name of the format with its article."""
    if inputs.seat_count != 2:
        raise UserError(
            f"{format_name} is for games of two players, and this game has {inputs.seat_count}.",
            "Use round_robin or gauntlet, which work for any game.",
        )


def schedule_groups(inputs: ScheduleInput, groups: Sequence[tuple[int, ...]]) -> Iterator[ScheduledGame]:
    """Yield the games of groups of players, each with one player per seat.

    A group plays each opening once in every rotation of its seats. All groups play an opening before any group plays
    the next, so that the numbers of games stay equal. In games of three or more players, the order of seats changes
    with each opening, so that no player always follows the same player. If the number of games is not a multiple of the
    number of seats, groups begin with different rotations, which balances the seats of each player.
    """
    seat_orders = cycle(permutations(range(1, inputs.seat_count)))
    seat_order: tuple[int, ...] = ()
    for game in range(inputs.games_per_meeting):
        opening, rotation = divmod(game, inputs.seat_count)
        if rotation == 0:
            seat_order = (0, *next(seat_orders))
        is_incomplete = opening == inputs.games_per_meeting // inputs.seat_count
        for group in groups:
            shift = (rotation + sum(group) * is_incomplete) % inputs.seat_count
            seated_players = [group[position] for position in seat_order]
            yield ScheduledGame((*seated_players[shift:], *seated_players[:shift]), opening)
