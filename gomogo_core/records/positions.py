"""The positions of played games as rows for learning: the board, the mover, the move, and the result.

Rows are created one by one, so any number of games can be written. The module uses records and rules, but no store and
no file.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from gomogo_core.games.base import RESIGN
from gomogo_core.printable import printable
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.rows import share_of_opponents_beaten

SCHEMA = 1  # the version of the rows; increase it when readers of older rows would misread new rows
ROW_FIELDS = (
    *("schema", "key", "game", "ply", "seat", "mark", "board", "move"),
    *("opening", "seconds", "thoughts", "score", "result", "reason", "players"),
)


def position_rows(played_game: PlayedGame) -> Iterator[dict[str, Any]]:
    """Yield a row for each move, with the position before it.

    board: the rows of the board from row 1, separated by slashes. mark: the character of the player to move.
    opening: whether the move belongs to the opening; such a move has no seconds. result: 1 if the player to move won,
    0.5 for a draw, 0 for a loss; with more players, the share of the other players that this player beat; None in a
    void game.
    """
    rules, is_void = played_game.rules(), played_game.outcome.is_void
    position = rules.start()
    for ply_index, ply in enumerate(played_game.plies):
        index = ply_index - played_game.opening_length
        is_opening = index < 0
        if ply.move != RESIGN:
            yield {
                "schema": SCHEMA,
                "key": played_game.key,
                "game": played_game.game,
                "ply": ply_index + 1,
                "seat": ply.seat,
                "mark": position.mark(ply.seat),
                "board": "/".join(position.rows()),
                "move": ply.move,
                "opening": is_opening,
                "seconds": None if is_opening else played_game.seconds[index],
                "thoughts": None if is_opening else played_game.thoughts[index],
                "score": None if is_opening or not played_game.scores else played_game.scores[index],
                "result": None if is_void else share_of_opponents_beaten(played_game.outcome.ranks, ply.seat),
                "reason": played_game.outcome.reason.value,
                "players": list(played_game.names),
            }
        position = rules.apply_action(position, ply.seat, ply.move)


def positions_as_json(games: Iterable[PlayedGame]) -> Iterator[bytes]:
    """Yield the lines of each game: a JSON object per position."""
    for played_game in games:
        yield "".join(json.dumps(row) + "\n" for row in position_rows(played_game)).encode()


def positions_as_csv(games: Iterable[PlayedGame]) -> Iterator[bytes]:
    """Yield a line of column names, and then the lines of each game, one per position.

    True and false are written as 1 and 0, and `players` as JSON.
    """
    yield _csv_text([ROW_FIELDS])
    for played_game in games:
        yield _csv_text([_csv_field(value) for value in row.values()] for row in position_rows(played_game))


def _csv_text(rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _csv_field(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        return printable(value, lines=True)
    return json.dumps(value) if isinstance(value, list) else value


PositionFormat: TypeAlias = Callable[[Iterable[PlayedGame]], Iterator[bytes]]
POSITION_FORMATS: dict[str, PositionFormat] = {"positions-csv": positions_as_csv, "positions-jsonl": positions_as_json}
