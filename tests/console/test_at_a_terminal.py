"""`gomogo play` and `human` as a person meets them: at a terminal, with colour, a live clock and Ctrl-C."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

import pexpect
import pytest

from tests.console.conftest import PlayFolder

pytestmark = pytest.mark.slow

SMALL = ("-o", "size=5", "-o", "line=3")


class TerminalSession:
    """A terminal with a command running at it."""

    def __init__(self, place: PlayFolder, arguments: tuple[str, ...], script: str, size: tuple[int, int]) -> None:
        words = place.words(*arguments, script=script)
        environment = {name: value for name, value in place.environment.items() if name != "COLUMNS"}
        self.child: pexpect.spawn[str] = pexpect.spawn(
            words[0], words[1:], cwd=str(place.folder), env=environment, encoding="utf-8", timeout=300, dimensions=size
        )

    def sees(self, words: str) -> str:
        """Wait until the words are on the screen; return the text before them."""
        self.child.expect_exact(words)
        assert isinstance(self.child.before, str)
        return self.child.before

    def says(self, *lines: str) -> None:
        """Type lines; those that are not asked for yet wait for their turn."""
        for line in lines:
            self.child.sendline(line)

    def presses(self, key: str) -> None:
        """Press Control and a key."""
        self.child.sendcontrol(key)

    def ends(self) -> int:
        """Wait for the end and return the exit code; `shown` is the text before it."""
        self.child.expect(pexpect.EOF)
        assert isinstance(self.child.before, str)
        self.shown = self.child.before
        self.child.close()
        assert self.child.exitstatus is not None
        return self.child.exitstatus


class Sits(Protocol):
    """Seats a person at a terminal with a command running."""

    def __call__(self, *arguments: str, script: str = "", size: tuple[int, int] = (24, 80)) -> TerminalSession: ...


@pytest.fixture
def sits(place: PlayFolder) -> Iterator[Sits]:
    seats: list[TerminalSession] = []

    def sit(*arguments: str, script: str = "", size: tuple[int, int] = (24, 80)) -> TerminalSession:
        seats.append(TerminalSession(place, arguments, script, size))
        return seats[-1]

    yield sit
    for seat in seats:
        seat.child.close(force=True)


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_person_wins_in_colour_with_a_running_clock(sits: Sits) -> None:
    seat = sits("play", "bot.py?wait=1.7", *SMALL)
    board = seat.sees("me to move")
    assert "\x1b[2m.\x1b[m" in board
    seat.sees("me (x)  0:00 > ")
    seat.sees("me (x)  0:01 > ")
    seat.says("a1")
    assert "[\x1b[1;31;7mx\x1b[m]" in seat.sees("is thinking 0.")  # the own stone stands while the answer takes long
    seat.child.expect(r"is thinking 1\.\d / 10 s")
    seat.sees("plays e5 (1.")
    seat.says("b2", "c3")
    assert "(\x1b[1;31;7mx\x1b[m)" in seat.sees("You won, after 5 moves: 3 in a row.")
    assert seat.ends() == 0


def test_no_color_disables_colour(sits: Sits, place: PlayFolder) -> None:
    seat = sits("play", "bot.py", "--no-color", *SMALL)
    seat.says("resign")
    assert "\x1b[" not in seat.sees("You lost, after 0 moves: you resigned.").replace("\x1b[K", "")
    assert seat.ends() == 0
    place.environment["NO_COLOR"] = "1"
    seat = sits("play", "bot.py", *SMALL)
    assert "\x1b[" not in seat.sees("me (x)  0:00 > ").replace("\x1b[K", "")


def test_ctrl_c_in_the_own_turn_asks_and_the_game_continues(sits: Sits) -> None:
    seat = sits("play", "bot.py", *SMALL)
    seat.sees(" > ")
    seat.presses("c")
    seat.sees("Leave the game? y = leave, s = save it and leave, Enter = go on > ")
    seat.says("", "a1", "b2", "c3")
    seat.sees("You won")
    assert seat.ends() == 0


def test_enter_before_the_question_was_shown_leaves_no_two_prompts_on_one_line(sits: Sits) -> None:
    seat = sits("play", "bot.py", *SMALL)
    seat.sees("me (x)  0:00 > ")
    seat.presses("c")
    seat.says("")
    seat.sees("Enter = go on > ")
    assert seat.sees("me (x)") == "\r\n"
    seat.says("a1", "b2", "c3")
    seat.sees("You won")
    assert seat.ends() == 0


def test_ctrl_c_while_an_agent_thinks_asks_and_the_game_continues(sits: Sits) -> None:
    seat = sits("play", "bot.py?wait=1.5", *SMALL)
    seat.says("a1")
    seat.sees("is thinking")
    seat.presses("c")
    seat.sees("Leave the game?")
    seat.says("")
    seat.sees("plays e5")
    seat.says("b2", "c3")
    seat.sees("You won, after 5 moves")
    assert seat.ends() == 0


def test_ctrl_c_can_save_and_leave_while_agents_are_watched(sits: Sits, place: PlayFolder) -> None:
    seat = sits("play", "bot.py?wait=1", "bot.py?wait=1", *SMALL)
    seat.sees("plays a5")
    seat.sees("is thinking")
    seat.presses("c")
    seat.sees("Leave the game?")
    seat.says("s")
    seat.sees("continues the game.")
    assert seat.ends() == 3
    assert len(list(place.folder.glob("gomoku-*.json"))) == 1


def test_a_second_ctrl_c_leaves_the_game(sits: Sits) -> None:
    seat = sits("play", "bot.py", *SMALL)
    seat.sees(" > ")
    seat.presses("c")
    seat.sees("Leave the game?")
    seat.presses("c")
    seat.sees("The game is not over and does not count yet.")
    assert seat.ends() == 3


def test_control_d_stops_cleanly(sits: Sits) -> None:
    seat = sits("play", "bot.py", *SMALL)
    seat.sees(" > ")
    seat.presses("d")
    seat.sees("The game is not over")
    assert seat.ends() == 3


def test_a_person_out_of_time_loses(sits: Sits) -> None:
    seat = sits("play", "bot.py", "--time", "me=0.5", *SMALL)
    seat.child.expect(r"me \(x\) 0\.\d / 0\.5 s > ")
    seat.says("zz")
    seat.sees("'zz' is not a move")
    seat.sees("Your time is over.")
    seat.sees("You lost, after 0 moves: you ran out of time (0.5")
    assert seat.ends() == 0


def test_input_typed_while_an_agent_thinks_is_kept(sits: Sits) -> None:
    seat = sits("play", "bot.py?wait=1", *SMALL)
    seat.says("a1")
    seat.sees("is thinking")
    seat.says("b2")
    seat.sees("is thinking")
    seat.sees("plays a5")
    seat.says("c3")
    seat.sees("You won")
    assert seat.ends() == 0


def test_a_hint_is_the_winning_move(sits: Sits) -> None:
    seat = sits("play", "bot.py", *SMALL)
    seat.says("a1", "b2", "hint")
    seat.sees("c3: ")
    seat.says("quit")
    assert seat.ends() == 0


@pytest.mark.parametrize(("size", "columns"), [(5, 30), (15, 40), (26, 80), (26, 40), (26, 120)])
def test_no_line_is_longer_than_the_terminal(sits: Sits, size: int, columns: int) -> None:
    seat = sits("play", "bot.py", "-o", f"size={size}", "--no-color", size=(24, columns))
    screen_text = seat.sees("to move")
    drawn_lines = re.split(
        r"[\r\n]+", re.sub(r"\x1b[78]|\x1b\[K", "", screen_text)
    )  # a line that waits is drawn again and again
    assert max(map(len, drawn_lines)) <= columns
    assert screen_text.count("a b c d e") == 2 or screen_text.count("abcde") == 2


def test_a_human_plays_under_gametest(sits: Sits) -> None:
    seat = sits("human", "bot.py", "--order", "given", *SMALL, script="gameTest.py")
    seat.child.expect(r"human \(x\)  0\.\d / 10 s > ")
    seat.says("undo", "save", "a1", "b2")
    seat.sees("The referee keeps every move of this game.")
    seat.sees("A referee keeps this game: it writes the record itself.")
    seat.sees("last a5")
    seat.says("c3")
    assert seat.ends() == 0
    assert "END: human WINS!  bot LOSES!  3 in a row!" in seat.shown
    assert "(\x1b[1;31;7mx\x1b[m)" in seat.shown  # the last board, by the person's process as it leaves


def test_two_humans_share_a_terminal_under_gametest(sits: Sits) -> None:
    seat = sits("human", "human", "--order", "given", *SMALL, script="gameTest.py")
    for name, move in zip(["human (x)", "human-2 (o)"] * 3, ["a1", "a2", "b2", "b1", "c3"], strict=False):
        seat.sees(f"{name}  0.")
        seat.says(move)
    seat.sees("END: human WINS!")
    assert seat.ends() == 0


def test_a_human_out_of_time_under_gametest_loses(sits: Sits) -> None:
    seat = sits("human", "bot.py", "--order", "given", "--time", "human=0.4", *SMALL, script="gameTest.py")
    seat.sees("Your time is over.")
    seat.sees("END: bot WINS!  human LOSES!  out of time")
    assert seat.ends() == 0


def test_ctrl_c_under_gametest_interrupts_the_game(sits: Sits) -> None:
    seat = sits("human", "bot.py", "--order", "given", *SMALL, script="gameTest.py")
    seat.sees(" > ")
    seat.presses("c")
    assert seat.ends() == 3


def test_a_human_that_leaves_a_referee_loses(sits: Sits) -> None:
    seat = sits("human", "bot.py", "--order", "given", *SMALL, script="gameTest.py")
    seat.sees(" > ")
    seat.says("quit")
    seat.sees("You left: the referee counts the game as lost.")
    seat.sees("END: bot WINS!  human LOSES!  resigned")
    assert seat.ends() == 0


def test_the_human_agent_plays_beside_a_referee_started_by_hand(sits: Sits) -> None:
    person = sits("T", script="agents/human.py")
    person.sees("Waiting for your turn. Ctrl-C leaves.")
    referee = sits("T", "U", "--order", "given", "--quiet", *SMALL, script="referee.py")
    agent = sits("bot.py", "U", script="gomogo_core.agent")
    person.sees("T (x)  0.")
    person.presses("c")
    person.sees("Leave the game? y = leave, Enter = go on > ")
    person.says("", "a1", "b2", "c3")
    person.sees("last c3")
    person.sees("END: T WINS!  U LOSES!  3 in a row!")
    assert [seat.ends() for seat in (person, agent, referee)] == [0, 0, 0]
