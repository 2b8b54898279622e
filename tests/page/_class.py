"""A class for tests: its teacher, its students, and what their pages say."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.page.conftest import Browser, PageServer


def restart_with_class(server: PageServer) -> None:
    """Stop the server, and start it with a class."""
    server.stop()
    server.start(with_class=True)


def open_class(server: PageServer) -> tuple[str, Browser]:
    """Start a server with an empty class. Return the URL of the teacher's page, and the teacher's browser."""
    restart_with_class(server)
    return f"/class/{server.app.state.classroom.secret}", server.browser()


def open_class_with(server: PageServer, *names: str) -> tuple[str, Browser, dict[str, Browser]]:
    """Start a class. Return the URL of the teacher's page, the teacher's browser, and the students' by name."""
    class_url, teacher = open_class(server)
    students = {name: server.browser() for name in names}
    for name, student in students.items():
        student.post("/class", {"name": name})
    return class_url, teacher, students


def post_class_action(teacher: Browser, class_url: str, action_name: str, **fields: str) -> str:
    """Carry out an action of the teacher, and return the teacher's page after it."""
    return teacher.client.post(f"{class_url}/{action_name}", data={"token": teacher.token, **fields}).text


def pair_students(teacher: Browser, class_url: str, **fields: str) -> None:
    """Pair all students who wait, or two students by their names."""
    post_class_action = "pair-two" if fields else "pair"
    answer = teacher.client.post(
        f"{class_url}/{post_class_action}",
        data={"game": "gomoku size=9", "token": teacher.token, **fields},
        follow_redirects=False,
    )
    assert answer.status_code == 303, "to load the page again would pair again"


def close_pages_of(server: PageServer, name: str) -> None:
    """Close the pages of a student, a minute ago."""
    classroom = server.app.state.classroom
    classroom._last_seen[classroom._visitor_named(name)] -= 60.0


def game_key_of(student: Browser) -> str:
    """The key of the game to which the page of the class leads, or ""."""
    return student.get("/class").partition('href="/play/')[2].partition('"')[0]


def student_to_move(students: Iterable[Browser], key: str) -> Browser:
    """Return the browser of the student to move in a game."""
    return next(student for student in students if "Your turn" in student.get(f"/play/{key}"))


def parse_points(page: str) -> dict[str, str]:
    """Return the points of each student in the teacher's table."""
    names = r'<th scope="row">(?:<a [^>]*>)?(\w+)(?:</a>)?(?: <span[^>]*>away</span>)?</th>'
    return dict(re.findall(names + r'<td class="number" data-label="points">([\d.]+)<', page))
