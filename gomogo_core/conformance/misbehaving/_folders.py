"""Faults with files and folders, in a program's own game folder and in the folders of other programs.

Each function commits one fault, which its name and docstring describe. The module uses the files of the protocol, but
no referee.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading
import time

from gomogo_core.conformance.misbehaving._clients import Client, FilesClient
from gomogo_core.conformance.misbehaving._registry import FILES, FaultMoment, NextBehaviour, register_fault

_FILE_COUNT = 10_000
# nested folders: deeper than Python's recursion limit, but not so deep that their path exceeds the system's limit
_NESTED_FOLDER_COUNT = 1_500
_SPARSE_BYTES = 1 << 30
_FILL_MEGABYTES = 300


def _clear_move_file(client: FilesClient) -> str:
    """Remove move_file, and return its path."""
    path = client.path("move_file")
    os.unlink(path)
    return path


# Its move_file


@register_fault("out_of_time", protocols=(FILES,), verdict_at_deadline=True)
def deletes_move_file(client: FilesClient, move: str) -> None:
    """It deletes move_file."""
    _clear_move_file(client)


@register_fault("out_of_time", protocols=(FILES,), verdict_at_deadline=True)
def makes_move_file_a_fifo(client: FilesClient, move: str) -> None:
    """It replaces move_file by a FIFO, whose reader would wait for ever."""
    os.mkfifo(_clear_move_file(client))


@register_fault("out_of_time", protocols=(FILES,), verdict_at_deadline=True)
def makes_move_file_a_link(client: FilesClient, move: str) -> None:
    """It replaces move_file by a link to /etc/passwd."""
    os.symlink("/etc/passwd", _clear_move_file(client))


@register_fault("out_of_time", protocols=(FILES,), verdict_at_deadline=True)
def makes_move_file_a_device(client: FilesClient, move: str) -> None:
    """It replaces move_file by /dev/zero, as a device if it may create one, else as a link."""
    path = _clear_move_file(client)
    try:
        os.mknod(path, 0o20666, os.makedev(1, 5))
    except OSError:
        os.symlink("/dev/zero", path)


@register_fault("out_of_time", protocols=(FILES,), verdict_at_deadline=True)
def makes_move_file_a_folder(client: FilesClient, move: str) -> None:
    """It replaces move_file by a folder that contains files."""
    path = _clear_move_file(client)
    os.makedirs(f"{path}/deeper")
    with open(f"{path}/deeper/move_file", "w", encoding="ascii") as file:
        file.write(client.answer_line(move))


@register_fault("not_a_move", protocols=(FILES,))
def makes_move_file_a_gigabyte(client: FilesClient, move: str) -> None:
    """It replaces move_file by a sparse file of 1 GB."""
    with open(_clear_move_file(client), "wb") as file:
        file.seek(_SPARSE_BYTES - 1)
        file.write(b"x")


@register_fault(None, protocols=(FILES,))
def restores_the_time_of_move_file(client: FilesClient, move: str) -> NextBehaviour:
    """It answers, and then gives move_file the time stamp back that the file had before the answer."""
    path = client.path("move_file")
    status = os.stat(path)
    client.answer(move)
    with contextlib.suppress(OSError):
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    return NextBehaviour.AWAIT_TURN


@register_fault(None, protocols=(FILES,))
def sets_the_times_of_its_files(client: FilesClient, move: str) -> NextBehaviour:
    """It sets the time stamps of all files in its folder to 1970 or 2100, and answers."""
    for index, name in enumerate(os.listdir(client.folder)):
        with contextlib.suppress(OSError):
            os.utime(client.path(name), (0, 0) if index % 2 else (4102444800, 4102444800))
    return NextBehaviour.ANSWER_HONESTLY


@register_fault(None, FaultMoment.WAITING, protocols=(FILES,), pause=0.05)
def writes_move_file_again_and_again(client: FilesClient, move: str) -> None:
    """It writes move_file again and again while other players think."""
    while client.has_go_file():  # meanwhile, it would overwrite its own move
        time.sleep(0.001)
    deadline = time.monotonic() + 0.02
    while time.monotonic() < deadline:
        client.write(b"half a line")


# The referee's files


@register_fault(None, protocols=(FILES,))
def deletes_its_go(client: FilesClient, move: str) -> NextBehaviour:
    """It deletes its own .go, and answers."""
    os.unlink(client.path(f"{client.team}.go"))
    return NextBehaviour.ANSWER_HONESTLY


def _path_after_go_is_removed(client: FilesClient) -> str:
    """Wait until the client's file TEAM.go no longer exists, and return the path of that file."""
    while client.has_go_file():
        time.sleep(0.001)
    return client.path(f"{client.team}.go")


