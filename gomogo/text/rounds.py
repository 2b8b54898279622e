"""The rounds of a tournament as text: who met whom and what they scored; a knockout as a tree.

Knows no store and no terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.drawing.text import printable
from tournaments.formats import FORMATS
from tournaments.schedules import RoundPairing
from tournaments.standings import Standings


def rounds(standings: Standings) -> str:
    """A line for each round; of a knockout its bracket."""
    names = [printable(name) for name in standings.names.values()]
    if FORMATS[standings.format].is_bracket:
        return _bracket(standings.rounds, names)
    return "\n".join(
        f"Round {number}: {', '.join(_tie(tie, names) for tie in ties)}"
        for number, ties in enumerate(standings.rounds, 1)
    )


def _tie(tie: RoundPairing, names: Sequence[str]) -> str:
    players = ["?" if player is None else names[player] for player in tie.players]
    if len(players) == 1:
        return f"{players[0]} has a bye"
    scored = f" {' : '.join(f'{points:g}' for points in tie.points)}{' so far' * (not tie.over)}"
    return f"{' – '.join(players)}{scored * any(tie.points)}"


def _bracket(ties: Sequence[Sequence[RoundPairing]], names: Sequence[str]) -> str:
    """Winners go to the right: each round is a column, and two players of a tie stand above each other."""
    final, *third = ties[-1]
    columns = [[cell for tie in of_round for cell in _cells(tie, names)] for of_round in (*ties[:-1], [final])]
    columns.append(["?" if final.winner is None else names[final.winner]])
    places = [2 * i for i in range(len(columns[0]))]
    lines = [""] * (places[-1] + 1)
    for cells in columns:
        begins, widest = max(map(len, lines)), max(map(len, cells))
        for place, cell in zip(places, cells, strict=True):
            lines[place] = f"{lines[place]:{begins}}{cell}"
        if len(cells) == 1:
            break
        for upper, lower in zip(places[::2], places[1::2], strict=True):
            for place in range(upper, lower + 1):
                ended = place in (upper, lower)
                corner = {upper: "┐", lower: "┘", (upper + lower) // 2: "├─ "}.get(place, "│")
                line = f"{lines[place]} " if ended else lines[place]
                lines[place] = f"{line:{'─' if ended else ' '}<{begins + widest + 2}}{corner}"
        places = [(upper + lower) // 2 for upper, lower in zip(places[::2], places[1::2], strict=True)]
    return "\n".join([line.rstrip() for line in lines] + [f"Third place: {_tie(tie, names)}" for tie in third])


def _cells(tie: RoundPairing, names: Sequence[str]) -> list[str]:
    """The players of a tie, each with what it scored once a game has been played."""
    if len(tie.players) == 1:
        return [names[player or 0] for player in tie.players] + ["–"]
    begun = any(tie.points)
    return [
        "?" if player is None else f"{names[player]} {scored:g}" if begun else names[player]
        for player, scored in zip(tie.players, tie.points, strict=True)
    ]
