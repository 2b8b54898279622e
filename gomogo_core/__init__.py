"""The arena's core: the rules, the search, the loop that plays one game, and the connections to its players."""

__version__ = "0.1.0"
