"""Charts as SVG: ratings, results over time, seconds a move, losses by a player's own fault.

Knows numbers and names; no store. Narrow, so that they can be read on a telephone; lines differ by dashes, and what is
drawn is written beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from gomogo_core.drawing._svg_elements import element, words

_WIDTH, _LEFT, _RIGHT = 360, 8, 352
_ROW = 36
_LONGEST = 34  # characters of a name
_LINES = 8  # players whose results are drawn over time
_MOST_POINTS = 150  # of a line


def _chart(height: float, called: str, parts: Iterable[str]) -> str:
    return element(
        "svg", "".join(parts), class_="chart", viewBox=f"0 0 {_WIDTH} {height:g}", role="img", aria_label=called
    )


def _text(x: float, y: float, text: str, kind: str = "start") -> str:
    return element("text", words(text), x=float(x), y=float(y), class_=kind)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return element("line", class_=kind, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))


def ratings(rated: Sequence[tuple[str, float, float, float]]) -> str:
    """Each player's rating and its interval: name, Elo, low, high."""
    low = min((low for *_, low, _ in rated), default=0.0)
    high = max((high for *_, high in rated), default=0.0)
    span = (high - low) or 1.0

    def x(elo: float) -> float:
        return 20 + (elo - low) / span * (_WIDTH - 40)

    parts = [_line(x(0), 4, x(0), _ROW * len(rated) + 4, "zero")] if low <= 0 <= high else []
    for row, (name, elo, least, most) in enumerate(rated):
        y = _ROW * row + 14
        parts.append(_text(_LEFT, y, f"{_short(name)}: {elo:+z.0f}"))
        parts.append(_line(x(least), y + 12, x(most), y + 12, "whisker"))
        parts.append(element("circle", class_="mark", cx=x(elo), cy=float(y + 12), r=5))
    return _chart(_ROW * len(rated) + 8, "Ratings in Elo with their 95 % intervals", parts)


def over_time(results: Mapping[str, Sequence[tuple[int, float]]], games: int) -> str:
    """What each player had scored beyond half of the points, game by game: the number of a game, and its points."""
    height, chosen = 180, list(results.items())[:_LINES]
    lines = {name: _sums(scored) for name, scored in chosen}
    reach = max((abs(value) for line in lines.values() for _, value in line), default=0.0) or 1.0

    def place(game: int, value: float) -> str:
        return f"{30 + game / max(1, games) * (_RIGHT - 30):.1f},{height / 2 - value / reach * (height / 2 - 12):.1f}"

    parts = [_line(30, height / 2, _RIGHT, height / 2, "zero")]
    for value, y in ((reach, 12), (0.0, height / 2), (-reach, height - 12)):
        parts.append(_text(26, y + 4, f"{value:+g}" if value else "0", "end"))
    for number, (name, line) in enumerate(lines.items()):
        points = " ".join(place(game, value) for game, value in [(0, 0.0), *line])
        parts.append(element("polyline", class_=f"line line-{number}", points=points))
        y = height + 20 * number + 16
        parts.append(_line(_LEFT, y - 4, 48, y - 4, f"line line-{number}"))
        parts.append(_text(56, y, f"{_short(name)}: {line[-1][1]:+g}" if line else _short(name)))
    return _chart(height + 20 * len(lines) + 8, "Points beyond half of those possible, game by game", parts)


def _sums(scored: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    total, line = 0.0, []
    for game, points in scored:
        total += points - 0.5
        line.append((game, total))
    step = -(-len(line) // _MOST_POINTS) or 1
    return line[::-1][::step][::-1]  # the last one is always there


def move_times(times: Mapping[str, Sequence[float]]) -> str:
    """Seconds a move of each player: the median, what 95 % were under, the longest; on a logarithmic scale."""
    told = {name: sorted(seconds) for name, seconds in times.items() if seconds}
    least = max(0.0001, min((seconds[len(seconds) // 20] for seconds in told.values()), default=0.0))
    most = max((seconds[-1] for seconds in told.values()), default=1.0)
    span = math.log(max(most, 2 * least) / least)

    def x(seconds: float) -> float:
        return 20 + math.log(max(seconds, least) / least) / span * (_WIDTH - 40)

    parts = []
    for row, (name, seconds) in enumerate(told.items()):
        y = (_ROW + 16) * row + 14
        median, most_of_them = seconds[len(seconds) // 2], seconds[min(len(seconds) - 1, len(seconds) * 95 // 100)]
        parts.append(_text(_LEFT, y, _short(name)))
        parts.append(
            _text(
                _LEFT,
                y + 16,
                f"median {_seconds(median)}, 95 % {_seconds(most_of_them)}, longest {_seconds(seconds[-1])}",
            )
        )
        parts.append(_line(x(least), y + 28, x(seconds[-1]), y + 28, "thin"))
        parts.append(_line(x(median), y + 28, x(most_of_them), y + 28, "whisker"))
        parts.append(element("circle", class_="mark", cx=x(median), cy=float(y + 28), r=5))
        parts.append(element("circle", class_="ring", cx=x(seconds[-1]), cy=float(y + 28), r=4))
    return _chart((_ROW + 16) * len(told) + 8, "Seconds a move: median, 95 %, longest", parts)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def evaluations(names: Sequence[str], scored: Sequence[Sequence[tuple[int, float]]], moves: int, at: int) -> str:
    """What each player thought of its position: the number of a move, and its score, in the player's own unit.

    Above the middle is better for who thinks so. moves: of the whole game. at: how many of them are shown.
    """
    height, shown = 120, [(number, line) for number, line in enumerate(scored) if line]

    def x(move: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * move / max(1, moves)

    parts = [_line(_LEFT, height / 2, _RIGHT, height / 2, "zero")]
    for row, (number, line) in enumerate(shown):
        most = math.log1p(max(abs(score) for _, score in line)) or 1.0
        up = [(move, math.copysign(math.log1p(abs(score)), score) / most) for move, score in line]
        points = " ".join(f"{x(move):.1f},{height / 2 - share * (height / 2 - 8):.1f}" for move, share in up)
        parts.append(element("polyline", class_=f"line line-{number % 8}", points=points))
        y = height + 20 * row + 12
        parts.append(_line(_LEFT, y - 4, 48, y - 4, f"line line-{number % 8}"))
        parts.append(_text(56, y, _short(names[number])))
    parts.append(_line(x(at), 0, x(at), height, "now"))
    called = f"What {' and '.join(names[number] for number, _ in shown)} thought of the position, move by move"
    return _chart(height + 20 * len(shown), f"{called}; above the middle is better for the one who thinks so", parts)


def forfeits(faults: Sequence[tuple[str, str, int]]) -> str:
    """How many games each player lost by which fault of its own: name, reason, count."""
    most = max((count for *_, count in faults), default=1)
    parts = []
    for row, (name, reason, count) in enumerate(faults):
        y = _ROW * row + 14
        parts.append(_text(_LEFT, y, f"{_short(name)}, {reason}: {count}"))
        wide = count / most * (_WIDTH - 40)
        parts.append(element("rect", class_="bar", x=_LEFT, y=float(y + 6), width=float(wide), height=10))
    return _chart(_ROW * len(faults) + 8, "Games lost by a fault of the player's own", parts)
