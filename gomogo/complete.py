"""Shell completion of agents, games, levels, runs and stored games; the shell completes file names itself.

Looks up the names. Prints nothing on an error, because a shell has no place for a message.
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

Completion: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
Words: TypeAlias = Iterable[tuple[str, str]]  # each word with a description, which some shells show

_MOST = 20  # stored games, the latest
_KEY = 8  # letters of a game's key


def _completion(words: Callable[[click.Context], Words], *, files: bool = False) -> Completion:
    """Return a completion from these words. files: complete file names where no word matches."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        found = [CompletionItem(incomplete, type="file")] if files else []
        with suppress(UserError, OSError):
            for word, about in words(ctx):
                if word.startswith(incomplete):
                    found.append(CompletionItem(word, help=about))
        return found

    return complete


def _agents(ctx: click.Context) -> Words:
    from gomogo_core import catalogue

    return [(name, catalogue.agent(name).about) for name in catalogue.agents()]


def _games(ctx: click.Context) -> Words:
    from gomogo_core import games

    return [(name, "") for name in games.names()]


def _levels(ctx: click.Context) -> Words:
    from gomogo_core.levels import STRONGEST, WEAKEST

    return [(str(level), "") for level in range(WEAKEST, STRONGEST + 1)]


def _store(ctx: click.Context) -> Store:
    from gomogo_core.records.store import Store

    return Store.open(ctx.params.get("store"), create=False)


def _runs(ctx: click.Context) -> Words:
    with _store(ctx) as store:
        return [(run.name, f"{run.planned} games") for run in store.runs()]


def _complete_stored_name(ctx: click.Context) -> Iterator[tuple[str, str]]:
    from gomogo_core.records.paths import stored_records

    yield "last", "the last game played"
    yield from ((path.name[:_KEY], "a single game") for path in stored_records()[:_MOST])
    with _store(ctx) as store:
        for key, names in store.latest_games(_MOST):
            yield key[:_KEY], " against ".join(names)


def _complete_exported_file(ctx: click.Context) -> Iterator[tuple[str, str]]:
    yield "all", "all games of the store"
    yield from _complete_stored_name(ctx)
    yield from _runs(ctx)


agents = _completion(_agents, files=True)
games, levels = _completion(_games), _completion(_levels)
runs, stored, exported = (
    _completion(words, files=True) for words in (_runs, _complete_stored_name, _complete_exported_file)
)
