"""Runs the page server with uvicorn until an interrupt, and closes all its connections."""

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

from gomogo.page.connections import Connections, LogRateLimit, log_loop_error, max_connections
from gomogo_core.errors import UserError

_BACKLOG = 2048  # connections that may wait to be accepted
# connections accepted at once; asyncio tries this number again each second while no file descriptor is free
_ACCEPT_BACKLOG = 32
_NICENESS = 5  # how much the system prefers other programs to this process; see os.nice
_LOGGERS = ("uvicorn.error", "asyncio")
_SHUTDOWN_TIMEOUT_SECONDS = 0.4  # the time that a shutdown leaves to responses in progress


def listen_on(host: str, port: int) -> socket.socket:
    """Return a socket that listens on this address. Raises UserError if that is not possible."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(_BACKLOG)
        except BaseException:
            listener.close()
            raise
    except (OSError, OverflowError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise UserError(
            f"The page cannot be served at {host}, port {port}: {cause.lower()}.",
            "Choose another address with --port or --host.",
        ) from None
    return listener


def serve(
    app: Starlette, listener: socket.socket, on_ready: Callable[[], None], on_shutdown: Callable[[], None]
) -> None:
    """Serve until Ctrl-C or SIGTERM.

    on_ready: called when the server accepts connections. on_shutdown: called before the server stops, to close the
    connections of live pages.
    """
    with suppress(OSError):
        os.nice(_NICENESS)  # a tournament on this machine takes precedence over viewers
    with suppress(KeyboardInterrupt):  # uvicorn raises the interrupt again after its cleanup
        create_server(app, Connections(max_connections()), on_ready, on_shutdown).run([listener])


def create_server(
    app: ASGIApp, connections: Connections, on_ready: Callable[[], None], on_shutdown: Callable[[], None]
) -> uvicorn.Server:
    """Return the server that `serve` runs."""
    config = uvicorn.Config(
        app,
        http=connections.create_protocol,  # type: ignore[arg-type]  # uvicorn only calls it
        ws="none",
        backlog=_ACCEPT_BACKLOG,
        log_level="warning",
        access_log=False,
        server_header=False,
    )
    config.timeout_graceful_shutdown = _SHUTDOWN_TIMEOUT_SECONDS  # type: ignore[assignment]  # asyncio accepts a float
    return _Server(config, on_ready, on_shutdown)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None], on_shutdown: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready, self._on_shutdown = on_ready, on_shutdown
        self._log_filter = LogRateLimit()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._log_filter)
        asyncio.get_running_loop().set_exception_handler(log_loop_error)
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(_BACKLOG)  # uvicorn has set a smaller backlog
        if self.started:
            self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # a response that is interrupted by the shutdown is not an error
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._on_shutdown()
        await super().shutdown(sockets)
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self._log_filter)
