"""Attacks of a hostile program: in the sandbox none succeeds, at the level `limits` only those that the docs list."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gomogo_core.arena.confinement import Confinement, prepare_agent, readable_paths
from gomogo_core.catalogue import Agent, agent
from gomogo_core.processes import sandbox
from gomogo_core.processes.limits import SandboxLevel
from gomogo_core.procfs import is_alive

pytestmark = [pytest.mark.needs("bwrap"), pytest.mark.needs("gcc")]

TMP = "/tmp"  # inside: bubblewrap gives each program its own
SECRET = "GOMOGO_TEST_SECRET"
ORDINARY = 45678  # a user without a name

# What `limits` does not prevent, as docs/how-to/run-untrusted-programs.md says: a program is the user who plays it.
ONLY_IN_BWRAP = {
    "read the opponent's move",
    "read the opponent's program",
    "read the store",
    "list the games",
    "write into the opponent's folder",
    "write into its own program's folder",
    "write beside the store",
    "learn the environment",
    "see other programs",
    "end another program",
    "connect to the machine",
    "connect to a socket",
    "connect to an abstract socket",
    "end its supervisor",
    *(f"leave something in {place}" for place in ("tmp", "shm", "segment", "queue")),
}
# These depend on whose the machine is, and on its settings: `limits` promises nothing of them.
UNTOLD = {"trace another program", "read the passwords", "use keyrings", "leave something in keyring"}


@dataclass
class World:
    """The surroundings of a game: another agent's folder and program, a store, a program, listening sockets."""

    place: Path
    program: Path
    agent: Agent
    game: Path
    victim: subprocess.Popen[bytes]
    port: int
    abstract: str
    tried: int = field(default=0)

    def attempts(self) -> dict[str, tuple[str, str]]:
        """The attacks: the program's arguments, by a sentence."""
        victim = str(self.victim.pid)
        attempts_to_leave = {
            f"leave something in {place}": ("find", place) for place in ("tmp", "shm", "segment", "queue", "keyring")
        }
        return {
            "find open descriptors": ("descriptors", ""),  # first, because other tests open sockets
            "read the opponent's move": ("read", f"{self.game.parent}/opponent/move_file"),
            "read the opponent's program": ("read", f"{self.place}/programs/opponent/bot.py"),
            "read the store": ("read", f"{self.place}/store/gomogo.db"),
            "read the passwords": ("read", "/etc/shadow"),
            "list the games": ("list", str(self.game.parent)),
            "write into the opponent's folder": ("write", f"{self.game.parent}/opponent/move_file"),
            "write into its own program's folder": ("write", f"{self.program.parent}/new"),
            "write beside the store": ("write", f"{self.place}/store/new"),
            "learn the environment": ("told", SECRET),
            "see other programs": ("see", "54321.5"),
            "trace another program": ("trace", victim),
            "connect to the machine": ("connect", str(self.port)),
            "connect to a socket": ("socket", f"{self.place}/store/socket"),
            "connect to an abstract socket": ("socket", self.abstract),
            "use keyrings": ("keyring", ""),
            **attempts_to_leave,
            "end another program": ("kill", victim),
        }


