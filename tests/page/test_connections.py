"""Connections that ask by halves, come in crowds, or find no descriptor left: the page answers all others."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from gomogo.page import connections
from gomogo.page.connections import Connections, LogRateLimit, log_loop_error
from gomogo.page.server.serving import create_server, listen_on

LIMIT = 30.0  # seconds for an action that is quick on an idle machine
WHOLE = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
HALVES = [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: he", b"\r\n"]


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


def until(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + LIMIT
    while not condition():
        assert time.monotonic() < limit
        time.sleep(0.01)


@pytest.fixture
def serve() -> Iterator[Callable[[Connections], int]]:
    """Starts a server, and gives its port."""
    running_servers: list[tuple[uvicorn.Server, threading.Thread, socket.socket]] = []

    def start(held_connections: Connections) -> int:
        at = listen_on("127.0.0.1", 0)
        server = create_server(app, held_connections, lambda: None, lambda: None)
        thread = threading.Thread(target=server.run, args=([at],))
        thread.start()
        running_servers.append((server, thread, at))
        until(lambda: server.started)
        port: int = at.getsockname()[1]
        return port

    yield start
    for server, thread, at in running_servers:
        server.should_exit = True
        thread.join()
        at.close()
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)


def connect(port: int, request_bytes: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), LIMIT)
    connection.sendall(request_bytes)
    return connection


def heard(connection: socket.socket) -> bytes:
    """Return the bytes received until the other side closes; a reset connection gives none."""
    received = b""
    try:
        while piece := connection.recv(4096):
            received += piece
    except ConnectionResetError:
        pass
    return received


def answered(port: int) -> bool:
    with connect(port, WHOLE) as connection:
        return answer(connection).startswith(b"HTTP/1.1 200")


def answer(connection: socket.socket) -> bytes:
    """One answer, whole."""
    received = b""
    while not received.endswith(b"ok"):
        piece = connection.recv(4096)
        assert piece
        received += piece
    return received


def drips(connection: socket.socket) -> None:
    """Send a request byte by byte."""
    connection.sendall(b"GET /")
    for _ in range(int(LIMIT / 0.02)):
        connection.sendall(b"a")
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("request_part", HALVES)
@pytest.mark.parametrize("later", [False, True])
def test_a_connection_with_half_a_request_is_closed(
    request_part: bytes, later: bool, serve: Callable[[Connections], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_REQUEST_SECONDS", 0.2)
    server_connections = Connections(10)
    port = serve(server_connections)
    with connect(port, WHOLE if later else b"") as connection:
        if later:
            assert answer(connection).startswith(b"HTTP/1.1 200")
        connection.sendall(request_part)
        assert heard(connection) == b""
    until(lambda: len(server_connections) == 0)
    assert answered(port)


def test_a_connection_that_sends_byte_by_byte_is_closed(
    serve: Callable[[Connections], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_REQUEST_SECONDS", 0.3)
    port = serve(Connections(10))
    with connect(port, b"") as connection, pytest.raises((ConnectionResetError, BrokenPipeError)):
        drips(connection)


def test_connections_of_one_address_are_limited(serve: Callable[[Connections], int]) -> None:
    server_connections = Connections(100, max_per_address=3)
    port = serve(server_connections)
    open_connections = [connect(port, b"GET ") for _ in range(3)]
    until(lambda: len(server_connections) == 3)
    with connect(port, b"") as connection:
        assert heard(connection) == b""
    open_connections.pop().close()
    until(lambda: len(server_connections) == 2)
    assert answered(port)
    for connection in open_connections:
        connection.close()


def test_connections_of_all_addresses_together_are_limited() -> None:
    server_connections = Connections(3, max_per_address=2)
    admitted = [server_connections.admit(address) for address in ("a", "a", "a", "b", "c")]
    assert admitted == [True, True, False, True, False]
    server_connections.release("a")
    assert server_connections.admit("c")
    assert len(server_connections) == 3


def test_a_client_that_reads_nothing_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    class Transport(asyncio.Transport):
        aborted = False

        def get_extra_info(self, name: str, default: Any = None) -> Any:
            return ("here", 1) if name == "peername" else default

        def abort(self) -> None:
            self.aborted = True

    class Inner:
        cycle = None

        def __getattr__(self, name: str) -> Callable[..., None]:
            return lambda *_: None

    async def ask() -> tuple[bool, bool]:
        given_up = []
        for listens in (True, False):
            transport, connection = Transport(), connections._Connection(Connections(9), Inner())
            connection.connection_made(transport)
            connection.pause_writing()
            if listens:
                connection.resume_writing()
            await asyncio.sleep(0.2)
            given_up.append(transport.aborted)
            connection.connection_lost(None)
        return given_up[0], given_up[1]

    monkeypatch.setattr(connections, "_READ_SECONDS", 0.01)
    assert asyncio.run(ask()) == (False, True)


@pytest.mark.slow
def test_without_free_descriptors_the_server_logs_one_line_and_continues(
    serve: Callable[[Connections], int], capsys: pytest.CaptureFixture[str]
) -> None:
    at_limit, accepts, accept = threading.Event(), [0], socket.socket.accept

    def refused(self: socket.socket) -> Any:
        if at_limit.is_set():
            accepts[0] += 1
            raise OSError(errno.EMFILE, "Too many open files")
        return accept(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "accept", refused)
        port = serve(Connections(10))
        at_limit.set()
        with connect(port, WHOLE) as connection:
            until(lambda: accepts[0] > 32)  # it tried again a second later
            at_limit.clear()
            assert answer(connection).startswith(b"HTTP/1.1 200")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("Cannot accept connections: Too many open files. Trying again in one second.")


def test_each_kind_of_fault_is_logged_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [0.0]
    monkeypatch.setattr(connections, "time", type("", (), {"monotonic": lambda: times[0]}))
    seldom = LogRateLimit()

    def record(words: str, *args: object) -> logging.LogRecord:
        return logging.LogRecord("uvicorn.error", logging.WARNING, "", 1, words, args, None)

    assert [seldom.filter(record("from %s", number)) for number in range(5)] == [True, False, False, False, False]
    assert seldom.filter(record("another"))
    times[0] = 61.0
    last_record = record("from %s", 9)
    assert seldom.filter(last_record)
    assert last_record.getMessage() == "from 9 (4 more since the last such line)"


def test_other_faults_of_the_event_loop_are_logged_unchanged(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.new_event_loop()
    log_loop_error(loop, {"message": "a task has failed", "exception": ValueError("x")})
    loop.close()
    assert "a task has failed" in caplog.text
