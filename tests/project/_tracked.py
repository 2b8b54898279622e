"""The files of the project: those that git tracks. Without git, those that the source distribution holds.

A user's bot, note or log in the clone is none of them.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tomllib
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path

from gomogo_core import catalogue

ROOT = Path(__file__).resolve().parents[2]


@cache
def tracked(root: Path = ROOT) -> tuple[Path, ...]:
    """Every file of the project, sorted."""
    return tuple(sorted(path for path in _by_git(root) or _distributed(root) if path.is_file()))


def python_files(*folders: str) -> list[Path]:
    """The project's Python files in these folders of the top."""
    return [path for path in tracked() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in folders]


def copy_project(root: Path) -> None:
    """Copy the project without git to `root`, with what Python and Numba have compiled, which takes them long."""
    for path in tracked():
        copy = root / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
        if path.suffix == ".py" and (compiled := Path(cache_from_source(path))).exists():
            (copy.parent / "__pycache__").mkdir(exist_ok=True)
            shutil.copy2(compiled, cache_from_source(copy))
    _copy_compiled_engines(root)


def _copy_compiled_engines(root: Path) -> None:
    """Copy Numba's caches, which hold a folder for each folder of sources, named after its path."""
    engines = ROOT / "gomogo_core" / "engines"
    folders = {path.parent for path in engines.rglob("*.py")}
    names = {_numba_name(folder): _numba_name(root / folder.relative_to(ROOT)) for folder in folders}
    for path in engines.glob("*/__pycache__/compiled-*/*"):
        copy = (root / path.relative_to(ROOT)).with_name(names.get(path.name, path.name))
        copy.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if path.is_dir() else shutil.copy2)(path, copy)


def _numba_name(folder: Path) -> str:
    return f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"


def house_agents() -> list[str]:
    """The agents that the project brings: a user may have put others beside them."""
    own_names = {path.stem for path in python_files("agents") if path.parent == ROOT / "agents"}
    return [name for name in catalogue.agents() if name in own_names]


def _by_git(root: Path) -> list[Path]:
    """Nothing where git is missing or refuses, or where the project is part of another repository."""
    if not (root / ".git").exists():
        return []
    try:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, encoding="utf-8", check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [root / name for name in listed.stdout.split("\0") if name]


def _distributed(root: Path) -> list[Path]:
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    files = list[Path]()
    for name in settings["tool"]["hatch"]["build"]["targets"]["sdist"]["only-include"]:
        files += [root / name] if (root / name).is_file() else (root / name).rglob("*")
    return [path for path in files if "__pycache__" not in path.parts]
