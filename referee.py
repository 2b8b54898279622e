"""Referees one game: `python referee.py TEAM1 TEAM2` plays in this folder, with agents that you start by hand."""

from gomogo.cli import run
from gomogo.one_game import referee

if __name__ == "__main__":
    run(referee, "referee.py")
