"""Programs of the tests' own that speak through pipes, well or badly."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from gomogo_core.arena import Arena
from gomogo_core.cancellation import GameCancelled
from gomogo_core.catalogue import agent
from gomogo_core.conformance.opponents import ScriptedOpponent
from gomogo_core.games.base import Game
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Moved, Ply
from gomogo_core.play.player import Turn
from gomogo_core.records.game_record import PlayedGame

# Plays the first empty point of its own list, row by row; the word after its name says what it does wrong, and when.
BRAIN = r'''
import os, signal, sys, time

end = "\r" if "returns" in sys.argv else "\n"
words = sys.argv[1:]
mode, when = words[0] if words else "well", int(words[1]) if len(words) > 1 else 0
size, taken, moves, board = 15, set(), 0, None


def say(text, end=end):
    sys.stdout.write(text + end)
    sys.stdout.flush()


def point():
    place = next((x, y) for y in range(size) for x in range(size) if (x, y) not in taken)
    taken.add(place)
    return "%d,%d" % place


def wrong():
    """What this brain does instead of answering; whether it answers all the same."""
    if mode == "dies": os._exit(7)
    if mode == "hangs": time.sleep(60)
    if mode == "off_the_board": say("15,3")
    if mode == "occupied": say("%d,%d" % sorted(taken)[0])
    if mode == "rubbish": say("\x00\x01 what?")
    if mode == "negative": say("-1,2")
    if mode == "half_a_line": say("3,", end=""); time.sleep(60)
    if mode == "no_end":
        while True: sys.stdout.write("x" * 4096); sys.stdout.flush()
    if mode == "long_line": say("MESSAGE " + "z" * 70_000)
    if mode == "closes": os.close(1); time.sleep(60)
    if mode == "floods":
        while True: sys.stdout.write("MESSAGE and on\n" * 100)
    if mode == "late": time.sleep(float(sys.argv[3]))
    if mode == "error": say("ERROR I cannot"); time.sleep(60)
    if mode == "200000_lines":
        for number in range(200_000): sys.stdout.write("MESSAGE line %d\n" % number)
    if mode == "twice": say(point()); say(point()); return False
    if mode == "pieces":
        text = point()
        say(text[:1], end=""); time.sleep(0.05); say(text[1:])
        return False
    return mode in ("late", "200000_lines")


def answer():
    global moves
    moves += 1
    if moves - 1 == when and mode != "well" and not wrong() and mode in DONE:
        return
    say("MESSAGE depth 3 ev %d" % moves)
    if mode == "prints": print("move %d" % moves, file=sys.stderr, flush=True)
    if mode == "tabs": say("MESSAGE\tev\t%d" % -moves)
    if mode == "colon": say("message: ev 7")
    if mode == "owns": say(point() + ",1"); return
    if mode == "suggests": say("SUGGEST\t" + point().replace(",", " , "))
    else: say(point())
    if mode == "dies_after" and moves - 1 == when:
        time.sleep(0.1)
        os._exit(7)


DONE = ("off_the_board", "occupied", "rubbish", "negative", "twice", "pieces", "error")
if mode == "ignores_end": signal.signal(signal.SIGTERM, signal.SIG_IGN)
if mode == "never_ok": time.sleep(60)
while mode == "floods_first": sys.stdout.write("MESSAGE loading\n" * 100)
if mode == "exits": sys.exit("no licence")
while line := sys.stdin.readline():
    word, _, rest = line.strip().partition(" ")
    if mode == "early" and word == "INFO" and "rule" in rest: say("9,9")
    if word == "START" and mode == "rectangles": say("ERROR rectangles only")
    elif word == "START" and mode == "refuses": say("ERROR no such size")
    elif word == "START" and mode == "one_size" and rest != "15": say("ERROR unsupported size")
    elif word == "START": size = int(rest); taken, moves = set(), 0; say("OK")
    elif word == "RECTSTART" and mode == "rectangles": size = int(rest.split(",")[0]); taken = set(); say("OK")
    elif word == "RECTSTART": say("UNKNOWN command")
    elif word == "TAKEBACK" and mode == "no_takeback": say("UNKNOWN command")
    elif word == "TAKEBACK" and mode == "deaf_to_takeback": pass
    elif word == "TAKEBACK": taken.remove(tuple(map(int, rest.split(",")))); say("OK")
    elif word in ("INFO", "ABOUT", "SWAP2BOARD", "DONE") and mode == "knows_little": say("UNKNOWN: what?")
    elif word == "INFO" and mode == "slow_to_refuse": time.sleep(0.01); say("ERROR no such key")
    elif word == "SWAP2BOARD" and mode == "no_swap2": say("UNKNOWN command")
    elif word == "SWAP2BOARD" and mode == "slow_to_refuse": say("0,0 1,1 2,2")
    elif word == "ABOUT" and mode == "no_swap2": say('name="brain"')
    elif word == "RESTART" and mode == "no_restart": say("UNKNOWN command")
    elif word == "RESTART": taken, moves = set(), 0; say("OK")
    elif word == "BEGIN": answer()
    elif word == "TURN": taken.add(tuple(map(int, rest.split(",")))); answer()
    elif word == "BOARD" and mode == "no_board": say("UNKNOWN command BOARD")
    elif word == "BOARD":
        taken = set()
        while (stone := sys.stdin.readline().strip()) != "DONE": taken.add(tuple(map(int, stone.split(",")[:2])))
        answer()
    elif word == "END" and mode != "ignores_end": break
    elif word == "PLAY": say(rest)
if mode == "ignores_end":
    time.sleep(60)
'''

BOT = r"""
import json, sys

