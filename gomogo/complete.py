"""Shell completion of agents, games, levels, runs and stored games. The shell itself completes file names.

Nothing is printed on an error, because a message would disturb the user's command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

import click
from click.shell_completion import CompletionItem

from gomogo_core.errors import UserError

if TYPE_CHECKING:
    from gomogo_core.records.store import Store

# returns the completions of the letters that the user has typed for a parameter
Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
Candidates: TypeAlias = Iterable[tuple[str, str]]  # words with their descriptions, which some shells show

_MAX_GAMES = 20  # the number of latest games that are offered
_KEY_LENGTH = 8  # the number of letters of a game's key that are completed


def _completer(candidates: Callable[[click.Context], Candidates], *, files: bool = False) -> Completer:
    """Return the completion function for a parameter. candidates: a function that returns the words. files: whether to
    complete file names, too.
    """

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        items = [CompletionItem(incomplete, type="file")] if files else []
        with suppress(UserError, OSError):
            for word, description in candidates(ctx):
                if word.startswith(incomplete):
                    items.append(CompletionItem(word, help=description))
        return items

    return complete


def _agents(ctx: click.Context) -> Candidates:
    from gomogo_core import catalogue

    return [(name, catalogue.agent(name).summary) for name in catalogue.agents()]


def _games(ctx: click.Context) -> Candidates:
    from gomogo_core import games

    return [(name, "") for name in games.names()]


def _levels(ctx: click.Context) -> Candidates:
    from gomogo_core.level_names import STRONGEST, WEAKEST, level_title

    return [(str(level), level_title(level)) for level in range(WEAKEST, STRONGEST + 1)]


def _open_store(ctx: click.Context) -> Store:
    from gomogo_core.records.store import Store

    return Store.open(ctx.params.get("store"), create=False)


def _runs(ctx: click.Context) -> Candidates:
    with _open_store(ctx) as store:
        return [(run.name, f"{run.planned_games} games") for run in store.runs()]


def _stored_games(ctx: click.Context) -> Iterator[tuple[str, str]]:
    from gomogo_core.records.paths import find_record_files

    yield "last", "the last game played"
    yield from ((path.name[:_KEY_LENGTH], "a single game") for path in find_record_files()[:_MAX_GAMES])
    with _open_store(ctx) as store:
        for key, names in store.latest_games(_MAX_GAMES):
            yield key[:_KEY_LENGTH], " against ".join(names)


def _exportable_games(ctx: click.Context) -> Iterator[tuple[str, str]]:
    yield "all", "all games of the store"
    yield from _stored_games(ctx)
    yield from _runs(ctx)


agents = _completer(_agents, files=True)
games, levels = _completer(_games), _completer(_levels)
runs, stored_games, exportable_games = (
    _completer(candidates, files=True) for candidates in (_runs, _stored_games, _exportable_games)
)
