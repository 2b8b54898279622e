"""A small trained network that gives each point a value, and plays the best point without looking ahead.

python agents/mm_ai.py TEAM [network=FILE]

`gomogo train mm_ai` trained it by playing games. It needs the extra `neural`: pip install 'gomogo[neural]'. The network
is that of a bachelor's thesis, with the changes that made it learn; docs/why/mm-ai.md compares the two. If an opening
offers a choice, or if the winning row is not five stones, it plays as iterative_deepening does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.agent import AgentClock
from gomogo_core.engines import network as networks
from gomogo_core.games.base import Game, Move
from gomogo_core.games.gomoku import GomokuPosition
from gomogo_core.search import SearchLimits, iterative_deepening

GAMES = ("gomoku",)
EXTRA = "neural"  # the optional dependencies of Gomogo that this agent needs
KEEP_RUNNING = True  # one process may play many games: no state survives a game
_MAX_REPORTED_MOVES = 8  # it reports the values of at most this number of moves


class _LoadedNetwork:
    """The loaded network, and its file."""

    network_path: Path | None = None
    evaluate: Any = None


def prepare(game: Game, *, network: str = "") -> None:
    """Load the network before the first clock starts."""
    _load_network(network)


def choose(position: GomokuPosition, clock: AgentClock, *, network: str = "") -> Move:
    """Return the point with the highest value."""
    if position.game.line != 5 or position.is_opening_turn:
        result = iterative_deepening.search(position, SearchLimits(stop_at=clock.stop_at))
        clock.tell(**result.analysis(position.game))
        return result.move
    _load_network(network)
    values = _LoadedNetwork.evaluate(_create_planes(position))[0][0].ravel().tolist()
    points = position.game.board.points
    empty_indices = (index for index, cell in enumerate(position.cells) if not cell)
    indices_by_value = sorted(empty_indices, key=lambda index: -values[index])
    best_index = next((index for index in indices_by_value if not position.warning(points[index])), indices_by_value[0])
    names = position.game.board.names
    clock.tell(
        score=values[best_index],
        values={names[index]: round(values[index], 4) for index in indices_by_value[:_MAX_REPORTED_MOVES]},
    )
    return points[best_index]


def _load_network(network_name: str) -> None:
    path = Path(network_name) if network_name else networks.NETWORKS_FOLDER / "mm_ai.onnx"
    if _LoadedNetwork.network_path != path:
        _LoadedNetwork.evaluate, _LoadedNetwork.network_path = networks.load(path), path


def _create_planes(position: GomokuPosition) -> Any:
    """Return the input of the network, of shape (1, 3, size, size): empty points, own stones, the opponent's stones."""
    import numpy as np

    size = position.game.size
    cells = np.frombuffer(position.cells, np.uint8).reshape(size, size)
    mover = position.colour
    return np.stack((cells == 0, cells == mover, cells == 3 - mover)).astype(np.float32)[None]


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
