"""The command `gomogo sprt`: apply a sequential test of which player is better to given results.

The module handles options and output; tournaments/sprt.py computes the test.
"""

from __future__ import annotations

import json
import re

import click

from gomogo_core.errors import UserError

_MAX_COUNT = 10**9  # a float has too few digits to compare the likelihoods of larger counts


@click.command(short_help="Test whether results already decide which player is better.")
@click.option("--pairs", metavar="N0,N1,N2,N3,N4", help="Numbers of game pairs that scored 0, ½, 1, 1½ and 2 points.")
@click.option(
    "--games", metavar="LOST,DRAWN,WON", help="Numbers of single games lost, drawn and won, instead of --pairs."
)
@click.option("--elo0", type=float, default=0.0, show_default=True, help="H0: Elo difference of the first player.")
@click.option("--elo1", type=float, default=10.0, show_default=True, help="H1: Elo difference of the first player.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Probability of wrongly accepting H1.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Probability of wrongly accepting H0.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    pairs: str | None, games: str | None, elo0: float, elo1: float, alpha: float, beta: float, as_json: bool
) -> None:
    """Test two hypotheses about the first player's lead in normalized Elo, by the results of games.

    Give the results of pairs of games from one opening with swapped seats. If the games are not paired, give the
    results of single games.
    """
    from tournaments.sprt import Sprt

    if (pairs is None) == (games is None):
        raise UserError(
            "Exactly one of --pairs and --games is needed.",
            "Write the numbers of pairs with 0, ½, 1, 1½ and 2 points, such as --pairs 3,10,24,14,5, or the numbers of "
            "games lost, drawn and won, such as --games 20,31,29.",
        )
    counts = _read_counts("--pairs", pairs, 5) if pairs is not None else _read_counts("--games", games or "", 3)
    verdict = Sprt.create(elo0, elo1, alpha, beta).compute_verdict(counts)
    if as_json:
        click.echo(json.dumps(verdict._asdict()))
    else:
        click.echo(verdict.summary())


def _read_counts(name: str, text: str, count: int) -> list[int]:
    """Return the whole numbers in a text. Raises UserError if there are not `count` of them, or one is too large."""
    parts = re.split(r"\s*,\s*|\s+", text.strip())
    if len(parts) != count or not all(part.isascii() and part.isdigit() for part in parts):
        example = "3,10,24,14,5" if count == 5 else "20,31,29"
        raise UserError(
            f"{name} {text!r} is not a list of {count} whole numbers.", f"Write for example {name} {example}."
        )
    if max(map(len, parts)) > len(str(_MAX_COUNT)) or max(map(int, parts)) > _MAX_COUNT:
        raise UserError(f"{name} {text[:80]!r}: a count is too large.", f"Each count can be {_MAX_COUNT:,} at most.")
    return [int(part) for part in parts]
