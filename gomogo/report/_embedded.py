"""Converts played games into the JSON that a page contains: one line per game, with the changes of each move.

The module uses records and rules, and does not depend on the page.
"""

from __future__ import annotations

import json
from typing import Any

from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Game, Position
from gomogo_core.games.boards import Change, group_changes
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.turning_point import turning_point
from gomogo_core.session.words import ending_sentence

_MAX_COMMENT_CHARACTERS = 300  # characters of a comment that are kept
_MAX_VALUES = 12  # moves per position whose values are kept
_SEATS = "0123456789abcdefghijklmnopq"  # the character of each seat


class BoardIndex:
    """Numbers the boards of games in the order of their first use. games: the rules of the game with each number."""

    def __init__(self) -> None:
        self.games: list[Game] = []
        self._numbers: dict[str, int] = {}

    def number_of(self, played: PlayedGame) -> int:
        """Return the number of a game's board."""
        key = f"{played.game} {json.dumps(played.options, sort_keys=True)}"
        if key not in self._numbers:
            self._numbers[key] = len(self.games)
            self.games.append(load(played.game, **played.options))
        return self._numbers[key]


def embedded_game(played: PlayedGame, boards: BoardIndex) -> str:
    """Return a game as one line of JSON. It contains no `<`, so that it is safe in a page's script element."""
    plain = {name: value for name, value in _game_json(played, boards).items() if value not in (None, "", [], {})}
    return json.dumps(plain, separators=(",", ":")).replace("<", "\\u003c")


def _game_json(played: PlayedGame, boards: BoardIndex) -> dict[str, Any]:
    number = boards.number_of(played)
    game = boards.games[number]
    positions = [game.start()]
    changes, captures_by_move = [], {}
    for count, ply in enumerate(played.plies, 1):
        before, position = positions[-1], game.apply_action(positions[-1], ply.seat, ply.move)
        changes.append(_changes_text(before, position))
        if position.captures != before.captures:
            captures_by_move[count] = position.captures
        positions.append(position)
    position = positions[-1]
    return {
        "board": number,
        "names": played.names,
        "marks": [position.mark(seat) for seat in range(1, game.seats + 1)],
        "ending": "Not finished." if played.outcome.is_void else ending_sentence(played),
        "opening": played.opening,
        "moves": " ".join(ply.move for ply in played.plies),
        "seats": "".join(_SEATS[ply.seat] for ply in played.plies),
        "changes": ";".join(changes),
        "taken": captures_by_move,
        "places": _marked_places(played, positions),
        "won": [game.board.name_of[place] for place in position.winning_places()] if game.board else [],
        "seconds": [round(seconds, 3) for seconds in played.seconds],
        "total": [control.total for control in played.controls] if any(c.total for c in played.controls) else None,
        "clocks": [None if seconds_left is None else round(seconds_left, 1) for seconds_left in played.clocks]
        if any(played.clocks)
        else None,
        "scores": [None if score is None else float(f"{score:.4g}") for score in played.scores],
        "lines": _comments_by_move(played, played.lines),
        "thoughts": _comments_by_move(played, played.thoughts),
        "values": _move_values(played, positions),
        "turning": turning_point(played),
        "warnings": [
            (count, played.names[seat - 1], message[:_MAX_COMMENT_CHARACTERS])
            for count, seat, message in played.warnings
        ],
    }


def _changes_text(before: Position, after: Position) -> str:
    """Return the changes of one move: groups of a sign and the places that show it after the move, separated by `|`.

    `xh8|.c3,c4` means a black stone on h8, and empty points c3 and c4. `-h7|x#4` means a drawn edge, and box 4 owned by
    x. A game without a board has `row.column` for a place, both from 0. Since `|` and `;` are separators, the sign of a
    vertical edge is `-`, too.
    """
    changes = after.changes(before) if after.game.board is not None else _changed_cells(before.rows(), after.rows())
    return "|".join(f"{'-' if sign in '|;' else sign}{','.join(places)}" for sign, places in changes)


def _changed_cells(before: tuple[str, ...], after: tuple[str, ...]) -> list[Change]:
    """Return the characters that differ between two drawings of a board, given as rows of characters."""
    return group_changes(
        (new, f"{row}.{column}")
        for row, (old_row, new_row) in enumerate(zip(before, after, strict=True))
        for column, (old, new) in enumerate(zip(old_row, new_row, strict=True))
        if old != new
    )


def _marked_places(played: PlayedGame, positions: list[Position]) -> list[str]:
    """Return the place that each move marks, `""` for none. If moves and places have the same names, return an empty
    list.
    """
    game = positions[0].game
    if game.moves_are_board_places or game.board is None:
        return []
    marked = (
        None if ply.move == RESIGN else after.place_marked_by(game.parse(ply.move))
        for ply, after in zip(played.plies, positions[1:], strict=True)
    )
    return ["" if place is None else game.board.name_of[place] for place in marked]


def _move_values(played: PlayedGame, positions: list[Position]) -> dict[int, str]:
    """Return the reported values of the best moves in each position, as `h8 0.4 c3 0.1`, by the number of earlier
    moves.
    """
    game, values_by_move = positions[0].game, {}
    names = {} if game.board is None else game.board.name_of
    for number in range(played.opening, len(played.plies)) if any(played.values) else ():
        if heat := sorted(played.move_values(number, game).items(), key=lambda item: -item[1])[:_MAX_VALUES]:
            places = (
                (names.get(positions[number].place_to_mark(move)) or game.format(move), value) for move, value in heat
            )
            values_by_move[number] = " ".join(f"{name} {value:.3g}" for name, value in places)
    return values_by_move


def _comments_by_move(played: PlayedGame, comments: tuple[str | None, ...]) -> dict[int, str]:
    """Return the comments on moves by move number, cut to the maximum length."""
    return {
        number: words[:_MAX_COMMENT_CHARACTERS] for number, words in enumerate(comments, played.opening + 1) if words
    }
