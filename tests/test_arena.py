"""Whole games between processes: which processes are kept or ended, and that no file or process is left."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from gomogo_core.arena import Arena, distinct_team_names
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply

FAST = [TimeControl(5.0)] * 2
SMALL = load("gomoku", size=5)  # filled row by row, move 21 makes a diagonal five for black
FIRST = "def choose(position, clock):\n    return next(position.moves())\n"
KEPT = """
import os
KEEP_RUNNING = True
def choose(position, clock):
    open(os.environ['PIDS'], 'a').write(f'{os.getpid()} ')
    return next(position.moves())
"""
LEAVES = """
import os, threading
def choose(position, clock):
    threading.Timer(0.2, os._exit, [7]).start()
    return next(position.moves())
"""
LOOKS = """
import os, sys
def choose(position, clock):
    assert sys.stdin.read() == ""
    assert sorted(name for name in os.listdir(".") if name.endswith(".go")) == ["looks.go"]
    return next(position.moves())
"""
TOML = """
name = "Builder"
build = "cp source.py program.py"
command = ["PYTHON", "{here}/program.py", "{team}"]
"""
OF_OLD = """
import os, sys, time
team, used = sys.argv[1], set()
while not os.path.exists("end_game"):
    if not os.path.exists(f"{team}.go") or os.path.exists("end_game"):
        time.sleep(0.005)
        continue
    line = open("move_file").read().split()
    if line and line[0] == team:
        continue
    used |= {tuple(line[1:3])} if line else set()
    move = next((c, str(r)) for r in range(1, 6) for c in "abcde" if (c, str(r)) not in used)
    used.add(move)
    open("move_file", "w").write(f"{team} {' '.join(move)}")
STAYS
"""


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for programs, and one for games; after the test no game folder and no new process is left."""
    before = psutil.Process().children(recursive=True)
    games = tmp_path / "games"
    games.mkdir()
    monkeypatch.setenv("GOMOGO_FOLDER", str(games))
    monkeypatch.setenv("PIDS", str(tmp_path / "pids"))
    yield tmp_path
    assert list(games.iterdir()) == []
    assert set(psutil.Process().children(recursive=True)) <= set(before)


def bot(folder: Path, name: str, code: str) -> str:
    (folder / f"{name}.py").write_text(code)
    return str(folder / f"{name}.py")


def of_old(folder: Path, team: str, stays: str = "") -> str:
    program = folder / f"{team}_old.py"
    program.write_text(OF_OLD.replace("STAYS", stays))
    return f"files:{team}:{sys.executable} {program} {team}"


def test_a_game_between_two_files_with_choose(bots: Path) -> None:
    first = agent(bot(bots, "first", FIRST))
    with Arena() as arena:
        played = arena.play(SMALL, [first, first], FAST)
    assert played.names == ("first", "first-2")
    assert (played.outcome.winner, played.outcome.reason) == (1, Reason.LINE)
    assert [ply.move for ply in played.plies[:3]] == ["a1", "b1", "c1"]
    assert len(played.seconds) == len(played.plies) == 21
    assert not played.warnings


@pytest.mark.slow
def test_a_legacy_program_needs_no_new_files(bots: Path) -> None:
    with Arena() as arena:
        played = arena.play(SMALL, [agent(of_old(bots, "A")), agent(bot(bots, "first", FIRST))], FAST)
    assert played.outcome.reason is Reason.LINE


