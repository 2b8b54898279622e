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
viewers that received every event in order, and `server_cores` the number of cores that the server uses while games are
watched. The viewers run at the lowest priority, since real viewers use their own computers.
"""

from __future__ import annotations

import itertools
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

from bench.referee import script_agent
from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Event, Listener, Moved, Ply, Started
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_writer import live_listener
from gomogo_core.records.store import Store

_ROOT = Path(__file__).resolve().parent.parent
_GAME = load("gomoku", size=15, line=15)  # the usual size; a row of 15 does not occur in the moves of this program
_CLICKS = 40
_ANALYSES = 7
_WARMING = 3.0  # seconds in which the compiled engine is loaded
_MOVES = 60  # the number of moves of the reviewed game
_PLACE = """name => new Promise(done => {
  const live = document.getElementById("live");
  const began = performance.now();
  new MutationObserver((_, all) => {
    if (!live.querySelector(`[data-point="${name}"] .stone`)) return;
    all.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  }).observe(live, { childList: true, subtree: true });
  live.querySelector(`[data-point="${name}"]`).dispatchEvent(new MouseEvent("click", { bubbles: true }));
})"""

_ANSWER = """() => new Promise((done, failed) => {
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
    words = [sys.executable, "-m", "gomogo", "serve", "--port", "0", "--store", str(folder / "bench.db")]
    with subprocess.Popen(words, cwd=_ROOT, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        found = None
        while found is None:
            line = process.stderr.readline()
            assert line, "the server of the page did not start"
            found = re.search(r"at http://127\.0\.0\.1:(\d+)/", line)
        try:
            yield int(found[1]), process.pid
        finally:
            process.terminate()


def _points(count: int) -> list[str]:
    """Return the first `count` points of an order in which it takes long until one colour has five in a row."""
    return [f"{'abcdefghijklmno'[(7 * n) % 15]}{1 + (n // 15 * 4 + n * 2) % 15}" for n in range(count)]


def measure_clicks(port: int) -> dict[str, float]:
    """Return the milliseconds from a click to its own stone, and to the stone of an opponent that answers at once."""
    from playwright.sync_api import expect, sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/?game=gomoku&option-size=15")
        page.click('text="Two people here"')
        page.click('[data-testid="begin"]')
        expect(page.locator("#live[data-version]")).to_have_count(1)
        own = [float(page.evaluate(_PLACE, name)) for name in _points(_CLICKS)]
        page.goto(f"http://127.0.0.1:{port}/?game=gomoku&option-size=15&option-line=15")
        page.click('text="A program"')
        page.select_option("#opponent-1", "random_mover")
        page.click('[data-testid="begin"]')
        expect(page.locator("#live[data-version]")).to_have_count(1)
        page.evaluate(_ANSWER)  # the agent starts during the first move, which does not count
        answers = [float(page.evaluate(_ANSWER)) for _ in range(_CLICKS)]
        browser.close()
    found = {"click_ms": statistics.median(own), "slowest_click_ms": max(own), "answer_ms": statistics.median(answers)}
    return {name: round(took, 1) for name, took in found.items()}


_ANALYSE = """() => new Promise(done => {
  const began = performance.now();
  new MutationObserver((_, all) => {
    if (!document.querySelector("#candidates li")) return;
    all.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  }).observe(document.getElementById("candidates"), { childList: true });
  document.getElementById("engine").click();
})"""
_STOP = """async () => {
  const headers = { Accept: "application/json", "X-Token": document.querySelector('meta[name="token"]').content };
  const body = new URLSearchParams({ game: "gomoku", moves: "h8 i9 i8", lines: "3" });
  const reader = (await fetch("/analysis/start", { method: "POST", headers, body })).body.getReader();
  for (let parts = 0; parts < 5; parts++) await reader.read();
  const began = performance.now();
  await fetch("/analysis/stop", { method: "POST", headers });
  while (!(await reader.read()).done);
  return performance.now() - began;
}"""


def measure_analysis(port: int) -> dict[str, float]:
    """Return the milliseconds from a click to the first line of an analysis, and from a request to stop to its end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/analysis?game=gomoku&moves=h8+i9+i8")
        page.wait_for_selector("#tree a")
        time.sleep(_WARMING)
        lines, stops = list[float](), list[float]()
        for number in range(_ANALYSES):
            page.goto(f"http://127.0.0.1:{port}/analysis?game=gomoku&moves=h8+i9+{_points(20)[10 + number]}")
            page.wait_for_selector("#tree a")
            lines.append(float(page.evaluate(_ANALYSE)))
            page.click("#engine")
            stops.append(float(page.evaluate(_STOP)))
        browser.close()
    return {"first_line_ms": round(statistics.median(lines), 1), "stop_ms": round(statistics.median(stops), 1)}


def measure_review(port: int, store: Path) -> dict[str, float]:
    """Return the seconds of a review of 60 random moves: until the first mistake is marked, and until it ends."""
    from urllib.request import urlopen

    chance, game = random.Random(7), load("gomoku")
    position, moves = game.start(), list[str]()
    while position.outcome() is None and len(moves) < _MOVES:
        moves.append(game.format(move := chance.choice(list(position.moves()))))
        position = position.play(move)
    seconds = (0.1,) * len(moves)
    plies = tuple(Ply(1 + number % 2, move) for number, move in enumerate(moves))
    nothing = (None,) * len(moves)
    names, outcome = ("one", "two"), position.outcome() or Outcome((1, 2), Reason.RESIGNED, "resigned")
    controls = (TimeControl(),) * 2
    played = PlayedGame(
        "gomoku", dict(game.options), names, names, controls, plies, 0, seconds, nothing, nothing, (), outcome, 0.0, 6.0
    )
    with Store.open(str(store)) as opened:
        opened.add(played)
    began, marked = time.perf_counter(), 0.0
    while True:
        with urlopen(f"http://127.0.0.1:{port}/games/{played.key}?review=1") as answer:
            shown = answer.read().decode()
        marked = marked or ('class="mistake' in shown) * (time.perf_counter() - began)
        if "data-reviewing" not in shown:
            break
        time.sleep(0.1)
    return {"first_marks_s": round(marked, 1), "review_s": round(time.perf_counter() - began, 1), "moves": len(moves)}


class ViewerProcess:
    """A listener that starts the viewers when a game has begun, and waits until all are connected."""

    def __init__(self, port: int, live: Path, count: int) -> None:
        self._live = live
        self._command = ["nice", "-n", "19", sys.executable, "-m", "bench._viewers", str(port), live.stem, str(count)]
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, event: Event) -> None:
        """Start the viewers when the game begins."""
        if isinstance(event, Started):
            while not self._live.exists():
                time.sleep(0.01)
            self._process = subprocess.Popen(self._command, cwd=_ROOT, stdout=subprocess.PIPE, encoding="utf-8")
            assert self._process.stdout is not None
            self._process.stdout.readline()

    def events_seen(self) -> dict[str, int]:
        """Wait until the viewers have ended. Returns what they print: the number of events, and of viewers with all in
        order.
        """
        assert self._process is not None
        assert self._process.stdout is not None
        with self._process:
            said: dict[str, int] = json.loads(self._process.stdout.read())
        return said


def move_overhead_us(arena: Arena, agents: list[Agent], seconds: float, listeners: list[Listener]) -> float:
    """Return the median time per move without the agents' sleep, in microseconds."""
    at: list[float] = []

    def on_event(event: Event) -> None:
        if isinstance(event, Moved):
            at.append(time.perf_counter())

    arena.play(_GAME, agents, [TimeControl()] * 2, listeners=[on_event, *listeners])
    return (statistics.median(b - a for a, b in itertools.pairwise(at)) - seconds) * 1e6


def measure_viewers(
    port: int, server: Process, folder: Path, count: int, rounds: int, seconds: float
) -> dict[str, float]:
    """Return the times of a move with and without `count` viewers, and how many of them got all events in order."""
    board = [_GAME.format(move) for move in _GAME.start().moves()]
    agents = [script_agent("one", board[0::2], folder, seconds), script_agent("two", board[1::2], folder, seconds)]
    alone, together, cores, seen = list[float](), list[float](), list[float](), list[dict[str, int]]()
    for number in range(2 * rounds):
        key = f"game{number}"
        viewers = ViewerProcess(port, folder / "live" / f"{key}.jsonl", count) if number % 2 else None
        used, since = sum(server.cpu_times()[:2]), time.perf_counter()
        with live_listener(folder / "live", key) as live, Arena() as arena:
            found = move_overhead_us(arena, agents, seconds, [*live, viewers] if viewers else list(live))
        if viewers is None:
            alone.append(found)
        else:
            together.append(found)
            cores.append((sum(server.cpu_times()[:2]) - used) / (time.perf_counter() - since))
            seen.append(viewers.events_seen())
    least = statistics.median(alone)
    return {
        "watchers": count,
        "in_order": min(one["in_order"] for one in seen),
        "events": sum(one["events"] for one in seen),
        "server_cores": round(statistics.median(cores), 2),
        "alone_us": round(least, 1),
        "watched_us": round(statistics.median(together), 1),
        "ratio": round(statistics.median(together) / least, 2),
    }


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--watchers", default=200, show_default=True, help="Number of viewers.")
@click.option("--rounds", default=3, show_default=True, help="Number of games with viewers, and of games without.")
@click.option("--think", default=0.1, show_default=True, help="Seconds that an agent sleeps before each move.")
def main(as_json: bool, watchers: int, rounds: int, think: float) -> None:
    """Measure the page: the times that a user waits, and the cost of viewers for a referee."""
    with tempfile.TemporaryDirectory() as name, serve_store(Path(name)) as (port, number):
        folder = Path(name)
        found = measure_clicks(port)
        found |= measure_analysis(port) | measure_review(port, folder / "bench.db")
        found |= measure_viewers(port, Process(number), folder, watchers, rounds, think)
    if as_json:
        click.echo(json.dumps(found))
        return
    click.echo(f"from a click to the stone {found['click_ms']} ms, at most {found['slowest_click_ms']} ms")
    click.echo(f"from a click to the answer of an agent that needs no time {found['answer_ms']} ms")
    click.echo(f"live analysis: first line after {found['first_line_ms']} ms, stopped within {found['stop_ms']} ms")
    click.echo(
        f"a review of {found['moves']} moves: first marks after {found['first_marks_s']} s, "
        f"complete after {found['review_s']} s"
    )
    click.echo(
        f"{watchers} viewers, of whom {found['in_order']} received every event in order: a move takes the referee "
        f"{found['watched_us']} µs with them, {found['alone_us']} without, {found['ratio']} times as much"
    )


if __name__ == "__main__":
    main()
