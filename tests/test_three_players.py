"""Games for three and more, from end to end: real programs, one of which fails; files, records, tables, words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, PlayerLeft, Ply
from gomogo_core.records.formats import FORMATS
from gomogo_core.records.game_record import DepartedPlayer, PlayedGame

ROOT = Path(__file__).resolve().parents[1]
FIRST = "def choose(position, clock):\n    return next(position.moves())\n"
LAST = "def choose(position, clock):\n    return list(position.moves())[-1]\n"
CRASHES = (
    "def choose(position, clock):\n"
    "    if position.facts()['moves_left'] < 20:\n        raise ValueError('lost the thread')\n"
    "    return next(position.moves())\n"
)
NEVER = "import time\ndef choose(position, clock):\n    time.sleep(60)\n"
BY_HAND_SPEC = """
import os, sys, time
team, late = sys.argv[1:]
acted = None
def played():
    return open("history_file").read().splitlines()
while not os.path.exists("end_game"):
    time.sleep(0.002)
    if not os.path.exists(f"{team}.go") or (lines := played()) == acted:
        continue
    acted, used = lines, {line.split(None, 1)[1] for line in lines}
    free = [move for move in (f"{kind} {number}" for kind in "hv" for number in range(12)) if move not in used]
    if len(free) < 20:
        while late and f"{team} resign" not in played():  # its line arrives when the game has continued without it
            time.sleep(0.01)
    while not late and "A resign" in played() and not os.path.exists("late"):  # otherwise its line might replace ours
        time.sleep(0.01)
    open("move_file", "w").write(f"{team} {free[0]}")
    if late and len(free) < 20:
        open("late", "w").close()
