"""SVG pictures as Chromium shows them: in both themes nothing is cut off, and axe-core finds nothing serious."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Page

from gomogo_core.drawing.svg import stylesheet, svg
from gomogo_core.games import load

from .conftest import FindViolations, NewPage, Screenshot

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("gomoku", {"size": 15}),
    ("go", {"size": 9}),
    ("capture_go", {"rows": 4, "cols": 13}),
    ("robogo", {}),
    ("dots_and_boxes", {"rows": 4, "cols": 5, "players": 3}),
]
pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

NAMES = ("alpha_beta?depth=4", "A player whose name is as long as", "<script>alert(1)</script>")


def boards(interactive: bool) -> str:
    """A board of each game in mid-game, with all there is to mark."""
    drawn_boards = []
    for name, options in GAMES:
        game, rng = load(name, **options), random.Random(7)
        position, moves = game.start(), list[Any]()
        for _ in range(28):
            moves.append(rng.choice([move for move in position.moves() if str(move) != "pass"]))
            position = position.play(moves[-1])
            if position.outcome():
                break
        free = [move for move in position.moves() if str(move) != "pass"]
        heat = {move: rng.random() for move in free[::7]}
        marked: dict[str, Any] = (
            {} if interactive else {"numbered_places": moves, "arrows": [(moves[-1], moves[-2])], "territory": True}
        )
        drawn_boards.append(
            svg(position, NAMES[: game.seats], moves[-1], heat=heat, interactive=interactive, style=False, **marked)
        )
    return "\n".join(drawn_boards)


def html(body: str) -> str:
    style = f"{stylesheet()} :root {{ color-scheme: light dark }}"
    return (
        "<!doctype html><html lang=en><title>Boards</title><meta name=viewport content='width=device-width'>"
        f"<style>{style}</style><main><h1>Boards</h1>{body}</main>"
    )


def cut_off(page: Page) -> list[str]:
    """The texts that reach beyond their picture, and pictures that reach beyond the window."""
    cut_texts: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("svg text, svg")].filter(part => {
            const box = part.getBoundingClientRect()
            const around = part.tagName === "svg" ? document.documentElement : part.closest("svg")
            const outer = around.getBoundingClientRect()
            return box.left < outer.left - 1 || box.right > outer.right + 1
        }).map(part => part.textContent.slice(0, 40))"""
    )
    return cut_texts


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1920])
def test_boards_are_not_cut_off_and_are_accessible(
    width: int, scheme: str, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    page = new_page(width, color_scheme=scheme)
    page.set_content(html(boards(interactive=False)))
    assert page.locator("svg").count() == len(GAMES)
    assert cut_off(page) == []
    assert find_serious_violations(page) == []
    screenshot(page, f"boards-{width}-{scheme}")


def test_interactive_boards_have_names_and_keyboard_focus(page: Page, find_serious_violations: FindViolations) -> None:
    page.set_content(html(boards(interactive=True)))
    assert find_serious_violations(page) == []
    for _ in GAMES:  # one stop of the tab key each
        page.keyboard.press("Tab")
    is_last_focused = page.evaluate(
        "() => document.activeElement.closest('svg') === [...document.querySelectorAll('svg')].at(-1)"
    )
    assert is_last_focused
    page.locator("svg").first.get_by_role("button", name=re.compile("^h 8, (black|white|empty)$")).click()
