"""`gomogo play` with its lines from a pipe: seats, stored games, undo, saved games and refused input."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest

from gomogo.commands.play.saved_game import read_saved_game
from gomogo.commands.play.series import terminal_visitor
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.sessions import sessions_of
from gomogo_core.records.store import Store
from tests.console.conftest import PlayFolder


def stored(place: PlayFolder, store_path: str = "gomogo.db") -> list[PlayedGame]:
    with Store.open(place.folder / store_path, create=False) as store, store.read_transaction() as connection:
        keys = connection.column("SELECT key FROM games ORDER BY started")
        return [store.game(key) for key in keys]


def test_a_person_wins_against_an_agent(place: PlayFolder) -> None:
    result = place.play("bot.py", typed="a1\nb2\nc3\n")
    assert result.returncode == 0, result.stderr
    assert "\x1b" not in result.stdout
    title, ending, *board_lines = result.stdout.splitlines()
    assert title == "gomoku (size 5, line 3): me against bot"
    assert ending.startswith("Type a column letter and a row, like c3. You may also type undo, hint, resign")
    assert result.stdout.index("bot plays e5") < result.stdout.index("last e5")
    assert [line for line in board_lines if line[:1].isdigit()][-5:-2] == [
        "1(x). . . . 1",
        "2 .(x). . . 2",
        "3 . .[x]. . 3",
    ]
    assert board_lines[-2:] == ["You won, after 5 moves: 3 in a row.", "Step through it by `gomogo replay last`."]


@pytest.mark.slow
def test_a_game_is_stored_with_the_name_me_and_the_spec_human(place: PlayFolder) -> None:
    place.play("bot.py", typed="a1\nb2\nc3\n")
    (played,) = stored(place)
    assert (played.names, played.specs) == (("me", "bot"), ("human", "bot.py"))
    assert played.winner == "me"
    score = place.run(["results", "me", "--json"])
    assert json.loads(score.stdout)["opponents"][0]["wins"] == 1


def test_a_resignation_names_the_winner(place: PlayFolder) -> None:
    result = place.play("bot.py", typed="resign\n")
    assert "You lost, after 0 moves: you resigned." in result.stdout
    assert stored(place)[0].outcome.reason is Reason.RESIGNED


def test_the_requested_store_is_used_and_named(place: PlayFolder) -> None:
    result = place.play("bot.py", "--store", "mine.db", typed="resign\n")
    assert "`gomogo replay last --store mine.db`" in result.stdout
    assert len(stored(place, "mine.db")) == 1
    assert not (place.folder / "gomogo.db").exists()


@pytest.mark.slow
def test_seats_change_from_game_to_game(place: PlayFolder) -> None:
    result = place.play("bot.py", "-n", "3", typed="resign\n" * 3)
    assert [played_game.names for played_game in stored(place)] == [("me", "bot"), ("bot", "me"), ("me", "bot")]
    assert result.stdout.count("So far: ") == 3
    assert "So far: me 0, bot 3." in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seat", "names"),
    [
        pytest.param("first", ("me", "bot"), marks=pytest.mark.slow),
        ("second", ("bot", "me")),
        pytest.param("2", ("bot", "me"), marks=pytest.mark.slow),
    ],
)
def test_a_requested_seat_is_kept_in_a_series(place: PlayFolder, seat: str, names: tuple[str, str]) -> None:
    place.play("bot.py", "--seat", seat, "-n", "2", typed="resign\n" * 2)
    assert [played_game.names for played_game in stored(place)] == [names, names]


def test_two_people_play_each_other(place: PlayFolder) -> None:
    result = place.play("human", "human", typed="a1\na2\nb1\nb2\nc1\n")
    assert result.stdout.splitlines()[-2] == "me won, after 5 moves: 3 in a row."
    assert stored(place)[0].names == ("me", "guest")


@pytest.mark.slow
def test_a_game_between_agents_is_shown_move_by_move(place: PlayFolder) -> None:
    result = place.play("bot.py", "bot.py")
    assert result.stdout.count("plays ") == len(stored(place)[0].plies)
    assert result.stdout.count("  a b c d e\n") == 2 * (len(stored(place)[0].plies) + 1)
    assert "Type a column" not in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("level", ["none", pytest.param("bwrap", marks=pytest.mark.needs("bwrap"))])
def test_play_uses_the_requested_sandbox(place: PlayFolder, level: str) -> None:
    result = place.play("random_mover", "greedy", "--sandbox", level)
    assert result.returncode == 0, result.stderr
    (played,) = stored(place)
    assert (played.sandbox, played.forfeits) == (level, {})


def test_a_person_takes_a_move_back_and_plays_another(place: PlayFolder) -> None:
    result = place.play("bot.py", typed="a1\na2\nundo\nb2\nundo\nundo\nundo\na1\nb2\nc3\n")
    assert "You have no move to take back." in result.stdout
    (played,) = stored(place)
    assert [ply.move for ply in played.plies if ply.seat == 1] == ["a1", "b2", "c3"]
    assert [message for _, seat, message in played.warnings if seat == 1] == ["took back 2 of the moves"] * 3


@pytest.mark.slow
def test_undo_against_a_legacy_agent_is_refused_with_the_reason(place: PlayFolder) -> None:
    old = place.folder / "old.py"
    old.write_text(OLD_AGENT)
    result = place.play(f"files:old:python3 {old}", typed="a1\nundo\nresign\n")
    assert "old receives only the last move, so it cannot continue from an earlier position." in result.stdout
    assert result.returncode == 0


OLD_AGENT = """
import os, time
played = 0
while not os.path.exists("end_game"):
    if os.path.exists("old.go") and played != os.stat("old.go").st_mtime_ns:
        played = os.stat("old.go").st_mtime_ns
        with open("move_file", "w") as file:
            file.write("old e 5")
    time.sleep(0.01)
