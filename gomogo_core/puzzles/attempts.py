"""Judges the moves that a user tries in a puzzle, and answers as the defender.

Uses puzzles only. An attempt is a pure function of the puzzle and the moves that were tried, so nothing is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from gomogo_core.errors import UserError
from gomogo_core.games.base import IllegalMove, Move, NotAMove, Position
from gomogo_core.puzzles.puzzle import Puzzle, seat_words, solve_exactly


class Verdict(StrEnum):
    """The state of an attempt."""

    OPEN = "open"
    SOLVED = "solved"
    WRONG = "wrong"


@dataclass(frozen=True)
class Attempt:
    """A puzzle after some tried moves.

    position: after the tried moves and the replies, without a wrong move. moves: all moves since the start of the
    puzzle, as the game writes them. left: the number of moves that the user still needs. tried: the right moves among
    the tried ones. words: a sentence for the person.
    """

    verdict: Verdict
    position: Position
    moves: tuple[str, ...]
    left: int
    tried: tuple[str, ...]
    words: str


@lru_cache(maxsize=1000)
def attempt(puzzle: Puzzle, tried_moves: tuple[str, ...] = ()) -> Attempt:
    """Judge the moves that a user has tried, the last one by a proof. Raises UserError for an illegal move."""
    game, begun = puzzle.game, puzzle.position
    if not tried_moves:
        return Attempt(Verdict.OPEN, begun, (), 1 if puzzle.defends else puzzle.turns, (), puzzle.words)
    before = attempt(puzzle, tried_moves[:-1])
    if before.verdict is not Verdict.OPEN:
        raise UserError("This attempt is over.", "Begin the puzzle again.")
    position = before.position
    try:
        move = game.parse(tried_moves[-1])
        after = position.play(move)
    except NotAMove as wrong:
        raise UserError(f"{tried_moves[-1][:40]!r} is not a move.", f"{wrong.hint.capitalize()}.") from None
    except IllegalMove as wrong:
        raise UserError(f"{tried_moves[-1][:40]}: {wrong.why}.", "Try another move.") from None
    if move not in right_moves(puzzle, before):
        words = _refutation(puzzle, before, move, after)
        return Attempt(Verdict.WRONG, position, before.moves, before.left, before.tried, words)
    moves, own = (*before.moves, game.format(move)), (*before.tried, game.format(move))
    if puzzle.attack is None:
        ended = after.outcome() is not None or after.to_move != begun.to_move
        words = f"Right. {_margin_words(after)}" if ended else "Right. Move again."
        return Attempt(Verdict.SOLVED if ended else Verdict.OPEN, after, moves, 0 if ended else before.left, own, words)
    left = before.left - 1
    if not left:
        return Attempt(Verdict.SOLVED, after, moves, 0, own, f"Right: {_goal_words(puzzle)}")
    reply = puzzle.attack.reply(after, left)
    words = f"Right. {seat_words(after)} answers {game.format(reply)}. {left} {'move' if left == 1 else 'moves'} to go."
    return Attempt(Verdict.OPEN, after.play(reply), (*moves, game.format(reply)), left, own, words)


def right_moves(puzzle: Puzzle, attempt: Attempt) -> list[Move]:
    """Return every right move of an attempt that is not over."""
    return puzzle.right_moves(attempt.position, attempt.left)


def solution(puzzle: Puzzle, tried_moves: Sequence[str] = ()) -> list[str]:
    """Return a whole line from the start of the puzzle, through the right moves among `tried_moves`.

    In Dots and Boxes it goes on to the end of the game, which shows why the edge is the best.
    """
    at = attempt(puzzle, tuple(tried_moves))
    while at.verdict is Verdict.OPEN:
        at = attempt(puzzle, (*at.tried, puzzle.game.format(right_moves(puzzle, at)[0])))
    line, position = list(at.moves), at.position
    if puzzle.attack is None:
        while position.outcome() is None:
            move = solve_exactly(position).best[0]
            line.append(puzzle.game.format(move))
            position = position.play(move)
    return line


def _refutation(puzzle: Puzzle, before: Attempt, move: Move, after: Position) -> str:
    name = puzzle.game.format(move)
    if puzzle.attack is None:
        best, mine = _margin(before.position), _margin(after)
        lost = (best - mine) * (1 if before.position.to_move == 1 else -1)
        return f"{name} costs {_boxes(lost)}: there is a better edge. Try again."
    goal = "win" if not puzzle.target else "capture the stones"
    if puzzle.defends:
        soonest = puzzle.attack.shortest(after, puzzle.turns)
        win = puzzle.game.format(puzzle.attack.right_moves(after, soonest)[0])
        return f"{name} does not stop it: {seat_words(after).lower()} plays {win}. Try again."
    if before.left == 1 or after.outcome() is not None:
        return f"{name} does not {goal}. Try again."
    reply = puzzle.game.format(puzzle.attack.reply(after, before.left - 1))
    return f"{name} does not {goal} in {before.left}: {seat_words(after).lower()} answers {reply}. Try again."


def _goal_words(puzzle: Puzzle) -> str:
    who = seat_words(puzzle.position).lower()
    if puzzle.defends:
        other = seat_words(puzzle.position, 3 - puzzle.position.to_move).lower()
        return f"{other} can no longer {'capture the stones' if puzzle.target else 'win'} in {puzzle.turns}."
    if puzzle.target:
        return f"{who} has captured the stones."
    return f"{who} wins." if puzzle.turns == 1 else f"{who} wins in {puzzle.turns}."


def _margin(position: Position) -> float:
    """Return the first player's lead at the end."""
    if (outcome := position.outcome()) is not None:
        assert outcome.scores is not None
        return outcome.scores[0] - outcome.scores[1]
    return solve_exactly(position).value


def _margin_words(position: Position) -> str:
    lead = _margin(position)
    if not lead:
        return "The game ends in a draw."
    return f"The {'first' if lead > 0 else 'second'} player ends {_boxes(abs(lead))} ahead."


def _boxes(count: float) -> str:
    return f"{count:g} {'box' if count == 1 else 'boxes'}"
