"""The pages about finished games: search, replay, review, export."""
