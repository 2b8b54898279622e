"""The page of trainings starts a training, draws its curves, and stops it. A visitor at another computer may do none of
this.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from gomogo.design.training_curves import training_charts
from gomogo.page.train import pages, trainings
from tests.commands.test_train import ROW
from tests.page.conftest import Browser, PageServer, wait_until

HERE = ("testserver",)
FIELDS = {"name": "first", "games": "100", "self-play": "0", "seed": "0"}


def write_rows(folder: Path, rounds: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps({**ROW, "wins": 20 + i, "first_wins": 10 + i}) + "\n" for i in range(rounds))
    (folder / "statistics.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of trainings of a server for this computer only."""
    monkeypatch.setenv("GOMOGO_DATA", str(tmp_path / "data"))
    return tmp_path / "data" / "training"


@pytest.fixture
def server(folder: Path, tmp_path: Path) -> Any:
    server = PageServer(tmp_path)
    server.stop()
    server.start(hosts=HERE)
    yield server
    server.stop()


def run_instead(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let each training be a program of this code."""
    popen = subprocess.Popen

    def start(words: list[str], **arguments: Any) -> Any:
        return popen([sys.executable, "-c", code, *words[3:]], **arguments)

    monkeypatch.setattr(subprocess, "Popen", start)
    for module in (trainings, pages):
        monkeypatch.setattr(module, "missing_package", lambda: "")


def test_a_training_is_started_watched_and_stopped(
    server: PageServer, me: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_instead(monkeypatch, "import sys, time; print(*sys.argv[1:], flush=True); time.sleep(600)")
    assert "There are no trainings yet." in me.get("/train")
    me.client.post("/train", data={**FIELDS, "token": me.token})
    wait_until(lambda: (folder / "first" / "log.txt").read_text() != "")
    words = (folder / "first" / "log.txt").read_text().split()
    assert words == f"train mm_ai --folder {folder / 'first'} --threads 1 --games 100 --seed 0".split()
    write_rows(folder / "first", 3)
    page_text = me.get("/train")
    assert "1 training running." in page_text
    assert '<button form="stop" name="name" value="first">Stop</button>' in page_text
    assert "games won, %" in page_text
    assert "is already running" in me.client.post("/train", data={**FIELDS, "token": me.token}).text
    me.client.post("/train/stop", data={"name": "first", "token": me.token})
    wait_until(lambda: "No trainings running." in me.get("/train"))


def test_the_reason_of_a_failed_training_is_shown(
    server: PageServer, me: Browser, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_instead(monkeypatch, "raise SystemExit('Error: the disk is full.')")
    me.client.post("/train", data={**FIELDS, "token": me.token})
    wait_until(lambda: "Error: the disk is full." in me.get("/train"))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": "../up"}, "The name of a training must have 1 to 40 letters"),
        ({"games": "0"}, "The number of games is missing."),
        ({"games": "many"}, "The field games needs a number"),
        ({}, "Training needs torch"),
    ],
)
def test_a_refused_training_form_keeps_its_fields(
    server: PageServer, me: Browser, fields: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "missing_package", lambda: "")
    monkeypatch.setattr(trainings, "missing_package", lambda: "torch")
    answer = me.client.post("/train", data={**FIELDS, **fields, "token": me.token})
    assert answer.status_code == 400
    assert message in answer.text
    for name, value in {**FIELDS, **fields}.items():
        assert f'name="{name}" value="{value}"' in answer.text


def test_chosen_trainings_are_drawn_together(server: PageServer, me: Browser, folder: Path) -> None:
    for name in ("one", "two", "three"):
        write_rows(folder / name, 12)
    page_text = me.get("/train?show=one&show=three")
    assert "one, as first player" in page_text
    assert "three, as second player" in page_text
    assert "two, as first player" not in page_text


def test_a_training_of_another_process_is_running_elsewhere(server: PageServer, me: Browser, folder: Path) -> None:
    write_rows(folder / "mine", 2)
    assert ">stopped<" in me.get("/train")
    with FileLock(folder / "mine" / "lock"):
        assert ">running elsewhere<" in me.get("/train")


def test_only_the_local_computer_can_train(tmp_path: Path, folder: Path) -> None:
    server = PageServer(tmp_path)
    try:
        stranger = server.browser()
        stranger.get("/train")
        assert stranger.status == 404
        assert "/train" not in stranger.get("/agents")
    finally:
        server.stop()


def test_a_chart_shows_the_last_values_and_tolerates_missing_ones() -> None:
    rows = [{**ROW, "first_games": 0, "first_wins": 0}] * 3
    chart = training_charts({"<one>": rows})
    assert chart.count("<svg") == 6
    assert "as first player" not in chart, "no game was played as first player"
    assert "nan" not in chart
    assert "<one>" not in chart
    assert training_charts({}) == ""
