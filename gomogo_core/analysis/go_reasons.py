"""Gives reasons for a stone of Go or Capture Go, as a teacher would: captures that are read out, cuts, corners, shapes.

The module reads captures of single chains (search/go/reading.py) and uses no other search. It says only what is true
of the position: it names a capture if the reading finds no escape, and a shape if the stones have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from time import monotonic
from typing import NamedTuple

from gomogo_core.games.base import Move
from gomogo_core.games.boards.points import Point
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import Chain, StoneBoard
from gomogo_core.games.stones.rules import COLOURS, GoFamilyPosition
from gomogo_core.search.go.atari import chains_with_few_liberties, points_safe_from_atari
from gomogo_core.search.go.reading import ChainReader, ko_mask_after
from gomogo_core.search.limits import OutOfLimits

_READING_NODES, _READING_SECONDS = 2000, 0.05  # the limits for each capture, and for all captures of a reason
_FIGHT_READING_SECONDS = 0.2  # the limit for all captures of a position
CUT_THREAT = ", because the opponent could cut there"
_CAN_ESCAPE, _CAN_BE_CAPTURED = "can escape", "can itself be captured"
_MIN_LADDER_MOVES = 3  # moves of the attacker in a sequence of ataris that is called a ladder
_MAX_QUIET_MOVES = 2  # moves of the attacker, beside ataris, in the captures that are read
_MAX_EXTENSION = 4  # points between two stones on the same line of the side
_MIN_CORNER_BOARD = 7  # smaller boards have no separate corners
_MAX_CORNER = 5  # rows and columns of a corner
# a stone takes an empty corner at most this share of a side from both edges: on 9 × 9, on the third line
_MAX_CORNER_SHARE = 1 / 3
_MAX_CROSSCUT_DISTANCE = 2  # rows and columns from a crosscut within which the shape of a stone says more than its area
_MAX_OPENING_STONES = 6  # with more stones on the board, the centre is not a point of the opening
# lines of the board, counted from the edge: a stone on them takes a corner, or extends along a side
_CORNER_LINES, _SIDE_LINES = (3, 4), (2, 3, 4)


def cut_fact(position: GoFamilyPosition, move: Move, seat: int) -> str:
    """Return the fact that a stone of `seat` cuts chains of the opponent apart; empty if it does not.

    The opponent could join the chains only at this point, and cannot capture the stone at once.
    """
    if not position.game.captures or not isinstance(move, Point):
        return ""
    geometry = position.game.bit_geometry
    place = geometry.index_of[move]
    opponent_mask = position.board.stone_mask(3 - seat)
    chains = position.board.chains_of(geometry.neighbour_masks[place] & opponent_mask)
    liberties = [liberty_mask for _, liberty_mask, _ in chains if liberty_mask != 1 << place]  # the others are captured
    is_cut = any(liberty & other == 1 << place for liberty, other in combinations(liberties, 2))
    if not is_cut or not points_safe_from_atari(position.board, seat, 1 << place):
        return ""
    return f"cuts {COLOURS[3 - seat]}'s chains apart"


@lru_cache(maxsize=64)
def stone_reason(position: GoFamilyPosition, move: Move, *, is_benefit: bool = False) -> str:
    """Return the reason for a stone as the end of a sentence that begins with the move; empty if there is none.

    is_benefit: whether the reason must tell why the stone is good. Then the text does not name a mere shape, or that
    the stone can be captured.
    """
    game = position.game
    if not game.captures or isinstance(game, Robogo) or not isinstance(move, Point) or position.why_illegal(move):
        return ""  # in Robogo, rows count more
    facts = [fact for fact in _reading_facts(position, move) if not (is_benefit and fact.startswith(_CAN_BE_CAPTURED))]
    if cut := cut_fact(position, move, position.to_move):
        facts.append(cut)
    if not facts and cut_fact(position, move, 3 - position.to_move):
        facts.append(f"keeps your chains together{CUT_THREAT}")
    if not facts:
        area = "" if _is_near_crosscut(position, move) else _area_words(position, move)
        if words := area or ("" if is_benefit else _shape_words(position, move)):
            facts.append(words)
    return ", and ".join(facts[:2])


def can_be_captured(position: GoFamilyPosition, move: Move) -> bool:
    """Return whether the reason for a stone is only that the opponent can capture it by ataris."""
    return stone_reason(position, move).startswith(_CAN_BE_CAPTURED)


def stones_in_danger(position: GoFamilyPosition, move: Move) -> str:
    """Name the mover's largest chain that a move leaves in atari, and whether it can be saved; "" if there is none.

    The text is a clause that can follow another one.
    """
    if not position.game.captures:
        return ""
    board, seat = position.board, position.to_move
    after = board.place_stone(seat, position.game.bit_geometry.index_of[move]) if isinstance(move, Point) else board
    chains = [
        chain
        for chain in chains_with_few_liberties(board, seat, 1)
        if after.colour(chain[2][0]) == seat and after.chain(chain[2][0])[1].bit_count() == 1
    ]
    if not chains:
        return ""
    chain = max(chains, key=lambda chain: chain[0].bit_count())
    is_one = chain[0].bit_count() == 1
    words = f"your {_count_words(position, chain)} {'is' if is_one else 'are'} in atari"
    reader = _new_reader()
    try:
        defences = reader.find_defences(board, chain[2][0], 0, position.ko_mask())
    except OutOfLimits:
        return words
    if not reader.is_complete:
        return words
    if not defences:
        return f"{words} and cannot be saved"
    geometry = position.game.bit_geometry
    points = geometry.points_in(sum(geometry.masks[index] for index in defences))
    where = " or ".join(map(position.game.format, points))
    return f"{words}, and could be saved at {where}, but the search estimates that this move is more urgent"


class Fight(NamedTuple):
    """A chain that the opponent of its owner captures with the next move, and that its owner saves with the next move.

    stones: the chain in words. place: the index of one of its points. attacks: the moves that capture it. defences: the
    moves that save it.
    """

    seat: int
    stones: str
    place: int
    attacks: tuple[Move, ...]
    defences: tuple[Move, ...]


def find_fights(position: GoFamilyPosition) -> list[Fight]:
    """Return the largest fight about a chain of the mover, then that about a chain of the opponent, if there are any.

    Captures are read by ataris. So the defence of a chain is only against these, and the chain may still die later. A
    chain of one stone counts only in atari.
    """
    if not position.game.captures or isinstance(position.game, Robogo):
        return []  # in Robogo, rows count more
    board, fights = position.board, list[Fight]()
    reader = ChainReader(_READING_NODES, monotonic() + _FIGHT_READING_SECONDS)
    for seat in (position.to_move, 3 - position.to_move):
        # a ko forbids a move only to the player to move
        attack_ko, defence_ko = (0, position.ko_mask()) if seat == position.to_move else (position.ko_mask(), 0)
        for chain in _largest_first(chains_with_few_liberties(board, seat, 2)):
            if chain[0].bit_count() == 1 < chain[1].bit_count():
                continue
            try:
                attacks = reader.find_attacks(board, chain[2][0], 0, attack_ko)
                defences = reader.find_defences(board, chain[2][0], 0, defence_ko) if attacks else []
            except OutOfLimits:
                return fights
            if attacks and defences and reader.is_complete:
                moves = (_moves_at(position, indices) for indices in (attacks, defences))
                fights.append(Fight(seat, _count_words(position, chain), chain[2][0], *moves))
                break
    return fights


def _moves_at(position: GoFamilyPosition, indices: Iterable[int]) -> tuple[Move, ...]:
    geometry = position.game.bit_geometry
    return tuple(geometry.points_in(sum(geometry.masks[index] for index in indices)))


def is_missed(position: GoFamilyPosition, fight: Fight, move: Move) -> bool:
    """Return whether a move neither captures nor saves the chain of a fight."""
    board, place = position.board, fight.place
    if isinstance(move, Point):
        index = position.game.bit_geometry.index_of[move]
        board = board.place_stone(position.to_move, index)
        if board.colour(place) != fight.seat:
            return False
    if fight.seat != position.to_move:
        return move not in fight.attacks
    try:
        return _new_reader().find_capture_length(board, place, 0) > 0
    except OutOfLimits:
        return False


def _new_reader() -> ChainReader:
    return ChainReader(_READING_NODES, monotonic() + _READING_SECONDS)


def _count_words(position: GoFamilyPosition, chain: Chain) -> str:
    """Return the number of a chain's stones and one of its points, such as "2 stones at d4"."""
    count = chain[0].bit_count()
    point = position.game.format(position.game.bit_geometry.points_in(chain[0])[0])
    return f"stone at {point}" if count == 1 else f"{count} stones at {point}"


