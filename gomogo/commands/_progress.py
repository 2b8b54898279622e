"""Displays the progress of a run on stderr: as a live table in a terminal, otherwise as lines."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

import click

from gomogo.text.standings_table import games_text, standings_text
from gomogo_core.drawing.text import format_clock, printable
from tournaments.progress import RunProgress, StopRequest
from tournaments.standings import Standings

if TYPE_CHECKING:
    from rich.live import Live

_LINE_INTERVAL_SECONDS = 5.0  # seconds between two lines, if the output is not a terminal
_TABLE_INTERVAL_SECONDS = 2.0  # seconds between two computations of the table in a terminal
# seconds between two drawings, since a drawing takes a hundred times as long as storing a game
_DRAW_INTERVAL_SECONDS = 0.1
# the pause after a computation, as a multiple of its duration; the table of 100,000 games takes more than a second
_PAUSE_FACTOR = 10

ComputeStandings = Callable[[], Standings]


class ProgressDisplay(Protocol):
    """A display of progress, which a runner calls after each game."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def __call__(self, progress: RunProgress) -> None: ...


def create_display(
    compute_standings: ComputeStandings, *, human_plays: bool, test_state: Callable[[], str] | None = None
) -> ProgressDisplay:
    """Return the display for stderr: a live table in a terminal, otherwise lines.

    compute_standings: a function that returns the standings. human_plays: whether a human plays in this terminal.
    test_state: a function that returns the state of the statistical test as text; None for a run without a test.
    """
    if sys.stderr.isatty() and not human_plays:
        return ProgressTable(compute_standings, test_state)
    return ProgressLines(compute_standings, test_state, messages_only=human_plays)


def played_games_text(games_played: int, planned: int | None) -> str:
    """Return "N of M games", or "N games" for an endless run."""
    if planned is not None:
        return f"{games_played} of {games_text(planned)}"
    return games_text(games_played)


def _format_rate(games_per_second: float) -> str:
    """Format a rate with two digits and without an exponent: 0.31, 4.2, 240."""
    return f"{games_per_second:.0f}" if games_per_second >= 10 else f"{games_per_second:.2g}"


def progress_line(progress: RunProgress) -> str:
    """Return one line with the numbers of games, the games per second, and the time left."""
    text = played_games_text(progress.played_games, progress.planned_games)
    if progress.void_games:
        text += f", {progress.void_games} could not be played"
    if progress.games_by_this_runner:
        text += f", {_format_rate(progress.games_per_second)} a second"
    if progress.seconds_left and progress.stop_request is StopRequest.NONE:
        text += f", {format_clock(progress.seconds_left)} left"
    return text


class _MessageCollector:
    """Collects the messages of a run about agents, workers, requests to stop, and games that could not be played.

    The class leaves out a message that equals the one before. It also leaves out a further game of the same players
    that could not be played for the same reason; the end of the run states the number of such games.
    """

    def __init__(self) -> None:
        self._last_request, self._void_sentences, self._returned_count = StopRequest.NONE, set[str](), 0

    def new_messages(self, progress: RunProgress) -> list[str]:
        """Return the messages since the last call."""
        first, self._returned_count = self._returned_count, len(progress.messages)
        sentences = list(pairwise(("", *progress.messages)))[first:]
        messages = [printable(sentence) for earlier_sentence, sentence in sentences if sentence != earlier_sentence]
        if progress.stop_request is not self._last_request:
            self._last_request = progress.stop_request
            is_single = len(progress.names_by_running_game) == 1
            running_games, pronoun = (
                ("1 running game", "it")
                if is_single
                else (f"{len(progress.names_by_running_game)} running games", "them")
            )
            if progress.stop_request is StopRequest.FINISH_RUNNING_GAMES:
                messages.append(f"Finishing the {running_games}; Ctrl-C again drops {pronoun}.")
            elif progress.stop_request is StopRequest.RESULT_DECIDED:
                messages.append(f"The test is decided. Finishing the {running_games}.")
            else:
                messages.append(f"Dropping the {running_games}, to play {pronoun} again.")
        last_record = progress.latest_record
        if last_record is not None and last_record.outcome.is_void:
            players = " against ".join(sorted(map(printable, last_record.names)))
            sentence = f"A game of {players} could not be played: {printable(last_record.outcome.detail)}."
            if sentence not in self._void_sentences:
                messages.append(sentence)
            self._void_sentences.add(sentence)
        return messages


