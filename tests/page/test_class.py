"""A class on the page: students join by name, the teacher pairs them, and nobody else does."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from httpx2 import Client

from gomogo.page.play.classroom import FIRST_MOVE_SECONDS
from gomogo.page.play.students import RankedStudent
from gomogo.page.watch.running_games import MAX_BOARDS, keep_places
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Started
from gomogo_core.records.live_format import LiveFile
from tests.browser._served import Served
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
    class_url, teacher = room(server)
    ann, bob, cid = (server.browser() for _ in range(3))
    for student, name in ((ann, "李雷"), (bob, "Zoë"), (cid, "Zoë")):
        assert student.post("/class", {"name": name})["go"] == ""
    notice = "Another student is called Zoë, so you are Zoë-2. You can choose another name below."
    assert notice in cid.get("/class")
    assert "Another student" not in bob.get("/class")
    page_text = teacher.get(class_url)
    assert all(f">{name}<" in page_text for name in ("李雷", "Zoë", "Zoë-2"))
    assert "3 students: 3 ready; the class is open." in page_text
    teacher.client.post(f"{class_url}/pair", data={"game": "gomoku size=9", "clock": "10+5", "token": teacher.token})
    page_text = teacher.get(class_url)
    assert "3 students: 1 ready, 2 playing; the class is open." in page_text
    assert '<option value="10+5" selected>' in page_text
    keys = [key_of(student) for student in (ann, bob, cid)]
    key = next(filter(None, keys))
    assert keys.count(key) == 2
    assert keys.count("") == 1
    assert server.session(key).game.non_default_options == {"size": 9}
    assert server.session(key).clocks() == (600.0, 600.0)
    first_student = next(student for student in (ann, bob, cid) if "Your turn" in student.get(f"/play/{key}"))
    assert first_student.move(key, "e5")["said"] == ""
    assert "Wait for the teacher" in (ann, bob, cid)[keys.index("")].get("/class")
    assert "3 students: 3 ready" in act(teacher, class_url, "stop")


def key_of(student: Browser) -> str:
    """The key of the game to which the page of the class leads, or ""."""
    return student.get("/class").partition('href="/play/')[2].partition('"')[0]


def points_in(page: str) -> dict[str, str]:
    """The points of each student in the teacher's table."""
    names = r'<th scope="row">(?:<a [^>]*>)?(\w+)(?:</a>)?(?: <span[^>]*>away</span>)?</th>'
    return dict(re.findall(names + r'<td class="number" data-label="points">([\d.]+)<', page))


def act(teacher: Browser, class_url: str, action_name: str, **fields: str) -> str:
    """The teacher's page after an action."""
    return teacher.client.post(f"{class_url}/{action_name}", data={"token": teacher.token, **fields}).text


def class_of(server: PageServer, *names: str) -> tuple[str, Browser, dict[str, Browser]]:
    """The address of the teacher's page, the teacher, and students with these names."""
    class_url, teacher = room(server)
    students = {name: server.browser() for name in names}
    for name, student in students.items():
        student.post("/class", {"name": name})
    return class_url, teacher, students


def pair(teacher: Browser, class_url: str, **fields: str) -> None:
    """The teacher pairs all, or two by name."""
    act = "pair-two" if fields else "pair"
    answer = teacher.client.post(
        f"{class_url}/{act}", data={"game": "gomoku size=9", "token": teacher.token, **fields}, follow_redirects=False
    )
    assert answer.status_code == 303, "to load the page again would pair again"


def test_a_finished_game_counts_and_its_page_leads_to_the_next_one(server: PageServer) -> None:
    class_url, teacher = room(server)
    ann, bob = server.browser(), server.browser()
    for student, name in ((ann, "Ann"), (bob, "Bob")):
        student.post("/class", {"name": name})
    pair(teacher, class_url)
    key = key_of(ann)
    assert f"/play/{key}" in ann.get("/wall"), "the wall shows a game before its first move"
    assert "plays Bob" in teacher.get(class_url)
    ann.post(f"/play/{key}/resign", {})
    until(lambda: server.session(key).is_stored)
    page_text = teacher.get(class_url)
    assert points_in(page_text) == {"Bob": "1", "Ann": "0"}
    assert '<option value="gomoku size=9" selected>' in page_text
    assert "You lost against Bob. Wait for the teacher to start a game." in ann.get("/class")
    assert 'href="/class">To the class' in ann.get(f"/play/{key}")
    pair(teacher, class_url)
    next_key = key_of(bob)
    assert next_key not in ("", key)
    for student in (ann, bob):
        assert f'data-next="/play/{next_key}"' in student.get(f"/play/{key}")
    began = [server.session(session_key).names[0] for session_key in (key, next_key)]
    assert sorted(began) == ["Ann", "Bob"], "the other one begins"


def test_the_wall_lists_all_students_and_shows_their_games_first(server: PageServer) -> None:
    class_url, teacher = room(server)
    names = [f"Student {number}" for number in range(14)]
    for name in names:
        server.browser().post("/class", {"name": name})
    pair(teacher, class_url, first=names[0], second=names[1])
    assert 'class="standings"' not in teacher.get("/wall"), "no table before a game has ended"
    act(teacher, class_url, "award", name=names[0])
    until(lambda: 'class="standings"' in teacher.get("/wall"))
    assert teacher.get("/wall").count('<td class="number">–</td>') == 12, "a student without a game has no points yet"
    places = re.findall(r'<td class="number">(\d*)</td><th scope="row">([^<]*)', teacher.get("/wall"))
    assert places[:3] == [("1", names[0]), ("2", names[1]), ("", names[2])], "no place without a game"
    pair(teacher, class_url, first=names[0], second=names[1])
    rules = load("gomoku")
    live = LiveFile(server.folder / "live", "program", "")
    live(Started(GameSetup(rules, ("one", "two"), (TimeControl(),) * 2, ()), rules.start()))
    until(lambda: "2 games running." in teacher.get("/wall"))
    page_text = teacher.get("/wall")
    assert all(f">{name}<" in page_text for name in names)
    own, foreign = boards_on_wall(teacher)
    assert sorted(own.split(" – ")) == names[:2]
    assert foreign == "one – two"


