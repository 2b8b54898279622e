"""GTP engines as players, GNU Go among them: the commands they receive and the answers they may give."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.conformance.opponents import ScriptedOpponent
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.protocols import gtp
from gomogo_core.protocols.vertices import format_vertex, parse_vertex
from gomogo_core.records.game_record import PlayedGame
from tests.engines._brains import logged_lines, play_with_takebacks, write_program
from tests.games._gnugo import PROGRAM

GO = load("go", size=5, komi=0.5)
LIMIT = TimeControl(per_move=2.0)

# Plays the first empty point, then passes; its word says what it does wrong on its third genmove.
SCRIPT = r"""
import sys

mode = sys.argv[1] if len(sys.argv) > 1 else "well"
size, stones, count = 19, [], 0
LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


def answer(text, sign="="):
    print("%s%s\n" % (sign, " " + text if text else ""), flush=True)


def known():
    more = {"undoes": ["undo"], "cannot_undo": ["undo"], "repeats": ["undo"], "counts": ["final_score"],
            "kata": ["kata-set-param"]}
    return ["play", "genmove", "time_left", "komi"] + ["time_settings"] * (mode != "no_time") + more.get(mode, [])


for line in sys.stdin:
    words = line.split()
    if not words: continue
    name = words[0]
    if name == "list_commands" and mode == "lists_none": answer("unknown command", "?")
    elif name == "list_commands": answer("\n".join(known()))
    elif name == "known_command": answer("true" if words[1] in ("time_settings", "time_left") else "false")
    elif name == "boardsize": size = int(words[1]); answer("")
    elif name == "clear_board": stones, count = [], 0; answer("")
    elif name == "play":
        if mode == "endless": print("= " + "x" * 200_000, end="", flush=True)
        elif mode == "refuses" and len(stones) > 2: answer("illegal move", "?")
        else: stones.append(words[2].upper()); answer("")
    elif name == "genmove":
        count += 1
        free = [c + str(r) for r in range(1, size + 1) for c in LETTERS[:size] if c + str(r) not in stones]
        if count == 3 and mode == "nonsense": answer("I9")
        elif count == 3 and mode == "question": answer("I am lost", "?")
        elif count == 3 and mode == "resigns": answer("resign")
        elif count == 3 and mode == "numbered": stones.append(free[0]); print("=7 %s\n" % free[0], flush=True)
        elif count == 3 and mode == "below": stones.append(free[0]); print("=\n%s\n" % free[0], flush=True)
        elif count == 3 and mode == "no_sign": print(free[0] + "\n", flush=True)
        elif count == 3 and mode == "repeats": stones.append(stones[0]); answer(stones[0])
        elif count < 4 and mode == "comments":
            print("# score 12.5\n= %s # looks good\nwinrate 62%%\n" % free[0], flush=True)
            stones.append(free[0])
        elif count < 5: stones.append(free[0]); answer(free[0])
        else: answer("PASS")
    elif name == "time_settings" and "." in line: answer("syntax error", "?")
    elif name in ("komi", "time_left", "time_settings"): answer("")
    elif name == "kata-set-param" and mode == "kata": answer("")
    elif name == "undo" and mode == "cannot_undo": answer("cannot undo", "?")
    elif name == "undo" and mode in ("undoes", "repeats"): stones.pop(); answer("")
    elif name == "final_score" and mode == "counts":
        if len(sys.argv) > 2: answer(sys.argv[2])
    elif name == "quit": answer(""); break
    else: answer("unknown command", "?")
"""


@pytest.fixture
def arena() -> Iterator[Arena]:
    with Arena() as new_arena:
        yield new_arena


def quiet() -> ScriptedOpponent:
    """Plays the far row, where it meets none of the script's stones, then passes: nothing is left to luck."""
    moves_left = iter(("a1", "b1", "c1", "d1"))
    return ScriptedOpponent(lambda turn: next(moves_left, "pass"))


def play(
    arena: Arena, spec: str, *, control: TimeControl = LIMIT, log: Path | None = None, retry_illegal: bool = False
) -> PlayedGame:
    seats = [agent(spec), agent("go_random")]
    return arena.play(GO, seats, [control] * 2, log=log, retry_illegal=retry_illegal, players={2: quiet()})


def engine(folder: Path, *words: str) -> str:
    return f"gtp:{write_program(folder, 'engine', SCRIPT, *(words or ('well',)))}"


def test_an_illegal_move_is_reported_with_the_engines_own_answer(arena: Arena, tmp_path: Path) -> None:
    """Its author searches the log for A1, not for a5, which is the same point in Gomogo's notation."""
    played = play(arena, engine(tmp_path, "repeats"))
    assert played.outcome.detail == "a5 is occupied by black; the answer was 'A1'"


