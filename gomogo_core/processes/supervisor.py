"""A small process between us and one agent: it holds it to its limits, reports how it ended, and ends its whole tree.

Run as a script, alone: it imports nothing of ours but its neighbours, so that it starts in 10 ms. Usage: supervisor.py
SPEC, with SPEC a JSON object: control, report (descriptors), terminal (whether the agent keeps ours), pipes (the
descriptors that are its standard input and output, or none), command, passed (descriptors that the command reads before
it is the agent), wrapped (the command starts the agent and ends as it does), limits (or null), groups (the folder in
which a control group can be made, or empty).

Why a process per agent: a grandchild that called setsid outlives killpg, and lands unattributed where one reaper
serves all. As the subreaper (prctl(2), PR_SET_CHILD_SUBREAPER) of this one tree, all that lands here belongs to it.
If the referee dies, even by kill -9, the control pipe closes, and the tree is ended all the same.

Why two of them: the agent may kill or stop its parent. A guard above that one, which does nothing else, sees it, tells,
and ends the tree. Who kills the guard too could as well kill the referee: against that only a sandbox helps.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys

TYPE_CHECKING = False  # `typing` itself takes long to import
if TYPE_CHECKING:
    from typing import Any

    from gomogo_core.processes.own_group import Group
    from gomogo_core.processes.watching import Watch

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_KEPT = 16384  # bytes of what the agent prints: the first and the last so many
_SIGNALLED = 128  # added to a signal's number, where one process tells by its code how another ended
_ENDED = 200  # rounds of killing, 10 ms apart, before we give up on what cannot be killed


def _become_subreaper() -> None:
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _die_with_parent() -> None:
    """End with the supervisor, if that is killed, by the agent say. Its children do not hear of it."""
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _descendants() -> list[int]:
    """Every living process below this one, by /proc; elsewhere none but the process group is known."""
    children: dict[int, list[int]] = {}
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for number in numbers:
        try:
            with open(f"/proc/{number}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] != b"Z":
            children.setdefault(int(fields[1]), []).append(number)
    found, ahead = [], [os.getpid()]
    while ahead:
        below = children.get(ahead.pop(), [])
        found += below
        ahead += below
    return found


def _kill(number: int, sign: int) -> None:
    try:
        os.kill(number, sign)
    except (ProcessLookupError, PermissionError):
        pass


def _end_tree(child: int, group: Group | None) -> None:
    """End all that is in the agent's group, and all that landed here, until nothing is left."""
    if group is not None:
        group.kill()
    _kill_below(child)
    if group is not None:
        group.remove()


def _kill_below(child: int) -> None:
    """Stop everything first, so that nothing forks while it is killed; then kill until nothing is left."""
    for attempt in range(_ENDED):
        try:
            os.killpg(child, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        below = _descendants()
        for number in below:
            _kill(number, signal.SIGSTOP)
        for number in below:
            _kill(number, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.001 if attempt < 10 else 0.01)


def _exec(spec: dict[str, Any], watch: Watch | None, output: int, failed: int) -> None:
    """Become the agent. What goes wrong is told through `failed`, which a successful exec closes."""
    command, terminal, pipes = spec["command"], spec["terminal"], spec["pipes"]
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        _die_with_parent()
        if watch is not None:
            watch.bind()
        if not terminal:
            os.setsid()
            if pipes and spec["wrapped"]:
                output, failed = _hand_over(pipes, output, failed)
                pipes = []
            reader, writer = pipes or (os.open(os.devnull, os.O_RDONLY), output)
            os.dup2(reader, 0)
            os.dup2(writer, 1)
            os.dup2(output, 2)
            for extra in pipes:  # else it would keep its own input open for ever
                os.close(extra)
        os.execvp(command[0], command)
    except OSError as wrong:
        os.write(failed, (wrong.strerror or "it cannot be started").encode())
    os._exit(127)


def _hand_over(pipes: list[int], output: int, failed: int) -> tuple[int, int]:
    """Let the pipes be 8 and 9, where the wrapped command takes them from; the other two, out of their way.

    A sandbox keeps its own input and output open as long as it lives: nobody would hear that the agent has closed its.
    """
    import fcntl

    reader, writer, output, failed = (fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 10) for one in (*pipes, output, failed))
    for one in pipes:
        os.close(one)
    os.dup2(reader, 8)
    os.dup2(writer, 9)
    return output, failed


