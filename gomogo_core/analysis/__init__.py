"""Analysis of positions and games: live, for hints and for reviews.

The package depends on positions, records, search and compiled engines. It does not depend on user interfaces, stores or
processes.
"""

from gomogo_core.analysis.strongest import hint, search

__all__ = ["hint", "search"]
