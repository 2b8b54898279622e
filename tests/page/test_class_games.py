"""The teacher pauses, adjourns and decides the games of a class."""

from __future__ import annotations

from gomogo.page.play.class_games import FIRST_MOVE_SECONDS
from tests.page._class import (
    game_key_of,
    open_class_with,
    pair_students,
    parse_points,
    post_class_action,
    restart_with_class,
    student_to_move,
)
from tests.page.conftest import PageServer, wait_until


def test_the_teacher_decides_games(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    pair_students(teacher, class_url, first="Cid", second="Dan", clock="5+3")
    keys = [game_key_of(students[name]) for name in ("Ann", "Cid")]
    student_page = teacher.get(f"{class_url}?student=Ann")
    assert "Ann wins" in student_page
    assert "Bob wins" in student_page
    assert "Ann won the game." in post_class_action(teacher, class_url, "award", name="Ann")
    page_text = post_class_action(teacher, class_url, "draw", name="Dan")
    assert parse_points(page_text) == {"Ann": "1", "Cid": "0.5", "Dan": "0.5", "Bob": "0"}
    played = [server.store.game(key) for key in keys]
    assert [played_game.outcome.reason.value for played_game in played] == ["agreement", "agreement"]
    assert "Bob" in played[0].names
    assert "the teacher decided the game" in students["Bob"].get(f"/play/{keys[0]}")
    assert "is not playing" in post_class_action(teacher, class_url, "draw", name="Dan")
    wait_until(lambda: not any(map(server.has_referee, keys)))


def test_a_pause_stops_all_games_and_new_ones_wait_for_its_end(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    assert "the class is paused." in post_class_action(teacher, class_url, "pause")
    pair_students(teacher, class_url, first="Cid", second="Dan", clock="5+3")
    for name in ("Ann", "Cid"):
        key = game_key_of(students[name])
        page_text = students[name].get(f"/play/{key}")
        assert "The teacher has paused all games." in page_text
        assert "data-clock=" not in page_text
        assert students[name].move(key, "e5")["refused"] == "The teacher has paused all games."
    assert "2 games continued." in post_class_action(teacher, class_url, "resume")
    for first_name, second_name in (("Ann", "Bob"), ("Cid", "Dan")):
        key = game_key_of(students[first_name])
        assert student_to_move((students[first_name], students[second_name]), key).move(key, "e5")["said"] == ""


def test_an_adjourned_game_continues_later(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    pair_students(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    key = game_key_of(students["Ann"])
    page_text = post_class_action(teacher, class_url, "adjourn", name="Bob")
    assert "3 students: 1 ready, 2 adjourned" in page_text
    assert f'name="key" value="{key}"' in page_text
    assert "Your game against Bob is adjourned." in students["Ann"].get("/class")
    pair_students(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    post_class_action(teacher, class_url, "adjourn", name="Bob")
    assert students["Ann"].get("/class").count("adjourned") == 1
    assert "Your 2 games against Bob are adjourned." in students["Ann"].get("/class")
    assert "is adjourned" in students["Ann"].move(key, "e5")["refused"]
    pair_students(teacher, class_url, first="Ann", second="Cid")
    assert "Ann is playing." in post_class_action(teacher, class_url, "continue", key=key)
    post_class_action(teacher, class_url, "award", name="Ann")
    assert "1 game continued." in post_class_action(teacher, class_url, "continue", key=key)
    assert game_key_of(students["Ann"]) == game_key_of(students["Bob"]) == key
    assert student_to_move((students["Ann"], students["Bob"]), key).move(key, "e5")["said"] == ""


def test_a_game_without_a_first_move_ends_without_a_result(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    pair_students(teacher, class_url, first="Cid", second="Dan")
    key = game_key_of(students["Ann"])
    session, other_session = server.session(key), server.session(game_key_of(students["Cid"]))
    first_name, second_name = session.names
    assert "Without a first move within 60 s, the game ends without a result." in students[first_name].get(
        f"/play/{key}"
    )
    assert "data-left" not in students[first_name].get(f"/play/{key}"), "no clock runs before the first move"
    session.turn_started_at -= FIRST_MOVE_SECONDS / 2
    assert students[first_name].move(key, "e5")["said"] == ""
    assert session.clocks()[0] == 303.0, "the first move takes no time"
    for game in (session, other_session):
        game.turn_started_at -= FIRST_MOVE_SECONDS + 1.0
    wait_until(lambda: session.is_deleted)
    assert not other_session.is_deleted, "a game without a clock has no such limit"
    page_text = teacher.get(class_url)
    assert (
        f"{first_name} – {second_name}: no result, because {second_name} made no first move within 60 s." in page_text
    )
    assert "1 game without a result" in page_text
    assert "without a result" not in post_class_action(teacher, class_url, "dismiss"), (
        "a message stays until the teacher has read it"
    )
    assert "4 students: 2 ready, 2 playing" in page_text
    assert set(parse_points(page_text).values()) == {"0"}
    assert f"Your game against {second_name} ended without a result: {second_name} made no first move." in students[
        first_name
    ].get("/class")
    assert "you made no first move.</p>" in students[second_name].get("/class")
    for student, url in ((students[first_name], "/class"), (teacher, f"/play/{key}")):
        events = student.get(f"/play/{key}/events")  # of a page that was not connected when the game was deleted
        assert student.status == 200
        assert f'data-next=\\"{url}\\"' in events
        assert "event: last" in events
    pair_students(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    assert "without a result" not in students[first_name].get("/class")


def test_a_round_ends_without_the_deletion_of_games(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url)
    keys = {game_key_of(student) for student in students.values()}
    assert "2 games adjourned." in post_class_action(teacher, class_url, "adjourn-all")
    assert "4 students: 0 ready, 4 adjourned" in teacher.get(class_url)
    assert all(f"/play/{key}" not in teacher.get("/wall") for key in keys), "adjourned games take no board"
    assert "2 games continued." in post_class_action(teacher, class_url, "continue-all")
    assert "2 games declared drawn." in post_class_action(teacher, class_url, "draw-all")
    assert set(parse_points(teacher.get(class_url)).values()) == {"0.5"}


def test_the_teacher_sees_who_has_not_moved(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url)
    session = server.session(game_key_of(students["Ann"]))
    session.turn_started_at -= 190.0
    page_text = teacher.get(class_url)
    assert "2 playing (1 idle)" in page_text
    row = next(line for line in page_text.splitlines() if "no move for 3 min" in line)
    assert f">{session.names[0]}</a>" in row
    assert page_text.count("no move for") == 1


def test_the_teacher_corrects_the_result_of_a_finished_game(server: PageServer) -> None:
    """For example after two passes with dead stones on the board, which count as alive."""
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    key = game_key_of(students["Ann"])
    assert "There is no such finished game." in post_class_action(
        teacher, class_url, "correct", name="Ann", key=key, result="won"
    )
    students["Ann"].post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    assert f'<option value="{key}">lost against Bob</option>' in teacher.get(f"{class_url}?student=Ann")
    page_text = post_class_action(teacher, class_url, "correct", name="Ann", key=key, result="drew")
    assert "The result is changed: Ann drew the game." in page_text
    assert parse_points(page_text) == {"Ann": "0.5", "Bob": "0.5"}
    page_text = post_class_action(teacher, class_url, "correct", name="Ann", key=key, result="won")
    assert parse_points(page_text) == {"Ann": "1", "Bob": "0"}
    assert server.store.game(key).winner == "Ann"
    student_page = students["Bob"].get(f"/play/{key}")
    assert "You lost, after 0 moves: the teacher decided the game." in student_page
    assert "The teacher has changed the result of your game against Ann." in student_page
    assert "Ann beat Bob" in server.browser().get("/wall")
    restart_with_class(server)
    assert parse_points(server.browser_after_restart(teacher).get(class_url)) == {"Ann": "1", "Bob": "0"}
    assert "There is no such finished game." in post_class_action(
        server.browser_after_restart(teacher), class_url, "correct", name="Ann", key=key, result="2"
    )
