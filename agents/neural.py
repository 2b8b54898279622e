"""A trained network that guides a tree search by a policy and a value; in Gomoku it also searches wins by threats.

python agents/neural.py TEAM [network=FILE] [visits=N]

It learned Gomoku from games of the champion, and other games from those of their engine, then from its own: `gomogo
train neural`. It needs the extra `neural`: pip install 'gomogo[neural]'. In Gomoku, with the extra `engines`, it
searches for wins by continuous fours at every position of its tree; without that extra, only before and after its own
move. With the extra it also plays Dots and Boxes perfectly near the end. If an opening offers a choice, or if the
winning row is not five stones, it plays as iterative_deepening does. On boards for which it has no network it plays as
mcts does, and lists the boards that have a network. docs/why/neural.md has its results.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from typing import Any

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.agent import AgentClock
from gomogo_core.engines import compiling
from gomogo_core.engines import network as networks
from gomogo_core.games.base import Game, Move
from gomogo_core.games.dots_and_boxes import DotsAndBoxes, DotsAndBoxesPosition
from gomogo_core.games.gomoku import Gomoku, GomokuPosition, Phase
from gomogo_core.games.stones.rules import StonesPosition
from gomogo_core.search import SearchLimits, iterative_deepening, mcts
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.search.vcf import VcfSearch

GAMES = ("gomoku", "go", "capture_go", "robogo", "dots_and_boxes")
EXTRA = "neural"  # of Gomogo: the libraries that it needs
COMPILED = "gomogo_core.engines.gomoku"  # the package of the engine that finds wins by threats
ENGINE = True  # it plays from balanced openings by default
KEEP_RUNNING = True  # one process may play many games: its tree is searched for the new position
# seconds of the thirty in which an agent must be ready; compiling may take longer on a busy machine
_LOAD_SECONDS = 12.0
# shares of the time: for a search for a win by threats, and for a search for such a win of the opponent after the best
# move
_FIRST_SHARE, _CHECK_SHARE = 0.1, 0.05
_SLICES = (0.4, 0.7, 1.0)  # shares of the tree's time after which the best move is checked
_MARGIN = 0.06  # share of the time that is not used, since a search may end late on a busy machine
_DELAY_DECAY = 0.95  # factor by which the expected delay shrinks after each move
_LEAF_NODES = 40  # nodes of the search for continuous fours at each position of the tree
_CHECK_NODES = 20_000
# with fewer stones than _FEW_STONES, it considers only points at most _NEAR rows and columns from a stone
_FEW_STONES, _NEAR = 8, 2
_MAX_REPORTED = 8  # the number of moves whose share of the visits it reports
_EXACT = 40  # undrawn edges of Dots and Boxes at which perfect play is first tried
_WON = 100.0  # the score that it reports for a certain win


class Threats:
    """Finds wins by threats: by the compiled engine if it is installed, else by continuous fours in Python."""

    def __init__(self, game: Gomoku, module: Any) -> None:
        self.engine = self.leaves = None
        # two boards: one for searches before and after a move, one for the positions of the tree
        if module is not None:
            self.engine, self.leaves = (module.GomokuEngine(game, memory_mb=megabytes) for megabytes in (8, 1))

    def winning_move(self, position: GomokuPosition, stop_at: float) -> Move | None:
        """Return the first move of a certain win for the mover; None if the search finds no win in time."""
        if self.engine is not None:
            found = self.engine.analyse(position, stop_at=stop_at, nodes=_CHECK_NODES, depth=1)
            won = found.plies is not None and found.value > 0
            return position.game.board.points[found.lines[0].point_numbers[0]] if won else None
        limits = SearchLimits(stop_at=stop_at)
        try:
            line = VcfSearch(limits).find(node_of(position), _CHECK_NODES)
        except OutOfLimits:
            return None
        return line.variation[0] if line is not None and line.variation else None

    def is_won(self, position: Any) -> bool:
        """Return whether a short search finds a win of the mover by continuous fours.

        Without the compiled engine it finds fives and winning fours only.
        """
        if self.leaves is not None:
            return bool(self.leaves.vcf_after(position.cells, _LEAF_NODES) > 0)
        verdict = node_of(position).certain_value()
        return verdict is not None and verdict > 0

    def set_root(self, position: GomokuPosition) -> None:
        """Set up the position at the root of the tree. Afterwards, `is_won` expects positions of this tree."""
        if self.leaves is not None:
            self.leaves.set_position(position.cells)


class _BetweenMoves:
    """The objects kept between moves: the network and its file, the compiled engines, which may still be loading, and
    the tree.
    """

    path: Path | None = None
    evaluate: Any = None
    loading: Any = None
    loading_solver: Any = None  # the compiled solver of Dots and Boxes while it loads
    game_and_solver: Any = None  # the game, and its solver of Dots and Boxes
    threats: Threats | None = None
    game: Game | None = None
    tree: Any = None
    expected_delay: float = 0.0  # seconds by which a search is expected to end late


def prepare(game: Game, *, network: str = "") -> None:
    """Load the network and the compiled code before the first clock starts."""
    gc.disable()  # a collection of a large tree takes longer than a move's margin, and a tree has no cycles
    if not isinstance(game, Gomoku):
        if _has_network(game, network):
            _load(network, game)
            from gomogo_core.search import planes, puct  # noqa: F401  (with NumPy, before the first clock starts)

            if isinstance(game, DotsAndBoxes) and compiling.has_numba():
                _BetweenMoves.loading_solver = _BetweenMoves.loading_solver or compiling.BackgroundLoad(
                    "gomogo_core.engines.boxes"
                )
                _BetweenMoves.loading_solver.wait(_LOAD_SECONDS)
        return
    _load(network, game)
    if _BetweenMoves.loading is None and compiling.has_numba():
        _BetweenMoves.loading = compiling.BackgroundLoad(COMPILED)
    if _BetweenMoves.loading is not None:
        _BetweenMoves.loading.wait(_LOAD_SECONDS)


def choose(
    position: GomokuPosition | StonesPosition | DotsAndBoxesPosition,
    clock: AgentClock,
    *,
    network: str = "",
    visits: int = 0,
) -> Move:
    """Return the first move of a certain win, or the most visited move at `clock.stop_at` or after `visits` visits."""
    if not isinstance(position, GomokuPosition):
        return _choose_by_network(position, clock, network, visits)
    game = position.game
    if game.line != 5 or position.phase is not Phase.PLAY or position.can_take_over:
        found = iterative_deepening.search(position, SearchLimits(stop_at=clock.stop_at))
        reason = (
            "the network learned rows of five" if game.line != 5 else "the network did not learn openings with choices"
        )
        clock.tell(**found.analysis(game), thoughts=f"plays like iterative_deepening: {reason}")
        return found.move
    _load(network, game)
    threats = threat_search(game)
    left = _time_left(clock)
    stop_at = time.monotonic() + left
    if (winning := threats.winning_move(position, time.monotonic() + left * _FIRST_SHARE)) is not None:
        clock.tell(score=_WON, line=[game.format(winning)], thoughts="wins by threats")
        return winning
    tree = _tree(position, threats)
    number = _best_move_number(tree, threats, stop_at, visits)
    return _report(tree, number, clock, stop_at)


def _choose_by_network(
    position: StonesPosition | DotsAndBoxesPosition, clock: AgentClock, network: str, visits: int
) -> Move:
    """Return the most visited move of a tree search that the network of this game and board size guides."""
    game = position.game
    if not _has_network(game, network):
        found = mcts.search(position, SearchLimits(stop_at=clock.stop_at))
        clock.tell(**found.analysis(game), thoughts=f"plays like mcts: it has networks for {_known_boards()} only")
        return found.move
    _load(network, game)
    stop_at = time.monotonic() + _time_left(clock)
    if isinstance(position, DotsAndBoxesPosition) and (edge := _perfect_edge(position, clock, stop_at)) is not None:
        return edge
    from gomogo_core.search.planes import network_view_of
    from gomogo_core.search.puct import Tree, all_moves

    if _BetweenMoves.tree is None or _BetweenMoves.tree.root.position.game != game:
        view = network_view_of(game.name)

        def evaluate(positions: Sequence[Any]) -> tuple[Any, Any]:
            odds, values = _BetweenMoves.evaluate(view.encode(positions).astype("float32"))
            return odds, values

        _BetweenMoves.tree = Tree(position, evaluate, _has_most_boxes, all_moves(view.move_index_of(game)))
    else:
        _BetweenMoves.tree.advance(position)
    _BetweenMoves.tree.search(SearchLimits(nodes=visits or None, stop_at=stop_at))
    return _report(_BetweenMoves.tree, _BetweenMoves.tree.ranking()[0], clock, stop_at)


def _perfect_edge(position: DotsAndBoxesPosition, clock: AgentClock, stop_at: float) -> Move | None:
    """Return a best edge near the end, or None if the compiled solver does not find one in half of the time."""
    game = position.game
    module = None if _BetweenMoves.loading_solver is None else _BetweenMoves.loading_solver.wait(0.0)
    if module is None or not module.can_solve(game.rows, game.cols):
        return None
    if len(game.edges) - position.drawn.bit_count() > _EXACT:
        return None
    if _BetweenMoves.game_and_solver is None or _BetweenMoves.game_and_solver[0] != game:
        _BetweenMoves.game_and_solver = game, module.BoxesSolver(game.rows, game.cols)
    solver, now = _BetweenMoves.game_and_solver[1], time.monotonic()
    try:
        with solver.search_limits(now + (stop_at - now) / 2):
            value, best = solver.best(position.drawn)
    except module.SearchStopped:
        return None
    lead = position.scores[position.to_move - 1] - position.scores[2 - position.to_move]
    edge: Move = game.edges[best[0]]
    clock.tell(score=float(lead + value), line=[game.format(edge)], thoughts="perfect play")
    return edge


def _has_most_boxes(position: Any) -> bool:
    """Return whether the mover owns more than half of the boxes, and so is certain to win."""
    return isinstance(position, DotsAndBoxesPosition) and 2 * position.scores[position.to_move - 1] > len(
        position.owners
    )


def _has_network(game: Any, network_name: str) -> bool:
    """Return whether there is a network for this game. Networks are for two players and default options except the
    size.
    """
    size = {"rows": game.rows, "cols": game.rows} if isinstance(game, DotsAndBoxes) else {"size": game.rows}
    return game.seats == 2 and (bool(network_name) or (type(game)(**size) == game and _path_for(game).is_file()))


def _path_for(game: Any) -> Path:
    name = "neural" if isinstance(game, Gomoku) else f"{game.name}_{game.rows}"
    return networks.NETWORKS_FOLDER / f"{name}.onnx"


def _known_boards() -> str:
    """Return the games and sizes that have a network, as text."""
    found = [path.stem.rpartition("_") for path in sorted(networks.NETWORKS_FOLDER.glob("*_*[0-9].onnx"))]
    return ", ".join(["gomoku", *(f"{name} {size} × {size}" for name, _, size in found)])


def _time_left(clock: AgentClock) -> float:
    left = clock.stop_at - time.monotonic()
    return left - min(left * _MARGIN + _BetweenMoves.expected_delay, left / 2)


def _report(tree: Any, number: int, clock: AgentClock, stop_at: float) -> Move:
    """Report the value of the move with this number, its principal variation and the shares of the moves; return the
    move.
    """
    # the expected delay grows at once, and shrinks slowly
    _BetweenMoves.expected_delay = max(_BetweenMoves.expected_delay * _DELAY_DECAY, time.monotonic() - stop_at)
    game = tree.root.position.game
    root, names = tree.root, [game.format(move) for move in tree.root.moves]
    value = tree.value(number)
    shares = {
        names[i]: round(float(root.visits[i] / max(1.0, root.visits.sum())), 4) for i in tree.ranking()[:_MAX_REPORTED]
    }
    thoughts = f"{int(root.visits.sum())} visits, wins {50 + 50 * value:.0f} %"
    line = [game.format(move) for move in tree.variation(number)]
    clock.tell(score=_WON * value if abs(value) == 1 else round(value, 3), line=line, values=shares, thoughts=thoughts)
    chosen: Move = root.moves[number]
    return chosen


def _best_move_number(tree: Any, threats: Threats, stop_at: float, visits: int) -> int:
    """Search the tree in slices; after each, check that the opponent has no win by threats after the best move.

    Return the number of the best move.
    """
    began = time.monotonic()
    check = (stop_at - began) * _CHECK_SHARE
    allowed = (stop_at - began) * (1 - _CHECK_SHARE * len(_SLICES))
    checked: set[int] = set()
    spent = 0
    for count, share in enumerate(_SLICES):
        wanted = round(visits * share) - spent if visits else None
        limits = SearchLimits(nodes=wanted, stop_at=began + allowed * share + check * count)
        tree.search(limits)
        spent += limits.nodes_used
        limited = time.monotonic() + check
        while tree.root.certain == 0 and (best := tree.ranking()[0]) not in checked and time.monotonic() < limited:
            checked.add(best)
            after = tree.root.position.play(tree.root.moves[best])
            if after.outcome() is None and threats.winning_move(after, min(limited, stop_at)) is not None:
                tree.exclude(best)
    return int(tree.ranking()[0])


def threat_search(game: Gomoku) -> Threats:
    """Return the search for threats in this game; it uses compiled code as soon as that is loaded."""
    module = None if _BetweenMoves.loading is None else _BetweenMoves.loading.wait(0.0)
    if (
        _BetweenMoves.threats is None
        or _BetweenMoves.game != game
        or (module is not None and _BetweenMoves.threats.engine is None)
    ):
        _BetweenMoves.threats, _BetweenMoves.game, _BetweenMoves.tree = Threats(game, module), game, None
    return _BetweenMoves.threats


def _tree(position: GomokuPosition, threats: Threats) -> Any:
    from gomogo_core.search.puct import Tree  # importing NumPy takes a tenth of a second, which no clock counts here

    threats.set_root(position)
    if _BetweenMoves.tree is None or _BetweenMoves.tree.root.position.game != position.game:
        _BetweenMoves.tree = Tree(position, evaluate_positions, threats.is_won, find_candidate_moves)
    else:
        _BetweenMoves.tree.advance(position)
    return _BetweenMoves.tree


def find_candidate_moves(position: GomokuPosition) -> tuple[list[Move], Any]:
    """Return the points to search, and their numbers: every empty point or, with few stones, the points near them.

    The network has not learned from positions with so few stones.
    """
    import numpy as np

    is_candidate = np.frombuffer(position.cells, np.uint8) == 0
    if position.stones < _FEW_STONES:
        is_candidate &= _near_stones(position)
    return list(compress(position.game.board.points, is_candidate.tobytes())), np.flatnonzero(is_candidate)


def _near_stones(position: GomokuPosition) -> Any:
    """Return for each point whether it is at most _NEAR rows and columns from a stone; without stones, the centre."""
    import numpy as np

    size = position.game.size
    near = np.zeros((size, size), bool)
    if not position.stones:
        near[size // 2, size // 2] = True
    for place in np.flatnonzero(np.frombuffer(position.cells, np.uint8)).tolist():
        row, column = divmod(place, size)
        near[max(0, row - _NEAR) : row + _NEAR + 1, max(0, column - _NEAR) : column + _NEAR + 1] = True
    return near.ravel()


def _load(network_name: str, game: Game) -> None:
    path = Path(network_name) if network_name else _path_for(game)
    if _BetweenMoves.path != path:
        _BetweenMoves.evaluate, _BetweenMoves.path, _BetweenMoves.tree = networks.load(path), path, None


def evaluate_positions(positions: Sequence[Any]) -> tuple[Any, Any]:
    """Return the network's log-odds and values of positions of Gomoku."""
    from gomogo_core.search.planes import gomoku_planes

    odds, values = _BetweenMoves.evaluate(gomoku_planes(positions).astype("float32"))
    return odds, values


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
