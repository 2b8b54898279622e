"""The error a user can mend: two lines, what went wrong and why, then what to do.

Knows nothing of where it is shown; the faces print it and choose the exit code.
"""

from __future__ import annotations

from collections.abc import Iterable


class UserError(Exception):
    """What a user did that cannot work.

    what: one sentence, what happened and why. remedy: one sentence, what to do about it.
    """

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what, remedy)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n{self.remedy}"


def there_are(count: int) -> str:
    """Say that there are so many, or that there is one."""
    return f"there {'is' if count == 1 else 'are'} {count}"


def nearest(word: str, known: Iterable[str]) -> str:
    """Say which known name a mistyped `word` may stand for, or list them all.

    >>> nearest("gomuko", ["go", "gomoku"])
    'Did you mean gomoku?'
    """
    from difflib import get_close_matches  # seldom needed, and an agent starts often

    names = sorted(known)
    close = get_close_matches(word.casefold(), names, n=1)
    if close:
        return f"Did you mean {close[0]}?"
    return f"There is {', '.join(names)}." if names else "There is none."