@register_fault(None, protocols=(FILES,), pause=0.05)
def fills_its_go_without_end(client: FilesClient, move: str) -> NextBehaviour:
    """It replaces its .go by a folder, and creates files there until the referee has read its answer."""
    go, history = client.path(f"{client.team}.go"), client.path("history_file")
    os.unlink(go)
    os.mkdir(go)
    history_size, deadline = os.path.getsize(history), time.monotonic() + 1.0
    for writer in range(3):
        if os.fork() == 0:
            for file_number in range(_FILE_COUNT // 2):
                if os.path.getsize(history) != history_size or time.monotonic() > deadline:
                    break
                with contextlib.suppress(OSError):
                    os.close(os.open(f"{go}/{writer}-{file_number}", os.O_CREAT | os.O_WRONLY, 0o666))
            os._exit(0)
    while len(os.listdir(go)) < 3:
        time.sleep(0.001)
    return NextBehaviour.ANSWER_HONESTLY


@register_fault("out_of_time", FaultMoment.WAITING, protocols=(FILES,), pause=0.05, verdict_at_deadline=True)
def makes_its_go_a_fifo(client: FilesClient, move: str) -> None:
    """It creates a FIFO with the name of its next .go, and waits for its turn."""
    os.mkfifo(_path_after_go_is_removed(client))
    time.sleep(60)


@register_fault("out_of_time", FaultMoment.WAITING, protocols=(FILES,), pause=0.05, verdict_at_deadline=True)
def makes_its_go_a_link(client: FilesClient, move: str) -> None:
    """It creates a link to one of its own files with the name of its next .go."""
    path = _path_after_go_is_removed(client)
    os.symlink(client.path("elsewhere"), path)
    time.sleep(60)


@register_fault(None, FaultMoment.WAITING, protocols=(FILES,), pause=0.05)
def deletes_the_referees_files(client: FilesClient, move: str) -> None:
    """It deletes position.json, game.json and its own .ready while the others think."""
    for name in ("position.json", "game.json", f"{client.team}.ready"):
        os.unlink(client.path(name))


# Its folder


@register_fault("out_of_time", protocols=(FILES,), verdict_at_deadline=True)
def deletes_its_folder(client: Client, move: str) -> None:
    """It deletes its game folder."""
    shutil.rmtree(client.folder)


@register_fault(None, FaultMoment.WAITING, protocols=(FILES,), pause=0.2)
def deletes_its_folder_while_it_waits(client: Client, move: str) -> None:
    """It deletes its game folder while the others think; the referee creates it again, and the game continues."""
    time.sleep(0.02)
    shutil.rmtree(client.folder)


@register_fault("out_of_time", protocols=(FILES,), verdict_at_deadline=True)
def makes_its_folder_unreadable(client: Client, move: str) -> None:
    """It removes all permissions of its folder."""
    os.chmod(client.folder, 0)


@register_fault("out_of_time", FaultMoment.WAITING, protocols=(FILES,), pause=0.05, verdict_at_deadline=True)
def makes_its_folder_a_link(client: FilesClient, move: str) -> None:
    """It replaces its game folder by a link to its opponent's folder while the others think."""
    time.sleep(0.02)
    opponent_team = next(team for team in client.teams if team != client.team)
    os.rename(client.folder, f"{client.folder}-moved")
    os.symlink(os.path.dirname(client.path("", opponent_team)), client.folder)
    time.sleep(60)


@register_fault("too_much_memory")
def fills_its_folder(client: Client, move: str) -> None:
    """It writes 300 MB into its folder, or fills the disk."""
    with contextlib.suppress(OSError):
        for number in range(_FILL_MEGABYTES):
            with open(f"full-{number}", "wb") as file:
                file.write(bytes(1 << 20))


@register_fault(None)
def makes_10_000_files(client: Client, move: str) -> NextBehaviour:
    """It creates 10,000 files in its folder, and plays on."""
    os.makedirs("many", exist_ok=True)
    for number in range(_FILE_COUNT):
        os.close(os.open(f"many/{number}", os.O_CREAT | os.O_WRONLY, 0o666))
    return NextBehaviour.ANSWER_HONESTLY


@register_fault(None)
def makes_folders_1_500_deep(client: Client, move: str) -> NextBehaviour:
    """It creates 1,500 nested folders, and plays on."""
    for _ in range(_NESTED_FOLDER_COUNT):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(client.folder)
    return NextBehaviour.ANSWER_HONESTLY


@register_fault(None)
def makes_files_that_cannot_be_removed(client: Client, move: str) -> NextBehaviour:
    """It creates folders with files in them, removes all permissions of these folders, and plays on."""
    for name in ("a", "b"):
        os.makedirs(f"closed/{name}")
        with open(f"closed/{name}/file", "w", encoding="ascii") as file:
            file.write("x")
        os.chmod(f"closed/{name}", 0)
    os.chmod("closed", 0)
    return NextBehaviour.ANSWER_HONESTLY


# Files and ports of others


@register_fault(None)
def opens_10_000_files(client: Client, move: str) -> NextBehaviour:
    """It opens as many files as it can, at most 10,000, and answers."""
    descriptors = list[int]()
    with contextlib.suppress(OSError):
        descriptors += (os.open(os.devnull, os.O_RDONLY) for _ in range(_FILE_COUNT))
    for descriptor in descriptors:
        os.close(descriptor)
    return NextBehaviour.ANSWER_HONESTLY


@register_fault(None, FaultMoment.WAITING, protocols=(FILES,), pause=0.1)
def writes_into_the_opponents_folder(client: FilesClient, move: str) -> None:
    """It writes an impossible move into the move_file of its opponents, while they think."""

    def write(team: str) -> None:
        deadline = time.monotonic() + 0.3
        while time.monotonic() < deadline:
            if os.path.exists(client.path(f"{team}.go", team)):
                with contextlib.suppress(OSError), open(client.path("move_file", team), "wb") as file:
                    file.write(f"{team} zz 99\n".encode())
                return
            time.sleep(0.001)

    for team in client.teams:
        if team != client.team:
            threading.Thread(target=write, args=(team,), daemon=True).start()


@register_fault(None, protocols=(FILES,))
def reads_the_opponents_folder(client: FilesClient, move: str) -> NextBehaviour:
    """It reads all files that it can in its opponents' folders, and answers."""
    for team in client.teams:
        with contextlib.suppress(OSError):
            for name in os.listdir(client.path("", team)):
                with contextlib.suppress(OSError), open(client.path(name, team), "rb") as file:
                    file.read(4096)
    return NextBehaviour.ANSWER_HONESTLY


@register_fault(None)
def connects_to_the_machine(client: Client, move: str) -> NextBehaviour:
    """It connects to a port of this machine, if it can, and answers."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", client.port), 0.2) as connection:
        connection.sendall(b"here I am\n")
    return NextBehaviour.ANSWER_HONESTLY
