"""A class in browsers: students, their teacher, and the wall on a projector."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser._served import Served
from tests.browser.conftest import NewPage, Screenshot
from tests.browser.test_design import overflowing
from tests.browser.test_page import STATUS, place

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]

WALLS = [(1024, 768), (1366, 768), (1920, 1080), (3840, 2160)]
LEGIBLE = 1 / 60  # least size of the text of names, as a share of the height of the projection


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A server with an empty class."""
    served = Served(tmp_path, "--class", "--host", "127.0.0.1", "--agents", "greedy")
    yield served
    served.stop()


def join(served: Served, page: Page, name: str) -> Page:
    """Let a student join the class."""
    page.goto(f"{served.address}/class")
    page.fill("#name", name)
    page.get_by_role("button", name="Join").click()
    expect(page.locator(STATUS)).to_contain_text("Wait for the teacher")
    return page


def pair_all(teacher: Page, clock: str = "") -> None:
    """Pair the students that wait."""
    teacher.select_option("#game", "gomoku size=9")
    teacher.select_option("#clock", clock)
    with teacher.expect_navigation():
        teacher.get_by_role("button", name="Pair all who wait").click()


def pair_two(served: Served, teacher: Page, first: str, second: str, clock: str = "") -> None:
    """Start a game between two students of these names."""
    form = {"game": "gomoku size=9", "clock": clock, "first": first, "second": second}
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    answer = teacher.request.post(f"{served.address}{served.teacher}/pair-two", form={**form, "token": token})
    assert answer.ok


def move_if_to_move(served: Served, student: Page, point: str) -> None:
    """Play a move in a student's game if it is their turn. The student's page may be closed."""
    request = student.context.request
    class_page = request.get(f"{served.address}/class").text()
    game = f"{served.address}/play/{class_page.partition('/play/')[2].partition(chr(34))[0]}"
    class_page = request.get(game).text()
    if "Your turn" in class_page:
        token = class_page.partition('name="token" content="')[2].partition('"')[0]
        assert request.post(f"{game}/move", form={"move": point, "token": token}).ok


def close(*pages: Page) -> None:
    """Close pages, since a page that still asks the server would report that it is gone."""
    for page in pages:
        page.close()


def test_students_are_led_from_game_to_game(
    served: Served, new_page: NewPage, screenshot: Screenshot, serious: Callable[[Page], list[str]]
) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    ann, bob = join(served, new_page(360, 740), "Ann"), join(served, new_page(1366, 768), "Bob")
    expect(teacher.locator(STATUS)).to_contain_text("2 students: 2 ready")
    pair_all(teacher)
    for student in (ann, bob):
        expect(student).to_have_url(re.compile("/play/"))
    expect(teacher.locator(".boards svg")).to_have_count(1)
    first = ann.url
    screenshot(teacher, "teacher-1366")
    assert not serious(teacher)
    ann.click(".menu > summary")
    ann.click("button.resign")
    ann.click(".sure button.danger")
    expect(teacher.locator("tbody tr >> nth=0")).to_contain_text(re.compile("Bob.*1.*waits"))
    expect(teacher.locator(".students")).not_to_contain_text("away")  # they look at the game that is over
    pair_all(teacher)
    for student in (ann, bob):
        expect(student).not_to_have_url(first)
        expect(student).to_have_url(re.compile("/play/"))
    ann.evaluate("dispatchEvent(new Event('pagehide'))")  # like a phone that sleeps while the game is deleted
    teacher.click("summary:has-text('End')")
    teacher.get_by_role("button", name="Stop and delete all running games").click()
    teacher.click(".sure button.danger")
    expect(bob).to_have_url(re.compile("/class$"))
    ann.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(ann).to_have_url(re.compile("/class$"))
    expect(ann.locator(STATUS)).to_contain_text("ended without a result: the teacher stopped it.")
    expect(ann.locator("main")).to_contain_text("lost against Bob")
    expect(ann.locator("main")).to_contain_text("0 points in 1 game: place 2 of 2.")
    screenshot(ann, "class-360")
    close(teacher, ann, bob)


