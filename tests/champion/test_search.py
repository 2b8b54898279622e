"""The champion's claims are true: proved wins and losses, and moves that defend."""

from __future__ import annotations

import random
import sys
import time

import pytest

from gomogo_core.catalogue import agent
from gomogo_core.engines import compiling, stop_flag
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from tests.champion._positions import RULES, random_position

gomoku = compiling.load("gomogo_core.engines.gomoku")

from gomogo_core.engines.gomoku import search  # noqa: E402  (after the cache is set)
from gomogo_core.engines.gomoku.engine import CERTAIN_THRESHOLD, GomokuEngine, plies_to_end  # noqa: E402  (after the cache is set)


def holds(engine: GomokuEngine, position: GomokuPosition, attacker: int) -> bool:
    """Return whether the engine's proof holds against every move of the defender, by the rules alone.

    Leaves out a move of the defender that makes no five, stops no five of the attacker and makes no four, if the
    attacker then has two ways to a five: the next two plies prove the win.
    """
    if (ended := position.outcome()) is not None:
        return ended.winner == attacker
    if position.to_move == attacker:
        result = engine.solve(position, nodes=200_000)
        return result.result == "win" and holds(
            engine, position.play(position.game.board.points[result.point_numbers[0]]), attacker
        )
    return all(holds(engine, position.play(move), attacker) for move in position.moves())


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_proof_holds_against_every_defence(rule: str) -> None:
    game, wins, losses = Gomoku(size=9, **RULES[rule]), 0, 0
    engine = GomokuEngine(game, memory_mb=1)
    for number in range(80):
        *_, position = random_position(game, random.Random(f"proof {number}"), 13 + number % 4)
        result = engine.solve(position, nodes=20_000)
        if result.result == "unknown" or result.plies is None or result.plies > 5:
            continue
        wins += result.result == "win"
        losses += result.result == "loss"
        attacker = position.to_move if result.result == "win" else 3 - position.to_move
        assert holds(engine, position, attacker), position.diagram()
        for i in result.point_numbers:
            position = position.play(game.board.points[i])
        assert position.outcome() is not None
        assert position.outcome().winner == attacker  # type: ignore[union-attr]
    assert wins > 3
    assert wins + losses > 5


@pytest.mark.skipif(sys.platform != "linux", reason="compiled code reads the clock on Linux only")
def test_a_search_stops_in_time_without_the_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stop_flag._TIMER, "add", None)
    *_, position = random_position(Gomoku(), random.Random(7), 8)
    engine, began = GomokuEngine(Gomoku(), memory_mb=1), time.process_time()
    engine.analyse(position, stop_at=time.monotonic() + 0.2)
    assert time.process_time() - began < 0.4


@pytest.mark.parametrize("rule", RULES)
def test_a_search_with_fixed_nodes_is_reproducible(rule: str) -> None:
    game = Gomoku(**RULES[rule])
    *_, position = random_position(game, random.Random(5), 9)
    first, second = (GomokuEngine(game, memory_mb=4).analyse(position, nodes=5000) for _ in range(2))
    assert first.lines == second.lines
    assert first.depth > 3


def test_several_lines_are_different_moves_the_best_first() -> None:
    game = Gomoku()
    position = game.replay(["h8", "i9", "h10", "h9", "i8"])
    assert isinstance(position, GomokuPosition)
    result = GomokuEngine(game, memory_mb=4).analyse(position, depth=6, lines=4)
    assert len({line.point_numbers[0] for line in result.lines}) == 4
    assert [line.value for line in result.lines] == sorted((line.value for line in result.lines), reverse=True)


