"""People play on the page: every request that a game is made of."""

from __future__ import annotations

import html
import re
import threading

import pytest

from gomogo_core.games.base import Reason
from tests.page.conftest import Browser, PageServer, wait_until


def plays(server: PageServer, key: str, count: int) -> None:
    """Wait until the given number of moves has been made."""
    wait_until(lambda: len(server.session(key).actions) >= count)


def test_an_agent_answers_and_each_move_is_stored(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="greedy", option_size="7")
    assert me.move(key, "d4") == {"said": "", "go": ""}
    plays(server, key, 2)
    page_text = me.get(f"/play/{key}")
    assert 'data-point="d4"' in page_text
    assert "d 4, black" in page_text
    assert "Your turn (black)." in page_text


def test_an_illegal_move_is_refused_with_its_reason_and_costs_nothing(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="7")
    me.move(key, "d4")
    assert me.move(key, "d4")["refused"] == "No: d4 is occupied by black."
    assert me.move(key, "z9")["refused"] == "'z9' is not a move: columns are a to g."
    assert me.move(key, "z9")["remedy"] == "Try another move."
    assert [action.move for action in server.session(key).actions] == ["d4"]
    assert me.move(key, "D 5")["said"] == ""


def test_the_start_page_shows_a_puzzle_of_the_day(me: Browser) -> None:
    home = me.get("/")
    assert "Puzzle of the day" in home
    puzzle = re.search(r'href="(/puzzle/\w+)"', home)
    assert puzzle
    assert 'data-testid="status"' in me.get(puzzle[1])


def test_a_game_of_two_people_at_one_screen_is_stored(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="5", option_line="3", name="ann")
    for move in ("a1", "b1", "a2", "b2", "a3"):
        assert "refused" not in me.move(key, move)
    wait_until(lambda: server.session(key).is_stored)
    played = server.store.game(key)
    assert (played.names, played.winner, played.outcome.reason) == (("ann", "guest"), "ann", Reason.LINE)
    assert len(played.seconds) == len(played.plies) == 5
    page_text = me.get(f"/play/{key}")
    assert "Black won, after 5 moves: 3 in a row." in page_text  # one person plays both sides
    assert f"/games/{key}?review=1" in page_text
    assert me.move(key, "c3")["refused"] == "The game is over."


@pytest.mark.slow
def test_a_level_has_its_title_and_the_same_name_in_all_sentences(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="level-5", option_size="7")
    assert "Club (level 5): " in me.get(f"/play/{key}")
    assert me.post(f"/play/{key}/explain")["said"].startswith("No move was played yet. Players place stones")
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    for url in (f"/play/{key}", f"/games/{key}", f"/games/{key}/review"):
        page_text = me.get(url)
        assert "You lost, after 0 moves" in page_text
        assert 'class="to-move"' not in page_text
    page_text = me.get(f"/play/{key}")
    review, rematch = page_text.index(">Review</a>"), page_text.index(">Rematch</button>")
    assert review < rematch < page_text.index(">Replay</a>"), "the mistakes are shown first after a loss"


@pytest.mark.parametrize(("opponent", "has_thoughts"), [("greedy", True), ("level-1", False)])
def test_the_figures_of_a_search_are_shown_for_a_program_and_not_for_a_level(
    server: PageServer, me: Browser, opponent: str, has_thoughts: bool
) -> None:
    key = me.begin(game="gomoku", opponent=opponent, option_size="7")
    me.move(key, "d4")
    plays(server, key, 2)
    actions = server.session(key).actions
    actions[-1] = actions[-1]._replace(thoughts="depth 3-5, 12 nodes")
    assert ("thinks: depth 3-5, 12 nodes" in me.get(f"/play/{key}")) == has_thoughts


def test_undo_takes_back_the_agents_answer_too(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="greedy", option_size="7")
    me.move(key, "d4")
    plays(server, key, 2)
    me.post(f"/play/{key}/undo")
    assert not server.session(key).actions
    me.move(key, "c3")
    plays(server, key, 2)
    assert server.session(key).actions[0].move == "c3"
    assert server.session(key).warnings == [(2, 1, "took back 2 of the moves")]


