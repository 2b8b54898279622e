"""Numbers as text for people."""

from __future__ import annotations

from gomogo_core.search.node import CERTAIN_THRESHOLD


def evaluation_words(score: float) -> str:
    """Return an agent's score as text, in the agent's own unit. A certain result is given in words.

    >>> evaluation_words(1e6), evaluation_words(-0.004), evaluation_words(12.5), evaluation_words(-2e9)
    ('a win', '0', '+12.5', 'a loss')
    """
    if abs(score) > CERTAIN_THRESHOLD:
        return "a win" if score > 0 else "a loss"
    text = f"{score:+z.2f}".rstrip("0").rstrip(".") if abs(score) < 100 else f"{score:+.0f}"
    return "0" if text in ("+0", "-0") else text


def signed(value: float) -> str:
    """Return a whole number with its sign.

    >>> signed(12.4), signed(-3.0), signed(-0.1)
    ('+12', '−3', '+0')
    """
    return f"{value:+z.0f}".replace("-", "−")


def interval(low: float, high: float) -> str:
    """Return an interval of numbers with signs.

    >>> interval(-117.0, 504.0)
    '−117 to +504'
    """
    return f"{signed(low)} to {signed(high)}"


def accuracy_words(accuracy: float | None) -> str:
    """Return an accuracy in percent; a dash for None.

    >>> accuracy_words(87.4), accuracy_words(None)
    ('87 %', '–')
    """
    return "–" if accuracy is None else f"{accuracy:.0f} %"
