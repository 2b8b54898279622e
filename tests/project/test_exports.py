"""Every name that a package exports exists and has a docstring."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from gomogo_core.engines import compiling
from tests.project._tracked import ROOT, python_files

ROOMS = ("gomogo", "gomogo_core", "tournaments", "bench")
MODULES = python_files(*ROOMS)
OFFERING = [path for path in MODULES if re.search(r"^__all__ = ", path.read_text(encoding="utf-8"), re.MULTILINE)]


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def is_compiled(path: Path) -> bool:
    return path.parent.parent == ROOT / "gomogo_core/engines"


CASES = [pytest.param(path, marks=[pytest.mark.slow] * is_compiled(path), id=name_of(path)) for path in OFFERING]


@pytest.mark.parametrize("path", CASES)
def test_every_export_exists_and_has_a_docstring(path: Path) -> None:
    module = (compiling.load if is_compiled(path) else import_module)(name_of(path))
    assert len(module.__all__) == len(set(module.__all__))
    for name in module.__all__:
        offered = getattr(module, name)
        is_own = getattr(offered, "__module__", "").startswith(ROOMS)
        if is_own and (inspect.isclass(offered) or inspect.isfunction(offered)):
            assert inspect.getdoc(offered), f"{name_of(path)}.{name} says nothing of itself"


@pytest.mark.slow
@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_starts_with_a_docstring(path: Path) -> None:
    assert re.match(r'(#!.*\n)?"""\S.+', path.read_text(encoding="utf-8")), f"{path} begins with no sentence"
