"""The lines of the file protocol: parses the lines of agents, and formats the lines of the referee.

The module depends on rules and outcomes. It does not depend on files, clocks or processes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Game, NotAMove, Outcome, Position, Reason

MAX_LINE_BYTES = 4096  # the limit for an agent's line; the rest is not read
_LETTER_AND_NUMBER = re.compile(r"([a-z])([0-9]+)")
_TEAM_NAME_PATTERN = re.compile(r"[A-Za-z0-9_.-]{1,40}")


def check_teams(teams: Sequence[str]) -> None:
    """Raise UserError unless every name is valid as a file name and as the first word of a line, and all differ."""
    for team in teams:
        if not _TEAM_NAME_PATTERN.fullmatch(team) or not any(c.isalnum() for c in team):
            raise UserError(
                f"{_printable_line(team)} cannot be a team's name, because such names are also parts of file names.",
                "Use at most 40 letters, digits, '_', '-' and '.', and at least one letter or digit.",
            )
    if len({team.casefold() for team in teams}) < len(teams):
        raise UserError(f"Two teams have the same name: {', '.join(teams)}.", "Give each team a name of its own.")


def distinct_team_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of teams as `distinct_names` does. Raises UserError if the file protocol does not allow such a
    name.

    >>> distinct_team_names(["greedy", "greedy"])
    ('greedy', 'greedy-2')
    """
    team_names = distinct_names(names)
    check_teams(team_names)
    return team_names


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Append -2, -3 … to repeated names, so that all names differ.

    >>> distinct_names(["Ann", "ann", "李雷"])
    ('Ann', 'ann-2', '李雷')
    """
    result, used_names, last_numbers = list[str](), set[str](), dict[str, int]()
    for name in names:
        candidate, casefolded = name, name.casefold()
        while candidate.casefold() in used_names:
            number = last_numbers[casefolded] = last_numbers.get(casefolded, 1) + 1
            candidate = f"{name[:36]}-{number}"
        result.append(candidate)
        used_names.add(candidate.casefold())
    return tuple(result)


@lru_cache(maxsize=4096)
def spaced_text(move: str) -> str:
    """Return a move in the form of the protocol: "h 8" for "h8"; words such as "pass" stay as they are."""
    match = _LETTER_AND_NUMBER.fullmatch(move)
    return f"{match[1]} {match[2]}" if match else move


def move_line(team: str, move: str) -> str:
    """Return the referee's line for an accepted move."""
    return f"{team} {spaced_text(move)}\n"


class LineMeaning(Enum):
    """The meaning of a text in `move_file`, on the assumption that its writer has finished."""

    UNFINISHED = "no text, or the beginning of a legal line"
    MOVE = "the team's name and a move"
    NO_MOVE = "the team's name and another text, or a line that begins with no team's name"
    OTHER_TEAM = "a line that begins with another team's name"


class MoveLine(NamedTuple):
    """A parsed line of `move_file`.

    move_or_error: the text of the move if the meaning is MOVE, else a sentence about the fault. may_continue: whether
    the text is a move, but may also be the beginning of a longer legal line: "x h 1" may become "x h 12".
    """

    meaning: LineMeaning
    move_or_error: str = ""
    may_continue: bool = False


