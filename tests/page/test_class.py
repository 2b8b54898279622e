"""A class on the page: students join by name, the teacher pairs them, and nobody else does."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from httpx2 import Client

from gomogo.page.play.classroom import FIRST_MOVE_SECONDS
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
    where, teacher = room(server)
    ann, bob, cid = (server.browser() for _ in range(3))
    for student, name in ((ann, "李雷"), (bob, "Zoë"), (cid, "Zoë")):
        assert student.post("/class", {"name": name})["go"] == ""
    said = "Another student is called Zoë, so you are Zoë-2. You can choose another name below."
    assert said in cid.get("/class")
    assert "Another student" not in bob.get("/class")
    shown = teacher.get(where)
    assert all(f">{name}<" in shown for name in ("李雷", "Zoë", "Zoë-2"))
    assert "3 students: 3 ready; the class is open." in shown
    teacher.client.post(f"{where}/pair", data={"game": "gomoku size=9", "clock": "10+5", "token": teacher.token})
    shown = teacher.get(where)
    assert "3 students: 1 ready, 2 playing; the class is open." in shown
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
    assert "3 students: 3 ready" in act(teacher, where, "stop")


def key_of(student: Browser) -> str:
    """The key of the game to which the page of the class leads, or ""."""
    return student.get("/class").partition('href="/play/')[2].partition('"')[0]


def points_in(page: str) -> dict[str, str]:
    """The points of each student in the teacher's table."""
    names = r'<th scope="row">(?:<a [^>]*>)?(\w+)(?:</a>)?(?: <span[^>]*>away</span>)?</th>'
    return dict(re.findall(names + r'<td class="number" data-label="points">([\d.]+)<', page))


def act(teacher: Browser, where: str, what: str, **fields: str) -> str:
    """The teacher's page after an action."""
    return teacher.client.post(f"{where}/{what}", data={"token": teacher.token, **fields}).text


def class_of(server: PageServer, *names: str) -> tuple[str, Browser, dict[str, Browser]]:
    """The address of the teacher's page, the teacher, and students with these names."""
    where, teacher = room(server)
    students = {name: server.browser() for name in names}
    for name, student in students.items():
        student.post("/class", {"name": name})
    return where, teacher, students


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
    assert points_in(shown) == {"Bob": "1", "Ann": "0"}
    assert '<option value="gomoku size=9" selected>' in shown
    assert "You lost against Bob. Wait for the teacher to start a game." in ann.get("/class")
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
    assert 'class="standings"' not in teacher.get("/wall"), "no table before a game has ended"
    act(teacher, where, "award", name=names[0])
    until(lambda: 'class="standings"' in teacher.get("/wall"))
    assert "<small>in 0</small>" not in teacher.get("/wall"), "a student without a game has no points yet"
    places = re.findall(r'<td class="number">(\d*)</td><th scope="row">([^<]*)', teacher.get("/wall"))
    assert places[:3] == [("1", names[0]), ("2", names[1]), ("", names[2])], "no place without a game"
    pair(teacher, where, first=names[0], second=names[1])
    rules = load("gomoku")
    live = LiveFile(server.folder / "live", "program", "")
    live(Started(GameSetup(rules, ("one", "two"), (TimeControl(),) * 2, ()), rules.start()))
    until(lambda: "2 games running." in teacher.get("/wall"))
    shown = teacher.get("/wall")
    assert all(f">{name}<" in shown for name in names)
    assert shown.index('title="Student 0 – Student 1"') < shown.index('title="one – two"')


