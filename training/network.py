"""The network of mm_ai in PyTorch: two convolutions along lines, and a value for each point.

The module contains nothing about games or learning.

docs/why/mm-ai.md compares it with its author's description in detail.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.settings import NetworkSettings

PLANES = 3  # planes: empty points, own stones, the opponent's stones
LINES = 4  # a row, a column and two diagonals through each point


class MmAi(nn.Module):
    """A network from planes of shape (positions, 3, size, size) to values of shape (positions, size, size)."""

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        first, second = settings.channels
        # these two hold the weights along a line; `layers` places them in square kernels
        self.first = nn.Conv1d(PLANES, first, settings.kernel)
        self.second = nn.Conv1d(first, second, settings.kernel)
        self.hidden = nn.Conv2d(second, settings.hidden, 1)
        self.value = nn.Conv2d(settings.hidden, 1, 1)

    def layers(self) -> list[tuple[Tensor, Tensor, int]]:
        """Return the weights, the bias and the groups of the four square convolutions; ReLU stands between them."""
        first, second = kernels_on_lines(self.first.weight), kernels_on_lines(self.second.weight)
        together = self.hidden.weight.repeat(1, LINES, 1, 1)  # sum over the lines
        return [
            (first, self.first.bias.repeat(LINES), 1),
            (second, self.second.bias.repeat(LINES), LINES),
            (together, self.hidden.bias, 1),
            (self.value.weight, self.value.bias, 1),
        ]

    def forward(self, planes: Tensor) -> Tensor:
        """Return the value of each point, for the mover."""
        *inner, (weight, bias, _) = self.layers()
        found = planes
        for kernel, offset, groups in inner:
            found = functional.relu(
                functional.conv2d(found, kernel, offset, padding=len(kernel[0, 0]) // 2, groups=groups)
            )
        # the values of two points may differ by less than the precision of bfloat16
        with torch.autocast(planes.device.type, enabled=False):
            return functional.conv2d(found.float(), weight, bias)[:, 0]


def kernels_on_lines(weights: Tensor) -> Tensor:
    """Return four square kernels for each line kernel, with its weights on a row, a column or one of both diagonals."""
    out, into, length = weights.shape
    kernels = weights.new_zeros(LINES, out, into, length, length)
    along = torch.arange(length, device=weights.device)
    kernels[0, :, :, length // 2, :] = weights
    kernels[1, :, :, :, length // 2] = weights
    kernels[2, :, :, along, along] = weights
    kernels[3, :, :, along, length - 1 - along] = weights
    return kernels.flatten(0, 1)
