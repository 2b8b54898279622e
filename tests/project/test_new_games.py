"""A game that is dropped into the folder of games is played, stored, drawn, reported, replayed and exported.

Knows the doubles of tests/games/doubles by their names only. Everything happens in a copy of the packages.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project._tracked import ROOT

PACKAGES = ("gomogo", "gomogo_core", "tournaments", "agents")
PATIENCE = 120.0  # seconds for a command, on a busy machine
ON_THE_PAGE = """
import re, sys
from starlette.testclient import TestClient
from gomogo.page.app import create_application
from gomogo.page.server.settings import PageSettings, find_agents
from gomogo_core.records.store import Store

name, place = sys.argv[1:]
settings = PageSettings(find_agents(["random_mover"]), 1, (), "limits")
with Store.open("page.db") as store, TestClient(create_application(store, settings)) as me:
    token = re.search(r'name="token" content="(\\w+)"', me.get("/").text)[1]
    headers = {"Accept": "application/json", "X-Token": token}
    where = me.post("/play", data={"game": name, "opponent": "here"}, headers=headers).json()["go"]
    group = re.search(rf'<g [^>]*data-point="{place}"[^>]*>', me.get(where).text)
    move = place if group is None else (re.search('data-move="([^"]*)"', group[0]) or [0, place])[1]
    print(me.post(f"{where}/move", data={"move": move}, headers=headers).json())
    print(me.get(where).text)
"""


class Copy:
    """The packages in a folder of their own, with more games."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for package in PACKAGES:
            shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "*.db*"))
        for double in ("drop_three", "hexagons", "take_away"):
            shutil.copy(ROOT / "tests" / "games" / "doubles" / f"{double}.py", folder / "gomogo_core" / "games")

    def run(self, *words: str) -> str:
        """What `python WORDS` prints in this folder."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GOMOGO_")}
        environment |= {"PYTHONPATH": str(self.folder), "GOMOGO_FOLDER": str(self.folder / "live"), "COLUMNS": "100"}
        result = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=PATIENCE,
        )
        assert result.returncode == 0, f"{words}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def gomogo(self, *words: str) -> str:
        return self.run("-m", "gomogo", *words)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "place"), [("drop_three", "c4"), ("hexagons", "b2"), ("take_away", "2")])
def test_a_new_game_works_everywhere(copy: Copy, name: str, place: str) -> None:
    assert name in copy.gomogo("list", "games")
    assert "FAILED" not in copy.gomogo("game", "check", name, "--games", "2")

    store = ["--store", f"{name}.db"]
    players, asked = ["random_mover", "mcts?playouts=20"], ["-n", "2", "--time", "2", "--openings", "random:2"]
    copy.gomogo("match", *players, "--game", name, *asked, *store)
    played = json.loads(copy.gomogo("export", "last", "--format", "json", *store))
    assert len(played["plies"]) >= 2
    assert played["plies"][-1][1] in copy.gomogo("replay", "last", *store)
    assert "<svg" in copy.gomogo("draw", "last", "--numbers", *store)
    copy.gomogo("report", "-o", f"{name}.html", *store)
    report = (copy.folder / f"{name}.html").read_text()
    embedded = re.search(r'id="played">\n?(.*?)</script>', report, re.DOTALL)
    assert embedded
    first = json.loads(embedded[1].splitlines()[0])
    assert all(first["changes"].split(";")), "a move changes nothing on the board of the report"

    answer, page_output = copy.run("-c", ON_THE_PAGE, name, place).split("\n", 1)
    assert "refused" not in answer
    if name != "take_away":
        assert f"{place[0]} {place[1]}, black" in page_output


@pytest.mark.slow
def test_levels_of_a_game_without_an_evaluation_end_in_playouts(copy: Copy) -> None:
    assert "mcts" in copy.gomogo("list", "levels", "--game", "take_away").splitlines()[-1]
