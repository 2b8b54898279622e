"""Misdeeds in folders: its own, in which a game by files is played, and others'.

Knows the files of the protocol; no referee.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading
import time
from typing import cast

from gomogo_core.conformance.misbehaving._deeds import FILES, Then, When, misdeed
from gomogo_core.conformance.misbehaving._voices import FilesVoice, Voice

_FILES = 10_000
_DEEP = 3_000  # folders, one within the other: more than a recursion goes
_SPARSE = 1 << 30
_FULL = 300  # megabytes


def _files(voice: Voice) -> FilesVoice:
    return cast(FilesVoice, voice)


def _away(voice: Voice) -> str:
    """Where move_file stood; it is gone."""
    path = _files(voice).path("move_file")
    os.unlink(path)
    return path


# Its move_file


@misdeed("out_of_time", on=(FILES,), waits=True)
def deletes_move_file(voice: Voice, move: str) -> Then:
    """It deletes move_file."""
    _away(voice)
    return Then.SILENCE


@misdeed("out_of_time", on=(FILES,), waits=True)
def makes_move_file_a_fifo(voice: Voice, move: str) -> Then:
    """It puts a FIFO, whose reader waits for ever, in the place of move_file."""
    os.mkfifo(_away(voice))
    return Then.SILENCE


@misdeed("out_of_time", on=(FILES,), waits=True)
def makes_move_file_a_link(voice: Voice, move: str) -> Then:
    """It puts a link to /etc/passwd in the place of move_file."""
    os.symlink("/etc/passwd", _away(voice))
    return Then.SILENCE


@misdeed("out_of_time", on=(FILES,), waits=True)
def makes_move_file_a_device(voice: Voice, move: str) -> Then:
    """It puts /dev/zero in the place of move_file: as a device where it may make one, else as a link."""
    path = _away(voice)
    try:
        os.mknod(path, 0o20666, os.makedev(1, 5))
    except OSError:
        os.symlink("/dev/zero", path)
    return Then.SILENCE


@misdeed("out_of_time", on=(FILES,), waits=True)
def makes_move_file_a_folder(voice: Voice, move: str) -> Then:
    """It puts a folder, with files in it, in the place of move_file."""
    path = _away(voice)
    os.makedirs(f"{path}/deeper")
    with open(f"{path}/deeper/move_file", "w", encoding="ascii") as file:
        file.write(voice.text(move))
    return Then.SILENCE


@misdeed("not_a_move", on=(FILES,))
def makes_move_file_a_gigabyte(voice: Voice, move: str) -> Then:
    """It puts a file of 1 GB, with nearly nothing written in it, in the place of move_file."""
    with open(_away(voice), "wb") as file:
        file.seek(_SPARSE - 1)
        file.write(b"x")
    return Then.SILENCE


@misdeed(None, on=(FILES,))
def restores_the_time_of_move_file(voice: Voice, move: str) -> Then:
    """It gives move_file the time back that it had before its move was written."""
    path = _files(voice).path("move_file")
    before = os.stat(path)
    voice.answer(move)
    with contextlib.suppress(OSError):
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    return Then.GO_ON


@misdeed(None, on=(FILES,))
def sets_the_times_of_its_files(voice: Voice, move: str) -> Then:
    """It sets the times of all its files to 1970 and to 2100, and answers."""
    for number, name in enumerate(os.listdir(voice.folder)):
        with contextlib.suppress(OSError):
            os.utime(_files(voice).path(name), (0, 0) if number % 2 else (4102444800, 4102444800))
    return Then.ANSWER


@misdeed(None, When.WAITING, on=(FILES,), pause=0.05)
def writes_move_file_again_and_again(voice: Voice, move: str) -> Then:
    """It writes move_file anew as often as it can, while it is not its turn."""
    while _files(voice).go_stands():  # till then, it would take its own move back
        time.sleep(0.001)
    until = time.monotonic() + 0.02
    while time.monotonic() < until:
        voice.write(b"half a line")
    return Then.GO_ON


# The referee's files


@misdeed(None, on=(FILES,))
def deletes_its_go(voice: Voice, move: str) -> Then:
    """It deletes its own .go, then answers."""
    os.unlink(_files(voice).path(f"{voice.team}.go"))
    return Then.ANSWER


def _instead_of_go(voice: Voice) -> str:
    """The path of its .go, once that is gone."""
    while _files(voice).go_stands():
        time.sleep(0.001)
    return _files(voice).path(f"{voice.team}.go")


@misdeed(None, on=(FILES,), pause=0.05)
def fills_its_go_without_end(voice: Voice, move: str) -> Then:
    """It makes its .go a folder into which files come without end until its answer has been read."""
    go, history = _files(voice).path(f"{voice.team}.go"), _files(voice).path("history_file")
    os.unlink(go)
    os.mkdir(go)
    before, until = os.path.getsize(history), time.monotonic() + 1.0
    for writer in range(3):
        if os.fork() == 0:
            for number in range(_FILES // 2):
                if os.path.getsize(history) != before or time.monotonic() > until:
                    break
                with contextlib.suppress(OSError):
                    os.close(os.open(f"{go}/{writer}-{number}", os.O_CREAT | os.O_WRONLY, 0o666))
            os._exit(0)
    while len(os.listdir(go)) < 3:
        time.sleep(0.001)
    return Then.ANSWER


@misdeed("out_of_time", When.WAITING, on=(FILES,), pause=0.05, waits=True)
def makes_its_go_a_fifo(voice: Voice, move: str) -> Then:
    """It puts a FIFO where the referee will write its next .go, and waits for it."""
    os.mkfifo(_instead_of_go(voice))
    time.sleep(60)
    return Then.GO_ON


@misdeed("out_of_time", When.WAITING, on=(FILES,), pause=0.05, waits=True)
def makes_its_go_a_link(voice: Voice, move: str) -> Then:
    """It puts a link to a file of its own where the referee will write its next .go."""
    path = _instead_of_go(voice)
    os.symlink(_files(voice).path("elsewhere"), path)
    time.sleep(60)
    return Then.GO_ON


@misdeed(None, When.WAITING, on=(FILES,), pause=0.05)
def deletes_the_referees_files(voice: Voice, move: str) -> Then:
    """It deletes position.json, game.json and its own .ready while the others think."""
    for name in ("position.json", "game.json", f"{voice.team}.ready"):
        os.unlink(_files(voice).path(name))
    return Then.GO_ON


# Its folder


@misdeed("out_of_time", on=(FILES,), waits=True)
def deletes_its_folder(voice: Voice, move: str) -> Then:
    """It deletes the folder it plays in."""
    shutil.rmtree(voice.folder)
    return Then.SILENCE


@misdeed(None, When.WAITING, on=(FILES,), pause=0.05)
def deletes_its_folder_while_it_waits(voice: Voice, move: str) -> Then:
    """It deletes its folder while the others think; the referee makes it again, and it plays on there."""
    time.sleep(0.02)
    shutil.rmtree(voice.folder)
    return Then.GO_ON


@misdeed("out_of_time", on=(FILES,), waits=True)
def makes_its_folder_unreadable(voice: Voice, move: str) -> Then:
    """It takes all rights to its folder away."""
    os.chmod(voice.folder, 0)
    return Then.SILENCE


@misdeed("out_of_time", When.WAITING, on=(FILES,), pause=0.05, waits=True)
def makes_its_folder_a_link(voice: Voice, move: str) -> Then:
    """It moves its folder away while the others think, and puts a link to its opponent's in the place of it."""
    time.sleep(0.02)
    other = next(team for team in voice.teams if team != voice.team)
    os.rename(voice.folder, f"{voice.folder}-moved")
    os.symlink(os.path.dirname(_files(voice).path("", other)), voice.folder)
    time.sleep(60)
    return Then.GO_ON


