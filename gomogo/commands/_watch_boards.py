"""Draws the boards of running games side by side, as lines of text.

Reads live files; uses neither the store nor the terminal.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from gomogo_core.drawing.text import board, format_clock, printable
from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Move, Position, Seat
from gomogo_core.records.live_format import (
    UNREADABLE_FILE_ERRORS,
    clocks_at_start,
    live_games,
    read_live_events,
    read_move_event,
)

_BOARD_GAP = "    "  # the space between two boards
_COLOUR_CODE = re.compile(r"\x1b\[[\d;]*m")


class WatchedGame(NamedTuple):
    """A running game as read from its live file. move_count: the number of moves.

    remaining_seconds: each seat's remaining seconds for the whole game; None for no limit. turn_started: the time
    (Unix) at which the current turn began.
    """

    names: tuple[str, ...]
    position: Position
    last_move: Move | None
    move_count: int
    remaining_seconds: tuple[float | None, ...]
    turn_started: float


def read_watched_games(folder: Path, *runs: str) -> Iterator[WatchedGame]:
    """Yield the running games of these runs, from the live files in `folder`. The name "" stands for single games.

    The function skips unreadable files.
    """
    for game in live_games(folder):
        if game.run in runs:
            try:
                yield _replay_events(list(read_live_events(folder / f"{game.key}.jsonl")))
            except UNREADABLE_FILE_ERRORS:
                continue


def _replay_events(events: Sequence[dict[str, Any]]) -> WatchedGame:
    start = events[0]
    game = load(start["game"], **start["options"])
    position, last_move, move_count = game.start(), None, 0
    remaining_seconds = clocks_at_start(start, game.seats)
    plies: list[tuple[Seat, str, float | None]] = [(seat, move, None) for seat, move in start["opening"]]
    plies += [read_move_event(event, game.seats) for event in events[1:] if event["event"] in ("moved", "left")]
    for seat, text, seconds_left in plies:
        position = game.apply_action(position, seat, text)
        if text != RESIGN:
            last_move, move_count = game.parse(text), move_count + 1
        if seconds_left is not None:
            remaining_seconds[seat - 1] = seconds_left
    return WatchedGame(
        tuple(start["names"]), position, last_move, move_count, tuple(remaining_seconds), float(events[-1]["at"])
    )


def draw_boards(folder: Path, runs: Sequence[str], width: int, height: int, *, colour: bool) -> list[str]:
    """Return lines with rows of boards, as many as fit into width × height, then one line for each other game."""
    lines = list[str]()
    drawings = [(_board_lines(game, width, colour=colour), game) for game in read_watched_games(folder, *runs)]
    while drawings:
        row = [drawings.pop(0)]
        while drawings and _row_width([picture for picture, _ in row]) + _max_width(drawings[0][0]) <= width:
            row.append(drawings.pop(0))
        row_height = max(len(picture) for picture, _ in row)
        if lines and len(lines) + row_height + len(drawings) + 1 > height:
            drawings[:0] = row
            break
        lines += [*([""] if lines else []), *_join_side_by_side([picture for picture, _ in row])]
    lines += [f"{_heading(game)}: {game.move_count} moves" for _, game in drawings]
    return lines or ["No game is being played now."]


def _board_lines(game: WatchedGame, width: int, *, colour: bool) -> list[str]:
    board_text = board(game.position, game.last_move, colour=colour, width=width)
    turn_text = "is over"
    if game.position.outcome() is None:
        seat = game.position.to_move
        seconds = max(0.0, time.time() - game.turn_started)
        turn_text = f"{printable(game.names[seat - 1])} ({game.position.mark(seat)}) {seconds:.0f} s"
    clocks = [format_clock(seconds) for seconds in game.remaining_seconds if seconds is not None]
    return [
        _heading(game),
        *board_text.splitlines(),
        f"move {game.move_count + 1}: {turn_text}",
        *([" – ".join(clocks)] if clocks else []),
    ]


def _heading(game: WatchedGame) -> str:
    return " – ".join(f"{game.position.mark(seat)} {printable(name)}" for seat, name in enumerate(game.names, 1))


def _visible_length(line: str) -> int:
    """Return the number of visible characters of a line."""
    return len(_COLOUR_CODE.sub("", line))


def _max_width(picture: Sequence[str]) -> int:
    return max(map(_visible_length, picture))


def _row_width(pictures: Sequence[Sequence[str]]) -> int:
    """Return the width of a row of boards, with a gap after each board."""
    return sum(_max_width(picture) + len(_BOARD_GAP) for picture in pictures)


def _join_side_by_side(pictures: Sequence[Sequence[str]]) -> list[str]:
    widths = [_max_width(picture) for picture in pictures]
    rows = zip_longest(*pictures, fillvalue="")
    return [
        _BOARD_GAP.join(
            f"{line}{' ' * (width - _visible_length(line))}" for line, width in zip(row, widths, strict=True)
        )
        for row in rows
    ]
