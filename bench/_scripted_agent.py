"""An agent that plays the moves of a list. On each turn it waits for its `.go` file, sleeps, and writes the next move.

Usage: python _scripted_agent.py TEAM LINES SECONDS. LINES is a file with one move per line; SECONDS is the time that
the agent sleeps before each move. The agent does as little else as possible, so that nearly all of the measured time is
the referee's. With SECONDS 0 the game runs at full speed. With a larger number it is as slow as a game that people
watch.
"""

import os
import sys
import time

from gomogo_core.wire.inotify import CREATE, InotifyWatch


def main() -> None:
    """Answer turn after turn until the game is over."""
    team, lines, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    moves = iter(open(lines, encoding="ascii").read().split("\n"))  # noqa: SIM115  (the file is read only once)
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
