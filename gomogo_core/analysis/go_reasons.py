"""Gives reasons for a stone of Go or Capture Go, as a teacher would: captures that are read out, cuts, corners, shapes.

The module reads captures of single chains (search/go/reading.py) and uses no other search. It says only what is true
of the position: it names a capture if the reading finds no escape, and a shape if the stones have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from time import thread_time
from typing import NamedTuple

from gomogo_core.games.base import Move, Seat
from gomogo_core.games.boards import Place
from gomogo_core.games.boards.points import Point
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import BLACK, Chain, StoneBoard
from gomogo_core.games.stones.rules import COLOURS, GoFamilyPosition
from gomogo_core.search.go.atari import chains_with_few_liberties, points_safe_from_atari
from gomogo_core.search.go.eyes import eye_mask
from gomogo_core.search.go.life import unsettled_chains
from gomogo_core.search.go.reading import ChainReader, ko_mask_after
from gomogo_core.search.limits import OutOfLimits

_READING_NODES, _READING_SECONDS = 2000, 0.05  # the limits for each capture, and for all captures of a reason
_FIGHT_READING_SECONDS = 0.2  # the limit for all captures of a position
CUT_THREAT = ", because the opponent could cut there"
_ATTACKS = "captures", "kills", "catches", "cuts"  # the first words of facts about stones of the opponent
_CAN_ESCAPE, _CAN_BE_CAPTURED = "can escape", "can itself be captured"
_NO_ESCAPE, _LADDER, _ATARI = ": the reading finds no escape", "in a ladder", "from atari"
_MIN_LADDER_MOVES = 3  # moves of the attacker in a sequence of ataris that is called a ladder
_MAX_QUIET_MOVES = 2  # moves of the attacker, beside ataris, in the captures that are read
_MAX_EXTENSION = 4  # points between two stones on the same line of the side
_MIN_CORNER_BOARD = 7  # smaller boards have no separate corners
_MAX_CORNER = 5  # rows and columns of a corner
# a stone takes an empty corner at most this share of a side from both edges: on 9 × 9, on the third line
_MAX_CORNER_SHARE = 1 / 3
_MAX_CROSSCUT_DISTANCE = 2  # rows and columns from a crosscut within which the shape of a stone says more than its area
_MAX_THREATENED_LIBERTIES = 2  # liberties that a chain may have after a stone that threatens to capture it
_FEW_LIBERTIES = 3  # a text names the liberties that a stone leaves to a chain if there are at most this many
_OPEN_SIDE_DISTANCE = 3  # rows and columns around a stone on a side without another stone there
# The empty points within this distance of a stone are its area. The mean of their expected owners, from 1 for the mover
# to -1, tells who has the area.
_AREA_DISTANCE, _MIN_AREA_OWNER = 2, 0.35
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
    chains_left = [chain for chain in chains if chain[1] != 1 << place]  # the others are captured
    cut = next((pair for pair in combinations(chains_left, 2) if pair[0][1] & pair[1][1] == 1 << place), None)
    if cut is None or not points_safe_from_atari(position.board, seat, 1 << place):
        return ""
    names = [_point_of(position, stones & geometry.neighbour_masks[place]) for stones, _, _ in cut]
    return f"cuts {COLOURS[3 - seat]}'s chains at {' and '.join(names)} apart"


def stone_reason(
    position: GoFamilyPosition, move: Move, *, is_benefit: bool = False, owners: Mapping[Place, float] | None = None
) -> str:
    """Return the reason for a stone as the end of a sentence that begins with the move; empty if there is none.

    is_benefit: whether the reason must tell why the stone is good. Then the text names neither a mere shape nor
    the danger of a capture. owners: the expected owners of the points, as in `PositionAnalysis.expected_end`, which
    tell what a quiet stone is for.
    """
    if not isinstance(move, Point) or not _has_reasons(position, move):
        return ""
    facts, weakness = _stone_facts(position, move)
    near = position.game.bit_geometry.neighbour_masks[position.game.bit_geometry.index_of[move]]
    is_alone = position.game.scores_places and not near & position.board.stone_mask(position.to_move)
    if is_alone and weakness.endswith(_LADDER):
        weakness = ""  # the loss of a single stone costs little in Go, and its owner need not run
    if is_benefit:
        facts = tuple(fact for fact in facts if not fact.endswith(_CAN_ESCAPE))
    reason = ", and ".join(facts)
    if not facts:
        area = "" if _is_near_crosscut(position, move) else _area_words(position, move)
        reason = area or ("" if is_benefit else _shape_words(position, move))
        if owners and not area and (purpose := _owned_area_words(position, move, owners)):
            reason = f"{reason}, and {purpose}" if reason else purpose
    return ", but ".join(filter(None, (reason, "" if is_benefit else weakness)))


def _has_reasons(position: GoFamilyPosition, move: Point) -> bool:
    """Return whether a stone is legal, in Go or Capture Go."""
    return _are_captures_decisive(position) and not position.why_illegal(move)


def _are_captures_decisive(position: GoFamilyPosition) -> bool:
    return position.game.captures and not isinstance(position.game, Robogo)  # in Robogo, rows count more


class _Fact(NamedTuple):
    """What a stone does to a chain, as the end of a sentence. stones: the number of stones of the chain."""

    text: str
    stones: int


@lru_cache(maxsize=64)
def _stone_facts(position: GoFamilyPosition, move: Point) -> tuple[tuple[str, ...], str]:
    """Return at most two facts about what a stone does to chains, and the fact that it can itself be captured.

    The fact about the most stones comes first, but a capture comes before the stones that it saves.
    """
    found, weakness = _reading_facts(position, move)
    for fight in life_fights(position):
        of_chain = [fact for fact in found if fight.stones in fact.text]
        is_capture = any(fact.text.startswith("captures") or fact.text.endswith(_ATARI) for fact in of_chain)
        if move in fight.winning_moves(position.to_move) and not is_capture:
            is_own = fight.seat == position.to_move
            words = f"lets your {fight.stones} live" if is_own else f"kills the {fight.stones}"
            count = position.board.chain(fight.place)[0].bit_count()
            found = [*(fact for fact in found if fact not in of_chain), _Fact(words, count)]
    facts = [fact.text for fact in sorted(found, key=lambda fact: -fact.stones)]
    if cut := cut_fact(position, move, position.to_move):
        facts.append(cut)
    if not weakness and not any(fact.startswith(("catches", "kills")) for fact in facts):
        facts += filter(None, [_threat_fact(position, move)])
    if len(facts) > 1:  # an atari is the least of several facts
        facts = [fact for fact in facts if not fact.endswith(_CAN_ESCAPE)]
    if not facts and cut_fact(position, move, 3 - position.to_move):
        facts.append(f"keeps your chains together{CUT_THREAT}")
    if not facts:
        facts += _eye_facts(position, move)
    return tuple(sorted(facts[:2], key=lambda fact: not fact.startswith("captures"))), weakness


def _eye_facts(position: GoFamilyPosition, move: Point) -> Iterator[str]:
    """Yield the fact that a stone makes an eye."""
    board, place = position.board, position.game.bit_geometry.index_of[move]
    after = board.place_stone(position.to_move, place)
    if eyes := eye_mask(after, position.to_move) & ~eye_mask(board, position.to_move) & board.empty_mask:
        yield f"makes an eye at {position.game.format(position.game.bit_geometry.points_in(eyes)[0])}"


def stone_threat(position: GoFamilyPosition, move: Move) -> str:
    """Return the facts about chains that a stone captures, kills, catches or cuts apart; empty if there are none."""
    if not isinstance(move, Point) or not _has_reasons(position, move):
        return ""
    facts, _ = _stone_facts(position, move)
    return ", and ".join(fact for fact in facts if fact.startswith(_ATTACKS))


def can_be_captured(position: GoFamilyPosition, move: Move) -> bool:
    """Return whether the opponent can capture a stone by ataris, although the stone captures and saves nothing."""
    return isinstance(move, Point) and _has_reasons(position, move) and bool(_stone_facts(position, move)[1])


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
    moves that save it. is_about_life: whether the opponent does not capture it by ataris, but takes its eyes.
    """

    seat: int
    stones: str
    place: int
    attacks: tuple[Move, ...]
    defences: tuple[Move, ...]
    is_about_life: bool = False

    def winning_moves(self, seat: Seat) -> tuple[Move, ...]:
        """Return the moves with which a player wins the fight."""
        return self.defences if seat == self.seat else self.attacks


