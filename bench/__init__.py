"""Benchmarks for our claims about speed: commands that print JSON, with ratios to a reference in the same run."""
