"""CI runs what a developer runs, and takes no skipped test for a passed one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
VERBS = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, re.MULTILINE)

SKIPPING = """
import pytest

def test_skipped():
    pytest.skip("there is no such machine here")

@pytest.mark.skipif(True, reason="never")
def test_marked():
    pass

@pytest.mark.xfail
def test_expected_to_fail():
    assert False
"""


def run_skipping(folder: Path, module: str, require_all: str) -> str:
    """Run tests that are skipped, under this project's conftest."""
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "test_skipping.py").write_text(module, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GOMOGO_REQUIRE_ALL": require_all}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # quicker, and no test here needs a thread
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(folder), str(folder)],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return result.stdout.splitlines()[-1]


@pytest.mark.slow
def test_a_skip_is_allowed_for_a_developer(tmp_path: Path) -> None:
    assert run_skipping(tmp_path, SKIPPING, "").startswith("2 skipped, 1 xfailed")


@pytest.mark.slow
def test_a_skip_is_a_failure_for_ci(tmp_path: Path) -> None:
    assert run_skipping(tmp_path, SKIPPING, "1").startswith("2 failed, 1 error")


@pytest.mark.slow
def test_a_skipped_module_is_a_failure_for_ci(tmp_path: Path) -> None:
    module = 'import pytest\n\npytest.importorskip("no_such_module")\n'
    assert run_skipping(tmp_path, module, "1").startswith("1 error")


@pytest.mark.needs("bash")
def test_ci_can_be_run_and_runs_all_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text(encoding="utf-8")
    assert "\nif ! make test-all " in text
    assert "\nmake fuzz " in text.partition("\nif ! make test-all ")[2]
    assert "export GOMOGO_REQUIRE_ALL=1" in text
    subprocess.run(["bash", "-n", str(script)], check=True)


def test_make_without_a_target_lists_the_targets() -> None:
    output = subprocess.run(["make"], cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
    assert re.findall(r"^make ([\w-]+) ", output, re.MULTILINE) == VERBS
    assert {"tournament", "test", "bars", "lint", "format", "clean"} <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_make_target_can_be_resolved(verb: str) -> None:
    subprocess.run(["make", "--dry-run", verb], cwd=ROOT, capture_output=True, check=True)


def test_make_names_a_missing_python(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("sh", "make", "cat"):  # and no python
        (tools / tool).symlink_to(Path("/bin") / tool if Path("/bin", tool).exists() else Path("/usr/bin") / tool)
    result = subprocess.run(
        [str(tools / "make"), "tournament"],
        cwd=tmp_path,
        env={"PATH": str(tools)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 2
    assert "There is no Python of 3.11 or later here" in result.stderr
    assert "make PYTHON=" in result.stderr


def test_the_hooks_of_a_commit_are_local() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"- repo: (\S+)", hooks) == ["local"]
    for checked in ("ruff check", "ruff format", "mypy", "lint-imports"):
        assert f".venv/bin/{checked}" in hooks
        assert f"$(VENV)/bin/{checked}" in MAKEFILE
