"""The additional checks of programs that play over pipes: a list for each protocol.

Knows the protocols' words; `agent_checks` plays whole games.
"""

from __future__ import annotations

import json
import re

from gomogo_core.conformance.agent_checks import Check
from gomogo_core.conformance.dialogue import LEAVING, PATIENCE, Dialogue
from gomogo_core.conformance.trial import Fault, Trial

_TALK = r"(MESSAGE|DEBUG)\b"
_REFUSAL = r"(UNKNOWN|ERROR)\b"
_NO_ANSWER = r"(?!(OK|UNKNOWN|ERROR)\b)"
_POINT = r"(\d+)\s*,\s*(\d+)"
_MOVE = "A point like 7,7 within the time it was given, in a line of its own."
_THINKING = 5.0  # seconds for a move, though the program is given 1 s: these checks test words, not time
_NEEDED = (
    "protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize", "clear_board",
    "komi", "play", "genmove",
)  # fmt: skip
_USEFUL = ("undo", "time_settings", "time_left", "final_score")


def _begun(trial: Trial) -> Dialogue:
    return Dialogue(trial.agent, trial.folder, trial.sandbox, trial.slack)


# Gomocup


def _start(dialogue: Dialogue, size: int = 15) -> None:
    dialogue.say(f"START {size}")
    dialogue.hear("OK.*", "OK, in a line of its own.", skip=_NO_ANSWER)
    dialogue.say("INFO timeout_turn 1000", "INFO timeout_match 0", "INFO rule 0")
    dialogue.pass_over(
        _REFUSAL, "Nothing: INFO has no answer."
    )  # the check of INFO reports it; in a game it is a message


def _point(dialogue: Dialogue, taken: set[str]) -> str:
    line = dialogue.hear(rf"(SUGGEST\s+)?{_POINT}", _MOVE, skip=_TALK, within=_THINKING)
    if line[0].isalpha():  # the manager decides, as in a game
        dialogue.say(f"PLAY {_place(line)}")
        line = dialogue.hear(_POINT, _MOVE, skip=_TALK, within=_THINKING)
    place = _place(line)
    if place in taken or max(map(int, place.split(","))) > 14:
        raise Fault(f"It answered {line!r}, which is taken, or off the board of 15.", "An empty point.")
    taken.add(place)
    return place


def _place(line: str) -> str:
    return ",".join(re.findall(r"\d+", line))


def _about(trial: Trial) -> str | None:
    with _begun(trial) as dialogue:
        dialogue.say("ABOUT")
        line = dialogue.hear(r".*\bname\s*=\s*\S.*", 'A line like name="mine", version="1.0".', skip=_TALK)
        return line[:100]


def _speaks_in_lines(trial: Trial) -> str | None:
    with _begun(trial) as dialogue:
        _start(dialogue)
        dialogue.say("BEGIN")
        _point(dialogue, set())
        if dialogue.ends_lines_by_returns:
            return "its lines end by CR alone, which few managers but this one understand: write LF or CR LF"
        if others := [line for line in dialogue.skipped if not re.match(_TALK, line, re.IGNORECASE)]:
            return f"it says {others[0][:80]!r}, which not all managers pass over: begin what is no answer by MESSAGE"
        return None


def _is_quiet(trial: Trial) -> None:
    with _begun(trial) as dialogue:
        _start(dialogue)
        dialogue.say("INFO some_new_key 7", "INFO time_left 100000")
        dialogue.quiet(0.3, "Nothing: INFO has no answer.", skip=_TALK)
        dialogue.say("DANCE 7")
        dialogue.hear(r"(UNKNOWN|ERROR)\b.*", "UNKNOWN, and it goes on.", skip=_TALK)
        dialogue.say("BEGIN")
        _point(dialogue, set())


def _takes_a_board(trial: Trial) -> None:
    with _begun(trial) as dialogue:
        _start(dialogue)
        taken = {"7,7", "8,8", "6,7", "8,6"}
        dialogue.say("BOARD", "7,7,1", "8,8,2", "6,7,1", "8,6,2", "DONE")
        _point(dialogue, taken)
        dialogue.say("TURN 0,14")
        _point(dialogue, taken | {"0,14"})


def _restarts(trial: Trial) -> str | None:
    with _begun(trial) as dialogue:
        _start(dialogue)
        dialogue.say("BEGIN")
        first = _point(dialogue, set())
        dialogue.say("RESTART")
        if dialogue.hear(r"(OK|UNKNOWN|ERROR)\b.*", "OK, or UNKNOWN.", skip=_TALK)[:2].upper() != "OK":
            return "it does not know RESTART: each of its games begins as a new process"
        dialogue.say(f"TURN {'0,0' if first != '0,0' else '1,1'}")
        _point(dialogue, set())
        return None


def _takes_back(trial: Trial) -> str | None:
    with _begun(trial) as dialogue:
        _start(dialogue)
        dialogue.say("BEGIN")
        first = _point(dialogue, set())
        dialogue.say(f"TAKEBACK {first}")
        if dialogue.hear(r"(OK|UNKNOWN|ERROR)\b.*", "OK, or UNKNOWN.", skip=_TALK)[:2].upper() != "OK":
            return "it does not know TAKEBACK, which only people need"
        dialogue.say("BEGIN")
        _point(dialogue, set())
        return None


