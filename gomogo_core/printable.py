"""Escapes untrusted text before it reaches a terminal, an error message or a file for humans. The module needs only the
standard library.
"""

from __future__ import annotations


def printable(text: str, *, lines: bool = False) -> str:
    """Return `text`, in which every character that a terminal would interpret is escaped.

    Names and output of agents can contain such characters. lines: whether to keep line breaks.
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or (lines and sign == "\n") else ascii(sign)[1:-1] for sign in text)