"""


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, code in {"first": FIRST, "last": LAST, "crashes": CRASHES, "never": NEVER, "hand": BY_HAND_SPEC}.items():
        (tmp_path / f"{name}.py").write_text(code)
    (tmp_path / "games").mkdir()
    monkeypatch.setenv("GOMOGO_FOLDER", str(tmp_path / "games"))
    monkeypatch.setenv("GOMOGO_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("GOMOGO_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> subprocess.CompletedProcess[str]:
    script = [str(ROOT / words[0])] if words[0].endswith(".py") else ["-m", words[0]]
    return subprocess.run(
        [sys.executable, *script, *words[1:]],
        env=None,
        cwd=Path.cwd(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(autouse=True)
def our_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def play(*names: str, seconds: float = 5.0, opening: tuple[Ply, ...] = ()) -> tuple[PlayedGame, list[Event]]:
    events: list[Event] = []
    with Arena() as arena:
        agents = [agent(f"{name}.py") for name in names]
        game = load("dots_and_boxes", players=len(names))
        controls = [TimeControl(seconds)] * len(names)
        return arena.play(game, agents, controls, opening=opening, listeners=[events.append]), events


def test_one_of_three_programs_crashes_and_the_others_continue(bots: Path) -> None:
    played, events = play("first", "crashes", "last")
    assert played.outcome.reason is Reason.BOXES
    assert played.outcome.ranks[1] == 3
    assert sorted(played.outcome.ranks) == [1, 2, 3]
    assert played.departed == (DepartedPlayer(2, Reason.CRASHED, "exited with code 1: ValueError: lost the thread"),)
    assert played.forfeits == {2: Reason.CRASHED}
    at = played.plies.index(Ply(2, "resign"))
    assert {ply.seat for ply in played.plies[at + 1 :]} == {1, 3}
    assert len(played.plies) == 24 + 1 == len(played.seconds)
    assert played.positions()[-1].outcome() is not None
    assert sum(isinstance(event, PlayerLeft) for event in events) == 1


def test_the_record_of_three_players_is_read_back(bots: Path) -> None:
    played, _ = play("first", "crashes", "last")
    assert FORMATS["json"].read(FORMATS["json"].write(played), "x.json") == played
    old = played.as_json()
    del old["left"]
    assert PlayedGame.from_json(old).departed == ()


@pytest.mark.slow
def test_a_late_program_of_three_is_ended_at_once(bots: Path) -> None:
    played, _ = play("first", "last", "never", seconds=0.5)
    assert played.forfeits == {3: Reason.OUT_OF_TIME}
    assert played.outcome.ranks[2] == 3


def test_a_game_continues_without_a_departed_player(bots: Path) -> None:
    opening = (Ply(1, "h0"), Ply(2, "h1"), Ply(3, "resign"))
    played, _ = play("first", "last", "never", opening=opening, seconds=2)
    assert {ply.seat for ply in played.plies[3:]} == {1, 2}
    assert played.outcome.ranks[2] == 3


@pytest.mark.slow
def test_the_only_program_without_a_fault_wins(bots: Path) -> None:
    played, _ = play("crashes", "crashes", "first", "crashes")
    assert played.outcome.reason is Reason.CRASHED
    assert played.outcome.winner == 3
    assert set(played.forfeits) == {1, 2, 4}
    assert sorted(played.outcome.ranks) == [1, 2, 3, 4]


@pytest.mark.slow
def test_game_test_accepts_any_number_of_players(bots: Path) -> None:
    words = ("gameTest.py", "first.py", "crashes.py", "last.py", "--game", "dots_and_boxes", "--order", "given")
    game_result: dict[str, Any] = json.loads(run(*words, "--json").stdout)
    assert game_result["options"]["players"] == 3
    assert [player["rank"] for player in game_result["players"]][1] == 3
    assert [player["forfeit"] for player in game_result["players"]] == [None, "crashed", None]
    assert game_result["end_game"].startswith("END: ")
    assert game_result["end_game"].count("LOSES!") == 2
    output = run(*words)
    assert "crashes is out: crashed (exited with code 1: ValueError: lost the thread). The others continue." in (
        output.stdout
    )
    assert output.stdout.splitlines()[-1] == game_result["end_game"]


@pytest.mark.slow
def test_three_programs_started_by_hand_share_a_folder_and_one_leaves(bots: Path) -> None:
    here = bots / "here"
    here.mkdir()
    hands = [
        subprocess.Popen([sys.executable, str(bots / "hand.py"), team, late], cwd=here)
        for team, late in {"A": "late", "B": "", "C": ""}.items()
    ]
    result = subprocess.run(
        [sys.executable, str(ROOT / "referee.py"), "A", "B", "C", "--game", "dots_and_boxes", "--order", "given",
         "--time", "3", "--json"],
        cwd=here, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    for hand in hands:
        assert hand.wait(120) == 0
    game_result = json.loads(result.stdout)
    assert [player["forfeit"] for player in game_result["players"]] == ["out_of_time", None, None], game_result
    assert game_result["reason"] == "boxes"
    history = (here / "history_file").read_text().splitlines()
    assert "A resign" in history
    assert not any(line.startswith("A") for line in history[history.index("A resign") + 1 :])
    assert (here / "end_game").read_text().rstrip() == game_result["end_game"]


@pytest.mark.slow
def test_a_match_between_three_is_stored_and_counted(bots: Path) -> None:
    result = run(
        "gomogo", "match", "first.py", "crashes.py", "last.py", "--game", "dots_and_boxes", "-n", "6", "--json",
        "--workers", "1", "--name", "three",
    )  # fmt: skip
    table = json.loads(result.stdout)
    assert table["games"] == 6
    rows = {row["name"]: row for row in table["players"]}
    assert {name: row["games"] for name, row in rows.items()} == {"first": 6, "crashes": 6, "last": 6}
    assert rows["crashes"]["forfeits"] == {"crashed": 6}
    assert (rows["crashes"]["score"], rows["crashes"]["losses"]) == (0, 6)
    assert rows["first"]["score"] + rows["last"]["score"] == 1.5
    assert [seat["games"] for seat in rows["first"]["by_seat"]] == [2, 2, 2]
    games = json.loads(run("gomogo", "tournament", "results", "three", "--json").stdout)["games"]
    assert all(len(game["players"]) == 3 for game in games)
    replayed = run("gomogo", "replay", "last").stdout
    assert "crashes crashed (exited with code 1: ValueError: lost the thread)." in replayed
    exported = run("gomogo", "export", "last", "--format", "json")
    assert json.loads(exported.stdout)["left"][0][1] == "crashed"
    against = json.loads(run("gomogo", "results", "first.py", "--json").stdout)["opponents"]
    assert {opponent_entry["opponent"] for opponent_entry in against} == {"crashes", "last"}


@pytest.mark.slow
def test_a_tournament_of_four_plays_games_of_three(bots: Path) -> None:
    (bots / "four.toml").write_text(
        'game = "dots_and_boxes"\noptions = { rows = 1, cols = 2, players = 3 }\n'
        'agents = ["first.py", "last.py", "random_mover", "greedy"]\ngames_per_pair = 6\nopenings = "random:1"\n'
    )
    result = run("gomogo", "tournament", "run", "four.toml", "--json", "--workers", "1")
    table = json.loads(result.stdout)
    assert (table["games"], table["complete"]) == (24, True)
    for row in table["players"]:
        assert row["games"] == 18
        assert [seat["games"] for seat in row["by_seat"]] == [6, 6, 6]
    assert sum(row["score"] for row in table["players"]) == pytest.approx(2.0)
