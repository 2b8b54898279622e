"""The starters can be built where their compiler is installed, play legally, and win at once if they can."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from gomogo.commands.agent.starters import STARTERS_FOLDER, starter_folder, starter_languages
from gomogo.commands.agent.templates import write_agent
from gomogo_core.arena import Arena
from gomogo_core.catalogue import agent
from gomogo_core.conformance.agent_checks import CHECKS
from gomogo_core.conformance.agent_suite import CheckVerdict, check_agent
from gomogo_core.conformance.pipe_checks import PIPE_CHECKS
from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply

COMPILERS = {"c": "gcc", "cpp": "g++", "java": "javac", "javascript": "node", "python": "python3", "rust": "rustc"}
BUILT = [
    pytest.param(f"{name}-{kind}", marks=pytest.mark.needs(COMPILERS[name]))
    for name in starter_languages()
    for kind in ("files", "pipes")
]
UNHURRIED = [TimeControl(5.0)] * 2
OPENINGS = ("swap2", "swap")  # the first player moves three times in succession; the other must answer with a word
# stones in a row that win; moves after which the mover can win across, down and on both diagonals; the winning points
WINS = (
    (3, "a1 g7 b1 g5", "c1"),
    (5, "a1 g1 a3 g2 c6 g3 e4 g4 b7", "g5"),
    (5, "a1 g1 b2 g3 c3 e7 d4 b6", "e5"),
    (5, "a1 g1 a3 f2 b6 e3 e7 d4 g7", "c5"),
)


@pytest.fixture
def mine(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return a copy of the starter, for files or pipes, as `gomogo agent new` creates it."""
    language, _, kind = request.param.rpartition("-")
    return tmp_path / write_agent(
        tmp_path, "mine", None, folder=True, starter=starter_folder(language), pipes=kind == "pipes"
    )


def plies(moves: str) -> tuple[Ply, ...]:
    return tuple(Ply(number % 2 + 1, move) for number, move in enumerate(moves.split()))


def test_each_language_has_a_starter() -> None:
    assert set(starter_languages()) == set(COMPILERS)


@pytest.mark.slow
@pytest.mark.parametrize("mine", BUILT, indirect=True)
def test_a_starter_plays_both_seats_and_completes_wins(mine: Path) -> None:
    own, house = agent(str(mine)), agent("random_mover")
    with Arena() as arena:
        for seats, opening in zip(((own, house), (house, own)), OPENINGS, strict=True):
            played = arena.play(load("gomoku", size=6, opening=opening), seats, UNHURRIED, seed=7)
            assert played.outcome.reason in (Reason.LINE, Reason.BOARD_FULL), played.outcome
            assert not played.warnings
        for line, before, wins in WINS:
            seats = (own, house) if len(before.split()) % 2 == 0 else (house, own)
            played = arena.play(load("gomoku", size=7, line=line), seats, UNHURRIED, opening=plies(before))
            assert (played.plies[-1].move, played.outcome.reason) == (wins, Reason.LINE)


@pytest.mark.slow
@pytest.mark.needs("gcc")
@pytest.mark.parametrize("mine", ["c-files", "c-pipes"], indirect=True)
def test_a_starter_passes_every_check(mine: Path) -> None:
    results = list(check_agent(agent(str(mine))))
    own = PIPE_CHECKS.get(agent(str(mine)).protocol, ())
    assert {result.check for result in results} == {check.name for check in (*CHECKS, *own)}
    assert [result for result in results if result.verdict is CheckVerdict.FAILED] == []


@pytest.mark.long
@pytest.mark.parametrize("mine", BUILT, indirect=True)
def test_every_starter_passes_every_check(mine: Path) -> None:
    assert [result for result in check_agent(agent(str(mine))) if result.verdict is CheckVerdict.FAILED] == []


@pytest.mark.parametrize("name", starter_languages())
def test_a_starter_is_one_file_and_an_agent_toml(name: str) -> None:
    files = [path for path in (STARTERS_FOLDER / name).iterdir() if path.name not in ("build", "__pycache__")]
    assert len(files) == 2
    settings = tomllib.loads((STARTERS_FOLDER / name / "agent.toml").read_text(encoding="utf-8"))
    assert (settings["name"], settings["games"], settings["ready"]) == (name, ["gomoku"], True)
