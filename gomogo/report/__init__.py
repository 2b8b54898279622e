"""Writes HTML pages that need no network: a report on a tournament, with its table, charts and games, and the grades of
a course, with the games of each student.
"""
