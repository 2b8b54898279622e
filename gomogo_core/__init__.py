"""The arena's core: rules, search, one game played, and how players are reached."""

__version__ = "0.1.0"
