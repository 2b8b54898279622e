"""What holds for every position of every game, whatever its options and however it was reached.

Knows no rule of its own: each property ties two ways to say the same thing to each other.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gomogo_core import games
from gomogo_core.games.base import IllegalMove, Move
from gomogo_core.wire.lines import spaced
from tests.games._kinds import everything, games_of, played, symmetries

bounded = settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
every_game = pytest.mark.parametrize("name", games.names())


@every_game
@bounded
@given(st.data())
def test_a_diagram_shows_the_whole_position(name: str, data: st.DataObject) -> None:
    position = data.draw(played(name)).position
    again = position.game.from_diagram(position.diagram())
    assert again == position
    assert again.diagram() == position.diagram()
    assert again.rows() == position.rows()
    assert again.outcome() == position.outcome()
    assert again.to_move == position.to_move
    assert again.facts() == position.facts()
    assert list(again.moves()) == list(position.moves())


@every_game
@bounded
@given(st.data())
def test_every_legal_move_is_read_again_from_its_written_form(name: str, data: st.DataObject) -> None:
    position = data.draw(played(name)).position
    game = position.game
    for move in position.moves():
        written = game.format(move)
        assert game.parse(written) == move
        assert game.parse(f"  {written.upper()} ") == move
        assert game.parse(spaced(written)) == move


@every_game
@bounded
@given(st.data())
def test_a_move_is_legal_exactly_if_it_is_among_the_moves(name: str, data: st.DataObject) -> None:
    position = data.draw(played(name)).position
    moves = list(position.moves())
    possible = everything(position.game)
    legal = [move for move in possible if position.why_illegal(move) is None]
    assert len(moves) == len(set(moves))
    assert {(type(move), move) for move in legal} == {(type(move), move) for move in moves}


@every_game
@bounded
@given(st.data())
def test_an_illegal_move_raises_its_reason_and_changes_nothing(name: str, data: st.DataObject) -> None:
    position = data.draw(played(name)).position
    before = position.key(), position.diagram(), position.outcome(), list(position.moves())
    refused = 0
    for move in everything(position.game):
        if why := position.why_illegal(move):
            with pytest.raises(IllegalMove) as caught:
                position.play(move)
            assert caught.value.why == why
            refused += 1
    assert refused
    assert (position.key(), position.diagram(), position.outcome(), list(position.moves())) == before


@every_game
@bounded
@given(st.data())
def test_a_legal_move_does_not_raise_and_leaves_the_position_before_it_as_it_was(
    name: str, data: st.DataObject
) -> None:
    position = data.draw(played(name)).position
    before = position.key(), position.diagram(), position.outcome(), position.facts()
    for move in position.moves():
        assert isinstance(position.told(move), str)
        assert isinstance(position.warning(move), str | None)
        assert position.play(move) != position
    assert (position.key(), position.diagram(), position.outcome(), position.facts()) == before


@every_game
@bounded
@given(st.data())
def test_the_moves_as_values_or_as_text_lead_to_the_same_position_again(name: str, data: st.DataObject) -> None:
    moves, position = data.draw(played(name))
    game = position.game
    for again in (game.replay(moves), game.replay([game.format(move) for move in moves])):
        assert again == position
        assert again.diagram() == position.diagram()


@every_game
@bounded
@given(st.data())
def test_a_game_goes_on_exactly_as_long_as_there_are_moves(name: str, data: st.DataObject) -> None:
    position = data.draw(played(name)).position
    assert (position.outcome() is None) == any(True for _ in position.moves())


@every_game
@bounded
@given(st.data())
def test_random_play_ends_and_ranks_every_seat(name: str, data: st.DataObject) -> None:
    position = data.draw(games_of(name)).start()
    draw = data.draw(st.randoms(use_true_random=True))
    for _ in range(5000):
        if position.outcome() is not None:
            break
        position = position.play(draw.choice(list(position.moves())))
    outcome = position.outcome()
    assert outcome is not None
    assert len(outcome.ranks) == position.game.seats
    assert min(outcome.ranks) == 1
    assert outcome.reason.kind == "rules"
    assert outcome.scores is None or len(outcome.scores) == position.game.seats


@every_game
@bounded
@given(st.data())
def test_positions_with_the_same_key_have_the_same_moves_turn_and_end(name: str, data: st.DataObject) -> None:
    moves, end = data.draw(played(name))
    seen: dict[Any, tuple[Any, ...]] = {}
    position = end.game.start()
    for move in [*moves, None]:
        told = tuple(position.moves()), position.to_move, position.outcome(), position.rows()
        assert seen.setdefault(position.key(), told) == told
        if move is not None:
            position = position.play(move)


@every_game
@bounded
@given(st.data())
def test_a_position_can_be_told_as_json(name: str, data: st.DataObject) -> None:
    position = data.draw(played(name)).position
    assert json.loads(json.dumps(position.facts())) == position.facts()
    assert json.loads(f'"{"".join(position.rows())}"') == "".join(position.rows())  # nothing there to be escaped
    assert len({position.mark(seat) for seat in range(1, position.game.seats + 1)}) == position.game.seats


@every_game
@bounded
@given(st.data())
def test_a_board_mirrored_or_turned_is_the_same_game(name: str, data: st.DataObject) -> None:
    moves, position = data.draw(played(name))
    for symmetry in symmetries(position.game):
        other = position.game.replay([symmetry.move(move) for move in moves])
        assert other.rows() == symmetry.rows(position.rows())
        assert other.to_move == position.to_move
        assert other.outcome() == position.outcome()
        expected: set[Move] = {symmetry.move(move) for move in position.moves()}
        assert set(other.moves()) == expected
