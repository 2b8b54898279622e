"""The meaning of agents' lines, and the exact text of the referee's lines."""

from __future__ import annotations

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.wire.lines import LineMeaning, check_teams, move_line, moves_in_history, parse_move_line, result_line

START = load("gomoku").start()
TEAMS = ("alpha", "al", "x")


def meaning(content: str, team: str = "x") -> LineMeaning:
    return parse_move_line(content.encode(), team, TEAMS, START).meaning


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Outcome.won_by(1, Reason.LINE, "5 in a row"), "END: A WINS!  B LOSES!  5 in a row!\n"),
        (Outcome.won_by(2, Reason.LINE, "5 in a row"), "END: B WINS!  A LOSES!  5 in a row!\n"),
        (Outcome.won_by(1, Reason.OUT_OF_TIME, "nothing"), "END: A WINS!  B LOSES!  out of time\n"),
        (Outcome.won_by(1, Reason.ILLEGAL_MOVE, "h8 …"), "END: A WINS!  B LOSES!  invalid move\n"),
        (Outcome.won_by(1, Reason.NOT_A_MOVE, "zz"), "END: A WINS!  B LOSES!  invalid move\n"),
        (Outcome.won_by(1, Reason.OUT_OF_TURN, "B"), "END: A WINS!  B LOSES!  out of order move\n"),
        (Outcome.won_by(1, Reason.CRASHED, "code 1"), "END: A WINS!  B LOSES!  crashed\n"),
        (Outcome.won_by(1, Reason.RESIGNED), "END: A WINS!  B LOSES!  resigned\n"),
        (Outcome.won_by(1, Reason.CAPTURES, "by 3 captures"), "END: A WINS!  B LOSES!  by 3 captures\n"),
        (Outcome.draw(Reason.BOARD_FULL, "board full"), "END: TIE! board full!\n"),
        (Outcome.draw(Reason.TWO_PASSES, "two passes"), "END: TIE! two passes\n"),
    ],
)
def test_result_lines_are_exact(outcome: Outcome, line: str) -> None:
    assert result_line(outcome, ("A", "B")) == line


def test_the_result_of_three_names_them_by_rank() -> None:
    outcome = Outcome((3, 1, 2), Reason.BOXES, "5 boxes to 3 to 1")
    assert result_line(outcome, ("A", "B", "C")) == "END: B WINS!  C LOSES!  A LOSES!  5 boxes to 3 to 1\n"


@pytest.mark.parametrize(("move", "line"), [("h8", "a h 8\n"), ("v12", "a v 12\n"), ("pass", "a pass\n")])
def test_the_referee_writes_lower_case_and_single_blanks(move: str, line: str) -> None:
    assert move_line("a", move) == line


@pytest.mark.parametrize("content", ["x h 8", "X H 8\n", " x  h8 ", "x h 8 further fields", "x h 8\r\nfurther lines"])
def test_complete_lines_are_moves(content: str) -> None:
    assert meaning(content) is LineMeaning.MOVE


@pytest.mark.parametrize("content", ["", "\n\n", "x", "X ", "x h", "x h\n", "x resig"])
def test_incomplete_lines_are_awaited(content: str) -> None:
    assert meaning(content) is LineMeaning.UNFINISHED


@pytest.mark.parametrize("content", ["x h 16", "x zz", "h 8", "y h 8", "x h 8x", "\0", "xx h 8", "x 8 h"])
def test_invalid_lines_are_not_moves(content: str) -> None:
    assert meaning(content) is LineMeaning.NO_MOVE


def test_a_team_name_can_be_the_prefix_of_another() -> None:
    assert meaning("al", "alpha") is LineMeaning.UNFINISHED
    assert meaning("al h 8", "alpha") is LineMeaning.OTHER_TEAM
    assert meaning("alpha h 8", "al") is LineMeaning.OTHER_TEAM


@pytest.mark.parametrize(
    ("content", "may_continue"),
    [("x h 1", True), ("x h 1\n", False), ("x h 2", False), ("x h 1 ,", False), ("x h1", True)],
)
def test_a_line_with_a_move_may_continue(content: str, may_continue: bool) -> None:
    line = parse_move_line(content.encode(), "x", TEAMS, START)
    assert (line.meaning, line.may_continue) == (LineMeaning.MOVE, may_continue)


def test_only_the_beginning_of_a_huge_text_is_read() -> None:
    assert parse_move_line(b"x h 8 " + b"y" * 10_000, "x", TEAMS, START).meaning is LineMeaning.MOVE
    assert parse_move_line(b"y" * 10_000, "x", TEAMS, START).meaning is LineMeaning.NO_MOVE


def test_a_history_is_read_up_to_its_last_whole_line() -> None:
    assert list(moves_in_history("a h 8\nb i 9\na j")) == [("a", "h 8"), ("b", "i 9")]


@pytest.mark.parametrize(
    "teams", [("a/b", "c"), ("", "c"), ("a b", "c"), ("..", "c"), ("é", "c"), ("a", "A"), ("a" * 41, "c")]
)
def test_names_that_cannot_be_files_or_are_alike_are_refused(teams: tuple[str, str]) -> None:
    with pytest.raises(UserError):
        check_teams(teams)
