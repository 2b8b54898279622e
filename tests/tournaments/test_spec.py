"""A tournament's TOML file is read strictly: an error names the place and the most similar key."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gomogo_core.errors import UserError
from gomogo_core.play.clock import TimeControl
from tournaments.spec import SPEC_WITH_FORMAT_OPTIONS, TimeSettings, read_spec, spec_from_values

bounded = settings(max_examples=100, deadline=None, derandomize=True, database=None)

WHOLE = """
name = "spring"
game = "gomoku"
options = { size = 15, opening = "none" }
format = "gauntlet"
agents = ["random_mover", "alpha_beta?depth=2"]
games_per_pair = 20
openings = "random:4"
seed = 7
workers = 2
illegal = "retry"
[time]
total = 60
increment = 0.5
grace = 0.1
[odds."alpha_beta?depth=2"]
per_move = "none"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "spring.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path: Path) -> None:
    assert read_spec(written(tmp_path, WHOLE)) == SPEC_WITH_FORMAT_OPTIONS(
        name="spring",
        game="gomoku",
        options={"size": 15, "opening": "none"},
        format="gauntlet",
        agents=("random_mover", "alpha_beta?depth=2"),
        games_per_pair=20,
        openings="random:4",
        seed=7,
        workers=2,
        illegal="retry",
        time=TimeSettings(total=60.0, increment=0.5, grace=0.1),
        odds={"alpha_beta?depth=2": TimeSettings(per_move="none")},
    )


def test_a_spec_needs_only_agents(tmp_path: Path) -> None:
    spec = read_spec(written(tmp_path, 'agents = ["a", "b"]'))
    assert (spec.name, spec.game, spec.format, spec.games_per_pair) == ("spring", "gomoku", "round_robin", 2)
    assert spec.time.to_time_control() == TimeControl(10.0)


def test_a_total_alone_replaces_ten_seconds_a_move() -> None:
    assert TimeSettings(total=60.0).to_time_control() == TimeControl(None, 60.0)
    assert TimeSettings(per_move=2.0, total=60.0).to_time_control() == TimeControl(2.0, 60.0)
    assert TimeSettings(per_move="none").to_time_control() == TimeControl(None)


@pytest.mark.parametrize(
    "control", [TimeControl(), TimeControl(None), TimeControl(1, 60, 0.5, 0.1), TimeControl(None, 9)]
)
def test_a_time_control_survives_conversion(control: TimeControl) -> None:
    assert TimeSettings.from_time_control(control).to_time_control() == control


@pytest.mark.parametrize(
    ("text", "problem", "remedy"),
    [
        ('agnets = ["a"]', "there is no key 'agnets'", "Did you mean agents?"),
        ("[time]\nper_mvoe = 1", "there is no key 'time.per_mvoe'", "Did you mean per_move?"),
        ("time = 0.5", "time: expected a table", "Write a line [time] and below it, for example, per_move = 0.5."),
        ("[odds.a]\nper_mov = 1", "there is no key 'odds[...].per_mov'", "Did you mean per_move?"),
        ("[odds.b]\nper_move = 1", "`odds` names 'b', which is not in `agents`", "The only one is a."),
        ('games_per_pair = "ten"', "games_per_pair: expected a whole number, got text", "leave the key out"),
        ("games_per_pair = 0", "games_per_pair: expected a whole number >= 1", "leave the key out"),
        ("games_per_pair = 1_000_000_000", "games_per_pair: expected a whole number <= 1000000", "leave the key out"),
        ("workers = 0", "workers: expected a whole number >= 1", "leave the key out"),
        ('format = "rund_robin"', "there is no format 'rund_robin'", "Did you mean round_robin?"),
        ('illegal = "retri"', "illegal cannot be 'retri'", "Did you mean retry?"),
        ('[time]\nper_move = "nono"', "time.per_move cannot be 'nono'", 'Write a number of seconds, or "none".'),
        ('[time]\nper_move = "x"', "time.per_move cannot be 'x'", 'Write a number of seconds, or "none".'),
        ("[time]\nper_move = -1", "The time per move must be greater than 0, not -1.0.", "Use a number of seconds"),
        ("[time]\nincrement = 1", "An increment needs a total time", "Give the total time too"),
        ('name = "a/b"', "name 'a/b' is not a valid name for a run", "letters, digits"),
        ("name = 7", "name: expected text, got a whole number", "leave the key out"),
        ("options = { size = [1] }", "options[...]: expected", "leave the key out"),
    ],
)
def test_a_mistake_in_a_spec_is_named_with_its_place(tmp_path: Path, text: str, problem: str, remedy: str) -> None:
    with pytest.raises(UserError) as error_info:
        read_spec(written(tmp_path, f'agents = ["a"]\n{text}' if "agnets" not in text else text))
    assert error_info.value.problem.startswith(f"{tmp_path / 'spring.toml'}: {problem}")
    assert remedy in error_info.value.remedy


def test_a_spec_without_agents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the key 'agents' is missing"):
        read_spec(written(tmp_path, 'name = "spring"'))


def test_bad_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"is not TOML: .*line 3"):
        read_spec(written(tmp_path, 'name = "spring"\nagents = [\n= 3'))
    (tmp_path / "latin.toml").write_bytes(b'name = "spring"\n# caf\xe9')
    with pytest.raises(UserError, match=r"latin\.toml, line 2: the file is not UTF-8"):
        read_spec(tmp_path / "latin.toml")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_spec(tmp_path / "none.toml")
    with pytest.raises(UserError, match="cannot be read: Is a directory"):
        read_spec(tmp_path)
    (tmp_path / "big.toml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(UserError, match="larger than 1 MB"):
        read_spec(tmp_path / "big.toml")


_values = st.one_of(st.integers(), st.floats(), st.booleans(), st.text("ab ?", max_size=3))
_tables = st.dictionaries(st.sampled_from(["per_move", "total", "a"]), _values, max_size=2)
_keys = st.sampled_from(["name", "game", "agents", "options", "time", "odds", "seed", "workers", "openings", "x y"])


@bounded
@given(st.dictionaries(_keys, st.one_of(_values, _tables, st.lists(_values, max_size=2)), max_size=4))
def test_arbitrary_values_are_accepted_or_refused_in_two_lines(plain: dict[str, object]) -> None:
    try:
        spec = spec_from_values(plain, "x.toml")
    except UserError as error:
        assert error.problem.startswith("x.toml: ")  # noqa: PT017 (both ends are right)
    else:
        assert math.isfinite(spec.time.to_time_control().grace)
