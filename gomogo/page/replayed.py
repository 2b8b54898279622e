"""What stands on a page of a game that is over, after so many of its moves.

Knows records and how a board is shown; no request, no store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from gomogo.page.curve import evaluations
from gomogo.page.shown import Shown, board, called, colour_of, sitters
from gomogo_core.drawing.text import visible
from gomogo_core.games.base import RESIGN, Position
from gomogo_core.play.events import last_move
from gomogo_core.records.played import PlayedGame


def said_after(position: Position, played: PlayedGame, at: int) -> str:
    """What the last of the moves was, and who is to move."""
    if at == 0:
        return "Before the first move."
    done = played.plies[at - 1]
    name = visible(played.names[done.seat - 1])
    did = "left" if done.move == RESIGN else f"played {done.move}"
    after = at - 1 - played.opening
    took = f" ({played.seconds[after]:.1f} s)" if 0 <= after < len(played.seconds) else ", of the opening"
    if position.outcome() is not None:
        return f"{name} {did}{took}."
    seat = position.to_move
    return f"{name} {did}{took}. {visible(played.names[seat - 1])} ({colour_of(position, seat)}) is to move."


def shown_after(played: PlayedGame, positions: Sequence[Position], at: int, shows: Collection[str] = ()) -> Shown:
    """The table. shows: what is marked on the board, "numbers" or "thoughts"."""
    game, position = played.rules(), positions[at]
    after = at - 1 - played.opening
    clocks: list[float | None] = [control.total for control in played.controls]
    for number, ply in enumerate(played.plies[played.opening : at]):
        if number < len(played.clocks):
            clocks[ply.seat - 1] = played.clocks[number]
    told = ""
    if at and played.plies[at - 1].move != RESIGN:
        does = positions[at - 1].told(game.parse(played.plies[at - 1].move))
        told = (
            f"{visible(played.names[played.plies[at - 1].seat - 1])} plays {played.plies[at - 1].move}, {does}."
            if does
            else ""
        )
    last, marks = last_move(game, played.plies[:at]), dict[str, Any]()
    if "numbers" in shows:
        marks["numbers"] = [game.parse(ply.move) for ply in played.plies[:at] if ply.move != RESIGN]
    if "thoughts" in shows:
        line = [*([last] if last is not None else []), *played.expected(at)]
        marks |= {"heat": played.heat(at), "arrows": list(pairwise(line))}
    return Shown(
        board(
            position,
            last,
            interactive=False,
            **marks,
            title=f"{called(game.name)} board after {at} moves",
        ),
        position.diagram(),
        sitters(position, played.names, clocks),
        " ".join(part for part in (told, *_thoughts(played, after)) if part),
        moves=tuple(ply.move for ply in played.plies),
    )


def _thoughts(played: PlayedGame, after: int) -> Iterator[str]:
    """What was thought at a move, in sentences. after: its number, without those of the opening."""
    if not 0 <= after < len(played.thoughts):
        return
    if played.scores and (score := played.scores[after]) is not None:
        yield f"Evaluation {score:.4g}."
    if played.lines and (line := played.lines[after]):
        yield f"Expects {visible(line)[:300]}."
    if thoughts := played.thoughts[after]:
        yield visible(thoughts)[:300]


def caption(played: PlayedGame, position: Position, at: int) -> str:
    """What the marks of thoughts on the board are."""
    heat, line = played.heat(at), played.expected(at)
    if not heat and not line:
        return "Nobody said what they thought of this position."
    name = visible(played.names[position.to_move - 1])
    values = [f"The numbers are what {name} thought of each move here."] if heat else []
    return " ".join([*values, *([f"The arrows are the moves that {name} expected."] if line else [])])


def curve(played: PlayedGame, at: int) -> Markup | None:
    """The players' evaluations as a chart, where one of them reports any."""
    scored: list[list[tuple[int, float]]] = [[] for _ in played.names]
    for number, (ply, score) in enumerate(
        zip(played.plies[played.opening :], played.scores, strict=False), played.opening + 1
    ):
        if score is not None:
            scored[ply.seat - 1].append((number, score))
    return Markup(evaluations(played.names, scored, len(played.plies), at)) if any(scored) else None
