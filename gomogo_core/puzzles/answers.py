"""Puts the moves of an answer into words: the effect of each own move, and the opponent's reply to it.

The module uses positions and their evaluation, but no puzzle and no search.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move, Position
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search.evaluation import node_of

_MAX_NAMED_MOVES, _FIRST_NAMED_MOVES = 6, 4  # in a sentence that names moves only
_MAX_SENTENCES = 5  # about own moves with different effects
_FOUR = "makes a four"  # the effect of many moves in a long attack, so they share a sentence


def answer_sentence(position: Position, line: Sequence[str]) -> str:
    """Return sentences on the moves of an answer: what each own move does, and how the opponent replies.

    Where few own moves have an effect to name, as in Dots and Boxes, the sentence names moves only. A long line is cut:
    the board shows the rest. line: legal moves from this position.
    """
    own_moves = [] if position.game.box_count else _own_moves(position, line)
    if own_moves and 2 * sum(bool(effect) for _, effect, _ in own_moves) >= len(own_moves):
        sentences = list(_effect_sentences(own_moves))
        rest = " …" * (len(sentences) > _MAX_SENTENCES)
        return f"The answer: {' '.join(sentences[:_MAX_SENTENCES])}{rest}"
    if len(line) > _MAX_NAMED_MOVES:
        return f"The answer: {' '.join(line[:_FIRST_NAMED_MOVES])} …"
    return f"The answer: {' '.join(line)}."


def move_effect(position: Position, move: Move) -> str:
    """Return the effect of a legal move as a predicate, such as "makes a four"; empty if there is none to name."""
    return node_of(position).describe_move(move) or ""


def reply_words(position: Position, reply: Move, effect: str) -> str:
    """Return a reply as a clause, such as "white must block at h6". effect: that of the move to which it replies."""
    side, name = side_name(position, position.to_move).lower(), position.game.format(reply)
    if reply is PASS:
        return f"{side} passes"
    if not move_effect(position, reply).startswith("blocks"):
        return f"{side} answers {name}"
    if "open four" in effect:
        return f"{side} can block one end only, {name}"
    return f"{side} can block one only, {name}" if "two fours" in effect else f"{side} must block at {name}"


def _own_moves(position: Position, line: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return each own move of a line with its effect, and the opponent's reply as a clause; no clause at the end."""
    own_moves, parse = list[tuple[str, str, str]](), position.game.parse
    for move, reply in itertools.zip_longest(line[::2], line[1::2]):
        effect = move_effect(position, parse(move))
        position, clause = position.play(parse(move)), ""
        if reply is not None:
            clause = reply_words(position, parse(reply), effect)
            position = position.play(parse(reply))
        own_moves.append((move, effect, clause))
    return own_moves


def _effect_sentences(own_moves: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Yield a sentence for each own move; one sentence for all moves in succession that each make a four."""
    for is_four, group in itertools.groupby(own_moves, key=lambda own_move: own_move[1] == _FOUR):
        moves = list(group)
        if is_four and len(moves) > 1 and all(" block" in clause for *_, clause in moves):
            side = moves[0][2].split()[0]
            replies = " and ".join(clause.split()[-1] for *_, clause in moves)
            yield f"{' and '.join(move for move, *_ in moves)} make a four each: {side} must block at {replies}."
            continue
        for move, effect, clause in moves:
            yield f"{f'{move} {effect}'.rstrip()}{f': {clause}' * bool(clause)}."
