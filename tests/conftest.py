"""What holds for all tests: how many run at a time, and that CI accepts no skipped one."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator

import pytest

from tournaments.workers import room

# a shell that starts us in the background has Ctrl-C ignored, and what we start would inherit that
signal.signal(signal.SIGINT, signal.default_int_handler)

REQUIRE_ALL = os.environ.get("GOMOGO_REQUIRE_ALL") == "1"  # .ci/run sets it: what was not run has proved nothing


@pytest.hookimpl(optionalhook=True)  # xdist need not be there
def pytest_xdist_auto_num_workers() -> int:
    """As many as cores we may use; xdist would count those of the machine."""
    return room()


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
    """Under GOMOGO_REQUIRE_ALL=1 a skip, and a failure that was expected, are failures."""
    if REQUIRE_ALL and report.outcome == "skipped":
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"not run, and GOMOGO_REQUIRE_ALL=1 wants every test: {why}"
