"""The command `gomogo analyse`: analyse a position, or a finished game move by move.

The module handles options and output; gomogo_core/analysis searches.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from gomogo import complete
from gomogo.commands._find_game import check_move_number, find_game
from gomogo.commands.solve import position_after
from gomogo.options import load_game, store_option
from gomogo_core import games
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Position
from gomogo_core.games.boards.edges import EdgeBoard

if TYPE_CHECKING:
    from gomogo_core.records.game_record import PlayedGame
    from gomogo_core.search import SearchLimits

_POSITION_SECONDS, _GAME_SECONDS = 3.0, 30.0


@click.command(short_help="Show the best moves of a position, or the mistakes of a game.")
@click.argument("selector", metavar="[GAME]", default="last", shell_complete=complete.stored_games)
@click.option("-o", "--option", "settings", multiple=True, metavar="K=V", help="An option of the rules, e.g. size=9.")
@click.option("--moves", default="", metavar='"M M ..."', help="Analyse the position after these moves.")
@click.option("--move", type=click.IntRange(min=0), metavar="N", help="Analyse the position after N moves of the game.")
@click.option(
    "--agent",
    metavar="A",
    default="strongest",
    show_default=True,
    help="Agent that analyses: champion, iterative_deepening, mcts, alpha_beta, greedy, "
    "or any other agent or engine, such as 'gtp:gnugo --mode gtp'.",
)
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    metavar="S",
    help="Total time in seconds; in a game, checks of mistakes may take as long again. "
    "Default: 3 for a position, 30 for a game.",
)
@click.option("--lines", type=click.IntRange(1, 8), default=3, show_default=True, help="Number of moves to show.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@store_option
def command(
    selector: str,
    settings: Sequence[str],
    moves: str,
    move: int | None,
    agent: str,
    seconds: float | None,
    lines: int,
    as_json: bool,
    store: str | None,
) -> None:
    """Analyse GAME: a stored game, move by move, or a position.

    Name a stored game by the beginning of its key, by the file of its record (.json, .sgf, .psq), or as `last`. With
    --move, only one of its positions is analysed. For a new position, name the rules, such as gomoku, and use --moves.

    The score is that of the player to move.
    """
    if selector in games.names():
        if move is not None:
            raise UserError("--move is for a stored game only.", 'Use --moves "M M ..." for a new position.')
        move_texts = moves.split()
        position = position_after(load_game(selector, settings), move_texts)
        _print_position(position, move_texts, agent, seconds or _POSITION_SECONDS, lines, as_json=as_json)
        return
    if moves or settings:
        raise UserError("--moves and --option are for a new position only.", "Name the rules, such as gomoku.")
    played_game = find_game(selector, store)
    if move is None:
        if agent != "strongest":
            raise UserError("--agent is for a single position only.", "Leave out --agent, or add --move N.")
        _print_game(played_game, seconds or _GAME_SECONDS, as_json=as_json)
        return
    check_move_number(played_game, move)
    move_texts = [ply.move for ply in played_game.plies[:move]]
    _print_position(
        played_game.positions()[move], move_texts, agent, seconds or _POSITION_SECONDS, lines, as_json=as_json
    )


def _print_position(
    position: Position, moves: Sequence[str], agent: str, seconds: float, lines: int, *, as_json: bool
) -> None:
    from gomogo_core.search import SearchLimits

    if position.outcome() is not None or RESIGN in moves:
        raise UserError("The game is over in this position.", "Choose an earlier position.")
    limits = SearchLimits(stop_at=time.monotonic() + seconds)
    *_, analysis = _stream_analyses(position, moves, limits, agent, lines)
    if as_json:
        game = position.game
        identity = {"schema": 1, "game": game.name, "options": game.options, "moves": list(moves), "agent": agent}
        click.echo(json.dumps({**identity, "to_move": position.to_move, **analysis}, indent=2))
        return
    click.echo(position.diagram())
    click.echo()
    width = max(len(line["move"]) for line in analysis["lines"])
    for number, line in enumerate(analysis["lines"], 1):
        score_text = line["words"] + ("" if line["score"] is None else f" ({line['score']:+.2f})")
        score_text = "few playouts" if line["uncertain"] else score_text
        points = "" if line["points"] is None else " " * 8
        if points and not line["uncertain"]:
            points = f"{_lead_text(line):>6}  "
        playouts = "" if line["playouts"] is None else f"{line['playouts']:>9,} playouts  "
        click.echo(f"{number}. {line['move']:<{width}}  {score_text:<24}  {points}{playouts}{' '.join(line['line'])}")
    for line in analysis["lines"]:
        if line["reason"]:
            click.echo(f"{line['move']} {line['reason']}.")
    for sentence in analysis["missed_captures"]:
        click.echo(sentence)
    if (end := analysis["expected_end"]) is not None:
        dead = f" Stones that look dead: {', '.join(end['dead'])}." if end["dead"] else ""
        words = end["words"]
        if isinstance(position.game.board, EdgeBoard):  # the terminal shows marks in place of colours
            for seat in range(1, position.game.seats + 1):
                words = words.replace(side_name(position, seat), f"Player {seat} ({position.mark(seat)})")
        click.echo(f"{words}.{dead}")
    depth = "" if analysis["depth"] is None else f"Depth {analysis['depth']}, "
    unit = "nodes" if analysis["lines"][0]["playouts"] is None else "playouts"
    nodes = "" if analysis["nodes"] is None else f"{analysis['nodes']:,} {unit}, "
    click.echo(f"{depth}{nodes}{analysis['seconds']:.1f} s.")


def _lead_text(line: Mapping[str, Any]) -> str:
    """Return the lead after a line of Go, such as "W+12.3" or "even"; else its points against the first line."""
    if (lead := line["lead"]) is None:
        return f"{line['points']:+.1f}"
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):.1f}" if lead else "even"


def _stream_analyses(
    position: Position, moves: Sequence[str], limits: SearchLimits, agent: str, lines: int
) -> Iterator[dict[str, Any]]:
    from gomogo_core.analysis.live_analysis import METHODS, as_json, stream_analyses
    from gomogo_core.arena.agent_analysis import AgentAnalyser
    from gomogo_core.catalogue import agent as find_agent

    if agent in METHODS:
        for analysis in stream_analyses(position, limits, agent=agent, lines=lines):
            yield as_json(analysis, position)
        return
    with AgentAnalyser() as analyser:
        yield from analyser.stream_analyses(find_agent(agent), position.game, moves, limits, lines)


def _print_game(played_game: PlayedGame, seconds: float, *, as_json: bool) -> None:
    from gomogo.text.numbers import format_accuracy
    from gomogo_core.analysis.review import build_review, positions_to_review
    from gomogo_core.analysis.review_losses import probable_points_lost
    from gomogo_core.analysis.review_searches import search_positions
    from gomogo_core.printable import printable

    count = len(positions_to_review(played_game, played_game.positions()))
    with click.progressbar(
        search_positions(played_game, seconds), length=count, label="Analysing", file=sys.stderr
    ) as bar:
        results = dict(bar)
    review = build_review(played_game, results, seconds).with_final_summary()
    findings_by_move = {result.number: result for result in review.findings}
    if as_json:
        rows = [
            _finding_json(played_game, number, results, findings_by_move.get(number + 1)) for number in sorted(results)
        ]
        players = [
            {"name": name, **result._asdict()} for name, result in zip(played_game.names, review.players, strict=True)
        ]
        identity = {"schema": 1, "key": played_game.key, "players": players, "moves": rows, "note": review.note}
        click.echo(json.dumps(identity, indent=2))
        return
    click.echo(f"{' against '.join(map(printable, played_game.names))}: {played_game.game}\n")
    positions, is_go = played_game.positions(), played_game.rules().scores_places
    click.echo("move  played  score before it            best   depth" + is_go * "   lead   lost")
    for number in sorted(results):
        result, finding = results[number], findings_by_move.get(number + 1)
        annotation = finding.annotation if finding else ""
        score_text = f"{result.score_words} ({result.score:+.2f})"
        move = printable(played_game.plies[number].move) + annotation
        points = ""
        if is_go and (end := result.expected_end) is not None:
            lost = probable_points_lost(played_game, positions, results, number)
            points = f"{end.lead if result.seat == 1 else -end.lead:+7.1f}" + (f"{lost:7.1f}" if lost else "")
        row = f"{number + 1:>4}  {move:<7} {score_text:<26} {result.best_move:<6} {result.depth:<5}{points}"
        click.echo(row.rstrip())
    click.echo()
    for finding in review.findings:
        click.echo(f"Move {finding.number}{finding.annotation}: {finding.sentence}")
    click.echo(f"{review.note}\n")
    if len(results) < count:
        click.echo(f"There was time for {len(results)} of {count} positions. Use a larger --time.\n")
    names = list(map(printable, played_game.names))
    width = max(len("player"), *map(len, names))
    click.echo(f"{'player':<{width}}  accuracy  inaccuracies  mistakes  blunders")
    for name, player in zip(names, review.players, strict=True):
        accuracy = format_accuracy(player.accuracy)
        counts = f"{player.inaccuracies:>12}  {player.mistakes:>8}  {player.blunders:>8}"
        click.echo(f"{name:<{width}}  {accuracy:>8}  {counts}")


def _finding_json(played_game: PlayedGame, number: int, results: Any, finding: Any) -> dict[str, Any]:
    result = results[number]
    return {
        "number": number + 1,
        "seat": result.seat,
        "move": played_game.plies[number].move,
        "value": round(result.value, 3),
        "score": round(result.score, 3),
        "words": result.score_words,
        "best": result.best_move,
        "line": list(result.line),
        "depth": result.depth,
        "points_lost": None if result.points_lost is None else round(result.points_lost, 1),
        "mark": finding.annotation if finding else "",
        "finding": finding.sentence if finding else "",
    }
