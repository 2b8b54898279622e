"""The strongest agent for Go, Capture Go and Robogo: Monte Carlo tree search on a compiled board.

python agents/go_champion.py TEAM [playouts=N] [memory_mb=N] [resign=N]
           [rave_percent=N] [prior_percent=N] [expand_at=N]

It needs the extra `engines`: pip install 'gomogo[engines]'. `gomogo warm` compiles it once; otherwise the first game
does, and until then the agent plays as mcts does. `playouts` limits the playouts of a move, in addition to the clock; 0
means no limit. In Go it resigns if it wins fewer than `resign` of 100 playouts in three moves in a row, but not after
the opponent's pass; with resign=0 it never resigns. The last three options are parameters of the tree search, for
`gomogo tune`; GoEngine in gomogo_core/engines/go/engine.py explains them.

In Capture Go to the first capture, without a limit of playouts, it plays by alpha-beta search. On up to 28 points, half
of a move's time there goes to a solver (gomogo_core/engines/capture_go/). In Robogo on up to 16 points, it finds all
wins that no ko rule can prevent before its first clock starts.
"""

from __future__ import annotations

import time
from typing import Any

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.agent import AgentClock
from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Move
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.rules import PASS, StonesPosition
from gomogo_core.search import SearchLimits, mcts
from gomogo_core.search.go.passing import loses_if_both_pass, wins_by_passing

GAMES = ("go", "capture_go", "robogo")
EXTRA = "engines"  # of Gomogo: the libraries that it needs
COMPILED = "gomogo_core.engines.go"  # the package of its engine
KEEP_RUNNING = True  # one process may play many games: the tree of one game does not fit the next, and is dropped

# seconds of the thirty in which an agent must be ready; compiling may take longer on a busy machine
LOAD_SECONDS = 12.0
COMPILE_SHARE = 0.5  # share of a move's time for which it waits until the engine is compiled
SMALL_BOARD = 16  # points of the largest boards of Robogo for which it finds all wins
SOLVER_POINTS = 28  # points of the largest boards of Capture Go that have a solver
DELAY_DECAY = 0.97  # factor by which the expected delay shrinks from move to move
SOLVER_SHARE = 0.5  # share of a move's time for the solver, if the game has one
MIN_PLAYOUTS_TO_RESIGN = 1000  # it does not resign after fewer playouts than this
MIN_WIN_SHARE_TO_PLAY = 0.02  # share of wins from which on it plays a move instead of a pass that loses
LOST_MOVES_BEFORE_RESIGNING = 3  # number of consecutive hopeless moves after which it resigns


class _BetweenMoves:
    """The objects kept between moves: modules, which may still be loading, the engine, the solvers, and two numbers."""

    loading: Any = None
    engine: Any = None
    loading_solver: Any = None
    solver: Any = None
    win_solver: Any = None  # the solver of small boards of Robogo, with all wins
    lost_moves = 0
    expected_delay = 0.03  # seconds from the stop flag to the answer, for the last playout, the tree and a late timer


def prepare(game: Game, *, memory_mb: int = 64, playouts: int = 0) -> None:
    """Load the compiled engine before the first clock starts.

    If the engine must be compiled and that takes long, it continues in the background.
    """
    began = time.monotonic()
    if _load(game, LOAD_SECONDS, memory_mb) is not None:
        _load_solver(game, LOAD_SECONDS - time.monotonic() + began)
        if not playouts:
            _prepare_wins(game, began + LOAD_SECONDS)


def _load(game: Game, seconds: float, memory_mb: int) -> Any:
    """Return the engine for this game, or None if it is not loaded within `seconds`."""
    if _BetweenMoves.engine is None or _BetweenMoves.engine.game != game or _BetweenMoves.engine.memory_mb != memory_mb:
        if _BetweenMoves.loading is None:
            _BetweenMoves.loading = compiling.BackgroundLoad(COMPILED)
        module = _BetweenMoves.loading.wait(seconds)
        _BetweenMoves.engine = module.GoEngine(game, memory_mb) if module is not None else None
    return _BetweenMoves.engine


def _load_solver(game: Game, seconds: float) -> Any:
    """Return the module of the solver for this game, or None for another game, or if it is not loaded within `seconds`.

    Call it after the engine is loaded, because two threads cannot set the folder of compiled code at the same time.
    """
    if not isinstance(game, CaptureGo) or game.target > 1 or game.rows * game.cols > SOLVER_POINTS:
        return None
    if _BetweenMoves.loading_solver is None:
        _BetweenMoves.loading_solver = compiling.BackgroundLoad("gomogo_core.engines.capture_go")
    return _BetweenMoves.loading_solver.wait(seconds)


