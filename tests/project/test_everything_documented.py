"""The reference lists every game, agent, protocol, key and reason that the program knows, and no others."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import fields as keys_of

from gomogo import cli
from gomogo.text.standings_json import row_json
from gomogo_core import catalogue, games
from gomogo_core.agent import AgentClock
from gomogo_core.catalogue._folders import TOML_KEYS
from gomogo_core.games.base import Reason
from gomogo_core.protocols import protocols_by_name
from tests.project._pages import read_page
from tests.project._tracked import ROOT, house_agents, python_files
from tournaments.formats import FORMATS
from tournaments.spec import SPEC_WITH_FORMAT_OPTIONS, SubmissionSettings, TimeSettings
from tournaments.standings import StandingsRow
from tournaments.submissions.reports import GRADE_FILES


def section(page: str, heading: str) -> str:
    """Return the text under a heading of docs/reference, up to the next heading of its level."""
    text = read_page(f"docs/reference/{page}.md")
    match = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^\1 |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match, f"docs/reference/{page}.md has no heading {heading!r}"
    return match[2]


def first_column(text: str) -> set[str]:
    """The code at the beginning of each row of the tables in `text`."""
    return {match[1] for match in re.finditer(r"^\| `([^`]+)`.*\|$", text, re.MULTILINE)}


def test_the_reference_lists_every_agent() -> None:
    assert first_column(section("agents", "Built-in agents")) == set(house_agents())


@pytest.mark.parametrize("name", house_agents())
def test_every_agent_has_a_description(name: str) -> None:
    summary = catalogue.agent(name).summary
    assert summary.endswith((".", ":")) or summary, f"agents/{name}.py does not begin with a sentence on it"
    assert len(summary) > 20


def test_the_reference_lists_every_agent_option() -> None:
    for name in house_agents():
        for node in ast.parse((ROOT / "agents" / f"{name}.py").read_bytes()).body:
            if isinstance(node, ast.FunctionDef) and node.name == "choose":
                for option, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                    assert default is not None
                    row = re.search(rf"^\| `{name}`.*", section("agents", "Built-in agents"), re.MULTILINE)
                    assert row
                    assert f"`{option.arg}={ast.literal_eval(default)}`" in row[0]


def test_the_reference_lists_every_protocol() -> None:
    assert first_column(section("agents", "Protocols")) == set(protocols_by_name())


def test_the_reference_lists_every_key_of_agent_toml() -> None:
    assert first_column(section("agents", "agent.toml")) == set(TOML_KEYS)


def test_the_reference_lists_every_attribute_of_the_clock() -> None:
    clock = AgentClock({"per_move": 10.0}, None)
    attributes = {name for name in (*vars(clock), *vars(type(clock))) if not name.startswith("_")}
    assert {f"clock.{name}" for name in attributes} == first_column(section("agents", "The clock"))


@pytest.mark.parametrize("name", games.names())
def test_the_reference_lists_every_option_of_a_game(name: str) -> None:
    text = section("games", name)
    rules = games.rules(name)
    assert first_column(text) == {option.name for option in rules.declared_options}
    for option in rules.declared_options:
        row = re.search(rf"^\| `{option.name}` \| (.*?) \|", text, re.MULTILINE)
        default = str(option.default).lower() if isinstance(option.default, bool) else str(option.default)
        assert row
        assert row[1].strip("`") == (
            option.default_formula or default
        )  # the rule, if the default follows other options
        for value in option.choices:
            assert f"`{value}`" in text, f"{name}: {option.name}={value}"


def test_the_reference_lists_every_reason_with_its_kind() -> None:
    text = section("games", "How a game ends")
    assert first_column(text) == {reason.value for reason in Reason}
    for reason in Reason:
        assert re.search(rf"^\| `{reason.value}` \| {reason.kind} \|", text, re.MULTILINE), reason


def test_the_reference_lists_every_key_of_a_tournament() -> None:
    assert first_column(section("tournaments", "The file")) == {key.name for key in keys_of(SPEC_WITH_FORMAT_OPTIONS)}
    assert first_column(section("tournaments", "Time")) == {key.name for key in keys_of(TimeSettings)}
    section_parts = section("tournaments", "Submissions").partition("### Grades")
    assert first_column(section_parts[0]) == {key.name for key in keys_of(SubmissionSettings)}
    assert {name.partition("/")[0] for name in first_column(section_parts[2])} == set(GRADE_FILES)


def test_the_reference_lists_every_format() -> None:
    assert first_column(section("tournaments", "Formats")) == set(FORMATS)


def test_the_reference_lists_every_column_of_the_table() -> None:
    row = StandingsRow("a", 0, 0, 0, 0, None, None, {}, (), None, None)
    assert first_column(section("tournaments", "The table")) == set(row_json(row))


def test_the_reference_lists_every_exit_code() -> None:
    codes = {
        "0",
        *(str(code) for code in (cli.EXIT_USER_ERROR, cli.EXIT_USAGE_ERROR, cli.EXIT_INTERRUPTED, cli.EXIT_BUG)),
    }
    assert first_column(section("exit-codes", "Exit codes")) == codes


def test_the_reference_lists_every_environment_variable() -> None:
    named = set()
    for path in python_files("gomogo", "gomogo_core", "tournaments", "agents"):
        named |= set(re.findall(r"\bGOMOGO_[A-Z]+\b", path.read_text(encoding="utf-8")))
    assert first_column(section("exit-codes", "Environment variables")) == named


@pytest.mark.slow
def test_the_reference_lists_every_file_and_fact_of_the_protocol(tmp_path: Path) -> None:
    """Play a game, keep its files, and read them."""
    command = ["gameTest.py", "random_mover", "random_mover", "--quiet", "--keep", str(tmp_path), "--option", "size=5"]
    subprocess.run([sys.executable, *command, "--total", "60"], cwd=ROOT, check=True, capture_output=True, timeout=300)
    folder = next(tmp_path.glob("1/random_mover"))
    documented = first_column(read_page("docs/reference/protocol.md"))
    names = {path.name.replace("random_mover", "<team>") for path in folder.iterdir()}
    assert names <= documented
    assert set(json.loads((folder / "game.json").read_bytes())) <= documented
    assert set(json.loads((folder / "position.json").read_bytes())) <= documented


def test_the_documents_list_every_benchmark() -> None:
    benches = {path.stem for path in python_files("bench") if not path.name.startswith("_")}
    named = set(re.findall(r"python -m bench\.(\w+)", read_page("docs/why/measurements.md")))
    assert named == benches
    assert set(re.findall(r"-m bench\.(\w+)", read_page("Makefile"))) == benches


FOLDERS = ("agents", "bench", "gomogo", "gomogo_core", "tournaments", "training")
LABEL = re.compile(r"(?:^|[.;] )([a-z_][a-z_0-9]*(?:, [a-z_][a-z_0-9]*)*): ")
Documented = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def described_names(documented: Documented) -> set[str]:
    """The names that a docstring describes, as in "path: of the file." at the start of a sentence."""
    paragraphs = (ast.get_docstring(documented) or "").split("\n\n")
    return {
        name
        for paragraph in paragraphs
        for names in LABEL.findall(" ".join(paragraph.split()))
        for name in names.split(", ")
    }


def own_names(documented: Documented) -> set[str]:
    """The parameters of a function; the fields, attributes and methods of a class."""
    nodes = list(ast.walk(documented))
    names = {node.arg for node in nodes if isinstance(node, ast.arg)}
    if isinstance(documented, ast.ClassDef):
        names |= {node.name for node in documented.body if isinstance(node, ast.FunctionDef)}
        names |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        names |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    return names


@cache
def class_names() -> dict[str, set[str]]:
    """What each class of the project has, by the name of the class: other classes may inherit and describe it."""
    return {
        node.name: own_names(node)
        for path in python_files(*FOLDERS)
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ClassDef)
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_describe_only_names_that_exist(folder: str) -> None:
    """After a renaming, no docstring describes the old name. A described key of a dictionary is a string."""
    for path in python_files(folder):
        nodes = list(ast.walk(ast.parse(path.read_bytes())))
        strings = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        for node in (node for node in nodes if isinstance(node, Documented)):
            names = own_names(node) | strings
            for base in node.bases if isinstance(node, ast.ClassDef) else ():
                names |= class_names().get(ast.unparse(base), set())
            unknown = described_names(node) - names
            assert not unknown, f"{path}: {node.name} describes {', '.join(sorted(unknown))}, which it does not have"
