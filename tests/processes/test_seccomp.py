"""The filter of system calls, executed as the kernel does: the refused calls on each architecture."""

from __future__ import annotations

import platform
import struct

import pytest

from gomogo_core.errors import UserError
from gomogo_core.processes.seccomp import syscall_filter

X86_64, I386, AARCH64, ARM = 0xC000003E, 0x40000003, 0xC00000B7, 0x40000028
ALLOW, EPERM, ENOSYS, EAFNOSUPPORT = 0x7FFF0000, 0x50001, 0x50026, 0x50061
X32 = 0x40000000
NEW_USER = 0x10000000
# from the tables of Linux: read, socket, socketpair, sched_setaffinity, clone, mount, unshare
NUMBERS = {
    X86_64: (0, 41, 53, 203, 56, 165, 272),
    I386: (3, 359, 360, 241, 120, 21, 310),
    AARCH64: (63, 198, 199, 122, 220, 40, 97),
}
MACHINES = {"x86_64": (X86_64, I386), "aarch64": (AARCH64,)}
UNIX, OTHERS = 1, (0, 2, 10, 16, 17, 21, 38, 40, 44, 0xFFFFFFFF)  # INET, INET6, NETLINK, PACKET, …, ALG, VSOCK, XDP


def answer(program: bytes, architecture: int, number: int, argument: int = 0) -> int:
    """The kernel's action for a call. Source: seccomp(2), and the kernel's filter.rst for classic BPF."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, argument, *[0] * 5)
    accumulator, place = 0, 0
    while True:
        code, then, jump_else, value = struct.unpack_from("=HBBI", program, 8 * place)
        place += 1
        if code == 0x20:
            accumulator = struct.unpack_from("=I", data, value)[0]
        elif code == 0x06:
            return int(value)
        else:
            true = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            place += then if true else jump_else


def programs() -> list[tuple[str, int]]:
    return [(machine, architecture) for machine, several in MACHINES.items() for architecture in several]


@pytest.fixture
def program(machine: str, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    return syscall_filter()


@pytest.mark.parametrize(("machine", "architecture"), programs())
def test_only_unix_sockets_are_allowed(program: bytes, architecture: int) -> None:
    _, socket, socketpair, *_ = NUMBERS[architecture]
    for number in (socket, socketpair):
        assert answer(program, architecture, number, UNIX) == ALLOW
        assert {answer(program, architecture, number, family) for family in OTHERS} == {EAFNOSUPPORT}


@pytest.mark.parametrize(("machine", "architecture"), programs())
def test_only_unneeded_system_calls_are_refused(program: bytes, architecture: int) -> None:
    read_number, _, _, setaffinity, clone, mount, unshare = NUMBERS[architecture]
    assert answer(program, architecture, read_number) == ALLOW
    assert {answer(program, architecture, number) for number in (setaffinity, mount, unshare)} == {EPERM}
    assert answer(program, architecture, clone, 0x11) == ALLOW
    assert answer(program, architecture, clone, 0x11 | NEW_USER) == EPERM
    assert answer(program, architecture, 435) == ENOSYS, "clone3"
    assert {answer(program, architecture, number) for number in (425, 426, 427, 428, 442)} == {EPERM}


@pytest.mark.parametrize(("machine", "architecture"), programs())
def test_other_call_numbers_do_not_bypass_the_filter(program: bytes, architecture: int, machine: str) -> None:
    for number in NUMBERS[architecture]:
        assert answer(program, architecture, X32 | number, UNIX) == ENOSYS
    for other in {X86_64, I386, AARCH64, ARM} - {*MACHINES[machine]}:
        assert answer(program, other, 0) == ENOSYS


@pytest.mark.parametrize("machine", ["x86_64"])
def test_legacy_multiplexed_calls_are_refused(program: bytes) -> None:
    assert answer(program, I386, 102, 1) == EPERM, "socketcall"
    assert answer(program, I386, 117) == EPERM, "ipc"


def test_the_sandbox_is_refused_on_an_unknown_architecture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(UserError, match="not of riscv64"):
        syscall_filter()
