"""Any agent or engine can be asked for its best moves: live where it can report them, else again and again."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gomogo_core.arena.agent_analysis import AgentAnalyser, AnalysisResult
from gomogo_core.catalogue import Agent, agent
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.procfs import is_alive
from gomogo_core.search import SearchLimits
from tests.engines._brains import write_program
from tests.games._gnugo import PROGRAM

GO, GOMOKU = load("go", size=5), load("gomoku")
WRONG = "gave no analysis"

# A GTP engine whose lz-analyze reports two moves for ever, the second with a line that ends in an occupied point.
ANALYST = r"""
import os, select, sys

def answer(text=""):
    os.write(1, ("= %s\n\n" % text).encode())

rest, mode, folder = b"", sys.argv[1], sys.argv[2]
with open(folder + "/number.txt", "w") as file:
    file.write(str(os.getpid()))
while True:
    while b"\n" not in rest:
        piece = os.read(0, 4096)
        if not piece:
            sys.exit()
        rest += piece
    line, rest = rest.split(b"\n", 1)
    words = line.decode().split()
    if words[:1] == ["list_commands"]:
        answer("play\ngenmove\nlz-analyze")
    elif words[:1] == ["lz-analyze"] and mode == "refuses":
        os.write(1, b"? not now\n\n")
    elif words[:1] == ["lz-analyze"] and mode == "dies":
        sys.exit(3)
    elif words[:1] == ["lz-analyze"]:
        open(folder + "/analyses.txt", "w").close()
        os.write(1, b"=\n")
        while not rest:
            if mode != "hangs":
                os.write(1, b"info move D4 visits 90 winrate 6000 prior 1 order 0 pv D4 B2 "
                            b"info move A1 visits 10 winrate 2500 order 1 pv A1 C3 B1\nnoise\n")
            if select.select([0], [], [], 0.02)[0] and mode != "hangs":
                rest = os.read(0, 4096)
        os.write(1, b"\n")
    elif words:
        answer()
"""


@pytest.fixture
def analyser() -> Iterator[AgentAnalyser]:
    with AgentAnalyser() as analyser:
        yield analyser


def analyst(folder: Path, mode: str = "well") -> Agent:
    return agent("gtp:" + write_program(folder, "analyst", ANALYST, mode, folder))


def within(seconds: float) -> SearchLimits:
    return SearchLimits(stop_at=time.monotonic() + seconds)


def analyses_to_the_end(analyser: AgentAnalyser, engine_agent: Agent) -> list[AnalysisResult]:
    """Analyse until the time is over: 0.2 s, or ten times more, if a busy machine lets the engine report nothing."""
    for seconds in (0.2, 2, 20):
        with contextlib.suppress(UserError):
            if len(analyses := list(analyser.stream_analyses(engine_agent, GO, [], within(seconds)))) > 1:
                return analyses
    return []


def test_an_analysing_engine_reports_several_moves_until_stopped(analyser: AgentAnalyser, tmp_path: Path) -> None:
    limits, analyses = within(60), []
    for analysis in analyser.stream_analyses(analyst(tmp_path), GO, ["c3", "b3"], limits):
        analyses.append(analysis)
        limits.stop()
    lines = analyses[0]["lines"]
    assert [(line["move"], line["score"], line["words"]) for line in lines] == [
        ("d2", 0.2, "wins 60 % of games"),
        ("a5", -0.5, "wins 25 % of games"),
    ]
    assert [line["line"] for line in lines] == [["d2", "b4"], ["a5"]], "a line ends before its first illegal move"
    assert lines[0]["stones"] == [("d2", "x"), ("b4", "o")]
    assert analyses[0]["nodes"] == 100


def test_an_analysing_engine_is_reused_for_the_next_position(analyser: AgentAnalyser, tmp_path: Path) -> None:
    engine_agent, numbers = analyst(tmp_path), set[str]()
    for moves in (["c3"], ["c3", "b3"], []):
        limits = within(60)
        for _ in analyser.stream_analyses(engine_agent, GO, moves, limits):
            limits.stop()
        numbers.add(tmp_path.joinpath("number.txt").read_text())
    assert len(numbers) == 1
    assert len(analyses_to_the_end(analyser, engine_agent)) > 1, "an analysis ends with its time, too"


# A Gomocup brain that uses nearly all its time for its first two answers, and none for the next.
SLOW = r"""
import sys, time

count = 0
for line in sys.stdin:
    words = line.split()
    if words[:2] == ["INFO", "timeout_turn"]:
        seconds = int(words[2]) / 1000
    elif words[0] in ("START", "RESTART"):
        print("OK", flush=True)
    elif words[0] in ("DONE", "TURN"):
        count += 1
        if count < 3:
            time.sleep(0.9 * seconds)
        print("MESSAGE depth 3 ev 35\n%d,%d" % (count, round(2 * seconds)), flush=True)
"""


@pytest.mark.slow
def test_an_agent_without_analysis_is_asked_with_increasing_time(analyser: AgentAnalyser, tmp_path: Path) -> None:
    brain = agent("gomocup:" + write_program(tmp_path, "brain", SLOW))
    first_lines = [analysis["lines"][0] for analysis in analyser.stream_analyses(brain, GOMOKU, ["a1"], within(60))]
    assert [line["move"][0] for line in first_lines] == ["b", "c", "d"]
    times = [int(line["move"][1:]) - 1 for line in first_lines]
    assert times[0] == 1, "half a second first"
    assert times[1] >= 2 * times[0]
    assert times[2] >= 2 * times[1]
    assert first_lines[0]["words"] == "score 35"
    assert first_lines[0]["score"] is None, "the engine's unit is unknown"


@pytest.mark.parametrize("mode", ["refuses", "dies"])
def test_a_failed_engine_is_named(analyser: AgentAnalyser, tmp_path: Path, mode: str) -> None:
    with pytest.raises(UserError, match=WRONG):
        list(analyser.stream_analyses(analyst(tmp_path, mode), GO, [], within(60)))
    assert analyses_to_the_end(analyser, analyst(tmp_path)), "the next one is not harmed"


@pytest.mark.slow
def test_a_stop_ends_a_hanging_engine_without_waiting(tmp_path: Path) -> None:
    limits = within(60)
    with AgentAnalyser() as analyser:
        answers = analyser.stream_analyses(analyst(tmp_path, "hangs"), GO, [], limits)
        threading.Thread(target=stop_once_it_runs, args=(tmp_path, limits)).start()
        assert list(answers) == []
        number = int(tmp_path.joinpath("number.txt").read_text())
        assert is_alive(number), "nothing has waited for its end"
    assert not is_alive(number)


def stop_once_it_runs(folder: Path, limits: SearchLimits) -> None:
    while not folder.joinpath("analyses.txt").exists():
        time.sleep(0.01)
    limits.stop()


@pytest.mark.slow
def test_an_agent_without_a_move_in_time_is_named(analyser: AgentAnalyser, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="reported no move in time"):
        list(analyser.stream_analyses(analyst(tmp_path, "hangs"), GO, [], within(0.1)))


@pytest.mark.needs("gnugo")
def test_gnu_go_reports_its_move(analyser: AgentAnalyser) -> None:
    analyses = list(analyser.stream_analyses(agent(f"gtp:{PROGRAM} --mode gtp --level 1"), GO, ["c3"], within(20)))
    assert load("go", size=5).replay(["c3", analyses[-1]["lines"][0]["move"]])


def test_an_agent_that_does_not_play_the_game_is_refused(analyser: AgentAnalyser, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not know gomoku"):
        list(analyser.stream_analyses(analyst(tmp_path), GOMOKU, [], within(60)))
