"""Go, Capture Go and Robogo against an independent judge: GNU Go follows the same random games over GTP.

Compares only what both define. GNU Go has all three ko rules, and none; it never applies them to a suicide. Its
score takes dead stones off, so scores are compared where it finds none: at the end of games played out by both.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import pytest

from gomogo_core.games.base import Move
from gomogo_core.games.go import score
from gomogo_core.games.stones.rules import GoFamilyPosition
from tests.games._gnugo import COLOURS, ask_gnugo, gnugo_move_name, gnugo_rule_options
from tests.games._stones import load_stones_game, position_after, random_game, random_game_without_filled_eyes

pytestmark = pytest.mark.needs("gnugo")

RULES: dict[str, tuple[str, dict[str, Any]]] = {
    "simple ko": ("go", {"ko": "simple"}),
    "positional superko": ("go", {"ko": "positional"}),
    "situational superko": ("go", {"ko": "situational"}),
    "simple ko, suicide": ("go", {"ko": "simple", "suicide": True}),
    "positional superko, suicide": ("go", {"ko": "positional", "suicide": True}),
    "situational superko, suicide": ("go", {"ko": "situational", "suicide": True}),
    "no ko": ("capture_go", {"target": 60}),
    "no ko, suicide": ("capture_go", {"target": 60, "suicide": True}),
    "a row wins": ("robogo", {"line": 5}),
}
PER_PROCESS = 20
AT_EACH_POSITION = 5
COMMANDS = ("boardsize", "clear_board", "play")  # GNU Go answers these commands without text


class GnugoView(NamedTuple):
    """A position, and GNU Go's view of it."""

    position: GoFamilyPosition
    legal: set[str]
    black: set[str]
    white: set[str]
    captures: tuple[int, int]


def gnugo_questions(position: GoFamilyPosition) -> list[str]:
    """Return the questions about a position."""
    legal = f"all_legal {COLOURS[position.to_move]}"
    return [legal, "list_stones black", "list_stones white", "captures black", "captures white"]


def gnugo_play_command(position: GoFamilyPosition, move: Move) -> str:
    """Return the command to follow a move."""
    return f"play {COLOURS[position.to_move]} {gnugo_move_name(move, position.game.cols)}"


def views_of_random_games(name: str, sizes: tuple[int, ...], games: int, seed: int, **options: Any) -> list[GnugoView]:
    """Every position of random games on boards of these sizes in turn, as both see it."""
    draw = random.Random(seed)
    asked, positions = [], []
    for number in range(games):
        size = sizes[number % len(sizes)]
        asked += [f"boardsize {size}", "clear_board"]
        way = random_game if number % 4 else random_game_without_filled_eyes
        for position, move in way(load_stones_game(name, size=size, **options).start(), draw):
            positions.append(position)
            asked += gnugo_questions(position)
            if move is not None:
                asked.append(gnugo_play_command(position, move))
    answers = ask_gnugo(gnugo_rule_options(positions[0].game), asked)
    answers = [
        answer
        for question, answer in zip(asked, answers, strict=True)
        if not question.startswith(("play", "boa", "cl"))
    ]
    views = []
    for i, position in enumerate(positions):
        legal, black, white, first_score, other = answers[AT_EACH_POSITION * i : AT_EACH_POSITION * (i + 1)]
        views.append(GnugoView(position, set(legal), set(black), set(white), (int(first_score[0]), int(other[0]))))
    return views


def gnugo_point_names(position: GoFamilyPosition, mask: int) -> set[str]:
    """GNU Go's names of the points in a mask."""
    return {gnugo_move_name(point, position.game.cols) for point in position.game.bit_geometry.points_in(mask)}


def assert_same_view(seen_view: GnugoView) -> None:
    """Stones, captures and legal moves are the same."""
    position = seen_view.position
    assert seen_view.black == gnugo_point_names(position, position.board.black_mask)
    assert seen_view.white == gnugo_point_names(position, position.board.white_mask)
    assert seen_view.captures == position.captures
    unjudged = position.ko_mask() & position.board.suicide_mask(position.to_move) if position.game.suicide else 0
    assert seen_view.legal == gnugo_point_names(position, position.legal_mask | unjudged)


