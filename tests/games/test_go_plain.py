"""Go, Capture Go and Robogo against the plain implementation: random games with random options through both.

Does not know the correct rules: _plain_go.py has them.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from gomogo_core.games.boards.points import Point
from gomogo_core.games.stones.rules import SUICIDE_REASON, GoFamilyPosition
from tests.games._plain_go import PlainGo
from tests.games._stones import load_stones_game, random_game, random_game_without_filled_eyes

NAMES = ("go", "capture_go", "robogo")
UNDECIDED = -1


def random_options(name: str, draw: random.Random) -> dict[str, Any]:
    """Return random options of the game; small boards, on which everything happens often."""
    options: dict[str, Any] = {"rows": draw.randint(1, 6), "cols": draw.randint(1, 6)}
    options |= {"suicide": draw.random() < 0.4, "passing": draw.random() < 0.8}
    if name == "capture_go":
        return options | {"target": draw.choice((1, 5, 30))}
    options["ko"] = draw.choice(("simple", "positional", "situational"))
    if name == "go":
        return options | {"scoring": draw.choice(("stone", "territory", "area")), "komi": draw.randint(-3, 3) / 2}
    options["line"] = draw.randint(2, max(2, options["rows"], options["cols"]))
    options["cols"] = max(options["cols"], options["line"])
    return options | {"diagonals": draw.random() < 0.3, "captures": draw.random() < 0.8}


def refusal_sentence(position: GoFamilyPosition, forbidden: str, name: str) -> str | None:
    """Return the expected text of `why_illegal` for an answer of the plain rules."""
    rule, _, number = forbidden.partition(" ")
    if rule == "suicide":
        return SUICIDE_REASON
    if rule == "ko":
        turn = ", with the same player to move" if position.game.ko == "situational" else ""
        place_words = f"after move {number}" if int(number) else "at the start"
        return f"ko: the board would be as it was {place_words}{turn}"
    colour = {1: "black", 2: "white"}.get(position.at(position.game.board.parse(name)) or 0)
    return f"{name} is occupied by {colour}" if rule == "occupied" else None


def assert_same_position(position: GoFamilyPosition, plain: PlainGo, event_counts: Counter[str]) -> None:
    """All descriptions of a position agree with the plain rules."""
    game = position.game
    assert {point: position.at(point) for point in game.board.points if position.at(point)} == plain.stones
    assert position.captures == (plain.captured[1], plain.captured[2])
    assert (position.to_move, position.passes, position.moves_played) == (
        plain.to_move,
        plain.passes,
        len(plain.boards) - 1,
    )
    forbidden = {point: plain.forbidden((point.column, point.row)) for point in game.board.points}
    event_counts.update(rule.split(" ")[0] for rule in forbidden.values())
    winner = plain_winner(position, plain, any(rule == "" for rule in forbidden.values()))
    outcome = position.outcome()
    assert (outcome is None) == (winner == UNDECIDED)
    if outcome is not None:
        assert (outcome.winner or 0) == winner
        return
    assert [move for move in position.moves() if isinstance(move, Point)] == [p for p in forbidden if not forbidden[p]]
    for point, rule in forbidden.items():
        assert position.why_illegal(point) == refusal_sentence(position, rule, str(point))


def plain_winner(position: GoFamilyPosition, plain: PlainGo, can_move: bool) -> int:
    """Return the winner by the plain rules: a seat, 0 for a draw, or UNDECIDED."""
    game: Any = position.game
    capped = game.max_moves is not None and position.moves_played >= game.max_moves
    over = plain.passes >= 2 or capped
    black: float = plain.captured[1]
    white: float = plain.captured[2]
    if game.name == "robogo":
        for colour in (1, 2):
            if plain.longest_row(colour, game.diagonals) >= game.line:
                return colour
        if not game.passing and len(plain.stones) == len(plain.spots):
            return 0
        black = white = 0
    elif game.name == "go":
        points = {1: 0.0, 2: float(game.komi)}
        for colour in (1, 2):
            if game.scoring != "territory":
                points[colour] += sum(owner == colour for owner in plain.stones.values())
            if game.scoring != "stone":
                points[colour] += len(plain.territory(colour))
        black, white = points[1], points[2]
    elif max(black, white) >= game.target:
        over = True
    if over:
        return 0 if black == white else 1 if black > white else 2
    return UNDECIDED if game.passing or can_move else 3 - plain.to_move


def play_both(name: str, games: int, seed: int) -> Counter[str]:
    """Play random games through both, and count forbidden points by rule, and captures."""
    draw = random.Random(seed)
    event_counts: Counter[str] = Counter()
    for _ in range(games):
        game = load_stones_game(name, **random_options(name, draw))
        plain = PlainGo(game.cols, game.rows, game.ko, game.suicide, game.captures)
        way = draw.choice((random_game, random_game_without_filled_eyes)) if game.passing else random_game
        for position, move in way(game.start(), draw):
            assert_same_position(position, plain, event_counts)
            if move is not None:
                plain.play((move.column, move.row) if isinstance(move, Point) else None)
        event_counts["captured"] += sum(plain.captured.values())
    return event_counts


@pytest.mark.parametrize("name", NAMES)
def test_random_games_agree_with_the_plain_rules(name: str) -> None:
    event_counts = play_both(name, 30, seed=1)
    assert min(event_counts["suicide"], event_counts["captured"]) > 20
    assert event_counts["ko"] > 20 or name == "capture_go"


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_2000_games_agree_with_the_plain_rules(name: str) -> None:
    event_counts = play_both(name, 2000, seed=2)
    assert min(event_counts["suicide"], event_counts["captured"]) > 1000
    assert event_counts["ko"] > 1000 or name == "capture_go"