def test_the_teacher_pairs_two_and_stops_one_game(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
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
    assert "Eve" in act(teacher, where, "award", name="Eve")


def test_students_with_the_fewest_meetings_are_paired(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
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
    act(teacher, where, "rule", rule="open", on="0")
    answer = stranger.client.post("/class", data={"name": "eve", "token": stranger.token})
    assert "The class is closed." in answer.text
    assert "You can join here as soon as the teacher opens it." in server.browser().get("/class")
    assert not server.app.state.classroom.students
    until(lambda: "data-closed" in teacher.get("/wall"))
    act(teacher, where, "rule", rule="open", on="1")
    stranger.client.post("/class", data={"name": "<b>", "token": stranger.token})
    assert not server.app.state.classroom.students
    assert "0 students" in teacher.get(where)
    assert "/class</" in teacher.get("/wall").replace("\n", "")
    until(lambda: "data-closed" not in teacher.get("/wall"))


def test_help_and_second_thoughts_follow_the_teacher(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, where)
    key = key_of(students["Ann"])
    first = next(one for one in students.values() if "Your turn" in one.get(f"/play/{key}"))
    first.move(key, "e5")
    mine = first.begin(game="gomoku", opponent="here", option_size="7")
    for page, what, words in (
        (key, "hint", "switched off help"),
        (key, "explain", "switched off help"),
        (mine, "hint", "switched off help"),
        (key, "undo", "moves stay"),
        (key, "delete", "moves stay"),
    ):
        assert words in first.post(f"/play/{page}/{what}")["refused"]
    for where_help in (f"/play/{key}/marks", "/analysis/marks?game=go&moves=a1"):
        assert "switched off help" in first.get(where_help)
    analysis = {"game": "gomoku", "option-size": "7", "moves": "d4", "agent": "strongest"}
    assert "switched off help" in first.client.post("/analysis/start", data={**analysis, "token": first.token}).text
    shown = first.get(f"/play/{key}")
    assert "No hints, analysis or taking back in class games." in shown
    assert 'data-forbidden="no-delete no-undo no-help"' in shown
    assert "No hints" in first.get("/class")
    assert 'aria-checked="true" name="on" value="0" aria-describedby="about-help"' in act(
        teacher, where, "rule", rule="help", on="1"
    )
    act(teacher, where, "rule", rule="undo", on="1")
    assert "data-forbidden" not in first.get(f"/play/{key}")
    assert "refused" not in first.post(f"/play/{key}/explain")
    first.post(f"/play/{key}/undo")
    assert "was asked" in first.get(f"/play/{key}")
    act(teacher, where, "rule", rule="help", on="0")
    first.post(f"/play/{key}/resign")
    assert "refused" not in first.post(f"/play/{mine}/explain"), "the game in the class is over"


def test_nobody_but_the_teacher_analyses_a_running_game_without_help(server: PageServer) -> None:
    """A student could use a second browser that has not joined."""
    where, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, where)
    session = server.session(key_of(students["Ann"]))
    first = next(one for one in students.values() if "Your turn" in one.get(f"/play/{session.key}"))
    point = session.game.format(next(iter(session.position.moves())))
    first.move(session.key, point)
    options = {f"option-{name}": str(value) for name, value in session.game.options.items()}
    same = {"game": session.game.name, **options, "moves": point, "agent": "strongest"}
    other = server.browser()
    said = other.client.post("/analysis/start", data={**same, "token": other.token}).text
    assert "This position is that of a running game of the class, or resembles it." in said
    act(teacher, where, "rule", rule="help", on="1")
    assert "of the class" not in other.client.post("/analysis/start", data={**same, "token": other.token}).text


def test_no_help_in_positions_that_resemble_a_game_of_the_class(server: PageServer) -> None:
    """A turned, mirrored or neighbouring position gave a student the same analysis in another browser."""
    where, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, where)
    teacher.get(where)  # which makes this visitor a teacher
    session = server.session(key_of(students["Ann"]))
    for point in ("c2", "d7", "c3", "e7", "c4", "f6"):
        next(one for one in students.values() if "Your turn" in one.get(f"/play/{session.key}")).move(
            session.key, point
        )
    other = server.browser()
    for moves, is_allowed in (
        ("g2 f7 g3 e7 g4 d6", False),  # mirrored
        ("b3 g4 c3 g5 d3 f6", False),  # turned
        ("d7 c2 e7 c3 f6 c4", False),  # with exchanged colours
        ("c2 d7 c3 e7", False),  # two moves earlier
        ("c2 d7 c3 e7 c4 f6 c5 c1", False),  # two moves later
        ("c2 d7 c3 e7 c4 g8", False),  # another last move
        ("c2 d7 c3 e7 d8 g8 h1 i9", True),
    ):
        form = {"game": "gomoku", "option-size": "9", "moves": moves, "agent": "strongest", "token": other.token}
        marks = other.get("/analysis/marks?" + urlencode(form))
        assert ("resembles" in marks) != is_allowed, moves
        assert "resembles" not in teacher.get("/analysis/marks?" + urlencode(form)), moves
    assert "resembles" in other.client.post("/analysis/start", data={**form, "moves": "g2 f7 g3 e7 g4 d6"}).text
    copy = other.begin(game="gomoku", opponent="here", option_size="9")
    for point in ("g2", "f7", "g3", "e7", "g4", "d6"):
        other.move(copy, point)
    assert "resembles" in other.post(f"/play/{copy}/hint")["refused"]
    other.post(f"/play/{copy}/resign")
    until(lambda: server.session(copy).is_stored)
    assert "resembles" in other.get(f"/games/{copy}/review")
    for student in students.values():
        student.post(f"/play/{session.key}/resign")
    until(lambda: "resembles" not in other.get(f"/games/{copy}/review"))