def test_the_teacher_pairs_two_and_stops_one_game(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, class_url, first="Ann", second="Cid")
    assert key_of(students["Ann"]) == key_of(students["Cid"]) != ""
    assert key_of(students["Bob"]) == ""
    for first_name, second_name, why in (
        ("Ann", "Bob", "Ann is playing."),
        ("Bob", "Bob", "themselves"),
        ("Eve", "Bob", "Eve"),
    ):
        pair(teacher, class_url, first=first_name, second=second_name)
        assert why in teacher.get(class_url)
    pair(teacher, class_url)
    assert key_of(students["Bob"]) == key_of(students["Dan"]) != ""
    teacher.client.post(f"{class_url}/stop-one", data={"name": "Ann", "token": teacher.token})
    assert key_of(students["Cid"]) == ""
    assert key_of(students["Bob"]) != ""
    assert "Eve" in act(teacher, class_url, "award", name="Eve")


def test_students_with_the_fewest_meetings_are_paired(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    met = set()
    for _ in range(2):
        pair(teacher, class_url)
        for key in {key_of(student) for student in students.values()}:
            met.add(frozenset(server.session(key).names))
        teacher.client.post(f"{class_url}/stop", data={"token": teacher.token})
    assert len(met) == 4


def test_only_the_teacher_pairs_students_and_a_closed_class_admits_none(server: PageServer) -> None:
    class_url, teacher = room(server)
    stranger = server.browser()
    assert "for the teacher" in stranger.get("/class/guess")
    assert stranger.client.post("/class/guess/stop", data={"token": stranger.token}).status_code == 404
    act(teacher, class_url, "rule", rule="open", on="0")
    answer = stranger.client.post("/class", data={"name": "eve", "token": stranger.token})
    assert "The class is closed." in answer.text
    assert "You can join here as soon as the teacher opens it." in server.browser().get("/class")
    assert not server.app.state.classroom.students
    until(lambda: "data-closed" in teacher.get("/wall"))
    act(teacher, class_url, "rule", rule="open", on="1")
    stranger.client.post("/class", data={"name": "<b>", "token": stranger.token})
    assert not server.app.state.classroom.students
    assert "0 students" in teacher.get(class_url)
    assert "/class</" in teacher.get("/wall").replace("\n", "")
    until(lambda: "data-closed" not in teacher.get("/wall"))


def test_help_and_second_thoughts_follow_the_teacher(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, class_url)
    key = key_of(students["Ann"])
    first_student = next(student for student in students.values() if "Your turn" in student.get(f"/play/{key}"))
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
    assert (
        "switched off help"
        in first_student.client.post("/analysis/start", data={**analysis, "token": first_student.token}).text
    )
    page_text = first_student.get(f"/play/{key}")
    assert "No hints, analysis or taking back in class games." in page_text
    rules = "Players place stones on empty points in turn. The first row of 5 stones wins."
    assert f'<p class="note">{rules}' in page_text, "the rules are shown while help is off, too"
    assert f'<summary>Rules</summary><p class="rules-text">{rules}' in page_text
    assert 'data-forbidden="no-delete no-undo no-help"' in page_text
    assert "No hints" in first_student.get("/class")
    assert 'aria-checked="true" name="on" value="0" aria-describedby="about-help"' in act(
        teacher, class_url, "rule", rule="help", on="1"
    )
    act(teacher, class_url, "rule", rule="undo", on="1")
    assert "data-forbidden" not in first_student.get(f"/play/{key}")
    assert "refused" not in first_student.post(f"/play/{key}/explain")
    first_student.post(f"/play/{key}/undo")
    assert "was asked" in first_student.get(f"/play/{key}")
    act(teacher, class_url, "rule", rule="help", on="0")
    first_student.post(f"/play/{key}/resign")
    assert "refused" not in first_student.post(f"/play/{mine}/explain"), "the game in the class is over"


def test_nobody_but_the_teacher_analyses_a_running_game_without_help(server: PageServer) -> None:
    """A student could use a second browser that has not joined."""
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, class_url)
    session = server.session(key_of(students["Ann"]))
    first_student = next(student for student in students.values() if "Your turn" in student.get(f"/play/{session.key}"))
    point = session.game.format(next(iter(session.position.moves())))
    first_student.move(session.key, point)
    options = {f"option-{name}": str(value) for name, value in session.game.options.items()}
    fields = {"game": session.game.name, **options, "moves": point, "agent": "strongest"}
    other_browser = server.browser()
    answer_text = other_browser.client.post("/analysis/start", data={**fields, "token": other_browser.token}).text
    assert "This position is that of a running game of the class, or resembles it." in answer_text
    act(teacher, class_url, "rule", rule="help", on="1")
    assert (
        "of the class"
        not in other_browser.client.post("/analysis/start", data={**fields, "token": other_browser.token}).text
    )


