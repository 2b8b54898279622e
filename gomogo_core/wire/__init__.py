"""The file protocol: its lines as text, its folder, and how to wait for a change in it. Standard library only."""
