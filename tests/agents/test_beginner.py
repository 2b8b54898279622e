"""The beginner plays well among the moves that it sees, and misses more good moves if it overlooks more moves."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gomogo_core import games
from gomogo_core.agent import AgentClock, load_choose
from gomogo_core.games import load
from gomogo_core.games.base import Game, Position
from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.passing import points_safe_from_capture, wins_by_passing
from tests.analysis.test_dead_stones import position_of
from tests.games._gnugo import COLUMNS, ask_gnugo, gnugo_move_name

CHOOSE = load_choose(Path(__file__).parents[2] / "agents" / "beginner.py")


def chosen_move(position: Position, overlooks: float, seconds: float = 5.0) -> str:
    return position.game.format(CHOOSE(position, AgentClock({"per_move": seconds}, None), overlooks=overlooks))


def missed_share(position: Position, best_moves: set[str], overlooks: float, times: int = 60) -> float:
    """Return the share of moves that are not among the best."""
    random.seed(7)
    return sum(chosen_move(position, overlooks) not in best_moves for _ in range(times)) / times


def winning_position() -> tuple[Position, set[str]]:
    """Return a position in which one point makes five."""
    return load("gomoku").replay("e8 d8 f8 a1 g8 c1 h8 e1".split()), {"i8"}  # noqa: SIM905


def capture_position() -> tuple[Position, set[str]]:
    """Return a position with a stone in atari, and nothing else."""
    return load("capture_go", size=5).replay(["b2", "a2", "c3", "e5", "a3", "d5"]), {"a1"}


def box_position() -> tuple[Position, set[str]]:
    """Return a position in which one box has three sides."""
    return load("dots_and_boxes", rows=2, cols=2).replay(["h0", "h2", "v0"]), {"v1"}


@pytest.mark.parametrize("puzzle", [winning_position, capture_position, box_position])
def test_the_beginner_misses_more_wins_the_more_it_overlooks(puzzle: object) -> None:
    position, best_moves = puzzle()  # type: ignore[operator]
    assert missed_share(position, best_moves, 0.0, 3) == 0
    assert 0.05 < missed_share(position, best_moves, 0.3) < 0.6 < missed_share(position, best_moves, 0.9)


def test_the_beginner_avoids_losing_moves_that_it_sees() -> None:
    """The edges v0 and v1 would be the third side of a box."""
    position, safe = load("dots_and_boxes", rows=1, cols=3).replay(["h0", "h3", "h2"]), {"h1", "h4", "h5", "v2", "v3"}
    assert missed_share(position, safe, 0.0, 20) == 0
    assert missed_share(position, safe, 0.9) > 0.1


def test_a_beginner_that_overlooks_everything_plays_at_random() -> None:
    random.seed(1)
    position, _ = winning_position()
    assert len({chosen_move(position, 1.0) for _ in range(30)}) > 20


WALLS = "\n".join(["....xo..."] * 9)
DEAD_STONES = """..xx.o...
.xxxo.oo.
x.x.xoo.o
.xxxxxo..
.x.xooo..
xxxoo....
xoooo.o..
o..o..x..
........."""
CAPTURABLE = "\n".join([*["....xo..."] * 7, "....xox..", "....xo..x"])
UNSAFE = """....xo...
....xo...
....xo...
....xo...
...oxo...
...xo....
....xo...
....xo...
....xo..."""


# black's two stones in atari count if black passes, and cannot live
IN_ATARI = "\n".join(["...xo.o..", "...xooxo.", "...xo.x..", "...xo.oo.", *["...xo...."] * 5])


@pytest.mark.parametrize(
    ("rows", "seat", "passes"),
    [
        (IN_ATARI, 1, True),
        (WALLS, 1, True),  # white has three columns, in which black could only lose stones
        (DEAD_STONES, 1, True),  # black's stone in white's area stays on the board
        (DEAD_STONES, 2, False),  # white must capture that stone, or it counts
        (CAPTURABLE, 2, False),
        (UNSAFE, 1, False),
        ("\n".join([".........", "..x......", *["........."] * 4, "......o..", *["........."] * 2]), 1, False),
    ],
)
@pytest.mark.parametrize("overlooks", [0, 0.75])
def test_the_beginner_passes_after_a_pass_only_if_it_can_gain_nothing(
    rows: str, seat: int, passes: bool, overlooks: float
) -> None:
    random.seed(5)
    position = position_of(rows, turn=3 - seat)
    moves = {chosen_move(position.play(PASS), overlooks, 20.0) for _ in range(3)}
    assert moves == {"pass"} if passes else "pass" not in moves


@pytest.mark.needs("gnugo")
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
def test_the_beginner_passes_at_the_end_of_a_game_of_gnu_go(seed: int) -> None:
    """GNU Go plays against itself until both pass.

    After a pass, the beginner passes if a pass wins, or if it has lost and no stones of the opponent are dead.
    """
    random.seed(seed)
    points = random.sample([Point(column, row) for column in range(1, 10) for row in range(1, 10)], 8)
    colours = ["black", "white"] * 50
    questions = [f"play {colour} {gnugo_move_name(point, 9)}" for colour, point in zip(colours, points, strict=False)]
    questions += [f"genmove {colour}" for colour in colours]
    options = ["--level", "1", "--chinese-rules", "--seed", str(seed), "--boardsize", "9", "--komi", "7.5"]
    last_questions = ["list_stones black", "list_stones white", "final_status_list dead", "final_score"]
    *_, black, white, dead, score = ask_gnugo(options, questions + last_questions)
    marks = dict.fromkeys(black, "x") | dict.fromkeys(white, "o")
    rows = [[marks.get(f"{column}{9 - row}", ".") for column in COLUMNS[:9]] for row in range(9)]
    for seat, own, first in ((1, black, "B"), (2, white, "W")):
        position = position_of("\n".join(map("".join, rows)), turn=3 - seat).play(PASS)
        outcome = position.play(PASS).outcome()
        assert outcome is not None
        has_lost = not score[0].startswith(first) and set(dead) <= set(own)
        if outcome.winner == seat or has_lost:
            assert chosen_move(position, 0.55, 20.0) == "pass"


MIN_OPEN_REGION = 6


def open_points(position: GoFamilyPosition) -> int:
    """Return the mask of the points in large regions that touch stones of both players and have room for a stone."""
    black, white = position.board.territory_masks()
    regions = position.game.bit_geometry.groups(position.board.empty_mask & ~black & ~white)
    safe = points_safe_from_capture(position)
    return sum(region for region in regions if region.bit_count() >= MIN_OPEN_REGION and region & safe)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("opponent", ["greedy", "go_random", "go_capturer"])
@pytest.mark.parametrize("overlooks", [0.75, 0.3])
def test_the_beginner_does_not_pass_while_much_is_open(opponent: str, overlooks: float, seed: int) -> None:
    """It passes only if that wins, or if no large region between both players is left where it can place a stone."""
    random.seed(seed)
    answer = load_choose(Path(__file__).parents[2] / "agents" / f"{opponent}.py")
    game, seat, pass_count = load("go", size=9, komi=7.5), 1 + seed % 2, 0
    position = game.start()
    while position.outcome() is None:
        if position.to_move != seat:
            position = position.play(answer(position, AgentClock({"per_move": 1.0}, None)))
            continue
        assert isinstance(position, GoFamilyPosition)
        move = game.parse(chosen_move(position, overlooks))
        if move is PASS and not wins_by_passing(position):
            pass_count += 1
            assert not open_points(position), position.diagram()
            assert position.moves_played > 40, position.diagram()
        position = position.play(move)
    assert pass_count < 10, "it plays on for long after the board is settled"


@pytest.mark.parametrize("name", ["capture_go", "robogo"])
def test_the_beginner_never_passes_while_it_can_place_a_safe_stone(name: str) -> None:
    random.seed(2)
    game = load(name, size=7)
    for _ in range(6):
        position = game.start()
        while position.outcome() is None:
            assert isinstance(position, GoFamilyPosition)
            move = game.parse(chosen_move(position, 0.9))
            assert move is not PASS or wins_by_passing(position) or not points_safe_from_capture(position)
            position = position.play(move)


def final_position(game: Game, overlooks: float) -> Position:
    position = game.start()
    while position.outcome() is None:
        position = position.play(game.parse(chosen_move(position, overlooks, 0.05)))
    return position


@pytest.mark.parametrize("name", games.names())
def test_the_beginner_plays_every_game_to_its_end(name: str) -> None:
    random.seed(3)
    sides = {spec.name for spec in games.rules(name).declared_options} & {"size"}
    assert final_position(load(name, **dict.fromkeys(sides, 5)), 0.8).outcome() is not None


def test_the_beginner_plays_with_three_players() -> None:
    random.seed(3)
    assert final_position(load("dots_and_boxes", players=3, rows=2, cols=2), 0.3).outcome() is not None
