"""Draws charts of a game as SVG: the players' evaluations after each move, or the win chances according to a review.

A chart marks the move on the board, so the server draws it anew for each position. The module writes the SVG itself,
because matplotlib is too slow for this.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from gomogo_core.analysis.review import Review
from gomogo_core.analysis.review_results import ReviewFinding, win_chance_percent
from gomogo_core.drawing.svg_elements import element, escape_text
from gomogo_core.printable import count_with_noun

_WIDTH, _LEFT, _RIGHT, _HEIGHT = 360, 8, 352, 80
_MAX_NAME = 34  # characters of a name
# the graph of a review, in percent of its picture
_REVIEW_LEFT, _REVIEW_MIDDLE, _REVIEW_HALF = 2.5, 50.0, 38.0
# pixels: the smallest graph of a review, and half of the width and height of a mark and of a dot there
_MIN_WIDTH, _MIN_HEIGHT = 320, 42
_MARK_SIZE, _DOT_SIZE = (8, 6), (5, 5)
_TOUCH_RADIUS = 11.0  # pixels around the dot of a mistake


def draw_evaluations(
    names: Sequence[str], scores: Sequence[Sequence[tuple[int, float]]], moves: int, move_number: int
) -> str:
    """Draw a line with the evaluations of each player. A point above the middle is good for the player of the line.

    scores: for each player, pairs of a move's number and the score after it, in the player's own unit. moves: the
    number of moves in the game. move_number: the number of moves on the board.
    """
    drawn_scores = [(number, line) for number, line in enumerate(scores) if line]

    def x_of(move: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * move / max(1, moves)

    parts = [_line(_LEFT, _HEIGHT / 2, _RIGHT, _HEIGHT / 2, "zero")]
    for row, (number, line) in enumerate(drawn_scores):
        largest = math.log1p(max(abs(score) for _, score in line)) or 1.0
        heights = [(move, math.copysign(math.log1p(abs(score)), score) / largest) for move, score in line]
        points = " ".join(f"{x_of(move):.1f},{_HEIGHT / 2 - share * (_HEIGHT / 2 - 8):.1f}" for move, share in heights)
        parts.append(element("polyline", class_=f"line line-{number % 8}", points=points))
        y = _HEIGHT + 20 * row + 12
        name = names[number] if len(names[number]) <= _MAX_NAME else f"{names[number][: _MAX_NAME - 1]}…"
        parts.append(_line(_LEFT, y - 4, 48, y - 4, f"line line-{number % 8}"))
        parts.append(element("text", escape_text(name), x=56.0, y=float(y)))
    parts.append(_line(x_of(move_number), 0, x_of(move_number), _HEIGHT, "now"))
    label = f"Evaluations by {' and '.join(names[number] for number, _ in drawn_scores)} after each move"
    return element(
        "svg",
        "".join(parts),
        class_="chart",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT + 20 * len(drawn_scores)}",
        role="img",
        aria_label=f"{label}; above the middle is good for the player of the line",
    )


def draw_review(review: Review, sides: Sequence[str], moves: Sequence[str], move_number: int, url_end: str) -> str:
    """Draw the first player's win chance after each move, with marks for mistakes. Each move is a link.

    In Dots and Boxes, the curve is the final lead in boxes if it is known, since a solved game has no win chances.

    The picture fills its place, whatever the proportions, so its coordinates are percentages. sides: the names of both
    players in a sentence. moves: the moves of the game. move_number: the number of moves on the board. url_end: the end
    of each link's URL.
    """

    def x_of(number: int) -> float:
        return _REVIEW_LEFT + (100 - 2 * _REVIEW_LEFT) * number / max(1, len(moves))

    def y_of(number: int) -> float:
        return _REVIEW_MIDDLE - _REVIEW_HALF * heights.get(number, 0.0)

    greatest_lead = greatest_final_lead(review)
    heights = review.advantages
    if greatest_lead:
        heights = {number: lead / greatest_lead for number, lead in review.final_leads.items()}
    curve = [_line(0, _REVIEW_MIDDLE, 100, _REVIEW_MIDDLE, "zero")]
    numbers = sorted(heights)
    starts = [index for index, number in enumerate(numbers) if not index or number - 1 != numbers[index - 1]]
    for start, end in pairwise([*starts, len(numbers)]):  # a position without a result is a gap in the curve
        points = [(x_of(number), y_of(number)) for number in numbers[start:end]]
        line = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        ends = f"{points[0][0]:.2f},{_REVIEW_MIDDLE} {line} {points[-1][0]:.2f},{_REVIEW_MIDDLE}"
        curve.append(element("polygon", class_="area", points=ends))
        curve.append(element("polyline", class_="line line-0", points=line))
    parts = [element("svg", "".join(curve), viewBox="0 0 100 100", preserveAspectRatio="none")]
    current_x = _percent(x_of(move_number))
    parts.append(element("line", class_="now", x1=current_x, y1="0", x2=current_x, y2="100%"))
    width = (100 - 2 * _REVIEW_LEFT) / max(1, len(moves))
    for number in range(len(moves) + 1):
        left_edge = _percent(x_of(number) - width / 2)
        column = element("rect", class_="target", x=left_edge, y="0", width=_percent(width), height="100%")
        parts.append(_step_link(review, sides, moves, number, column, url_end))

    def height_of(finding: ReviewFinding) -> float:
        # the review has no search result after the last move of an unfinished game
        return y_of(finding.number if finding.number in heights else finding.number - 1)

    def centre_of(finding: ReviewFinding) -> tuple[float, float]:
        return x_of(finding.number) / 100 * _MIN_WIDTH, height_of(finding) / 100 * _MIN_HEIGHT

    taken = [(*centre_of(finding), *_DOT_SIZE) for finding in review.findings]
    for finding in sorted(
        review.findings, key=lambda finding: not finding.is_blunder
    ):  # the marks of blunders have precedence
        x, y = _percent(x_of(finding.number)), _percent(height_of(finding))
        dot = element("circle", class_="mistake-dot", cx=x, cy=y, r=5.0 if finding.is_blunder else 3.5)
        dot += element("circle", class_="target", cx=x, cy=y, r=_TOUCH_RADIUS)  # larger than a narrow column
        parts.append(_step_link(review, sides, moves, finding.number, dot, url_end))
        centre_x, centre_y = centre_of(finding)
        # try three places beside the dot: towards the middle of the graph, where there is room, then left and right
        for dx, dy in ((0, 18 if height_of(finding) < _REVIEW_MIDDLE else -9), (-14, 4), (14, 4)):
            box = (centre_x + dx, centre_y + dy - 4, *_MARK_SIZE)
            if not any(_overlaps(box, other_box) for other_box in taken) and 8 <= box[0] <= _MIN_WIDTH - 8:
                taken.append(box)
                mark = element("text", finding.annotation, class_="mistake-mark", x=x, y=y, dx=dx, dy=dy)
                parts.append(mark)
                break
    subject = "The final lead of the first player in boxes" if greatest_lead else "The win chance of the first player"
    return element(
        "svg",
        "".join(parts),
        class_="chart review",
        role="group",
        aria_label=f"{subject} after each move; mistakes are marked",
    )


def _overlaps(box: tuple[float, ...], other_box: tuple[float, ...]) -> bool:
    """Return whether two boxes overlap. A box is its centre, and half of its width and height."""
    return all(abs(box[axis] - other_box[axis]) < box[axis + 2] + other_box[axis + 2] for axis in (0, 1))


def greatest_final_lead(review: Review) -> int:
    """Return the lead in boxes at the upper and lower edge of a review's graph; 0 if the graph shows win chances."""
    return max(1, *(round(abs(lead)) for lead in review.final_leads.values())) if review.final_leads else 0


def _step_link(
    review: Review, sides: Sequence[str], moves: Sequence[str], number: int, target: str, url_end: str
) -> str:
    """Return a link to the position after this number of moves, with its win chance or final lead as a title."""
    label = f"Move {number}"
    words = f"{label}: {moves[number - 1]}" if number else "Before the first move"
    if number in review.final_leads:
        lead = round(review.final_leads[number])
        boxes = count_with_noun(abs(lead), "box", "boxes")
        result = f"{sides[lead < 0]} ahead by {boxes}" if lead else "a draw"
        words += f". At the end, if both play perfectly: {result}"
    elif number in review.advantages and not review.final_leads:
        words += f". {sides[0]}: {win_chance_percent(review.advantages[number])} %"
    elif number in review.missing:
        words += ". Not analysed"
    step = {"href": f"?move={number}{url_end}", "data_step": "to", "tabindex": -1, "aria_label": label}
    return element("a", element("title", escape_text(words)) + target, **step)


def _percent(share: float) -> str:
    return f"{round(share, 2):g}%"


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return element("line", class_=kind, x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2))
