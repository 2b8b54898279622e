"""The additional checks of programs that speak Gomocup's protocol. The module agent_checks.py plays whole games."""

from __future__ import annotations

import re

from gomogo_core.conformance.agent_checks import AgentCheck
from gomogo_core.conformance.dialogue import EXIT_TIMEOUT, Dialogue
from gomogo_core.conformance.trial import CheckFailed, NotApplicable, Trial

PROTOCOL = "gomocup"
_MESSAGE_PATTERN = r"(MESSAGE|DEBUG)\b"
_REFUSAL_PATTERN = r"(UNKNOWN|ERROR)\b"
_NO_STATUS_PATTERN = r"(?!(OK|UNKNOWN|ERROR)\b)"
_POINT_PATTERN = r"(\d+)\s*,\s*(\d+)"
_EXPECTED_MOVE = "A point like 7,7 in time, in a line of its own."
_MOVE_LIMIT = 5.0  # seconds for a move, although INFO says 1 s, because these checks do not test times


def _start_game(dialogue: Dialogue) -> None:
    dialogue.send("START 15")
    dialogue.expect_line("OK.*", "OK, in a line of its own.", skip=_NO_STATUS_PATTERN)
    dialogue.send("INFO timeout_turn 1000", "INFO timeout_match 0", "INFO rule 0")
    # the check of INFO reports an answer to INFO; in a game it counts as a message
    dialogue.drop_lines(_REFUSAL_PATTERN, "Nothing: INFO has no answer.")


def _expect_point(dialogue: Dialogue, taken_points: set[str]) -> str:
    line = dialogue.expect_line(
        rf"(SUGGEST\s+)?{_POINT_PATTERN}", _EXPECTED_MOVE, skip=_MESSAGE_PATTERN, seconds=_MOVE_LIMIT
    )
    if line[0].isalpha():  # SUGGEST leaves the decision to the manager: accept the point, as in a game
        dialogue.send(f"PLAY {_move_in(line)}")
        line = dialogue.expect_line(_POINT_PATTERN, _EXPECTED_MOVE, skip=_MESSAGE_PATTERN, seconds=_MOVE_LIMIT)
    point = _move_in(line)
    if point in taken_points or max(map(int, point.split(","))) > 14:
        raise CheckFailed(f"It answered {line!r}, which is occupied or not on the board of size 15.", "An empty point.")
    taken_points.add(point)
    return point


def _move_in(line: str) -> str:
    return ",".join(re.findall(r"\d+", line))


def _check_about_command(trial: Trial) -> str | None:
    with Dialogue.with_agent(trial) as dialogue:
        dialogue.send("ABOUT")
        about_line = dialogue.expect_line(
            r".*\bname\s*=\s*\S.*", 'A line like name="mine", version="1.0".', skip=_MESSAGE_PATTERN
        )
        return about_line[:100]


def _check_complete_lines(trial: Trial) -> str | None:
    with Dialogue.with_agent(trial) as dialogue:
        _start_game(dialogue)
        dialogue.send("BEGIN")
        _expect_point(dialogue, set())
        if dialogue.ends_lines_by_cr_alone:
            return "its lines end by CR alone, which few other managers understand: write LF or CR LF"
        if other_lines := [
            line for line in dialogue.skipped_lines if not re.match(_MESSAGE_PATTERN, line, re.IGNORECASE)
        ]:
            return (
                f"it writes {other_lines[0][:80]!r}, which some managers do not ignore: begin such lines with MESSAGE"
            )
        return None


def _check_info_command(trial: Trial) -> None:
    with Dialogue.with_agent(trial) as dialogue:
        _start_game(dialogue)
        dialogue.send("INFO some_new_key 7", "INFO time_left 100000")
        dialogue.expect_silence(0.3, "Nothing: INFO has no answer.", skip=_MESSAGE_PATTERN)
        dialogue.send("DANCE 7")
        dialogue.expect_line(r"(UNKNOWN|ERROR)\b.*", "UNKNOWN, and it continues.", skip=_MESSAGE_PATTERN)
        dialogue.send("BEGIN")
        _expect_point(dialogue, set())


