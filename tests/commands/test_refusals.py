"""Every command refuses a game that cannot be played, in two lines before the first move, and leaves no files."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from gomogo.cli import gomogo, run_for_exit_code
from gomogo.one_game import game_test, referee

GAMES = [
    (["--game", "go", "-o", "komi=7.3"], "komi 7.3 is not a multiple of 0.5"),
    (["--game", "go", "-o", "komi=nan"], "komi nan is not a number"),
    (["--game", "go", "-o", "rows=0"], "rows 0 is too small: go needs 1 to 25"),
    (["--game", "go", "-o", "ko=super"], "ko super is not known"),
    (["--game", "robogo", "-o", "size=2"], "size 2 is too small"),
    (["--game", "capture_go", "-o", "target=0"], "target 0 is too small"),
    (["--game", "dots_and_boxes", "-o", "rows=0"], "rows 0 is too small: dots_and_boxes needs 1 to 20"),
    (["--game", "dots_and_boxes", "-o", "players=1"], "players 1 is too small"),
    (["--game", "dots_and_boxes", "-o", "players=27"], "players 27 is too large"),
    (["--game", "dots_and_boxes", "-o", "players=4"], "dots_and_boxes is for 4"),
    (["--game", "chess"], "There is no game called 'chess'."),
    (["-o", "players=2"], "gomoku has no option 'players'."),
]
COMMANDS: dict[str, tuple[click.Command, list[str]]] = {
    "play": (gomogo, ["play", "random_mover", "random_mover"]),
    "match": (gomogo, ["match", "random_mover", "random_mover", "-n", "2"]),
    "referee.py": (referee, ["A", "B"]),
    "gameTest.py": (game_test, ["random_mover", "random_mover"]),
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOMOGO_STORE", raising=False)
    (tmp_path / "only_go.py").write_text('GAMES = ("go",)\ndef choose(position, clock): ...\n')
    return tmp_path


def refused(command: click.Command, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the first of the two lines of the refusal."""
    assert run_for_exit_code(lambda: command.main(arguments, prog_name="gomogo", standalone_mode=False)) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    problem, remedy = captured.err.splitlines()
    assert remedy
    return problem


@pytest.mark.parametrize(("game", "words"), GAMES, ids=lambda value: " ".join(value) if isinstance(value, list) else "")
@pytest.mark.parametrize("name", COMMANDS)
def test_an_impossible_game_is_refused(
    name: str, game: list[str], words: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, players = COMMANDS[name]
    assert words in refused(command, [*players, *game], capsys)
    assert sorted(path.name for path in here.iterdir()) == ["only_go.py"]


@pytest.mark.parametrize("name", ["play", "match", "gameTest.py"])
@pytest.mark.parametrize("game", ["gomoku", "dots_and_boxes"])
def test_an_agent_that_does_not_play_the_game_is_refused(
    name: str, game: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, words = COMMANDS[name]
    named = ["only_go.py" if word == "random_mover" else word for word in words]
    assert refused(command, [*named, "--game", game], capsys).endswith(f"only_go.py does not play {game}.")
    assert not (here / "gomogo.db").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('game = "go"\noptions = { komi = 7.3 }', "komi 7.3 is not a multiple of 0.5"),
        ('game = "go"\noptions = { komi = "many" }', "komi many is not a number"),
        ('game = "dots_and_boxes"\noptions = { players = 1 }', "players 1 is too small"),
        ('game = "dots_and_boxes"\noptions = { players = 3 }', "dots_and_boxes is for 3 players, and there are 2."),
        ('game = "dots_and_boxes"\nopenings = "random:30"', "No opening of 30 random moves"),
        ('game = "dots_and_boxes"\nopenings = "book.txt"', "book.txt, line 1: 'i9' is not a move"),
        ('game = "chess"', "There is no game called 'chess'."),
    ],
)
def test_an_impossible_tournament_is_refused(
    text: str, words: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "book.txt").write_text("h0 i9\n")
    (here / "it.toml").write_text(f'{text}\nagents = ["random_mover", "greedy"]\n')
    for verb in ("check", "run"):
        assert words in refused(gomogo, ["tournament", verb, "it.toml"], capsys)
    assert not (here / "gomogo.db").exists()


def test_a_tournament_with_an_agent_for_another_game_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "it.toml").write_text('agents = ["random_mover", "only_go.py"]\n')
    words = refused(gomogo, ["tournament", "run", "it.toml"], capsys)
    assert words.endswith("only_go.py does not play gomoku.")


@pytest.mark.parametrize(("count", "words"), [(1, "for 2 teams, and there is 1"), (27, "players 27 is too large")])
def test_too_few_and_too_many_names_are_refused(
    count: int, words: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    teams = [f"T{number}" for number in range(count)]
    assert words in refused(referee, [*teams, "--game", "dots_and_boxes"], capsys)