def _start(spec: dict[str, Any], watch: Watch | None, group: Group | None, output: int) -> tuple[int, str]:
    """The agent's process, and why it did not start, if it did not."""
    reader, writer = os.pipe()
    child = os.fork() if group is None else group.fork()
    if child == 0:
        _exec(spec, watch, output, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        return child, told.read().decode("utf-8", "replace")


class _Output:
    """What the agent printed: its beginning and its end. All is read, so that printing never blocks it."""

    def __init__(self) -> None:
        self.head, self.tail, self.dropped = b"", b"", 0

    def add(self, piece: bytes) -> None:
        room = _KEPT - len(self.head)
        self.head += piece[:room]
        self.tail += piece[room:]
        self.dropped += max(0, len(self.tail) - _KEPT)
        self.tail = self.tail[-_KEPT:]

    def drain(self, reader: int) -> bool:
        """Take what there is; False when nobody will print any more."""
        try:
            piece = os.read(reader, 65536)
        except BlockingIOError:
            return True
        self.add(piece)
        return bool(piece)

    def text(self) -> str:
        gap = f"\n[... {self.dropped} bytes left out ...]\n".encode() if self.dropped else b""
        return (self.head + gap + self.tail).decode("utf-8", "replace")


def _ended_how(status: int, wrapped: bool) -> str:
    number, code = 0, os.WEXITSTATUS(status)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
    elif wrapped and code > _SIGNALLED:  # so it tells of an agent that a signal ended
        number = code - _SIGNALLED
    if not number:
        return f"exited with code {code}"
    try:
        return f"ended by signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"ended by signal {number}"


def _obey(control: int, report: int, reader: int, printed: _Output, watch: Watch | None) -> bool:
    """Take the referee's words: the folder of the next game, or an empty line, which asks what was printed so far.

    False where it has closed the pipe.
    """
    told = os.read(control, 65536)
    for line in told.split(b"\n")[:-1]:
        if line and watch is not None:
            watch.folder = line.decode()
        elif not line:
            for _ in range(2):  # what a pipe holds; who prints without end does not keep us here
                if reader < 0 or not select.select([reader], [], [], 0)[0] or not printed.drain(reader):
                    break
            _tell(report, {"printed": printed.text()})
    return bool(told)


def _wait(
    control: int, report: int, reader: int, child: int, printed: _Output, watch: Watch | None, wrapped: bool
) -> dict[str, str]:
    """Wait until the agent has ended, or we are told to end it, or it takes too much; say how it ended."""
    waker, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    sources = [control, waker] + ([reader] if reader >= 0 else [])
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return {"ended": _ended_how(status, wrapped)}
        if watch is not None and (excess := watch.look()):
            return excess
        ready = select.select(sources, [], [], 1.0 if watch is None else watch.pause())[0]
        if control in ready and not _obey(control, report, reader, printed, watch):
            return {"ended": "ended by the referee"}
        if waker in ready:
            os.read(waker, 512)
            _reap_orphans(child)
        if reader in ready and not printed.drain(reader):
            sources.remove(reader)


def _reap_orphans(child: int) -> None:
    """Collect grandchildren that ended here, but leave the agent itself for `_watch` to ask."""
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if found is None or found.si_pid == child:
            return
        os.waitpid(found.si_pid, 0)


def _guard(report: int, theirs: list[int], group: Group | None) -> None:
    """Go on in a child process; the parent stays here, and ends the tree if the child cannot do it any more."""
    child = os.fork()
    if child == 0:
        os.setsid()  # who kills our process group does not reach the guard
        _become_subreaper()
        return
    for descriptor in theirs:
        os.close(descriptor)
    status = os.waitpid(child, os.WUNTRACED)[1]
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    did = "stopped" if os.WIFSTOPPED(status) else "killed"
    _tell(report, {"ended": f"{did} the process that watches over it"})
    _kill(child, signal.SIGKILL)
    _end_tree(child, group)
    os._exit(0)


def _own_group(folder: str) -> Group | None:
    if not folder:
        return None
    import own_group  # type: ignore[import-not-found]  # a script knows no package

    try:
        group: Group = own_group.Group(folder)
    except OSError:
        return None
    return group


def _watch(limits: dict[str, Any]) -> Watch:
    import watching  # type: ignore[import-not-found]  # likewise

    watch: Watch = watching.Watch(limits)
    return watch


def main() -> None:
    """Start the agent, report its end as one JSON line, end its tree, report what it printed as another."""
    spec = json.loads(sys.argv[1])
    control, report = spec["control"], spec["report"]
    for ours in (control, report):
        os.set_inheritable(ours, False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the referee decides; its pipe is the only way to tell us
    _become_subreaper()
    sys.path.append(os.path.dirname(__file__))
    group = _own_group(spec["groups"])
    reader, writer = -1, -1
    if not spec["terminal"]:
        _guard(report, [control, *spec["pipes"], *spec["passed"]], group)
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
    printed = _Output()
    watch = _watch(spec["limits"]) if spec["limits"] else None
    child, failure = _start(spec, watch, group, writer)
    for theirs in (*spec["pipes"], *spec["passed"]):  # ours would keep them open when the agent has ended
        os.close(theirs)
    if writer >= 0:
        os.close(writer)
    if failure:
        _tell(report, {"ended": f"cannot be started: {failure}"})
    else:
        _tell(report, _wait(control, report, reader, child, printed, watch, spec["wrapped"]))
    _end_tree(child, group)
    while reader >= 0 and select.select([reader], [], [], 0)[0] and printed.drain(reader):
        pass
    _tell(report, {"printed": printed.text()})


def _tell(report: int, fact: dict[str, str]) -> None:
    line = json.dumps(fact).encode() + b"\n"
    try:
        while line:
            line = line[os.write(report, line) :]
    except BrokenPipeError:
        pass  # nobody is there to hear it


if __name__ == "__main__":
    main()
