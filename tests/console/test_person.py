"""A person's turn ends only by a legal move, `resign`, the end of the time, or leaving, whatever is typed."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from gomogo_core.cancellation import GameCancelled
from gomogo_core.drawing.text import picture
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Move, Outcome, Position, Reason, Seat
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.play.events import Ended, Event, GameSetup, Ply
from gomogo_core.play.game_loop import play_game
from gomogo_core.play.player import Failure, Player, Reply, Turn
from gomogo_core.session._dialogue import COMMANDS
from gomogo_core.session.actions import Action, SeatInfo
from gomogo_core.session.game_session import GameSession
from gomogo_core.session.referee import MovesTakenBack, Referee
from gomogo_core.session.terminal import Console, HumanLeft, Terminal, TerminalPlayer


class Script:
    """A player of our own process that plays the moves it was given."""

    name = "script"

    def __init__(self, *moves: str) -> None:
        self.moves = list(moves)

    def start(self, table: GameSetup, seat: Seat) -> None: ...

    def await_ready(self) -> Failure | None: ...

    def await_move(self, turn: Turn) -> Reply | Failure:
        return Reply(self.moves.pop(0), 0.0)

    def notify_move(self, ply: Ply) -> None: ...

    def exit_failure(self) -> Failure | None: ...

    def exit_fd(self) -> int | None: ...

    def finish(self, outcome: Outcome) -> None: ...


class ConsoleGame:
    """Play a game against a Script with the person's lines given in advance; return the output."""

    def __init__(self, typed: str, *answers: str, control: TimeControl = NO_LIMIT, **options: Any) -> None:
        self.game = load(options.pop("game", "gomoku"), **options)
        self.answers, self.control = answers, control
        self.out, self.saved, self.ended = io.StringIO(), list[tuple[Sequence[Ply], str]](), list[Ended]()
        self.reader, self.writer = os.pipe()
        os.write(self.writer, typed.encode())

    def save(self, session: GameSession, file: str) -> str:
        if "/" in file:
            raise UserError("There is no such folder.", "Name another.")
        self.saved.append((session.plies, file))
        return "Saved."

    def terminal(self, source: io.TextIOWrapper, *names: str, opening: Sequence[Ply] = (), **without: Any) -> Terminal:
        """The terminal of a session of these players; those with the name "script" are programs."""
        seat_infos = [
            SeatInfo(name, "x") if name == "script" else SeatInfo(name, "human", visitor="me")
            for name in names or ("me", "script")
        ]
        actions = [Action(ply.seat, ply.move, 0.0) for ply in opening]
        self.session = session = GameSession(
            self.game, tuple(seat_infos), actions=actions, why_no_undo=without.pop("no_undo", "")
        )
        return Terminal(Console(source, self.out), picture, session, "me", **{"save": self.save, **without})

    def play(self, *names: str, opening: Sequence[Ply] = (), **without: Any) -> Outcome:
        with self.closing() as source:
            terminal = self.terminal(source, *names, opening=opening, **without)
            table = GameSetup(self.game, terminal.session.names, (self.control, NO_LIMIT), tuple(opening))
            players: list[Player] = [
                TerminalPlayer(seat_info.name, terminal) if seat_info.is_human else Script(*self.answers)
                for seat_info in terminal.session.seat_infos
            ]
            return play_game(table, players, [Referee(terminal.session).on_event, self.note])

    @contextmanager
    def closing(self) -> Iterator[io.TextIOWrapper]:
        with os.fdopen(self.reader, encoding="utf-8") as source:
            try:
                yield source
            finally:
                self.end_input()

    def end_input(self) -> None:
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def note(self, event: Event) -> None:
        if isinstance(event, Ended):
            self.ended.append(event)

    @property
    def stay(self) -> int:
        """The moves that are left."""
        return len(self.session.actions)

    @property
    def seen(self) -> str:
        return self.out.getvalue()

    @property
    def stones(self) -> int:
        return sum(row.count("x") + row.count("o") for row in self.ended[-1].position.rows())


def test_a_person_plays_a_game_to_its_end() -> None:
    console_game = ConsoleGame("h8\nH 9\n8,10\nh11\nh12\n", "a1", "a2", "a3", "a4")
    assert console_game.play().winner == 1
    assert console_game.seen.count("me to move") == 5


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("hh8", "'hh8' is not a move: write a column letter, then a row, like h8."),
        ("z3", "'z3' is not a move: columns are a to o."),
        ("h16", "rows are 1 to 15"),
        ("a1", "No: a1 is occupied by white."),
        ("undoo", "Did you mean undo?"),
        ("undo h8", "'undo h8' is not a move"),
        ("\x1b[A", r"'\x1b[A' is not a move"),
        ("ü" * 5000, "is not a move"),
        ("", "me (x) > \nme (x) > "),
        ("   ", "me (x) >    \nme (x) > "),
    ],
)
def test_an_invalid_input_is_explained_and_costs_nothing(typed: str, words: str) -> None:
    console_game = ConsoleGame(f"h8\n{typed}\nresign\n", "a1")
    assert console_game.play().reason is Reason.RESIGNED
    assert words in console_game.seen
    assert console_game.stones == 2


