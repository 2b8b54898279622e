"""The strongest agent for Go, Capture Go and Robogo: Monte Carlo tree search on a compiled board.

python agents/go_champion.py TEAM [playouts=N] [growth=N] [memory_mb=N] [resign=N]
           [rave_percent=N] [prior_percent=N] [expand_at=N]

It needs the extra `engines`: pip install 'gomogo[engines]'. `gomogo warm` compiles it once; otherwise the first game
does, and until then the agent plays as mcts does. `playouts` limits the playouts of a move, in addition to the clock; 0
means no limit. With growth=N, that is the number on 9 × 9; on a larger board it is multiplied by the N-th power of the
number of points divided by 81. In Go it resigns if it wins fewer than `resign` of 100 playouts in three moves in a row,
but not after the opponent's pass; after fewer than 1,000 playouts it must also expect to lose by 20 points. With
resign=0 it never resigns. The last three options are parameters of the tree search, for
`gomogo tune`; GoEngine in gomogo_core/engines/go/engine.py explains them.

In Go on 9 × 9 and larger boards, it begins with a usual first move, chosen at random, as soon as its engine is loaded.
In Capture Go to the first capture, without a limit of playouts, it plays by alpha-beta search. On up to 28 points, half
of a move's time there goes to a solver (gomogo_core/engines/capture_go/). In Robogo on up to 16 points, it finds all
wins that no ko rule can prevent before its first clock starts.
"""

from __future__ import annotations

import random
import time
from typing import Any

import _path  # noqa: F401  (lets the file run from a clone that is not installed)

from gomogo_core.agent import AgentClock
from gomogo_core.engines import compiling
from gomogo_core.games.base import Game, Move
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.go import GoPosition
from gomogo_core.games.robogo import Robogo
from gomogo_core.games.stones.board import WHITE
from gomogo_core.games.stones.rules import PASS, GoFamilyPosition
from gomogo_core.search import SearchLimits, mcts, node_of
from gomogo_core.search.go.passing import loses_if_both_pass, wins_by_passing
from gomogo_core.search.playouts.dead_stones import points_worth_a_stone

GAMES = ("go", "capture_go", "robogo")
EXTRA = "engines"  # the optional dependencies of Gomogo that this agent needs
COMPILED = "gomogo_core.engines.go"  # the package of its compiled engine
KEEP_RUNNING = True  # one process may play many games: the tree of one game does not fit the next, and is dropped

# seconds in which the engine must be loaded; an agent must be ready within 30 seconds of its start
LOAD_SECONDS = 12.0
COMPILE_SHARE = 0.5  # maximum share of a move's time in which it waits for the engine to be compiled
MAX_ROBOGO_SOLVER_POINTS = 16  # on boards of Robogo with at most this number of points, it finds all wins
MAX_CAPTURE_GO_SOLVER_POINTS = 28  # boards of Capture Go with at most this number of points have a solver
GROWTH_POINTS = 81  # on boards with more points, the option `growth` increases the playouts
DELAY_DECAY = 0.97  # factor by which the expected delay shrinks from move to move
SOLVER_SHARE = 0.5  # share of a move's time for the solver, if the game has one
# After fewer playouts, it resigns only if it expects to be behind by MIN_DEFICIT_TO_RESIGN points.
MIN_PLAYOUTS_TO_RESIGN, MIN_DEFICIT_TO_RESIGN = 1000, 20
MIN_WIN_SHARE_TO_PLAY = 0.02  # it plays a move with at least this share of wins instead of a pass that loses
MAX_HOPELESS_MOVES_IN_A_ROW = 3  # after this number of hopeless moves in a row, it resigns


class _KeptState:
    """The objects kept between moves: the engine and the solvers, which may still be loading, and two numbers."""

    background_load: Any = None
    load_arguments: tuple[Any, ...] = ()  # the arguments of the engine that is loading
    engine: Any = None
    solver_load: Any = None
    solver: Any = None
    win_solver: Any = None  # the solver of small boards of Robogo, with all wins
    hopeless_moves_in_a_row = 0
    expected_delay = 0.03  # seconds from the stop flag to the answer: the last playout, the tree, and a late timer


def prepare(game: Game, *, memory_mb: int = 64, playouts: int = 0) -> None:
    """Load the compiled engine before the first clock starts.

    If the engine must be compiled and that takes long, it continues in the background.
    """
    started_at = time.monotonic()
    if _load_engine(game, LOAD_SECONDS, memory_mb) is not None:
        _load_solver(game, LOAD_SECONDS - time.monotonic() + started_at)
        if not playouts:
            _prepare_wins(game, started_at + LOAD_SECONDS)
    else:
        node_of(game.start())  # builds the tables of the slower search, which the first moves will use


