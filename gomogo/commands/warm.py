"""The command `gomogo warm`: compile the engines, so that their first game starts without delay.

The module lists the packages to compile; gomogo_core/engines/compiling.py compiles them and stores the code.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

import click

# The engines that take longest to compile come first, so that the two processes end at about the same time.
ENGINES = {
    "go": "gomogo_core.engines.go",
    "gomoku": "gomogo_core.engines.gomoku",
    "dots_and_boxes": "gomogo_core.engines.boxes",
    "capture_go": "gomogo_core.engines.capture_go",
    "small_go": "gomogo_core.engines.small_go",
}


@click.command(short_help="Compile the engines once, so that their first game starts without delay.")
@click.option("--fresh", is_flag=True, help="Compile again, even if compiled code exists.")
def command(fresh: bool) -> None:
    """Compile the engines that agents such as `champion` use, two at a time. Needs the extra `engines`.

    This takes a minute the first time. Run it after an installation or an update, as the user who plays the games.
    """
    from gomogo_core.engines import compiling

    compiling.require_numba()
    for package in ENGINES.values() if fresh else ():
        compiling.clear_caches(package)
    # Each engine has a process of its own, as in a game, so that code that engines share is stored for each of them.
    spawn_context = multiprocessing.get_context("spawn")
    at_interrupt = (signal.SIGINT, signal.SIG_DFL)  # the default handler prints no traceback
    with ProcessPoolExecutor(2, spawn_context, signal.signal, at_interrupt, max_tasks_per_child=1) as pool:
        engine_names = {pool.submit(_measure_load, package): name for name, package in ENGINES.items()}
        for future in as_completed(engine_names):
            click.echo(f"{engine_names[future]}: ready after {future.result():.1f} s")


def _measure_load(package: str) -> float:
    from gomogo_core.engines import compiling

    begin = time.monotonic()
    compiling.load(package)
    return time.monotonic() - begin
