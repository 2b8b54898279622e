"""Numbers as text for people."""

from __future__ import annotations

from gomogo_core.search.node import CERTAIN_THRESHOLD


def format_evaluation(score: float) -> str:
    """Return an agent's score as text, in the agent's own unit. A certain result is given in words.

    >>> format_evaluation(1e6), format_evaluation(-0.004), format_evaluation(12.5), format_evaluation(-2e9)
    ('a win', '0', '+12.5', 'a loss')
    """
    if abs(score) > CERTAIN_THRESHOLD:
        return "a win" if score > 0 else "a loss"
    text = f"{score:+z.2f}".rstrip("0").rstrip(".") if abs(score) < 100 else f"{score:+.0f}"
    return "0" if text in ("+0", "-0") else text


def format_accuracy(accuracy: float | None) -> str:
    """Return an accuracy in percent; a dash for None.

    >>> format_accuracy(87.4), format_accuracy(None)
    ('87 %', '–')
    """
    return "–" if accuracy is None else f"{accuracy:.0f} %"