def compare_random_games(rules: str, sizes: tuple[int, ...], games: int, seed: int) -> int:
    """Compare all positions of random games. Returns in how many a rule of ko forbids a point that is no suicide."""
    name, options = RULES[rules]
    kos = 0
    for first in range(0, games, PER_PROCESS):
        for view in views_of_random_games(name, sizes, min(PER_PROCESS, games - first), seed + first, **options):
            assert_same_view(view)
            kos += bool(view.position.ko_mask() & ~view.position.board.suicide_mask(view.position.to_move))
    return kos


@pytest.mark.parametrize("rules", RULES)
def test_gnu_go_agrees_on_legal_moves_boards_and_captures(rules: str) -> None:
    sizes = (5, 6, 7) if rules == "a row wins" else (2, 3, 4, 7)
    kos = compare_random_games(rules, sizes, 12, seed=1)
    assert (kos > 0) == (not rules.startswith("no ko"))


@pytest.mark.long
@pytest.mark.parametrize("rules", RULES)
def test_gnu_go_agrees_in_2000_games(rules: str) -> None:
    kos = compare_random_games(rules, (5, 7, 9), 2000, seed=1)
    assert (kos > 300) == (not rules.startswith("no ko"))


def test_gnu_go_agrees_on_a_large_board() -> None:
    assert compare_random_games("simple ko", (19,), 1, seed=0) >= 0


def black_lead(text: str) -> float:
    """Black's margin in a result like "W+3.5"."""
    return 0.0 if text == "0" else float(text[2:]) * (1 if text[0] == "B" else -1)


def compare_scores(size: int, games: int, seed: int) -> int:
    """Compare the scores of games played out, with area and with territory counted. Returns how many were compared."""
    draw = random.Random(seed)
    asked: list[str] = []
    ends: list[GoFamilyPosition] = []
    for _ in range(games):
        komi = draw.choice((0.0, 0.5, 7.5, -3.0))
        asked += [f"boardsize {size}", "clear_board", f"komi {komi}"]
        for position, move in random_game_without_filled_eyes(
            load_stones_game("go", size=size, komi=komi).start(), draw
        ):
            if move is None:
                ends.append(position)
            else:
                asked.append(gnugo_play_command(position, move))
        asked += ["final_status_list dead", "final_status_list seki", "final_score"]
    compared = 0
    for scoring in ("area", "territory"):
        rules = "--chinese-rules" if scoring == "area" else "--japanese-rules"
        answers = ask_gnugo([rules, "--level", "0"], asked)
        results = [answer for question, answer in zip(asked, answers, strict=True) if question.startswith("final_")]
        for i, position in enumerate(ends):
            dead, seki, result = results[3 * i : 3 * i + 3]
            if dead or seki or position.passes < 2:
                continue
            black, white = score(position.board, scoring, position.game.options["komi"])
            if scoring == "territory":  # Japanese scoring counts prisoners, and ours does not
                black, white = black + position.captures[0], white + position.captures[1]
            assert black_lead(result[0]) == black - white
            compared += 1
    return compared


@pytest.mark.parametrize("size", [5, 9])
def test_gnu_go_agrees_on_the_scores_of_games_played_out(size: int) -> None:
    assert compare_scores(size, 15, seed=size) > 20


@pytest.mark.long
@pytest.mark.parametrize("size", [5, 9])
def test_gnu_go_agrees_on_the_scores_of_2000_games(size: int) -> None:
    assert sum(compare_scores(size, 100, seed) for seed in range(20)) > 3600


def test_the_comparison_detects_a_different_board() -> None:
    position = position_after("go", "b2", size=3)
    black_stones, other = ask_gnugo([], ["boardsize 3", "play black A3", "list_stones black", "all_legal white"])[2:]
    assert black_stones == ["A3"]
    assert set(black_stones) != gnugo_point_names(position, position.board.black_mask)
    assert set(other) != gnugo_point_names(position, position.legal_mask)
