"""Games for tests only, each a file as users write it: with gravity, without points, with hexagons."""
