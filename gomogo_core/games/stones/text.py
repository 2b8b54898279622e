"""Boards of stones in words: writing and parsing diagrams, and explanations for beginners.

Uses the attributes of stones positions, but no rules of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gomogo_core.games.base import BadDiagram, IllegalMove, Move, NotAMove, Position
from gomogo_core.games.boards.points import MARKS, Point
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.games.stones.ko import EarlierBoards

if TYPE_CHECKING:
    from gomogo_core.games.stones.rules import StonesGame, StonesPosition

_NAMES = {BLACK: "black (x)", WHITE: "white (o)"}
_MOST = 8  # the largest number of chains or points that a sentence lists


def draw(position: StonesPosition) -> str:
    """Draw the board, then turn, number of moves, captures, passes, ko, and the past for superko."""
    colour = position.to_move
    mover = "nobody" if position.outcome() else f"seat {colour} ({_NAMES[colour].replace('(', '').replace(')', '')})"
    footer = {"to move": mover, "moves": str(position.number)}
    if position.game.captures:
        footer["captures"] = " ".join(map(str, position.captures))
    if position.passes:
        footer["passes"] = str(position.passes)
    if position.last is not None:
        footer["last"] = position.game.format(position.last)
    if ko := position.ko_names():
        footer["ko"] = " ".join(ko)
    if (past := position.past) is not None:
        if past.number or past.origin.key or past.colour != BLACK:
            rows = position.game.plane.rows_of(past.origin.black, past.origin.white)
            footer["from"] = f"{'/'.join(rows)} seat {past.colour}"
        footer["played"] = " ".join("pass" if move is None else str(move) for move in past.moves)
    return position.game.board.draw(position.rows(), footer)


def read(game: StonesGame, text: str) -> StonesPosition:
    """Parse the text of `draw`. Raises BadDiagram.

    Without a footer, black moves unless it has more stones, there were no captures, and there is no ko.
    """
    cells, footer = game.board.read(text, MARKS)
    board = _board(game, cells)
    try:
        to_move, number = _turn(board, footer)
        one, other = map(_count, footer.get("captures", "0 0").split())
        passes = _count(footer.get("passes", "0"))
        last = game.parse(footer["last"]) if "last" in footer else None
        ko = [game.board.parse(name) for name in footer.get("ko", "").split()]
    except (ValueError, IndexError):
        raise BadDiagram(
            "The lines below the board do not say who moves, or how many moves and captures there were.",
            "Write them as `to move: seat 1`, `moves: 12`, `captures: 3 0`, `last: d4`, or leave them out.",
        ) from None
    if to_move != 1 + number % 2:
        raise BadDiagram(
            f"After {number} moves it is not the turn of seat {to_move}: black, seat 1, moved first.",
            "Leave out the line `moves:` or the line `to move:`.",
        )
    past, previous = None, None
    if "played" in footer and game.superko:
        past = _read_past(game, board, to_move, number, footer)
    if ko and game.ko == "simple" and game.captures:
        previous = _board_key_before(board, to_move, game.plane.place[ko[0]])
    position = game.position(game, board, to_move, number, passes, (one, other), previous, past, last)
    if ko and game.ko != "none" and list(map(str, ko)) != position.ko_names():
        raise BadDiagram(
            f"The line `ko:` says {footer['ko']}, which is not what ko forbids here.",
            "Leave it out if there is no ko. Superko needs the line `played:` to know of earlier boards.",
        )
    return position


def _turn(board: StoneBoard, footer: dict[str, str]) -> tuple[int, int]:
    """Return the player to move and the number of moves. If the footer gives only one of them, the other follows."""
    black, white = board.black.bit_count(), board.white.bit_count()
    if "moves" in footer:
        number = _count(footer["moves"])
        to_move = 1 + number % 2
    else:
        to_move, number = 1 + (black > white), black + white
    if (said := footer.get("to move", "nobody")) != "nobody":
        to_move = _count(said.split()[1])
        if to_move not in (1, 2):
            raise ValueError(f"there is no seat {to_move}")
    if "moves" not in footer and to_move != 1 + number % 2:
        number += 1
    return to_move, number


def _count(text: str) -> int:
    """Parse a number. Raises ValueError for a number that no game reaches."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"{text} is not a number")
    return int(text)


def _board_key_before(board: StoneBoard, to_move: int, i: int) -> int | None:
    """Return the key of the board before the last move, if a stone on place `i` would repeat it; else None."""
    if not board.empty >> i & 1:
        return None
    earlier = board.put(to_move, i)
    if earlier.key == board.key:  # the last stone removed itself (suicide), so the board before it was the same
        return board.key
    taken = earlier.taken
    if taken.bit_count() != 1 or earlier.put(3 - to_move, taken.bit_length() - 1).key != board.key:
        return None
    return earlier.key


