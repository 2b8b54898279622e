"""The rounds of a tournament as text: who met whom, and what they scored.

Knows no store and no terminal.
"""

from __future__ import annotations

from gomogo_core.drawing.text import visible
from tournaments.schedules import Tie
from tournaments.standings import Standings


def rounds(standings: Standings) -> str:
    """A line for each round."""
    names = [visible(name) for name in standings.names.values()]
    lines = []
    for number, ties in enumerate(standings.rounds, 1):
        lines.append(f"Round {number}: {', '.join(_tie(tie, names) for tie in ties)}")
    return "\n".join(lines)


def _tie(tie: Tie, names: list[str]) -> str:
    players = ["?" if player is None else names[player] for player in tie.players]
    if len(players) == 1:
        return f"{players[0]} has a bye"
    return f"{' – '.join(players)} {' : '.join(f'{scored:g}' for scored in tie.points)}{' so far' * (not tie.over)}"
