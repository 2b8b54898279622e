"""The additional checks of programs that speak Gomocup's protocol.

The referee knows the protocol; `agent_checks` plays whole games.
"""

from __future__ import annotations

import re

from gomogo_core.conformance.agent_checks import Check
from gomogo_core.conformance.dialogue import LEAVING, Dialogue
from gomogo_core.conformance.trial import Fault, Trial

PROTOCOL = "gomocup"
_TALK = r"(MESSAGE|DEBUG)\b"
_REFUSAL = r"(UNKNOWN|ERROR)\b"
_NO_ANSWER = r"(?!(OK|UNKNOWN|ERROR)\b)"
_POINT = r"(\d+)\s*,\s*(\d+)"
_MOVE = "A point like 7,7 within the time it was given, in a line of its own."
_THINKING = 5.0  # seconds for a move, though the program is given 1 s: these checks test words, not time


def _start(dialogue: Dialogue, size: int = 15) -> None:
    dialogue.say(f"START {size}")
    dialogue.expect("OK.*", "OK, in a line of its own.", skip=_NO_ANSWER)
    dialogue.say("INFO timeout_turn 1000", "INFO timeout_match 0", "INFO rule 0")
    dialogue.skip_lines(
        _REFUSAL, "Nothing: INFO has no answer."
    )  # the check of INFO reports an answer to INFO; in a game it counts as a message


def _point(dialogue: Dialogue, taken: set[str]) -> str:
    line = dialogue.expect(rf"(SUGGEST\s+)?{_POINT}", _MOVE, skip=_TALK, within=_THINKING)
    if line[0].isalpha():  # after SUGGEST the manager decides: accept the point, as in a game
        dialogue.say(f"PLAY {_move_in(line)}")
        line = dialogue.expect(_POINT, _MOVE, skip=_TALK, within=_THINKING)
    place = _move_in(line)
    if place in taken or max(map(int, place.split(","))) > 14:
        raise Fault(f"It answered {line!r}, which is taken, or off the board of 15.", "An empty point.")
    taken.add(place)
    return place


def _move_in(line: str) -> str:
    return ",".join(re.findall(r"\d+", line))


def _check_about(trial: Trial) -> str | None:
    with Dialogue.of(trial) as dialogue:
        dialogue.say("ABOUT")
        line = dialogue.expect(r".*\bname\s*=\s*\S.*", 'A line like name="mine", version="1.0".', skip=_TALK)
        return line[:100]


def _speaks_in_lines(trial: Trial) -> str | None:
    with Dialogue.of(trial) as dialogue:
        _start(dialogue)
        dialogue.say("BEGIN")
        _point(dialogue, set())
        if dialogue.ends_lines_by_cr_alone:
            return "its lines end by CR alone, which few managers but this one understand: write LF or CR LF"
        if others := [line for line in dialogue.skipped if not re.match(_TALK, line, re.IGNORECASE)]:
            return f"it says {others[0][:80]!r}, which not all managers ignore: begin such lines with MESSAGE"
        return None


def _is_quiet_about_info(trial: Trial) -> None:
    with Dialogue.of(trial) as dialogue:
        _start(dialogue)
        dialogue.say("INFO some_new_key 7", "INFO time_left 100000")
        dialogue.expect_silence(0.3, "Nothing: INFO has no answer.", skip=_TALK)
        dialogue.say("DANCE 7")
        dialogue.expect(r"(UNKNOWN|ERROR)\b.*", "UNKNOWN, and it goes on.", skip=_TALK)
        dialogue.say("BEGIN")
        _point(dialogue, set())


def _takes_a_board(trial: Trial) -> None:
    with Dialogue.of(trial) as dialogue:
        _start(dialogue)
        taken = {"7,7", "8,8", "6,7", "8,6"}
        dialogue.say("BOARD", "7,7,1", "8,8,2", "6,7,1", "8,6,2", "DONE")
        _point(dialogue, taken)
        dialogue.say("TURN 0,14")
        _point(dialogue, taken | {"0,14"})


def _restarts(trial: Trial) -> str | None:
    with Dialogue.of(trial) as dialogue:
        _start(dialogue)
        dialogue.say("BEGIN")
        first = _point(dialogue, set())
        dialogue.say("RESTART")
        if dialogue.expect(r"(OK|UNKNOWN|ERROR)\b.*", "OK, or UNKNOWN.", skip=_TALK)[:2].upper() != "OK":
            return "it does not know RESTART: each of its games begins as a new process"
        dialogue.say(f"TURN {'0,0' if first != '0,0' else '1,1'}")
        _point(dialogue, set())
        return None


def _takes_back(trial: Trial) -> str | None:
    with Dialogue.of(trial) as dialogue:
        _start(dialogue)
        dialogue.say("BEGIN")
        first = _point(dialogue, set())
        dialogue.say(f"TAKEBACK {first}")
        if dialogue.expect(r"(OK|UNKNOWN|ERROR)\b.*", "OK, or UNKNOWN.", skip=_TALK)[:2].upper() != "OK":
            return "it does not know TAKEBACK, which only people need"
        dialogue.say("BEGIN")
        _point(dialogue, set())
        return None


def _chooses(trial: Trial) -> str | None:
    with Dialogue.of(trial) as dialogue:
        _start(dialogue)
        dialogue.say("SWAP2BOARD", "DONE")
        points = rf"{_POINT}(\s+{_POINT}){{2}}"
        line = dialogue.expect(
            rf"{points}|(UNKNOWN|ERROR)\b.*", "Three points, or UNKNOWN.", skip=_TALK, within=_THINKING
        )
        if line[0].isalpha():
            return "it does not know SWAP2BOARD: it cannot play with opening=swap2"
        dialogue.say("SWAP2BOARD", "7,7", "8,8", "9,7", "DONE")
        dialogue.expect(rf"SWAP|{_POINT}(\s+{_POINT})?", "SWAP, a point, or two.", skip=_TALK, within=_THINKING)
        dialogue.say("SWAP2BOARD", "7,7", "8,8", "9,7", "0,0", "14,14", "DONE")
        dialogue.expect(rf"SWAP|{_POINT}", "SWAP, or a point.", skip=_TALK, within=_THINKING)
        return None


def _check_end(trial: Trial) -> None:
    for last in ("END", None):
        with Dialogue.of(trial) as dialogue:
            _start(dialogue)
            if last is None:
                dialogue.close_input()
            else:
                dialogue.say(last)
            dialogue.expect_exit(f"It leaves within {LEAVING:g} s of END, and where its input ends.")


CHECKS = (
    Check("about", "it tells its name when asked ABOUT", _check_about),
    Check("lines", "it speaks in lines", _speaks_in_lines),
    Check("info", "it answers nothing to INFO, UNKNOWN to what it does not know, and goes on", _is_quiet_about_info),
    Check("board", "it takes a BOARD, and goes on from there", _takes_a_board),
    Check("restart", "it begins again after RESTART", _restarts),
    Check("takeback", "it takes a move back", _takes_back),
    Check("swap2", "it lays the first stones of swap2, and chooses", _chooses),
    Check("end", "it leaves after END, and where its input ends", _check_end),
)  # fmt: skip