def _board(game: StonesGame, cells: bytes) -> StoneBoard:
    points = dict(zip(game.board.points, cells, strict=True))
    masks = [0, 0, 0]
    for point, colour in points.items():
        masks[colour] |= 1 << game.plane.place[point]
    board = StoneBoard.of(game.plane, masks[BLACK], masks[WHITE])
    for _, liberties, places in board.chains_of(masks[BLACK] | masks[WHITE]) if game.captures else ():
        if not liberties:
            raise BadDiagram(
                f"The stone on {game.plane.points[places[0]]} has no liberty.",
                "Leave a point beside its chain empty: without one it is taken off.",
            )
    return board


def _read_past(game: StonesGame, board: StoneBoard, to_move: int, number: int, footer: dict[str, str]) -> EarlierBoards:
    """Return the past that the lines `from` and `played` describe; it must lead to `board`."""
    moves = footer["played"].split()
    rows, _, seat = footer.get("from", "").partition(" ")
    try:
        first = number - len(moves)
        colour = _count(seat.removeprefix("seat ")) if seat else BLACK
        if first < 0 or colour != 1 + first % 2:
            raise ValueError
        origin = _board(game, game.board.read(rows.replace("/", "\n"), MARKS)[0]) if rows else StoneBoard.of(game.plane)
        position = game.position(game, origin, colour, first)
        for move in moves:
            position = position.play(game.parse(move))
        if position.board.key != board.key or (position.to_move != to_move and position.outcome() is None):
            raise ValueError
    except (NotAMove, IllegalMove, BadDiagram, ValueError):
        raise BadDiagram(
            "The moves in the line `played:` do not lead to the board above.",
            "Leave the lines `played:` and `from:` out: then earlier boards are not known.",
        ) from None
    assert position.past is not None
    return position.past


def stones(count: int) -> str:
    """Return `count` stones in words."""
    return f"{count} stone{'s' * (count != 1)}"


def capture_text(count: int, lost: int) -> str:
    """Describe the captures of a move without a subject, or return ""."""
    if lost:
        return f"takes {stones(lost)} of its own off: suicide"
    return f"captures {stones(count)}" if count else ""


def explain(position: StonesPosition, before: StonesPosition | None, move: Move | None) -> str:
    """Explain the last captures, ataris, the points that ko forbids, and territories."""
    said = captures(position, before, move)
    if position.game.captures:
        said += _ataris(position)
    for name in position.ko_names() if position.outcome() is None else ():
        why = position.why_illegal(position.game.parse(name))
        said.append(f"{_colour_name(position.to_move)} may not play {name} now ({why}).")
    return "\n".join([*said, *position.explain_score()])


def captures(position: StonesPosition, before: Position | None, move: Move | None) -> list[str]:
    """Explain why `move`, which led to the position, captured its stones."""
    if before is None or not isinstance(move, Point) or not position.game.captures:
        return []
    mover = before.to_move
    plane = position.game.plane
    if lost := position.board.lost:
        return [
            f"{_colour_name(mover)} took its own {stones(lost.bit_count())} off: they had no liberty, and took nothing."
        ]
    groups = plane.groups(position.board.taken)
    return [
        f"{_colour_name(mover)} took {_join_points(plane.points_in(group))} by playing {move}, the last liberty of "
        f"{'that stone' if group.bit_count() == 1 else 'that chain'}."
        for group in groups
    ]


def _ataris(position: StonesPosition) -> list[str]:
    board, plane = position.board, position.game.plane
    said = []
    for stones, liberties, places in board.chains_of(board.black | board.white):
        if liberties & (liberties - 1) == 0:
            who, last = _colour_name(board.colour(places[0])), plane.points_in(liberties)[0]
            said.append(f"In atari: {who} at {_join_points(plane.points_in(stones))}, whose last liberty is {last}.")
    return said if len(said) <= _MOST else [*said[:_MOST], f"In atari too: {len(said) - _MOST} chains more."]


def _colour_name(colour: int) -> str:
    name = _NAMES[colour]
    return name[0].upper() + name[1:]


def _join_points(points: list[Point]) -> str:
    shown = " ".join(map(str, points[:_MOST]))
    return f"{shown} and {len(points) - _MOST} more" if len(points) > _MOST else shown


def areas(position: StonesPosition) -> list[str]:
    """Describe the territory of each player, a sentence each."""
    plane = position.game.plane
    said = []
    for colour, mask in zip((BLACK, WHITE), position.board.territory(), strict=True):
        count = mask.bit_count()
        points = f"{count} point{'s' * (count != 1)}"
        said.append(
            f"Territory of {_NAMES[colour]}: {points}{f' ({_join_points(plane.points_in(mask))})' if mask else ''}."
        )
    return said
