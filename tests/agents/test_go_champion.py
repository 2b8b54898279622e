"""The champion of Go as an agent: winning passes, resignation, solved positions, and moves before it is compiled."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from gomogo_core import games
from gomogo_core.agent import AgentClock
from gomogo_core.engines import compiling
from gomogo_core.engines.go.engine import SearchedMove
from gomogo_core.engines.stop_flag import SearchStopped
from gomogo_core.games.stones.rules import PASS
from tests.agents._matches import EndlessCompilation, agent
from tests.analysis.test_dead_stones import position_of


class FixedShareEngine:
    """An engine that wins a fixed share of its playouts, and expects black to win by a fixed lead."""

    memory_mb = 64

    def __init__(self, game: Any, share: float, first: Any = None, lead: float = 0.0) -> None:
        self.game, self.share, self.first, self.lead = game, share, first, lead
        self.playouts = 0  # the limit of the latest search

    def rank_moves(self, position: Any, *, playouts: int = 0, **_: Any) -> list[Any]:
        self.playouts, visits = playouts, 1 if playouts else 5000
        moves = sorted(position.moves(), key=lambda move: move is not self.first)
        return [SearchedMove(move, visits, self.share, (), steady_share=self.share) for move in moves]

    def expected_end(self) -> Any:
        """Return an end of the game with the fixed lead."""
        return SimpleNamespace(lead=self.lead)

    def usual_first_moves(self, position: Any) -> list[Any]:
        """Return no moves: no game begins."""
        return []

    def find_alpha_beta_move(self, position: Any, **_: Any) -> None:
        """Return None: there is no capture."""

    def advance(self, position: Any, move: Any) -> None:
        pass


@pytest.fixture
def champion(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the agent's module without an engine."""
    module: Any = sys.modules[agent("go_champion").__module__]
    for name in ("background_load", "engine", "solver_load", "solver", "win_solver"):
        monkeypatch.setattr(module._KeptState, name, None)
    monkeypatch.setattr(module._KeptState, "load_arguments", ())
    monkeypatch.setattr(module._KeptState, "hopeless_moves_in_a_row", 0)
    return module


def clock() -> AgentClock:
    return AgentClock({"per_move": 0.2}, None)


def test_the_go_champion_passes_when_that_wins(champion: Any) -> None:
    position = games.load("go", size=5).replay(["c3", "pass"])
    assert champion.choose(position, clock()) is PASS


@pytest.mark.parametrize(("playouts", "passes"), [(0, False), (10, True)])
def test_a_level_with_few_playouts_passes_after_a_pass_in_a_lost_settled_game(
    champion: Any, playouts: int, passes: bool
) -> None:
    """Ten playouts do not tell that no move gains anything."""
    position = position_of("\n".join(["...xo...."] * 9), turn=2).play(PASS)
    champion._KeptState.engine = FixedShareEngine(position.game, 0.1)
    assert (champion.choose(position, AgentClock({"per_move": 20.0}, None), playouts=playouts) is PASS) == passes


