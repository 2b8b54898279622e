"""The command `gomogo results`: show a player's results against each opponent.

The module handles options and output; the store counts the games.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from gomogo.options import reasons_option, store_option
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games.base import Reason

if TYPE_CHECKING:
    from gomogo_core.records.aggregates import OpponentScore


@click.command(short_help="Show a player's score against each opponent.")
@click.argument("player", default="me")
@reasons_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@store_option
def command(player: str, by_reason: bool, as_json: bool, store: str | None) -> None:
    """Show the results of PLAYER against each opponent. PLAYER is a name, an agent's spec, or `me` for you.

    The results include games of `gomogo play`, and of matches and tournaments in the same store.
    """
    from gomogo.text.names import display_name
    from gomogo_core.drawing.text import printable
    from gomogo_core.records.aggregates import LOCAL_USER_NAME, player_names, results_by_reason, scores_by_opponent
    from gomogo_core.records.store import Store

    with Store.open(store, create=False) as opened_store:
        scores, reason_results = scores_by_opponent(opened_store, player), results_by_reason(opened_store, player)
        if not scores and player != LOCAL_USER_NAME and player not in (known_names := player_names(opened_store)):
            raise UserError(
                f"The store {opened_store.address} contains no player {player!r}.", suggest_name(player, known_names)
            )
    if as_json:
        results_json = {
            "schema": 1,
            "player": player,
            "opponents": [_opponent_json(score) for score in scores],
            "reasons": [result._asdict() for result in reason_results],
        }
        click.echo(json.dumps(results_json, indent=2))
        return
    if not scores:
        hint = "" if player != LOCAL_USER_NAME else " `gomogo results NAME` shows the results of another player."
        click.echo(f"{printable(player)} has no games yet: start one with `gomogo play alpha_beta`.{hint}", err=True)
        return
    opponents = [display_name(score.opponent) for score in scores]
    width = max(map(len, opponents))
    click.echo(f"{'against':<{width}}  game            games  won  drawn  lost")
    for opponent, score in zip(opponents, scores, strict=True):
        counts = f"{score.game_count:>5}  {score.wins:>3}  {score.draws:>5}  {score.losses:>4}"
        click.echo(f"{opponent:<{width}}  {score.game_name:<14}  {counts}")
    if by_reason:
        from gomogo.text.standings_table import reasons_table

        lines = [(result.game, Reason(result.reason).ended_by, *map(str, result[2:])) for result in reason_results]
        click.echo(f"\n{reasons_table('game', lines)}")


def _opponent_json(score: OpponentScore) -> dict[str, Any]:
    """Return the score against one opponent in one game, as `--json` prints it."""
    counts = {"wins": score.wins, "draws": score.draws, "losses": score.losses}
    return {"opponent": score.opponent, "game": score.game_name, "games": score.game_count, **counts}
