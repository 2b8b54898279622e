"""Finished games of a class count, and the wall, the pages and a file show the points."""

from __future__ import annotations

import csv
import re

from gomogo.page.play.class_games import FIRST_MOVE_SECONDS
from gomogo.page.play.students import RankedStudent
from gomogo.page.watch.running_games import MAX_BOARDS, assign_places
from gomogo_core.games import load
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Started
from gomogo_core.records.live_format import LiveFile
from tests.page._class import (
    game_key_of,
    open_class,
    open_class_with,
    pair_students,
    parse_points,
    post_class_action,
    restart_with_class,
)
from tests.page.conftest import Browser, PageServer, wait_until


def boards_on_wall(browser: Browser) -> list[str]:
    """The names on the boards of the wall, in their order."""
    return re.findall(r'<a class="caption" href="[^"]*" title="([^"]*)"', browser.get("/wall"))


def test_a_finished_game_counts_and_its_page_leads_to_the_next_one(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    ann, bob = students.values()
    pair_students(teacher, class_url)
    key = game_key_of(ann)
    assert f"/play/{key}" in ann.get("/wall"), "the wall shows a game before its first move"
    assert "plays Bob" in teacher.get(class_url)
    ann.post(f"/play/{key}/resign", {})
    wait_until(lambda: server.session(key).is_stored)
    page_text = teacher.get(class_url)
    assert parse_points(page_text) == {"Bob": "1", "Ann": "0"}
    assert '<option value="gomoku size=9" selected>' in page_text
    assert "You lost against Bob. Wait for the teacher to start a game." in ann.get("/class")
    assert 'href="/class">To the class' in ann.get(f"/play/{key}")
    pair_students(teacher, class_url)
    next_key = game_key_of(bob)
    assert next_key not in ("", key)
    for student in (ann, bob):
        assert f'data-next="/play/{next_key}"' in student.get(f"/play/{key}")
    began = [server.session(session_key).names[0] for session_key in (key, next_key)]
    assert sorted(began) == ["Ann", "Bob"], "the other one begins"


def test_the_wall_lists_all_students_and_shows_their_games_first(server: PageServer) -> None:
    class_url, teacher = open_class(server)
    names = [f"Student {number}" for number in range(14)]
    for name in names:
        server.browser().post("/class", {"name": name})
    pair_students(teacher, class_url, first=names[0], second=names[1])
    assert 'class="standings"' not in teacher.get("/wall"), "no table before a game has ended"
    post_class_action(teacher, class_url, "award", name=names[0])
    wait_until(lambda: 'class="standings"' in teacher.get("/wall"))
    assert teacher.get("/wall").count('<td class="number" data-whole>–</td>') == 12, "no points without a game"
    places = re.findall(r'<td class="number">(\d*)</td><th scope="row">([^<]*)', teacher.get("/wall"))
    assert places[:3] == [("1", names[0]), ("2", names[1]), ("", names[2])], "no place without a game"
    pair_students(teacher, class_url, first=names[0], second=names[1])
    rules = load("gomoku")
    live = LiveFile(server.folder / "live", "program", "")
    live(Started(GameSetup(rules, ("one", "two"), (TimeControl(),) * 2, ()), rules.start()))
    wait_until(lambda: "2 games running." in teacher.get("/wall"))
    page_text = teacher.get("/wall")
    assert all(f">{name}<" in page_text for name in names)
    own, foreign = boards_on_wall(teacher)
    assert sorted(own.split(" – ")) == names[:2]
    assert foreign == "one – two"


def test_a_game_of_an_earlier_round_stays_on_the_wall_with_its_result(server: PageServer) -> None:
    """It disappeared at its end, so nobody saw how it ended."""
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    for first, second in (("Ann", "Bob"), ("Cid", "Dan")):
        pair_students(teacher, class_url, first=first, second=second)
    post_class_action(teacher, class_url, "award", name="Cid")
    pair_students(teacher, class_url, first="Cid", second="Dan")
    wait_until(lambda: "Round 2: 4 students, 2 games running." in teacher.get("/wall"))
    students["Ann"].post(f"/play/{game_key_of(students['Ann'])}/resign", {})
    wait_until(lambda: "<b>Bob won</b>: resignation" in teacher.get("/wall"))
    pair_students(teacher, class_url, first="Ann", second="Bob")
    post_class_action(teacher, class_url, "draw", name="Cid")
    pair_students(teacher, class_url, first="Cid", second="Dan")
    wait_until(lambda: "Round 3: 4 students, 2 games running." in teacher.get("/wall"))
    assert "resignation" not in teacher.get("/wall"), "the next round takes its place"


def test_boards_on_the_wall_keep_their_places(server: PageServer) -> None:
    """They changed places after almost every move and at a pause."""
    names = ("Ann", "Bob", "Cid", "Dan", "Eva", "Fay")
    class_url, teacher, students = open_class_with(server, *names)
    for first, second in (("Ann", "Bob"), ("Cid", "Dan"), ("Eva", "Fay")):
        pair_students(teacher, class_url, first=first, second=second)
    wait_until(lambda: "Round 1: 6 students, 3 games running." in teacher.get("/wall"))
    before = boards_on_wall(teacher)
    assert [sorted(title.split(" – ")) for title in before] == [["Ann", "Bob"], ["Cid", "Dan"], ["Eva", "Fay"]]
    for first, second in (("Eva", "Fay"), ("Cid", "Dan")):
        key = game_key_of(students[first])
        player = students[first if "Your turn" in students[first].get(f"/play/{key}") else second]
        assert player.move(key, "e5")["said"] == ""
    post_class_action(teacher, class_url, "pause")
    wait_until(lambda: "All games are paused." in teacher.get("/wall"))
    assert boards_on_wall(teacher) == before
    assert "The teacher has paused" not in teacher.get("/wall"), "the headline says it, and the boards stay free"
    post_class_action(teacher, class_url, "resume")
    post_class_action(teacher, class_url, "award", name="Cid")
    wait_until(lambda: "2 games running." in teacher.get("/wall"))
    assert boards_on_wall(teacher) == before, "a finished game keeps its place during its round"
    post_class_action(teacher, class_url, "award", name="Fay")
    pair_students(teacher, class_url, first="Dan", second="Fay")
    wait_until(lambda: "Round 2: 6 students, 2 games running." in teacher.get("/wall"))
    now = boards_on_wall(teacher)
    assert now[0] == before[0], "the game that still runs stays"
    assert sorted(now[1].split(" – ")) == ["Dan", "Fay"], "a new game takes the place of an ended one"
    assert len(now) == 2


def test_places_of_boards() -> None:
    assert assign_places([], ["a", "b", "c"]) == ["a", "b", "c"]
    assert assign_places(["a", "b", "c"], ["c", "a"]) == ["a", "", "c"]
    assert assign_places(["a", "", "c"], ["a", "c", "d"]) == ["a", "d", "c"]
    assert assign_places(["a", "b", "c"], ["c"]) == ["c"], "one game alone takes the whole wall"
    many = [str(number) for number in range(MAX_BOARDS + 2)]
    assert assign_places(many, many) == many
    now = assign_places(many, [key for key in many if key != "3"])
    assert now == [*many[:3], many[-1], *many[4:-1]], "a game of the second page takes the free place on the first"


def test_a_round_is_counted_when_a_student_plays_again(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid")
    classroom = server.app.state.classroom
    pair_students(teacher, class_url, first="Ann", second="Bob")
    server.browser().post("/class", {"name": "Dan"})
    pair_students(teacher, class_url, first="Cid", second="Dan")
    assert classroom.round_number == 1, "a late student plays in the present round"
    post_class_action(teacher, class_url, "stop")
    pair_students(teacher, class_url)
    assert classroom.round_number == 1, "games that were deleted do not count"
    post_class_action(teacher, class_url, "draw-all")
    pair_students(teacher, class_url)
    assert classroom.round_number == 2


def test_the_points_of_the_opponents_decide_between_equal_points(server: PageServer) -> None:
    """Five of twelve students shared the first place, among them one whose only point was a bye."""
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    for winner, loser in (("Ann", "Dan"), ("Bob", "Cid"), ("Cid", "Dan")):
        pair_students(teacher, class_url, first=winner, second=loser)
        post_class_action(teacher, class_url, "award", name=winner)
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
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url)
    session = server.session(game_key_of(students["Ann"]))
    for student in students.values():
        student.post(f"/play/{session.key}/resign")
    wait_until(lambda: "0 games running" in teacher.get("/wall") or "no games running" in teacher.get("/wall"))
    page_text = teacher.get("/wall")
    assert 'class="standings"' in page_text
    assert 'class="lobby"' not in page_text
    assert "<svg" in page_text[page_text.index('class="wall-boards"') : page_text.index('class="wall-side"')]


def test_the_wall_shows_the_whole_last_round_at_once(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    pair_students(teacher, class_url, first="Cid", second="Dan")
    for name in ("Ann", "Cid"):
        post_class_action(teacher, class_url, "award", name=name)
    server.session(server.app.state.classroom.latest_results(2)[1].key).changed_at -= 60.0
    wait_until(lambda: "no games running" in teacher.get("/wall"))
    page_text = teacher.get("/wall")
    boards = page_text[page_text.index('class="wall-boards"') : page_text.index('class="wall-side"')]
    assert boards.count("<svg") == 2


def test_the_teacher_reads_that_a_round_is_over(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob")
    over = "All games are over: pair the students again."
    assert over not in teacher.get(class_url)
    pair_students(teacher, class_url)
    assert "1 game started." in (page_text := teacher.get(class_url))
    assert over not in page_text
    post_class_action(teacher, class_url, "award", name="Ann")
    assert f'<template id="round-over">{over}</template>' in (page_text := teacher.get(class_url))
    assert f'<span role="status">{over}</span>' in page_text


def test_the_teacher_closes_the_class_and_nobody_waits_for_a_game(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    assert ">Close the class and show the ranking</button>" in teacher.get(class_url)
    page_text = post_class_action(teacher, class_url, "close")
    assert "The class is closed. The wall shows the ranking as soon as all games are over." in page_text
    assert "show the ranking</button>" not in page_text
    post_class_action(teacher, class_url, "award", name="Ann")
    page_text = teacher.get(class_url)
    assert "pair the students again" not in page_text
    assert '<template id="round-over">All games are over: the wall shows the ranking.</template>' in page_text
    wait_until(lambda: "Final ranking" in teacher.get("/wall"))
    assert "You won against Bob. The class is closed." in students["Ann"].get("/class")
    assert "Wait for the teacher" not in students["Cid"].get("/class")
    post_class_action(teacher, class_url, "rule", rule="open", on="1")
    assert "Wait for the teacher to start a game." in students["Cid"].get("/class")


def test_the_wall_says_that_games_of_a_round_ended_without_a_result(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url)
    post_class_action(teacher, class_url, "draw-all")
    post_class_action(teacher, class_url, "pair", game="gomoku size=9", clock="5+3")
    sessions = [server.session(key) for key in {game_key_of(student) for student in students.values()}]
    sessions[0].turn_started_at -= FIRST_MOVE_SECONDS + 1.0
    wait_until(lambda: "4 students, 1 game running. 1 game ended without a result." in teacher.get("/wall"))
    sessions[1].turn_started_at -= FIRST_MOVE_SECONDS + 1.0
    words = "Round 2: 2 games ended without a result. The boards are those of round 1."
    wait_until(lambda: words in teacher.get("/wall"))


def test_a_class_ends_with_its_standings(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    question = (
        "Begin a new class? 1 game will be deleted. All students and points are removed: save the points first (CSV)."
    )
    assert question in teacher.get(class_url)
    post_class_action(teacher, class_url, "award", name="Ann")
    post_class_action(teacher, class_url, "rule", rule="open", on="0")
    wait_until(lambda: "Final ranking" in teacher.get("/wall"))
    first = '<li class="place-1"><span class="place">1</span> <b>Ann</b> <span>1 point <small>(0)</small></span></li>'
    assert first in teacher.get("/wall")
    post_class_action(teacher, class_url, "clear")
    restart_with_class(server)
    teacher, students = (
        server.browser_after_restart(teacher),
        {name: server.browser_after_restart(one) for name, one in students.items()},
    )
    beginning = "The teacher has begun a new class"
    result = f"{beginning}. In the last class you reached 1 point in 1 game: place 1 of 3. Join it below."
    assert result in students["Ann"].get("/class")
    assert f"{beginning}. Join it below." in students["Cid"].get("/class"), "no place without a game"
    second = '<li class="place-2"><span class="place">2</span> <b>Bob</b> <span>0 points <small>(1)</small></span></li>'
    assert f"{first}\n{second}" in teacher.get("/wall")
    for name in ("Ann", "Bob"):
        students[name].post("/class", {"name": name})
    wait_until(lambda: "Final ranking" not in teacher.get("/wall"))
    pair_students(teacher, class_url)
    post_class_action(teacher, class_url, "clear")
    assert f"{beginning}; your game was deleted. Join it below." in students["Ann"].get("/class")


def test_the_points_with_byes_are_saved_as_a_file(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Łucja", "Bob", "Cid")
    post_class_action(teacher, class_url, "rule", rule="byes", on="1")
    visitors = {student.name: visitor for visitor, student in server.app.state.classroom.students.items()}
    out = set()
    for number in range(1, 4):
        pair_students(teacher, class_url)
        left_over = next(name for name, student in students.items() if not game_key_of(student))
        assert f"1 game started. {left_over} has no opponent and gets a point." in teacher.get(class_url)
        out.add(left_over)
        message = f"Round {number}: you have no opponent, and get a point."
        assert message in students[left_over].get("/class")
        if last_games := server.app.state.classroom.finished_games(visitors[left_over]):
            assert message in students[left_over].get(f"/play/{last_games[0].key}"), "also beside the last game"
        assert " and 1 bye: place " in students[left_over].get("/class")
        post_class_action(teacher, class_url, "draw-all")
    assert len(out) == 3, "each student has one bye"
    wait_until(lambda: teacher.get("/wall").count("<small>+ 1 bye</small></th>") == 3)
    assert teacher.get("/wall").count("<b>2</b></td>") == 3, "a bye is a point, but no game"
    assert teacher.get(class_url).count('data-label="games">2 <small>+ 1 bye</small>') == 3
    file = teacher.client.get(f"{class_url}/points.csv")
    assert 'filename="points.csv"' in file.headers["content-disposition"]
    rows = list(csv.DictReader(file.content.decode("utf-8-sig").splitlines()))
    for row in rows:
        in_rounds = [row[f"round {number}"] for number in (1, 2, 3)]
        assert sorted(words.partition(" against ")[0] for words in in_rounds) == ["drew", "drew", "no opponent"]
        assert (row["place"], row["opponents' points"]) == ("1", "4")
    assert sorted(row["student"] for row in rows) == ["Bob", "Cid", "Łucja"]
    assert all(
        (row["points"], row["games"], row["drawn"], row["byes"], row["left"]) == ("2", "2", "2", "1", "no")
        for row in rows
    )
    assert "for the teacher" in teacher.get("/class/guess/points.csv")


def test_a_student_who_has_left_has_points_but_no_place(server: PageServer) -> None:
    """The file gave the place of another student to the one who had left."""
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    for first, second in (("Ann", "Bob"), ("Cid", "Dan")):
        pair_students(teacher, class_url, first=first, second=second)
        post_class_action(teacher, class_url, "award", name=first)
    post_class_action(teacher, class_url, "remove", name="Ann")
    file = teacher.client.get(f"{class_url}/points.csv").content.decode("utf-8-sig")
    rows = {row["student"]: (row["place"], row["points"], row["left"]) for row in csv.DictReader(file.splitlines())}
    assert list(rows.items()) == [
        ("Cid", ("1", "1", "no")),
        ("Bob", ("2", "0", "no")),
        ("Dan", ("2", "0", "no")),
        ("Ann", ("", "1", "yes")),
    ]
    students["Ann"].post("/class", {"name": "Ann"})
    assert "1 point in 1 game: place 1 of 4." in students["Ann"].get("/class")


def test_the_wall_of_a_class_shows_no_games_of_guests(server: PageServer) -> None:
    """The table lists only students, but games of guests had boards beside those of the class."""
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    guest = server.browser()
    key = guest.begin(game="gomoku", opponent="here", option_size="7")
    guest.move(key, "d4")
    pair_students(teacher, class_url)
    wait_until(lambda: f"/play/{game_key_of(students['Ann'])}" in teacher.get("/wall"))
    page_text = teacher.get("/wall")
    assert f"/play/{key}" not in page_text
    assert "2 students, 1 game running." in page_text
    assert f"/play/{key}" in guest.get("/watch")


def test_the_wall_shows_more_than_twelve_games_on_even_pages(server: PageServer) -> None:
    """One of thirteen games had a page of its own."""
    class_url, teacher, _ = open_class_with(server, *(f"Student {number}" for number in range(26)))
    pair_students(teacher, class_url)
    shown: dict[str, list[str]] = {}

    def has_shown_both_pages() -> bool:
        page_text = teacher.get("/wall")
        if found := re.search(r"Round 1: 26 students, 13 games running, (page . of .)\.", page_text):
            shown[found[1]] = re.findall(r'<a class="caption" href="[^"]*" title="([^"]*)"', page_text)
        return len(shown) == 2

    wait_until(has_shown_both_pages)
    assert {page: len(titles) for page, titles in shown.items()} == {"page 1 of 2": 7, "page 2 of 2": 6}
    assert len(set().union(*shown.values())) == 13
