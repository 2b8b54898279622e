"""Two people play against each other on the page, each in their own browser: invitations, offers, clocks."""

from __future__ import annotations

import re

import pytest

from gomogo.page.play.sessions import FIRST_MOVE_SECONDS
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.session.stored_session import session_from_json, session_json
from tests.page.conftest import Browser, PageServer, wait_until


def test_only_the_two_players_of_a_link_can_move(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="link", option_size="5", name="ann")
    link = re.search(rf'value="[^"]*(/join/{key}/[\w-]+)"', me.get(f"/play/{key}"))
    assert link
    invitation = server.browser().get(link[1])
    assert "ann invites you to a game." in invitation
    assert invitation.count("gomogo-board") == 1
    assert "Gomoku 5×5. ann moves first." in invitation
    assert me.move(key, "c3")["refused"] == "Some players have not joined yet."
    other, stranger = server.browser(), server.browser()
    assert link[1] not in stranger.get(f"/play/{key}"), "a viewer could take a seat"
    assert other.post(link[1], {"name": "bob"})["go"] == f"/play/{key}"
    assert stranger.post(link[1], {"name": "eve"})["refused"] == "That seat is taken."
    assert other.move(key, "c3")["refused"] == "It is not your turn."
    me.move(key, "c3")
    for act in ("move", "undo", "resign", "hint", "explain", "delete"):
        assert stranger.post(f"/play/{key}/{act}", {"move": "a1"})["refused"] == "You do not play in this game."
        assert stranger.status == 403
    assert other.move(key, "b3")["said"] == ""
    assert server.session(key).names == ("ann", "bob")
    assert me.post(f"/play/{key}/undo")["said"] == ""
    assert "bob was asked whether you may take back your move." in me.get(f"/play/{key}")
    assert "ann asks to take back a move." in other.get(f"/play/{key}")
    assert other.post(f"/play/{key}/decline") == {"said": "", "go": ""}
    assert "bob declined: your move stays." in me.get(f"/play/{key}")
    assert "declined" not in other.get(f"/play/{key}")
    assert me.post(f"/play/{key}/agree")["refused"] == "Nobody asks to take back a move."
    assert len(server.session(key).actions) == 2
    me.post(f"/play/{key}/undo")
    other.post(f"/play/{key}/agree")
    assert not server.session(key).actions
    me.move(key, "c3")
    other.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    assert server.store.game(key).winner == "ann"


def _two_people(server: PageServer, me: Browser) -> tuple[str, Browser]:
    """Begin a game of ann, whose browser is `me`, with bob. Return its key, and bob's browser."""
    key = me.begin(game="gomoku", opponent="link", option_size="5", name="ann")
    return key, server.join(key, "bob")


def test_two_people_agree_on_a_draw(server: PageServer, me: Browser) -> None:
    key, other = _two_people(server, me)
    assert "Offer a draw" in me.get(f"/play/{key}")
    assert other.post(f"/play/{key}/decline-draw")["refused"] == "Nobody offers a draw."
    me.post(f"/play/{key}/draw")
    assert "You have offered bob a draw. The offer stands until bob moves." in me.get(f"/play/{key}")
    me.move(key, "c3")
    assert "ann offers you a draw." in other.get(f"/play/{key}")
    other.post(f"/play/{key}/decline-draw")
    assert "bob has declined the draw." in me.get(f"/play/{key}")
    assert me.post(f"/play/{key}/draw")["refused"] == "Your offer of a draw was declined."
    other.move(key, "b3")
    me.move(key, "d3")
    me.post(f"/play/{key}/draw")
    other.move(key, "b2")
    assert "draw." not in other.get(f"/play/{key}"), "a move declines the offer"
    me.post(f"/play/{key}/draw")
    server.stop()
    server.start()
    me, other = server.browser_after_restart(me), server.browser_after_restart(other)
    assert not server.session(key).is_over
    assert other.post(f"/play/{key}/draw") == {"said": "", "go": ""}
    assert "A draw, after 4 moves: the players agreed on a draw." in me.get(f"/play/{key}")
    assert server.store.game(key).winner is None
    assert me.post(f"/play/{key}/draw")["refused"] == "The game is over."


def test_a_draw_needs_one_human_opponent(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="greedy", option_size="5")
    assert "Offer a draw" not in me.get(f"/play/{key}")
    assert me.post(f"/play/{key}/draw")["refused"] == "A draw needs one human opponent."


def test_a_game_of_two_people_is_deleted_when_both_request_it(server: PageServer, me: Browser) -> None:
    key, other = _two_people(server, me)
    me.move(key, "c3")
    wish = {"said": "The game will be deleted when bob requests that, too.", "go": ""}
    assert me.post(f"/play/{key}/delete") == wish
    assert "ann asks you to delete this game" in other.get(f"/play/{key}")
    assert "asks you to delete" not in me.get(f"/play/{key}")
    server.stop()
    server.start()
    me, other = server.browser_after_restart(me), server.browser_after_restart(other)
    assert me.post(f"/play/{key}/delete") == wish
    assert other.post(f"/play/{key}/delete")["go"] == "/"
    assert key not in me.get("/") + other.get("/")


def test_a_game_between_two_browsers_has_no_hints(server: PageServer, me: Browser) -> None:
    """A hint once helped one of two people secretly."""
    key = me.begin(game="gomoku", opponent="link", option_size="7", option_line="3")
    server.join(key, "Zoë")
    assert me.post(f"/play/{key}/hint")["refused"].startswith("You play against another person.")
    assert 'data-forbidden="no-hint"' in me.get(f"/play/{key}")
    assert me.move(key, "c3")["said"] == ""
    assert me.post(f"/play/{key}/explain")["said"]


