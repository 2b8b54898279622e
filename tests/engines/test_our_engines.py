"""Our agents as engines: the commands of Gomocup's and of the Go Text Protocol, and their answers."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gomogo_core.catalogue import agent
from gomogo_core.engine_servers.gomocup import GomocupServer
from gomogo_core.engine_servers.gtp import GtpServer
from gomogo_core.engine_servers.move_provider import MoveProvider
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.play.clock import NO_LIMIT, TimeControl
from gomogo_core.protocols import files
from tests.engines._brains import BOT, BRAIN, write_program

pytestmark = pytest.mark.slow

USUAL = TimeControl(per_move=5.0)


@pytest.fixture
def brain() -> Iterator[GomocupServer]:
    with MoveProvider(agent("alpha_beta?depth=2")) as move_provider:
        yield GomocupServer(move_provider, USUAL)


@pytest.fixture
def go() -> Iterator[GtpServer]:
    with MoveProvider(agent("go_capturer")) as move_provider:
        yield GtpServer(move_provider, load("go", size=9), USUAL)


def ask(server: GomocupServer | GtpServer, *lines: str) -> list[str]:
    answers = [server.answer(line) for line in lines]
    return [answer.rstrip() for answer in answers if answer is not None]


def test_our_brain_answers_as_the_protocol_requires(brain: GomocupServer) -> None:
    assert ask(brain, "START 15", "INFO timeout_turn 500", "INFO rule 0", "INFO folder /nowhere") == ["OK"]
    assert ask(brain, "BEGIN") == ["7,7"]
    assert len(ask(brain, "TURN 8,8")) == 1
    assert ask(brain, "about")[0].startswith('name="alpha_beta-depth-2", version=')
    assert ask(brain, "SING") == ["UNKNOWN SING"]
    assert ask(brain, "INFO rule 8", "INFO rule 5", "START ²") == [
        "ERROR rule 8 is not supported", "ERROR the size ² must be from 5 to 26",
    ]  # fmt: skip
    assert ask(brain, "START 4") == ["ERROR the size 4 must be from 5 to 26"]
    assert ask(brain, "RECTSTART 10,12") == ["ERROR only square boards are supported"]
    assert ask(brain, "RECTSTART 10,10") == ["OK"]
    assert ask(brain, "TURN 10,0") == ["ERROR 10,0 is not a point of a board of size 10"]
    assert brain.answer("START 9") == "OK\r\n"


def test_our_brain_blocks_four_and_makes_five(brain: GomocupServer) -> None:
    ask(brain, "START 15")
    four = [f"{x},7,{{}}" for x in (4, 5, 6, 7)]
    other_lines = ["4,8,{}", "5,9,{}", "6,3,{}", "3,7,{}"]
    mine = [line.format(1) for line in four] + [line.format(2) for line in other_lines]
    assert ask(brain, "BOARD", *mine, "DONE") == ["8,7"]
    swapped_lines = [line.format(2) for line in four] + [line.format(1) for line in other_lines]
    assert ask(brain, "BOARD", *swapped_lines, "0,0,2", "1,14,2", "DONE")[0].startswith("ERROR 4 own stones and 6")
    assert ask(brain, "BOARD", *swapped_lines, "0,0,2", "DONE")[0] in ("8,7", "3,7")


def test_our_brain_takes_moves_back_and_restarts(brain: GomocupServer) -> None:
    ask(brain, "START 15", "BEGIN")
    answer = ask(brain, "TURN 8,8")[0]
    assert ask(brain, "TAKEBACK 0,14") == ["ERROR 0,14 was not the last move"]
    assert ask(brain, f"TAKEBACK {answer}", "TAKEBACK 8,8") == ["OK", "OK"]
    assert ask(brain, "TURN 8,8") == [answer]
    assert ask(brain, "RESTART", "BEGIN") == ["OK", "7,7"]


def test_our_brain_chooses_in_swap2(brain: GomocupServer) -> None:
    ask(brain, "START 15")
    assert len(ask(brain, "SWAP2BOARD", "DONE")[0].split()) == 3
    three, five = ["7,7", "8,8", "9,7"], ["7,7", "8,8", "9,7", "0,0", "14,14"]
    chosen_reply = ask(brain, "SWAP2BOARD", *three, "DONE")[0]
    assert chosen_reply == "SWAP" or len(chosen_reply.split()) in (1, 2)
    last_reply = ask(brain, "SWAP2BOARD", *five, "DONE")[0]
    assert last_reply == "SWAP" or len(last_reply.split()) == 1
    assert ask(brain, "SWAP2BOARD", "7,7", "7,7", "8,8", "DONE")[0].startswith("ERROR h8 is occupied")
    assert ask(brain, "SWAP2BOARD", "7,7", "DONE") == ["ERROR 1 stones: swap2 needs 0, 3 or 5"]


def test_gtp_answers_repeat_the_number_of_the_command(go: GtpServer) -> None:
    assert go.answer("3 protocol_version\n") == "=3 2\n\n"
    assert go.answer("protocol_version # a comment") == "= 2\n\n"
    assert go.answer("# nothing") is None
    assert go.answer("17 dance") == "?17 unknown command\n\n"
    assert ask(go, "known_command genmove", "known_command dance") == ["= true", "= false"]
    assert "gogui-rules_board" in ask(go, "list_commands")[0].split()


def test_gtp_plays_captures_and_takes_back(go: GtpServer) -> None:
    assert ask(go, "boardsize 30", "boardsize 5", "komi 0.5", "komi x") == [
        "? unacceptable size", "=", "=", "? syntax error: a number is missing, or too large",
    ]  # fmt: skip
    assert ask(go, "play b B1", "play w A1", "play b E5", "play w A1") == ["=", "=", "=", "? illegal move"]
    assert ask(go, "undo", "play b I1", "play green B2", "play b") == [
        "=", "? invalid vertex", "? invalid colour", "? syntax error: play COLOUR VERTEX",
    ]  # fmt: skip
    assert ask(go, "genmove b") == ["= A2"]  # it captures
    board = ask(go, "gogui-rules_board")[0].splitlines()[1:]
    assert board == [". . . . .", ". . . . .", ". . . . .", "X . . . .", ". X . . ."]
    assert ask(go, "reg_genmove w")[0] != "="
    assert ask(go, "gogui-rules_board")[0].splitlines()[1:] == board
    assert ask(go, "play w pass", "play b pass", "final_score") == ["=", "=", "= B+24.5"]
    assert ask(go, "genmove w") == ["? the game is over"]
    assert ask(go, f"boardsize 1{'0' * 400}", "time_left b 1e400 0")[0].startswith("? syntax error: a number")


def test_gtp_takes_an_implied_pass_back_with_its_stone(go: GtpServer) -> None:
    assert ask(go, "boardsize 9", "play b D4", "play b E5", "undo", "play w E5") == ["="] * 5
    assert ask(go, "undo", "undo", "undo")[-1] == "? cannot undo"


def test_gtp_shows_the_board_by_its_own_names(go: GtpServer) -> None:
    rows = ask(go, "boardsize 9", "play b A1", "showboard")[-1].splitlines()
    assert rows[1].split() == list("abcdefghj")
    assert rows[10].startswith("1[x]")


@pytest.mark.parametrize("seed", range(4))
def test_random_input_does_not_break_an_engine(brain: GomocupServer, go: GtpServer, seed: int) -> None:
    rng = random.Random(seed)
    words = "START RESTART TURN BOARD DONE INFO rule SWAP2BOARD TAKEBACK 7,7 8,8,1 3,3,2 -1 ² 1e999 boardsize komi play"
    words += " undo time_settings time_left final_score b w A1 J9 pass # gomogo-game gomoku {} [1] RECTSTART 9,9 \0"
    for _ in range(300):
        line = " ".join(rng.choices(words.split(), k=rng.randint(1, 4)))
        for server in (brain, go):
            server.answer(line)


def test_gtp_inserts_passes_between_stones_of_one_colour(go: GtpServer) -> None:
    assert ask(go, "boardsize 9", "play b C3", "play b G7", "genmove w")[:3] == ["=", "=", "="]
    assert {"C3", "G7"} < set(ask(go, "final_status_list alive")[0].split())
    assert ask(go, "final_status_list dead", "final_status_list some")[0] == "="


def test_gtp_time_settings_are_respected() -> None:
    with MoveProvider(agent("iterative_deepening")) as move_provider:
        server = GtpServer(move_provider, load("gomoku", size=9), USUAL)
        assert server._control(1) == (USUAL, None)
        ask(server, "time_settings 0 1 1")
        assert server._control(1) == (TimeControl(1.0), None)
        ask(server, "time_left b 30 10")
        assert server._control(1) == (TimeControl(3.0), None)
        ask(server, "time_settings 60 0 0", "time_left w 12 0")
        assert server._control(2) == (TimeControl(None, total=60.0), 12.0)


def test_gtp_plays_our_other_games() -> None:
    with MoveProvider(agent("random_mover")) as move_provider:
        server = GtpServer(move_provider, load("go"), USUAL)
        assert ask(server, 'gomogo-game gomoku {"size": 7}', "gogui-rules_game_id") == ["=", "= Gomoku"]
        assert ask(server, "gogui-rules_board_size", "gogui-rules_side_to_move") == ["= 7", "= black"]
        assert len(ask(server, "gogui-rules_legal_moves")[0].split()) == 50
        refused = "is not for two on a board of points with at most 25 columns"
        assert ask(server, "gomogo-game dots_and_boxes")[0] == f"? this dots_and_boxes {refused}"
        assert ask(server, 'gomogo-game gomoku {"size": 26}')[0] == f"? this gomoku {refused}"
        assert ask(server, "gomogo-game chess")[0].startswith("? There is no game called 'chess'")
        assert ask(server, "play b D4", "play b D5") == ["=", "? it is white's turn"]


def test_a_game_without_a_board_of_points_is_refused() -> None:
    with MoveProvider(agent("random_mover")) as move_provider, pytest.raises(UserError, match="boards of points"):
        GtpServer(move_provider, load("dots_and_boxes"), USUAL)


def test_the_engine_command_answers_and_exits() -> None:
    words = [sys.executable, "-m", "gomogo", "engine", "alpha_beta?depth=2", "--protocol", "gomocup"]
    asked = "START 15\nBEGIN\nEND\nBEGIN\n"
    result = subprocess.run(words, input=asked, capture_output=True, text=True, timeout=300, check=True)
    assert result.stdout == "OK\n7,7\n"
    words[-1] = "gtp"
    result = subprocess.run(words, input="boardsize 9\ngenmove b\n", capture_output=True, text=True, timeout=300)
    assert (result.returncode, result.stdout) == (0, "=\n\n= E5\n\n")


def test_the_engine_command_refuses_with_a_message() -> None:
    words = [sys.executable, "-m", "gomogo", "engine", "go_random", "--protocol", "gomocup"]
    result = subprocess.run(words, input="", capture_output=True, text=True, timeout=300)
    assert result.returncode == 1
    assert result.stderr.startswith("go_random does not play gomoku.")


# Whatever the controller changes, the agent's process plays on

COUNTED = """
from pathlib import Path


