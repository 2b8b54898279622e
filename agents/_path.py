"""Lets an agent run from a clone without installation: `python agents/minimax.py TEAM`."""

import sys
from pathlib import Path

_root = str(Path(__file__).resolve().parent.parent)
if _root not in sys.path:
    sys.path.append(_root)
