"""Exact search of games that can go on forever: a draw is proved, not assumed.

Knows a game of its own, in which two push a cart to and fro.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games.base import BadDiagram, Game, IllegalMove, Move, Outcome, Position, Reason, Seat
from gomogo_core.search.solve import solve
from gomogo_core.search.solving.budget import Budget
from gomogo_core.search.solving.games import proof_state
from gomogo_core.search.solving.state import UNLIMITED_PLIES
from gomogo_core.search.solving.wins import EndlessGame, WinProver


class LaneGame(Game):
    """Two walkers on a lane of points push a cart by one or two points: one home is at 0, the other's at the end."""

    name = "lane"
    length: int
    steps: tuple[tuple[int, ...], tuple[int, ...]]

    def __init__(self, length: int, first: tuple[int, ...], second: tuple[int, ...]) -> None:
        super().__init__()
        vars(self).update(length=length, steps=(first, second))

    def start(self) -> Position:
        return LanePosition(self, self.length // 2, 1)

    def parse(self, text: str) -> Move:
        return int(text)

    def format(self, move: Move) -> str:
        return str(move)

    def from_diagram(self, text: str) -> Position:
        raise BadDiagram("A lane is not drawn.", "Walk it.")


class LanePosition(Position):
    """Where the cart is. Seat 1 wins it at the end, seat 2 at 0."""

    def __init__(self, game: LaneGame, at: int, to_move: Seat) -> None:
        self.game: LaneGame = game
        self.at, self.to_move = at, to_move

    def key(self) -> Hashable:
        return self.at

    def moves(self) -> Iterator[Move]:
        return iter(() if self.outcome() else self.game.steps[self.to_move - 1])

    def why_illegal(self, move: Move) -> str | None:
        return None if move in self.game.steps[self.to_move - 1] else "nobody walks so far"

    def play(self, move: Move) -> LanePosition:
        if problem := self.why_illegal(move):
            raise IllegalMove(problem)
        assert isinstance(move, int)
        return LanePosition(self.game, max(0, min(self.game.length, self.at + move)), 3 - self.to_move)

    def outcome(self) -> Outcome | None:
        if 0 < self.at < self.game.length:
            return None
        return Outcome.won_by(1 if self.at else 2, Reason.SCORE)

    def rows(self) -> tuple[str, ...]:
        return (" " * self.at + "#",)

    def diagram(self) -> str:
        return self.rows()[0]


def walked(length: int, steps: tuple[tuple[int, ...], tuple[int, ...]]) -> Callable[[int, Seat, int], int]:
    """Return the forced winner within this many plies from a place: 1, -1, or 0 without one."""

    @cache
    def value(at: int, to_move: Seat, plies: int) -> int:
        if at <= 0 or at >= length or plies == 0:
            return 1 if at >= length else -1 if at <= 0 else 0
        values = [value(at + step, 3 - to_move, plies - 1) for step in steps[to_move - 1]]
        return max(values) if to_move == 1 else min(values)

    return value


@pytest.mark.parametrize(
    ("length", "first", "second"),
    [
        (6, (1, -1), (-1, 1)),
        (6, (1, 2), (-1, 1)),
        (7, (-1, 1), (-2, -1)),
        (8, (1, -2), (-1, 2)),
        (6, (-1, -2), (-1, 1)),
        (5, (2, -1), (1, -1)),
        (30, (3, -1), (-1, -2)),
        (30, (3, -3), (4, -2)),
    ],
)
def test_an_endless_game_without_a_forced_win_is_a_draw(
    length: int, first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    """A forced win needs no more plies than there are positions, since it never has to come back to one."""
    value, max_plies = walked(length, (first, second)), 2 * length
    start = length // 2
    solution = solve(LaneGame(length, first, second).start())
    assert solution.value == value(start, 1, max_plies)
    after = {move: [value(start + move, 2, plies) for plies in range(max_plies)] for move in first}
    if solution.value == 0:
        assert solution.plies is None
        assert list(solution.best_moves) == [move for move, values in after.items() if values[-1] == 0]
    else:
        soonest = {
            move: values.index(int(solution.value)) for move, values in after.items() if solution.value in values
        }
        best_plies = min(soonest.values()) if solution.value == 1 else max(soonest.values())
        assert solution.plies == best_plies + 1
        assert list(solution.best_moves) == [move for move in first if soonest.get(move) == best_plies]


def test_the_tested_games_include_endless_ones() -> None:
    with pytest.raises(EndlessGame):
        WinProver(Budget("lane")).prove_win(1, proof_state(LaneGame(6, (1, -1), (-1, 1)).start()), UNLIMITED_PLIES)


class TollLanePosition(LanePosition):
    """A cart that counts how far it came."""

    def facts(self) -> dict[str, Any]:
        return {"scores": (self.at, 0)}

    def play(self, move: Move) -> TollLanePosition:
        after = super().play(move)
        return TollLanePosition(after.game, after.at, after.to_move)

    def outcome(self) -> Outcome | None:
        outcome = super().outcome()
        return outcome and outcome._replace(scores=(float(self.at), 0.0))


def test_the_margin_of_an_endless_game_is_refused() -> None:
    with pytest.raises(UserError, match="lane can continue forever"):
        solve(TollLanePosition(LaneGame(6, (1, -1), (-1, 1)), 3, 1))
    assert solve(TollLanePosition(LaneGame(6, (1,), (1,)), 3, 1)).value == 6
