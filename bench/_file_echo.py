"""The second process in the measurement of a bare exchange of files. It answers each file in its folder with a file in
the other folder.

Usage: python _file_echo.py OWN PEER ROUNDS. OWN is the folder of this process, PEER that of the other process. A file
arrives by being renamed into a folder.
"""

import os
import sys

from gomogo_core.wire.inotify import MOVED_TO, InotifyWatch


def send(folder: str, text: bytes) -> None:
    """Write a file and move it into `folder`, as the referee does."""
    file = os.open(f"{folder}.aside", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    os.write(file, text)
    os.close(file)
    os.replace(f"{folder}.aside", f"{folder}/line")


def receive(watch: InotifyWatch, folder: str) -> bytes:
    """Wait until a file is renamed into `folder`, and read it."""
    for _ in watch.events():
        pass
    file = os.open(f"{folder}/line", os.O_RDONLY)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)


def echo(own_folder: str, peer_folder: str, rounds: int) -> None:
    """Answer each file that arrives in the folder `own_folder` with one in the folder `peer_folder`, `rounds` times."""
    watch = InotifyWatch(own_folder, MOVED_TO)
    os.set_blocking(watch.fd, True)
    send(peer_folder, b"ready")
    for _ in range(rounds):
        send(peer_folder, receive(watch, own_folder))


if __name__ == "__main__":
    echo(sys.argv[1], sys.argv[2], int(sys.argv[3]))
