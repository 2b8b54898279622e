"""A small process between the referee and one agent. The supervisor enforces limits, reports the agent's end, and ends
the agent's tree of processes.

It runs as a script, and imports few modules, so that it starts in 10 ms. Usage: supervisor.py SPEC, where SPEC is a
JSON object with the fields control and report (descriptors), terminal (whether the agent uses the referee's terminal),
pipes (the descriptors for its standard input and output, or none), command, passed (descriptors that the command reads
before it becomes the agent), wrapped (whether the command starts the agent, and has the agent's exit code), limits (or
null), turns (the descriptor of the page that is shared with the referee, or -1), and groups (the folder for control
groups, or empty).

Each agent has a supervisor of its own, because a grandchild that called setsid survives killpg, and a single supervisor
of all agents could not find out which agent started such a process. The supervisor is the subreaper (prctl(2),
PR_SET_CHILD_SUBREAPER) of one tree, so every orphan that it adopts belongs to its agent. If the referee dies, even by
kill -9, the control pipe closes, and the supervisor still ends the tree.

The supervisor consists of two processes, because the agent may kill or stop its parent. Above the supervisor is a
second process, the guard, which does nothing else: it notices that the supervisor was killed or stopped, reports this,
and ends the tree. An agent that kills the guard too could also kill the referee; only a sandbox prevents this.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time

if __name__ == "__main__":  # python -I leaves out the folder that contains this package
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from gomogo_core import procfs

TYPE_CHECKING = False  # `typing` itself takes long to import
if TYPE_CHECKING:
    from typing import Any

    from gomogo_core.processes.cgroup import Cgroup
    from gomogo_core.processes.out_of_turn import TurnWatch
    from gomogo_core.processes.resource_monitor import ResourceMonitor

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_KEPT_BYTES = 16384  # the bytes kept of the start of the agent's output; as many are kept of its end
_SIGNAL_EXIT_BASE = 128  # if a signal ends the agent, bwrap exits with this number plus the number of the signal
# seconds in which an agent's other processes may exit after the agent, if the referee waits for them
SURVIVOR_TIMEOUT = 2.0
_CHECK_INTERVAL = 0.02  # seconds between two checks whether these processes have exited
_SUPERVISOR_NICENESS = -10  # the supervisor's niceness; that of the program does not change
_MAX_KILL_ROUNDS = 200  # attempts, 10 ms apart, before the supervisor gives up on processes that cannot be killed


def _become_subreaper() -> None:
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _raise_priority() -> None:
    """Raise the supervisor's priority if permitted, because it needs a core even if the program uses all cores.

    If the kernel schedules by session, the priority of the session counts, not that of the process.
    """
    try:
        os.setpriority(os.PRIO_PROCESS, 0, _SUPERVISOR_NICENESS)
        procfs.set_session_priority(_SUPERVISOR_NICENESS)
    except OSError:
        pass  # this process is not run by root, or the kernel does not schedule by session


def _die_with_parent() -> None:
    """Let the kernel kill this process if its parent, the supervisor, is killed. The children of this process do not
    inherit this setting.
    """
    if sys.platform.startswith("linux"):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _descendants() -> list[int]:
    """Return every living descendant of this process, by /proc; empty on systems without /proc."""
    children: dict[int, list[int]] = {}
    for pid in procfs.process_ids():
        fields = procfs.stat_fields(pid)
        if fields and fields[0] != b"Z":
            children.setdefault(int(fields[1]), []).append(pid)
    descendants, pids = [], [os.getpid()]
    while pids:
        child_pids = children.get(pids.pop(), [])
        descendants += child_pids
        pids += child_pids
    return descendants


def _kill(pid: int, signal_number: int) -> None:
    try:
        os.kill(pid, signal_number)
    except (ProcessLookupError, PermissionError):
        pass


def _end_tree(child: int, cgroup: Cgroup | None) -> None:
    """End all processes in the agent's group and all descendants, until none is left."""
    if cgroup is not None:
        cgroup.kill()
    _kill_processes_below(child)
    if cgroup is not None:
        cgroup.remove()


