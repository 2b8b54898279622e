"""Knockout: the loser of a pairing is out. If seeds correspond to strength, strong players meet only in late rounds.

Players are numbers, which are also their seeds. The module uses results, but no agents, rules or store.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gomogo_core.errors import UserError, there_are_text
from tournaments.schedules import (
    FormatOption,
    FormatStandings,
    RoundPairing,
    ScheduledGame,
    ScheduleInput,
    ScheduleResult,
    TournamentFormat,
    check_two_seats,
)

MAX_EXTRA_PAIRS = 3  # further pairs of games if a pairing is drawn; if it is still drawn then, the higher seed advances


def check_input(inputs: ScheduleInput) -> None:
    """Raise UserError for a tournament that cannot be played."""
    check_two_seats(inputs, "A knockout")
    if _has_third_place(inputs) and inputs.player_count < 4:
        raise UserError(
            f"A match for third place needs four players, and {there_are_text(inputs.player_count)}.",
            "Leave third_place out.",
        )


def _has_third_place(inputs: ScheduleInput) -> bool:
    return bool(inputs.options.get("third_place"))


def count_games(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> int:
    """Return the number of games planned so far. A drawn pairing adds games."""
    extra_games = sum(state.extra_games for round_states in _plan_rounds(inputs, results) for state in round_states)
    return inputs.games_per_meeting * (inputs.player_count - 1 + _has_third_place(inputs)) + extra_games


def schedule_knockout(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> Iterator[ScheduledGame]:
    """Yield the games of every pairing whose players are known, and further games if a pairing is drawn."""
    for round_states in _plan_rounds(inputs, results):
        for state in round_states:
            yield from state.games


def create_rounds(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> list[list[RoundPairing]]:
    """Return all rounds in the order of the bracket.

    The winners of the first two pairings meet in the next round, and so on. A player that is not known yet is None. A
    player without an opponent in the first round is alone in its pairing. The last round has the final first, then the
    pairing for the third place, if there is one.
    """
    return [[state.pairing for state in round_states] for round_states in _plan_rounds(inputs, results)]


def compute_places(inputs: ScheduleInput, pairings: Sequence[Sequence[RoundPairing]]) -> list[int]:
    """Return the place of each player. A player who lost later has a better place. Equal players share a place."""
    worth = [0.0] * inputs.player_count
    for round_number, round_states in enumerate(pairings):
        for index, pairing in enumerate(round_states):
            for player in pairing.player_indexes:
                if player is None or not pairing.is_over:
                    continue
                if round_number == len(pairings) - 1 and index == 1:  # the pairing for the third place
                    worth[player] += 0.5 * (player == pairing.winner_index)
                else:
                    worth[player] += 1 if player == pairing.winner_index else -0.25
    return [1 + sum(other_worth > own_worth for other_worth in worth) for own_worth in worth]


def pair_first_round(player_count: int) -> list[tuple[int, ...]]:
    """Return the pairs of the first round, by seed.

    The first seed meets the last; the first two seeds can meet only in the final, and so on. If the number of players
    is not a power of two, the highest seeds have no opponent.
    """
    bracket_size = 1 << (player_count - 1).bit_length()
    slots = [0]
    while len(slots) < bracket_size:
        slots = [seed for slot in slots for seed in (slot, 2 * len(slots) - 1 - slot)]
    return [tuple(seed for seed in pair if seed < player_count) for pair in zip(slots[::2], slots[1::2], strict=True)]


@dataclass(frozen=True, slots=True)
class _PlannedPairing:
    """A pairing and its planned games. extra_games: the number of games that were added because the pairing was
    drawn.
    """

    pairing: RoundPairing
    games: tuple[ScheduledGame, ...] = ()
    extra_games: int = 0


def _plan_rounds(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> list[list[_PlannedPairing]]:
    """Return all rounds; the players of each round are the winners of the previous round."""
    bracket = _BracketResults(inputs, results)
    round_states = [[bracket.plan_pairing(0, pairing) for pairing in pair_first_round(inputs.player_count)]]
    while len(round_states[-1]) > 1:
        previous = [state.pairing for state in round_states[-1]]
        winners = [pairing.winner_index for pairing in previous]
        pairs = list(zip(winners[::2], winners[1::2], strict=True))
        if len(previous) == 2 and _has_third_place(inputs):
            pairs.append((_find_loser(previous[0]), _find_loser(previous[1])))
        round_states.append([bracket.plan_pairing(len(round_states), pair) for pair in pairs])
        if len(previous) == 2:
            break
    return round_states


def _find_loser(pairing: RoundPairing) -> int | None:
    losers = (player for player in pairing.player_indexes if player != pairing.winner_index)
    return next(losers, None) if pairing.is_over else None


class _BracketResults:
    """The results of a knockout by game. The rounds have different openings, so a game's opening tells its round."""

    def __init__(self, inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> None:
        self._games, self._rounds = inputs.games_per_meeting, max(1, (inputs.player_count - 1).bit_length())
        # each player's latest round, and the latest part of its pairing
        latest_parts: defaultdict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
        games_and_parts = [(result, self._find_round_and_part(result.opening_number)) for result in results]
        for result, part in games_and_parts:
            for player in result.player_indexes if not result.is_void else ():
                latest_parts[player] = max(latest_parts[player], part)
        self._results = {
            ScheduledGame(result.player_indexes, result.opening_number): result
            for result, part in games_and_parts
            if not result.is_void or part < max(latest_parts[player] for player in result.player_indexes)
        }

    def _find_round_and_part(self, opening: int) -> tuple[int, int]:
        """Return the round and the part to which an opening belongs. Part 0 has the first games of a pairing; parts 1,
        2 … have one additional pair of games each.
        """
        opening_of_pair, round_number = divmod(opening, self._rounds)
        return round_number, max(0, opening_of_pair + 1 - (self._games + 1) // 2)

    def plan_pairing(self, round_number: int, players: tuple[int | None, ...]) -> _PlannedPairing:
        """Return the state of the pairing of these players in the round of this number."""
        if len(players) == 1:
            return _PlannedPairing(RoundPairing(players, (0.0,), is_over=True, winner_index=players[0]))
        pair = tuple(player for player in players if player is not None)
        if len(pair) < 2:
            return _PlannedPairing(RoundPairing(players, (0.0, 0.0)))
        scores, games_planned = [0.0, 0.0], list[ScheduledGame]()
        for part in range(1 + MAX_EXTRA_PAIRS):
            games = self._planned_games(round_number, pair, part)
            results_of_part = [self._results[game] for game in games if game in self._results]
            games_planned += [game for game in games if game not in self._results or not self._results[game].is_void]
            for result in results_of_part:
                for index in (0, 1):
                    scores[index] += result.points[result.player_indexes.index(pair[index])]
            if len(results_of_part) < len(games):
                return _PlannedPairing(RoundPairing(pair, tuple(scores)), tuple(games_planned), 2 * part)
            if scores[0] != scores[1]:
                break
        winner = min(pair) if scores[0] == scores[1] else pair[scores[0] < scores[1]]
        return _PlannedPairing(RoundPairing(pair, tuple(scores), True, winner), tuple(games_planned), 2 * part)

    def _planned_games(self, round_number: int, pair: tuple[int, ...], part: int) -> list[ScheduledGame]:
        """Return the games of a part: the first games of a pairing, or an additional pair. The higher seed begins."""
        first_number = 2 * ((self._games + 1) // 2 + part - 1)
        numbers = range(self._games) if part == 0 else range(first_number, first_number + 2)
        return [
            ScheduledGame(tuple(sorted(pair, reverse=bool(number % 2))), round_number + number // 2 * self._rounds)
            for number in numbers
        ]


def _compute_standings(inputs: ScheduleInput, results: Iterable[ScheduleResult]) -> FormatStandings:
    all_rounds = create_rounds(inputs, results)
    return FormatStandings(all_rounds, compute_places(inputs, all_rounds))


FORMAT = TournamentFormat(
    "The loser of each pairing is out.",
    schedule_knockout,
    count_games,
    check_input,
    options=(FormatOption("third_place", bool, False),),
    compute_standings=_compute_standings,
    results_can_add_games=True,
    is_knockout_bracket=True,
)
