"""The results of a class on the wall, a page for a projector."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser._class import class_server, close_pages, join_class, open_class, pair_all, pair_two, play_moves
from tests.browser._served import ServerProcess
from tests.browser.conftest import FindViolations, NewPage, Screenshot
from tests.browser.test_design import overflowing
from tests.browser.test_page import STATUS

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

WALLS = [(1024, 768), (1366, 768), (1920, 1080), (3840, 2160)]
LEGIBLE = 1 / 60  # least size of the text of names, as a share of the height of the projection
LONG = ("Maximiliane Wolfeschlegelstein", "Grzegorz Brzęczyszczykiewicz")

served = class_server()


def test_the_wall_shows_every_game_of_the_last_round(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot
) -> None:
    """Between two rounds it showed four games at most."""
    teacher, wall, _ = open_class(served, new_page, [f"Student {number}" for number in range(12)])
    teacher.reload()
    teacher.check('[name="away"]')
    pair_all(teacher)
    expect(wall.locator(".boards svg")).to_have_count(6)
    teacher.click("summary:has-text('End')")
    teacher.get_by_role("button", name="Declare all games drawn").click()
    teacher.click(".sure button:last-child")
    expect(wall.locator(STATUS)).to_contain_text("no games running")
    for width, height in WALLS:
        wall.set_viewport_size({"width": width, "height": height})
        expect(wall.locator(".boards svg")).to_have_count(6)
        screenshot(wall, f"class-wall-over-{width}")
        for board in wall.locator(".boards svg").all():
            box = board.bounding_box()
            assert box
            assert box["x"] >= 0 <= box["y"]
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= height
            assert box["width"] > height / 8
    close_pages(teacher, wall)


def test_the_wall_fits_every_projector_and_can_be_read(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    wall, teacher = new_page(1024, 768), new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    expect(wall.locator("main")).to_contain_text("The names of the class appear here.")
    names = [f"Maria Anna {chr(65 + number)}{chr(65 + number)}" for number in range(16)]
    students = [join_class(served, new_page(360, 740), name) for name in names]
    close_pages(*students)
    expect(wall.locator(".lobby li")).to_have_text(names)
    screenshot(wall, "wall-lobby")
    columns = wall.evaluate(
        "Object.values(Object.groupBy(document.querySelectorAll('.lobby li'), one => Math.round(one.offsetLeft)))"
        ".map(column => column.length)"
    )
    assert max(columns) - min(columns) <= len(columns), "the columns of names are balanced"
    pair_two(served, teacher, *names[:2])
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    teacher.request.post(f"{served.address}{served.teacher}/award", form={"name": names[0], "token": token})
    for label, other in zip(names[::2], names[1::2], strict=True):
        pair_two(served, teacher, label, other, clock="5+3")
    play_moves(served, students, "e5", "d4", "c3")  # a game without first moves would end after a minute
    expect(wall.locator(".boards svg")).to_have_count(8)  # the wall shows the finished game for some seconds
    expect(wall.locator(".boards .clock:not(:empty)")).to_have_count(16)
    smallest_text = "Math.min(...[...document.querySelectorAll('.wall .clock:not(:empty), .latest span')].map(one => "
    assert wall.evaluate(f"{smallest_text} parseFloat(getComputedStyle(one).fontSize)))") >= 20
    for width, height in WALLS:
        wall.set_viewport_size({"width": width, "height": height})
        wall.reload()
        expect(wall.locator("#live[data-version]")).to_have_count(1)
        expect(wall.locator(".boards svg")).to_have_count(8)
        screenshot(wall, f"class-wall-{width}")
        assert wall.evaluate(
            "(({ scrollHeight, scrollWidth }) => [scrollHeight <= innerHeight, scrollWidth <= innerWidth])"
            "(document.documentElement)"
        ) == [True, True]
        cut, small = wall.evaluate(
            """least => {
                const names = [...document.querySelectorAll(".boards .who")];
                return [
                    names.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent),
                    [...names, ...document.querySelectorAll(".standings tbody th, .boards .clock, .wall-join code")]
                        .filter(one => parseFloat(getComputedStyle(one).fontSize) < least * innerHeight).length
                ];
            }""",
            LEGIBLE,
        )
        assert cut == [], "names of thirteen letters are cut"
        assert small == 0
        side = wall.evaluate(
            """() => {
                const wall = document.querySelector(".wall"), { layout } = wall.dataset;
                wall.dataset.layout = "below";
                const share = document.querySelector(".wall-side").offsetWidth / innerWidth;
                wall.dataset.layout = layout;
                return share;
            }"""
        )
        assert side > 0.5, "the line about the address leaves room for the table"
        rows = wall.locator(".standings tbody tr:visible")
        for _ in range(3):  # every page of the table is full, also the last one
            assert rows.count() >= 8
            wall.evaluate("wallTurn++; rotateWall()")
        assert not overflowing(wall)
    wall.set_viewport_size({"width": 360, "height": 740})  # a phone, where the page is scrolled
    assert wall.evaluate("Math.min(...[...document.querySelectorAll('.boards svg')].map(one => one.clientWidth))") > 100
    assert wall.evaluate("document.querySelector('.wall-status').clientHeight") < 120
    assert not overflowing(wall)
    assert not find_serious_violations(wall)
    visible_names = set(wall.locator(".standings tbody tr:visible th").all_inner_texts())
    assert visible_names, "the standings of the class are always shown"
    close_pages(wall, teacher)


def test_a_game_on_the_wall_is_enlarged_and_a_pause_moves_nothing(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    names = [f"Maria Anna {chr(65 + number)}" for number in range(10)]
    teacher, wall, students = open_class(served, new_page, names)
    for first, second in zip(names[::2], names[1::2], strict=True):
        pair_two(served, teacher, first, second, clock="5+3")
    play_moves(served, students, "e5", "d4")
    expect(wall.locator(".boards .last")).to_have_count(5)
    boxes = (
        "[...document.querySelectorAll('.boards li, .boards svg')]"
        ".map(one => Object.values(one.getBoundingClientRect().toJSON()))"
    )
    for width, height in WALLS:
        wall.set_viewport_size({"width": width, "height": height})
        assert (
            wall.evaluate(
                """() => { // every number of boards fits, with its frames
                const boards = document.querySelector(".wall .boards"), cards = [...boards.children], cut = [];
                for (let count = 1; count <= cards.length; count++) {
                    boards.replaceChildren(...cards.slice(0, count));
                    fitLayout();
                    const { bottom, right } = boards.getBoundingClientRect();
                    for (const card of boards.children) {
                        const box = card.getBoundingClientRect();
                        if (box.bottom > bottom + 0.5 || box.right > right + 0.5) cut.push([count, card.innerText]);
                    }
                }
                return cut;
            }"""
            )
            == []
        )
        marks = wall.evaluate(
            "[...document.querySelectorAll('.wall .who')].map(one => getComputedStyle(one, '::after'))"
            ".map(({ content, visibility }) => content !== 'none' && visibility === 'visible')"
        )
        assert sum(marks) == 5, "an arrow beside each player to move, on narrow cards too"
    before = wall.evaluate(boxes)
    teacher.get_by_role("button", name="Pause all games").click()
    expect(wall.locator(STATUS)).to_contain_text("All games are paused.")
    assert wall.evaluate(boxes) == before
    screenshot(wall, "wall-paused-3840")
    wall.set_viewport_size({"width": 1366, "height": 768})
    wall.locator(".boards svg >> nth=2").click()
    expect(wall.locator("#enlarged")).to_be_visible()
    expect(wall.locator("#enlarged .who >> nth=0")).to_have_text(wall.locator(".wall .who").nth(4).inner_text())
    side = wall.locator("#enlarged svg").bounding_box()
    assert side
    assert side["height"] > 0.9 * 768
    coordinates = wall.locator("#enlarged .coordinate:visible")
    assert set(coordinates.all_text_contents()) >= {"a", "i", "1", "9"}
    for label in coordinates.all():
        box = label.bounding_box()
        assert box
        assert side["x"] <= box["x"] <= box["x"] + box["width"] <= side["x"] + side["width"]
        assert side["y"] <= box["y"] <= box["y"] + box["height"] <= side["y"] + side["height"]
    expect(wall.locator(".wall-boards .coordinate:visible")).to_have_count(0)
    assert not find_serious_violations(wall)
    screenshot(wall, "wall-enlarged-1366")
    teacher.get_by_role("button", name="Continue all games").click()
    stones = wall.locator("#enlarged .stone").count()
    play_moves(served, students, "c3", "c4")
    expect(wall.locator("#enlarged .stone")).not_to_have_count(stones)  # it follows the game
    wall.keyboard.press("Escape")
    expect(wall.locator("#enlarged")).to_be_hidden()
    wall.keyboard.press("1")
    expect(wall.locator("#enlarged")).to_be_visible()
    wall.locator("#enlarged").click()
    expect(wall.locator("#enlarged")).to_be_hidden()
    assert wall.url.endswith("/wall")
    close_pages(wall, teacher)


def test_the_back_of_a_room_reads_a_pause_the_results_and_the_name_without_an_opponent(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    """Only a line of text said that all games were paused, and the table of a class of 24 had small type."""
    teacher, wall, _ = open_class(served, new_page, [LONG[0], *(f"Student {number}" for number in range(24))])
    teacher.reload()
    teacher.check('[name="away"]')
    pair_all(teacher)
    expect(wall.locator(".left-over")).to_have_text(re.compile("^Without an opponent: (Student|Maximiliane)"))
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    winner = wall.locator(".boards .who").first.inner_text()
    teacher.request.post(f"{served.address}{served.teacher}/award", form={"name": winner, "token": token})
    teacher.get_by_role("button", name="Pause all games").click()
    expect(wall.locator(".boards .paused")).to_have_count(11)
    expect(wall.locator(".still small")).to_have_text(f"{winner} won: the teacher decided")
    signs = """cards => cards.map(card => {
        const caption = card.querySelector(".caption"), board = card.querySelector("svg").getBoundingClientRect();
        const { content, fontSize } = getComputedStyle(caption, "::after"), place = caption.getBoundingClientRect();
        const isBesideBoard = place.bottom <= board.top || place.right <= board.left;
        return content.includes("Paused") && parseFloat(fontSize) >= 0.022 * innerHeight && isBesideBoard;
    })"""
    texts = ".standings tbody :is(td, th, small), .latest span, .left-over, .still small, .wall-join p"
    for width, height in WALLS:
        wall.set_viewport_size({"width": width, "height": height})
        assert wall.locator(".boards .paused").evaluate_all(signs) == [True] * 11
        sizes = wall.locator(texts).evaluate_all("all => all.map(one => parseFloat(getComputedStyle(one).fontSize))")
        assert min(sizes) >= 0.0219 * height, f"{width}x{height}"
        assert not overflowing(wall)
        screenshot(wall, f"class-wall-paused-{width}")
    assert not find_serious_violations(wall)
    wall.locator(".boards .paused svg").first.click()
    expect(wall.locator("#enlarged .paused")).to_be_visible()
    screenshot(wall, "class-wall-paused-enlarged")
    close_pages(wall, teacher)


def test_the_leaders_stay_in_the_table_on_the_wall_and_its_lines_are_whole(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot
) -> None:
    teacher, wall, _ = open_class(served, new_page, [*LONG, *(f"Student {number}" for number in range(10))])
    for _ in range(2):
        teacher.reload()
        teacher.check('[name="away"]')
        pair_all(teacher)
        teacher.click("summary:has-text('End')")
        teacher.get_by_role("button", name="Declare all games drawn").click()
        with teacher.expect_navigation():
            teacher.click(".sure button:last-child")
    expect(wall.locator(STATUS)).to_contain_text("Round 2: 12 students, no games running.")
    rows = wall.locator(".standings tbody tr:visible")
    for width, height in WALLS:
        wall.set_viewport_size({"width": width, "height": height})
        expect(rows).to_have_count(12)
        expect(wall.locator(".range")).to_have_text("")
        for layout in ("beside", "below"):
            wall.evaluate("layout => document.querySelector('.wall').dataset.layout = layout", layout)
            assert wall.evaluate(
                "[...document.querySelectorAll('.standings tbody :is(td, th)')]"
                ".every(one => getComputedStyle(one).borderBottomWidth === '0px')"
            ), "one line below each row"
        wall.evaluate("fitLayout()")
        screenshot(wall, f"class-wall-table-{width}")
    wall.set_viewport_size({"width": 1024, "height": 768})
    wall.evaluate(
        """() => { // a class too large for one page
            const rows = document.querySelector(".standings tbody");
            for (let number = 0; number < 50; number++) {
                rows.append(rows.lastElementChild.cloneNode(true));
                rows.lastElementChild.querySelector("th").textContent = `Guest ${number}`;
            }
            rotateWall();
        }"""
    )
    shown = [rows.locator("th").all_inner_texts()]
    assert wall.locator(".range").inner_text().endswith("of 62")
    results = [wall.locator(".latest").is_visible()]
    for _ in range(8):  # more turns than the table has pages: how many rows fit depends on the fonts
        wall.evaluate("wallTurn++; rotateWall()")
        shown.append(rows.locator("th").all_inner_texts())
        results.append(wall.locator(".latest").is_visible())
    assert True in results, "the last results have their turn, too"
    assert all(page_names[:3] == shown[0][:3] for page_names in shown)
    assert len(set().union(*shown)) == 62, "every other row has its turn"
    wall.set_viewport_size({"width": 1366, "height": 768})
    teacher.get_by_role("switch", name="New students").click()
    expect(wall.locator(STATUS)).to_have_text("Final ranking")
    expect(wall.locator(".final tbody tr:visible, .podium li")).to_have_count(12)
    for width, height in WALLS:
        wall.set_viewport_size({"width": width, "height": height})
        screenshot(wall, f"wall-final-{width}")
        assert not overflowing(wall)
        share = wall.evaluate("document.querySelector('.final').offsetWidth / innerWidth")
        assert share > 0.9, "the ranking takes the whole screen"
    close_pages(wall, teacher)


def test_the_podium_fills_the_wall_and_breaks_no_word(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot
) -> None:
    """It took a fifth of the height, and left a third of the wall empty."""
    teacher, wall, _ = open_class(served, new_page, [LONG[0], *(f"Student {number}" for number in range(4))])
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    for first, second in ((LONG[0], "Student 0"), (LONG[0], "Student 1"), ("Student 2", "Student 3")):
        pair_two(served, teacher, first, second)
        teacher.request.post(f"{served.address}{served.teacher}/award", form={"name": first, "token": token})
    expect(wall.locator(".standings tr:has-text('Student 2') b")).to_have_text("1")
    lefts = wall.locator(".standings tbody th").evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
    assert len(set(lefts)) == 1, "five rows have room below each other"
    teacher.get_by_role("switch", name="New students").click()
    expect(wall.locator(STATUS)).to_have_text("Final ranking")
    for width, height in WALLS:
        wall.set_viewport_size({"width": width, "height": height})
        screenshot(wall, f"wall-podium-{width}")
        assert not overflowing(wall)
        assert wall.evaluate("document.querySelector('.podium').offsetHeight / innerHeight") > 0.5
        podium = wall.locator(".podium").bounding_box()
        assert podium
        assert 2 * podium["x"] + podium["width"] == pytest.approx(width, abs=2), "it is in the middle"
        lines = wall.locator(".podium .place-1 b").evaluate(
            "one => one.offsetHeight / parseFloat(getComputedStyle(one).lineHeight)"
        )
        assert round(lines) == 2, "one line for each word of the name"
        last_row = wall.locator(".final tbody tr").last.bounding_box()
        assert last_row
        assert last_row["y"] + last_row["height"] > 0.85 * height
    close_pages(wall, teacher)


def test_the_wall_uses_the_space_beside_its_boards_and_cuts_no_name(served: ServerProcess, new_page: NewPage) -> None:
    names = [*LONG, *(f"Student {number}" for number in range(6))]
    teacher, wall, _ = open_class(served, new_page, names)
    measure = """() => ({
        sides: [...document.querySelectorAll(".boards svg")].map(one => one.getBoundingClientRect().width),
        tops: [...document.querySelectorAll(".boards svg")].map(one => Math.round(one.getBoundingClientRect().top)),
        cut: [...document.querySelectorAll(".boards .who")].filter(one => one.scrollWidth > one.clientWidth).length,
        place: document.querySelector(".wall-boards").clientWidth,
    })"""
    for count in (3, 4):
        pair_two(served, teacher, *names[2 * count - 2 : 2 * count])
        if count == 3:
            for pair in (names[:2], names[2:4]):
                pair_two(served, teacher, *pair)
        expect(wall.locator(".boards svg")).to_have_count(count)
        measures = wall.evaluate(measure)
        assert measures["cut"] == 0
        assert measures["place"] > 900, "no column is kept free for an empty table"
        assert min(measures["sides"]) > 260
        assert len(set(measures["tops"])) == (1 if count == 3 else 2), "the boards of a row are at one height"
    heights = wall.evaluate(
        """() => {
            const boards = document.querySelector(".boards"); // four more games, of players with short names
            boards.append(...[...boards.children].map(one => one.cloneNode(true)));
            for (const name of boards.querySelectorAll("li:nth-child(n + 5) .who")) name.textContent = "Al";
            fitLayout();
            return [...boards.children].map(one => one.offsetHeight);
        }"""
    )
    assert len(set(heights)) == 1, "all rows are equally high"
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    teacher.request.post(f"{served.address}{served.teacher}/award", form={"name": LONG[0], "token": token})
    result = wall.locator(".boards .still small").first
    expect(result).to_have_text(f"{LONG[0]} won: the teacher decided")
    words, board = result.bounding_box(), wall.locator(".boards .still svg").first.bounding_box()
    assert words
    assert board
    assert words["y"] + words["height"] <= board["y"] + 1, "the result hides no stone"
    sides = wall.evaluate(measure)["sides"]
    assert sides.count(max(sides)) == len(sides) - 1, "and takes its room from the board of that game only"
    card = wall.locator(".boards .still").first.bounding_box()
    assert card
    assert card["x"] <= words["x"] <= words["x"] + words["width"] <= card["x"] + card["width"]
    assert result.evaluate("one => one.scrollWidth <= one.clientWidth"), "and it is not cut"
    close_pages(wall, teacher)


@pytest.mark.parametrize("clock", ["", "5+3"])
def test_a_long_name_on_a_full_wall_cuts_off_no_board(served: ServerProcess, new_page: NewPage, clock: str) -> None:
    """With twelve boards on a small projector, one name took four lines, and the second row was half visible."""
    names = ("Maximilian von Habsburg-Lothri", "Bob", "Cid", "Dan")
    teacher, wall, _ = open_class(served, new_page, names)
    for first, second in (names[:2], names[2:]):
        pair_two(served, teacher, first, second, clock=clock)
    expect(wall.locator(".boards svg")).to_have_count(2)
    for width, height in WALLS:
        wall.set_viewport_size({"width": width, "height": height})
        cut = wall.evaluate(
            """() => {
                const boards = document.querySelector(".wall .boards"), [first, second] = boards.children;
                boards.replaceChildren(first, ...Array.from({ length: 11 }, () => second.cloneNode(true)));
                fitLayout();
                const { bottom } = boards.getBoundingClientRect();
                return [...boards.children].filter(one => one.getBoundingClientRect().bottom > bottom + 0.5).length;
            }"""
        )
        assert cut == 0, f"{width}x{height}"
    close_pages(wall, teacher)