def test_the_rules_on_the_teachers_page_follow_the_game(
    served: Served, new_page: NewPage, screenshot: Screenshot, serious: Callable[[Page], list[str]]
) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    students = [join(served, new_page(360, 740), name) for name in ("Ann", "Bob")]
    teacher.select_option("#game", "gomoku size=9")
    teacher.click("summary:has-text('Rules')")
    expect(teacher.locator('#rules [name="option-opening"]')).to_have_count(4)
    teacher.select_option("#game", "go size=9")
    teacher.locator("#rules").get_by_label("4", exact=True).check()
    expect(teacher.locator("#option-komi")).to_have_attribute("placeholder", "0.5")
    expect(teacher.locator('#rules [name="handicap"][value="9"]')).to_be_hidden()
    screenshot(teacher, "teacher-rules-1366")
    assert not serious(teacher)
    teacher.set_viewport_size({"width": 360, "height": 740})
    assert overflowing(teacher) == []
    screenshot(teacher, "teacher-rules-360")
    teacher.fill("#option-komi", "1000")
    teacher.click("h2:has-text('The class')", force=True)
    teacher.get_by_role("button", name="Pair all who wait").click()
    expect(teacher.locator("#option-komi")).to_be_visible()  # with the reason of the browser
    teacher.fill("#option-komi", "")
    with teacher.expect_navigation():
        teacher.get_by_role("button", name="Pair all who wait").click()
    for student in students:
        student.wait_for_url("**/play/*")
        expect(student.locator(".board .stone")).to_have_count(4)
    teacher.click("summary:has-text('End')")
    expect(teacher.get_by_role("button", name="Begin a new class")).to_be_visible()
    assert overflowing(teacher) == []
    screenshot(teacher, "teacher-end-360")
    close(teacher, *students)


def test_actions_and_messages_move_nothing_on_the_teachers_page(
    served: Served, new_page: NewPage, screenshot: Screenshot, serious: Callable[[Page], list[str]]
) -> None:
    """The actions for a student stood above the table, and messages about ended games in it."""
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    close(*(join(served, new_page(360, 740), name) for name in ("Ann", "Bob")))
    tops = (
        "[...document.querySelectorAll('.students, .class-now > section')].map(one => one.getBoundingClientRect().top)"
    )
    expect(teacher.locator(".students tbody tr")).to_have_count(2)
    before = teacher.evaluate(tops)
    teacher.get_by_role("link", name="Ann", exact=True).click()
    expect(teacher.locator("#student h2")).to_have_text("Ann")
    assert teacher.evaluate(tops) == before
    actions = teacher.locator("#student").bounding_box()
    assert actions
    assert actions["y"] + actions["height"] <= 768
    screenshot(teacher, "teacher-actions-1366")
    assert not serious(teacher)
    removal = teacher.locator("#student .apart")
    removal.get_by_role("button", name="Remove").click()
    boxes = [removal.get_by_role("button", name=name).bounding_box() for name in ("Cancel", "Remove")]
    choice = removal.locator("span.muted").bounding_box()
    assert choice
    for box in boxes:
        assert box
        assert abs(box["y"] + box["height"] / 2 - choice["y"] - choice["height"] / 2) < 8, (
            "the words, the question and its buttons are in one line"
        )
        assert box["width"] < 120
    removal.get_by_role("button", name="Cancel").click()
    line = teacher.locator(".news-line")
    height = line.evaluate("one => one.offsetHeight")
    line.evaluate(
        """one => one.innerHTML = '<details class="menu news"><summary>2 games without a result</summary><div><ul>'
            + '<li>Ann – Bob: no result, because Bob made no first move within 60 s.</li>'.repeat(2)
            + '</ul></div></details><button>Dismiss</button>'"""
    )
    assert line.evaluate("one => one.offsetHeight") == height
    teacher.click(".news > summary")
    assert teacher.evaluate(tops) == before
    screenshot(teacher, "teacher-news-1366")
    close(teacher)


