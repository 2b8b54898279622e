"""Each agent for Go plays as promised on boards from a beginner's book, and the agents are ordered by strength."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core.games import load
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search.go.eyes import eye_mask
from tests.agents._matches import Match, Side, agent, clock
from tests.search._stones_positions import position_from_board, random_stones_position

LADDER = ("go_guesser", "go_random", "go_capturer", "go_evader", "go_tactician")
every_agent = pytest.mark.parametrize("name", LADDER)


def chosen_move(name: str, position: GoFamilyPosition, seconds: float = 1.0, **options: Any) -> str:
    return position.game.format(agent(name)(position, clock(seconds), **options))


def chosen_moves(name: str, position: GoFamilyPosition, times: int = 30) -> set[str]:
    """Return all moves that the agent chooses in repeated calls."""
    random.seed(5)
    return {chosen_move(name, position) for _ in range(times)}


@every_agent
@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("go", {"size": 9}),
        ("go", {"size": 19}),
        ("go", {"size": 5, "ko": "situational", "suicide": True, "scoring": "stone"}),
        ("go", {"rows": 1, "cols": 6}),
        ("go", {"size": 4, "passing": False, "scoring": "territory", "komi": 2.5}),
        ("go", {"size": 6, "max_moves": 9}),
        ("capture_go", {"size": 6}),
        ("capture_go", {"size": 5, "target": 4, "passing": False}),
    ],
    ids=str,
)
def test_every_agent_plays_every_kind_of_game(name: str, game: str, options: dict[str, Any]) -> None:
    random.seed(3)
    position, side = load(game, **options).start(), Side(name)
    for _ in range(14):
        if position.outcome() is None:
            position = side.choose(position, 0.03)


@pytest.mark.parametrize("name", LADDER[1:])
def test_only_the_guesser_fills_its_own_eyes(name: str) -> None:
    rng = random.Random(name)
    for _ in range(40):
        position = random_stones_position(rng, rng.randint(20, 60), size=5)
        if position.outcome() is not None or not (own := eye_mask(position.board, position.to_move)):
            continue
        move = agent(name)(position, clock(0.02))
        assert move is PASS or not own >> position.game.bit_geometry.index_of[move] & 1


def test_the_guesser_never_repeats_a_refused_point() -> None:
    position = position_from_board("go", ".x. x.x .x.", 2)  # each empty point is suicide for white
    guessed = [chosen_move("go_guesser", position) for _ in range(6)]
    assert set(guessed[:5]) == {"a1", "c1", "b2", "a3", "c3"}
    assert guessed[5] == "pass"


def test_go_random_plays_every_legal_move_except_eyes_and_then_passes() -> None:
    position = position_from_board("go", ".x... xxx.. ..xoo ..xo. ..xo.", 1)
    legal = {position.game.format(move) for move in position.moves()}
    assert chosen_moves("go_random", position, 300) == legal - {"a1", "pass"}
    assert chosen_moves("go_random", position_from_board("go", ".x. x.x .x.", 2)) == {"pass"}


def test_the_capturer_takes_the_larger_of_two_chains() -> None:
    position = position_from_board("go", ".oox... xxx.... ....... ..xo... ...x... ....... .......", 1)
    assert chosen_moves("go_capturer", position) == {"a1"}


@pytest.mark.parametrize("name", LADDER[2:])
def test_a_winning_pass_is_played(name: str) -> None:
    leading_position = position_from_board("go", "..xoo ..xo. ..xo. ..xo. ..xo.", 1, "passes: 1")
    assert chosen_move(name, leading_position) == "pass"


@pytest.mark.parametrize("name", LADDER[2:])
def test_a_losing_pass_is_avoided_while_moves_remain(name: str) -> None:
    trailing_position = position_from_board("go", "..xoo ..xo. ..xo. ..xo. ..xo.", 2, "passes: 1", komi=0)
    assert chosen_move(name, trailing_position) != "pass"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["go_evader", "go_tactician"])
def test_the_larger_of_two_chains_in_atari_is_saved(name: str) -> None:
    # three stones are rescued on d6; another colour's stone on the right is worth less
    position = position_from_board(
        "go", "......... ...o..... ..oxo.... ..oxo.... ..oxo.... .......o. ......ox. .......o. .........", 1
    )
    assert chosen_moves(name, position, 4) == {"d6"}


def test_the_evader_captures_the_attacker_to_save_a_chain() -> None:
    position = position_from_board("go", "ox..... .o..... ....... ....... ....... ....... .......", 2)
    assert chosen_moves("go_evader", position) == {"c1"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "best_moves"),
    [
        ("....... ..x.... .xo.... .x..... ....... ....... .......", "d3"),
        ("......... ......... ..xx..... .xoo..... .xo...... ..x...... .......o. ......... .........", "e4"),
    ],
)
def test_the_tactician_catches_in_a_ladder(board: str, best_moves: str) -> None:
    random.seed(1)
    assert chosen_move("go_tactician", position_from_board("go", board, 1), 2) == best_moves


@pytest.mark.slow
def test_the_tactician_does_not_extend_in_a_working_ladder() -> None:
    random.seed(1)
    position = position_from_board(
        "go", "......... ..xx..... .xo...... .x.x..... ......... ......... ......... ......... .........", 2
    )
    assert chosen_move("go_tactician", position, 2) not in {"d3", "c4"}


@pytest.mark.parametrize("to_move", [1, 2])
def test_the_tactician_plays_the_point_that_makes_two_eyes_or_takes_them(to_move: int) -> None:
    """Black's group has only three empty points, in a row. The player who takes the middle point decides its fate."""
    random.seed(1)
    board = "...xo xxxxo ooooo .o.o. ooooo"
    assert chosen_move("go_tactician", position_from_board("go", board, to_move, komi=-12.5), 1) == "b1"


def test_the_tactician_takes_the_last_stones_that_win_capture_go() -> None:
    random.seed(1)
    position = position_from_board("capture_go", "..... .xo.. xo.o. .xo.. .....", 1)
    assert chosen_move("go_tactician", position, 0.3) == "c3"
    save = position_from_board("capture_go", "..... ..x.. .xo.. ..x.. .....", 2)
    assert chosen_move("go_tactician", save, 0.3) == "d3"


def test_a_forbidden_ko_is_not_retaken() -> None:
    position: Any = position_from_board("go", "..... .xo.. xo.o. .xo.. .....", 1)
    position = position.play(position.game.parse("c3"))
    for name in LADDER[1:]:
        assert chosen_move(name, position, 0.2) != "b3"


def test_a_clock_without_time_still_gives_a_legal_move() -> None:
    position = position_from_board("go", "..... .xo.. xo.o. .xo.. .....", 1)
    for name in LADDER[1:]:
        move = agent(name)(position, clock(0))
        assert position.why_illegal(move) is None


def match(better: str, worse: str) -> Match:
    return Match(Side(better), Side(worse), "go", {"size": 9, "komi": 5.5}, seconds=0.3)


@pytest.mark.slow
def test_go_tactician_beats_go_random() -> None:
    assert Match(Side("go_tactician"), Side("go_random"), "go", {"size": 5}, seconds=0.3).total_score(4) >= 3


@pytest.mark.long
@pytest.mark.parametrize(("better", "worse"), list(zip(LADDER[1:], LADDER, strict=False)), ids=str)
def test_each_agent_beats_the_next_weaker_one(better: str, worse: str) -> None:
    match(better, worse).check_stronger_in_forty_games()
