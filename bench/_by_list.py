"""An agent that plays by a list: it waits for its `.go`, sleeps for SECONDS, and writes the next line.

Usage: python _by_list.py TEAM LINES SECONDS, with LINES a file of moves. It does as little as possible, and sleeps
while it thinks, so that the time of the referee is measured: at full speed, or at the pace of a game that people watch.
"""

import os
import sys
import time

from gomogo_core.wire.inotify import CREATE, InotifyWatch


def main() -> None:
    """Answer turn after turn until the game is over."""
    team, lines, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    moves = iter(open(lines, encoding="ascii").read().split("\n"))  # noqa: SIM115  (once, at the start)
    watch = InotifyWatch(".", CREATE)
    os.set_blocking(watch.fd, True)
    with open(f"{team}.ready", "w") as ready:
        ready.write(str(os.getpid()))
    go = f"{team}.go"
    while not os.path.exists("end_game"):
        for _, name in watch.events():
            if name == go.encode():
                if seconds:
                    time.sleep(seconds)
                file = os.open("move_file", os.O_WRONLY | os.O_TRUNC)
                os.write(file, f"{team} {next(moves)}\n".encode())
                os.close(file)


if __name__ == "__main__":
    main()