def test_no_help_in_positions_that_resemble_a_game_of_the_class(server: PageServer) -> None:
    """A turned, mirrored or neighbouring position gave a student the same analysis in another browser."""
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, class_url)
    teacher.get(class_url)  # which makes this visitor a teacher
    session = server.session(key_of(students["Ann"]))
    for point in ("c2", "d7", "c3", "e7", "c4", "f6"):
        next(student for student in students.values() if "Your turn" in student.get(f"/play/{session.key}")).move(
            session.key, point
        )
    other_browser = server.browser()
    for moves, is_allowed in (
        ("g2 f7 g3 e7 g4 d6", False),  # mirrored
        ("b3 g4 c3 g5 d3 f6", False),  # turned
        ("d7 c2 e7 c3 f6 c4", False),  # with exchanged colours
        ("c2 d7 c3 e7", False),  # two moves earlier
        ("c2 d7 c3 e7 c4 f6 c5 c1", False),  # two moves later
        ("c2 d7 c3 e7 c4 g8", False),  # another last move
        ("c2 d7 c3 e7 d8 g8 h1 i9", True),
    ):
        form = {
            "game": "gomoku",
            "option-size": "9",
            "moves": moves,
            "agent": "strongest",
            "token": other_browser.token,
        }
        marks = other_browser.get("/analysis/marks?" + urlencode(form))
        assert ("resembles" in marks) != is_allowed, moves
        assert "resembles" not in teacher.get("/analysis/marks?" + urlencode(form)), moves
    assert "resembles" in other_browser.client.post("/analysis/start", data={**form, "moves": "g2 f7 g3 e7 g4 d6"}).text
    copy = other_browser.begin(game="gomoku", opponent="here", option_size="9")
    for point in ("g2", "f7", "g3", "e7", "g4", "d6"):
        other_browser.move(copy, point)
    assert "resembles" in other_browser.post(f"/play/{copy}/hint")["refused"]
    other_browser.post(f"/play/{copy}/resign")
    until(lambda: server.session(copy).is_stored)
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
    until(lambda: "resembles" not in other_browser.get(f"/games/{copy}/review"))


def test_games_of_go_in_a_class_have_the_usual_komi(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, class_url, game="go size=9", first="Ann", second="Bob")
    assert server.session(key_of(students["Ann"])).game.options["komi"] == 7.5


def test_lots_decide_who_moves_first_and_then_the_other_one_does(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    first_names = []
    for _ in range(8):
        pair(teacher, class_url)
        first_names.append(server.session(key_of(students["Ann"])).names[0])
        server.session(key_of(students["Ann"])).resign(server.session(key_of(students["Ann"])).seat_infos[0].visitor)
        teacher.client.post(f"{class_url}/stop", data={"token": teacher.token})
    pairs = list(zip(first_names[::2], first_names[1::2], strict=True))
    assert all(len(set(two)) == 2 for two in pairs), first_names


def test_the_name_of_a_removed_student_without_points_is_free(server: PageServer) -> None:
    class_url, teacher, _ = class_of(server, "Ann", "Dan")
    act(teacher, class_url, "remove", name="Dan")
    newcomer = server.browser()
    newcomer.client.post("/class", data={"name": "Dan", "token": newcomer.token})
    assert server.app.state.classroom.student_names() == ["Ann", "Dan"]


def boards_on_wall(browser: Browser) -> list[str]:
    """The names on the boards of the wall, in their order."""
    return re.findall(r'<a class="caption" href="[^"]*" title="([^"]*)"', browser.get("/wall"))


def test_boards_on_the_wall_keep_their_places(server: PageServer) -> None:
    """They changed places after almost every move and at a pause."""
    names = ("Ann", "Bob", "Cid", "Dan", "Eva", "Fay")
    class_url, teacher, students = class_of(server, *names)
    for first, second in (("Ann", "Bob"), ("Cid", "Dan"), ("Eva", "Fay")):
        pair(teacher, class_url, first=first, second=second)
    until(lambda: "Round 1: 6 students, 3 games running." in teacher.get("/wall"))
    before = boards_on_wall(teacher)
    assert [sorted(title.split(" – ")) for title in before] == [["Ann", "Bob"], ["Cid", "Dan"], ["Eva", "Fay"]]
    for first, second in (("Eva", "Fay"), ("Cid", "Dan")):
        key = key_of(students[first])
        player = students[first if "Your turn" in students[first].get(f"/play/{key}") else second]
        assert player.move(key, "e5")["said"] == ""
    act(teacher, class_url, "pause")
    until(lambda: "All games are paused." in teacher.get("/wall"))
    assert boards_on_wall(teacher) == before
    assert "The teacher has paused" not in teacher.get("/wall"), "the headline says it, and the boards stay free"
    act(teacher, class_url, "resume")
    act(teacher, class_url, "award", name="Cid")
    until(lambda: "2 games running." in teacher.get("/wall"))
    assert boards_on_wall(teacher) == before, "a finished game keeps its place during its round"
    act(teacher, class_url, "award", name="Fay")
    pair(teacher, class_url, first="Dan", second="Fay")
    until(lambda: "Round 2: 6 students, 2 games running." in teacher.get("/wall"))
    now = boards_on_wall(teacher)
    assert now[0] == before[0], "the game that still runs stays"
    assert sorted(now[1].split(" – ")) == ["Dan", "Fay"], "a new game takes the place of an ended one"
    assert len(now) == 2


def test_places_of_boards() -> None:
    assert keep_places([], ["a", "b", "c"]) == ["a", "b", "c"]
    assert keep_places(["a", "b", "c"], ["c", "a"]) == ["a", "", "c"]
    assert keep_places(["a", "", "c"], ["a", "c", "d"]) == ["a", "d", "c"]
    assert keep_places(["a", "b", "c"], ["c"]) == ["c"], "one game alone takes the whole wall"
    many = [str(number) for number in range(MAX_BOARDS + 2)]
    assert keep_places(many, many) == many
    now = keep_places(many, [key for key in many if key != "3"])
    assert now == [*many[:3], many[-1], *many[4:-1]], "a game of the second page takes the free place on the first"


def test_a_round_is_counted_when_a_student_plays_again(server: PageServer) -> None:
    class_url, teacher, _ = class_of(server, "Ann", "Bob", "Cid")
    classroom = server.app.state.classroom
    pair(teacher, class_url, first="Ann", second="Bob")
    server.browser().post("/class", {"name": "Dan"})
    pair(teacher, class_url, first="Cid", second="Dan")
    assert classroom.round_number == 1, "a late student plays in the present round"
    act(teacher, class_url, "stop")
    pair(teacher, class_url)
    assert classroom.round_number == 1, "games that were deleted do not count"
    act(teacher, class_url, "draw-all")
    pair(teacher, class_url)
    assert classroom.round_number == 2


def test_the_points_of_the_opponents_decide_between_equal_points(server: PageServer) -> None:
    """Five of twelve students shared the first place, among them one whose only point was a bye."""
    class_url, teacher, _ = class_of(server, "Ann", "Bob", "Cid", "Dan")
    for winner, loser in (("Ann", "Dan"), ("Bob", "Cid"), ("Cid", "Dan")):
        pair(teacher, class_url, first=winner, second=loser)
        act(teacher, class_url, "award", name=winner)
    rows = {row.name: row for row in server.app.state.classroom.student_rows()}
    assert {name: (row.points, row.opponent_points, row.place) for name, row in rows.items()} == {
        "Bob": (1.0, 1.0, 1),
        "Cid": (1.0, 1.0, 1),
        "Ann": (1.0, 0.0, 3),
        "Dan": (0.0, 2.0, 4),
    }


def test_a_final_ranking_of_an_earlier_version_is_read() -> None:
    assert RankedStudent.from_json("12. Ann: Lee: 2.5") == RankedStudent(12, "Ann: Lee", "2.5")
    line = RankedStudent(1, "Ann", "2.5", 3, 1, "4")
    assert RankedStudent.from_json(list(line)) == line


def test_the_wall_keeps_the_last_boards_and_the_standings(server: PageServer) -> None:
    """At the end of a lesson, the wall once showed the address and the names again."""
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, class_url)
    session = server.session(key_of(students["Ann"]))
    for student in students.values():
        student.post(f"/play/{session.key}/resign")
    until(lambda: "0 games running" in teacher.get("/wall") or "no games running" in teacher.get("/wall"))
    page_text = teacher.get("/wall")
    assert 'class="standings"' in page_text
    assert 'class="lobby"' not in page_text
    assert "<svg" in page_text[page_text.index('class="wall-boards"') : page_text.index('class="wall-side"')]


