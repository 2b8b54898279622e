"""Finds puzzles in games, and plays weak games that contain puzzles.

All results depend on the moves and the seed only, so a set of puzzles can be reproduced. The module uses positions,
proofs and search.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress

from gomogo_core import games
from gomogo_core.games.base import Game, Move, Position, Seat
from gomogo_core.games.boards.points import Point
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.games.go import Go
from gomogo_core.games.gomoku import Gomoku
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.puzzles.attacks import AttackTooLarge, FoursAttack, RowAttack, attack_of
from gomogo_core.puzzles.boxes_making import boxes_puzzle, make_boxes_puzzles
from gomogo_core.puzzles.go_making import make_go_puzzles, theme_puzzles
from gomogo_core.puzzles.puzzle import Puzzle
from gomogo_core.search import SearchLimits, alpha_beta

RULES = {  # the rules of the shipped puzzles
    "gomoku": {"size": "11"},
    "robogo": {"size": "9"},
    "capture_go": {"size": "7"},
    "go": {"size": "9"},
    "dots_and_boxes": {},  # on boards of different sizes
}
MAX_TURNS = 3
_MAX_PROOF_NODES = 8_000  # the most nodes of a proof, which runs while the user waits for the verdict on a move
_THREAT_MOVES = 2  # in a puzzle about the only defence, the opponent threatens to win in this number of moves
_MAX_RIGHT_MOVES = 3  # the most right first moves of a puzzle
_MAX_GAME_MOVES = 120  # the most moves of a weak game
_MIN_CHAIN_STONES = 2  # the least number of stones that a puzzle asks to capture
_MIN_GAMES_FOR_SHORT_PUZZLES = 60  # games that are searched before puzzles of two moves may fill the set
_FOURS_TURNS = range(4, 8)  # own moves in a puzzle with a four at each move; shorter ones are found without this demand
_MAX_FOURS_NODES = 20_000  # the most nodes of its proof, which visits few states
_MAX_DEFENCE_STONES = 24  # on the board of a puzzle of Gomoku about the only defence
_MAX_LONG_NODES = 60_000  # the most nodes of the proof that its right move does not lose in one move more
_PLIES_WITH_THREE = 3  # plies to a row of a player to move who can make a four
_RANDOM_MOVE_SHARE = 0.3  # share of random moves in a weak game


def puzzle_at(game: Game, moves: Sequence[str], position: Position) -> Puzzle | None:
    """Return the puzzle in the position after `moves`; None if no goal can be proved, or too many moves reach it."""
    if position.outcome() is not None or game.seats != 2:
        return None
    if isinstance(position, DotsAndBoxesPosition):
        return boxes_puzzle(position.game, moves, position)
    targets = _capture_targets(position, 3 - position.to_move) if isinstance(game, Go) else [""]
    for target in targets:
        attack = attack_of(position, target, _MAX_PROOF_NODES)
        if attack is None:
            return None
        try:
            turns = attack.moves_needed(position, MAX_TURNS)
            if turns and len(attack.right_moves(position, turns)) <= _MAX_RIGHT_MOVES:
                return Puzzle(game, tuple(moves), turns, target)
        except AttackTooLarge:
            continue
    if (puzzle := _only_move_puzzle(game, moves, position)) is None and isinstance(game, Go):
        assert isinstance(position, GoFamilyPosition)
        return next(theme_puzzles(position, moves), None)
    return puzzle


def _only_move_puzzle(game: Game, moves: Sequence[str], position: Position) -> Puzzle | None:
    """Return the puzzle of a position in which exactly one move stops a threat of the opponent, or None."""
    targets = _capture_targets(position, position.to_move) if isinstance(game, Go) else [""]
    for target in targets:
        attack = attack_of(position, target, _MAX_PROOF_NODES // 4, 3 - position.to_move)
        try:
            if attack is None or attack.moves_needed_if_idle(position, _THREAT_MOVES) != _THREAT_MOVES:
                continue
            if len(list(itertools.islice(attack.defences(position, _THREAT_MOVES), 2))) == 1:
                return Puzzle(game, tuple(moves), _THREAT_MOVES, target, is_defence=True)
        except AttackTooLarge:
            continue
    return None


def _capture_targets(position: Position, owner: Seat) -> list[str]:
    """Return a point of each chain of `owner` that can be captured soon, the largest chain first."""
    assert isinstance(position, GoFamilyPosition)
    board, geometry = position.board, position.game.bit_geometry
    chains = sorted(board.chains_of(board.stone_mask(owner)), key=lambda chain: -len(chain[2]))
    return [
        str(geometry.points_in(stones)[0])
        for stones, liberties, places in chains
        if len(places) >= _MIN_CHAIN_STONES and liberties.bit_count() <= MAX_TURNS
    ]


def _fours_puzzle(game: Gomoku, moves: Sequence[str]) -> Puzzle | None:
    """Return the longest puzzle of a game that is won with a four at each move; None if shorter wins are everywhere."""
    position, longest = game.start(), None
    for number, text in enumerate(moves):
        attack = attack_of(position, max_nodes=_MAX_FOURS_NODES, by_fours=True)
        assert attack is not None
        with suppress(AttackTooLarge):
            turns = attack.moves_needed(position, _FOURS_TURNS[-1])
            if (
                turns >= (longest.turns if longest else _FOURS_TURNS[0])
                and puzzle_at(game, moves[:number], position) is None
            ):
                right_moves = attack.right_moves(position, turns)
                if len(right_moves) < _MAX_RIGHT_MOVES:
                    longest = Puzzle(game, tuple(moves[:number]), turns, by_fours=True)
        position = position.play(game.parse(text))
    return longest


def _defence_puzzle(game: Gomoku, moves: Sequence[str]) -> Puzzle | None:
    """Return the first puzzle of a game in which only one move stops each win within `MAX_TURNS` moves.

    The opponent threatens to win in two moves, or in three by fours; the player has no four that delays the win. After
    the right move, the opponent wins neither by fours nor in one move more. Return None if no position with few stones
    is such a puzzle.
    """
    position = game.start()
    for number, text in enumerate(moves[:_MAX_DEFENCE_STONES]):
        opponent = 3 - position.to_move
        attack, fours = RowAttack(opponent, _MAX_FOURS_NODES), FoursAttack(opponent, _MAX_FOURS_NODES)
        state = attack.search_state(position)
        if state.certain_result() is None and state.min_plies_to_win(position.to_move) > _PLIES_WITH_THREE:
            with suppress(AttackTooLarge):
                threat = attack.moves_needed_if_idle(position, 2) or fours.moves_needed_if_idle(position, MAX_TURNS)
                right = list(itertools.islice(attack.defences(position, MAX_TURNS), 2)) if threat > 1 else []
                if (
                    len(right) == 1
                    and not fours.moves_needed(after := position.play(right[0]), _FOURS_TURNS[-1])
                    and not RowAttack(opponent, _MAX_LONG_NODES).moves_needed(after, MAX_TURNS + 1)
                ):
                    return Puzzle(game, tuple(moves[:number]), MAX_TURNS, is_defence=True)
        position = position.play(game.parse(text))
    return None


def find_puzzles(game: Game, moves: Sequence[str], *, missed: bool = True) -> Iterator[tuple[int, Puzzle]]:
    """Yield the puzzles in a game, each with the number of moves before it.

    missed: whether to yield only puzzles in which the player made a wrong move.
    """
    position = game.start()
    for move_count, text in enumerate(moves):
        puzzle = puzzle_at(game, moves[:move_count], position)
        move = game.parse(text)
        if puzzle is not None and not (missed and move in puzzle.right_moves(position, puzzle.turns)):
            yield move_count, puzzle
        position = position.play(move)


def play_weak_game(game: Game, rng: random.Random) -> list[str]:
    """Play a game of shallow searches and random moves, and return its moves."""
    position, moves = game.start(), list[str]()
    while position.outcome() is None and len(moves) < _MAX_GAME_MOVES:
        move = _weak_move(position, rng)
        moves.append(game.format(move))
        position = position.play(move)
    return moves


def _weak_move(position: Position, rng: random.Random) -> Move:
    legal_moves = [move for move in position.moves() if move is not PASS] or list(position.moves())
    if rng.random() < _RANDOM_MOVE_SHARE or not any(position.rows()):
        near_moves = [move for move in legal_moves if _is_near(position, move)]
        return rng.choice(near_moves or legal_moves)
    return alpha_beta.search(position, SearchLimits(depth=1)).move


def _is_near(position: Position, move: Move) -> bool:
    """Return whether a stone is beside a point; True on boards without points."""
    if not isinstance(move, Point):
        return True
    rows = position.rows()
    neighbours = [
        (move.row - 1 + row_offset, move.column - 1 + column_offset)
        for row_offset in (-1, 0, 1)
        for column_offset in (-1, 0, 1)
    ]
    return any(
        0 <= row < len(rows) and 0 <= column < len(rows[0]) and rows[row][column] in "xo" for row, column in neighbours
    )


def make_puzzles(name: str, count: int, seed: int) -> list[Puzzle]:
    """Return `count` different puzzles from weak games, and up to `count` / 5 more puzzles about the only defence.

    In Dots and Boxes, each of BOXES_THEMES has `count` / 5 puzzles, and there are no others. In Go and Capture Go,
    there are instead up to `count` / 2 puzzles of each theme, and 3 / 4 × `count` of each other kind, without stones
    that do not matter. In Gomoku, 3 / 10 × `count` more puzzles are won with a four at each move, and as
    many more ask for the only defence. Of the other puzzles,
    at most a quarter takes one move, and at most half take two moves, unless longer puzzles are rare. Each weak game
    gives at most one puzzle of each length. No puzzle of a game begins within the solution of another, so that no
    puzzle gives away the answer of another.
    seed: the seed of the weak games.
    """
    game = games.load(name, **RULES[name])
    rng = random.Random(f"{name} {seed}")
    if game.box_count:
        return make_boxes_puzzles(math.ceil(count / 5), seed)
    if isinstance(game, Go | CaptureGo):
        return make_go_puzzles(game, math.ceil(count / 2), rng)
    max_counts = {False: count, True: count // 5}
    places_left = {(defends, turns): max_counts[defends] for defends in max_counts for turns in range(1, MAX_TURNS + 1)}
    places_left |= {(False, 1): count // 4, (False, 2): count // 2}
    puzzles, seen_positions = list[Puzzle](), set[object]()
    for game_index in itertools.count():
        if game_index == _MIN_GAMES_FOR_SHORT_PUZZLES:
            places_left[False, 2] = count
        found_kinds, solution_end = set[tuple[bool, int]](), -1
        for move_count, puzzle in find_puzzles(game, play_weak_game(game, rng), missed=False):
            shown_position, kind = (puzzle.position.rows(), puzzle.position.to_move), (puzzle.is_defence, puzzle.turns)
            if (
                not puzzle.theme
                and places_left[kind]
                and max_counts[puzzle.is_defence]
                and kind not in found_kinds
                and move_count > solution_end
                and shown_position not in seen_positions
            ):
                places_left[kind] -= 1
                max_counts[puzzle.is_defence] -= 1
                found_kinds.add(kind)
                solution_end = move_count + puzzle.solution_length
                seen_positions.add(shown_position)
                puzzles.append(puzzle)
        if not max_counts[False] and (not max_counts[True] or game_index >= _MIN_GAMES_FOR_SHORT_PUZZLES):
            break
    if isinstance(game, Gomoku):
        for task, find in (("fours", _fours_puzzle), ("defence", _defence_puzzle)):
            rng = random.Random(f"{name} {seed} {task}")
            puzzles_by_key = dict[str, Puzzle]()
            while len(puzzles_by_key) < count * 3 // 10:
                if task_puzzle := find(game, play_weak_game(game, rng)):
                    puzzles_by_key[task_puzzle.key] = task_puzzle
            puzzles += puzzles_by_key.values()
    return sorted(puzzles, key=lambda puzzle: (puzzle.is_defence, puzzle.turns))
