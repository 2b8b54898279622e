"""Live parts of pages as server-sent events: a text that changes, and its readers.

Uses texts and event loops, but no game. A new reader gets the whole text; a reader that reconnects gets only the
changes it missed. Each event has the version as its id, and the browser sends the last id it saw.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import anyio.to_thread

_KEPT = 500  # changes that a reader may have missed
_BEHIND = 300  # events queued for one reader; beyond that it must reconnect
_BREATH = 15.0  # seconds between keep-alive events: a proxy closes a silent connection
_MANY_LINES = 4000
_ALONE = 5.0  # seconds without a reader after which polling stops

Shown = tuple[str, str]  # the status line, and the part of a page that changes


@dataclass(frozen=True, slots=True)
class View:
    """A text at one moment. status: the status line. since: when an agent began to think (monotonic clock), or None.

    last: whether no change will follow. clock_since: when a human's clock began to run, or None.
    """

    version: int
    status: str
    text: str
    since: float | None = None
    last: bool = False
    clock_since: float | None = None


def none_if_unchanged(render: Callable[[], Shown]) -> Callable[[int | None], View | None]:
    """Wrap a function so that it returns None while nothing changes. Versions begin with the time, so they never
    decrease.
    """
    held: list[Shown | None] = [None]

    def look(version: int | None) -> View | None:
        now = render()
        if version is not None and now == held[0]:
            return None
        held[0] = now
        return View(int(time.time() * 1000), *now)

    return look


def seconds_since(moment: float | None) -> float | None:
    """Return the seconds since a moment of the monotonic clock, or None for none."""
    return None if moment is None else round(max(0.0, time.monotonic() - moment), 1)


def changed_lines(old: list[str], new: list[str]) -> list[tuple[int, int, list[str]]]:
    """Return the changes from `old` to `new`: first line, last line, and the new lines. The last change comes first, so
    that applying them in this order is safe.

    >>> changed_lines(["a", "b", "c"], ["a", "x", "c", "d"])
    [(3, 3, ['d']), (1, 2, ['x'])]
    """
    if max(len(old), len(new)) > _MANY_LINES:
        return [(0, len(old), new)]
    if len(old) == len(new):  # most moves change a few lines, and none come or go
        return [(i, i + 1, [new[i]]) for i in range(len(new) - 1, -1, -1) if old[i] != new[i]]
    found = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(i1, i2, new[j1:j2]) for kind, i1, i2, j1, j2 in reversed(found) if kind != "equal"]


class Channel:
    """One text and its readers. Lives on one event loop."""

    def __init__(self) -> None:
        self.view: View | None = None
        self._lines: list[str] = []
        self._changes: deque[tuple[int, int, bytes]] = deque(maxlen=_KEPT)  # version before, version after, event
        self._readers: set[asyncio.Queue[bytes | None]] = set()

    @property
    def read_by(self) -> int:
        """The number of readers."""
        return len(self._readers)

    def show(self, view: View) -> None:
        """Show a view to all readers. A view older than the shown one is ignored."""
        if self.view is not None and self.view.version == view.version:
            return
        lines = view.text.split("\n")
        if self.view is None or view.version < self.view.version:  # the first view, or the game has restarted
            self._changes.clear()
            event = _event("whole", view, text=view.text)
        else:
            event = _event("change", view, hunks=changed_lines(self._lines, lines))
            self._changes.append((self.view.version, view.version, event))
        self.view, self._lines = view, lines
        for reader in list(self._readers):
            if reader.qsize() < _BEHIND:
                reader.put_nowait(event)
            else:
                self._drop(reader)
        if view.last:
            self.close()

    def close(self) -> None:
        """Disconnect all readers after their pending events."""
        for reader in list(self._readers):
            self._drop(reader)

    def _drop(self, reader: asyncio.Queue[bytes | None]) -> None:
        self._readers.discard(reader)
        reader.put_nowait(None)

    async def events(self, seen: int | None = None) -> AsyncGenerator[bytes]:
        """Yield the events for one reader. seen: the last version that the reader saw, or None."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        missed = [] if self.view is None else self._missed_events(seen)
        self._readers.add(queue)  # subscribed before the first await, so that no event is missed
        if self.view is not None and self.view.last:
            self._drop(queue)
        try:
            yield b"retry: 1000\n\n"
            for event in missed:
                yield event
            while True:
                try:
                    news = await asyncio.wait_for(queue.get(), _BREATH)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if news is None:
                    break
                yield news
        finally:
            self._readers.discard(queue)
        if self.view is not None and self.view.last:
            yield b"event: last\ndata: {}\n\n"

    def _missed_events(self, seen: int | None) -> list[bytes]:
        """Return the events that bring a reader up to date: the changes since its version, or the whole text."""
        assert self.view is not None
        if seen == self.view.version:
            return []
        later = [(begin, event) for begin, end, event in self._changes if seen is not None and end > seen]
        if later and later[0][0] == seen:
            return [event for _, event in later]
        return [_event("whole", self.view, text=self.view.text)]


def _event(kind: str, view: View, **more: Any) -> bytes:
    times = {"thinking": seconds_since(view.since), "clock": seconds_since(view.clock_since)}
    data = json.dumps({"version": view.version, "status": view.status, **times, **more})
    return f"id: {view.version}\nevent: {kind}\ndata: {data}\n\n".encode()


class PolledChannels:
    """Channels whose text is polled while they have readers: files and tables of other processes.

    One poll serves all readers, so that a hundred of them cost the disk and the store no more than one.
    """

    def __init__(self) -> None:
        self._channels: dict[str, Channel] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def is_read(self, prefix: str) -> bool:
        """Return whether a channel whose name begins with `prefix` has a reader."""
        return any(channel.read_by for name, channel in list(self._channels.items()) if name.startswith(prefix))

    async def events(
        self, name: str, look: Callable[[int | None], View | None], every: float, seen: int | None
    ) -> AsyncGenerator[bytes]:
        """Yield the events of the channel `name`. look: takes the shown version and returns the new view, or None if
        nothing changed; called in a thread every `every` seconds.
        """
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = Channel()
            if (first := await anyio.to_thread.run_sync(look, None)) is not None:
                channel.show(first)
            self._tasks[name] = asyncio.create_task(self._poll(name, channel, look, every))
        async with aclosing(channel.events(seen)) as events:
            async for event in events:
                yield event

    async def _poll(self, name: str, channel: Channel, look: Callable[[int | None], View | None], every: float) -> None:
        alone = 0.0
        try:
            while alone < _ALONE:
                await asyncio.sleep(every)
                alone = 0.0 if channel.read_by else alone + every
                view = await anyio.to_thread.run_sync(look, channel.view.version if channel.view else None)
                if view is not None:
                    channel.show(view)
                    if view.last:
                        return
        finally:
            channel.close()
            if self._channels.get(name) is channel:
                del self._channels[name], self._tasks[name]

    def close(self) -> None:
        """Disconnect all readers."""
        for task in list(self._tasks.values()):
            task.cancel()
