"""Puts the moves of an answer into words: the effect of each own move, and the opponent's reply to it.

The module uses positions and their evaluation, but no puzzle and no search.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move, Position
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search.evaluation import node_of

_MAX_NAMED_MOVES, _FIRST_NAMED_MOVES = 6, 4  # in a sentence that names moves only
_MAX_SENTENCES = 5  # about own moves with different effects
_FOUR = "makes a four"  # the effect of many moves in a long attack, so they share a sentence


def answer_sentence(position: Position, line: Sequence[str]) -> str:
    """Return sentences on the moves of an answer: the effect of each own move, and the reply of the opponent.

    If few own moves have an effect, as in Dots and Boxes, the sentence names only the moves. A long line is cut: the
    board shows the rest. line: legal moves from this position.
    """
    own_moves = [] if position.game.box_count else _own_moves(position, line)
    if own_moves and 2 * sum(bool(own_move.effect) for own_move in own_moves) >= len(own_moves):
        sentences = list(_effect_sentences(own_moves))
        rest = " …" * (len(sentences) > _MAX_SENTENCES)
        return f"The answer: {' '.join(sentences[:_MAX_SENTENCES])}{rest}"
    if len(line) > _MAX_NAMED_MOVES:
        return f"The answer: {' '.join(line[:_FIRST_NAMED_MOVES])} …"
    return f"The answer: {' '.join(line)}."


def move_effect(position: Position, move: Move) -> str:
    """Return the effect of a legal move as a predicate, such as "makes a four"; empty if the move has none."""
    return node_of(position).describe_move(move) or ""


def theme_of_attack(position: Position, line: Sequence[str]) -> str:
    """Return the threats that decide an attack by rows, such as "two open threes"; empty if no move makes such a
    threat.

    line: the moves of both sides, from this position. Two threats at once come before an open row.
    """
    effects = [own_move.effect.partition(" and blocks")[0] for own_move in _own_moves(position, line)]
    double_threats = [effect for effect in effects if effect.startswith("makes two ") or effect.endswith(" at once")]
    open_rows = [effect for effect in effects if effect.startswith("makes an open ")]
    return next(iter([*double_threats, *reversed(open_rows)]), "").removeprefix("makes ")


def reply_words(position: Position, reply: Move, effect: str) -> str:
    """Return a reply as a clause, such as "white must block at h6". effect: the effect of the move before it."""
    side, name = side_name(position, position.to_move).lower(), position.game.format(reply)
    if reply is PASS:
        return f"{side} passes"
    if not move_effect(position, reply).startswith("blocks"):
        return f"{side} answers {name}"
    if "open four" in effect:
        return f"{side} can block one end only, {name}"
    if "makes two fours" in effect:
        return f"{side} can block one only, {name}"
    return f"{side} {'must block' if 'a four' in effect else 'blocks'} at {name}"


class _OwnMove(NamedTuple):
    """An own move of an answer. reply: the opponent's move after it, empty at the end. clause: the reply in words."""

    move: str
    effect: str
    reply: str
    clause: str


def _own_moves(position: Position, line: Sequence[str]) -> list[_OwnMove]:
    """Return the own moves of a line."""
    own_moves, parse = list[_OwnMove](), position.game.parse
    for move, reply in itertools.zip_longest(line[::2], line[1::2], fillvalue=""):
        effect = move_effect(position, parse(move))
        position, clause = position.play(parse(move)), ""
        if reply:
            clause = reply_words(position, parse(reply), effect)
            position = position.play(parse(reply))
        own_moves.append(_OwnMove(move, effect, reply, clause))
    return own_moves


def _effect_sentences(own_moves: Sequence[_OwnMove]) -> Iterator[str]:
    """Yield a sentence for each own move; one sentence for all moves in succession that each make a four.

    After the first sentence, replies are in brackets, because most of these sentences are read on a small screen.
    """
    is_first = True
    for is_four, group in itertools.groupby(own_moves, key=lambda own_move: own_move.effect == _FOUR):
        moves = list(group)
        if is_four and len(moves) > 1 and all(" must block" in own_move.clause for own_move in moves):
            side = moves[0].clause.split()[0]
            names, replies = (
                " and ".join(texts) for texts in zip(*((one.move, one.reply) for one in moves), strict=True)
            )
            yield f"{names} make a four each: {side} must block at {replies}."
            is_first = False
            continue
        for move, effect, reply, clause in moves:
            words = f"{move} {effect.removesuffix(' at once')}".rstrip()
            yield f"{words}{(f': {clause}' if is_first else f' ({reply})') * bool(reply)}."
            is_first = False
