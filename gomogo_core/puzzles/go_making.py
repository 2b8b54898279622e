"""Finds puzzles of Go and Capture Go in games and in composed corners, and removes the stones that do not matter.

A puzzle is kept only if exactly one first move is right; in a puzzle about life or death, each other move loses by a
proof of the opponent. The module knows positions and proofs.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

from gomogo_core.errors import UserError
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import Go
from gomogo_core.games.stones.board import BLACK, WHITE, Chain, StoneBoard
from gomogo_core.games.stones.rules import GoFamilyGame, GoFamilyPosition
from gomogo_core.puzzles.attacks import Attack, AttackTooLarge, NearCaptureAttack, attack_of, is_capture_race
from gomogo_core.puzzles.go_attacks import MAX_AREA_MOVES, closed_area, create_area_attack, create_ladder_attack
from gomogo_core.puzzles.go_simplifying import position_of_stones, simplify
from gomogo_core.puzzles.puzzle import Puzzle, chain_at
from gomogo_core.records.board_setup import moves_to_set_up

_MAX_NODES = 8_000  # the most nodes of a proof
_LADDER_MOVES = range(4, 13)  # own moves in a ladder
_CAPTURE_MOVES = 3  # the most own moves of another capture
_THREAT_MOVES = 2  # own moves of the opponent in a threat that one move stops
_LIFE_MOVES = 3  # the most own moves of a puzzle about life
_CORNER_SIDES = (5, 3)  # columns and rows that may hold the eye space of a composed corner
_EYE_SPACE = range(3, 7)  # points of the eye space
_AREA_THEMES = ("kill", "live")
_FIGHT_KINDS = {"go": ("ladder", "net", "snapback", "throw-in", "race", "attack", "defence"),
               "capture_go": ("ladder", "net", "double", "attack", "defence")}  # fmt: skip
_CHAIN_STONES = range(2, 10)  # stones of a chain to capture or to save, in Go
_LADDER_STONES = range(1, 10)  # stones of a chain to capture in a ladder, in Capture Go
_MAX_STONES = 22  # on the board of a puzzle
_KINDS_WITHOUT_THEME = ("attack", "defence")
_KINDS_WITH_LENGTHS = ("attack", "net", "double", "live")  # kinds that have short puzzles and long ones
_MAX_SHARE_OF_SHORT = 0.5  # of the puzzles of such a kind that take one move or two moves
_FIGHT_SIDES = (3, 4, 5)  # columns and rows of the part of the board with stones
_FIGHT_DENSITY, _CONNECTED_SHARE = 0.6, 0.6  # share of points with a stone; of stones with the colour of a neighbour
_CORNERS_PER_PUZZLE, _FIGHTS_PER_PUZZLE = 100, 100  # the most corners and fights that are composed


class Goal(NamedTuple):
    """A goal that exactly one first move, `right`, reaches. The other fields are those of a puzzle."""

    right: Point
    turns: int
    target: str
    theme: str = ""
    is_defence: bool = False

    def puzzle(self, game: GoFamilyGame, moves: Sequence[str], *, is_set_up: bool = False) -> Puzzle:
        """Return the puzzle with this goal in the position after `moves`."""
        return Puzzle(
            game, tuple(moves), self.turns, self.target, self.is_defence, theme=self.theme, is_set_up=is_set_up
        )


def theme_puzzles(position: GoFamilyPosition, moves: Sequence[str]) -> Iterator[Puzzle]:
    """Yield the puzzles of Go with a theme in the position after `moves`."""
    geometry = position.game.bit_geometry
    for seat in (3 - position.to_move, position.to_move):
        for stones, liberties, places in position.board.chains_of(position.board.stone_mask(seat)):
            target = str(geometry.points_in(stones)[0])
            with suppress(AttackTooLarge):
                goal = area_goal(position, target)
                if goal is None and seat != position.to_move and len(places) > 1:
                    goal = capture_goal(position, target) if 2 <= liberties.bit_count() <= _CAPTURE_MOVES else None
                if goal and goal.theme:
                    yield goal.puzzle(position.game, moves)


def area_goal(position: GoFamilyPosition, target: str) -> Goal | None:
    """Return the goal about the life of the chain on `target`; None if one right move does not decide it."""
    attack = create_area_attack(position, target, position.to_move, _MAX_NODES)
    counter_attack = create_area_attack(position, target, 3 - position.to_move, _MAX_NODES)
    if attack is None or counter_attack is None or len(chain_at(position, target)) < 2:
        return None
    is_own = position.at(position.game.board.parse(target)) == position.to_move
    turns = attack.moves_needed(position, _LIFE_MOVES if is_own else MAX_AREA_MOVES)
    if not turns or (turns == 1 and not is_own) or len(right := attack.right_moves(position, turns)) != 1:
        return None
    others = [move for move in attack.first_moves(position) if move not in right]
    if not others or not all(counter_attack.moves_needed(position.play(move), MAX_AREA_MOVES) for move in others):
        return None
    assert isinstance(right[0], Point)
    return Goal(right[0], turns, target, "live" if is_own else "kill")


def capture_goal(position: GoFamilyPosition, target: str, *, is_quick: bool = False) -> Goal | None:
    """Return the goal of capturing a chain in several moves; None if there is no such goal. target: a point of the
    chain; in Capture Go, empty for any chain. A capture that takes many moves is a ladder.

    is_quick: whether to search only moves near the chain, which may overlook a second right move.
    """
    attack = _capture_attack(position, target, position.to_move, is_quick)
    if attack is None:
        return None
    turns = attack.moves_needed(position, _CAPTURE_MOVES)
    if is_ladder := bool(target and not turns):
        attack = create_ladder_attack(position, target, _MAX_NODES)
        turns = attack.moves_needed(position, _LADDER_MOVES[-1]) if attack else 0
    is_short = turns < (_LADDER_MOVES[0] if is_ladder else 2)
    if attack is None or is_short or (target and not is_ladder and not isinstance(position.game, Go)):
        return None
    right = attack.right_moves(position, turns)
    if len(right) != 1 or not isinstance(move := right[0], Point):
        return None
    return Goal(move, turns, target, "ladder" if is_ladder else capture_theme(position, target, turns, move))


def defence_goal(position: GoFamilyPosition, target: str, *, is_quick: bool = False) -> Goal | None:
    """Return the goal of stopping a threat against a chain; None if there is no threat, or if not exactly one move
    stops it. target: as for `capture_goal`.

    is_quick: whether to search only attacking moves near the chain, which may overlook a threat.
    """
    attack = _capture_attack(position, target, 3 - position.to_move, is_quick)
    if attack is None or attack.moves_needed_if_idle(position, _THREAT_MOVES) != _THREAT_MOVES:
        return None
    right = list(itertools.islice(attack.defences(position, _THREAT_MOVES), 2))
    if len(right) != 1 or not isinstance(move := right[0], Point):
        return None
    return Goal(move, _THREAT_MOVES, target, is_defence=True)


def _capture_attack(position: GoFamilyPosition, target: str, attacker: int, is_quick: bool) -> Attack | None:
    if not is_quick:
        return attack_of(position, target, _MAX_NODES, attacker)
    place = position.game.bit_geometry.index_of[position.game.board.parse(target)] if target else None
    return NearCaptureAttack(attacker, _MAX_NODES, place)


def capture_theme(position: GoFamilyPosition, target: str, turns: int, move: Point) -> str:
    """Return the technique of a capture whose only right first move is `move`; empty if it uses none of the named
    techniques.

    turns: the number of own moves that the capture takes. target: empty in Capture Go.
    """
    geometry, board = position.game.bit_geometry, position.board
    i = geometry.index_of[move]
    after = position.play(move)
    own_stones, own_liberties, _ = after.board.chain(i)
    if not target:
        opponent_stones = after.board.stone_mask(3 - position.to_move)
        ataris = [chain for chain in after.board.chains_of(opponent_stones) if chain[1].bit_count() == 1]
        return "double" if len(ataris) > 1 else "" if ataris or geometry.neighbour_masks[i] & opponent_stones else "net"
    place = geometry.index_of[position.game.board.parse(target)]
    if own_liberties.bit_count() == 1 and own_stones.bit_count() <= 2:
        reply = geometry.points_in(own_liberties)[0]
        if reply in after.moves() and (taken := after.play(reply)).at(move) is None:
            captures_back = move in taken.moves() and taken.play(move).board.colour(place) != 3 - position.to_move
            return "snapback" if captures_back and turns == 2 else "throw-in"
    liberties = board.chain(place)[1]
    is_beside_liberty = bool(geometry.neighbours_of(liberties) >> i & 1)
    if is_beside_liberty and not (liberties >> i & 1 or after.board.captured_mask or closed_area(position, place)):
        return "net"
    return "race" if turns > 2 and is_capture_race(position, place, turns) else ""


def composed_corner(game: Go, rng: random.Random) -> tuple[GoFamilyPosition, list[str]] | None:
    """Return a position with a closed corner, and the moves that lead to it; None if the stones cannot be set up.

    A random eye space has a ring of stones of one colour around it, with random gaps, and a ring of the other colour
    around that.
    """
    columns, rows = _CORNER_SIDES
    space = {(1, 1) if rng.random() < 0.7 else (rng.randint(2, columns), 1)}
    size = rng.choice(_EYE_SPACE)
    while len(space) < size:
        column, row = rng.choice(sorted(space))
        step = rng.choice(((1, 0), (-1, 0), (0, 1), (0, -1)))
        if 1 <= column + step[0] <= columns and 1 <= row + step[1] <= rows:
            space.add((column + step[0], row + step[1]))
    ring = _touching_points(space, game.size)
    wall = _touching_points(space | ring, game.size)
    gaps = set(rng.sample(sorted(ring), rng.choice((0, 0, 1, 1, 2))))
    inside = set(rng.sample(sorted(space | gaps), rng.choice((0, 0, 1))))
    swaps, flips_column, flips_row = (rng.random() < 0.5 for _ in range(3))

    def name(column: int, row: int) -> str:
        column, row = (row, column) if swaps else (column, row)
        return str(Point(game.size + 1 - row if flips_row else row, game.size + 1 - column if flips_column else column))

    owner = rng.choice((BLACK, WHITE))
    stones = {
        owner: [name(*point) for point in sorted(ring - gaps)],
        3 - owner: [name(*point) for point in sorted(wall | inside)],
    }
    try:
        moves = moves_to_set_up(game, stones, rng.choice((BLACK, WHITE)))
    except UserError:
        return None
    position = game.replay(moves)
    assert isinstance(position, GoFamilyPosition)
    return position, moves


def _touching_points(points: set[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    """Return the points of the board that touch `points`, at a side or at a corner."""
    steps = (-1, 0, 1)
    touching = {(column + right, row + down) for column, row in points for right in steps for down in steps}
    return {(column, row) for column, row in touching - points if 1 <= column <= size and 1 <= row <= size}


class _Collection:
    """The puzzles found so far, of which none is another one turned, mirrored or moved along the board.

    count: the most puzzles of each theme; the kinds without a theme may have half as many more.
    """

    def __init__(self, count: int) -> None:
        self.count, self.puzzles = count, dict[tuple[str, ...], Puzzle]()
        self._counts = Counter[object]()

    def has_place(self, goal: Goal) -> bool:
        """Return whether another puzzle with this goal is wanted."""
        kind, is_short = _kind(goal), goal.turns <= 2 and _kind(goal) in _KINDS_WITH_LENGTHS
        is_full = is_short and self._counts[kind, goal.turns] >= self._max_count(kind) * _MAX_SHARE_OF_SHORT
        return not is_full and self._counts[kind] < self._max_count(kind)

    def _max_count(self, kind: str) -> int:
        return self.count * 3 // 2 if kind in _KINDS_WITHOUT_THEME else self.count

    def add(self, position: GoFamilyPosition, goal: Goal, area: int = -1) -> bool:
        """Add the puzzle of a position, and return whether it is new and its stones can be set up.

        area: the mask of the points that make a puzzle different from others.
        """
        geometry, board = position.game.bit_geometry, position.board
        rows = geometry.rows_of(board.black_mask & area, board.white_mask & area)
        shape = (_kind(goal), *_shape(rows, position.to_move))
        if shape in self.puzzles or (board.black_mask | board.white_mask).bit_count() > _MAX_STONES:
            return False
        stones = {seat: list(map(str, geometry.points_in(board.stone_mask(seat)))) for seat in (BLACK, WHITE)}
        with suppress(UserError):
            moves = moves_to_set_up(position.game, stones, position.to_move)
            self.puzzles[shape] = goal.puzzle(position.game, moves, is_set_up=True)
            self._counts.update((_kind(goal), (_kind(goal), goal.turns)))
            return True
        return False

    def is_complete(self, kinds: Sequence[str]) -> bool:
        """Return whether no more puzzles of these kinds are wanted."""
        return all(self._counts[kind] == self._max_count(kind) for kind in kinds)


def _kind(goal: Goal) -> str:
    return goal.theme or ("defence" if goal.is_defence else "attack")


def composed_fight(game: GoFamilyGame, rng: random.Random) -> GoFamilyPosition | None:
    """Return a position with random stones in a part of the board, most often in a corner or at a side; None if a chain
    has no liberty. Black is to move.
    """
    columns, rows = rng.sample(_FIGHT_SIDES, 2)
    left, top = (rng.choice((0, 0, 0, rng.randrange(1, game.cols - side))) for side in (columns, rows))
    flips_column, flips_row = rng.random() < 0.5, rng.random() < 0.5
    geometry, masks = game.bit_geometry, {BLACK: 0, WHITE: 0}
    for column, row in itertools.product(range(left + 1, left + columns + 1), range(top + 1, top + rows + 1)):
        if rng.random() < _FIGHT_DENSITY:
            x = game.cols + 1 - column if flips_column else column
            i = geometry.index_of[Point(x, game.rows + 1 - row if flips_row else row)]
            near = [colour for colour, mask in masks.items() if geometry.neighbour_masks[i] & mask]
            colour = rng.choice(near) if near and rng.random() < _CONNECTED_SHARE else rng.choice((BLACK, WHITE))
            masks[colour] |= geometry.masks[i]
    board = StoneBoard.of(geometry, masks[BLACK], masks[WHITE])
    if any(not liberties for _, liberties, _ in board.chains_of(masks[BLACK] | masks[WHITE])):
        return None
    return position_of_stones(game, board, BLACK)


def make_go_puzzles(game: GoFamilyGame, count: int, rng: random.Random) -> list[Puzzle]:
    """Return up to `count` puzzles of each theme and 3 / 2 × `count` of each other kind, from composed positions.

    A puzzle has no stone that its proof does not need.
    """
    found = _Collection(count)
    if isinstance(game, Go):
        for _ in range(_CORNERS_PER_PUZZLE * count):
            if not found.is_complete(_AREA_THEMES) and (corner := composed_corner(game, rng)):
                _add_corner(found, corner[0])
    for _ in range(_FIGHTS_PER_PUZZLE * count):
        if found.is_complete(_FIGHT_KINDS[game.name]):
            break
        if position := composed_fight(game, rng):
            _add_from_position(found, position)
    return list(found.puzzles.values())


def _add_corner(found: _Collection, position: GoFamilyPosition) -> None:
    """Add the puzzle about the life of a chain in a composed corner, if there is one."""
    geometry = position.game.bit_geometry
    for seat in (BLACK, WHITE):
        for stones, _, places in position.board.chains_of(position.board.stone_mask(seat)):
            area, target = closed_area(position, places[0]), str(geometry.points_in(stones)[0])
            with suppress(AttackTooLarge):
                if area and (goal := area_goal(position, target)) and found.has_place(goal):
                    simpler = simplify(
                        position,
                        area,
                        area,
                        lambda candidate, place=places[0], area=area, goal=goal: (  # type: ignore[misc]
                            closed_area(candidate, place) == area and area_goal(candidate, goal.target) == goal
                        ),
                    )
                    found.add(simpler, goal, area)
                    return


def _add_from_position(found: _Collection, position: GoFamilyPosition) -> None:
    """Add a puzzle about a chain of a position, or in Capture Go about any chain, if there is one."""
    for chain, prove in _targets_with_provers(position):
        geometry, fixed = position.game.bit_geometry, chain[0] if chain else 0
        target = str(geometry.points_in(fixed)[0]) if chain else ""
        with suppress(AttackTooLarge):
            goal = prove(position, target, is_quick=True)
            if goal is None or not found.has_place(goal):
                continue

            def has_same_answer(candidate: GoFamilyPosition, goal: Goal = goal, prove: _GoalProver = prove) -> bool:
                with suppress(AttackTooLarge):
                    return prove(candidate, goal.target, is_quick=True) == goal
                return False

            focus = fixed | geometry.masks[geometry.index_of[goal.right]]
            simpler = simplify(position, focus, fixed, has_same_answer)
            if prove(simpler, target) == goal and found.add(simpler, goal):
                return


class _GoalProver(Protocol):
    def __call__(self, position: GoFamilyPosition, target: str, *, is_quick: bool = False) -> Goal | None: ...


def _targets_with_provers(position: GoFamilyPosition) -> Iterator[tuple[Chain | None, _GoalProver]]:
    """Yield the chains that may be a target, each with the function that proves its goal; in Capture Go also None, for
    a goal about any chain.
    """
    is_go, board = isinstance(position.game, Go), position.board
    if not is_go:
        yield from ((None, capture_goal), (None, defence_goal))
    for chain in board.chains_of(board.stone_mask(3 - position.to_move)):
        liberty_counts, sizes = ((2, 3), _CHAIN_STONES) if is_go else ((2,), _LADDER_STONES)
        if chain[1].bit_count() in liberty_counts and len(chain[2]) in sizes:
            yield chain, capture_goal
    if is_go:
        for chain in board.chains_of(board.stone_mask(position.to_move)):
            if chain[1].bit_count() <= _THREAT_MOVES and len(chain[2]) in _CHAIN_STONES:
                yield chain, defence_goal


def _shape(rows: Sequence[str], mover: int) -> tuple[str, ...]:
    """Return the part of the board with stones in the symmetry in which its rows are first in order, with black for the
    mover. The part has up to two empty lines on each side, which tell a corner or a side from the centre.
    """
    swap = str.maketrans("xo", "ox") if mover == WHITE else {}
    rows = _crop_rows([row.translate(swap) for row in rows])
    columns = _crop_rows(["".join(column) for column in zip(*rows, strict=True)])
    shapes = []
    for turned in (tuple(columns), tuple("".join(row) for row in zip(*columns, strict=True))):
        for flipped in (turned, turned[::-1]):
            shapes += [flipped, tuple(row[::-1] for row in flipped)]
    return min(shapes)


def _crop_rows(rows: Sequence[str]) -> Sequence[str]:
    """Return the rows from the first to the last one with a stone, and up to two more on each side."""
    used = [number for number, row in enumerate(rows) if set(row) != {"."}]
    return rows[max(0, used[0] - 2) : used[-1] + 3]
