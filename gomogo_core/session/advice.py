"""Help for a human in a session: a hint, and explanations of the last moves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress

from gomogo_core.analysis import hint, likely_result
from gomogo_core.analysis.explainers import Hint, explainer_of
from gomogo_core.drawing.text import printable
from gomogo_core.games.base import RESIGN
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.games.go import STANDING_SCORE
from gomogo_core.session.actions import ActionRefused
from gomogo_core.session.game_session import GameSession

_SEARCH_SECONDS = 1.0  # for the likely result in an explanation


def advised_move(
    session: GameSession, visitor: str, seconds: float, search_slot: AbstractContextManager[object] | None = None
) -> Hint:
    """Return a good move for a visitor with its reason, found in `seconds` at most. Raises ActionRefused.

    search_slot: a context for the search, for example to limit the number of searches. The search runs without the
    session's lock.
    """
    with session.lock:
        position = session.position
        if session.is_over or position.to_move not in session.seats_of(visitor):
            raise ActionRefused("It is not your turn.", "Try again on your turn.")
        if session.is_running_between_humans and not session.is_class_game:  # the teacher of a class decides
            raise ActionRefused("You play against another person.", "Analyse the game when it is over.")
    with search_slot or nullcontext():
        return hint(position, seconds)


def hint_sentence(
    session: GameSession, visitor: str, seconds: float, search_slot: AbstractContextManager[object] | None = None
) -> str:
    """Return the move of `advised_move` and its reason as a sentence."""
    move, reason = advised_move(session, visitor, seconds, search_slot)
    return f"{session.game.format(move)}: {reason}."


def explain_last_round(
    session: GameSession,
    format_name: Callable[[str], str] = printable,
    search_slot: AbstractContextManager[object] | None = None,
) -> str:
    """Explain the moves of the last round, then the position; return an empty text before the first move.

    In Go, the explanation has the likely result, unless the players are two people. format_name: a function that
    returns the displayed name of a player, for boards on which players have no colour. search_slot: as for
    `hint_sentence`.
    """
    last_round = session.last_round()
    has_colours, explainer = isinstance(session.game.board, PointBoard), explainer_of(session.game)
    explanations = [
        explainer.explain_move(
            position_before,
            session.game.parse(action.move),
            position_after,
            "" if has_colours else format_name(session.names[action.seat - 1]),
        )
        for action, position_before, position_after in last_round
        if action.move != RESIGN
    ]
    if last_round:
        position = last_round[-1][-1]
        explanations.append(position.explain())
        if not session.is_over and not session.is_running_between_humans:
            result = ""
            with suppress(ActionRefused), search_slot or nullcontext():  # no result if all searches are busy
                result = likely_result(position, _SEARCH_SECONDS)
            if result:  # says more than the score of the stones as they stand
                lines = explanations.pop().splitlines()
                explanations += [*(line for line in lines if not line.startswith(STANDING_SCORE)), result]
    return "\n".join(explanation for explanation in explanations if explanation)