def note(what):
    with Path(__file__).with_suffix(".notes").open("a") as notes:
        notes.write(f"{what}\\n")


note("start")


def choose(position, clock):
    note(clock.allowed)
    return next(iter(position.moves()))
"""

HEARD = """
import sys


class Heard:
    def __init__(self, lines): self.lines, self.notes = lines, open(__file__[:-2] + "notes", "a", buffering=1)
    def readline(self): line = self.lines.readline(); self.notes.write(line); return line
    def __iter__(self): return iter(self.readline, "")


sys.stdin = Heard(sys.stdin)
sys.stdin.notes.write("start\\n")
"""

VOICE = """
free = ["A1", "B1", "C1", "D1"]
for line in sys.stdin:
    word = line.split()[0]
    listed = "time_settings\\ntime_left\\nplay" if word == "list_commands" else ""
    print("=", free.pop() if word == "genmove" else listed, end="\\n\\n", flush=True)
"""


class AgentWithNotes:
    """An agent written by a test, and the notes it has written."""

    def __init__(self, folder: Path) -> None:
        self.spec = str(folder / "counted.py")
        Path(self.spec).write_text(COUNTED)
        self._path = folder / "counted.notes"

    def piped(self, protocol: str, source: str) -> None:
        """Use a program reached through pipes that notes its input."""
        self.spec = f"{protocol}:{write_program(self._path.parent, 'counted', HEARD + source)}"

    def __call__(self, *beginnings: str) -> list[str]:
        """The lines that begin so."""
        return [line for line in self._path.read_text().splitlines() if line.startswith(beginnings or "")]


@pytest.fixture
def notes(tmp_path: Path) -> AgentWithNotes:
    return AgentWithNotes(tmp_path)


@pytest.mark.parametrize("first", ["BEGIN", "TURN 14,14"])
def test_a_brain_stays_one_process_when_its_times_change(notes: AgentWithNotes, first: str) -> None:
    with MoveProvider(agent(notes.spec)) as move_provider:
        brain = GomocupServer(move_provider, USUAL)
        assert ask(brain, "START 15") == ["OK"]
        assert notes() == ["start"], "it is loaded before its clock runs"
        received = (
            ("INFO timeout_turn 7000", first, "7.0"),
            ("INFO timeout_turn 6500", "TURN 13,14", "6.5"),
            ("INFO timeout_match 60000", "TURN 12,14", "6.5"),
            ("INFO time_left 4000", "TURN 11,14", "4.0"),
            ("INFO timeout_turn 3000", "TURN 9,14", "3.0"),
        )
        for info, question, _ in received:
            assert len(ask(brain, info, question)) == 1
        assert notes() == ["start", *(seconds for *_, seconds in received)]
        assert ask(brain, "RESTART") == ["OK"]
        assert notes()[-1] == "start"
        assert len(ask(brain, "TURN 14,14", "TURN 13,14")) == 2
        assert notes("start") == ["start"] * 2
        ask(brain, "RESTART", "INFO rule 1", "BEGIN")
        assert notes()[-3:] == ["start", "start", "3.0"], "the rule is known before the move is asked for"


def test_gtp_keeps_a_process_for_each_colour(notes: AgentWithNotes) -> None:
    with MoveProvider(agent(notes.spec)) as move_provider:
        server = GtpServer(move_provider, load("go", size=5), USUAL)
        assert ask(server, "komi 0", "clear_board") == ["=", "="]
        assert notes() == ["start"], "it is loaded before its clock runs"
        ask(server, "time_settings 0 7 1", "genmove b", "genmove w")
        assert notes() == ["start", "7.0", "start", "7.0"]
        ask(server, "time_left b 6 2", "genmove b", "time_left w 8 4", "genmove w", "time_settings 60 0 0", "genmove b")
        ask(server, "time_left w 40 0", "genmove w")
        assert notes()[4:] == ["3.0", "2.0", "60.0", "40.0"]
        ask(server, "clear_board")
        assert notes()[8:] == ["start"] * 2, "both colours were played"
        ask(server, "genmove b", "genmove w", "genmove b")
        assert notes()[10:] == ["60.0"] * 3


def test_gtp_loads_the_agent_for_the_colour_that_did_not_play(notes: AgentWithNotes) -> None:
    with MoveProvider(agent(notes.spec)) as move_provider:
        server = GtpServer(move_provider, load("go", size=5), USUAL)
        ask(server, "play b A1", "play w B1", "play b C1")
        assert notes() == ["start"]
        assert ask(server, "genmove w", "play b D1", "genmove w", "undo", "undo")[-1] == "="
        assert notes() == ["start", "5.0", "5.0"]
        ask(server, "play b E1", "genmove w", 'gomogo-game gomoku {"size": 7}', "play b D4", "genmove w")
        assert notes()[3:] == ["start", "5.0", "start", "5.0"]


def test_genmove_reports_why_the_agent_could_not_be_loaded(notes: AgentWithNotes) -> None:
    Path(notes.spec).write_text(f"{COUNTED}\nraise SystemExit('no licence')\n")
    with MoveProvider(agent(notes.spec)) as move_provider:
        server = GtpServer(move_provider, load("go", size=5), USUAL)
        assert ask(server, "clear_board", "play b A1", "play w B1") == ["="] * 3
        assert notes("start") == ["start"], "it is not tried again before the failure is reported"
        assert "no licence" in ask(server, "genmove b")[0]
        assert ask(server, "gogui-rules_side_to_move") == ["= black"]


def test_a_loaded_legacy_agent_does_not_receive_several_moves_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "START_PAUSE", 0.0)
    (tmp_path / "old.sh").write_text("until [ -e end_game ]; do sleep 0.02; done")
    with MoveProvider(agent(f"files:OLD:sh {tmp_path / 'old.sh'}")) as move_provider:
        answers = ask(GomocupServer(move_provider, USUAL), "START 15", "BOARD", "7,7,1", "8,8,2", "DONE")
    assert answers[0] == "OK"
    assert "cannot start with moves on the board" in answers[1]


def test_time_changes_reach_a_brain_behind_our_engine(notes: AgentWithNotes) -> None:
    notes.piped("gomocup", BRAIN)
    with MoveProvider(agent(notes.spec)) as move_provider:
        brain = GomocupServer(move_provider, TimeControl(7.0))
        assert len(ask(brain, "START 15", "TURN 14,14", "INFO timeout_turn 6500", "TURN 13,14", "TURN 12,14")) == 4
        ask(brain, "INFO timeout_turn 2147483647", "INFO timeout_match 60000", "INFO time_left 50000", "TURN 11,14")
    received = notes("start", "TURN", "INFO time")
    assert (received[0], received.count("start")) == ("start", 1)
    assert received[received.index("TURN 14,14") - 3 :] == [
        "INFO timeout_turn 7000", "INFO timeout_match 0", "INFO time_left 2147483647", "TURN 14,14",
        "INFO timeout_turn 6500", "INFO timeout_match 0", "INFO time_left 2147483647", "TURN 13,14", "TURN 12,14",
        "INFO timeout_turn 60000", "INFO timeout_match 60000", "INFO time_left 60000", "INFO time_left 50000",
        "TURN 11,14",
    ]  # fmt: skip


def test_time_changes_reach_a_gtp_engine_behind_our_engine(notes: AgentWithNotes) -> None:
    notes.piped("gtp", VOICE)
    with MoveProvider(agent(notes.spec)) as move_provider:
        brain = GtpServer(move_provider, load("go", size=5), TimeControl(7.0))
        ask(brain, "play b E5", "genmove w", "time_settings 0 6.5 1", "play b D5", "genmove w")
        ask(brain, "play b C5", "genmove w")
        ask(brain, "time_settings 60 0 0", "time_left w 50 0", "play b C4", "genmove w")
    assert notes("start", "genmove", "time") == [
        "start", "time_settings 0 7 1", "genmove white", "time_settings 0 6.5 1", "genmove white", "genmove white",
        "time_settings 60 0 0", "time_left white 50 0", "genmove white",
    ]  # fmt: skip


def test_the_end_of_a_limit_reaches_an_engine_behind_our_engine(notes: AgentWithNotes) -> None:
    notes.piped("gtp", VOICE)
    with MoveProvider(agent(notes.spec)) as move_provider:
        brain = GtpServer(move_provider, load("go", size=5), NO_LIMIT)
        ask(brain, "genmove b", "time_settings 0 6 1", "play w E5", "genmove b", "time_settings 0 0 0", "play w D5")
        ask(brain, "genmove b")
    assert notes("genmove", "time") == [
        "genmove black", "time_settings 0 6 1", "genmove black", "time_settings 0 1 0", "genmove black",
    ]  # fmt: skip


def test_a_json_bot_behind_our_engine_receives_seat_and_time(notes: AgentWithNotes) -> None:
    notes.piped("json", BOT)
    with MoveProvider(agent(notes.spec)) as move_provider:
        brain = GomocupServer(move_provider, TimeControl(7.0))
        assert len(ask(brain, "START 15", "TURN 14,14", "INFO timeout_turn 6500", "TURN 13,14")) == 3
    assert notes("start") == ["start"]
    turns = [json.loads(line) for line in notes('{"type": "turn"')]
    assert [turn["seconds"] for turn in turns] == [7.0, 6.5]
    assert all((turn["you"], turn["seat"], turn["teams"]) == ("engine", 2, ["opponent", "engine"]) for turn in turns)
    assert turns[1]["moves"][0] == ["opponent", "o15"]
