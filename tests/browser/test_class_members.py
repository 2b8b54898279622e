"""Students of a class in browsers: they join, leave, come back, and lose the connection."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser._class import class_server, close_pages, join_class, pair_two
from tests.browser._served import ServerProcess
from tests.browser.conftest import NewPage
from tests.browser.test_page import STATUS, place

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]


served = class_server()


def test_a_student_can_join_as_soon_as_the_class_is_open(served: ServerProcess, new_page: NewPage) -> None:
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
    close_pages(teacher, ann)


def test_pages_of_a_class_survive_a_restart_of_the_server(served: ServerProcess, new_page: NewPage) -> None:
    teacher, wall = new_page(1366, 768, clean=False), new_page(1366, 768, clean=False)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    students = [join_class(served, new_page(360, 740, clean=False), name) for name in ("Ann", "Bob", "Cid")]
    pair_two(served, teacher, "Ann", "Bob")
    playing = students[:2]
    for student in playing:
        student.wait_for_url("**/play/*")
    expect(wall.locator(".boards svg")).to_have_count(1)
    expect(teacher.locator("#game")).to_have_value("gomoku size=9")  # the page loads again to follow this choice
    teacher.wait_for_load_state()
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


def test_a_student_on_another_page_is_present_and_called_to_the_game(served: ServerProcess, new_page: NewPage) -> None:
    """Such students counted as away after 20 s, and after a restart of the server."""
    teacher, ann = new_page(1366, 768, clean=False), join_class(served, new_page(360, 740, clean=False), "Ann")
    close_pages(join_class(served, new_page(360, 740), "Bob"))
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


def test_a_page_says_that_it_is_incomplete_or_has_lost_the_connection(served: ServerProcess, new_page: NewPage) -> None:
    """Without its script or without a network, a page would look as if the game went on."""
    dead, teacher = new_page(360, 740, clean=False), new_page(1366, 768, clean=False)
    dead.route("**/page.js", lambda route: route.abort())
    dead.goto(f"{served.address}/class")
    expect(dead.locator("#incomplete")).to_be_visible()
    expect(dead.locator("#incomplete")).to_have_text("This page did not load completely. Reload it.")
    teacher.goto(served.address + served.teacher)
    students = [join_class(served, new_page(360, 740, clean=False), name) for name in ("Ann", "Bob")]
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
    close_pages(teacher, *students)


def test_a_question_about_a_student_stays_when_another_game_ends(served: ServerProcess, new_page: NewPage) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    students = [join_class(served, new_page(360, 740), name) for name in ("Ann", "Bob", "Cid")]
    pair_two(served, teacher, "Bob", "Cid")
    expect(teacher.locator("#game")).to_have_value("gomoku size=9")  # the page loads again to follow this choice
    teacher.get_by_role("link", name="Ann", exact=True).click()
    chosen = teacher.locator("#student")
    expect(chosen.get_by_label("Opponent")).to_have_count(0)
    chosen.get_by_role("button", name="Remove").click()
    expect(teacher.locator("#end-games")).not_to_have_attribute("hidden", "")
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    url = f"{served.address}{served.teacher}/award"
    assert teacher.request.post(url, form={"name": "Bob", "token": token}).ok
    expect(teacher.locator(STATUS)).to_contain_text("3 ready")
    expect(teacher.locator("#end-games")).to_have_attribute("hidden", "")  # no game runs
    expect(chosen.locator(".sure")).to_have_count(1)
    chosen.get_by_role("button", name="Cancel").click()
    expect(chosen.get_by_label("Opponent")).to_be_visible()
    pair_two(served, teacher, "Ann", "Bob")
    for words in ("Ann wins", "Bob wins"):
        chosen.get_by_role("button", name=words).click()
        expect(chosen.locator(".sure > p")).to_have_text(f"End this game? {words}.")  # the last question is gone
    close_pages(teacher, *students)


def test_escape_closes_a_student_and_a_new_class_offers_the_form_to_join(
    served: ServerProcess, new_page: NewPage
) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    ann, bob = join_class(served, new_page(360, 740), "Ann"), join_class(served, new_page(360, 740), "Bob")
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
    close_pages(teacher, ann, bob)