def _prepare_wins(game: Game, stop_at: float) -> None:
    """Find all wins of Robogo on a small board by the time `stop_at`; 4 × 4 takes five seconds and 400 MB."""
    if _BetweenMoves.win_solver is not None and _BetweenMoves.win_solver.game == game:
        return
    _BetweenMoves.win_solver = None
    if not isinstance(game, Robogo) or game.rows * game.cols > SMALL_BOARD:
        return
    module = compiling.BackgroundLoad("gomogo_core.engines.small_go").wait(stop_at - time.monotonic())
    if module is None or not module.can_solve(game.start()):
        return
    solver = module.SmallGoSolver(game)
    try:
        solver.prepare_wins(stop_at)
    except module.SearchStopped:
        return
    _BetweenMoves.win_solver = solver


def _solve(position: StonesPosition, stop_at: float) -> tuple[bool, tuple[Move, ...]]:
    """Return whether the mover is proved to win, and all best moves; no moves if there is no proof by `stop_at`."""
    module = _load_solver(position.game, stop_at - time.monotonic())
    if module is None or not module.can_solve(position):
        return False, ()
    if _BetweenMoves.solver is None or _BetweenMoves.solver.game != position.game:
        _BetweenMoves.solver = module.CaptureGoSolver(position.game)
    try:
        found = _BetweenMoves.solver.solve(position, stop_at)
    except module.SearchStopped:
        return False, ()
    return found.winner == position.to_move, found.best


def choose(
    position: StonesPosition,
    clock: AgentClock,
    *,
    playouts: int = 0,
    memory_mb: int = 64,
    resign: int = 2,
    rave_percent: int = 100,
    prior_percent: int = 100,
    expand_at: int = 6,
) -> Move | str:
    """Return the most visited move by `clock.stop_at`, or after `playouts` playouts; 0 means no limit.

    If the position is solved in time, the move is a best move. In Go it may return "resign".
    """
    if wins_by_passing(position):
        return PASS
    engine = _load(position.game, (clock.stop_at - time.monotonic()) * COMPILE_SHARE, memory_mb)
    if engine is None:
        other = mcts.search(position, SearchLimits(stop_at=clock.stop_at))
        clock.tell(**other.analysis(position.game))
        return other.move
    wins, proved = False, tuple[Move, ...]()
    if not playouts and _BetweenMoves.win_solver is not None and _BetweenMoves.win_solver.game == position.game:
        win = _BetweenMoves.win_solver.winning_move(position)
        wins, proved = win is not None, () if win is None else (win,)
    elif not playouts:
        now = time.monotonic()
        wins, proved = _solve(position, now + SOLVER_SHARE * (clock.stop_at - now))
    if wins:
        clock.tell(score=1.0, line=[position.game.format(proved[0])], thoughts="proved to win")
        return proved[0]
    margin = min(_BetweenMoves.expected_delay, (clock.stop_at - time.monotonic()) / 3)
    move: Move
    if not playouts and not proved and (found := engine.capturing_move(position, stop_at=clock.stop_at - margin)):
        move = found.move
        clock.tell(
            score=2 * found.win_share - 1,
            line=[position.game.format(move)],
            thoughts=f"{found.depth} plies, {found.nodes} positions",
        )
        _update_delay(clock, margin)
        return move
    engine.rave_percent, engine.prior_percent, engine.expansion_visits = rave_percent, prior_percent, expand_at
    engine.reads_forced_wins = not playouts  # without forced wins if playouts are limited, as for the levels of play
    found = engine.rank_moves(position, stop_at=clock.stop_at - margin, playouts=playouts)
    best = next((one for one in found if not proved or one.move in proved), None)
    if best is None:  # the tree has no moves into own eyes
        return proved[0]
    if best.move is PASS and position.game.name == "go" and loses_if_both_pass(position):
        # a few playouts can overlook that stones on the board are dead: take them as long as there is hope
        best = next((one for one in found if one.move is not PASS and one.win_share >= MIN_WIN_SHARE_TO_PLAY), best)
    visits = sum(one.visits for one in found)
    clock.tell(
        score=2 * best.win_share - 1,
        line=[position.game.format(move) for move in best.variation],
        thoughts=f"{visits} playouts, wins {best.win_share:.0%}",
    )
    if position.moves_played < 2:
        _BetweenMoves.lost_moves = 0
    lost = position.game.name == "go" and visits >= MIN_PLAYOUTS_TO_RESIGN and best.win_share < resign / 100
    lost &= not position.passes  # the count decides a game whose opponent has stopped playing
    _BetweenMoves.lost_moves = _BetweenMoves.lost_moves + 1 if lost else 0
    if _BetweenMoves.lost_moves >= LOST_MOVES_BEFORE_RESIGNING:
        _BetweenMoves.lost_moves = 0
        return "resign"
    engine.advance(position, best.move)
    _update_delay(clock, margin)
    move = best.move
    return move


def _update_delay(clock: AgentClock, margin: float) -> None:
    """Let the expected delay grow at once if the answer is late, and otherwise shrink slowly."""
    _BetweenMoves.expected_delay = max(
        _BetweenMoves.expected_delay * DELAY_DECAY, time.monotonic() - clock.stop_at + margin
    )


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