def test_a_rematch_swaps_colours_and_needs_both_people(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="link", option_size="7", option_line="4", name="ann")
    other = server.join(key, "bob")
    assert me.post(f"/play/{key}/rematch")["refused"] == "The game is not over."
    me.post(f"/play/{key}/resign")
    wait_until(lambda: server.session(key).is_stored)
    assert me.post(f"/play/{key}/rematch")["said"] == "The other player was asked for a rematch."
    assert "ann would like a rematch." in other.get(f"/play/{key}")
    following = str(other.post(f"/play/{key}/rematch")["go"]).rpartition("/")[2]
    session = server.session(following)
    assert (session.names, session.game.non_default_options) == (("bob", "ann"), {"size": 7, "line": 4})
    assert other.move(following, "d4")["said"] == ""
    assert f"/play/{following}" in me.get(f"/play/{key}")


@pytest.mark.slow
def test_a_person_out_of_time_on_the_page_loses(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="link", option_size="7", clock="5+3")
    session = server.session(key)
    assert "Clock: 5 min + 3 s a move." in me.get(f"/play/{key}")
    with session.lock:
        session.set_human_clocks(TimeControl(None, 3.0, 0.5, grace=0.0))
    other = server.join(key, "Zoë")
    session.turn_started_at -= 100.0
    assert me.move(key, "d4") == {"said": "", "go": ""}
    assert "data-left=" not in other.get(f"/play/{key}"), "a clock starts with the player's second turn"
    assert other.move(key, "d5")["said"] == ""
    assert session.clocks() == (3.5, 3.5)
    assert me.move(key, "e4")["said"] == ""
    first, second = session.clocks()
    assert first is not None
    assert 0.5 <= first < 4.0
    assert second == 3.5
    page_text = other.get(f"/play/{key}")
    assert page_text.count("data-left=") == 1
    assert 'data-left="3.5"' in page_text
    assert "data-clock=" in page_text
    wait_until(lambda: server.session(key).is_stored)
    played = server.store.game(key)
    assert played.outcome.reason is Reason.OUT_OF_TIME
    assert played.outcome.winner == 1
    assert "You lost, after 3 moves: you ran out of time." in other.get(f"/play/{key}")
    assert [control.total for control in played.controls] == [3.0, 3.0]
    assert other.move(key, "d5")["refused"] == "The game is over."


def test_a_game_with_a_clock_and_no_first_move_ends_without_a_result(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="link", option_size="7", clock="5+3", name="Ann")
    session = server.session(key)
    session.turn_started_at -= 2 * FIRST_MOVE_SECONDS
    server.sessions.cancel_unstarted_games()
    assert not session.is_deleted, "nobody has joined yet"
    other = server.join(key, "Zoë")
    assert "Without a first move within 10 minutes, the game ends without a result." in me.get(f"/play/{key}")
    me.move(key, "d4")
    assert "Without a first move within 10 minutes" in other.get(f"/play/{key}")
    server.sessions.cancel_unstarted_games()
    assert not session.is_deleted
    with session.lock:
        session.turn_started_at -= FIRST_MOVE_SECONDS + 1.0
    wait_until(lambda: session.is_deleted)
    assert session.note == "Zoë made no first move in time, so the game ended without a result."

    def is_gone() -> bool:
        me.get(f"/play/{key}")
        return me.status == 404

    wait_until(is_gone)  # the game leaves the store a moment after it is marked as deleted


def test_a_game_alone_or_without_a_clock_has_no_limit_for_the_first_move(server: PageServer, me: Browser) -> None:
    solo_key = me.begin(game="gomoku", opponent="here", option_size="7", clock="5+3")
    unlimited = me.begin(game="gomoku", opponent="link", option_size="7")
    server.join(unlimited, "Zoë")
    for key in (solo_key, unlimited):
        server.session(key).turn_started_at -= 2 * FIRST_MOVE_SECONDS
        assert "Without a first move" not in me.get(f"/play/{key}")
    server.sessions.cancel_unstarted_games()
    assert not any(server.session(key).is_deleted for key in (solo_key, unlimited))


def test_a_rematch_starts_with_full_clocks(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", option_size="7", clock="5+3")
    me.move(key, "d4")
    session = server.session(key)
    wait_until(lambda: session.clocks()[0] != 300.0)
    me.post(f"/play/{key}/resign", {})
    rematch_session = server.session(str(me.post(f"/play/{key}/rematch", {})["go"]).rpartition("/")[2])
    assert rematch_session.clocks() == (300.0, 300.0)
    assert session_from_json(session_json(session)).human_time_control == session.human_time_control


@pytest.mark.parametrize(
    ("opponent", "clock", "wrong"),
    [
        ("link", "five", "&#39;five&#39; is not a clock."),
        ("link", "0+3", "too short or too long"),
        ("greedy", "5+3", "A clock is for games between people."),
    ],
)
def test_an_invalid_clock_is_refused_beside_its_field(me: Browser, opponent: str, clock: str, wrong: str) -> None:
    fields = {"game": "gomoku", "opponent": opponent, "clock": clock, "token": me.token}
    answer = me.client.post("/play", data=fields)
    assert answer.status_code == 400
    assert wrong in answer.text
    assert 'name="clock" aria-describedby="about-clock" aria-invalid="true"' in answer.text
