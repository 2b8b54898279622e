"""Text that several user interfaces share: names, numbers, tables of standings, rounds of a tournament."""
