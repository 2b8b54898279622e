"""What holds for every position of Gomoku, whatever its options and however it was reached.

Knows no rule of its own: each property ties two ways to say the same thing to each other.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomogo_core.games._grid import Point
from gomogo_core.games.base import IllegalMove, Move
from gomogo_core.games.gomoku import BLACK, Choice, Gomoku, GomokuPosition, Phase

bounded = settings(
    max_examples=80, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)


@st.composite
def games(draw: st.DrawFn) -> Gomoku:
    """A game of Gomoku with any options that go together; small boards more often, since games on them end."""
    size = draw(st.integers(5, 9) | st.just(15))
    options: dict[str, Any] = {"size": size, "opening": draw(st.sampled_from(("none", "takeover", "swap", "swap2")))}
    if draw(st.booleans()):
        options["renju"] = True
    else:
        options |= {"line": draw(st.integers(3, min(size, 6))), "exact": draw(st.booleans())}
    return Gomoku(**options)


@st.composite
def played(draw: st.DrawFn) -> tuple[list[Move], GomokuPosition]:
    """Moves of a random game, played to its end at most, and the position they lead to.

    Black keeps to the middle and white does not mind, so that rows, forbidden points and full boards all occur.
    """
    position = draw(games()).start()
    rng = random.Random(draw(st.integers(0, 2**32)))
    middle = (position.game.size + 1) / 2
    moves: list[Move] = []
    for _ in range(draw(st.integers(0, 60))):
        legal: list[Any] = list(position.moves())
        if not legal:
            break
        if isinstance(legal[0], Point):
            legal.sort(key=lambda point: (point.column - middle) ** 2 + (point.row - middle) ** 2)
        favour = 3 if position.colour == BLACK else 1
        moves.append(legal[int(len(legal) * rng.random() ** favour)])
        position = position.play(moves[-1])
    return moves, position


def everything(position: GomokuPosition) -> list[Move]:
    """Every move there could be: all points of the board and around it, all choices, and what is no move at all."""
    around = range(position.game.size + 2)
    return [*(Point(column, row) for row in around for column in around), *Choice, "h8", None, (1, 1)]


@bounded
@given(played())
def test_a_diagram_shows_the_whole_position(game: tuple[list[Move], GomokuPosition]) -> None:
    position = game[1]
    again = position.game.from_diagram(position.diagram())
    assert again == position
    assert again.diagram() == position.diagram()
    assert again.outcome() == position.outcome()
    assert again.to_move == position.to_move
    assert list(again.moves()) == list(position.moves())


@bounded
@given(played())
def test_every_legal_move_is_read_again_from_its_written_form(game: tuple[list[Move], GomokuPosition]) -> None:
    position = game[1]
    for move in position.moves():
        written = position.game.format(move)
        assert position.game.parse(written) == move
        assert position.game.parse(f"  {written.upper()} ") == move


@bounded
@given(played())
def test_a_move_is_legal_exactly_if_it_is_among_the_moves(game: tuple[list[Move], GomokuPosition]) -> None:
    position = game[1]
    moves = list(position.moves())
    assert len(moves) == len(set(moves))
    assert [move for move in everything(position) if position.why_illegal(move) is None] == [
        move for move in everything(position) if isinstance(move, (Point, Choice)) and move in moves
    ]


@bounded
@given(played())
def test_an_illegal_move_raises_its_reason_and_changes_nothing(game: tuple[list[Move], GomokuPosition]) -> None:
    position = game[1]
    before = position.key(), position.diagram(), position.outcome(), list(position.moves())
    for move in everything(position):
        if why := position.why_illegal(move):
            with pytest.raises(IllegalMove) as refused:
                position.play(move)
            assert refused.value.why == why
    assert (position.key(), position.diagram(), position.outcome(), list(position.moves())) == before


@bounded
@given(played())
def test_a_legal_move_does_not_raise_and_leaves_the_position_before_it_as_it_was(
    game: tuple[list[Move], GomokuPosition],
) -> None:
    position = game[1]
    before = position.diagram()
    after = {position.play(move).key() for move in position.moves()}
    assert len(after) == len(list(position.moves()))
    assert position.key() not in after
    assert position.diagram() == before


@bounded
@given(played())
def test_the_moves_as_values_or_as_text_lead_to_the_same_position_again(
    game: tuple[list[Move], GomokuPosition],
) -> None:
    moves, position = game
    assert position.game.replay(moves) == position
    assert position.game.replay([position.game.format(move) for move in moves]) == position


@bounded
@given(played())
def test_a_game_goes_on_exactly_as_long_as_there_are_moves(game: tuple[list[Move], GomokuPosition]) -> None:
    position = game[1]
    assert (position.outcome() is None) == any(True for _ in position.moves())


@bounded
@given(played())
def test_positions_with_the_same_key_have_the_same_moves_turn_and_end(game: tuple[list[Move], GomokuPosition]) -> None:
    moves, _ = game
    seen: dict[Any, tuple[Any, ...]] = {}
    position = game[1].game.start()
    for move in [*moves, None]:
        told = tuple(position.moves()), position.to_move, position.outcome() is None, position.rows()
        assert seen.setdefault(position.key(), told) == told
        if move is not None:
            position = position.play(move)
    assert len(seen) == len(moves) + 1


@bounded
@given(played())
def test_a_warning_is_given_exactly_where_a_move_loses_at_once_by_a_rule(
    game: tuple[list[Move], GomokuPosition],
) -> None:
    position = game[1]
    warned = {move for move in position.moves() if position.warning(move)}
    losing = set()
    for move in position.moves():
        outcome = position.play(move).outcome()
        if outcome is not None and outcome.winner not in (None, position.to_move):
            losing.add(move)
    assert warned == set(position.forbidden())
    assert warned == (losing if position.phase is Phase.PLAY else set())


def test_rows_kept_from_move_to_move_are_those_of_the_board() -> None:
    game = Gomoku(size=7, opening="swap2")
    draw = random.Random(5)
    position = game.start()
    assert position.rows()
    while position.outcome() is None:
        position = position.play(draw.choice(list(position.moves())))
        assert position.rows() == game.from_diagram(position.diagram()).rows()
        assert "".join(position.rows()).count("x") == sum(cell == 1 for cell in position.cells)
