"""The parameters of --sprt, as runners of chess engines accept them: elo0, elo1, alpha and beta, in any order.

Handles a command line, but no statistics.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from gomogo_core.errors import UserError, suggest_name

# in the spec of an agent, one of these precedes a setting, or the word is a path
_WORD = re.compile(r"([A-Za-z]\w*)=([^=?:/\\]*)")
_HYPOTHESES, _ERRORS = ("elo0", "elo1"), ("alpha", "beta")


class SprtCommand(click.Command):
    """A command with --sprt, which takes two words; --alpha and --beta take one word each."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line."""
        return super().parse_args(ctx, expand_sprt(args))


def expand_sprt(args: Sequence[str]) -> list[str]:
    """Return a command line with only the two hypotheses behind --sprt; error rates become options.

    >>> expand_sprt(["a", "b", "--sprt", "elo1=10", "elo0=0", "alpha=0.1", "-n", "8"])
    ['a', 'b', '--alpha', '0.1', '--sprt', 'elo1=10', 'elo0=0', '-n', '8']

    Raises UserError for words of that form that --sprt does not know.
    """
    at = next((place for place, word in enumerate(args) if word.split("=")[0] == "--sprt"), None)
    if at is None:
        return list(args)
    behind = [args[at].removeprefix("--sprt").removeprefix("="), *args[at + 1 :]]
    words, rest = list[str](), behind[1:] if not behind[0] else behind
    while rest and all(_WORD.fullmatch(word) for word in rest[0].split(",")):
        words += rest.pop(0).split(",")
    hypotheses, options = list[str](), list[str]()
    for word in words:
        name, _, value = word.partition("=")
        if name in _ERRORS:
            options += [f"--{name}", value]
        elif name in _HYPOTHESES:
            hypotheses.append(word)
        else:
            raise UserError(f"--sprt has no {name!r}.", suggest_name(name, (*_HYPOTHESES, *_ERRORS)))
    return [*args[:at], *options, "--sprt", *hypotheses, *rest]