@pytest.mark.slow
def test_undo_while_the_agent_thinks_takes_effect_at_once(server: PageServer, me: Browser) -> None:
    key = me.begin(game="go", opponent="mcts", option_size="9", seconds="2")
    me.move(key, "e5")
    session = server.session(key)
    plays(server, key, 2)
    assert "refused" not in me.move(key, "a1")
    me.post(f"/play/{key}/undo")
    assert len(session.actions) == 2
    assert "refused" not in me.move(key, "a9")
    me.post(f"/play/{key}/resign")
    wait_until(lambda: session.is_stored)
    assert [ply.move for ply in server.store.game(key).plies] == ["e5", session.actions[1].move, "a9"]


@pytest.mark.slow
def test_after_a_resignation_the_rules_are_not_explained(me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="7")
    assert "Players place stones" in me.get(f"/play/{key}")
    me.post(f"/play/{key}/resign")
    assert 'class="note">Players place stones' not in me.get(f"/play/{key}")


def test_a_resignation_is_named_once(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="greedy", option_size="7", seat="1")
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    page_text = me.get(f"/play/{key}")
    assert "You lost, after 0 moves: you resigned." in page_text
    assert page_text.count("resigned") == 1


def test_a_person_can_resign_while_the_agent_thinks(server: PageServer, me: Browser) -> None:
    key = me.begin(game="go", opponent="mcts", option_size="9", seconds="60")
    me.move(key, "e5")
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    played = server.store.game(key)
    assert (played.outcome.reason, played.winner) == (Reason.RESIGNED, "mcts")


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["here", "greedy"])
def test_a_game_outlives_the_server(server: PageServer, me: Browser, opponent: str) -> None:
    key = me.begin(game="gomoku", opponent=opponent, option_size="7")
    me.move(key, "d4")
    server.stop()
    server.start()
    me = server.browser_after_restart(me)
    assert f"/play/{key}" in me.get("/")
    if opponent == "greedy":
        me.get(f"/play/{key}")  # the answer to this request may have been lost with the server
        plays(server, key, 2)
        assert me.move(key, "a1").get("refused") in (None, "No: a1 is occupied by white.")
    else:
        assert me.move(key, "c3")["said"] == ""
    assert server.session(key).actions[0].move == "d4"


def test_a_reconnected_viewer_restarts_the_agent_without_loading_the_page(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="greedy", option_size="7")
    wait_until(lambda: server.has_referee(key))
    server.sessions.close()  # as after a kill of the server: the move is stored, and no agent answers
    me.move(key, "d4")
    server.stop()
    server.start()
    me = server.browser_after_restart(me)
    follower = threading.Thread(target=server.browser_after_restart(me).get, args=(f"/play/{key}/events",))
    follower.start()
    try:
        plays(server, key, 2)
    finally:
        me.post(f"/play/{key}/delete")  # this ends the streams
        follower.join()


