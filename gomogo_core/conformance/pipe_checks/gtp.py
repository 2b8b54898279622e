"""The additional checks of programs that speak GTP.

The referee knows the protocol; `agent_checks` plays whole games.
"""

from __future__ import annotations

from gomogo_core.conformance.agent_checks import Check
from gomogo_core.conformance.dialogue import LEAVING, PATIENCE, Dialogue
from gomogo_core.conformance.trial import Fault, Trial

PROTOCOL = "gtp"
_THINKING = 5.0  # seconds for a move, though the program is given 1 s: these checks test words, not time
_NEEDED = (
    "protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize", "clear_board",
    "komi", "play", "genmove",
)  # fmt: skip
_USEFUL = ("undo", "time_settings", "time_left", "final_score")


def _expect_success(dialogue: Dialogue, command: str, pattern: str = ".*", within: float = PATIENCE) -> str:
    dialogue.say(command)
    line = dialogue.expect(rf"=\s*{pattern}", f'"= …" and an empty line to {command}.', skip="#", within=within)
    return "\n".join([line[1:].strip(), *dialogue.remaining_lines()])


def _fails(dialogue: Dialogue, command: str, reason: str) -> None:
    dialogue.say(command)
    dialogue.expect(r"\?.*", f'"? …" and an empty line: {reason}.', skip="#")
    dialogue.remaining_lines()


def _lists_its_commands(trial: Trial) -> str | None:
    with Dialogue.of(trial) as dialogue:
        known = set(_expect_success(dialogue, "list_commands").split())
        if missing := [name for name in _NEEDED if name not in known]:
            raise Fault(f"It does not list {', '.join(missing)}.", "Every command that GTP requires of an engine.")
        _expect_success(dialogue, "protocol_version", "2")
        without = [name for name in _USEFUL if name not in known]
        return f"it has no {', '.join(without)}" if without else None


def _answers_by_number(trial: Trial) -> None:
    with Dialogue.of(trial) as dialogue:
        dialogue.say("42 protocol_version")
        dialogue.expect(r"=42\s+2", '"=42 2": the number of the command, then the answer.', skip="#")
        dialogue.remaining_lines()
        _fails(dialogue, "dance", "an unknown command is refused, and it goes on")
        _expect_success(dialogue, "known_command dance", "false")
        dialogue.say("# a comment", "")
        _expect_success(dialogue, "known_command genmove", "true")


def _knows_vertices(trial: Trial) -> None:
    with Dialogue.of(trial) as dialogue:
        for command in ("boardsize 9", "clear_board", "komi 5.5"):
            _expect_success(dialogue, command)
        _expect_success(dialogue, "play black J1")
        _expect_success(dialogue, "play w c9")
        _fails(dialogue, "play black J1", "the point is taken")
        _fails(dialogue, "play black I5", "there is no column I")
        _expect_success(dialogue, "genmove b", r"([A-HJ][1-9]|pass|resign)\b.*", within=2 * _THINKING)


def _quits(trial: Trial) -> None:
    for last in ("quit", None):
        with Dialogue.of(trial) as dialogue:
            _expect_success(dialogue, "boardsize 9")
            if last is None:
                dialogue.close_input()
            else:
                _expect_success(dialogue, last)
            dialogue.expect_exit(f"It leaves within {LEAVING:g} s of quit, and where its input ends.")


CHECKS = (
    Check("commands", "it lists every command that GTP requires", _lists_its_commands),
    Check("numbers", "it answers with the command's number, refuses what it does not know, and goes on",
           _answers_by_number),
    Check("vertices", "it knows columns without I, and refuses points that are taken", _knows_vertices),
    Check("quit", "it leaves after quit, and where its input ends", _quits),
)  # fmt: skip
