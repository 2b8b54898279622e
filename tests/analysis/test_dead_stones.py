"""Dead stones of Go: captured in most playouts, named before a pass, marked at the end. The rules count all stones."""

from __future__ import annotations

from time import monotonic

import pytest

from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.explainers.go import advice_to_capture
from gomogo_core.games import load
from gomogo_core.games.go import GoPosition
from gomogo_core.games.stones.rules import PASS
from gomogo_core.records.board_setup import moves_to_set_up
from gomogo_core.search.playouts.dead_stones import dead_stones, points_worth_a_stone
from gomogo_core.session.actions import NeedsConfirmation, SeatInfo
from gomogo_core.session.game_session import GameSession

EXPLAINER = explainer_of(load("go"))
# the last positions of games between our agents, and the stones that a strong player would take off
WHITE_ROW: tuple[str, list[str], list[str]] = (
    """x.xxxxxxx
    xx.xx.xx.
    .xxxxxoxx
    x.ooxxox.
    xxxx.x.xx
    xooxxxxx.
    oooooooxx
    oooo.oox.
    .o.oooxxx""",
    [],
    ["c4", "d4", "g3", "g4"],
)
BLACK_CORNER: tuple[str, list[str], list[str]] = (
    """xoooo.ooo
    xxxoooo.o
    o.xoo.ooo
    oxxoooooo
    oooo.ooo.
    xxxoo.o.o
    .xooxxooo
    xxxoooo.o
    .xooo.oo.""",
    ["a1", "a2", "b2", "b4", "c2", "c3", "c4", "e7", "f7"],
    [],
)
NOTHING: tuple[str, list[str], list[str]] = (
    """.xxo.
    x.xoo
    xxxo.
    x.xoo
    .xxo.""",
    [],
    [],
)


def after_pass(position: GoPosition) -> GoPosition:
    passed = position.play(PASS)
    assert isinstance(passed, GoPosition)
    return passed


def moves_of(rows: str, turn: int) -> list[str]:
    lines = rows.split()
    stones = {
        seat: [
            f"{chr(97 + c)}{r}"
            for r, line in enumerate(lines, 1)
            for c, sign_here in enumerate(line)
            if sign_here == sign
        ]
        for seat, sign in ((1, "x"), (2, "o"))
    }
    return list(moves_to_set_up(load("go", size=len(lines)), stones, turn))


def position_of(rows: str, turn: int = 1) -> GoPosition:
    game = load("go", size=len(rows.split()))
    position = game.replay(moves_of(rows, turn))
    assert isinstance(position, GoPosition)
    return position


@pytest.mark.parametrize(("rows", "black", "white"), [WHITE_ROW, BLACK_CORNER, NOTHING])
def test_stones_that_cannot_live_look_dead(rows: str, black: list[str], white: list[str]) -> None:
    dead = dead_stones(position_of(rows))
    assert {seat: sorted(map(str, points)) for seat, points in dead.items()} == {1: black, 2: white}


def test_a_pass_that_ends_the_game_warns_of_the_opponents_dead_stones() -> None:
    position = position_of(WHITE_ROW[0], turn=2)
    assert EXPLAINER.warning_before_pass(position, PASS) == "", "the black stones live"
    passed = position.play(PASS)
    assert EXPLAINER.warning_before_pass(passed, PASS) == (
        "Score now: black 53, white 26. 4 white stones look dead; they count unless captured first (g3, c4)"
    )
    assert EXPLAINER.warning_before_pass(passed, next(iter(passed.moves()))) == ""
    assert EXPLAINER.warning_before_pass(position_of(WHITE_ROW[0]), PASS) == "", "black wins, and white can still move"


def test_a_human_confirms_a_pass_that_leaves_dead_stones() -> None:
    position = position_of(WHITE_ROW[0], turn=2)
    game = GameSession(position.game, tuple(SeatInfo(name, "human", visitor=name) for name in ("ann", "bo")))
    for move in moves_of(WHITE_ROW[0], turn=2):
        game.play(("ann", "bo")[game.position.to_move - 1], str(move), is_confirmed=True)
    game.play("bo", "pass", is_confirmed=True)
    with pytest.raises(NeedsConfirmation, match="4 white stones look dead") as question:
        game.play("ann", "pass")
    assert question.value.dead_points is not None
    assert sorted(map(str, question.value.dead_points[2])) == WHITE_ROW[2]
    game.play("ann", "pass", is_confirmed=True)
    assert game.position.outcome() is not None


def test_a_hint_advises_to_capture_dead_stones_before_a_pass() -> None:
    passed = after_pass(position_of(WHITE_ROW[0], turn=2))
    move = next(iter(passed.moves()))
    advice = "capture the dead white stones at g3, c4 before you pass, because all stones on the board count"
    assert advice_to_capture(passed, move, {}) == advice
    assert advice_to_capture(passed, PASS, {}) == "", "the pass wins"
    open_board = position_of(WHITE_ROW[0])
    assert advice_to_capture(open_board, move, {}) == "", "nobody has passed, and no owner is known"
    assert advice_to_capture(open_board, move, dict.fromkeys(open_board.game.board.points, 1.0)) == advice
    assert advice_to_capture(after_pass(position_of(NOTHING[0])), PASS, {}) == ""


def test_the_end_of_a_game_names_its_dead_stones() -> None:
    position = position_of(BLACK_CORNER[0])
    assert EXPLAINER.dead_stones_at_end(position) == ([], "")
    points, words = EXPLAINER.dead_stones_at_end(position.play(PASS).play(PASS))
    assert sorted(map(str, points)) == BLACK_CORNER[1]
    assert words == ("9 black stones look dead (marked ×); they count, because nobody captured them before the end.")


CHAIN = "\n".join(["oox.xo...", "ooxxxo...", "o.x.xo...", "ooxxxo...", "xxx.xo...", *["....xo..."] * 4])
IN_ATARI = "\n".join([*["....xo..."] * 3, "...xxo...", "..xo.o...", "...xxo...", *["....xo..."] * 3])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (CHAIN, "7 white stones look dead; they count"),
        (IN_ATARI, "1 white stone looks dead or is in atari; it counts"),
    ],
)
def test_a_pass_warns_of_whole_chains_and_stones_in_atari(rows: str, words: str) -> None:
    position = position_of(rows, turn=2).play(PASS)
    assert words in EXPLAINER.warning_before_pass(position, PASS)


def test_a_stone_in_a_settled_area_of_the_opponent_is_not_worth_playing() -> None:
    """Black must still capture the white stones at the bottom, but has no hope at the top."""
    rows = """o.o..oo.o
    oo.ooo.oo
    ooo...o..
    xxxoooo.o
    ...xoo.o.
    xxxxxooox
    ..xox.xxo
    .xoo.xxoo
    x.....xo."""
    position = position_of(rows)
    points = position.game.bit_geometry.points_in(points_worth_a_stone(position, monotonic() + 20))
    assert any(point.row > 6 for point in points)
    assert not [point for point in points if point.row < 4]