def test_idle_agents_stop_and_restart_with_the_next_move(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gomogo.page.play.session_referee.PAUSE_SECONDS_WITH_AGENTS", 0.0)
    key = me.begin(game="gomoku", opponent="greedy", option_size="7")
    wait_until(lambda: not server.has_referee(key))
    for count, move in ((2, "d4"), (4, "a1")):
        if "refused" in me.move(key, move):
            me.move(key, "g7")
        plays(server, key, count)
        wait_until(lambda: not server.has_referee(key))


def test_a_game_that_ended_with_the_server_is_stored_after_a_restart(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="5", option_line="3")
    for move in ("a1", "b1", "a2", "b2"):
        me.move(key, move)
    server.sessions.close()  # no referee is called any more
    me.move(key, "a3")
    assert not server.session(key).is_stored
    assert "Black won, after 5 moves: 3 in a row." in me.get(f"/play/{key}"), "the winner is known before the record"
    server.stop()
    server.start()
    server.browser_after_restart(me).get(f"/play/{key}")
    wait_until(lambda: server.session(key).is_stored)
    assert server.store.game(key).outcome.reason is Reason.LINE


def test_one_of_three_players_leaves_a_game_of_boxes(server: PageServer, me: Browser) -> None:
    answer = me.post(
        "/play",
        {"game": "dots_and_boxes", "name": "me", "opponent": ["here", "random_mover"]}
        | {"option-rows": "2", "option-cols": "2"},
    )
    key = str(answer["go"]).rpartition("/")[2]
    session = server.session(key)
    assert session.names == ("me", "guest", "random_mover")
    me.move(key, "h0")
    me.post(f"/play/{key}/resign")  # the guest, whose turn it is
    while not session.is_over:
        if session.position.to_move == 1:
            me.move(key, session.game.format(next(iter(session.position.moves()))))
        else:
            wait_until(lambda: session.is_over or session.position.to_move == 1)
    wait_until(lambda: session.is_stored)
    played = server.store.game(key)
    assert played.outcome.ranks[1] == 3
    assert played.departed[0][:2] == (2, Reason.RESIGNED)
    assert len(played.plies) == 13
    assert [position.to_move for position in played.positions()]  # the record can be stepped through


def test_moves_that_are_not_points_are_buttons(server: PageServer, me: Browser) -> None:
    key = me.begin(game="go", opponent="here", option_size="5")
    assert 'name="move" value="pass">Pass<' in me.get(f"/play/{key}")
    me.move(key, "pass")
    me.move(key, "pass")
    wait_until(lambda: server.session(key).is_stored)
    assert server.store.game(key).outcome.reason in (Reason.SCORE, Reason.TWO_PASSES)


def test_swap_and_take_over_choices_are_buttons(me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="7", option_opening="swap2")
    for move in ("d4", "d5", "e4"):
        me.move(key, move)
    page_text = me.get(f"/play/{key}")
    for word in ("swap", "stay", "place"):
        assert f'value="{word}">{word.capitalize()}<' in page_text
    assert me.move(key, "a1")["refused"] == "No: now choose: swap, stay or place."
    assert "refused" not in me.move(key, "swap")
    key = me.begin(game="gomoku", opponent="here", option_size="7", option_opening="takeover")
    me.move(key, "d4")
    assert 'value="d4">Take over d4<' in me.get(f"/play/{key}")
    assert "refused" not in me.move(key, "d4")


def test_a_forbidden_move_that_loses_needs_a_confirmation(me: Browser, server: PageServer) -> None:
    key = me.begin(game="gomoku", opponent="here", option_renju="true")
    for move in ("h8", "a1", "h9", "a3", "g10", "a5", "f10", "a7"):
        assert "refused" not in me.move(key, move), move
    answer = me.move(key, "h10")
    assert answer["ask"]
    assert "double three" in answer["refused"].casefold()
    assert len(server.session(key).actions) == 8
    assert "refused" not in me.move(key, "h10", sure="1")
    wait_until(lambda: server.session(key).is_stored)
    assert server.store.game(key).outcome.reason is Reason.FORBIDDEN


def test_captures_and_boxes_are_announced_and_explained(me: Browser) -> None:
    key = me.begin(game="go", opponent="here", option_size="5")
    for move in ("a2", "a1", "b1"):
        me.move(key, move)
    assert "me plays b1, captures 1 stone." in me.get(f"/play/{key}")
    explained = me.post(f"/play/{key}/explain")["said"]
    assert "a1" in explained
    assert len(explained.splitlines()) > 1, "each sentence is a line, and no end of a line is written out"
    assert "\\n" not in explained
    key = me.begin(game="dots_and_boxes", opponent="here", option_rows="1", option_cols="2")
    for move in ("h0", "h2", "v0", "v1"):
        me.move(key, move)
    assert "takes 1 box and moves again." in me.get(f"/play/{key}")
    me.move(key, "h1")  # the second move in a row of the same player
    assert "v0: lets the next player take 1 box" in me.post(f"/play/{key}/explain")["said"]


def test_a_hint_names_the_winning_move(me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="7", option_line="3")
    for move in ("a1", "g7", "a2", "g5"):
        me.move(key, move)
    assert me.post(f"/play/{key}/hint")["said"].startswith("a3: ")


def test_a_game_is_deleted_with_its_moves(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="5", option_line="3")
    for move in ("a1", "b1", "a2", "b2", "a3"):
        me.move(key, move)
    wait_until(lambda: server.session(key).is_stored)
    assert me.post(f"/play/{key}/delete")["go"] == "/"
    assert key not in me.get("/") + me.get("/games")
    me.get(f"/play/{key}")
    assert me.status == 404
    assert not list(server.store.games_of())


@pytest.mark.slow
def test_auto_follows_the_results_of_this_browser_alone(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="auto", option_size="5")
    assert server.session(key).names[1] == "level-3"
    wait_until(lambda: "Casual (level 3): " in me.get(f"/play/{key}"))
    me.move(key, "c3")
    wait_until(lambda: len(server.session(key).actions) == 2)
    assert "Casual (level 3): " in me.get(f"/play/{key}"), "the reason is still shown after the first moves"
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    assert server.session(me.begin(game="gomoku", opponent="auto", option_size="5")).names[1] == "level-2"
    assert server.session(server.browser().begin(game="gomoku", opponent="auto", option_size="5")).names[1] == "level-3"


def test_a_name_keeps_its_accents_and_loses_surplus_blanks(server: PageServer, me: Browser) -> None:
    assert server.session(me.begin(opponent="here", name=" Zoë  van B ")).names[0] == "Zoë van B"


def test_an_opponent_that_is_slightly_late_does_not_lose(server: PageServer) -> None:
    (server.folder / "late.py").write_text(
        "import time\ndef choose(position, clock):\n    time.sleep(0.3)\n    return next(iter(position.moves()))\n"
    )
    server.stop()
    server.start(offered=(str(server.folder / "late.py"),))
    me = server.browser()
    key = me.begin(game="gomoku", option_size="5", opponent=str(server.folder / "late.py"), seconds="0.1")
    me.move(key, "c3")
    wait_until(lambda: len(server.session(key).actions) > 1)
    assert server.session(key).actions[1].move == "a1"


def test_an_opponents_time_is_that_of_its_level_or_five_seconds_by_default(server: PageServer, me: Browser) -> None:
    seconds = [
        server.session(me.begin(opponent=opponent, **time_fields)).seat_infos[1].seconds_per_move
        for opponent, time_fields in (("level-1", {}), ("greedy", {}), ("greedy", {"seconds": "12"}))
    ]
    assert seconds == [1.0, 5.0, 12.0]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"game": "chess"}, "There is no game called 'chess'."),
        ({"game": "gomoku", "opponent": ""}, "An opponent is missing."),
        ({"option-size": "900"}, "size 900 is too large"),
        ({"option-colour": "red"}, "gomoku has no option 'colour' here."),
        ({"opponent": ["greedy", "greedy"]}, "gomoku is for 2 players, and there are 3."),
        ({"seat": "3"}, "There is no seat '3'"),
        ({"seconds": "1e9"}, "'1e9' is not a valid time"),
        ({"seconds": "nan"}, "'nan' is not a valid time"),
        ({"name": "level-3"}, "'level-3' is the name of an opponent."),
        ({"name": "<b>"}, "The name contains '<'."),
        ({"name": "\u202eann"}, "The name contains U+202E."),
    ],
)
def test_an_impossible_new_game_is_refused_with_the_reason(me: Browser, fields: dict[str, str], problem: str) -> None:
    answer = me.post("/play", {"opponent": "greedy", **fields})
    assert answer["refused"].startswith(problem)
    assert me.status == 400