mode = sys.argv[1] if len(sys.argv) > 1 else "well"


def say(**told):
    print(json.dumps(told), flush=True)


for line in sys.stdin:
    told = json.loads(line)
    if told["type"] == "game":
        say(ready=True, keep=mode == "kept", pid=1)
    elif told["type"] == "turn":
        assert told["you"] == told["to_move"]
        if mode == "no_json":
            print("h8", flush=True)
        elif mode == "a_list":
            say(move=[8, 8])
        elif mode == "dies":
            sys.exit("no more")
        elif mode == "huge":
            print('{"move": "%s", "score": 1%s}' % (told["options"] and "h99", "0" * 400), flush=True)
        else:
            empty = [(c, r) for r, row in enumerate(told["board"]) for c, mark in enumerate(row) if mark == "."]
            c, r = empty[0]
            say(thoughts="looking", score=len(empty), values={"a1": 0.25, "B 2": 3, "zz": 1, "c3": "no", "d4": True})
            say(move=chr(97 + c) + str(r + 1), line=["h8", "i9"], unknown=1)
    elif told["type"] == "end":
        print(told["result"], file=sys.stderr, flush=True)
"""


def write_program(folder: Path, name: str, source: str, *words: object) -> str:
    """The command line of a program written into `folder`."""
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    return " ".join([sys.executable, str(path), *map(str, words)])


class _Person:
    """Plays the given moves, then stops the game, like a person who takes moves back."""

    def __init__(self, moves: Sequence[str]) -> None:
        self._moves = iter(moves)

    def __call__(self, turn: Turn) -> str:
        if (move := next(self._moves, None)) is None:
            raise GameCancelled
        return move


def play_with_takebacks(arena: Arena, game: Game, spec: str, *, first: Sequence[str], then: Sequence[str], back: int,
               log: Path) -> PlayedGame:  # fmt: skip
    """A person plays `first` as black against the engine, takes `back` plies back, and plays `then`."""
    limits, engine, plies = [TimeControl(5.0)] * 2, agent(spec), list[Ply]()

    def sit_down(moves: Sequence[str], opening: Sequence[Ply]) -> PlayedGame:
        person = ScriptedOpponent(_Person(moves))
        seats = [agent("random_mover"), engine]
        return arena.play(game, seats, limits, opening=opening, players={1: person}, log=log,
                          listeners=[lambda event: plies.append(Ply(event.seat, event.move))
                                     if isinstance(event, Moved) else None])  # fmt: skip

    with pytest.raises(GameCancelled):
        sit_down(first, ())
    return sit_down([*then, "resign"], plies[: len(plies) - back])


def logged_lines(log: Path, name: str) -> list[str]:
    """The lines sent to the engine."""
    marked = f" {name} > "
    return [line.split(marked, 1)[1] for line in log.read_text().splitlines() if marked in line]
