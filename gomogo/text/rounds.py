"""The rounds of a tournament as text: pairings with their scores; a knockout as a tree."""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.drawing.text import printable
from tournaments.formats import FORMATS
from tournaments.schedules import RoundPairing
from tournaments.standings import Standings


def rounds_text(standings: Standings) -> str:
    """Return a line for each round. For a knockout, return a drawing of its bracket."""
    names = [printable(name) for name in standings.names.values()]
    if FORMATS[standings.format].is_bracket:
        return _draw_bracket(standings.rounds, names)
    return "\n".join(
        f"Round {number}: {', '.join(_pairing_text(pairing, names) for pairing in pairings)}"
        for number, pairings in enumerate(standings.rounds, 1)
    )


def _pairing_text(pairing: RoundPairing, names: Sequence[str]) -> str:
    players = ["?" if player is None else names[player] for player in pairing.players]
    if len(players) == 1:
        return f"{players[0]} has a bye"
    scored = f" {' : '.join(f'{points:g}' for points in pairing.points)}{' so far' * (not pairing.is_over)}"
    return f"{' – '.join(players)}{scored * any(pairing.points)}"


def _draw_bracket(pairings: Sequence[Sequence[RoundPairing]], names: Sequence[str]) -> str:
    """Draw a bracket. Each round is a column; opponents stand one above the other, and winners move to the right."""
    final, *third = pairings[-1]
    columns = [
        [cell for pairing in of_round for cell in _pairing_cells(pairing, names)]
        for of_round in (*pairings[:-1], [final])
    ]
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
    return "\n".join([line.rstrip() for line in lines] + [f"Third place: {_pairing_text(one, names)}" for one in third])


def _pairing_cells(pairing: RoundPairing, names: Sequence[str]) -> list[str]:
    """Return the cells of a pairing: its players and, if a game has been played, their scores."""
    if len(pairing.players) == 1:
        return [names[player or 0] for player in pairing.players] + ["–"]
    begun = any(pairing.points)
    return [
        "?" if player is None else f"{names[player]} {scored:g}" if begun else names[player]
        for player, scored in zip(pairing.players, pairing.points, strict=True)
    ]
