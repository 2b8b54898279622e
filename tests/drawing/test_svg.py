"""Positions as SVG: every point has one name; pieces and markings are right; foreign markup is escaped."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from gomogo_core.drawing.coordinates import coordinates_of
from gomogo_core.drawing.svg import stylesheet, svg
from gomogo_core.games import load, names
from gomogo_core.games.base import Position

SVG = "{http://www.w3.org/2000/svg}"
GOLDEN = Path(__file__).with_name("data")
BOARDS: list[tuple[str, dict[str, Any]]] = [
    ("gomoku", {"size": 15}),
    ("gomoku", {"size": 26}),
    ("go", {"rows": 3, "cols": 7}),
    ("go", {"size": 19}),
    ("capture_go", {"rows": 1, "cols": 4}),
    ("robogo", {"rows": 9, "cols": 4}),
    ("dots_and_boxes", {"rows": 2, "cols": 5}),
    ("dots_and_boxes", {"rows": 1, "cols": 1, "players": 7}),
]
KO = "b1 c1 a2 d2 b3 c3 c2 b2"  # white has just taken c2; black may not take b2 back


def position_after(game: str, moves: str = "", **options: Any) -> Position:
    return load(game, **options).replay(moves.split())


def svg_root(position: Position, names: Sequence[str] = (), last: str = "", **spoken_text: Any) -> ElementTree.Element:
    move = position.game.parse(last) if last else None
    return ElementTree.fromstring(svg(position, names, move, **spoken_text))


def elements_by_place(root: ElementTree.Element) -> dict[str, ElementTree.Element]:
    elements = [part for part in root.iter() if "data-point" in part.attrib or "data-edge" in part.attrib]
    by_name = {part.get("data-point") or part.attrib["data-edge"]: part for part in elements}
    assert len(by_name) == len(elements)
    return by_name


def css_classes(part: ElementTree.Element) -> list[str]:
    return [child.attrib["class"] for child in part if "class" in child.attrib]


def shown_texts(root: ElementTree.Element, kind: str) -> list[str]:
    return [part.text or "" for part in root.iter(f"{SVG}text") if part.get("class") == kind]


@pytest.mark.parametrize("name", names())
def test_every_game_with_a_board_has_a_picture(name: str) -> None:
    assert load(name).board is None or "<svg" in svg(load(name).start())


@pytest.mark.parametrize(("game", "options"), BOARDS)
def test_every_point_and_every_edge_is_named_once(game: str, options: dict[str, Any]) -> None:
    start = position_after(game, **options)
    expected = [start.game.format(move) for move in start.moves() if str(move) != "pass"]
    for interactive in (False, True):
        assert sorted(elements_by_place(svg_root(start, interactive=interactive))) == sorted(expected)


@pytest.mark.parametrize(("game", "options"), BOARDS)
def test_an_interactive_board_has_one_tab_stop_and_named_buttons(game: str, options: dict[str, Any]) -> None:
    for last_move in ("", "pass" if game == "go" else ""):
        elements = elements_by_place(
            svg_root(position_after(game, last_move, **options), last=last_move, interactive=True)
        )
        assert [part.get("tabindex") for part in elements.values()].count("0") == 1
        assert {part.get("role") for part in elements.values()} == {"button"}
        assert all(part.attrib["aria-label"].startswith(f"{name[0]} {name[1:]}, ") for name, part in elements.items())
        assert all(css_classes(part)[-1] == "hit" for part in elements.values())


@pytest.mark.parametrize(("game", "options"), BOARDS)
def test_a_board_to_be_read_aloud_names_each_place_and_has_no_buttons(game: str, options: dict[str, Any]) -> None:
    position = position_after(game, **options)
    elements = elements_by_place(svg_root(position, accessible=True))
    to_click = elements_by_place(svg_root(position, interactive=True))
    assert {part.get("role") for part in elements.values()} == {"img"}
    assert not any(part.get("tabindex") for part in elements.values())
    names = {name: part.get("aria-label") for name, part in elements.items()}
    assert names == {name: part.get("aria-label") for name, part in to_click.items()}


def test_points_are_labelled_with_their_stones() -> None:
    elements = elements_by_place(svg_root(position_after("go", "a1 b3", size=3), last="b3", interactive=True))
    assert elements["a1"].get("aria-label") == "a 1, black"
    assert elements["b3"].get("aria-label") == "b 3, white"
    assert elements["c2"].get("aria-label") == "c 2, empty"
    assert [name for name, part in elements.items() if part.get("aria-current")] == ["b3"]
    assert css_classes(elements["b3"]) == ["stone white", "last", "hit"]


def test_captured_stones_are_removed_and_counted() -> None:
    position = position_after("go", KO, size=4)
    root = svg_root(position, ["me", "you"])
    assert css_classes(elements_by_place(root)["c2"]) == ["ko"]
    assert shown_texts(root, "player") == ["me, 0 captured, to move", "you, 1 captured"]


def test_go_shows_komi_during_the_game_and_points_only_at_its_end() -> None:
    game = load("go", size=4, komi=6.5)
    during = game.replay(["b2"])
    assert shown_texts(svg_root(during, ["me", "you"]), "player") == [
        "me, 0 captured",
        "you, 0 captured, komi 6.5, to move",
    ]
    over = game.replay(["b2", "pass", "pass"])
    assert [words.partition(", won")[0] for words in shown_texts(svg_root(over, ["me", "you"]), "player")] == [
        "me, 0 captured, 16 points",
        "you, 0 captured, 6.5 points",
    ]


def test_ko_is_marked_and_labelled() -> None:
    elements = elements_by_place(svg_root(position_after("go", KO, size=4), interactive=True))
    assert elements["c2"].get("aria-label") == "c 2, empty, ko"
    assert [name for name, part in elements.items() if "ko" in css_classes(part)] == ["c2"]


def test_move_numbers_are_on_the_remaining_stones() -> None:
    position = position_after("go", KO, size=4)
    root = svg_root(position, numbered_places=[position.game.parse(move) for move in KO.split()])
    assert sorted(map(int, shown_texts(root, "number on-black"))) == [1, 3, 5]
    assert sorted(map(int, shown_texts(root, "number on-white"))) == [2, 4, 6, 8]


def test_the_winning_row_is_marked() -> None:
    elements = elements_by_place(svg_root(position_after("gomoku", "h8 a1 h9 a2 h10 a3 h11 a4 h12")))
    assert sorted(name for name, part in elements.items() if "won" in css_classes(part)) == [
        "h10",
        "h11",
        "h12",
        "h8",
        "h9",
    ]


def test_territory_is_shown_on_request() -> None:
    position = position_after("go", "b1 c1 b2 c2 b3 c3 b4 c4", size=4)
    elements = elements_by_place(svg_root(position, territory=True))
    assert {name: css_classes(part) for name, part in elements.items() if name[0] in "ad"} == {
        **{f"a{row}": ["territory black"] for row in range(1, 5)},
        **{f"d{row}": ["territory white"] for row in range(1, 5)},
    }
    assert "territory" not in svg(position, style=False)


def test_a_heat_map_sizes_values_on_free_points() -> None:
    position = position_after("go", "a1", size=3)
    heat = {position.game.parse(name): value for name, value in (("a1", 9.0), ("b1", -0.25), ("c1", 1234.0))}
    root = svg_root(position, heat=heat)
    assert shown_texts(root, "value") == ["-0.25", "1.2k"]
    sizes = [float(part.attrib["r"]) for part in root.iter() if part.get("class") == "heat"]
    assert sizes == sorted(set(sizes))


def test_arrows_lead_from_move_to_move_and_none_leads_nowhere() -> None:
    game = load("go", size=5)
    a, b, pass_move = (game.parse(move) for move in ("a1", "c3", "pass"))
    position = svg(game.start(), arrows=[(a, b), (a, pass_move), (b, b)], style=False)
    assert position.count('class="arrow"') == position.count("<polygon") == 1


def test_boxes_show_owner_letters_and_the_last_edge_is_marked() -> None:
    root = svg_root(position_after("dots_and_boxes", "h0 h2 v0 v1 h5 v3", rows=2, cols=2), ["me", "you"], "v3")
    elements = elements_by_place(root)
    assert shown_texts(root, "owner") == ["o", "x", "o"]  # in its box, and beside the player
    assert css_classes(elements["v3"]) == ["drawn latest", "author owner-0", "middle"]
    assert css_classes(elements["h0"]) == ["drawn"]
    assert css_classes(elements["h4"]) == ["open", "name"]
    assert shown_texts(root, "player") == ["me, 0 boxes", "you, 1 box, to move"]


def test_the_last_edge_has_the_colour_of_its_player() -> None:
    for moves, colour in (("h0", 0), ("h0 h2", 1), ("h0 h2 v0 v1", 1), ("h0 h2 v0 h5 v1", 0), ("h0 h2 v0 h5 v1 v3", 0)):
        root = svg_root(position_after("dots_and_boxes", moves, rows=2, cols=2), last=moves.split()[-1])
        assert css_classes(elements_by_place(root)[moves.split()[-1]])[1] == f"author owner-{colour}", moves


def test_the_marks_on_edges_have_the_colour_of_no_player() -> None:
    rules = dict(re.findall(r"^\.gomogo-board \.edge \.(\w+) {(.*)}", stylesheet(), re.MULTILINE))
    assert "--board-white" in rules["heat"]  # the accent of the page is blue, as the first player is


def test_letters_distinguish_more_players_than_colours() -> None:
    moves = "h0 h1 v0 v1"
    root = svg_root(position_after("dots_and_boxes", moves, rows=1, cols=1, players=7), "abcdefg")
    assert shown_texts(root, "owner")[1:] == list("xo34567")


def test_svg_coordinates_equal_those_of_the_terminal_and_are_optional() -> None:
    position = position_after("go", size=9)
    assert shown_texts(svg_root(position), "coordinate")[:6] == ["a", "a", "b", "b", "c", "c"]
    assert shown_texts(svg_root(position, coordinates=False), "coordinate") == []
    book = coordinates_of("book", position.game)
    root = svg_root(position, coordinates=book, interactive=True)
    assert shown_texts(root, "coordinate")[16:20] == ["j", "j", "9", "9"]
    assert elements_by_place(root)["i1"].get("aria-label") == "j 9, empty"


@pytest.mark.parametrize("name", ['<script>alert("1")</script>', "a & b", "\x00\x1b[2J\ud800", "--> ]]> &lt;"])
def test_a_hostile_name_in_svg_is_text(name: str) -> None:
    text = svg(position_after("go", size=3), [name, "b"], title=name)
    root = ElementTree.fromstring(text)
    assert {part.tag.removeprefix(SVG) for part in root.iter()} <= {
        "svg", "title", "style", "rect", "g", "line", "circle", "text",
    }  # fmt: skip
    assert root.attrib["aria-label"].isprintable()
    if name.isprintable():
        assert root.attrib["aria-label"] == name
        assert shown_texts(root, "player")[0].startswith(name)


def test_svg_contains_no_scripts_or_references() -> None:
    text = svg(position_after("go", KO, size=4), ["a", "b"], interactive=True)
    for forbidden in ("<script", "onclick", "href", "url(", "@import", " style=", " id="):
        assert forbidden not in text
    assert "<style>" in text
    assert "<style" not in svg(position_after("go", size=3), style=False)


def test_a_page_can_have_the_rules_by_themselves_in_two_themes() -> None:
    rules = stylesheet()
    assert "$" not in rules
    for class_ in (".stone.black", ".last", ".ko", ".owner-5", ".drawn"):
        assert class_ in rules
    assert "[data-theme=dark]" in rules
    assert "prefers-color-scheme: dark" in rules


def test_a_game_on_an_unknown_board_shows_its_rows() -> None:
    """Register a game as a user would, before any drawing."""
    game = SimpleNamespace(name="heaps", board=None)
    heaps: Any = SimpleNamespace(game=game, rows=lambda: ("| | <", "|"), outcome=lambda: None)
    root = ElementTree.fromstring(svg(heaps))
    assert shown_texts(root, "sign") == ["|", "|", "<", "|"]


GOLDENS = {
    "ko": lambda: svg(position_after("go", KO, size=4), ["one", "two"], style=False),
    "boxes": lambda: svg(position_after("dots_and_boxes", "h0 h2 v0 v1", rows=1, cols=2), ["one", "two"], style=False),
    "interactive": lambda: svg(
        position_after("gomoku", "c3 d4", size=5), interactive=True, coordinates=False, style=False
    ),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_pictures_equal_the_golden_files(name: str) -> None:
    golden = GOLDEN / f"{name}.svg"
    picture_text = GOLDENS[name]() + "\n"
    if os.environ.get("GOMOGO_REWRITE_GOLDEN"):
        golden.write_text(picture_text)
    assert golden.read_text() == picture_text


NOTEBOOK = """
import sys
from gomogo_core.games import load
start = load("go", size=5).start()
assert not any(name.startswith("gomogo_core.drawing") for name in sys.modules)
assert start._repr_svg_() is None
import gomogo_core.drawing.notebook
assert start._repr_svg_().startswith("<svg") and "black" in start._repr_svg_()
"""


def test_notebooks_show_positions_once_the_drawing_is_imported() -> None:
    subprocess.run([sys.executable, "-c", NOTEBOOK], check=True)
