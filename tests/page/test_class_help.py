"""While a game of the class runs, the teacher decides on help, and nobody has it elsewhere."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest

from gomogo.page.analysis import pages as analysis_pages
from tests.page._class import game_key_of, open_class_with, pair_students, post_class_action, student_to_move
from tests.page.conftest import PageServer, wait_until


def test_help_and_second_thoughts_follow_the_teacher(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url)
    key = game_key_of(students["Ann"])
    first_student = student_to_move(students.values(), key)
    first_student.move(key, "e5")
    mine = first_student.begin(game="gomoku", opponent="here", option_size="7")
    for page, kind, words in (
        (key, "hint", "switched off help"),
        (key, "explain", "switched off help"),
        (mine, "hint", "switched off help"),
        (key, "undo", "moves stay"),
        (key, "delete", "moves stay"),
    ):
        assert words in first_student.post(f"/play/{page}/{kind}")["refused"]
    for where_help in (f"/play/{key}/marks", "/analysis/marks?game=go&moves=a1"):
        assert "switched off help" in first_student.get(where_help)
    analysis = {"game": "gomoku", "option-size": "7", "moves": "d4", "agent": "strongest"}
    answer = first_student.client.post("/analysis/start", data={**analysis, "token": first_student.token})
    assert "switched off help" in answer.text
    page_text = first_student.get(f"/play/{key}")
    assert "No hints, analysis or taking back in class games." in page_text
    rules = "Players place stones on empty points in turn. The first row of 5 stones wins."
    assert f'<p class="note">{rules}' in page_text, "the rules are shown while help is off, too"
    assert f'<summary>Rules</summary><p class="rules-text">{rules}' in page_text
    assert 'data-forbidden="no-delete no-undo no-help"' in page_text
    assert "No hints" in first_student.get("/class")
    assert 'aria-checked="true" name="on" value="0" aria-describedby="about-help"' in post_class_action(
        teacher, class_url, "rule", rule="help", on="1"
    )
    post_class_action(teacher, class_url, "rule", rule="undo", on="1")
    assert "data-forbidden" not in first_student.get(f"/play/{key}")
    assert "refused" not in first_student.post(f"/play/{key}/explain")
    first_student.post(f"/play/{key}/undo")
    assert "was asked" in first_student.get(f"/play/{key}")
    post_class_action(teacher, class_url, "rule", rule="help", on="0")
    first_student.post(f"/play/{key}/resign")
    assert "refused" not in first_student.post(f"/play/{mine}/explain"), "the game in the class is over"


def test_nobody_but_the_teacher_analyses_a_running_game_without_help(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A student could use a second browser that has not joined."""
    monkeypatch.setattr(analysis_pages, "_ANALYSIS_SECONDS", 0.5)
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url)
    session = server.session(game_key_of(students["Ann"]))
    first_student = student_to_move(students.values(), session.key)
    point = session.game.format(next(iter(session.position.moves())))
    first_student.move(session.key, point)
    options = {f"option-{name}": str(value) for name, value in session.game.options.items()}
    fields = {"game": session.game.name, **options, "moves": point, "agent": "strongest"}
    other_browser = server.browser()
    answer_text = other_browser.client.post("/analysis/start", data={**fields, "token": other_browser.token}).text
    assert "A running game of the class has this position, or one that resembles it." in answer_text
    post_class_action(teacher, class_url, "rule", rule="help", on="1")
    answer_text = other_browser.client.post("/analysis/start", data={**fields, "token": other_browser.token}).text
    assert "of the class" not in answer_text


def test_no_help_in_positions_that_resemble_a_game_of_the_class(server: PageServer) -> None:
    """A turned, mirrored or neighbouring position gave a student the same analysis in another browser."""
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url)
    teacher.get(class_url)  # which makes this visitor a teacher
    session = server.session(game_key_of(students["Ann"]))
    for point in ("c2", "d7", "c3", "e7", "c4", "f6"):
        student_to_move(students.values(), session.key).move(session.key, point)
    other_browser = server.browser()
    form = {"game": "gomoku", "option-size": "9", "moves": "g2 f7 g3 e7 g4 d6"}
    form |= {"agent": "strongest", "token": other_browser.token}
    for moves, is_allowed in (
        (form["moves"], False),  # mirrored
        ("b3 g4 c3 g5 d3 f6", False),  # turned
        ("d7 c2 e7 c3 f6 c4", False),  # with exchanged colours
        ("c2 d7 c3 e7", False),  # two moves earlier
        ("c2 d7 c3 e7 c4 f6 c5 c1", False),  # two moves later
        ("c2 d7 c3 e7 c4 g8", False),  # another last move
        ("c2 d7 c3 e7 d8 g8 h1 i9", True),
    ):
        url = "/analysis/marks?" + urlencode({**form, "moves": moves})
        assert ("resembles" in other_browser.get(url)) != is_allowed, moves
        assert "resembles" not in teacher.get(url), moves
    assert "resembles" in other_browser.client.post("/analysis/start", data=form).text
    copy = other_browser.begin(game="gomoku", opponent="here", option_size="9")
    for point in ("g2", "f7", "g3", "e7", "g4", "d6"):
        other_browser.move(copy, point)
    assert "resembles" in other_browser.post(f"/play/{copy}/hint")["refused"]
    other_browser.post(f"/play/{copy}/resign")
    wait_until(lambda: server.session(copy).is_stored)
    for review in (f"/games/{copy}/review", f"/games/{copy}?review=1"):
        shown = other_browser.get(review)
        assert "This game resembles one of the class that is still running." in shown
        assert "This game resembles one of the class that is still running." in other_browser.get(
            f"/games/{copy}/retry?move=1"
        )
        assert "data-must-wait" in shown, "the page waits for the end of that game"
        assert f'href="/games/{copy}">Replay without review' in shown
    for student in students.values():
        student.post(f"/play/{session.key}/resign")
    wait_until(lambda: "resembles" not in other_browser.get(f"/games/{copy}/review"))
