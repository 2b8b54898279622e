"""The full-screen application, and the console through which a game in another thread uses it.

The screen has a board, messages, a prompt and keys. Typed letters and digits always go to the prompt, since a move may
begin with any of them; commands have function keys. The module uses textual, and does not depend on the rules.
"""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.css.query import NoMatches
from textual.events import Click, Key
from textual.geometry import Region, Size
from textual.widget import Widget
from textual.widgets import Footer, Input, Static

from gomogo.tui.canvas import Canvas, create_canvas
from gomogo_core.cancellation import check_cancelled, interruptible
from gomogo_core.drawing.coordinates import FILE_COORDINATES, Coordinates
from gomogo_core.drawing.text import footer
from gomogo_core.games.base import Move, Position

_REFRESH_SECONDS = 0.1  # seconds between two updates of the clocks
_MAX_MESSAGE_LINES = 500
_ARROW_KEY_STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_END_OF_INPUT = object()  # marks the end of the queue of typed lines


class BoardWidget(Widget, can_focus=True):
    """The board, with a cursor that the arrow keys and the mouse move.

    on_move: a function that is called with the text of the chosen move. on_focus_change: a function that is called when
    the focus or the cursor has moved.
    """

    DEFAULT_CSS = "BoardWidget { width: auto; height: auto; }"

    def __init__(
        self, on_move: Callable[[str], None], on_focus_change: Callable[[], None], coordinates: Coordinates
    ) -> None:
        super().__init__(id="board")
        self._on_move, self._on_focus_change, self._coordinates = on_move, on_focus_change, coordinates
        self._position: Position | None = None
        self._last_move: Move | None = None
        self.canvas: Canvas | None = None
        self.cursor = (0, 0)

    def show(self, position: Position, last_move: Move | None) -> None:
        """Show another position. The cursor keeps its place."""
        if self._position is None or self._position.game != position.game:
            self.canvas = create_canvas(position, self._coordinates)
            self.cursor = self.canvas.start_cell() if self.canvas else (0, 0)
        self._position, self._last_move = position, last_move
        self.refresh(layout=True)
        self._on_focus_change()

    def watch_has_focus(self, _has_focus: bool) -> None:
        """Show or hide the cursor. With the focus, Enter plays the move at the cursor."""
        super().watch_has_focus(_has_focus)
        self._on_focus_change()
        self.refresh()

    def render(self) -> Text:
        """Return the board with the cursor."""
        if self._position is None:
            return Text("Waiting for all players ...")
        if self.canvas is None:
            return Text("\n".join(self._position.rows()))
        cursor = self.cursor if self.has_focus and self._position.outcome() is None else None
        return Text("\n", no_wrap=True, overflow="crop").join(
            self.canvas.draw_lines(self._position, self._last_move, cursor)
        )

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the width of the longest line, so that no line of the board is wrapped."""
        return max(map(cell_len, self.render().plain.split("\n")))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of lines."""
        return self.render().plain.count("\n") + 1

    def _scroll_to_cursor(self) -> None:
        """Scroll to the cursor if the screen is too small for the board."""
        self.refresh()
        self._on_focus_change()
        if self.canvas is not None and isinstance(self.parent, Widget):
            row = self.canvas.line_number(self.cursor)
            self.parent.scroll_to_region(Region(0, row - 1, 1, 3), animate=False)

    async def on_key(self, event: Key) -> None:
        """Move the cursor with an arrow key; play with Enter or the space bar. Other keys are typed into the prompt.

        The key after a letter may have been sent to the board before the focus moved to the prompt: Enter then plays
        the typed text.
        """
        prompt = self.app.query_one(Prompt)
        if event.key in _ARROW_KEY_STEPS:
            self.step(event.key)
            event.stop()
        elif not prompt.disabled and (prompt.value or (event.is_printable and event.key != "space")):
            await prompt.take_key(event)
            event.stop()
        elif event.key in ("enter", "space") and self.canvas is not None:
            self._play()
            event.stop()

    def step(self, key: str) -> None:
        """Move the cursor one step in the direction of an arrow key."""
        if self.canvas is not None:
            self.cursor = self.canvas.next_cell(self.cursor, *_ARROW_KEY_STEPS[key])
            self._scroll_to_cursor()

    def on_click(self, event: Click) -> None:
        """Play the move at the clicked place."""
        if self.canvas is not None and (place := self.canvas.cell_at(event.x, event.y)) is not None:
            self.cursor = place
            self.refresh()
            self._play()

    @property
    def move(self) -> str:
        """The text of the move at the cursor; empty if there is none."""
        if self.canvas is None or self._position is None:
            return ""
        move = self._position.move_at(self.canvas.place_at(self.cursor))
        return "" if move is None else self._coordinates.display(self._position.game.format(move))

    @property
    def can_pass(self) -> bool:
        """Whether a pass is legal in the shown position."""
        position = self._position
        return position is not None and "pass" in map(position.game.format, position.moves())

    def _play(self) -> None:
        if self.move:
            self._on_move(self.move)


