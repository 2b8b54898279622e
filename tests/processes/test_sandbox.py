"""Whole games in the sandbox, what is refused before they begin, and builds in it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gomogo.commands.agent.starters import starter_folder
from gomogo.commands.agent.templates import write_agent
from gomogo_core.arena import Arena, prepare_agent, run_build_command
from gomogo_core.arena.confinement import readable_paths
from gomogo_core.catalogue import agent
from gomogo_core.conformance.misbehaving.cases import FAULTS, LONG_LIMIT, honest_program
from gomogo_core.conformance.misbehaving.cases import misbehaving_program as misbehaving
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.processes import runtimes, sandbox
from gomogo_core.processes.limits import SANDBOX_LEVELS, SandboxLevel
from gomogo_core.records.game_record import PlayedGame

pytestmark = pytest.mark.needs("bwrap")

FAST = [TimeControl(5.0)] * 2
SMALL = load("gomoku", size=5)
MARKS = """
import os, tempfile
KEEP_RUNNING = True
open(os.path.join(tempfile.gettempdir(), "been-here"), "x").close()  # fails if the folder exists already
def choose(position, clock):
    return next(position.moves())
"""
FIRST = """
def choose(position, clock):
    return next(position.moves())
"""
EATS = """
def choose(position, clock):
    eaten = bytearray(300 << 20)
    return next(position.moves())
"""
INOTIFY = """
import os, select, sys
from gomogo_core.wire import inotify
team = sys.argv[1]
watch = inotify.InotifyWatch(".", inotify.CREATE)
used = 0
while True:
    if not os.path.exists(f"{team}.go") and not os.path.exists("end_game"):
        if not select.select([watch.fd], [], [], 4)[0]:
            sys.exit("nobody told me")
        watch.events()
        continue
    if os.path.exists("end_game"):
        break
    os.remove(f"{team}.go")  # the referee made this folder, and we can remove it
    line = open("move_file").read().split()
    points = [f"{c} {r}" for r in range(1, 6) for c in "abcde"]
    taken = {" ".join(word.split()[1:3]) for word in open("history_file").read().splitlines()}
    move = next(point for point in points if point not in taken)
    with open("move_file", "w") as file:  # written in place, so the file must belong to us, too
        file.write(f"{team} {move}")