@misdeed("too_much_memory")
def fills_its_folder(voice: Voice, move: str) -> Then:
    """It writes 300 MB into its folder, or as much as there is room for."""
    with contextlib.suppress(OSError):
        for number in range(_FULL):
            with open(f"full-{number}", "wb") as file:
                file.write(bytes(1 << 20))
    return Then.SILENCE


@misdeed(None)
def makes_10_000_files(voice: Voice, move: str) -> Then:
    """It makes 10,000 files in its folder, and plays on."""
    os.makedirs("many", exist_ok=True)
    for number in range(_FILES):
        os.close(os.open(f"many/{number}", os.O_CREAT | os.O_WRONLY, 0o666))
    return Then.ANSWER


@misdeed(None)
def makes_folders_3_000_deep(voice: Voice, move: str) -> Then:
    """It makes 3,000 folders, one within the other, and plays on."""
    for _ in range(_DEEP):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(voice.folder)
    return Then.ANSWER


@misdeed(None)
def makes_files_that_cannot_be_removed(voice: Voice, move: str) -> Then:
    """It makes folders that nobody may enter or write into, with files in them, and plays on."""
    for name in ("a", "b"):
        os.makedirs(f"closed/{name}")
        with open(f"closed/{name}/file", "w", encoding="ascii") as file:
            file.write("x")
        os.chmod(f"closed/{name}", 0)
    os.chmod("closed", 0)
    return Then.ANSWER


# What is not its own


@misdeed(None)
def opens_10_000_files(voice: Voice, move: str) -> Then:
    """It opens as many files as it is let, 10,000 at most, and answers."""
    kept = list[int]()
    with contextlib.suppress(OSError):
        kept += (os.open(os.devnull, os.O_RDONLY) for _ in range(_FILES))
    for descriptor in kept:
        os.close(descriptor)
    return Then.ANSWER


@misdeed(None, When.WAITING, on=(FILES,), pause=0.1)
def writes_into_the_opponents_folder(voice: Voice, move: str) -> Then:
    """It writes an impossible move into the move_file of its opponents, while they think."""

    def write(team: str) -> None:
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            if os.path.exists(_files(voice).path(f"{team}.go", team)):
                with contextlib.suppress(OSError), open(_files(voice).path("move_file", team), "wb") as file:
                    file.write(f"{team} zz 99\n".encode())
                return
            time.sleep(0.001)

    for team in voice.teams:
        if team != voice.team:
            threading.Thread(target=write, args=(team,), daemon=True).start()
    return Then.GO_ON


@misdeed(None, on=(FILES,))
def reads_the_opponents_folder(voice: Voice, move: str) -> Then:
    """It reads all that stands in its opponents' folders, as far as it is let, and answers."""
    for team in voice.teams:
        with contextlib.suppress(OSError):
            for name in os.listdir(_files(voice).path("", team)):
                with contextlib.suppress(OSError), open(_files(voice).path(name, team), "rb") as file:
                    file.read(4096)
    return Then.ANSWER


@misdeed(None)
def connects_to_the_machine(voice: Voice, move: str) -> Then:
    """It connects to a port of this machine, if it is let, and answers."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", voice.port), 0.2) as line:
        line.sendall(b"here I am\n")
    return Then.ANSWER
