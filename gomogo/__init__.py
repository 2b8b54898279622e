"""The faces of the arena: the command line."""
