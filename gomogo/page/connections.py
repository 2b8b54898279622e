"""Limits the connections to the page: their number, the time for a request, and the time to read its answer.

Wraps uvicorn's HTTP protocol, which would wait without limit for the rest of a request.
"""

from __future__ import annotations

import asyncio
import logging
import resource
import time
from collections import Counter
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

# seconds from a new connection, or from the first byte of a later request, to the end of the request's headers
_REQUEST_SECONDS = 10.0
_READ_SECONDS = 60.0  # seconds within which a client must read more of the data that the server sends
_MAX_CONNECTIONS = 768  # the server uses select(), which cannot handle a descriptor above 1023
_ADDRESS_SHARE = 2  # one address may use this part of all connections, here half: a class may share an address
_LOG_INTERVAL_SECONDS = 60.0
_log = logging.getLogger("uvicorn.error")


def max_connections() -> int:
    """Return the maximum number of connections: half of the file descriptors, since games and the store need
    some too.
    """
    max_descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return (
        _MAX_CONNECTIONS if max_descriptors == resource.RLIM_INFINITY else min(_MAX_CONNECTIONS, max_descriptors // 2)
    )


class Connections:
    """Counts the connections of a server, and limits their number.

    max_total: the maximum number of all connections. max_per_address: the maximum number from one address.
    """

    def __init__(self, max_total: int, max_per_address: int | None = None) -> None:
        self._max_total = max_total
        self._max_per_address = max(1, max_total // _ADDRESS_SHARE) if max_per_address is None else max_per_address
        self._counts_by_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._counts_by_address.total()

    def admit(self, address: str) -> bool:
        """Count a new connection and return True. Return False, without counting it, if there are too many."""
        if len(self) >= self._max_total:
            _log.warning("Too many connections: new ones are closed.")
            return False
        if self._counts_by_address[address] >= self._max_per_address:
            _log.warning("Too many connections from one address, %s: new ones are closed.", address)
            return False
        self._counts_by_address[address] += 1
        return True

    def release(self, address: str) -> None:
        """Count the end of a connection."""
        self._counts_by_address[address] -= 1
        if not self._counts_by_address[address]:
            del self._counts_by_address[address]

    def create_protocol(self, **options: Any) -> asyncio.Protocol:
        """Return the protocol object of a new connection. uvicorn calls this with its own options."""
        return _Connection(self, AutoHTTPProtocol(**options))


class _Connection(asyncio.Protocol):
    """Wraps uvicorn's protocol for a connection, and closes the connection after a timeout."""

    def __init__(self, connections: Connections, inner: Any) -> None:
        self._connections, self._http_protocol = connections, inner
        self._transport: asyncio.Transport | None = None
        self._address: str | None = None  # None if the connection was refused
        self._request_timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername")
        address = str(peer[0]) if peer else ""
        if not self._connections.admit(address):
            transport.abort()
            return
        self._address = address
        self._http_protocol.connection_made(transport)
        self._update_timeout()

    def data_received(self, data: bytes) -> None:
        if self._address is not None:
            self._http_protocol.data_received(data)
            self._update_timeout()

    def _update_timeout(self) -> None:
        """Start the timeout of an incomplete request; cancel it while an answer is in progress."""
        cycle = self._http_protocol.cycle
        if cycle is not None and not cycle.response_complete:
            _cancel(self._request_timer)
            self._request_timer = None
        elif self._request_timer is None:
            self._request_timer = asyncio.get_running_loop().call_later(_REQUEST_SECONDS, self._abort)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def pause_writing(self) -> None:
        self._http_protocol.pause_writing()
        self._answer_timer = asyncio.get_running_loop().call_later(_READ_SECONDS, self._abort)

    def resume_writing(self) -> None:
        _cancel(self._answer_timer)
        self._http_protocol.resume_writing()

    def eof_received(self) -> bool | None:
        keeps_open: bool | None = self._http_protocol.eof_received() if self._address is not None else None
        return keeps_open

    def connection_lost(self, error: Exception | None) -> None:
        _cancel(self._request_timer)
        _cancel(self._answer_timer)
        if self._address is not None:
            self._connections.release(self._address)
            self._http_protocol.connection_lost(error)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class LogRateLimit(logging.Filter):
    """A log filter that passes one record of each kind per minute, with the number of suppressed records."""

    def __init__(self) -> None:
        super().__init__()
        self._last_logged: dict[tuple[str, str], float] = {}
        self._suppressed: Counter[tuple[str, str]] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log the record."""
        error_type = record.exc_info[0] if record.exc_info else None
        kind, now = (str(record.msg), error_type.__name__ if error_type else ""), time.monotonic()
        if now - self._last_logged.get(kind, -_LOG_INTERVAL_SECONDS) < _LOG_INTERVAL_SECONDS:
            self._suppressed[kind] += 1
            return False
        self._last_logged[kind] = now
        if suppressed := self._suppressed.pop(kind, 0):
            record.msg, record.args = f"{record.getMessage()} ({suppressed} more since the last such line)", ()
        return True


def log_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error of the event loop. If no connection can be accepted, log one line without a traceback."""
    if isinstance(error := context.get("exception"), OSError) and "accept" in context.get("message", ""):
        _log.error("Cannot accept connections: %s. Trying again in one second.", error.strerror)
        return
    loop.default_exception_handler(context)