class _Throttle:
    """Limits how often a function is called. After a call that took long, the pause is longer, too.

    interval: the minimum pause in seconds. starts_immediately: whether the first call needs no pause.
    """

    def __init__(self, interval: float, *, starts_immediately: bool) -> None:
        self._interval, self._next_call = interval, 0.0 if starts_immediately else time.monotonic() + interval

    def call_if_due(self, function: Callable[[], None]) -> None:
        """Call the function if the pause since its last call is over."""
        begin = time.monotonic()
        if begin >= self._next_call:
            function()
            end = time.monotonic()
            self._next_call = end + max(self._interval, _PAUSE_FACTOR * (end - begin))


class ProgressLines:
    """A display that prints a line every few seconds. messages_only: whether to print messages only."""

    def __init__(
        self,
        compute_standings: ComputeStandings,
        test_state: Callable[[], str] | None = None,
        *,
        messages_only: bool = False,
    ) -> None:
        self._compute_standings, self._test_state, self._messages_only, self._messages = (
            compute_standings,
            test_state,
            messages_only,
            _MessageCollector(),
        )
        self._line_throttle, self._printed_count = _Throttle(_LINE_INTERVAL_SECONDS, starts_immediately=False), 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Do nothing."""

    def __call__(self, progress: RunProgress) -> None:
        """Print the messages, and a line with the progress if the last one is old enough."""
        for message in self._messages.new_messages(progress):
            click.echo(message, err=True)
        if not self._messages_only and progress.played_games + progress.void_games != self._printed_count:
            self._line_throttle.call_if_due(lambda: self._print_progress(progress))

    def _print_progress(self, progress: RunProgress) -> None:
        state = f". {self._test_state()}" if self._test_state else ""
        click.echo(f"{progress_line(progress)}: {_results_line(self._compute_standings())}{state}", err=True)
        self._printed_count = progress.played_games + progress.void_games


def _results_line(standings: Standings) -> str:
    return ", ".join(f"{printable(row.name)} {row.wins}-{row.draws}-{row.losses}" for row in standings.rows)


class ProgressTable:
    """A display that draws the progress and the table, and updates them."""

    def __init__(self, compute_standings: ComputeStandings, test_state: Callable[[], str] | None = None) -> None:
        self._compute_standings, self._test_state, self._messages = compute_standings, test_state, _MessageCollector()
        self._table_throttle, self._table, self._live = (
            _Throttle(_TABLE_INTERVAL_SECONDS, starts_immediately=True),
            "",
            self._create_live_view(),
        )
        self._draw_throttle = _Throttle(_DRAW_INTERVAL_SECONDS, starts_immediately=True)

    @staticmethod
    def _create_live_view() -> Live:
        from rich.console import Console
        from rich.live import Live

        return Live(console=Console(stderr=True, highlight=False), auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, progress: RunProgress) -> None:
        """Print the messages, and draw the progress. The table is computed every few seconds."""
        from rich.text import Text

        messages = self._messages.new_messages(progress)
        for message in messages:
            self._live.console.print(Text(message))
        if messages or not progress.names_by_running_game:
            self._draw(progress)
        else:
            self._draw_throttle.call_if_due(lambda: self._draw(progress))

    def _draw(self, progress: RunProgress) -> None:
        from rich.text import Text

        self._table_throttle.call_if_due(self._update_table)
        running_games = ", ".join(
            " – ".join(map(printable, names)) for names in list(progress.names_by_running_game.values())[:4]
        )
        lines = [progress_line(progress), *([f"now {running_games}"] if running_games else []), "", self._table]
        if self._test_state:
            lines += ["", self._test_state()]
        self._live.update(Text("\n".join(lines), no_wrap=True, overflow="crop"), refresh=True)

    def _update_table(self) -> None:
        self._table = standings_text(self._compute_standings(), shutil.get_terminal_size().columns)
