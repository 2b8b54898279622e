"""Reads the parameters of --sprt as fastchess and cutechess do: elo0, elo1, alpha and beta, in any order.

The module handles the command line, and computes no statistics.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from gomogo_core.errors import UserError, suggest_name

# the form of a parameter; a word with `?`, `:`, `/` or a backslash is the spec of an agent, and no parameter
_PARAMETER_PATTERN = re.compile(r"([A-Za-z]\w*)=([^=?:/\\]*)")
_HYPOTHESES, _ERROR_RATES = ("elo0", "elo1"), ("alpha", "beta")


class SprtCommand(click.Command):
    """A command with the option --sprt."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line after expanding --sprt."""
        return super().parse_args(ctx, move_error_rates_to_options(args))


def move_error_rates_to_options(args: Sequence[str]) -> list[str]:
    """Return a command line in which --sprt has only the two hypotheses, and the error rates are options.

    >>> move_error_rates_to_options(["a", "b", "--sprt", "elo1=10", "elo0=0", "alpha=0.1", "-n", "8"])
    ['a', 'b', '--alpha', '0.1', '--sprt', 'elo1=10', 'elo0=0', '-n', '8']

    Raises UserError for an unknown parameter.
    """
    index = next((index for index, parameter in enumerate(args) if parameter.split("=")[0] == "--sprt"), None)
    if index is None:
        return list(args)
    words_after = [args[index].removeprefix("--sprt").removeprefix("="), *args[index + 1 :]]
    parameters, remaining = list[str](), words_after[1:] if not words_after[0] else words_after
    while remaining and all(_PARAMETER_PATTERN.fullmatch(parameter) for parameter in remaining[0].split(",")):
        parameters += remaining.pop(0).split(",")
    hypotheses, options = list[str](), list[str]()
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name in _ERROR_RATES:
            options += [f"--{name}", value]
        elif name in _HYPOTHESES:
            hypotheses.append(parameter)
        else:
            raise UserError(f"--sprt has no {name!r}.", suggest_name(name, (*_HYPOTHESES, *_ERROR_RATES)))
    return [*args[:index], *options, "--sprt", *hypotheses, *remaining]
