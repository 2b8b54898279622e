"""The protocols by which the referee talks to a player, and the games of each."""

from __future__ import annotations

PIPES = ("gomocup", "gtp", "json")  # protocols spoken through standard input and output
_PROTOCOLS = {
    "files": "files in a folder of its own (the default)",
    "gomocup": "Gomocup's and Piskvork's protocol for Gomoku, through pipes",
    "gtp": "the Go Text Protocol, through pipes",
    "json": "one JSON object a line, through pipes",
    "human": "a person at this terminal",
}
GAMES = {"gomocup": ("gomoku",), "gtp": ("go", "gomoku", "capture_go", "robogo"), "json": ()}


def protocols() -> tuple[tuple[str, str], ...]:
    """The name of every protocol, and a phrase that describes it."""
    return tuple(_PROTOCOLS.items())