def find_fights(position: GoFamilyPosition) -> list[Fight]:
    """Return the largest fight about a chain of the mover, then that about a chain of the opponent, if there are any.
    For a player without such a chain, the largest fight about the life of a surrounded chain follows.

    Captures are read by ataris. So the defence of a chain is only against captures by ataris, and the chain may still
    die later. A chain of one stone counts only in atari.
    """
    if not _are_captures_decisive(position):
        return []
    board, fights = position.board, list[Fight]()
    reader = ChainReader(_READING_NODES, thread_time() + _FIGHT_READING_SECONDS, thread_time)
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
                break
            if attacks and defences and reader.is_complete:
                words = _count_words(position, chain)
                moves = _moves_at(position, attacks), _moves_at(position, defences)
                fights.append(Fight(seat, words, chain[2][0], *moves))
                break
    seats = [fight.seat for fight in fights]
    return [*fights, *(fight for fight in life_fights(position) if fight.seat not in seats)]


@lru_cache(maxsize=64)
def life_fights(position: GoFamilyPosition) -> tuple[Fight, ...]:
    """Return the largest fight of each player about the life of a surrounded chain, first that of the mover."""
    board, fights = position.board, list[Fight]()
    for seat in (position.to_move, 3 - position.to_move) if position.game.scores_places else ():
        for place, attacks, defences in unsettled_chains(board, seat, position.ko_mask(), position.to_move):
            words = _count_words(position, board.chain(place))
            moves = _moves_at(position, attacks), _moves_at(position, defences)
            fights.append(Fight(seat, words, place, *moves, is_about_life=True))
            break
    return tuple(fights)


