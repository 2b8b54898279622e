"""Analysis of positions and games: live, for hints and for reviews.

Uses positions, records, search and compiled engines, but no user interface, no store, no process.
"""

from gomogo_core.analysis.strongest import hint, search

__all__ = ["hint", "search"]
