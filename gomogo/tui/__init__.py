"""A person at the terminal with the whole screen: a board to point at, instead of moves to type. Needs textual."""
