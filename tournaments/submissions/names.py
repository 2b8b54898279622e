"""What those who hand in are called: in tables and files by a name made of their entry's, to each other by a number.

Knows texts, and the file in which the numbers are kept.
"""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

from gomogo_core.arena import distinct
from gomogo_core.catalogue import fit_name
from gomogo_core.wire.folder import put

_MADE_OF_NOTHING = fit_name("")  # what a name becomes that holds no letter we can use


def names_of(entries: Sequence[str]) -> tuple[str, ...]:
    """A name for each entry, fit for files and teams; equal ones are told apart by numbers.

    >>> names_of(["Zoë Müller", "<script>", "anna", "Anna"])
    ('Zoe-Muller', 'script', 'anna', 'Anna-2')
    """
    plain = ["".join(c for c in unicodedata.normalize("NFKD", entry) if c.isascii()) for entry in entries]
    fit = [fit_name(text) for text in plain]
    return distinct(
        ["student" if name == _MADE_OF_NOTHING != text else name for name, text in zip(fit, plain, strict=True)]
    )


def aliases(file: Path, names: Sequence[str]) -> Mapping[str, str]:
    """What each is called to others: "student-7". The numbers are drawn by lot, so that they tell nothing, and kept.

    file: where they are kept; it is written where somebody is new.
    """
    known: dict[str, int] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    new = [name for name in names if name not in known]
    if new:
        numbers = list(range(len(known) + 1, len(known) + len(new) + 1))
        random.SystemRandom().shuffle(numbers)
        known |= dict(zip(new, numbers, strict=True))
        put(str(file), json.dumps(known, indent=2).encode(), f"{file}.new")
    return {name: f"student-{known[name]}" for name in names}
