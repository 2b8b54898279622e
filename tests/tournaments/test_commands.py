"""The commands say what was played and what came of it, to people and as JSON, and mistakes in two lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gomogo.cli import code_of, gomogo
from gomogo_core.errors import UserError
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.store import Store
from tests.records.conftest import played_by
from tournaments.runner import Progress, Runner, Wish

BOT = '''"""Any legal move."""
import random
KEEP_RUNNING = True
def choose(position, clock):
    return random.choice(list(position.moves()))
'''
QUICK = ("--option", "size=6", "--option", "line=4", "--workers", "2")


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Said]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `gomogo ARGUMENTS` in a folder with the bots a.py and b.py."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOMOGO_STORE", raising=False)
    for name in "ab":
        Path(f"{name}.py").write_text(BOT)

    def run(*arguments: str) -> Said:
        code = code_of(lambda: gomogo.main(list(arguments), prog_name="gomogo", standalone_mode=False))
        return Said(code, *capsys.readouterr())

    return run


def toml(**known: object) -> str:
    path = Path("spring.toml")
    asked = {"agents": ["a.py", "b.py"], "games_per_pair": 4, **known}
    lines = [f"{key} = {json.dumps(value)}" for key, value in asked.items()]
    path.write_text("\n".join([*lines, "[options]", "size = 6", "line = 4"]))
    return str(path)


def test_a_match_prints_its_table(command: Command) -> None:
    said = command("match", "a.py", "b.py", "-n", "4", *QUICK)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].split()[:5] == ["player", "games", "won", "drawn", "lost"]
    assert {line.split()[1] for line in lines[1:3]} == {"a", "b"}
    assert "4 of 4 games are in gomogo.db." in said.err


def test_a_match_as_json_balances_the_seats(command: Command) -> None:
    said = command("match", "a.py", "b.py", "-n", "6", "--json", "--openings", "random:2", *QUICK)
    assert (said.code, said.json["games"], said.json["complete"]) == (0, 6, True)
    for player in said.json["players"]:
        assert [seat["games"] for seat in player["by_seat"]] == [3, 3]
        assert player["wins"] + player["draws"] + player["losses"] == player["games"] == 6


def test_a_match_ends_its_games_after_as_many_moves_as_are_asked_for(command: Command) -> None:
    said = command("match", "a.py", "b.py", "-n", "2", "--json", "--max-moves", "3", *QUICK)
    assert (said.code, [player["draws"] for player in said.json["players"]]) == (0, [2, 2])
    games = command("tournament", "results", "--json").json["games"]
    assert [(game["reason"], game["moves"]) for game in games] == [("move_cap", 3)] * 2
    refused = command("match", "a.py", "b.py", "-n", "2", "--max-moves", "3", "--game", "robogo")
    assert (refused.code, "options = { max_moves = 3 }" in refused.err) == (1, True)


def test_the_moves_taken_of_a_book_are_counted(command: Command) -> None:
    Path("book.txt").write_text("a1b1c1\n")
    openings = ("--openings", "book.txt", "--openings-plies", "2")
    assert command("match", "a.py", "b.py", "-n", "2", *openings, *QUICK).code == 0
    with Store.open("gomogo.db") as store:
        assert [game.opening for game in store.games_of(store.runs()[0])] == [2, 2]


def test_reasons_are_shown_when_they_are_asked_for(command: Command) -> None:
    match = ("match", "a.py", "b.py", "-n", "2", "--name", "duel", *QUICK)
    assert "ended by" not in command(*match).out
    for said in (command(*match, "--reasons"), command("tournament", "show", "duel", "--reasons")):
        assert "player  ended by" in said.out
    said = command("results", "a", "--reasons")
    assert said.out.splitlines()[-2].split() == ["game", "ended", "by", "won", "drawn", "lost"]
    (row,) = command("results", "a", "--json").json["reasons"]
    assert row == {"game": "gomoku", "reason": "five", "wins": row["wins"], "draws": 0, "losses": 2 - row["wins"]}


def test_an_odd_number_of_games_is_played_and_remarked_on(command: Command) -> None:
    said = command("match", "a.py", "b.py", "-n", "1", "--json", *QUICK)
    assert (said.code, said.json["games"]) == (0, 1)
    assert "1 games a pair cannot give everybody each seat equally often." in said.err


def test_each_match_is_a_new_one_unless_it_is_named(command: Command) -> None:
    for _ in range(2):
        assert command("match", "a.py", "b.py", "-n", "2", *QUICK).code == 0
        assert command("match", "a.py", "b.py", "-n", "2", "--name", "duel", *QUICK).code == 0
    runs = {run["name"]: run["games"] for run in command("tournament", "show", "--json").json["runs"]}
    assert runs == {"a-b-1": 2, "a-b-2": 2, "duel": 2}


def test_a_named_match_can_be_extended(command: Command) -> None:
    assert command("match", "a.py", "b.py", "-n", "2", "--name", "duel", *QUICK).code == 0
    refused = command("match", "a.py", "b.py", "-n", "4", "--name", "duel", *QUICK)
    assert refused.code == 1
    assert "games_per_pair was 2, now it is 4" in refused.err
    extended = command("match", "a.py", "b.py", "-n", "4", "--name", "duel", "--extend", "--json", *QUICK)
    assert extended.json["games"] == 4


def test_players_can_have_different_times(command: Command) -> None:
    assert command("match", "a.py", "b.py", "-n", "2", "--time", "2", "--time", "b=none", *QUICK).code == 0
    with Store.open("gomogo.db") as store:
        controls = {
            name: control.per_move
            for game in store.games_of(store.runs()[0])
            for name, control in zip(game.names, game.controls, strict=True)
        }
    assert controls == {"a": 2.0, "b": None}


@pytest.mark.parametrize(
    ("arguments", "what", "remedy"),
    [
        (("a.py",), "gomoku is for 2 players, and there are 1.", "Name 2 agents."),
        (("a.py", "gready"), "There is no agent called 'gready'.", "Did you mean greedy?"),
        (("a.py", "b.py", "--option", "size=3"), "size 3 is too small: gomoku needs 5 to 26", "Try size=5 or more."),
        (("a.py", "b.py", "--openings", "none.txt"), "The openings none.txt cannot be read", "random:4"),
        (("a.py", "b.py", "--name", "a/b"), "The match: name 'a/b' is no name for a run.", "Use up to 80 letters"),
        (("a.py", "b.py", "--store", "none/x.db"), "the folder is missing or not writable", "Make the folder"),
        (("a.py", "a.py", "--time", "a=1", "--time", "a-2=2"), "cannot have two different times", "Copy it"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_two_lines(command: Command, arguments: tuple[str, ...], what: str, remedy: str) -> None:
    said = command("match", *arguments)
    assert (said.code, said.out) == (1, "")
    first, second = said.err.splitlines()
    assert what in first
    assert remedy in second


def test_a_tournament_runs_beside_its_file_and_goes_on(command: Command, tmp_path: Path) -> None:
    (tmp_path / "cup").mkdir()
    path = Path(toml(agents=["../a.py", "../b.py"])).rename("cup/spring.toml")
    first = command("tournament", "run", str(path), "--json")
    again = command("tournament", "run", str(path), "--json")
    assert first.json["games"] == 4
    assert again.json == first.json
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["gomogo.db", "spring.toml"]


def test_show_and_results_tell_of_a_run_by_name_or_file(command: Command) -> None:
    path = toml()
    ran = command("tournament", "run", path, "--json").json
    for which in ("spring", path):
        assert command("tournament", "show", which, "--json").json == ran
        games = command("tournament", "results", which, "--json").json["games"]
        assert len(games) == 4
        assert {tuple(game["players"]) for game in games} == {("a", "b"), ("b", "a")}
        assert all(game["winner"] in (*game["players"], None) for game in games)
    listed = command("tournament", "results", "spring").out.splitlines()
    assert [line.split()[0] for line in listed] == [game["key"][:8] for game in games]
    assert "spring: 4 of 4 games" in command("tournament", "show").out


def test_check_says_what_would_be_played_and_plays_nothing(command: Command) -> None:
    said = command("tournament", "check", toml(games_per_pair=10, openings="random:2"))
    assert said.code == 0
    assert "spring: 10 games of gomoku (size 6, line 4" in said.out
    assert "a: Any legal move. (10 s a move)" in said.out
    assert command("tournament", "check", "spring.toml", "--json").json["games"] == 10
    assert not Path("gomogo.db").exists()


def test_each_format_says_what_it_will_come_to(command: Command) -> None:
    four = ["a.py", "b.py", "./a.py", "./b.py"]
    said = command("tournament", "check", toml(agents=four, format="swiss", games_per_pair=2)).out
    assert "spring: 8 games of gomoku" in said
    assert "swiss of 2 rounds, 2 games a pair" in said
    said = command("tournament", "check", toml(agents=four, format="knockout")).out
    assert "spring: 12 games at least of gomoku" in said
    Path("bots").mkdir()
    for name in ("ann.py", "ben.py"):
        Path("bots", name).write_text(BOT)
    Path("bots/half.py").write_text("def choo")
    said = command("tournament", "check", toml(format="ladder", agents_folder="bots")).out
    assert "spring: games without end of gomoku" in said
    assert "  ann: Any legal move." in said
    assert "  half.py does not play: " in said
    assert command("tournament", "check", "spring.toml", "--json").json["games"] is None


def test_formats_with_rounds_show_them_and_a_ladder_is_as_long_as_it_is(command: Command) -> None:
    three = ["a.py", "b.py", "./a.py"]
    said = command("tournament", "run", toml(agents=three, format="knockout", games_per_pair=1))
    assert said.code == 0
    assert "├─ " in said.out
    assert "knockout" not in said.err
    assert "├─ " in command("tournament", "show", "spring.toml").out
    ladder = toml(agents=three, format="ladder", games=6, name="climb")
    assert command("tournament", "run", ladder, "--json").json["complete"]
    assert "climb: 6 of 6 games" in command("tournament", "show").out
    with Store.open("gomogo.db") as store:
        run = store.run("climb")
        store.note(run, run.asked, None)
    assert "climb: 6 games\n" in command("tournament", "show").out
    assert "\n6 games.\n" in command("tournament", "show", "climb").err
    assert "climb is not being played: 6 games are done." in command("tournament", "stop", "climb").err
    refused = command("tournament", "run", toml(agents=three, format="swiss", rounds=3))
    assert (refused.code, len(refused.err.splitlines())) == (1, 2)


def test_check_tells_of_openings_that_are_cut_and_of_a_cap(command: Command) -> None:
    Path("book.txt").write_text("a1b1c1\n")
    file = Path(toml(openings="book.txt", openings_plies=2))
    file.write_text(f"{file.read_text()}\n[adjudicate]\nmoves = 9\n")
    said = command("tournament", "check", str(file))
    assert "openings book.txt (their first 2 moves), a draw after 9 moves" in said.out


def test_a_slip_in_the_file_is_told(command: Command) -> None:
    said = command("tournament", "run", toml(games_per_pare=4))
    assert said.code == 1
    assert said.err.splitlines() == ["spring.toml: there is no key 'games_per_pare'.", "Did you mean games_per_pair?"]


def test_who_is_not_there_cannot_be_shown(command: Command) -> None:
    assert "There is no store at gomogo.db" in command("tournament", "show").err
    command("tournament", "run", toml())
    said = command("tournament", "show", "sprign")
    assert (said.code, said.err.splitlines()[1]) == (1, "Did you mean spring?")
    assert "is not being played" in command("tournament", "stop").err


def test_results_show_my_score_against_each(command: Command) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by(("me", "greedy"), specs=("human", "greedy")))
        store.add(played_by(("greedy", "me"), specs=("greedy", "human")))
        store.add(
            played_by(("minimax", "me"), "h8", specs=("minimax", "human"), outcome=Outcome.won_by(2, Reason.RESIGNED))
        )
    said = command("results", "me")
    assert [line.split() for line in said.out.splitlines()] == [
        ["against", "game", "games", "won", "drawn", "lost"],
        ["greedy", "gomoku", "2", "1", "0", "1"],
        ["minimax", "gomoku", "1", "1", "0", "0"],
    ]
    assert command("results", "--json").json["opponents"][0] == {
        "opponent": "greedy", "game": "gomoku", "games": 2, "wins": 1, "draws": 0, "losses": 1,
    }  # fmt: skip
    assert command("results", "gredy").err.splitlines()[1] == "Did you mean greedy?"


def test_replay_prints_the_whole_game_where_there_is_no_terminal(command: Command) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by(key="abc", thoughts=("I begin", *[None] * 8)))
    said = command("replay", "abc")
    assert said.out.startswith("ann against bob: gomoku (size 15,")
    assert "  9 l8" in said.out
    assert "8 . . . . . . .(x x x x[x]. . . 8" in said.out
    assert "ann won, after 9 moves: 5 in a row." in said.out
    assert "move 1 of 9; 0.250 s; I begin" in command("replay", "last", "--move", "1").out
    assert "The game has 9 moves." in command("replay", "last", "--move", "10").err


def test_replay_steps_by_the_arrow_keys(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by())
    keys = iter(["\x1b[C", "\x1b[C", "\x1b[D", "\x1b[F", "\x1b[C", "\x1b[H", "\x1b[D", "q"])
    monkeypatch.setattr("click.getchar", lambda: next(keys))
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    said = command("replay", "last")
    shown = [line.split()[1] for line in said.out.splitlines() if line.startswith("move ")]
    assert shown == ["0", "1", "2", "1", "9", "9", "0", "0"]


@pytest.mark.parametrize("form", ["sgf", "psq", "json"])
def test_a_game_is_exported_and_replayed_from_its_file(command: Command, form: str) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by())
    assert command("export", "last", "--format", form, "-o", f"out/game.{form}").code == 0
    assert "ann won, after 9 moves: 5 in a row." in command("replay", f"out/game.{form}").out
    assert command("export", f"out/game.{form}", "--format", form).out == Path(f"out/game.{form}").read_text()


def test_a_tournament_is_exported_into_a_folder(command: Command) -> None:
    command("tournament", "run", toml(workers=1))
    said = command("export", "spring", "-o", "games")
    assert said.err == "4 games are in games.\n"
    files = sorted(path.name for path in Path("games").iterdir())
    assert [name[:9] for name in files] == ["00001-a-b", "00002-b-a", "00003-a-b", "00004-b-a"]
    assert all((Path("games") / name).read_text().startswith("(;FF[4]") for name in files)


def test_what_cannot_be_written_is_said(command: Command) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played_by())
    said = command("export", "last", "-o", "a.py/game.sgf")
    assert said.code == 1
    assert "a.py/game.sgf cannot be written" in said.err


def test_a_strangers_name_cannot_speak_to_the_terminal(command: Command) -> None:
    with Store.open("gomogo.db") as store:
        store.add(
            played_by(("\x1b[2Jann", "me"), specs=("x", "human"), thoughts=("\x1b]0;x\x07", *[None] * 8), key="abc")
        )
    for arguments in (("results", "me"), ("replay", "abc"), ("replay", "abc", "--move", "1")):
        said = command(*arguments)
        assert "\x1b" not in said.out
        assert "\\x1b[2Jann" in said.out


def test_an_interrupted_match_says_by_what_name_it_goes_on(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Runner, "play", lambda self: Progress(self._run.planned, 0, wish=Wish.FINISH))
        said = command("match", "a.py", "b.py", "-n", "2", *QUICK)
        named = command("match", "a.py", "b.py", "-n", "2", "--name", "duel", *QUICK)
    assert said.code == named.code == 3
    assert "The same command with --name a-b-1 added goes on." in said.err
    assert "The same command goes on." in named.err
    assert command("match", "a.py", "b.py", "-n", "2", *QUICK, "--name", "a-b-1", "--json").json["games"] == 2


def test_a_full_disk_says_by_what_name_a_match_goes_on(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Runner) -> Progress:
        raise UserError("The store gomogo.db cannot be used: the disk is full.", "Make room.")

    monkeypatch.setattr(Runner, "play", full)
    said = command("match", "a.py", "b.py", "-n", "2", *QUICK)
    assert (said.code, said.err.splitlines()[-1]) == (
        1, "Make room. The same command with --name a-b-1 added goes on.",
    )  # fmt: skip


def test_a_file_closed_to_us_is_told_in_two_lines(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(toml())

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.access", lambda *_, **__: False)  # what click asks; root may read anything
    monkeypatch.setattr(Path, "open", refuse)
    said = command("tournament", "run", str(path))
    assert (said.code, said.err.splitlines()) == (
        1, ["spring.toml cannot be read: Permission denied.", "Name a tournament's TOML file."],
    )  # fmt: skip


@pytest.mark.parametrize("verb", ["replay", "export"])
def test_a_file_that_is_not_there_is_said_to_be_missing(command: Command, verb: str) -> None:
    for name in ("nofile.sgf", "games/nofile"):
        said = command(verb, name)
        assert (said.code, said.err.splitlines()[0]) == (1, f"There is no file {name}.")


def test_advice_is_a_command_that_works_on_this_store(command: Command) -> None:
    with Store.open("gomogo.db"):
        assert "Play one: `gomogo play alpha_beta`." in command("replay").err
    with Store.open("mine.db") as store:
        store.add(played_by(key="abc"))
    assert "`gomogo replay last --store mine.db` shows" in command("replay", "xyz", "--store", "mine.db").err
    assert command("replay", "last", "--store", "mine.db").code == 0
    command("tournament", "run", toml(), "--store", "mine.db")
    assert "`gomogo tournament results --store mine.db` lists" in command("replay", "xyz", "--store", "mine.db").err


def test_a_finished_run_is_not_being_played_though_its_lock_cannot_be_looked_at(command: Command) -> None:
    command("tournament", "run", toml())
    with Store.open("gomogo.db") as store, store.holding("spring"):
        assert "being played" not in command("tournament", "show").err + command("tournament", "show", "spring").err
        assert store.is_played("spring")
    Path("gomogo.db.spring.lock").mkdir()  # what opening it meets even where the tests run as root
    with Store.open("gomogo.db") as store:
        assert not store.is_played("spring")


def test_games_that_could_not_be_played_are_an_error(command: Command) -> None:
    for name in "ab":
        Path(f"{name}.py").write_text(f"{BOT}raise SystemExit(3)\n")
    ended = command("match", "a.py", "b.py", "--games", "2", *QUICK)
    assert ended.code == 1
    assert "2 could not be played" in ended.err
    for name in "ab":
        Path(f"{name}.py").write_text(BOT)
    again = command("match", "a.py", "b.py", "--games", "2", *QUICK)
    assert (again.code, "2 of 2 games are in" in again.err) == (0, True)
