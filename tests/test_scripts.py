"""`referee.py` and `gameTest.py` as users run them: their output, their refusals, and the files they leave."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from gomogo_core.games import load
from gomogo_core.wire.game_folder import GameFolder
from gomogo_core.wire.position_json import game_json
from gomogo_core.wire.waiter import MAX_WAIT_SECONDS

ROOT = Path(__file__).resolve().parents[1]
FIRST = "def choose(position, clock):\n    return next(position.moves())\n"
HANDS = """
import os, sys, time
team, lines, answered = sys.argv[1], iter(sys.argv[2].split(",")), 0
while not os.path.exists("end_game"):
    try:
        with open(f"{team}.go") as go:  # it may disappear and come back between two checks; unwritten, it is older
            turn = os.fstat(go.fileno()).st_mtime_ns if go.read() else answered
    except FileNotFoundError:
        turn = answered
    if turn != answered and not os.path.exists("end_game"):
        answered = turn
        time.sleep(float(sys.argv[3]) if len(sys.argv) > 3 else 0)
        open("move_file", "w").write(f"{team} {next(lines)}\\n")
    time.sleep(0.002)
"""
TWICE = """
import os, sys, time
team, other, moves = sys.argv[1], sys.argv[2], sys.argv[3].split(",")
for move, again in zip(moves, moves[1:] + moves[:1]):
    while not os.path.exists(f"{team}.go"):
        time.sleep(0.001)
    open("move_file", "w").write(f"{team} {move}\\n")
    while not os.path.exists(f"{other}.go") and not os.path.exists("end_game"):
        time.sleep(0.001)
    open("move_file", "w").write(f"{team} {again}\\n")  # on the opponent's turn
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in; game folders and records have theirs."""
    for variable, name in (("GOMOGO_FOLDER", "games"), ("GOMOGO_DATA", "data")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    (tmp_path / "first.py").write_text(FIRST)
    (tmp_path / "hands.py").write_text(HANDS)
    (tmp_path / "here").mkdir()
    return tmp_path


def run(script: str, *arguments: str, place: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / script), *arguments]
    return subprocess.run(
        command, cwd=place / "here", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
    )


def game(place: Path, *arguments: str) -> dict[str, Any]:
    result = run("gameTest.py", *arguments, "--json", place=place)
    assert result.returncode == 0, result.stderr
    game_json: dict[str, Any] = json.loads(result.stdout)
    return game_json


def test_game_test_prints_one_json_object(place: Path) -> None:
    game_result = game(
        place, "../first.py", "../first.py", "--option", "size=5", "--option", "opening=none", "--order", "given"
    )
    assert list(game_result) == [
        "game", "options", "players", "winner", "reason", "detail", "end_game", "moves", "seconds", "record",
    ]  # fmt: skip
    assert game_result["players"] == [
        {"name": "first", "seat": 1, "rank": 1, "forfeit": None},
        {"name": "first-2", "seat": 2, "rank": 2, "forfeit": None},
    ]
    assert (game_result["winner"], game_result["reason"]) == ("first", "line")
    assert game_result["end_game"] == "END: first WINS!  first-2 LOSES!  5 in a row!"
    assert game_result["moves"][:2] == ["a1", "b1"]
    assert len(game_result["seconds"]) == len(game_result["moves"]) == 21
    assert json.loads(Path(game_result["record"]).read_text())["outcome"]["reason"] == "line"


@pytest.mark.slow
def test_take_over_is_the_scripts_default(place: Path) -> None:
    game_result = game(place, "../first.py", "../first.py", "--option", "size=5")
    assert game_result["options"]["opening"] == "takeover"
    assert game_result["moves"][:3] == ["a1", "a1", "b1"]


def test_game_test_prints_each_board_and_the_result(place: Path) -> None:
    result = run("gameTest.py", "../first.py", "../first.py", "--option", "size=5", "--order", "given", place=place)
    assert "first plays a 1" in result.stdout
    assert result.stdout.count("  a b c d e\n") == 2 * result.stdout.count(" plays ") >= 2 * 9
    assert result.stdout.splitlines()[-1].startswith("END: ")


def test_quiet_prints_the_result_only(place: Path) -> None:
    result = run("gameTest.py", "../first.py", "../first.py", "--option", "size=5", "--quiet", place=place)
    assert len(result.stdout.splitlines()) == 1


@pytest.mark.slow
def test_a_forfeit_names_the_command_that_shows_the_reason(place: Path) -> None:
    (place / "bad.py").write_text('def choose(position, clock):\n    return "z99"\n')
    result = run("gameTest.py", str(place / "first.py"), str(place / "bad.py"), "--quiet", place=place)
    (command,) = (line.removeprefix("Why: gomogo ") for line in result.stderr.splitlines() if line.startswith("Why: "))
    explain_command = [sys.executable, "-m", "gomogo", *shlex.split(command)]
    explanation = subprocess.run(
        explain_command, cwd=place / "here", capture_output=True, text=True, timeout=300, check=False
    )
    assert "Verdict: not a move" in explanation.stdout
    assert "Why:" not in run("gameTest.py", "greedy", str(place / "first.py"), "--quiet", place=place).stderr


@pytest.mark.slow
def test_the_same_seed_gives_the_same_order(place: Path) -> None:
    orders = {
        tuple(
            p["name"]
            for p in game(place, "../first.py", "random_mover", "-o", "size=5", "--seed", str(seed))["players"]
        )
        for seed in (1, 1, 1)
    }
    assert len(orders) == 1


def test_keep_stores_the_files_and_the_record(place: Path) -> None:
    game_result = game(place, "../first.py", "../first.py", "--option", "size=5", "--keep", "kept")
    assert Path(game_result["record"]) == place / "here/kept/record.json"
    assert (place / "here/kept/1/first/history_file").read_text().count("\n") == len(game_result["moves"])


@pytest.mark.slow
def test_one_player_can_have_its_own_time(place: Path) -> None:
    (place / "slow.py").write_text(
        "import time\ndef choose(position, clock):\n    time.sleep(0.7)\n    return 'resign'\n"
    )
    game_result = game(place, "../slow.py", "../first.py", "--time", "5", "--time", "slow=0.3", "--order", "given")
    won = game(place, "../slow.py", "../first.py", "--time", "0.3", "--time", "slow=none", "--order", "given")
    assert (game_result["reason"], won["reason"]) == ("out_of_time", "resigned")
    by_its_spec = game(place, "../slow.py?time=0.3", "../first.py", "--order", "given")
    assert by_its_spec["reason"] == "out_of_time"


TRIES = """
calls = []
def choose(position, clock):
    calls.append(position)
    return "a1" if len(calls) == 1 else next(position.moves())
