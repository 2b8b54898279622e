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

_IDLE_SECONDS = 120.0  # seconds without a request after which the pool ends a process
_CHECK_SECONDS = 0.05  # seconds between two checks for an available process
_MAX_ANSWER_BYTES = 1 << 20
_request_numbers = itertools.count(1)


@dataclass(eq=False)
class AnalysisRequest:
    """A request to analyse the position after `moves`. agent: the agent or search method that analyses it.

    lines: the number of best moves to return. seconds: the time limit. is_stopped: whether the analysis was stopped.
    number: identifies the request. process: the process that answers; None while the request is in the queue.
    """

    game: str
    options: dict[str, Any]
    moves: list[str]
    agent: str = "strongest"
    lines: int = 3
    seconds: float = 60.0
    is_stopped: bool = False
    number: int = field(default_factory=lambda: next(_request_numbers))
    process: _AnalysisProcess | None = None

    def stop(self) -> None:
        """End the analysis at once."""
        self.is_stopped = True
        if self.process is not None:
            self.process.send({"stop": self.number})


class _AnalysisProcess:
    """One process of the pool. It answers one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.last_used = 0.0

    @staticmethod
    async def start(sandbox: SandboxLevel) -> _AnalysisProcess:
        command = [sys.executable, "-m", "gomogo_core.engine_servers.analysis_worker", sandbox]
        pipe = asyncio.subprocess.PIPE
        return _AnalysisProcess(
            await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=_MAX_ANSWER_BYTES)
        )

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    def send(self, message: dict[str, Any]) -> None:
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write((json.dumps(message) + "\n").encode())

    async def stream_answers(self, request: AnalysisRequest) -> AsyncIterator[dict[str, Any]]:
        assert self._process.stdout is not None
        number, names = request.number, ("game", "options", "moves", "agent", "lines", "seconds")
        self.send({"id": number, **{name: getattr(request, name) for name in names}})
        while line := await self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.pop("id") == number:  # an answer with another id belongs to an earlier request that was stopped
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


class AnalysisPool:
    """The pool of a page server. max_processes: the maximum number of processes. sandbox: the level of isolation of the
    programs that they start.
    """

    def __init__(self, max_processes: int, sandbox: SandboxLevel = DEFAULT_SANDBOX) -> None:
        self._max_processes, self._sandbox = max_processes, sandbox
        self._processes, self._idle_processes = set[_AnalysisProcess](), list[_AnalysisProcess]()
        self._busy_count = 0
        self._queue = list[AnalysisRequest]()
        self._tasks = set[asyncio.Task[None]]()
        self._is_closed = False

    async def analyse(self, request: AnalysisRequest) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the results of an analysis. While all processes are busy, yield {"waiting": N}, where N is the number
        of earlier requests in the queue. Yield nothing once the pool is closed.
        """
        if self._is_closed:
            return
        self._queue.append(request)
        try:
            reported = -1
            while (place := self._queue.index(request)) or self._busy_count >= self._max_processes:
                if request.is_stopped or self._is_closed:
                    return
                if place != reported:
                    yield {"waiting": (reported := place), "done": False}
                await asyncio.sleep(_CHECK_SECONDS)
            self._busy_count += 1
        finally:
            self._queue.remove(request)
        try:
            process = request.process = await self._take_process()
            if not request.is_stopped:
                async for answer in process.stream_answers(request):
                    yield answer
        finally:
            request.stop()
            self._busy_count -= 1
            if request.process is not None and request.process.is_alive:
                request.process.last_used = asyncio.get_running_loop().time()
                self._idle_processes.append(request.process)
            self._end_idle_processes_later()

    async def prepare(self, game: str, options: dict[str, Any]) -> None:
        """Let an idle process load the engine for a game, so that the next analysis can begin at once.

        If no process is idle, start one, unless that would be more than the maximum number.
        """
        if not self._idle_processes and self._busy_count < self._max_processes and not self._is_closed:
            self._busy_count += 1
            try:
                process = await self._start_process()
                process.last_used = asyncio.get_running_loop().time()
                self._idle_processes.append(process)
            finally:
                self._busy_count -= 1
            self._end_idle_processes_later()
        if self._idle_processes:
            self._idle_processes[-1].send({"prepare": game, "options": options})

    async def close(self) -> None:
        """End all processes, and start no other one."""
        self._is_closed = True
        for task in (tasks := list(self._tasks)):
            task.cancel()
        await asyncio.gather(
            *tasks, return_exceptions=True
        )  # a cancelled task ends in the next iteration of the event loop
        self._idle_processes.clear()
        while self._processes:
            await self._processes.pop().close()

    async def _take_process(self) -> _AnalysisProcess:
        while self._idle_processes:
            if (process := self._idle_processes.pop()).is_alive:
                return process
            self._processes.discard(process)
        return await self._start_process()

    async def _start_process(self) -> _AnalysisProcess:
        self._processes.add(process := await _AnalysisProcess.start(self._sandbox))
        if self._is_closed:
            await process.close()
        return process

    async def _end_idle_processes(self) -> None:
        await asyncio.sleep(_IDLE_SECONDS)
        latest_use = asyncio.get_running_loop().time() - _IDLE_SECONDS
        for process in [process for process in self._idle_processes if process.last_used <= latest_use]:
            self._idle_processes.remove(process)
            self._processes.discard(process)
            await process.close()

    def _end_idle_processes_later(self) -> None:
        """Start a background task that ends the processes that are still idle after _IDLE_SECONDS.

        After `close`, start no task, since the event loop ends and nothing would cancel the task.
        """
        if self._is_closed:
            return
        task = asyncio.get_running_loop().create_task(self._end_idle_processes())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
