"""Draws the charts of a report: ratings, results over time, seconds per move, forfeits.

Matplotlib draws each chart at the width of a phone. Names and values are written beside their marks, and lines differ
not only by colour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gomogo.report.inline_figures import (
    EDGE_COLOUR,
    LINE_COLOURS,
    MARK_COLOUR,
    PAGE_COLOUR,
    TEXT_COLOUR,
    figure_svg,
    new_figure,
    shortened_name,
)
from gomogo.text.standings_table import format_bound, format_signed
from tournaments.ratings import Rating, RatingBound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW_HEIGHT, _AXIS_HEIGHT = 40, 44  # the height of a row with its caption, and of the axis below the rows, in units
# the fifth to eighth lines have the same dashes again, but are broader
_DASHES = ("-", (0, (4, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))
_ARROW_LENGTH = 100  # Elo, of the arrow at a bound
_MAX_POINTS = 150  # the maximum number of points of a line


class LateMove(float):
    """The time limit of a move that was too late, in seconds; the move took at least this long."""


def draw_ratings(rated: Sequence[tuple[str, Rating | RatingBound]], title: str = "Ratings") -> str:
    """Draw each player's rating, or the lead of one player, with its interval. An arrow stands for a bound.

    rated: for each player, the name, and the rating or its bound.
    """
    with new_figure(_ROW_HEIGHT * len(rated) + _AXIS_HEIGHT) as (figure, axes):
        captions = [
            f"{shortened_name(name)}: {format_bound(*one) if isinstance(one, RatingBound) else format_signed(one.elo)}"
            for name, one in rated
        ]
        _lay_out_rows(axes, captions, "Elo")
        for row, (_, rating) in enumerate(rated):
            if isinstance(rating, RatingBound):
                end = rating.elo + (_ARROW_LENGTH if rating.is_lower else -_ARROW_LENGTH)
                axes.plot([rating.elo, end], [row, row], color=MARK_COLOUR, linewidth=5, alpha=0.55)
                marker = ">" if rating.is_lower else "<"
                axes.plot([end], [row], marker, color=MARK_COLOUR, markersize=9)
                continue
            elo, low, high = rating
            axes.plot([low, high], [row, row], color=MARK_COLOUR, linewidth=5, alpha=0.55, solid_capstyle="round")
            axes.plot([elo], [row], "o", color=MARK_COLOUR, markersize=9)
        return figure_svg(figure, f"{title} in Elo, with 95 % intervals")


def draw_score_curves(results: Mapping[str, Sequence[tuple[int, float]]], games: int) -> str:
    """Draw a line for each player. After each game it rises by the points minus one half.

    results: for each player, the number of each game in the tournament and the points in it. games: the number of all
    games.
    """
    drawn_results = list(results.items())[: len(LINE_COLOURS)]
    with new_figure(200 + 18 * len(drawn_results)) as (figure, axes):
        axes.axhline(0, color=TEXT_COLOUR, linewidth=1)
        for number, (name, scored) in enumerate(drawn_results):
            line = _running_sums(scored)
            total = f": {line[-1][1]:+g}".replace("-", "−") if line else ""
            axes.plot(
                [0, *(game for game, _ in line)],
                [0.0, *(value for _, value in line)],
                color=LINE_COLOURS[number],
                linestyle=_DASHES[number % len(_DASHES)],
                linewidth=1.8 if number < len(_DASHES) else 3,
                label=f"{shortened_name(name)}{total}",
            )
        axes.set_xlim(0, max(1, games))
        axes.locator_params(nbins=6, integer=True)
        axes.set_xlabel("games of the tournament")
        axes.grid(axis="y")
        if drawn_results:
            figure.legend(loc="outside lower left", handlelength=4)
        return figure_svg(figure, "Points above half of the maximum, game by game")


def draw_move_times(times: Mapping[str, Sequence[float]]) -> str:
    """Draw the seconds per move of each player: median, 95th percentile and maximum, on a logarithmic scale.

    The time of a late move is a `LateMove`.
    """
    sorted_times = {name: sorted(seconds) for name, seconds in times.items() if seconds}
    with new_figure((_ROW_HEIGHT + 14) * len(sorted_times) + _AXIS_HEIGHT) as (figure, axes):
        captions = []
        for row, (name, seconds) in enumerate(sorted_times.items()):
            median, percentile_95, longest_time = (
                max(seconds[min(len(seconds) - 1, len(seconds) * share // 100)], 1e-5) for share in (50, 95, 100)
            )
            at_least = "at least " if any(isinstance(one, LateMove) for one in seconds) else ""
            captions.append(
                f"{shortened_name(name)}\nmedian {_time_text(median)}, "
                f"95 % {_time_text(percentile_95)}, longest {at_least}{_time_text(longest_time)}"
            )
            axes.plot([median, longest_time], [row, row], color=MARK_COLOUR, linewidth=1.5)
            axes.plot(
                [median, percentile_95], [row, row], color=MARK_COLOUR, linewidth=5, alpha=0.55, solid_capstyle="round"
            )
            axes.plot(
                [longest_time],
                [row],
                "o",
                color=MARK_COLOUR,
                markersize=8,
                markerfacecolor=PAGE_COLOUR,
                markeredgewidth=1.8,
            )
            axes.plot([median], [row], "o", color=MARK_COLOUR, markersize=8)
        if sorted_times:
            axes.set_xscale("log")
        _lay_out_rows(axes, captions, "seconds")
        low, high = axes.get_xlim()
        if sorted_times:
            from matplotlib.ticker import LogLocator

            # powers of ten alone would be too few on a short scale
            axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 100 * low else (1.0, 2.0, 5.0)))
            axes.minorticks_off()
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        return figure_svg(figure, "Seconds a move: median, 95 %, longest")


def draw_forfeits(faults: Sequence[tuple[str, str, int]]) -> str:
    """Draw the number of each player's forfeits by reason.

    faults: for each bar, the name, the reason and the number.
    """
    with new_figure(_ROW_HEIGHT * len(faults) + _AXIS_HEIGHT) as (figure, axes):
        axes.barh(range(len(faults)), [count for *_, count in faults], height=0.3, color=MARK_COLOUR)
        axes.set_xlim(0)
        _lay_out_rows(axes, [f"{shortened_name(name)}, {reason}: {count}" for name, reason, count in faults], "games")
        axes.locator_params(axis="x", integer=True, nbins=6)
        return figure_svg(figure, "Games lost by a fault of the player, by reason")


def _lay_out_rows(axes: Axes, captions: Sequence[str], unit: str) -> None:
    """Lay out the axes in rows from the top. Each caption is above its row, where there is space even on a phone."""
    axes.set_ylim(len(captions) - 0.5, -1)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(unit)
    axes.set_axisbelow(True)
    axes.grid(axis="x")
    axes.margins(x=0.04)
    for row, text in enumerate(captions):
        axes.annotate(
            text,
            (0, row),
            xycoords=axes.get_yaxis_transform(),
            xytext=(0, 7),
            textcoords="offset points",
            va="bottom",
            linespacing=1.3,
        )
    if axes.get_xscale() == "linear" and axes.get_xlim()[0] <= 0 <= axes.get_xlim()[1]:
        axes.axvline(0, color=EDGE_COLOUR, linewidth=1.5)


def _running_sums(scored: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    total, line = 0.0, []
    for game, points in scored:
        total += points - 0.5
        line.append((game, total))
    step = -(-len(line) // _MAX_POINTS) or 1
    return line[::-1][::step][::-1]  # from the end, so that the last point is always included


def _time_text(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"
