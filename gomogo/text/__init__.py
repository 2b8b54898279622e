"""Text that several user interfaces share: sentences about games, tables of standings, rounds."""
