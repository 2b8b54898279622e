"""Embeds the viewer of games in a page: its script, and one line of JSON per game with the changes of each move.

The module uses records, rules and pictures of boards, and does not depend on the page. The page shows viewer.html where
the viewer opens. The heading of its games has the id `all`, and a link to `#game-3` opens the third of them.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gomogo_core.drawing import svg_boxes, svg_points, svg_rows
from gomogo_core.drawing.svg import svg
from gomogo_core.drawing.svg_elements import element
from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Game, Position
from gomogo_core.games.boards import Change, group_changes
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.turning_point import turning_point
from gomogo_core.session.sentences import ending_sentence

_MAX_COMMENT_CHARACTERS = 300  # characters of a comment that are kept
_MAX_VALUES = 12  # moves per position whose values are kept
_SEATS = "0123456789abcdefghijklmnopq"  # the character of each seat


class BoardIndex:
    """Numbers the boards of games in the order of their first use. games: the rules of the game with each number."""

    def __init__(self) -> None:
        self.games: list[Game] = []
        self._numbers: dict[str, int] = {}

    def number_of(self, played_game: PlayedGame) -> int:
        """Return the number of a game's board."""
        key = f"{played_game.game} {json.dumps(played_game.options, sort_keys=True)}"
        if key not in self._numbers:
            self._numbers[key] = len(self.games)
            self.games.append(load(played_game.game, **played_game.options))
        return self._numbers[key]


