"""The terminal itself: lines in by a deadline, a line that is drawn again without disturbing what is typed."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

import pytest

from gomogo_core.protocols._line_source import open_line_source
from gomogo_core.protocols.console import Console


@dataclass
class Pty:
    """Both ends of a terminal: text written to `keys` is typed, and the output can be read from it."""

    keys: int
    screen: TextIO

    def type(self, text: str) -> None:
        os.write(self.keys, text.encode())

    def drawn(self, until: str, seconds: float = 5.0) -> str:
        """All that is drawn until `until` is seen."""
        text, end = "", time.monotonic() + seconds
        while until not in text:
            assert time.monotonic() < end, text
            text += os.read(self.keys, 4096).decode()
        return text


@pytest.fixture
def terminal() -> Iterator[Pty]:
    keys, screen = pty.openpty()
    with os.fdopen(screen, "r+b", buffering=0) as raw, io.TextIOWrapper(raw, write_through=True) as text:
        yield Pty(keys, text)
    os.close(keys)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def console_at(terminal: Pty) -> Console:
    return Console(terminal.screen, terminal.screen)


def test_a_terminal_has_colour_unless_disabled(terminal: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    assert console_at(terminal).uses_colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not console_at(terminal).uses_colour
    assert console_at(terminal).can_redraw
    monkeypatch.setenv("TERM", "dumb")
    assert not console_at(terminal).can_redraw


def test_a_pipe_has_neither_colour_nor_a_live_line() -> None:
    console = Console(io.StringIO(), io.StringIO())
    assert not console.uses_colour
    assert not console.can_redraw
    assert console.width == 80


def test_the_prompt_is_redrawn_around_typed_input(terminal: Pty) -> None:
    console, answers = console_at(terminal), list[str]()
    clock = iter(range(100, 1000))
    asked = threading.Thread(target=lambda: answers.append(console.ask(lambda: f"{next(clock)} > ")))
    asked.start()
    terminal.drawn("100 > ")
    terminal.type("h")
    redrawn = terminal.drawn("> \x1b8")
    assert "\x1b7\r10" in redrawn
    assert "\x1b[K" not in redrawn
    terminal.type("8\n")
    asked.join(5)
    assert answers == ["h8"]


def test_a_live_line_disappears_after_the_move(terminal: Pty) -> None:
    console = console_at(terminal)
    clock = iter(range(100, 1000))
    console.show_status_line(lambda: f"thinking {next(clock)}")
    assert "\x1b7\rthinking 101\x1b8" in terminal.drawn("101\x1b8")
    console.say("done")
    assert terminal.drawn("done").rstrip().endswith("\r\x1b[Kdone")


def test_text_above_a_live_line_stays_after_it(terminal: Pty) -> None:
    console = console_at(terminal)
    console.show_status_line(lambda: "thinking", "the board")
    assert terminal.drawn("thinking").startswith("the board\r\nthinking")
    console.clear_status_line()
    assert "\x1b[A" not in terminal.drawn("\x1b[K")


def test_sentences_wrap_between_words_and_boards_do_not(terminal: Pty) -> None:
    console = console_at(terminal)
    console.say("word " * 20 + "end")
    assert max(map(len, terminal.drawn("end").split("\r\n"))) <= console.width
    console.say("\x1b[1m" + "x" * 100 + "\x1b[m end")
    assert "x" * 100 in terminal.drawn("end")


def test_descriptions_in_a_list_stay_in_their_column(terminal: Pty) -> None:
    console = console_at(terminal)
    console.say("  save [FILE]  " + "write it to a file " * 8 + "end")
    lines = terminal.drawn("end").rstrip().split("\r\n")
    assert len(lines) > 1
    assert all(line.startswith(" " * 15) for line in lines[1:])


def test_an_immediate_answer_shows_no_live_line(terminal: Pty) -> None:
    console = console_at(terminal)
    console.show_status_line(lambda: "thinking")
    console.clear_status_line()
    console.say("done")
    assert terminal.drawn("done").rstrip() == "done"


def test_a_live_line_never_wraps(terminal: Pty, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    console = console_at(terminal)
    console.show_status_line(lambda: "t" * 500)
    screen_text = terminal.drawn("\x1b8")
    console.clear_status_line()
    assert max(map(len, screen_text.replace("\x1b7", "\r").replace("\x1b8", "\r").split("\r"))) < console.width


def test_a_whole_line_typed_ahead_is_read(terminal: Pty) -> None:
    console = console_at(terminal)
    terminal.type("h8\n")
    terminal.drawn("h8")
    assert console.ask(lambda: "> ", time.monotonic() + 5) == "h8"


def test_half_a_line_typed_before_the_prompt_is_dropped(terminal: Pty) -> None:
    console = console_at(terminal)
    terminal.type("a")
    terminal.drawn("a")
    answers: list[str] = []
    asked = threading.Thread(target=lambda: answers.append(console.ask(lambda: "> ")))
    asked.start()
    terminal.drawn("> ")
    terminal.type("h8\n")
    asked.join(5)
    assert answers == ["h8"]


def test_control_d_is_the_end_of_input(terminal: Pty) -> None:
    console = console_at(terminal)
    terminal.type("\x04")
    with pytest.raises(EOFError):
        console.ask(lambda: "> ", time.monotonic() + 5)


def test_a_closed_terminal_is_the_end_of_input() -> None:
    keys, screen = pty.openpty()
    with os.fdopen(screen, "r+b", buffering=0) as raw, io.TextIOWrapper(raw) as text:
        lines = open_line_source(text)
        os.close(keys)
        with pytest.raises(EOFError):
            lines.next_line(1)


def test_the_deadline_holds_without_input() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader) as source, os.fdopen(writer, "w"), pytest.raises(TimeoutError):
        Console(source, io.StringIO()).ask(lambda: "> ", time.monotonic() + 0.05)


def test_two_readers_of_one_pipe_each_take_one_line() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"first\nsecond\r\nthird\n")
    with os.fdopen(reader) as source:
        first_source, other = open_line_source(source), open_line_source(source)
        assert [first_source.next_line(1), other.next_line(1), first_source.next_line(1)] == [
            "first",
            "second",
            "third",
        ]
    os.close(writer)


def test_half_a_line_is_awaited() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader) as source:
        lines = open_line_source(source)
        os.write(writer, b"h")
        assert lines.next_line(0.01) is None
        os.write(writer, b"8\n")
        assert lines.next_line(1) == "h8"
    os.close(writer)


class SlowSource(io.StringIO):
    """A source without a descriptor whose line comes when it is let go."""

    def __init__(self) -> None:
        super().__init__("late\n")
        self.let_go = threading.Event()

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        self.let_go.wait(5)
        return super().readline()


def test_a_source_without_a_descriptor_keeps_the_deadline_and_all_lines() -> None:
    source = SlowSource()
    console = Console(source, io.StringIO())
    with pytest.raises(TimeoutError):
        console.ask(lambda: "> ", time.monotonic() + 0.05)
    source.let_go.set()
    assert console.ask(lambda: "> ", time.monotonic() + 5) == "late"
    with pytest.raises(EOFError):
        console.ask(lambda: "> ", time.monotonic() + 5)


def test_a_closed_input_is_the_end_of_input() -> None:
    with pytest.raises(EOFError):
        open_line_source(None).next_line(1)


def test_unencodable_output_is_replaced() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    Console(io.StringIO(), out).say("Zoë")
    assert raw.getvalue() == b"Zo?\n"


def test_the_console_needs_nothing_heavy() -> None:
    heavy = "{'rich', 'click', 'numpy', 'sqlite3', 'msgspec'}"
    modules = "gomogo_core.session.terminal, gomogo_core.drawing.text"
    code = f"import sys, {modules}; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
