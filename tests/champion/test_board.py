"""The compiled board agrees with the rules of gomogo_core.games.gomoku on every point."""

from __future__ import annotations

import random

import pytest

from gomogo_core.engines import compiling
from gomogo_core.games.gomoku import BLACK, WHITE, Gomoku, GomokuPosition
from tests.champion._positions import RULES, random_position

gomoku = compiling.load("gomogo_core.engines.gomoku")

from gomogo_core.engines.gomoku import array_layout, board, classes, search, threats  # noqa: E402  (after the cache is set)
from gomogo_core.engines.gomoku.engine import GomokuEngine  # noqa: E402

VARIANTS = [
    pytest.param(Gomoku(size=size, **RULES[rule]), id=f"{rule}-{size}")
    for rule in RULES
    for size in (9, 12, 15, 19, 20)
]


def cell(game: Gomoku, point: int) -> int:
    return array_layout.cell_of(point % game.size, point // game.size)


def visible(engine: GomokuEngine) -> list[int]:
    """Return the part of a state that describes its position, without the undo stack and the lists of the search."""
    visible_state: list[int] = engine.state[: array_layout.LAST_FIVE_POINTS_START].tolist()
    del visible_state[array_layout.UNDO_TOP]
    for first, end in (
        (array_layout.POINT_VALUE_SUM, array_layout.LAST_MOVE),
        (array_layout.CLASS_COUNTS_START, array_layout.UNDO_STACK_START),
    ):
        visible_state += engine.state[first:end].tolist()
    return visible_state


@pytest.mark.parametrize("game", VARIANTS)
def test_every_point_of_the_compiled_board_agrees_with_the_rules(game: Gomoku) -> None:
    engine, rng = GomokuEngine(game, memory_mb=1), random.Random(f"{game}")
    for position in random_position(game, rng, 40):
        engine.set_position(position.cells)
        for i in range(0, len(position.cells)):
            if position.cells[i]:
                continue
            for colour in (BLACK, WHITE):
                wins = threats.class_at(engine.state, cell(game, i), colour) == classes.FIVE
                assert wins == position._completes_row(i, colour), (position.diagram(), game.board.names[i], colour)


@pytest.mark.parametrize("game", VARIANTS)
def test_taking_stones_back_restores_the_board(game: Gomoku) -> None:
    engine, fresh = GomokuEngine(game, memory_mb=1), GomokuEngine(game, memory_mb=1)
    for position in random_position(game, random.Random(f"back {game}"), 30):
        fresh.set_position(position.cells)
        engine.set_position(position.cells)
        free = [i for i, stone in enumerate(position.cells) if not stone]
        for i in free[:3]:
            board.place_stone(engine.arrays, cell(game, i))
        for _ in free[:3]:
            board.remove_last_stone(engine.arrays)
        assert visible(engine) == visible(fresh)
        assert engine.hashes[0] == fresh.hashes[0]


@pytest.mark.slow
@pytest.mark.parametrize("size", [9, 15])
def test_the_compiled_board_forbids_the_same_renju_points(size: int) -> None:
    game, barred = Gomoku(size=size, renju=True), 0
    engine = GomokuEngine(game, memory_mb=1)
    for number in range(40):
        for position in random_position(game, random.Random(f"renju {number}"), 40):
            if position.colour != BLACK or position.stones < 8:
                continue
            engine.set_position(position.cells)
            forbidden = {game.board.number_of[point] for point in position.forbidden_points()}
            for i, stone in enumerate(position.cells):
                if not stone:
                    assert threats.is_forbidden(engine.arrays, cell(game, i)) == (i in forbidden), position.diagram()
            barred += len(forbidden)
    assert barred > 50


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_a_move_outside_the_replies_leaves_the_winning_four(rule: str) -> None:
    game, threatened = Gomoku(**RULES[rule]), 0
    engine = GomokuEngine(game, memory_mb=1)
    s = engine.state
    for number in range(60):
        for position in random_position(game, random.Random(f"reply {number}"), 30):
            engine.set_position(position.cells)
            own_colour, opponent_colour = int(s[array_layout.TURN]), 3 - int(s[array_layout.TURN])
            if any(threats.count_points_of_class(s, colour, classes.FIVE) for colour in (own_colour, opponent_colour)):
                continue
            if not threats.winning_four_point(engine.arrays, opponent_colour):
                continue
            threatened += 1
            count = threats.write_replies(engine.arrays, array_layout.MOVE_LISTS_START)
            answers = {int(s[array_layout.MOVE_LISTS_START + 2 * k]) for k in range(count)}
            for i, stone in enumerate(position.cells):
                if not stone and cell(game, i) not in answers:
                    board.place_stone(engine.arrays, cell(game, i))
                    assert threats.winning_four_point(engine.arrays, opponent_colour), (
                        position.diagram(),
                        game.board.names[i],
                    )
                    board.remove_last_stone(engine.arrays)
    assert threatened > 30


@pytest.mark.slow
def test_a_win_by_fours_holds_against_every_defence() -> None:
    game, wins = Gomoku(), 0
    engine = GomokuEngine(game, memory_mb=1)
    for number in range(300):
        *_, position = random_position(game, random.Random(f"vcf {number}"), 20)
        if engine.vcf(position):
            wins += 1
            assert wins_by_fours(engine, position), position.diagram()
    assert wins > 20


def test_the_opponents_win_by_fours_is_the_movers_with_colours_swapped() -> None:
    game, wins = Gomoku(), 0
    engine, swapped = GomokuEngine(game, memory_mb=1), GomokuEngine(game, memory_mb=1)
    for number in range(200):
        *_, position = random_position(game, random.Random(f"vcf {number}"), 21)
        if position.stones % 2:
            continue  # both colours need as many stones, so that it is the other's turn once they are swapped
        swapped.set_position(position.cells.translate(bytes((0, 2, 1)) + bytes(range(3, 256))))
        opponent_wins = int(threats.vcf(swapped.arrays, 1_000_000, classes.PLAIN_FOUR))
        before = engine.vcf(position)
        assert engine.vcf(position, of_opponent=True) == opponent_wins
        assert engine.vcf(position) == before
        wins += opponent_wins > 0
    assert wins > 20


def wins_by_fours(engine: GomokuEngine, position: GomokuPosition) -> bool:
    """Play the engine's fours, and every answer that does not lose to a five at once, by the rules alone."""
    game, plies = position.game, engine.vcf(position)
    fives = [i for i, stone in enumerate(position.cells) if not stone and position._completes_row(i, position.colour)]
    if fives:
        return plies == 1
    move = search.expected_move(engine.arrays) if plies == 3 else engine.state[array_layout.LAST_FIVE_POINTS_START]
    after = position.play(game.board.points[engine._point_number(int(move))])
    if any(not stone and after._completes_row(i, after.colour) for i, stone in enumerate(after.cells)):
        return False
    answers = [i for i, stone in enumerate(after.cells) if not stone and after._completes_row(i, position.colour)]
    if len(answers) > 1:
        return plies == 3
    return len(answers) == 1 and wins_by_fours(engine, after.play(game.board.points[answers[0]]))