def _moves_at(position: GoFamilyPosition, indices: Iterable[int]) -> tuple[Move, ...]:
    geometry = position.game.bit_geometry
    return tuple(geometry.points_in(sum(geometry.masks[index] for index in indices)))


def is_missed(position: GoFamilyPosition, fight: Fight, move: Move) -> bool:
    """Return whether a move neither captures nor saves the chain of a fight."""
    if fight.is_about_life:
        return move not in fight.winning_moves(position.to_move)
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
    # processor time, so that a busy machine gives the same reasons
    return ChainReader(_READING_NODES, thread_time() + _READING_SECONDS, thread_time)


def _point_of(position: GoFamilyPosition, mask: int) -> str:
    """Return the name of the first point of a mask."""
    return position.game.format(position.game.bit_geometry.points_in(mask)[0])


def _count_words(position: GoFamilyPosition, chain: Chain, near: int = -1) -> str:
    """Return the number of a chain's stones and its first point in the mask `near`, such as "2 stones at d4"."""
    count, point = chain[0].bit_count(), _point_of(position, chain[0] & near)
    return f"stone at {point}" if count == 1 else f"{count} stones at {point}"


def _chains_words(position: GoFamilyPosition, chains: Sequence[Chain]) -> str:
    """Name each of these chains, such as "the stones at e8 and f9" or "the 2 stones at d4 and the stone at f9"."""
    words = [_count_words(position, chain) for chain in chains]
    if len(words) > 1 and all(chain[0].bit_count() == 1 for chain in chains):
        return f"the stones at {' and '.join(text.removeprefix('stone at ') for text in words)}"
    return " and ".join(f"the {text}" for text in words)


def _largest_first(chains: Iterable[Chain]) -> list[Chain]:
    return sorted(chains, key=lambda chain: -chain[0].bit_count())


