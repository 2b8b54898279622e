"""Each agent for Dots and Boxes plays as it promises, and the agents have an order of strength."""

from __future__ import annotations

import random

import pytest

from gomogo_core.games import load
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.boxes.table import load_tablebase
from gomogo_core.search.solve import solve
from tests.agents._matches import Match, Side, agent, clock

LADDER = ("random_mover", "boxes_greedy", "boxes_chains", "boxes_exact")
CHOOSE = {name: agent(name) for name in LADDER}


@pytest.fixture(autouse=True)
def own_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store the tables in a data folder of the tests, so that they are built once."""
    monkeypatch.setenv("GOMOGO_DATA", str(tmp_path_factory.getbasetemp() / "tables"))


def play(seats: tuple[str, ...], seconds: float, seed: int, **options: int) -> DotsAndBoxesPosition:
    """Return the outcome of a game between agents."""
    random.seed(seed)
    position = load("dots_and_boxes", players=len(seats), **options).start()
    while position.outcome() is None:
        position = position.play(CHOOSE[seats[position.to_move - 1]](position, clock(seconds)))
    assert isinstance(position, DotsAndBoxesPosition)
    return position


def position_after(text: str, **options: int) -> DotsAndBoxesPosition:
    position = load("dots_and_boxes", **options).replay(text.split())
    assert isinstance(position, DotsAndBoxesPosition)
    return position


@pytest.mark.slow
@pytest.mark.parametrize("name", LADDER)
@pytest.mark.parametrize("options", [{"rows": 1, "cols": 1}, {"rows": 2, "cols": 5}, {"rows": 4, "cols": 4}], ids=str)
@pytest.mark.parametrize("players", [2, 3])
def test_every_agent_plays_whole_games(name: str, options: dict[str, int], players: int) -> None:
    play((name,) * players, 0.05, 1, **options)


@pytest.mark.parametrize("name", LADDER[1:])
def test_a_box_is_taken_and_none_is_given_away_needlessly(name: str) -> None:
    assert str(CHOOSE[name](position_after("h0 h1 v0 h5", rows=2, cols=2), clock(1))) != "v1"
    assert str(CHOOSE[name](position_after("h0 h2 v0 h5", rows=2, cols=2), clock(1))) == "v1"


@pytest.mark.parametrize("name", ["boxes_chains", "boxes_exact"])
def test_two_boxes_are_handed_back_to_keep_control(name: str) -> None:
    # two chains of four boxes; two boxes of the opened chain are left, which are worth less than the right to move last
    rows = "h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 h10 h11 v0"
    position = position_after(rows, rows=2, cols=4)
    boxes_taken = 0
    while position.to_move == 2 and position.outcome() is None:
        before = position.scores[1]
        position = position.play(CHOOSE[name](position, clock(2)))
        boxes_taken += position.scores[1] - before
    assert boxes_taken == 2
    assert position.to_move == 1


@pytest.mark.slow
def test_perfect_play_reaches_the_value_of_the_table() -> None:
    tablebase = load_tablebase(3, 3)
    assert tablebase is not None
    others = (*LADDER[:3], *LADDER[:3])
    for number, other in enumerate(others):
        first = number < 3
        seats = ("boxes_exact", other) if first else (other, "boxes_exact")
        first_score, two = play(seats, 0.1, number, rows=3, cols=3).scores
        value = tablebase.value(0)
        assert (first_score - two >= value) if first else (two - first_score >= -value)


def test_the_endgame_of_a_large_board_is_played_perfectly() -> None:
    position = load("dots_and_boxes", rows=5, cols=5).start()
    rng = random.Random(5)
    while len(moves := list(position.moves())) > 25:
        position = position.play(rng.choice(moves))
    move = CHOOSE["boxes_exact"](position, clock(20))
    assert move in solve(position).best_moves


def test_a_choice_on_a_board_too_large_to_search_ends() -> None:
    position = load("dots_and_boxes", rows=6, cols=6).start()
    for name in ("boxes_chains", "boxes_exact"):
        assert CHOOSE[name](position, clock(0.3)) in position.moves()


@pytest.mark.long
@pytest.mark.parametrize(("better", "worse"), list(zip(LADDER[1:], LADDER, strict=False)), ids=str)
def test_each_agent_beats_the_next_weaker_one(better: str, worse: str) -> None:
    """The board has 5 × 5 boxes; boxes_chains must win at least 90 % of its games."""
    match = Match(Side(better), Side(worse), "dots_and_boxes", {"rows": 5, "cols": 5}, seconds=0.5)
    points = match.check_stronger_in_forty_games()
    assert points >= 36 or better != "boxes_chains"
