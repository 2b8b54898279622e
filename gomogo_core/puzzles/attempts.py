"""Judges the moves that a user tries in a puzzle, and answers as the defender.

The module uses puzzles and the explanations of edges. An attempt depends only on the puzzle and the tried moves, so
nothing is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, Move, NotAMove, Position, Seat
from gomogo_core.games.boards.edges import Edge, EdgeBoard
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.printable import count_with_noun
from gomogo_core.puzzles.answers import move_effect, reply_words, theme_of_attack
from gomogo_core.puzzles.attacks import FoursAttack
from gomogo_core.puzzles.go_attacks import MAX_AREA_MOVES, LadderAttack
from gomogo_core.puzzles.puzzle import Puzzle, solve_exactly

_AREA_SIDE = 3  # points along each side of the area of a hint
_MAX_COMPARED_EDGES = 3  # with the best edge, until a reason is known
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
    them. moves_left: the number of moves that the user still needs. right_tries: the user's right moves. sentence: a
    sentence for the user. refutation: a wrong move and the known replies that refute it, as the game writes them; in
    Dots and Boxes, it ends before a reply that would show the answer. continuation: the moves to the end of the game
    after a solved puzzle of Dots and Boxes.
    """

    verdict: Verdict
    position: Position
    played_moves: tuple[str, ...]
    moves_left: int
    right_tries: tuple[str, ...]
    sentence: str
    refutation: tuple[str, ...] = ()
    continuation: tuple[str, ...] = ()


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
        sentence, replies = _refutation(puzzle, previous_attempt, move, next_position)
        refutation = tuple(map(game.format, (move, *replies)))
        return replace(previous_attempt, verdict=Verdict.WRONG, sentence=sentence, refutation=refutation)
    moves = (*previous_attempt.played_moves, game.format(move))
    right_tries = (*previous_attempt.right_tries, game.format(move))
    if puzzle.attack is None:
        if next_position.outcome() is None and next_position.to_move == start_position.to_move:
            moves_left = previous_attempt.moves_left
            return Attempt(Verdict.OPEN, next_position, moves, moves_left, right_tries, "Right. Move again.")
        line = _best_line(next_position)
        sentence = f"Right. {solution_words(puzzle, (*moves, *line))}"
        return Attempt(Verdict.SOLVED, next_position, moves, 0, right_tries, sentence, continuation=line)
    moves_left = previous_attempt.moves_left - 1
    if not moves_left:
        sentence = f"Right: {_goal_words(puzzle)}{_theme_sentence(puzzle, moves)}"
        return Attempt(Verdict.SOLVED, next_position, moves, 0, right_tries, sentence)
    reply = puzzle.attack.best_defence(next_position, moves_left)
    effect = move_effect(position, move)
    answer = reply_words(next_position, reply, effect)
    right = f"Right: {game.format(move)} {effect}" if effect else "Right"
    sentence = f"{right}. {answer.capitalize()}. {count_with_noun(moves_left, 'move')} to go."
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
    """Return all moves of a solution, from the start of the puzzle. It begins with the right moves of `tried_moves`.

    In Dots and Boxes the solution continues to the end of the game, which shows why the edge is the best.
    """
    attempt = judge_attempt(puzzle, tuple(tried_moves))
    while attempt.verdict is Verdict.OPEN:
        attempt = judge_attempt(puzzle, (*attempt.right_tries, puzzle.game.format(right_moves(puzzle, attempt)[0])))
    return [*attempt.played_moves, *attempt.continuation]


def solution_words(puzzle: Puzzle, line: Sequence[str]) -> str:
    """Return sentences on the boxes that the player gets by the best edge and by the others, and the reason; empty in
    other games than Dots and Boxes.

    line: the moves of a solution, from the start of the puzzle.
    """
    position = puzzle.position
    if not position.game.box_count:
        return ""
    solution, seat = solve_exactly(position), position.to_move
    own_boxes, all_boxes = _boxes_at_end(position, seat), position.game.box_count
    box_counts = {
        move: _boxes_at_end(position.play(move), seat) for move in position.moves() if move not in solution.best_moves
    }
    most_boxes = max(box_counts.values())
    sentence = f"You end with {own_boxes} boxes, and the other player with {all_boxes - own_boxes}."
    limit_words = " at most" if len(set(box_counts.values())) > 1 else ""
    next_best_moves = [move for move, count in box_counts.items() if count == most_boxes]
    reason = _reason_for_edge(position, line, next_best_moves)
    return f"{sentence} Any other edge gives you {_boxes_text(most_boxes)}{limit_words}. {reason}".rstrip()


def _reason_for_edge(position: Position, line: Sequence[str], other_moves: Sequence[Move]) -> str:
    """Return sentences that say why the first edge of a line is better than another one; empty if no reason is known.

    other_moves: edges to compare with it. The sentences are about the first one for which a reason is known.
    """
    explainer = explainer_of(position.game)
    for move in other_moves[:_MAX_COMPARED_EDGES]:
        name, verdict = position.game.format(move), f"is better than {position.game.format(move)}"
        answers = _best_line(position.play(move))
        words = explainer.explain_preference(position, name, line, answers, verdict, is_proved=True)
        if words != f"{line[0]} {verdict}.":
            return words
    return ""


