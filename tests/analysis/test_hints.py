"""Hints for a human: a move, and a sentence about its effect.

Knows no method of search.
"""

from __future__ import annotations

import pytest

from gomogo_core import games
from gomogo_core.analysis.explainers import Hint, explainer_of
from gomogo_core.games.base import Move, Position
from gomogo_core.search import SearchLimits, iterative_deepening, node_of
from gomogo_core.search.evaluation import clear_lead_of
from gomogo_core.search.node import CERTAIN_THRESHOLD
from gomogo_core.search.result import PositionAnalysis, ScoredLine
from tests.games.doubles import take_away
from tests.search._positions import gomoku_position_after, position_with_stones
from tests.search.test_methods import TickingClock


def reason_for(position: Position, move: Move) -> str:
    return explainer_of(position.game).hint(position, move, 0.0, 1.0).reason


def hint(position: Position, seconds: float, clock_time: TickingClock) -> Hint:
    result = iterative_deepening.search(position, SearchLimits(stop_at=clock_time() + seconds, now=clock_time))
    return explainer_of(position.game).hint(position, result.move, result.value, clear_lead_of(position.game.name))


@pytest.mark.parametrize(
    ("mine", "opponent_stones", "move", "reason"),
    [
        ("f8 g8 h8 i8", "e8", "j8", "makes five in a row; this wins"),
        ("e8", "f8 g8 h8 i8", "j8", "blocks a four; your chance to win is about "),
        ("f8 g8 h8 i5 i6 i7", "e8 i4", "i8", "makes two fours; this wins"),
        ("e8 h5 h6 h7", "h4 f8 g8 i8 j8", "h8", "blocks a four and makes a four"),
        ("", "f8 g8 h8 i8", "e8", "blocks one of several ways to make five; the game is lost against perfect play"),
    ],
)
def test_a_hint_describes_the_effect_of_its_move(mine: str, opponent_stones: str, move: str, reason: str) -> None:
    hint_result = hint(position_with_stones(mine, opponent_stones), 1.0, clock_time=TickingClock(0.001))
    assert str(hint_result.move) == move
    assert hint_result.reason.startswith(reason)


def test_a_hint_names_an_open_four() -> None:
    hint_result = hint(position_with_stones("g8 h8 i8", ""), 1.0, clock_time=TickingClock(0.001))
    assert hint_result.reason == "makes an open four; this wins"


@pytest.mark.parametrize(
    ("mine", "opponent_stones", "move", "reason"),
    [
        ("g8 h8", "", "i8", "makes an open three"),
        ("", "g8 h8 i8", "f8", "blocks an open three"),
        ("f8 g8 h8", "e8", "i8", "makes a four"),
        ("g8 h8 i8", "", "c3", None),  # the open three was there before
        ("f8 h8 i8 l8", "", "j8", "makes two fours"),
        ("g8 h8 i6 i7", "", "i8", "makes two open threes"),
        ("f8 g8 i6 i7 i9", "e8 i5", "h8", "threatens two fours"),
        ("g8", "", "m3", None),
    ],
)
def test_a_stone_is_described_by_the_rows_it_makes_and_prevents(
    mine: str, opponent_stones: str, move: str, reason: str | None
) -> None:
    position = position_with_stones(mine, opponent_stones)
    assert node_of(position).describe_move(position.game.board.parse(move)) == reason


def test_hints_name_longer_rows() -> None:
    assert node_of(position_with_stones("f8 g8 h8 i8 j8", "e8", line=6)).describe_move(
        position_with_stones("a1", "", line=6).game.board.parse("k8")
    ) == ("makes six in a row")


@pytest.mark.parametrize("name", games.names())
def test_every_hint_has_a_reason_and_a_chance_to_win(name: str) -> None:
    position = games.load(name).start()
    move = next(iter(position.moves()))
    reason = reason_for(position, move)
    effect, _, win_chance_text = reason.partition("; ")
    assert effect
    assert win_chance_text == "your chance to win is about 50 %"


def test_a_hint_in_a_game_without_descriptions_of_moves_has_a_chance_to_win() -> None:
    position = take_away.GAME().start()
    reason = reason_for(position, next(iter(position.moves())))
    assert reason == "your chance to win is about 50 %"


def test_a_hint_near_the_beginning_names_rows_and_other_stones() -> None:
    position = gomoku_position_after("h8 f7")
    hints = [
        explainer_of(position.game).hint(position, position.game.parse(move), 0.0, 1.0).reason for move in ("g7", "e12")
    ]
    assert hints[0].startswith("makes an open two with h8; ")
    assert hints[1] == "your chance to win is about 50 %", "the distance from the other stones is no reason"
    position = gomoku_position_after("h8 a1 g8 a3 h9 a5")
    hints = [
        explainer_of(position.game).hint(position, position.game.parse(move), 0.0, 1.0).reason for move in ("i9", "i8")
    ]
    assert hints[0].startswith("makes two open twos with h9 and h8; ")
    assert hints[1].startswith("makes an open three; ")


def test_hints_explain_opening_choices() -> None:
    move, reason = hint(gomoku_position_after("h8 a1 h9", opening="swap"), 0.5, clock_time=TickingClock(0.001))
    assert getattr(move, "value", None) == "swap"
    assert reason.startswith("takes the colour with the better position; your chance to win is about ")
    move, reason = hint(gomoku_position_after("h8", opening="takeover"), 0.5, clock_time=TickingClock(0.001))
    assert reason.startswith("takes the first stone over")


def test_a_finished_game_has_no_hint() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        hint(gomoku_position_after("h8 a1 h9 a3 h7 a5 h6 a7 h5"), 1.0, clock_time=TickingClock(0.001))


@pytest.mark.parametrize(("nodes", "move"), [(2_000, "f5"), (2_000_000, "b5")])
def test_a_hint_in_go_saves_stones_unless_another_move_is_known_to_be_better(nodes: int, move: str) -> None:
    position = games.load("go", size=9, komi=7.5).replay(["h4", "e5", "d5", "g6", "e4", "d7", "e6"])
    values = {position.game.parse(text): value for text, value in (("b5", 0.13), ("f5", 0.09))}
    best = next(iter(values))
    analysis = PositionAnalysis((ScoredLine(0.13, (best,)),), 4, nodes, 1.0, values)
    found = explainer_of(position.game).hint(position, best, 0.13, 1.0, analysis)
    assert position.game.format(found.move) == move
    assert ("saves your stone at e5 from atari" in found.reason) == (move == "f5")


@pytest.mark.parametrize(("value", "has_warning"), [(CERTAIN_THRESHOLD + 1, False), (0.0, True)])
def test_a_hint_that_wins_names_no_stone_in_atari(value: float, has_warning: bool) -> None:
    moves = "e5 e7 d5 f5 d4 h7 e4 g7 d7 i7 f7 f6 d6 d2"
    position = games.load("robogo", size=9).replay(moves.split())
    reason = explainer_of(position.game).hint(position, position.game.parse("d3"), value, 1.0).reason
    assert ("f7 is in atari" in reason) == has_warning
