"""The user interfaces of the arena: command line, page, reports."""