"""


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    games = tmp_path / "games"
    games.mkdir()
    monkeypatch.setenv("GOMOGO_FOLDER", str(games))
    yield
    assert list(games.iterdir()) == []


def bot(folder: Path, source: str, *, name: str = "bot", toml: str = "") -> str:
    """A program in a folder of its own, by its agent.toml if there is one, else as a Python file."""
    place = folder / name
    place.mkdir()
    (place / "bot.py").write_text(source)
    if not toml:
        return str(place / "bot.py")
    (place / "agent.toml").write_text(f"{toml}\ncommand = ['{sys.executable}', '{{here}}/bot.py', '{{team}}']\n")
    return str(place)


def play(arena: Arena, *specs: str) -> PlayedGame:
    return arena.play(SMALL, [agent(spec) for spec in specs], FAST, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("level", SANDBOX_LEVELS)
def test_the_record_names_the_sandbox_level(level: SandboxLevel) -> None:
    with Arena(sandbox=level) as arena:
        played = play(arena, "greedy", "random_mover")
    assert played.outcome.reason.kind == "rules"
    assert played.sandbox == level
    assert PlayedGame.from_json(played.as_json()).sandbox == level


@pytest.mark.slow
def test_in_the_sandbox_each_game_has_a_fresh_process_and_an_empty_tmp(tmp_path: Path) -> None:
    spec = bot(tmp_path, MARKS)
    with Arena(sandbox="bwrap") as arena:
        for _ in range(2):
            played = play(arena, spec, "random_mover")
            assert played.outcome.reason.kind == "rules", played.outcome
            assert arena._file_agents._waiting_processes == []
    assert not Path(tempfile.gettempdir(), "been-here").exists()


def test_the_environment_of_a_program_in_the_sandbox(tmp_path: Path) -> None:
    source = "import os, sys; sys.exit(' '.join(sorted(os.environ)) + ' ' + os.getcwd())"
    spec = bot(tmp_path, source, toml="ready = true")
    with Arena(sandbox="bwrap") as arena:
        played = play(arena, spec, "random_mover")
    words = set(played.outcome.detail.split())
    assert {"HOME", "TMPDIR", "PATH", "LANG", "PYTHONPATH", "/game"} <= words
    assert "GOMOGO_FOLDER" not in words


@pytest.mark.slow
def test_a_program_that_only_waits_for_inotify_is_woken_in_the_sandbox(tmp_path: Path) -> None:
    with Arena(sandbox="bwrap") as arena:
        played = play(arena, bot(tmp_path, INOTIFY, toml="ready = false"), "random_mover")
    assert played.outcome.reason.kind == "rules", played.outcome


def test_the_sandbox_hides_outside_paths(tmp_path: Path) -> None:
    secret, own = tmp_path / "secret", sandbox.sandbox_user()
    secret.mkdir()
    words = [sys.executable, "-c", "print(open('/proc/1/cmdline').read())"]
    try:
        result = sandbox.run_sandboxed(sandbox.sandboxed_command(words, secret, (), own), 30)
    finally:
        if own is not None:
            own.close()
    assert "cmdline" in result.stdout
    assert str(secret) not in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["gomocup", "gtp", "json"])
def test_closed_output_of_a_sandboxed_engine_is_noticed_at_once(protocol: str) -> None:
    closes = misbehaving(FAULTS["closes_its_output"], protocol, 0, LONG_LIMIT)
    with Arena(sandbox="bwrap") as arena:
        played = arena.play(load("gomoku", size=5), [closes, honest_program(protocol)], [LONG_LIMIT, LONG_LIMIT])
    assert (played.outcome.reason, played.outcome.detail) == (Reason.CRASHED, "closed its output")


def test_engines_are_reached_through_pipes_in_the_sandbox(tmp_path: Path) -> None:
    written = write_agent(tmp_path, "mine", None, folder=True, starter=starter_folder("python"), pipes=True)
    with Arena(sandbox="bwrap") as arena:
        played = play(arena, str(tmp_path / written), "random_mover")
        assert played.outcome.reason.kind == "rules", played.outcome
        assert arena._pipe_agents is not None
        assert arena._pipe_agents._waiting_engines == []


@pytest.mark.slow
@pytest.mark.parametrize("level", ["limits", "bwrap"])
def test_an_agent_above_the_memory_limit_of_its_toml_loses(tmp_path: Path, level: SandboxLevel) -> None:
    source = EATS + "from gomogo_core.agent import run\nif __name__ == '__main__':\n    run(choose)\n"
    spec = bot(tmp_path, source.replace("return", "import time; time.sleep(3); return"), toml="memory_mb = 100")
    with Arena(sandbox=level) as arena:
        played = play(arena, spec, "random_mover")
    assert (played.outcome.reason, played.outcome.winner) == (Reason.TOO_MUCH_MEMORY, 2)
    assert played.outcome.detail.startswith("used ")
    assert played.outcome.detail.endswith(" MB; the limit is 100 MB")


@pytest.mark.slow
def test_the_memory_limit_of_a_spec_is_enforced(tmp_path: Path) -> None:
    bot(tmp_path, EATS.replace("return", "import time; time.sleep(3); return"))
    with Arena() as arena:
        played = play(arena, f"{tmp_path / 'bot' / 'bot.py'}?memory_mb=100", "random_mover")
    assert (played.outcome.reason, played.outcome.winner) == (Reason.TOO_MUCH_MEMORY, 2)
    assert played.outcome.detail.endswith(" MB; the limit is 100 MB")


def test_the_toml_of_a_file_program_sets_memory_and_cores_but_no_depth(tmp_path: Path) -> None:
    limited_agent = agent(bot(tmp_path, "", toml="memory_mb = 512\nthreads = 2"))
    assert (limited_agent.settings.memory_mb, limited_agent.core_count) == (512, 2)
    with pytest.raises(UserError, match="depth is only for engines"):
        agent(bot(tmp_path, "", name="other", toml="depth = 2"))


def test_a_sandboxed_exit_is_described_as_an_ordinary_one(tmp_path: Path) -> None:
    spec = bot(tmp_path, "def choose(position, clock):\n    import os\n    os.abort()\n")
    with Arena(sandbox="bwrap") as arena:
        played = play(arena, spec, "random_mover")
    assert played.outcome.detail.startswith("ended by signal 6 (SIGABRT)")


# The files a program may read


def test_the_sandbox_shows_the_folder_only_of_a_single_python_file(tmp_path: Path) -> None:
    single_agent = agent(bot(tmp_path, "def choose(position, clock):\n    return 'a1'\n"))
    (single_agent.folder / "helper.py").write_text("def helps(): ...\n")
    assert single_agent.folder in readable_paths(single_agent)
    (single_agent.folder / "rival.py").write_text("def choose(position, clock):\n    return 'a1'\n")
    assert single_agent.folder not in readable_paths(single_agent)
    assert single_agent.folder / "bot.py" in readable_paths(single_agent)


def test_the_sandbox_shows_the_files_named_on_a_command_line(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("")
    engine = agent(f"gomocup:{sys.executable} {tmp_path / 'weights'} --fast")
    assert [path for path in readable_paths(engine) if path.is_relative_to(tmp_path)] == [tmp_path / "weights"]
    within = agent(f"gomocup:sh -c 'exec {sys.executable} {tmp_path / 'weights'}'")
    assert tmp_path / "weights" in readable_paths(within)
    assert [path for path in readable_paths(agent('gomocup:sh -c "it\'s"')) if path.is_relative_to(tmp_path)] == []


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["gomocup", "gtp"])
def test_gomogo_itself_is_an_engine_in_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    mine = Path(bot(tmp_path, "from gomogo_core.agent import run\n" + FIRST + "run(choose)\n", toml="ready = true"))
    monkeypatch.chdir(tmp_path)
    engine = f"{protocol}:{sys.executable} -m gomogo engine ./{mine.name} --protocol {protocol} --game capture_go"
    game = load("gomoku", size=5) if protocol == "gomocup" else load("capture_go", size=5)
    with Arena(sandbox="bwrap") as arena:
        played = arena.play(game, [agent(engine), agent("random_mover")], [LONG_LIMIT, LONG_LIMIT])
    assert played.outcome.reason.kind == "rules", played.outcome


def test_an_agent_in_the_folder_of_the_results_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = bot(tmp_path, "", toml="ready = true")
    monkeypatch.setenv("GOMOGO_DATA", str(Path(spec) / "data"))
    with pytest.raises(UserError, match="contains other files too"):
        prepare_agent(agent(spec), "bwrap")


def test_an_unreadable_sandboxed_program_is_refused_before_the_game(tmp_path: Path) -> None:
    place = Path(bot(tmp_path, "", toml="ready = true"))
    (place / "run").write_text("#!/nowhere/python\n")
    (place / "agent.toml").write_text('command = "./run"\n')
    (place / "run").chmod(0o700)
    if os.geteuid() == 0:  # a separate user may not
        with pytest.raises(UserError, match=f"cannot play in the sandbox: it cannot run {place}/run"):
            prepare_agent(agent(str(place)), "bwrap")
    (place / "run").chmod(0o111)
    with pytest.raises(UserError, match=f"cannot play in the sandbox: it cannot read {place}/run"):
        run_as_it_is(place)
    (place / "run").chmod(0o755)


def run_as_it_is(place: Path) -> None:
    """Root may read everything, so its own user must not: nobody may read what is only there to be run."""
    prepare_agent(agent(str(place)), "bwrap")


def test_a_program_without_its_library_is_refused_before_the_game(tmp_path: Path) -> None:
    place = Path(bot(tmp_path, "", toml="ready = true"))
    for name, words in (
        ("part.c", "int part(void) { return 0; }"),
        ("main.c", "int part(void); int main() { part(); }"),
    ):
        (place / name).write_text(words)
    away = tmp_path / "away"
    away.mkdir()
    build = f"cc -shared -o {away}/libpart.so part.c && cc -o run main.c -L{away} -lpart -Wl,-rpath,{away}"
    assert os.system(f"cd {place} && {build}") == 0
    (place / "agent.toml").write_text('command = "./run"\n')
    with pytest.raises(UserError, match=r"needs libpart\.so => not found"):
        prepare_agent(agent(str(place)), "bwrap")


def test_without_bwrap_no_game_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        Arena(sandbox="bwrap") as arena,
        pytest.raises(UserError, match="needs bwrap, which is not installed") as error_info,
    ):
        play(arena, "greedy", "random_mover")
    assert "apt install bubblewrap" in error_info.value.remedy


def test_the_sandbox_is_tried_again_for_another_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox.require_sandbox()
    tools = [shutil.which("bwrap"), shutil.which("setpriv")]
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="needs bwrap, which is not installed"):
        sandbox.require_sandbox()
    for tool in filter(None, tools):
        (tmp_path / Path(tool).name).symlink_to(tool)
    with pytest.raises(UserError, match="true cannot be started: there is no such program in PATH"):
        sandbox.require_sandbox()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'bubblewrap 0.6.1'", "needs bubblewrap 0.7; 'bubblewrap 0.6.1' is installed"),
        (
            "[ $1 = --version ] && echo 0.8.0 || { echo 'bwrap: No permissions'; exit 1; }",
            "here: bwrap: No permissions",
        ),
    ],
    ids=["too old", "forbidden"],
)
def test_a_failing_bwrap_is_reported_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(UserError, match=message):
        sandbox.require_sandbox()


# The runtime files a program needs


def test_the_sandbox_shows_a_virtual_environment_with_its_base_python(tmp_path: Path) -> None:
    base, place = tmp_path / "base", tmp_path / "place"
    for folder in (base / "bin", base / "lib", place / "bin"):
        folder.mkdir(parents=True)
    (base / "bin" / "python3").write_text("#!/bin/sh\n")
    (base / "bin" / "python3").chmod(0o755)
    (place / "pyvenv.cfg").write_text("")
    (place / "bin" / "python").symlink_to(base / "bin" / "python3")
    assert runtimes.needed_paths([str(place / "bin" / "python"), "bot.py"]) == [place, base]


def test_only_the_program_is_readable_in_a_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    program = tmp_path / ".local" / "bin" / "engine"
    (tmp_path / ".local" / "lib").mkdir(parents=True)
    program.parent.mkdir()
    program.write_text("#!/usr/bin/env -S sh\n")
    program.chmod(0o755)
    assert runtimes.needed_paths([str(program)]) == [program]


def test_a_version_manager_resolves_its_wrapper_script(tmp_path: Path) -> None:
    home, real = tmp_path / ".manager", tmp_path / "real" / "bin" / "engine"
    for program, content in (
        (real, "#!/bin/sh\n"),
        (home / "shims" / "engine", "#!/bin/sh\n"),
        (home / "bin" / "manager", f"#!/bin/sh\n[ $1 = which ] && echo {real}\n"),
    ):
        program.parent.mkdir(parents=True)
        program.write_text(content)
        program.chmod(0o755)
    assert runtimes.find_program([str(home / "shims" / "engine"), "x"]) == [str(real), "x"]


# Builds


def test_a_build_in_the_sandbox_writes_its_own_folder_only(tmp_path: Path) -> None:
    build = f"echo built > done; echo x > {tmp_path}/outside; cat ../secret; ls /home /root; true"
    spec = bot(tmp_path, "", toml=f'build = "{build}"')
    (tmp_path / "secret").write_text("secret")
    built = run_build_command(agent(spec), "bwrap")
    assert built.succeeded
    assert (Path(spec) / "done").read_text() == "built\n"
    assert not (tmp_path / "outside").exists()
    assert "secret\n" not in built.output
    owners = {path.stat().st_uid for path in [Path(spec), *Path(spec).rglob("*")]}
    assert owners == {os.geteuid()}  # all files belong to us again


@pytest.mark.slow
@pytest.mark.parametrize("level", SANDBOX_LEVELS)
def test_an_endless_build_is_ended(tmp_path: Path, level: SandboxLevel) -> None:
    endless = agent(bot(tmp_path, "", toml='build = "echo begun; sleep 600"'))
    for limit in (0.5, 5.0, 50.0):  # on a busy machine a shell may need more than half a second to begin
        built = run_build_command(endless, level, limit=limit)
        assert built.exit_description is None
        if built.output:
            break
    assert built.output == "begun\n"
