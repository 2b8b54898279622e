"""The clock that compiled code reads itself.

A search that only a timer's thread can stop waits twice on a busy machine: until the timer gets a processor, and then
until the search gets one again. A search that reads the clock waits once.
"""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_HAS_CLOCK = sys.platform == "linux"  # elsewhere, time.monotonic() reads another clock
_CLOCK_MONOTONIC = 1
_NANOSECONDS = 1_000_000_000  # in a second


def _monotonic_ns(typing: Any) -> Any:
    """Return the time of time.monotonic() in nanoseconds, as an int64. On other systems than Linux, return 0."""

    def generate_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        int32, int64 = ir.IntType(32), ir.IntType(64)
        if not _HAS_CLOCK:
            return int64(0)
        time_type = ir.LiteralStructType([int64, int64])  # struct timespec: seconds and nanoseconds
        time_pointer = cgutils.alloca_once(builder, time_type)  # type: ignore[no-untyped-call,unused-ignore]
        function = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call,unused-ignore]
            builder.module, ir.FunctionType(int32, [int32, time_type.as_pointer()]), "clock_gettime"
        )
        builder.call(function, [int32(_CLOCK_MONOTONIC), time_pointer])
        seconds, nanoseconds = (builder.extract_value(builder.load(time_pointer), i) for i in range(2))
        return builder.add(builder.mul(seconds, int64(_NANOSECONDS)), nanoseconds)

    return types.int64(), generate_code


monotonic_ns: Any = intrinsic(_monotonic_ns)


def clock_nanoseconds(time: float | None) -> int:
    """Return a time of time.monotonic() in nanoseconds, and 0 for None."""
    return 0 if time is None else max(1, int(time * _NANOSECONDS))
