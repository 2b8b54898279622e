"""Runs untrusted programs: starts them, watches them, and ends them with all their child processes."""
