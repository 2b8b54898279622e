"""Every game passes the checks of games, and each check finds a game that breaks it.

Knows the games by their names only; the doubles fall, have no points, or lie on hexagons.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import pytest

from gomogo_core import games
from gomogo_core.conformance import game_checks
from gomogo_core.conformance.game_checks import CHECKS, RandomGames, check_game
from gomogo_core.games.base import Game, Move, Outcome, Position
from gomogo_core.games.boards import Change, Symmetry
from gomogo_core.games.boards.points import Point
from tests.games.doubles import drop_three, hexagons, take_away

pytestmark = pytest.mark.slow

SMALL = {"size": 5, "rows": 3, "cols": 4, "matches": 9}
DOUBLES = {double.name: double for double in (drop_three.GAME, hexagons.GAME, take_away.GAME)}


def small(rules: type[Game]) -> dict[str, Any]:
    """Options that make the game short, of those that it has."""
    return {spec.name: SMALL[spec.name] for spec in rules.declared_options if spec.name in SMALL}


def wrong(rules: type[Game], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The failed checks of a game, each with its message."""
    monkeypatch.setattr(game_checks, "load", lambda name, **options: rules(**options))
    return {result.check: result.fault for result in check_game(rules.name, games=6, **small(rules)) if result.fault}


@pytest.mark.parametrize("name", games.names())
def test_every_game_passes_every_check(name: str) -> None:
    results = list(check_game(name, games=2, **small(games.rules(name))))
    assert [result.check for result in results] == [check.name for check in CHECKS]
    assert not [result for result in results if result.fault]


@pytest.mark.parametrize("double", DOUBLES.values(), ids=DOUBLES)
def test_every_double_passes_every_check(double: type[Game], monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong(double, monkeypatch) == {}


def broken(**methods: Callable[..., Any]) -> type[Game]:
    """Drop Three with other methods of its positions."""
    position = type("BrokenPosition", (drop_three.DropThreePosition,), {"__slots__": (), **methods})

    class DropThreeWithBrokenDiagrams(drop_three.DropThree):
        def start(self) -> Any:
            return position(self, ("",) * self.cols)

        def from_diagram(self, text: str) -> Any:
            return position(self, super().from_diagram(text).columns)

    def play(self: Any, move: Move) -> Any:
        return position(self.game, drop_three.DropThreePosition.play(self, move).columns)

    if "play" not in methods:
        position.play = play  # type: ignore[attr-defined]
    return DropThreeWithBrokenDiagrams


class WrongNotation(drop_three.DropThree):
    def parse(self, text: str) -> Move:
        return {"a": 1, "b": 0}.get(text.strip().casefold(), 0)


class TooSymmetric(drop_three.DropThree):
    def symmetries(self) -> Sequence[Symmetry]:
        return [lambda move: move, lambda move: (move + 1) % self.cols if isinstance(move, int) else move]


def _endless(self: Position) -> Outcome | None:
    return None


def _same_key(self: Position) -> Hashable:
    return self.to_move


def _twice(self: Any) -> Iterator[Move]:
    for move in drop_three.DropThreePosition.moves(self):
        yield from (move, move)


def _all_legal(self: Any, move: Move) -> str | None:
    return None


def _no_diagram(self: Any) -> str:
    return str(self.game.board.draw(("." * self.game.cols,) * self.game.rows, {}))


def _sets(self: Any) -> dict[str, Any]:
    return {"columns": tuple(self.columns)}


def _elsewhere(self: Any, move: Move) -> Point:
    return Point(1, 1)


def _no_changes(self: Any, before: Position) -> list[Change]:
    return []


def _raises(self: Any) -> tuple[str, ...]:
    raise RuntimeError("no rows today")


@pytest.mark.parametrize(
    ("rules", "check", "problem"),
    [
        (broken(outcome=_endless), "ends", "and outcome() is None"),
        (WrongNotation, "notation", "is not read as the move"),
        (broken(moves=_twice), "legal_moves", "yields a move twice"),
        (broken(why_illegal=_all_legal), "illegal_moves", "gives no reason"),
        (broken(diagram=_no_diagram), "diagrams", "is another position"),
        (broken(key=_same_key), "keys", "has the same key"),
        (broken(facts=_sets), "facts", "after it was written as JSON"),
        (broken(place_marked_by=_elsewhere), "places", "and has marked a1"),
        (broken(changes=_no_changes), "changes", "do not give the last board"),
        (TooSymmetric, "symmetries", "under symmetry 1"),
        (broken(rows=_raises), "drawn", "RuntimeError: no rows today"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else None,
)
def test_each_check_finds_its_fault(
    rules: type[Game], check: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problem in wrong(rules, monkeypatch)[check]


def test_checked_positions_include_the_first_and_the_last() -> None:
    tried = RandomGames(games.load("gomoku", size=5), 1, 0)
    counts = [len(moves) for moves, _ in tried.positions()]
    assert counts[0] == 0
    assert counts[-1] == len(tried.move_lists[0])
