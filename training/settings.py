"""The settings of a training, from a TOML file like mm_ai.toml: network, optimiser, learning, the table of scores.

The module needs no network. An unknown key is an error that names its position in the file.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from gomogo_core.errors import UserError
from gomogo_core.regular_files import read_user_file

TRAINING_FOLDER = Path(__file__).parent
_MAX_BYTES = 1_000_000

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Positive = Annotated[float, msgspec.Meta(gt=0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]
NotNegativeCount = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class NetworkSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of the network.

    `channels` are the channels of both convolutions for each line, `kernel` the length of their kernels, and `hidden`
    the channels of the layer that sums the lines.
    """

    channels: tuple[Count, Count] = (32, 96)
    kernel: Literal[1, 3, 5, 7, 9] = 5
    hidden: Count = 64


class OptimiserSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings of the optimiser: Adam, then SGD.

    The learning rate falls from `learning_rate` to `last_rate` over `falls_over` games, along a cosine. After
    `sgd_after` games, SGD with momentum replaces Adam, at `sgd_rate` times Adam's rate; 0 means never.
    """

    learning_rate: Positive = 0.003
    last_rate: Positive = 0.0001
    falls_over: Count = 3000
    sgd_after: NotNegativeCount = 0
    sgd_rate: Positive = 30.0


class LearningSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Rewards, exploration and the use of the memory.

    `discount` is the weight of the value after the next move, relative to the reward of this move. `exploration` is the
    share of random moves, which are drawn from the best `exploration_share` of the legal moves; `exploration_decay`
    multiplies it each turn. `self_play_opening` is the number of moves at the start of a game against itself that are
    all drawn in this way. `memory` is the number of moves in the replay memory. `targets` is "all" if the network
    learns the score of every point of a position, "played" if it learns only the score of the played point.
    `long_weight` is the weight of the loss on the game's result, relative to the loss on the scores. `round` is the
    number of games that are played at the same time before the network learns. `samples` is the number of learned
    positions for each game. `batch` is the number of positions per step, in groups of three successive positions. A
    point has the weight 1/e if its reward or value is lower than the best reward of its position by `near`.
    """

    discount: Share = 0.2
    exploration: Share = 0.25
    exploration_decay: Share = 0.999
    exploration_share: Share = 0.025
    self_play_opening: NotNegativeCount = 8
    memory: Count = 1_000_000
    targets: Literal["all", "played"] = "all"
    long_weight: NotNegative = 0.001
    round: Count = 50
    samples: Count = 40
    batch: Annotated[int, msgspec.Meta(ge=3, le=100_000)] = 24
    near: Positive = 0.1


class ShapeScores(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The number that each shape adds to the score of a point; the number of a pair of shapes is added to the numbers
    of the two shapes.
    """

    one: NotNegative = 0.0
    two: NotNegative = 0.0
    open_two: NotNegative = 0.0
    three: NotNegative = 0.0
    open_three: NotNegative = 0.0
    four: NotNegative = 0.0
    open_four: NotNegative = 0.0
    five: NotNegative = 0.0
    double_three: NotNegative = 0.0
    four_three: NotNegative = 0.0
    double_four: NotNegative = 0.0


class ScoreTableSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The scores of the table: for the player's own stone, and for the stone of the opponent that it prevents."""

    own: ShapeScores
    opponent: ShapeScores


class TrainingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All settings of a training except its seed and its opponents."""

    network: NetworkSettings = NetworkSettings()
    optimiser: OptimiserSettings = OptimiserSettings()
    learning: LearningSettings = LearningSettings()
    scores: ScoreTableSettings


def read_settings(path: Path) -> TrainingSettings:
    """Read a file of settings. Raises UserError with the place and the reason."""
    try:
        content = read_user_file(path, _MAX_BYTES, "Name a TOML file of training settings.").decode()
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8.", "Save it as UTF-8.") from None
    return parse_settings(content, str(path))


def parse_settings(content: str, name: str) -> TrainingSettings:
    """Parse settings from TOML text; error messages call the text `name`."""
    try:
        return msgspec.convert(tomllib.loads(content), TrainingSettings)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise UserError(f"{name} is not valid TOML: {fault}.", "Correct that line.") from None
    except msgspec.ValidationError as fault:
        raise UserError(f"{name}: {fault}.", f"Compare it with {TRAINING_FOLDER / 'mm_ai.toml'}.") from None
