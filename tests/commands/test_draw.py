"""`gomogo draw`: one position as SVG or PNG, a whole game as GIF, and diagrams."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageSequence

from gomogo_core.errors import UserError
from gomogo_core.records.store import Store
from tests.commands.conftest import Gomogo
from tests.records.conftest import LINE, played_by


@pytest.fixture
def stored(run: Gomogo) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by(("ann", "<b>"), key="abc"))


def stones(text: str) -> tuple[int, int]:
    """Count the black and white stones on the board, without those of the legend."""
    names = [part.get("class", "") for part in ElementTree.fromstring(text).iter()]
    return names.count("stone black") - 1, names.count("stone white") - 1


@pytest.mark.usefixtures("stored")
def test_a_position_is_printed_as_svg(run: Gomogo) -> None:
    assert stones(run("draw").stdout) == (5, 4)
    assert stones(run("draw", "abc", "--move", "3").stdout) == (2, 1)
    assert "&lt;b&gt;" in run("draw").stdout
    assert ">9</text>" in run("draw", "--numbers", "--coordinates", "none").stdout


@pytest.mark.usefixtures("stored")
def test_a_position_is_written_as_svg_and_png(run: Gomogo) -> None:
    assert run("draw", "-o", "out/x.svg").exit_code == 0
    assert stones(Path("out/x.svg").read_text()) == (5, 4)
    assert run("draw", "-o", "x.PNG", "--width", "300").exit_code == 0
    with Image.open("x.PNG") as image:
        assert (image.format, image.width) == ("PNG", 300)
        colours = image.convert("RGB").getcolors(1 << 16) or []
    assert len(colours) > 20  # board, stones, letters


@pytest.mark.usefixtures("stored")
def test_a_gif_shows_every_position_once(run: Gomogo) -> None:
    assert run("draw", "-o", "x.gif", "--width", "200", "--delay", "0.1", "--move", "5").exit_code == 0
    with Image.open("x.gif") as image:
        frames = [frame.convert("RGB").tobytes() for frame in ImageSequence.Iterator(image)]
        image.seek(0)
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0
    assert len(set(frames)) == len(frames) == 6


def test_a_record_and_a_diagram_are_drawn(run: Gomogo) -> None:
    position = played_by(moves=LINE).positions()[-1]
    Path("board.txt").write_text(str(position))
    assert run("draw", "board.txt", "-o", "x.svg", "--option", "size=15").exit_code == 0
    assert stones(Path("x.svg").read_text()) == (4, 3)  # no name is below it
    Path("boxes.txt").write_text("+-+\n|x|\n+-+")
    result = run("draw", "boxes.txt", "--game", "dots_and_boxes", "--option", "rows=1", "--option", "cols=1")
    assert 'class="box owner-0"' in result.stdout


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--move", "10"), "The game has 9 moves."),
        (("-o", "x.bmp"), "'bmp' is not a picture format"),
        (("none.txt",), "cannot be read"),
        (("bad.txt",), "The diagram has 0 rows."),
        (("bad.txt", "--move", "1"), "A diagram has no moves"),
        (("missing",), "missing"),
        (("-o", "bad.txt/x.svg"), "cannot be written"),
    ],
)
def test_an_impossible_drawing_is_refused(run: Gomogo, words: tuple[str, ...], problem: str) -> None:
    Path("bad.txt").write_text("")
    result = run("draw", *words)
    assert isinstance(result.exception, UserError)
    assert problem in result.exception.problem


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(("ending", "lacking"), [("png", "resvg_py"), ("gif", "PIL"), ("gif", "resvg_py")])
def test_without_the_extra_only_svg_is_drawn(
    run: Gomogo, monkeypatch: pytest.MonkeyPatch, ending: str, lacking: str
) -> None:
    monkeypatch.setitem(sys.modules, lacking, None)
    error = run("draw", "-o", f"x.{ending}").exception
    assert isinstance(error, UserError)
    assert "gomogo[png]" in error.remedy
    assert run("draw", "-o", "x.svg").exit_code == 0


@pytest.fixture
def analysed_game(run: Gomogo) -> None:
    with Store.open("gomogo.db") as store:
        game = played_by(("ann", "bob"), moves="h8 i9 g7", key="abc")
        store.add(replace(game, values=(None, {"a1": 0.5, "c3": 7.0, "zz": 1.0}, None), lines=(None, "c3 e5", None)))


def classes(text: str) -> list[str]:
    return [part.get("class", "") for part in ElementTree.fromstring(text).iter()]


@pytest.mark.usefixtures("analysed_game")
def test_values_and_expected_lines_are_drawn(run: Gomogo) -> None:
    for move_option in ([], ["--move", "1"]):  # the last position with such a report, or the requested one
        picture_text = run("draw", "abc", "--heat", "--line", *move_option).stdout
        assert classes(picture_text).count("heat") == 2
        assert classes(picture_text).count("arrow") == 2, "from the last move to the one expected, and on"
        assert ">7</text>" in picture_text
    assert "heat" not in classes(run("draw", "abc").stdout)


@pytest.mark.usefixtures("analysed_game")
@pytest.mark.parametrize("option", ["--heat", "--line"])
def test_a_move_without_thoughts_suggests_a_move_with_them(run: Gomogo, option: str) -> None:
    error = run("draw", "abc", option, "--move", "2").exception
    assert isinstance(error, UserError)
    assert error.remedy == "Try --move 1."


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("option", ["--heat", "--line"])
def test_a_game_without_thoughts_is_refused(run: Gomogo, option: str) -> None:
    error = run("draw", "abc", option).exception
    assert isinstance(error, UserError)
    assert error.problem == "No player of this game reported an analysis."
