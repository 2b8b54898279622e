"""Text that several faces share: sentences about games, tables of standings, rounds."""
