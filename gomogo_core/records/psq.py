"""Writes and reads a game of Gomoku as PSQ, the format of Piskvork, with stones and milliseconds.

The last number of the first line is the player, 0 or 1, that made the first move. After the moves come the names of
player 0 and player 1, and then the code of the end; tournaments add further lines. The format cannot express swaps, so
player 0 is always black in files written here, even if the other player made the first move.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Position, Reason
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.level_names import displayed_name, recorded_name
from gomogo_core.play.clock import NO_LIMIT
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame

_HEADER_PATTERN = re.compile(r"Piskvorky (\d{1,4})x(\d{1,4}), (\d{1,9}):(\d{1,9}), ([01])")
_PLAYER_LEVELS = "11:11"  # stands for two programs with the longest time of Piskvork
_STONE_PATTERN = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*(?:,\s*(-?\d{1,12})\s*)?")
_END_CODE_PATTERN = re.compile(r"-?\d{1,4}")
_TIME_OUT_CODE = 15  # Piskvork's code for a game lost on time


def write_psq(played_game: PlayedGame) -> bytes:
    """Return the game as PSQ. Raises UserError for a game other than gomoku."""
    rules = played_game.rules()
    if not isinstance(rules, Gomoku):
        raise UserError(f"PSQ is only for gomoku, and this is {played_game.game}.", "Export it with --format json.")
    lines = [f"Piskvorky {rules.size}x{rules.size}, {_PLAYER_LEVELS}, 0"]
    positions = played_game.positions()
    for ply_index, (position, ply) in enumerate(zip(positions, played_game.plies, strict=False)):
        move = rules.parse(ply.move)
        assert isinstance(position, GomokuPosition)
        if isinstance(move, Point) and position.at(move) is None:
            move_index = ply_index - played_game.opening_length
            milliseconds = round(1000 * played_game.seconds[move_index]) if move_index >= 0 else 0
            lines.append(f"{move.column},{move.row},{milliseconds}")
    last_position = positions[-1]
    assert isinstance(last_position, GomokuPosition)
    names = (played_game.names[last_position.black - 1], played_game.names[2 - last_position.black])
    lines += [_clean_name(displayed_name(name)) for name in names]
    lines.append(str(_TIME_OUT_CODE if played_game.outcome.reason is Reason.OUT_OF_TIME else 0))
    return "".join(f"{line}\n" for line in lines).encode()


def _clean_name(name: str) -> str:
    """Return a name as one line that no reader can mistake for a move or for the code of the end."""
    clean = "".join(character if character.isprintable() else "?" for character in name).strip() or "?"
    return f"_{clean}" if _STONE_PATTERN.fullmatch(clean) or _END_CODE_PATTERN.fullmatch(clean) else clean


class Stone(NamedTuple):
    """One stone of a file.

    line: the number of the stone's line in the file. board_size: the numbers of columns and rows. seconds: the thinking
    time.
    """

    line: int
    board_size: tuple[int, int]
    point: Point
    seconds: float


def read_stones(content: bytes, source: str) -> Iterator[Stone]:
    """Yield every stone of a PSQ file in turn, legal or illegal. Raises UserError for any other file.

    source: the name of the file, for errors.
    """
    lines = content.decode("utf-8", "replace").splitlines()
    board_size = _read_header(lines, source)[:2]
    for number, line in enumerate(lines[1:], 2):
        match = _STONE_PATTERN.fullmatch(line)
        if match is None:
            break
        yield Stone(number, board_size, Point(int(match[1]), int(match[2])), max(0, int(match[3] or 0)) / 1000)


def _read_header(lines: Sequence[str], source: str) -> tuple[int, int, int]:
    """Return the number of columns, the number of rows, and the number of the player that made the first move."""
    header = _HEADER_PATTERN.fullmatch(lines[0].strip()) if lines else None
    if header is None:
        raise UserError(
            f"{source}, line 1 is not a header of Piskvork.", "Use a file that begins like `Piskvorky 15x15, 11:11, 0`."
        )
    return int(header[1]), int(header[2]), int(header[5])


def read_psq(content: bytes, source: str) -> PlayedGame:
    """Read the game in a PSQ file; black has the first seat. Raises UserError with the line and the reason."""
    stones = list(read_stones(content, source))
    lines = content.decode("utf-8", "replace").splitlines()
    *sides, first_player = _read_header(lines, source)
    if sides[0] != sides[1]:
        raise UserError(f"{source}, line 1: the board is not square.", "Gomoku boards must be square.")
    try:
        position: Position = load("gomoku", size=sides[0]).start()
    except UserError as error:
        raise UserError(f"{source}, line 1: {error.problem}", error.remedy) from None
    plies, seconds = list[Ply](), list[float]()
    for stone in stones:
        if reason := position.why_illegal(stone.point):
            raise UserError(
                f"{source}, line {stone.line}: {lines[stone.line - 1].strip()}: {reason}.",
                "Correct the line, or remove it.",
            )
        plies.append(Ply(position.to_move, position.game.format(stone.point)))
        seconds.append(stone.seconds)
        position = position.play(stone.point)
    ending_lines = lines[len(plies) + 1 :]
    names, code = _read_ending([line.strip() for line in ending_lines if line.strip()])
    names = (recorded_name(names[0]), recorded_name(names[1]))
    if first_player == 1:
        names = names[::-1]
    return PlayedGame(
        game="gomoku",
        options=dict(position.game.options),
        specs=names,
        names=names,
        controls=(NO_LIMIT, NO_LIMIT),
        plies=tuple(plies),
        opening_length=0,
        seconds=tuple(seconds),
        clocks=(None,) * len(plies),
        thoughts=(None,) * len(plies),
        warnings=(),
        outcome=_outcome_from_code(position, code),
        started=0.0,
        duration=sum(seconds),
    )


def _read_ending(lines: list[str]) -> tuple[tuple[str, str], int]:
    """Return the two names and the code of the end from the lines after the moves; each of these may be missing."""
    # with fewer than three lines, the code may be missing; a number can also be a player's name
    code_line = lines[2] if len(lines) > 2 else lines[-1] if lines else ""
    names = lines[:2] if len(lines) > 2 else [line for line in lines if not _END_CODE_PATTERN.fullmatch(line)]
    code = int(code_line) if _END_CODE_PATTERN.fullmatch(code_line) else 0
    return (names[0] if names else "black", names[1] if len(names) > 1 else "white"), code


def _outcome_from_code(last_position: Position, code: int) -> Outcome:
    if (outcome := last_position.outcome()) is not None:
        return outcome
    if code == _TIME_OUT_CODE:
        return Outcome.won_by(3 - last_position.to_move, Reason.OUT_OF_TIME, "out of time, according to the file")
    return Outcome((0, 0), Reason.INTERRUPTED, "the file does not say how the game ended")
