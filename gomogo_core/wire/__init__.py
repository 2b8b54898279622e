"""The file protocol: its lines and files, and waiting for changes in its folder. Standard library only."""