def _reading_facts(position: GoFamilyPosition, move: Point) -> tuple[list[_Fact], str]:
    """Return the facts about the chains that a stone captures, saves and catches; without any, the fact that it can
    itself be captured.
    """
    board, seat, place = position.board, position.to_move, position.game.bit_geometry.index_of[move]
    after, reader, facts = board.place_stone(seat, place), _new_reader(), list[_Fact]()
    if after.self_captured_mask:
        return [], ""
    if captured := _largest_first(board.chains_of(after.captured_mask)):
        facts.append(_Fact(f"captures {_chains_words(position, captured)}", after.captured_mask.bit_count()))
    ko_mask, length = ko_mask_after(after, place), 0
    try:
        length = 0 if captured else reader.find_capture_length(after, place, 0, ko_mask)
        for chain in _largest_first(chains_with_few_liberties(board, seat, 2)):
            if words := _rescue_fact(position, chain, after, ko_mask, reader):
                facts.append(_Fact(words, chain[0].bit_count()))
                break
        for chain in (
            [] if captured else _largest_first(chains_with_few_liberties(board, 3 - seat, 2 + _MAX_QUIET_MOVES))
        ):
            if words := _no_escape_fact(position, chain, place, after, ko_mask, reader):
                facts.append(_Fact(words, chain[0].bit_count()))
                break
    except OutOfLimits:
        pass
    if not length or facts:
        return facts, ""
    how = "at once" if length == 1 else _LADDER if length >= _MIN_LADDER_MOVES else "by an atari"
    return [], f"{_CAN_BE_CAPTURED} {how}"


def _rescue_fact(position: GoFamilyPosition, chain: Chain, after: StoneBoard, ko_mask: int, reader: ChainReader) -> str:
    """Return the fact that the mover's chain could be captured by ataris, and no longer can; empty if that is wrong."""
    index = chain[2][0]
    if not (length := reader.find_capture_length(position.board, index, 0)):
        return ""
    if reader.find_capture_length(after, index, 0, ko_mask) or not reader.is_complete:
        return ""
    danger = _ATARI if length == 1 else "from a ladder" if length >= _MIN_LADDER_MOVES else "from capture"
    return f"saves your {_count_words(position, chain)} {danger}"


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
        return f"catches the {words}{_NO_ESCAPE}"
    if in_atari and reader.is_complete:
        pronoun = "it" if stones.bit_count() == 1 else "they"
        return f"puts the {_count_words(position, chain)} into atari, but {pronoun} {_CAN_ESCAPE}"
    return ""


def _threat_fact(position: GoFamilyPosition, move: Point) -> str:
    """Return the fact that the mover could capture a chain with the next stone, but could not before; else return "".

    The stone itself must be safe, so that the threat lasts.
    """
    place, reader = position.game.bit_geometry.index_of[move], _new_reader()
    after = position.board.place_stone(position.to_move, place)
    if after.self_captured_mask or after.captured_mask:
        return ""
    chains = chains_with_few_liberties(after, 3 - position.to_move, _MAX_THREATENED_LIBERTIES)
    try:
        for chain in _largest_first(chain for chain in chains if chain[1].bit_count() > 1):
            index = chain[2][0]
            if not reader.find_capture_length(after, index, 0) or not reader.is_complete:
                continue
            if reader.find_capture_length(position.board, index, 0, position.ko_mask()) or not reader.is_complete:
                continue
            if reader.find_capture_length(after, place, 0) or not reader.is_complete:
                return ""
            return f"threatens to capture the {_count_words(position, chain)}"
    except OutOfLimits:
        pass
    return ""


def _owned_area_words(position: GoFamilyPosition, move: Point, owners: Mapping[Place, float]) -> str:
    """Describe the empty points around a stone by their expected owners; empty if neither player has most of them."""
    board, index_of = position.board, position.game.bit_geometry.index_of
    sign = 1 if position.to_move == BLACK else -1
    around = [
        point
        for point in owners
        if isinstance(point, Point)
        and max(abs(point.row - move.row), abs(point.column - move.column)) <= _AREA_DISTANCE
    ]
    empty_owners = [sign * owners[point] for point in around if not board.colour(index_of[point])]
    mean_owner = fmean(empty_owners)
    if mean_owner <= -_MIN_AREA_OWNER:
        is_invasion = all(board.colour(index_of[point]) != position.to_move for point in around)
        return f"{'invades' if is_invasion else 'reduces'} {COLOURS[3 - position.to_move]}'s likely area"
    if mean_owner >= _MIN_AREA_OWNER:
        return "strengthens your likely area"
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


