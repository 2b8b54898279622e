"""Test whether results already decide which player is better: a sequential test on counts.

Handles options and output; tournaments/sprt.py computes the test.
"""

from __future__ import annotations

import json
import re

import click

from gomogo_core.errors import UserError

_MOST = 10**9  # for a single count: a float has too few digits to compare the likelihoods of larger counts


@click.command(short_help="Test whether results already decide which player is better.")
@click.option("--pairs", metavar="N0,N1,N2,N3,N4", help="Numbers of game pairs that scored 0, ½, 1, 1½ and 2 points.")
@click.option(
    "--games", metavar="LOST,DRAWN,WON", help="Numbers of single games lost, drawn and won, instead of --pairs."
)
@click.option("--elo0", type=float, default=0.0, show_default=True, help="H0: Elo difference of the first player.")
@click.option("--elo1", type=float, default=10.0, show_default=True, help="H1: Elo difference of the first player.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Probability of accepting H1 wrongly.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Probability of accepting H0 wrongly.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    pairs: str | None, games: str | None, elo0: float, elo1: float, alpha: float, beta: float, as_json: bool
) -> None:
    """Test two hypotheses about the strength of the first player, in normalized Elo, against its results.

    Results come as pairs of games from one opening with seats swapped, or where games are not paired as single games.
    """
    from tournaments.sprt import Sprt

    if (pairs is None) == (games is None):
        raise UserError(
            "Exactly one of --pairs and --games is needed.", "Write --pairs 3,10,24,14,5 or --games 20,31,29."
        )
    counts = _read_counts("--pairs", pairs, 5) if pairs is not None else _read_counts("--games", games or "", 3)
    verdict = Sprt.create(elo0, elo1, alpha, beta).judge(counts)
    if as_json:
        click.echo(json.dumps(verdict._asdict()))
    else:
        click.echo(verdict.summary())


def _read_counts(name: str, text: str, count: int) -> list[int]:
    """Parse the given number of integers from 0. Raises UserError."""
    parts = re.split(r"\s*,\s*|\s+", text.strip())
    if len(parts) != count or not all(part.isascii() and part.isdigit() for part in parts):
        example = "3,10,24,14,5" if count == 5 else "20,31,29"
        raise UserError(f"{name} {text!r} is not {count} whole numbers.", f"Separate them by commas: {name} {example}.")
    if max(map(len, parts)) > len(str(_MOST)) or max(map(int, parts)) > _MOST:
        raise UserError(f"{name} {text[:80]!r}: a count is too large.", f"Give at most {_MOST:,} of each.")
    return [int(part) for part in parts]
