"""Tables as CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from gomogo_core.printable import printable

_FORMULA_STARTS = ("=", "+", "-", "@")  # a spreadsheet computes a cell that begins with one of these characters


def spreadsheet_cell(text: str) -> str:
    """Return a text as a cell that a spreadsheet does not compute as a formula."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def csv_table(column_titles: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table with a line of titles as CSV. Texts are escaped; None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(column_titles)
    writer.writerows(
        [spreadsheet_cell(printable(cell)) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return buffer.getvalue()
