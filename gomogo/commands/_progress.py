"""The progress of a run: a live table at a terminal, lines elsewhere. Messages go to stderr.

Handles the runner's progress and the standings; changes neither.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import click

from gomogo.text.standings_table import games_of, standings_text
from gomogo_core.drawing.text import format_clock, printable
from tournaments.progress import Progress, StopRequest
from tournaments.standings import Standings

if TYPE_CHECKING:
    from rich.live import Live

_LINE_EVERY = 5.0  # seconds between lines if the output is no terminal
_COUNT_EVERY = 2.0  # seconds between counts of the table at a terminal
_DRAW_EVERY = 0.1  # seconds between two drawings, which take a hundred times as long as to store a game
_COUNT_SHARE = 10  # counting may take a tenth of the time at most: one count of 100,000 games takes more than a second

Count = Callable[[], Standings]


class Display(Protocol):
    """Receives a runner's progress."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def __call__(self, progress: Progress) -> None: ...


def display(count: Count, *, human_plays: bool, tested: Callable[[], str] | None = None) -> Display:
    """Return a live table at a terminal, lines otherwise.

    human_plays: whether a person plays at this terminal. tested: returns the state of a statistical test.
    """
    if sys.stderr.isatty() and not human_plays:
        return ProgressTable(count, tested)
    return ProgressLines(count, tested, quiet=human_plays)


def progress_count(done: int, planned: int | None) -> str:
    """Return "N of M games", or only N for a run without an end."""
    if planned is not None:
        return f"{done} of {games_of(planned)}"
    return games_of(done)


def _format_rate(games: float) -> str:
    """Format a rate with two digits and without an exponent: 0.31, 4.2, 240."""
    return f"{games:.0f}" if games >= 10 else f"{games:.2g}"


def headline(progress: Progress) -> str:
    """Return one line: games done, games per second, time left."""
    words = progress_count(progress.played, progress.planned)
    if progress.unplayed:
        words += f", {progress.unplayed} could not be played"
    if progress.played_here:
        words += f", {_format_rate(progress.games_per_second)} a second"
    if progress.seconds_left and progress.stop_request is StopRequest.CONTINUE:
        words += f", {format_clock(progress.seconds_left)} left"
    return words


class _Talk:
    """Prints each rare event once."""

    def __init__(self) -> None:
        self._last_request, self._last_void, self._told = StopRequest.CONTINUE, "", 0

    def news(self, progress: Progress) -> list[str]:
        said = [printable(sentence) for sentence in progress.messages[self._told :]]
        self._told += len(said)
        if progress.stop_request is not self._last_request:
            self._last_request = progress.stop_request
            one = len(progress.running) == 1
            running, them = ("1 running game", "it") if one else (f"{len(progress.running)} running games", "them")
            if progress.stop_request is StopRequest.FINISH:
                said.append(f"Finishing the {running}; Ctrl-C again drops {them}.")
            elif progress.stop_request is StopRequest.DECIDED:
                said.append(f"The test is decided. Finishing the {running}.")
            else:
                said.append(f"Dropping the {running}, to play {them} again.")
        last = progress.last_record
        if last is not None and last.outcome.void:
            if last.key != self._last_void:
                who = " against ".join(map(printable, last.names))
                said.append(f"A game of {who} could not be played: {printable(last.outcome.detail)}.")
            self._last_void = last.key
        return said


class _Pace:
    """Decides when to repeat some work: work that takes longer is repeated more rarely."""

    def __init__(self, every: float, *, at_once: bool) -> None:
        self._every, self._next = every, 0.0 if at_once else time.monotonic() + every

    def work(self, deed: Callable[[], None]) -> None:
        """Do the work, if it is due."""
        began = time.monotonic()
        if began >= self._next:
            deed()
            ended = time.monotonic()
            self._next = ended + max(self._every, _COUNT_SHARE * (ended - began))


class ProgressLines:
    """Prints a line from time to time."""

    def __init__(self, count: Count, tested: Callable[[], str] | None = None, *, quiet: bool = False) -> None:
        self._count, self._tested, self._quiet, self._talk = count, tested, quiet, _Talk()
        self._pace, self._done = _Pace(_LINE_EVERY, at_once=False), 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Do nothing."""

    def __call__(self, progress: Progress) -> None:
        """Print news and progress after a game; if many games end per second, not after each one."""
        for news in self._talk.news(progress):
            click.echo(news, err=True)
        if not self._quiet and progress.played + progress.unplayed != self._done:
            self._pace.work(lambda: self._print_progress(progress))

    def _print_progress(self, progress: Progress) -> None:
        said = f" {self._tested()}" if self._tested else ""
        click.echo(f"{headline(progress)}: {_in_short(self._count())}{'.' * bool(said)}{said}", err=True)
        self._done = progress.played + progress.unplayed


def _in_short(standings: Standings) -> str:
    return ", ".join(f"{printable(row.name)} {row.wins}-{row.draws}-{row.losses}" for row in standings.rows)


class ProgressTable:
    """Draws the current table again whenever it changes."""

    def __init__(self, count: Count, tested: Callable[[], str] | None = None) -> None:
        self._count, self._tested, self._talk = count, tested, _Talk()
        self._pace, self._table, self._live = _Pace(_COUNT_EVERY, at_once=True), "", self._screen()
        self._drawing = _Pace(_DRAW_EVERY, at_once=True)

    @staticmethod
    def _screen() -> Live:
        from rich.console import Console
        from rich.live import Live

        return Live(console=Console(stderr=True, highlight=False), auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Draw the progress, and the table when it is out of date."""
        from rich.text import Text

        said = self._talk.news(progress)
        for news in said:
            self._live.console.print(Text(news))
        if said or not progress.running:
            self._draw(progress)
        else:
            self._drawing.work(lambda: self._draw(progress))

    def _draw(self, progress: Progress) -> None:
        from rich.text import Text

        self._pace.work(self._draw_table)
        running = ", ".join(" – ".join(map(printable, names)) for names in list(progress.running.values())[:4])
        lines = [headline(progress), *([f"now {running}"] if running else []), "", self._table]
        if self._tested:
            lines += ["", self._tested()]
        self._live.update(Text("\n".join(lines), no_wrap=True, overflow="crop"), refresh=True)

    def _draw_table(self) -> None:
        self._table = standings_text(self._count(), shutil.get_terminal_size().columns)
