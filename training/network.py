"""The network of mm_ai: two convolutions and a value for each point. In PyTorch; no games, no learning.

docs/why/mm-ai.md compares it with the description of its author, word by word.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from training.settings import NetworkSettings

PLANES = 3  # empty, own stones, the opponent's


class MmAi(nn.Module):
    """Planes of shape (positions, 3, size, size) in, values of shape (positions, size, size) out."""

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        first, second = settings.channels
        kernel, self.pool = settings.kernel, settings.pool
        self.first = nn.Conv2d(PLANES, first, kernel, padding=kernel // 2)
        self.second = nn.Conv2d(first, second, kernel, padding=kernel // 2)
        self.value = nn.Conv2d(first + 2 * second, 1, 1)
        # whole channels: random numbers for each point took a quarter of the training's time
        self.first_dropout, self.second_dropout = (nn.Dropout2d(share) for share in settings.dropout)

    def forward(self, planes: Tensor) -> Tensor:
        """Return the value of each point, for the mover."""
        first = functional.relu(self.first(planes))
        second = functional.relu(self.second(first))
        around = self.first_dropout(self._pooled(first)), self.second_dropout(self._pooled(second))
        values: Tensor = self.value(torch.cat((around[0], second, around[1]), 1))
        return values[:, 0]

    def _pooled(self, features: Tensor) -> Tensor:
        """Return the maximum around each point, by rows and then by columns: the same as by squares, in less time."""
        around = self.pool // 2
        rows = functional.max_pool2d(features, (1, self.pool), 1, (0, around))
        return functional.max_pool2d(rows, (self.pool, 1), 1, (around, 0))
