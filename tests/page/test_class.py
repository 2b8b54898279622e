"""Students join a class by name, return and leave, and the class outlives its server."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from httpx2 import Client

from tests.browser._served import ServerProcess
from tests.page._class import (
    close_pages_of,
    game_key_of,
    open_class,
    open_class_with,
    pair_students,
    parse_points,
    post_class_action,
    restart_with_class,
    student_to_move,
)
from tests.page.conftest import Browser, PageServer, wait_until


def test_the_class_page_is_missing_without_a_class(me: Browser) -> None:
    me.get("/class")
    assert me.status == 404


def test_only_the_teacher_pairs_students_and_a_closed_class_admits_none(server: PageServer) -> None:
    class_url, teacher = open_class(server)
    stranger = server.browser()
    assert "for the teacher" in stranger.get("/class/guess")
    assert stranger.client.post("/class/guess/stop", data={"token": stranger.token}).status_code == 404
    post_class_action(teacher, class_url, "rule", rule="open", on="0")
    answer = stranger.client.post("/class", data={"name": "eve", "token": stranger.token})
    assert "The class is closed." in answer.text
    assert "You can join here as soon as the teacher opens it." in server.browser().get("/class")
    assert not server.app.state.classroom.students
    wait_until(lambda: "data-closed" in teacher.get("/wall"))
    post_class_action(teacher, class_url, "rule", rule="open", on="1")
    stranger.client.post("/class", data={"name": "<b>", "token": stranger.token})
    assert not server.app.state.classroom.students
    assert "0 students" in teacher.get(class_url)
    assert "/class</" in teacher.get("/wall").replace("\n", "")
    wait_until(lambda: "data-closed" not in teacher.get("/wall"))


def test_the_name_of_a_removed_student_without_points_is_free(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Dan")
    post_class_action(teacher, class_url, "remove", name="Dan")
    newcomer = server.browser()
    newcomer.client.post("/class", data={"name": "Dan", "token": newcomer.token})
    assert server.app.state.classroom.student_names() == ["Ann", "Dan"]


def test_a_new_class_is_open(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann")
    post_class_action(teacher, class_url, "rule", rule="open", on="0")
    post_class_action(teacher, class_url, "clear")
    assert server.app.state.classroom.is_open


def test_the_class_continues_after_a_restart_of_the_server(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    pair_students(teacher, class_url, first="Ann", second="Bob", clock="10+5")
    students["Ann"].post(f"/play/{game_key_of(students['Ann'])}/resign")
    pair_students(teacher, class_url, first="Cid", second="Ann", clock="10+5")
    key = game_key_of(students["Cid"])
    post_class_action(teacher, class_url, "rule", rule="help", on="1")
    post_class_action(teacher, class_url, "rule", rule="open", on="0")
    restart_with_class(server)
    teacher = server.browser_after_restart(teacher)
    students = {name: server.browser_after_restart(student) for name, student in students.items()}
    page_text = teacher.get(class_url)
    assert parse_points(page_text) == {"Bob": "1", "Ann": "0", "Cid": "0"}
    assert "3 students: 1 ready, 2 playing" in page_text, "a student is away after 20 s without a page, not at once"
    assert "the class is closed." in page_text
    assert 'aria-checked="true" name="on" value="0" aria-describedby="about-help"' in page_text
    assert f"/play/{key}" in teacher.get("/wall")
    assert game_key_of(students["Cid"]) == key
    first_student = student_to_move(students.values(), key)
    assert first_student.move(key, "e5")["said"] == ""
    post_class_action(teacher, class_url, "clear")
    restart_with_class(server)
    assert "0 students" in server.browser_after_restart(teacher).get(class_url)


@pytest.mark.slow
def test_a_class_is_as_before_after_its_server_was_killed(tmp_path: Path) -> None:
    served = ServerProcess(tmp_path, "--class", "--host", "127.0.0.1", "--agents", "greedy")
    clients = [Client(base_url=served.address, follow_redirects=True, timeout=60.0) for _ in range(8)]
    try:
        teacher, *students = map(Browser, clients)
        class_url = served.teacher
        names = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus")
        for name, student in zip(names, students, strict=True):
            student.post("/class", {"name": name})
        post_class_action(teacher, class_url, "rule", rule="byes", on="1")
        pair_students(teacher, class_url)
        playing = [name for name, student in zip(names, students, strict=True) if game_key_of(student)]
        for name in reversed(playing):  # the game that began last ends first
            post_class_action(teacher, class_url, "award", name=name)
        pair_students(teacher, class_url, first="Ann", second="Bob", game="go size=9", rules="go", handicap="2")
        pair_students(teacher, class_url, first="Cid", second="Dan")
        post_class_action(teacher, class_url, "adjourn", name="Cid")
        pair_students(teacher, class_url, first="Cid", second="Eve")
        post_class_action(teacher, class_url, "rule", rule="open", on="0")
        key = game_key_of(students[0])
        first_student = student_to_move(students[:2], key)
        assert first_student.move(key, "e5")["said"] == ""
        teacher.get(class_url)  # which shows the message of the last action

        def pages() -> dict[str, str]:
            pages_by_name = {name: student.get("/class") for name, student in zip(names, students, strict=True)}
            return {
                **pages_by_name,
                "teacher": teacher.get(class_url),
                "wall": teacher.get("/wall").partition('class="wall-side"')[2],
                "boards": "\n".join(re.findall(r'href="/play/\w+" title=.*', teacher.get("/wall"))),
                "game": first_student.get(f"/play/{key}"),
            }

        wait_until(lambda: "Bob" in teacher.get("/wall") and teacher.get("/wall").count("<svg") > 2)
        pages_before = pages()
        served.kill()
        served.start()
        pages_after = pages()
        for page, text in pages_before.items():
            assert text.splitlines() == pages_after[page].splitlines(), page
        assert "is adjourned" in pages_after["Dan"]
    finally:
        served.stop()
        for client in clients:
            client.close()


def test_a_removed_student_keeps_the_points_and_the_game_ends_or_is_handed_over(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    post_class_action(teacher, class_url, "award", name="Ann")
    pair_students(teacher, class_url, first="Ann", second="Cid")
    key = game_key_of(students["Ann"])
    events_url = students["Ann"].get(f"/play/{key}").partition('data-live="')[2].partition('"')[0]
    context = server.app.state.context
    with ThreadPoolExecutor() as executor:
        open_page = executor.submit(server.browser_after_restart(students["Ann"]).get, events_url)
        wait_until(lambda: context.viewer_count)
        assert "Dan plays on in their place." in post_class_action(teacher, class_url, "remove", name="Ann", heir="Dan")
        late_page = executor.submit(students["Ann"].get, events_url)  # of a page that was not connected meanwhile
        try:
            for page in (open_page, late_page):
                events = page.result(60)
                assert 'data-next=\\"/class\\"' in events
                assert "event: last" in events
        finally:
            context.loop.call_soon_threadsafe(context.close_channels)  # this ends the streams
    assert game_key_of(students["Dan"]) == key
    assert sorted(server.session(key).names) == ["Cid", "Dan"]
    assert students["Ann"].post(f"/play/{key}/resign")["refused"] == "You do not play in this game."
    assert "removed you" in students["Ann"].get("/class")
    page_text = post_class_action(teacher, class_url, "remove", name="Dan")
    assert "The teacher has removed you from the class." in students["Dan"].get(f"/play/{key}")
    assert "Cid won their game." in page_text
    assert parse_points(page_text) == {"Cid": "1", "Bob": "0", "Ann": "1", "Dan": "0"}
    assert "2 students: 2 ready" in page_text
    assert page_text.count("left the class") == 2


def test_a_student_who_returns_on_another_device_keeps_points_and_game(server: PageServer) -> None:
    where, teacher, students = open_class_with(server, "Cem", "Bob", "Dan")
    pair_students(teacher, where, first="Cem", second="Bob")
    post_class_action(teacher, where, "award", name="Cem")
    pair_students(teacher, where, first="Cem", second="Dan")
    key = game_key_of(students["Cem"])
    phone = server.browser()
    phone.post("/class", {"name": "Cem"})
    assert "You are <b>Cem-2</b>" in phone.get("/class")
    chosen = teacher.get(f"{where}?student=Cem")
    assert '<option value="Cem-2" data-sure="Cem-2 is Cem?' in chosen
    assert "on the device of Cem-2." in chosen
    assert "Cem has the points and games of both." in post_class_action(
        teacher, where, "merge", name="Cem", twin="Cem-2"
    )
    assert game_key_of(phone) == key
    assert sorted(server.session(key).names) == ["Cem", "Dan"]
    assert "You are <b>Cem</b>" in phone.get("/class")
    assert "won against Bob" in phone.get("/class")
    assert "You continue on another device." in students["Cem"].get("/class")
    assert students["Cem"].post(f"/play/{key}/resign")["refused"] == "You do not play in this game."
    shown = post_class_action(teacher, where, "stop")
    assert parse_points(shown) == {"Cem": "1", "Bob": "0", "Dan": "0"}
    assert "3 students: 3 ready" in shown


def test_two_present_students_of_different_names_are_not_offered_as_one(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob")
    server.browser().post("/class", {"name": "Ann"})
    page_text = teacher.get(f"{class_url}?student=Ann")
    assert set(re.findall(r'<option value="([^"]*)" data-sure', page_text)) == {"Ann-2"}
    assert ">Join the two</button>" in page_text
    assert ">Remove Ann</button>" in page_text
    assert "Join the two" not in teacher.get(f"{class_url}?student=Bob")


def test_the_entry_without_a_page_is_the_first_choice_to_join(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob")
    for _ in range(2):
        server.browser().post("/class", {"name": "Ann"})
    close_pages_of(server, "Ann-3")
    page_text = teacher.get(f"{class_url}?student=Ann")
    assert re.findall(r'<option value="([^"]*)" data-sure', page_text)[:2] == ["Ann-3", "Ann-2"]


def test_a_student_without_a_page_is_away_in_all_places(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob")
    server.app.state.classroom._last_seen.clear()
    page_text = teacher.get(f"{class_url}?student=Ann")
    assert '<td data-label="state"><span class="away">away</span></td>' in page_text
    assert '<h2>Ann</h2> <span class="muted">away</span>' in page_text


def test_a_new_class_begins_with_gomoku_and_a_closed_one_has_no_address(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    page_text = teacher.get(class_url)
    assert re.findall(r'<option value="(\w+)', page_text)[0] == "gomoku"
    assert "Students join at" in page_text
    assert "watch the running games" not in students["Ann"].get("/class")
    post_class_action(teacher, class_url, "rule", rule="open", on="0")
    page_text = teacher.get(class_url)
    assert "Students join at" not in page_text
    assert "Nobody can join." in page_text


def test_a_student_without_a_game_or_removed_before_is_the_same_student_too(server: PageServer) -> None:
    where, teacher, students = open_class_with(server, "Cem", "Bob")
    pair_students(teacher, where, first="Cem", second="Bob")
    post_class_action(teacher, where, "award", name="Cem")
    post_class_action(teacher, where, "remove", name="Cem")
    phone = server.browser()
    phone.post("/class", {"name": "Cem"})
    assert '<option value="Cem" data-sure="Cem-2 is Cem?' in teacher.get(f"{where}?student=Cem-2")
    pair_students(teacher, where, first="Cem-2", second="Bob")
    shown = post_class_action(teacher, where, "merge", name="Cem-2", twin="Cem")
    assert "left the class" not in shown
    assert parse_points(shown) == {"Cem": "1", "Bob": "0"}
    students["Cem"].post("/class", {"name": "Cem"})
    pair_students(teacher, where)
    post_class_action(teacher, where, "award", name="Bob")
    key = game_key_of(phone)
    assert key == ""
    assert "No other student has the name" in post_class_action(teacher, where, "merge", name="Bob", twin="Bob")
    post_class_action(teacher, where, "stop")
    pair_students(teacher, where, first="Cem", second="Cem-2")
    assert "Cem-2 and Cem are both playing." in post_class_action(teacher, where, "merge", name="Cem-2", twin="Cem")
    post_class_action(teacher, where, "award", name="Cem-2")
    shown = post_class_action(teacher, where, "merge", name="Cem", twin="Cem-2")
    assert parse_points(shown)["Cem"] == "1", "a game against oneself counts for nobody"


def test_pages_lead_a_teacher_and_students_to_their_class(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url)
    key = game_key_of(students["Ann"])
    post_class_action(teacher, class_url, "stop")
    for person, url in ((teacher, class_url), (students["Ann"], "/class")):
        assert f'<a href="{url}">Class</a>' in person.get("/puzzles")
        assert f'href="{url}">To the class</a>' in person.get(f"/play/{key}")
        assert person.status == 404
    assert "without a result: the teacher stopped it." in students["Ann"].get("/class")
    stranger = server.browser()
    assert '<a href="/class" aria-current="page">Class</a>' in stranger.get("/class")
    for page in ("/puzzles", f"/play/{key}"):
        assert "class</a>" not in stranger.get(page).lower()
    post_class_action(teacher, class_url, "remove", name="Ann")
    assert "class</a>" not in students["Ann"].get("/puzzles").lower()


def test_a_handover_of_a_game_that_has_ended_names_the_result(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    key = game_key_of(students["Ann"])
    student_page = teacher.get(f"{class_url}?student=Ann")
    assert f'name="key" value="{key}"' in student_page
    assert "Remove Ann from the class? Cid plays on against Bob." in student_page
    assert "Remove Ann from the class? Bob wins the game." in student_page
    post_class_action(teacher, class_url, "award", name="Ann")
    page_text = post_class_action(teacher, class_url, "remove", name="Ann", heir="Cid", key=key)
    result = "Ann is not playing. Their game has ended: Ann won, after 0 moves: the teacher decided the game."
    assert f"{result} Nobody was removed." in page_text
    assert "3 students: 3 ready" in page_text
    assert "is no longer in the class. Their game has ended: Ann won" in post_class_action(
        teacher, class_url, "remove", name="Ann", key=key
    )


def test_only_students_who_are_present_take_over_a_game(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    close_pages_of(server, "Cid")
    student_page = teacher.get(f"{class_url}?student=Ann")
    assert "Dan plays on" in student_page
    assert "Cid plays on" not in student_page
    assert '<option value="Cid">Cid (away)</option>' in teacher.get(f"{class_url}?student=Dan")


def test_a_student_who_changes_the_name_has_it_in_all_games(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    key = game_key_of(students["Ann"])
    students["Ann"].post("/class", {"name": "Anna"})
    assert "Ann" not in server.session(key).names
    assert "Anna" in students["Bob"].get(f"/play/{key}")
    assert "plays Anna" in teacher.get(class_url)


def test_a_student_types_a_name_and_a_long_one_is_refused_with_its_length(server: PageServer) -> None:
    open_class(server)
    ann = server.browser()
    assert 'value="" autocomplete="nickname"' in ann.get("/class")
    long = "Maximiliane Wolfeschlegelsteinhausen"
    page_text = ann.client.post("/class", data={"name": long, "token": ann.token}).text
    assert "The name has 36 characters. Use 30 at most." in page_text
    assert f'value="{long}"' in page_text
    error_page = ann.client.post("/class", data={"name": "Ann+", "token": ann.token}).text
    assert "apostrophes, hyphens and full stops." in error_page
