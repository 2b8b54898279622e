"""The design that the page and reports share: a stylesheet, gradients for wood and stones, and curves of trainings."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gomogo_core.drawing.svg import stylesheet

_DESIGN_FOLDER = Path(__file__).parent

_STRIPE_STARTS = (
    0,
    7,
    11,
    19,
    24,
    31,
    37,
    46,
    52,
    58,
    67,
    71,
    79,
    88,
    93,
    100,
)  # the places where stripes begin, in percent of the width
_STRIPES = "".join(
    f'<stop offset="{place}%" stop-color="var(--board-{("ground", "grain")[number % 2]})"/>'
    for number, place in enumerate(_STRIPE_STARTS)
)

# `.ground` and `.stone` in design.css refer to these gradients, so every document with boards must contain them once.
GRADIENTS = (
    '<svg class="unseen" width="0" height="0" aria-hidden="true"><defs>'
    f'<linearGradient id="wood" x2="1" y2="0.06">{_STRIPES}</linearGradient>'
    '<radialGradient id="stone-black" cx="0.36" cy="0.32" r="0.75">'
    '<stop offset="0" stop-color="#5c5c5c"/><stop offset="0.55" stop-color="#1c1c1c"/>'
    '<stop offset="1" stop-color="#050505"/></radialGradient>'
    '<radialGradient id="stone-white" cx="0.36" cy="0.32" r="0.85">'
    '<stop offset="0" stop-color="#ffffff"/><stop offset="0.65" stop-color="#f4f2ec"/>'
    '<stop offset="1" stop-color="#c9c4b8"/></radialGradient>'
    "</defs></svg>"
)


@cache
def design_style() -> str:
    """Return the stylesheet for boards, charts, type, colours and controls."""
    return stylesheet() + "".join(
        (_DESIGN_FOLDER / name).read_text(encoding="utf-8") for name in ("design.css", "charts.css")
    )