@cache
def read_part(name: str) -> str:
    """Return the text of a file beside this module, such as viewer.html."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def security_policy(script: str) -> str:
    """Return an element that allows the page only this script, which it names by a hash, and no other file."""
    script_hash = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script_hash}'; base-uri 'none'"
    return element("meta", http_equiv="Content-Security-Policy", content=policy)


def viewer_elements(boards: BoardIndex, lines: Sequence[str], script: str) -> Iterator[str]:
    """Yield the elements at the end of a page that the viewer needs: the boards, the games and the script.

    lines: the games, each from `embedded_game`. script: the text of viewer.js, and scripts that follow it.
    """
    for number, game in enumerate(boards.games):
        board = svg(game.start(), style=False, accessible=True, title="The board")
        yield element("template", board, id=f"board-{number}", **_picture_layout(game))
    yield '<script type="application/json" id="played">'
    yield "\n".join(lines)
    yield f"</script>\n<script>{script}</script>"


def _picture_layout(game: Game) -> dict[str, object]:
    """Return the kind of board, and the cell size and margin of its picture, for the script."""
    board = game.board
    if isinstance(board, EdgeBoard):
        return {"data_kind": "boxes", "data_cell": svg_boxes.CELL_SIZE, "data_margin": svg_boxes.MARGIN,
                "data_columns": board.cols}  # fmt: skip
    if isinstance(board, PointBoard):
        margin = svg_points.labelled_margin(board)
        return {"data_kind": "points", "data_cell": svg_points.CELL_SIZE, "data_margin": margin,
                "data_columns": board.columns}  # fmt: skip
    return {"data_kind": "rows", "data_cell": svg_rows.CELL_SIZE, "data_rows": "\n".join(game.start().rows())}


def embedded_game(played_game: PlayedGame, boards: BoardIndex, ending: str = "") -> str:
    """Return a game as one line of JSON. It contains no `<`, so that it is safe in a page's script element.

    ending: a sentence on the end of the game, in place of the usual one.
    """
    values = _game_json(played_game, boards) | ({"ending": ending} if ending else {})
    plain = {name: value for name, value in values.items() if value not in (None, "", [], {})}
    return json.dumps(plain, separators=(",", ":")).replace("<", "\\u003c")


def _game_json(played_game: PlayedGame, boards: BoardIndex) -> dict[str, Any]:
    number = boards.number_of(played_game)
    game = boards.games[number]
    positions = [game.start()]
    changes, captures_by_move = [], {}
    for count, ply in enumerate(played_game.plies, 1):
        position_before, position = positions[-1], game.apply_action(positions[-1], ply.seat, ply.move)
        changes.append(_changes_text(position_before, position))
        if position.captures != position_before.captures:
            captures_by_move[count] = position.captures
        positions.append(position)
    position = positions[-1]
    return {
        "board": number,
        "names": played_game.names,
        "marks": [position.mark(seat) for seat in range(1, game.seats + 1)],
        "ending": "Not finished." if played_game.outcome.is_void else ending_sentence(played_game),
        "opening": played_game.opening_length,
        "moves": " ".join(ply.move for ply in played_game.plies),
        "seats": "".join(_SEATS[ply.seat] for ply in played_game.plies),
        "changes": ";".join(changes),
        "taken": captures_by_move,
        "places": _marked_places(played_game, positions),
        "won": [game.board.name_of[place] for place in position.winning_places()] if game.board else [],
        "seconds": [round(seconds, 3) for seconds in played_game.seconds],
        "total": [control.total for control in played_game.controls]
        if any(c.total for c in played_game.controls)
        else None,
        "clocks": [None if seconds_left is None else round(seconds_left, 1) for seconds_left in played_game.clocks]
        if any(played_game.clocks)
        else None,
        "scores": [None if score is None else float(f"{score:.4g}") for score in played_game.scores],
        "lines": _comments_by_move(played_game, played_game.lines),
        "thoughts": _comments_by_move(played_game, played_game.thoughts),
        "values": _move_values(played_game, positions),
        "turning": turning_point(played_game),
        "warnings": [
            (count, played_game.names[seat - 1], message[:_MAX_COMMENT_CHARACTERS])
            for count, seat, message in played_game.warnings
        ],
    }


def _changes_text(position_before: Position, position_after: Position) -> str:
    """Return the changes of one move: groups of a sign and the places that show it after the move, separated by `|`.

    `xh8|.c3,c4` means a black stone on h8, and empty points c3 and c4. `-h7|x#4` means a drawn edge, and box 4 owned by
    x. A game without a board has `row.column` for a place, both from 0. Since `|` and `;` are separators, the sign of a
    vertical edge is `-`, too.
    """
    changes = (
        position_after.changes(position_before)
        if position_after.game.board is not None
        else _changed_cells(position_before.rows(), position_after.rows())
    )
    return "|".join(f"{'-' if sign in '|;' else sign}{','.join(places)}" for sign, places in changes)


def _changed_cells(before: tuple[str, ...], after: tuple[str, ...]) -> list[Change]:
    """Return the characters that differ between two drawings of a board, given as rows of characters."""
    return group_changes(
        (new_character, f"{row}.{column}")
        for row, (old_row, new_row) in enumerate(zip(before, after, strict=True))
        for column, (old, new_character) in enumerate(zip(old_row, new_row, strict=True))
        if old != new_character
    )


def _marked_places(played_game: PlayedGame, positions: list[Position]) -> list[str]:
    """Return the place that each move marks, `""` for none. If moves and places have the same names, return an empty
    list.
    """
    game = positions[0].game
    if game.moves_are_board_places or game.board is None:
        return []
    marked = (
        None if ply.move == RESIGN else next_position.place_marked_by(game.parse(ply.move))
        for ply, next_position in zip(played_game.plies, positions[1:], strict=True)
    )
    return ["" if place is None else game.board.name_of[place] for place in marked]


def _move_values(played_game: PlayedGame, positions: list[Position]) -> dict[int, str]:
    """Return the reported values of the best moves in each position, as `h8 0.4 c3 0.1`, by the number of earlier
    moves.
    """
    game, values_by_move = positions[0].game, {}
    names = {} if game.board is None else game.board.name_of
    for number in range(played_game.opening_length, len(played_game.plies)) if any(played_game.values) else ():
        if heat := sorted(played_game.move_values(number, game).items(), key=lambda item: -item[1])[:_MAX_VALUES]:
            places = (
                (names.get(positions[number].place_to_mark(move)) or game.format(move), value) for move, value in heat
            )
            values_by_move[number] = " ".join(f"{name} {value:.3g}" for name, value in places)
    return values_by_move


def _comments_by_move(played_game: PlayedGame, comments: tuple[str | None, ...]) -> dict[int, str]:
    """Return the comments on moves by move number, cut to the maximum length."""
    return {
        number: words[:_MAX_COMMENT_CHARACTERS]
        for number, words in enumerate(comments, played_game.opening_length + 1)
        if words
    }
