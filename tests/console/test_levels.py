"""`gomogo play --level`: the agent, its time, the stored game, and how `auto` follows the results."""

from __future__ import annotations

import json

import pytest

from gomogo.commands.play.saved_game import read_saved_game
from gomogo_core.levels import levels_of_game
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.store import Store
from tests.console.conftest import PlayFolder

pytestmark = pytest.mark.slow

WON = "a1\nb2\nc3\nd4\ne5\n"


def stored(place: PlayFolder) -> list[PlayedGame]:
    with Store.open(place.folder / "gomogo.db", create=False) as store, store.read_transaction() as connection:
        keys = connection.column("SELECT key FROM games ORDER BY started")
        return [store.game(key) for key in keys]


def test_a_level_is_stored_by_name_with_its_spec(place: PlayFolder) -> None:
    result = place.play("--level", "2", typed="resign\n")
    title, _, words = result.stdout.splitlines()[:3]
    assert title == "gomoku (size 5, line 3): me against Learner (level 2)"
    assert words == (
        "Learner (level 2): Looks one move ahead and overlooks 22 of 100 moves; scores 77 % against Beginner (level 1)."
    )
    assert "Learner (level 2) plays" in result.stdout or "o Learner (level 2)" in result.stdout
    assert "level-2" not in result.stdout
    (played,) = stored(place)
    assert (played.names, played.specs) == (("me", "level-2"), ("human", "beginner?overlooks=0.22"))
    assert [control.per_move for control in played.controls] == [None, 1]


@pytest.mark.parametrize("word", ["club", "Club", "5"])
def test_a_level_is_chosen_by_its_name_or_number(place: PlayFolder, word: str) -> None:
    result = place.play("--level", word, typed="resign\n")
    assert result.stdout.splitlines()[2].startswith("Club (level 5): ")
    assert stored(place)[0].names[1] == "level-5"


def test_an_unknown_level_is_refused_with_the_names(place: PlayFolder) -> None:
    result = place.run(["play", "--level", "master"], "")
    assert result.returncode == 2
    assert "choose 1 to 8, one of Beginner, Learner" in " ".join(result.stderr.split())


def test_go_begins_on_the_board_and_with_the_komi_for_humans(place: PlayFolder) -> None:
    result = place.run(["play", "--level", "1", "--game", "go"], "resign\n")
    assert result.stdout.startswith("go (size 9, komi 7.5): ")
    result = place.run(["play", "--level", "1", "--game", "go", "-o", "rows=5"], "resign\n")
    assert "rows 5" in result.stdout.partition("\n")[0]
    assert "size 9" not in result.stdout
    result = place.run(["play", "--level", "1", "--game", "go", "-o", "komi=0.5"], "resign\n")
    assert result.stdout.startswith("go (size 9, komi 0.5): ")


def test_a_level_keeps_its_time_unless_set_by_name(place: PlayFolder) -> None:
    place.play("--level", "8", "--time", "30", "--seat", "first", typed="resign\n")
    for name in ("level-8", "champion"):
        place.play("--level", "8", "--time", f"{name}=0.5", "--seat", "first", typed="resign\n")
    times = [[control.per_move for control in played_game.controls] for played_game in stored(place)]
    assert times == [[30, 5], [None, 0.5], [None, 0.5]]


def test_auto_follows_stored_results_and_gives_the_reason(place: PlayFolder) -> None:
    words = []
    for _ in range(4):
        result = place.play("--level", "auto", typed="resign\n")
        words.append(result.stdout.splitlines()[2])
    assert words == [
        "Casual (level 3): you have no results yet.",
        "Learner (level 2): you lost your last game.",
        "Beginner (level 1): you lost your last 2 games.",
        "Beginner (level 1): you lost your last 3 games.",
    ]
    assert [played_game.names[1] for played_game in stored(place)] == ["level-3", "level-2", "level-1", "level-1"]


def test_auto_adapts_within_a_series(place: PlayFolder) -> None:
    result = place.play("--level", "auto", "-n", "2", "--seat", "first", typed="resign\nresign\n")
    assert [line for line in result.stdout.splitlines() if "): you " in line] == [
        "Casual (level 3): you have no results yet.",
        "Learner (level 2): you lost your last game.",
    ]
    assert "So far: me 0, Casual (level 3) 1, Learner (level 2) 1." in result.stdout


def test_the_results_of_another_game_do_not_count(place: PlayFolder) -> None:
    place.play("--level", "auto", typed="resign\n")
    result = place.run(["play", "--level", "auto", "--game", "dots_and_boxes"], "resign\n")
    assert "Casual (level 3): you have no results yet." in result.stdout


def test_a_saved_game_continues_against_its_level(place: PlayFolder) -> None:
    place.play("--level", "2", typed="a1\nsave here.json\nquit\n")
    assert read_saved_game(place.folder / "here.json").names == ("me", "level-2")
    result = place.run(["play", "--load", "here.json"], "resign\n")
    assert "me against Learner (level 2)" in result.stdout
    assert stored(place)[0].names == ("me", "level-2")
    assert stored(place)[0].specs == ("human", "beginner?overlooks=0.22")


def test_a_legacy_saved_game_without_names_is_read(place: PlayFolder) -> None:
    place.play("bot.py", typed="a1\nsave here.json\nquit\n")
    path = place.folder / "here.json"
    plain = json.loads(path.read_text())
    del plain["names"]
    path.write_text(json.dumps(plain))
    assert read_saved_game(path).names == ("human", "bot.py")


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (["--level", "3", "bot.py"], "--level already chooses the opponent, but the command also names bot.py.", 1),
        (["--level", "3", "human", "human"], "no seat is free for the opponent of --level", 1),
        (["--level", "9"], "'9' is not a level: choose 1 to 8, one of Beginner, Learner, Casual,", 2),
        (["--level", "hard"], "'hard' is not a level", 2),
        (["--level", "3", "--load", "x.json"], "leave out level", 2),
        ([], "An opponent is missing.", 1),
    ],
)
def test_an_invalid_level_is_refused_before_anything_is_stored(
    place: PlayFolder,
    arguments: list[str],
    words: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert place.run_in_process(["play", *arguments], monkeypatch) == code
    assert words in capsys.readouterr().err
    assert not (place.folder / "gomogo.db").exists()


def test_a_level_fills_every_free_seat(place: PlayFolder) -> None:
    result = place.run(["play", "--level", "1", "--game", "dots_and_boxes", "-o", "players=3"], "resign\n")
    assert "me against Beginner (level 1) against Beginner (level 1), 2" in result.stdout


def test_levels_are_listed(place: PlayFolder) -> None:
    result = place.run(["list", "levels", "--game", "gomoku"])
    lines = result.stdout.splitlines()
    assert len(lines) == 8
    assert lines[0].startswith(
        "gomoku 1  Beginner: Looks one move ahead and overlooks 44 of 100 moves. Agent: beginner?"
    )
    levels = json.loads(place.run(["list", "levels", "--game", "gomoku", "--json"]).stdout)["levels"]
    assert [level_entry["agent"] for level_entry in levels] == [level.spec for level in levels_of_game("gomoku")]
