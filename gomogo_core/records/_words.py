"""What strangers' programs said, as text files may hold it.

Knows characters; no file's form.
"""

from __future__ import annotations


def shown(text: str) -> str:
    """The text with what a reader of the file might obey as plain signs; its lines stay lines."""
    return "".join(sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1] for sign in text)
