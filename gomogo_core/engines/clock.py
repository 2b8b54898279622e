"""The clock that compiled searches read themselves, to set their stop flag in time.

A search that only a timer's thread can stop waits twice on a busy machine: until the timer gets a processor, and then
until the search gets one again. A search that reads the clock waits once.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from gomogo_core.engines.stop_flag import NANOSECONDS_PER_SECOND, STOP_NANOSECONDS, STOP_SECONDS

_CLOCK_MONOTONIC = 1
NODES_PER_CLOCK_READING = 64  # a power of 2; 64 nodes of the fast searches take less than a tenth of a millisecond


def _monotonic_ns(typing: Any) -> Any:
    """Return the time of time.monotonic() in nanoseconds, as an int64. On other systems than Linux, return 0."""

    def generate_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        int32, int64 = ir.IntType(32), ir.IntType(64)
        if sys.platform != "linux":
            return int64(0)
        time_type = ir.LiteralStructType([int64, int64])  # struct timespec: seconds and nanoseconds
        time_pointer = cgutils.alloca_once(builder, time_type)  # type: ignore[no-untyped-call,unused-ignore]
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call,unused-ignore]
            builder.module, ir.FunctionType(int32, [int32, time_type.as_pointer()]), "clock_gettime"
        )
        builder.call(function, [int32(_CLOCK_MONOTONIC), time_pointer])
        seconds, nanoseconds = (builder.extract_value(builder.load(time_pointer), i) for i in range(2))
        return builder.add(builder.mul(seconds, int64(NANOSECONDS_PER_SECOND)), nanoseconds)

    return types.int64(), generate_code


monotonic_ns: Any = intrinsic(_monotonic_ns)


@njit(inline="always")
def check_clock(state: Any, flag: int) -> None:
    """Set the stop flag `state[flag]` if its time, which `set_flag_at` wrote, is over."""
    seconds = np.int64(state[flag + STOP_SECONDS])
    if seconds and monotonic_ns() >= seconds * NANOSECONDS_PER_SECOND + np.int64(state[flag + STOP_NANOSECONDS]):
        state[flag] = 1


@njit(inline="always")
def count_node(state: Any, node_count: int, flag: int) -> None:
    """Add 1 to `state[node_count]`, the number of nodes of a search, and check the clock after some nodes."""
    state[node_count] += 1
    if state[node_count] % NODES_PER_CLOCK_READING == 0:
        check_clock(state, flag)