def _check_board_command(trial: Trial) -> None:
    with Dialogue.with_agent(trial) as dialogue:
        _start_game(dialogue)
        taken_points = {"7,7", "8,8", "6,7", "8,6"}
        dialogue.send("BOARD", "7,7,1", "8,8,2", "6,7,1", "8,6,2", "DONE")
        _expect_point(dialogue, taken_points)
        dialogue.send("TURN 0,14")
        _expect_point(dialogue, taken_points | {"0,14"})


def _check_restart_command(trial: Trial) -> str | None:
    with Dialogue.with_agent(trial) as dialogue:
        _start_game(dialogue)
        dialogue.send("BEGIN")
        first_point = _expect_point(dialogue, set())
        dialogue.send("RESTART")
        if (
            dialogue.expect_line(r"(OK|UNKNOWN|ERROR)\b.*", "OK, or UNKNOWN.", skip=_MESSAGE_PATTERN)[:2].upper()
            != "OK"
        ):
            return "it does not know RESTART, so each of its games needs a new process"
        dialogue.send(f"TURN {'0,0' if first_point != '0,0' else '1,1'}")
        _expect_point(dialogue, set())
        return None


def _check_takeback_command(trial: Trial) -> str | None:
    with Dialogue.with_agent(trial) as dialogue:
        _start_game(dialogue)
        dialogue.send("BEGIN")
        first_point = _expect_point(dialogue, set())
        dialogue.send(f"TAKEBACK {first_point}")
        if (
            dialogue.expect_line(r"(OK|UNKNOWN|ERROR)\b.*", "OK, or UNKNOWN.", skip=_MESSAGE_PATTERN)[:2].upper()
            != "OK"
        ):
            return "it does not know TAKEBACK, which only games with humans need"
        dialogue.send("BEGIN")
        _expect_point(dialogue, set())
        return None


def _check_swap2(trial: Trial) -> str | None:
    with Dialogue.with_agent(trial) as dialogue:
        _start_game(dialogue)
        dialogue.send("SWAP2BOARD", "DONE")
        points = rf"{_POINT_PATTERN}(\s+{_POINT_PATTERN}){{2}}"
        line = dialogue.expect_line(
            rf"{points}|(UNKNOWN|ERROR)\b.*", "Three points, or UNKNOWN.", skip=_MESSAGE_PATTERN, seconds=_MOVE_LIMIT
        )
        if line[0].isalpha():
            raise NotApplicable("it does not know SWAP2BOARD, so it cannot play with opening=swap2")
        dialogue.send("SWAP2BOARD", "7,7", "8,8", "9,7", "DONE")
        dialogue.expect_line(
            rf"SWAP|{_POINT_PATTERN}(\s+{_POINT_PATTERN})?",
            "SWAP, a point, or two.",
            skip=_MESSAGE_PATTERN,
            seconds=_MOVE_LIMIT,
        )
        dialogue.send("SWAP2BOARD", "7,7", "8,8", "9,7", "0,0", "14,14", "DONE")
        dialogue.expect_line(rf"SWAP|{_POINT_PATTERN}", "SWAP, or a point.", skip=_MESSAGE_PATTERN, seconds=_MOVE_LIMIT)
        return None


def _check_end_command(trial: Trial) -> None:
    for last_command in ("END", None):
        with Dialogue.with_agent(trial) as dialogue:
            _start_game(dialogue)
            if last_command is None:
                dialogue.close_input()
            else:
                dialogue.send(last_command)
            dialogue.expect_exit(f"It exits within {EXIT_TIMEOUT:g} s after END, and when its input ends.")


CHECKS = (
    AgentCheck("about", "it answers ABOUT with its name", _check_about_command),
    AgentCheck("lines", "it writes whole lines", _check_complete_lines),
    AgentCheck("info", "it does not answer INFO, and answers unknown commands with UNKNOWN", _check_info_command),
    AgentCheck("board", "it continues from the position of a BOARD", _check_board_command),
    AgentCheck("restart", "it begins a new game after RESTART", _check_restart_command),
    AgentCheck("takeback", "it takes a move back", _check_takeback_command),
    AgentCheck("swap2", "it places the first stones of swap2, and chooses a colour", _check_swap2),
    AgentCheck("end", "it exits after END, and when its input ends", _check_end_command),
)  # fmt: skip