@pytest.mark.parametrize(
    ("moves", "answers", "plies"),
    [
        ("h8 a1 h9 a3 h7 a5 h6 a7", {"h5", "h10"}, 1),
        ("h8 a1 h9 a3 h7 a5 h6", {"h5", "h10"}, None),
        ("h8 a1 h9 a3 h7 o15", {"h6", "h10"}, 3),
        ("h8 a1 h9 o15 h7", {"h5", "h6", "h10", "h11"}, None),
    ],
)
def test_the_search_makes_and_stops_fives_fours_and_threes(moves: str, answers: set[str], plies: int | None) -> None:
    game = Gomoku()
    position = game.replay(moves.split())
    assert isinstance(position, GomokuPosition)
    result = GomokuEngine(game, memory_mb=4).analyse(position, nodes=20_000)
    assert game.board.names[result.lines[0].point_numbers[0]] in answers
    assert plies is None or (result.value > CERTAIN_THRESHOLD and plies_to_end(result.value) == plies)


@pytest.mark.parametrize("size", [5, 6])
def test_the_engine_plays_a_board_to_its_end(size: int) -> None:
    game = Gomoku(size=size)
    engine, position = GomokuEngine(game, memory_mb=1), game.start()
    while position.outcome() is None:
        position = position.play(game.board.points[engine.analyse(position, nodes=300).lines[0].point_numbers[0]])
    assert position.outcome() is not None


def test_option_defaults_equal_the_parameters_of_the_search() -> None:
    options = agent("champion").numeric_options
    for name in options.keys() - {"memory_mb", "threads", "nodes", "depth"}:
        assert options[name] == search.DEFAULT_SEARCH_PARAMETERS[getattr(search, name.upper())], name


def test_the_agents_options_change_the_search() -> None:
    player = gomoku.EnginePlayer(Gomoku(size=9), memory_mb=1)
    position = player.game.replay(["e5", "d4", "f4", "e6", "c5"])
    player.choose(position, time.monotonic() + 60, nodes=50, search_parameters={"razor": 7, "futility_base": 9})
    assert list(player.engine.search_parameters[[search.RAZOR, search.FUTILITY_BASE]]) == [7, 9]


def test_fours_are_found_after_stones_are_taken_back() -> None:
    game = Gomoku(size=11)
    engine, other = GomokuEngine(game, memory_mb=1), GomokuEngine(game, memory_mb=1)
    near = [point for point in game.board.points if 2 <= point.row <= 8 and 2 <= point.column <= 8]
    won = 0
    for seed in range(40):
        position, base = game.start(), None
        for point in random.Random(seed).sample(near, 22):
            position = position.play(point)
            if position.outcome() is not None:
                break
            if position.stones == 10:
                base = position
                engine.set_position(base.cells)
            if base is not None:
                winning_move = engine.vcf_after(position.cells, 100_000)
                assert (winning_move > 0) == (other.vcf(position, 100_000) > 0)
                won += winning_move > 0
    assert won > 20


FORBIDDEN_ANSWERS = (
    """
  a b c d e f g h i
1 . . . . . . . x o 1
2 . . . o . . . o . 2
3 . . x . . . x . . 3
4 . . . . . . x . . 4
5 . . x . o . x . . 5
6 . . . . . o . o o 6
7 . . . . . . x . . 7
8 . . . . . x x . . 8
9 . . . . . . . o . 9
  a b c d e f g h i
""",
    """
  a b c d e f g h i
1 . . . x . . o x . 1
2 x . . . . o . . . 2
3 . . o x . x . . o 3
4 . . o . . x x . . 4
5 . . . x . o . . . 5
6 o . . . . . x o . 6
7 o . . . . . . . x 7
8 . . . . x . . o . 8
9 . . . x . . . o . 9
  a b c d e f g h i
""",
)


@pytest.mark.parametrize("diagram", FORBIDDEN_ANSWERS)
def test_white_wins_in_renju_with_a_four_whose_answer_is_forbidden(diagram: str) -> None:
    game = Gomoku(size=9, renju=True)
    position, engine = game.from_diagram(diagram), GomokuEngine(game, memory_mb=1)
    solution = engine.solve(position)
    assert solution.result == "win"
    assert holds(engine, position, position.to_move)
    assert position.cells[engine.analyse(position, nodes=20_000).lines[0].point_numbers[0]] == 0
    for place in solution.point_numbers:
        position = position.play(game.board.points[place])
    assert (ended := position.outcome()) is not None
    assert ended.winner == 2
