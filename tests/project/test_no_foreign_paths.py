"""Nothing in the project belongs to the machine it was written on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project._tracked import ROOT, tracked

HOMES = re.compile(r"(?<![\w.~}])/(?:root|home|Users|work)/\w")
# written so that this file does not hold what it looks for
TEMPORARY = re.compile(r"(?<![\w.~}])/tmp[/]\w")
REGISTRIES = re.compile(r"(files|index|simple)[.]python|py[p]i[.]org|python[h]osted|/simple[/]")
HERE = re.compile("|".join(re.escape(f"{place}/") for place in (ROOT, Path.home())))


def found(pattern: re.Pattern[str]) -> list[str]:
    """Return the places of the pattern in the project's files, as `path:line`."""
    places = []
    for path in tracked():
        text = path.read_text(encoding="utf-8", errors="replace")
        at = [text.count("\n", 0, match.start()) + 1 for match in pattern.finditer(text)]
        places += [f"{path.relative_to(ROOT)}:{number}" for number in at]
    return places


@pytest.mark.parametrize("pattern", [HOMES, HERE, TEMPORARY, REGISTRIES], ids=["home", "here", "temporary", "registry"])
def test_no_file_contains_machine_paths_or_registries(pattern: re.Pattern[str]) -> None:
    assert not found(pattern)


def test_every_constraint_pins_one_version() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    odd = [pin for pin in pins if not pin.startswith("#") and not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][\w.]*", pin)]
    assert pins
    assert not odd
