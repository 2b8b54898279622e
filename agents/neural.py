"""A trained network that guides a tree search by a policy and a value; in Gomoku it also searches for wins by threats.

python agents/neural.py TEAM [network=FILE] [visits=N]

It learned Gomoku from games of the champion (`gomogo train neural`). It learned each of the other games from games of
that game's engine, and then from its own games. It needs the extra `neural`: pip install 'gomogo[neural]'. In Gomoku,
with the extra `engines`, it searches for wins by continuous fours at every position of its tree; without that extra, it
does so only before and after its own move. With the extra it also plays Dots and Boxes perfectly near the end. If an
opening offers a choice, or if the winning row is not five stones, it plays as iterative_deepening does. On boards for
which it has no network it plays as mcts does, and lists the boards that have a network. docs/why/neural.md has its
results.
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
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.search import SearchLimits, iterative_deepening, mcts
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.limits import OutOfLimits
from gomogo_core.search.vcf import VcfSearch

GAMES = ("gomoku", "go", "capture_go", "robogo", "dots_and_boxes")
EXTRA = "neural"  # the optional dependencies of Gomogo that this agent needs
COMPILED = "gomogo_core.engines.gomoku"  # the package of the engine that finds wins by threats
ENGINE = True  # it plays from balanced openings by default
KEEP_RUNNING = True  # one process may play many games: its tree is searched for the new position
# seconds in which the engine must be loaded; an agent must be ready within 30 seconds of its start
_LOAD_SECONDS = 12.0
# shares of the time for the search for an own win by threats, and for each search for a win of the opponent
_THREAT_SEARCH_SHARE, _MOVE_CHECK_SHARE = 0.1, 0.05
_SEARCH_SLICES = (0.4, 0.7, 1.0)  # after these shares of the tree search's time, it checks the best move
_UNUSED_TIME_SHARE = 0.06  # a reserve, since a search may end late on a busy machine
_DELAY_DECAY = 0.95  # factor by which the expected delay shrinks after each move
_LEAF_SEARCH_NODES = 40  # nodes of the search for continuous fours at each position of the tree
_MOVE_CHECK_NODES = 20_000
# with fewer stones than the first number, it considers only points within the second number of steps from a stone
_MIN_STONES_FOR_ALL_POINTS, _MAX_STONE_DISTANCE = 8, 2
_MAX_REPORTED_MOVES = 8  # it reports the shares of the visits of at most this number of moves
_MAX_EXACT_EDGES = 40  # with at most this number of undrawn edges, it tries to play Dots and Boxes perfectly
_WIN_SCORE = 100.0  # the score that it reports for a certain win


class ThreatSearch:
    """Finds wins by threats: by the compiled engine if it is installed, else by continuous fours in Python."""

    def __init__(self, game: Gomoku, module: Any) -> None:
        self.engine = self.leaf_engine = None
        # two engines with a board each: one for searches before and after a move, one for the positions of the tree
        if module is not None:
            self.engine, self.leaf_engine = (module.GomokuEngine(game, memory_mb=megabytes) for megabytes in (8, 1))

    def find_winning_move(self, position: GomokuPosition, stop_at: float) -> Move | None:
        """Return the first move of a certain win for the mover; None if the search finds no win in time."""
        if self.engine is not None:
            analysis = self.engine.analyse(position, stop_at=stop_at, nodes=_MOVE_CHECK_NODES, depth=1)
            is_win = analysis.plies is not None and analysis.value > 0
            return position.game.board.points[analysis.lines[0].point_numbers[0]] if is_win else None
        limits = SearchLimits(stop_at=stop_at)
        try:
            win_line = VcfSearch(limits).find_forced_win(node_of(position), _MOVE_CHECK_NODES)
        except OutOfLimits:
            return None
        return win_line.variation[0] if win_line is not None and win_line.variation else None

    def is_won(self, position: Any) -> bool:
        """Return whether a short search finds a win of the mover by continuous fours.

        Without the compiled engine it finds fives and winning fours only.
        """
        if self.leaf_engine is not None:
            return bool(self.leaf_engine.vcf_after(position.cells, _LEAF_SEARCH_NODES) > 0)
        certain_value = node_of(position).certain_value()
        return certain_value is not None and certain_value > 0

    def set_root(self, position: GomokuPosition) -> None:
        """Set up the position at the root of the tree. Afterwards, `is_won` expects positions of this tree."""
        if self.leaf_engine is not None:
            self.leaf_engine.set_position(position.cells)


class _KeptState:
    """The objects kept between moves: the network, the compiled engines, which may still be loading, and the tree."""

    network_path: Path | None = None
    evaluate: Any = None
    background_load: Any = None
    solver_load: Any = None  # the compiled solver of Dots and Boxes while it loads
    game_and_solver: Any = None  # the game, and its solver of Dots and Boxes
    threat_search: ThreatSearch | None = None
    game: Game | None = None
    tree: Any = None
    expected_delay: float = 0.0  # seconds by which a search is expected to end late


def prepare(game: Game, *, network: str = "") -> None:
    """Load the network and the compiled code before the first clock starts."""
    gc.disable()  # a collection of a large tree takes longer than a move's margin, and a tree has no cycles
    if not isinstance(game, Gomoku):
        if _has_network(game, network):
            _load_network(network, game)
            from gomogo_core.search import planes, puct  # noqa: F401  (with NumPy, before the first clock starts)

            if isinstance(game, DotsAndBoxes) and compiling.has_numba():
                _KeptState.solver_load = _KeptState.solver_load or compiling.BackgroundLoad("gomogo_core.engines.boxes")
                _KeptState.solver_load.wait(_LOAD_SECONDS)
        return
    _load_network(network, game)
    if _KeptState.background_load is None and compiling.has_numba():
        _KeptState.background_load = compiling.BackgroundLoad(COMPILED)
    if _KeptState.background_load is not None:
        _KeptState.background_load.wait(_LOAD_SECONDS)


def choose(
    position: GomokuPosition | GoFamilyPosition | DotsAndBoxesPosition,
    clock: AgentClock,
    *,
    network: str = "",
    visits: int = 0,
) -> Move:
    """Return the first move of a certain win, or the most visited move of a search until `clock.stop_at` or for
    `visits` visits.
    """
    if not isinstance(position, GomokuPosition):
        return _choose_by_network(position, clock, network, visits)
    game = position.game
    if game.line != 5 or position.is_opening_turn:
        result = iterative_deepening.search(position, SearchLimits(stop_at=clock.stop_at))
        reason = (
            "the network learned only rows of five"
            if game.line != 5
            else "the network did not learn openings with choices"
        )
        clock.tell(**result.analysis(game), thoughts=f"plays like iterative_deepening: {reason}")
        return result.move
    _load_network(network, game)
    threats = create_threat_search(game)
    usable_seconds = _usable_seconds(clock)
    stop_at = time.monotonic() + usable_seconds
    winning_move = threats.find_winning_move(position, time.monotonic() + usable_seconds * _THREAT_SEARCH_SHARE)
    if winning_move is not None:
        clock.tell(score=_WIN_SCORE, line=[game.format(winning_move)], thoughts="wins by threats")
        return winning_move
    tree = _prepare_tree(position, threats)
    best_move_index = _search_best_move(tree, threats, stop_at, visits)
    return _report_move(tree, best_move_index, clock, stop_at)


def _choose_by_network(
    position: GoFamilyPosition | DotsAndBoxesPosition, clock: AgentClock, network: str, visits: int
) -> Move:
    """Return the most visited move of a tree search that the network of this game and board size guides."""
    game = position.game
    if not _has_network(game, network):
        result = mcts.search(position, SearchLimits(stop_at=clock.stop_at))
        thoughts = f"plays like mcts: it has networks for {_list_boards_with_network()} only"
        clock.tell(**result.analysis(game), thoughts=thoughts)
        return result.move
    _load_network(network, game)
    stop_at = time.monotonic() + _usable_seconds(clock)
    edge = _find_perfect_edge(position, clock, stop_at) if isinstance(position, DotsAndBoxesPosition) else None
    if edge is not None:
        return edge
    from gomogo_core.search.planes import network_encoding_of
    from gomogo_core.search.puct import Tree, legal_move_generator

    if _KeptState.tree is None or _KeptState.tree.root.position.game != game:
        view = network_encoding_of(game.name)

        def evaluate(positions: Sequence[Any]) -> tuple[Any, Any]:
            log_odds, values = _KeptState.evaluate(view.encode(positions).astype("float32"))
            return log_odds, values

        _KeptState.tree = Tree(position, evaluate, _has_most_boxes, legal_move_generator(view.move_index_of(game)))
    else:
        _KeptState.tree.advance(position)
    _KeptState.tree.search(SearchLimits(nodes=visits or None, stop_at=stop_at))
    return _report_move(_KeptState.tree, _KeptState.tree.rank_moves()[0], clock, stop_at)


def _find_perfect_edge(position: DotsAndBoxesPosition, clock: AgentClock, stop_at: float) -> Move | None:
    """Return a best edge near the end, or None if the compiled solver does not find one in half of the time."""
    game = position.game
    solver_module = None if _KeptState.solver_load is None else _KeptState.solver_load.wait(0.0)
    if solver_module is None or not solver_module.can_solve(game.rows, game.cols):
        return None
    if len(game.edges) - position.drawn.bit_count() > _MAX_EXACT_EDGES:
        return None
    if _KeptState.game_and_solver is None or _KeptState.game_and_solver[0] != game:
        _KeptState.game_and_solver = game, solver_module.BoxesSolver(game.rows, game.cols)
    solver, now = _KeptState.game_and_solver[1], time.monotonic()
    try:
        with solver.search_limits(now + (stop_at - now) / 2):
            value, best_edges = solver.best_edges(position.drawn)
    except solver_module.SearchStopped:
        return None
    lead = position.scores[position.to_move - 1] - position.scores[2 - position.to_move]
    edge: Move = game.edges[best_edges[0]]
    clock.tell(score=float(lead + value), line=[game.format(edge)], thoughts="perfect play")
    return edge


def _has_most_boxes(position: Any) -> bool:
    """Return whether the mover owns more than half of the boxes, and so is certain to win."""
    if not isinstance(position, DotsAndBoxesPosition):
        return False
    return 2 * position.scores[position.to_move - 1] > len(position.owners)


def _has_network(game: Any, network_name: str) -> bool:
    """Return whether there is a network for this game with two players and default options except the size."""
    size_options = {"rows": game.rows, "cols": game.rows} if isinstance(game, DotsAndBoxes) else {"size": game.rows}
    if game.seats != 2:
        return False
    return bool(network_name or (type(game)(**size_options) == game and _network_path(game).is_file()))


def _network_path(game: Any) -> Path:
    name = "neural" if isinstance(game, Gomoku) else f"{game.name}_{game.rows}"
    return networks.NETWORKS_FOLDER / f"{name}.onnx"


def _list_boards_with_network() -> str:
    """Return the games and sizes that have a network, as text."""
    name_parts = [path.stem.rpartition("_") for path in sorted(networks.NETWORKS_FOLDER.glob("*_*[0-9].onnx"))]
    return ", ".join(["gomoku", *(f"{name} {size} × {size}" for name, _, size in name_parts)])


def _usable_seconds(clock: AgentClock) -> float:
    seconds_left = clock.stop_at - time.monotonic()
    return seconds_left - min(seconds_left * _UNUSED_TIME_SHARE + _KeptState.expected_delay, seconds_left / 2)


def _report_move(tree: Any, move_index: int, clock: AgentClock, stop_at: float) -> Move:
    """Report a move's value and principal variation, and each move's share of the visits; return the move."""
    # the expected delay grows at once, and shrinks slowly
    _KeptState.expected_delay = max(_KeptState.expected_delay * _DELAY_DECAY, time.monotonic() - stop_at)
    game = tree.root.position.game
    root, move_names = tree.root, [game.format(move) for move in tree.root.moves]
    value = tree.value(move_index)
    reported_moves, shares = tree.rank_moves()[:_MAX_REPORTED_MOVES], root.visits / max(1.0, root.visits.sum())
    visit_shares = {move_names[index]: round(float(shares[index]), 4) for index in reported_moves}
    thoughts = f"{int(root.visits.sum())} visits, wins {50 + 50 * value:.0f} %"
    line = [game.format(move) for move in tree.variation(move_index)]
    score = _WIN_SCORE * value if abs(value) == 1 else round(value, 3)
    clock.tell(score=score, line=line, values=visit_shares, thoughts=thoughts)
    chosen_move: Move = root.moves[move_index]
    return chosen_move


def _search_best_move(tree: Any, threats: ThreatSearch, stop_at: float, visits: int) -> int:
    """Search the tree in slices. After each slice, check that the opponent has no win by threats after the best move.

    Return the index of the best move.
    """
    started_at = time.monotonic()
    check_seconds = (stop_at - started_at) * _MOVE_CHECK_SHARE
    search_seconds = (stop_at - started_at) * (1 - _MOVE_CHECK_SHARE * len(_SEARCH_SLICES))
    checked_moves: set[int] = set()
    nodes_used = 0
    for slice_number, slice_end in enumerate(_SEARCH_SLICES):
        node_limit = round(visits * slice_end) - nodes_used if visits else None
        stop_at = started_at + search_seconds * slice_end + check_seconds * slice_number
        limits = SearchLimits(nodes=node_limit, stop_at=stop_at)
        tree.search(limits)
        nodes_used += limits.nodes_used
        check_end = time.monotonic() + check_seconds
        while (
            tree.root.certain == 0
            and (best_move_index := tree.rank_moves()[0]) not in checked_moves
            and time.monotonic() < check_end
        ):
            checked_moves.add(best_move_index)
            position_after = tree.root.position.play(tree.root.moves[best_move_index])
            if position_after.outcome() is None and threats.find_winning_move(position_after, min(check_end, stop_at)):
                tree.mark_as_lost(best_move_index)
    return int(tree.rank_moves()[0])


def create_threat_search(game: Gomoku) -> ThreatSearch:
    """Return the search for threats in this game; it uses compiled code as soon as that is loaded."""
    module = None if _KeptState.background_load is None else _KeptState.background_load.wait(0.0)
    threats = _KeptState.threat_search
    if threats is None or _KeptState.game != game or (module is not None and threats.engine is None):
        threats = ThreatSearch(game, module)
        _KeptState.threat_search, _KeptState.game, _KeptState.tree = threats, game, None
    return threats


def _prepare_tree(position: GomokuPosition, threats: ThreatSearch) -> Any:
    from gomogo_core.search.puct import Tree  # importing NumPy takes a tenth of a second

    threats.set_root(position)
    if _KeptState.tree is None or _KeptState.tree.root.position.game != position.game:
        _KeptState.tree = Tree(position, evaluate_positions, threats.is_won, find_candidate_moves)
    else:
        _KeptState.tree.advance(position)
    return _KeptState.tree


def find_candidate_moves(position: GomokuPosition) -> tuple[list[Move], Any]:
    """Return the points to search, and their numbers: every empty point or, with few stones, the points near them.

    The network has not learned from positions with so few stones.
    """
    import numpy as np

    is_candidate = np.frombuffer(position.cells, np.uint8) == 0
    if position.stones < _MIN_STONES_FOR_ALL_POINTS:
        is_candidate &= _find_points_near_stones(position)
    return list(compress(position.game.board.points, is_candidate.tobytes())), np.flatnonzero(is_candidate)


def _find_points_near_stones(position: GomokuPosition) -> Any:
    """Return whether each point is near a stone, at most _MAX_STONE_DISTANCE away; without stones, the centre."""
    import numpy as np

    size = position.game.size
    is_near = np.zeros((size, size), bool)
    if not position.stones:
        is_near[size // 2, size // 2] = True
    for index in np.flatnonzero(np.frombuffer(position.cells, np.uint8)).tolist():
        row, column = divmod(index, size)
        is_near[
            max(0, row - _MAX_STONE_DISTANCE) : row + _MAX_STONE_DISTANCE + 1,
            max(0, column - _MAX_STONE_DISTANCE) : column + _MAX_STONE_DISTANCE + 1,
        ] = True
    return is_near.ravel()


def _load_network(network_name: str, game: Game) -> None:
    path = Path(network_name) if network_name else _network_path(game)
    if _KeptState.network_path != path:
        _KeptState.evaluate, _KeptState.network_path, _KeptState.tree = networks.load(path), path, None


def evaluate_positions(positions: Sequence[Any]) -> tuple[Any, Any]:
    """Return the network's log-odds and values of positions of Gomoku."""
    from gomogo_core.search.planes import gomoku_planes

    log_odds, values = _KeptState.evaluate(gomoku_planes(positions).astype("float32"))
    return log_odds, values


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