def _chooses(trial: Trial) -> str | None:
    with _begun(trial) as dialogue:
        _start(dialogue)
        dialogue.say("SWAP2BOARD", "DONE")
        points = rf"{_POINT}(\s+{_POINT}){{2}}"
        line = dialogue.hear(
            rf"{points}|(UNKNOWN|ERROR)\b.*", "Three points, or UNKNOWN.", skip=_TALK, within=_THINKING
        )
        if line[0].isalpha():
            return "it does not know SWAP2BOARD: it cannot play with opening=swap2"
        dialogue.say("SWAP2BOARD", "7,7", "8,8", "9,7", "DONE")
        dialogue.hear(rf"SWAP|{_POINT}(\s+{_POINT})?", "SWAP, a point, or two.", skip=_TALK, within=_THINKING)
        dialogue.say("SWAP2BOARD", "7,7", "8,8", "9,7", "0,0", "14,14", "DONE")
        dialogue.hear(rf"SWAP|{_POINT}", "SWAP, or a point.", skip=_TALK, within=_THINKING)
        return None


def _ends(trial: Trial) -> None:
    for last in ("END", None):
        with _begun(trial) as dialogue:
            _start(dialogue)
            if last is None:
                dialogue.hang_up()
            else:
                dialogue.say(last)
            dialogue.leaves(f"It leaves within {LEAVING:g} s of END, and where its input ends.")


# GTP


def _succeeds(dialogue: Dialogue, command: str, pattern: str = ".*", within: float = PATIENCE) -> str:
    dialogue.say(command)
    line = dialogue.hear(rf"=\s*{pattern}", f'"= …" and an empty line to {command}.', skip="#", within=within)
    return "\n".join([line[1:].strip(), *dialogue.rest()])


def _fails(dialogue: Dialogue, command: str, why: str) -> None:
    dialogue.say(command)
    dialogue.hear(r"\?.*", f'"? …" and an empty line: {why}.', skip="#")
    dialogue.rest()


def _lists_its_commands(trial: Trial) -> str | None:
    with _begun(trial) as dialogue:
        known = set(_succeeds(dialogue, "list_commands").split())
        if missing := [name for name in _NEEDED if name not in known]:
            raise Fault(f"It does not list {', '.join(missing)}.", "Every command that GTP requires of an engine.")
        _succeeds(dialogue, "protocol_version", "2")
        without = [name for name in _USEFUL if name not in known]
        return f"it has no {', '.join(without)}" if without else None


def _answers_by_number(trial: Trial) -> None:
    with _begun(trial) as dialogue:
        dialogue.say("42 protocol_version")
        dialogue.hear(r"=42\s+2", '"=42 2": the number of the command, then the answer.', skip="#")
        dialogue.rest()
        _fails(dialogue, "dance", "an unknown command is refused, and it goes on")
        _succeeds(dialogue, "known_command dance", "false")
        dialogue.say("# a comment", "")
        _succeeds(dialogue, "known_command genmove", "true")


def _knows_vertices(trial: Trial) -> None:
    with _begun(trial) as dialogue:
        for command in ("boardsize 9", "clear_board", "komi 5.5"):
            _succeeds(dialogue, command)
        _succeeds(dialogue, "play black J1")
        _succeeds(dialogue, "play w c9")
        _fails(dialogue, "play black J1", "the point is taken")
        _fails(dialogue, "play black I5", "there is no column I")
        _succeeds(dialogue, "genmove b", r"([A-HJ][1-9]|pass|resign)\b.*", within=2 * _THINKING)


def _quits(trial: Trial) -> None:
    for last in ("quit", None):
        with _begun(trial) as dialogue:
            _succeeds(dialogue, "boardsize 9")
            if last is None:
                dialogue.hang_up()
            else:
                _succeeds(dialogue, last)
            dialogue.leaves(f"It leaves within {LEAVING:g} s of quit, and where its input ends.")


# JSON


def _leaves_json(trial: Trial) -> None:
    with _begun(trial) as dialogue:
        dialogue.say(json.dumps({"type": "weather", "is": "fine"}))
        dialogue.quiet(0.2, "Nothing: an unknown type is passed over.")
        dialogue.hang_up()
        dialogue.leaves(f"It leaves within {LEAVING:g} s where its input ends.")


PIPE_CHECKS: dict[str, tuple[Check, ...]] = {
    "gomocup": (
        Check("about", "it tells its name when asked ABOUT", _about),
        Check("lines", "it speaks in lines", _speaks_in_lines),
        Check("info", "it answers nothing to INFO, UNKNOWN to what it does not know, and goes on", _is_quiet),
        Check("board", "it takes a BOARD, and goes on from there", _takes_a_board),
        Check("restart", "it begins again after RESTART", _restarts),
        Check("takeback", "it takes a move back", _takes_back),
        Check("swap2", "it lays the first stones of swap2, and chooses", _chooses),
        Check("end", "it leaves after END, and where its input ends", _ends),
    ),
    "gtp": (
        Check("commands", "it lists every command that GTP requires", _lists_its_commands),
        Check("numbers", "it answers with the command's number, refuses what it does not know, and goes on",
               _answers_by_number),
        Check("vertices", "it knows columns without I, and refuses points that are taken", _knows_vertices),
        Check("quit", "it leaves after quit, and where its input ends", _quits),
    ),
    "json": (
        Check("input_ends", "it passes over what it does not know, and leaves where its input ends", _leaves_json),
    ),
}  # fmt: skip