@pytest.mark.slow
def test_a_game_above_the_limit_waits_with_a_note(server: PageServer, me: Browser) -> None:
    server.stop()
    server.start(max_games=1)
    me = server.browser_after_restart(me)
    first = me.begin(game="go", opponent="mcts", option_size="9", seconds="20")
    me.move(first, "e5")  # on this board the agent thinks for long
    second = me.begin(game="gomoku", opponent="greedy", seat="2")
    wait_until(lambda: server.session(second).note)
    assert "Another game with agents is running here. Your game is next in the queue." in me.get(f"/play/{second}")
    me.post(f"/play/{first}/resign")
    plays(server, second, 1)
    assert not server.session(second).note


def test_agents_run_in_the_operators_sandbox(server: PageServer) -> None:
    server.stop()
    server.start(sandbox="none")
    me = server.browser()
    key = me.begin(game="gomoku", opponent="greedy", option_size="5", option_line="3", seat="2")
    plays(server, key, 1)
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    assert server.store.game(key).sandbox == "none"


def test_forms_work_without_scripts(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="7")
    answer = me.client.post(f"/play/{key}/move", data={"move": "d4", "token": me.token}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/play/{key}")
    response = me.client.post(f"/play/{key}/move", data={"move": "d4", "token": me.token})
    assert "No: d4 is occupied by black." in response.text


@pytest.mark.parametrize(
    "name", ["Łukasz Żółć", *(pytest.param(n, marks=pytest.mark.slow) for n in ("Михаил", "李雷", "O'Neil", "नमिता"))]
)
def test_a_player_name_can_use_any_script(server: PageServer, me: Browser, name: str) -> None:
    key = me.begin(game="gomoku", opponent="greedy", option_size="5", option_line="3", name=name)
    me.move(key, "c3")
    plays(server, key, 2)
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    assert server.store.game(key).names == (name, "greedy")
    assert me.client.get(f"/games/{key}.sgf").status_code == 200
    assert f'value="{name}"' in html.unescape(me.get("/?game=go")), "the next form does not know the name"


def test_unnamed_visitors_are_different_players(server: PageServer) -> None:
    names = {server.session(server.browser().begin(opponent="here", name="")).names[0] for _ in range(3)}
    assert len(names) == 3


def test_a_rematch_with_a_program_begins_at_once(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="greedy", option_size="7")
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    following = str(me.post(f"/play/{key}/rematch")["go"]).rpartition("/")[2]
    assert server.session(following).names == ("greedy", "me")
    plays(server, following, 1)
    own_games = me.get("/").partition("<h2>Your games</h2>")[2].partition("</section>")[0]
    assert re.findall(r'href="/play/(\w+)"', own_games) == [following]
    assert "Your turn, move 2</small>" in own_games
    assert ">Continue</span>" in own_games


def test_a_refused_form_keeps_its_fields(me: Browser) -> None:
    fields = {"game": "go", "opponent": "level-5", "name": "李雷", "option-komi": "900", "size": "size=13"}
    answer = me.client.post("/play", data={**fields, "token": me.token})
    assert answer.status_code == 400
    assert re.search(r'id="option-komi"[^>]*value="900"', answer.text)
    assert answer.text.index('id="option-komi"') < answer.text.index('class="wrong"')
    for field_html in ('value="李雷"', 'value="level-5" checked', 'value="size=13" checked'):
        assert field_html in answer.text


def test_a_move_does_not_hold_up_all_games_while_its_session_is_busy(
    server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions are deleted under their lock. A move that waits for it with all sessions locked would stop the page."""
    key = me.begin(game="gomoku", opponent="here", option_size="7")
    session, referee = server.session(key), server.sessions._referees[key]
    wakes, is_locked, wake = threading.Event(), threading.Event(), referee.wake

    def wake_later() -> None:
        wakes.set()
        is_locked.wait(60)
        wake()

    monkeypatch.setattr(referee, "wake", wake_later)
    mover = threading.Thread(target=server.sessions.ensure_referee, args=(session,))
    listing_thread = threading.Thread(target=server.sessions.active_sessions, daemon=True)
    mover.start()
    assert wakes.wait(60)
    with session.lock:
        is_locked.set()
        listing_thread.start()
        listing_thread.join(20)
        assert not listing_thread.is_alive()
    mover.join()
