"""Analysis of positions and games: live, for hints and for reviews.

The package depends on positions, records, search and compiled engines. It knows no user interface, no store and no
process.
"""

from gomogo_core.analysis.strongest import hint, search

__all__ = ["hint", "search"]
