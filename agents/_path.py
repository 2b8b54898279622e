"""Lets an agent run from a clone that is not installed, for example by `python agents/minimax.py TEAM`."""

import sys
from pathlib import Path

_parent = Path(__file__).resolve().parent.parent  # the clone or, in an installed wheel, the package gomogo_core
_root = str(_parent if (_parent / "gomogo_core").is_dir() else _parent.parent)
if _root not in sys.path:
    sys.path.append(_root)
