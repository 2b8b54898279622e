"""Analysis of positions and games: live, for hints and for reviews.

The package depends on positions, records, search and compiled engines. It does not depend on user interfaces, stores or
processes.
"""

from gomogo_core.analysis.strongest_search import hint, likely_result, search

__all__ = ["hint", "likely_result", "search"]
