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


def watched_games(folder: Path, *runs: str) -> Iterator[WatchedGame]:
    """Yield the running games of these runs, from the live files in `folder`. The run "" has the single games.

    Skips unreadable files.
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
    position, last, moves = game.start(), None, 0
    remaining_seconds = clocks_at_start(start, game.seats)
    plies: list[tuple[Seat, str, float | None]] = [(seat, move, None) for seat, move in start["opening"]]
    plies += [read_move_event(event, game.seats) for event in events[1:] if event["event"] in ("moved", "left")]
    for seat, text, left in plies:
        position = game.apply_action(position, seat, text)
        if text != RESIGN:
            last, moves = game.parse(text), moves + 1
        if left is not None:
            remaining_seconds[seat - 1] = left
    return WatchedGame(tuple(start["names"]), position, last, moves, tuple(remaining_seconds), float(events[-1]["at"]))


def boards_text(folder: Path, runs: Sequence[str], width: int, height: int, *, colour: bool) -> list[str]:
    """Return the lines of as many boards as fit into width × height, in rows, then one line for each other game."""
    lines, waiting = (
        list[str](),
        [(_board_lines(one, width, colour=colour), one) for one in watched_games(folder, *runs)],
    )
    while waiting:
        row = [waiting.pop(0)]
        while waiting and sum(_max_width(p) + len(_BOARD_GAP) for p, _ in row) + _max_width(waiting[0][0]) <= width:
            row.append(waiting.pop(0))
        tallest = max(len(picture) for picture, _ in row)
        if lines and len(lines) + tallest + len(waiting) + 1 > height:
            waiting[:0] = row
            break
        lines += (
            ["", *_side_by_side([picture for picture, _ in row])]
            if lines
            else _side_by_side([picture for picture, _ in row])
        )
    lines += [f"{_heading(one)}: {one.move_count} moves" for _, one in waiting]
    return lines or ["No game is being played now."]


def _board_lines(game: WatchedGame, width: int, *, colour: bool) -> list[str]:
    drawn = board(game.position, game.last_move, colour=colour, width=width)
    turn = "is over"
    if game.position.outcome() is None:
        seat = game.position.to_move
        seconds = max(0.0, time.time() - game.turn_started)
        turn = f"{printable(game.names[seat - 1])} ({game.position.mark(seat)}) {seconds:.0f} s"
    left = [format_clock(left) for left in game.remaining_seconds if left is not None]
    return [
        _heading(game),
        *drawn.splitlines(),
        f"move {game.move_count + 1}: {turn}",
        *([" – ".join(left)] if left else []),
    ]


def _heading(game: WatchedGame) -> str:
    return " – ".join(f"{game.position.mark(seat)} {printable(name)}" for seat, name in enumerate(game.names, 1))


def _visible_length(line: str) -> int:
    """Return the number of visible characters of a line."""
    return len(_COLOUR_CODE.sub("", line))


def _max_width(picture: Sequence[str]) -> int:
    return max(map(_visible_length, picture))


def _side_by_side(pictures: Sequence[Sequence[str]]) -> list[str]:
    wide = [_max_width(picture) for picture in pictures]
    rows = zip_longest(*pictures, fillvalue="")
    return [
        _BOARD_GAP.join(f"{line}{' ' * (w - _visible_length(line))}" for line, w in zip(row, wide, strict=True))
        for row in rows
    ]
