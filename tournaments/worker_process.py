"""A worker process, which referees one game after another and sends each record to the command that started it.

The process is started as `python -c WORKER_CODE DESCRIPTOR`, where the descriptor is a socket to the command. The
worker imports no store, no schedule and no screen, so that it starts in a tenth of a second. Worker and command
exchange frames: four bytes for the length, one byte for the kind, then MessagePack.

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

from gomogo_core.arena import Arena, record_agent_as_prepared
from gomogo_core.cancellation import GameCancelled, cancellable
from gomogo_core.errors import UserError
from gomogo_core.play.events import Event
from gomogo_core.processes import cores
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import live_file_update
from gomogo_core.records.live_writer import AppendEvents, LiveFiles
from tournaments.playing import WorkerContext, load_cached_agent, play_task
from tournaments.task import GameTask

WORKER_CODE = (  # collects garbage less often, because imports create many objects and hardly any cycles
    "import gc, sys; gc.set_threshold(50_000); sys.path.insert(0, {root!r}); "
    "from tournaments.worker_process import main; main()"
)
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
_FRAME_HEADER = struct.Struct("!IB")


class FrameKind(IntEnum):
    """The kind of a frame. Frames of the first four kinds go to the worker; the others come from the worker."""

    SETTINGS = 1
    TASK = 2
    INTERRUPT = 3  # interrupt the running game, and begin no other
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

    log_folder: the folder for logs of what the referee and the programs write to each other; None: no logs.
    runner_pid: the id of the process that shows the running games; None: there is none.
    """

    sandbox: SandboxLevel
    capture_output: bool
    cores: tuple[int, ...]
    name: str
    log_folder: str | None
    runner_pid: int | None


class GameRequest(msgspec.Struct, array_like=True):
    """A game to play. prepared_specs: the specs of agents that the command has already built or checked."""

    task: GameTask
    prepared_specs: tuple[str, ...] = ()


def encode_frame(kind: FrameKind, content: Any = None) -> bytes:
    """Return the bytes of a frame. Raises UnicodeEncodeError for text that cannot be encoded in UTF-8."""
    payload = msgspec.msgpack.encode(content)
    return _FRAME_HEADER.pack(len(payload), kind) + payload


class FrameParser:
    """Splits a byte stream into frames."""

    def __init__(self) -> None:
        self._incomplete_frame = b""

    def complete_frames(self, chunk: bytes) -> Iterator[tuple[FrameKind, bytes]]:
        """Yield each frame, as kind and content, that is complete with the next bytes `chunk` of the stream."""
        buffer, offset = self._incomplete_frame + chunk, 0
        while len(buffer) - offset >= _FRAME_HEADER.size:
            length, kind = _FRAME_HEADER.unpack_from(buffer, offset)
            end = offset + _FRAME_HEADER.size + length
            if end > len(buffer):
                break
            yield FrameKind(kind), buffer[offset + _FRAME_HEADER.size : end]
            offset = end
        self._incomplete_frame = buffer[offset:]


class _Worker:
    """The worker's end of the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._lock = connection, threading.Lock()
        self._requests: queue.SimpleQueue[GameRequest | None] = queue.SimpleQueue()
        self._received_count = self._cancelled_count = 0  # the first requests are cancelled unless they have begun
        self._stop_request = threading.Event()

    def serve(self) -> None:
        """Play the requested games until the command exits."""
        frames = self._receive_frames()
        settings = msgspec.msgpack.decode(next(frames)[1], type=WorkerSettings)
        if settings.cores:
            os.sched_setaffinity(0, settings.cores)
        threading.Thread(target=self._receive_requests, args=(frames,), name="requests", daemon=True).start()
        with ExitStack() as exit_stack:
            arena = exit_stack.enter_context(Arena(sandbox=settings.sandbox, capture_output=settings.capture_output))
            live_files: LiveFiles | None = None
            if settings.runner_pid is not None:
                live_files = exit_stack.enter_context(LiveFiles(self._create_live_sender(settings.runner_pid)))
            context = WorkerContext(settings.cores or cores.allowed_cores(), settings.name)
            log_folder = None if settings.log_folder is None else Path(settings.log_folder)
            self._send(encode_frame(FrameKind.READY))
            for number, request in enumerate(iter(self._requests.get, None), 1):
                # each request is answered: the command may count a waiting game as running, and waits for it
                self._send(
                    encode_frame(FrameKind.INTERRUPTED)
                    if number <= self._cancelled_count
                    else self._play(request, lambda task: play_task(task, arena, live_files, context, log_folder))
                )

    def _receive_frames(self) -> Iterator[tuple[FrameKind, bytes]]:
        parser = FrameParser()
        with contextlib.suppress(ConnectionError):  # the command was killed
            while chunk := self._connection.recv(1 << 16):
                yield from parser.complete_frames(chunk)

    def _receive_requests(self, frames: Iterator[tuple[FrameKind, bytes]]) -> None:
        decoder = msgspec.msgpack.Decoder(GameRequest)
        for kind, content in frames:
            if kind is FrameKind.TASK:
                self._received_count += 1
                self._requests.put(decoder.decode(content))
                continue
            self._cancelled_count = self._received_count
            if kind is FrameKind.INTERRUPT:
                self._stop_request.set()
        self._cancelled_count = self._received_count
        self._stop_request.set()
        self._requests.put(None)

    def _play(self, request: GameRequest, play: Callable[[GameTask], PlayedGame]) -> bytes:
        """Play one game by the function `play`; return the frame with its result."""
        try:
            for spec in request.prepared_specs:
                record_agent_as_prepared(load_cached_agent(spec))
            with cancellable(self._stop_request):
                record = play(request.task)
        except UserError as error:
            return encode_frame(FrameKind.USER_ERROR, (error.problem, error.remedy))
        except GameCancelled:
            return encode_frame(FrameKind.INTERRUPTED)
        return encode_record(record)

    def _create_live_sender(self, runner_pid: int) -> Callable[[str, str], AppendEvents]:
        """Return the function that `LiveFiles` calls for each game. The function sends the lines to the command."""

        def append_to(game_key: str, run_name: str) -> AppendEvents:
            def append(events: Sequence[tuple[Event, float]]) -> None:
                lines = live_file_update(events, run_name, runner_pid)
                self._send(encode_frame(FrameKind.LIVE_LINES, (game_key, *lines)))

            return append

        return append_to

    def _send(self, frame: bytes) -> None:
        with self._lock, contextlib.suppress(ConnectionError):  # the command was killed, so `_receive_frames` ends too
            self._connection.sendall(frame)


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
    # otherwise child processes would keep the socket open after this process has exited
    os.set_inheritable(descriptor, False)
    _Worker(socket.socket(fileno=descriptor)).serve()
    # without this line, Python would collect garbage several times before it exits, which frees all memory anyway
    gc.freeze()
