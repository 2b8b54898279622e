"""Runs the page server until an interrupt, and closes all its connections.

Uses uvicorn and sockets, but no page.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from gomogo.page.connections import Connections, LogRateLimit, most_connections, note_fault
from gomogo_core.errors import UserError

_WAITING = 2048  # connections that may wait to be taken
_AT_ONCE = 32  # connections accepted in one go: asyncio retries this often each second when no descriptor is free
_BEHIND = 5  # steps of priority
_LOGS = ("uvicorn.error", "asyncio")
_FAREWELL = 0.4  # seconds for answers that are under way


def listen_on(host: str, port: int) -> socket.socket:
    """Return a socket on this address. Raises UserError if that is not possible."""
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
            f"The page cannot be served at {host}, port {port}: {why.lower()}.",
            "Choose another address with --port or --host.",
        ) from None
    return found


def serve(app: Starlette, listener: socket.socket, ready: Callable[[], None], leaving: Callable[[], None]) -> None:
    """Serve until Ctrl-C or SIGTERM. ready: called once the server answers. leaving: called before the server stops; it
    closes the connections of live pages.
    """
    with suppress(OSError):
        os.nice(_BEHIND)  # a tournament on this machine takes precedence over viewers
    with suppress(KeyboardInterrupt):  # uvicorn raises the interrupt again after its cleanup
        server_of(app, Connections(most_connections()), ready, leaving).run([listener])


def server_of(
    app: ASGIApp, connections: Connections, ready: Callable[[], None], leaving: Callable[[], None]
) -> uvicorn.Server:
    """Return the server that `serve` runs."""
    config = uvicorn.Config(
        app,
        http=connections.protocol,  # type: ignore[arg-type]  # uvicorn only calls it
        ws="none",
        backlog=_AT_ONCE,
        log_level="warning",
        access_log=False,
        server_header=False,
    )
    config.timeout_graceful_shutdown = _FAREWELL  # type: ignore[assignment]  # asyncio takes parts of a second too
    return _Server(config, ready, leaving)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], leaving: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready, self._leaving = ready, leaving
        self._seldom = LogRateLimit()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        for name in _LOGS:
            logging.getLogger(name).addFilter(self._seldom)
        asyncio.get_running_loop().set_exception_handler(note_fault)
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(_WAITING)  # the server has set a smaller backlog
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # an answer that is cut off during the shutdown is no error
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._leaving()
        await super().shutdown(sockets)
        for name in _LOGS:
            logging.getLogger(name).removeFilter(self._seldom)
