"""No student is blamed for another student's program, although one process checks several submissions at a time."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomogo_core.games import load
from gomogo_core.processes.limits import SandboxLevel
from tests.tournaments.submissions._class import PLAYS
from tournaments.submissions.entry_names import SubmissionIdRegister
from tournaments.submissions.intake import import_submissions
from tournaments.submissions.preparing import SubmissionPreparer

INNOCENT = PLAYS.format(says="I start nothing")
FORKER = f"""
import subprocess
subprocess.Popen(["sleep", "60"], start_new_session=True)
{INNOCENT}"""


def accused(folder: Path, innocents: int, workers: int, sandbox: SandboxLevel) -> set[str]:
    """Check equal innocent submissions beside one that leaves a process behind. Return the names of the failed ones."""
    handed_in = folder / "in"
    for number in range(innocents):
        (handed_in / f"innocent-{number}").mkdir(parents=True)
        (handed_in / f"innocent-{number}" / "bot.py").write_text(INNOCENT)
    (handed_in / "forker").mkdir()
    (handed_in / "forker" / "bot.py").write_text(FORKER)
    imported = import_submissions(handed_in, folder / "work", 1, SubmissionIdRegister())
    preparation = SubmissionPreparer(load("gomoku", size=5), False, 5, ("leaves",), sandbox, 2048)
    return {
        preparation_result.submission.key
        for preparation_result in preparation.prepare(imported.submissions, workers)
        if preparation_result.first_failure
    }


@pytest.mark.slow
def test_only_the_agent_that_leaves_a_process_behind_is_accused(tmp_path: Path) -> None:
    assert accused(tmp_path, innocents=3, workers=4, sandbox="limits") == {"forker"}


@pytest.mark.long
@pytest.mark.parametrize("sandbox", ["limits", "bwrap"])
@pytest.mark.parametrize("replay_count", range(10))
def test_only_the_guilty_agent_of_a_whole_class_is_accused(
    tmp_path: Path, replay_count: int, sandbox: SandboxLevel
) -> None:
    assert accused(tmp_path, innocents=20, workers=8, sandbox=sandbox) == {"forker"}
