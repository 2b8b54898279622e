"""Strangers' text made harmless where it is shown: on a terminal, in an error, in a file that is read by people.

Knows characters only. Standard library only.
"""

from __future__ import annotations


def visible(text: str, *, lines: bool = False) -> str:
    """`text` with everything escaped that a terminal would obey instead of show; names and thoughts are strangers'.

    lines: ends of lines stay what they are.
    """
    return "".join(sign if sign.isprintable() or (lines and sign == "\n") else ascii(sign)[1:-1] for sign in text)
