"""Processes that analyse positions for the page: a limited number, kept warm, with a queue.

Uses processes and requests, but no game, no HTML. Everything runs on the server's event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from gomogo_core.processes.limits import DEFAULT, Level

_IDLE = 120.0  # seconds after which a process that nobody uses ends
_PATIENCE = 0.05  # seconds between two checks for a free process
_LONGEST_LINE = 1 << 20  # bytes of an answer
_numbers = itertools.count(1)


@dataclass(eq=False)
class AnalysisRequest:
    """A position to analyse, as the worker receives it. seconds: the limit."""

    game: str
    options: dict[str, Any]
    moves: list[str]
    agent: str = "strongest"
    lines: int = 3
    seconds: float = 60.0
    stopped: bool = False
    number: int = field(default_factory=lambda: next(_numbers))
    engine: _Engine | None = None

    def stop(self) -> None:
        """End the analysis at once."""
        self.stopped = True
        if self.engine is not None:
            self.engine.send({"stop": self.number})


class _Engine:
    """One process. It answers one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.used_at = 0.0

    @staticmethod
    async def start(sandbox: Level) -> _Engine:
        words = [sys.executable, "-m", "gomogo_core.engine_servers.analysis_worker", sandbox]
        pipe = asyncio.subprocess.PIPE
        return _Engine(await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, limit=_LONGEST_LINE))

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    def send(self, message: dict[str, Any]) -> None:
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write((json.dumps(message) + "\n").encode())

    async def answers(self, request: AnalysisRequest) -> AsyncIterator[dict[str, Any]]:
        assert self._process.stdout is not None
        number, names = request.number, ("game", "options", "moves", "agent", "lines", "seconds")
        self.send({"id": number, **{name: getattr(request, name) for name in names}})
        while line := await self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.pop("id") == number:  # skip the last line of an earlier request, which was cancelled
                yield answer
                if answer["done"]:
                    return

    async def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()


class AnalysisEngines:
    """The processes of one page server. most: how many run at once. sandbox: confines the programs they start."""

    def __init__(self, most: int, sandbox: Level = DEFAULT) -> None:
        self._most, self._sandbox = most, sandbox
        self._all, self._free = set[_Engine](), list[_Engine]()
        self._busy = 0
        self._queue = list[AnalysisRequest]()
        self._tasks = set[asyncio.Task[None]]()

    async def analyse(self, request: AnalysisRequest) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the results of an analysis; while all processes are busy, {"waiting": N} with N requests ahead."""
        self._queue.append(request)
        try:
            ahead = -1
            while (at := self._queue.index(request)) or self._busy >= self._most:
                if request.stopped:
                    return
                if at != ahead:
                    yield {"waiting": (ahead := at), "done": False}
                await asyncio.sleep(_PATIENCE)
            self._busy += 1
        finally:
            self._queue.remove(request)
        try:
            engine = request.engine = await self._acquire_engine()
            if not request.stopped:
                async for answer in engine.answers(request):
                    yield answer
        finally:
            request.stop()
            self._busy -= 1
            if request.engine is not None and request.engine.is_alive:
                request.engine.used_at = asyncio.get_running_loop().time()
                self._free.append(request.engine)
            self._run_in_background(self._end_idle())

    async def warm(self) -> None:
        """Start a process if none is free, so that the first analysis need not wait for it."""
        if not self._free and self._busy < self._most:
            self._busy += 1
            try:
                engine = await self._start()
                engine.used_at = asyncio.get_running_loop().time()
                self._free.append(engine)
            finally:
                self._busy -= 1
            self._run_in_background(self._end_idle())

    async def close(self) -> None:
        """End all processes."""
        for task in (tasks := list(self._tasks)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)  # a cancelled task needs a turn of the loop to end
        self._free.clear()
        while self._all:
            await self._all.pop().close()

    async def _acquire_engine(self) -> _Engine:
        while self._free:
            if (engine := self._free.pop()).is_alive:
                return engine
            self._all.discard(engine)
        return await self._start()

    async def _start(self) -> _Engine:
        self._all.add(engine := await _Engine.start(self._sandbox))
        return engine

    async def _end_idle(self) -> None:
        await asyncio.sleep(_IDLE)
        long_ago = asyncio.get_running_loop().time() - _IDLE
        for engine in [one for one in self._free if one.used_at <= long_ago]:
            self._free.remove(engine)
            self._all.discard(engine)
            await engine.close()

    def _run_in_background(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
