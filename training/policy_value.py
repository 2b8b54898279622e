"""The network of `neural` in PyTorch: a residual network for the value of a position and the probabilities of its
moves.

The input of Gomoku has three planes: own stones, the opponent's stones, and ones on the board, so that the padding
around it differs from empty points. gomogo_core/search/planes.py has the planes of other games. The network works for
any size of board. Sources: K. He et al., Deep Residual Learning for Image Recognition, 2015; D. Silver et al.,
Mastering the Game of Go without Human Knowledge, Nature 550 (2017).
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import torch
from onnx import ModelProto, TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn import functional

PLANE_COUNT = 3
INPUT_NAME, OUTPUT_NAMES = "planes", ("policy", "value")
_STEM_KERNEL = 5  # points along each side of the first kernel, which covers a whole row of five
_HEAD_CHANNELS = 16  # channels of each head
_VALUE_UNITS = 32  # units of the value's hidden layer
_OPSET_VERSION, _IR_VERSION = 17, 8


class PolicyValueSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of the network.

    `blocks` is the number of residual blocks, `channels` the number of channels in each, and `planes` the number of
    input planes. `has_pass` tells whether the last output of the policy is a pass. With `auxiliary`, the network also
    learns the plies to the end and the opponent's threat. A game does not use these outputs.
    """

    blocks: int = 4
    channels: int = 32
    planes: int = PLANE_COUNT
    has_pass: bool = False
    auxiliary: bool = False


class _Block(nn.Module):
    """A residual block: two convolutions, each normalised, and a connection that bypasses them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.convolutions = nn.ModuleList(nn.Conv2d(channels, channels, 3, padding=1, bias=False) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(channels) for _ in range(2))

    def forward(self, inputs: Tensor) -> Tensor:
        first, second = self.convolutions
        inner = functional.relu(self.norms[0](first(inputs)))
        return functional.relu(self.norms[1](second(inner)) + inputs)


class PolicyValue(nn.Module):
    """A network that computes logits of the moves and a logit of a win. Input: (positions, planes, rows, columns)."""

    def __init__(self, settings: PolicyValueSettings) -> None:
        super().__init__()
        channels = settings.channels
        self.stem = nn.Conv2d(settings.planes, channels, _STEM_KERNEL, padding=_STEM_KERNEL // 2, bias=False)
        self.norm = nn.BatchNorm2d(channels)
        self.blocks = nn.ModuleList(_Block(channels) for _ in range(settings.blocks))
        self.policy_hidden = nn.Conv2d(channels, _HEAD_CHANNELS, 1)
        self.policy = nn.Conv2d(_HEAD_CHANNELS, 1, 1)
        self.value_hidden = nn.Conv2d(channels, _HEAD_CHANNELS, 1)
        self.value_dense = nn.Linear(2 * _HEAD_CHANNELS, _VALUE_UNITS)
        self.value = nn.Linear(_VALUE_UNITS, 1)
        self.passing = nn.Linear(_VALUE_UNITS, 1) if settings.has_pass else None
        self.auxiliary = nn.Linear(_VALUE_UNITS, 2) if settings.auxiliary else None

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of the moves, (positions, rows × columns or one more), and of a win, (positions,)."""
        policy, win, _ = self.all_outputs(planes)
        return policy, win

    def all_outputs(self, planes: Tensor) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return the result of `forward`, and the auxiliary outputs of shape (positions, 2), or None if the network has
        none.

        `imitation.ImitationExamples.auxiliary` describes the auxiliary outputs.
        """
        activations = functional.relu(self.norm(self.stem(planes)))
        for block in self.blocks:
            activations = block(activations)
        policy = self.policy(functional.relu(self.policy_hidden(activations))).flatten(1)
        points = functional.relu(self.value_hidden(activations)).flatten(2)
        pooled = torch.cat([points.mean(2), points.amax(2)], 1)
        hidden = functional.relu(self.value_dense(pooled))
        if self.passing is not None:
            policy = torch.cat([policy, self.passing(hidden)], 1)
        auxiliary = None if self.auxiliary is None else self.auxiliary(hidden)
        return policy, self.value(hidden)[:, 0], auxiliary


def _folded_weight_and_bias(convolution: Any, norm: Any) -> tuple[Tensor, Tensor]:
    """Return a convolution's weights and bias with its normalisation folded in."""
    scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    return convolution.weight * scale[:, None, None, None], norm.bias - norm.running_mean * scale


