"""The whole screen: a board to point at with arrows, Enter and the mouse, words to type, and how one leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input, Static

from gomogo.commands.play.series import play_session, session_of, with_record_names
from gomogo.tui.app import GomogoApp, ScreenConsole
from gomogo.tui.canvas import BoxesCanvas, PointsCanvas
from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.drawing.coordinates import FILE_COORDINATES
from gomogo_core.games import load
from gomogo_core.games.base import Game
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.session.terminal import HumanLeft

Steps = Callable[[Pilot[None], GomogoApp], Awaitable[None]]
_PATIENCE = 120.0


class ScreenGame:
    """One game on a screen, with an agent of the house in the other seat."""

    def __init__(self, game: Game, opponent: str) -> None:
        self.played: PlayedGame | None = None
        self.left = False
        agents = with_record_names([agent("human"), agent(opponent)])
        self.session = session_of(game, agents)

    def run(self, console: ScreenConsole) -> None:
        with Arena() as arena:
            try:
                self.played = play_session(arena, console, self.session, draw=console.draw)
            except HumanLeft:
                self.left = True


def on_screen(screen_game: ScreenGame, steps: Steps, size: tuple[int, int] = (100, 30)) -> GomogoApp:
    async def all_of_it() -> GomogoApp:
        screen = GomogoApp(screen_game.run)
        async with screen.run_test(size=size) as pilot:
            await asked(pilot, screen)
            await steps(pilot, screen)
        screen.game_console.stop_input()
        screen._thread.join(10)
        return screen

    screen = asyncio.run(all_of_it())
    assert screen.game_error is None or isinstance(screen.game_error, EOFError)
    return screen


async def until(pilot: Pilot[None], description: Callable[[], bool]) -> None:
    for _ in range(int(_PATIENCE / 0.05)):
        if description():
            return
        await pilot.pause(0.05)
    raise AssertionError("it has not come about")


async def asked(pilot: Pilot[None], screen: GomogoApp) -> None:
    await until(pilot, lambda: screen.game_console.is_asking or screen.game_console.is_over)


def shown(screen: GomogoApp) -> str:
    return screen.board.render().plain


def said(screen: GomogoApp) -> str:
    return "\n".join(screen._messages)


def test_arrows_and_enter_place_a_stone() -> None:
    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await pilot.press("right", "up", "enter")
        await until(pilot, lambda: "greedy plays" in said(screen))
        await asked(pilot, screen)
        assert shown(screen).splitlines()[4].split()[6] == "x"  # f4: one to the right of the middle, e5, and one up
        assert "me to move" in str(screen.query_one("#names", Static).content)

    on_screen(ScreenGame(load("gomoku", size=9), "greedy"), steps)


@pytest.mark.slow
def test_a_click_places_a_stone_and_an_illegal_one_costs_nothing() -> None:
    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        for _ in range(2):
            await pilot.click("#board", offset=(2 + 2 * 2, 3))  # c3, at the third column and row
            await until(pilot, lambda: "greedy plays" in said(screen))
            await asked(pilot, screen)
        await until(pilot, lambda: "c3 is occupied by black" in said(screen))
        assert shown(screen).count("x") == 1

    on_screen(ScreenGame(load("gomoku", size=9), "greedy"), steps)


@pytest.mark.slow
def test_a_game_can_be_played_by_pointing() -> None:
    screen_game = ScreenGame(load("gomoku", size=5, line=3), "random_mover")

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        for number in range(25):
            if screen.game_console.is_over:
                break
            screen.board.cursor = number % 5, number // 5
            await pilot.press("enter")
            await pilot.pause(0.05)
            await asked(pilot, screen)
        await until(pilot, lambda: screen.game_console.is_over)
        assert str(screen.query_one("#status", Static).content) == "Press q to quit."
        await pilot.press("q")

    on_screen(screen_game, steps)
    assert screen_game.played is not None
    assert screen_game.played.outcome.reason.kind == "rules"


@pytest.mark.slow
def test_commands_can_be_typed_or_given_by_keys() -> None:
    screen_game = ScreenGame(load("gomoku", size=9), "greedy")

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: "greedy plays" in said(screen))
        await asked(pilot, screen)
        await pilot.press("f4")
        await until(pilot, lambda: "x" not in shown(screen).replace("x to", ""))
        await asked(pilot, screen)
        await pilot.press("f2")
        await until(pilot, lambda: "your chance to win is about" in said(screen))
        await asked(pilot, screen)
        await pilot.press("tab", "tab", "tab")
        assert screen.query_one("#typed", Input).has_focus
        await pilot.press(*"b2", "enter")
        await until(pilot, lambda: "2 . x" in shown(screen))
        await asked(pilot, screen)
        await pilot.press(*"resign", "enter")
        await until(pilot, lambda: screen.game_console.is_over)

    on_screen(screen_game, steps)
    assert screen_game.played is not None
    assert (screen_game.played.outcome.reason.value, screen_game.played.outcome.winner) == ("resigned", 2)


def focus(screen: GomogoApp) -> str:
    return str(screen.query_one("#focus", Static).content)


@pytest.mark.parametrize("move", ["c3", "h8", "s1", "e2"])
def test_letters_of_a_typed_move_are_not_commands(move: str) -> None:
    """`h` asked for a hint, `s` saved, and Enter played at the cursor."""
    screen_game = ScreenGame(load("go", size=9 if move < "h9" else 19), "go_guesser")

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        assert focus(screen) == "Board"
        await pilot.press(*move)
        assert focus(screen) == "Typing"
        assert screen.query_one("#typed", Input).value == move
        await pilot.press("enter")
        await until(pilot, lambda: len(screen_game.session.actions) > 0)
        assert screen_game.session.actions[0].move == move
        await until(pilot, lambda: "plays" in said(screen))
        assert "look" not in said(screen)

    on_screen(screen_game, steps)


def test_an_arrow_returns_the_focus_to_the_board() -> None:
    screen_game = ScreenGame(load("gomoku", size=9), "greedy")

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await pilot.press(*"c3", "up")
        assert focus(screen) == "Board"
        assert screen.query_one("#typed", Input).value == ""
        assert "Enter plays e4" in screen.query_one("#typed", Input).placeholder
        await pilot.press("enter")
        await until(pilot, lambda: len(screen_game.session.actions) > 0)
        assert screen_game.session.actions[0].move == "e4"

    on_screen(screen_game, steps)


@pytest.mark.slow
def test_an_empty_line_plays_no_move() -> None:
    screen_game = ScreenGame(load("gomoku", size=9), "greedy")

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await pilot.press("tab", "enter")
        await pilot.pause(0.2)
        await asked(pilot, screen)
        assert not screen_game.session.actions

    on_screen(screen_game, steps)


@pytest.mark.slow
def test_text_typed_while_an_agent_thinks_is_kept() -> None:
    screen_game = ScreenGame(load("gomoku"), "iterative_deepening")  # it takes ten seconds

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: not screen.game_console.is_asking)
        await pilot.press(*"a1", "enter")
        assert screen.query_one("#typed", Input).value == "a1"
        await pilot.press("ctrl+q")
        await asked(pilot, screen)
        await pilot.press("end", "backspace", "backspace", "y", "enter")
        await until(pilot, lambda: not screen._thread.is_alive())

    on_screen(screen_game, steps)


@pytest.mark.slow
def test_edges_can_be_chosen_by_arrows() -> None:
    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await pilot.press("down", "enter")  # from h0 down to the edge right beneath it
        await until(pilot, lambda: "┃" in shown(screen))

    on_screen(ScreenGame(load("dots_and_boxes", rows=2, cols=2), "boxes_greedy"), steps)


def test_an_accidental_key_does_not_lose_the_game() -> None:
    screen_game = ScreenGame(load("gomoku", size=9), "greedy")

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await pilot.press("ctrl+q")
        await until(pilot, lambda: "Press Ctrl-Q again to quit" in said(screen))
        await pilot.press("enter")
        await until(pilot, lambda: "greedy plays" in said(screen))
        await asked(pilot, screen)
        assert screen._thread.is_alive()
        await pilot.press("ctrl+c")
        await until(pilot, lambda: said(screen).count("Press Ctrl-Q again to quit") == 2)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: not screen._thread.is_alive())

    on_screen(screen_game, steps)
    assert screen_game.left


@pytest.mark.slow
def test_leaving_while_an_agent_thinks_asks_for_confirmation() -> None:
    screen_game = ScreenGame(load("gomoku"), "iterative_deepening")  # it takes ten seconds

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await pilot.press("enter")
        await until(pilot, lambda: not screen.game_console.is_asking)
        await pilot.pause(0.3)
        await pilot.press("ctrl+q")
        await asked(pilot, screen)
        await pilot.press("y", "enter")
        await until(pilot, lambda: not screen._thread.is_alive())

    on_screen(screen_game, steps)
    assert screen_game.left


def test_every_place_has_its_move_and_every_move_its_place() -> None:
    points = PointsCanvas(PointBoard(7, 5), FILE_COORDINATES)
    assert points.cell_at(0, 1) is None
    places_seen = {points.place_at(place) for y in range(1, 6) for x in range(2, 16) if (place := points.cell_at(x, y))}
    assert places_seen == {Point(column, row) for column in range(1, 8) for row in range(1, 6)}
    edges = EdgeBoard(2, 3)
    boxes = BoxesCanvas(edges)
    edges_drawn = {boxes.place_at(place) for y in range(5) for x in range(13) if (place := boxes.cell_at(x, y))}
    assert edges_drawn == set(edges.edges)


@pytest.mark.parametrize("canvas", [PointsCanvas(PointBoard(5, 3), FILE_COORDINATES), BoxesCanvas(EdgeBoard(2, 2))])
def test_arrows_reach_every_place_and_never_leave_the_board(canvas: PointsCanvas | BoxesCanvas) -> None:
    reached, cells_left = {canvas.start_cell()}, [canvas.start_cell()]
    while cells_left:
        here = cells_left.pop()
        for columns, down in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            next_cell = canvas.next_cell(here, columns, down)
            if next_cell not in reached:
                reached.add(next_cell)
                cells_left.append(next_cell)
    assert len({canvas.place_at(place) for place in reached}) == (15 if isinstance(canvas, PointsCanvas) else 12)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "wide", "high"),
    [("gomoku", {}, 35, 17), ("go", {}, 43, 21), ("dots_and_boxes", {"rows": 9, "cols": 9}, 37, 19)],
)
def test_a_board_fits_in_a_terminal_of_80_by_24(name: str, options: dict[str, int], wide: int, high: int) -> None:
    states: list[object] = []

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        left_panel = screen.query_one("#left")
        states.extend([screen.board.size, left_panel.size.height >= high, left_panel.size.width])

    on_screen(ScreenGame(load(name, **options), "random_mover"), steps, (80, 24))
    assert states == [(wide, high), True, wide]


@pytest.mark.slow
def test_a_board_larger_than_the_screen_follows_the_cursor() -> None:
    states = list[float]()

    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        left_panel = screen.query_one("#left")
        for key in ("down", "up"):
            for _ in range(18):
                await pilot.press(key)
            await pilot.pause()
            states.append(left_panel.scroll_offset.y)

    on_screen(ScreenGame(load("go"), "random_mover"), steps, (80, 16))
    assert states[0] >= 5
    assert states[1] <= 1


@pytest.mark.slow
@pytest.mark.parametrize(("game", "keys"), [("gomoku", 6), ("go", 7)])
def test_the_footer_fits_80_columns_and_offers_a_pass_only_where_it_is_legal(game: str, keys: int) -> None:
    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        await until(pilot, lambda: len(screen.query("FooterKey")) == keys)
        await pilot.pause()
        assert all(0 < key.region.right <= 80 for key in screen.query("FooterKey"))
        assert ("f5" in screen.screen.active_bindings) == (game == "go")
        await pilot.press("f5")
        await pilot.press("tab")
        placeholder = screen.query_one(Input).placeholder
        assert len(" Typing  ") + len(placeholder) <= 80
        if game == "go":
            await until(pilot, lambda: "random_mover plays" in said(screen))

    on_screen(ScreenGame(load(game, size=9), "random_mover"), steps, (80, 24))


def test_keys_that_follow_each_other_at_once_go_where_the_first_one_went() -> None:
    async def steps(pilot: Pilot[None], screen: GomogoApp) -> None:
        for key, character in (("c", "c"), ("3", "3"), ("enter", "\r")):  # as a paste, or on a busy machine
            screen.post_message(Key(key, character))
        await until(pilot, lambda: "greedy plays" in said(screen))
        assert shown(screen).splitlines()[3].split()[3] == "x", "c3, and not the point at the cursor"

    on_screen(ScreenGame(load("gomoku", size=9), "greedy"), steps)