def test_a_pause_moves_nothing_and_other_pages_of_the_teacher_follow(served: Served, new_page: NewPage) -> None:
    teacher, other = new_page(1366, 768), new_page(1024, 768)
    for page in (teacher, other):
        page.goto(served.address + served.teacher)
    assert other.evaluate(
        """[...document.querySelectorAll("#game option")].every(option => {
            const list = option.parentElement, copy = document.createElement("span");
            copy.textContent = option.textContent;
            copy.style.font = getComputedStyle(list).font;
            document.body.append(copy);
            const width = copy.offsetWidth;
            copy.remove();
            return width < list.clientWidth - 40;
        })"""
    ), "no name of a game is cut"
    student = join(served, new_page(360, 740), "Ann")
    close(join(served, new_page(360, 740), "Bob"))
    pair_all(teacher, "5+3")
    expect(other.locator("#game")).to_have_value("gomoku size=9")
    expect(other.locator("#clock")).to_have_value("5+3")
    student.wait_for_url("**/play/*")
    for width, height in ((360, 740), (768, 1024), (1366, 768), (1024, 768)):
        student.set_viewport_size({"width": width, "height": height})
        rules = student.locator(".told")
        expect(rules).to_contain_text("No hints, analysis or taking back in class games.")
        assert rules.evaluate("one => one.scrollHeight <= one.clientHeight"), (
            "the rules are whole before the first move"
        )
    tops = (
        "[...document.querySelectorAll('.class-head > *, .class-now > *, .class-now svg')]"
        ".map(one => one.getBoundingClientRect().top)"
    )
    for page in (teacher, other):
        page.wait_for_timeout(2000)
        before = page.evaluate(tops)
        page.get_by_role("button", name="Pause all games").click()
        expect(page.get_by_role("button", name="Continue all games")).to_be_visible()
        page.wait_for_timeout(500)
        assert page.evaluate(tops) == before
        page.get_by_role("button", name="Continue all games").click()
        expect(page.get_by_role("button", name="Pause all games")).to_be_visible()
    teacher.click("summary:has-text('End')")
    for name in ("Declare all draws", "Stop and delete all running games"):
        teacher.get_by_role("button", name=name).click()
    expect(teacher.locator(".sure")).to_have_count(1)
    teacher.keyboard.press("Escape")
    teacher.get_by_role("link", name="Ann", exact=True).click()
    expect(teacher.locator("#student")).to_be_visible()
    expect(teacher.locator(".boards svg")).to_be_visible()
    # at one moment, because the board is drawn again after each event
    board_end, card_end, actions_start = teacher.evaluate(
        """[".boards svg", ".boards li", "#student"].map((name, at) =>
            document.querySelector(name).getBoundingClientRect()[at < 2 ? "bottom" : "top"])"""
    )
    assert board_end <= card_end <= actions_start, "a board is in its card, above the actions"
    close(teacher, other, student)


def test_the_wall_shows_every_game_of_the_last_round(served: Served, new_page: NewPage, screenshot: Screenshot) -> None:
    """Between two rounds it showed four games at most."""
    teacher, wall = new_page(1366, 768), new_page(1024, 768)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    close(*(join(served, new_page(360, 740), f"Student {number}") for number in range(12)))
    teacher.reload()
    teacher.check('[name="away"]')
    pair_all(teacher)
    expect(wall.locator(".boards svg")).to_have_count(6)
    teacher.click("summary:has-text('End')")
    teacher.get_by_role("button", name="Declare all draws").click()
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
    close(teacher, wall)