def test_the_wall_shows_the_whole_last_round_at_once(server: PageServer) -> None:
    class_url, teacher, _ = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, class_url, first="Ann", second="Bob")
    pair(teacher, class_url, first="Cid", second="Dan")
    for name in ("Ann", "Cid"):
        act(teacher, class_url, "award", name=name)
    server.session(server.app.state.classroom.latest_results(2)[1].key).changed_at -= 60.0
    until(lambda: "no games running" in teacher.get("/wall"))
    page_text = teacher.get("/wall")
    boards = page_text[page_text.index('class="wall-boards"') : page_text.index('class="wall-side"')]
    assert boards.count("<svg") == 2


def test_the_teacher_reads_that_a_round_is_over(server: PageServer) -> None:
    class_url, teacher, _ = class_of(server, "Ann", "Bob")
    over = "All games are over: pair the students again."
    assert over not in teacher.get(class_url)
    pair(teacher, class_url)
    assert "1 game started." in (page_text := teacher.get(class_url))
    assert over not in page_text
    act(teacher, class_url, "award", name="Ann")
    assert f'<template id="round-over">{over}</template>' in (page_text := teacher.get(class_url))
    assert f'<span role="status">{over}</span>' in page_text


def test_a_class_ends_with_its_standings(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, class_url, first="Ann", second="Bob")
    question = (
        "Begin a new class? 1 game will be deleted. All students and points are removed: save the points first (CSV)."
    )
    assert question in teacher.get(class_url)
    act(teacher, class_url, "award", name="Ann")
    act(teacher, class_url, "rule", rule="open", on="0")
    until(lambda: "Final ranking" in teacher.get("/wall"))
    first = '<li class="place-1"><span class="place">1</span> <b>Ann</b> <span>1 point <small>(0)</small></span></li>'
    assert first in teacher.get("/wall")
    act(teacher, class_url, "clear")
    server.stop()
    server.start(with_class=True)
    teacher, students = server.again(teacher), {name: server.again(one) for name, one in students.items()}
    assert "The class is over: 1 point in 1 game: place 1 of 3. Join the next one" in students["Ann"].get("/class")
    assert "Join the class." in students["Cid"].get("/class"), "no place without a game"
    second = '<li class="place-2"><span class="place">2</span> <b>Bob</b> <span>0 points <small>(1)</small></span></li>'
    assert f"{first}\n{second}" in teacher.get("/wall")
    students["Bob"].post("/class", {"name": "Bob"})
    until(lambda: "Final ranking" not in teacher.get("/wall"))


