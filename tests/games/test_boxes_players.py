"""Scores of Dots and Boxes with two or more players, and players who leave."""

from __future__ import annotations

import pytest

from gomogo_core.games.base import IllegalMove, Outcome, Reason
from gomogo_core.games.dots_and_boxes import Edge
from gomogo_core.wire.lines import result_line
from tests.games._boxes import final_position_with_owners, load_boxes_game, position_after, random_final_position


def test_equal_boxes_tie() -> None:
    position = position_after("h3 v4 v3 h2 v1 v0 h5 v5 h0 v2 h1 h4")
    assert position.outcome() == Outcome((1, 1), Reason.BOXES, "2 boxes to 2", (2, 2))


@pytest.mark.parametrize(
    ("owners", "players", "ranks", "detail", "line"),
    [
        ("xxxoo", 2, (1, 2), "3 boxes to 2", "END: A WINS!  B LOSES!  3 boxes to 2"),
        ("xxxxxo3oo", 3, (1, 2, 3), "5 boxes to 3 to 1", "END: A WINS!  B LOSES!  C LOSES!  5 boxes to 3 to 1"),
        ("33xoo3o3", 3, (3, 2, 1), "4 boxes to 3 to 1", "END: C WINS!  B LOSES!  A LOSES!  4 boxes to 3 to 1"),
        ("xx33o", 3, (1, 3, 1), "2 boxes to 2 to 1", "END: TIE! 2 boxes to 2 to 1"),
        ("xxxo3", 3, (1, 2, 2), "3 boxes to 1 to 1", "END: A WINS!  B LOSES!  C LOSES!  3 boxes to 1 to 1"),
        ("o", 2, (2, 1), "1 box to 0", "END: B WINS!  A LOSES!  1 box to 0"),
    ],
)
def test_ranks_follow_boxes_and_the_result_line_lists_them(
    owners: str, players: int, ranks: tuple[int, ...], detail: str, line: str
) -> None:
    position = final_position_with_owners(owners, players=players)
    outcome = position.outcome()
    assert outcome == Outcome(ranks, Reason.BOXES, detail, position.scores)
    assert position.scores == tuple(owners.count(mark) for mark in "xo3"[:players])
    assert result_line(outcome, "ABC"[:players]) == f"{line}\n"


def test_three_players_take_turns_and_a_box_still_moves_again() -> None:
    position = position_after("h0 h2 v0 v1", players=3)
    assert (position.to_move, position.scores) == (1, (1, 0, 0))
    position = position.play(Edge("h", 5)).play(Edge("h", 4))
    assert position.to_move == 3


def test_26_players_have_different_marks() -> None:
    game = load_boxes_game(rows=3, cols=4, players=26)
    position = game.start()
    for seat, edge in enumerate(game.edges[:12], 1):
        assert position.to_move == seat
        position = position.play(edge)
    assert game.seats == 26
    marks = {position.mark(seat) for seat in range(1, 27)}
    assert len(marks) == 26
    assert marks.isdisjoint("+-| ")
    assert marks == {mark.casefold() for mark in marks}
    assert [position.mark(seat) for seat in (1, 2)] == ["x", "o"]
    outcome = random_final_position(position).outcome()
    assert outcome is not None
    assert len(outcome.ranks) == 26


def test_a_departed_player_is_skipped_and_keeps_its_boxes() -> None:
    position = position_after("h0 h2 v0 v1 h5", players=4)
    assert (position.to_move, position.scores) == (1, (0, 0, 0, 1))
    withdrawn = position.withdraw(1)
    assert withdrawn.departed == {1}
    assert withdrawn.to_move == 2
    assert (withdrawn.drawn, withdrawn.owners, withdrawn.scores) == (position.drawn, position.owners, position.scores)
    after = withdrawn.play(Edge("h", 4)).play(Edge("h", 1)).play(Edge("v", 2))
    assert after.to_move == 2
    twice_withdrawn = withdrawn.withdraw(3)
    assert twice_withdrawn.to_move == 2
    assert twice_withdrawn.play(Edge("h", 4)).to_move == 4


def test_leaving_out_of_turn_does_not_change_the_turn() -> None:
    position = position_after("h0", players=3)
    assert position.withdraw(1).to_move == 2
    assert position.withdraw(3).play(Edge("h", 5)).to_move == 1


def test_a_departed_player_is_ranked_last() -> None:
    position = position_after("h0 h1 h2 h3 v0 v2 v1 v3", players=3)
    assert position.scores == (2, 0, 0)
    position = position.withdraw(1)
    for edge in map(position.game.parse, ("v4", "v5", "h4", "h5")):
        position = position.play(edge)
    assert position.outcome() == Outcome((3, 1, 2), Reason.BOXES, "2 boxes to 0", (2, 2, 0))


def test_withdrawals_of_two_players_or_absent_seats_are_refused() -> None:
    with pytest.raises(IllegalMove, match="dots_and_boxes ends when only one player is left"):
        position_after("h0").withdraw(1)
    withdrawn = position_after("h0", players=3).withdraw(2)
    with pytest.raises(IllegalMove, match="only one player"):
        withdrawn.withdraw(3)
    for seat in (2, 0, 4):
        with pytest.raises(IllegalMove, match=f"nobody plays in seat {seat}"):
            withdrawn.withdraw(seat)