def test_a_misspelled_move_that_is_a_word_is_suggested() -> None:
    console_game = ConsoleGame("pas\nresign\n", "a1", game="go", size=5)
    console_game.play()
    assert "Did you mean pass?" in console_game.seen


def test_the_help_describes_each_command() -> None:
    console_game = ConsoleGame("help\n?\nresign\n")
    console_game.play()
    for command in COMMANDS:
        assert console_game.seen.count(command.summary) == 2
    assert console_game.seen.count("Type a column letter and a row, like h8.") == 2


def test_resigning_loses() -> None:
    outcome = ConsoleGame("RESIGN\n").play()
    assert (outcome.winner, outcome.reason) == (2, Reason.RESIGNED)


def test_the_end_of_input_stops_without_resigning() -> None:
    console_game = ConsoleGame("h8\n", "a1")
    console_game.end_input()
    with pytest.raises(HumanLeft) as leaving:
        console_game.play()
    assert leaving.value.by_interrupt
    assert console_game.ended[-1].outcome.reason is Reason.INTERRUPTED


def test_a_last_line_without_a_newline_counts() -> None:
    console_game = ConsoleGame("resign")
    console_game.end_input()
    assert console_game.play().reason is Reason.RESIGNED


def test_quit_leaves() -> None:
    with pytest.raises(HumanLeft) as leaving:
        ConsoleGame("quit\n").play()
    assert not leaving.value.by_interrupt


def test_undo_takes_back_the_own_move() -> None:
    console_game = ConsoleGame("h8\nh9\nundo\n", "a1", "a2")
    with pytest.raises(MovesTakenBack):
        console_game.play()
    assert console_game.stay == 2


def test_undo_before_the_first_own_move_is_refused() -> None:
    console_game = ConsoleGame("undo\nresign\n")
    assert console_game.play().reason is Reason.RESIGNED
    assert "You have no move to take back." in console_game.seen


def test_undo_gives_the_reason_when_impossible() -> None:
    console_game = ConsoleGame("h8\nundo\nresign\n", "a1")
    console_game.play(no_undo="The referee keeps what was played.")
    assert "The referee keeps what was played." in console_game.seen


def test_undo_includes_moves_of_the_opening() -> None:
    console_game = ConsoleGame("undo\n")
    with pytest.raises(MovesTakenBack):
        console_game.play(opening=[Ply(1, "h8"), Ply(2, "a1")])
    assert console_game.stay == 0


def test_save_receives_the_moves_and_the_name() -> None:
    console_game = ConsoleGame("h8\nsave my game.json\nsave\nresign\n", "a1")
    console_game.play()
    moves = (Ply(1, "h8"), Ply(2, "a1"))
    assert console_game.saved == [(moves, "my game.json"), (moves, "")]
    assert console_game.seen.count("Saved.") == 2


def test_a_failed_save_is_reported_and_the_game_continues() -> None:
    console_game = ConsoleGame("save no/where\nresign\n")
    assert console_game.play().reason is Reason.RESIGNED
    assert "There is no such folder.\nName another." in console_game.seen


def test_save_gives_the_reason_when_impossible() -> None:
    console_game = ConsoleGame("save\nresign\n")
    console_game.play(save=None, why_no_save="The referee keeps the record.")
    assert "The referee keeps the record." in console_game.seen


def test_a_hint_names_a_move_without_playing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    times = list[float]()

    def hint(position: Position, seconds: float) -> tuple[Move, str]:
        times.append(seconds)
        return position.game.parse("h8"), "the middle"

    monkeypatch.setattr("gomogo_core.session.advice.hint", hint)
    console_game = ConsoleGame("hint\nresign\n", control=TimeControl(4.0))
    console_game.play()
    assert "h8: the middle." in console_game.seen
    assert console_game.stones == 0
    assert 0 < times[0] <= 1.02  # a quarter of the time left, grace included


@pytest.mark.parametrize(("answer", "ends"), [("n", Reason.RESIGNED), ("", Reason.RESIGNED), ("y", Reason.FORBIDDEN)])
def test_a_forbidden_move_is_warned_of_first(answer: str, ends: Reason) -> None:
    laid = [Ply(n % 2 + 1, move) for n, move in enumerate(["h8", "a1", "h9", "c1", "g10", "e1", "i10", "g1"])]
    console_game = ConsoleGame(f"h10\n{answer}\nresign\n", renju=True)
    assert console_game.play(opening=laid).reason is ends
    assert "h10 is forbidden to black (double three): it loses at once." in console_game.seen


