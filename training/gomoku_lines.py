"""Fit the champion's line network on its own games, and write a file like gomogo_core/engines/gomoku/line_network.npz.

    python -m training.gomoku_lines FOLDER --games 56000 --nodes 2500 --seed 2027
    python -m training.gomoku_lines FOLDER --match 200

The first command has four stages. Each stage writes a file in FOLDER. After a kill, the same command continues with the
first stage that has no file yet. With other options, the fit begins again. The stages are:

1. games.jsonl: games of the champion against itself. Of eleven games, eight are on 15 × 15 points, one is on 17 × 17
   and two are on 20 × 20. Three quarters of the openings are even. In 6 % of the turns a random point near the stones
   is played. A killed command continues these games where they end.
2. teacher.npz: a residual network learns the values and moves of the search, and predicts the value of each position.
3. rows.npz: the rows of the lines are learned together with two small networks that read the sums of these rows; one
   has the form that the engine uses. Half of the target comes from the teacher. A row is a sum of two parts: the output
   of a generator, which reads the nine cells of the line, and a free correction, which begins as the row that the
   engine uses. So lines that are similar change together.
4. line_network.npz: the head of the engine is fitted to the exact sums of the rounded rows, and then the policy to the
   points that the searches chose.

The second command plays the fitted network against the champion's, in pairs of games from the balanced openings, at
4,000 nodes per move, and prints the result.

The idea of networks over the patterns of lines is that of arXiv 2503.13178; gomogo_core/engines/gomoku/line_network.py
describes the form that the engine uses. The fit uses the positions in which neither player can make a five or a winning
four. The target of a position is a probability of winning: 0.7 × search + 0.3 × result, or the search alone if a random
move follows. Every tenth game is held out. The program needs torch (the extra `train`), and uses a GPU if torch finds
one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import torch
from torch.nn import functional

from gomogo_core.engines import compiling
from gomogo_core.games.gomoku import Gomoku
from training.champion_games import GAMES_FILE, append_until, read_lines, self_play_games
from training.gomoku_classes import play_match
from training.gomoku_head import quiet_positions

_BOARD_SIZES = (15, 15, 15, 15, 20, 15, 17, 15, 15, 20, 15)  # rows of the boards of eleven games
_EVEN_SHARE = 0.75  # share of the games with an opening that the engine considers even
_RANDOM_SHARE = 0.06  # share of the turns in which a random point is played
_SEARCH_SHARE = 0.7  # weight of the search value in the target; the result has the rest
_TEACHER_SHARE = 0.5  # weight of the teacher in the target of the rows
_POLICY_WEIGHT = 0.15  # weight of the chosen points in the loss by which the teacher and the rows are fitted
# units of the search's values, and of the evaluation, per unit of the logarithm of the odds
_VALUE_PER_LOG_ODDS, _EVALUATION_PER_LOG_ODDS = 107.0, 100.0
_MAX_VALUE = 3000.0  # in the engine's units; a larger value is a certain win
_HELD_OUT_INTERVAL = 10  # every tenth game is held out
_TEACHER_CHANNELS, _TEACHER_BLOCKS, _TEACHER_BATCH, _TEACHER_RATE = 96, 8, 2048, 2e-3
_HIDDEN_UNITS, _POLICY_UNITS, _ROWS_BATCH, _ROWS_RATE = 32, 16, 4096, 2e-3
_WARM_UP_STEPS, _WEIGHT_DECAY, _LAST_RATE = 200, 1e-5, 0.005
_POLICY_STEPS, _POLICY_BATCH, _POLICY_RATE = 4000, 2048, 1e-2
_RANK_PER_LOG_ODDS = 60.0  # units of a move's rank per unit of the logarithm of its odds
_HEAD_EPOCHS, _HEAD_BATCH, _HEAD_RATE = 24, 2048, 4e-3
_SUM_UNIT = 32  # the networks read the sums of the features, after division by this number
_PREDICTION_BATCH = 4096  # positions

Array = Any  # an array of NumPy or of torch; docstrings state the shape and the type of its elements


class LineExamples(NamedTuple):
    """Positions on boards of one size.

    `boards`, uint8 (positions, size, size), has 1 for a stone of the mover and 2 for a stone of the opponent. In the
    head, each count of a class has a row. `count_rows`, uint8 (positions, counted classes of both colours), holds the
    numbers of these rows, where 0 is the first row of the counts; for a count of 0, the number is that after the last
    row. `best_points` are the points that the searches chose, `targets` the expected results between 0 and 1, and
    `game_numbers` the numbers of the games.
    """

    boards: Array
    count_rows: Array
    best_points: Array
    targets: Array
    game_numbers: Array


def games_on_all_sizes(engine_module: Any, seed: int, nodes: int, first_number: int) -> Iterator[dict[str, Any]]:
    """Yield games as champion_games.self_play_games does, with the sizes of the board in turn."""
    while True:
        game = Gomoku(size=_BOARD_SIZES[first_number % len(_BOARD_SIZES)])
        yield next(self_play_games(engine_module, game, seed, nodes, first_number, _RANDOM_SHARE, _EVEN_SHARE))
        first_number += 1


def quiet_line_positions(engine_module: Any, records: Sequence[dict[str, Any]]) -> dict[int, LineExamples]:
    """Return the quiet positions of the games, for each size of the board."""
    from gomogo_core.engines.gomoku import classes

    rows_by_size: dict[int, list[tuple[Any, ...]]] = {}
    engines: dict[int, Any] = {}
    from_white = bytes((0, 2, 1)).ljust(256)
    first_rows = classes.COUNT_STEPS * np.arange(2 * classes.COUNTED_CLASSES)
    for number, record in enumerate(records):
        cells = bytearray.fromhex(record["cells"])
        size = math.isqrt(len(cells))
        if size not in engines:
            engines[size] = engine_module.GomokuEngine(Gomoku(size=size), memory_mb=1)
        boards, colour = [], 1 if cells.count(1) == cells.count(2) else 2
        for move, _ in record["moves"]:
            boards.append(bytes(cells) if colour == 1 else cells.translate(from_white))
            cells[move], colour = colour, 3 - colour
        is_random = [move != best for (move, _), best in zip(record["moves"], record["best"], strict=True)]
        for i, mover, steps in quiet_positions(engines[size], record):
            value = np.clip(record["moves"][i][1], -_MAX_VALUE, _MAX_VALUE)
            target = 1 / (1 + math.exp(-value / _VALUE_PER_LOG_ODDS))
            if not any(is_random[i:]):
                result = 0.5 if record["winner"] == 0 else float(record["winner"] == mover)
                target = _SEARCH_SHARE * target + (1 - _SEARCH_SHARE) * result
            counts = np.where(steps > 0, first_rows + steps, _count_rows()).astype(np.uint8)
            rows_by_size.setdefault(size, []).append((bytes(boards[i]), counts, record["best"][i], target, number))
    return {
        size: LineExamples(
            np.frombuffer(b"".join(boards), np.uint8).reshape(-1, size, size),
            np.array(counts),
            np.array(best),
            np.array(target, np.float32),
            np.array(game),
        )
        for size, rows in sorted(rows_by_size.items())
        for boards, counts, best, target, game in [zip(*rows, strict=True)]
    }


def _count_rows() -> int:
    """Return the number of rows of the counts in the head."""
    from gomogo_core.engines.gomoku import classes

    return 2 * classes.COUNTED_CLASSES * classes.COUNT_STEPS


def _counts_layer(units: int) -> Any:
    return torch.nn.EmbeddingBag(_count_rows() + 1, units, mode="sum", padding_idx=_count_rows())


def line_numbers() -> Array:
    """Return the numbers of two rows for each code of a line, int64 (codes, 2): one row from each player's point of
    view.
    """
    from gomogo_core.engines.gomoku import classes, line_network

    count, channels = classes.shipped_line_network()["rows"].shape
    numbers = np.repeat(np.arange(count, dtype=np.int16)[:, None], channels, axis=1)
    table = line_network.row_table(numbers).reshape(line_network.LINE_CODES, -1)
    return torch.from_numpy(table[:, [0, channels]].astype(np.int64))


def line_codes(boards: Array) -> Array:
    """Return the codes of the four lines through each point, int32 (positions, size, size, 4).

    `boards` are those of LineExamples.
    """
    from gomogo_core.engines.gomoku import array_layout, line_network

    reach, size = line_network.LINE_REACH, boards.shape[-1]
    wide = functional.pad(boards.int(), (reach,) * 4, value=array_layout.WALL)
    codes = []
    for down, right in ((0, 1), (1, -1), (1, 0), (1, 1)):
        code = torch.zeros_like(boards, dtype=torch.int32)
        for i in range(2 * reach + 1):
            row, column = reach + down * (i - reach), reach + right * (i - reach)
            code += wide[:, row : row + size, column : column + size] << (2 * i)
        codes.append(code)
    return torch.stack(codes, -1)


class _SumOfRows(torch.autograd.Function):
    """The sum of four rows for each point. This class adds up the gradient in place, because torch's own gradient takes
    2.3 times as long.
    """

    @staticmethod
    def forward(context: Any, lines: Any, rows: Any) -> Any:
        context.save_for_backward(lines)
        context.shape = rows.shape
        return functional.embedding_bag(lines, rows, mode="sum")

    @staticmethod
    def backward(context: Any, gradient: Any) -> tuple[None, Any]:
        (lines,) = context.saved_tensors
        row_gradient = gradient.new_zeros(context.shape)
        for i in range(lines.shape[1]):
            row_gradient.index_add_(0, lines[:, i], gradient)
        return None, row_gradient


def point_features(boards: Array, rows: Array, numbers: Array, limit: float) -> Array:
    """Return the features of all points, float32 (positions, size, size, channels), limited to 0 ... `limit`.

    `rows`, float32 (lines, channels / 2), has a row for each line. `numbers` is the result of `line_numbers`. The
    mover's channels come first. If `rows` holds whole numbers, the features are exact, because they are below 2²⁴.
    """
    lines = numbers[line_codes(boards).flatten(0, 2)]
    colour_features = [_SumOfRows.apply(lines[..., i].contiguous(), rows) for i in range(2)]
    return torch.cat(colour_features, 1).clamp(0, limit).view(*boards.shape, -1)


class _Block(torch.nn.Module):
    """A residual block of two convolutions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        parts = [
            (torch.nn.Conv2d(channels, channels, 3, padding=1, bias=False), torch.nn.BatchNorm2d(channels))
            for _ in range(2)
        ]
        self.body = torch.nn.Sequential(*parts[0], torch.nn.ReLU(), *parts[1])

    def forward(self, x: Any) -> Any:
        return torch.relu(x + self.body(x))


