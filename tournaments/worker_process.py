"""A worker: a process that referees one game after another, and hands each record to the process that stores it.

Run as `python -c START DESCRIPTOR`, the descriptor being a socket to the command. It imports no store, no schedule and
no screen, so that it starts in a tenth of a second. The two ends exchange frames: four bytes of length, one for the
kind, then MessagePack.

The command ends the worker by closing the socket; if the command is killed, the system closes it. The worker then
interrupts its game, ends its agents and exits. Signals of a terminal are ignored, since the command decides.
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
from collections.abc import Iterator, Sequence
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
from gomogo_core.processes.limits import Level
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import lines_of
from gomogo_core.records.live_writer import Append, LiveFiles
from tournaments.playing import Place, agent_of, play
from tournaments.task import Task

START = (  # fewer garbage collections: imports make many objects and hardly any cycles
    "import gc, sys; gc.set_threshold(50_000); sys.path.insert(0, {root!r}); "
    "from tournaments.worker_process import main; main()"
)
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
_HEAD = struct.Struct("!IB")


class Kind(IntEnum):
    """The kind of a frame. The first three go to the worker, the others come from it."""

    TERMS = 1
    TASK = 2
    DROP = 3  # interrupt the running game, and begin no other
    TAKE_BACK = 4  # do not begin the waiting games
    READY = 5
    PLAYED = 6
    PLAYED_TEXT = 7  # a record as JSON: text that UTF-8 cannot carry
    MISTAKE = 8  # a mistake of the user that prevented a game
    BROKEN_OFF = 9
    LIVE = 10


@dataclass(frozen=True, slots=True)
class WorkerTerms:
    """The settings of a worker. cores: the cores that it is bound to, or none. name: for records. log: see `play`.

    runner: the number of the process that its games depend on and that receives news of running games; else None.
    """

    sandbox: Level
    capture_output: bool
    cores: tuple[int, ...]
    name: str
    log: str | None
    runner: int | None


class GameOrder(msgspec.Struct, array_like=True):
    """A game to play. trusted: specs of agents that the command has already built and checked."""

    task: Task
    trusted: tuple[str, ...] = ()


def frame(kind: Kind, content: Any = None) -> bytes:
    """Return the bytes of a frame. Raises UnicodeEncodeError for text that UTF-8 cannot carry."""
    packed = msgspec.msgpack.encode(content)
    return _HEAD.pack(len(packed), kind) + packed


class Frames:
    """Splits a byte stream into frames."""

    def __init__(self) -> None:
        self._rest = b""

    def complete_frames(self, piece: bytes) -> Iterator[tuple[Kind, bytes]]:
        """Return the frames that `piece` completes."""
        held, at = self._rest + piece, 0
        while len(held) - at >= _HEAD.size:
            length, kind = _HEAD.unpack_from(held, at)
            end = at + _HEAD.size + length
            if end > len(held):
                break
            yield Kind(kind), held[at + _HEAD.size : end]
            at = end
        self._rest = held[at:]


class _Worker:
    """The worker's end of the socket."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._guard = connection, threading.Lock()
        self._orders: queue.SimpleQueue[GameOrder | None] = queue.SimpleQueue()
        self._stop_request = threading.Event()

    def serve(self) -> None:
        """Play the requested games until the command exits."""
        frames = self._frames()
        terms = msgspec.msgpack.decode(next(frames)[1], type=WorkerTerms)
        if terms.cores:
            os.sched_setaffinity(0, terms.cores)
        threading.Thread(target=self._listen, args=(frames,), name="orders", daemon=True).start()
        with ExitStack() as held:
            arena = held.enter_context(Arena(sandbox=terms.sandbox, capture_output=terms.capture_output))
            live = None if terms.runner is None else held.enter_context(LiveFiles(self._shown(terms.runner)))
            place = Place(terms.cores or cores.allowed_cores(), terms.name)
            log = None if terms.log is None else Path(terms.log)
            self._send(frame(Kind.READY))
            while (order := self._orders.get()) is not None:
                self._send(self._played(order, arena, live, place, log))

    def _frames(self) -> Iterator[tuple[Kind, bytes]]:
        frames = Frames()
        with contextlib.suppress(ConnectionError):  # the command was killed
            while piece := self._connection.recv(1 << 16):
                yield from frames.complete_frames(piece)

    def _listen(self, frames: Iterator[tuple[Kind, bytes]]) -> None:
        decoder = msgspec.msgpack.Decoder(GameOrder)
        for kind, what in frames:
            if kind is Kind.TASK:
                self._orders.put(decoder.decode(what))
                continue
            self._forget_orders()
            if kind is Kind.DROP:
                self._stop_request.set()
        self._forget_orders()
        self._stop_request.set()
        self._orders.put(None)

    def _forget_orders(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._orders.get_nowait()

    def _played(self, order: GameOrder, arena: Arena, live: LiveFiles | None, place: Place, log: Path | None) -> bytes:
        """Play one game; return the frame with its result."""
        try:
            for spec in order.trusted:
                mark_prepared(agent_of(spec))
            with cancellable(self._stop_request):
                record = play(order.task, arena, live, place, log)
        except UserError as mistake:
            return frame(Kind.MISTAKE, (mistake.what, mistake.remedy))
        except Cancelled:
            return frame(Kind.BROKEN_OFF)
        return frame_of_record(record)

    def _shown(self, runner: int) -> Any:
        def append_to(key: str, run: str) -> Append:
            def append(events: Sequence[tuple[Event, float]]) -> None:
                self._send(frame(Kind.LIVE, (key, *lines_of(events, run, runner))))

            return append

        return append_to

    def _send(self, text: bytes) -> None:
        with self._guard, contextlib.suppress(ConnectionError):  # the command was killed: `_listen` notices it, too
            self._connection.sendall(text)


def frame_of_record(record: PlayedGame) -> bytes:
    """Return the frame of a record."""
    try:
        return frame(Kind.PLAYED, record)
    except UnicodeEncodeError:
        import json

        return frame(Kind.PLAYED_TEXT, json.dumps(record.as_json()))


def main() -> None:
    """Run a worker."""
    for name in _SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)  # our child processes must not keep our end of the socket open after our exit
    _Worker(socket.socket(fileno=descriptor)).serve()
    # Python would collect garbage several times at its exit; the end of the process frees everything anyway
    gc.freeze()