"""


@pytest.mark.parametrize(("illegal", "reason"), [("forfeit", "illegal_move"), ("retry", "line")])
def test_an_illegal_line_loses_or_is_refused(place: Path, illegal: str, reason: str) -> None:
    (place / "tries.py").write_text(TRIES)
    rules = ("-o", "size=5", "-o", "opening=none", "--order", "given")
    assert game(place, "../first.py", "../tries.py", *rules, "--illegal", illegal)["reason"] == reason


def test_the_referee_plays_a_game_of_programs_started_by_hand(place: Path) -> None:
    here = place / "here"
    lines = {"A": "a 5,b 5,c 5,d 5,e 5", "B": "a 6,b 6,c 6,d 6"}
    hands = [
        subprocess.Popen([sys.executable, str(place / "hands.py"), team, moves], cwd=here)
        for team, moves in lines.items()
    ]
    result = run("referee.py", "A", "B", "--order", "given", "--json", place=place)
    for hand in hands:
        assert hand.wait(120) == 0
    game_result = json.loads(result.stdout)
    assert game_result["end_game"] == "END: A WINS!  B LOSES!  5 in a row!"
    assert (here / "end_game").read_text() == "END: A WINS!  B LOSES!  5 in a row!\n"
    assert (here / "history_file").read_text().splitlines()[0] == "A a 5"
    assert (here / "move_file").read_text() == "A e 5\n"


def test_a_line_out_of_turn_gains_nothing_in_a_shared_folder(place: Path) -> None:
    here = place / "here"
    (place / "twice.py").write_text(TWICE)
    words = [["hands.py", "A", "a 5,b 5,c 5,d 5,e 5", "0.05"], ["twice.py", "B", "A", "a 6,b 6,c 6,d 6"]]
    hands = [
        subprocess.Popen([sys.executable, str(place / name), *words_left], cwd=here) for name, *words_left in words
    ]
    result = run("referee.py", "A", "B", "--order", "given", "--json", place=place)
    assert result.returncode == 0, result.stderr
    game_result = json.loads(result.stdout)
    assert game_result["end_game"] == "END: A WINS!  B LOSES!  5 in a row!"
    assert game_result["moves"] == ["a5", "a6", "b5", "b6", "c5", "c6", "d5", "d6", "e5"]
    for hand in hands:
        assert hand.wait(120) == 0


@pytest.mark.slow
def test_arena_agents_can_start_after_the_referee(place: Path) -> None:
    here = place / "here"
    referee = subprocess.Popen(
        [sys.executable, str(ROOT / "referee.py"), "A", "B", "-o", "size=5", "--time", "3", "--json"],
        cwd=here, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(1.5)
    hands = [
        subprocess.Popen([sys.executable, str(ROOT / "agents/random_mover.py"), team], cwd=here) for team in ("A", "B")
    ]
    game_result = json.loads(referee.communicate(timeout=300)[0])
    assert game_result["reason"] in ("line", "board_full")
    for hand in hands:
        assert hand.wait(120) == 0
    assert not list(here.glob("*.ready"))


BUILT_IN = """
import os, sys, time
team = "Iroh"  # whatever the command line says
while not os.path.exists("end_game"):
    if os.path.exists(f"{team}.go"):
        line = open("move_file").read().split()
        assert not line or line[0] != team, line
        row = int(line[2]) if line else 1
        column = line[1] if line and row < 5 else chr(ord(line[1]) + 1) if line else "a"
        open("move_file", "w").write(f"{team} {column} {row % 5 + 1 if line else 1}")
        while os.path.exists(f"{team}.go"):
            time.sleep(0.001)
    time.sleep(0.001)
