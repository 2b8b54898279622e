"""The balanced openings that come with Gomogo are distinct, reproducible, and the default between engines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.gomoku import Gomoku
from tournaments.openings import _BALANCED_FOLDER, load_openings
from tournaments.plan import Plan
from tournaments.spec import spec_from_values
from training import gomoku_openings as maker

GAME = Gomoku()
BOOK = _BALANCED_FOLDER / "gomoku.txt"
LINES = [line for line in BOOK.read_text().splitlines() if not line.startswith("#")]


def plan(agents: list[str], **settings: Any) -> Plan:
    return Plan(spec_from_values({"name": "test", "agents": agents, **settings}, "The test"), Path())


def test_balanced_openings_are_many_and_differ_under_symmetry() -> None:
    shapes = {maker.canonical_key(GAME, maker.parse_stones(GAME, line)) for line in LINES}
    assert len(shapes) == len(LINES) >= 500
    assert all(len(colours[0]) == 3 and len(colours[1]) == 2 for colours in shapes)


def test_each_balanced_opening_is_the_candidate_that_its_line_names() -> None:
    seed, even_value, margin = map(int, re.findall(r"--(?:seed|even|margin) (\d+)", BOOK.read_text()))
    for line in LINES:
        moves, number, value = re.fullmatch(r"(.*)  # (\d+), ([+-]\d+)", line).groups()  # type: ignore[union-attr]
        assert moves == " ".join(map(GAME.format, maker.random_candidate(GAME, seed, int(number))))
        assert abs(int(value) - even_value) <= margin


def test_balanced_openings_are_read_as_any_book() -> None:
    assert load_openings("balanced", GAME, seed=0, folder=Path()).identity.endswith(
        load_openings(str(BOOK), GAME, seed=0, folder=Path()).identity
    )


@pytest.mark.slow
def test_the_seed_decides_the_order_of_balanced_openings() -> None:
    first_openings, same, other = (load_openings("balanced", GAME, seed=seed, folder=Path()) for seed in (1, 1, 2))
    numbers = range(len(LINES))
    assert [first_openings.plies(i) for i in numbers] == [same.plies(i) for i in numbers]
    assert [first_openings.plies(i) for i in numbers] != [other.plies(i) for i in numbers]
    assert sorted(map(str, map(first_openings.plies, numbers))) == sorted(map(str, map(other.plies, numbers)))


@pytest.mark.parametrize(("name", "options"), [("gomoku", {"size": 19}), ("go", {})])
def test_other_games_and_options_have_no_balanced_openings(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(UserError, match="no balanced openings"):
        load_openings("balanced", load(name, **options), seed=0, folder=Path())


@pytest.mark.parametrize(
    ("agents", "options", "expected"),
    [
        (["champion", "champion?nodes=50"], {}, "balanced"),
        (["champion", "gomocup:./brain"], {}, "balanced"),
        (["champion", "alpha_beta"], {}, ""),
        (["champion", "champion?nodes=50"], {"openings": "none"}, ""),
        (["champion", "champion?nodes=50"], {"openings": ""}, ""),
        (["champion", "champion?nodes=50"], {"options": {"size": 9}}, "random:4"),
        (["alpha_beta", "greedy"], {"openings": "balanced"}, "balanced"),
    ],
)
def test_balanced_openings_are_the_default_between_engines(
    agents: list[str], options: dict[str, Any], expected: str
) -> None:
    planned = plan(agents, **options)
    assert planned.openings_setting == expected
    assert bool(planned.openings.plies(0)) == bool(expected)


def test_a_file_that_a_kill_cut_off_continues_with_the_next_number(tmp_path: Path) -> None:
    path, head = tmp_path / "book.txt", "# head\n"
    path.write_text(f"{head}h8 h9 i9 i10 j10  # 7, +3\nh8 h9 i")
    known_openings, number = maker.read_openings(path, GAME, head)
    assert (len(known_openings), number) == (1, 8)
    assert path.read_text() == f"{head}h8 h9 i9 i10 j10  # 7, +3\n"
    with pytest.raises(UserError, match="other settings"):
        maker.read_openings(path, GAME, "# another head\n")


def test_an_opening_and_its_mirror_image_have_one_shape() -> None:
    stones = maker.parse_stones(GAME, "h8 g9 j5 g8 j6")
    mirrored = maker.parse_stones(GAME, "f6 i9 h8 i8 f5")
    assert maker.canonical_key(GAME, stones) == maker.canonical_key(GAME, mirrored)
    assert maker.canonical_key(GAME, stones) != maker.canonical_key(GAME, stones[::-1][1:] + stones[:1])
