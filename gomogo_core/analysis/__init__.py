"""What the strongest engine here says about a position, for hints and reviews.

Knows positions, search and compiled engines; no user interface, no store.
"""

from gomogo_core.analysis.strongest import hint, search

__all__ = ["hint", "search"]
