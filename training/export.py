"""Exports trained networks to ONNX, with their origin as metadata, and compares each network with its export.

The module uses the networks and the format, but no games. It builds the files layer by layer with the package onnx:
PyTorch's own exporter needs another compiler, and these networks have few operators.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnxruntime
import torch
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper, numpy_helper

from gomogo_core.errors import UserError
from training.imitation import Imitation, planes
from training.learning import Learner
from training.network import PLANE_COUNT, MmAi
from training.policy_value import OUTPUT_NAMES, as_onnx
from training.self_play import SelfPlaySettings

_OPSET_VERSION, _IR_VERSION = 17, 8
INPUT_NAME, OUTPUT_NAME = "planes", "values"


def export_mm_ai(learner: Learner, path: Path) -> float:
    """Write the network to `path`; return the largest difference between a value by the file and one by the network.

    The differences are measured on 1,000 random boards. The metadata of the file hold its origin: the number of games,
    the seed, the settings, and a digest of the moves of the games.
    """
    network = learner.network.cpu().eval()
    digest = hashlib.sha256()
    for game in learner.memory.games:
        digest.update(game.moves)
    metadata = {
        "games": learner.games,
        "seed": learner.seed,
        "moves_sha256": digest.hexdigest(),
        "settings": msgspec.to_builtins(learner.settings),
    }
    content = _write_model(onnx_model(network), metadata, path)
    cells = _random_boards()
    input_planes = np.stack([cells == state for state in range(PLANE_COUNT)], axis=1).astype(np.float32)
    return _largest_difference(content, [OUTPUT_NAME], lambda part: [network(part)], input_planes)


def export_policy_value(learner: Imitation, games: bytes, path: Path) -> float:
    """Write the network to `path`; return the largest difference between an output of the file and one of the network.

    The differences are measured on 1,000 random boards. `games` is the content of the file of games from which the
    network learned, for the digest in the metadata.
    """
    network = learner.network.cpu().eval()
    metadata = {
        "steps": learner.steps,
        "seed": learner.seed,
        "games": games.count(b"\n"),
        "games_sha256": hashlib.sha256(games).hexdigest(),
        "settings": msgspec.to_builtins(learner.settings),
    }
    content = _write_model(as_onnx(network), metadata, path)

    def policy_and_value(part: torch.Tensor) -> list[torch.Tensor]:
        policy, win = network(part)
        return [policy, torch.tanh(win / 2)]

    settings = learner.settings
    if isinstance(settings, SelfPlaySettings):
        generator = np.random.default_rng(0)
        shape = (1000, settings.network.planes, settings.size, settings.size)
        boards = (generator.random(shape) < 0.3).astype(np.float32)
    else:
        boards = planes(_random_boards())
    return _largest_difference(content, list(OUTPUT_NAMES), policy_and_value, boards)


def onnx_model(network: MmAi) -> onnx.ModelProto:
    """Return the network as an ONNX graph, for any number of positions and any size of a board."""
    nodes, weights, output_name = [], [], INPUT_NAME
    layers = network.layers()
    for number, (kernel, bias, groups) in enumerate(layers):
        for name, tensor in ((f"kernel{number}", kernel), (f"bias{number}", bias)):
            weights.append(numpy_helper.from_array(tensor.detach().cpu().numpy(), name))
        parameters, sums = [output_name, f"kernel{number}", f"bias{number}"], f"sums{number}"
        pads = [len(kernel[0, 0]) // 2] * 4
        nodes.append(helper.make_node("Conv", parameters, [sums], pads=pads, group=groups))
        output_name = f"features{number}"
        if number < len(layers) - 1:
            nodes.append(helper.make_node("Relu", [sums], [output_name]))
    weights.append(numpy_helper.from_array(np.array([1], np.int64), "axis"))
    nodes.append(helper.make_node("Squeeze", [sums, "axis"], [OUTPUT_NAME]))
    shape = ["positions", PLANE_COUNT, "rows", "columns"]
    input_info = helper.make_tensor_value_info(INPUT_NAME, TensorProto.FLOAT, shape)
    values = helper.make_tensor_value_info(OUTPUT_NAME, TensorProto.FLOAT, ["positions", "rows", "columns"])
    graph = helper.make_graph(nodes, "mm_ai", [input_info], [values], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET_VERSION)], ir_version=_IR_VERSION)


def load_exported(path: Path, network: MmAi) -> None:
    """Give `network` the weights of a file by `export_mm_ai`. Raises UserError if the file has other layers."""
    try:
        stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer}
        for number, layer in enumerate((network.first, network.second, network.hidden, network.value)):
            out, into, *shape = layer.weight.shape
            kernel, bias = stored[f"kernel{number}"][:out, :into], stored[f"bias{number}"][:out]
            if len(shape) == 1:  # the first of the four exported kernels has the weights on a row
                kernel = kernel[:, :, shape[0] // 2]
            with torch.no_grad():
                layer.weight.copy_(torch.from_numpy(kernel.copy()))
                layer.bias.copy_(torch.from_numpy(bias.copy()))
        expected_weights = onnx_model(network).graph.initializer
        if any(not np.array_equal(stored[each.name], numpy_helper.to_array(each)) for each in expected_weights):
            raise ValueError("its layers do not match the settings")
    except (OSError, DecodeError, KeyError, IndexError, RuntimeError, ValueError) as fault:
        first_line = str(fault).partition("\n")[0]
        raise UserError(
            f"{path} cannot be continued: {first_line}.", "Name a file that `gomogo train export` wrote for mm_ai."
        ) from None


def _write_model(model: onnx.ModelProto, metadata: dict[str, object], path: Path) -> bytes:
    helper.set_model_props(model, {"made_by": json.dumps(metadata)})
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    path.write_bytes(content)
    return content


def _random_boards() -> np.ndarray:
    generator, shape = np.random.default_rng(0), (1000, 15, 15)
    return generator.integers(3, size=shape) * (generator.random(shape) < 0.3)


def _largest_difference(
    content: bytes, names: list[str], outputs: Callable[[torch.Tensor], list[torch.Tensor]], inputs: np.ndarray
) -> float:
    """Return the largest difference between the outputs of the network and those of its export."""
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    largest = 0.0
    with torch.no_grad():
        for part in np.array_split(inputs, max(1, len(inputs) // 100)):
            exported = session.run(names, {INPUT_NAME: part})
            trained = outputs(torch.from_numpy(part))
            for exported_output, trained_output in zip(exported, trained, strict=True):
                largest = max(largest, float(np.abs(exported_output - trained_output.numpy()).max()))
    return largest
