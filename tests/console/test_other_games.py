"""Go and Dots and Boxes at the console: announcements, explanations, and points named as in books."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from gomogo_core.agent import AgentClock
from gomogo_core.drawing.text import picture
from gomogo_core.games import load
from gomogo_core.records.store import Store
from gomogo_core.session.terminal import Console, RefereedHuman
from tests.console.conftest import PlayFolder

pytestmark = pytest.mark.slow

KO = "b1\nc1\na2\nd2\nb3\nc3\nc2\nb2\n"


def seen(place: PlayFolder, game: str, typed: str, *arguments: str) -> str:
    result = place.run(["play", "human", "human", "--game", game, *arguments], typed)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_capture_and_a_ko_are_announced_refused_and_explained(place: PlayFolder) -> None:
    output = seen(place, "go", f"explain\n{KO}c2\nexplain\nresign\n", "-o", "size=5")
    assert "o captures 1 stone." in output
    assert "No: ko: the board would be as it was after move 7." in output
    assert "White captured c2 by playing b2" in output
    assert "2 x[o]~ o . 2" in output


def test_an_own_capture_is_explained_after_the_opponents_move(place: PlayFolder) -> None:
    output = seen(place, "go", f"{KO}d4\nexplain\na4\nexplain\nresign\n", "-o", "size=5")
    assert output.count("White captured c2 by playing b2") == 1


def test_book_coordinates_are_usual_in_go_and_apply_to_input_and_display_not_to_files(place: PlayFolder) -> None:
    typed = "B5\nc5\na4\nD 4\nb3\n3,3\nc4\nb4\n"  # KO upside down
    output = seen(place, "go", f"{typed}c4\ni3\nexplain\nresign\n", "-o", "size=5")
    assert "5 . x o . . 5\n4 x[o]~ o . 4" in output
    assert "No: ko: the board would be as it was after move 7." in output
    assert "'i3' is not a move: columns are a to e." in output
    assert "White captured c4 by playing b4" in output
    with Store.open(place.folder / "gomogo.db", create=False) as store:
        assert [ply.move for ply in store.game("last").plies] == KO.split()


def test_passing_is_a_move_and_two_end_the_game(place: PlayFolder) -> None:
    output = seen(place, "go", "c3\npass\ny\npass\n", "-o", "size=5")
    assert "If black passes too, black wins by 25 points (black 25, white 0)." in output
    assert "last pass" in output
    assert "me won by 25 points, after 3 moves" in output


def test_a_losing_pass_is_confirmed_by_typing_it_again_and_withdrawn_by_no(place: PlayFolder) -> None:
    output = seen(place, "go", "c3\npass\nno\npass\npass\npass\n", "-o", "size=5")
    assert output.count("Pass anyway?") == 2
    assert "me won by 25 points, after 3 moves" in output


def test_taken_boxes_are_announced_and_give_another_move(place: PlayFolder) -> None:
    output = seen(place, "dots_and_boxes", "h0\nh3\nv0\nh2\nv1\nresign\n", "-o", "rows=2", "-o", "cols=2")
    assert "x takes 1 box and moves again." in output
    assert output.count("me (x) > ") == 4  # h0, v0, v1, and again


def test_the_names_of_the_moves_are_shown_on_demand(place: PlayFolder) -> None:
    output = seen(place, "dots_and_boxes", "names\nexplain\nh0\nexplain\nresign\n", "-o", "rows=2", "-o", "cols=2")
    assert output.count("v3    v4    v5") == 1
    assert "There is nothing to explain here. Type an edge" in output
    assert "The letters and numbers at its edges name all points." in seen(
        place, "go", "names\nresign\n", "-o", "size=5"
    )


def test_effects_of_an_agents_move_are_announced(place: PlayFolder) -> None:
    words = ["play", "bot.py", "bot.py", "--game", "dots_and_boxes", "-o", "rows=1", "-o", "cols=1"]
    (place.folder / "bot.py").write_text("def choose(position, clock):\n    return next(position.moves())\n")
    assert "bot-2 plays v1, takes the last box (" in place.run(words).stdout


def test_one_of_three_resigns_and_the_others_continue(place: PlayFolder) -> None:
    typed = "h0\nresign\nh1\nv0\nundo\nv0\nv1\n"
    result = place.run(
        ["play", "human", "human", "human", "--game", "dots_and_boxes", "-o", "rows=1", "-o", "cols=1"], typed
    )
    assert "You resigned. The others play on." in result.stdout
    assert "guest resigned." in result.stdout.splitlines()[-2]
    with Store.open(place.folder / "gomogo.db", create=False) as store:
        played = store.game("last")
    assert [ply.move for ply in played.plies] == ["h0", "resign", "h1", "v0", "v1"]
    assert [leaver.detail for leaver in played.departed] == ["resigned"]


def test_a_saved_game_of_three_continues_without_the_departed_player(place: PlayFolder) -> None:
    words = ["human", "human", "human", "--game", "dots_and_boxes", "-o", "rows=1", "-o", "cols=1"]
    place.run(["play", *words], "h0\nresign\nsave here.json\nquit\n")
    result = place.run(["play", "--load", "here.json"], "h1\nv0\nv1\n")
    assert "won, after 4 moves: 1 box to 0." in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--coordinates", "book", "--game", "dots_and_boxes"], "has no points that books could name"),
        (["--coordinates", "book", "-o", "size=26"], "this board has 26 columns"),
    ],
)
def test_unknown_coordinates_are_refused_before_anything_is_stored(
    place: PlayFolder,
    arguments: list[str],
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert place.run_in_process(["play", "human", "human", *arguments], monkeypatch) == 1
    assert words in capsys.readouterr().err
    assert not (place.folder / "gomogo.db").exists()


def test_a_human_beside_a_referee_sees_all_moves_since_the_last_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    game = load("dots_and_boxes", rows=1, cols=2, players=3)
    game_info = {"game": game.name, "options": game.options, "teams": ["me", "A", "B"]}
    Path("game.json").write_text(json.dumps(game_info))
    Path("history_file").write_text("me h 0\nA h 2\nB v 0\n")
    Path("move_file").write_text("B v 0\n")
    out = io.StringIO()
    person = RefereedHuman(Console(io.StringIO("h1\nexplain\nv2\n"), out), picture)
    position = game.replay(["h0", "h2", "v0"])
    assert person.ask_for_move(position, AgentClock({}, None)) == "h1"
    Path("history_file").write_text("me h 0\nA h 2\nB v 0\nme h 1\nA v 1\nA resign\nB h 3\n")
    after = game.replay(["h0", "h2", "v0", "h1", "v1"]).withdraw(2).play(game.parse("h3"))
    assert person.ask_for_move(after, AgentClock({}, None)) == "v2"
    output = out.getvalue()
    assert output.count("A plays v1, takes 1 box and moves again.") == 1
    assert output.count("A left. The others play on.") == 1
    assert output.index("A plays v1") > output.index("me (x) > ")