class _Teacher(torch.nn.Module):
    """A residual network. It returns a list of one pair: the logit of a win, and the logits of the points."""

    def __init__(self) -> None:
        super().__init__()
        blocks = [_Block(_TEACHER_CHANNELS) for _ in range(_TEACHER_BLOCKS)]
        first = torch.nn.Conv2d(3, _TEACHER_CHANNELS, 5, padding=2)
        self.body = torch.nn.Sequential(first, torch.nn.ReLU(), *blocks)
        self.policy = torch.nn.Conv2d(_TEACHER_CHANNELS, 1, 1)
        self.value = torch.nn.Sequential(
            torch.nn.Linear(2 * _TEACHER_CHANNELS, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)
        )

    def forward(self, boards: Any, counts: Any) -> list[tuple[Any, Any]]:
        del counts  # the network can compute them from the boards
        planes = torch.stack([boards == 1, boards == 2, boards < 3], 1).float()
        x = self.body(planes.contiguous(memory_format=torch.channels_last))
        pooled = torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)
        return [(self.value(pooled)[:, 0], self.policy(x).flatten(1))]


class _Rows(torch.nn.Module):
    """The rows of the lines, with two small networks whose inputs are the sums of their features.

    The second network has the form of the engine's head and policy; the first is larger, and the rows learn from both.
    `forward` returns a list with a pair for each of the two networks, as the teacher does. The rows learn more from the
    chosen points than from the values. The rows begin as `first_rows`, float32 (lines, channels / 2), scaled so that 1
    is the limit of a feature.
    """

    def __init__(self, first_rows: Array) -> None:
        from gomogo_core.engines.gomoku import array_layout, line_network

        super().__init__()
        channels, cells = array_layout.CHANNELS, 2 * line_network.LINE_REACH + 1
        self.register_buffer("numbers", line_numbers())
        codes = np.unique(self.numbers[:, 0].numpy(), return_index=True)[1]
        lines = torch.from_numpy((codes[:, None] >> (2 * np.arange(cells))) & 3)
        self.register_buffer("lines", functional.one_hot(lines, 4).float().flatten(1))
        self.generator = torch.nn.Sequential(
            torch.nn.Linear(4 * cells, 128),
            torch.nn.SiLU(),
            torch.nn.Linear(128, 128),
            torch.nn.SiLU(),
            torch.nn.Linear(128, channels // 2),
        )
        torch.nn.init.zeros_(self.generator[-1].weight)
        torch.nn.init.zeros_(self.generator[-1].bias)
        self.correction = torch.nn.Parameter(torch.tensor(first_rows, dtype=torch.float32))
        self.sums, self.counts = torch.nn.Linear(channels, _HIDDEN_UNITS), _counts_layer(_HIDDEN_UNITS)
        torch.nn.init.zeros_(self.counts.weight)
        self.value = torch.nn.Sequential(
            torch.nn.ReLU(),
            torch.nn.Linear(_HIDDEN_UNITS, _HIDDEN_UNITS),
            torch.nn.ReLU(),
            torch.nn.Linear(_HIDDEN_UNITS, 1),
        )
        self.direct = torch.nn.Linear(channels, 1)
        self.point_weights = torch.nn.Linear(_HIDDEN_UNITS, channels)
        self.point_units = torch.nn.Linear(channels, _POLICY_UNITS)
        self.point_biases = torch.nn.Linear(_HIDDEN_UNITS, _POLICY_UNITS)
        self.point_out = torch.nn.Linear(_POLICY_UNITS, 1)
        engine_units = array_layout.HIDDEN_UNITS
        self.engine_sums, self.engine_counts = torch.nn.Linear(channels, engine_units), _counts_layer(engine_units)
        torch.nn.init.zeros_(self.engine_counts.weight)
        self.engine_value = torch.nn.Linear(engine_units - 1, 1, bias=False)
        self.engine_point_weights = torch.nn.Linear(engine_units - 1, channels)

    def rows(self) -> Any:
        """Return the rows, float32 (lines, channels / 2), scaled so that 1 is the limit of a feature."""
        return self.generator(self.lines) / 2 + self.correction

    def forward(self, boards: Any, counts: Any) -> list[tuple[Any, Any]]:
        features = point_features(boards, self.rows(), self.numbers, 1).flatten(1, 2)
        sums, counts = features.sum(1) / _SUM_UNIT, counts.int()
        hidden = self.sums(sums) + self.counts(counts)
        units = torch.relu(hidden)
        points = _dot(features, self.point_weights(units))
        point_units = torch.relu(self.point_units(features) + self.point_biases(units)[:, None])
        points = points + self.point_out(point_units)[..., 0]
        engine_hidden = self.engine_sums(sums) + self.engine_counts(counts)
        engine_units = torch.relu(engine_hidden[:, :-1])
        return [
            (self.value(hidden)[:, 0] + self.direct(sums)[:, 0], points),
            (
                self.engine_value(engine_units)[:, 0] + engine_hidden[:, -1],
                _dot(features, self.engine_point_weights(engine_units)),
            ),
        ]


def _dot(features: Array, weights: Array) -> Array:
    """Return the products of the features (positions, points, channels) and the weights (positions, channels)."""
    return torch.bmm(features, weights[..., None])[..., 0]


def _device() -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def _half_precision(network: Any) -> Any:
    """Return a context in which a teacher on a GPU computes with 16-bit numbers, which are faster than float32."""
    return torch.autocast(_device(), torch.bfloat16, enabled=isinstance(network, _Teacher) and _device() == "cuda")


def _under_symmetry(boards: Array, symmetry: int) -> Array:
    """Return boards (..., size, size) under one of the eight symmetries."""
    if symmetry & 4:
        boards = boards.transpose(-1, -2)
    return boards.flip([-1 - i for i in range(2) if symmetry >> i & 1])


def _train_network(network: Any, data: dict[int, LineExamples], steps: int, batch: int, rate: float, seed: int) -> Any:
    """Fit a network to the targets and the best points of the training games, and return it.

    A batch holds at most `batch` positions of one size of the board. The learning rate first rises to `rate` in
    _WARM_UP_STEPS steps, and then falls along a cosine.
    """
    rng, network = np.random.default_rng(seed), network.to(_device())
    adam = torch.optim.AdamW(network.parameters(), rate, betas=(0.9, 0.99), weight_decay=_WEIGHT_DECAY)
    train = {size: np.flatnonzero(part.game_numbers.cpu() % _HELD_OUT_INTERVAL) for size, part in data.items()}
    sizes = [size for size in train if len(train[size])]
    shares = np.array([len(train[size]) for size in sizes]) / sum(len(rows) for rows in train.values())
    points_left: dict[int, Array] = {size: np.zeros(0, int) for size in sizes}
    for step in range(steps):
        size = int(rng.choice(sizes, p=shares))
        count = min(batch, len(train[size]))
        if len(points_left[size]) < count:
            points_left[size] = rng.permutation(train[size])
        chosen, points_left[size] = torch.from_numpy(points_left[size][:count]).to(_device()), points_left[size][count:]
        boards, counts, best, target, _ = (column[chosen] for column in data[size])
        symmetry = int(rng.integers(8))
        boards = _under_symmetry(boards, symmetry).contiguous()
        old_points = _under_symmetry(torch.arange(size * size).view(size, size), symmetry).flatten()
        best = old_points.argsort().to(_device())[best]
        for group in adam.param_groups:
            fall = (1 + math.cos(math.pi * step / steps)) / 2 + _LAST_RATE
            group["lr"] = rate * min(1, (step + 1) / _WARM_UP_STEPS) * fall
        with _half_precision(network):
            outputs = network(boards, counts)
        loss: Any = 0
        for value, points in outputs:
            loss = loss + functional.binary_cross_entropy_with_logits(value.float(), target)
            points = points.float().masked_fill(boards.flatten(1) > 0, -1e4)
            loss = loss + _POLICY_WEIGHT * functional.cross_entropy(points, best)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        adam.step()
    return network.eval()


def _on_device(positions: dict[int, LineExamples]) -> dict[int, LineExamples]:
    return {size: LineExamples(*(torch.tensor(c).to(_device()) for c in part)) for size, part in positions.items()}


def fit_teacher(positions: dict[int, LineExamples], steps: int, seed: int) -> dict[str, Array]:
    """Return the values of a teacher, float32 from 0 to 1, for the positions of each size. A key is a size."""
    torch.manual_seed(seed)
    data, network = _on_device(positions), _Teacher().to(memory_format=torch.channels_last)
    network = _train_network(network, data, steps, _TEACHER_BATCH, _TEACHER_RATE, seed)
    with torch.no_grad(), _half_precision(network):
        return {
            str(size): np.concatenate(
                [network(boards, None)[0][0].float().sigmoid().cpu() for boards in part.boards.split(_PREDICTION_BATCH)]
            )
            for size, part in data.items()
        }


def with_teacher_targets(positions: dict[int, LineExamples], teacher: dict[str, Array]) -> dict[int, LineExamples]:
    """Return the positions with a target that is partly the teacher's value."""
    return {
        size: part._replace(targets=(1 - _TEACHER_SHARE) * part.targets + _TEACHER_SHARE * teacher[str(size)])
        for size, part in positions.items()
    }


def fit_rows(positions: dict[int, LineExamples], steps: int, seed: int) -> Array:
    """Return the rows of the lines, int16 (lines, channels / 2), fitted to the targets. The fit begins with the shipped
    rows.
    """
    from gomogo_core.engines.gomoku import classes, line_network

    torch.manual_seed(seed)
    first_rows = classes.shipped_line_network()["rows"] / line_network.MAX_FEATURE
    network = _train_network(_Rows(first_rows), _on_device(positions), steps, _ROWS_BATCH, _ROWS_RATE, seed)
    with torch.no_grad():
        # the sum of four rows must not exceed an int16
        rows = (network.rows() * line_network.MAX_FEATURE).round().clamp(-8000, 8000)
    return rows.cpu().numpy().astype(np.int16)


def line_sums(boards: Array, rows: Array) -> Array:
    """Return the sums of the limited features over the board, int32 (positions, channels), beginning with the mover's
    channels.

    `boards` are those of LineExamples, and `rows` are rows as `fit_rows` returns them.
    """
    from gomogo_core.engines.gomoku import line_network

    numbers, table = line_numbers().to(_device()), torch.from_numpy(rows).float().to(_device())
    sums = [
        point_features(part.to(_device()), table, numbers, line_network.MAX_FEATURE).sum((1, 2)).int().cpu()
        for part in torch.tensor(boards).split(_PREDICTION_BATCH)
    ]
    return torch.cat(sums).numpy()


def fit_head(positions: dict[int, LineExamples], rows: Array, seed: int) -> tuple[Array, dict[str, float]]:
    """Fit the head to the exact sums of the rows.

    Return the head, int32 (rows of the head, hidden units) as in gomogo_core/engines/gomoku/classes.py. Also return the
    head's loss on held-out games, and the entropy of these games' targets, which is the lowest possible loss.
    """
    from gomogo_core.engines.gomoku import array_layout, classes, line_network

    torch.manual_seed(seed)
    sums = np.concatenate([line_sums(part.boards, rows) for part in positions.values()])
    counts, target, game = (
        np.concatenate([getattr(part, name) for part in positions.values()])
        for name in ("count_rows", "targets", "game_numbers")
    )
    unit = _SUM_UNIT * line_network.MAX_FEATURE
    x = torch.tensor(sums, dtype=torch.float32, device=_device()) / unit
    mean, deviation = x.mean(0), x.std(0) + 0.01
    x = (x - mean) / deviation
    c, y = torch.tensor(counts, device=_device()).int(), torch.tensor(target, device=_device())
    units = array_layout.HIDDEN_UNITS
    linear, layer = torch.nn.Linear(array_layout.CHANNELS, units), _counts_layer(units)
    torch.nn.init.normal_(layer.weight, 0, 0.05)
    with torch.no_grad():
        layer.weight[-1] = 0
    out = torch.nn.Parameter(torch.randn(units - 1, device=_device()) / 5)
    linear, layer = linear.to(_device()), layer.to(_device())
    adam = torch.optim.Adam([*linear.parameters(), *layer.parameters(), out], _HEAD_RATE)
    fitted_rows = np.flatnonzero(game % _HELD_OUT_INTERVAL)
    batches = max(1, len(fitted_rows) // _HEAD_BATCH)

    def loss(chosen: Array) -> Any:
        hidden = linear(x[chosen]) + layer(c[chosen])
        z = torch.relu(hidden[:, :-1]) @ out + hidden[:, -1]
        return functional.binary_cross_entropy_with_logits(z, y[chosen])

    for epoch in range(_HEAD_EPOCHS):
        order = torch.from_numpy(np.random.default_rng([seed, epoch]).permutation(fitted_rows)).to(_device())
        for batch in range(batches):
            fall = (1 + math.cos(math.pi * (epoch + batch / batches) / _HEAD_EPOCHS)) / 2
            adam.param_groups[0]["lr"] = _HEAD_RATE * (fall + _LAST_RATE)
            adam.zero_grad(set_to_none=True)
            loss(order[batch * _HEAD_BATCH : (batch + 1) * _HEAD_BATCH]).backward()
            adam.step()
    with torch.no_grad():
        held_out_rows = torch.from_numpy(np.flatnonzero(game % _HELD_OUT_INTERVAL == 0)).to(_device())
        entropy = functional.binary_cross_entropy(y[held_out_rows], y[held_out_rows])
        losses = {"loss": round(float(loss(held_out_rows)), 4), "entropy": round(float(entropy), 4)}
        weights = linear.weight / deviation
        sum_scale, result_scale = 1 << (classes.HIDDEN_BITS + classes.LINE_SUM_BITS), 1 << classes.RESULT_BITS
        head = torch.cat(
            [
                (linear.bias - weights @ mean)[None] * sum_scale,
                torch.cat([out, torch.ones_like(out[:1])])[None] * _EVALUATION_PER_LOG_ODDS * result_scale,
                weights.T / unit * sum_scale,
                layer.weight[:-1] * (1 << classes.HIDDEN_BITS),
            ]
        )
    first_counts = len(head) - _count_rows()
    head[first_counts :: classes.COUNT_STEPS] = 0  # a count of 0 adds nothing
    return head.round().cpu().numpy().astype(np.int32), losses


class _Policy(torch.nn.Module):
    """The policy: it computes the weights of a point's features from the hidden units of a fitted head. Like the
    teacher, it returns a list of one pair.
    """

    def __init__(self, rows: Array, head: Array) -> None:
        from gomogo_core.engines.gomoku import array_layout

        super().__init__()
        self.register_buffer("numbers", line_numbers())
        self.register_buffer("rows", torch.tensor(rows).float())
        self.register_buffer("head", torch.tensor(head).float())
        self.weights = torch.nn.Linear(array_layout.HIDDEN_UNITS - 1, array_layout.CHANNELS)
        torch.nn.init.zeros_(self.weights.weight)
        torch.nn.init.zeros_(self.weights.bias)

    def forward(self, boards: Any, counts: Any) -> list[tuple[Any, Any]]:
        from gomogo_core.engines.gomoku import array_layout, classes, line_network

        features = point_features(boards, self.rows, self.numbers, line_network.MAX_FEATURE)
        first_counts = 2 + array_layout.CHANNELS
        hidden = self.head[0] + features.sum((1, 2)) @ self.head[2:first_counts]
        count_rows = functional.pad(self.head[first_counts:], (0, 0, 0, 1))
        hidden = hidden / (1 << classes.LINE_SUM_BITS) + count_rows[counts.int()].sum(1)
        units = torch.cat([torch.relu(hidden[:, :-1]), hidden[:, -1:]], 1) / (1 << classes.HIDDEN_BITS)
        value = units @ self.head[1] / (_EVALUATION_PER_LOG_ODDS * (1 << classes.RESULT_BITS))
        weights = self.weights(units[:, :-1])
        return [(value, _dot(features.flatten(1, 2), weights) / line_network.MAX_FEATURE)]


def fit_policy(positions: dict[int, LineExamples], rows: Array, head: Array, seed: int) -> Array:
    """Return the int32 policy (hidden units, channels) of the engine, fitted to the points that the searches chose."""
    from gomogo_core.engines.gomoku import classes, line_network

    network = _train_network(
        _Policy(rows, head), _on_device(positions), _POLICY_STEPS, _POLICY_BATCH, _POLICY_RATE, seed
    )
    scale = _RANK_PER_LOG_ODDS * (1 << classes.LINE_POLICY_BITS) / line_network.MAX_FEATURE
    with torch.no_grad():
        unit_weights = scale * 2.0 ** (2 * classes.LINE_POLICY_SHIFT - classes.HIDDEN_BITS)
        biases = network.weights.bias[None] * scale * (1 << classes.LINE_POLICY_SHIFT)
        policy_table = torch.cat([biases, network.weights.weight.T * unit_weights])
    return policy_table.round().cpu().numpy().astype(np.int32)


def _load_or_compute(path: Path, compute: Callable[[], dict[str, Array]]) -> dict[str, Array]:
    """Return the arrays of a file; if it does not exist, compute and write it."""
    if not path.exists():
        click.echo(f"Computing {path.name}.", err=True)
        new_path = path.with_suffix(".new")
        with new_path.open("wb") as file:
            np.savez_compressed(file, **compute())
        new_path.replace(path)  # a killed command leaves no half of a file
    with np.load(path) as stored:
        return dict(stored)


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--games", "game_count", default=56000, show_default=True, type=click.IntRange(2), help="Games against itself."
)
@click.option("--nodes", default=2500, show_default=True, help="Nodes of each search.")
@click.option("--seed", default=1, show_default=True, help="Seed of the games and of the fit.")
@click.option("--teacher-steps", default=5328, show_default=True, type=click.IntRange(1), help="Steps of the teacher.")
@click.option("--steps", default=6300, show_default=True, type=click.IntRange(1), help="Steps of the rows.")
@click.option(
    "--match", "match_pairs", default=0, show_default=True, help="Pairs of games against the champion's network."
)
def main(
    folder: Path, game_count: int, nodes: int, seed: int, teacher_steps: int, steps: int, match_pairs: int
) -> None:
    """Fit the line network on games in FOLDER, or play the fitted network against the champion's."""
    folder.mkdir(parents=True, exist_ok=True)
    engine_module = compiling.load("gomogo_core.engines.gomoku")
    games_path, options_path = folder / GAMES_FILE, folder / "options.json"
    teacher_path, rows_path, network_path = (folder / f"{name}.npz" for name in ("teacher", "rows", "line_network"))
    if match_pairs:

        def load(path: Path) -> dict[str, Array]:
            with np.load(path) as stored:
                return dict(stored)

        click.echo(play_match(engine_module, network_path, "line_network", load, match_pairs, seed))
        return
    append_until(games_path, game_count, games_on_all_sizes(engine_module, seed, nodes, len(read_lines(games_path))))
    options = json.dumps({"games": game_count, "seed": seed, "teacher_steps": teacher_steps, "steps": steps})
    if not options_path.exists() or options_path.read_text(encoding="utf-8") != options:
        for path in (teacher_path, rows_path, network_path, folder / "line_network-match.jsonl"):
            path.unlink(missing_ok=True)
        options_path.write_text(options, encoding="utf-8")
    positions = quiet_line_positions(engine_module, read_lines(games_path)[:game_count])
    teacher = _load_or_compute(teacher_path, lambda: fit_teacher(positions, teacher_steps, seed))
    positions = with_teacher_targets(positions, teacher)
    rows = _load_or_compute(rows_path, lambda: {"rows": fit_rows(positions, steps, seed)})["rows"]

    def fit_head_and_policy() -> dict[str, Array]:
        head, losses = fit_head(positions, rows, seed)
        click.echo(json.dumps({"positions": sum(len(part.best_points) for part in positions.values()), **losses}))
        return {"rows": rows, "head": head, "policy": fit_policy(positions, rows, head, seed)}

    _load_or_compute(network_path, fit_head_and_policy)


if __name__ == "__main__":
    main()
