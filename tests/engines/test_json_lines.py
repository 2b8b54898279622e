"""Bots that use JSON lines: the messages they receive, the fields that are recorded, and their faults."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.games.base import Game, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.wire.position_json import PROTOCOL_VERSION
from tests.engines._brains import BOT, write_program

SMALL = load("gomoku", size=5, line=4)


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena() as new_arena:
        yield new_arena


def bot(folder: Path, mode: str = "well", settings: str = "") -> str:
    return f"json:{write_program(folder, 'bot', BOT, mode)}{settings}"


def play(arena: Arena, *specs: str, game: Game = SMALL, log: Path | None = None) -> PlayedGame:
    opening = (Ply(1, "c3"),) if game is SMALL else ()
    players = [agent(spec) for spec in specs]
    controls = [TimeControl(2.0, total=30.0)] * game.seats
    return arena.play(game, players, controls, log=log, opening=opening, seed=7)


def logged_messages(log: Path, name: str) -> list[dict[str, object]]:
    lines = [line.split(" > ", 1)[1] for line in log.read_text().splitlines() if f" {name} > " in line]
    return [json.loads(line) for line in lines]


def test_a_json_bot_can_send_one_for_true_and_a_byte_order_mark(arena: Arena, tmp_path: Path) -> None:
    source = BOT.replace("ready=True", "ready=1").replace(
        "import json, sys", "import json, sys; print('\ufeff', end='')"
    )
    played = arena.play(
        SMALL, [agent(f"json:{write_program(tmp_path, 'bot', source)}"), agent("random_mover")], [TimeControl(2.0)] * 2
    )
    assert played.outcome.reason.kind == "rules"


def test_each_turn_message_has_all_fields(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, bot(tmp_path, settings="?depth=3&style=wild"), "random_mover", log=tmp_path / "log")
    assert played.outcome.reason.kind == "rules"
    name = played.names[0]
    first, *turns, end = logged_messages(tmp_path / "log", name)
    assert first["type"] == "game"
    assert (first["protocol"], first["game"], first["options"]) == (PROTOCOL_VERSION, "gomoku", SMALL.options)
    assert (first["you"], first["seat"], first["seed"], first["opening"]) == (name, 1, 7, 1)
    assert (first["depth"], first["settings"]) == (3, {"style": "wild"})
    assert {turn["type"] for turn in turns} == {"turn"}
    second = turns[1]
    assert second["move_number"] == 4
    assert second["moves"] == [[played.names[ply.seat - 1], ply.move] for ply in played.plies[:4]]
    assert second["board"] != second["board_before"]
    assert (second["you"], second["to_move"], second["seat"]) == (name, name, 1)
    assert second["marks"] == {played.names[0]: "x", played.names[1]: "o"}
    assert second["seconds"] == 2.0
    assert second["clocks"][name] < 30.0  # type: ignore[index]
    assert end["type"] == "end"
    assert end["ranks"] == list(played.outcome.ranks)


def test_thoughts_of_a_json_bot_are_recorded_with_its_moves(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, bot(tmp_path), "random_mover")
    mine = [number for number, ply in enumerate(played.plies[1:]) if ply.seat == 1]
    assert all(played.thoughts[number] == "looking" for number in mine)
    assert played.scores[mine[0]] == 23.0
    assert all(played.lines[number] == "h8 i9" for number in mine)
    assert played.values[mine[0]] == {"a1": 0.25, "B 2": 3.0, "zz": 1.0}, "numbers, whatever they are called"
    heat = {SMALL.format(move): value for move, value in played.move_values(played.opening_length + mine[0]).items()}
    assert heat == {"a1": 0.25, "b2": 3.0}, "of moves, whatever their writing"
    assert [SMALL.format(move) for move in played.expected_moves(played.opening_length + mine[0])][:1] in ([], ["h8"])
    copy = PlayedGame.from_json(json.loads(json.dumps(played.as_json())))
    assert (copy.scores, copy.lines, copy.values) == (played.scores, played.lines, played.values)


@pytest.mark.parametrize("game", ["go", "capture_go", "robogo", "dots_and_boxes"])
def test_a_json_bot_receives_every_game(arena: Arena, tmp_path: Path, game: str) -> None:
    small = load(game, rows=2, cols=2) if game == "dots_and_boxes" else load(game, size=5)
    played = play(arena, "random_mover", bot(tmp_path), game=small, log=tmp_path / "log")
    turn = logged_messages(tmp_path / "log", played.names[1])[1]
    assert turn["game"] == game
    assert turn["moves"] == [[played.names[0], played.plies[0].move]]
    assert {"scores"} <= turn.keys() or {"captures"} <= turn.keys()


def test_three_players_can_include_a_json_bot(arena: Arena, tmp_path: Path) -> None:
    game = load("dots_and_boxes", rows=2, cols=2, players=3)
    played = play(arena, "random_mover", bot(tmp_path, "dies"), "random_mover", game=game)
    assert played.departed[0].reason is Reason.CRASHED
    assert played.outcome.ranks[1] == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "reason", "evidence"),
    [
        ("no_json", Reason.NOT_A_MOVE, "wrote 'h8', which is not a JSON object"),
        ("a_list", Reason.NOT_A_MOVE, "'[8, 8]' is not a move"),
        ("huge", Reason.NOT_A_MOVE, "'h99' is not a move"),  # its score is a number that no float holds
        ("dies", Reason.CRASHED, "exited with code 1: no more"),
    ],
)
def test_a_misbehaving_engine_loses_for_its_fault(
    arena: Arena, tmp_path: Path, mode: str, reason: Reason, evidence: str
) -> None:
    played = play(arena, "random_mover", bot(tmp_path, mode))
    assert (played.outcome.reason, played.outcome.winner) == (reason, 1)
    assert evidence in played.outcome.detail


@pytest.mark.parametrize(("mode", "starts"), [("well", 2), ("kept", 1)])
def test_a_bot_that_stays_plays_the_next_game(arena: Arena, tmp_path: Path, mode: str, starts: int) -> None:
    pids = set()
    for _ in range(2):
        play(arena, bot(tmp_path, mode), "random_mover")
        waiting_engines = arena._pipe_agents._waiting_engines  # type: ignore[union-attr]
        pids |= {engine.player.process.pid for engine in waiting_engines if engine.player.process}
    assert len(pids) == starts