def test_vertices_leave_out_i_and_count_from_below() -> None:
    grid = PointBoard(19, 19)
    assert [format_vertex(grid, Point(*place)) for place in ((1, 1), (8, 19), (9, 19), (19, 10))] == [
        "A19",
        "H1",
        "J1",
        "T10",
    ]
    assert all(parse_vertex(grid, format_vertex(grid, point).lower()) == point for point in grid.points)
    assert [parse_vertex(grid, text) for text in ("I5", "A0", "A20", "U1", "", "A", "5")] == [None] * 7


def test_a_gtp_engine_plays_to_two_passes_and_receives_every_move(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, engine(tmp_path), log=tmp_path / "log")
    assert played.outcome.reason in (Reason.TWO_PASSES, Reason.SCORE)
    assert played.plies[0] == Ply(1, "a5")  # A1 is at the lower left
    words = logged_lines(tmp_path / "log", "engine")
    assert words[:6] == [
        "list_commands",
        "boardsize 5",
        "clear_board",
        "komi 0.5",
        "time_settings 0 2 1",
        "genmove black",
    ]
    assert words[6].startswith("play white ")
    assert words[7] == "genmove black"


def test_time_limits_are_sent_in_fractions_of_a_second(arena: Arena, tmp_path: Path) -> None:
    play(arena, engine(tmp_path), control=TimeControl(0.5), log=tmp_path / "log")
    told_times = [line for line in logged_lines(tmp_path / "log", "engine") if line.startswith("time_settings")]
    assert told_times == ["time_settings 0 0.5 1", "time_settings 0 1 1"]  # this engine counts whole seconds


def test_the_remaining_total_time_is_sent_before_each_move(arena: Arena, tmp_path: Path) -> None:
    play(arena, engine(tmp_path), control=TimeControl(None, total=60.0), log=tmp_path / "log")
    text = (tmp_path / "log").read_text()
    assert "time_settings 60 0 0" in text
    assert "time_left black 60 0" in text or "time_left black 59 0" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "reason", "evidence"),
    [
        ("nonsense", Reason.NOT_A_MOVE, "answered genmove by 'I9', which is not on this board"),
        ("question", Reason.NOT_A_MOVE, "answered genmove by '? I am lost'"),
        ("no_sign", Reason.OUT_OF_TIME, "was written within 0.5 s"),
        ("refuses", Reason.CRASHED, "refused 'play white"),
        ("endless", Reason.NOT_A_MOVE, "wrote a line of more than 65,536 bytes"),
        ("resigns", Reason.RESIGNED, "resigned"),
    ],
)
def test_a_misbehaving_engine_loses_for_its_fault(
    arena: Arena, tmp_path: Path, mode: str, reason: Reason, evidence: str
) -> None:
    played = play(arena, engine(tmp_path, mode), control=TimeControl(0.5))
    assert (played.outcome.reason, played.outcome.winner) == (reason, 2)
    assert evidence in played.outcome.detail


def test_an_engine_without_list_commands_is_asked_for_each_command(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, engine(tmp_path, "lists_none"), log=tmp_path / "log")
    assert played.outcome.reason.kind == "rules"
    words = logged_lines(tmp_path / "log", played.names[0])
    assert words[:3] == ["list_commands", "known_command undo", "known_command time_settings"]
    assert "time_settings 0 2 1" in words
    assert "final_score" not in words


@pytest.mark.parametrize("mode", ["numbered", "comments", "no_time", "lists_none", "below"])
def test_every_form_allowed_by_gtp_is_accepted(arena: Arena, tmp_path: Path, mode: str) -> None:
    played = play(arena, engine(tmp_path, mode))
    assert played.outcome.reason.kind == "rules"
    if mode == "comments":
        assert played.thoughts[0] == "score 12.5\nlooks good\nwinrate 62%"
        assert played.scores[0] == 12.0


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("undoes", ["undo"] * 4 + ["time_settings 0 5 1", "play black B2", "genmove white"]),
        ("cannot_undo", ["undo", "boardsize 5", "clear_board", "komi 0.5", "time_settings 0 5 1", "play black E1"]),
        ("well", ["boardsize 5", "clear_board", "komi 0.5", "time_settings 0 5 1", "play black E1", "play white A1"]),
    ],
)
def test_undo_is_sent_to_a_gtp_engine(arena: Arena, tmp_path: Path, mode: str, words: list[str]) -> None:
    first, then, log = ("e5", "e4", "e3"), ("b4",), tmp_path / "log"
    played = play_with_takebacks(arena, GO, engine(tmp_path, mode), first=first, then=then, back=4, log=log)
    assert [ply.move for ply in played.plies[:3]] == ["e5", "a5", "b4"]
    later_lines = logged_lines(log, "engine")[logged_lines(log, "engine").index("play black E3") + 2 :]
    assert later_lines[: len(words)] == words


