"""The parameters of --sprt in the form that fastchess and cutechess accept: elo0, elo1, alpha and beta, in any order.

The module handles the command line, and computes no statistics.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from gomogo_core.errors import UserError, suggest_name

# the word of a parameter; a word with `?`, `:`, `/` or a backslash is the spec of an agent
_PARAMETER = re.compile(r"([A-Za-z]\w*)=([^=?:/\\]*)")
_HYPOTHESES, _ERROR_RATES = ("elo0", "elo1"), ("alpha", "beta")


class SprtCommand(click.Command):
    """A command with the option --sprt."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line after expanding --sprt."""
        return super().parse_args(ctx, expand_sprt(args))


def expand_sprt(args: Sequence[str]) -> list[str]:
    """Return a command line in which --sprt has only the two hypotheses, and the error rates are options.

    >>> expand_sprt(["a", "b", "--sprt", "elo1=10", "elo0=0", "alpha=0.1", "-n", "8"])
    ['a', 'b', '--alpha', '0.1', '--sprt', 'elo1=10', 'elo0=0', '-n', '8']

    Raises UserError for an unknown parameter.
    """
    at = next((place for place, word in enumerate(args) if word.split("=")[0] == "--sprt"), None)
    if at is None:
        return list(args)
    behind = [args[at].removeprefix("--sprt").removeprefix("="), *args[at + 1 :]]
    words, rest = list[str](), behind[1:] if not behind[0] else behind
    while rest and all(_PARAMETER.fullmatch(word) for word in rest[0].split(",")):
        words += rest.pop(0).split(",")
    hypotheses, options = list[str](), list[str]()
    for word in words:
        name, _, value = word.partition("=")
        if name in _ERROR_RATES:
            options += [f"--{name}", value]
        elif name in _HYPOTHESES:
            hypotheses.append(word)
        else:
            raise UserError(f"--sprt has no {name!r}.", suggest_name(name, (*_HYPOTHESES, *_ERROR_RATES)))
    return [*args[:at], *options, "--sprt", *hypotheses, *rest]