class _OnnxGraph:
    """An ONNX graph under construction. Each method adds nodes or constants, and returns the name of its output."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def constant(self, values: Any, dtype: Any = np.float32) -> str:
        name = f"constant{len(self.weights)}"
        array = values.detach().cpu().numpy() if isinstance(values, Tensor) else np.array(values)
        self.weights.append(numpy_helper.from_array(array.astype(dtype), name))
        return name

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        name = output or f"found{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def convolve(self, inputs: str, weight: Tensor, bias: Tensor) -> str:
        pads = [weight.shape[-1] // 2] * 4
        return self.add("Conv", inputs, self.constant(weight), self.constant(bias), pads=pads)

    def dense(self, inputs: str, layer: Any) -> str:
        return self.add("Gemm", inputs, *map(self.constant, _weight_and_bias(layer)), transB=1)

    def relu(self, inputs: str) -> str:
        return self.add("Relu", inputs)


def as_onnx(network: PolicyValue) -> ModelProto:
    """Return the network as an ONNX graph with two outputs: log-odds of moves, and the value from -1 to 1."""
    graph = _OnnxGraph()
    activations = graph.relu(graph.convolve(INPUT_NAME, *_folded_weight_and_bias(network.stem, network.norm)))
    for block in network.blocks:
        assert isinstance(block, _Block)
        (first, second), (norm, last_norm) = block.convolutions, block.norms
        inner = graph.relu(graph.convolve(activations, *_folded_weight_and_bias(first, norm)))
        change = graph.convolve(inner, *_folded_weight_and_bias(second, last_norm))
        activations = graph.relu(graph.add("Add", change, activations))
    head = network.policy_hidden
    head_activations = graph.relu(graph.convolve(activations, *_weight_and_bias(head)))
    policy = graph.convolve(head_activations, *_weight_and_bias(network.policy))
    points = graph.relu(graph.convolve(activations, *_weight_and_bias(network.value_hidden)))
    mean = graph.add("Flatten", graph.add("GlobalAveragePool", points))
    pooled = graph.add("Flatten", graph.add("GlobalMaxPool", points))
    hidden = graph.relu(graph.dense(graph.add("Concat", mean, pooled, axis=1), network.value_dense))
    if network.passing is None:
        graph.add("Flatten", policy, output=OUTPUT_NAMES[0])
    else:
        passing = graph.dense(hidden, network.passing)
        graph.add("Concat", graph.add("Flatten", policy), passing, output=OUTPUT_NAMES[0], axis=1)
    dense = graph.dense(hidden, network.value)
    half_dense = graph.add("Mul", graph.add("Squeeze", dense, graph.constant([1], np.int64)), graph.constant(0.5))
    graph.add("Tanh", half_dense, output=OUTPUT_NAMES[1])  # twice the probability of a win, minus one
    shape = ["positions", network.stem.in_channels, "rows", "columns"]
    input_info = helper.make_tensor_value_info(INPUT_NAME, TensorProto.FLOAT, shape)
    outputs = [
        helper.make_tensor_value_info(OUTPUT_NAMES[0], TensorProto.FLOAT, ["positions", "points"]),
        helper.make_tensor_value_info(OUTPUT_NAMES[1], TensorProto.FLOAT, ["positions"]),
    ]
    graph_proto = helper.make_graph(graph.nodes, "neural", [input_info], outputs, graph.weights)
    opset = helper.make_opsetid("", _OPSET_VERSION)
    return helper.make_model(graph_proto, opset_imports=[opset], ir_version=_IR_VERSION)


def _weight_and_bias(layer: Any) -> tuple[Tensor, Tensor]:
    return layer.weight, layer.bias
