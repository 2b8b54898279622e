"""The command `gomogo warm`: compile the engines, so that their first game starts without delay.

Lists the packages to compile; gomogo_core/engines/compiling.py compiles them and stores the code.
"""

from __future__ import annotations

import time

import click

ENGINES = {
    "gomoku": "gomogo_core.engines.gomoku",
    "go": "gomogo_core.engines.go",
    "capture_go": "gomogo_core.engines.capture_go",
    "small_go": "gomogo_core.engines.small_go",
    "dots_and_boxes": "gomogo_core.engines.boxes",
}


@click.command(short_help="Compile the engines once, so that their first game starts without delay.")
@click.option("--fresh", is_flag=True, help="Compile again, even if compiled code exists.")
def command(fresh: bool) -> None:
    """Compile the engines that agents such as `champion` use. Needs the extra `engines`.

    This takes a minute the first time. Run it after an installation or an update, as the user who plays the games.
    """
    from gomogo_core.engines import compiling

    compiling.require_numba()
    for name, package in ENGINES.items():
        if fresh:
            compiling.clear(package)
        began = time.monotonic()
        compiling.load(package)
        click.echo(f"{name}: ready after {time.monotonic() - began:.1f} s")
