"""The folder of the built-in agents, and the folder for a user's data outside of any working directory.

The module does not depend on the contents of these folders. It needs only the standard library.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE_FOLDER = Path(__file__).resolve().parent
# in a clone, agents/ is beside the package; in a wheel, inside it
_PARENT_OF_AGENTS = _PACKAGE_FOLDER if (_PACKAGE_FOLDER / "agents").is_dir() else _PACKAGE_FOLDER.parent
AGENTS_FOLDER = _PARENT_OF_AGENTS / "agents"


def data_folder() -> Path:
    """Return the user's data folder: the environment variable GOMOGO_DATA, or the usual folder of this system."""
    if folder_setting := os.environ.get("GOMOGO_DATA"):
        return Path(folder_setting)
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "gomogo"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "gomogo"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "gomogo"
