"""`gomogo game show --why` proves how a game ended, and the command that it prints asks the agent again."""

from __future__ import annotations

import json
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gomogo_core.arena import Arena
from gomogo_core.arena.reask import move_count_before_last_turn
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.paths import store_record
from gomogo_core.records.store import Store
from tests.commands.conftest import Gomogo
from tests.records.conftest import played_by

FIRST = '"""A bot."""\n\n\ndef choose(position, clock):\n    return next(position.moves())\n'
OCCUPIED = '''"""A bot."""

import sys


def choose(position, clock):
    print("looking at a1", file=sys.stderr)
    return "a1"
'''
HANGS = '''"""A bot."""

import sys
import time


def choose(position, clock):
    print("thinking hard", file=sys.stderr)
    time.sleep(60)
'''

LOOPS = '''"""A bot."""


def choose(position, clock):
    count = 0
    while True:
        count += 1
'''
LOOPS_IN_A_FUNCTION = (
    LOOPS.replace("choose(position, clock)", "loop()") + "\n\ndef choose(position, clock):\n    loop()\n"
)
CRASHES = '''"""A bot."""


def choose(position, clock):
    return position.play(position.game.parse("zz9"))
'''


def lost(bot: str, seconds: float, grace: float = 0.05) -> PlayedGame:
    """A game that the bot, in the second seat, has lost by its own fault."""
    Path("first.py").write_text(FIRST)
    Path("bad.py").write_text(bot)
    with Arena() as arena:
        controls = [TimeControl(20.0), TimeControl(seconds, grace=grace)]
        return arena.play(load("gomoku", size=5, line=4), [agent("first.py"), agent("bad.py")], controls)


def kept(played: PlayedGame) -> None:
    with Store.open("gomogo.db") as store:
        store.add(played)


def test_a_crash_is_shown_with_the_agents_own_file_and_line(run: Gomogo) -> None:
    kept(lost(CRASHES, 20.0))
    output = run("game", "show").stdout
    assert re.search(r"\nbad crashed in \S+bad.py, line 5: [\w.]*NotAMove: 'zz9' is not a move", output)
    assert "gomogo_core/games" not in output, "the line of the library that found the error"


@pytest.mark.slow
@pytest.mark.parametrize("bot", [LOOPS, LOOPS_IN_A_FUNCTION], ids=["choose", "function"])
def test_an_endless_loop_is_shown_with_its_own_line(run: Gomogo, bot: str) -> None:
    kept(lost(bot, 0.5, grace=5.0))  # on a busy machine the bot may need the grace period to report its line
    output = run("game", "show").stdout
    assert re.search(r"\nbad was in \S+bad.py, line [67], when its time was over\.\n", output)
    assert "crashed" not in output


def test_an_illegal_move_is_shown_with_its_line_and_can_be_repeated(run: Gomogo) -> None:
    kept(lost(OCCUPIED, 20.0))
    output = run("game", "show", "--why").stdout
    assert "first won, after 1 move: bad made an invalid move (a1 is occupied by black)." in output
    assert "Verdict: illegal move: a1 is occupied by black" in output
    assert "After 1 move bad wrote 'a 1'" in output
    assert "bad printed:\n  looking at a1\n" in output
    assert "The output of first is not stored, because it did not lose by a fault." in output
    *_, last_line = output.splitlines()
    result = run(*shlex.split(last_line.removeprefix("To ask the agent again: gomogo ")))
    assert result.exit_code == 1
    assert "After 1 move bad wrote 'a 1'" in result.stdout
    assert "It would forfeit: illegal move: a1 is occupied by black" in result.stdout
    assert "looking at a1" in result.stdout
    Path("bad.py").write_text(FIRST)  # mended
    mended = run(*shlex.split(last_line.removeprefix("To ask the agent again: gomogo ")), "--json")
    assert mended.exit_code == 0
    assert json.loads(mended.stdout)["move"] == "b1"


