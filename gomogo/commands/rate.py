"""The command `gomogo rate`: rate players from a CSV file of results.

The module reads the file and prints the ratings; tournaments/ratings.py computes them.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO

import click

from gomogo_core.errors import UserError
from gomogo_core.regular_files import open_regular

if TYPE_CHECKING:
    from tournaments.ratings import MeetingGroup, RatingTable

_REQUIRED_COLUMNS = ("first", "second", "score")
_MEETING_FIELDS_BY_SCORE = {1.0: "wins", 0.5: "draws", 0.0: "losses"}


@click.command(short_help="Rate players from a CSV file of results.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.csv")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(file: Path, as_json: bool) -> None:
    """Rate the players in FILE. Its columns are first, second and score, the first player's points: 1, 0.5 or 0.

    Games with the same word in the optional column `pair` are related, such as two games from one opening; the
    intervals take this into account. Other columns are ignored. Use - for FILE.csv to read standard input.
    """
    from tournaments.ratings import compute_ratings

    groups, games = _read_results(file)
    ratings = compute_ratings(groups)
    if as_json:
        click.echo(json.dumps(_ratings_json(ratings, games), indent=2))
    else:
        click.echo("\n".join(_ratings_lines(ratings, games)))


def _open_input(file: Path) -> TextIO:
    """Return the file, or standard input if its name is -."""
    source: BinaryIO = sys.stdin.buffer if str(file) == "-" else open_regular(file)
    return TextIOWrapper(source, newline="", encoding="utf-8-sig")


def _read_results(file: Path) -> tuple[list[MeetingGroup], dict[str, int]]:
    """Return the results in the file, grouped by pair, and the number of games of each player.

    Raises UserError if the file cannot be read.
    """
    from tournaments.ratings import Meeting, MeetingGroup

    source_name = "The standard input" if str(file) == "-" else file
    meetings_by_key: defaultdict[object, list[Meeting]] = defaultdict(list)
    games: defaultdict[str, int] = defaultdict(int)
    try:
        with _open_input(file) as lines:
            rows = csv.DictReader(lines)
            names = {(name or "").strip().casefold(): name for name in rows.fieldnames or ()}
            titles = [(name or "").strip().casefold() for name in rows.fieldnames or ()]
            for column in (*_REQUIRED_COLUMNS, "pair"):
                if titles.count(column) > 1:
                    raise UserError(
                        f"{source_name} has the column {column!r} twice in its first line.",
                        "Remove or rename one of them.",
                    )
                if column not in names and column != "pair":
                    raise UserError(
                        f"{source_name} has no column {column!r} in its first line.",
                        "Begin it with first,second,score.",
                    )
            for row in rows:
                first, second, score = ((row[names[name]] or "").strip() for name in _REQUIRED_COLUMNS)
                pair_name = (row[names["pair"]] or "").strip() if "pair" in names else ""
                result = _MEETING_FIELDS_BY_SCORE.get(_read_number(score))
                if not first or not second or first == second or result is None:
                    raise UserError(
                        f"{source_name}, line {rows.line_num}: {first!r}, {second!r}, {score!r} is not a game result.",
                        "Name two players, and write 1, 0.5 or 0 for the first of them.",
                    )
                key = (frozenset((first, second)), pair_name) if pair_name else rows.line_num
                meetings_by_key[key].append(Meeting(first, second, **{result: 1}))
                for player in (first, second):
                    games[player] += 1
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is not comma-separated text"
        raise UserError(f"{source_name} cannot be read: {reason}.", "Name a CSV file.") from None
    if not meetings_by_key:
        raise UserError(f"{source_name} has no results.", "Write a line for each game, below first,second,score.")
    return [MeetingGroup(tuple(sorted(group))) for group in meetings_by_key.values()], dict(games)


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def _ratings_json(ratings: RatingTable, games: dict[str, int]) -> dict[str, Any]:
    """Return the ratings as JSON values. A player outside the largest connected set has null ratings."""
    from gomogo.text.standings_json import rating_json

    names = [*ratings.ratings_by_player, *_unconnected_players(ratings)]
    return {
        "schema": 1,
        "players": [
            {
                "name": name,
                "games": games[name],
                **rating_json(ratings.ratings_by_player.get(name), ratings.bounds_by_player.get(name)),
            }
            for name in names
        ],
        "first_seat": ratings.first_seat_advantage and ratings.first_seat_advantage._asdict(),
        "draws": ratings.draw_probability,
        "better": [
            {
                "player": higher_player,
                "than": lower_player,
                "likelihood": pair_test.superiority_probability,
                "p": pair_test.p_value,
            }
            for (higher_player, lower_player), pair_test in ratings.pair_tests.items()
        ],
        "apart": [list(group) for group in ratings.unrated_sets],
    }


def _unconnected_players(ratings: RatingTable) -> Iterable[str]:
    return (name for group in ratings.unrated_sets for name in group)


def _ratings_lines(ratings: RatingTable, games: dict[str, int]) -> list[str]:
    """Return the ratings as lines of text."""
    from gomogo.text.standings_table import format_bound, format_interval, format_signed
    from gomogo_core.drawing.text import printable

    width = max(len(printable(name)) for name in games)
    lines = [f"{'player':<{width}}  games    Elo  95 %"]
    for name, (elo, low, high) in ratings.ratings_by_player.items():
        bound = ratings.bounds_by_player.get(name)
        rating_text = format_bound(*bound) if bound else f"{format_signed(elo):>5}  {format_interval(low, high)}"
        lines.append(f"{printable(name):<{width}}  {games[name]:>5}  {rating_text}")
    lines += [
        f"{printable(name):<{width}}  {games[name]:>5}  not connected to the others by games"
        for name in _unconnected_players(ratings)
    ]
    if ratings.first_seat_advantage is not None:
        elo, low, high = ratings.first_seat_advantage
        lines += ["", f"The first seat is worth {format_signed(elo)} Elo ({format_interval(low, high)})."]
    return lines
