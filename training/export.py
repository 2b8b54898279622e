"""Exports a trained network to ONNX, with what made it, and compares both.

Uses the network and the format, but no games. The file is written by onnx itself, layer by layer: PyTorch's exporter
needs a compiler of its own, and this network has three operators.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgspec
import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

from training.learning import Learner
from training.network import PLANES, MmAi

LIMIT = 3_000_000  # bytes of a network in the repository
_OPSET, _IR = 17, 8
INPUT, OUTPUT = "planes", "values"


def export(learner: Learner, path: Path) -> float:
    """Write the network to `path`, and return the largest difference of a value on 1,000 random boards.

    The file's metadata name what made it: games, seed, settings, and a digest of the moves of the games.
    """
    network = learner.network.cpu().eval()
    model = model_of(network)
    digest = hashlib.sha256()
    for game in learner.memory.games:
        digest.update(game.moves)
    about = {
        "games": learner.games,
        "seed": learner.seed,
        "moves_sha256": digest.hexdigest(),
        "settings": msgspec.to_builtins(learner.settings),
    }
    helper.set_model_props(model, {"made_by": json.dumps(about)})
    onnx.checker.check_model(model)
    content = model.SerializeToString()
    path.write_bytes(content)
    return largest_difference(network, content)


def model_of(network: MmAi) -> onnx.ModelProto:
    """Return the network as an ONNX graph, for any number of positions and any size of a board."""
    nodes, weights, found = [], [], INPUT
    layers = network.layers()
    for number, (kernel, bias, groups) in enumerate(layers):
        for name, tensor in ((f"kernel{number}", kernel), (f"bias{number}", bias)):
            weights.append(numpy_helper.from_array(tensor.detach().cpu().numpy(), name))
        parameters, sums = [found, f"kernel{number}", f"bias{number}"], f"sums{number}"
        pads = [len(kernel[0, 0]) // 2] * 4
        nodes.append(helper.make_node("Conv", parameters, [sums], pads=pads, group=groups))
        found = f"features{number}"
        if number < len(layers) - 1:
            nodes.append(helper.make_node("Relu", [sums], [found]))
    weights.append(numpy_helper.from_array(np.array([1], np.int64), "axis"))
    nodes.append(helper.make_node("Squeeze", [sums, "axis"], [OUTPUT]))
    seen = helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["positions", PLANES, "rows", "columns"])
    values = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["positions", "rows", "columns"])
    graph = helper.make_graph(nodes, "mm_ai", [seen], [values], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR)


def largest_difference(network: MmAi, content: bytes, positions: int = 1000, size: int = 15) -> float:
    """Return the largest difference of any value on random boards between the network and its export."""
    generator = np.random.default_rng(0)
    points = generator.integers(3, size=(positions, size, size)) * (generator.random((positions, size, size)) < 0.3)
    planes = np.stack([points == state for state in range(PLANES)], axis=1).astype(np.float32)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    largest = 0.0
    with torch.no_grad():
        for part in np.array_split(planes, max(1, positions // 100)):
            exported = session.run([OUTPUT], {INPUT: part})[0]
            largest = max(largest, float(np.abs(exported - network(torch.from_numpy(part)).numpy()).max()))
    return largest
