"""The error that a user can fix: its first line says what is wrong and why, and its second line says what to do.

The user interfaces print the error and choose the exit code.
"""

from __future__ import annotations

from collections.abc import Iterable


class UserError(Exception):
    """A mistake of the user.

    problem: one sentence that states the problem and its cause. remedy: one sentence that says what to do.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}\n{self.remedy}"


def there_are_text(count: int) -> str:
    """Return "there is 1" or "there are N"."""
    return f"there {'is' if count == 1 else 'are'} {count}"


def suggest_name(wrong_name: str, choices: Iterable[str]) -> str:
    """Return a remedy for an unknown name: it suggests the name nearest to `wrong_name`, or lists all `choices`.

    >>> suggest_name("gomuko", ["go", "gomoku"])
    'Did you mean gomoku?'
    """
    from difflib import get_close_matches  # imported here, because an agent must start fast and rarely needs it

    names = sorted(choices)
    similar_names = get_close_matches(wrong_name.casefold(), names, n=1)
    if similar_names:
        return f"Did you mean {similar_names[0]}?"
    if not names:
        return "There is none."
    return f"The only one is {names[0]}." if len(names) == 1 else f"Choose from {', '.join(names)}."