class Prompt(Input):
    """The line for typing. Arrow keys that it does not use go to the board."""

    async def take_key(self, event: Key) -> None:
        """Take the focus, and handle a key that another widget has received."""
        self.screen.set_focus(self)
        if event.key == "enter":
            await self.action_submit()
        elif event.is_printable and event.character:
            self.insert_text_at_cursor(event.character)

    def on_key(self, event: Key) -> None:
        """Pass an unused arrow key to the board."""
        if event.key in ("up", "down") or (event.key in _ARROW_KEY_STEPS and not self.value):
            event.stop()
            event.prevent_default()
            board = self.app.query_one(BoardWidget)
            self.screen.set_focus(board)  # at once, unlike `focus`: the next key may have been pressed already
            board.step(event.key)


class GomogoApp(App[None]):
    """The application. play_game: a function that plays games in its own thread, on the console that it is given."""

    TITLE = "Gomogo"
    CSS = """
    #sides { height: 1fr; }
    #left { width: auto; padding: 0 2; scrollbar-size: 0 0; }
    #right { width: 1fr; border-left: solid $primary; padding: 0 1; }
    #talk { height: 1fr; }
    #status { height: auto; padding: 0 1; text-style: bold; }
    #names { height: auto; padding: 0 0 1 0; }
    #line { height: 1; }
    #focus { width: auto; padding: 0 1; background: $primary; color: $text; text-style: bold; }
    #typed { width: 1fr; height: 1; border: none; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "send_command('help')", "Help"),
        Binding("f2", "send_command('hint')", "Hint"),
        Binding("f3", "send_command('explain')", "Explain"),
        Binding("f4", "send_command('undo')", "Undo"),
        Binding("f5", "send_command('pass')", "Pass"),
        Binding("f6", "send_command('save')", "Save"),
        Binding("tab", "switch_focus", "Board/type", show=False, priority=True),
        Binding("ctrl+q", "leave", "Leave", priority=True),
        Binding("ctrl+c", "leave", "Leave", show=False, priority=True),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, play_game: Callable[[ScreenConsole], Any], coordinates: Coordinates = FILE_COORDINATES) -> None:
        super().__init__()
        self.game_console = ScreenConsole(self, coordinates)
        self.board = BoardWidget(self.game_console.enter_line, self._show_focus, coordinates)
        self.game_error: BaseException | None = None
        self._play_game, self._thread = play_game, threading.Thread(target=self._play, daemon=True)
        self._status_line: Callable[[], str] | None = None
        self._messages: list[str] = []
        self._is_leaving = self._has_warned = False
        self._stop_request = threading.Event()  # a request to quit while no question is open

    def compose(self) -> ComposeResult:
        """Create the widgets: the board on the left, players and messages on the right, the prompt and keys below.

        Prompt and keys have one line each, so that a Go board (21 lines with its letters) fits a terminal of 24 lines.
        """
        with Horizontal(id="sides"):
            with VerticalScroll(id="left", can_focus=False):
                yield self.board
            with Vertical(id="right"):
                yield Static("", id="names", markup=False)
                with VerticalScroll(id="talk", can_focus=False):
                    yield Static("", id="said", markup=False)
        yield Static("", id="status", markup=False)
        with Horizontal(id="line"):
            yield Static("", id="focus", markup=False)
            yield Prompt(id="typed", select_on_focus=False)
        yield Footer()

    def on_mount(self) -> None:
        """Start the thread of the game."""
        self.board.focus()
        self.set_interval(_REFRESH_SECONDS, self._update_clocks)
        self._thread.start()

    def _show_focus(self) -> None:
        """Show whether keys go to the board or to the prompt."""
        with suppress(NoMatches):
            prompt, is_on_board = self.query_one(Prompt), self.focused is self.board
            if is_on_board:
                prompt.value = ""  # from now on, Enter plays on the board, and not the typed text
            prompt.placeholder = (
                f"arrows move, Enter plays{f' {self.board.move}' * bool(self.board.move)}; letters are typed here"
                if is_on_board
                else "a move or a command, such as help, then Enter; Tab: board"
            )
            self._write_text("#focus", "Board" if is_on_board else "Typing")

    async def on_key(self, event: Key) -> None:
        """Type a letter into the prompt if no widget has the focus. If the game is over, q quits."""
        if self.game_console.is_over:
            if event.key == "q":
                self.exit()
        elif event.is_printable:
            await self.query_one(Prompt).take_key(event)

    def _play(self) -> None:
        try:
            with interruptible(self._stop_request):
                self._play_game(self.game_console)
        except BaseException as error:  # printed after the screen has closed
            self.game_error = error
            self.game_console.is_over = True
            self.call_from_thread(self.exit)
            return
        if self._is_leaving:
            self.game_console.is_over = True
            self.call_from_thread(self.exit)
        else:
            self.game_console.show_game_over()

    def _update_clocks(self) -> None:
        if self._status_line is not None:
            self._write_text("#status", self._status_line())

    def draw_status_line(self, status_text: Callable[[], str] | None) -> None:
        """Show a status line. status_text: a function that returns its current text; None to remove the line."""
        self._status_line = status_text
        self._write_text("#status", status_text() if status_text else "")

    def _write_text(self, selector: str, text: str) -> None:
        """Write a text into a widget; do nothing while the screen closes."""
        with suppress(NoMatches):
            self.query_one(selector, Static).update(text)

    def add_message(self, text: str) -> None:
        """Append a text to the messages."""
        self._messages = [*self._messages, *text.splitlines()][-_MAX_MESSAGE_LINES:]
        self._write_text("#said", "\n".join(self._messages))
        with suppress(NoMatches):
            self.query_one("#talk").scroll_end(animate=False)

    def show_game_over(self) -> None:
        """Show that the game is over, and disable the prompt."""
        self.draw_status_line(lambda: "Press q to quit.")
        self.board.focus()
        self.query_one(Prompt).disabled = True

    def draw_board(self, position: Position, last_move: Move | None, players_text: str) -> None:
        """Show a position, and a text about its players."""
        self._has_warned = False  # after new moves, quitting needs another confirmation
        self.board.show(position, last_move)
        self.refresh_bindings()
        if self.board.canvas is None:  # the board has no places to choose
            self.query_one(Prompt).focus()
        self._write_text("#names", players_text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Pass a typed line to the game if a question is open. Otherwise the line stays in the prompt."""
        if self.game_console.is_asking:
            self.game_console.enter_line(event.value)
            event.input.value = ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether a key is active, so that the footer shows it. The key for a pass needs a legal pass."""
        return parameters != ("pass",) or self.board.can_pass

    def action_send_command(self, word: str) -> None:
        """Send the command of a function key to the game."""
        self.game_console.enter_line(word)

    def action_switch_focus(self) -> None:
        """Move the focus from the board to the prompt, or back."""
        prompt = self.query_one(Prompt)
        self.screen.set_focus(self.board if self.focused is prompt else prompt)

    def action_leave(self) -> None:
        """Quit if the game is over or the user has confirmed it; otherwise ask for confirmation."""
        if self.game_console.is_over or not self._thread.is_alive():
            self.exit()
        elif self.game_console.is_asking and not self._has_warned:
            self._has_warned = True
            self.add_message("Press Ctrl-Q again to quit. `gomogo play --continue` continues the game.")
        elif self.game_console.is_asking:
            self._is_leaving = True
            self.game_console.enter_line("quit")
        else:  # an agent is thinking: interrupt the game as Ctrl-C would, within a tenth of a second
            self._stop_request.set()

    def on_unmount(self) -> None:
        """End the game's thread."""
        self.game_console.stop_input()


