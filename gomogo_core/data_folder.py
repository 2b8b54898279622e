"""Where files of ours lie that belong to a person, not to a folder they work in.

Standard library only; knows nothing of what is kept there.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def data_folder() -> Path:
    """The person's folder for our data, by the custom of the system; GOMOGO_DATA names another."""
    if named := os.environ.get("GOMOGO_DATA"):
        return Path(named)
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "gomogo"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "gomogo"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "gomogo"
