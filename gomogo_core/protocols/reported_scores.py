"""Finds the score in an engine's output, in the notations of well-known engines.

The module depends only on text, not on protocols or games.
"""

from __future__ import annotations

import re
from math import isfinite

WIN_SCORE = 100_000.0  # the score of a win that the engine has found, minus 1 for each move until the win

_NUMBER_PATTERN = r"([+-]?)(M|#)?\s?(\d{1,300}(?:\.\d+)?(?:e[+-]?\d{1,2}\b)?)\s?(%)?"
_SCORE_WORDS_PATTERN = r"(?:eval|evaluation|score(?:\s+cp)?|value|ev|winrate|win rate|w/r)"
_SCORE_AFTER_WORD = re.compile(rf"\b{_SCORE_WORDS_PATTERN}\b\s*[:=]?\s*{_NUMBER_PATTERN}", re.IGNORECASE)


def find_score(text: str) -> float | None:
    """Return the score in a line of output ("ev 35", "Eval: -M5", "winrate 61 %"); None if there is no score.

    A mate in n ("M5", "#5") counts as WIN_SCORE - n; a percentage counts as its difference from 50 %. So a positive
    score always means an advantage.

    >>> find_score("depth 9 ev 35 n 10K"), find_score("EVAL -M5"), find_score("winrate: 61.5%")
    (35.0, -99995.0, 11.5)
    >>> find_score("score cp 1.2e2")
    120.0
    """
    matches = _SCORE_AFTER_WORD.findall(text)
    if not matches:
        return None
    sign, mate, number, percent = matches[-1]
    value = float(number)
    if not isfinite(value):
        return None
    if percent:
        return value - 50.0
    if mate:
        value = WIN_SCORE - value
    return -value if sign == "-" else value