def test_a_student_reads_why_another_game_was_left(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    students["Ann"].move(students["Ann"].begin(game="gomoku", opponent="here", option_size="7"), "d4")
    pair(teacher, class_url)
    note = "Your teacher has paired you. The other game waits under Your games"
    key = key_of(students["Ann"])
    assert note in students["Ann"].get(f"/play/{key}")
    assert note not in students["Bob"].get(f"/play/{key}")


def test_a_new_class_is_open(server: PageServer) -> None:
    class_url, teacher, _ = class_of(server, "Ann")
    act(teacher, class_url, "rule", rule="open", on="0")
    act(teacher, class_url, "clear")
    assert server.app.state.classroom.is_open


def test_the_class_continues_after_a_restart_of_the_server(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, class_url, first="Ann", second="Bob", clock="10+5")
    students["Ann"].post(f"/play/{key_of(students['Ann'])}/resign")
    pair(teacher, class_url, first="Cid", second="Ann", clock="10+5")
    key = key_of(students["Cid"])
    act(teacher, class_url, "rule", rule="help", on="1")
    act(teacher, class_url, "rule", rule="open", on="0")
    server.stop()
    server.start(with_class=True)
    teacher = server.again(teacher)
    students = {name: server.again(student) for name, student in students.items()}
    page_text = teacher.get(class_url)
    assert points_in(page_text) == {"Bob": "1", "Ann": "0", "Cid": "0"}
    assert "3 students: 1 ready, 2 playing" in page_text, "a student is away after 20 s without a page, not at once"
    assert "the class is closed." in page_text
    assert 'aria-checked="true" name="on" value="0" aria-describedby="about-help"' in page_text
    assert f"/play/{key}" in teacher.get("/wall")
    assert key_of(students["Cid"]) == key
    first_student = next(student for student in students.values() if "Your turn" in student.get(f"/play/{key}"))
    assert first_student.move(key, "e5")["said"] == ""
    act(teacher, class_url, "clear")
    server.stop()
    server.start(with_class=True)
    assert "0 students" in server.again(teacher).get(class_url)


@pytest.mark.slow
def test_a_class_is_as_before_after_its_server_was_killed(tmp_path: Path) -> None:
    served = Served(tmp_path, "--class", "--host", "127.0.0.1", "--agents", "greedy")
    clients = [Client(base_url=served.address, follow_redirects=True, timeout=60.0) for _ in range(8)]
    try:
        teacher, *students = map(Browser, clients)
        class_url = served.teacher
        names = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus")
        for name, student in zip(names, students, strict=True):
            student.post("/class", {"name": name})
        act(teacher, class_url, "rule", rule="byes", on="1")
        pair(teacher, class_url)
        playing = [name for name, student in zip(names, students, strict=True) if key_of(student)]
        for name in reversed(playing):  # the game that began last ends first
            act(teacher, class_url, "award", name=name)
        pair(teacher, class_url, first="Ann", second="Bob", game="go size=9", rules="go", handicap="2")
        pair(teacher, class_url, first="Cid", second="Dan")
        act(teacher, class_url, "adjourn", name="Cid")
        pair(teacher, class_url, first="Cid", second="Eve")
        act(teacher, class_url, "rule", rule="open", on="0")
        key = key_of(students[0])
        mover = next(student for student in students[:2] if "Your turn" in student.get(f"/play/{key}"))
        assert mover.move(key, "e5")["said"] == ""
        teacher.get(class_url)  # which shows the message of the last action

        def pages() -> dict[str, str]:
            pages_by_name = {name: student.get("/class") for name, student in zip(names, students, strict=True)}
            return {
                **pages_by_name,
                "teacher": teacher.get(class_url),
                "wall": teacher.get("/wall").partition('class="wall-side"')[2],
                "boards": "\n".join(re.findall(r'href="/play/\w+" title=.*', teacher.get("/wall"))),
                "game": mover.get(f"/play/{key}"),
            }

        until(lambda: "Bob" in teacher.get("/wall") and teacher.get("/wall").count("<svg") > 2)
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


def test_students_who_are_away_are_not_paired(server: PageServer) -> None:
    class_url, teacher, _ = class_of(server, "Ann", "Bob", "Cid", "Dan")
    last_seen = server.app.state.classroom._last_seen
    away = next(visitor for visitor, student in server.app.state.classroom.students.items() if student.name == "Dan")
    last_seen[away] -= 60.0
    page_text = teacher.get(class_url)
    assert "4 students: 3 ready, 1 away" in page_text
    assert page_text.count('class="away"') == 1
    pair(teacher, class_url)
    page_text = teacher.get(class_url)
    assert "1 game started, 1 without an opponent, 1 away, so not paired." in page_text
    assert "Away, so not paired: Dan." in page_text
    assert "4 students: 1 ready, 2 playing, 1 away" in page_text
    teacher.client.post(f"{class_url}/pair", data={"game": "gomoku size=9", "away": "1", "token": teacher.token})
    page_text = teacher.get(class_url)
    assert "4 students: 0 ready, 4 playing" in page_text
    assert '>Dan</a> <span class="away">away</span></th>' in page_text


def test_pages_outside_the_class_call_a_student_to_the_game(server: PageServer) -> None:
    """Students who solved puzzles while they waited counted as away, and no page told them of their game."""
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    call = '<p id="class-call" data-events="/class/events" data-game="{}" hidden></p>'
    for page in ("/puzzles", "/watch", "/games", "/"):
        assert call.format("") in students["Ann"].get(page)
        assert "class-call" not in teacher.get(page)
        assert "class-call" not in server.browser().get(page)
    pair(teacher, class_url)
    key = key_of(students["Ann"])
    assert call.format(f"/play/{key}") in students["Ann"].get("/puzzles")
    for page in ("/class", f"/play/{key}"):  # these pages follow the class by themselves
        assert "class-call" not in students["Ann"].get(page)


def test_pairing_prefers_new_opponents_with_equal_points(server: PageServer) -> None:
    names = [f"Student {number}" for number in range(8)]
    class_url, teacher, students = class_of(server, *names)
    points, met = dict.fromkeys(names, 0), set[frozenset[str]]()
    for number in range(3):
        pair(teacher, class_url)
        keys = {key_of(student) for student in students.values()}
        assert len(keys) == 4
        for key in keys:
            first_name, second_name = server.session(key).names
            assert frozenset((first_name, second_name)) not in met
            met.add(frozenset((first_name, second_name)))
            if number < 2:
                assert points[first_name] == points[second_name]
            points[first_name] += 1
            students[second_name].post(f"/play/{key}/resign")


def test_the_teacher_decides_games(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    pair(teacher, class_url, first="Cid", second="Dan", clock="5+3")
    keys = [key_of(students[name]) for name in ("Ann", "Cid")]
    student_page = teacher.get(f"{class_url}?student=Ann")
    assert "Ann wins" in student_page
    assert "Bob wins" in student_page
    assert "Ann won the game." in act(teacher, class_url, "award", name="Ann")
    page_text = act(teacher, class_url, "draw", name="Dan")
    assert points_in(page_text) == {"Ann": "1", "Cid": "0.5", "Dan": "0.5", "Bob": "0"}
    played = [server.store.game(key) for key in keys]
    assert [played_game.outcome.reason.value for played_game in played] == ["agreement", "agreement"]
    assert "Bob" in played[0].names
    assert "the teacher decided the game" in students["Bob"].get(f"/play/{keys[0]}")
    assert "is not playing" in act(teacher, class_url, "draw", name="Dan")
    until(lambda: not any(map(server.sessions.has_referee, keys)))


def test_a_removed_student_keeps_the_points_and_the_game_ends_or_is_handed_over(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, class_url, first="Ann", second="Bob")
    act(teacher, class_url, "award", name="Ann")
    pair(teacher, class_url, first="Ann", second="Cid")
    key = key_of(students["Ann"])
    assert "Dan plays on in their place." in act(teacher, class_url, "remove", name="Ann", heir="Dan")
    assert key_of(students["Dan"]) == key
    assert sorted(server.session(key).names) == ["Cid", "Dan"]
    assert students["Ann"].post(f"/play/{key}/resign")["refused"] == "You do not play in this game."
    assert "removed you" in students["Ann"].get("/class")
    page_text = act(teacher, class_url, "remove", name="Dan")
    assert "Cid won their game." in page_text
    assert points_in(page_text) == {"Cid": "1", "Bob": "0", "Ann": "1", "Dan": "0"}
    assert "2 students: 2 ready" in page_text
    assert page_text.count("left the class") == 2


def test_a_student_who_returns_on_another_device_keeps_points_and_game(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Cem", "Bob", "Dan")
    pair(teacher, where, first="Cem", second="Bob")
    act(teacher, where, "award", name="Cem")
    pair(teacher, where, first="Cem", second="Dan")
    key = key_of(students["Cem"])
    phone = server.browser()
    phone.post("/class", {"name": "Cem"})
    assert "You are <b>Cem-2</b>" in phone.get("/class")
    chosen = teacher.get(f"{where}?student=Cem")
    assert '<option value="same:Cem-2" data-sure="Cem-2 is Cem?' in chosen
    assert "on the device of Cem-2." in chosen
    assert "Cem has the points and games of both." in act(teacher, where, "remove", name="Cem", heir="same:Cem-2")
    assert key_of(phone) == key
    assert sorted(server.session(key).names) == ["Cem", "Dan"]
    assert "You are <b>Cem</b>" in phone.get("/class")
    assert "won against Bob" in phone.get("/class")
    assert "removed you" in students["Cem"].get("/class")
    assert students["Cem"].post(f"/play/{key}/resign")["refused"] == "You do not play in this game."
    shown = act(teacher, where, "stop")
    assert points_in(shown) == {"Cem": "1", "Bob": "0", "Dan": "0"}
    assert "3 students: 3 ready" in shown


def test_a_student_without_a_game_or_removed_before_is_the_same_student_too(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Cem", "Bob")
    pair(teacher, where, first="Cem", second="Bob")
    act(teacher, where, "award", name="Cem")
    act(teacher, where, "remove", name="Cem")
    phone = server.browser()
    phone.post("/class", {"name": "Cem"})
    assert ">Cem-2 is Cem</option>" in teacher.get(f"{where}?student=Cem-2")
    pair(teacher, where, first="Cem-2", second="Bob")
    shown = act(teacher, where, "remove", name="Cem-2", heir="same:Cem")
    assert "left the class" not in shown
    assert points_in(shown) == {"Cem": "1", "Bob": "0"}
    students["Cem"].post("/class", {"name": "Cem"})
    pair(teacher, where)
    act(teacher, where, "award", name="Bob")
    key = key_of(phone)
    assert key == ""
    assert "No other student has the name" in act(teacher, where, "remove", name="Bob", heir="same:Bob")
    act(teacher, where, "stop")
    pair(teacher, where, first="Cem", second="Cem-2")
    assert "Cem-2 and Cem are both playing." in act(teacher, where, "remove", name="Cem-2", heir="same:Cem")
    act(teacher, where, "award", name="Cem-2")
    shown = act(teacher, where, "remove", name="Cem", heir="same:Cem-2")
    assert points_in(shown)["Cem"] == "1", "a game against oneself counts for nobody"


def test_a_pause_stops_all_games_and_new_ones_wait_for_its_end(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    assert "All games are paused." in act(teacher, class_url, "pause")
    pair(teacher, class_url, first="Cid", second="Dan", clock="5+3")
    for name in ("Ann", "Cid"):
        key = key_of(students[name])
        page_text = students[name].get(f"/play/{key}")
        assert "The teacher has paused all games." in page_text
        assert "data-clock=" not in page_text
        assert students[name].move(key, "e5")["refused"] == "The teacher has paused all games."
    assert "2 games continued." in act(teacher, class_url, "resume")
    for first_name, second_name in (("Ann", "Bob"), ("Cid", "Dan")):
        key = key_of(students[first_name])
        first_student = next(
            students[name] for name in (first_name, second_name) if "Your turn" in students[name].get(f"/play/{key}")
        )
        assert first_student.move(key, "e5")["said"] == ""


def test_students_with_an_adjourned_game_are_not_paired_with_all(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dee")
    pair(teacher, class_url, first="Ann", second="Bob")
    act(teacher, class_url, "adjourn", name="Ann")
    page_text = act(teacher, class_url, "pair", game="gomoku size=9")
    assert "1 game started, 2 with an adjourned game, so not paired. Continue their games" in page_text
    assert "With an adjourned game, so not paired: Ann, Bob." in page_text
    assert not key_of(students["Ann"])
    assert key_of(students["Cid"]) == key_of(students["Dee"]) != ""


def test_an_adjourned_game_continues_later(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    key = key_of(students["Ann"])
    page_text = act(teacher, class_url, "adjourn", name="Bob")
    assert "3 students: 3 ready" in page_text
    assert f'name="key" value="{key}"' in page_text
    assert "Your game against Bob is adjourned." in students["Ann"].get("/class")
    pair(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    act(teacher, class_url, "adjourn", name="Bob")
    assert students["Ann"].get("/class").count("adjourned") == 1
    assert "Your 2 games against Bob are adjourned." in students["Ann"].get("/class")
    assert "is adjourned" in students["Ann"].move(key, "e5")["refused"]
    pair(teacher, class_url, first="Ann", second="Cid")
    assert "Ann is playing." in act(teacher, class_url, "continue", key=key)
    act(teacher, class_url, "award", name="Ann")
    assert "1 game continued." in act(teacher, class_url, "continue", key=key)
    assert key_of(students["Ann"]) == key_of(students["Bob"]) == key
    first_student = next(students[name] for name in ("Ann", "Bob") if "Your turn" in students[name].get(f"/play/{key}"))
    assert first_student.move(key, "e5")["said"] == ""


def test_a_game_without_a_first_move_ends_without_a_result(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    pair(teacher, class_url, first="Cid", second="Dan")
    key = key_of(students["Ann"])
    session, other_session = server.session(key), server.session(key_of(students["Cid"]))
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
    until(lambda: session.is_deleted)
    assert not other_session.is_deleted, "a game without a clock has no such limit"
    page_text = teacher.get(class_url)
    assert (
        f"{first_name} – {second_name}: no result, because {second_name} made no first move within 60 s." in page_text
    )
    assert "1 game without a result" in page_text
    assert "without a result" not in act(teacher, class_url, "dismiss"), "a message stays until the teacher has read it"
    assert "4 students: 2 ready, 2 playing" in page_text
    assert set(points_in(page_text).values()) == {"0"}
    assert f"Your game against {second_name} ended without a result: {second_name} made no first move." in students[
        first_name
    ].get("/class")
    assert "you made no first move. Wait for the teacher" in students[second_name].get("/class")
    for student, url in ((students[first_name], "/class"), (teacher, f"/play/{key}")):
        events = student.get(f"/play/{key}/events")  # of a page that was not connected when the game was deleted
        assert student.status == 200
        assert f'data-next=\\"{url}\\"' in events
        assert "event: last" in events
    pair(teacher, class_url, first="Ann", second="Bob", clock="5+3")
    assert "without a result" not in students[first_name].get("/class")


def test_pages_lead_a_teacher_and_students_to_their_class(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, class_url)
    key = key_of(students["Ann"])
    act(teacher, class_url, "stop")
    for person, url in ((teacher, class_url), (students["Ann"], "/class")):
        assert f'<a href="{url}">Class</a>' in person.get("/puzzles")
        assert f'href="{url}">To the class</a>' in person.get(f"/play/{key}")
        assert person.status == 404
    assert "without a result: the teacher stopped it." in students["Ann"].get("/class")
    stranger = server.browser()
    for page in ("/puzzles", f"/play/{key}"):
        assert "class</a>" not in stranger.get(page).lower()
    act(teacher, class_url, "remove", name="Ann")
    assert "class</a>" not in students["Ann"].get("/puzzles").lower()


def test_a_handover_of_a_game_that_has_ended_names_the_result(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, class_url, first="Ann", second="Bob")
    key = key_of(students["Ann"])
    student_page = teacher.get(f"{class_url}?student=Ann")
    assert f'name="key" value="{key}"' in student_page
    assert "Remove Ann from the class? Cid plays on against Bob." in student_page
    assert "Remove Ann from the class? Bob wins the game." in student_page
    act(teacher, class_url, "award", name="Ann")
    page_text = act(teacher, class_url, "remove", name="Ann", heir="Cid", key=key)
    result = "Ann is not playing. Their game has ended: Ann won, after 0 moves: the teacher decided the game."
    assert f"{result} Nobody was removed." in page_text
    assert "3 students: 3 ready" in page_text
    assert "is no longer in the class. Their game has ended: Ann won" in act(
        teacher, class_url, "remove", name="Ann", key=key
    )


def test_only_students_who_are_present_take_over_a_game(server: PageServer) -> None:
    class_url, teacher, _ = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, class_url, first="Ann", second="Bob")
    classroom = server.app.state.classroom
    classroom._last_seen[next(visitor for visitor, student in classroom.students.items() if student.name == "Cid")] -= (
        60.0
    )
    student_page = teacher.get(f"{class_url}?student=Ann")
    assert "Dan plays on" in student_page
    assert "Cid plays on" not in student_page
    assert '<option value="Cid">Cid (away)</option>' in teacher.get(f"{class_url}?student=Dan")


def test_a_student_types_a_name_and_a_long_one_is_refused_with_its_length(server: PageServer) -> None:
    room(server)
    ann = server.browser()
    assert 'value="" autocomplete="nickname"' in ann.get("/class")
    long = "Maximiliane Wolfeschlegelsteinhausen"
    page_text = ann.client.post("/class", data={"name": long, "token": ann.token}).text
    assert "The name has 36 characters. Use 30 at most." in page_text
    assert f'value="{long}"' in page_text
    error_page = ann.client.post("/class", data={"name": "Ann+", "token": ann.token}).text
    assert "apostrophes, hyphens and full stops." in error_page


def test_the_points_with_byes_are_saved_as_a_file(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Łucja", "Bob", "Cid")
    act(teacher, class_url, "rule", rule="byes", on="1")
    out = set()
    for _ in range(3):
        pair(teacher, class_url)
        assert "1 without an opponent and with a point." in teacher.get(class_url)
        left_over = next(name for name, student in students.items() if not key_of(student))
        out.add(left_over)
        assert "You were left over in this round, and got a point." in students[left_over].get("/class")
        assert " and 1 bye: place " in students[left_over].get("/class")
        act(teacher, class_url, "draw-all")
    assert len(out) == 3, "each student has one bye"
    until(lambda: teacher.get("/wall").count("<small>+ 1 bye</small></th>") == 3)
    assert teacher.get("/wall").count("<b>2</b></td>") == 3, "a bye is a point, but no game"
    assert teacher.get(class_url).count('data-label="games">2 <small>+ 1 bye</small>') == 3
    file = teacher.client.get(f"{class_url}/points.csv")
    assert 'filename="points.csv"' in file.headers["content-disposition"]
    rows = list(csv.DictReader(file.content.decode("utf-8-sig").splitlines()))
    assert sorted(row["student"] for row in rows) == ["Bob", "Cid", "Łucja"]
    assert all(
        (row["points"], row["games"], row["drawn"], row["byes"], row["left"]) == ("2", "2", "2", "1", "no")
        for row in rows
    )
    assert "for the teacher" in teacher.get("/class/guess/points.csv")


def test_the_wall_of_a_class_shows_no_games_of_guests(server: PageServer) -> None:
    """The table lists only students, but games of guests had boards beside those of the class."""
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    guest = server.browser()
    key = guest.begin(game="gomoku", opponent="here", option_size="7")
    guest.move(key, "d4")
    pair(teacher, class_url)
    until(lambda: f"/play/{key_of(students['Ann'])}" in teacher.get("/wall"))
    page_text = teacher.get("/wall")
    assert f"/play/{key}" not in page_text
    assert "2 students, 1 game running." in page_text
    assert f"/play/{key}" in guest.get("/watch")


def test_a_round_ends_without_the_deletion_of_games(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, class_url)
    keys = {key_of(student) for student in students.values()}
    assert "2 games adjourned." in act(teacher, class_url, "adjourn-all")
    assert "4 students: 4 ready" in teacher.get(class_url)
    assert all(f"/play/{key}" not in teacher.get("/wall") for key in keys), "adjourned games take no board"
    assert "2 games continued." in act(teacher, class_url, "continue-all")
    assert "2 games declared drawn." in act(teacher, class_url, "draw-all")
    assert set(points_in(teacher.get(class_url)).values()) == {"0.5"}


def test_the_teacher_sees_who_has_not_moved(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, class_url)
    session = server.session(key_of(students["Ann"]))
    session.turn_started_at -= 190.0
    page_text = teacher.get(class_url)
    assert "2 playing (1 without a move for 2 minutes)" in page_text
    row = next(line for line in page_text.splitlines() if "no move for 3 min" in line)
    assert f">{session.names[0]}</a>" in row
    assert page_text.count("no move for") == 1


def test_the_teacher_chooses_the_rules_of_class_games(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob")
    fresh = teacher.get(class_url)
    assert fresh.count("<template data-rules=") == 5
    assert 'name="option-opening"' in fresh.partition('data-rules="gomoku"')[2].partition("</template>")[0]
    rules = {"rules": "go", "handicap": "3", "option-komi": "", "option-scoring": "territory"}
    pair(teacher, class_url, game="go size=13", first="Ann", second="Bob", **rules)
    session = server.session(key_of(students["Ann"]))
    assert session.game.non_default_options == {"size": 13, "komi": 0.5, "scoring": "territory"}
    assert session.opening == len(session.actions) == 5
    assert session.position.to_move == 2
    assert "Black has 3 handicap stones" in teacher.get(f"/play/{session.key}")
    act(teacher, class_url, "stop")
    pair(
        teacher, class_url, first="Ann", second="Bob", **rules
    )  # a page whose script did not show the fields of Gomoku
    assert server.session(key_of(students["Ann"])).game.non_default_options == {"size": 9}
    act(teacher, class_url, "stop")
    pair(teacher, class_url, first="Ann", second="Bob", **{"rules": "gomoku", "option-opening": "swap2"})
    assert server.session(key_of(students["Ann"])).game.options["opening"] == "swap2"
    server.stop()
    server.start(with_class=True)
    page_text = server.again(teacher).get(class_url)
    assert (
        'name="option-opening" value="swap2" checked' in page_text.partition('id="rules"')[2].partition("<template")[0]
    )


def test_refused_rules_stay_in_the_form_with_the_reason_beside_their_field(server: PageServer) -> None:
    class_url, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, class_url, game="go size=9", first="Ann", second="Bob", **{"rules": "go", "option-komi": "many"})
    assert not key_of(students["Ann"])
    rules = teacher.get(class_url).partition("<template")[0]
    assert 'value="many"' in rules
    assert 'id="wrong"' in rules
    pair(
        teacher,
        class_url,
        game="dots_and_boxes rows=3 cols=3",
        first="Ann",
        second="Bob",
        rules="dots_and_boxes",
        players="3",
    )
    assert "3 players" in teacher.get(class_url), "with names, only two are paired"
    act(teacher, class_url, "pair", game="dots_and_boxes rows=3 cols=3", rules="dots_and_boxes", players="3")
    assert len(server.session(key_of(students["Ann"])).seat_infos) == 3
