"""Sends the changing part of a page to its readers as server-sent events.

A new reader gets the whole text. A reader that reconnects gets only the changes that it missed. For this purpose each
event has the version of the text as its id, and the browser sends the last id that it received. The module does not
depend on games.
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

_MAX_CHANGES = 500  # changes that are kept for readers that reconnect
_MAX_QUEUED_EVENTS = 300  # unsent events for one reader; a reader with more must reconnect
# seconds without an event after which the server sends an event to show that the connection works
_KEEP_ALIVE_SECONDS = 4.0
_MAX_DIFF_LINES = 4000  # a longer text is sent as a whole
_NO_READER_SECONDS = 5.0  # seconds without a reader after which polling stops

StatusAndText = tuple[str, str]  # the status line, and the changing part of a page


@dataclass(frozen=True, slots=True)
class LiveView:
    """The changing part of a page at one moment. status: the status line. text: the rest, as HTML.

    thinking_since: when an agent began to think, in seconds of the monotonic clock, or None. is_last: whether no change
    will follow. clock_since: when a human's clock began to run, in the same seconds, or None.
    """

    version: int
    status: str
    text: str
    thinking_since: float | None = None
    is_last: bool = False
    clock_since: float | None = None


def none_if_unchanged(render: Callable[[], StatusAndText]) -> Callable[[int | None], LiveView | None]:
    """Return a function for `PolledChannels.events` that returns None if the rendered text has not changed. Versions
    are milliseconds since 1970, so that they also increase after a restart.
    """
    previous: list[StatusAndText | None] = [None]

    def make_view(version: int | None) -> LiveView | None:
        current = render()
        if version is not None and current == previous[0]:
            return None
        previous[0] = current
        return LiveView(int(time.time() * 1000), *current)

    return make_view


def seconds_since(moment: float | None) -> float | None:
    """Return the seconds since a moment, which is a time of the monotonic clock. Return None for None."""
    return None if moment is None else round(max(0.0, time.monotonic() - moment), 1)


def changed_lines(old_lines: list[str], new_lines: list[str]) -> list[tuple[int, int, list[str]]]:
    """Return the changes from `old_lines` to `new_lines`: start, end and the lines that replace old_lines[start:end].
    The last change comes first, so that each can be applied without shifting the others.

    >>> changed_lines(["a", "b", "c"], ["a", "x", "c", "d"])
    [(3, 3, ['d']), (1, 2, ['x'])]
    """
    if max(len(old_lines), len(new_lines)) > _MAX_DIFF_LINES:
        return [(0, len(old_lines), new_lines)]
    if len(old_lines) == len(new_lines):  # fast path: most moves change a few lines, without adding or removing any
        return [(i, i + 1, [new_lines[i]]) for i in range(len(new_lines) - 1, -1, -1) if old_lines[i] != new_lines[i]]
    changes = SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes()
    return [(start, end, new_lines[j1:j2]) for kind, start, end, j1, j2 in reversed(changes) if kind != "equal"]


class Channel:
    """The changing part of a page and its readers. All methods must be called in one event loop."""

    def __init__(self) -> None:
        self.view: LiveView | None = None
        self._lines: list[str] = []
        self._changes: deque[tuple[int, int, bytes]] = deque(maxlen=_MAX_CHANGES)  # old version, new version, event
        self._readers: set[asyncio.Queue[bytes | None]] = set()

    @property
    def reader_count(self) -> int:
        """The number of readers."""
        return len(self._readers)

    def publish(self, view: LiveView) -> None:
        """Send a new view to all readers. A view with the current version is ignored."""
        if self.view is not None and self.view.version == view.version:
            return
        lines = view.text.split("\n")
        if self.view is None or view.version < self.view.version:  # the first view, or the game has restarted
            self._changes.clear()
            event = _encode_event("whole", view, text=view.text)
        else:
            event = _encode_event("change", view, hunks=changed_lines(self._lines, lines))
            self._changes.append((self.view.version, view.version, event))
        self.view, self._lines = view, lines
        for reader in list(self._readers):
            if reader.qsize() < _MAX_QUEUED_EVENTS:
                reader.put_nowait(event)
            else:
                self._disconnect_reader(reader)
        if view.is_last:
            self.close()

    def close(self) -> None:
        """Disconnect all readers after their queued events."""
        for reader in list(self._readers):
            self._disconnect_reader(reader)

    def _disconnect_reader(self, reader: asyncio.Queue[bytes | None]) -> None:
        self._readers.discard(reader)
        reader.put_nowait(None)

    async def events(self, last_version: int | None = None) -> AsyncGenerator[bytes]:
        """Yield the events for a reader. last_version: the latest version that the reader has received, or None."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        missed_events = [] if self.view is None else self._missed_events(last_version)
        self._readers.add(queue)  # subscribed before the first await, so that no event is missed
        if self.view is not None and self.view.is_last:
            self._disconnect_reader(queue)
        try:
            yield b"retry: 1000\n\n"
            for event in missed_events:
                yield event
            while True:
                try:
                    event_or_end = await asyncio.wait_for(queue.get(), _KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield b"event: alive\ndata: {}\n\n"
                    continue
                if event_or_end is None:
                    break
                yield event_or_end
        finally:
            self._readers.discard(queue)
        if self.view is not None and self.view.is_last:
            yield b"event: last\ndata: {}\n\n"

    def _missed_events(self, last_version: int | None) -> list[bytes]:
        """Return the events that update a reader: the changes since its version, or the whole text if these changes are
        no longer stored.
        """
        assert self.view is not None
        if last_version == self.view.version:
            return []
        missed_events = [
            (version_before, event)
            for version_before, version_after, event in self._changes
            if version_after > (last_version or 0)
        ]
        if missed_events and missed_events[0][0] == last_version:
            return [event for _, event in missed_events]
        return [_encode_event("whole", self.view, text=self.view.text)]


def _encode_event(kind: str, view: LiveView, **content: Any) -> bytes:
    times = {"thinking": seconds_since(view.thinking_since), "clock": seconds_since(view.clock_since)}
    data = json.dumps({"version": view.version, "status": view.status, "now": time.time(), **times, **content})
    return f"id: {view.version}\nevent: {kind}\ndata: {data}\n\n".encode()


class PolledChannels:
    """Channels for files and tables that other processes change.

    Each channel checks its files or tables again and again while it has readers. All readers of a channel share these
    checks.
    """

    def __init__(self) -> None:
        self._channels: dict[str, Channel] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def has_readers(self, prefix: str) -> bool:
        """Return whether any channel whose name begins with `prefix` has a reader."""
        return any(channel.reader_count for name, channel in list(self._channels.items()) if name.startswith(prefix))

    async def events(
        self, name: str, make_view: Callable[[int | None], LiveView | None], interval: float, last_version: int | None
    ) -> AsyncGenerator[bytes]:
        """Yield the events of the channel `name` for a reader. make_view: called in a thread every `interval` seconds
        with the current version; returns the new view, or None if nothing has changed. last_version: the latest version
        that the reader has received, or None.
        """
        channel = self._channels.get(name)
        if channel is None:
            channel = self._channels[name] = Channel()
            # the task makes the first view too, so that other readers get it even if this one leaves meanwhile
            self._tasks[name] = asyncio.create_task(self._poll(name, channel, make_view, interval))
        async with aclosing(channel.events(last_version)) as events:
            async for event in events:
                yield event

    async def _poll(
        self, name: str, channel: Channel, make_view: Callable[[int | None], LiveView | None], interval: float
    ) -> None:
        seconds_without_reader = 0.0
        try:
            while seconds_without_reader < _NO_READER_SECONDS:
                view = await anyio.to_thread.run_sync(make_view, channel.view.version if channel.view else None)
                if view is not None:
                    channel.publish(view)
                    if view.is_last:
                        return
                await asyncio.sleep(interval)
                seconds_without_reader = 0.0 if channel.reader_count else seconds_without_reader + interval
        finally:
            channel.close()
            if self._channels.get(name) is channel:
                del self._channels[name], self._tasks[name]

    def close(self) -> None:
        """Disconnect all readers."""
        for task in list(self._tasks.values()):
            task.cancel()