"""


def test_a_saved_game_continues(place: PlayFolder) -> None:
    first = place.play("bot.py", "--seat", "second", "--time", "bot=7", typed="a1\nsave half.json\nquit\n")
    assert "Saved. `gomogo play --load half.json` continues the game." in first.stdout
    assert first.returncode == 0
    assert not stored(place)
    second = place.run(["play", "--load", "half.json"], "b2\nc3\n")
    assert "You won" in second.stdout, second.stderr
    (played,) = stored(place)
    assert [ply.move for ply in played.plies] == ["e5", "a1", "a5", "b2", "e1", "c3"]
    assert played.opening_length == 3
    assert played.names == ("bot", "me")
    assert [control.per_move for control in played.controls] == [7.0, None]


def test_a_save_without_a_name_chooses_a_free_name(place: PlayFolder) -> None:
    place.play("bot.py", typed="a1\nsave\nsave\nquit\n")
    assert len(list(place.folder.glob("gomoku-*.json"))) == 2


@pytest.mark.slow
def test_a_save_overwrites_only_saved_games(place: PlayFolder) -> None:
    (place.folder / "thesis.json").write_text('{"title": "On fives"}')
    result = place.play("bot.py", typed="save thesis.json\nsave x.json\na1\nsave x.json\nquit\n")
    assert "thesis.json already exists and is not a saved game, so it was not overwritten." in result.stdout
    assert json.loads((place.folder / "thesis.json").read_text()) == {"title": "On fives"}
    assert len(json.loads((place.folder / "x.json").read_text())["plies"]) == 2


@pytest.mark.slow
def test_a_save_into_a_missing_folder_is_refused(place: PlayFolder) -> None:
    result = place.play("bot.py", typed="save no/where.json\nquit\n")
    assert "no/where.json cannot be written: No such file or directory." in result.stdout
    assert result.returncode == 0


@pytest.mark.slow
def test_only_a_record_of_an_unfinished_game_can_be_loaded(place: PlayFolder) -> None:
    place.play("bot.py", typed="a1\nb2\nc3\n")
    record = stored(place)[0].as_json()
    (place.folder / "record.json").write_text(json.dumps(record))
    assert "The game in record.json is over." in place.run(["play", "--load", "record.json"]).stderr
    record["plies"] = record["plies"][:4]
    (place.folder / "record.json").write_text(json.dumps(record))
    assert "You won" in place.run(["play", "--load", "record.json"], "c3\n").stdout


def a_saved_game() -> dict[str, object]:
    control = {"per_move": None, "total": None, "increment": 0.0, "grace": 0.05}
    return {
        "schema": 1,
        "game": "gomoku",
        "options": {"size": 5, "line": 3},
        "specs": ["human", "bot.py"],
        "controls": [control, control],
        "plies": [[1, "a1"], [2, "e5"]],
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": 99}, "it has schema 99"),
        ({"game": "gomuku"}, "There is no game called 'gomuku'"),
        ({"game": 7}, "a value in it has the wrong type"),
        ({"options": {"size": 3}}, "size 3 is too small"),
        ({"options": []}, "a value in it has the wrong type"),
        ({"specs": ["human"]}, "gomoku is for 2 players"),
        ({"specs": "me"}, "a value in it has the wrong type"),
        ({"controls": [{"per_move": "x"}] * 2}, "a value in it has the wrong type"),
        ({"controls": [{"per_move": -1}] * 2}, "The time per move must be greater than 0, not -1."),
        ({"plies": [[1, "a1"], [1, "e5"]]}, "move 2 is by seat 1, but it is the turn of seat 2"),
        ({"plies": [[1, "z9"]]}, "move 1: 'z9' is not a move"),
        ({"plies": [[1, "a1"], [2, "a1"]]}, "move 2: a1 is occupied by black"),
        ({"plies": [["me", "a1"]]}, "a value in it has the wrong type"),
        ({"plies": 5}, "a value in it has the wrong type"),
    ],
)
def test_a_damaged_saved_game_is_refused(tmp_path: Path, change: dict[str, object], words: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(a_saved_game() | change))
    with pytest.raises(UserError) as error_info:
        read_saved_game(path)
    assert error_info.value.problem.startswith(f"{path} is not a saved game: {words}")


@pytest.mark.parametrize("content", ["", "h8", "[]", "null", "{}", '{"schema": 1}', "\x00", "[" * 100_000])
def test_a_file_without_a_saved_game_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(UserError, match="is not a saved game"):
        read_saved_game(path)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_an_unreadable_file_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_saved_game(tmp_path / name)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 1, "An opponent is missing."),
        (["nobody"], 1, "There is no agent called 'nobody'."),
        (["bot.py", "bot.py", "bot.py"], 1, "gomoku is for 2 players, and there are 3."),
        (["bot.py", "--seat", "3"], 1, "There is no seat 3 in gomoku."),
        (["bot.py", "--seat", "0"], 1, "There is no seat 0"),
        (["bot.py", "--seat", "left"], 2, "'left' is not a seat"),
        (["bot.py", "-n", "0"], 2, "0 is not in the range"),
        (["bot.py", "--delay", "-1"], 2, "-1.0 is not in the range"),
        (["bot.py", "-o", "size=3"], 1, "size 3 is too small"),
        (["bot.py", "--time", "you=3"], 1, "--time names 'you', but no player has that name."),
        (["bot.py", "--load", "x.json"], 2, "leave out players"),
        (["bot.py", "--continue"], 2, "leave out players"),
        (["--continue", "--load", "x.json"], 2, "leave out"),
        (["--continue"], 1, "There is no store at gomogo.db"),
        (["--load", "x.json", "--seat", "2"], 2, "leave out seat"),
        (["--load", "x.json", "-o", "size=9"], 2, "leave out option"),
    ],
)
def test_an_impossible_play_command_is_refused_before_the_first_move(
    place: PlayFolder,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    assert place.run_in_process(["play", *arguments], monkeypatch) == code
    assert words in capsys.readouterr().err


@pytest.mark.slow
def test_a_person_has_no_time_limit_by_default(place: PlayFolder) -> None:
    for times, mine in (([], None), (["--time", "bot=3"], None), (["--time", "4"], 4.0), (["--time", "me=6"], 6.0)):
        place.play("bot.py", *times, typed="resign\n")
        assert stored(place)[-1].controls[0].per_move == mine
    assert [played_game.controls[1].per_move for played_game in stored(place)] == [10.0, 3.0, 4.0, 10.0]


@pytest.mark.slow
def test_a_total_time_applies_to_all_and_continues_after_undo(place: PlayFolder) -> None:
    place.play("bot.py", "--total", "50", typed="a1\nundo\nresign\n")
    (played,) = stored(place)
    assert played.controls[0].total is not None
    assert 49 < played.controls[0].total < 50


def test_the_end_of_input_stops_the_game_and_stores_nothing(place: PlayFolder) -> None:
    result = place.play("bot.py", typed="a1\n")
    assert result.returncode == 3
    assert "The game is not over and does not count yet." in result.stdout
    assert not stored(place)


@pytest.mark.slow
def test_an_abandoned_game_is_continued(place: PlayFolder) -> None:
    first_result = place.play("bot.py", "--seat", "second", "--time", "bot=7", typed="a1\nundo\na1\n")
    assert first_result.stdout.endswith("does not count yet. `gomogo play --continue` continues it.\n")
    second_result = place.run(["play", "--continue"], "b2\nquit\n")
    assert second_result.stdout.startswith("gomoku (size 5, line 3): bot against me\n"), second_result.stderr
    last_result = place.run(["play", "--continue"], "c3\n")
    assert "You won, after 6 moves: 3 in a row." in last_result.stdout, last_result.stderr
    (played,) = stored(place)
    assert [ply.move for ply in played.plies] == ["e5", "a1", "a5", "b2", "e1", "c3"]
    assert (played.names, [control.per_move for control in played.controls]) == (("bot", "me"), [7.0, None])
    assert all(seconds > 0 for seconds in played.seconds)
    assert len(played.seconds) == 6
    assert "has no unfinished game of yours." in place.run(["play", "--continue"]).stderr


@pytest.mark.slow
def test_only_the_game_of_a_killed_terminal_is_continued(place: PlayFolder) -> None:
    words = place.words("play", "bot.py", "-o", "size=5", "-o", "line=3")
    with subprocess.Popen(
        words, cwd=place.folder, env=place.environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"a1\n")
        process.stdin.flush()
        while not list(place.folder.glob("live/*.jsonl")) or len(left_open(place)) < 2:
            time.sleep(0.05)
        assert "has no unfinished game of yours." in place.run(["play", "--continue"]).stderr
        process.kill()
    assert "You won" in place.run(["play", "--continue"], "b2\nc3\n").stdout


def left_open(place: PlayFolder) -> list[object]:
    """The actions of the unfinished game."""
    with Store.open(place.folder / "gomogo.db", create=False) as store:
        return [action for saved in sessions_of(store, terminal_visitor()) for action in saved.json_values["made"]]


@pytest.mark.slow
def test_play_leaves_no_files_behind(place: PlayFolder, tmp_path_factory: pytest.TempPathFactory) -> None:
    other_folder = tmp_path_factory.mktemp("temporary")
    place.environment["TMPDIR"] = str(other_folder)
    place.play("bot.py", typed="a1\nundo\na1\n")
    assert sorted(path.name for path in Path(place.folder).iterdir()) == ["bot.py", "gomogo.db"]
    assert not list(other_folder.iterdir())
