"""Runs the page server until it is interrupted, and ends it with all who listen.

Knows uvicorn and sockets; no page.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.applications import Starlette

from gomogo_core.errors import UserError

_WAITING = 2048  # connections that may wait to be taken
_BEHIND = 5  # steps of priority
_FAREWELL = 2  # seconds for answers that are under way


def listening(host: str, port: int) -> socket.socket:
    """A socket on this address. Raises UserError where it cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        found = socket.socket(family, socket.SOCK_STREAM)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind((host, port))
            found.listen(_WAITING)
        except BaseException:
            found.close()
            raise
    except (OSError, OverflowError) as wrong:
        why = getattr(wrong, "strerror", None) or str(wrong)
        raise UserError(
            f"The page cannot be served at {host}, port {port}: {why.lower()}.", "Choose another by --port or --host."
        ) from None
    return found


def serve(app: Starlette, at: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or SIGTERM. ready: called once everything answers."""
    with suppress(OSError):
        os.nice(_BEHIND)  # who plays for the record, in a tournament here, comes before who looks on
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, timeout_graceful_shutdown=_FAREWELL, server_header=False
    )
    with suppress(KeyboardInterrupt):  # which is how serving ends, when all is put away
        _Server(config, ready).run([at])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()
