"""The packages form layers, and each imports from lower ones only."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import networkx as nx
import pytest

from tests.project._tracked import ROOT, python_files

PACKAGES = ("gomogo", "gomogo_core", "tournaments", "training")
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


def test_no_modules_import_each_other_in_a_circle() -> None:
    """An import inside a function counts, too; one only for types does not."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    imports = [(name, other) for name in graph.modules for other in graph.find_modules_directly_imported_by(name)]
    circles = [circle for circle in nx.strongly_connected_components(nx.DiGraph(imports)) if len(circle) > 1]
    assert len(imports) > 1000
    assert not circles


def test_a_private_module_is_imported_only_inside_its_package() -> None:
    statement = re.compile(r"^\s*(?:from|import) ([\w.]+)\._\w", re.MULTILINE)
    for path in python_files(*PACKAGES):
        package = ".".join(path.relative_to(ROOT).parent.parts)
        for owner in statement.findall(path.read_text(encoding="utf-8")):
            assert f"{package}.".startswith(f"{owner}."), f"{path} imports a private module of {owner}"


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
