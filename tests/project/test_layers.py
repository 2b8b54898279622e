"""The packages form layers, and each imports from lower ones only."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.project._tracked import ROOT, python_files

AGENTS = python_files("agents")
FOR_AGENTS = ("agent", "engines", "errors", "games", "search")
FOR_THE_PERSON = (*FOR_AGENTS, "drawing.text", "session.terminal")


def test_upper_packages_import_only_lower_ones() -> None:
    result = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_package_belongs_to_a_layer() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = {room.strip() for layer in settings["contracts"][0]["layers"] for room in layer.split("|")}
    rooms = {Path(path.relative_to(ROOT / "gomogo_core").parts[0]).stem for path in python_files("gomogo_core")}
    rooms -= {"__init__"}
    assert {f"gomogo_core.{room}" for room in rooms} <= layers


def imported(path: Path) -> set[str]:
    """The modules that a file imports, wherever in it."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            modules |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
    return modules


@pytest.mark.parametrize("path", AGENTS, ids=lambda path: path.stem)
def test_agents_import_only_modules_for_agents(path: Path) -> None:
    allowed = FOR_THE_PERSON if path.stem == "human" else FOR_AGENTS
    for module in imported(path):
        if module.startswith(("gomogo", "tournaments")):
            assert module.removeprefix("gomogo_core.").startswith(allowed), f"{path.name} imports {module}"


def test_no_module_imports_an_agent() -> None:
    statement = re.compile(r"^\s*(from|import) agents\b", re.MULTILINE)  # parsing all files would take seconds
    importers = [
        path for path in python_files("gomogo", "gomogo_core", "tournaments") if statement.search(path.read_text())
    ]
    assert not importers
