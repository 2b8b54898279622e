"""A tournament from the command line: run beside its file, shown, checked, in every format."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gomogo_core.records.store import Store
from tests.tournaments._commands import BOT, Command, write_tournament_file


def test_a_tournament_runs_beside_its_file_and_continues(command: Command, tmp_path: Path) -> None:
    (tmp_path / "cup").mkdir()
    path = Path(write_tournament_file(agents=["../a.py", "../b.py"])).rename("cup/spring.toml")
    first = command("tournament", "run", str(path), "--json")
    second_result = command("tournament", "run", str(path), "--json")
    assert first.json["games"] == 4
    assert second_result.json == first.json
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["gomogo.db", "spring.toml"]


@pytest.mark.slow
def test_show_and_results_accept_the_name_or_file_of_a_run(command: Command) -> None:
    path = write_tournament_file()
    ran = command("tournament", "run", path, "--json").json
    for run_reference in ("spring", path):
        assert command("tournament", "show", run_reference, "--json").json == ran
        games = command("tournament", "results", run_reference, "--json").json["games"]
        assert len(games) == 4
        assert {tuple(game["players"]) for game in games} == {("a", "b"), ("b", "a")}
        assert all(game["winner"] in (*game["players"], None) for game in games)
    listed = command("tournament", "results", "spring").out.splitlines()
    assert [line.split()[0] for line in listed] == [game["key"][:8] for game in games]
    assert "spring: 4 of 4 games" in command("tournament", "show").out
    players = [*csv.DictReader(command("tournament", "show", "spring", "--csv").out.splitlines())]
    assert [(entry["player"], int(entry["games"])) for entry in players] == [
        (entry["name"], 4) for entry in ran["players"]
    ]
    assert sum(float(entry["points"]) for entry in players) == 4
    assert [entry["elo"] for entry in players] == [str(round(entry["elo"], 1)) for entry in ran["players"]]
    assert {entry["crashed"] for entry in players} == {"0"}
    rows = [*csv.DictReader(command("tournament", "results", "spring", "--csv").out.splitlines())]
    assert [(row["game"], row["player_1"], row["player_2"], row["ended_by"]) for row in rows] == [
        (game["key"], *game["players"], game["reason"]) for game in games
    ]
    result = command("tournament", "show", "spring", "--csv", "--json")
    assert (result.code, result.err) == (1, "--json and --csv cannot be used together.\nUse one of them.\n")


def test_check_describes_the_tournament_without_playing(command: Command) -> None:
    result = command("tournament", "check", write_tournament_file(games_per_pair=10, openings="random:2"))
    assert result.code == 0
    assert "spring: 10 games of gomoku (size 6, line 4" in result.out
    assert "a: Any legal move. (10 s a move)" in result.out
    assert command("tournament", "check", "spring.toml", "--json").json["games"] == 10
    assert not Path("gomogo.db").exists()


def test_check_refuses_other_settings_than_those_of_the_stored_run(command: Command) -> None:
    assert command("tournament", "run", write_tournament_file(games_per_pair=4)).code == 0
    assert command("tournament", "check", "spring.toml").code == 0
    result = command("tournament", "check", write_tournament_file(games_per_pair=2))
    assert result.code == 1
    assert "has other settings: games_per_pair" in result.err
    assert result.err == command("tournament", "run", "spring.toml").err


@pytest.mark.needs("sh")
def test_check_starts_agents_that_need_no_build(command: Command) -> None:
    Path("breaks.py").write_text("import nothing_of_this_name\ndef choose(position, clock):\n    return 'a1'\n")
    Path("leaves.sh").write_text("echo 'I want a display'\nexit 7\n")
    result = command("tournament", "check", write_tournament_file(agents=["a.py", "breaks.py", "files:L:sh leaves.sh"]))
    assert result.code == 1
    assert "breaks does not start: exited with code 1: ModuleNotFoundError: No module named" in result.err
    assert "L does not start: exited with code 7: I want a display." in result.err
    assert len(result.err.splitlines()) == 2


def test_check_refuses_a_missing_script_and_two_entries_of_one_team(command: Command) -> None:
    result = command("tournament", "check", write_tournament_file(agents=["a.py", "files:A:python3 nowhere.py A"]))
    assert (result.code, result.err.splitlines()[0]) == (1, 'Cannot start agent "A": nowhere.py: no such file.')
    result = command(
        "tournament", "check", write_tournament_file(agents=["files:A:python3 a.py", "files:a:python3 b.py"])
    )
    assert result.code == 1
    assert "two agents have the team name a." in result.err


@pytest.mark.slow
def test_check_describes_each_format(command: Command) -> None:
    four = ["a.py", "b.py", "./a.py", "./b.py"]
    output = command("tournament", "check", write_tournament_file(agents=four, format="swiss", games_per_pair=2)).out
    assert "spring: 8 games of gomoku" in output
    assert "swiss of 2 rounds, 2 games a pair" in output
    output = command("tournament", "check", write_tournament_file(agents=four, format="knockout")).out
    assert "spring: 12 games at least of gomoku" in output
    Path("bots").mkdir()
    for name in ("ann.py", "ben.py"):
        Path("bots", name).write_text(BOT)
    Path("bots/half.py").write_text("def choo")
    output = command("tournament", "check", write_tournament_file(format="ladder", agents_folder="bots")).out
    assert "spring: games without end of gomoku" in output
    assert "  ann: Any legal move." in output
    assert "  half.py does not play: " in output
    assert command("tournament", "check", "spring.toml", "--json").json["games"] is None


@pytest.mark.slow
def test_formats_with_rounds_show_them_and_a_ladder_has_no_length(command: Command) -> None:
    three = ["a.py", "b.py", "./a.py"]
    result = command("tournament", "run", write_tournament_file(agents=three, format="knockout", games_per_pair=1))
    assert result.code == 0
    assert "├─ " in result.out
    assert "knockout" not in result.err
    assert "├─ " in command("tournament", "show", "spring.toml").out
    ladder = write_tournament_file(agents=three, format="ladder", games=6, name="climb")
    assert command("tournament", "run", ladder, "--json").json["complete"]
    assert "climb: 6 of 6 games" in command("tournament", "show").out
    with Store.open("gomogo.db") as store:
        run = store.run("climb")
        store.change_run(run, run.fingerprint, run.settings, None)
    assert "climb: 6 games\n" in command("tournament", "show").out
    assert "\n6 games.\n" in command("tournament", "show", "climb").err
    assert "climb is not in progress. 6 games are stored." in command("tournament", "stop", "climb").err
    refused = command("tournament", "run", write_tournament_file(agents=three, format="swiss", rounds=3))
    assert (refused.code, len(refused.err.splitlines())) == (1, 2)


def test_check_reports_cut_openings_and_a_move_cap(command: Command) -> None:
    Path("book.txt").write_text("a1b1c1\n")
    file = Path(write_tournament_file(openings="book.txt", openings_plies=2))
    file.write_text(f"{file.read_text()}\n[adjudicate]\nmoves = 9\n")
    result = command("tournament", "check", str(file))
    assert "openings book.txt (their first 2 moves), a draw after 9 moves" in result.out


def test_an_unknown_key_in_the_file_is_reported(command: Command) -> None:
    result = command("tournament", "run", write_tournament_file(games_per_pare=4))
    assert result.code == 1
    assert result.err.splitlines() == ["spring.toml: there is no key 'games_per_pare'.", "Did you mean games_per_pair?"]


@pytest.mark.slow
def test_an_unknown_run_cannot_be_shown(command: Command) -> None:
    assert "There is no store at gomogo.db" in command("tournament", "show").err
    command("tournament", "run", write_tournament_file())
    result = command("tournament", "show", "sprign")
    assert (result.code, result.err.splitlines()[1]) == (1, "Did you mean spring?")
    assert "is not in progress" in command("tournament", "stop").err


def test_check_finds_missing_programs(command: Command) -> None:
    result = command("tournament", "check", write_tournament_file(agents=["a.py", "json:./missing"]))
    assert result.code == 1
    assert result.err.splitlines() == [
        'Cannot start agent "missing": ./missing: no such file.',
        "Fix its command, or install the missing program.",
    ]
