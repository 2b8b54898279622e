"""The pages on which people play: forms for new games, sessions with their referees, and classes."""
