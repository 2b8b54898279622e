"""Creates matplotlib figures and converts them to SVG for a page: small, in the page's colours, without metadata.

Matplotlib is in the extra `report`. It is imported when the first chart is drawn.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from gomogo_core.drawing.text import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 360  # units; text is 11 units high. This is the width of a phone, so that charts need not shrink
TEXT_COLOUR, EDGE_COLOUR, MARK_COLOUR, PAGE_COLOUR = "#1b1b1b", "#c9c9c9", "#0b5cad", "#ffffff"
# the colours of lines; lines also differ by their dashes
LINE_COLOURS = (MARK_COLOUR, "#b34700", "#00795a", "#8a3f73", "#6a6200", "#444444", "#a3004f", "#005f87")
_PROPERTIES = {TEXT_COLOUR: "--text", EDGE_COLOUR: "--edge", PAGE_COLOUR: "--page"} | {
    colour: f"--line-{number}" for number, colour in enumerate(LINE_COLOURS)
}
_COLOUR = re.compile("|".join(_PROPERTIES))
_MAX_NAME_CHARACTERS = 34  # characters of a name in a chart
_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_STYLE: dict[Any, object] = {  # matplotlib types the keys as some three hundred literals
    "svg.fonttype": "none",  # keep text as text, so that it can be searched and read aloud
    "text.parse_math": False,  # an agent's name may look like mathematics: $x$
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Arial"],  # matplotlib measures text by the first font, which it ships
    "font.size": 11,
    "text.color": TEXT_COLOUR,
    "axes.edgecolor": EDGE_COLOUR,
    "axes.labelcolor": TEXT_COLOUR,
    "axes.facecolor": "none",
    "axes.unicode_minus": False,  # the tables of the report use the same sign
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "none",
    "grid.color": EDGE_COLOUR,
    "grid.linewidth": 0.6,
    "xtick.color": EDGE_COLOUR,
    "xtick.labelcolor": TEXT_COLOUR,
    "ytick.color": EDGE_COLOUR,
    "ytick.labelcolor": TEXT_COLOUR,
    "legend.frameon": False,
}


def has_matplotlib() -> bool:
    """Return whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


@contextmanager
def new_figure(height: float) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure of this height with one pair of axes. The report's style overrides the user's
    settings of matplotlib.
    """
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(), warnings.catch_warnings():
        # the browser draws the text in its own fonts, so a glyph that matplotlib's font lacks does not matter
        warnings.filterwarnings("ignore", "Glyph")
        warnings.filterwarnings("ignore", "The matplotlib.style.core module")  # rcdefaults itself imports it
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72, layout="constrained")
        yield figure, figure.subplots()


def figure_svg(figure: Figure, label: str) -> str:
    """Return the figure as an SVG element. Call it in the context of `new_figure`. label: for screen readers."""
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = label  # so that ids are the same in each report, but differ between figures
    svg_file = io.StringIO()
    figure.savefig(svg_file, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    root = ElementTree.fromstring(svg_file.getvalue())
    _shrink_svg(root)
    root.attrib = {
        "class": "chart",
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-label": label,
    }
    ElementTree.register_namespace("", _SVG)

    return ElementTree.tostring(root, encoding="unicode")


def shortened_name(name: str) -> str:
    """Return a name for use in a chart: at most 34 characters, without those that XML does not allow."""
    text = printable(name)
    return text if len(text) <= _MAX_NAME_CHARACTERS else f"{text[: _MAX_NAME_CHARACTERS - 1]}…"


def _colour_property(colour: re.Match[str]) -> str:
    return f"var({_PROPERTIES[colour[0]]}, {colour[0]})"


def _shrink_svg(root: ElementTree.Element) -> None:
    """Remove styles that would affect the whole page, unused ids and XLink. Replace colours by the page's variables."""
    text = ElementTree.tostring(root, encoding="unicode")
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}style", f"{{{_SVG}}}metadata"):
                parent.remove(child)
        if f"{{{_LINK}}}href" in parent.attrib:
            parent.attrib["href"] = parent.attrib.pop(f"{{{_LINK}}}href")
        if "style" in parent.attrib:  # only in styles, since an agent may have the name #ffffff
            parent.attrib["style"] = _COLOUR.sub(_colour_property, parent.attrib["style"])
        if "id" in parent.attrib and f"#{parent.attrib['id']}" not in text:
            del parent.attrib["id"]
        parent.text, parent.tail = (text if text and text.strip() else None for text in (parent.text, parent.tail))