def _chains_words(position: GoFamilyPosition, chains: Sequence[Chain]) -> str:
    """Name all of some chains, such as "the stones at e8 and f9" or "the 2 stones at d4 and the stone at f9"."""
    words = [_count_words(position, chain) for chain in chains]
    if len(words) > 1 and all(chain[0].bit_count() == 1 for chain in chains):
        return f"the stones at {' and '.join(text.removeprefix('stone at ') for text in words)}"
    return " and ".join(f"the {text}" for text in words)


def _largest_first(chains: Iterable[Chain]) -> list[Chain]:
    return sorted(chains, key=lambda chain: -chain[0].bit_count())


def _reading_facts(position: GoFamilyPosition, move: Point) -> Iterator[str]:
    """Yield what a stone captures, saves and catches, and whether it can itself be captured."""
    board, seat, place = position.board, position.to_move, position.game.bit_geometry.index_of[move]
    after, reader = board.place_stone(seat, place), _new_reader()
    if after.self_captured_mask:
        return
    captured = _largest_first(board.chains_of(after.captured_mask))
    if captured:
        yield f"captures {_chains_words(position, captured)}"
    ko_mask, facts = ko_mask_after(after, place), list[str]()
    try:
        for chain in _largest_first(chains_with_few_liberties(board, seat, 2)):
            if words := _rescue_fact(position, chain, after, ko_mask, reader):
                facts.append(words)
                break
        for chain in (
            [] if captured else _largest_first(chains_with_few_liberties(board, 3 - seat, 2 + _MAX_QUIET_MOVES))
        ):
            if words := _no_escape_fact(position, chain, place, after, ko_mask, reader):
                if not (facts and words.endswith(_CAN_ESCAPE)):  # such an atari is the least of several facts
                    facts.append(words)
                break
        if not captured and not facts and (length := reader.find_capture_length(after, place, 0, ko_mask)):
            how = "at once" if length == 1 else "in a ladder" if length >= _MIN_LADDER_MOVES else "by an atari"
            facts.append(f"{_CAN_BE_CAPTURED} {how}")
    except OutOfLimits:
        pass
    yield from facts


