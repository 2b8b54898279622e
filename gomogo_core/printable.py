"""Escapes untrusted text before it reaches a terminal, an error message or a file for humans.

Uses characters only. Standard library only.
"""

from __future__ import annotations


def printable(text: str, *, lines: bool = False) -> str:
    """Return `text` with all characters escaped that a terminal would interpret; agents choose their names and output.

    lines: keep line breaks.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or (lines and sign == "\n") else ascii(sign)[1:-1] for sign in text)
