"""A worker process: it referees one game after another, and sends each record to the command that started it.

The process is started as `python -c START DESCRIPTOR`, where the descriptor is a socket to the command. The worker
imports no store, no schedule and no screen, so that it starts in a tenth of a second. Worker and command exchange
frames: four bytes for the length, one byte for the kind, then MessagePack.

The command ends the worker by closing the socket; if the command is killed, the system closes it. The worker then
interrupts its game, ends its agents and exits. It ignores the signals of a terminal, since the command handles them.
"""

from __future__ import annotations

import contextlib
import gc
import os
import queue
import signal
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

import msgspec

from gomogo_core.arena import Arena, mark_prepared
from gomogo_core.cancellation import Cancelled, cancellable
from gomogo_core.errors import UserError
from gomogo_core.play.events import Event
from gomogo_core.processes import cores
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import live_file_update
from gomogo_core.records.live_writer import AppendEvents, LiveFiles
from tournaments.playing import WorkerPlace, cached_agent, play_task
from tournaments.task import Task

START = (  # with fewer garbage collections, because imports make many objects and hardly any cycles
    "import gc, sys; gc.set_threshold(50_000); sys.path.insert(0, {root!r}); "
    "from tournaments.worker_process import main; main()"
)
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
_HEAD = struct.Struct("!IB")


class FrameKind(IntEnum):
    """The kind of a frame. Frames of the first four kinds go to the worker; the others come from the worker."""

    SETTINGS = 1
    TASK = 2
    DROP = 3  # interrupt the running game, and begin no other
    CANCEL_WAITING = 4  # do not begin the waiting games
    READY = 5
    RECORD = 6
    RECORD_JSON = 7  # a record as JSON, if its text cannot be encoded in UTF-8
    USER_ERROR = 8  # a mistake of the user that prevented a game
    INTERRUPTED = 9
    LIVE_LINES = 10


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of a worker. cores: the cores to which the worker is bound; empty for no binding. name: the worker's
    name in records.

    log: the folder for conversations, or None. runner: the id of the process that shows running games, or None.
    """

    sandbox: SandboxLevel
    capture_output: bool
    cores: tuple[int, ...]
    name: str
    log: str | None
    runner: int | None


class GameOrder(msgspec.Struct, array_like=True):
    """A game to play. prepared_specs: the specs of agents that the command has already built or checked."""

    task: Task
    prepared_specs: tuple[str, ...] = ()


def encode_frame(kind: FrameKind, content: Any = None) -> bytes:
    """Return the bytes of a frame. Raises UnicodeEncodeError for text that cannot be encoded in UTF-8."""
    packed = msgspec.msgpack.encode(content)
    return _HEAD.pack(len(packed), kind) + packed


class FrameParser:
    """Splits a byte stream into frames."""

    def __init__(self) -> None:
        self._incomplete_frame = b""

    def complete_frames(self, piece: bytes) -> Iterator[tuple[FrameKind, bytes]]:
        """Yield each frame, as kind and content, that is complete with the next bytes `piece` of the stream."""
        held, at = self._incomplete_frame + piece, 0
        while len(held) - at >= _HEAD.size:
            length, kind = _HEAD.unpack_from(held, at)
            end = at + _HEAD.size + length
            if end > len(held):
                break
            yield FrameKind(kind), held[at + _HEAD.size : end]
            at = end
        self._incomplete_frame = held[at:]


class _Worker:
    """The worker's end of the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._guard = connection, threading.Lock()
        self._orders: queue.SimpleQueue[GameOrder | None] = queue.SimpleQueue()
        self._stop_request = threading.Event()

    def serve(self) -> None:
        """Play the requested games until the command exits."""
        frames = self._frames()
        settings = msgspec.msgpack.decode(next(frames)[1], type=WorkerSettings)
        if settings.cores:
            os.sched_setaffinity(0, settings.cores)
        threading.Thread(target=self._receive_orders, args=(frames,), name="orders", daemon=True).start()
        with ExitStack() as held:
            arena = held.enter_context(Arena(sandbox=settings.sandbox, capture_output=settings.capture_output))
            live = (
                None if settings.runner is None else held.enter_context(LiveFiles(self._live_sender(settings.runner)))
            )
            place = WorkerPlace(settings.cores or cores.allowed_cores(), settings.name)
            log = None if settings.log is None else Path(settings.log)
            self._send(encode_frame(FrameKind.READY))
            while (order := self._orders.get()) is not None:
                self._send(self._play(order, arena, live, place, log))

    def _frames(self) -> Iterator[tuple[FrameKind, bytes]]:
        frames = FrameParser()
        with contextlib.suppress(ConnectionError):  # the command was killed
            while piece := self._connection.recv(1 << 16):
                yield from frames.complete_frames(piece)

    def _receive_orders(self, frames: Iterator[tuple[FrameKind, bytes]]) -> None:
        decoder = msgspec.msgpack.Decoder(GameOrder)
        for kind, content in frames:
            if kind is FrameKind.TASK:
                self._orders.put(decoder.decode(content))
                continue
            self._drop_orders()
            if kind is FrameKind.DROP:
                self._stop_request.set()
        self._drop_orders()
        self._stop_request.set()
        self._orders.put(None)

    def _drop_orders(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._orders.get_nowait()

    def _play(
        self, order: GameOrder, arena: Arena, live_files: LiveFiles | None, place: WorkerPlace, log: Path | None
    ) -> bytes:
        """Play one game; return the frame with its result."""
        try:
            for spec in order.prepared_specs:
                mark_prepared(cached_agent(spec))
            with cancellable(self._stop_request):
                record = play_task(order.task, arena, live_files, place, log)
        except UserError as mistake:
            return encode_frame(FrameKind.USER_ERROR, (mistake.problem, mistake.remedy))
        except Cancelled:
            return encode_frame(FrameKind.INTERRUPTED)
        return encode_record(record)

    def _live_sender(self, runner: int) -> Callable[[str, str], AppendEvents]:
        """Return the function that `LiveFiles` calls for each game; it sends the lines to the command."""

        def append_to(key: str, run: str) -> AppendEvents:
            def append(events: Sequence[tuple[Event, float]]) -> None:
                self._send(encode_frame(FrameKind.LIVE_LINES, (key, *live_file_update(events, run, runner))))

            return append

        return append_to

    def _send(self, text: bytes) -> None:
        with self._guard, contextlib.suppress(ConnectionError):  # the command was killed, so `_frames` ends too
            self._connection.sendall(text)


def encode_record(record: PlayedGame) -> bytes:
    """Return the frame of a record."""
    try:
        return encode_frame(FrameKind.RECORD, record)
    except UnicodeEncodeError:
        import json

        return encode_frame(FrameKind.RECORD_JSON, json.dumps(record.as_json()))


def main() -> None:
    """Run a worker."""
    for name in _SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)  # else child processes would keep the socket open after this process exits
    _Worker(socket.socket(fileno=descriptor)).serve()
    # Python would collect garbage several times at its exit, although the system frees the memory of the process anyway
    gc.freeze()