def test_opening_choices_are_listed_and_accepted() -> None:
    console_game = ConsoleGame("\n".join(["h8", "h9", "h10", "resign", ""]), "swap", "a1", opening="swap")
    assert console_game.play().reason is Reason.RESIGNED
    console_game = ConsoleGame("swp\nstay\nresign\n", "h8", "h9", "h10", "a1", opening="swap")
    console_game.play("script", "me")
    assert "You may play swap or stay." in console_game.seen
    assert "'swp' is not a move" in console_game.seen


def test_two_people_share_the_terminal_in_turn() -> None:
    console_game = ConsoleGame("h8\na1\nh9\na1\na2\nundo\n")
    with pytest.raises(MovesTakenBack):
        console_game.play("ann", "bo")
    assert console_game.stay == 3  # only the last move is taken back: a person made it
    assert [line.split(" > ")[0] for line in console_game.seen.splitlines() if " > " in line] == [
        "ann (x)", "bo (o)", "ann (x)", "bo (o)", "bo (o)", "ann (x)"
    ]  # fmt: skip


def test_a_person_out_of_time_loses_during_the_prompt() -> None:
    console_game = ConsoleGame("h", control=TimeControl(0.1))
    started = time.monotonic()
    outcome = console_game.play()
    assert (outcome.winner, outcome.reason) == (2, Reason.OUT_OF_TIME)
    assert time.monotonic() - started >= 0.1
    assert "Your time is over." in console_game.seen


def test_time_continues_during_invalid_input() -> None:
    console_game = ConsoleGame("zz\n" * 50, control=TimeControl(0.2))
    assert console_game.play().reason is Reason.OUT_OF_TIME


def test_a_refused_move_is_reported_to_the_person() -> None:
    console_game = ConsoleGame("resign\n")
    with console_game.closing() as source:
        person = TerminalPlayer("me", console_game.terminal(source))
        reply = person.await_move(
            Turn(console_game.game.start(), None, [], 1e9, 0.05, (None, None), refusal="h8 is occupied")
        )
    assert isinstance(reply, Reply)
    assert "Refused: h8 is occupied." in console_game.seen


class AnswerLines:
    """Answers given one by one; KeyboardInterrupt among them stands for Ctrl-C."""

    def __init__(self, *answers: str | type[BaseException]) -> None:
        self.answers = list(answers)

    def next_line(self, seconds: float) -> str | None:
        answer = self.answers.pop(0)
        if not isinstance(answer, str):
            raise answer
        return answer

    def drop_unfinished_line(self) -> None: ...


def interrupted(
    *answers: str | type[BaseException], **without: Any
) -> tuple[ConsoleGame, Reply | Failure | GameCancelled]:
    console_game = ConsoleGame("")
    with console_game.closing() as source:
        terminal = console_game.terminal(source, **without)
        assert isinstance(terminal.console, Console)
        terminal.console._line_source = AnswerLines(*answers)
        person = TerminalPlayer("me", terminal)
        try:
            return console_game, person.await_move(Turn(console_game.game.start(), None, [], 1e9, 0.05, (None, None)))
        except GameCancelled as stopped:
            return console_game, stopped


def test_ctrl_c_asks_and_the_game_can_continue() -> None:
    console_game, reply = interrupted(KeyboardInterrupt, "", KeyboardInterrupt, "n", "h8")
    assert isinstance(reply, Reply)
    assert reply.text == "h8"
    assert console_game.seen.count("Leave the game? y = leave, s = save it and leave, Enter = go on > ") == 2


@pytest.mark.parametrize("answer", ["y", "YES", KeyboardInterrupt, EOFError])
def test_ctrl_c_and_yes_or_again_leaves(answer: str | type[BaseException]) -> None:
    console_game, leaving = interrupted(KeyboardInterrupt, answer)
    assert isinstance(leaving, HumanLeft)
    assert leaving.by_interrupt
    assert not console_game.saved


def test_ctrl_c_can_save_and_leave() -> None:
    console_game, leaving = interrupted(KeyboardInterrupt, "s")
    assert isinstance(leaving, HumanLeft)
    assert console_game.saved == [((), "")]


def test_ctrl_c_leaves_at_once_beside_a_referee() -> None:
    console_game, leaving = interrupted(KeyboardInterrupt, asks_before_leaving=False)
    assert isinstance(leaving, HumanLeft)
    assert "Leave" not in console_game.seen


def test_ctrl_c_gives_the_reason_when_saving_is_impossible() -> None:
    console_game, reply = interrupted(KeyboardInterrupt, "s", "h8", save=None, why_no_save="No.")
    assert isinstance(reply, Reply)
    assert "s = save" not in console_game.seen


def test_a_pipe_gets_no_escape_sequence() -> None:
    console_game = ConsoleGame("h8\nhelp\nresign\n", "a1")
    console_game.play()
    assert "\x1b" not in console_game.seen
