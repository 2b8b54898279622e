"""Decides whether a position resembles another: turned, mirrored, with exchanged colours, or a move or two away.

The module uses boards and positions, but no class and no page. It looks only at the places on the board: two games
with other rules on the same board resemble each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gomogo_core.games.base import Position

LINE_LENGTH = 3  # positions of a line that matter: the last one, and those one and two moves earlier
_MAX_MOVES = LINE_LENGTH - 1
_EXCHANGED_COLOURS = {"x": "o", "o": "x"}
_MIN_STONES_TO_COMPARE = 4  # a game with fewer stones resembles the beginning of too many others

Stones = frozenset[tuple[str, str]]  # the names of the places that have changed since the start, each with its colour


def _stones(position: Position) -> Stones:
    board = position.game.board
    if board is None:
        return frozenset()
    changes = board.changes(position.game.start().rows(), position.rows())
    names = set(board.names)
    # edges have no colour, and the owners of boxes do not count as a difference
    return frozenset(
        (name, change.character if change.character in _EXCHANGED_COLOURS else "")
        for change in changes
        for name in change.places
        if name in names
    )


def _symmetric_images(position: Position) -> set[Stones]:
    """Return the stones of a position under all symmetries of its rules, in both colourings."""
    board, own_stones, images = position.game.board, _stones(position), set[Stones]()
    if board is None:
        return images
    for symmetry in position.game.symmetries():
        image = [(board.name_of[symmetry(board.parse(name))], colour) for name, colour in own_stones]
        images.add(frozenset(image))
        images.add(frozenset((name, _EXCHANGED_COLOURS.get(colour, colour)) for name, colour in image))
    return images


def _has_same_board(other_line: Position, other: Position) -> bool:
    return other_line.game.name == other.game.name and [*map(len, other_line.rows())] == [*map(len, other.rows())]


def resembles(positions: Sequence[Position], other_lines: Iterable[Sequence[Position]]) -> bool:
    """Return whether the last position of a line is at most two moves from the last one of another line.

    positions, other_lines: the last three positions or fewer, in the order of play. A position can be turned, mirrored,
    or have exchanged colours. Positions are two moves apart if they differ in two places, or if moves of the lines lead
    from one to the other, as after a capture.
    """
    images = [_symmetric_images(position) for position in reversed(positions[-LINE_LENGTH:])]
    for other_line in other_lines:
        if not _has_same_board(positions[-1], other_line[-1]):
            continue
        other_boards = [_stones(position) for position in reversed(other_line[-LINE_LENGTH:])]
        if any(len(image ^ other_boards[0]) <= _MAX_MOVES for image in images[0]):
            return True
        if any(
            stones in image
            for back, image in enumerate(images)
            for plies_back, stones in enumerate(other_boards)
            if back + plies_back <= _MAX_MOVES
        ):
            return True
    return False


def any_resembles(positions: Sequence[Position], other_positions: Iterable[Position]) -> bool:
    """Return whether one of many positions of a game is one of `other_positions`, turned, mirrored, or with exchanged
    colours.

    Positions with very few stones are not compared: they occur in most games.
    """
    images = [
        image
        for other_position in other_positions
        if _has_same_board(positions[-1], other_position) and len(_stones(other_position)) >= _MIN_STONES_TO_COMPARE
        for image in _symmetric_images(other_position)
    ]
    return bool(images) and not {_stones(position) for position in positions}.isdisjoint(images)