# Tried inside only: where they succeed, they would harm the machine.
INSIDE = {
    "become root": ("root", ""),
    "make a user namespace": ("namespace", ""),
    "mount": ("mount", ""),
    "unmount": ("unmount", ""),
    "make a device": ("device", ""),
    "change the kernel's settings": ("kernel", ""),
    "leave its core": ("core", ""),
    **{f"open a socket of family {number}": ("family", str(number)) for number in (2, 10, 16, 40)},
    "fill its /tmp": ("fill", f"{TMP}/big"),
    "fill its shared memory": ("fill", "/dev/shm/big"),
    "fill the system": ("fill", "/big"),
    "write to the system": ("write", "/usr/new"),
    "write to /etc": ("write", "/etc/new"),
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("compiled") / "escapes"
    source = Path(__file__).with_name("escapes.c")
    subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-o", str(program), str(source), "-lrt"], check=True)
    return program


@pytest.fixture
def world(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    # not pytest's folder, which an ordinary user cannot enter
    place = Path(tempfile.mkdtemp(prefix="gomogo-escapes-"))
    place.chmod(0o755)
    monkeypatch.setenv(SECRET, "x")
    for folder in ("programs/own", "programs/opponent", "games/own", "games/opponent", "store"):
        (place / folder).mkdir(parents=True)
    for secret in ("programs/opponent/bot.py", "games/opponent/move_file", "store/gomogo.db"):
        (place / secret).write_text("secret")
    program = place / "programs/own/escapes"
    shutil.copy(compiled, program)
    toml = 'command = ["./escapes"]\nname = "escapes"\n'
    (place / "programs/own/agent.toml").write_text(toml)
    victim = subprocess.Popen(["sleep", "54321.5"], env={SECRET: "x"})
    abstract = f"@gomogo-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as listener, _listens(f"{place}/store/socket"), _listens(abstract):
        own = agent(str(place / "programs/own"))
        yield World(place, program, own, place / "games/own", victim, listener.getsockname()[1], abstract)
    victim.kill()
    victim.wait()
    shutil.rmtree(place)
    for path in (f"{TMP}/gomogo-test-left", "/dev/shm/gomogo-test-left"):
        Path(path).unlink(missing_ok=True)
    subprocess.run(["ipcrm", "-M", "0x60606"], capture_output=True, check=False)
    with contextlib.suppress(OSError):
        _remove_queue()


@contextlib.contextmanager
def _listens(name: str) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(name.replace("@", "\0", 1))
        listener.listen()
        yield


def _remove_queue() -> None:
    import ctypes

    ctypes.CDLL("librt.so.1").mq_unlink(b"/gomogo-test-left")


def run(world: World, level: SandboxLevel, *words: str) -> tuple[list[str], str]:
    """The lines that the program printed, and how it ended: held as in a game."""
    world.tried += 1
    folder = world.game / str(world.tried)
    folder.mkdir()
    process = Confinement(world.agent, level).start([str(world.program), *words], folder)
    process.wait(30)
    ended = process.exit_description() or ""
    process.end()
    return process.output_text.splitlines(), ended


def words_of(attempts: dict[str, tuple[str, str]]) -> list[str]:
    return [word for pair in attempts.values() for word in pair]


@pytest.mark.slow
def test_every_attack_fails_in_the_sandbox(world: World) -> None:
    attempts = {**world.attempts(), **INSIDE}
    prepare_agent(world.agent, "bwrap")
    run(world, "bwrap", "leave", "")
    printed, ended = run(world, "bwrap", *words_of(attempts))
    assert ended == "exited with code 0"
    assert [name for name, line in zip(attempts, printed, strict=True) if line == "out"] == []
    assert world.victim.poll() is None


def test_every_attack_fails_in_the_sandbox_of_an_ordinary_user(world: World) -> None:
    """If we are root, run in a process that has dropped root, to test an ordinary user's sandbox everywhere."""
    attempts = {**world.attempts(), **INSIDE}
    folder = world.game / "ordinary"
    folder.mkdir()
    if os.geteuid() == 0:
        os.chown(folder, ORDINARY, ORDINARY)
        for secret in ("programs/opponent/bot.py", "games/opponent/move_file", "store/gomogo.db"):
            os.chown(world.place / secret, ORDINARY, ORDINARY)  # the runner's own user, as for all files

    def try_all() -> list[str]:
        sandbox.require_sandbox()
        for words in (["leave", ""], words_of(attempts)):
            result = sandbox.run_sandboxed(
                sandbox.sandboxed_command([str(world.program), *words], folder, readable_paths(world.agent), None), 30
            )
            assert result.returncode == 0, result.stdout
        return result.stdout.splitlines()

    printed = as_ordinary_user(try_all)
    assert [name for name, line in zip(attempts, printed, strict=True) if line == "out"] == []
    assert world.victim.poll() is None


def as_ordinary_user(body: Callable[[], list[str]]) -> list[str]:
    """What `body` gives in a process of its own, that root has left for good."""
    reader, writer = os.pipe()
    # ignore the warning about a fork beside threads: this child only tries the call, and exits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(ORDINARY, ORDINARY, ORDINARY)
                os.setresuid(ORDINARY, ORDINARY, ORDINARY)
                os.environ["HOME"] = "/"
            answer = body()
        except BaseException as error:
            answer = [repr(error)]
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe_file:
        answered: list[str] = json.load(pipe_file)
    os.waitpid(child, 0)
    return answered


def test_at_the_level_limits_only_the_documented_attacks_succeed(world: World) -> None:
    attempts = world.attempts()
    run(world, "limits", "leave", "")
    printed, ended = run(world, "limits", *words_of(attempts))
    assert ended == "exited with code 0"
    escaped = {name for name, line in zip(attempts, printed, strict=True) if line == "out"}
    assert escaped - UNTOLD == ONLY_IN_BWRAP & attempts.keys()  # so that the attempts could succeed without the sandbox


@pytest.mark.parametrize("level", ["limits", "bwrap"])
def test_a_process_that_leaves_its_tree_is_still_ended(world: World, level: SandboxLevel) -> None:
    hold, folder = Confinement(world.agent, level), world.game / "survives"
    folder.mkdir()
    process = hold.start([str(world.program), "survive", ""], folder)
    survivor = folder / "survivor"
    until = time.monotonic() + 120
    while not survivor.exists() and time.monotonic() < until and process.exit_description() is None:
        time.sleep(0.01)
    process.wait(120)
    process.end()
    before = survivor.stat().st_size if survivor.exists() else 0
    time.sleep(0.2)
    assert (survivor.stat().st_size if survivor.exists() else 0) == before


def test_the_supervisor_can_be_ended_at_the_level_limits_only(world: World) -> None:
    assert run(world, "limits", "parent", "")[1] == "killed the process that watches over it"
    assert run(world, "bwrap", "parent", "")[1] == "exited with code 0"


@pytest.mark.slow
@pytest.mark.parametrize("level", ["limits", "bwrap"])
def test_a_flood_of_processes_is_ended(world: World, level: SandboxLevel) -> None:
    printed, ended = run(world, level, "fork", "")
    assert printed == []
    assert ended.endswith(" processes and threads; the limit is 1024")
    assert not [process for process in _running(world.program) if is_alive(process)]


def test_a_program_with_too_many_temporary_files_is_ended(world: World) -> None:
    printed, ended = run(world, "bwrap", "hoard", "")
    assert printed == []
    assert ended == "had more than 20000 files in its temporary folders"


def _running(program: Path) -> list[int]:
    running_ids = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(entry / "exe") == str(program):
                running_ids.append(int(entry.name))
    return running_ids