def _rescue_fact(position: GoFamilyPosition, chain: Chain, after: StoneBoard, ko_mask: int, reader: ChainReader) -> str:
    """Return the fact that the mover's chain could be captured by ataris, and no longer can; empty if it is not so."""
    index = chain[2][0]
    if not (length := reader.find_capture_length(position.board, index, 0)):
        return ""
    if reader.find_capture_length(after, index, 0, ko_mask) or not reader.is_complete:
        return ""
    danger = "atari" if length == 1 else "a ladder" if length >= _MIN_LADDER_MOVES else "capture"
    return f"saves your {_count_words(position, chain)} from {danger}"


def _no_escape_fact(
    position: GoFamilyPosition, chain: Chain, place: int, after: StoneBoard, ko_mask: int, reader: ChainReader
) -> str:
    """Return the fact that the opponent's chain cannot escape after a stone, although it could before.

    If the stone puts the chain into atari, and the chain escapes, return that fact. Otherwise return an empty text.
    """
    board, index = position.board, chain[2][0]
    stones, liberties, _ = after.chain(index)
    if chain[1].bit_count() == 1:
        return ""
    in_atari = liberties.bit_count() == 1
    for quiet_moves in range(0 if in_atari else 1, 1 if in_atari else 1 + _MAX_QUIET_MOVES):
        if liberties.bit_count() > 1 + quiet_moves:
            continue
        is_threatened = in_atari or reader.find_capture_length(after, index, quiet_moves - 1)
        if not is_threatened or reader.find_defences(after, index, max(0, quiet_moves - 1), ko_mask):
            continue
        if not reader.is_complete or not reader.find_defences(board, index, quiet_moves):
            return ""
        words = _count_words(position, chain)
        if quiet_moves == 0:
            length = reader.find_attacks(board, index, 0, position.ko_mask()).get(place, 0)
            return f"catches the {words} in a ladder" if length >= _MIN_LADDER_MOVES else f"catches the {words}"
        if not position.game.bit_geometry.masks[place] & chain[1]:
            return f"catches the {words} in a net"
        return f"catches the {words}: the reading finds no escape"
    if in_atari and reader.is_complete:
        pronoun = "it" if stones.bit_count() == 1 else "they"
        return f"puts the {_count_words(position, chain)} into atari, but {pronoun} {_CAN_ESCAPE}"
    return ""


