"""Checks for `gomogo doctor`: the installed packages, the store, and the folder for records."""

from __future__ import annotations

import re
import tempfile
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from gomogo.commands._diagnosis import Diagnosis, Health
from gomogo_core.errors import UserError
from gomogo_core.folders import data_folder

_DISTRIBUTION = "gomogo"
_REQUIREMENT_PATTERN = re.compile(r"""([A-Za-z0-9._-]+).*?(?:extra\s*==\s*["']([^"']+)["'])?$""")
_DEVELOPMENT_EXTRA = "dev"  # this extra is needed for development only


def check_installation(store: str | None) -> Iterator[Diagnosis]:
    """Yield the results of checking the packages, the extras, the store and the folder for records."""
    try:
        necessary, extras = _read_requirements()
    except FileNotFoundError:
        necessary, extras = [], {}
    missing_names = [name for name in necessary if not _is_installed(name)]
    if not necessary:
        sentence = "unknown: Gomogo is not installed, and there is no pyproject.toml beside it"
        yield Diagnosis("packages", Health.MISSING, sentence)
    elif missing_names:
        sentence = f"{', '.join(missing_names)} missing: install them with `pip install {' '.join(missing_names)}`"
        yield Diagnosis("packages", Health.MISSING, sentence, is_necessary=True)
    else:
        yield Diagnosis("packages", Health.OK, ", ".join(necessary))
    for extra, names in extras.items():
        missing_packages = [name for name in names if not _is_installed(name)]
        if missing_packages:
            sentence = f"{', '.join(missing_packages)} missing: optional, install with `pip install 'gomogo[{extra}]'`"
            yield Diagnosis(f"extra {extra}", Health.MISSING, sentence)
        else:
            yield Diagnosis(f"extra {extra}", Health.OK, ", ".join(names))
    yield _check_store(store, missing_names)
    yield _check_writable("records", data_folder(), "records of single games go to a temporary folder")


def _read_requirements() -> tuple[list[str], dict[str, list[str]]]:
    """Return the required packages and the packages of each extra."""
    necessary: list[str] = []
    extras: dict[str, list[str]] = {}
    for requirement in _read_requirement_lines():
        match = _REQUIREMENT_PATTERN.match(requirement)
        assert match is not None
        if match[2] is None:
            necessary.append(match[1])
        elif match[2] != _DEVELOPMENT_EXTRA:
            extras.setdefault(match[2], []).append(match[1])
    return necessary, extras


def _read_requirement_lines() -> list[str]:
    try:
        return metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        project = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
        optional = project.get("optional-dependencies", {}).items()
        return [
            *project["dependencies"],
            *(f'{name}; extra == "{extra}"' for extra, requirements in optional for name in requirements),
        ]


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _check_store(store: str | None, missing: list[str]) -> Diagnosis:
    if missing:
        return Diagnosis("store", Health.MISSING, "not tested: packages are missing", is_necessary=True)
    try:
        from gomogo_core.records.store import DEFAULT_STORE, Store
    except ImportError as error:  # a package is missing, but the list of required packages is unknown
        return Diagnosis("store", Health.MISSING, f"not tested: {error}", is_necessary=True)
    path = Path(store or DEFAULT_STORE)
    if store is None or "://" not in store:
        return _check_writable(
            "store", path if path.exists() else path.absolute().parent, "results cannot be saved", necessary=True
        )
    try:
        with Store.open(store, create=False) as opened:
            return Diagnosis("store", Health.OK, opened.address)
    except UserError as error:
        return Diagnosis("store", Health.MISSING, f"{error.problem} {error.remedy}", is_necessary=True)


def _check_writable(name: str, path: Path, consequence: str, *, necessary: bool = False) -> Diagnosis:
    """Check that a file can be written at `path`, or in the folder where it would be created.

    consequence: the effect of a failure, in words. necessary: whether games need this path.
    """
    try:
        if path.is_file():
            path.open("ab").close()
        else:
            existing_folder = next(folder for folder in (path, *path.parents) if folder.exists())
            tempfile.TemporaryFile(dir=existing_folder).close()
    except OSError as error:
        state = Health.MISSING if necessary else Health.DEGRADED
        reason = (error.strerror or str(error)).lower()
        return Diagnosis(name, state, f"{path} is not writable ({reason}): {consequence}", necessary)
    return Diagnosis(name, Health.OK, f"{path} is writable")
