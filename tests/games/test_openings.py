"""Gomoku's openings: takeover, swap and swap2; turns, colours, and legal actions.

Leaves out winning rows.
"""

from __future__ import annotations

from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.base import IllegalMove, NotAMove, Reason
from gomogo_core.games.gomoku import Choice, GomokuPosition


def position_after(moves: str, opening: str, **options: Any) -> GomokuPosition:
    position = load("gomoku", opening=opening, **options).replay(moves.split())
    assert isinstance(position, GomokuPosition)
    return position


def turns(moves: str, opening: str) -> list[int]:
    """Return the players to move before the first of `moves`, before the second, …, and after the last."""
    words = moves.split()
    return [position_after(" ".join(words[:n]), opening).to_move for n in range(len(words) + 1)]


def winner(moves: str, opening: str) -> int | None:
    outcome = position_after(moves, opening).outcome()
    assert outcome is not None
    assert outcome.reason is Reason.LINE
    return outcome.winner


# Take-over


def test_the_second_player_can_take_over_the_first_stone() -> None:
    position = position_after("h8", "takeover")
    h8 = position.game.parse("h8")
    assert position.why_illegal(h8) is None
    assert list(position.moves()).count(h8) == 1
    assert len(list(position.moves())) == 225


def test_a_stone_taken_over_changes_owner_and_the_first_player_moves_next() -> None:
    taken_over = position_after("h8 h8", "takeover")
    assert taken_over.at(taken_over.game.board.points[112]) == 2
    assert taken_over.to_move == 1
    assert taken_over.seat_of(1) == 2
    assert (taken_over.mark(1), taken_over.mark(2)) == ("o", "x")
    assert taken_over.stones == 1
    assert taken_over.outcome() is None
    assert turns("h8 h8 a1 b2 c3", "takeover") == [1, 2, 1, 2, 1, 2]


def test_without_a_takeover_the_game_continues_normally() -> None:
    position = position_after("h8 h9", "takeover")
    assert position.at(position.game.board.points[112]) == 1
    assert turns("h8 h9 a1", "takeover") == [1, 2, 1, 2]


@pytest.mark.parametrize(
    ("moves", "move", "problem"),
    [
        ("h8 h8", "h8", "h8 is occupied by black (the first stone may be taken at the second move only)"),
        ("h8 h9", "h8", "h8 is occupied by black (the first stone may be taken at the second move only)"),
        ("h8 h9", "h9", "h9 is occupied by white (the first stone may be taken at the second move only)"),
        ("h8 h9 a1", "a1", "a1 is occupied by black (the first stone may be taken at the second move only)"),
    ],
)
def test_a_stone_is_taken_over_at_the_second_move_only(moves: str, move: str, problem: str) -> None:
    position = position_after(moves, "takeover")
    assert position.why_illegal(position.game.parse(move)) == problem
    assert position.game.parse(move) not in list(position.moves())


@pytest.mark.parametrize("opening", ["none", "swap", "swap2"])
def test_only_takeover_lets_a_stone_be_taken_over(opening: str) -> None:
    position = position_after("h8", opening)
    assert position.why_illegal(position.game.parse("h8")) == "h8 is occupied by black"


def test_rows_with_a_taken_over_stone_belong_to_the_new_owner() -> None:
    assert winner("h8 h8 a1 i8 a3 j8 a5 k8 a7 l8", "takeover") == 2  # the stone taken over is one of the five
    assert winner("h8 h8 a1 c3 b1 c5 c1 c7 d1 c9 e1", "takeover") == 1


def test_a_diagram_remembers_whether_the_first_stone_was_taken_over() -> None:
    for moves in ("h8", "h8 h8"):
        position = position_after(moves, "takeover")
        copy = position.game.from_diagram(position.diagram())
        assert copy == position
        assert list(copy.moves()) == list(position.moves())


def test_a_lone_stone_in_a_diagram_can_be_taken_over() -> None:
    position = position_after("h8", "takeover")
    copy = position.game.from_diagram("\n".join(position.rows()))
    assert copy == position
    assert list(copy.moves()) == list(position.moves())


# Swap: the first player lays three stones, the second chooses a colour


def test_the_first_player_of_swap_places_three_stones_of_both_colours() -> None:
    assert turns("h8 h9 h10", "swap") == [1, 1, 1, 2]
    laid = position_after("h8 h9 h10", "swap")
    assert [row[7] for row in laid.rows()[7:10]] == ["x", "o", "x"]


def test_the_second_player_of_swap_can_only_swap_or_stay() -> None:
    laid = position_after("h8 h9 h10", "swap")
    assert list(laid.moves()) == [Choice.SWAP, Choice.STAY]
    assert laid.why_illegal(Choice.SWAP) is None
    assert laid.why_illegal(Choice.PLACE) == "now choose: swap or stay"
    assert laid.why_illegal(laid.game.parse("a1")) == "now choose: swap or stay"


def test_after_swap_the_first_player_places_the_next_white_stone() -> None:
    assert turns("h8 h9 h10 swap a1 a2", "swap") == [1, 1, 1, 2, 1, 2, 1]
    position = position_after("h8 h9 h10 swap", "swap")
    assert [position.at(position.game.board.points[n]) for n in (112, 127, 142)] == [2, 1, 2]


def test_after_stay_the_second_player_places_the_next_white_stone() -> None:
    assert turns("h8 h9 h10 stay a1 a2", "swap") == [1, 1, 1, 2, 2, 1, 2]
    position = position_after("h8 h9 h10 stay", "swap")
    assert [position.at(position.game.board.points[n]) for n in (112, 127, 142)] == [1, 2, 1]


