"""Arrays whose references compiled code does not count."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils
from numba.extending import intrinsic


def _unowned(typing: Any, array: Any) -> Any:
    """Return a view of an array without an owner. Calls count no references to it: counting took a third of a
    search's time.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(array)(context, builder, value=arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call,unused-ignore]
        return view._getvalue()

    return array(array), generate


unowned: Any = intrinsic(_unowned)


def _without_length(typing: Any, array: Any) -> Any:
    """Return an unowned view of a 1-D array with length 0.

    Numba adds the length to a negative index; with 0 the compiler drops the test: a quarter of a playout's time. Such a
    view supports neither negative indices nor len().
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(array)(context, builder, value=arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call,unused-ignore]
        view.shape = cgutils.get_null_value(view.shape.type)  # type: ignore[no-untyped-call,unused-ignore]
        return view._getvalue()

    return array(array), generate


without_length: Any = intrinsic(_without_length)
