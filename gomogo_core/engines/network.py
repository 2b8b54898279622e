"""A trained network in an ONNX file, which onnxruntime evaluates on one thread.

The module uses arrays of numbers, but no game. It needs the extra `neural` (NumPy and onnxruntime), but no library for
training.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gomogo_core.errors import UserError
from gomogo_core.folders import AGENTS_FOLDER

NETWORKS_FOLDER = AGENTS_FOLDER / "networks"
_ERROR_LOG_LEVEL = 3  # log level: onnxruntime also warns about processors that it does not recognize


def load(path: Path) -> Callable[[Any], list[Any]]:
    """Return a function from an array of inputs to the list of the network's output arrays.

    Raises UserError if onnxruntime is not installed, or if the file is not a network.
    """
    if find_spec("onnxruntime") is None or find_spec("numpy") is None:
        raise UserError("This agent needs onnxruntime, which is not installed.", "Run: pip install 'gomogo[neural]'")
    if not path.is_file():
        raise UserError(f"There is no network {path}.", "Name a file that `gomogo train export` wrote.")
    runtime: Any = import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = _ERROR_LOG_LEVEL
    try:
        session = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as fault:  # onnxruntime's error classes have no common base class
        message = str(fault).splitlines()[0]
        raise UserError(
            f"{path} is not a network: {message}.", "Name a file that `gomogo train export` wrote."
        ) from None
    (input_name,) = (network_input.name for network_input in session.get_inputs())

    def evaluate(planes: Any) -> list[Any]:
        outputs: list[Any] = session.run(None, {input_name: planes})
        return outputs

    return evaluate