def test_games_of_go_in_a_class_have_the_usual_komi(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, where, game="go size=9", first="Ann", second="Bob")
    assert server.session(key_of(students["Ann"])).game.options["komi"] == 7.5


def test_lots_decide_who_moves_first_and_then_the_other_one_does(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob")
    first = []
    for _ in range(8):
        pair(teacher, where)
        first.append(server.session(key_of(students["Ann"])).names[0])
        server.session(key_of(students["Ann"])).resign(server.session(key_of(students["Ann"])).seat_infos[0].visitor)
        teacher.client.post(f"{where}/stop", data={"token": teacher.token})
    pairs = list(zip(first[::2], first[1::2], strict=True))
    assert all(len(set(two)) == 2 for two in pairs), first


def test_the_name_of_a_removed_student_without_points_is_free(server: PageServer) -> None:
    where, teacher, _ = class_of(server, "Ann", "Dan")
    act(teacher, where, "remove", name="Dan")
    again = server.browser()
    again.client.post("/class", data={"name": "Dan", "token": again.token})
    assert server.app.state.classroom.student_names() == ["Ann", "Dan"]


def test_the_wall_keeps_the_last_boards_and_the_standings(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of a lesson, the wall once showed the address and the names again."""
    monkeypatch.setattr("gomogo.page.watch.pages._WALL_RESULT_SECONDS", 0.0)
    where, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, where)
    session = server.session(key_of(students["Ann"]))
    for one in students.values():
        one.post(f"/play/{session.key}/resign")
    until(lambda: "0 games running" in teacher.get("/wall") or "no games running" in teacher.get("/wall"))
    shown = teacher.get("/wall")
    assert 'class="standings"' in shown
    assert 'class="lobby"' not in shown
    assert "<svg" in shown[shown.index('class="wall-boards"') : shown.index('class="wall-side"')]


def test_a_new_class_is_open(server: PageServer) -> None:
    where, teacher, _ = class_of(server, "Ann")
    act(teacher, where, "rule", rule="open", on="0")
    act(teacher, where, "clear")
    assert server.app.state.classroom.is_open


def test_the_class_continues_after_a_restart_of_the_server(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, where, first="Ann", second="Bob", clock="10+5")
    students["Ann"].post(f"/play/{key_of(students['Ann'])}/resign")
    pair(teacher, where, first="Cid", second="Ann", clock="10+5")
    key = key_of(students["Cid"])
    act(teacher, where, "rule", rule="help", on="1")
    act(teacher, where, "rule", rule="open", on="0")
    server.stop()
    server.start(with_class=True)
    teacher = server.again(teacher)
    students = {name: server.again(one) for name, one in students.items()}
    shown = teacher.get(where)
    assert points_in(shown) == {"Bob": "1", "Ann": "0", "Cid": "0"}
    assert "3 students: 1 ready, 2 playing" in shown, "a student is away after 20 s without a page, not at once"
    assert "the class is closed." in shown
    assert 'aria-checked="true" name="on" value="0" aria-describedby="about-help"' in shown
    assert f"/play/{key}" in teacher.get("/wall")
    assert key_of(students["Cid"]) == key
    first = next(one for one in students.values() if "Your turn" in one.get(f"/play/{key}"))
    assert first.move(key, "e5")["said"] == ""
    act(teacher, where, "clear")
    server.stop()
    server.start(with_class=True)
    assert "0 students" in server.again(teacher).get(where)


@pytest.mark.slow
def test_a_class_is_as_before_after_its_server_was_killed(tmp_path: Path) -> None:
    served = Served(tmp_path, "--class", "--host", "127.0.0.1", "--agents", "greedy")
    clients = [Client(base_url=served.address, follow_redirects=True, timeout=60.0) for _ in range(8)]
    try:
        teacher, *students = map(Browser, clients)
        where = served.teacher
        names = ("Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus")
        for name, student in zip(names, students, strict=True):
            student.post("/class", {"name": name})
        act(teacher, where, "rule", rule="byes", on="1")
        pair(teacher, where)
        playing = [name for name, student in zip(names, students, strict=True) if key_of(student)]
        for name in reversed(playing):  # the game that began last ends first
            act(teacher, where, "award", name=name)
        pair(teacher, where, first="Ann", second="Bob", game="go size=9", rules="go", handicap="2")
        pair(teacher, where, first="Cid", second="Dan")
        act(teacher, where, "adjourn", name="Cid")
        pair(teacher, where, first="Cid", second="Eve")
        act(teacher, where, "rule", rule="open", on="0")
        key = key_of(students[0])
        mover = next(one for one in students[:2] if "Your turn" in one.get(f"/play/{key}"))
        assert mover.move(key, "e5")["said"] == ""
        teacher.get(where)  # which shows the message of the last action

        def pages() -> dict[str, str]:
            found = {name: one.get("/class") for name, one in zip(names, students, strict=True)}
            return {
                **found,
                "teacher": teacher.get(where),
                "wall": teacher.get("/wall").partition('class="wall-side"')[2],
                "boards": "\n".join(re.findall(r'href="/play/\w+" title=.*', teacher.get("/wall"))),
                "game": mover.get(f"/play/{key}"),
            }

        until(lambda: "Bob" in teacher.get("/wall") and teacher.get("/wall").count("<svg") > 2)
        before = pages()
        served.kill()
        served.start()
        after = pages()
        for page, text in before.items():
            assert text.splitlines() == after[page].splitlines(), page
        assert "is adjourned" in after["Dan"]
    finally:
        served.stop()
        for client in clients:
            client.close()


def test_students_who_are_away_are_not_paired(server: PageServer) -> None:
    where, teacher, _ = class_of(server, "Ann", "Bob", "Cid", "Dan")
    seen = server.app.state.classroom._last_seen
    away = next(visitor for visitor, one in server.app.state.classroom.students.items() if one.name == "Dan")
    seen[away] -= 60.0
    shown = teacher.get(where)
    assert "4 students: 3 ready, 1 away" in shown
    assert shown.count('class="away"') == 1
    pair(teacher, where)
    shown = teacher.get(where)
    assert "1 game started, 1 without an opponent, 1 away, so not paired." in shown
    assert "Away, so not paired: Dan." in shown
    assert "4 students: 1 ready, 2 playing, 1 away" in shown
    teacher.client.post(f"{where}/pair", data={"game": "gomoku size=9", "away": "1", "token": teacher.token})
    shown = teacher.get(where)
    assert "4 students: 0 ready, 4 playing" in shown
    assert '>Dan</a> <span class="away">away</span></th>' in shown


def test_pages_outside_the_class_call_a_student_to_the_game(server: PageServer) -> None:
    """Students who solved puzzles while they waited counted as away, and no page told them of their game."""
    where, teacher, students = class_of(server, "Ann", "Bob")
    call = '<p id="class-call" data-events="/class/events" data-game="{}" hidden></p>'
    for page in ("/puzzles", "/watch", "/games", "/"):
        assert call.format("") in students["Ann"].get(page)
        assert "class-call" not in teacher.get(page)
        assert "class-call" not in server.browser().get(page)
    pair(teacher, where)
    key = key_of(students["Ann"])
    assert call.format(f"/play/{key}") in students["Ann"].get("/puzzles")
    for page in ("/class", f"/play/{key}"):  # these pages follow the class by themselves
        assert "class-call" not in students["Ann"].get(page)


def test_pairing_prefers_new_opponents_with_equal_points(server: PageServer) -> None:
    names = [f"Student {number}" for number in range(8)]
    where, teacher, students = class_of(server, *names)
    points, met = dict.fromkeys(names, 0), set[frozenset[str]]()
    for number in range(3):
        pair(teacher, where)
        keys = {key_of(student) for student in students.values()}
        assert len(keys) == 4
        for key in keys:
            one, other = server.session(key).names
            assert frozenset((one, other)) not in met
            met.add(frozenset((one, other)))
            if number < 2:
                assert points[one] == points[other]
            points[one] += 1
            students[other].post(f"/play/{key}/resign")


def test_the_teacher_decides_games(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, where, first="Ann", second="Bob", clock="5+3")
    pair(teacher, where, first="Cid", second="Dan", clock="5+3")
    keys = [key_of(students[name]) for name in ("Ann", "Cid")]
    chosen = teacher.get(f"{where}?student=Ann")
    assert "Ann wins" in chosen
    assert "Bob wins" in chosen
    assert "Ann won the game." in act(teacher, where, "award", name="Ann")
    shown = act(teacher, where, "draw", name="Dan")
    assert points_in(shown) == {"Ann": "1", "Cid": "0.5", "Dan": "0.5", "Bob": "0"}
    played = [server.store.game(key) for key in keys]
    assert [one.outcome.reason.value for one in played] == ["agreement", "agreement"]
    assert "Bob" in played[0].names
    assert "the teacher decided the game" in students["Bob"].get(f"/play/{keys[0]}")
    assert "is not playing" in act(teacher, where, "draw", name="Dan")
    until(lambda: not any(map(server.sessions.has_referee, keys)))


def test_a_removed_student_keeps_the_points_and_the_game_ends_or_is_handed_over(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, where, first="Ann", second="Bob")
    act(teacher, where, "award", name="Ann")
    pair(teacher, where, first="Ann", second="Cid")
    key = key_of(students["Ann"])
    assert "Dan plays on in their place." in act(teacher, where, "remove", name="Ann", heir="Dan")
    assert key_of(students["Dan"]) == key
    assert sorted(server.session(key).names) == ["Cid", "Dan"]
    assert students["Ann"].post(f"/play/{key}/resign")["refused"] == "You do not play in this game."
    assert "removed you" in students["Ann"].get("/class")
    shown = act(teacher, where, "remove", name="Dan")
    assert "Cid won their game." in shown
    assert points_in(shown) == {"Cid": "1", "Bob": "0", "Ann": "1", "Dan": "0"}
    assert "2 students: 2 ready" in shown
    assert shown.count("left the class") == 2


def test_a_pause_stops_all_games_and_new_ones_wait_for_its_end(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, where, first="Ann", second="Bob", clock="5+3")
    assert "All games are paused." in act(teacher, where, "pause")
    pair(teacher, where, first="Cid", second="Dan", clock="5+3")
    for name in ("Ann", "Cid"):
        key = key_of(students[name])
        shown = students[name].get(f"/play/{key}")
        assert "The teacher has paused all games." in shown
        assert "data-clock=" not in shown
        assert students[name].move(key, "e5")["refused"] == "The teacher has paused all games."
    assert "2 games continued." in act(teacher, where, "resume")
    for one, other in (("Ann", "Bob"), ("Cid", "Dan")):
        key = key_of(students[one])
        first = next(students[name] for name in (one, other) if "Your turn" in students[name].get(f"/play/{key}"))
        assert first.move(key, "e5")["said"] == ""


def test_students_with_an_adjourned_game_are_not_paired_with_all(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dee")
    pair(teacher, where, first="Ann", second="Bob")
    act(teacher, where, "adjourn", name="Ann")
    shown = act(teacher, where, "pair", game="gomoku size=9")
    assert "1 game started, 2 with an adjourned game, so not paired. Continue their games" in shown
    assert "With an adjourned game, so not paired: Ann, Bob." in shown
    assert not key_of(students["Ann"])
    assert key_of(students["Cid"]) == key_of(students["Dee"]) != ""


def test_an_adjourned_game_continues_later(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, where, first="Ann", second="Bob", clock="5+3")
    key = key_of(students["Ann"])
    shown = act(teacher, where, "adjourn", name="Bob")
    assert "3 students: 3 ready" in shown
    assert f'name="key" value="{key}"' in shown
    assert "Your game against Bob is adjourned." in students["Ann"].get("/class")
    pair(teacher, where, first="Ann", second="Bob", clock="5+3")
    act(teacher, where, "adjourn", name="Bob")
    assert students["Ann"].get("/class").count("adjourned") == 1
    assert "Your 2 games against Bob are adjourned." in students["Ann"].get("/class")
    assert "is adjourned" in students["Ann"].move(key, "e5")["refused"]
    pair(teacher, where, first="Ann", second="Cid")
    assert "Ann is playing." in act(teacher, where, "continue", key=key)
    act(teacher, where, "award", name="Ann")
    assert "1 game continued." in act(teacher, where, "continue", key=key)
    assert key_of(students["Ann"]) == key_of(students["Bob"]) == key
    first = next(students[name] for name in ("Ann", "Bob") if "Your turn" in students[name].get(f"/play/{key}"))
    assert first.move(key, "e5")["said"] == ""


def test_a_game_without_a_first_move_ends_without_a_result(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, where, first="Ann", second="Bob", clock="5+3")
    pair(teacher, where, first="Cid", second="Dan")
    key = key_of(students["Ann"])
    session, other = server.session(key), server.session(key_of(students["Cid"]))
    first, second = session.names
    assert "Without a first move within 60 s, the game ends without a result." in students[first].get(f"/play/{key}")
    assert "data-left" not in students[first].get(f"/play/{key}"), "no clock runs before the first move"
    session.turn_started_at -= FIRST_MOVE_SECONDS / 2
    assert students[first].move(key, "e5")["said"] == ""
    assert session.clocks()[0] == 303.0, "the first move takes no time"
    for game in (session, other):
        game.turn_started_at -= FIRST_MOVE_SECONDS + 1.0
    until(lambda: session.is_deleted)
    assert not other.is_deleted, "a game without a clock has no such limit"
    shown = teacher.get(where)
    assert f"{first} – {second}: no result, because {second} made no first move within 60 s." in shown
    assert "1 game without a result" in shown
    assert "without a result" not in act(teacher, where, "dismiss"), "a message stays until the teacher has read it"
    assert "4 students: 2 ready, 2 playing" in shown
    assert set(points_in(shown).values()) == {"0"}
    assert f"Your game against {second} ended without a result: {second} made no first move." in students[first].get(
        "/class"
    )
    assert "you made no first move. Wait for the teacher" in students[second].get("/class")
    for student, url in ((students[first], "/class"), (teacher, f"/play/{key}")):
        events = student.get(f"/play/{key}/events")  # of a page that was not connected when the game was deleted
        assert student.status == 200
        assert f'data-next=\\"{url}\\"' in events
        assert "event: last" in events
    pair(teacher, where, first="Ann", second="Bob", clock="5+3")
    assert "without a result" not in students[first].get("/class")


def test_pages_lead_a_teacher_and_students_to_their_class(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, where)
    key = key_of(students["Ann"])
    act(teacher, where, "stop")
    for person, url in ((teacher, where), (students["Ann"], "/class")):
        assert f'<a href="{url}">Class</a>' in person.get("/puzzles")
        assert f'href="{url}">To the class</a>' in person.get(f"/play/{key}")
        assert person.status == 404
    assert "without a result: the teacher stopped it." in students["Ann"].get("/class")
    stranger = server.browser()
    for page in ("/puzzles", f"/play/{key}"):
        assert "class</a>" not in stranger.get(page).lower()
    act(teacher, where, "remove", name="Ann")
    assert "class</a>" not in students["Ann"].get("/puzzles").lower()


def test_a_handover_of_a_game_that_has_ended_names_the_result(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, where, first="Ann", second="Bob")
    key = key_of(students["Ann"])
    chosen = teacher.get(f"{where}?student=Ann")
    assert f'name="key" value="{key}"' in chosen
    assert "Remove Ann from the class? Cid plays on against Bob." in chosen
    assert "Remove Ann from the class? Bob wins the game." in chosen
    act(teacher, where, "award", name="Ann")
    shown = act(teacher, where, "remove", name="Ann", heir="Cid", key=key)
    result = "Ann is not playing. Their game has ended: Ann won, after 0 moves: the teacher decided the game."
    assert f"{result} Nobody was removed." in shown
    assert "3 students: 3 ready" in shown
    assert "is no longer in the class. Their game has ended: Ann won" in act(
        teacher, where, "remove", name="Ann", key=key
    )


def test_only_students_who_are_present_take_over_a_game(server: PageServer) -> None:
    where, teacher, _ = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, where, first="Ann", second="Bob")
    classroom = server.app.state.classroom
    classroom._last_seen[next(visitor for visitor, one in classroom.students.items() if one.name == "Cid")] -= 60.0
    chosen = teacher.get(f"{where}?student=Ann")
    assert "Dan plays on" in chosen
    assert "Cid plays on" not in chosen
    assert '<option value="Cid">Cid (away)</option>' in teacher.get(f"{where}?student=Dan")


def test_a_student_types_a_name_and_a_long_one_is_refused_with_its_length(server: PageServer) -> None:
    room(server)
    ann = server.browser()
    assert 'value="" autocomplete="nickname"' in ann.get("/class")
    long = "Maximiliane Wolfeschlegelsteinhausen"
    shown = ann.client.post("/class", data={"name": long, "token": ann.token}).text
    assert "The name has 36 characters. Use 30 at most." in shown
    assert f'value="{long}"' in shown
    refused = ann.client.post("/class", data={"name": "Ann+", "token": ann.token}).text
    assert "apostrophes, hyphens and full stops." in refused


def test_the_points_with_byes_are_saved_as_a_file(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Łucja", "Bob", "Cid")
    act(teacher, where, "rule", rule="byes", on="1")
    out = set()
    for _ in range(3):
        pair(teacher, where)
        assert "1 without an opponent and with a point." in teacher.get(where)
        left_over = next(name for name, student in students.items() if not key_of(student))
        out.add(left_over)
        assert "You were left over in this round, and got a point." in students[left_over].get("/class")
        assert " and 1 bye: place " in students[left_over].get("/class")
        act(teacher, where, "draw-all")
    assert len(out) == 3, "each student has one bye"
    until(lambda: teacher.get("/wall").count("<small>+ 1 bye</small></th>") == 3)
    assert teacher.get("/wall").count("<b>2</b> <small>in 2</small>") == 3, "a bye is a point, but no game"
    assert teacher.get(where).count('data-label="games">2 <small>+ 1 bye</small>') == 3
    file = teacher.client.get(f"{where}/points.csv")
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
    where, teacher, students = class_of(server, "Ann", "Bob")
    guest = server.browser()
    key = guest.begin(game="gomoku", opponent="here", option_size="7")
    guest.move(key, "d4")
    pair(teacher, where)
    until(lambda: f"/play/{key_of(students['Ann'])}" in teacher.get("/wall"))
    shown = teacher.get("/wall")
    assert f"/play/{key}" not in shown
    assert "2 students, 1 game running." in shown
    assert f"/play/{key}" in guest.get("/watch")


def test_a_round_ends_without_the_deletion_of_games(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid", "Dan")
    pair(teacher, where)
    keys = {key_of(student) for student in students.values()}
    assert "2 games adjourned." in act(teacher, where, "adjourn-all")
    assert "4 students: 4 ready" in teacher.get(where)
    assert all(f"/play/{key}" not in teacher.get("/wall") for key in keys), "adjourned games take no board"
    assert "2 games continued." in act(teacher, where, "continue-all")
    assert "2 games declared drawn." in act(teacher, where, "draw-all")
    assert set(points_in(teacher.get(where)).values()) == {"0.5"}


def test_the_teacher_sees_who_has_not_moved(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob")
    pair(teacher, where)
    session = server.session(key_of(students["Ann"]))
    session.turn_started_at -= 190.0
    shown = teacher.get(where)
    assert "2 playing (1 without a move for 2 minutes)" in shown
    row = next(line for line in shown.splitlines() if "no move for 3 min" in line)
    assert f">{session.names[0]}</a>" in row
    assert shown.count("no move for") == 1


def test_the_teacher_chooses_the_rules_of_class_games(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob")
    fresh = teacher.get(where)
    assert fresh.count("<template data-rules=") == 5
    assert 'name="option-opening"' in fresh.partition('data-rules="gomoku"')[2].partition("</template>")[0]
    rules = {"rules": "go", "handicap": "3", "option-komi": "", "option-scoring": "territory"}
    pair(teacher, where, game="go size=13", first="Ann", second="Bob", **rules)
    session = server.session(key_of(students["Ann"]))
    assert session.game.non_default_options == {"size": 13, "komi": 0.5, "scoring": "territory"}
    assert session.opening == len(session.actions) == 5
    assert session.position.to_move == 2
    assert "Black has 3 handicap stones" in teacher.get(f"/play/{session.key}")
    act(teacher, where, "stop")
    pair(teacher, where, first="Ann", second="Bob", **rules)  # a page whose script did not show the fields of Gomoku
    assert server.session(key_of(students["Ann"])).game.non_default_options == {"size": 9}
    act(teacher, where, "stop")
    pair(teacher, where, first="Ann", second="Bob", **{"rules": "gomoku", "option-opening": "swap2"})
    assert server.session(key_of(students["Ann"])).game.options["opening"] == "swap2"
    server.stop()
    server.start(with_class=True)
    shown = server.again(teacher).get(where)
    assert 'name="option-opening" value="swap2" checked' in shown.partition('id="rules"')[2].partition("<template")[0]


def test_refused_rules_stay_in_the_form_with_the_reason_beside_their_field(server: PageServer) -> None:
    where, teacher, students = class_of(server, "Ann", "Bob", "Cid")
    pair(teacher, where, game="go size=9", first="Ann", second="Bob", **{"rules": "go", "option-komi": "many"})
    assert not key_of(students["Ann"])
    rules = teacher.get(where).partition("<template")[0]
    assert 'value="many"' in rules
    assert 'id="wrong"' in rules
    pair(
        teacher,
        where,
        game="dots_and_boxes rows=3 cols=3",
        first="Ann",
        second="Bob",
        rules="dots_and_boxes",
        players="3",
    )
    assert "3 players" in teacher.get(where), "with names, only two are paired"
    act(teacher, where, "pair", game="dots_and_boxes rows=3 cols=3", rules="dots_and_boxes", players="3")
    assert len(server.session(key_of(students["Ann"])).seat_infos) == 3
