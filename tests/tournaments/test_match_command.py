"""The command `gomogo match`: its table, its JSON, seats, times, and two-line messages about mistakes."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from gomogo_core.engines import compiling
from gomogo_core.records.store import Store
from tests.tournaments._commands import QUICK_OPTIONS, Command


def test_a_match_prints_its_table(command: Command) -> None:
    result = command("match", "a.py", "b.py", "-n", "4", *QUICK_OPTIONS)
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0].split()[:5] == ["player", "games", "won", "drawn", "lost"]
    assert {line.split()[1] for line in lines[1:3]} == {"a", "b"}
    assert "4 of 4 games are in gomogo.db." in result.err


def test_a_match_prints_its_seed_which_repeats_it(command: Command) -> None:
    match = ("match", "a.py", "random_mover", "-n", "2", "--openings", "random:2", *QUICK_OPTIONS)
    first = command(*match)
    options = re.findall(r"To repeat this match, add (--seed \d+ --name \S+) and", first.err)[0]
    plain = json.loads(command(*match, *shlex.split(options), "--json").out)
    assert options == f"--seed {plain['seed']} --name {plain['run']}"
    repeated = command(*match, *shlex.split(options), "--store", "other.db")
    assert options in repeated.err

    def moves(store: str) -> set[str]:
        with Store.open(store) as opened:
            return {
                " ".join(ply.move for ply in stored_game.plies) for stored_game in opened.games_of(opened.runs()[0])
            }

    assert moves("gomogo.db") == moves("other.db")


FIRST_MOVE = "def choose(position, clock):\n    return next(iter(position.moves()))\n"


def test_a_match_stops_if_an_agent_crashes_again_and_again(command: Command) -> None:
    failing = "import sys\nsys.exit('\\x1b[2J no such module')\ndef choose(position, clock): ...\n"
    Path("broken.py").write_text(failing)
    result = command("match", "a.py", "broken.py", "-n", "20", *QUICK_OPTIONS)
    assert result.code == 1
    assert "broken crashed in 5 games in a row: " in result.err
    assert "\x1b" not in result.err
    assert "gomogo game show last --why`" in result.err
    result = command("match", "a.py", "broken.py", "-n", "20", *QUICK_OPTIONS, "--store", "other.db")
    assert "gomogo game show last --why --store other.db`" in result.err
    with Store.open("gomogo.db") as store:
        assert 5 <= store.count_games(store.runs()[0]) < 20


def test_a_named_match_does_not_mix_two_versions_of_an_agent(command: Command) -> None:
    match = ("match", "a.py", "b.py", "-n", "4", "--name", "duel", "--seed", "1", *QUICK_OPTIONS)
    assert command(*match).code == 0
    with Path("b.py").open("a") as file:
        file.write("# another version\n")
    result = command(*match)
    assert result.code == 1
    assert result.err.startswith("b has changed since its last game in the match 'duel'.\n")
    assert command(*match, "--extend").code == 0


def test_a_named_match_keeps_its_hypotheses(command: Command) -> None:
    match = ("match", "a.py", "b.py", "-n", "4", "--name", "duel", "--seed", "1", *QUICK_OPTIONS, "--sprt", "elo0=0")
    assert command(*match, "elo1=10").code == 0
    result = command(*match, "elo1=20")
    assert result.code == 1
    assert "sprt: elo1 was 10.0, now it is 20.0" in result.err
    sprt_json = command("tournament", "show", "duel", "--json").json["sprt"]
    assert (sprt_json["elo1"], sum(sprt_json["pairs"])) == (10.0, 2)
    assert command(*match, "elo1=20", "--extend").code == 0
    assert "H1: +20 Elo" in command("tournament", "show", "duel").out


def test_a_match_says_that_its_games_repeat(command: Command) -> None:
    for name in ("one.py", "two.py"):
        Path(name).write_text(FIRST_MOVE)
    match = ("match", "one.py", "two.py", "-n", "8", *QUICK_OPTIONS, "--openings")
    assert "These 8 games are only 1 different game, so" in command(*match, "none").err
    assert "different game" not in command(*match, "random:4").err


@pytest.mark.slow
def test_a_match_as_json_balances_the_seats(command: Command) -> None:
    result = command("match", "a.py", "b.py", "-n", "6", "--json", "--openings", "random:2", *QUICK_OPTIONS)
    assert (result.code, result.json["games"], result.json["complete"]) == (0, 6, True)
    for player in result.json["players"]:
        assert [seat["games"] for seat in player["by_seat"]] == [3, 3]
        assert player["wins"] + player["draws"] + player["losses"] == player["games"] == 6


@pytest.mark.slow
def test_max_moves_ends_the_games_of_a_match(command: Command) -> None:
    result = command("match", "a.py", "b.py", "-n", "2", "--json", "--max-moves", "3", *QUICK_OPTIONS)
    assert (result.code, [player["draws"] for player in result.json["players"]]) == (0, [2, 2])
    games = command("tournament", "results", "--json").json["games"]
    assert [(game["reason"], game["moves"]) for game in games] == [("move_cap", 3)] * 2
    refused = command("match", "a.py", "b.py", "-n", "2", "--max-moves", "3", "--game", "robogo")
    assert (refused.code, "options = { max_moves = 3 }" in refused.err) == (1, True)


@pytest.mark.slow
def test_openings_plies_limits_the_moves_of_a_book(command: Command) -> None:
    Path("book.txt").write_text("a1b1c1\n")
    openings = ("--openings", "book.txt", "--openings-plies", "2")
    assert command("match", "a.py", "b.py", "-n", "2", *openings, *QUICK_OPTIONS).code == 0
    with Store.open("gomogo.db") as store:
        assert [game.opening_length for game in store.games_of(store.runs()[0])] == [2, 2]


@pytest.mark.slow
def test_the_reasons_option_shows_the_reasons(command: Command) -> None:
    match = ("match", "a.py", "b.py", "-n", "2", "--name", "duel", "--seed", "1", *QUICK_OPTIONS)  # which draws no game
    assert "ended by" not in command(*match).out
    for result in (command(*match, "--reasons"), command("tournament", "show", "duel", "--reasons")):
        assert "player  ended by" in result.out
    result = command("results", "a", "--reasons")
    assert result.out.splitlines()[-2].split() == ["game", "ended", "by", "won", "drawn", "lost"]
    (row,) = command("results", "a", "--json").json["reasons"]
    assert row == {"game": "gomoku", "reason": "line", "wins": row["wins"], "draws": 0, "losses": 2 - row["wins"]}


@pytest.mark.slow
def test_an_odd_number_of_games_is_played_with_a_note(command: Command) -> None:
    result = command("match", "a.py", "b.py", "-n", "1", "--json", *QUICK_OPTIONS)
    assert (result.code, result.json["games"]) == (0, 1)
    assert "With 1 game per pair, the agents do not play each seat equally often." in result.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "game", "compiled", "warns"),
    [
        ("gomoku", ("gomoku", "size=6"), False, True),
        pytest.param("gomoku", ("gomoku", "size=6"), True, False, marks=pytest.mark.slow),
        ("gomoku", ("gomoku", "size=6", "line=4"), False, False),
        pytest.param("gomoku", ("capture_go", "size=3"), False, False, marks=pytest.mark.slow),
        pytest.param("go", ("capture_go", "size=3"), False, True, marks=pytest.mark.slow),
        pytest.param("boxes", ("dots_and_boxes", "rows=1", "cols=2"), False, True, marks=pytest.mark.slow),
        pytest.param("boxes", ("dots_and_boxes", "cols=2", "players=3"), False, False, marks=pytest.mark.slow),
    ],
)
def test_a_match_warns_of_an_engine_that_plays_its_game_but_is_not_compiled(
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    game: tuple[str, ...],
    compiled: bool,
    warns: bool,
) -> None:
    Path("a.py").write_text(f'COMPILED = "gomogo_core.engines.{engine}"\n' + Path("a.py").read_text())
    monkeypatch.setattr(compiling, "is_compiled", lambda package: compiled)
    agents = ["a.py", "b.py", "b.py"] if "players=3" in game else ["a.py", "b.py"]
    options = [word for option in game[1:] for word in ("-o", option)]
    result = command("match", *agents, "-n", "1", "--game", game[0], *options, "--openings", "none")
    assert result.code == 0, result.err
    warning = (
        "The engines of these agents are not compiled, so the agents play weaker at first: a. "
        "Run `gomogo warm` before the games."
    )
    assert (warning in result.err) is warns


@pytest.mark.slow
def test_an_unnamed_match_is_always_new(command: Command) -> None:
    for _ in range(2):
        assert command("match", "a.py", "b.py", "-n", "2", *QUICK_OPTIONS).code == 0
        assert command("match", "a.py", "b.py", "-n", "2", "--name", "duel", *QUICK_OPTIONS).code == 0
    runs = {run["name"]: run["games"] for run in command("tournament", "show", "--json").json["runs"]}
    assert runs == {"a-b-1": 2, "a-b-2": 2, "duel": 2}


@pytest.mark.slow
def test_a_match_with_a_failed_build_leaves_no_run(command: Command) -> None:
    Path("unbuilt").mkdir()
    Path("unbuilt/agent.toml").write_text('build = "exit 1"\ncommand = "./x"\n')
    result = command("match", "unbuilt", "b.py", "-n", "2", *QUICK_OPTIONS)
    assert (result.code, len(result.err.splitlines())) == (1, 2)
    assert command("tournament", "show", "--json").json["runs"] == []
    assert command("match", "a.py", "unbuilt", "-n", "2", "--name", "duel", *QUICK_OPTIONS).code == 1
    assert command("match", "a.py", "b.py", "-n", "2", "--name", "duel", *QUICK_OPTIONS).code == 0


@pytest.mark.slow
def test_a_named_match_can_be_extended(command: Command) -> None:
    assert command("match", "a.py", "b.py", "-n", "2", "--name", "duel", *QUICK_OPTIONS).code == 0
    result = command("match", "a.py", "b.py", "-n", "4", "--name", "duel", *QUICK_OPTIONS)
    assert result.code == 1
    assert "games_per_pair was 2, now it is 4" in result.err
    extended = command("match", "a.py", "b.py", "-n", "4", "--name", "duel", "--extend", "--json", *QUICK_OPTIONS)
    assert extended.json["games"] == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    "times",
    [
        ("a.py", "b.py", "--time", "2", "--time", "b=none"),
        pytest.param(("a.py", "b.py?time=none&name=b", "--time", "2"), marks=pytest.mark.slow),
        ("a.py?time=2&name=a", "b.py?time=9&name=b", "--time", "b=none"),
        pytest.param(("a.py?time=2&name=a", "b.py", "--time", "none"), marks=pytest.mark.slow),
    ],
)
def test_players_can_have_different_times(command: Command, times: tuple[str, ...]) -> None:
    assert command("match", *times, "-n", "2", *QUICK_OPTIONS).code == 0
    with Store.open("gomogo.db") as store:
        controls = {
            name: control.per_move
            for game in store.games_of(store.runs()[0])
            for name, control in zip(game.names, game.controls, strict=True)
        }
    assert controls == {"a": 2.0, "b": None}


@pytest.mark.parametrize(
    ("arguments", "problem", "remedy"),
    [
        (("a.py",), "gomoku is for 2 players, and there is 1.", "Name 2 agents."),
        (("a.py", "gready"), "There is no agent called 'gready'.", "Did you mean greedy?"),
        (("a.py", "b.py", "--option", "size=3"), "size 3 is too small: gomoku needs 5 to 26", "Try size=5 or more."),
        (("a.py", "b.py", "--openings", "none.txt"), "The file of openings none.txt cannot be read", "random:4"),
        (("a.py", "b.py", "--name", "a/b"),
         "The match: name 'a/b' is not a valid name for a run.", "Use up to 80 letters"),
        (("a.py", "b.py", "--alpha", "0.1"), "--alpha and --beta need --sprt.", "leave them out"),
        (("a.py", "b.py", "--replay-doubtful"), "--replay-doubtful needs a stored match", "--name NAME"),
        (("a.py", "b.py", "--name", ""), "The match: name '' is not a valid name for a run.", "Use up to 80 letters"),
        (("a.py", "b.py", "--store", "none/x.db"), "the folder is missing or not writable", "Make the folder"),
        (("a.py", "a.py", "--time", "a=1", "--time", "a-2=2"), "cannot have two different time controls", "Copy "),
    ],
)  # fmt: skip
def test_a_mistake_is_reported_in_two_lines(
    command: Command, arguments: tuple[str, ...], problem: str, remedy: str
) -> None:
    result = command("match", *arguments)
    assert (result.code, result.out) == (1, "")
    first, second = result.err.splitlines()
    assert problem in first
    assert remedy in second
