"""Rate players from any results: a CSV file of who met whom and how it ended.

Knows files, options and words; the ratings are tournaments/ratings.py's.
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

if TYPE_CHECKING:
    from tournaments.ratings import Ratings, Unit

_WANTED = ("first", "second", "score")
_SCORES = {1.0: "wins", 0.5: "draws", 0.0: "losses"}


@click.command(short_help="Rate players from a CSV file of results.")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.csv")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(file: Path, as_json: bool) -> None:
    """Rate the players of FILE, whose columns are first, second and score: 1, 0.5 or 0 for the one in the first seat.

    A column pair, if there is one, says by the same word which games hang together, as the two from one opening do:
    intervals then allow for that. Other columns are left alone. For FILE.csv may stand -, the standard input.
    """
    from tournaments.ratings import rate

    units, games = _read(file)
    ratings = rate(units)
    if as_json:
        click.echo(json.dumps(_plain(ratings, games), indent=2))
    else:
        click.echo("\n".join(_told(ratings, games)))


def _opened(file: Path) -> TextIO:
    """The file, or standard input where it is called -."""
    source: BinaryIO = sys.stdin.buffer if str(file) == "-" else file.open("rb")
    return TextIOWrapper(source, newline="", encoding="utf-8-sig")


def _read(file: Path) -> tuple[list[Unit], dict[str, int]]:
    """What hangs together in the file, and how many games each player had. Raises UserError."""
    from tournaments.ratings import Meeting, Unit

    called = "The standard input" if str(file) == "-" else file
    found: defaultdict[object, list[Meeting]] = defaultdict(list)
    games: defaultdict[str, int] = defaultdict(int)
    try:
        with _opened(file) as lines:
            rows = csv.DictReader(lines)
            names = {(name or "").strip().casefold(): name for name in rows.fieldnames or ()}
            for wanted in _WANTED:
                if wanted not in names:
                    raise UserError(
                        f"{called} has no column {wanted!r} in its first line.", "Begin it with first,second,score."
                    )
            for row in rows:
                first, second, score = ((row[names[name]] or "").strip() for name in _WANTED)
                together = (row[names["pair"]] or "").strip() if "pair" in names else ""
                ended = _SCORES.get(_number(score))
                if not first or not second or first == second or ended is None:
                    raise UserError(
                        f"{called}, line {rows.line_num}: {first!r}, {second!r}, {score!r} is no result of a game.",
                        "Name two players, and write 1, 0.5 or 0 for the first of them.",
                    )
                key = (frozenset((first, second)), together) if together else rows.line_num
                found[key].append(Meeting(first, second, **{ended: 1}))
                for player in (first, second):
                    games[player] += 1
    except (OSError, UnicodeDecodeError, csv.Error) as fault:
        why = getattr(fault, "strerror", None) or "it is no text of comma-separated values"
        raise UserError(f"{called} cannot be read: {why}.", "Name a CSV file.") from None
    if not found:
        raise UserError(f"{called} has no results.", "Write a line for each game, below first,second,score.")
    return [Unit(tuple(sorted(meetings))) for meetings in found.values()], dict(games)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


def _plain(ratings: Ratings, games: dict[str, int]) -> dict[str, Any]:
    """The ratings as plain values; null for who is not linked to the most others."""
    players = [
        {"name": name, "games": games[name], "elo": elo, "elo_low": low, "elo_high": high}
        for name, (elo, low, high) in ratings.players.items()
    ]
    unlinked = [
        {"name": name, "games": games[name], "elo": None, "elo_low": None, "elo_high": None}
        for name in _unlinked(ratings)
    ]
    return {
        "schema": 1,
        "players": players + unlinked,
        "first_seat": ratings.first_seat and ratings.first_seat._asdict(),
        "draws": ratings.draws,
        "better": [
            {"player": one, "than": other, "likelihood": likelihood}
            for (one, other), likelihood in ratings.better.items()
        ],
        "apart": [list(group) for group in ratings.apart],
    }


def _unlinked(ratings: Ratings) -> Iterable[str]:
    return (name for group in ratings.apart for name in group)


def _told(ratings: Ratings, games: dict[str, int]) -> list[str]:
    """The same as lines of text."""
    from gomogo_core.drawing.text import visible

    width = max(len(visible(name)) for name in games)
    lines = [f"{'player':<{width}}  games    Elo  95 %"]
    for name, (elo, low, high) in ratings.players.items():
        lines.append(f"{visible(name):<{width}}  {games[name]:>5}  {elo:>+z5.0f}  {low:+z.0f} … {high:+z.0f}")
    lines += [
        f"{visible(name):<{width}}  {games[name]:>5}  not connected to these by games" for name in _unlinked(ratings)
    ]
    if ratings.first_seat is not None:
        elo, low, high = ratings.first_seat
        lines += ["", f"The first seat is worth {elo:+z.0f} Elo ({low:+z.0f} … {high:+z.0f})."]
    return lines
