"""Games as the store keeps them, made from a list of moves."""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame


def create_record(
    key: str,
    moves: str,
    names: Sequence[str] = ("ann", "bob"),
    game: str = "gomoku",
    outcome: Outcome | None = None,
    started: float = 0.0,
    **options: object,
) -> PlayedGame:
    """A game of these moves."""
    rules = load(game, **options)
    position, plies = rules.start(), list[Ply]()
    for move in moves.split():
        plies.append(Ply(position.to_move, move))
        position = position.play(rules.parse(move))
    return PlayedGame(
        game=game,
        options=dict(rules.options),
        specs=tuple(f"spec-{name}" for name in names),
        names=tuple(names),
        controls=(TimeControl(),) * len(names),
        plies=tuple(plies),
        opening_length=0,
        seconds=(0.5,) * len(plies),
        clocks=(None,) * len(plies),
        thoughts=(None,) * len(plies),
        warnings=(),
        outcome=outcome or position.outcome() or Outcome((1, 2), Reason.RESIGNED, "resigned"),
        started=started,
        duration=1.0,
        key=key,
    )