def _load_engine(game: Game, seconds: float, memory_mb: int) -> Any:
    """Return the engine for this game, or None if it is not loaded within `seconds`."""
    arguments = (game, memory_mb)
    if _KeptState.engine is None or (_KeptState.engine.game, _KeptState.engine.memory_mb) != arguments:
        if _KeptState.load_arguments != arguments:
            _KeptState.background_load = compiling.BackgroundLoad(COMPILED, lambda module: module.GoEngine(*arguments))
            _KeptState.load_arguments = arguments
        _KeptState.engine = _KeptState.background_load.wait(seconds)
    return _KeptState.engine


def _load_solver(game: Game, seconds: float) -> Any:
    """Return the module of the solver for this game, or None for another game, or if it is not loaded within `seconds`.

    Call it after the engine is loaded, because two threads cannot set the folder of compiled code at the same time.
    """
    if not isinstance(game, CaptureGo) or game.target > 1 or game.rows * game.cols > MAX_CAPTURE_GO_SOLVER_POINTS:
        return None
    if _KeptState.solver_load is None:
        _KeptState.solver_load = compiling.BackgroundLoad("gomogo_core.engines.capture_go")
    return _KeptState.solver_load.wait(seconds)


def _prepare_wins(game: Game, stop_at: float) -> None:
    """Find all wins of Robogo on a small board by the time `stop_at`; 4 × 4 takes five seconds and 400 MB."""
    if _KeptState.win_solver is not None and _KeptState.win_solver.game == game:
        return
    _KeptState.win_solver = None
    if not isinstance(game, Robogo) or game.rows * game.cols > MAX_ROBOGO_SOLVER_POINTS:
        return
    module = compiling.BackgroundLoad("gomogo_core.engines.small_go").wait(stop_at - time.monotonic())
    if module is None or not module.can_solve(game.start()):
        return
    solver = module.SmallGoSolver(game)
    try:
        solver.prepare_wins(stop_at)
    except module.SearchStopped:
        return
    _KeptState.win_solver = solver


def _solve(position: GoFamilyPosition, stop_at: float) -> tuple[bool, tuple[Move, ...]]:
    """Return whether the mover is proved to win, and all best moves; no moves if there is no proof before `stop_at`."""
    module = _load_solver(position.game, stop_at - time.monotonic())
    if module is None or not module.can_solve(position):
        return False, ()
    if _KeptState.solver is None or _KeptState.solver.game != position.game:
        _KeptState.solver = module.CaptureGoSolver(position.game)
    try:
        solution = _KeptState.solver.solve(position, stop_at)
    except module.SearchStopped:
        return False, ()
    return solution.winner == position.to_move, solution.best_moves