"""


@pytest.mark.slow
def test_two_versions_of_a_bot_with_a_built_in_name_meet(place: Path) -> None:
    versions = []
    for number in (1, 2):
        (place / f"version{number}").mkdir()
        (place / f"version{number}" / "bot.py").write_text(BUILT_IN)
        versions.append(f"files:Iroh:{sys.executable} ../version{number}/bot.py")
    game_result = game(place, *versions, "-o", "size=5", "-o", "opening=none", "--order", "given", "--keep", "kept")
    assert [player["name"] for player in game_result["players"]] == ["Iroh", "Iroh-2"]
    assert game_result["reason"] not in ("out_of_time", "crashed"), game_result
    assert len(game_result["moves"]) > 5
    kept_folder = place / "here" / "kept" / "1"
    assert {line.split()[0] for line in (kept_folder / "Iroh-2" / "history_file").read_text().splitlines()} == {
        "Iroh",
        "Iroh-2",
    }
    # the opponent, by its name in that folder
    assert (kept_folder / "Iroh-2" / "history_file").read_text().startswith("Iroh-2 ")
    assert json.loads((kept_folder / "Iroh-2" / "game.json").read_text())["you"] == "Iroh"
    assert game_result["end_game"].startswith("END: ")


SLEEPS = """
import os, sys, time
while not os.path.exists("end_game"):
    if os.path.exists("A.go"):
        open("move_file", "w").write(f"A {sys.argv.pop()}")
        time.sleep(1.6)
    time.sleep(0.002)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "reason"), [("", "out_of_time"), ("?classic_pace=true", "resigned")])
def test_the_classic_pace_is_for_bots_that_sleep_after_a_move(place: Path, setting: str, reason: str) -> None:
    (place / "sleeps.py").write_text(SLEEPS)
    (place / "quits.py").write_text(
        "def choose(position, clock):\n    return 'resign' if sum(1 for _ in position.moves()) < 224 else 'o15'\n"
    )
    sleeps = f"files:A:{sys.executable} ../sleeps.py 'c 3' 'b 2' 'a 1'{setting}"
    game_result = game(place, sleeps, "../quits.py", "--time", "0.5", "--order", "given", "-o", "opening=none")
    assert game_result["reason"] == reason