def test_the_go_champion_varies_its_first_move(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    position = games.load("go", size=9).start()
    points = [position.game.parse(name) for name in ("e5", "d4")]
    champion._KeptState.engine = FixedShareEngine(position.game, 0.5)
    monkeypatch.setattr(champion._KeptState.engine, "usual_first_moves", lambda position: points)
    assert {champion.choose(position, clock()) for _ in range(40)} == set(points)


@pytest.mark.parametrize(
    ("komi", "share", "passes"),
    [(-3, 0.1, True), (0, 0.1, True), (0.5, 0.1, False), (0.5, 0.01, True)],
    ids=["ahead", "even", "behind", "behind without hope"],
)
def test_the_go_champion_passes_into_a_lost_count_only_without_hope(
    champion: Any, komi: float, share: float, passes: bool
) -> None:
    position = games.load("go", size=5, komi=komi).replay(["a1", "c3"])  # each player has one point
    champion._KeptState.engine = FixedShareEngine(position.game, share, PASS)
    assert (champion.choose(position, clock()) is PASS) is passes


def test_the_go_champion_does_not_resign_after_a_pass(champion: Any) -> None:
    position = games.load("go", size=5).replay(["c3", "b2", "pass"])
    champion._KeptState.engine = FixedShareEngine(position.game, 0.0)
    assert "resign" not in [champion.choose(position, clock()) for _ in range(4)]


@pytest.mark.parametrize(
    ("name", "share", "resigns"), [("go", 0.001, True), ("go", 0.1, False), ("robogo", 0.0, False)]
)
def test_the_go_champion_resigns_only_go_after_three_hopeless_moves(
    champion: Any, name: str, share: float, resigns: bool
) -> None:
    position = games.load(name, size=5).replay(["c3", "b2", "d2"])
    champion._KeptState.engine = FixedShareEngine(position.game, share)
    moves = [champion.choose(position, clock()) for _ in range(3)]
    assert "resign" not in moves[:2]
    assert (moves[2] == "resign") is resigns


@pytest.mark.parametrize(("lead", "resigns"), [(20.0, True), (19.0, False), (-20.0, False)])
def test_a_level_with_few_playouts_resigns_only_far_behind(champion: Any, lead: float, resigns: bool) -> None:
    position = games.load("go", size=5).replay(["c3", "b2", "d2"])
    champion._KeptState.engine = FixedShareEngine(position.game, 0.0, lead=lead)
    moves = [champion.choose(position, clock(), playouts=10) for _ in range(3)]
    assert "resign" not in moves[:2]
    assert (moves[2] == "resign") is resigns


@pytest.mark.parametrize(("playouts", "percent"), [(0, 99), (10, 60)])  # the engine below makes 5000 or 1 for a move
def test_a_few_won_playouts_are_no_certain_win(champion: Any, playouts: int, percent: int) -> None:
    position, agent_clock = games.load("go", size=5).replay(["c3", "b2"]), clock()
    champion._KeptState.engine = FixedShareEngine(position.game, 1.0)
    champion.choose(position, agent_clock, playouts=playouts)
    assert f" playouts, wins {percent} %" in agent_clock.analysis_text


@pytest.mark.parametrize(("size", "growth", "playouts"), [(9, 3, 60), (13, 0, 60), (13, 3, 545), (5, 3, 60)])
def test_a_level_has_more_playouts_on_larger_boards(champion: Any, size: int, growth: int, playouts: int) -> None:
    position = games.load("go", size=size).replay(["c3", "b2"])
    champion._KeptState.engine = engine = FixedShareEngine(position.game, 0.5)
    champion.choose(position, clock(), playouts=60, growth=growth)
    assert engine.playouts == playouts


def test_the_champion_plays_by_other_means_until_compiled(champion: Any, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr(champion.compiling, "BackgroundLoad", EndlessCompilation)
    position = games.load("capture_go", size=5).start()
    champion.prepare(position.game)
    assert champion.choose(position, clock()) in position.moves()


class Solver:
    """A solver that proves one result with one best move, or that finds no proof in time."""

    SearchStopped = SearchStopped

    def __init__(self, winner: int | None, best: str) -> None:
        self.winner, self.best = winner, best

    def wait(self, seconds: float) -> Solver:
        return self

    def can_solve(self, position: Any) -> bool:
        return True

    def CaptureGoSolver(self, game: Any) -> Solver:  # noqa: N802  (a class of the solver's module)
        self.game = game
        return self

    def solve(self, position: Any, stop_at: float) -> Any:
        if self.winner is None:
            raise self.SearchStopped
        return SimpleNamespace(winner=self.winner, best_moves=(self.game.parse(self.best),))


@pytest.mark.parametrize(
    ("winner", "options", "expected_move"),
    [
        (1, {}, "d4"),  # the mover wins
        (2, {}, "d4"),  # the other one wins, most slowly by this move
        (0, {}, "d4"),
        (None, {}, "a1"),  # not solved in time: the engine's first move
        (1, {"playouts": 10}, "a1"),  # the strength of a level does not depend on the solver
    ],
)
def test_the_go_champion_plays_the_best_move_of_a_solved_position(
    champion: Any, winner: int | None, options: dict[str, int], expected_move: str
) -> None:
    position = games.load("capture_go", size=5).start()
    champion._KeptState.engine = FixedShareEngine(position.game, 0.5)
    champion._KeptState.solver_load = Solver(winner, "d4")
    assert str(champion.choose(position, clock(), **options)) == expected_move


@pytest.mark.parametrize("options", [{"size": 6}, {"size": 5, "target": 2}], ids=str)
def test_larger_boards_and_targets_load_no_solver(champion: Any, options: dict[str, int]) -> None:
    position = games.load("capture_go", **options).start()
    champion._KeptState.engine = FixedShareEngine(position.game, 0.5)
    assert champion.choose(position, clock()) in position.moves()
    assert champion._KeptState.solver_load is None


@pytest.mark.parametrize(
    ("move", "options", "expected_move"), [("d2", {}, "d2"), (None, {}, "a1"), ("d2", {"playouts": 10}, "a1")]
)
def test_the_go_champion_plays_a_proved_win_of_robogo(
    champion: Any, move: str | None, options: dict[str, int], expected_move: str
) -> None:
    position = games.load("robogo", size=4).start()
    champion._KeptState.engine = FixedShareEngine(position.game, 0.5)
    proved_move = None if move is None else position.game.parse(move)
    champion._KeptState.win_solver = SimpleNamespace(game=position.game, find_winning_move=lambda position: proved_move)
    assert str(champion.choose(position, clock(), **options)) == expected_move


@pytest.mark.slow  # compiles the solver
def test_the_go_champion_solves_robogo_before_its_first_clock_starts(champion: Any) -> None:
    game = games.load("robogo", rows=3, cols=4)
    compiling.load("gomogo_core.engines.small_go")
    champion._KeptState.engine = FixedShareEngine(game, 0.5)
    champion.prepare(game, playouts=10)
    assert champion._KeptState.win_solver is None
    champion.prepare(game)
    assert str(champion.choose(game.start(), clock())) in {"b1", "c1", "b2", "c2", "b3", "c3"}