def test_the_lists_of_students_follow_the_class(served: Served, new_page: NewPage) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    students = [join(served, new_page(360, 740), name) for name in ("Ann", "Bob", "Cid")]
    teacher.get_by_role("link", name="Ann", exact=True).click()
    opponents = teacher.locator("#student [name=second]")
    expect(opponents.locator("option")).to_have_text(["Bob", "Cid"])
    opponents.select_option("Cid")
    students.append(join(served, new_page(360, 740), "Dan"))
    expect(opponents.locator("option")).to_have_text(["Bob", "Cid", "Dan"])
    assert opponents.input_value() == "Cid", "the choice stays"
    pair_two(served, teacher, "Ann", "Bob")
    heirs = teacher.locator("#student [name=heir] > option")
    expect(heirs).to_have_text(["Bob wins", "Cid plays on", "Dan plays on"])
    expect(teacher.get_by_role("button", name="Ann wins")).to_be_visible()
    students.append(join(served, new_page(360, 740), "Eve"))
    expect(heirs).to_have_text(["Bob wins", "Cid plays on", "Dan plays on", "Eve plays on"])
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    teacher.request.post(f"{served.address}{served.teacher}/remove", form={"name": "Ann", "token": token})
    expect(teacher.locator("#student")).to_have_count(0)
    expect(teacher.locator(".said-now [role=status]")).to_have_text("All games are over: pair the students again.")
    close(teacher, *students)


def test_a_student_can_join_as_soon_as_the_class_is_open(served: Served, new_page: NewPage) -> None:
    teacher, ann = new_page(1366, 768), new_page(360, 740)
    teacher.goto(served.address + served.teacher)
    teacher.get_by_role("switch", name="New students").click()
    ann.goto(f"{served.address}/class")
    expect(ann.locator(STATUS)).to_have_text("The class is closed. You can join here as soon as the teacher opens it.")
    expect(ann.locator("#name")).to_be_hidden()
    teacher.get_by_role("switch", name="New students").click()
    expect(ann.locator(STATUS)).to_have_text("Join the class.")
    ann.fill("#name", "Ann")
    teacher.get_by_role("switch", name="New students").click()
    expect(ann.locator("#name")).to_be_hidden()
    teacher.get_by_role("switch", name="New students").click()
    expect(ann.locator("#name")).to_have_value("Ann")
    ann.get_by_role("button", name="Join").click()
    expect(ann.locator(STATUS)).to_contain_text("Wait for the teacher")
    close(teacher, ann)


def test_escape_closes_a_student_and_a_new_class_offers_the_form_to_join(served: Served, new_page: NewPage) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    ann, bob = join(served, new_page(360, 740), "Ann"), join(served, new_page(360, 740), "Bob")
    teacher.get_by_role("link", name="Ann", exact=True).click()
    expect(teacher.locator("#student")).to_be_visible()
    teacher.click("summary:has-text('End')")
    teacher.keyboard.press("Escape")  # closes the menu only
    expect(teacher.locator(".menu[open]")).to_have_count(0)
    expect(teacher.locator("#student")).to_be_visible()
    teacher.locator("#student").get_by_role("button", name="Remove").click()
    teacher.keyboard.press("Escape")  # closes the question only
    expect(teacher.locator("#student")).to_be_visible()
    teacher.keyboard.press("Escape")
    expect(teacher.locator("#student")).to_have_count(0)
    teacher.click("summary:has-text('End')")
    teacher.get_by_role("button", name="Begin a new class").click()
    teacher.click(".sure button.danger")
    for student in (ann, bob):
        expect(student.get_by_role("button", name="Join")).to_be_visible()
        expect(student.get_by_role("button", name="Change the name")).to_have_count(0)
    close(teacher, ann, bob)


def test_the_teacher_switches_help_on_while_students_play(served: Served, new_page: NewPage) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    students = [
        join(served, new_page(width, height), name) for width, height, name in ((360, 740, "A"), (1366, 768, "B"))
    ]
    pair_all(teacher)
    for student in students:
        expect(student.locator(".told")).to_contain_text("No hints, analysis or taking back in class games.")
        for name in ("hint", "undo", "explain"):
            expect(student.locator(f"button.{name}")).to_be_hidden()
        assert overflowing(student) == []
        student.click(".menu > summary")
        expect(student.locator("button.resign")).to_be_visible()
        expect(student.locator("button.delete")).to_be_hidden()
        expect(student.get_by_text("Analyse this position")).to_be_hidden()
    teacher.get_by_role("switch", name="Help in games").click()
    expect(teacher.get_by_role("switch", name="Help in games")).to_be_checked()
    for student in students:
        expect(student.locator("button.hint")).to_be_visible()
        expect(student.locator("button.undo")).to_be_hidden()
    teacher.get_by_role("switch", name="Taking back moves").click()
    for student in students:
        expect(student.locator("button.undo")).to_be_visible()
    close(teacher, *students)


