"""A real browser: Debian's Chromium, driven by Playwright; every page must be free of errors when its test ends.

Screenshots lie in build/screenshots afterwards, to be looked at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

pytest.importorskip("playwright")
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests._tools import find_program

SCREENSHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
# What Playwright switches off, since only the last list counts, and the list below the address bar: Chromium would load
# its two pages for every window, which takes half of the processor time of a new context.
_DISABLED_FEATURES = [
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
]
_ARGUMENTS = [  # no background network traffic; containers run it as root
    f"--disable-features={','.join(_DISABLED_FEATURES)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

# A click waits until the page is loaded, because styles and scripts come after the text.
_CLICK_WHEN_LOADED = """
    if (location.protocol === "http:") {
        const loading = new CSSStyleSheet();
        loading.replaceSync("* { pointer-events: none !important }");
        document.adoptedStyleSheets = [loading];
        addEventListener("load", () => (document.adoptedStyleSheets = []));
    }
"""
_TIMEOUT_MS = 120_000.0  # milliseconds, on a busy machine
_MAX_TEST_SECONDS = 420.0
expect.set_options(timeout=_TIMEOUT_MS)

NewPage = Callable[..., Page]
Screenshot = Callable[[Page, str], Path]
FindViolations = Callable[[Page], list[str]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a module, with a new profile of its own: other tests want no process beside them."""
    program = find_program("chromium-headless-shell") or find_program("chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(autouse=True)
def stuck_renderers_end() -> Iterator[None]:
    """End the renderers of Chromium in a test that takes too long, so that the test fails.

    On a busy machine, a renderer sometimes computed without end, and Playwright waits for a page's script forever.
    """
    timer = threading.Timer(_MAX_TEST_SECONDS, end_renderers)
    timer.start()
    yield
    timer.cancel()


def end_renderers() -> None:
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "--type=renderer" in process.cmdline():
                process.kill()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Open a page in a context of its own: another person's browser. Options are those of Playwright's `new_context`.

    clean: an error or a warning on the console fails the test.
    """
    contexts, faults = [], list[str]()

    def open_page(width: int = 1280, height: int = 900, *, clean: bool = True, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.add_init_script(_CLICK_WHEN_LOADED)
        page = context.new_page()
        page.set_default_timeout(_TIMEOUT_MS)
        if clean:
            page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
            page.on(
                "console",
                lambda message: (
                    faults.append(f"{page.url}: {message.text}") if message.type in ("error", "warning") else None
                ),
            )
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A page in a window of desktop size."""
    return new_page()


@pytest.fixture(scope="session")
def screenshot() -> Screenshot:
    """Keep a picture of the whole page under a name."""

    def take_screenshot(page: Page, name: str) -> Path:
        path = SCREENSHOTS / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return take_screenshot


@pytest.fixture(scope="session")
def find_serious_violations() -> FindViolations:
    """Return the faults on a page that axe-core calls serious or critical, as sentences."""

    def find_violations(page: Page) -> list[str]:
        violations = Axe().run(page).response["violations"]
        return [
            f"{violation['id']}: {violation['help']}: {node['html'][:200]}: {node.get('failureSummary', '')}"
            for violation in violations
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"][:3]
        ]

    return find_violations
