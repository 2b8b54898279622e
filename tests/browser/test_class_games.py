"""Games of a class in browsers: the teacher pairs, pauses and decides."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser._class import class_server, close_pages, join_class, pair_all
from tests.browser._served import ServerProcess
from tests.browser.conftest import FindViolations, NewPage, Screenshot
from tests.browser.test_page import STATUS, place, resign

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]


served = class_server()


def test_students_are_led_from_game_to_game(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    ann, bob = join_class(served, new_page(360, 740), "Ann"), join_class(served, new_page(1366, 768), "Bob")
    expect(teacher.locator(STATUS)).to_contain_text("2 students: 2 ready")
    pair_all(teacher)
    for student in (ann, bob):
        expect(student).to_have_url(re.compile("/play/"))
    expect(teacher.locator(".boards svg")).to_have_count(1)
    first = ann.url
    screenshot(teacher, "teacher-1366")
    assert not find_serious_violations(teacher)
    resign(ann)
    expect(teacher.locator("tbody tr >> nth=0")).to_contain_text(re.compile("Bob.*1.*waits"))
    expect(teacher.locator(".students")).not_to_contain_text("away")  # they look at the game that is over
    pair_all(teacher)
    for student in (ann, bob):
        expect(student).not_to_have_url(first)
        expect(student).to_have_url(re.compile("/play/"))
    ann.evaluate("dispatchEvent(new Event('pagehide'))")  # like a phone that sleeps while the game is deleted
    teacher.click("summary:has-text('End')")
    expect(teacher.locator("#end-games")).to_be_visible()
    teacher.get_by_role("button", name="Stop and delete all running games").click()
    teacher.click(".sure button.danger")
    expect(bob).to_have_url(re.compile("/class$"))
    ann.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(ann).to_have_url(re.compile("/class$"))
    expect(ann.locator(".notice")).to_contain_text("ended without a result: the teacher stopped it.")
    expect(ann.locator("main")).to_contain_text("lost against Bob")
    expect(ann.locator("main")).to_contain_text("0 points in 1 game: place 2 of 2.")
    screenshot(ann, "class-360")
    close_pages(teacher, ann, bob)


def test_a_pause_and_a_decision_reach_the_students(
    served: ServerProcess, new_page: NewPage, find_serious_violations: FindViolations
) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    ann, bob = join_class(served, new_page(360, 740), "Ann"), join_class(served, new_page(1366, 768), "Bob")
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
    assert not find_serious_violations(teacher)
    teacher.get_by_role("button", name="Bob wins").click()
    expect(teacher.get_by_role("group", name="End this game? Bob wins.")).to_be_visible()
    teacher.click(".sure button:last-child")
    expect(bob.locator(STATUS)).to_contain_text("You won, after 2 moves: the teacher decided the game.")
    expect(ann.locator(STATUS)).to_contain_text("You lost")
    expect(teacher.locator("tbody tr >> nth=0")).to_contain_text(re.compile("Bob.*1"))
    close_pages(teacher, ann, bob)


def test_students_agree_on_a_draw(served: ServerProcess, new_page: NewPage, screenshot: Screenshot) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    ann, bob = join_class(served, new_page(360, 740), "Ann"), join_class(served, new_page(360, 640), "Bob")
    pair_all(teacher)
    for student in (ann, bob):
        student.wait_for_url("**/play/*")
    for refuses in (True, False):
        first, second = sorted((ann, bob), key=lambda student: "Your turn" not in student.inner_text(STATUS))
        first.click('summary[aria-label="More"]')
        first.get_by_role("button", name="Offer a draw").click()
        expect(first.locator(".note")).to_contain_text("You have offered")
        expect(second.locator(".note")).to_contain_text("offers you a draw.")
        screenshot(second, f"{second.viewport_size and second.viewport_size['height']}-draw")
        if refuses:
            second.get_by_role("button", name="Decline").click()
            expect(first.locator(".note")).to_contain_text("has declined the draw.")
            place(first, "e5")
            expect(second.locator(STATUS)).to_contain_text("Your turn")
    second.get_by_role("button", name="Accept the draw").click()
    for student in (ann, bob):
        expect(student.locator(STATUS)).to_have_text("A draw, after 1 move: the players agreed on a draw.")
    expect(teacher.locator("tbody tr >> nth=1")).to_contain_text("0.5")
    close_pages(teacher, ann, bob)


def test_the_message_after_a_pairing_stays_after_a_round(served: ServerProcess, new_page: NewPage) -> None:
    """The first event of the new page had the class before the pairing, and the next one removed the message."""
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    for name in ("Ann", "Bob"):
        close_pages(join_class(served, new_page(360, 740), name))
    for _ in range(3):
        pair_all(teacher)
        teacher.wait_for_timeout(1200)  # two checks for changes
        expect(teacher.locator(".said-now")).to_have_text("1 game started.")
        token = teacher.get_attribute('meta[name="token"]', "content") or ""
        teacher.request.post(f"{served.address}{served.teacher}/award", form={"name": "Ann", "token": token})
        expect(teacher.locator(".said-now")).to_have_text("All games are over: pair the students again.")
    close_pages(teacher)


def test_a_pause_moves_nothing_and_other_pages_of_the_teacher_follow(served: ServerProcess, new_page: NewPage) -> None:
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
    student = join_class(served, new_page(360, 740), "Ann")
    close_pages(join_class(served, new_page(360, 740), "Bob"))
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
    teacher.reload()  # it may be about to follow the other page by itself
    teacher.click("summary:has-text('End')")
    for name in ("Declare all games drawn", "Stop and delete all running games"):
        teacher.get_by_role("button", name=name).click()
    expect(teacher.locator(".sure")).to_have_count(1)
    teacher.keyboard.press("Escape")
    teacher.get_by_role("link", name="Ann", exact=True).click()
    teacher.wait_for_load_state()  # with the styles
    expect(teacher.locator("#student")).to_be_visible()
    expect(teacher.locator(".boards svg")).to_be_visible()
    # at one moment, because the board is drawn again after each event
    board_end, card_end, actions_start = teacher.evaluate(
        """[".boards svg", ".boards li", "#student"].map((name, at) =>
            document.querySelector(name).getBoundingClientRect()[at < 2 ? "bottom" : "top"])"""
    )
    assert board_end <= card_end <= actions_start, "a board is in its card, above the actions"
    close_pages(teacher, other, student)
