"""Refutes a wrong move in a puzzle: a sentence that says why it fails, and the opponent's moves that show it.

The module uses puzzles, their proofs and the words for moves.
"""

from __future__ import annotations

from contextlib import suppress

from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move, Position
from gomogo_core.games.boards.edges import Edge
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.puzzles.answers import move_effect, reply_words
from gomogo_core.puzzles.attacks import Attack, AttackTooLarge, FoursAttack, attack_of
from gomogo_core.puzzles.boxes_answers import refutation_sentence, refuting_edges
from gomogo_core.puzzles.go_attacks import MAX_AREA_MOVES, LadderAttack
from gomogo_core.puzzles.puzzle import Puzzle

_COUNTER_WIN_MOVES = 2  # moves of a win of the opponent that a wrong move allows
_MAX_COUNTER_NODES = 8_000  # of its proof, which runs while the user waits
_MIN_DEFENDED_MOVES = 2  # moves of the player within which a reply to a wrong move prevents the goal, if one can
_LIBERTIES_OF_FREE_STONES = 3  # of a chain that was to be captured in a few moves


def refute(puzzle: Puzzle, position: Position, moves_left: int, move: Move) -> tuple[str, list[Move]]:
    """Return a sentence about a wrong move, and the moves after it that refute it, if any are known.

    position: the position before the move. moves_left: the number of moves that the player may still make.
    """
    if isinstance(position, DotsAndBoxesPosition):
        assert isinstance(move, Edge)
        return refutation_sentence(position, move), list(refuting_edges(position, move))
    next_position, attack = position.play(move), puzzle.attack
    name = "A pass" if move is PASS else puzzle.game.format(move)
    assert attack is not None
    opponent = side_name(next_position, next_position.to_move).lower()
    if puzzle.is_defence:
        line = _winning_line(attack, next_position, puzzle.turns)
        effect = "captures the stones" if puzzle.target else "wins"
        return f"{name} does not stop it: {opponent} plays {_plan_words(next_position, line, effect)}. Try again.", line
    goal = "make two eyes" if puzzle.theme == "live" else "capture the stones" if puzzle.target else "win"
    if (counter_attack := puzzle.counter_attack) and (
        moves_needed := counter_attack.moves_needed(next_position, MAX_AREA_MOVES)
    ):
        reply = counter_attack.right_moves(next_position, moves_needed)[0]
        effect = "has two eyes" if puzzle.theme == "kill" else "captures the stones"
        return f"{name} fails: {opponent} plays {puzzle.game.format(reply)} and {effect}. Try again.", [reply]
    if isinstance(attack, FoursAttack) and not attack.makes_four(position, move):
        return f"{name} does not threaten to complete a row. Try again.", []
    if next_position.outcome() is not None:
        return f"{name} does not {goal}. Try again.", []
    if line := _counter_win(puzzle, next_position):
        plan = _plan_words(next_position, line, "wins")
        return f"{name} does not {goal}: {opponent} plays {plan}. Try again.", line
    if moves_left == 1:  # a reply would show the right move
        return f"{name} does not {goal if puzzle.target else f'make {puzzle.win_words}'}. Try again.", []
    line = _defending_line(puzzle, next_position, moves_left - 1)
    effect = move_effect(position, move)
    failure = f"does not {goal} in {moves_left}:"
    if isinstance(attack, LadderAttack) and not attack.makes_atari(position, move):
        failure = "is no atari:"
    elif effect.startswith("puts "):  # few words, since the answer has more of them
        failure = "is an atari, but"
    elif effect:
        failure = f"{effect}, but {failure}"
    elif not attack.moves_needed_if_idle(next_position, moves_left - 1):
        failure = "threatens nothing:"
    answer = f"{reply_words(next_position, line[0], effect)}{_defence_result(puzzle, next_position, line)}"
    return f"{name} {failure} {answer}. Try again.", line


def _counter_win(puzzle: Puzzle, position: Position) -> list[Move]:
    """Return a quick win of the player to move, the opponent; empty if there is none or if the goal is not a win."""
    line = list[Move]()
    if not puzzle.target and (attack := attack_of(position, max_nodes=_MAX_COUNTER_NODES)):
        with suppress(AttackTooLarge):
            line = _winning_line(attack, position, _COUNTER_WIN_MOVES)
    return line


def _winning_line(attack: Attack, position: Position, limit: int) -> list[Move]:
    """Return the moves by which the attacker, to move, reaches the goal within `limit` moves; empty if it does not."""
    line, turns = list[Move](), attack.moves_needed(position, limit)
    while turns:
        line.append(attack.right_moves(position, turns)[0])
        position = position.play(line[-1])
        if turns := turns - 1:
            line.append(attack.best_defence(position, turns))
            position = position.play(line[-1])
            turns = attack.moves_needed(position, turns)
    return line


def _plan_words(position: Position, line: list[Move], goal: str) -> str:
    """Return the first move of a line that reaches a goal, and its effect. goal: a predicate, such as "wins"."""
    turns, name, effect = (len(line) + 1) // 2, position.game.format(line[0]), move_effect(position, line[0])
    if turns > 1:
        return f"{name}, which {effect}, and {goal} in {turns}" if effect else f"{name} and {goal} in {turns}"
    return f"{name}, {effect} and {goal}" if effect and not effect.startswith(goal.split()[0]) else f"{name} and {goal}"


def _defending_line(puzzle: Puzzle, position: Position, moves_left: int) -> list[Move]:
    """Return the best reply to a wrong move; in Go also a threat and a reply, if the marked stones are not yet free."""
    attack = puzzle.attack
    assert attack is not None
    line = [attack.best_defence(position, max(moves_left, _MIN_DEFENDED_MOVES))]
    position = position.play(line[0])
    is_free = not puzzle.target or _liberty_count(position, puzzle.target) >= _LIBERTIES_OF_FREE_STONES
    if moves_left > 1 and not is_free and (threats := attack.threats(position, moves_left)):
        line += [threats[0], attack.best_defence(position.play(threats[0]), moves_left - 1)]
    return line


def _defence_result(puzzle: Puzzle, position: Position, line: list[Move]) -> str:
    """Return what a defence does, besides blocking: clauses with commas before them, or nothing."""
    reply, write = line[0], puzzle.game.format
    left_out = ("blocks", "saves", "puts")  # the first is said already, and the others matter less than the liberties
    parts = [part for part in move_effect(position, reply).split(" and ") if not part.startswith(left_out)]
    clause = f", which {' and '.join(parts)}" if any(parts) else ""
    if "line" in puzzle.game.options or not (puzzle.target or reply is not PASS):
        return clause
    for move in line:
        position = position.play(move)
    liberties = count_with_noun(_liberty_count(position, puzzle.target or write(reply)), "liberty", "liberties")
    moment = f"after {' '.join(map(write, line[1:]))} " if line[1:] else ""
    return f"{clause}, and {moment}{'the marked stones have' if puzzle.target else 'its chain has'} {liberties}"


def _liberty_count(position: Position, point: str) -> int:
    assert isinstance(position, GoFamilyPosition)
    place = position.game.bit_geometry.index_of[position.game.board.parse(point)]
    return position.board.chain(place)[1].bit_count()