def _is_near_crosscut(position: GoFamilyPosition, move: Point) -> bool:
    """Return whether two stones of each player cut each other on four points of a square near a point."""
    geometry, board = position.game.bit_geometry, position.board

    def colour_at(column: int, row: int) -> int:
        index = geometry.index_of.get(Point(column, row))
        return 0 if index is None else board.colour(index)

    def is_crosscut(column: int, row: int) -> bool:
        colour = colour_at(column, row)
        others = {colour_at(column + 1, row), colour_at(column, row + 1)}
        return bool(colour) and colour_at(column + 1, row + 1) == colour and others == {3 - colour}

    steps = range(-_MAX_CROSSCUT_DISTANCE, _MAX_CROSSCUT_DISTANCE)
    return any(is_crosscut(move.column + across, move.row + up) for across in steps for up in steps)


def _area_words(position: GoFamilyPosition, move: Point) -> str:
    """Describe a stone in a corner, on a side or in the centre of a board with few stones there; else return ""."""
    rows, columns = position.game.rows, position.game.cols
    if min(rows, columns) < _MIN_CORNER_BOARD:
        return ""
    geometry, board, seat = position.game.bit_geometry, position.board, position.to_move
    own, other = (geometry.points_in(board.stone_mask(colour)) for colour in (seat, 3 - seat))
    distances = (min(move.row, rows + 1 - move.row), min(move.column, columns + 1 - move.column))
    if 2 * move.row == rows + 1 and 2 * move.column == columns + 1:
        return "takes the centre of the board" if len(own) + len(other) <= _MAX_OPENING_STONES else ""
    corner_size = min(_MAX_CORNER, min(rows, columns) // 2)
    place = geometry.index_of[move]
    around = geometry.neighbour_masks[place] | sum(geometry.masks[i] for i in geometry.diagonal_neighbours[place])
    is_alone = not around & (board.black_mask | board.white_mask)
    if is_alone and min(distances) in _CORNER_LINES and max(distances) <= corner_size + 1:

        def in_corner(stone: Point) -> bool:
            row_distance = stone.row if 2 * move.row <= rows else rows + 1 - stone.row
            column_distance = stone.column if 2 * move.column <= columns else columns + 1 - stone.column
            return max(row_distance, column_distance) <= corner_size

        corner_own, corner_other = list(filter(in_corner, own)), list(filter(in_corner, other))
        if not corner_own and not corner_other and max(distances) <= min(rows, columns) * _MAX_CORNER_SHARE:
            return "takes an empty corner"
        if not corner_own and len(corner_other) == 1:
            return f"approaches the stone at {position.game.format(corner_other[0])} in the corner"
        if not corner_other and len(corner_own) == 1:
            return f"encloses the corner together with {position.game.format(corner_own[0])}"
    if min(distances) in _SIDE_LINES and max(distances) > min(distances):
        steps = (0, 1) if distances[0] == min(distances) else (1, 0)
        for sign in (1, -1):
            for gap in range(1, _MAX_EXTENSION + 2):
                row, column = move.row + sign * gap * steps[0], move.column + sign * gap * steps[1]
                if not (1 <= row <= rows and 1 <= column <= columns):
                    break
                if colour := board.colour(geometry.index_of[Point(column, row)]):
                    if colour == seat and gap > 2:
                        return f"extends along the side from {position.game.format(Point(column, row))}"
                    break
    return ""


def _shape_words(position: GoFamilyPosition, move: Point) -> str:
    """Describe a stone by the nearest stones: a jump, a diagonal or knight's move, or contact; else return ""."""
    geometry, board, seat = position.game.bit_geometry, position.board, position.to_move

    def colour_at(column_step: int, row_step: int) -> int | None:
        index = geometry.index_of.get(Point(move.column + column_step, move.row + row_step))
        return None if index is None else board.colour(index)

    def name_at(column_step: int, row_step: int) -> str:
        return position.game.format(Point(move.column + column_step, move.row + row_step))

    sides = ((1, 0), (0, 1), (-1, 0), (0, -1))
    if any(colour_at(*step) == seat for step in sides):
        return ""  # the stone extends a chain
    for step in sides:
        if colour_at(*step) == 3 - seat:
            return f"attaches to the stone at {name_at(*step)}"
    for across, up in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        if colour_at(across, up) == seat and colour_at(across, 0) == colour_at(0, up) == 0:
            return f"makes a diagonal move from {name_at(across, up)}"
    for across, up in sides:
        if colour_at(2 * across, 2 * up) == seat and colour_at(across, up) == 0:
            return f"jumps one point from {name_at(2 * across, 2 * up)}"
    for across, up in ((a, b) for a in (2, 1, -1, -2) for b in (2, 1, -1, -2) if abs(a) != abs(b)):
        if colour_at(across, up) == seat:
            return f"makes a knight's move from {name_at(across, up)}"
    return ""
