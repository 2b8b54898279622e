"""Puts the goals and the edges of puzzles of Dots and Boxes into words.

Each sentence follows from proved results, and from the chains, loops and safe edges on the board.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.explainers.dots_and_boxes import describe_edge, first_opened_chain, long_chain_sentence
from gomogo_core.drawing.colours import side_name
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition, Edge
from gomogo_core.printable import count_with_noun
from gomogo_core.puzzles.boxes_proofs import (
    best_edges,
    best_line,
    boxes_after_edges,
    boxes_at_end,
    captures_of,
    first_decision,
    safe_edges,
    wrong_tempting_edges,
)

_MAX_COMPARED_EDGES = 3  # with the best edge, until a reason is known


def goal_sentence(position: DotsAndBoxesPosition, own_boxes: int) -> str:
    """Return the task: the situation on the board, and the result with best play. own_boxes: those of the player."""
    player, other_boxes = side_name(position, position.to_move), position.game.box_count - own_boxes
    result = f"{_boxes_text(own_boxes)} to {other_boxes}"
    if own_boxes > other_boxes:
        task = f"Win by {result}"
    else:
        task = f"Save a draw, {result}" if own_boxes == other_boxes else f"Lose by no more than {result}"
    if takeable_count := captures_of(position).boxes:
        return f"{player} can take {_boxes_text(takeable_count)}. {task}."
    if safe_count := len(safe_edges(position)):
        return f"{player} is to move, with {count_with_noun(safe_count, 'safe edge')}. {task}."
    return f"No edge is safe: {player} must give boxes away. {task}."


def goal_explanation(position: DotsAndBoxesPosition, turns: int) -> str:
    """Return sentences on the present score, and on the number of own turns in the solution."""
    player, opponent = (side_name(position, seat) for seat in (position.to_move, 3 - position.to_move))
    own, other = (position.scores[seat - 1] for seat in (position.to_move, 3 - position.to_move))
    score = f"{player} has {_boxes_text(own)} now, and {opponent} {other}." if own + other else "No box is taken yet."
    turn_words = "this turn" if turns == 1 else f"your next {turns} turns"
    return f"{score} Find the best edges of {turn_words}. {opponent} plays perfectly, too."


def result_sentences(position: DotsAndBoxesPosition, line: Sequence[str]) -> str:
    """Return two or three sentences on the result of a line of best moves to the end of the game, and on the reason for
    the edge at its first decision. position: the start of the line.
    """
    seat, own_boxes = position.to_move, boxes_at_end(position)
    other_boxes = position.game.box_count - own_boxes
    verb = "win" if own_boxes > other_boxes else "draw" if own_boxes == other_boxes else "lose"
    result = f"You {verb} by {_boxes_text(own_boxes)} to {other_boxes}"
    for text in line[: first_decision(position, line, in_turn=False) or 0]:
        position, line = position.play(position.game.parse(text)), line[1:]
    if position.to_move != seat or len(best_edges(position)) == len(boxes_after_edges(position)):
        return f"{result}."
    counts, best = boxes_after_edges(position), best_edges(position)
    others = wrong_tempting_edges(position) or [edge for edge in counts if edge not in best]
    others.sort(key=lambda edge: -counts[edge])
    for edge in others[:_MAX_COMPARED_EDGES]:
        if reason := _reason_for_edge(position, line, edge):
            break
    name = position.game.format(edge)
    return f"{result}; {name} in place of {line[0]} gives you {counts[edge]}. {reason}".rstrip()


def _reason_for_edge(position: DotsAndBoxesPosition, line: Sequence[str], other: Edge) -> str:
    """Return sentences on the reason why the first edge of a line is better than another one; empty if unknown."""
    name, answers = position.game.format(other), best_line(position.play(other))
    if control := long_chain_sentence(position, name, line, answers):
        return control
    verdict = f"is better than {name}"
    words = explainer_of(position.game).explain_preference(position, name, line, answers, verdict, is_proved=True)
    return "" if words == f"{line[0]} {verdict}." else words


def refutation_sentence(position: DotsAndBoxesPosition, edge: Edge) -> str:
    """Return sentences on a wrong edge: its cost, its effect on the board, and the first long chain or a reply.

    They do not name a right edge.
    """
    name, seat, right_edge = position.game.format(edge), position.to_move, best_edges(position)[0]
    counts = boxes_after_edges(position)
    cost = _boxes_text(counts[right_edge] - counts[edge])
    after = position.play(edge)
    line = (name, *best_line(after))
    opened, consequence = first_opened_chain(position, line), ""
    if opened is not None and opened.moves_before and opened.seat == seat:
        consequence = " Later you open the first long chain."
    elif after.to_move != seat and not captures_of(after).boxes and (replies := refuting_edges(position, edge)):
        player, reply = side_name(after, after.to_move), position.game.format(replies[0])
        consequence = f" {player} answers {reply}, which {describe_edge(after, replies[0], replies[0])}."
    return f"{name} costs {cost}: it {describe_edge(position, edge, right_edge)}.{consequence} Try again."


def refuting_edges(position: DotsAndBoxesPosition, edge: Edge) -> list[Edge]:
    """Return the best play after a wrong edge. It ends after the other player's turn, or before a right answer of the
    puzzle.
    """
    answers, seat, has_replied = best_edges(position), position.to_move, False
    position, edges = position.play(edge), list[Edge]()
    while position.outcome() is None and not (has_replied and position.to_move == seat):
        has_replied = has_replied or position.to_move != seat
        replies = [reply for reply in best_edges(position) if reply not in answers]
        if not replies:
            break
        edges.append(replies[0])
        position = position.play(edges[-1])
    return edges


def reply_turn(position: DotsAndBoxesPosition) -> tuple[list[str], str]:
    """Return the best edges of the opponent's turn, and a sentence on them. position: the start of the turn."""
    seat, boxes_before, moves = position.to_move, position.scores[position.to_move - 1], list[str]()
    player = side_name(position, seat)
    while position.outcome() is None and position.to_move == seat:
        before, edge = position, best_edges(position)[0]
        moves.append(position.game.format(edge))
        position = position.play(edge)
    taken_count = position.scores[seat - 1] - boxes_before
    taken_words = f"takes {_boxes_text(taken_count)}" if taken_count else ""
    if position.to_move == seat:
        return moves, f"{player} {taken_words}, and the game ends."
    given_count = captures_of(position).boxes
    last_words = f"{moves[-1]} {describe_edge(before, edge, edge)}" if given_count else f"draws {moves[-1]}"
    if taken_count:
        return moves, f"{player} {taken_words}; then {last_words if given_count else f'it {last_words}'}."
    return moves, f"{player}'s {last_words}." if given_count else f"{player} {last_words}."


def _boxes_text(count: int) -> str:
    return count_with_noun(count, "box", "boxes")
