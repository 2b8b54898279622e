"""Fit the policy that orders the champion's moves, and write a file like gomogo_core/engines/gomoku/policy.npy.

    python -m training.gomoku_policy FOLDER --games 4000 --nodes 2500 --seed 1
    python -m training.gomoku_policy FOLDER --match 200

The first command plays games as training.gomoku_classes does, and appends them to FOLDER/games.jsonl. Then it fits the
policy, and writes FOLDER/policy.npy. The second command plays the fitted policy against the champion's policy, in pairs
of games from the balanced openings, at 4,000 nodes per move, and prints the result.

The policy (gomogo_core/engines/gomoku/classes.py) gives each point near the stones a rank. Its hidden layer of
rectified units reads the shapes that both colours would make there, and the number of points of each class on the
board. The policy is a softmax over these points, and the right answer is the move that the search chose. Every tenth
game is held out. The program needs torch (the extra `train`), and one core for some minutes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from gomogo_core.games.gomoku import Gomoku
from training.gomoku_classes import fit_command
from training.gomoku_head import one_hot_steps

_RANK_PER_LOG_ODDS = 60.0  # units of a rank per unit of the logarithm of the odds
_HELD_OUT_INTERVAL = 10  # every tenth game is held out
_BATCH_SIZE, _LEARNING_RATE, _WEIGHT_DECAY, _SET_WEIGHT_DECAY = 256, 8e-3, 1e-4, 1e-2

Array = Any  # an array; docstrings state the shape and the type of its elements


class GomokuMoveExamples(NamedTuple):
    """Positions, each with candidate moves (the points near stones) and the right move.

    `own_shape_sets` and `opponent_shape_sets` hold, for each position and point, the number of the set of shapes of the
    mover and of the opponent. `count_steps` are the steps of the counts of classes, as in the head. `is_candidate`
    tells for each point whether it is a candidate. `best_points` are the points that the searches chose. `game_numbers`
    are the numbers of the games from which the positions come.
    """

    own_shape_sets: Array
    opponent_shape_sets: Array
    count_steps: Array
    is_candidate: Array
    best_points: Array
    game_numbers: Array


def move_examples(engine_module: Any, game: Gomoku, records: Sequence[dict[str, Any]]) -> GomokuMoveExamples:
    """Return the positions of the games in which no five is possible and the mover has no winning four."""
    from gomogo_core.engines.gomoku import array_layout, board, classes, search

    place_stone: Any = board.place_stone  # mypy does not understand Numba's types
    engine = engine_module.GomokuEngine(game, memory_mb=1)
    s, size = engine.state, game.size
    cells = np.array([array_layout.cell_of(i % size, i // size) for i in range(size * size)])
    examples: list[tuple[Any, ...]] = []
    for number, record in enumerate(records):
        engine.set_position(bytes.fromhex(record["cells"]))
        for move, _ in record["moves"]:
            mover = int(s[array_layout.TURN])
            counts = s[array_layout.CLASS_COUNTS_START : array_layout.CLASS_COUNTS_START + 48].reshape(3, 16)[
                [mover, 3 - mover]
            ]
            if not counts[:, classes.FIVE].any() and not counts[0, classes.WINNING_FOUR]:
                shapes = s[cells * array_layout.RECORD_SIZE + array_layout.POINT_SHAPES]
                colours = [shapes & 0xFFFF, (shapes >> 16) & 0xFFFF]
                colours_of_sides = colours[mover - 1], colours[2 - mover]
                own_shape_sets, opponent_shape_sets = (
                    classes.shape_sets()[each].astype(np.int16) for each in colours_of_sides
                )
                class_counts = counts[:, classes.FIRST_COUNTED_CLASS :][:, : classes.COUNTED_CLASSES].ravel()
                steps = classes.STEP_OF_COUNT[np.minimum(class_counts, 63)].astype(np.uint8)
                candidate_count = search.generate_moves(s, array_layout.MOVE_LISTS_START)
                is_near = np.isin(
                    cells, s[array_layout.MOVE_LISTS_START : array_layout.MOVE_LISTS_START + 2 * candidate_count : 2]
                )
                if is_near[move]:
                    examples.append((own_shape_sets, opponent_shape_sets, steps, is_near, move, number))
            place_stone(engine.arrays, array_layout.cell_of(move % size, move // size))
    return GomokuMoveExamples(*(np.array(column) for column in zip(*examples, strict=True)))


class _Policy(torch.nn.Module):
    """The policy. Its row for a set of four shapes is the sum of the shapes' rows and a small row for the set."""

    def __init__(self, sets: Array, shape_count: int, inputs: int, units: int) -> None:
        super().__init__()
        self.register_buffer("sets", torch.tensor(sets))
        self.shape_rows = torch.nn.ModuleList(torch.nn.Embedding(shape_count, units + 1) for _ in range(2))
        self.set_rows = torch.nn.ModuleList(torch.nn.Embedding(len(sets), units + 1) for _ in range(2))
        for shapes, own in zip(self.shape_rows, self.set_rows, strict=True):
            torch.nn.init.normal_(shapes.weight, 0, 0.15)
            torch.nn.init.zeros_(own.weight)
        self.counts = torch.nn.Linear(inputs, units)
        self.out = torch.nn.Linear(units, 1, bias=False)

    def rows(self) -> list[Any]:
        """Return the rows of the sets of shapes, the mover's and the opponent's."""
        return [
            own.weight + shapes(self.sets).sum(1) for shapes, own in zip(self.shape_rows, self.set_rows, strict=True)
        ]

    def forward(self, own: Any, other: Any, counted: Any, near: Any) -> Any:
        """Return the logits of all points; a point that is not a candidate has -10⁹."""
        first, second = self.rows()
        summed = torch.nn.functional.embedding(own, first) + torch.nn.functional.embedding(other, second)
        hidden = torch.relu(summed[..., :-1] + self.counts(counted)[:, None])
        return (summed[..., -1] + self.out(hidden)[..., 0]).masked_fill(~near, -1e9)


