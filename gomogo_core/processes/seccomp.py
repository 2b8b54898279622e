"""A filter of system calls for programs in a sandbox, which refuses calls that no player of a board game needs.

Of all sockets, the filter allows only UNIX sockets, which connect processes of one program within its own network
namespace and folders. Other sockets would not be confined: AF_VSOCK belongs to no namespace. The filter keeps a program
on its cores. It refuses keyrings, which outlive a program and are shared by all processes of its user; user namespaces
in the sandbox; mounts; io_uring, bpf, userfaultfd and performance counters, in which the kernel had vulnerabilities;
and System V's shared memory and queues, because this memory belongs to no process.

Sources: seccomp(2), linux/bpf_common.h, linux/audit.h and the tables of system calls of Linux 6. The module does not
depend on sandboxes.
"""

from __future__ import annotations

import platform
import struct

from gomogo_core.errors import UserError

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _EPERM, _ENOSYS, _EAFNOSUPPORT = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38, 0x00050000 | 97
_AF_UNIX = 1
_CALL_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _FIRST_ARGUMENT_OFFSET = 0, 4, 16  # offsets in struct seccomp_data
_X32_BIT = 0x40000000  # added to the numbers of calls in x86-64's second table, x32
_CLONE_NEWUSER = 0x10000000
_CLONE3 = 435  # clone3: its flags are in memory, where a filter cannot read them; without clone3, glibc calls clone
# io_uring_*, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, …
_REFUSED_ON_ALL_MACHINES = (*range(425, 434), 442)

# add_key, request_key, keyctl, bpf, userfaultfd, perf_event_open, mount, umount2, pivot_root, setns, unshare, shmget,
# msgget, sched_setaffinity; clone; socket, socketpair. Of i386 also ipc and socketcall, whose arguments lie in memory.
_CALL_NUMBERS = {
    0xC000003E: ((248, 249, 250, 321, 323, 298, 165, 166, 155, 308, 272, 29, 68, 203), 56, (41, 53)),  # x86-64
    0x40000003: (  # i386
        (286, 287, 288, 357, 374, 336, 21, 52, 22, 217, 346, 310, 395, 399, 241, 117, 102),
        120,
        (359, 360),
    ),
    0xC00000B7: ((217, 218, 219, 280, 282, 241, 40, 39, 41, 268, 97, 194, 186, 122), 220, (198, 199)),  # aarch64
}
_ARCHITECTURES_OF_MACHINE = {"x86_64": (0xC000003E, 0x40000003), "aarch64": (0xC00000B7,)}


def syscall_filter() -> bytes:
    """Return the filter in the kernel's format. Raises UserError on a machine whose system calls are not in the
    module's tables.
    """
    if (machine := platform.machine()) not in _ARCHITECTURES_OF_MACHINE:
        raise UserError(
            f"The sandbox knows the system calls of {' and '.join(_ARCHITECTURES_OF_MACHINE)}, not of {machine}.",
            "Play at --sandbox limits, which confines programs less.",
        )
    program = [_instruction(_LOAD, _ARCHITECTURE_OFFSET)]
    for architecture in _ARCHITECTURES_OF_MACHINE[machine]:
        instructions = _syscall_section(*_CALL_NUMBERS[architecture])
        program += [_instruction(_EQUAL, architecture, jump_if_false=len(instructions)), *instructions]
    return b"".join([*program, _instruction(_RETURN, _ENOSYS)])


def _syscall_section(refused_calls: tuple[int, ...], clone_number: int, socket_calls: tuple[int, ...]) -> list[bytes]:
    """Return the filter for the calls of one architecture.

    refused_calls: numbers of refused calls. clone_number: the number of the call clone. socket_calls: numbers of calls
    that create sockets. Each step of the filter has a code, a value, and the targets of its jumps if the test is true
    and if it is false.
    """
    number_steps = [
        (_LOAD, _CALL_NUMBER_OFFSET, "", ""),
        (_AT_LEAST, _X32_BIT, "ENOSYS", ""),
        (_EQUAL, _CLONE3, "ENOSYS", ""),
        *((_EQUAL, call, "EPERM", "") for call in (*refused_calls, *_REFUSED_ON_ALL_MACHINES)),
        (_EQUAL, clone_number, "flags", ""),
        *((_EQUAL, call, "family", "") for call in socket_calls),
        (_RETURN, _ALLOW, "", ""),
    ]
    flag_steps = [(_LOAD, _FIRST_ARGUMENT_OFFSET, "", ""), (_ANY_BIT, _CLONE_NEWUSER, "EPERM", "allow")]
    family_steps = [(_LOAD, _FIRST_ARGUMENT_OFFSET, "", ""), (_EQUAL, _AF_UNIX, "allow", "EAFNOSUPPORT")]
    results = {"allow": _ALLOW, "EPERM": _EPERM, "EAFNOSUPPORT": _EAFNOSUPPORT, "ENOSYS": _ENOSYS}
    steps = [*number_steps, *flag_steps, *family_steps, *((_RETURN, value, "", "") for value in results.values())]
    targets = {"flags": len(number_steps), "family": len(number_steps) + len(flag_steps)}
    targets |= {result: len(steps) - len(results) + offset for offset, result in enumerate(results)}
    return [  # a jump counts the steps that it skips
        _instruction(code, value, *(targets[target] - step_index - 1 if target else 0 for target in jumps))
        for step_index, (code, value, *jumps) in enumerate(steps)
    ]


def _instruction(code: int, value: int, jump_if_true: int = 0, jump_if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, jump_if_true, jump_if_false, value)
