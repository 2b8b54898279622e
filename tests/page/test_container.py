"""The Dockerfile and compose.yaml, command by command: no engine is here that could run them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tomllib
import venv
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from click.testing import CliRunner
from starlette.testclient import TestClient

from gomogo.cli import gomogo
from gomogo_core.records._database import parse_address
from tests.page.conftest import PageServer

ROOT = Path(__file__).resolve().parents[2]
LINES = [
    line.split(" ", 1)
    for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def said(word: str) -> list[str]:
    return [line_rest for first, line_rest in LINES if first == word]


def test_every_copied_file_exists_and_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    copied = [name for line in said("COPY") for name in line.split()[:-1]]
    assert all((ROOT / name).exists() for name in copied)
    assert not set(copied) & set(ignored)
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {"pyproject.toml", "constraints.txt", PROJECT["project"]["readme"], "LICENSE"}
    assert {*wheel["packages"], *wheel["force-include"], *needed} <= set(copied)


def test_the_extras_that_are_installed_exist() -> None:
    extras = re.search(r"'\.\[(.*?)\]'", said("RUN")[0])
    assert extras
    assert set(extras[1].split(",")) <= PROJECT["project"]["optional-dependencies"].keys()
    assert "-c constraints.txt" in said("RUN")[0]


def test_the_image_has_a_supported_python() -> None:
    version = re.fullmatch(r"python:(\d+)\.(\d+)-slim", said("FROM")[0])
    assert version
    assert (int(version[1]), int(version[2])) >= (3, 11)


def test_the_image_runs_an_existing_command_and_not_as_root() -> None:
    command = json.loads(said("CMD")[-1])
    assert command[0] in PROJECT["project"]["scripts"]
    output = CliRunner().invoke(gomogo, [command[1], "--help"]).output
    options = dict(zip(command[2::2], command[3::2], strict=True))
    assert all(option in output for option in options)
    assert options["--port"] == said("EXPOSE")[0]
    assert options["--host"] == "0.0.0.0", "nobody outside the container would reach it"
    names = [first for first, _ in LINES]
    assert said("USER") == ["player"]
    assert names.index("USER") < names.index("CMD")
    assert "useradd --create-home player" in said("RUN")[1]


def test_the_health_check_asks_a_page_that_answers(server: PageServer) -> None:
    check = said("HEALTHCHECK")[0].partition("CMD ")[2]
    program = json.loads(check)
    assert program[:2] == ["python", "-c"]
    compile(program[2], "healthcheck", "exec")
    path_match = re.search(r"http://127\.0\.0\.1:8440(/\w+)", program[2])
    assert path_match
    assert TestClient(server.app).get(path_match[1]).text == "ok\n"


@pytest.mark.slow
def test_the_installed_copy_serves_and_passes_its_health_check(tmp_path: Path) -> None:
    """The image's commands with another port and address, in an environment instead of the image."""
    for names in said("COPY"):
        for name in names.split()[:-1]:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, tmp_path / name)
    (tmp_path / "games").mkdir()
    programs = tmp_path / "image" / "bin"
    venv.create(programs.parent, with_pip=True)
    environment = {n: v for n, v in os.environ.items() if not n.startswith("GOMOGO") and n != "PYTHONPATH"}
    environment["PATH"] = f"{programs}:{os.environ['PATH']}"
    subprocess.run(["sh", "-c", said("RUN")[0]], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, check=True)
    for name in said("COPY")[1:]:  # the installed package serves
        shutil.rmtree(tmp_path / name.split()[0])
    command = json.loads(said("CMD")[-1])
    words = [str(programs / command[0]), *command[1:], "--host", "127.0.0.1", "--port", "0"]
    check = json.loads(said("HEALTHCHECK")[0].partition("CMD ")[2])
    with subprocess.Popen(
        words, cwd=tmp_path / "games", env=environment, stderr=subprocess.PIPE, encoding="utf-8"
    ) as page:
        assert page.stderr is not None
        port_match = re.search(r"at http://127\.0\.0\.1:(\d+)/", page.stderr.readline())
        assert port_match
        healthy = [str(programs / check[0]), *check[1:-1], check[-1].replace(":8440/", f":{port_match[1]}/")]
        assert subprocess.run(healthy, check=False).returncode == 0
        page.send_signal(signal.SIGINT)
        assert page.wait(120) == 0
    assert (tmp_path / "games" / "gomogo.db").exists()
    assert subprocess.run(healthy, stderr=subprocess.DEVNULL, check=False).returncode != 0, "nobody serves any more"


def test_page_and_database_have_the_same_credentials() -> None:
    page, database = COMPOSE["services"]["page"], COMPOSE["services"]["database"]
    address = parse_address(page["environment"]["GOMOGO_STORE"])
    url = urlsplit(address.url)
    credentials = database["environment"]
    assert (url.username, url.password, url.path[1:]) == (
        credentials["POSTGRES_USER"],
        credentials["POSTGRES_PASSWORD"],
        credentials["POSTGRES_DB"],
    )
    assert url.hostname == "database"
    assert url.scheme == "postgresql"
    assert page["ports"] == ["127.0.0.1:8440:8440"]
    assert page["depends_on"]["database"]["condition"] == "service_healthy"
    assert database["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    assert [volume.split(":")[0] for volume in database["volumes"]] == list(COMPOSE["volumes"])
    assert "ports" not in database, "the database's password is in the file"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can make a user")
@pytest.mark.needs("bwrap")
def test_the_image_creates_a_user_that_can_store_games(tmp_path: Path) -> None:
    """The second RUN in a system of its own, which begins with this one's accounts."""
    for name in ("etc", "home", "tmp", "var"):
        (tmp_path / name).mkdir()
    for name in ("passwd", "group", "shadow", "gshadow", "login.defs", "default", "skel", "pam.d"):
        if os.access(path := Path("/etc") / name, os.R_OK):
            (shutil.copytree if path.is_dir() else shutil.copy)(path, tmp_path / "etc" / name)
    words = ["bwrap", "--bind", str(tmp_path), "/", "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
    for name in ("bin", "sbin", "lib", "lib64"):
        if Path(f"/{name}").is_symlink():
            words += ["--symlink", f"usr/{name}", f"/{name}"]
        elif Path(f"/{name}").is_dir():
            words += ["--ro-bind", f"/{name}", f"/{name}"]
    result = subprocess.run([*words, "sh", "-c", said("RUN")[1]], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    accounts = dict(line.split(":", 1) for line in (tmp_path / "etc/passwd").read_text().splitlines())
    number = int(accounts["player"].split(":")[1])
    assert (tmp_path / "games").stat().st_uid == (tmp_path / "home/player").stat().st_uid == number
