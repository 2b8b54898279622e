"""The golden playthroughs: games stored as text, so that a changed rule is a readable difference.

Knows no game: a file in tests/golden has its game's name, and the options and the moves of each playthrough. After an
intended change, `GOMOGO_REWRITE_GOLDEN=1 pytest tests/games/test_golden.py` rewrites them; to add a playthrough, first
add its two lines `options:` and `moves:`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gomogo_core import games
from gomogo_core.games.base import Position

GOLDEN = Path(__file__).parent.parent / "golden"
REWRITE = bool(os.environ.get("GOMOGO_REWRITE_GOLDEN"))
EVERY = 6  # moves between two diagrams


def playthrough_lines(name: str, options: str, moves: str) -> Iterator[str]:
    """Yield the lines of one playthrough: each move, some diagrams, the last diagram and the outcome."""
    yield from ("", f"options: {options}".rstrip(), f"moves: {moves}", "")
    game = games.load(name, **dict(pair.split("=") for pair in options.split()))
    position = game.start()
    for number, word in enumerate(moves.split(), 1):
        move = game.parse(word)
        remark = position.warning(move) or position.describe_effect(move)
        yield f"{number}. seat {position.to_move}: {game.format(move)}" + (f"  ({remark})" if remark else "")
        position = position.play(move)
        if number % EVERY == 0 or number == len(moves.split()):
            yield from ("", position.diagram(), *position_details(position), "")
    outcome = position.outcome()
    assert outcome is not None, f"{name} {options}: a playthrough goes on to the end"
    scores = "" if outcome.scores is None else f", scores {outcome.scores}"
    yield f"outcome: ranks {outcome.ranks}, {outcome.reason.value}: {outcome.detail}{scores}"


def position_details(position: Position) -> Iterator[str]:
    """Yield the descriptions of a position beside its diagram."""
    moves = [position.game.format(move) for move in position.moves()]
    shown_moves = moves if len(moves) <= 6 else [*moves[:3], "…", *moves[-3:]]
    yield " ".join([f"legal moves ({len(moves)}):", *shown_moves])
    yield f"facts: {position.facts()}"


def golden_text(name: str, asked: list[tuple[str, str]]) -> str:
    lines = [f"# {name}: written by tests/games/test_golden.py from its lines options: and moves:"]
    for options, moves in asked:
        lines += playthrough_lines(name, options, moves)
    return "\n".join(lines) + "\n"


def requested_playthroughs(text: str) -> list[tuple[str, str]]:
    """Return the options and the moves of each playthrough in the file."""
    pairs = re.findall(r"^options:(.*)\nmoves:(.*)$", text, re.MULTILINE)  # a diagram may contain a line `moves:`, too
    return [(options.strip(), moves.strip()) for options, moves in pairs]


@pytest.mark.parametrize("name", games.names())
def test_each_game_reproduces_its_golden_playthrough(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    stored_text = path.read_text(encoding="utf-8")
    asked = requested_playthroughs(stored_text)
    assert asked
    text = golden_text(name, asked)
    if REWRITE:
        path.write_text(text, encoding="utf-8", newline="\n")
    else:
        assert text.splitlines() == stored_text.splitlines()


def test_every_golden_file_belongs_to_a_game() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(games.names())