def test_a_pause_and_a_decision_reach_the_students(
    served: Served, new_page: NewPage, serious: Callable[[Page], list[str]]
) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    ann, bob = join(served, new_page(360, 740), "Ann"), join(served, new_page(1366, 768), "Bob")
    pair_all(teacher, "5+3")
    for student in (ann, bob):
        student.wait_for_url("**/play/*")
    first, second = sorted((ann, bob), key=lambda student: "Your turn" not in student.inner_text(STATUS))
    place(first, "e5")
    expect(second.locator(STATUS)).to_contain_text("Your turn")
    place(second, "e4")
    expect(ann.locator(".clock[data-left]")).to_have_count(1)
    for student in (ann, bob):
        gaps, ends = student.evaluate(
            """() => [...document.querySelectorAll(".players li")].map(line => {
                const [swatch, who, clock] = [".swatch", ".who", ".clock"].map(
                    part => line.querySelector(part).getBoundingClientRect()
                );
                return [Math.round(who.left - swatch.right), Math.round(clock.right)];
            }).reduce(([gaps, ends], [gap, end]) => [[...gaps, gap], [...ends, end]], [[], []])"""
        )
        assert gaps == [10, 10], "a name stands beside its stone"
        assert len(set(ends)) == 1, "the clocks are below each other"
    teacher.get_by_role("button", name="Pause all games").click()
    for student in (ann, bob):
        expect(student.locator(STATUS)).to_have_text("The teacher has paused all games.")
        expect(student.locator(".clock[data-left]")).to_have_count(0)
    teacher.get_by_role("button", name="Continue all games").click()
    expect(ann.locator(".clock[data-left]")).to_have_count(1)
    teacher.get_by_role("link", name="Bob", exact=True).click()
    expect(teacher.locator("#student h2")).to_have_text("Bob")
    assert not serious(teacher)
    teacher.get_by_role("button", name="Bob wins").click()
    expect(teacher.get_by_role("group", name="End this game? Bob wins.")).to_be_visible()
    teacher.click(".sure button:last-child")
    expect(bob.locator(STATUS)).to_contain_text("You won, after 2 moves: the teacher decided the game.")
    expect(ann.locator(STATUS)).to_contain_text("You lost")
    expect(teacher.locator("tbody tr >> nth=0")).to_contain_text(re.compile("Bob.*1"))
    close(teacher, ann, bob)


def test_pages_of_a_class_survive_a_restart_of_the_server(served: Served, new_page: NewPage) -> None:
    teacher, wall = new_page(1366, 768, clean=False), new_page(1366, 768, clean=False)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    students = [join(served, new_page(360, 740, clean=False), name) for name in ("Ann", "Bob", "Cid")]
    pair_two(served, teacher, "Ann", "Bob")
    playing = students[:2]
    for student in playing:
        student.wait_for_url("**/play/*")
    expect(wall.locator(".boards svg")).to_have_count(1)
    served.stop()
    for page in (teacher, wall, *students):
        expect(page.locator("#lost")).to_contain_text("The server does not answer.")
    served.start()
    for page in (teacher, wall, *students):
        expect(page.locator("#lost")).to_be_empty()
    expect(teacher.locator(STATUS)).to_contain_text("3 students: 1 ready, 2 playing")
    expect(wall.locator(".boards svg")).to_have_count(1)
    place(
        next(student for student in playing if "Your turn" in student.inner_text(STATUS)), "e5"
    )  # lots decide who is first
    for student in playing:
        expect(student.locator('[data-point="e5"] .stone')).to_have_count(1)
    expect(wall.locator(".boards .stone")).to_have_count(1)


