"""Judges the moves that a user tries in a puzzle, and answers as the defender.

The module uses puzzles and the explanations of edges. An attempt depends only on the puzzle and the tried moves, so
nothing is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, Move, NotAMove, Position
from gomogo_core.games.boards.edges import Edge, EdgeBoard
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.puzzles.answers import move_effect, reply_words, theme_of_attack
from gomogo_core.puzzles.boxes_answers import reply_turn, result_sentences
from gomogo_core.puzzles.boxes_proofs import best_line
from gomogo_core.puzzles.puzzle import BOXES_THEMES, Puzzle, themes_of
from gomogo_core.puzzles.refutations import refute

_AREA_SIDE = 3  # points along each side of the area of a hint
_MIN_LEGAL_MOVES = 3  # in the area of a hint: with a single empty point it would show the move


class Verdict(StrEnum):
    """The state of an attempt."""

    OPEN = "open"
    SOLVED = "solved"
    WRONG = "wrong"


@dataclass(frozen=True)
class Attempt:
    """A puzzle after some tried moves.

    position: the position after the right moves and the replies. played_moves: all of these moves, as the game writes
    them. moves_left: the number of moves that the user still needs; in Dots and Boxes, of own turns. right_tries: the
    user's right moves. sentence: a sentence for the user. refutation: a wrong move and the known replies that refute
    it, as the game writes them; in Dots and Boxes, it ends before a reply that would show the answer. continuation: the
    moves to the end of the game after a solved puzzle of Dots and Boxes. reply_length: the number of edges that the
    opponent has just drawn there.
    """

    verdict: Verdict
    position: Position
    played_moves: tuple[str, ...]
    moves_left: int
    right_tries: tuple[str, ...]
    sentence: str
    refutation: tuple[str, ...] = ()
    continuation: tuple[str, ...] = ()
    reply_length: int = 0


@lru_cache(maxsize=1000)
def judge_attempt(puzzle: Puzzle, tried_moves: tuple[str, ...] = ()) -> Attempt:
    """Judge the moves that a user has tried. Only the last move needs a proof. Raises UserError for an illegal move."""
    game, start_position = puzzle.game, puzzle.position
    if not tried_moves:
        return Attempt(
            Verdict.OPEN, start_position, (), 1 if puzzle.is_defence else puzzle.turns, (), puzzle.goal_sentence
        )
    previous_attempt = judge_attempt(puzzle, tried_moves[:-1])
    if previous_attempt.verdict is not Verdict.OPEN:
        raise UserError("This attempt is over.", "Start the puzzle again.")
    position = previous_attempt.position
    move, next_position = play_tried(position, tried_moves[-1])
    if move not in right_moves(puzzle, previous_attempt):
        sentence, replies = refute(puzzle, position, previous_attempt.moves_left, move)
        refutation = tuple(map(game.format, (move, *replies)))
        return replace(
            previous_attempt, verdict=Verdict.WRONG, sentence=sentence, refutation=refutation, reply_length=0
        )
    moves = (*previous_attempt.played_moves, game.format(move))
    right_tries = (*previous_attempt.right_tries, game.format(move))
    if isinstance(next_position, DotsAndBoxesPosition):
        return _after_right_edge(puzzle, previous_attempt, next_position, moves, right_tries)
    assert puzzle.attack is not None
    moves_left = previous_attempt.moves_left - 1
    if not moves_left or puzzle.is_settled(next_position):
        sentence = f"Right: {_goal_words(puzzle)}{_theme_sentence(puzzle, moves)}"
        return Attempt(Verdict.SOLVED, next_position, moves, 0, right_tries, sentence)
    reply = puzzle.attack.best_defence(next_position, moves_left)
    effect = move_effect(position, move)
    answer = reply_words(next_position, reply, effect)
    right = f"Right: {game.format(move)} {effect}" if effect else "Right"
    left = "" if puzzle.theme == "kill" else f" {count_with_noun(moves_left, 'move')} to go."
    sentence = f"{right}. {answer.capitalize()}.{left}"
    moves = (*moves, game.format(reply))
    return Attempt(Verdict.OPEN, next_position.play(reply), moves, moves_left, right_tries, sentence)


def play_tried(position: Position, text: str) -> tuple[Move, Position]:
    """Return the move that a user has tried, and the position after it. Raises UserError for an illegal move."""
    try:
        move = position.game.parse(text)
        return move, position.play(move)
    except NotAMove as error:
        raise UserError(f"{text[:40]!r} is not a move.", f"{error.hint.capitalize()}.") from None
    except IllegalMove as error:
        raise UserError(f"{text[:40]}: {error.why}.", "Try another move.") from None


def right_moves(puzzle: Puzzle, attempt: Attempt) -> list[Move]:
    """Return every right move of an attempt that is not over."""
    return puzzle.right_moves(attempt.position, attempt.moves_left)


def hint(puzzle: Puzzle, tried_moves: Sequence[str] = ()) -> tuple[str, list[str]]:
    """Return a right move of an attempt, and the names of the places in an area around it.

    Raises UserError if the attempt is over.
    """
    attempt = judge_attempt(puzzle, tuple(tried_moves))
    if attempt.verdict is not Verdict.OPEN:
        raise UserError("This attempt is over.", "Start the puzzle again.")
    move = right_moves(puzzle, attempt)[0]
    return puzzle.game.format(move), area_around(attempt.position, move)


def area_around(position: Position, move: Move, min_moves: int = _MIN_LEGAL_MOVES) -> list[str]:
    """Return the names of the legal places in an area that contains a move; none for a move without a place, such as a
    pass.

    On a board of points, the area is one of the blocks of 3 × 3 points that divide the board. On a board of boxes, it
    has all edges of the boxes beside the move's edge. The area grows until it has `min_moves` legal moves, or
    all of them.
    """
    legal_moves = [legal_move for legal_move in position.moves() if position.place_to_mark(legal_move) is not None]
    names = list[str]()
    for ring_count in range(len(legal_moves)):
        area = _grown_area(position.game, move, ring_count)
        names = [position.game.format(legal_move) for legal_move in legal_moves if legal_move in area]
        if not area or len(names) >= min(min_moves, len(legal_moves)):
            break
    return names


def _grown_area(game: Game, move: Move, ring_count: int) -> set[Move]:
    """Return the area of a move. ring_count: the number of rings of points or boxes by which it has grown."""
    board = game.board
    if isinstance(board, PointBoard) and isinstance(move, Point):
        side = _AREA_SIDE + 2 * ring_count
        columns, rows = _area_range(move.column, board.columns, side), _area_range(move.row, board.rows, side)
        return {point for point in board.points if point.column in columns and point.row in rows}
    if isinstance(board, EdgeBoard) and isinstance(move, Edge):
        sides = {board.index_of[move]}
        for _ in range(ring_count + 1):
            boxes = {box for side in sides for box in board.boxes_beside[side]}
            sides = {side for box in boxes for side in board.side_bits[box]}
        return {edge for edge in board.edges if board.index_of[edge] in sides}
    return set()


def _area_range(column: int, size: int, side: int) -> range:
    """Return the columns of the area that contains the column `column`. Rows work in the same way."""
    first_column = max(1, min((column - 1) // side * side + 1, size + 1 - side))
    return range(first_column, first_column + side)


def whole_solution(puzzle: Puzzle, tried_moves: Sequence[str] = ()) -> list[str]:
    """Return all moves of a solution, from the start of the puzzle. The solution begins with the right moves of
    `tried_moves`.

    In Dots and Boxes the solution continues to the end of the game, which shows why the edge is the best.
    """
    attempt = judge_attempt(puzzle, tuple(tried_moves))
    while attempt.verdict is Verdict.OPEN:
        attempt = judge_attempt(puzzle, (*attempt.right_tries, puzzle.game.format(right_moves(puzzle, attempt)[0])))
    return [*attempt.played_moves, *attempt.continuation]


def solution_words(puzzle: Puzzle, line: Sequence[str]) -> str:
    """Return sentences on the technique, the result and the first decision of a puzzle of Dots and Boxes; empty in
    other games.

    line: the moves of a solution, from the start of the puzzle.
    """
    if puzzle.boxes_position is None:
        return ""
    words = result_sentences(puzzle.boxes_position, line)
    return f"{BOXES_THEMES[puzzle.theme].capitalize()}. {words}" if puzzle.theme else words


def _after_right_edge(
    puzzle: Puzzle,
    previous_attempt: Attempt,
    position: DotsAndBoxesPosition,
    moves: tuple[str, ...],
    right_tries: tuple[str, ...],
) -> Attempt:
    """Return the attempt after a right edge, which leads to `position`. The opponent replies if a turn is left."""
    turns_left, is_over = previous_attempt.moves_left, position.outcome() is not None
    if not is_over and position.to_move == puzzle.position.to_move:
        return Attempt(Verdict.OPEN, position, moves, turns_left, right_tries, "Right. Move again.")
    turns_left -= 1
    if turns_left and not is_over:
        reply, sentence = reply_turn(position)
        next_position = puzzle.game.replay((*puzzle.moves, *moves, *reply))
        if next_position.outcome() is None:
            sentence = f"Right. {sentence} {count_with_noun(turns_left, 'turn')} to go."
            moves, length = (*moves, *reply), len(reply)
            return Attempt(Verdict.OPEN, next_position, moves, turns_left, right_tries, sentence, reply_length=length)
    line = best_line(position)
    words = solution_words(puzzle, (*moves, *line))
    sentence = f"Right: {words[0].lower()}{words[1:]}"
    return Attempt(Verdict.SOLVED, position, moves, 0, right_tries, sentence, continuation=line)


def _goal_words(puzzle: Puzzle) -> str:
    player = side_name(puzzle.position, puzzle.position.to_move).lower()
    if puzzle.is_defence:
        opponent = side_name(puzzle.position, 3 - puzzle.position.to_move).lower()
        goal = "capture the stones" if puzzle.target else "win"
        return f"{opponent} can no longer {goal} within {puzzle.turns} moves."
    if puzzle.theme == "live":
        return f"{player} has two eyes and lives."
    if puzzle.theme == "kill":
        opponent = side_name(puzzle.position, 3 - puzzle.position.to_move).lower()
        return f"{opponent} cannot make two eyes any more."
    technique = f" The theme: {themes_of(puzzle.game)[puzzle.theme]}." if puzzle.theme else ""
    if puzzle.target:
        return f"{player} has captured the stones.{technique}"
    return f"{player} wins{f' in {puzzle.turns}' * (puzzle.turns > 1)}.{technique}"


def _theme_sentence(puzzle: Puzzle, moves: Sequence[str]) -> str:
    """Return a space and a sentence on the technique of a solved attack by rows; empty in other puzzles."""
    if puzzle.is_defence or puzzle.turns == 1 or "line" not in puzzle.game.options:
        return ""
    theme = theme_of_attack(puzzle.position, moves)
    words = ", and then ".join(filter(None, ("fours in succession" * puzzle.by_fours, theme)))
    return f" The theme: {words}." if words else ""
