"""Positions that resemble each other: turned, mirrored, with exchanged colours, or a move or two away."""

from __future__ import annotations

import pytest

from gomogo.page.play.resemblance import any_resembles, resembles
from gomogo_core.games import load
from gomogo_core.games.base import Game, Position


def line(game: Game, moves: str) -> list[Position]:
    """All positions of a game with these moves."""
    positions = [game.start()]
    for move in moves.split():
        positions.append(positions[-1].play(game.parse(move)))
    return positions


GO = load("go", size=9)
BOXES = load("dots_and_boxes", rows=2, cols=2)


@pytest.mark.parametrize(
    ("game", "moves", "others", "expected"),
    [
        pytest.param(GO, "c1 b1 a2 a1 b2 e5 f6", "c1 b1 a2 a1 b2 e5 f6 pass d1", True, id="two_moves_later"),
        pytest.param(GO, "b2 a1 c1 b1 f6 e5 a2", "b2 a1 c1 b1 f6 e5", True, id="before_a_capture_of_two"),
        pytest.param(GO, "h8 i9 g9 h9 d4 e5 i8", "b2 a1 c1 b1 f6 e5", True, id="after_a_capture_and_a_turn"),
        pytest.param(GO, "b2 a1 c1 b1 f6 e5 a2 g2 g3 g4", "b2 a1 c1 b1 f6 e5", False, id="four_moves_after"),
        pytest.param(BOXES, "h0 h2 v0 v1 h4", "h5 h3 v5 v4 h1", True, id="turned_edges"),
        pytest.param(BOXES, "h0 h2 v0 v1 h4", "h0 v1 v5 h3 v4", False, id="other_edges"),
    ],
)
def test_a_position_resembles_another(game: Game, moves: str, others: str, expected: bool) -> None:
    first_line, other = line(game, moves), line(game, others)
    assert resembles(first_line[-3:], [other[-3:]]) == expected
    assert resembles(other[-3:], [first_line[-3:]]) == expected


def test_the_rules_of_a_copy_do_not_matter_but_its_board_does() -> None:
    own = line(load("gomoku", size=9), "c3 d4 e3 f4")[-3:]
    assert resembles(line(load("gomoku", size=9, renju=True), "g3 f4 e3 d4")[-3:], [own])
    assert not resembles(line(load("gomoku", size=15), "c3 d4 e3 f4")[-3:], [own])


def test_a_game_passes_through_a_position() -> None:
    game = load("gomoku", size=9)
    running_position = line(game, "c3 d4 e3 f4")[-1]
    assert any_resembles(line(game, "g3 f4 e3 d4 a1 a2 a3"), [running_position])
    assert not any_resembles(line(game, "c3 d4 a1 a2 a3"), [running_position])
    assert not any_resembles(line(game, "c3 d4 a1 a2 a3"), [line(game, "c3 d4")[-1]]), "too few stones to say"
