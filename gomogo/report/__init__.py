"""Writes a report on a tournament: one HTML page with its table, its charts and all its games, without a network."""
