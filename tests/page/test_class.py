"""A class on the page: students join by name, the teacher pairs them, and nobody else does."""

from __future__ import annotations

import re

from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Started
from gomogo_core.records.live_format import LiveFile
from tests.page.conftest import Browser, PageServer, until


def room(server: PageServer) -> tuple[str, Browser]:
    """The address of the teacher's page, and the teacher's browser."""
    server.stop()
    server.start(with_class=True)
    return f"/class/{server.app.state.classroom.secret}", server.browser()


def test_the_class_page_is_missing_without_a_class(me: Browser) -> None:
    me.get("/class")
    assert me.status == 404


def test_students_join_are_paired_and_play(server: PageServer) -> None:
    where, teacher = room(server)
    ann, bob, cid = (server.browser() for _ in range(3))
    for student, name in ((ann, "李雷"), (bob, "Zoë"), (cid, "Zoë")):
        assert student.post("/class", {"name": name})["go"] == ""
    shown = teacher.get(where)
    assert all(f">{name}<" in shown for name in ("李雷", "Zoë", "Zoë-2"))
    assert "3 students, 3 waiting; the class is open." in shown
    teacher.client.post(f"{where}/pair", data={"game": "gomoku size=9", "clock": "10+5", "token": teacher.token})
    shown = teacher.get(where)
    assert "3 students, 1 waiting" in shown
    assert '<option value="10+5" selected>' in shown
    found = [key_of(student) for student in (ann, bob, cid)]
    key = next(filter(None, found))
    assert found.count(key) == 2
    assert found.count("") == 1
    assert server.session(key).game.non_default_options == {"size": 9}
    assert server.session(key).clocks() == (600.0, 600.0)
    first = next(one for one in (ann, bob, cid) if "Your turn" in one.get(f"/play/{key}"))
    assert first.move(key, "e5")["said"] == ""
    assert "Wait for the teacher" in (ann, bob, cid)[found.index("")].get("/class")
    teacher.client.post(f"{where}/stop", data={"token": teacher.token})
    assert "3 students, 3 waiting" in teacher.get(where)


def key_of(student: Browser) -> str:
    """The key of the game to which the page of the class leads, or ""."""
    return student.get("/class").partition('href="/play/')[2].partition('"')[0]


def pair(teacher: Browser, where: str, **fields: str) -> None:
    """The teacher pairs all, or two by name."""
    act = "pair-two" if fields else "pair"
    answer = teacher.client.post(
        f"{where}/{act}", data={"game": "gomoku size=9", "token": teacher.token, **fields}, follow_redirects=False
    )
    assert answer.status_code == 303, "to load the page again would pair again"


def test_a_finished_game_counts_and_its_page_leads_to_the_next_one(server: PageServer) -> None:
    where, teacher = room(server)
    ann, bob = server.browser(), server.browser()
    for student, name in ((ann, "Ann"), (bob, "Bob")):
        student.post("/class", {"name": name})
    pair(teacher, where)
    key = key_of(ann)
    assert f"/play/{key}" in ann.get("/wall"), "the wall shows a game before its first move"
    assert "plays Bob" in teacher.get(where)
    ann.post(f"/play/{key}/resign", {})
    until(lambda: server.session(key).is_stored)
    shown = teacher.get(where)
    points = dict(re.findall(r'<th scope="row">(\w+)</th><td class="number" data-label="points">([\d.]+)<', shown))
    assert points == {"Bob": "1", "Ann": "0"}
    assert '<option value="gomoku size=9" selected>' in shown
    assert "lost against Bob" in ann.get("/class")
    assert 'href="/class">To the class' in ann.get(f"/play/{key}")
    pair(teacher, where)
    later = key_of(bob)
    assert later not in ("", key)
    for student in (ann, bob):
        assert f'data-next="/play/{later}"' in student.get(f"/play/{key}")
    began = [server.session(one).names[0] for one in (key, later)]
    assert sorted(began) == ["Ann", "Bob"], "the other one begins"


def test_the_wall_lists_all_students_and_shows_their_games_first(server: PageServer) -> None:
    where, teacher = room(server)
    names = [f"Student {number}" for number in range(14)]
    for name in names:
        server.browser().post("/class", {"name": name})
    pair(teacher, where, first=names[0], second=names[1])
    rules = load("gomoku")
    live = LiveFile(server.folder / "live", "program", "")
    live(Started(GameSetup(rules, ("one", "two"), (TimeControl(),) * 2, ()), rules.start()))
    until(lambda: "2 games running." in teacher.get("/wall"))
    shown = teacher.get("/wall")
    assert all(f">{name}<" in shown for name in names)
    assert shown.index(">Student 0 – Student 1<") < shown.index(">one – two<")


def test_the_teacher_pairs_two_stops_one_game_and_removes_a_student(server: PageServer) -> None:
    where, teacher = room(server)
    students = {name: server.browser() for name in ("Ann", "Bob", "Cid", "Dan")}
    for name, student in students.items():
        student.post("/class", {"name": name})
    pair(teacher, where, first="Ann", second="Cid")
    assert key_of(students["Ann"]) == key_of(students["Cid"]) != ""
    assert key_of(students["Bob"]) == ""
    for first, second, why in (("Ann", "Bob", "Ann is playing."), ("Bob", "Bob", "themselves"), ("Eve", "Bob", "Eve")):
        pair(teacher, where, first=first, second=second)
        assert why in teacher.get(where)
    pair(teacher, where)
    assert key_of(students["Bob"]) == key_of(students["Dan"]) != ""
    teacher.client.post(f"{where}/stop-one", data={"name": "Ann", "token": teacher.token})
    assert key_of(students["Cid"]) == ""
    assert key_of(students["Bob"]) != ""
    teacher.client.post(f"{where}/remove", data={"name": "Dan", "token": teacher.token})
    assert "3 students, 2 waiting" in teacher.get(where)


def test_students_with_the_fewest_meetings_are_paired(server: PageServer) -> None:
    where, teacher = room(server)
    students = {name: server.browser() for name in ("Ann", "Bob", "Cid", "Dan")}
    for name, student in students.items():
        student.post("/class", {"name": name})
    met = set()
    for _ in range(2):
        pair(teacher, where)
        for key in {key_of(student) for student in students.values()}:
            met.add(frozenset(server.session(key).names))
        teacher.client.post(f"{where}/stop", data={"token": teacher.token})
    assert len(met) == 4


def test_only_the_teacher_pairs_students_and_a_closed_class_admits_none(server: PageServer) -> None:
    where, teacher = room(server)
    stranger = server.browser()
    assert "for the teacher" in stranger.get("/class/guess")
    assert stranger.client.post("/class/guess/stop", data={"token": stranger.token}).status_code == 404
    teacher.client.post(f"{where}/close", data={"token": teacher.token})
    answer = stranger.client.post("/class", data={"name": "eve", "token": stranger.token})
    assert "The class is closed." in answer.text
    assert not server.app.state.classroom.students
    assert "The class is closed." in teacher.get("/wall")
    teacher.client.post(f"{where}/open", data={"token": teacher.token})
    stranger.client.post("/class", data={"name": "<b>", "token": stranger.token})
    assert not server.app.state.classroom.students
    assert "0 students" in teacher.get(where)
    assert "/class</" in teacher.get("/wall").replace("\n", "")
    assert "The class is closed." not in teacher.get("/wall")
