"""The share of the mistakes in quick reviews of Go that much longer searches do not confirm.

python -m bench.reviews -n 20 --json

The levels 5 to 8 of `go_champion` play against each other on 9 × 9, with a komi of 7.5, after two random stones. Each
game is reviewed as the page does at the level *Quick*, but each search ends after a number of playouts instead of a
time, so that the load of the machine changes nothing. Then searches of about twenty times as many playouts as the first
search of a position judge each mistake: before the move, after the move and after the better move.

A mistake is false if the move loses less than half of the reported loss according to the long searches. A better move
counts as worse if a long search gives the position after it a lower score than the position after the played move.
"""

from __future__ import annotations

import json
import pickle
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click

from bench.wrong_endings import choose_move, load_agents
from gomogo_core.analysis.live_analysis import stream_analyses
from gomogo_core.analysis.review import build_review
from gomogo_core.analysis.review_losses import advantage_losses
from gomogo_core.analysis.review_results import PositionResult, ReviewFinding, outcome_score, position_result
from gomogo_core.analysis.review_searches import review_searches
from gomogo_core.games.base import Position
from gomogo_core.games.go import Go
from gomogo_core.games.stones.rules import PASS
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.search import SearchLimits

_QUICK_SECONDS = 8.0
_LEVEL_PLAYOUTS = (10, 30, 60, 150)  # the playouts of the levels 5 to 8
_RATE = 30_000  # playouts a second of the compiled engine on a quiet core
_LONG_PLAYOUT_COUNT = 80_000  # twenty times the playouts of a position in a game of 60 moves

LongResults: TypeAlias = dict[tuple[str, ...], PositionResult]


@dataclass
class ReviewCounts:
    """Numbers of findings in all games.

    playouts: the playouts of all searches together. mistakes: the moves with a mark. false_mistakes: the mistakes that
    lose less than half of the reported loss. named: the mistakes with a better move. worse: the mistakes whose better
    move is worse than the played move.
    """

    games: int = 0
    positions: int = 0
    playouts: int = 0
    mistakes: int = 0
    false_mistakes: int = 0
    named: int = 0
    worse: int = 0


def play_game(number: int, game: Go) -> PlayedGame:
    """Play a game between two levels; its number is the seed."""
    rng, agents = random.Random(number), load_agents()
    playouts = [_LEVEL_PLAYOUTS[(number + seat * (1 + number // 4 % 3)) % 4] for seat in (0, 1)]
    position, plies = game.start(), list[Ply]()
    while position.outcome() is None:
        seat = position.to_move
        if len(plies) < 2:
            move: Any = rng.choice([move for move in position.moves() if move is not PASS])
        else:
            move = choose_move(agents[seat - 1], position, playouts[seat - 1], 0)
        plies.append(Ply(seat, game.format(move)))
        position = position.play(move)
    count, outcome = len(plies) - 2, position.outcome()
    assert outcome is not None
    return PlayedGame(
        game=game.name,
        options=dict(game.options),
        specs=("black", "white"),
        names=("black", "white"),
        controls=(TimeControl(),) * 2,
        plies=tuple(plies),
        opening_length=2,
        seconds=(1.0,) * count,
        clocks=(None,) * count,
        thoughts=(None,) * count,
        warnings=(),
        outcome=outcome,
        started=0.0,
        duration=1.0,
        key=str(number),
    )


def search(position: Position, playouts: int, agent: str) -> PositionResult:
    """Search a position by a number of playouts."""
    *_, analysis = stream_analyses(position, SearchLimits(nodes=playouts), agent=agent, lines=1)
    value, line = analysis.lines[0]
    return position_result(position, value, analysis.clear_lead, analysis.depth, line, analysis.nodes)


def review_game(played_game: PlayedGame, rate: int, counts: ReviewCounts) -> dict[int, PositionResult]:
    """Search the positions of a game as a quick review does. rate: the playouts of one second."""
    results = dict[int, PositionResult]()
    searches = review_searches(played_game, _QUICK_SECONDS, results)
    request = next(searches, None)
    while request is not None:
        playouts = max(1, round(request.seconds * rate))
        counts.playouts += playouts
        try:
            request = searches.send(search(request.position, playouts, request.agent))
        except StopIteration:
            break
    return results


def long_score(position: Position, seat: int, moves: tuple[str, ...], long_results: LongResults) -> float:
    """Return the score of a position for a seat, from -1 to 1, by a long search."""
    if (outcome := position.outcome()) is not None:
        return outcome_score(outcome, seat)
    if moves not in long_results:
        long_results[moves] = search(position, _LONG_PLAYOUT_COUNT, "champion")
    return long_results[moves].score_of(seat)


def check_finding(
    played_game: PlayedGame, finding: ReviewFinding, said_loss: float, long_results: LongResults, counts: ReviewCounts
) -> str:
    """Count a mistake, and return a line that describes it."""
    number = finding.number - 1
    position_before = played_game.positions()[number]
    moves = (played_game.key, *(ply.move for ply in played_game.plies[:number]))
    seat, game = position_before.to_move, played_game.rules()

    def score_after(move: str) -> float:
        return long_score(position_before.play(game.parse(move)), seat, (*moves, move), long_results)

    move = played_game.plies[number].move
    score_before, scores = long_score(position_before, seat, moves, long_results), {move: score_after(move)}
    for other_move in {long_results[moves].best_move, finding.better_move} - {move, ""}:
        scores[other_move] = score_after(other_move)
    loss = max(scores.values()) - scores[move]
    counts.mistakes += 1
    counts.false_mistakes += (is_false := loss < said_loss / 2)
    better_text = ""
    if finding.better_move:
        counts.named += 1
        is_worse = scores[finding.better_move] < scores[move]
        counts.worse += is_worse
        gain = scores[finding.better_move] - scores[move]
        better_text = f"{finding.better_move} {gain:+.2f}{' WORSE' if is_worse else ''}"
    return (
        f"game {played_game.key} move {finding.number} {move}{finding.annotation} "
        f"before {score_before:+.2f} said {said_loss:.2f} "
        f"long {loss:.2f}{' FALSE' if is_false else ''} better {better_text}"
    )


@click.command()
@click.option("-n", "--games", "count", default=20, show_default=True, help="Number of games.")
@click.option("--rate", default=_RATE, show_default=True, help="Playouts that a second of the review stands for.")
@click.option("--long", "path", type=click.Path(path_type=Path), help="File that keeps the results of long searches.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(count: int, rate: int, path: Path | None, as_json: bool) -> None:
    """Count false mistakes and wrong better moves in quick reviews of Go."""
    long_results: LongResults = pickle.loads(path.read_bytes()) if path and path.exists() else {}
    counts, game = ReviewCounts(), Go(size=9, komi=7.5)
    for number in range(count):
        played_game = play_game(number, game)
        results = review_game(played_game, rate, counts)
        counts.games += 1
        counts.positions += len(results)
        losses = advantage_losses(played_game, played_game.positions(), results)
        for finding in build_review(played_game, results, _QUICK_SECONDS).findings:
            said_loss = losses.get(finding.number - 1, 0.0)
            click.echo(check_finding(played_game, finding, said_loss, long_results, counts), err=True)
        if path:
            path.write_bytes(pickle.dumps(long_results))
        click.echo(asdict(counts), err=True)
    if as_json:
        click.echo(json.dumps({"bench": "reviews", "rate": rate, **asdict(counts)}, indent=1))


if __name__ == "__main__":
    main()
