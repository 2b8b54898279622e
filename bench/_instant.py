"""An agent that answers at once, with no library of ours: it waits for its `.go`, and writes the next line of a list.

Usage: python _instant.py TEAM LINES, with LINES a file of moves. As bare as an agent can be in Python, so that what is
measured is the referee.
"""

import os
import sys

from gomogo_core.wire.inotify import CREATE, Watch


def main() -> None:
    """Answer turn after turn until the game is over."""
    team, lines = sys.argv[1], sys.argv[2]
    moves = iter(open(lines, encoding="ascii").read().split("\n"))  # noqa: SIM115  (once, at the start)
    watch = Watch(".", CREATE)
    os.set_blocking(watch.fd, True)
    with open(f"{team}.ready", "w") as ready:
        ready.write(str(os.getpid()))
    go = f"{team}.go"
    while not os.path.exists("end_game"):
        for _, name in watch.events():
            if name == go.encode():
                file = os.open("move_file", os.O_WRONLY | os.O_TRUNC)
                os.write(file, f"{team} {next(moves)}\n".encode())
                os.close(file)


if __name__ == "__main__":
    main()