def _edge_distances(position: GoFamilyPosition, point: Point) -> tuple[int, int]:
    """Return the line of a point counted from the nearer horizontal edge, and from the nearer vertical edge."""
    rows, columns = position.game.rows, position.game.cols
    return min(point.row, rows + 1 - point.row), min(point.column, columns + 1 - point.column)


def _area_words(position: GoFamilyPosition, move: Point) -> str:
    """Describe a stone in a corner, on a side or in the centre of a board with few stones there; else return ""."""
    rows, columns = position.game.rows, position.game.cols
    if min(rows, columns) < _MIN_CORNER_BOARD:
        return ""
    geometry, board, seat = position.game.bit_geometry, position.board, position.to_move
    own, other = (geometry.points_in(board.stone_mask(colour)) for colour in (seat, 3 - seat))
    distances = _edge_distances(position, move)
    if 2 * move.row == rows + 1 and 2 * move.column == columns + 1:
        return "takes the centre of the board" if len(own) + len(other) <= _MAX_OPENING_STONES else ""
    corner_size = min(_MAX_CORNER, min(rows, columns) // 2)
    place = geometry.index_of[move]
    around = geometry.neighbour_masks[place] | sum(geometry.masks[i] for i in geometry.diagonal_neighbours[place])
    is_alone = not around & (board.black_mask | board.white_mask)
    if min(distances) in _CORNER_LINES and max(distances) <= corner_size + 1:

        def in_corner(stone: Point) -> bool:
            row_distance = stone.row if 2 * move.row <= rows else rows + 1 - stone.row
            column_distance = stone.column if 2 * move.column <= columns else columns + 1 - stone.column
            return max(row_distance, column_distance) <= corner_size

        corner_own, corner_other = list(filter(in_corner, own)), list(filter(in_corner, other))
        is_touching = geometry.neighbour_masks[place] & (board.black_mask | board.white_mask)
        if not corner_own and corner_other and not (is_alone or is_touching):
            is_inside = sum(distances) < min(sum(_edge_distances(position, stone)) for stone in corner_other)
            if is_inside:
                return f"invades the corner of {COLOURS[3 - seat]}"
        if (
            is_alone
            and not corner_own
            and not corner_other
            and max(distances) <= min(rows, columns) * _MAX_CORNER_SHARE
        ):
            return "takes an empty corner"
        if is_alone and not corner_own and len(corner_other) == 1:
            return f"approaches the stone at {position.game.format(corner_other[0])} in the corner"
        if is_alone and not corner_other and len(corner_own) == 1:
            return f"encloses the corner together with {position.game.format(corner_own[0])}"
    if is_alone and min(distances) in _SIDE_LINES and max(distances) > min(distances):
        approached = None
        steps = (0, 1) if distances[0] == min(distances) else (1, 0)
        for sign in (1, -1):
            for gap in range(1, _MAX_EXTENSION + 2):
                row, column = move.row + sign * gap * steps[0], move.column + sign * gap * steps[1]
                if not (1 <= row <= rows and 1 <= column <= columns):
                    break
                if colour := board.colour(geometry.index_of[Point(column, row)]):
                    if colour == seat and gap > 2:
                        base = position.game.format(Point(column, row))
                        count = ("two", "three", "four")[gap - 3]
                        return f"makes a {count}-point extension along the side from {base}"
                    if colour != seat and gap > 1:
                        approached = Point(column, row)
                    break
        if (
            min(distances) in _CORNER_LINES
            and max(distances) > corner_size
            and not any(
                max(abs(stone.row - move.row), abs(stone.column - move.column)) <= _OPEN_SIDE_DISTANCE
                for stone in (*own, *other)
            )
        ):
            return "takes an open side"
        if approached:
            return f"approaches the stone at {position.game.format(approached)} along the side"
    if is_alone and min(distances) == 1 and len(own) + len(other) <= _MAX_OPENING_STONES:
        return "lies on the edge of the board, where a stone gains little so early"
    return ""


def _shape_words(position: GoFamilyPosition, move: Point) -> str:
    """Describe a stone by the nearest stones: a jump, a diagonal or knight's move, or contact; else return ""."""
    geometry, board, seat = position.game.bit_geometry, position.board, position.to_move

    def colour_at(column_step: int, row_step: int) -> int | None:
        index = geometry.index_of.get(Point(move.column + column_step, move.row + row_step))
        return None if index is None else board.colour(index)

    def name_at(column_step: int, row_step: int) -> str:
        return position.game.format(Point(move.column + column_step, move.row + row_step))

    def jump_from(column_step: int, row_step: int) -> str:
        base = Point(move.column + column_step, move.row + row_step)
        own_line, base_line = min(_edge_distances(position, move)), min(_edge_distances(position, base))
        inwards = " towards the centre" if own_line > max(base_line, _CORNER_LINES[0]) else ""
        return f"from {position.game.format(base)}{inwards}"

    sides = ((1, 0), (0, 1), (-1, 0), (0, -1))
    if any(colour_at(*step) == seat for step in sides):
        return _extension_words(position, move)
    for across, up in sides:
        if colour_at(across, up) == 3 - seat:
            turns = ((across + up, up + across), (across - up, up - across))
            if any(colour_at(*turn) == seat and not colour_at(turn[0] - across, turn[1] - up) for turn in turns):
                return f"plays hane at the stone at {name_at(across, up)}"
            return f"attaches to the stone at {name_at(across, up)}"
    for across, up in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        if colour_at(across, up) == seat and colour_at(across, 0) == colour_at(0, up) == 0:
            return f"makes a diagonal move {jump_from(across, up)}"
    for across, up in sides:
        if colour_at(2 * across, 2 * up) == seat and colour_at(across, up) == 0:
            return f"jumps one point {jump_from(2 * across, 2 * up)}"
    for across, up in ((a, b) for a in (2, 1, -1, -2) for b in (2, 1, -1, -2) if abs(a) != abs(b)):
        if colour_at(across, up) == seat:
            return f"makes a knight's move {jump_from(across, up)}"
    for across, up in sides:
        if colour_at(3 * across, 3 * up) == seat and colour_at(across, up) == colour_at(2 * across, 2 * up) == 0:
            return f"jumps two points {jump_from(3 * across, 3 * up)}"
    for across, up in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        if colour_at(across, up) == 3 - seat:
            stone = Point(move.column + across, move.row + up)
            if min(_edge_distances(position, move)) > max(min(_edge_distances(position, stone)), _CORNER_LINES[0]):
                return f"plays a shoulder hit against the stone at {name_at(across, up)}"
    for across, up in sides:
        if colour_at(2 * across, 2 * up) == 3 - seat and colour_at(across, up) == 0:
            stone = Point(move.column + 2 * across, move.row + 2 * up)
            if min(_edge_distances(position, move)) == min(_edge_distances(position, stone)) + 2:
                return f"caps the stone at {name_at(2 * across, 2 * up)}"
    return ""


def _extension_words(position: GoFamilyPosition, move: Point) -> str:
    """Describe a stone next to the mover's stones: a connection, liberties that it takes, or an extension.

    The stone blocks the opponent's chain if the chain would get a liberty by a stone there.
    """
    geometry, board, seat = position.game.bit_geometry, position.board, position.to_move
    near = geometry.neighbour_masks[geometry.index_of[move]]
    own, other = (_largest_first(board.chains_of(near & board.stone_mask(colour))) for colour in (seat, 3 - seat))
    if len(own) > 1:
        return f"connects your stones at {' and '.join(_point_of(position, chain[0] & near) for chain in own[:2])}"
    if other:
        chain = min(other, key=lambda chain: chain[1].bit_count())
        liberties = chain[1].bit_count() - 1
        if 1 < liberties <= _FEW_LIBERTIES:
            return f"leaves the {_count_words(position, chain, near)} only {liberties} liberties"
        if near & board.empty_mask & ~chain[1]:
            return f"blocks the {_count_words(position, chain, near)}"
    return f"extends from your {_count_words(position, own[0], near)}"
