"""The full-screen interface: a human chooses moves on a board instead of typing them. The package needs the library
textual.
"""
