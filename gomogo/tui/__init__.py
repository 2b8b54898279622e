"""The full-screen interface: a human chooses moves on a board instead of typing them. Needs textual."""