def _kill_processes_below(group: int) -> None:
    """Stop all processes below this one, so that none forks, and kill them, until none is left."""
    for attempt in range(_MAX_KILL_ROUNDS):
        try:
            os.killpg(group, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
        descendants = _descendants()
        for pid in descendants:
            _kill(pid, signal.SIGSTOP)
        for pid in descendants:
            _kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        select.select([], [], [], 0.001 if attempt < 10 else 0.01)


def _exec_agent(spec: dict[str, Any], monitor: ResourceMonitor | None, output_pipe: int, error_pipe: int) -> None:
    """Replace this process by the agent. Write an error to `error_pipe`, which a successful exec closes."""
    command, terminal, pipes = spec["command"], spec["terminal"], spec["pipes"]
    try:
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(signal_number, signal.SIG_DFL)
        _die_with_parent()
        os.setpriority(os.PRIO_PROCESS, 0, spec["priority"])
        if monitor is not None:
            monitor.set_system_limits()
        if not terminal:
            os.setsid()
            if pipes and spec["wrapped"]:
                output_pipe, error_pipe = _move_descriptors(pipes, output_pipe, error_pipe)
                pipes = []
            reader, writer = pipes or (os.open(os.devnull, os.O_RDONLY), output_pipe)
            os.dup2(reader, 0)
            os.dup2(writer, 1)
            os.dup2(output_pipe, 2)
            for extra in pipes:  # close this copy, or the agent would keep its own input open for ever
                os.close(extra)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(error_pipe, (error.strerror or "it cannot be started").encode())
    os._exit(127)


def _move_descriptors(pipes: list[int], output_pipe: int, error_pipe: int) -> tuple[int, int]:
    """Move the pipes to the descriptors 8 and 9, where the wrapped command expects them, and the other descriptors to
    higher numbers.

    If the agent's pipes were the standard streams of the sandbox, which stay open, nobody would notice that the agent
    has closed them.
    """
    import fcntl

    reader, writer, output_pipe, error_pipe = (
        fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for descriptor in (*pipes, output_pipe, error_pipe)
    )
    for descriptor in pipes:
        os.close(descriptor)
    os.dup2(reader, 8)
    os.dup2(writer, 9)
    return output_pipe, error_pipe


def _start_agent(
    spec: dict[str, Any], monitor: ResourceMonitor | None, cgroup: Cgroup | None, output_pipe: int
) -> tuple[int, str]:
    """Start the agent. Return its process, and the error if it did not start, else an empty text."""
    reader, writer = os.pipe()
    child = os.fork() if cgroup is None else cgroup.fork()
    if child == 0:
        _exec_agent(spec, monitor, output_pipe, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as errors:
        return child, errors.read().decode("utf-8", "replace")


class _AgentOutput:
    """The start and the end of the agent's output. All output is read, so that printing never blocks the agent."""

    def __init__(self) -> None:
        self.head, self.tail, self.dropped_bytes = b"", b"", 0

    def add(self, chunk: bytes) -> None:
        free_bytes = _KEPT_BYTES - len(self.head)
        self.head += chunk[:free_bytes]
        self.tail += chunk[free_bytes:]
        self.dropped_bytes += max(0, len(self.tail) - _KEPT_BYTES)
        self.tail = self.tail[-_KEPT_BYTES:]

    def drain(self, output_reader: int) -> bool:
        """Read the available output. Return False if every writer has closed it."""
        try:
            chunk = os.read(output_reader, 65536)
        except BlockingIOError:
            return True
        self.add(chunk)
        return bool(chunk)

    def text(self) -> str:
        gap_text = f"\n[... {self.dropped_bytes} bytes left out ...]\n".encode() if self.dropped_bytes else b""
        return (self.head + gap_text + self.tail).decode("utf-8", "replace")


def _describe_exit(status: int, is_sandboxed: bool) -> str:
    signal_number, code = 0, os.WEXITSTATUS(status)
    if os.WIFSIGNALED(status):
        signal_number = os.WTERMSIG(status)
    elif is_sandboxed and code > _SIGNAL_EXIT_BASE:  # bwrap's exit code for an agent that a signal ended
        signal_number = code - _SIGNAL_EXIT_BASE
    if not signal_number:
        return f"exited with code {code}"
    try:
        return f"ended by signal {signal_number} ({signal.Signals(signal_number).name})"
    except ValueError:
        return f"ended by signal {signal_number}"


def _follow_commands(
    control_pipe: int,
    report_pipe: int,
    output_reader: int,
    output: _AgentOutput,
    monitor: ResourceMonitor | None,
    turn_watch: TurnWatch | None,
) -> bool:
    """Execute the referee's commands. Return False if the referee has closed the pipe.

    An empty line requests the output so far. The line `check` says that the turn has changed; after `check!` the
    referee also waits for an answer. Any other line is the folder of the next game.
    """
    commands = os.read(control_pipe, 65536)
    for line in commands.split(b"\n")[:-1]:
        if line in (b"check", b"check!"):
            if turn_watch is not None:
                turn_watch.check(measure_now=True)
            if line == b"check!":
                _send_report(report_pipe, {"checked": "yes"})
        elif line and monitor is not None:
            monitor.folder = line.decode()
        elif not line:
            for _ in range(2):  # read at most the content of one pipe, because a program may print without end
                if (
                    output_reader < 0
                    or not select.select([output_reader], [], [], 0)[0]
                    or not output.drain(output_reader)
                ):
                    break
            _send_report(report_pipe, {"printed": output.text()})
    return bool(commands)


def _wait_for_end(
    control_pipe: int,
    report_pipe: int,
    output_reader: int,
    child: int,
    output: _AgentOutput,
    monitor: ResourceMonitor | None,
    turn_watch: TurnWatch | None,
    is_sandboxed: bool,
) -> tuple[bool, dict[str, str]]:
    """Wait until the agent has ended, or the referee asks to end it, or it exceeds a limit.

    Return whether the agent has ended by itself, and the report about its end.
    """
    wake_reader, wake_writer = os.pipe()
    os.set_blocking(wake_writer, False)
    signal.set_wakeup_fd(wake_writer)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    sources = [control_pipe, wake_reader] + ([output_reader] if output_reader >= 0 else [])
    while True:
        ended_pid, status = os.waitpid(child, os.WNOHANG)
        if ended_pid:
            return True, {"ended": _describe_exit(status, is_sandboxed)}
        if monitor is not None and (limit_report := monitor.exceeded_limit()):
            return False, limit_report
        if turn_watch is not None:
            turn_watch.check()
        now = time.monotonic()
        next_check_at = min(
            now + 1.0 if watcher is None else watcher.next_check_at for watcher in (monitor, turn_watch)
        )
        ready_sources = select.select(sources, [], [], max(0.0, next_check_at - now))[0]
        if control_pipe in ready_sources and not _follow_commands(
            control_pipe, report_pipe, output_reader, output, monitor, turn_watch
        ):
            return False, {"ended": "ended by the referee"}
        if wake_reader in ready_sources:
            os.read(wake_reader, 512)
            _reap_orphans(child)
        if output_reader in ready_sources and not output.drain(output_reader):
            sources.remove(output_reader)


def _reap_orphans(child: int) -> None:
    """Reap orphaned descendants, but leave the agent itself to `_wait_for_end`."""
    while True:
        try:
            ended_child = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended_child is None or ended_child.si_pid == child:
            return
        os.waitpid(ended_child.si_pid, 0)


def _count_survivors(control_pipe: int, monitor: ResourceMonitor | None, is_sandboxed: bool) -> int | None:
    """Return the number of processes that outlive an agent that ended by itself; None if the referee closes the pipe.

    Helper processes of an honest program, such as Python's resource tracker, exit shortly after the program itself. So
    the processes are counted after SURVIVOR_TIMEOUT seconds, or as soon as none is left.
    """
    deadline = time.monotonic() + SURVIVOR_TIMEOUT
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return 0
        if time.monotonic() > deadline or (monitor is not None and monitor.exceeded_limit()):
            count = len(_descendants())
            return max(1, count - 1) if is_sandboxed and count else count  # bwrap's first process does not count
        if select.select([control_pipe], [], [], _CHECK_INTERVAL)[0] and not os.read(control_pipe, 65536):
            return None


def _continue_in_guarded_child(report_pipe: int, descriptors: list[int], cgroup: Cgroup | None) -> None:
    """Continue in a child process. The parent stays in this function, and ends the tree if the child is stopped or
    killed.
    """
    child = os.fork()
    if child == 0:
        os.setsid()  # a signal to the supervisor's process group must not reach the guard
        _raise_priority()
        _become_subreaper()
        return
    for descriptor in descriptors:
        os.close(descriptor)
    status = os.waitpid(child, os.WUNTRACED)[1]
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    verb = "stopped" if os.WIFSTOPPED(status) else "killed"
    _send_report(report_pipe, {"ended": f"{verb} the process that watches over it"})
    _kill(child, signal.SIGKILL)
    _end_tree(child, cgroup)
    os._exit(0)


def _create_cgroup(folder: str) -> Cgroup | None:
    if not folder:
        return None
    from gomogo_core.processes.cgroup import Cgroup

    try:
        return Cgroup(folder)
    except OSError:
        return None


def main() -> None:
    """Start the agent, report its end as a JSON line, end its tree, and report its output as another JSON line."""
    spec = json.loads(sys.argv[1])
    control_pipe, report_pipe = spec["control"], spec["report"]
    spec["priority"] = os.getpriority(os.PRIO_PROCESS, 0)
    for descriptor in (control_pipe, report_pipe):
        os.set_inheritable(descriptor, False)
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # ignore signals of the terminal: only the referee ends the agent, through the control pipe
        signal.signal(signal_number, signal.SIG_IGN)
    if spec["turns"] >= 0:
        os.set_inheritable(spec["turns"], False)
    _become_subreaper()
    cgroup = _create_cgroup(spec["groups"])
    output_reader, writer = -1, -1
    if not spec["terminal"]:
        _continue_in_guarded_child(report_pipe, [control_pipe, *spec["pipes"], *spec["passed"]], cgroup)
        output_reader, writer = os.pipe()
        os.set_blocking(output_reader, False)
    output = _AgentOutput()
    monitor: ResourceMonitor | None = None
    turn_watch: TurnWatch | None = None
    if spec["limits"]:
        from gomogo_core.processes.resource_monitor import ResourceMonitor

        monitor = ResourceMonitor(spec["limits"], is_sandboxed=spec["wrapped"])
    if spec["turns"] >= 0:
        from gomogo_core.processes.out_of_turn import TurnWatch

        turn_watch = TurnWatch(spec["turns"], cgroup, ponders=spec["limits"]["ponders"])
    child, failure = _start_agent(spec, monitor, cgroup, writer)
    # close these copies of the descriptors, which would keep the pipes open after the agent's end
    for descriptor_of_agent in (*spec["pipes"], *spec["passed"]):
        os.close(descriptor_of_agent)
    if writer >= 0:
        os.close(writer)
    if failure:
        _send_report(report_pipe, {"ended": f"cannot be started: {failure}"})
    else:
        has_exited, end_report = _wait_for_end(
            control_pipe, report_pipe, output_reader, child, output, monitor, turn_watch, spec["wrapped"]
        )
        _send_report(report_pipe, end_report)
        if has_exited and (survivors := _count_survivors(control_pipe, monitor, spec["wrapped"])) is not None:
            _send_report(report_pipe, {"survivors": str(survivors)})
    _end_tree(child, cgroup)
    while output_reader >= 0 and select.select([output_reader], [], [], 0)[0] and output.drain(output_reader):
        pass
    _send_report(report_pipe, {"printed": output.text()})


def _send_report(report_pipe: int, report: dict[str, str]) -> None:
    line = json.dumps(report).encode() + b"\n"
    try:
        while line:
            line = line[os.write(report_pipe, line) :]
    except BrokenPipeError:
        pass  # the referee has died


if __name__ == "__main__":
    main()
