"""The file formats of a game, by the suffix of the file name: JSON, and formats that have modules of their own."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games.base import IllegalMove, NotAMove, ReasonKind
from gomogo_core.records import psq, sgf
from gomogo_core.records.game_record import MAX_SECONDS, PlayedGame
from gomogo_core.regular_files import read_user_file

_MAX_UNIX_TIME = 253_402_300_800  # the end of the year 9999, the last year that Python's dates support
_CONTENT_ERRORS = (ValueError, KeyError, TypeError, ArithmeticError, AttributeError, RecursionError)
_MAX_RECORD_BYTES = 64_000_000  # the largest record that is read: a game of 10,000 moves has about 2 MB


class FileFormat(NamedTuple):
    """A file format.

    write: a function that converts a record to the content of a file. read: a function that converts such content to a
    record; its second parameter is the name of the file, for error messages.
    """

    write: Callable[[PlayedGame], bytes]
    read: Callable[[bytes, str], PlayedGame]


def _parse_finite_number(number: str) -> float:
    """Raise ValueError for numbers that Python's JSON accepts and browsers refuse."""
    if not math.isfinite(value := float(number)):
        raise ValueError(f"{number[:20]} is not a finite number")
    return value


def _read_json(content: bytes, source: str) -> PlayedGame:
    try:
        json_values = json.loads(content, parse_float=_parse_finite_number, parse_constant=_parse_finite_number)
        if not isinstance(json_values, dict):
            raise TypeError("it is not a JSON object")
        played_game = PlayedGame.from_json(json_values)
        # check that every value has the right type, so that all parts of Gomogo can show the record
        msgspec.convert(msgspec.to_builtins(played_game), PlayedGame)
        _check_consistency(played_game)
        played_game.positions()
    except UserError as error:
        raise UserError(f"{source}: {error.problem}", error.remedy) from None
    except (*_CONTENT_ERRORS, NotAMove, IllegalMove) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        raise UserError(f"{source} is not the record of a game: {reason}.", "Take a file that Gomogo wrote.") from None
    return played_game


def _check_consistency(played_game: PlayedGame) -> None:
    """Raise ValueError if the record has too few or too many values, or if its times, scores or ranks are not valid.

    A record has one value for each seat, and one for each move after the opening.
    """
    game, outcome = played_game, played_game.outcome
    seats, move_count, seats_needed = len(game.names), len(game.plies) - game.opening_length, game.rules().seats
    optional = (outcome.scores, game.outputs, game.cpu, game.waited, game.cpu_out_of_turn, game.hashes)
    by_seat: list[Sequence[object]] = [game.specs, game.controls, outcome.ranks, *filter(None, optional)]
    by_move: list[Sequence[object]] = [game.seconds, game.clocks, game.thoughts]
    by_move += filter(None, (game.scores, game.lines, game.values))
    if seats != seats_needed or any(len(values) != seats for values in by_seat):
        raise ValueError(f"it does not have one value for each of {seats_needed} players")
    if not 0 <= game.opening_length <= len(game.plies) or any(len(values) != move_count for values in by_move):
        raise ValueError("the numbers of moves, seconds, clocks and thoughts differ")
    if not all(0 <= seconds < MAX_SECONDS for seconds in (*game.seconds, game.duration)):
        raise ValueError("its seconds are not valid times")
    if not 0 <= game.started < _MAX_UNIX_TIME:
        raise ValueError("its start is not a valid time")
    if not all(isinstance(score, int | float) and math.isfinite(score) for score in outcome.scores or ()):
        raise ValueError("its final scores are not numbers")
    best_rank, *worse_ranks = sorted(set(outcome.ranks))
    if (best_rank or worse_ranks) if outcome.is_void else best_rank != 1:
        raise ValueError("no player has rank 1, or the game is void and has ranks")
    if outcome.reason.kind is ReasonKind.FORFEIT and 2 not in worse_ranks:
        raise ValueError("it ended by a fault, but no player lost")
    named_seats = {ply.seat for ply in game.plies} | {seat for _, seat, _ in game.warnings}
    named_seats |= {player.seat for player in game.departed}
    if not named_seats <= set(range(1, seats + 1)):
        raise ValueError("it names a seat that does not exist")


FORMATS = {
    "sgf": FileFormat(sgf.write_sgf, sgf.read_sgf),
    "psq": FileFormat(psq.write_psq, psq.read_psq),
    "json": FileFormat(lambda played_game: (json.dumps(played_game.as_json()) + "\n").encode(), _read_json),
}


def read_game_file(path: Path) -> PlayedGame:
    """Read the game in a file, whose suffix names the format. Raises UserError if the file contains no game."""
    if not path.exists():
        raise UserError(
            f"There is no file {path}.", "Name the file of a record, or the beginning of a stored game's key."
        )
    suffix = path.suffix.removeprefix(".").casefold()
    if suffix not in FORMATS:
        raise UserError(f"{path}: a record does not end in {suffix!r}.", suggest_name(suffix, FORMATS))
    return FORMATS[suffix].read(read_user_file(path, _MAX_RECORD_BYTES, "Name the file of a record."), str(path))


def game_file_name(played_game: PlayedGame, suffix: str) -> str:
    """Return a file name for a game, safe on every system: the players' names, and the beginning of the key."""
    players = "-".join(re.sub(r"[^A-Za-z0-9_]+", "_", name)[:30] for name in played_game.names)
    return f"{players}-{re.sub(r'[^A-Za-z0-9]', '', played_game.key)[:8]}.{suffix}"