def _best_line(position: Position) -> tuple[str, ...]:
    """Return the best moves to the end of a game of Dots and Boxes."""
    line = list[str]()
    while position.outcome() is None:
        move = solve_exactly(position).best_moves[0]
        line.append(position.game.format(move))
        position = position.play(move)
    return tuple(line)


def _boxes_at_end(position: Position, seat: Seat) -> int:
    """Return the number of boxes that a player has at the end of the game, with best play from this position."""
    lead = _lead_of(position)
    return round((position.game.box_count + (lead if seat == 1 else -lead)) / 2)


def _refutation(puzzle: Puzzle, attempt: Attempt, move: Move, next_position: Position) -> tuple[str, list[Move]]:
    """Return a sentence about a wrong move, and the moves after it that refute it; none if none is known."""
    name = puzzle.game.format(move)
    if puzzle.attack is None:
        seat = attempt.position.to_move
        best_boxes, own_boxes = _boxes_at_end(attempt.position, seat), _boxes_at_end(next_position, seat)
        cost = _boxes_text(best_boxes - own_boxes)
        sentence = f"{name} costs {cost}: you end with {own_boxes} instead of {best_boxes}. Try again."
        return sentence, _best_reply(attempt.position, next_position, right_moves(puzzle, attempt))
    goal = "make two eyes" if puzzle.theme == "live" else "capture the stones" if puzzle.target else "win"
    if puzzle.is_defence:
        turns_needed = puzzle.attack.moves_needed(next_position, puzzle.turns)
        winning_move = puzzle.attack.right_moves(next_position, turns_needed)[0]
        attacker = side_name(next_position, next_position.to_move).lower()
        sentence = f"{name} does not stop it: {attacker} plays {puzzle.game.format(winning_move)}. Try again."
        return sentence, [winning_move]
    counter_attack = puzzle.counter_attack
    if counter_attack and (moves_needed := counter_attack.moves_needed(next_position, MAX_AREA_MOVES)):
        reply = counter_attack.right_moves(next_position, moves_needed)[0]
        opponent, lives = side_name(next_position, next_position.to_move).lower(), puzzle.theme == "kill"
        effect = "has two eyes" if lives else "captures the stones"
        return f"{name} fails: {opponent} plays {puzzle.game.format(reply)} and {effect}. Try again.", [reply]
    if attempt.moves_left == 1 or next_position.outcome() is not None:
        return f"{name} does not {goal}. Try again.", []
    if isinstance(puzzle.attack, FoursAttack) and not puzzle.attack.makes_four(attempt.position, move):
        return f"{name} does not threaten to complete a row. Try again.", []
    if isinstance(puzzle.attack, LadderAttack) and not puzzle.attack.makes_atari(attempt.position, move):
        return f"{name} is no atari. Try again.", []
    reply = puzzle.attack.best_defence(next_position, attempt.moves_left - 1)
    answer = f"{side_name(next_position, next_position.to_move).lower()} answers {puzzle.game.format(reply)}"
    return f"{name} does not {goal} in {attempt.moves_left}: {answer}. Try again.", [reply]


def _best_reply(start_position: Position, position: Position, answers: Sequence[Move]) -> list[Move]:
    """Return the best edges after a move, to the end of the other player's turn, or to an answer of the puzzle."""
    moves, has_replied = list[Move](), False
    while position.outcome() is None and not (has_replied and position.to_move == start_position.to_move):
        has_replied = has_replied or position.to_move != start_position.to_move
        best_moves = [move for move in solve_exactly(position).best_moves if move not in answers]
        if not best_moves:
            break
        moves.append(best_moves[0])
        position = position.play(moves[-1])
    return moves


def _goal_words(puzzle: Puzzle) -> str:
    player = side_name(puzzle.position, puzzle.position.to_move).lower()
    if puzzle.is_defence:
        opponent = side_name(puzzle.position, 3 - puzzle.position.to_move).lower()
        return f"{opponent} can no longer {'capture the stones' if puzzle.target else 'win'} in {puzzle.turns}."
    if puzzle.theme == "live":
        return f"{player} has two eyes and lives."
    if puzzle.target:
        return f"{player} has captured the stones."
    return f"{player} wins." if puzzle.turns == 1 else f"{player} wins in {puzzle.turns}."


def _theme_sentence(puzzle: Puzzle, moves: Sequence[str]) -> str:
    """Return a space and a sentence on the technique of a solved attack by rows; empty in other puzzles."""
    if puzzle.is_defence or puzzle.turns == 1 or "line" not in puzzle.game.options:
        return ""
    theme = theme_of_attack(puzzle.position, moves)
    words = ", and then ".join(filter(None, ("fours in succession" * puzzle.by_fours, theme)))
    return f" The theme: {words}." if words else ""


def _lead_of(position: Position) -> float:
    """Return the first player's lead at the end of the game, with best play from this position."""
    if (outcome := position.outcome()) is not None:
        assert outcome.scores is not None
        return outcome.scores[0] - outcome.scores[1]
    return solve_exactly(position).value


def _boxes_text(count: int) -> str:
    return count_with_noun(count, "box", "boxes")