@pytest.mark.parametrize(("choice", "black"), [("stay", 1), ("swap", 2)])
def test_a_row_in_swap_wins_for_the_seat_of_its_colour(choice: str, black: int) -> None:
    black_wins = f"h8 a1 i8 {choice} a3 j8 a5 k8 a7 l8"
    white_wins = f"h8 a1 i8 {choice} b1 j8 c1 o5 d1 o7 e1"
    assert winner(black_wins, "swap") == black
    assert winner(white_wins, "swap") == 3 - black


# Swap2: the second player may also lay two more stones, and then the first player chooses


def test_the_second_player_of_swap2_can_swap_stay_or_place() -> None:
    laid = position_after("h8 h9 h10", "swap2")
    assert laid.to_move == 2
    assert list(laid.moves()) == [Choice.SWAP, Choice.STAY, Choice.PLACE]
    assert laid.why_illegal(laid.game.parse("a1")) == "now choose: swap, stay or place"


def test_after_place_two_more_stones_follow_and_the_first_player_chooses() -> None:
    assert turns("h8 h9 h10 place a1 a2", "swap2") == [1, 1, 1, 2, 2, 2, 1]
    laid = position_after("h8 h9 h10 place a1 a2", "swap2")
    assert [laid.rows()[0][0], laid.rows()[1][0]] == ["o", "x"]
    assert list(laid.moves()) == [Choice.SWAP, Choice.STAY]
    assert laid.why_illegal(Choice.PLACE) == "now choose: swap or stay"
    assert laid.why_illegal(laid.game.parse("a1")) == "now choose: swap or stay"


def test_choices_are_illegal_while_stones_are_placed() -> None:
    for moves in ("", "h8", "h8 h9", "h8 h9 h10 place", "h8 h9 h10 place a1", "h8 h9 h10 stay", "h8 h9 h10 swap a1"):
        position = position_after(moves, "swap2")
        assert position.why_illegal(Choice.SWAP) == "swap: there is nothing to choose now, place a stone"
        with pytest.raises(IllegalMove):
            position.play(Choice.PLACE)


@pytest.mark.parametrize(
    ("choices", "after", "black"),
    [
        ("swap", [1, 2], 2),
        ("stay", [2, 1], 1),
        ("place a1 a15 swap", [1, 2], 2),  # the first player has swapped to white: the next stone is white's
        ("place a1 a15 stay", [2, 1], 1),
    ],
)
def test_every_branch_of_swap2_ends_with_the_right_colours_and_turn(choices: str, after: list[int], black: int) -> None:
    moves = f"h8 h9 h10 {choices} o1"
    assert turns(moves, "swap2")[-2:] == after
    assert position_after(moves, "swap2").black == black


@pytest.mark.parametrize(
    ("choices", "black"), [("swap a3", 2), ("stay a3", 1), ("place a3 o1 swap a5", 2), ("place a3 o1 stay a5", 1)]
)
def test_a_row_in_swap2_wins_for_the_seat_of_its_colour(choices: str, black: int) -> None:
    assert winner(f"h8 a1 i8 {choices} j8 a7 k8 a9 l8", "swap2") == black
    assert winner(f"h8 a1 i8 {choices} o15 b1 n13 c1 o11 d1 n9 e1", "swap2") == 3 - black


@pytest.mark.parametrize(
    "moves",
    [
        "",
        "h8",
        "h8 h9 h10",
        "h8 h9 h10 swap",
        "h8 h9 h10 stay a1",
        "h8 h9 h10 place",
        "h8 h9 h10 place a1",
        "h8 h9 h10 place a1 a2",
        "h8 h9 h10 place a1 a2 swap",
    ],
)
def test_a_diagram_keeps_the_phase_of_the_opening(moves: str) -> None:
    position = position_after(moves, "swap2")
    copy = position.game.from_diagram(position.diagram())
    assert copy == position
    assert (copy.to_move, list(copy.moves())) == (position.to_move, list(position.moves()))


@pytest.mark.parametrize("word", ["swap", "SWAP", " Stay ", "place"])
def test_a_choice_is_parsed_from_its_word(word: str) -> None:
    swap2 = load("gomoku", opening="swap2")
    assert swap2.parse(word) == Choice(word.strip().casefold())
    assert swap2.format(Choice(word.strip().casefold())) == word.strip().casefold()
    for opening in ("none", "takeover"):
        with pytest.raises(NotAMove):
            load("gomoku", opening=opening).parse(word)


def test_the_task_of_an_opening_is_described() -> None:
    swap2 = load("gomoku", opening="swap2")
    assert "place three stones" in swap2.start().describe_task()
    assert swap2.start().describe_task().endswith("Now black.")
    assert swap2.replay(["h8"]).describe_task().endswith("Now white.")
    assert "two more stones" in swap2.replay(["h8", "h9", "i9", "place"]).describe_task()
    chooses = swap2.replay(["h8", "h9", "i9"])
    assert "swap: you take black; stay: you keep white; place: you place two more" in chooses.describe_task()
    last_position = swap2.replay(["h8", "h9", "i9", "place", "a1", "a2"])
    assert "swap: you take white; stay: you keep black. The next stone is white." in last_position.describe_task()
    assert swap2.replay(["h8", "h9", "i9", "stay"]).describe_task() == ""
    taken_over = load("gomoku", opening="takeover")
    assert "play at h8" in taken_over.replay(["h8"]).describe_task()
    assert taken_over.replay(["h8", "h8"]).describe_task() == ""
