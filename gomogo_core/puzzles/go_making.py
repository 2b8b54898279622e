"""Finds puzzles of Go with a theme, such as a ladder or two eyes, in games and in composed corners.

A puzzle is kept only if its theme is proved: one first move is right, and in a puzzle about life or death each other
move loses by a proof of the opponent. The module knows positions and proofs.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from gomogo_core.errors import UserError
from gomogo_core.games.base import Position
from gomogo_core.games.boards.points import Point
from gomogo_core.games.go import Go
from gomogo_core.games.stones.board import BLACK, WHITE
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.puzzles.attacks import AttackTooLarge, attack_of
from gomogo_core.puzzles.go_attacks import MAX_AREA_MOVES, closed_area, create_area_attack, create_ladder_attack
from gomogo_core.puzzles.puzzle import THEMES, Puzzle, chain_at
from gomogo_core.records.board_setup import moves_to_set_up

_MAX_NODES = 8_000  # the most nodes of a proof
_LADDER_MOVES = range(4, 13)  # own moves in a ladder
_CAPTURE_MOVES = 3  # the most own moves of a net or a race
_LIFE_MOVES = 3  # the most own moves of a puzzle about life
_CORNER_SIDES = (5, 3)  # columns and rows that may hold the eye space of a composed corner
_EYE_SPACE = range(3, 7)  # points of the eye space
_AREA_THEMES = ("kill", "live")
_THEMES_OF_ONE_LENGTH = ("net", "snapback", "race")
_CORNERS_PER_PUZZLE, _GAMES_PER_PUZZLE = 500, 30  # the most corners and games that are searched


def theme_puzzles(position: GoFamilyPosition, moves: Sequence[str]) -> Iterator[Puzzle]:
    """Yield the puzzles with a theme in the position after `moves`."""
    geometry = position.game.bit_geometry
    for seat in (3 - position.to_move, position.to_move):
        for stones, liberties, _ in position.board.chains_of(position.board.stone_mask(seat)):
            target = str(geometry.points_in(stones)[0])
            with suppress(AttackTooLarge):
                if puzzle := _area_puzzle(position, moves, target):
                    yield puzzle
                elif seat != position.to_move and 2 <= liberties.bit_count() <= _CAPTURE_MOVES and stones & stones - 1:
                    yield from _capture_puzzle(position, moves, target)


def _area_puzzle(position: Position, moves: Sequence[str], target: str) -> Puzzle | None:
    """Return the puzzle about the life of the chain on `target`; None if one right move does not decide it."""
    attack = create_area_attack(position, target, position.to_move, _MAX_NODES)
    counter_attack = create_area_attack(position, target, 3 - position.to_move, _MAX_NODES)
    if attack is None or counter_attack is None or len(chain_at(position, target)) < 2:
        return None
    theme = "live" if position.at(position.game.parse(target)) == position.to_move else "kill"  # type: ignore[attr-defined]
    turns = attack.moves_needed(position, _LIFE_MOVES if theme == "live" else MAX_AREA_MOVES)
    if not turns or (theme, turns) == ("kill", 1) or len(right := attack.right_moves(position, turns)) != 1:
        return None
    others = [move for move in attack.first_moves(position) if move not in right]
    if not others or not all(counter_attack.moves_needed(position.play(move), MAX_AREA_MOVES) for move in others):
        return None
    return Puzzle(position.game, tuple(moves), turns, target, theme=theme)


def _capture_puzzle(position: GoFamilyPosition, moves: Sequence[str], target: str) -> Iterator[Puzzle]:
    attack = attack_of(position, target, _MAX_NODES)
    if attack is None:
        return
    puzzle = Puzzle(position.game, tuple(moves), attack.moves_needed(position, _CAPTURE_MOVES), target)
    if puzzle.turns > 1:
        right = attack.right_moves(position, puzzle.turns)
        if len(right) == 1 and (theme := capture_theme(puzzle, right[0])):
            yield replace(puzzle, theme=theme)
    elif not puzzle.turns and (ladder := create_ladder_attack(position, target, _MAX_NODES)):
        turns = ladder.moves_needed(position, _LADDER_MOVES[-1])
        if turns in _LADDER_MOVES and len(ladder.right_moves(position, turns)) == 1:
            yield replace(puzzle, turns=turns, theme="ladder")


def capture_theme(puzzle: Puzzle, move: object) -> str:
    """Return the technique of a puzzle about a capture whose only right first move is `move`; empty for another one."""
    position = puzzle.position
    assert isinstance(position, GoFamilyPosition)
    assert isinstance(move, Point)
    geometry = position.game.bit_geometry
    i, target = geometry.index_of[move], geometry.index_of[position.game.board.parse(puzzle.target)]
    after = position.play(move)
    own_stones, own_liberties, _ = after.board.chain(i)
    if puzzle.turns == 2 and own_liberties.bit_count() == 1 and own_stones.bit_count() <= 2:
        reply = geometry.points_in(own_liberties)[0]
        if reply in after.moves() and (taken := after.play(reply)).at(move) is None:
            captures_back = move in taken.moves() and taken.play(move).board.colour(target) != 3 - position.to_move
            return "snapback" if captures_back else ""
    liberties = position.board.chain(target)[1]
    is_beside_liberty = bool(geometry.neighbours_of(liberties) >> i & 1)
    if is_beside_liberty and not (liberties >> i & 1 or after.board.captured_mask or closed_area(position, target)):
        return "net"
    return "race" if puzzle.turns == _CAPTURE_MOVES and puzzle.is_race else ""


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
    ring = _around(space, game.size)
    wall = _around(space | ring, game.size)
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


def _around(points: set[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    """Return the points of the board that touch `points`, at a side or at a corner."""
    steps = (-1, 0, 1)
    touching = {(column + right, row + down) for column, row in points for right in steps for down in steps}
    return {(column, row) for column, row in touching - points if 1 <= column <= size and 1 <= row <= size}


def make_theme_puzzles(game: Go, count: int, rng: random.Random, play_game: Callable[[], list[str]]) -> list[Puzzle]:
    """Return up to `count` puzzles of each theme: about life and death from composed corners, the others from games.

    play_game: plays a game and returns its moves. Each game gives at most one puzzle of each theme, and none whose
    position lies within the solution of another one. At most half of the puzzles of a theme have the same number of
    moves, except nets, snapbacks and races.
    """
    puzzles, counts = dict[tuple[str, ...], Puzzle](), Counter[object]()

    def is_added(puzzle: Puzzle) -> bool:
        shape, kind = (puzzle.theme, *_shape(puzzle)), (puzzle.theme, puzzle.turns)
        max_kind = count if puzzle.theme in _THEMES_OF_ONE_LENGTH else -(-count // 2)
        if shape in puzzles or counts[kind] == max_kind or counts[puzzle.theme] == count:
            return False
        puzzles[shape] = puzzle
        counts.update((kind, puzzle.theme))
        return True

    def are_complete(themes: Iterable[str]) -> bool:
        return all(counts[theme] == count for theme in themes)

    for _ in range(_CORNERS_PER_PUZZLE * count):
        if (corner := composed_corner(game, rng)) and not are_complete(_AREA_THEMES):
            for puzzle in theme_puzzles(*corner):
                if puzzle.theme in _AREA_THEMES and is_added(puzzle):
                    break
    game_themes = [theme for theme in THEMES if theme not in _AREA_THEMES]
    for _ in range(_GAMES_PER_PUZZLE * count):
        if are_complete(game_themes):
            break
        position, moves, found = game.start(), play_game(), set[str](_AREA_THEMES)
        solution_end = -1
        for number, text in enumerate(moves):
            assert isinstance(position, GoFamilyPosition)
            for puzzle in theme_puzzles(position, moves[:number]):
                if number > solution_end and puzzle.theme not in found and is_added(puzzle):
                    found.add(puzzle.theme)
                    solution_end = number + puzzle.solution_length
            position = position.play(game.parse(text))
    return list(puzzles.values())


def _shape(puzzle: Puzzle) -> tuple[str, ...]:
    """Return the rows of the board in the symmetry in which they are first in order, with black for the mover."""
    swap = str.maketrans("xo", "ox") if puzzle.position.to_move == WHITE else {}
    rows = tuple(row.translate(swap) for row in puzzle.position.rows())
    shapes = []
    for turned in (rows, tuple("".join(column) for column in zip(*rows, strict=True))):
        for flipped in (turned, turned[::-1]):
            shapes += [flipped, tuple(row[::-1] for row in flipped)]
    return min(shapes)
