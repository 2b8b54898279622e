"""The network of mm_ai in PyTorch: two convolutions along lines, and a value for each point.

The module contains nothing about games or learning.

docs/why/mm-ai.md compares the network with the description by its author.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.settings import NetworkSettings

PLANE_COUNT = 3  # planes: empty points, own stones, the opponent's stones
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))  # from a point to the next on its row, column and diagonals


class MmAi(nn.Module):
    """A network from planes of shape (positions, 3, size, size) to values of shape (positions, size, size)."""

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        first, second = settings.channels
        # these two hold the weights along a line; `layers` places them in square kernels
        self.first = nn.Conv1d(PLANE_COUNT, first, settings.kernel)
        self.second = nn.Conv1d(first, second, settings.kernel)
        self.hidden = nn.Conv2d(second, settings.hidden, 1)
        self.value = nn.Conv2d(settings.hidden, 1, 1)

    def layers(self) -> list[tuple[Tensor, Tensor, int]]:
        """Return the network as four square convolutions, with ReLU between them, for other programs that run it.

        Each convolution is a tuple of its weights, its bias and its number of groups.
        """
        first, second = kernels_on_lines(self.first.weight), kernels_on_lines(self.second.weight)
        line_weights = self.hidden.weight.repeat(1, len(_DIRECTIONS), 1, 1)  # sum over the lines
        return [
            (first, self.first.bias.repeat(len(_DIRECTIONS)), 1),
            (second, self.second.bias.repeat(len(_DIRECTIONS)), len(_DIRECTIONS)),
            (line_weights, self.hidden.bias, 1),
            (self.value.weight, self.value.bias, 1),
        ]

    def forward(self, planes: Tensor) -> Tensor:
        """Return the value of each point, for the mover.

        The method gathers the cells of each line for one matrix product. Square kernels would need five times as many
        multiplications, and four fifths of these would be by zero.
        """
        by_line = []
        for direction in _DIRECTIONS:
            features = planes.permute(0, 2, 3, 1)
            for layer in (self.first, self.second):
                weight = layer.weight.permute(0, 2, 1).flatten(1)
                cells = _cells_on_line(features, direction, layer.weight.shape[2])
                features = functional.relu(functional.linear(cells, weight, layer.bias))
            by_line.append(features)
        line_weights = functional.linear(sum(by_line[1:], by_line[0]), self.hidden.weight.flatten(1), self.hidden.bias)
        # the values of two points may differ by less than the precision of bfloat16
        with torch.autocast(planes.device.type, enabled=False):
            hidden = functional.relu(line_weights).float()
            return functional.linear(hidden, self.value.weight.flatten(1), self.value.bias)[..., 0]


def _cells_on_line(features: Tensor, direction: tuple[int, int], length: int) -> Tensor:
    """Return for each point the features of the `length` cells around it in one direction; 0 for cells off the board.

    features: of shape (positions, rows, columns, features). The result has the shape (positions, rows, columns, length
    times features).
    """
    _, rows, columns, _ = features.shape
    margin = length // 2
    padded = functional.pad(features, (0, 0, margin, margin, margin, margin))
    starts = [(margin + direction[0] * cell, margin + direction[1] * cell) for cell in range(-margin, margin + 1)]
    return torch.cat([padded[:, row : row + rows, column : column + columns] for row, column in starts], 3)


def kernels_on_lines(weights: Tensor) -> Tensor:
    """Return four square kernels for each line kernel, with its weights on a row, a column or one of both diagonals."""
    out, into, length = weights.shape
    kernels = weights.new_zeros(len(_DIRECTIONS), out, into, length, length)
    along = torch.arange(length, device=weights.device)
    kernels[0, :, :, length // 2, :] = weights
    kernels[1, :, :, :, length // 2] = weights
    kernels[2, :, :, along, along] = weights
    kernels[3, :, :, along, length - 1 - along] = weights
    return kernels.flatten(0, 1)
