"""Prepares text for humans: escapes untrusted text, and counts things in words.

The module needs only the standard library.
"""

from __future__ import annotations


def printable(text: str, *, lines: bool = False) -> str:
    """Return `text` with an escape sequence for every character that a terminal would interpret.

    Names and output of agents can contain such characters. lines: whether to keep line breaks.
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or (lines and character == "\n") else ascii(character)[1:-1]
        for character in text
    )


def count_with_noun(count: int, singular: str, plural: str = "") -> str:
    """Return a number with a noun, as in "1 mistake" or "2 mistakes". plural: by default, the singular with an s."""
    return f"{count} {singular if count == 1 else plural or singular + 's'}"