def test_a_refused_move_is_undone_before_the_next_genmove(arena: Arena, tmp_path: Path) -> None:
    played = play(arena, engine(tmp_path, "repeats"), retry_illegal=True, log=tmp_path / "log")
    assert played.outcome.reason.kind == "rules"
    assert any("refused" in message for _, _, message in played.warnings)
    words = logged_lines(tmp_path / "log", "engine")
    assert words[words.index("undo") - 1] == words[words.index("undo") + 1] == "genmove black"
    assert words.count("clear_board") == 1


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (("b+200",), ["counts B+200 at the end, but the rules count {ours}: are dead stones on the board?"]),
        (("{ours}0",), []),  # a number is its score
        (("unknown",), []),
        ((), []),  # no answer
    ],
)
def test_a_different_score_of_an_engine_is_recorded(
    arena: Arena, tmp_path: Path, words: tuple[str, ...], warned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gtp, "_SCORE_TIMEOUT", 0.3)
    own_score = "B+24.5"  # its stones are on the board, and the opponent has none
    seats = [agent(engine(tmp_path, "counts", *(word.format(ours=own_score) for word in words))), agent("go_random")]
    for _ in range(2):  # one that does not answer plays its next game as a new process
        played = arena.play(GO, seats, [LIMIT] * 2, players={2: ScriptedOpponent(lambda turn: "pass")})
        assert played.outcome.reason is Reason.SCORE
        assert [message for _, _, message in played.warnings] == [line.format(ours=own_score) for line in warned]


def test_a_game_outside_gtp_is_refused(arena: Arena, tmp_path: Path) -> None:
    rows = load("go", rows=5, cols=7)
    with pytest.raises(UserError, match="GTP knows square boards of up to 25 points a side, not 7×5"):
        arena.play(rows, [agent(engine(tmp_path)), agent("go_random")], [LIMIT] * 2)
    with pytest.raises(UserError, match="the protocol gtp cannot set depth"):
        arena.play(GO, [agent(f"{engine(tmp_path)}?depth=4"), agent("go_random")], [LIMIT] * 2)
    capture = load("capture_go", size=5)
    with pytest.raises(
        UserError, match="engine does not know capture_go: without gomogo-game, a GTP engine plays only Go"
    ):
        arena.play(capture, [agent(engine(tmp_path)), agent("go_random")], [LIMIT] * 2)


def test_limits_are_sent_with_the_engines_own_options(arena: Arena, tmp_path: Path) -> None:
    limited = f"{engine(tmp_path, 'kata')}?nodes=100&threads=2&memory_mb=500&kata-set-param=maxTime%203&name=limited"
    play(arena, limited, log=tmp_path / "log")
    words = logged_lines(tmp_path / "log", "limited")
    assert words[1:4] == [f"kata-set-param {does}" for does in ("maxVisits 100", "numSearchThreads 2", "maxTime 3")]
    with pytest.raises(
        UserError, match=r"cannot take nodes=5: GTP has no command for it, and the engine does not know"
    ):
        play(arena, f"{engine(tmp_path)}?nodes=5")


@pytest.mark.slow
@pytest.mark.needs("gnugo")
def test_gnu_go_plays_games_to_a_score(arena: Arena, tmp_path: Path) -> None:
    game = load("go", size=7, komi=5.5)
    gnugo = agent(f"gtp:{PROGRAM} --mode gtp --chinese-rules --capture-all-dead --seed 1?level=1")
    assert gnugo.name == "gnugo-level-1"
    for seats in ([gnugo, agent("go_random")], [agent("go_random"), gnugo]):
        played = arena.play(game, seats, [TimeControl(10.0)] * 2, seed=1)  # some random games crash GNU Go
        assert played.outcome.reason in (Reason.SCORE, Reason.TWO_PASSES)
        assert played.outcome.winner == 1 + seats.index(gnugo)


@pytest.mark.slow
def test_two_engines_of_ours_play_robogo_over_gtp(arena: Arena) -> None:
    own_engine = agent(f"gtp:{sys.executable} -m gomogo engine random_mover --protocol gtp --game robogo")
    played = arena.play(load("robogo", size=5), [own_engine, agent("random_mover")], [TimeControl(10.0)] * 2)
    assert played.outcome.reason.kind == "rules"
