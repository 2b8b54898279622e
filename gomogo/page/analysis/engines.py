"""A pool of processes that analyse positions for the page, with a queue of requests.

The module does not depend on games or HTML. Everything runs in the server's event loop.
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

from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel

_IDLE_SECONDS = 120.0  # seconds after which an unused process is ended
_CHECK_SECONDS = 0.05  # seconds between two checks for an available process
_MAX_ANSWER_BYTES = 1 << 20
_request_numbers = itertools.count(1)


@dataclass(eq=False)
class AnalysisRequest:
    """A position to analyse. agent: the agent or search that analyses. lines: the number of moves to return.

    seconds: time limit. number: identifies the request.
    """

    game: str
    options: dict[str, Any]
    moves: list[str]
    agent: str = "strongest"
    lines: int = 3
    seconds: float = 60.0
    stopped: bool = False
    number: int = field(default_factory=lambda: next(_request_numbers))
    engine: _AnalysisProcess | None = None

    def stop(self) -> None:
        """End the analysis at once."""
        self.stopped = True
        if self.engine is not None:
            self.engine.send({"stop": self.number})


class _AnalysisProcess:
    """One process of the pool. It answers one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.last_used = 0.0

    @staticmethod
    async def start(sandbox: SandboxLevel) -> _AnalysisProcess:
        words = [sys.executable, "-m", "gomogo_core.engine_servers.analysis_worker", sandbox]
        pipe = asyncio.subprocess.PIPE
        return _AnalysisProcess(
            await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, limit=_MAX_ANSWER_BYTES)
        )

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
            if answer.pop("id") == number:  # else it is the last answer to an earlier request, which was cancelled
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
    """The pool of a page server. max_processes: the maximum number of processes. sandbox: the level of isolation of the
    programs that they start.
    """

    def __init__(self, max_processes: int, sandbox: SandboxLevel = DEFAULT_SANDBOX) -> None:
        self._max_processes, self._sandbox = max_processes, sandbox
        self._processes, self._idle_processes = set[_AnalysisProcess](), list[_AnalysisProcess]()
        self._busy_count = 0
        self._queue = list[AnalysisRequest]()
        self._tasks = set[asyncio.Task[None]]()

    async def analyse(self, request: AnalysisRequest) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the results of an analysis. While all processes are busy, yield {"waiting": N}, where N is the number
        of earlier requests in the queue.
        """
        self._queue.append(request)
        try:
            ahead = -1
            while (at := self._queue.index(request)) or self._busy_count >= self._max_processes:
                if request.stopped:
                    return
                if at != ahead:
                    yield {"waiting": (ahead := at), "done": False}
                await asyncio.sleep(_CHECK_SECONDS)
            self._busy_count += 1
        finally:
            self._queue.remove(request)
        try:
            engine = request.engine = await self._take_process()
            if not request.stopped:
                async for answer in engine.answers(request):
                    yield answer
        finally:
            request.stop()
            self._busy_count -= 1
            if request.engine is not None and request.engine.is_alive:
                request.engine.last_used = asyncio.get_running_loop().time()
                self._idle_processes.append(request.engine)
            self._run_in_background(self._end_idle_processes())

    async def warm(self) -> None:
        """Start a process if none is free, so that the next analysis can begin at once."""
        if not self._idle_processes and self._busy_count < self._max_processes:
            self._busy_count += 1
            try:
                engine = await self._start_process()
                engine.last_used = asyncio.get_running_loop().time()
                self._idle_processes.append(engine)
            finally:
                self._busy_count -= 1
            self._run_in_background(self._end_idle_processes())

    async def close(self) -> None:
        """End all processes."""
        for task in (tasks := list(self._tasks)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)  # cancelled tasks end in the next turn of the loop
        self._idle_processes.clear()
        while self._processes:
            await self._processes.pop().close()

    async def _take_process(self) -> _AnalysisProcess:
        while self._idle_processes:
            if (engine := self._idle_processes.pop()).is_alive:
                return engine
            self._processes.discard(engine)
        return await self._start_process()

    async def _start_process(self) -> _AnalysisProcess:
        self._processes.add(engine := await _AnalysisProcess.start(self._sandbox))
        return engine

    async def _end_idle_processes(self) -> None:
        await asyncio.sleep(_IDLE_SECONDS)
        long_ago = asyncio.get_running_loop().time() - _IDLE_SECONDS
        for engine in [one for one in self._idle_processes if one.last_used <= long_ago]:
            self._idle_processes.remove(engine)
            self._processes.discard(engine)
            await engine.close()

    def _run_in_background(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
