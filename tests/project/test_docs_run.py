"""The commands on the documents' pages work, and print the output shown there."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from gomogo.cli import gomogo
from gomogo.one_game import game_test, referee
from tests.project._pages import Block, TypedCommand, code_blocks, documentation_pages, needed_programs, read_page
from tests.project._tracked import ROOT, copy_project, python_files

PATIENCE = 300.0  # seconds for the commands of one block, on a busy machine
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # as in an activated environment


def with_commands(page: str) -> bool:
    return any(block.commands and block.not_run is None for block in code_blocks(page))


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.needs(*needed_programs(page)))
        for page in documentation_pages()
        if with_commands(page)
    ],
)
def test_every_documented_command_works(page: str, tmp_path: Path) -> None:
    clone = tmp_path / "gomogo"
    copy_project(clone)
    for block in code_blocks(page):
        if block.file is not None:
            path = clone / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.commands and block.not_run is None:
            printed = run(block, clone)
            assert is_as_said(block.output or printed, printed), (
                f"{block.where} says\n{block.output}\nbut it prints\n{printed}"
            )


def is_as_said(said_text: str, printed: str) -> bool:
    """Whether the page's text fits, `...` in it standing for anything and blanks being all alike."""
    pieces = (re.escape(" ".join(piece.split())) for piece in said_text.split("..."))
    return re.fullmatch(".*".join(pieces), " ".join(printed.split())) is not None


def run(block: Block, clone: Path) -> str:
    """Run the block's commands one after another in a copy of the project; return their output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GOMOGO_")}
    environment |= {
        "PATH": PATH,
        "PYTHONPATH": str(clone),
        "HOME": str(clone.parent),
        "GOMOGO_FOLDER": str(clone.parent / "games"),  # other runs' leftovers do not matter here
        "COLUMNS": "100",
    }
    script = "\n".join(["set -e -o pipefail", *(step(command) for command in block.commands)])
    shell = subprocess.Popen(
        ["bash", "-c", script],
        cwd=clone,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        printed, _ = shell.communicate(timeout=PATIENCE)
    except BaseException as error:
        assert shell.stdout is not None
        open_in = "\n".join(processes_with(os.readlink(f"/proc/self/fd/{shell.stdout.fileno()}")))
        os.killpg(shell.pid, signal.SIGKILL)
        printed, _ = shell.communicate()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        pytest.fail(f"{block.where} did not end in {PATIENCE:.0f} s. It printed\n{printed}\nIt is open in\n{open_in}")
    assert shell.returncode == 0, f"{block.where} ended with {shell.returncode}:\n{block.text}\n{printed}"
    return printed


def processes_with(pipe: str) -> Iterator[str]:
    """What the processes are, and where in the kernel they wait, that have this pipe open."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(os.readlink(descriptor) == pipe for descriptor in (process / "fd").iterdir()):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                yield f"{process.name} {(process / 'wchan').read_text()} {command}"


def step(command: TypedCommand) -> str:
    """The command as a shell reads it; one that is to end with another code than 0 fails if it does not."""
    if not command.code:
        return command.typed
    return f"if {command.typed}; then code=0; else code=$?; fi; [ $code = {command.code} ]"


@pytest.mark.parametrize("page", [page for page in documentation_pages() if ">>>" in read_page(page)])
def test_every_documented_python_session_is_correct(page: str) -> None:
    outcome = doctest.testfile(
        str(ROOT / page), module_relative=False, optionflags=doctest.ELLIPSIS, parser=InBlocks(), encoding="utf-8"
    )
    assert outcome.attempted, f"{page} has no session in a python block"
    assert not outcome.failed


class InBlocks(doctest.DocTestParser):
    """Reads the sessions of a page's python blocks: the fence that ends a block is no output."""

    def parse(self, string: str, name: str = "<string>") -> list[str | doctest.Example]:
        return super().parse(re.sub(r"^```.*$", "", string, flags=re.MULTILINE), name)


ALL = [block for page in documentation_pages() for block in code_blocks(page)]


def test_documented_code_can_be_parsed() -> None:
    for block in ALL:
        try:
            if block.language == "python" and ">>>" not in block.text:
                ast.parse(block.text)
            elif block.language == "toml":
                tomllib.loads(block.text)
        except (SyntaxError, tomllib.TOMLDecodeError) as error:
            pytest.fail(f"{block.where}: {error}")


def test_unrun_examples_give_a_reason() -> None:
    for block in ALL:
        assert block.not_run != "", f"{block.where} does not say why it is not run"
        assert not block.note or block.file or block.not_run, f"{block.where}: what does {block.note!r} mean?"


COMMANDS = {"referee.py": referee, "gameTest.py": game_test}
ELSEWHERE = {"source", "export", "createdb", "docker"}  # the shell's own words, and programs of other packages
NOT_RUN = [(block, command) for block in ALL if block.not_run for command in block.commands]


@pytest.mark.parametrize(("block", "command"), NOT_RUN, ids=lambda block: getattr(block, "where", None))
def test_unrun_commands_exist(block: Block, command: TypedCommand) -> None:
    words = shlex.split(command.typed, comments=True)
    if words[0] == "make":
        targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert {word for word in words[1:] if "=" not in word} <= set(targets)
    elif words[0] == "gomogo":
        read(gomogo, words[1:])
    elif words[0] == "python" and Path(words[1]).name in COMMANDS:
        read(COMMANDS[Path(words[1]).name], words[2:])
    else:
        assert shutil.which(words[0], path=PATH) or words[0] in ELSEWHERE, f"{block.where}: what is {words[0]}?"
        if words[:2] == ["python", "-m"]:
            assert find_spec(words[2]), f"{block.where}: there is no module {words[2]}"


def read(command: click.Command, words: list[str]) -> None:
    """Take the words as the command line would, without doing anything. Raises click's error for an unknown one."""
    context = command.make_context(command.name, [], resilient_parsing=True)
    if isinstance(command, click.Group):
        inner = command.get_command(context, words[0])
        assert inner is not None, f"there is no command {words[0]}"
        read(inner, words[1:])
    else:
        command.make_parser(context).parse_args(list(words))


LINK = re.compile(r"\]\((?P<target>[^)#\s]*)(?:#(?P<part>[^)\s]*))?\)")


@pytest.mark.parametrize("page", documentation_pages())
def test_every_link_has_a_target(page: str) -> None:
    prose = re.sub(r"```.*?```", "", read_page(page), flags=re.DOTALL)
    for link in LINK.finditer(prose):
        if "://" in link["target"]:
            continue
        target = (ROOT / page).parent / link["target"] if link["target"] else ROOT / page
        assert target.exists(), f"{page} points to {link['target']}, which is not there"
        if link["part"]:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert link["part"] in map(anchor, headings), f"{page} points to {link[0]}, which has no such heading"


def anchor(heading: str) -> str:
    """The name by which a heading is linked to."""
    return re.sub(r"[^\w\- ]", "", heading.casefold()).replace(" ", "-")


def test_the_index_links_every_page() -> None:
    index = read_page("docs/index.md")
    for page in documentation_pages():
        if page.startswith("docs/") and page != "docs/index.md":
            assert f"]({page.removeprefix('docs/')})" in index, f"docs/index.md does not name {page}"


def test_the_examples_in_docstrings_run() -> None:
    examples = 0
    for path in python_files("gomogo", "gomogo_core", "tournaments"):
        # an import of the engines compiles them
        if "engines" not in path.parts and ">>> " in path.read_text(encoding="utf-8"):
            module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            failed, tried = doctest.testmod(module)
            assert not failed, path
            examples += tried
    assert examples > 20
