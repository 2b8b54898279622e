"""The speed of the page for a player, in live analysis and in reviews, and the cost of two hundred viewers.

python -m bench.page --json

All times on the page are medians, measured in Chromium. `click_ms` is the time from a click to the stone on the board,
in a game between two people at one screen. `answer_ms` is the time from a click to the stone of an opponent that
answers at once with a random move. `first_line_ms` is the time from a click on Analyse to the first line for a Gomoku
position, and `stop_ms` the time from a request to stop to the end of the search. `first_marks_s` and `review_s` are the
seconds that a quick review of a game of 60 moves takes to mark the first mistake, and to end.

For the cost of viewers, two agents play by files, and each sleeps for some milliseconds before a move. `watched_us` and
`alone_us` are the median times per move without that sleep, in games with and without `watchers` viewers, which
alternate while the page's server runs; `ratio` is `watched_us` divided by `alone_us`. `in_order` is the number of
viewers that received every event in order. `server_cores` is the number of cores that the server uses while viewers
watch games. The viewers run at the lowest priority, since real viewers use their own computers.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from psutil import Process

from bench.referee import create_scripted_agent, measure_intervals_us
from gomogo_core.arena import Arena
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, Ply, Started
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_writer import live_listener
from gomogo_core.records.store import Store

_ROOT = Path(__file__).resolve().parent.parent
_GAME = load("gomoku", size=15, line=15)  # the moves of this program contain no row of 15
_MAX_LOAD_MILLISECONDS = 60_000.0  # the limit of the wait for a page with a new game
_WARM_UP_SECONDS = 3.0  # seconds in which the compiled engine is loaded
_PLACE_STONE_SCRIPT = """name => new Promise(done => {
  const live = document.getElementById("live");
  const began = performance.now();
  new MutationObserver((_, all) => {
    if (!live.querySelector(`[data-point="${name}"] .stone`)) return;
    all.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  }).observe(live, { childList: true, subtree: true });
  live.querySelector(`[data-point="${name}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
})"""

_AWAIT_ANSWER_SCRIPT = """() => new Promise((done, failed) => {
  const live = document.getElementById("live");
  const stones = () => live.querySelectorAll("[data-point] .stone").length;
  const free = () => [...live.querySelectorAll('[data-point][role="button"]:not(:has(.stone))')];
  const scattered = points => points[(stones() * 7) % points.length];
  const until = (isTrue, then) => {
    const watch = new MutationObserver(() => isTrue() && (watch.disconnect(), then()));
    isTrue() ? then() : watch.observe(live, { childList: true, subtree: true, attributes: true });
  };
  setTimeout(() => failed(new Error("no answer within 10 s")), 10000);
  until(() => free().length, () => {
    const wanted = stones() + 2, began = performance.now();
    until(() => stones() >= wanted, () => requestAnimationFrame(() => done(performance.now() - began)));
    scattered(free()).dispatchEvent(new MouseEvent("click", { bubbles: true }));
  });
})"""


@contextmanager
def serve_store(folder: Path) -> Iterator[tuple[int, int]]:
    """Run the page's server on a free port. Yields the port and the number of the server's process."""
    command = [sys.executable, "-m", "gomogo", "serve", "--port", "0", "--store", str(folder / "bench.db")]
    with subprocess.Popen(command, cwd=_ROOT, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        match = None
        while match is None:
            line = process.stderr.readline()
            assert line, "the server of the page did not start"
            match = re.search(r"at http://127\.0\.0\.1:(\d+)/", line)
        try:
            yield int(match[1]), process.pid
        finally:
            process.terminate()


def _list_points(count: int) -> list[str]:
    """Return the first `count` points of an order in which neither colour soon has five in a row."""
    return [
        f"{'abcdefghijklmno'[(7 * number) % 15]}{1 + (number // 15 * 4 + number * 2) % 15}" for number in range(count)
    ]


def measure_clicks(port: int, count: int) -> dict[str, float]:
    """Return the milliseconds from a click to its own stone, and to the stone of an opponent that answers at once.

    count: the number of clicks of each kind.
    """
    from playwright.sync_api import expect, sync_playwright

    # this wait is not measured, and may be longer than Playwright's limit of 5 s on a busy machine
    expect.set_options(timeout=_MAX_LOAD_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/?game=gomoku&option-size=15")
        page.click('text="Two people here"')
        page.click('[data-testid="begin"]')
        expect(page.locator("#live[data-version]")).to_have_count(1)
        click_times = [float(page.evaluate(_PLACE_STONE_SCRIPT, name)) for name in _list_points(count)]
        page.goto(f"http://127.0.0.1:{port}/?game=gomoku&option-size=15&option-line=15")
        page.click('text="A program"')
        page.select_option("#opponent-1", "random_mover")
        page.click('[data-testid="begin"]')
        expect(page.locator("#live[data-version]")).to_have_count(1)
        page.evaluate(_AWAIT_ANSWER_SCRIPT)  # the agent starts during the first move, which does not count
        answers = [float(page.evaluate(_AWAIT_ANSWER_SCRIPT)) for _ in range(count)]
        browser.close()
    medians = {
        "click_ms": statistics.median(click_times),
        "slowest_click_ms": max(click_times),
        "answer_ms": statistics.median(answers),
    }
    return {name: round(milliseconds, 1) for name, milliseconds in medians.items()}


_START_ANALYSIS_SCRIPT = """() => new Promise(done => {
  const began = performance.now();
  new MutationObserver((_, all) => {
    if (!document.querySelector("#candidates li")) return;
    all.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  }).observe(document.getElementById("candidates"), { childList: true });
  document.getElementById("engine").click();
})"""
_STOP_ANALYSIS_SCRIPT = """async () => {
  const headers = { Accept: "application/json", "X-Token": document.querySelector('meta[name="token"]').content };
  const body = new URLSearchParams({ game: "gomoku", moves: "h8 i9 i8", lines: "3" });
  const reader = (await fetch("/analysis/start", { method: "POST", headers, body })).body.getReader();
  for (let parts = 0; parts < 5; parts++) await reader.read();
  const began = performance.now();
  await fetch("/analysis/stop", { method: "POST", headers });
  while (!(await reader.read()).done);
  return performance.now() - began;
}"""


def measure_analysis(port: int, count: int) -> dict[str, float]:
    """Return the milliseconds from a click to the first line of an analysis, and from a request to stop to its end.

    count: the number of analyses, at most 10.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/analysis?game=gomoku&moves=h8+i9+i8")
        page.wait_for_selector("#tree a")
        time.sleep(_WARM_UP_SECONDS)
        line_times, stop_times = list[float](), list[float]()
        for number in range(count):
            page.goto(f"http://127.0.0.1:{port}/analysis?game=gomoku&moves=h8+i9+{_list_points(20)[10 + number]}")
            page.wait_for_selector("#tree a")
            line_times.append(float(page.evaluate(_START_ANALYSIS_SCRIPT)))
            page.click("#engine")
            stop_times.append(float(page.evaluate(_STOP_ANALYSIS_SCRIPT)))
        browser.close()
    medians = {"first_line_ms": statistics.median(line_times), "stop_ms": statistics.median(stop_times)}
    return {name: round(milliseconds, 1) for name, milliseconds in medians.items()}


def measure_review(port: int, store: Path, move_count: int) -> dict[str, float]:
    """Return the seconds of a review of `move_count` random moves: until its first mark, and until its end."""
    from urllib.request import urlopen

    rng, game = random.Random(7), load("gomoku")
    position, moves = game.start(), list[str]()
    while position.outcome() is None and len(moves) < move_count:
        moves.append(game.format(move := rng.choice(list(position.moves()))))
        position = position.play(move)
    seconds = (0.1,) * len(moves)
    plies = tuple(Ply(1 + number % 2, move) for number, move in enumerate(moves))
    no_values = (None,) * len(moves)
    names, outcome = ("one", "two"), position.outcome() or Outcome((1, 2), Reason.RESIGNED, "resigned")
    controls = (TimeControl(),) * 2
    played_game = PlayedGame(
        "gomoku", dict(game.options), names, names, controls, plies, 0, seconds, no_values, no_values, (), outcome,
        0.0, 6.0,
    )  # fmt: skip
    with Store.open(str(store)) as opened_store:
        opened_store.add(played_game)
    begin, mark_seconds = time.perf_counter(), 0.0
    while True:
        with urlopen(f"http://127.0.0.1:{port}/games/{played_game.key}?review=1") as answer:
            html = answer.read().decode()
        mark_seconds = mark_seconds or ('class="mistake' in html) * (time.perf_counter() - begin)
        if "data-reviewing" not in html:
            break
        time.sleep(0.1)
    return {
        "first_marks_s": round(mark_seconds, 1),
        "review_s": round(time.perf_counter() - begin, 1),
        "moves": len(moves),
    }


class ViewersStarter:
    """A listener that starts the viewers when a game has begun, and waits until all are connected."""

    def __init__(self, port: int, live_file: Path, move_count: int) -> None:
        self._live_file = live_file
        program = ["nice", "-n", "19", sys.executable, "-m", "bench._viewers"]
        self._command = [*program, str(port), live_file.stem, str(move_count)]
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, event: Event) -> None:
        """Start the viewers when the game begins."""
        if isinstance(event, Started):
            while not self._live_file.exists():
                time.sleep(0.01)
            self._process = subprocess.Popen(self._command, cwd=_ROOT, stdout=subprocess.PIPE, encoding="utf-8")
            assert self._process.stdout is not None
            self._process.stdout.readline()

    def wait_for_results(self) -> dict[str, int]:
        """Wait until the viewers end. Return the number of events, and of viewers that received all in order."""
        assert self._process is not None
        assert self._process.stdout is not None
        with self._process:
            results: dict[str, int] = json.loads(self._process.stdout.read())
        return results


def measure_viewers(
    port: int, server: Process, folder: Path, count: int, rounds: int, seconds: float
) -> dict[str, float]:
    """Return the times of a move with and without `count` viewers, and the number of viewers that missed no event."""
    moves = [_GAME.format(move) for move in _GAME.start().moves()]
    agents = [create_scripted_agent(team, moves[k::2], folder, seconds) for k, team in enumerate(("one", "two"))]
    times_alone, times_with_viewers, server_cores = list[float](), list[float](), list[float]()
    results = list[dict[str, int]]()
    for number in range(2 * rounds):
        key = f"game{number}"
        viewers = ViewersStarter(port, folder / "live" / f"{key}.jsonl", count) if number % 2 else None
        cpu_before, begin = sum(server.cpu_times()[:2]), time.perf_counter()
        with live_listener(folder / "live", key) as live_listeners, Arena() as arena:
            listeners = [*live_listeners, viewers] if viewers else live_listeners
            overhead = statistics.median(measure_intervals_us(arena, _GAME, agents, *listeners)) - 1e6 * seconds
        if viewers is None:
            times_alone.append(overhead)
        else:
            times_with_viewers.append(overhead)
            server_cores.append((sum(server.cpu_times()[:2]) - cpu_before) / (time.perf_counter() - begin))
            results.append(viewers.wait_for_results())
    median_alone = statistics.median(times_alone)
    return {
        "watchers": count,
        "in_order": min(result["in_order"] for result in results),
        "events": sum(result["events"] for result in results),
        "server_cores": round(statistics.median(server_cores), 2),
        "alone_us": round(median_alone, 1),
        "watched_us": round(statistics.median(times_with_viewers), 1),
        "ratio": round(statistics.median(times_with_viewers) / median_alone, 2),
    }


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--watchers", default=200, show_default=True, help="Number of viewers.")
@click.option("--clicks", default=40, show_default=True, help="Number of clicks of each kind, at most 50.")
@click.option("--analyses", default=7, show_default=True, help="Number of analyses, at most 10.")
@click.option("--moves", default=60, show_default=True, help="Number of moves of the reviewed game.")
@click.option("--rounds", default=3, show_default=True, help="Number of games with viewers, and of games without.")
@click.option("--think", default=0.1, show_default=True, help="Seconds that an agent sleeps before each move.")
def main(as_json: bool, clicks: int, analyses: int, moves: int, watchers: int, rounds: int, think: float) -> None:
    """Measure the page: the times that a user waits, and the cost of viewers for a referee."""
    with tempfile.TemporaryDirectory() as folder_name, serve_store(Path(folder_name)) as (port, server_pid):
        folder = Path(folder_name)
        figures = measure_clicks(port, clicks)
        figures |= measure_analysis(port, analyses) | measure_review(port, folder / "bench.db", moves)
        figures |= measure_viewers(port, Process(server_pid), folder, watchers, rounds, think)
    if as_json:
        click.echo(json.dumps(figures))
        return
    click.echo(f"from a click to the stone {figures['click_ms']} ms, at most {figures['slowest_click_ms']} ms")
    click.echo(f"from a click to the answer of an agent that needs no time {figures['answer_ms']} ms")
    click.echo(f"live analysis: first line after {figures['first_line_ms']} ms, stopped within {figures['stop_ms']} ms")
    click.echo(
        f"a review of {figures['moves']} moves: first marks after {figures['first_marks_s']} s, "
        f"complete after {figures['review_s']} s"
    )
    click.echo(
        f"{watchers} viewers, of whom {figures['in_order']} received every event in order: a move takes the referee "
        f"{figures['watched_us']} µs with them, {figures['alone_us']} without, {figures['ratio']} times as much"
    )


if __name__ == "__main__":
    main()
