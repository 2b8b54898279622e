"""Gomocup brains as players: the commands they receive, the answers they may give, and their faults."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Game, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.protocols import gomocup
from gomogo_core.records.game_record import PlayedGame
from tests.engines._brains import BRAIN, logged_lines, play_with_takebacks, write_program

GAME = load("gomoku")
PER_MOVE = 1.0  # seconds: enough for a brain on a busy machine
LIMIT = TimeControl(per_move=PER_MOVE)


@pytest.fixture
def arena() -> Iterator[Arena]:
    """An arena after which none of its processes is left."""
    before = set(psutil.Process().children(recursive=True))
    with Arena() as new_arena:
        yield new_arena
    processes_left = [process for process in psutil.Process().children(recursive=True) if process not in before]
    assert [
        process for process in processes_left if process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    ] == []


def brain(folder: Path, *words: object) -> str:
    return f"gomocup:{write_program(folder, 'brain', BRAIN, *words)}"


def play(
    arena: Arena, *specs: str, game: Game = GAME, control: TimeControl = LIMIT, log: Path | None = None,
    opening: tuple[Ply, ...] = (), retry_illegal: bool = False,
) -> PlayedGame:  # fmt: skip
    players = [agent(spec) for spec in specs]
    return arena.play(game, players, [control] * 2, log=log, opening=opening, retry_illegal=retry_illegal)


def test_two_brains_play_a_game_to_its_end(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path), brain(tmp_path, "well", 1), control=TimeControl(5.0))
    assert played.outcome.reason is Reason.LINE
    assert played.names == ("brain", "brain-2")
    assert played.plies[:3] == (Ply(1, "a1"), Ply(2, "b1"), Ply(1, "c1"))
    assert played.thoughts[0] == "depth 3 ev 1"
    assert played.scores[:3] == (1.0, 1.0, 2.0)


def test_tabs_can_separate_words(arena: Arena, tmp_path: Path) -> None:
    log = tmp_path / "game.log"
    tabbed = brain(tmp_path, "tabs"), brain(tmp_path, "suggests")
    played = play(arena, *tabbed, control=TimeControl(5.0), log=log)
    assert played.outcome.reason is Reason.LINE
    assert played.scores[:3] == (-1.0, 1.0, -2.0)
    assert "PLAY 1,0" in logged_lines(log, played.names[1])


def test_a_brain_receives_its_limits_and_the_opponents_moves(arena: Arena, tmp_path: Path) -> None:
    asked = brain(tmp_path) + "?depth=4&memory_mb=64&style=sharp"
    total = TimeControl(per_move=2.0, total=9.0)
    play(arena, asked, "random_mover", game=load("gomoku", size=9, exact=True), control=total, log=tmp_path / "log")
    received = [line[11:] for line in (tmp_path / "log").read_text().splitlines() if "> " in line]
    words = [line.split(" > ", 1)[1] for line in received if not line.startswith("random_mover")]
    assert words[0] == "START 9"
    infos = dict(line.split()[1:3] for line in words[1:12] if line.startswith("INFO"))
    assert infos["timeout_turn"] == "2000"
    assert infos["timeout_match"] == "9000"
    assert infos["max_memory"] == str(64 * 2**20)
    assert infos["rule"] == "1"
    assert (infos["max_depth"], infos["style"]) == ("4", "sharp")
    moves = [line.split()[0] for line in words if not line.startswith(("INFO", "START"))]
    assert moves[0] == "BEGIN"
    assert set(moves[1:-1]) == {"TURN"}
    assert moves[-1] in ("TURN", "END")
    lefts = [int(line.split()[2]) for line in words if "time_left" in line]
    assert lefts[0] == 9000
    assert all(later <= earlier for earlier, later in pairwise(lefts))


def test_an_opening_is_sent_as_a_board_with_owners(arena: Arena, tmp_path: Path) -> None:
    opening = (Ply(1, "h8"), Ply(2, "i9"), Ply(1, "a1"))
    play(arena, brain(tmp_path), brain(tmp_path, "well", 1), opening=opening, log=tmp_path / "log")
    text = (tmp_path / "log").read_text()
    received = [line.split(" > ")[1] for line in text.splitlines() if " > " in line]
    start = received.index("BOARD")
    assert received[start : start + 5] == ["BOARD", "7,7,2", "8,8,1", "0,0,2", "DONE"]
    assert received[start + 5 :][0] == "BOARD"  # the other engine does not know the opening either


def test_a_brain_plays_several_games_in_one_process(arena: Arena, tmp_path: Path) -> None:
    for _ in range(3):
        play(arena, brain(tmp_path), brain(tmp_path, "well", 1), log=tmp_path / "log")
    received = [line.split(" > ")[1] for line in (tmp_path / "log").read_text().splitlines() if " > " in line]
    assert [word for word in received if "START" in word] == ["START 15"] * 2 + ["RESTART"] * 4


def test_a_kept_folder_has_the_conversation_and_the_standard_error_of_every_game(tmp_path: Path) -> None:
    """The folder of an engine was empty, and the record had its output only after a loss by a fault."""
    with Arena(tmp_path / "kept") as arena:
        for _ in range(2):
            played = play(arena, brain(tmp_path, "prints"), brain(tmp_path, "well", 1))
    assert played.outcome.reason is Reason.LINE
    assert "move 1" in played.outputs[0]
    for number in (1, 2):
        lines = (tmp_path / "kept" / str(number) / "conversation.log").read_text().splitlines()
        words = [line[11:] for line in lines]
        assert "brain > BEGIN" in words
        assert "brain < 0,0" in words
        assert words.count("brain ! move 1") == 1, "each log has the output of its own game"


def test_a_brain_without_restart_is_started_again(arena: Arena, tmp_path: Path) -> None:
    first, second = brain(tmp_path, "no_restart"), brain(tmp_path, "well", 1)
    for _ in range(2):
        assert play(arena, first, second, control=TimeControl(5.0)).outcome.reason is Reason.LINE


def test_another_board_size_sends_start(arena: Arena, tmp_path: Path) -> None:
    for size in (15, 9):
        played = play(arena, brain(tmp_path), "random_mover", game=load("gomoku", size=size))
        assert played.outcome.reason.kind == "rules"


@pytest.mark.slow
@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("move_number", [0, 2])
@pytest.mark.parametrize(
    ("mode", "reason", "evidence"),
    [
        ("dies", Reason.CRASHED, "exited with code 7"),
        ("hangs", Reason.OUT_OF_TIME, "nothing was written within 1 s"),
        ("off_the_board", Reason.NOT_A_MOVE, "answered '15,3', but coordinates on this board are 0 to 14"),
        ("negative", Reason.NOT_A_MOVE, "answered '-1,2', but coordinates on this board are 0 to 14"),
        ("rubbish", Reason.NOT_A_MOVE, "which is neither a point x,y nor a message of the protocol"),
        ("half_a_line", Reason.OUT_OF_TIME, "nothing was written within 1 s"),
        ("no_end", Reason.NOT_A_MOVE, "wrote a line of more than 65,536 bytes"),
        ("long_line", Reason.NOT_A_MOVE, "wrote a line of more than 65,536 bytes"),
        ("closes", Reason.CRASHED, "closed its output"),
        pytest.param(
            *("floods", Reason.OUT_OF_TIME, "only 'MESSAGE and on' was written within 1 s"), marks=pytest.mark.slow
        ),
        ("error", Reason.OUT_OF_TIME, "only 'ERROR I cannot' was written within 1 s"),
    ],
)
def test_a_misbehaving_engine_loses_for_its_fault(
    arena: Arena, tmp_path: Path, mode: str, reason: Reason, evidence: str, move_number: int, seat: int
) -> None:
    seats = [brain(tmp_path, mode, move_number), brain(tmp_path)]
    played = play(arena, *(seats if seat == 1 else seats[::-1]))
    assert (played.outcome.reason, played.outcome.winner) == (reason, 3 - seat)
    assert evidence in played.outcome.detail


def test_an_occupied_point_is_an_illegal_move(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "occupied", 2), brain(tmp_path))
    assert (played.outcome.reason, played.outcome.winner) == (Reason.ILLEGAL_MOVE, 2)
    assert re.fullmatch(r"\w+ is occupied by \w+; the answer was '\d+,\d+'", played.outcome.detail)


@pytest.mark.slow
@pytest.mark.parametrize("times", [1.25, 5])
def test_a_late_engine_loses_on_time(arena: Arena, tmp_path: Path, times: float) -> None:
    played = play(arena, brain(tmp_path, "late", 1, PER_MOVE * times), brain(tmp_path))
    assert (played.outcome.reason, played.outcome.winner) == (Reason.OUT_OF_TIME, 2)


def test_a_crash_during_the_opponents_turn_is_noticed_at_once(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "dies_after", 1), brain(tmp_path, "late", 1, 300), control=TimeControl(400.0))
    assert (played.outcome.reason, played.outcome.winner) == (Reason.CRASHED, 2)
    assert played.duration < 200  # far below the 300 seconds for which the other engine thinks, even on a busy machine


def test_an_engine_still_thinking_at_the_end_is_not_awaited(arena: Arena, tmp_path: Path) -> None:
    slow = brain(tmp_path, "late", 1, 20)
    first = play(arena, brain(tmp_path, "dies_after", 1), slow, control=TimeControl(30.0))
    assert (first.outcome.reason, first.outcome.winner) == (Reason.CRASHED, 2)
    second = play(arena, slow, brain(tmp_path, "dies", 0), control=TimeControl(30.0), log=tmp_path / "log")
    assert (second.outcome.reason, second.outcome.winner) == (Reason.CRASHED, 1)
    assert "RESTART" not in (tmp_path / "log").read_text()  # otherwise the old answer would arrive in this game


@pytest.mark.slow
def test_200000_lines_of_messages_are_not_a_fault(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "200000_lines", 1), brain(tmp_path), control=TimeControl(20.0))
    assert played.outcome.reason is Reason.LINE
    assert max(len(thoughts or "") for thoughts in played.thoughts) < 2500


def test_a_line_in_pieces_is_one_line(arena: Arena, tmp_path: Path) -> None:
    assert play(arena, brain(tmp_path, "pieces", 1), brain(tmp_path)).outcome.reason is Reason.LINE


def test_a_second_answer_is_ignored(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "twice", 1), brain(tmp_path, "late", 1, 0.1), control=TimeControl(5.0))
    assert played.outcome.reason.kind == "rules"
    assert played.warnings[0][1:] == (1, "wrote a line before its turn")


def test_an_answer_before_the_first_turn_is_ignored(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "late", 0, 0.1), brain(tmp_path, "early"), control=TimeControl(5.0))
    assert played.plies[1].move == "b1"
    assert played.warnings[0][1:] == (2, "wrote a line before its turn")


@pytest.mark.parametrize(("mode", "evidence"), [("exits", "exited with code 1: no licence")])
def test_a_brain_that_does_not_start_loses(arena: Arena, tmp_path: Path, mode: str, evidence: str) -> None:
    played = play(arena, brain(tmp_path, mode), brain(tmp_path))
    assert (played.outcome.reason, played.outcome.winner) == (Reason.CRASHED, 2)
    assert evidence in played.outcome.detail


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["never_ok", "floods_first"])
def test_a_brain_that_never_says_ok_loses_on_time(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setattr("gomogo_core.protocols.engine_client.START_LIMIT", 5.0)
    played = play(arena, brain(tmp_path, mode), brain(tmp_path))
    assert (played.outcome.reason, played.outcome.winner) == (Reason.OUT_OF_TIME, 2)
    last_line = "; its last line was 'MESSAGE " if mode == "floods_first" else ""
    assert played.outcome.detail.startswith(f"was not ready 5 s after its start{last_line}")
    assert last_line or played.outcome.detail.endswith("start")


def test_a_brain_that_ignores_the_end_is_killed(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "ignores_end"), brain(tmp_path), control=TimeControl(5.0))
    assert played.outcome.reason is Reason.LINE  # the fixture sees that nothing is left


def test_a_refused_move_can_be_corrected(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "occupied", 2), brain(tmp_path), retry_illegal=True, log=tmp_path / "log")
    assert played.outcome.reason is Reason.LINE
    assert any("refused" in message for _, _, message in played.warnings)
    assert " > BOARD" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        (load("gomoku", line=4), "knows five in a row only"),
        (load("gomoku", opening="takeover"), "has no opening=takeover"),
        (load("go"), "does not play go"),
    ],
)
def test_a_game_outside_the_protocol_is_refused_before_the_game(
    arena: Arena, tmp_path: Path, game: Game, problem: str
) -> None:
    with pytest.raises(UserError, match=problem):
        play(arena, brain(tmp_path), "random_mover", game=game)


def test_settings_must_be_readable(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="depth=none is not a whole number"):
        agent(brain(tmp_path) + "?depth=none")
    assert agent(brain(tmp_path) + "?depth=3").name == "brain-depth-3"
    assert agent(brain(tmp_path) + "?name=old&depth=3").name == "old"
    assert agent("gomocup:./pbrain-x --really").name == "pbrain-x"


@pytest.mark.slow
def test_the_number_of_kept_engines_is_limited(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gomogo_core.arena._pipe_agents.MAX_WAITING_ENGINES", 3)
    for number in range(3):
        play(arena, brain(tmp_path, "well", number), brain(tmp_path, "well", 100 + number), control=TimeControl(5.0))
    waiting_engines = arena._pipe_agents._waiting_engines  # type: ignore[union-attr]
    assert len(waiting_engines) == 3


FIRST, THEN, BACK = ("h8", "h9", "h10"), ("i9", "i10"), 4
AFTER = ["h8", "a1", "i9", "b1", "i10", "c1"]


def test_undo_sends_takeback_to_a_brain(arena: Arena, tmp_path: Path) -> None:
    played = play_with_takebacks(arena, GAME, brain(tmp_path), first=FIRST, then=THEN, back=BACK, log=tmp_path / "log")
    assert [ply.move for ply in played.plies] == AFTER
    words = [line for line in logged_lines(tmp_path / "log", "brain") if not line.startswith("INFO")]
    assert words[:4] == ["START 15", "TURN 7,7", "TURN 7,8", "TURN 7,9"]
    assert words[4:8] == ["TAKEBACK 2,0", "TAKEBACK 7,9", "TAKEBACK 1,0", "TAKEBACK 7,8"]
    assert words[8:10] == ["TURN 8,8", "TURN 8,9"]


@pytest.mark.parametrize("mode", ["no_takeback", "deaf_to_takeback"])
def test_a_brain_without_takeback_is_started_again(
    arena: Arena, tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gomocup, "_COMMAND_ANSWER_TIMEOUT", 0.3)
    played = play_with_takebacks(
        arena, GAME, brain(tmp_path, mode), first=FIRST, then=THEN, back=BACK, log=tmp_path / "log"
    )
    assert [ply.move for ply in played.plies] == AFTER
    words = [line for line in logged_lines(tmp_path / "log", "brain") if not line.startswith("INFO")]
    assert words[4:8] == ["TAKEBACK 2,0", "START 15", "BOARD", "7,7,2"]


def test_takeback_does_not_return_to_another_game(arena: Arena, tmp_path: Path) -> None:
    engine = brain(tmp_path)
    play_with_takebacks(arena, GAME, engine, first=FIRST, then=THEN, back=6, log=tmp_path / "log")
    assert "RESTART" in logged_lines(tmp_path / "log", "brain")
    assert "TAKEBACK" not in (tmp_path / "log").read_text()


def test_a_brain_that_refuses_start_is_tried_with_rectstart(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "rectangles"), "random_mover", log=tmp_path / "log")
    assert played.outcome.reason.kind == "rules"
    assert logged_lines(tmp_path / "log", "brain")[:2] == ["START 15", "RECTSTART 15,15"]
    refusing = play(arena, brain(tmp_path, "refuses"), "random_mover")
    assert refusing.outcome.detail == "answered START 15 by 'ERROR no such size'"


@pytest.mark.parametrize("mode", ["no_swap2", "knows_little"])
def test_an_engine_that_refuses_swap2_loses_at_once(arena: Arena, tmp_path: Path, mode: str) -> None:
    swap2 = load("gomoku", opening="swap2")
    played = play(arena, brain(tmp_path, mode), "random_mover", game=swap2, control=TimeControl(300.0, total=600.0))
    assert (played.outcome.reason, played.outcome.winner) == (Reason.NOT_A_MOVE, 2)
    assert played.outcome.detail.startswith("answered SWAP2BOARD by 'UNKNOWN")
    assert played.duration < 200  # far below the time limit, even on a busy machine


def test_a_refusal_of_info_does_not_refuse_swap2(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # ABOUT gets no answer: the refusals arrive after the question
    monkeypatch.setattr(gomocup, "_COMMAND_ANSWER_TIMEOUT", 0.01)
    swap2 = load("gomoku", opening="swap2")
    limit = TimeControl(5.0, total=60.0)
    played = play(arena, brain(tmp_path, "slow_to_refuse"), "random_mover", game=swap2, control=limit)
    assert [ply.move for ply in played.plies[:3]] == ["a1", "b2", "c3"]


def test_a_colon_after_a_word_is_accepted(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "colon"), brain(tmp_path, "well", 1))
    assert played.scores[0] == 7.0


def test_a_move_in_board_notation_is_accepted_with_a_warning(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, brain(tmp_path, "owns"), brain(tmp_path, "well", 1))
    assert played.outcome.reason is Reason.LINE
    assert played.warnings[0][1:] == (1, "answered '0,0,1' instead of x,y")


def test_an_engine_that_refuses_a_required_command_loses_at_once(arena: Arena, tmp_path: Path) -> None:
    opening, limit = (Ply(1, "h8"), Ply(2, "i9")), TimeControl(300.0)
    played = play(arena, brain(tmp_path, "no_board"), "random_mover", opening=opening, control=limit)
    assert (played.outcome.reason, played.outcome.winner) == (Reason.NOT_A_MOVE, 2)
    assert played.outcome.detail == "answered BOARD by 'UNKNOWN command BOARD'"
    assert played.duration < 200  # far below the time limit, even on a busy machine
