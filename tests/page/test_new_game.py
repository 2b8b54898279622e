"""The form for a new game: sensible defaults, words and units for each option, and handicap stones."""

from __future__ import annotations

import re

import pytest

from gomogo.page.play.form_choices import handicap_moves, option_fields
from gomogo_core import games
from tests.page.conftest import Browser, PageServer, wait_until

FORM_OF_GO = {"game": "go", "opponent": "here", "size": "size=9", "option_komi": "", "handicap": "0"}


@pytest.mark.parametrize(
    ("changed", "komi"),
    [
        ({}, 7.5),
        ({"option_scoring": "territory"}, 6.5),
        ({"handicap": "3"}, 0.5),
        ({"option_komi": "4"}, 4.0),
        ({"option_komi": "0", "handicap": "2"}, 0.0),
        ({"option_size": "5"}, 0.0),
    ],
)
def test_an_empty_komi_is_the_usual_one_and_a_given_one_is_kept(
    server: PageServer, me: Browser, changed: dict[str, str], komi: float
) -> None:
    key = me.begin(**{**FORM_OF_GO, **changed})
    assert server.session(key).game.options["komi"] == komi


def test_a_form_without_a_field_for_komi_has_the_komi_of_the_rules(server: PageServer, me: Browser) -> None:
    assert server.session(me.begin(game="go", opponent="here", size="size=9")).game.options["komi"] == 0.0


def test_moves_before_the_start_of_a_continued_game_cannot_be_taken_back(server: PageServer, me: Browser) -> None:
    key = me.begin(game="gomoku", opponent="here", moves="h8 h9 i8")
    session = server.session(key)
    assert me.post(f"/play/{key}/undo")["refused"].startswith("You have no move to take back. Moves before")
    assert 'data-no-undo="You have no move to take back.' in me.get(f"/play/{key}")  # the button is disabled
    me.move(key, "g8")
    assert "data-no-undo" not in me.get(f"/play/{key}")
    me.post(f"/play/{key}/undo")
    assert [action.move for action in session.actions] == ["h8", "h9", "i8"]
    assert "h8 is occupied by black" in me.get("/?game=gomoku&moves=h8+h8"), "the form names a move that is not legal"


def test_handicap_stones_are_an_opening_that_cannot_be_taken_back(server: PageServer, me: Browser) -> None:
    key = me.begin(**{**FORM_OF_GO, "handicap": "3"})
    session = server.session(key)
    assert [action.move for action in session.actions] == ["g3", "pass", "c7", "pass", "g7"]
    assert session.position.to_move == 2
    assert "Black has 3 handicap stones, so White moves first." in me.get(f"/play/{key}")
    assert me.post(f"/play/{key}/undo")["refused"].startswith("You have no move to take back. Moves before")
    me.move(key, "e5")
    me.post(f"/play/{key}/undo")
    assert len(session.actions) == 5
    me.move(key, "e5")
    me.post(f"/play/{key}/resign")
    wait_until(lambda: session.is_stored)
    assert server.store.game(key).opening_length == 5  # so that a review does not judge White's passes
    rematch_session = server.session(str(me.post(f"/play/{key}/rematch")["go"]).rpartition("/")[2])
    assert [action.move for action in rematch_session.actions] == ["g3", "pass", "c7", "pass", "g7"]


@pytest.mark.parametrize(
    ("options", "count", "points"),
    [
        ({"size": 9}, 5, "g3 c7 g7 c3 e5"),
        ({"size": 19}, 6, "p4 d16 p16 d4 d10 p10"),
        ({"size": 19}, 7, "p4 d16 p16 d4 d10 p10 j10"),
        ({"size": 19}, 9, "p4 d16 p16 d4 d10 p10 j4 j16 j10"),
    ],
)
def test_handicap_stones_stand_on_the_star_points(options: dict[str, int], count: int, points: str) -> None:
    game = games.load("go", **options)
    moves = handicap_moves(game, count)
    assert [move for move in moves if move != "pass"] == points.split()
    assert game.replay(moves).to_move == 2


@pytest.mark.parametrize(
    "fields", [{"handicap": "6"}, {"handicap": "1"}, {"handicap": "x"}, {"handicap": "2", "option_passing": "false"}]
)
def test_an_impossible_handicap_is_refused_at_its_field(me: Browser, fields: dict[str, str]) -> None:
    wrong = me.client.post(
        "/play",
        data={**{k.replace("_", "-"): v for k, v in {**FORM_OF_GO, **fields}.items()}, "token": me.token},
    )
    assert wrong.status_code == 400
    assert re.search(r'name="handicap".*?class="wrong".*?name="opponent"', wrong.text, re.DOTALL)


@pytest.mark.parametrize("name", games.names())
def test_every_option_has_words_for_a_human(name: str) -> None:
    for field in option_fields(name):
        assert field.label != field.name
        assert "_" not in field.label
        assert field.unit or field.choices, field.name
        assert all(words[0].isupper() for _, words in field.choices), field.choices


def test_a_random_colour_can_be_chosen(server: PageServer, me: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'name="seat" value="random"' in me.get("/?game=gomoku")
    for drawn_number in (0, 1):
        monkeypatch.setattr(
            "gomogo.page.play.new_game.secrets.randbelow", lambda count, drawn_number=drawn_number: drawn_number % count
        )
        key = me.begin(game="gomoku", opponent="link", seat="random", name="ann")
        assert server.session(key).names.index("ann") == drawn_number


def test_the_list_of_programs_separates_levels_from_agents(me: Browser) -> None:
    form = me.get("/?game=gomoku")
    levels, agents = form.index('<optgroup label="Levels">'), form.index('<optgroup label="Agents">')
    assert levels < form.index(">Learner (level 2)</option>") < agents


def test_all_pages_have_the_games_in_one_order(me: Browser) -> None:
    usual = ["gomoku", "go", "capture_go", "robogo", "dots_and_boxes"]
    assert list(dict.fromkeys(re.findall(r'href="/puzzles/(\w+)', me.get("/puzzles")))) == usual
    assert (
        list(dict.fromkeys(re.findall(r'<option value="(\w+)', me.get("/analysis").partition("rules")[2])))[:5] == usual
    )


def test_the_form_says_how_each_level_plays(me: Browser) -> None:
    page_text = me.get("/?game=gomoku")
    assert '<small id="about-level">Looks one move ahead and overlooks 2 of 100 moves; scores 73 %' in page_text
    assert "overlooks 44 of 100 moves" in page_text
    assert re.search('<option value="level-2" data-about="[^"]*overlooks 22 of 100 moves', page_text)  # in the list


def test_a_level_that_misses_its_engine_cannot_be_chosen(me: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra `engines`, such a level once crashed, and the visitor "won" after no move."""
    monkeypatch.setattr("gomogo_core.catalogue._agent.find_spec", lambda library: None)
    form = me.get("/?game=go")
    assert re.search(r'value="level-5"[^>]* disabled', form)
    assert not re.search(r'value="level-3"[^>]* disabled', form)
    assert "Club (level 5) and higher levels need compiled engines." in form
    assert "go_champion" not in form
    response = me.client.post("/play", data={"game": "go", "opponent": "level-5", "token": me.token})
    assert response.status_code == 400
    assert "Club (level 5) needs the extra" in response.text