@pytest.mark.slow
def test_the_output_of_a_hanging_agent_is_stored(run: Gomogo) -> None:
    played = lost(HANGS, 0.5)
    assert played.outcome.reason is Reason.OUT_OF_TIME
    assert played.outputs[1].startswith("thinking hard\n")
    assert 'bad.py", line 9 in choose' in played.outputs[1]  # the line that it was executing when its time was over
    kept(played)
    result = run("game", "again", "--time", "0.5", "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert (answer["after"], answer["player"], answer["fault"]) == (1, "bad", "out_of_time")
    assert answer["printed"].startswith("thinking hard\n")


def test_game_again_keeps_files_and_accepts_another_position(run: Gomogo) -> None:
    kept(lost(OCCUPIED, 20.0))
    result = run("game", "again", "--move", "0", "--keep", "here")
    assert "After 0 moves first wrote 'a1'" in result.stdout
    assert list(Path("here").rglob("position.json"))
    assert isinstance(run("game", "again", "--keep", "here").exception, UserError)


def test_json_contains_the_evidence_of_a_forfeit(run: Gomogo) -> None:
    kept(lost(OCCUPIED, 20.0))
    game_json = json.loads(run("game", "show", "--json").stdout)
    assert [player_entry["forfeit"] for player_entry in game_json["players"]] == [None, "illegal_move"]
    assert game_json["players"][1]["printed"] == "looking at a1\n"
    assert game_json["warnings"] == [{"after": 1, "player": "bad", "what": "wrote 'a 1'"}]
    assert game_json["again"] == f"gomogo game again {game_json['key']} --move 1"


def test_suggested_commands_name_the_file_or_store(run: Gomogo) -> None:
    with Store.open("my games.db") as store:
        store.add(played_by(key="abc", specs=("greedy", "random_mover")))
    output = run("game", "show", "abc", "--why", "--store", "my games.db").stdout
    assert "To ask the agent again: gomogo game again abc --move 7 --store 'my games.db'" in output
    assert run("export", "abc", "--format", "json", "-o", "x.json", "--store", "my games.db").exit_code == 0
    assert "gomogo game again x.json --move 7" in run("game", "show", "x.json", "--why").stdout


@pytest.mark.parametrize(
    ("known_state", "number"),
    [
        ({}, 7),  # bob lost, and moved last after seven
        # bob's program ended while ann was thinking
        ({"moves": "h8 a1", "outcome": Outcome((1, 2), Reason.CRASHED, "exited")}, 1),
        ({"moves": "h8 a1 h9", "outcome": Outcome((1, 1), Reason.MOVE_CAP)}, 3),
        ({"moves": "h8 a1", "opening_length": 2, "outcome": Outcome((1, 2), Reason.OUT_OF_TIME, "")}, None),
    ],
)
def test_game_again_asks_the_loser_in_its_last_position(known_state: dict[str, object], number: int | None) -> None:
    assert move_count_before_last_turn(played_by(**known_state)) == number  # type: ignore[arg-type]


LEGACY = """
import os, sys, time
team = sys.argv[1]
while not os.path.exists("end_game"):
    if os.path.exists(f"{team}.go"):
        last = open("move_file").read()
        print("read", last, flush=True)
        open("move_file", "w").write(f"{team} {'a 1' if not last else 'b 1' if 'a 1' in last else 'q 99'}\\n")
        while os.path.exists(f"{team}.go"):
            time.sleep(0.002)
    time.sleep(0.002)
"""


def test_a_legacy_program_is_asked_again_when_one_line_suffices(run: Gomogo) -> None:
    Path("legacy.py").write_text(LEGACY)
    spec = f"files:old:{shlex.join([sys.executable, str(Path('legacy.py').resolve()), 'old'])}"
    outcome = Outcome((1, 2), Reason.ILLEGAL_MOVE, "a1 is occupied by black")
    played = played_by(("first", "old"), specs=("random_mover", spec), moves="a1", key="abc", outcome=outcome)
    kept(played)
    *_, last_line = run("game", "show", "--why").stdout.splitlines()
    result = run(*shlex.split(last_line.removeprefix("To ask the agent again: gomogo ")))
    assert "After 1 move old wrote 'b1'" in result.stdout
    assert result.exit_code == 0


def test_game_again_is_not_offered_without_a_usable_position(run: Gomogo) -> None:
    one_move = {"moves": "a1", "outcome": Outcome((1, 2), Reason.CRASHED, "")}
    three = {"moves": "a1 b1 c1", "outcome": Outcome((1, 2), Reason.CRASHED, "")}
    specs = [
        ("gone.py", one_move),  # no such file
        (f"files:old:{sys.executable} x.py", three),  # it would receive only the last of three moves
        ("files:old:nosuchprogram", one_move),
        ("files:old:by hand", one_move),  # a game of referee.py
    ]
    for number, (spec, ended) in enumerate(specs):
        kept(played_by(("first", "old"), specs=("random_mover", spec), key=f"key{number}", **ended))  # type: ignore[arg-type]
        assert "Ask it again" not in run("game", "show", f"key{number}", "--why").stdout
        assert json.loads(run("game", "show", f"key{number}", "--json").stdout)["again"] is None
        assert isinstance(run("game", "again", f"key{number}").exception, UserError)


def test_the_last_game_includes_games_of_the_test_script(run: Gomogo) -> None:
    played = lost(OCCUPIED, 20.0)
    store_record(played)
    assert played.key in run("game", "show", "last", "--why").stdout  # in a folder without a store
    assert played.key in run("game", "show", played.key[:8]).stdout
    assert "No game has a key" in str(run("game", "show", "zzz").exception)
    kept(later := replace(played_by(key="abc"), started=played.started + 1))
    assert later.key in run("game", "show", "last").stdout
    store_record(latest := replace(played, key="fff", started=played.started + 2))
    assert latest.key in run("game", "show", "last").stdout
    assert later.key in run("game", "show", "last", "--store", "gomogo.db").stdout


def test_a_reason_is_not_printed_twice(run: Gomogo) -> None:
    kept(played_by(key="abc", outcome=Outcome((1, 1), Reason.BOARD_FULL, "board full")))
    assert "Verdict: board full\n" in run("game", "show", "--why").stdout


def test_game_again_refuses_a_human(run: Gomogo) -> None:
    kept(played_by(("me", "bob"), specs=("human", "random_mover"), key="abc"))
    assert isinstance(error := run("game", "again", "--move", "0").exception, UserError)
    assert "a human" in error.problem
    assert isinstance(run("game", "again", "--move", "9").exception, UserError)
    assert isinstance(run("game", "again", "--move", "10").exception, UserError)