def fit_to_examples(examples: GomokuMoveExamples, seed: int, epochs: int = 6) -> tuple[Array, dict[str, list[float]]]:
    """Fit the policy by Adam. Return the policy, and the shares of held-out positions in which the move of the search
    is among the 1, 2, 4 and 8 best moves by this policy.
    """
    from gomogo_core.engines.gomoku import classes

    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    shapes = (np.arange(1 << 16)[:, None] >> np.array([0, 4, 8, 12])) & 15
    sets = np.zeros((classes.SHAPE_SET_COUNT, 4), np.int64)
    is_shape_set = classes.shape_sets() >= 0
    sets[classes.shape_sets()[is_shape_set]] = shapes[is_shape_set]
    one_hot = one_hot_steps(examples.count_steps)
    policy = _Policy(sets, classes.SHAPE_COUNT, one_hot.shape[1], classes.POLICY_UNITS)
    held_out = examples.game_numbers % _HELD_OUT_INTERVAL == 0
    fitted_rows, held_out_rows = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    own_rows = list(policy.set_rows.parameters())
    others = [parameter for parameter in policy.parameters() if all(parameter is not own for own in own_rows)]
    adam = torch.optim.AdamW(
        [{"params": own_rows, "weight_decay": _SET_WEIGHT_DECAY}, {"params": others, "weight_decay": _WEIGHT_DECAY}],
        lr=_LEARNING_RATE,
    )
    batch = min(_BATCH_SIZE, len(fitted_rows))
    batches = len(fitted_rows) // batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(adam, _LEARNING_RATE, total_steps=epochs * batches)

    def logits(rows: Array) -> Any:
        both_sets = (examples.own_shape_sets, examples.opponent_shape_sets)
        own, other = (torch.from_numpy(np.maximum(sets[rows], 0).astype(np.int32)) for sets in both_sets)
        return policy(own, other, torch.from_numpy(one_hot[rows]), torch.from_numpy(examples.is_candidate[rows]))

    for _ in range(epochs):
        rng.shuffle(fitted_rows)
        for rows in np.split(fitted_rows[: batches * batch], batches):
            adam.zero_grad(set_to_none=True)
            loss = torch.nn.functional.cross_entropy(logits(rows), torch.from_numpy(examples.best_points[rows]).long())
            loss.backward()
            adam.step()
            schedule.step()
    with torch.no_grad():
        parts = np.array_split(held_out_rows, 1 + len(held_out_rows) // 1000)
        tested_logits = np.concatenate([logits(rows).numpy() for rows in parts])
        best_logits = tested_logits[np.arange(len(held_out_rows)), examples.best_points[held_out_rows]]
        better_counts = (tested_logits > best_logits[:, None]).sum(1)
        shares = [round(float(np.mean(better_counts < count)), 3) for count in (1, 2, 4, 8)]
        table = np.zeros((classes.POLICY_ROWS, classes.POLICY_ROW_SIZE))
        unit = 1 << classes.POLICY_BITS
        table[0, :-1] = policy.counts.bias.numpy() * unit
        table[1, :-1] = policy.out.weight.numpy()[0] * _RANK_PER_LOG_ODDS * (1 << classes.RANK_BITS)
        table[2 : classes.POLICY_OWN_SHAPES_ROW, :-1] = policy.counts.weight.numpy().T * unit
        table[classes.POLICY_OWN_SHAPES_ROW :] = np.concatenate([rows.numpy() for rows in policy.rows()]) * unit
        table[classes.POLICY_OWN_SHAPES_ROW :, -1] *= _RANK_PER_LOG_ODDS * (1 << classes.DIRECT_BITS) / unit
    return np.clip(np.round(table), -32768, 32767).astype(np.int16), {"first": shares}


def fit_policy(engine_module: Any, records: Sequence[dict[str, Any]], seed: int) -> tuple[Array, dict[str, Any]]:
    """Return the policy that is fitted on these games, and its measures."""
    examples = move_examples(engine_module, Gomoku(), records)
    policy, report = fit_to_examples(examples, seed)
    return policy, {"positions": len(examples.best_points), **report}


main = fit_command("policy", "policy", fit_policy)


if __name__ == "__main__":
    main()