def choose(
    position: GoFamilyPosition,
    clock: AgentClock,
    *,
    playouts: int = 0,
    growth: float = 0.0,
    memory_mb: int = 64,
    resign: int = 2,
    rave_percent: int = 100,
    prior_percent: int = 100,
    expand_at: int = 6,
) -> Move | str:
    """Return the most visited move of a search until `clock.stop_at` or for `playouts` playouts; 0 means no limit.

    On boards with more than 81 points, `playouts` is multiplied by (points / 81) ** growth. If the position is solved
    in time, the move is a best move. In Go it may return "resign".
    """
    if wins_by_passing(position):
        return PASS
    playouts = round(playouts * max(1.0, position.game.rows * position.game.cols / GROWTH_POINTS) ** growth)
    engine = _load_engine(position.game, (clock.stop_at - time.monotonic()) * COMPILE_SHARE, memory_mb)
    if engine is None:
        mcts_result = mcts.search(position, SearchLimits(nodes=playouts or None, stop_at=clock.stop_at))
        clock.tell(**mcts_result.analysis(position.game))
        return mcts_result.move
    move: Move
    if first_moves := engine.usual_first_moves(position):
        _KeptState.hopeless_moves_in_a_row = 0
        clock.tell(thoughts="a usual first move")
        move = random.choice(first_moves)
        return move
    is_won, proved_best_moves = False, tuple[Move, ...]()
    if not playouts and _KeptState.win_solver is not None and _KeptState.win_solver.game == position.game:
        winning_move = _KeptState.win_solver.find_winning_move(position)
        is_won, proved_best_moves = winning_move is not None, () if winning_move is None else (winning_move,)
    elif not playouts:
        now = time.monotonic()
        is_won, proved_best_moves = _solve(position, now + SOLVER_SHARE * (clock.stop_at - now))
    if is_won:
        clock.tell(score=1.0, line=[position.game.format(proved_best_moves[0])], thoughts="proved to win")
        return proved_best_moves[0]
    time_margin = min(_KeptState.expected_delay, (clock.stop_at - time.monotonic()) / 2)
    alpha_beta_move = None
    if not playouts and not proved_best_moves:
        alpha_beta_move = engine.find_alpha_beta_move(position, stop_at=clock.stop_at - time_margin)
    if alpha_beta_move:
        move = alpha_beta_move.move
        clock.tell(
            score=2 * alpha_beta_move.win_share - 1,
            line=[position.game.format(move)],
            thoughts=f"{alpha_beta_move.depth} plies, {alpha_beta_move.nodes} positions",
        )
        _update_delay(clock, time_margin)
        return move
    engine.rave_percent, engine.prior_percent, engine.expansion_visits = rave_percent, prior_percent, expand_at
    engine.reads_forced_wins = not playouts  # without forced wins if playouts are limited, as for the levels of play
    candidates = engine.rank_moves(position, stop_at=clock.stop_at - time_margin, playouts=playouts)
    best_candidate = next(
        (each for each in candidates if not proved_best_moves or each.move in proved_best_moves), None
    )
    if best_candidate is None:  # the tree has no moves into own eyes
        return proved_best_moves[0]
    if (playouts or best_candidate.win_share < MIN_WIN_SHARE_TO_PLAY) and isinstance(position, GoPosition):
        # few playouts cannot tell a lost game from a won one, and in a lost game all moves look equally good
        half_time = clock.started + (clock.stop_at - clock.started) / 2
        worthwhile_points = points_worth_a_stone(position, half_time)
        places = {PASS, *position.game.bit_geometry.points_in(worthwhile_points & position.legal_mask)}
        if not worthwhile_points or not (candidates := [each for each in candidates if each.move in places]):
            return PASS
        best_candidate = candidates[0]
    if best_candidate.move is PASS and position.game.name == "go" and loses_if_both_pass(position):
        # a few playouts can overlook that stones on the board are dead: capture them as long as there is hope
        stone_candidates = (candidate for candidate in candidates if candidate.move is not PASS)
        playable_candidates = (each for each in stone_candidates if each.win_share >= MIN_WIN_SHARE_TO_PLAY)
        best_candidate = next(playable_candidates, best_candidate)
    total_visits = sum(candidate.visits for candidate in candidates)
    win_chance = round(100 * best_candidate.estimated_share)
    if not best_candidate.is_proved:  # playouts alone are no certainty
        win_chance = min(max(win_chance, 1), 99)
    clock.tell(
        score=2 * best_candidate.estimated_share - 1,
        line=[position.game.format(move) for move in best_candidate.variation],
        thoughts=f"{total_visits} playouts, wins {win_chance} %",
    )
    if position.moves_played < 2:
        _KeptState.hopeless_moves_in_a_row = 0
    is_hopeless = (
        position.game.name == "go"
        and not position.passes  # if the opponent has passed, the count decides the game
        and best_candidate.win_share < resign / 100
        and (total_visits >= MIN_PLAYOUTS_TO_RESIGN or _is_far_behind(engine, position))
    )
    _KeptState.hopeless_moves_in_a_row = _KeptState.hopeless_moves_in_a_row + 1 if is_hopeless else 0
    if _KeptState.hopeless_moves_in_a_row >= MAX_HOPELESS_MOVES_IN_A_ROW:
        _KeptState.hopeless_moves_in_a_row = 0
        return "resign"
    engine.advance(position, best_candidate.move)
    _update_delay(clock, time_margin)
    move = best_candidate.move
    return move


def _is_far_behind(engine: Any, position: GoFamilyPosition) -> bool:
    """Return whether the mover expects to lose by MIN_DEFICIT_TO_RESIGN points or more, by the latest search."""
    black_lead = engine.expected_end().lead
    return bool((black_lead if position.to_move == WHITE else -black_lead) >= MIN_DEFICIT_TO_RESIGN)


def _update_delay(clock: AgentClock, time_margin: float) -> None:
    """Let the expected delay grow at once if the answer is late, and otherwise shrink slowly."""
    _KeptState.expected_delay = max(
        _KeptState.expected_delay * DELAY_DECAY, time.monotonic() - clock.stop_at + time_margin
    )


if __name__ == "__main__":
    from gomogo_core.agent import run

    run(choose)
