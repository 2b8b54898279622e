"""Students, their teacher and the wall, as the tests of a class drive them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from playwright.sync_api import Page, expect

from tests.browser._served import ServerProcess, server_fixture
from tests.browser.conftest import NewPage
from tests.browser.test_page import STATUS


def class_server() -> Callable[..., Iterator[ServerProcess]]:
    """Return a fixture: a server with an empty class for each test."""
    return server_fixture("function", "--class", "--host", "127.0.0.1", "--agents", "greedy")


def join_class(served: ServerProcess, page: Page, name: str) -> Page:
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


def pair_two(served: ServerProcess, teacher: Page, first: str, second: str, clock: str = "") -> None:
    """Start a game between two students of these names."""
    form = {"game": "gomoku size=9", "clock": clock, "first": first, "second": second}
    token = teacher.get_attribute('meta[name="token"]', "content") or ""
    answer = teacher.request.post(f"{served.address}{served.teacher}/pair-two", form={**form, "token": token})
    assert answer.ok


def move_if_to_move(served: ServerProcess, student: Page, point: str) -> None:
    """Play a move in a student's game if it is their turn. The student's page may be closed."""
    request = student.context.request
    class_page = request.get(f"{served.address}/class").text()
    game = f"{served.address}/play/{class_page.partition('/play/')[2].partition(chr(34))[0]}"
    class_page = request.get(game).text()
    if "Your turn" in class_page:
        token = class_page.partition('name="token" content="')[2].partition('"')[0]
        assert request.post(f"{game}/move", form={"move": point, "token": token}).ok


def close_pages(*pages: Page) -> None:
    """Close pages, since a page that still asks the server would report that it is gone."""
    for page in pages:
        page.close()


def open_class(served: ServerProcess, new_page: NewPage, names: Sequence[str]) -> tuple[Page, Page, list[Page]]:
    """Open the teacher's page and the wall, and let students of these names join. Return the pages; those of the
    students are closed.
    """
    teacher, wall = new_page(1366, 768), new_page(1024, 768)
    teacher.goto(served.address + served.teacher)
    wall.goto(f"{served.address}/wall")
    students = [join_class(served, new_page(360, 740), name) for name in names]
    close_pages(*students)
    return teacher, wall, students


def play_moves(served: ServerProcess, students: Sequence[Page], *points: str) -> None:
    """Play moves in the games of students, where two neighbours in the list play each other."""
    for number, point in enumerate(points):
        for student in students[number % 2 :: 2]:  # one of each pair
            move_if_to_move(served, student, point)
