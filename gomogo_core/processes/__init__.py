"""Runs untrusted programs: starts, confines and measures them, and ends them with all their child processes."""
