"""The teacher pairs the students of a class, and chooses the rules of their games."""

from __future__ import annotations

import re

from gomogo.page.play.class_games import FIRST_MOVE_SECONDS
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


def test_students_join_are_paired_and_play(server: PageServer) -> None:
    class_url, teacher = open_class(server)
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
    keys = [game_key_of(student) for student in (ann, bob, cid)]
    key = next(filter(None, keys))
    assert keys.count(key) == 2
    assert keys.count("") == 1
    assert server.session(key).game.non_default_options == {"size": 9}
    assert server.session(key).clocks() == (600.0, 600.0)
    first_student = student_to_move((ann, bob, cid), key)
    assert first_student.move(key, "e5")["said"] == ""
    assert "Wait for the teacher" in (ann, bob, cid)[keys.index("")].get("/class")
    assert "3 students: 3 ready" in post_class_action(teacher, class_url, "stop")


def test_the_teacher_pairs_two_and_stops_one_game(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url, first="Ann", second="Cid")
    assert game_key_of(students["Ann"]) == game_key_of(students["Cid"]) != ""
    assert game_key_of(students["Bob"]) == ""
    for first_name, second_name, why in (
        ("Ann", "Bob", "Ann is playing."),
        ("Bob", "Bob", "themselves"),
        ("Eve", "Bob", "Eve"),
    ):
        pair_students(teacher, class_url, first=first_name, second=second_name)
        assert why in teacher.get(class_url)
    pair_students(teacher, class_url)
    assert game_key_of(students["Bob"]) == game_key_of(students["Dan"]) != ""
    post_class_action(teacher, class_url, "stop-one", name="Ann")
    assert game_key_of(students["Cid"]) == ""
    assert game_key_of(students["Bob"]) != ""
    assert "Eve" in post_class_action(teacher, class_url, "award", name="Eve")