class ScreenConsole:
    """Shows messages and questions of a game on the screen. It has the methods of gomogo_core's Console; the game calls
    them in its own thread.
    """

    can_redraw, uses_colour = True, False

    def __init__(self, app: GomogoApp, coordinates: Coordinates) -> None:
        self._app, self._coordinates = app, coordinates
        self._typed_lines: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.is_asking = self.is_over = False

    @property
    def width(self) -> int:
        """The number of characters in a line of messages."""
        return 80

    def draw(
        self,
        position: Position,
        names: Sequence[str],
        last_move: Move | None = None,
        clocks: Sequence[float | None] = (),
        **_: Any,
    ) -> str:
        """Show the position in the board widget. Return an empty text, since no message is needed."""
        players_text = footer(position, names, last_move, clocks, width=40, coordinates=self._coordinates)
        self._call_screen(self._app.draw_board, position, last_move, players_text)
        return ""

    def _call_screen(self, method: Callable[..., None], *arguments: Any) -> None:
        if not self.is_over:
            self._app.call_from_thread(method, *arguments)

    def say(self, text: str = "") -> None:
        """Append a text to the messages."""
        if text := text.strip("\n"):
            self._call_screen(self._app.add_message, text)

    def ask(self, prompt: Callable[[], str], deadline: float = math.inf) -> str:
        """Return the next typed line, or the move chosen on the board.

        Raises TimeoutError at the deadline (time.monotonic()), and EOFError when the screen is closed.
        """
        while not self._typed_lines.empty():  # forget the keys that were pressed while no question was open
            if self._typed_lines.get() is _END_OF_INPUT:
                raise EOFError
        self._call_screen(self._app.draw_status_line, prompt)
        self.is_asking = True
        try:
            while True:
                check_cancelled()  # raises if the user has asked to quit
                remaining = deadline - time.monotonic()
                try:
                    line = self._typed_lines.get(timeout=max(0.0, min(_REFRESH_SECONDS, remaining)))
                except queue.Empty:
                    if remaining <= 0:
                        raise TimeoutError from None
                    continue
                if line is _END_OF_INPUT:
                    raise EOFError
                return str(line).strip()
        finally:
            self.is_asking = False
            self.clear_status_line()

    def show_status_line(self, line: Callable[[], str], above: str = "") -> None:
        """Show a status line until the next question. line: a function that returns its current text."""
        self._call_screen(self._app.draw_status_line, line)

    def clear_status_line(self) -> None:
        """Remove the status line, or the prompt shown in its place."""
        self._call_screen(self._app.draw_status_line, None)

    def enter_line(self, line: str) -> None:
        """Queue a line for the game, from a key, the mouse or the prompt."""
        self._typed_lines.put(line)

    def show_game_over(self) -> None:
        """Show that the game is over. The screen stays open until the user quits."""
        self._call_screen(self._app.show_game_over)
        self.is_over = True

    def stop_input(self) -> None:
        """Stop accepting input, and end an open question."""
        self.is_over = True
        self._typed_lines.put(_END_OF_INPUT)


def run_app(play_game: Callable[[ScreenConsole], Any], coordinates: Coordinates = FILE_COORDINATES) -> None:
    """Run the application until the user leaves it. Raises the exceptions of `play_game`.

    play_game: a function that plays games in its own thread, on the console that it is given.
    """
    app = GomogoApp(play_game, coordinates)
    app.run()
    app.game_console.stop_input()
    app._thread.join(10)
    if app.game_error is not None and not isinstance(app.game_error, EOFError):
        raise app.game_error
