"""Every game that is played beside a store can be watched while it runs: matches, single games, games of people."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomogo_core.records.store import Store
from tests.console.conftest import PlayFolder

pytestmark = pytest.mark.slow

# An agent that makes no move before its game can be watched. If it never can, the agent loses on time.
LOOKER = '''"""Waits until somebody could look on."""
import time
from pathlib import Path


def choose(position, clock):
    while not any('"started"' in file.read_text() for file in Path({live!r}).glob("*.jsonl")):
        time.sleep(0.01)
    return next(position.moves())
'''


@pytest.fixture
def place(tmp_path: Path) -> PlayFolder:
    place = PlayFolder(tmp_path)
    (tmp_path / "looker.py").write_text(LOOKER.format(live=str(tmp_path / "live")))
    with Store.open(tmp_path / "gomogo.db"):
        pass
    return place


@pytest.mark.parametrize(
    ("command", "script"),
    [
        (("match", "looker.py", "looker.py", "-n", "2", "--option", "size=5", "--option", "line=3"), ""),
        (("play", "looker.py", "looker.py", "-o", "size=5", "-o", "line=3", "--delay", "0"), ""),
        (("looker.py", "looker.py", "-o", "size=5", "-o", "line=3"), "gameTest.py"),
    ],
    ids=["match", "play", "gameTest.py"],
)
def test_a_running_game_has_a_live_file_until_its_end(place: PlayFolder, command: tuple[str, ...], script: str) -> None:
    result = place.run([*command, "--time", "20"], script=script)
    assert result.returncode == 0, result.stderr
    assert "out of time" not in result.stdout + result.stderr
    assert not (place.folder / "live").exists()


def test_a_single_game_without_a_store_writes_no_file(place: PlayFolder) -> None:
    (place.folder / "gomogo.db").unlink()
    before = sorted(path.name for path in place.folder.iterdir())
    result = place.run(["looker.py", "bot.py", "-o", "size=5", "--time", "0.5", "--json"], script="gameTest.py")
    assert '"out_of_time"' in result.stdout
    assert sorted(path.name for path in place.folder.iterdir() if path.name != "data") == before