def test_a_student_on_another_page_is_present_and_called_to_the_game(served: Served, new_page: NewPage) -> None:
    """Such students counted as away after 20 s, and after a restart of the server."""
    teacher, ann = new_page(1366, 768, clean=False), join(served, new_page(360, 740, clean=False), "Ann")
    close(join(served, new_page(360, 740), "Bob"))
    teacher.goto(served.address + served.teacher)
    ann.goto(f"{served.address}/puzzles")
    served.stop()
    expect(ann.locator("#lost")).to_contain_text("The server does not answer.")
    served.start()
    expect(ann.locator("#lost")).to_be_empty()
    expect(teacher.locator(STATUS)).to_contain_text("2 students: 1 ready, 1 away")
    expect(teacher.locator(".students .away")).to_have_count(1)
    expect(teacher.locator("tr:has(.away)")).to_contain_text("Bob")
    pair_two(served, teacher, "Ann", "Bob")
    ann.wait_for_url("**/play/*")
    ann.goto(f"{served.address}/watch")  # a student may look at another page during a game
    expect(ann.locator(".boards svg")).to_have_count(1)
    assert ann.url.endswith("/watch")


def test_a_page_says_that_it_is_incomplete_or_has_lost_the_connection(served: Served, new_page: NewPage) -> None:
    """Without its script or without a network, a page would look as if the game went on."""
    dead, teacher = new_page(360, 740, clean=False), new_page(1366, 768, clean=False)
    dead.route("**/page.js", lambda route: route.abort())
    dead.goto(f"{served.address}/class")
    expect(dead.locator("#incomplete")).to_be_visible()
    expect(dead.locator("#incomplete")).to_have_text("This page did not load completely. Reload it.")
    teacher.goto(served.address + served.teacher)
    students = [join(served, new_page(360, 740, clean=False), name) for name in ("Ann", "Bob")]
    expect(students[0].locator("#incomplete")).to_have_count(0)
    pair_two(served, teacher, "Ann", "Bob", clock="5+3")
    for student in students:
        student.wait_for_url("**/play/*")
    first, second = sorted(students, key=lambda student: "Your turn" not in student.inner_text(STATUS))
    for player, point in ((first, "e5"), (second, "e4"), (first, "d4"), (second, "d5")):
        expect(player.locator(STATUS)).to_contain_text("Your turn")
        place(player, point)
    expect(first.locator(".clock[data-left]")).to_have_count(1)
    first.context.set_offline(True)
    expect(first.locator("#lost")).to_contain_text("The server does not answer.", timeout=8000)
    clock = first.locator(".clock[data-left]")
    before = clock.inner_text()
    first.wait_for_timeout(1500)
    assert clock.inner_text() == before, "the clock stands still"
    first.context.set_offline(False)
    expect(first.locator("#lost")).to_be_empty()
    expect(clock).not_to_have_text(before)
    close(teacher, *students)


def test_the_teachers_page_is_short_on_a_phone(served: Served, new_page: NewPage) -> None:
    """A class of 26 took 8,000 px."""
    teacher = new_page(360, 740)
    teacher.goto(served.address + served.teacher)
    for number in range(26):
        student = teacher.context.browser.new_context().request  # type: ignore[union-attr]
        token = re.findall(r'name="token" content="(\w+)"', student.get(f"{served.address}/class").text())[0]
        student.post(f"{served.address}/class", form={"token": token, "name": f"Maria Anna {chr(65 + number)}"})
    teacher.reload()
    teacher.check('[name="away"]')
    pair_all(teacher)
    expect(teacher.locator(".boards svg")).to_have_count(13)
    assert teacher.evaluate("document.documentElement.scrollHeight") < 2800
    assert teacher.evaluate("document.documentElement.scrollWidth") == 360


def test_the_wall_fits_every_projector_and_can_be_read(
    served: Served, new_page: NewPage, screenshot: Screenshot, serious: Callable[[Page], list[str]]
) -> None:
    wall, teacher = new_page(1024, 768), new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    expect(wall.locator("main")).to_contain_text("The names of the class appear here.")
    names = [f"Maria Anna {chr(65 + number)}{chr(65 + number)}" for number in range(16)]
    students = [join(served, new_page(360, 740), name) for name in names]
    close(*students)
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
    for number, point in enumerate(("e5", "d4", "c3")):  # a game without first moves would end after a minute
        for student in students[number % 2 :: 2]:  # one of each pair
            move_if_to_move(served, student, point)
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
    assert not serious(wall)
    visible_names = set(wall.locator(".standings tbody tr:visible th").all_inner_texts())
    assert visible_names, "the standings of the class are always shown"
    close(wall, teacher)


