"""A tournament as one page that needs no network: its table, its charts, and every game to step through."""
