"""The rules of a class in browsers."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser._class import class_server, close_pages, join_class, pair_all
from tests.browser._served import ServerProcess
from tests.browser.conftest import FindViolations, NewPage, Screenshot
from tests.browser.test_design import overflowing

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]


served = class_server()


def test_unsent_choices_outlast_the_teachers_other_actions(served: ServerProcess, new_page: NewPage) -> None:
    """They were reset without a word, and the next games began with other rules."""
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    teacher.select_option("#game", "go size=9")
    teacher.select_option("#clock", "5+3")
    teacher.check('[name="away"]')
    teacher.click("summary:has-text('Rules')")
    teacher.fill("#option-komi", "3")
    for button in (teacher.get_by_role("switch").first, teacher.get_by_role("button", name="Pause all games")):
        with teacher.expect_navigation():
            button.click()
        expect(teacher.locator("#game")).to_have_value("go size=9")
        expect(teacher.locator("#clock")).to_have_value("5+3")
        expect(teacher.locator('[name="away"]')).to_be_checked()
        expect(teacher.locator("#option-komi")).to_have_value("3")
    for name in ("Ann", "Bob"):
        close_pages(join_class(served, new_page(360, 740), name))
    with teacher.expect_navigation():
        teacher.get_by_role("button", name="Pair all who wait").click()
    expect(teacher.locator("#game")).to_have_value("go size=9")
    expect(teacher.locator('[name="away"]')).not_to_be_checked()  # this choice is for one pairing
    close_pages(teacher)


def test_unsent_choices_stay_when_another_page_pairs_and_a_line_offers_its_choices(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot
) -> None:
    """They stayed without a word, and the next games began with another game than the one that the class played."""
    laptop, tablet = new_page(1366, 768), new_page(1366, 768)
    for page in (laptop, tablet):
        page.goto(served.address + served.teacher)
    for name in ("Ann", "Bob"):
        close_pages(join_class(served, new_page(360, 740), name))
    laptop.select_option("#game", "go size=9")
    tablet.select_option("#clock", "5+3")
    with laptop.expect_navigation():
        pair_all(tablet, clock="5+3")
    expect(tablet.locator(".said-now")).to_have_text("1 game started.")
    expect(laptop.locator("#game")).to_have_value("go size=9")
    expect(laptop.locator("#paired-elsewhere")).to_contain_text("Paired on another page: Gomoku 9×9, 5 min")
    screenshot(laptop, "teacher-paired-elsewhere")
    with laptop.expect_navigation():
        laptop.get_by_role("button", name="Choose the same").click()
    expect(laptop.locator("#game")).to_have_value("gomoku size=9")
    expect(laptop.locator("#clock")).to_have_value("5+3")
    expect(laptop.locator("#paired-elsewhere")).to_be_hidden()
    close_pages(laptop, tablet)


def test_the_rules_on_the_teachers_page_follow_the_game(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    students = [join_class(served, new_page(360, 740), name) for name in ("Ann", "Bob")]
    teacher.select_option("#game", "gomoku size=9")
    teacher.click("summary:has-text('Rules')")
    expect(teacher.locator('#rules [name="option-opening"]')).to_have_count(4)
    teacher.select_option("#game", "go size=9")
    teacher.locator("#rules").get_by_label("4", exact=True).check()
    expect(teacher.locator("#option-komi")).to_have_attribute("placeholder", "0.5")
    expect(teacher.locator('#rules [name="handicap"][value="9"]')).to_be_hidden()
    screenshot(teacher, "teacher-rules-1366")
    assert not find_serious_violations(teacher)
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
    close_pages(teacher, *students)


def test_the_teacher_switches_help_on_while_students_play(served: ServerProcess, new_page: NewPage) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    students = [
        join_class(served, new_page(width, height), name) for width, height, name in ((360, 740, "A"), (1366, 768, "B"))
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
    close_pages(teacher, *students)


@pytest.mark.parametrize("game", ["gomoku size=9", "go size=9", "dots_and_boxes rows=5 cols=5"])
def test_the_rules_are_whole_on_a_phone_of_any_height(served: ServerProcess, new_page: NewPage, game: str) -> None:
    """On phones below 705 px of height, and on each phone in Dots and Boxes, only two of four lines were visible."""
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    students = [join_class(served, new_page(360, 740), name) for name in ("Ann", "Bob")]
    teacher.select_option("#game", game)
    teacher.select_option("#clock", "10+0")
    teacher.get_by_role("button", name="Pair all who wait").click()
    for student in students:
        student.wait_for_url("**/play/*")
        for height in (640, 700, 706, 740):
            student.set_viewport_size({"width": 360, "height": height})
            expect(student.locator(".told")).to_contain_text("No hints, analysis or taking back in class games.")
            facts = student.evaluate(  # at one moment, because the page is drawn again after each event
                """() => {
                    const parts = [".told", ".board", ".controls"].map(name => document.querySelector(name));
                    const [told, board, controls] = parts.map(one => one.getBoundingClientRect());
                    const isWhole = parts[0].scrollHeight <= parts[0].clientHeight;
                    return [isWhole, board.bottom < told.top, told.bottom <= controls.top];
                }"""
            )
            assert facts == [True, True, True], height
    close_pages(teacher, *students)
