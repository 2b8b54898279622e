"""A position of Dots and Boxes as text: the board, then a footer with the player to move, scores and absent seats.

The module uses the state of a position, but not its moves.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gomogo_core.games.base import BadDiagram, Seat
from gomogo_core.games.boards.edges import BLANK, EdgeBoard

OWNER_MARKS = "xo3456789abcdefghijklmnpqr"  # the character for the boxes of seat 1, seat 2 …

_OWNER_SIGNS = bytes.maketrans(bytes(range(len(OWNER_MARKS) + 1)), (BLANK + OWNER_MARKS).encode("ascii"))
_FOOTER_SEAT_PATTERN = re.compile(r"seat ([0-9]{1,3})")


class BoxesState(NamedTuple):
    """The state of a position of Dots and Boxes.

    `drawn_mask` is the mask of the drawn edges. `owners` has one byte for each box: the seat that owns it, or 0.
    `to_move` is the seat to move; in a finished game, the seat that moved last. `departed` holds the seats that left.
    """

    drawn_mask: int
    owners: bytes
    to_move: Seat
    departed: frozenset[Seat]


def board_rows(board: EdgeBoard, drawn_mask: int, owners: bytes) -> tuple[str, ...]:
    """Return the board as rows of characters."""
    return board.draw(drawn_mask, owners.translate(_OWNER_SIGNS).decode("ascii"))


def format_diagram(board: EdgeBoard, player_count: int, state: BoxesState) -> str:
    """Return the board and its footer as text. No line ends with blanks."""
    drawn_mask, owners, to_move, departed = state
    is_over = drawn_mask == board.full_mask
    turn = f"nobody, seat {to_move} moved last" if is_over else f"seat {to_move} ({OWNER_MARKS[to_move - 1]})"
    footer = [f"to move: {turn}", f"scores: {_score_text(owners, player_count)}"]
    if departed:
        footer.append("away: " + ", ".join(f"seat {seat}" for seat in sorted(departed)))
    return "\n".join([*map(str.rstrip, board_rows(board, drawn_mask, owners)), *footer])


def parse_diagram(board: EdgeBoard, player_count: int, text: str) -> BoxesState:
    """Parse the text of `format_diagram`. Raises BadDiagram.

    In a diagram without a footer, no seat has left, and the player to move must follow from the board.
    """
    drawn_mask, box_characters, footer = board.parse_picture(text)
    owners = _parse_owners(board, player_count, drawn_mask, box_characters)
    departed = _parse_departed_seats(player_count, footer)
    written_scores = footer.get("scores", counted_scores := _score_text(owners, player_count))
    if written_scores != counted_scores:
        raise BadDiagram(
            f"The line `scores:` says {written_scores}, but the boxes on the board give {counted_scores}.",
            "Leave out the line `scores:`, since the scores follow from the boxes.",
        )
    turn = _FOOTER_SEAT_PATTERN.search(footer.get("to move", ""))
    has_owned_boxes = any(owners)
    usual_seat = drawn_mask.bit_count() % player_count + 1  # if no box is closed and no seat has left
    if turn is None:
        if departed or (has_owned_boxes and drawn_mask != board.full_mask):
            raise BadDiagram(
                "The board does not show the player to move.", "Add a line below it, such as `to move: seat 1`."
            )
        return BoxesState(drawn_mask, owners, usual_seat, departed)
    seat = int(turn[1])
    if not 1 <= seat <= player_count or seat in departed:
        raise BadDiagram(f"Seat {seat} cannot be to move: nobody plays there.", "Name the seat of a player.")
    if not has_owned_boxes and not departed and seat != usual_seat:
        raise BadDiagram(
            f"Seat {seat} cannot be to move: no box is closed, and {drawn_mask.bit_count()} edges are drawn.",
            f"Write `to move: seat {usual_seat}`.",
        )
    return BoxesState(drawn_mask, owners, seat, departed)


def _parse_owners(board: EdgeBoard, player_count: int, drawn_mask: int, box_characters: str) -> bytes:
    marks = BLANK + OWNER_MARKS[:player_count]
    for box, (sign, sides) in enumerate(zip(box_characters, board.boxes, strict=True)):
        box_words = f"The box in row {box // board.cols + 1}, column {box % board.cols + 1}"
        is_closed = drawn_mask & sides == sides
        if sign not in marks:
            raise BadDiagram(f"{box_words} shows {sign!r}.", f"Its owner is one of {' '.join(marks[1:])}.")
        if sign == BLANK and is_closed:
            raise BadDiagram(f"{box_words} is closed, but has no owner.", "Write its owner's mark into it.")
        if sign != BLANK and not is_closed:
            raise BadDiagram(f"{box_words} has an owner, but is not closed.", "Draw its four sides, or leave it blank.")
    return bytes(map(marks.index, box_characters))


def _parse_departed_seats(player_count: int, footer: dict[str, str]) -> frozenset[Seat]:
    departed = frozenset(int(seat) for seat in _FOOTER_SEAT_PATTERN.findall(footer.get("away", "")))
    if ("away" in footer and not departed) or not departed <= set(range(1, player_count + 1)):
        raise BadDiagram(
            f"The line `away:` says {footer['away']!r}.", f"Write `away: seat 1`, with seats from 1 to {player_count}."
        )
    if departed and player_count - len(departed) < 2:
        raise BadDiagram("Fewer than two players are left.", "Name fewer seats in the line `away:`.")
    return departed


def _score_text(owners: bytes, player_count: int) -> str:
    return ", ".join(str(owners.count(seat)) for seat in range(1, player_count + 1))
