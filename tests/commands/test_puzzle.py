"""`gomogo puzzle` lists and solves puzzles, makes them by a seed, and finds them in stored games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from gomogo.cli import gomogo
from gomogo_core.puzzles.puzzle import read_puzzles, shipped_puzzles


def run(*words: str, typed: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(gomogo, ["puzzle", *words], input=typed)
    return result.exit_code, result.output


def test_each_puzzle_has_a_line_in_the_list() -> None:
    code, output = run("list", "--game", "go")
    assert (code, len(output.splitlines())) == (0, 71)
    plain = json.loads(run("list", "--json")[1])
    assert [puzzle_entry["key"] for puzzle_entry in plain["puzzles"]] == list(shipped_puzzles())


def test_a_puzzle_is_solved_at_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    three = {"game": "gomoku", "options": {"size": "9"}, "moves": "e5 a1 d5 i9 c5 i1", "turns": 2}
    path.write_text(json.dumps({"schema": 1, "puzzles": [three]}))
    code, output = run("solve", "--file", str(path), typed="a1\nh8\nb5\na5\n")
    assert "occupied" in output
    assert "h8 threatens nothing: white blocks at " in output
    assert "Right: b5 makes an open four. White can block one end only, " in output
    code, output = run("solve", "--file", str(path), typed="answer\n")
    assert code == 0
    assert "The answer: " in output


def test_a_puzzle_of_go_has_the_coordinates_of_go_books_at_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    atari = {"game": "go", "options": {"size": "5"}, "moves": "b1 a1", "turns": 1, "target": "a1"}
    path.write_text(json.dumps({"schema": 1, "puzzles": [atari]}))
    code, output = run("solve", "--file", str(path), typed="i3\na2\na4\n")
    assert code == 0
    assert "They include a5." in output
    assert "'i3' is not a move: columns are a to e." in output
    assert "a2 does not" in output
    assert "Right: black has captured the stones." in output


@pytest.mark.slow
def test_the_same_seed_writes_the_same_puzzles(tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        assert run("make", "capture_go", "--count", "2", "--seed", "7", "-o", str(tmp_path / name))[0] == 0
    assert (tmp_path / "one.json").read_text() == (tmp_path / "two.json").read_text()
    assert read_puzzles(tmp_path / "one.json")


def test_a_missed_win_in_a_game_becomes_a_puzzle(tmp_path: Path) -> None:
    path = tmp_path / "missed.sgf"
    moves = ("e5", "a1", "d5", "i9", "c5", "i1", "a9", "b5")  # a9 lets the win go: b5 or f5 made an open four
    nodes = (f";{'WB'[n % 2 == 0]}[{sgf(move)}]" for n, move in enumerate(moves))
    path.write_text(f"(;GM[4]SZ[9]{''.join(nodes)})")
    code, output = run("find", str(path))
    assert code == 0, output
    assert "move 7, a9: Black wins in 2." in output
    puzzle_file = tmp_path / "found.json"
    assert run("find", str(path), "-o", str(puzzle_file))[0] == 0
    assert [puzzle.goal_sentence for puzzle in read_puzzles(puzzle_file)] == ["Black wins in 2."]


def sgf(move: str) -> str:
    """A point of a board of 9 rows as SGF writes it; SGF counts rows from the top, as we do."""
    return f"{move[0]}{chr(96 + int(move[1:]))}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "nosuchkey"), "There is no puzzle"),
        (("list", "--game", "chess"), "There are no puzzles"),
        (("make", "chess"), "Puzzles cannot be made"),
    ],
)
def test_a_refusal_names_the_fault(words: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(gomogo, ["puzzle", *words])
    assert message in str(result.exception)