def test_students_with_the_fewest_meetings_are_paired(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    met = set()
    for _ in range(2):
        pair_students(teacher, class_url)
        for key in {game_key_of(student) for student in students.values()}:
            met.add(frozenset(server.session(key).names))
        post_class_action(teacher, class_url, "stop")
    assert len(met) == 4


def test_a_game_without_a_result_is_no_meeting(server: PageServer) -> None:
    """Two students met again although others had not: deleted games counted as meetings, like finished ones."""
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    post_class_action(teacher, class_url, "draw", name="Ann")
    for first, second in (("Ann", "Cid"), ("Ann", "Cid"), ("Ann", "Dan"), ("Ann", "Dan")):
        pair_students(teacher, class_url, first=first, second=second)
        post_class_action(teacher, class_url, "stop")
    pair_students(teacher, class_url)
    games = [set(session.names) for session in server.app.state.classroom.running_games()]
    assert {"Ann", "Bob"} not in games


def test_the_student_who_took_over_a_game_has_met_the_opponent(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid", "Dan", "Eve")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    post_class_action(teacher, class_url, "remove", name="Ann", heir="Cid")
    post_class_action(teacher, class_url, "draw", name="Cid")
    for _ in range(2):
        pair_students(teacher, class_url)
        games = [set(session.names) for session in server.app.state.classroom.running_games()]
        assert {"Bob", "Cid"} not in games
        post_class_action(teacher, class_url, "draw-all")


def test_the_bye_makes_no_pair_meet_again(server: PageServer) -> None:
    """The student with the fewest points was left over, although the others then had to meet again."""
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid", "Dan", "Eve", "Fay", "Gil")
    # Cid wins against all except Bob, and Bob loses as many games against few of them
    games = [("Cid", name) for name in ("Ann", "Dan", "Eve", "Fay", "Gil")]
    games += [(name, "Bob") for name in ("Ann", "Ann", "Dan", "Dan", "Eve")]
    for winner, loser in games:
        pair_students(teacher, class_url, first=winner, second=loser)
        post_class_action(teacher, class_url, "award", name=winner)
    pair_students(teacher, class_url)
    classroom = server.app.state.classroom
    assert classroom.unpaired_names(classroom.round_number) == ["Cid"]


def test_the_teacher_reads_why_no_game_started(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server)
    form = {"game": "gomoku size=9", "clock": ""}
    assert ">No game started: nobody waits.<" in post_class_action(teacher, class_url, "pair", **form)
    server.browser().post("/class", {"name": "Ann"})
    assert ">No game started: only Ann waits.<" in post_class_action(teacher, class_url, "pair", **form)
    server.browser().post("/class", {"name": "Bob"})
    message = ">No game started: only Ann and Bob wait, and it needs 3 students.<"
    form = {"game": "dots_and_boxes rows=3 cols=3", "rules": "dots_and_boxes", "players": "3"}
    assert message in post_class_action(teacher, class_url, "pair", **form)


def test_games_of_go_in_a_class_have_the_usual_komi(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    pair_students(teacher, class_url, game="go size=9", first="Ann", second="Bob")
    assert server.session(game_key_of(students["Ann"])).game.options["komi"] == 7.5


def test_lots_decide_who_moves_first_and_then_the_other_one_does(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    first_names = []
    for _ in range(8):
        pair_students(teacher, class_url)
        first_names.append(server.session(game_key_of(students["Ann"])).names[0])
        server.session(game_key_of(students["Ann"])).resign(
            server.session(game_key_of(students["Ann"])).seat_infos[0].visitor
        )
        post_class_action(teacher, class_url, "stop")
    pairs = list(zip(first_names[::2], first_names[1::2], strict=True))
    assert all(len(set(two)) == 2 for two in pairs), first_names


def test_a_student_reads_why_another_game_was_left(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    students["Ann"].move(students["Ann"].begin(game="gomoku", opponent="here", option_size="7"), "d4")
    pair_students(teacher, class_url)
    note = "Your teacher has paired you. The other game waits under Your games"
    key = game_key_of(students["Ann"])
    assert note in students["Ann"].get(f"/play/{key}")
    assert note not in students["Bob"].get(f"/play/{key}")


def test_students_who_are_away_are_not_paired(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    close_pages_of(server, "Dan")
    page_text = teacher.get(class_url)
    assert "4 students: 3 ready, 1 away" in page_text
    assert page_text.count('class="away"') == 1
    pair_students(teacher, class_url)
    page_text = teacher.get(class_url)
    assert re.search(r">1 game started\. \w+ has no opponent\. Dan is away, so not paired\.</span></div>", page_text)
    assert "4 students: 1 ready, 2 playing, 1 away" in page_text
    teacher.client.post(f"{class_url}/pair", data={"game": "gomoku size=9", "away": "1", "token": teacher.token})
    page_text = teacher.get(class_url)
    assert "4 students: 0 ready, 4 playing" in page_text
    assert '>Dan</a> <span class="away">away</span></th>' in page_text


def test_pages_outside_the_class_call_a_student_to_the_game(server: PageServer) -> None:
    """Students who solved puzzles while they waited counted as away, and no page told them of their game."""
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    call = '<p id="class-call" data-events="/class/events" data-game="{}" hidden></p>'
    for page in ("/puzzles", "/watch", "/games", "/"):
        assert call.format("") in students["Ann"].get(page)
        assert "class-call" not in teacher.get(page)
        assert "class-call" not in server.browser().get(page)
    pair_students(teacher, class_url)
    key = game_key_of(students["Ann"])
    assert call.format(f"/play/{key}") in students["Ann"].get("/puzzles")
    for page in ("/class", f"/play/{key}"):  # these pages follow the class by themselves
        assert "class-call" not in students["Ann"].get(page)


def test_pairing_prefers_new_opponents_with_equal_points(server: PageServer) -> None:
    names = [f"Student {number}" for number in range(8)]
    class_url, teacher, students = open_class_with(server, *names)
    points, met = dict.fromkeys(names, 0), set[frozenset[str]]()
    for number in range(3):
        pair_students(teacher, class_url)
        keys = {game_key_of(student) for student in students.values()}
        assert len(keys) == 4
        for key in keys:
            first_name, second_name = server.session(key).names
            assert frozenset((first_name, second_name)) not in met
            met.add(frozenset((first_name, second_name)))
            if number < 2:
                assert points[first_name] == points[second_name]
            points[first_name] += 1
            students[second_name].post(f"/play/{key}/resign")


def test_students_with_an_adjourned_game_are_not_paired_with_all(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dee")
    pair_students(teacher, class_url, first="Ann", second="Bob")
    post_class_action(teacher, class_url, "adjourn", name="Ann")
    wait_until(lambda: "no games running, 1 adjourned." in teacher.get("/wall"))
    assert "4 students: 2 ready, 2 adjourned" in teacher.get(class_url)
    preview = post_class_action(teacher, class_url, "preview", game="gomoku size=9")
    assert "With an adjourned game, so not paired: Ann, Bob" in preview
    page_text = post_class_action(teacher, class_url, "pair", game="gomoku size=9")
    assert "1 game started. 2 students have adjourned games (see below), so are not paired." in page_text
    assert '<small class="names">With an adjourned game: Ann, Bob.</small>' in page_text
    assert not game_key_of(students["Ann"])
    assert game_key_of(students["Cid"]) == game_key_of(students["Dee"]) != ""


def test_a_student_who_takes_over_a_game_loses_the_bye_of_its_round(server: PageServer) -> None:
    """A round gave two points to such a student."""
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    post_class_action(teacher, class_url, "rule", rule="byes", on="1")
    pair_students(teacher, class_url)
    unpaired = next(name for name, student in students.items() if not game_key_of(student))
    leaving, opponent = (name for name in students if name != unpaired)
    assert f"Without an opponent: {unpaired} (1 point)" in teacher.get("/class/rounds")
    post_class_action(teacher, class_url, "remove", name=leaving, heir=unpaired)
    assert "Without an opponent" not in teacher.get("/class/rounds")
    key = game_key_of(students[unpaired])
    assert f"You play on for {leaving}." in students[unpaired].get(f"/play/{key}")
    assert f"{unpaired} plays on for {leaving}." in students[opponent].get(f"/play/{key}")
    students[opponent].post(f"/play/{key}/resign")
    wait_until(lambda: parse_points(teacher.get(class_url))[unpaired] == "1")


def test_the_teacher_chooses_the_rules_of_class_games(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob")
    fresh = teacher.get(class_url)
    assert fresh.count("<template data-rules=") == 5
    assert 'name="option-opening"' in fresh.partition('data-rules="gomoku"')[2].partition("</template>")[0]
    rules = {"rules": "go", "handicap": "3", "option-komi": "", "option-scoring": "territory"}
    pair_students(teacher, class_url, game="go size=13", first="Ann", second="Bob", **rules)
    session = server.session(game_key_of(students["Ann"]))
    assert session.game.non_default_options == {"size": 13, "komi": 0.5, "scoring": "territory"}
    assert session.opening_length == len(session.actions) == 5
    assert session.position.to_move == 2
    assert "Black has 3 handicap stones" in teacher.get(f"/play/{session.key}")
    post_class_action(teacher, class_url, "stop")
    pair_students(
        teacher, class_url, first="Ann", second="Bob", **rules
    )  # a page whose script did not show the fields of Gomoku
    assert server.session(game_key_of(students["Ann"])).game.non_default_options == {"size": 9}
    post_class_action(teacher, class_url, "stop")
    pair_students(teacher, class_url, first="Ann", second="Bob", **{"rules": "gomoku", "option-opening": "swap2"})
    assert server.session(game_key_of(students["Ann"])).game.options["opening"] == "swap2"
    restart_with_class(server)
    page_text = server.browser_after_restart(teacher).get(class_url)
    assert (
        'name="option-opening" value="swap2" checked' in page_text.partition('id="rules"')[2].partition("<template")[0]
    )


def test_refused_rules_stay_in_the_form_with_the_reason_beside_their_field(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    pair_students(
        teacher, class_url, game="go size=9", first="Ann", second="Bob", **{"rules": "go", "option-komi": "many"}
    )
    assert not game_key_of(students["Ann"])
    rules = teacher.get(class_url).partition("<template")[0]
    assert 'value="many"' in rules
    assert 'id="wrong"' in rules
    fields = {"game": "dots_and_boxes rows=3 cols=3", "rules": "dots_and_boxes", "players": "3"}
    pair_students(teacher, class_url, first="Ann", second="Bob", **fields)
    assert "3 players" in teacher.get(class_url), "with names, only two are paired"
    post_class_action(teacher, class_url, "pair", **fields)
    assert len(server.session(game_key_of(students["Ann"])).seat_infos) == 3


def test_a_bye_of_a_round_without_a_result_is_taken_back(server: PageServer) -> None:
    """The student kept the point, and then also played in that round."""
    class_url, teacher, students = open_class_with(server, *(f"Student{number}" for number in range(7)))
    post_class_action(teacher, class_url, "rule", rule="byes", on="1")
    post_class_action(teacher, class_url, "pair", game="gomoku size=9", clock="5+3")
    keys = {name: game_key_of(student) for name, student in students.items()}
    left_over = next(name for name, key in keys.items() if not key)
    assert parse_points(teacher.get(class_url))[left_over] == "1"
    sessions = [server.session(key) for key in set(keys.values()) if key]
    for session in sessions[1:]:
        session.turn_started_at -= FIRST_MOVE_SECONDS + 1.0
    wait_until(lambda: all(session.is_deleted for session in sessions[1:]))
    assert parse_points(teacher.get(class_url))[left_over] == "1"
    sessions[0].turn_started_at -= FIRST_MOVE_SECONDS + 1.0
    wait_until(lambda: parse_points(teacher.get(class_url))[left_over] == "0")
    page_text = students[left_over].get("/class")
    assert "The round ended without a result, so you have no point for it." in page_text
    post_class_action(teacher, class_url, "pair", game="gomoku size=9")
    post_class_action(teacher, class_url, "draw-all")
    file = teacher.client.get(f"{class_url}/points.csv").text
    assert file.count("no opponent") == 1
    assert "no opponent;" not in file
    assert sorted(parse_points(teacher.get(class_url)).values()) == ["0.5"] * 6 + ["1"]


def test_a_student_who_plays_after_all_has_no_bye_in_that_round(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    post_class_action(teacher, class_url, "rule", rule="byes", on="1")
    pair_students(teacher, class_url)
    left_over = next(name for name, student in students.items() if not game_key_of(student))
    server.browser().post("/class", {"name": "Dan"})
    pair_students(teacher, class_url, first=left_over, second="Dan")
    post_class_action(teacher, class_url, "draw-all")
    assert set(parse_points(teacher.get(class_url)).values()) == {"0.5"}
    assert "no opponent" not in teacher.client.get(f"{class_url}/points.csv").text


def _preview(teacher: Browser, class_url: str) -> list[tuple[str, ...]]:
    """The pairs in the preview on the teacher's page."""
    items = teacher.get(class_url).partition("Preview of the next games")[2].partition("</ol>")[0].split("<li>")[1:]
    return [tuple(re.findall(r">(\w+)</(?:a|button|b)>", item)) for item in items]


def test_the_teacher_previews_the_pairs_and_exchanges_students(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid", "Dan", "Eve")
    assert "This is a preview. No game has started yet." in post_class_action(
        teacher, class_url, "preview", game="gomoku size=9"
    )
    assert not any(map(game_key_of, students.values()))
    first_pair, second_pair = _preview(teacher, class_url)
    (left_over,) = students.keys() - {*first_pair, *second_pair}
    post_class_action(teacher, class_url, "exchange", names=f"{first_pair[0]}\r\n{second_pair[1]}")
    page_text = post_class_action(teacher, class_url, "exchange", names=f"{left_over}\r\n{first_pair[1]}")
    assert f"{left_over} and {first_pair[1]} have changed places." in page_text
    pairs = [(second_pair[1], left_over), (second_pair[0], first_pair[0])]
    assert _preview(teacher, class_url) == pairs
    assert "No student has the name" in post_class_action(teacher, class_url, "exchange", names="Zoe\r\nAnn")
    assert "A name is missing." in post_class_action(teacher, class_url, "exchange", names="Ann")
    server.stop()
    server.start(with_class=True)
    teacher, students = (
        server.browser_after_restart(teacher),
        {name: server.browser_after_restart(student) for name, student in students.items()},
    )
    assert _preview(teacher, class_url) == pairs
    fay = server.browser()
    fay.post("/class", {"name": "Fay"})
    assert "The preview has games of 2 players, and this game has 3." in post_class_action(
        teacher, class_url, "pair", game="dots_and_boxes rows=3 cols=3", players="3"
    )
    pair_students(teacher, class_url)
    games = [server.session(key).names for key in dict.fromkeys(map(game_key_of, students.values()))]
    assert len(games) == 3
    assert set(pairs) < set(games), "the first name moves first"
    assert game_key_of(fay) == game_key_of(students[first_pair[1]]), "a student who came later plays, too"
    assert not _preview(teacher, class_url)


def test_a_preview_leaves_out_students_who_cannot_play(server: PageServer) -> None:
    class_url, teacher, _ = open_class_with(server, "Ann", "Bob", "Cid", "Dan")
    post_class_action(teacher, class_url, "preview", game="gomoku size=9")
    (first, second), (third, _) = _preview(teacher, class_url)
    post_class_action(teacher, class_url, "remove", name=first)
    assert len(_preview(teacher, class_url)) == 1
    assert "is in the preview" not in post_class_action(teacher, class_url, "exchange", names=f"{second}\r\n{third}")
    post_class_action(teacher, class_url, "discard")
    assert not _preview(teacher, class_url)
    assert "Neither" in post_class_action(teacher, class_url, "exchange", names=f"{second}\r\n{third}")


def test_everybody_sees_the_pairs_and_results_of_each_round(server: PageServer) -> None:
    class_url, teacher, students = open_class_with(server, "Ann", "Bob", "Cid")
    assert "/class/rounds" not in students["Ann"].get("/class")
    post_class_action(teacher, class_url, "rule", rule="byes", on="1")
    pair_students(teacher, class_url)
    winner = next(name for name, student in students.items() if game_key_of(student))
    names = " – ".join(server.session(game_key_of(students[winner])).names)
    assert f">{names}</a></th><td>running</td>" in server.browser().get("/class/rounds")
    post_class_action(teacher, class_url, "award", name=winner)
    page_text = students["Ann"].get("/class/rounds")
    assert f">{names}</a></th><td>{'1 – 0' if names.startswith(winner) else '0 – 1'}</td>" in page_text
    (left_over,) = {*students} - {*names.split(" – ")}
    standings = re.findall(r'<th scope="row">(\w+)</th><td class="number"[^>]*>([\d.]+)</td>', page_text)
    assert sorted(standings) == sorted(
        [(winner, "1"), (left_over, "1"), (({*students} - {winner, left_over}).pop(), "0")]
    )
    assert f"Without an opponent: {left_over} (1 point)" in page_text
    pair_students(teacher, class_url)
    page_text = teacher.get("/class/rounds")
    assert page_text.index("Round 2") < page_text.index("running") < page_text.index("Round 1")
    assert "/class/rounds" in students["Ann"].get("/class")
