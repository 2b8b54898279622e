"""The teacher's page in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser._class import class_server, close_pages, join_class, open_class, pair_all, pair_two
from tests.browser._served import ServerProcess
from tests.browser.conftest import FindViolations, NewPage, Screenshot
from tests.browser.test_page import STATUS

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.slow]


served = class_server()


def test_actions_and_messages_move_nothing_on_the_teachers_page(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot, find_serious_violations: FindViolations
) -> None:
    """The actions for a student stood above the table, and messages about ended games in it."""
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    close_pages(*(join_class(served, new_page(360, 740), name) for name in ("Ann", "Bob")))
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
    assert not find_serious_violations(teacher)
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
    close_pages(teacher)


def test_the_teacher_exchanges_students_in_the_preview(
    served: ServerProcess,
    new_page: NewPage,
    find_serious_violations: FindViolations,
    screenshot: Screenshot,
) -> None:
    teacher, _, _ = open_class(served, new_page, ("Ann", "Bob", "Cem", "Dunja", "Eve"))
    teacher.check('[name="away"]')  # the pages of the students are closed
    teacher.get_by_role("button", name="Preview", exact=True).click()
    pairs = teacher.locator(".preview-pairs li")
    expect(pairs).to_have_count(2)
    names = [pair.split() for pair in pairs.all_inner_texts()]  # such as ["Ann", "0", "–", "Bob", "0"]
    pairs.first.get_by_role("link", name=names[0][0]).click()
    assert not find_serious_violations(teacher)
    screenshot(teacher, "class-preview")
    pairs.last.get_by_role("button", name=names[1][3]).click()
    expect(teacher.locator(".said-now")).to_contain_text(f"{names[0][0]} and {names[1][3]} have changed places.")
    expect(pairs.first).to_contain_text(f"{names[1][3]} 0 – {names[0][3]} 0")
    teacher.locator(".preview-pairs").get_by_role("button", name="Start these games").click()
    expect(teacher.locator(".boards li")).to_have_count(2)
    columns = teacher.evaluate(
        """() => {
            const boards = document.querySelector(".boards");
            while (boards.children.length < 13) boards.append(boards.children[0].cloneNode(true));
            dispatchEvent(new Event("resize"));
            return getComputedStyle(boards).gridTemplateColumns.split(" ").length;
        }"""
    )
    assert columns == 4, "the teacher sees eight of thirteen boards at once"
    words = "26 students: 12 ready, 10 playing (4 idle), 4 away; the class is paused."
    lines = teacher.evaluate(
        """words => {
            const status = document.querySelector(".class-address .status"), before = status.offsetHeight;
            status.firstChild.textContent = words;
            return status.offsetHeight - before;
        }""",
        words,
    )
    assert lines == 0, "a longer status moves nothing"
    expect(teacher.get_by_role("button", name="Pair all who wait")).to_be_visible()
    teacher.get_by_role("link", name="All rounds").click()
    expect(teacher.locator(".pairs tbody tr").first).to_contain_text(f"{names[1][3]} – {names[0][3]}")
    expect(teacher.locator(".pairs tbody tr").last).to_contain_text("running")
    assert not find_serious_violations(teacher)
    close_pages(teacher)


def test_the_lists_of_students_follow_the_class(served: ServerProcess, new_page: NewPage) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    students = [join_class(served, new_page(360, 740), name) for name in ("Ann", "Bob", "Cid")]
    teacher.get_by_role("link", name="Ann", exact=True).click()
    opponents = teacher.locator("#student [name=second]")
    expect(opponents.locator("option")).to_have_text(["Bob", "Cid"])
    opponents.select_option("Cid")
    students.append(join_class(served, new_page(360, 740), "Dan"))
    expect(opponents.locator("option")).to_have_text(["Bob", "Cid", "Dan"])
    assert opponents.input_value() == "Cid", "the choice stays"
    pair_two(served, teacher, "Ann", "Bob")
    heirs = teacher.locator("#student [name=heir] > option")
    expect(heirs).to_have_text(["Bob wins", "Cid plays on", "Dan plays on"])
    expect(teacher.get_by_role("button", name="Ann wins")).to_be_visible()
    students.append(join_class(served, new_page(360, 740), "Eve"))
    expect(heirs).to_have_text(["Bob wins", "Cid plays on", "Dan plays on", "Eve plays on"])
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    teacher.request.post(f"{served.address}{served.teacher}/remove", form={"name": "Ann", "token": token})
    expect(teacher.locator("#student")).to_have_count(0)
    expect(teacher.locator(".said-now [role=status]")).to_have_text("All games are over: pair the students again.")
    close_pages(teacher, *students)


def test_the_teacher_renames_a_student_and_a_longer_status_moves_nothing(
    served: ServerProcess, new_page: NewPage, screenshot: Screenshot
) -> None:
    teacher = new_page(1366, 768)
    teacher.goto(served.address + served.teacher)
    ann, bob = join_class(served, new_page(360, 740), "Idiot"), join_class(served, new_page(360, 740), "Bob")
    top = "document.querySelector('.class-now').getBoundingClientRect().top"
    expect(teacher.locator(".students tbody tr")).to_have_count(2)
    before = teacher.evaluate(top)
    pair_all(teacher)
    expect(teacher.locator(STATUS)).to_have_text("2 students: 0 ready, 2 playing; the class is open.")
    assert teacher.evaluate(top) == before, "a second line in the status moved the page"
    bob.wait_for_url("**/play/*")
    teacher.get_by_role("link", name="Idiot", exact=True).click()
    teacher.wait_for_load_state()  # a page with an anchor takes the focus away as it loads
    teacher.locator("#student [name=new_name]").fill("Ann")
    screenshot(teacher, "teacher-rename-1366")
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    teacher.request.post(f"{served.address}{served.teacher}/adjourn", form={"name": "Bob", "token": token})
    expect(teacher.get_by_role("button", name="Pair these two")).to_be_visible()
    expect(teacher.locator("#student [name=new_name]")).to_have_value("Ann")
    expect(teacher.locator("#student [name=new_name]")).to_be_focused()
    teacher.get_by_role("button", name="Rename").click()
    expect(teacher.locator(".said-now [role=status]")).to_have_text("Idiot is now called Ann.")
    expect(teacher.locator(".students")).to_contain_text("Ann")
    expect(teacher.locator("body")).not_to_contain_text(re.compile("plays Idiot"))
    expect(bob.locator(".players.top")).to_contain_text("Ann")
    expect(bob.locator("h1")).to_contain_text("Ann")
    expect(bob).to_have_title(re.compile(r"Gomoku: (Ann – Bob|Bob – Ann) – Gomogo$"))
    teacher.click("summary:has-text('End')")
    for button in teacher.locator(".class-head .menu[open] button:visible").all():
        assert button.evaluate("one => one.scrollWidth <= one.clientWidth"), "no words outside of a button"
    close_pages(teacher, ann, bob)


def test_the_teachers_page_is_short_on_a_phone(served: ServerProcess, new_page: NewPage) -> None:
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