@pytest.mark.slow
def test_an_agent_that_never_exits_is_ended(bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo_core.arena.shutdown.EXIT_TIMEOUT", 0.3)
    stays = "while True: time.sleep(0.1); print('still here')"
    with Arena() as arena:
        played = arena.play(SMALL, [agent(of_old(bots, "A", stays)), agent(of_old(bots, "B", stays))], FAST)
    assert played.outcome.reason is Reason.LINE


@pytest.mark.slow
def test_writes_after_the_end_change_nothing(bots: Path) -> None:
    stays = "open('move_file', 'w').write(f'{team} h 8')"
    with Arena() as arena:
        played = arena.play(SMALL, [agent(of_old(bots, "A", stays)), agent(of_old(bots, "B", stays))], FAST)
    assert played.outcome.reason is Reason.LINE


@pytest.mark.slow
def test_a_kept_agent_plays_many_games_in_one_process(bots: Path) -> None:
    kept_agent = agent(bot(bots, "kept", KEPT))
    other = agent(bot(bots, "first", FIRST))
    with Arena() as arena:
        for number in range(3):
            pair = [kept_agent, other] if number % 2 == 0 else [other, kept_agent]
            assert arena.play(SMALL, pair, FAST).outcome.reason is Reason.LINE
    assert len(set((bots / "pids").read_text().split())) == 1


def test_an_agents_preparation_receives_its_options(bots: Path) -> None:
    prepares = (
        "table = []\ndef prepare(game, *, rows: int = 1):\n    table.append(rows)\n"
        "def choose(position, clock, *, rows: int = 1, unused: str = ''):\n"
        "    assert table == [rows]\n    return next(position.moves())\n"
    )
    ready, other = agent(f"{bot(bots, 'ready', prepares)}?rows=7&unused=x"), agent(bot(bots, "first", FIRST))
    with Arena() as arena:
        assert arena.play(SMALL, [ready, other], FAST).outcome.reason is Reason.LINE


@pytest.mark.slow
def test_the_most_recent_kept_agents_stay(bots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo_core.arena._file_agents.MAX_WAITING_PROCESSES", 2)
    path = bot(bots, "kept", KEPT.replace("clock)", "clock, *, number: int = 0)"))
    with Arena() as arena:
        for number in (1, 2, 3, 3, 2, 1):
            arena.play(SMALL, [agent(f"{path}?number={number}"), agent(bot(bots, "first", FIRST))], FAST)
    processes = list(dict.fromkeys((bots / "pids").read_text().split()))
    assert len(processes) == 4  # the first of them was ended, and its agent started again


def test_an_agent_receives_the_opening_and_continues_it(bots: Path) -> None:
    first = agent(bot(bots, "first", FIRST))
    opening = [Ply(1, "a1"), Ply(2, "c3"), Ply(1, "b1"), Ply(2, "d4"), Ply(1, "c1"), Ply(2, "e4")]
    with Arena() as arena:
        played = arena.play(load("gomoku", size=5, line=4), [first, first], FAST, opening=opening)
    assert (played.opening_length, played.outcome.winner) == (6, 1)
    assert played.plies == (*opening, Ply(1, "d1"))
    assert len(played.seconds) == 1


def test_an_agent_that_cannot_read_an_opening_is_refused_before_the_first_move(bots: Path) -> None:
    with Arena() as arena, pytest.raises(UserError, match="cannot start with moves on the board"):
        arena.play(SMALL, [agent(of_old(bots, "A")), agent(of_old(bots, "B"))], FAST, opening=[Ply(1, "a1")])


@pytest.mark.parametrize("sandbox", ["none", pytest.param("bwrap", marks=pytest.mark.needs("bwrap"))])
def test_what_a_bot_printed_before_its_fault_is_stored(
    bots: Path, sandbox: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    rule = "def choose(position, clock):\n    print('my move', position.stones)\n    return 'z 99'\n"
    with Arena(sandbox=sandbox) as arena:
        played = arena.play(SMALL, [agent(bot(bots, "talks", rule)), agent(bot(bots, "first", FIRST))], FAST)
    assert played.outcome.winner == 2
    assert "my move 0" in played.outputs[0]


def test_a_crash_is_reported_with_its_exit_and_last_output(bots: Path) -> None:
    broken = bot(bots, "broken", "def choose(position, clock):\n    raise ValueError('no idea')\n")
    with Arena() as arena:
        played = arena.play(SMALL, [agent(broken), agent(bot(bots, "first", FIRST))], FAST)
    assert (played.outcome.winner, played.outcome.reason) == (2, Reason.CRASHED)
    assert played.outcome.detail == "exited with code 1: ValueError: no idea"
    assert "Traceback" in played.outputs[0]


@pytest.mark.slow
def test_an_agent_that_exits_while_the_other_thinks_loses_at_once(bots: Path) -> None:
    sleeps = "import time\ndef choose(position, clock):\n    time.sleep(300)\n"
    with Arena() as arena:
        played = arena.play(
            SMALL, [agent(bot(bots, "leaves", LEAVES)), agent(bot(bots, "sleeps", sleeps))], [TimeControl(200.0)] * 2
        )
    assert (played.outcome.winner, played.outcome.reason) == (2, Reason.CRASHED)
    assert played.outcome.detail == "exited with code 7"
    assert played.duration < 100  # not the time limit, however busy the machine is


def test_a_game_is_void_if_both_crash_at_the_start(bots: Path) -> None:
    broken = agent(bot(bots, "broken", "import nothing_of_this_name\ndef choose(position, clock): ...\n"))
    with Arena() as arena:
        played = arena.play(SMALL, [broken, broken], FAST)
    assert played.outcome.reason is Reason.ALL_CRASHED


def test_an_interrupted_game_leaves_nothing_behind(bots: Path) -> None:
    def interrupt(event: object) -> None:
        if type(event).__name__ == "Moved":
            raise KeyboardInterrupt

    first = agent(bot(bots, "first", FIRST))
    with Arena() as arena, pytest.raises(KeyboardInterrupt):
        arena.play(SMALL, [first, first], FAST, listeners=[interrupt])


@pytest.mark.needs("sh")
def test_a_folder_with_an_agent_toml_is_built_and_played(bots: Path) -> None:
    folder = bots / "built"
    folder.mkdir()
    (folder / "source.py").write_text(OF_OLD.replace("STAYS", ""))
    (folder / "agent.toml").write_text(TOML.replace("PYTHON", sys.executable))
    with Arena() as arena:
        played = arena.play(SMALL, [agent(str(folder)), agent(bot(bots, "first", FIRST))], FAST)
    assert played.names == ("Builder", "first")
    assert played.outcome.reason is Reason.LINE


def test_a_failed_build_is_reported(bots: Path) -> None:
    folder = bots / "unbuilt"
    folder.mkdir()
    (folder / "agent.toml").write_text('build = "echo the compiler is gone; exit 2"\ncommand = "./x"\n')
    with Arena() as arena, pytest.raises(UserError, match="the compiler is gone"):
        arena.play(SMALL, [agent(str(folder))] * 2, FAST)


@pytest.mark.needs("sh")
def test_the_error_line_of_a_compiler_is_reported(bots: Path) -> None:
    folder = bots / "unbuilt"
    folder.mkdir()
    (folder / "says").write_text("cc -Werror bot.c\nbot.c:3:5: error: expected ')'\n  3 | int main(\n    |     ^~~~.\n")
    (folder / "agent.toml").write_text('build = "cat says; exit 1"\ncommand = "./x"\n')
    with Arena() as arena, pytest.raises(UserError) as error_info:
        arena.play(SMALL, [agent(str(folder))] * 2, FAST)
    assert error_info.value.problem.endswith(" failed: bot.c:3:5: error: expected ')'.")


def test_agents_cannot_see_each_others_folder_name_their_own_or_stdin(bots: Path) -> None:
    with Arena() as arena:
        played = arena.play(SMALL, [agent(bot(bots, "looks", LOOKS)), agent(bot(bots, "first", FIRST))], FAST)
    assert played.outcome.reason is Reason.LINE, played.outcome.detail


def test_keep_stores_the_files_of_the_game(bots: Path) -> None:
    first = agent(bot(bots, "first", FIRST))
    with Arena(bots / "kept") as arena:
        arena.play(SMALL, [first, first], FAST)
    assert sorted(path.name for path in (bots / "kept" / "1" / "first").iterdir()) == [
        "end_game",
        "game.json",
        "history_file",
        "move_file",
        "next_game",
        "position.json",
    ]


def test_equal_names_are_made_distinct() -> None:
    assert distinct_team_names(["a", "A", "a", "b"]) == ("a", "A-2", "a-3", "b")
    assert len(set(distinct_team_names(["x" * 40] * 12))) == 12


def test_many_games_leave_no_descriptor(bots: Path) -> None:
    first = agent(bot(bots, "first", FIRST))
    with Arena() as arena:
        arena.play(SMALL, [first, first], FAST)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(2):
        with Arena() as arena:
            arena.play(SMALL, [first, first], FAST)
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_choose_that_returns_nothing_is_reported(bots: Path) -> None:
    silent_agent = bot(bots, "nothing", "def choose(position, clock):\n    pass\n")
    with Arena() as arena:
        played = arena.play(SMALL, [agent(silent_agent), agent(bot(bots, "first", FIRST))], FAST)
    assert played.outcome.reason is Reason.CRASHED
    assert "choose returned None, which is not a move of gomoku" in played.outcome.detail


def test_names_are_made_distinct_without_comparing_each_with_all_others() -> None:
    """3,000 agents of the same name are no more work a name than three."""
    asked = 0

    class CountedName(str):
        def casefold(self) -> str:
            nonlocal asked
            asked += 1
            return super().casefold()

    names = distinct_team_names([CountedName("a") for _ in range(500)])
    assert (names[:3], names[-1]) == (("a", "a-2", "a-3"), "a-500")
    assert asked < 5 * len(names)