def parse_move_line(content: bytes, team: str, teams: Sequence[str], position: Position) -> MoveLine:
    """Parse the content of `move_file` in the turn of `team`.

    Capitals, additional blanks, a missing newline, further fields and further lines are allowed.
    """
    first_line, line_end, _ = content.partition(b"\n")
    first_fields = first_line.split(b" ")  # nearly every line has this form, which takes a third of the time
    if line_end and len(first_fields) == 3 and first_fields[0] == team.encode() and first_line.isascii():
        move_text = first_line[len(first_fields[0]) + 1 :].decode()
        try:
            position.game.parse(move_text)
        except NotAMove:
            pass  # further fields may follow a move
        else:
            return MoveLine(LineMeaning.MOVE, move_text)
    text = content[:MAX_LINE_BYTES].decode("utf-8-sig", "replace").casefold()
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return MoveLine(LineMeaning.UNFINISHED)
    fields = lines[0].split()
    is_complete = len(lines) > 1 or text.endswith(("\n", "\r")) or len(content) >= MAX_LINE_BYTES
    if fields[0] == team.casefold() and (move := _parse_move(fields[1:], position.game)):
        return MoveLine(
            LineMeaning.MOVE, move, not is_complete and len(fields) <= 3 and _may_grow(fields, team, position)
        )
    names_other_team = fields[0] != team.casefold() and fields[0] in (other_team.casefold() for other_team in teams)
    # the beginning of the name, such as "al" of "alpha"
    is_start_of_own_name = len(fields) == 1 and not is_complete and team.casefold().startswith(fields[0])
    if names_other_team and not is_start_of_own_name:
        return MoveLine(LineMeaning.OTHER_TEAM, f"the line {_printable_line(lines[0])} names another team")
    if any(line.startswith(" ".join(fields)) for line in _legal_lines(team, position)):
        return MoveLine(LineMeaning.UNFINISHED)
    reason = ": not a move"
    if fields[0] != team.casefold():
        reason = " does not begin with the team's name"
    else:
        try:
            position.game.parse(" ".join(fields[1:3]))
        except NotAMove as error:
            reason = f": {error}"
    return MoveLine(LineMeaning.NO_MOVE, f"the line {_printable_line(lines[0])}{reason}")


def _parse_move(fields: Sequence[str], game: Game) -> str | None:
    """Return the text of the move in the first one or two of `fields`; None if there is no move."""
    for field_count in (2, 1):
        move_text = " ".join(fields[:field_count])
        if len(fields) < field_count:
            continue
        if move_text == RESIGN:
            return move_text
        try:
            game.parse(move_text)
        except NotAMove:
            continue
        return move_text
    return None


def _legal_lines(team: str, position: Position) -> Iterator[str]:
    for move in position.moves():
        yield f"{team.casefold()} {spaced_text(position.game.format(move))}"
    yield f"{team.casefold()} {RESIGN}"


def _may_grow(fields: Sequence[str], team: str, position: Position) -> bool:
    line_so_far = f"{fields[0]} {spaced_text(''.join(fields[1:3]))}"
    return any(line.startswith(line_so_far) and line != line_so_far for line in _legal_lines(team, position))


def _printable_line(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def moves_in_history(history: str) -> Iterator[tuple[str, str]]:
    """Yield the team and the move of each complete line of a `history_file`."""
    for line in history.split("\n")[:-1]:
        team, _, move = line.partition(" ")
        yield team, move.strip()


_RESULT_WORDS = {
    Reason.RESIGNED: "resigned",
    Reason.AGREEMENT: "by agreement",
    Reason.OUT_OF_TIME: "out of time",
    Reason.ILLEGAL_MOVE: "invalid move",
    Reason.NOT_A_MOVE: "invalid move",
    Reason.OUT_OF_TURN: "out of order move",
    Reason.CRASHED: "crashed",
    Reason.TOO_MUCH_MEMORY: "too much memory",
    Reason.CPU_OUT_OF_TURN: "CPU time out of turn",
    Reason.FORBIDDEN: "forbidden move",
    Reason.MOVE_CAP: "move cap",
}


def result_line(outcome: Outcome, teams: Sequence[str]) -> str:
    """Return the line of `end_game`, with its newline.

    The winner comes first, and two blanks follow WINS! and LOSES!.
    """
    reason_words = _RESULT_WORDS.get(outcome.reason, outcome.detail)
    if outcome.reason in (Reason.LINE, Reason.BOARD_FULL):
        reason_words += "!"
    if outcome.is_void:
        return f"END: VOID! {outcome.reason.value.replace('_', ' ')}\n"
    if outcome.winner is None:
        return f"END: TIE! {reason_words}\n"
    ranked_teams = sorted(zip(outcome.ranks, teams, strict=True), key=lambda rank_and_team: rank_and_team[0])
    team_results = "  ".join(f"{team} {'WINS!' if rank == 1 else 'LOSES!'}" for rank, team in ranked_teams)
    return f"END: {team_results}  {reason_words}\n"
