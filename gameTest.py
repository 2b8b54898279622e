"""Plays one game: `python gameTest.py AGENT1 AGENT2` starts both agents, each in its own folder, and referees."""

from gomogo.cli import run
from gomogo.one_game import game_test

if __name__ == "__main__":
    run(game_test, "gameTest.py")