def test_a_game_on_the_wall_is_enlarged_and_a_pause_moves_nothing(
    served: Served, new_page: NewPage, screenshot: Screenshot, serious: Callable[[Page], list[str]]
) -> None:
    wall, teacher = new_page(1024, 768), new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    names = [f"Maria Anna {chr(65 + number)}" for number in range(10)]
    students = [join(served, new_page(360, 740), name) for name in names]
    close(*students)
    for first, second in zip(names[::2], names[1::2], strict=True):
        pair_two(served, teacher, first, second, clock="5+3")
    for number, student in enumerate(students):
        move_if_to_move(served, student, ("e5", "d4")[number % 2])
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
    assert not serious(wall)
    screenshot(wall, "wall-enlarged-1366")
    teacher.get_by_role("button", name="Continue all games").click()
    stones = wall.locator("#enlarged .stone").count()
    for number, student in enumerate(students):
        move_if_to_move(served, student, ("c3", "c4")[number % 2])
    expect(wall.locator("#enlarged .stone")).not_to_have_count(stones)  # it follows the game
    wall.keyboard.press("Escape")
    expect(wall.locator("#enlarged")).to_be_hidden()
    wall.keyboard.press("1")
    expect(wall.locator("#enlarged")).to_be_visible()
    wall.locator("#enlarged").click()
    expect(wall.locator("#enlarged")).to_be_hidden()
    assert wall.url.endswith("/wall")
    close(wall, teacher)


def test_the_leaders_stay_in_the_table_on_the_wall_and_its_lines_are_whole(
    served: Served, new_page: NewPage, screenshot: Screenshot
) -> None:
    wall, teacher = new_page(1024, 768), new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    names = [*LONG, *(f"Student {number}" for number in range(10))]
    close(*(join(served, new_page(360, 740), name) for name in names))
    for _ in range(2):
        teacher.reload()
        teacher.check('[name="away"]')
        pair_all(teacher)
        teacher.click("summary:has-text('End')")
        teacher.get_by_role("button", name="Declare all draws").click()
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
    for _ in range(3):
        wall.evaluate("wallTurn++; rotateWall()")
        shown.append(rows.locator("th").all_inner_texts())
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
    close(wall, teacher)


LONG = ("Maximiliane Wolfeschlegelstein", "Grzegorz Brzęczyszczykiewicz")


def test_the_wall_uses_the_space_beside_its_boards_and_cuts_no_name(served: Served, new_page: NewPage) -> None:
    wall, teacher = new_page(1024, 768), new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    names = [*LONG, *(f"Student {number}" for number in range(6))]
    close(*(join(served, new_page(360, 740), name) for name in names))
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
    expect(result).to_have_text(f"{LONG[0]} won")
    words, board = result.bounding_box(), wall.locator(".boards .still svg").first.bounding_box()
    assert words
    assert board
    assert board["y"] < words["y"]
    assert words["y"] + words["height"] < board["y"] + board["height"] + 7, "the result is on the board"
    card = wall.locator(".boards .still").first.bounding_box()
    assert card
    assert card["x"] <= words["x"] <= words["x"] + words["width"] <= card["x"] + card["width"]
    assert result.evaluate("one => one.scrollWidth <= one.clientWidth"), "and it is not cut"
    close(wall, teacher)


@pytest.mark.parametrize("clock", ["", "5+3"])
def test_a_long_name_on_a_full_wall_cuts_off_no_board(served: Served, new_page: NewPage, clock: str) -> None:
    """With twelve boards on a small projector, one name took four lines, and the second row was half visible."""
    wall, teacher = new_page(1024, 768), new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    names = ("Maximilian von Habsburg-Lothri", "Bob", "Cid", "Dan")
    close(*(join(served, new_page(360, 740), name) for name in names))
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
    close(wall, teacher)
