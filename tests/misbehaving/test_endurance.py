"""Thousands of games in a row: memory, descriptors, processes and threads of ours are at the end what they were."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import psutil
import pytest

from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent
from gomogo_core.conformance.misbehaving.cases import FAULTS, LONG_LIMIT, honest_program, misbehaving_program
from gomogo_core.games import load
from gomogo_core.games.base import Game

MAX_GROWTH = 8 << 20  # bytes, of memory that Python and the system's allocator have in use
GAMES = 5000
ONE_MORE = 3  # processes: a program that is just leaving, with the two that watch over it
BOT = "KEEP_RUNNING = True\n\n\ndef choose(position, clock):\n    return next(position.moves())\n"


def taken() -> tuple[int, int, int, int]:
    """Bytes of memory, descriptors, threads, and processes below us."""
    gc.collect()
    own_process = psutil.Process()
    return (
        own_process.memory_info().rss,
        own_process.num_fds(),
        threading.active_count(),
        len(own_process.children(recursive=True)),
    )


def play(game: Game, agents: list[Agent], times: int, arena: Arena) -> None:
    for number in range(times):
        played = arena.play(game, agents, [LONG_LIMIT, LONG_LIMIT], seed=number)
        assert not played.outcome.is_void


def hold(game: Game, agents: list[Agent], times: int) -> None:
    """Play `times` games in one arena, and find all that it takes after them as it was after the first of them."""
    with Arena() as arena:
        play(game, agents, times // 10, arena)
        memory_before, *counts_before = taken()
        play(game, agents, times - times // 10, arena)
        memory_after, *counts = taken()
    print(
        f"\n{times} games: {(memory_after - memory_before) / 2**20:+.1f} MB; "
        f"descriptors, threads, processes {counts_before} -> {counts}"
    )
    assert memory_after - memory_before < MAX_GROWTH
    assert all(late <= early + ONE_MORE for early, late in zip(counts_before, counts, strict=True))


@pytest.mark.long
def test_5000_games_in_a_row_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    hold(load("gomoku", size=5, line=3), [agent(str(tmp_path / "bot.py"))] * 2, GAMES)


@pytest.mark.long
def test_games_through_pipes_leave_nothing() -> None:
    hold(load("gomoku", size=5), [honest_program("gomocup"), honest_program("gtp")], GAMES // 5)


@pytest.mark.long
def test_games_with_a_crashing_program_leave_nothing() -> None:
    """Each of these needs fresh processes."""
    dies = misbehaving_program(FAULTS["exits_on_its_turn"], "json", 0, LONG_LIMIT)
    hold(load("gomoku", size=5), [honest_program("files"), dies], GAMES // 20)
