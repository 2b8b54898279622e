"""The rounds of a tournament as text: a line of pairings with scores for each round, or the bracket of a knockout."""

from __future__ import annotations

from collections.abc import Sequence

from gomogo_core.drawing.text import printable
from tournaments.formats import FORMATS
from tournaments.schedules import RoundPairing
from tournaments.standings import Standings


def has_bracket(standings: Standings) -> bool:
    """Return whether `rounds_text` draws a bracket, which needs a font of fixed width."""
    return bool(standings.rounds) and FORMATS[standings.format].is_knockout_bracket


def rounds_text(standings: Standings) -> str:
    """Return a line for each round. For a knockout, return a drawing of its bracket."""
    names = [printable(name) for name in standings.names.values()]
    if has_bracket(standings):
        return _draw_bracket(standings.rounds, names)
    return "\n".join(
        f"Round {number}: {', '.join(_pairing_text(pairing, names) for pairing in pairings)}"
        for number, pairings in enumerate(standings.rounds, 1)
    )


def _pairing_text(pairing: RoundPairing, names: Sequence[str]) -> str:
    players = ["?" if player is None else names[player] for player in pairing.player_indexes]
    if len(players) == 1:
        return f"{players[0]} has a bye"
    score_text = f" {' : '.join(f'{points:g}' for points in pairing.scores)}{' so far' * (not pairing.is_over)}"
    return f"{' – '.join(players)}{score_text * any(pairing.scores)}"


def _draw_bracket(pairings: Sequence[Sequence[RoundPairing]], names: Sequence[str]) -> str:
    """Draw a bracket. Each round is a column; opponents stand one above the other, and winners move to the right."""
    final_pairing, *third_place_pairings = pairings[-1]
    columns = [
        [cell for pairing in round_pairings for cell in _pairing_cells(pairing, names)]
        for round_pairings in (*pairings[:-1], [final_pairing])
    ]
    columns.append(["?" if final_pairing.winner_index is None else names[final_pairing.winner_index]])
    line_numbers = [2 * index for index in range(len(columns[0]))]
    lines = [""] * (line_numbers[-1] + 1)
    for cells in columns:
        begin, width = max(map(len, lines)), max(map(len, cells))
        for line_number, cell in zip(line_numbers, cells, strict=True):
            lines[line_number] = f"{lines[line_number]:{begin}}{cell}"
        if len(cells) == 1:
            break
        for upper, lower in zip(line_numbers[::2], line_numbers[1::2], strict=True):
            for line_number in range(upper, lower + 1):
                has_name = line_number in (upper, lower)
                corner = {upper: "┐", lower: "┘", (upper + lower) // 2: "├─ "}.get(line_number, "│")
                line = f"{lines[line_number]} " if has_name else lines[line_number]
                lines[line_number] = f"{line:{'─' if has_name else ' '}<{begin + width + 2}}{corner}"
        line_numbers = [
            (upper + lower) // 2 for upper, lower in zip(line_numbers[::2], line_numbers[1::2], strict=True)
        ]
    return "\n".join(
        [line.rstrip() for line in lines]
        + [f"Third place: {_pairing_text(pairing, names)}" for pairing in third_place_pairings]
    )


def _pairing_cells(pairing: RoundPairing, names: Sequence[str]) -> list[str]:
    """Return a pairing's cells of the bracket: its players and, if a game has been played, their scores."""
    if len(pairing.player_indexes) == 1:
        return [names[player or 0] for player in pairing.player_indexes] + ["–"]
    has_begun = any(pairing.scores)
    return [
        "?" if player is None else f"{names[player]} {points:g}" if has_begun else names[player]
        for player, points in zip(pairing.player_indexes, pairing.scores, strict=True)
    ]
