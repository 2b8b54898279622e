"""Completion with the Tab key, and its installation."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from gomogo.cli import gomogo
from gomogo_core.records.paths import store_record
from gomogo_core.records.store import Store
from tests.commands.conftest import Gomogo
from tests.records.conftest import played_by


def completed(line: str) -> list[str]:
    """Return the candidates for the last word, or the kind of word that the shell completes itself."""
    _, *before, last_word = line.split(" ")
    shell = ShellComplete(gomogo, {}, "gomogo", "_GOMOGO_COMPLETE")
    return [item.value if item.type == "plain" else item.type for item in shell.get_completions(before, last_word)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gomogo ma", ["match"]),
        ("gomogo match alp", ["file", "alpha_beta"]),
        ("gomogo match greedy hum", ["file", "human"]),
        ("gomogo match --game do", ["dots_and_boxes"]),
        ("gomogo solve capt", ["capture_go"]),
        ("gomogo play --level ", ["1", "2", "3", "4", "5", "6", "7", "8"]),
        ("gomogo agent check beg", ["file", "beginner"]),
        ("gomogo completion install f", ["fish"]),
        ("gomogo replay la", ["file", "last"]),  # although there is no store
        ("gomogo watch ", ["file"]),
    ],
)
def test_completion_offers_the_expected_words(run: Gomogo, line: str, words: list[str]) -> None:
    assert completed(line) == words


@pytest.mark.slow
def test_runs_and_stored_games_are_completed(run: Gomogo) -> None:
    assert run("match", "random_mover", "greedy", "--games", "2", "--name", "spring", "-o", "size=5").exit_code == 0
    store_record(played_by(key="0123456789abcdef"))
    with Store.open("gomogo.db") as store:
        keys = {key[:8] for key, _ in store.latest_games(9)}
        assert {names for _, names in store.latest_games(9)} == {("greedy", "random_mover"), ("random_mover", "greedy")}
    assert completed("gomogo watch sp") == ["file", "spring"]
    assert completed("gomogo tournament show s") == ["file", "spring"]
    assert set(completed("gomogo game show ")) == {"file", "last", "01234567", *keys}
    assert set(completed("gomogo export ")) == {"file", "all", "spring", "last", "01234567", *keys}
    Path("gomogo.db").rename("other.db")
    assert completed("gomogo watch sp") == ["file"]
    assert completed("gomogo watch --store other.db sp") == ["file", "spring"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_once(run: Gomogo, shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/usr/bin/{shell}")
    for variable in ("ZDOTDIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    settings = tmp_path / {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/completions/gomogo.fish"}[shell]
    if shell != "fish":
        settings.write_text("alias ll='ls -l'")  # without a line end
    for _ in range(2):
        result = run("completion", "install")
        assert result.exit_code == 0, result.output
    assert str(settings) in result.stdout
    text = settings.read_text()
    if shell == "fish":
        assert "_GOMOGO_COMPLETE=fish_complete" in text
    else:
        assert text.startswith("alias ll='ls -l'\n")
        assert text.count("completion of gomogo") == 1
        script = Path(result.stdout.split(" is in ")[1].split(", and ")[0])
        assert f"_GOMOGO_COMPLETE={shell}_complete" in script.read_text()
        assert str(script) in text


def test_an_unknown_shell_must_be_named(run: Gomogo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/bin/dash")
    assert str(run("completion", "install").exception) == (
        "Cannot detect your shell.\nName your shell: bash, zsh, fish."
    )
