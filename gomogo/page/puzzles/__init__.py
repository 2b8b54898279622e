"""The pages of puzzles and of introductions to the games, and the search for puzzles in stored games."""
