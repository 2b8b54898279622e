"""`gomogo watch`: running games from their live files, side by side where there is room, and the table beneath."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from gomogo.commands._find_run import choose_run_to_watch
from gomogo.commands._watch_boards import draw_boards, read_watched_games
from gomogo_core.games import load
from gomogo_core.games.base import Game, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Moved, PlayerLeft, Ply, Started
from gomogo_core.records.live_format import LiveFile
from gomogo_core.records.store import Store
from tests.commands.conftest import Gomogo

pytestmark = pytest.mark.slow


def game(
    folder: Path, key: str, rules: Game, moves: str, *, run: str = "spring", total: float | None = None,
    names: tuple[str, ...] = ("ann", "bob"),
) -> LiveFile:  # fmt: skip
    """A live file of a game in which these moves have been made, the first by lot of the opening."""
    first, *later_moves = moves.split()
    opening = (Ply(1, first),)
    live = LiveFile(folder, key, run)
    live(Started(GameSetup(rules, names, (TimeControl(5.0, total),) * rules.seats, opening), rules.start()))
    position = rules.apply_action(rules.start(), 1, first)
    for move in later_moves:
        seat = position.to_move
        position = position.play(rules.parse(move))
        live(Moved(seat, move, position, 0.1, None if total is None else total - 1.5))
    return live


def test_a_running_game_is_followed_move_by_move(tmp_path: Path) -> None:
    rules = load("gomoku", size=5)
    live = game(tmp_path, "one", rules, "c3 b2 d4", total=90.0)
    (watched_game,) = read_watched_games(tmp_path, "spring")
    assert (watched_game.names, watched_game.move_count, watched_game.position.to_move) == (("ann", "bob"), 3, 2)
    assert str(watched_game.last_move) == "d4"
    assert watched_game.remaining_seconds == (88.5, 88.5)
    assert watched_game.turn_started <= time.time()
    live(Moved(2, "a1", watched_game.position.play(rules.parse("a1")), 0.1))
    assert next(read_watched_games(tmp_path, "spring")).move_count == 4
    assert list(read_watched_games(tmp_path, "another", "")) == []
    game(tmp_path, "alone", rules, "c3", run="")
    assert [watched_game.move_count for watched_game in read_watched_games(tmp_path, "spring", "")] == [1, 4]


def test_boards_are_side_by_side_when_they_fit(tmp_path: Path) -> None:
    for key in "abc":
        game(tmp_path, key, load("gomoku", size=5), "c3 b2 d4")
    wide_text = draw_boards(tmp_path, ["spring"], 100, 40, colour=False)
    assert wide_text[0].split("    ")[0].startswith("x ann – o bob")
    assert wide_text[0].count("x ann – o bob") == 3
    assert wide_text[-1].count("move 4: bob (o)") == 3
    narrow = draw_boards(tmp_path, ["spring"], 40, 40, colour=False)
    assert max(line.count("x ann") for line in narrow) == 1
    assert sum(line.count("x ann – o bob") for line in narrow) == 3
    low = draw_boards(tmp_path, ["spring"], 40, 12, colour=False)
    assert low[-2:] == ["x ann – o bob: 3 moves"] * 2


def test_colours_do_not_change_the_layout(tmp_path: Path) -> None:
    for key in "ab":
        game(tmp_path, key, load("gomoku", size=5), "c3 b2 d4")
    plain, painted = (draw_boards(tmp_path, ["spring"], 100, 40, colour=colour) for colour in (False, True))
    assert "\x1b[" in "\n".join(painted)
    assert re.sub(r"\x1b\[[\d;]*m", "", painted[0]).rstrip() == plain[0].rstrip()
    assert len(painted) == len(plain)


def test_watch_skips_a_departed_player(tmp_path: Path) -> None:
    rules = load("dots_and_boxes", rows=2, cols=2, players=3)
    live = game(tmp_path, "three", rules, "h0 h1", names=("ann", "bob", "cid"))
    position = next(read_watched_games(tmp_path, "spring")).position
    live(PlayerLeft(3, Reason.CRASHED, "gone", position.withdraw(3)))
    assert next(read_watched_games(tmp_path, "spring")).position.to_move == 1


def test_watch_escapes_names(tmp_path: Path) -> None:
    game(tmp_path, "one", load("gomoku", size=5), "c3 b2", names=("a\x1b[2Jnn", "bob"))
    boards = "\n".join(draw_boards(tmp_path, ["spring"], 100, 40, colour=False))
    assert "\x1b" not in boards
    assert "a\\x1b[2Jnn" in boards


@pytest.mark.parametrize("wrong", ["", "{}\n", '{"event": "started"}\n', "[]\n", "\x00\n"])
def test_watch_ignores_an_unreadable_file(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "bad.jsonl").write_text(wrong)
    assert draw_boards(tmp_path, ["spring"], 80, 40, colour=False) == ["No game is being played now."]


def test_watch_prefers_a_running_run_and_ends_with_it(run: Gomogo, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first", "second", "third"):
        assert run("match", "random_mover", "greedy", "--games", "2", "--name", name, "-o", "size=5").exit_code == 0
    playing: set[str] = set()
    monkeypatch.setattr(Store, "is_run_being_played", lambda _, name: name in playing)
    with Store.open("gomogo.db") as store:
        latest = choose_run_to_watch(store, None)
        assert latest is not None
        assert latest.name == "third"
        playing.add("second")
        assert (second := choose_run_to_watch(store, latest)) is not None
        assert second.name == "second"
        playing.add("third")
        assert choose_run_to_watch(store, second) == second  # it stays while it is played
        playing.remove("second")
        assert choose_run_to_watch(store, second) == latest
        playing.clear()
        assert choose_run_to_watch(store, second) == second
