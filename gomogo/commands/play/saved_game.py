"""The file of an unfinished game, which the command `save` writes and `gomogo play --load` reads.

The file is JSON with the keys of a game's record (records/game_record.py), so that a record can be loaded, too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gomogo.output_files import write_atomically
from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Game, IllegalMove, NotAMove
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import SCHEMA
from gomogo_core.regular_files import read_user_file
from gomogo_core.session.actions import Action, SeatInfo
from gomogo_core.session.game_session import GameSession

_MAX_BYTES = 16_000_000  # larger than the file of the longest game that Gomogo can save


def write_saved_game(session: GameSession, path: Path) -> None:
    """Write a session to `path`. Raises UserError if `path` cannot be written, or is a file other than a saved game."""
    if path.exists():
        try:
            read_saved_game(path)
        except UserError:
            raise UserError(
                f"{path} already exists and is not a saved game, so it was not overwritten.",
                "Choose another file name.",
            ) from None
    game_json = {
        "schema": SCHEMA,
        "game": session.game.name,
        "options": session.game.options,
        "specs": [seat_info.spec for seat_info in session.seat_infos],
        "names": session.names,
        "controls": [asdict(seat_info.control) for seat_info in session.seat_infos],
        "plies": session.plies,
    }
    try:
        write_atomically(path, (json.dumps(game_json, indent=1) + "\n").encode())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}.", "Save to another folder: save PATH.") from None


def unused_file_name(game: Game, folder: Path) -> Path:
    """Return an unused file name in `folder` for a saved game."""
    stem, number = f"{game.name}-{time.strftime('%Y-%m-%d-%H%M')}", 1
    path = folder / f"{stem}.json"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.json"
    return path


def read_saved_game(path: Path) -> GameSession:
    """Return the game in the file `path`. Raises UserError if it has no valid game, or the game is over.

    The humans of the session have no identity yet. Each player's time control gives only the time that was left when
    the game was saved.
    """
    try:
        game_json = json.loads(read_user_file(path, _MAX_BYTES, "Name a file that `save` wrote."))
    except (ValueError, RecursionError):
        raise _broken_file_error(path, "it is not JSON") from None
    if isinstance(game_json, dict) and game_json.get("schema", SCHEMA) != SCHEMA:
        raise _broken_file_error(
            path, f"it has schema {game_json['schema']!r}, and this version of Gomogo reads {SCHEMA}"
        )
    try:
        game = games.load(*_as_texts([game_json["game"]]), **game_json["options"])
        specs = _as_texts(game_json["specs"])
        names = _as_texts(game_json.get("names", specs))
        controls = [TimeControl(**control) for control in game_json["controls"]]
        plies = [Ply(int(seat), *_as_texts([move])) for seat, move in game_json["plies"]]
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else "a value in it has the wrong type"
        raise _broken_file_error(path, reason) from None
    except UserError as error:
        raise _broken_file_error(path, error.problem.rstrip(".")) from None
    if not len(specs) == len(names) == len(controls) == game.seats:
        raise _broken_file_error(path, f"{game.name} is for {game.seats} players")
    _check_moves(path, game, plies)
    actions = [Action(ply.seat, ply.move, 0.0) for ply in plies]
    return GameSession(game, tuple(map(SeatInfo, names, specs, controls)), actions=actions)


def _as_texts(values: Sequence[Any]) -> tuple[str, ...]:
    if isinstance(values, str) or not all(isinstance(value, str) for value in values):
        raise TypeError
    return tuple(values)


def _check_moves(path: Path, game: Game, plies: Sequence[Ply]) -> None:
    position = game.start()
    for number, ply in enumerate(plies, 1):
        if position.to_move != ply.seat and ply.move != RESIGN:
            raise _broken_file_error(
                path, f"move {number} is by seat {ply.seat}, but it is the turn of seat {position.to_move}"
            )
        try:
            position = game.apply_action(position, ply.seat, ply.move)
        except NotAMove as error:
            raise _broken_file_error(path, f"move {number}: {error}") from None
        except IllegalMove as error:
            raise _broken_file_error(path, f"move {number}: {error.why}") from None
    if position.outcome() is not None:
        raise UserError(f"The game in {path} is over.", "Replay it with `gomogo replay`, or play a new game.")


def _broken_file_error(path: Path, reason: str) -> UserError:
    return UserError(f"{path} is not a saved game: {reason}.", "Name a file that `save` wrote.")
