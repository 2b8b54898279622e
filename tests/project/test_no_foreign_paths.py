"""Nothing in the project belongs to the machine it was written on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.project._tracked import ROOT, tracked

HOMES = re.compile(r"(?<![\w.~}])/(?:root|home|Users|work)/\w")
# written so that this file does not hold what it looks for
TEMPORARY = re.compile(r"(?<![\w.~}])/tmp[/]\w")
REGISTRIES = re.compile(r"(files|index|simple)[.]python|py[p]i[.]org|python[h]osted|/simple[/]")
PLACES = [str(ROOT), str(Path.home())]


def lines() -> Iterator[tuple[str, str]]:
    for path in tracked():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def test_no_path_of_a_machine_stands_anywhere() -> None:
    found = [where for where, line in lines() if HOMES.search(line) or any(f"{place}/" in line for place in PLACES)]
    assert not found


def test_no_file_of_a_temporary_folder_is_relied_on() -> None:
    found = [where for where, line in lines() if TEMPORARY.search(line)]
    assert not found


def test_no_registry_is_named() -> None:
    found = [where for where, line in lines() if REGISTRIES.search(line)]
    assert not found


def test_the_pins_name_a_version_each_and_nothing_else() -> None:
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    odd = [pin for pin in pins if not pin.startswith("#") and not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][\w.]*", pin)]
    assert pins
    assert not odd
