"""A class on the page: students join by name, the teacher pairs them, and nobody else does."""

from __future__ import annotations

from tests.page.conftest import Browser, House


def room(house: House) -> tuple[str, Browser]:
    """The address of the teacher's page, and the teacher's browser."""
    house.stop()
    house.start(with_class=True)
    return f"/class/{house.app.state.classroom.secret}", house.browser()


def test_without_a_class_there_is_no_page_of_one(me: Browser) -> None:
    me.get("/class")
    assert me.status == 404


def test_students_join_are_paired_and_play(house: House) -> None:
    where, teacher = room(house)
    ann, bob, cid = (house.browser() for _ in range(3))
    for student, name in ((ann, "李雷"), (bob, "Zoë"), (cid, "Zoë")):
        assert student.post("/class", {"name": name})["go"] == ""
    shown = teacher.get(where)
    assert all(f">{name}<" in shown for name in ("李雷", "Zoë", "Zoë-2"))
    assert "3 students, 3 waiting; the class is open." in shown
    teacher.client.post(f"{where}/pair", data={"game": "gomoku size=9", "token": teacher.token})
    assert "3 students, 1 waiting" in teacher.get(where)
    keys = {student.get("/class").partition('href="/play/')[2].partition('"')[0] for student in (ann, bob)}
    assert len(keys) == 1
    key = keys.pop()
    assert house.session(key).game.non_default_options == {"size": 9}
    assert ann.move(key, "e5")["said"] == ""
    assert "Wait for the teacher" in cid.get("/class")
    teacher.client.post(f"{where}/stop", data={"token": teacher.token})
    assert "3 students, 3 waiting" in teacher.get(where)


def test_only_the_teacher_pairs_and_a_closed_class_lets_nobody_in(house: House) -> None:
    where, teacher = room(house)
    stranger = house.browser()
    assert "This page is the teacher" in stranger.get("/class/guess")
    assert stranger.client.post("/class/guess/stop", data={"token": stranger.token}).status_code == 404
    teacher.client.post(f"{where}/close", data={"token": teacher.token})
    answer = stranger.client.post("/class", data={"name": "eve", "token": stranger.token})
    assert "The class is closed." in answer.text
    assert not house.app.state.classroom.students
    teacher.client.post(f"{where}/open", data={"token": teacher.token})
    stranger.client.post("/class", data={"name": "<b>", "token": stranger.token})
    assert not house.app.state.classroom.students
    assert "0 students" in teacher.get(where)