def test_a_shared_folder_refuses_two_teams_of_one_name(place: Path) -> None:
    result = run("referee.py", "Iroh", "iroh", place=place)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(
        "Two teams in a shared folder cannot have the same name: Iroh, iroh.\nUse gameTest.py"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("move_flie", "it wrote 'move_flie' instead of move_file in its game folder"),
        *(
            pytest.param(written_line, message, marks=pytest.mark.slow)
            for written_line, message in (
                ("Move_file", "it wrote 'Move_file' instead"),
                ("move_file.txt", "it wrote 'move_file.txt' instead"),
                ("out/move_file", "it wrote 'out/move_file' instead"),
                ("answer", "it wrote 'answer' instead"),
                ("{here}/move_file", "/bots/move_file' instead"),
            )
        ),
        ("", "does it play under another team name than A?"),
    ],
)
def test_a_line_in_a_wrong_file_is_named(place: Path, written: str, message: str) -> None:
    (place / "bots").mkdir()
    (place / "bots" / "agent.toml").write_text(
        f"command = ['{sys.executable}', '{{here}}/bot.py', '{written}', '{{team}}']\nname = 'A'\n"
    )
    (place / "bots" / "bot.py").write_text(
        "import os, sys, time\n"
        "name, team = sys.argv[1:]\n"
        "while not os.path.exists(f'{team}.go'):\n    time.sleep(0.01)\n"
        "os.makedirs(os.path.dirname(name) or '.', exist_ok=True)\n"
        "name and open(name, 'w').write(f'{team} h 8')\n"
        "time.sleep(60)\n"
    )
    game_result = game(place, "../bots", "../first.py", "--time", "0.3", "--order", "given")
    assert game_result["reason"] == "out_of_time"
    assert game_result["detail"].startswith("nothing was written within 0.3 s; ")
    assert message in game_result["detail"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "plays"), [("robogo", "robogo"), ("go_evader", "go, capture_go"), ("boxes_greedy", "dots_and_boxes")]
)
def test_an_arena_agent_refuses_an_unsupported_game(place: Path, name: str, plays: str) -> None:
    here = place / "here"
    referee = subprocess.Popen(
        [sys.executable, str(ROOT / "referee.py"), "A", "B", "--time", "20", "--json"],
        cwd=here, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    until = time.monotonic() + 120
    while not (here / "game.json").exists() and time.monotonic() < until:
        time.sleep(0.05)
    words = [sys.executable, str(ROOT / f"agents/{name}.py"), "B"]
    result = subprocess.run(words, cwd=here, capture_output=True, text=True, timeout=300, check=False)
    assert (result.returncode, result.stderr) == (1, f"B does not play gomoku.\nIt plays {plays}.\n")
    assert not list(here.glob("*.ready"))
    referee.send_signal(signal.SIGTERM)
    referee.communicate(timeout=300)


@pytest.mark.slow
def test_agents_can_start_before_the_referee_beside_old_files(place: Path) -> None:
    here = place / "here"
    run("referee.py", "A", "B", "--time", "0.1", place=place)  # a game of Gomoku to which nobody came
    assert json.loads((here / "game.json").read_text())["game"] == "gomoku"
    seats = {"A": "go_random", "B": "boxes_greedy"}
    for game, name in (("go", seats["A"]), ("dots_and_boxes", seats["B"])):
        words = [sys.executable, str(ROOT / f"agents/{name}.py")]
        hands = [subprocess.Popen([*words, team], cwd=here) for team in seats]
        time.sleep(1.5)
        size = ("-o", "size=3") if game == "go" else ("-o", "rows=2", "-o", "cols=2")
        game_result = json.loads(run("referee.py", "A", "B", "--game", game, *size, "--json", place=place).stdout)
        assert [hand.wait(120) for hand in hands] == [0, 0]
        assert game_result["reason"] in ("score", "move_cap", "boxes")


@pytest.mark.slow
def test_a_skipped_turn_does_not_hide_a_later_one(place: Path) -> None:
    here = place / "here"
    run("referee.py", "A", "B", "--time", "0.1", place=place)
    agent = subprocess.Popen([sys.executable, str(ROOT / "agents/go_random.py"), "A"], cwd=here)
    time.sleep(1.0)  # it has seen A's `.go` of the game of Gomoku
    (here / "end_game").unlink()
    (here / "A.go").unlink()
    game_info = json.loads((here / "game.json").read_text()) | {"game": "go", "options": {"size": 3}}
    (here / "aside").write_text(json.dumps(game_info))
    (here / "aside").replace(here / "game.json")
    (here / "A.go").write_text("go!")
    until = time.monotonic() + 120
    while not (here / "move_file").read_text() and time.monotonic() < until:
        time.sleep(0.02)
    assert (here / "move_file").read_text().startswith("A ")
    agent.terminate()
    agent.wait(120)


def test_an_overwritten_answer_is_not_a_new_turn(place: Path) -> None:
    game, folder = load("gomoku", size=5), place / "here" / "A"
    mailbox, position = GameFolder(folder, ("A", "B"), owner="A"), game.start()
    mailbox.prepare_game(game_json(game, ("A", "B"), {"A": {"per_move": 10.0}}, 0, None), [])
    agent = subprocess.Popen([sys.executable, "-m", "gomogo_core.agent", str(place / "first.py"), "A"], cwd=folder)
    try:
        for before, own in (("", "A a 1\n"), ("B b 1\n", "A c 1\n")):
            if before:
                mailbox.record_move(1, "A a 1\n", "A")
                mailbox.record_move(2, before, "B")
                position = game.replay(["a1", "b1"])
            since = mailbox.give_turn("A", before, b"{}")
            answer = mailbox.reader.wait("A", position, since, since + 20)
            assert (folder / "move_file").read_text() == own, answer
            (folder / "move_file").write_text("A zz 99\n")  # its `.go` still exists
            time.sleep(3 * MAX_WAIT_SECONDS)  # it has checked again
            assert (folder / "move_file").read_text() == "A zz 99\n"
        mailbox.write_end("END: A WINS!")
        mailbox.announce_next_game("")
        assert agent.wait(120) == 0
    finally:
        agent.kill()
        agent.wait()
        mailbox.remove()


BAD: list[tuple[str, list[str], int]] = [
    ("referee.py", ["a/b", "B"], 1),
    ("referee.py", ["A", "A"], 1),
    ("referee.py", ["A", "a"], 1),
    ("referee.py", ["A"], 1),
    ("referee.py", ["A", "B", "C"], 1),
    ("referee.py", ["A", "B", "--time", "soon"], 1),
    ("referee.py", ["A", "B", "--time", "C=5"], 1),
    ("referee.py", ["A", "B", "--time", "0"], 1),
    ("referee.py", ["A", "B", "--increment", "1", "--time", "5"], 1),
    ("referee.py", ["A", "B", "--game", "gomuko"], 1),
    ("referee.py", ["A", "B", "--option", "size=3"], 1),
    ("referee.py", ["A", "B", "--option", "siez=15"], 1),
    ("referee.py", ["A", "B", "--option", "size"], 1),
    ("referee.py", ["x" * 41, "B"], 1),
    ("referee.py", ["A", "B", "--order", "mine"], 2),
    ("referee.py", ["A", "B", "--nonsense"], 2),
    ("gameTest.py", ["alpha_bet", "random_mover"], 1),
    ("gameTest.py", ["random_mover"], 1),
    ("gameTest.py", ["alpha_beta?deph=3", "random_mover"], 1),
    ("gameTest.py", ["alpha_beta?depth=x", "random_mover"], 1),
    ("gameTest.py", ["../hands.py", "random_mover"], 1),
    ("gameTest.py", ["nowhere/bot.py", "random_mover"], 1),
    ("gameTest.py", ["..", "random_mover"], 1),
    ("gameTest.py", ["files:A", "random_mover"], 1),
    ("gameTest.py", ["files:a/b:x", "random_mover"], 1),
    ("gameTest.py", ["nonsense:A", "random_mover"], 1),
    ("gameTest.py", ["random_mover", "random_mover", "--keep", ".."], 1),
]


@pytest.mark.parametrize(("script", "arguments", "code"), BAD, ids=lambda value: str(value)[:40])
def test_bad_input_is_two_lines_and_an_exit_code(place: Path, script: str, arguments: list[str], code: int) -> None:
    result = run(script, *arguments, place=place)
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    if code == 1:
        assert len(result.stderr.splitlines()) == 2, result.stderr


def test_ctrl_c_ends_every_process_and_exits_with_3(place: Path) -> None:
    (place / "thinks.py").write_text("import time\ndef choose(position, clock):\n    time.sleep(60)\n")
    runs = subprocess.Popen(
        [sys.executable, str(ROOT / "gameTest.py"), "../thinks.py", "../first.py", "--time", "60", "--order", "given"],
        cwd=place / "here", stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    limit = time.monotonic() + 120
    while not list((place / "games").glob("*/1/thinks/thinks.go")):
        assert time.monotonic() < limit
        time.sleep(0.02)
    below = psutil.Process(runs.pid).children(recursive=True)
    assert len(below) >= 4
    runs.send_signal(signal.SIGINT)
    assert runs.wait(120) == 3
    assert runs.communicate()[1].strip() == "Interrupted."
    assert psutil.wait_procs(below, timeout=300)[1] == []
    assert list((place / "games").iterdir()) == []


def test_an_invalid_game_folder_is_refused_in_two_lines(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "file").write_text("in the way")
    monkeypatch.setenv("GOMOGO_FOLDER", str(place / "file"))
    result = run("gameTest.py", "../first.py", "../first.py", place=place)
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 2
