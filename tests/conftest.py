"""The settings of all tests: how many run at a time, the programs that they need, and that CI accepts no skipped
test.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests._tools import DEBIAN_PACKAGES, why_program_missing
from tournaments.workers import default_concurrent_games

# a shell that starts us in the background ignores Ctrl-C, and our child processes would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)

MISSING_PACKAGES = "missing"  # the property of a skipped test that names the packages it lacks
REQUIRE_ALL = os.environ.get("GOMOGO_REQUIRE_ALL") == "1"  # .ci/run sets it: a skipped test proves nothing


# A busy machine makes examples slowly; that is no fault of a test.
_SLOW_MACHINE_SETTINGS = settings(suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("all", _SLOW_MACHINE_SETTINGS)
settings.register_profile("quick", _SLOW_MACHINE_SETTINGS, max_examples=25)  # the default for tests that set no number


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of each property in the quick tests; `make test-all` tries a hundred."""
    settings.load_profile("quick" if "not slow" in config.option.markexpr else "all")


@pytest.hookimpl(optionalhook=True)  # xdist may be missing
def pytest_xdist_auto_num_workers() -> int:
    """Run two tests per core that we may use, since tests wait for programs most of their time; xdist would count
    all cores.
    """
    return 2 * default_concurrent_games()


@pytest.fixture(autouse=True, scope="session")
def _use_own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep every test away from the records of the user who runs the tests."""
    os.environ["GOMOGO_DATA"] = str(tmp_path_factory.getbasetemp() / "data")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test marked `needs` if one of its programs is missing."""
    for mark in item.iter_markers("needs"):
        for program in mark.args:
            if problem := why_program_missing(program):
                item.user_properties.append((MISSING_PACKAGES, DEBIAN_PACKAGES[program]))
                pytest.skip(problem)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None, None, None]:
    """Name in one line the packages to install, so that no test is skipped because a program is missing."""
    yield  # the list of skipped tests comes first
    skipped = [
        str(package)
        for report in terminalreporter.stats.get("skipped", ())
        for name, package in report.user_properties
        if name == MISSING_PACKAGES
    ]
    if skipped:
        packages = " ".join(sorted(set(" ".join(skipped).split())))
        count = f"{len(skipped)} test{'s' * (len(skipped) > 1)}"
        terminalreporter.write_line(f"{count} skipped because programs are missing. On Debian: apt install {packages}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_skip(report)
    return report


def _refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """With GOMOGO_REQUIRE_ALL=1, a skipped test and an expected failure count as failures."""
    if REQUIRE_ALL and report.outcome == "skipped":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"not run, and GOMOGO_REQUIRE_ALL=1 wants every test: {reason}"
