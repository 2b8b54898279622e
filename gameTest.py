"""python gameTest.py AGENT1 AGENT2: a clean folder each, the referee, both agents, the result."""

from gomogo.cli import run
from gomogo.one_game import game_test

if __name__ == "__main__":
    run(game_test, "gameTest.py")
