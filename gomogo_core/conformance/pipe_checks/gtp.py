"""The additional checks of programs that speak GTP. The module agent_checks.py plays whole games."""

from __future__ import annotations

from gomogo_core.conformance.agent_checks import AgentCheck
from gomogo_core.conformance.dialogue import ANSWER_TIMEOUT, EXIT_TIMEOUT, Dialogue
from gomogo_core.conformance.trial import CheckFailed, Trial

PROTOCOL = "gtp"
_MOVE_LIMIT = 5.0  # seconds for a move; these checks do not test times
_NEEDED_COMMANDS = (
    "protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize", "clear_board",
    "komi", "play", "genmove",
)  # fmt: skip
_USEFUL_COMMANDS = ("undo", "time_settings", "time_left", "final_score")


def _expect_success(dialogue: Dialogue, command: str, pattern: str = ".*", within: float = ANSWER_TIMEOUT) -> str:
    dialogue.send(command)
    line = dialogue.expect_line(rf"=\s*{pattern}", f'"= …" and an empty line to {command}.', skip="#", seconds=within)
    return "\n".join([line[1:].strip(), *dialogue.remaining_lines()])


def _expect_failure(dialogue: Dialogue, command: str, reason: str) -> None:
    dialogue.send(command)
    dialogue.expect_line(r"\?.*", f'"? …" and an empty line: {reason}.', skip="#")
    dialogue.remaining_lines()


def _check_commands(trial: Trial) -> str | None:
    with Dialogue.with_agent(trial) as dialogue:
        listed_names = set(_expect_success(dialogue, "list_commands").split())
        if missing_names := [name for name in _NEEDED_COMMANDS if name not in listed_names]:
            raise CheckFailed(
                f"It does not list {', '.join(missing_names)}.", "Every command that GTP requires of an engine."
            )
        _expect_success(dialogue, "protocol_version", "2")
        missing_useful = [name for name in _USEFUL_COMMANDS if name not in listed_names]
        return f"it has no {', '.join(missing_useful)}" if missing_useful else None


def _check_command_numbers(trial: Trial) -> None:
    with Dialogue.with_agent(trial) as dialogue:
        dialogue.send("42 protocol_version")
        dialogue.expect_line(r"=42\s+2", '"=42 2": the number of the command, then the answer.', skip="#")
        dialogue.remaining_lines()
        _expect_failure(dialogue, "dance", "it refuses an unknown command, and continues")
        _expect_success(dialogue, "known_command dance", "false")
        dialogue.send("# a comment", "")
        _expect_success(dialogue, "known_command genmove", "true")


def _check_vertices(trial: Trial) -> None:
    with Dialogue.with_agent(trial) as dialogue:
        for command in ("boardsize 9", "clear_board", "komi 5.5"):
            _expect_success(dialogue, command)
        _expect_success(dialogue, "play black J1")
        _expect_success(dialogue, "play w c9")
        _expect_failure(dialogue, "play black J1", "the point is taken")
        _expect_failure(dialogue, "play black I5", "there is no column I")
        _expect_success(dialogue, "genmove b", r"([A-HJ][1-9]|pass|resign)\b.*", within=2 * _MOVE_LIMIT)


def _check_quit_command(trial: Trial) -> None:
    for last_command in ("quit", None):
        with Dialogue.with_agent(trial) as dialogue:
            _expect_success(dialogue, "boardsize 9")
            if last_command is None:
                dialogue.close_input()
            else:
                _expect_success(dialogue, last_command)
            dialogue.expect_exit(f"It exits within {EXIT_TIMEOUT:g} s after quit, and when its input ends.")


CHECKS = (
    AgentCheck("commands", "it lists every command that GTP requires", _check_commands),
    AgentCheck("numbers", "it answers with the number of the command, refuses unknown commands, and continues",
           _check_command_numbers),
    AgentCheck("vertices", "it knows columns without I, and refuses occupied points", _check_vertices),
    AgentCheck("quit", "it exits after quit, and when its input ends", _check_quit_command),
)  # fmt: skip
