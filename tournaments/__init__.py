"""Tournaments: schedules, workers, results and ratings."""
