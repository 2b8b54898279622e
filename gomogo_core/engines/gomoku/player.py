"""A player that uses the engine for ordinary moves, and for the stones and the choices of opening rules.

The module uses positions of Gomoku and times of time.monotonic(). In an opening it places the stones that make the most
even position by the engine's value, and then takes the side with the better value.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from types import MappingProxyType
from typing import Any

from gomogo_core.engines.gomoku import search
from gomogo_core.engines.gomoku.engine import (
    CERTAIN_THRESHOLD,
    CLEAR_LEAD,
    WIN_VALUE,
    EngineAnalysis,
    GomokuEngine,
    plies_to_end,
)
from gomogo_core.games.base import Move
from gomogo_core.games.gomoku import BLACK, WHITE, Choice, Gomoku, GomokuPosition, Phase

# a value in the engine's units; if the position's value is closer to 0, the player places two more stones in swap2
_MAX_EVEN_VALUE = 25
_OPENING_NODES = 4000  # nodes of the search for each candidate opening
_WIN_SCORE = 100.0  # the score reported for a proven win
_TIMER_TRIALS, _TIMER_SECONDS = 3, 0.004  # the number of timers that are measured at the start, and their seconds
_DELAY_DECAY = 0.97  # factor by which the expected delay shrinks from move to move
_UNITS_PER_SCORE_POINT = 100  # units of the engine's value in one unit of the reported score


def measure_timer_delay() -> float:
    """Measure the delay of a timer on this machine, in seconds."""
    timer_start, ended = time.monotonic(), list[float]()
    timer = threading.Timer(_TIMER_SECONDS, lambda: ended.append(time.monotonic()))
    timer.start()
    timer.join()
    return max(0.0, ended[0] - timer_start - _TIMER_SECONDS)


class EnginePlayer:
    """A player of one game, with its engine and its planned opening stones.

    `memory_mb` is the size of the engine's transposition table in megabytes, `threads` the number of its threads. If
    `line_network` is false, the engine does not use the shipped line network.
    """

    def __init__(self, game: Gomoku, memory_mb: int = 64, threads: int = 1, line_network: bool = True) -> None:
        self.game = game
        self.engine = GomokuEngine(game, memory_mb, threads, line_network=None if line_network else {})
        self.planned_stones: tuple[int, ...] = ()
        # the expected delay of the stop flag on this machine, in seconds
        self.expected_delay = max(measure_timer_delay() for _ in range(_TIMER_TRIALS))

    def choose(
        self,
        position: GomokuPosition,
        stop_at: float,
        *,
        extension: float = 0.0,
        is_enough: Callable[[int, float, float], bool] | None = None,
        nodes: int = 0,
        depth: int = 0,
        search_parameters: Mapping[str, int] = MappingProxyType({}),
    ) -> tuple[Move, dict[str, Any]]:
        """Return the move, and the arguments for AgentClock.tell. The call ends before the time `stop_at`.

        The search of an ordinary move may go on for `extension` seconds after `stop_at`, unless AgentClock.is_enough
        ends it after a depth. `search_parameters` holds parameters of the search that differ from
        DEFAULT_SEARCH_PARAMETERS, by their names in search.py in lower case. The time margin before the end adapts: it
        grows at once after a late answer, and then shrinks slowly.
        """
        seconds_left = stop_at - time.monotonic()
        margin = min(self.expected_delay, seconds_left / 2)
        for name, value in search_parameters.items():
            self.engine.search_parameters[getattr(search, name.upper())] = value
        report: dict[str, Any] = {}
        move = self._opening_rule_move(position, stop_at - margin)
        if move is None:
            stop_at += extension

            def is_last_depth(result: EngineAnalysis) -> bool:
                return is_enough is not None and is_enough(result.lines[0].point_numbers[0], result.value, CLEAR_LEAD)

            result = self.engine.analyse(
                position, stop_at=stop_at - margin, nodes=nodes, depth=depth, is_enough=is_last_depth
            )
            move, report = self.game.board.points[result.lines[0].point_numbers[0]], self._report_arguments(result)
        self.expected_delay = max(self.expected_delay * _DELAY_DECAY, time.monotonic() - stop_at + margin)
        return move, report

    def _opening_rule_move(self, position: GomokuPosition, stop_at: float) -> Move | None:
        """Return a stone or a choice (swap, stay, place) of the opening, or None if an ordinary move is due."""
        engine = self.engine
        if position.phase in (Phase.CHOOSE, Phase.CHOOSE_LAST):
            return self._choose_side(engine, position, stop_at)
        if position.phase in (Phase.PLACE_THREE, Phase.PLACE_TWO):
            return self.game.board.points[self._choose_opening_stone(engine, position, stop_at)]
        if self.game.opening == "takeover" and position.stones == 0:
            single_stones = [(i,) for i in range(len(position.cells))]
            return self.game.board.points[self._most_even_stones(engine, position, single_stones, stop_at)[0]]
        if position.can_take_over and self._wants_to_take_over(engine, position, stop_at):
            assert position.last is not None
            return self.game.board.points[position.last]
        return None

    def _report_arguments(self, analysis: EngineAnalysis) -> dict[str, Any]:
        names, value = self.game.board.names, analysis.value
        plies = plies_to_end(value)
        score = value / _UNITS_PER_SCORE_POINT if plies is None else (_WIN_SCORE if value > 0 else -_WIN_SCORE)
        thoughts = list[str]()
        if analysis.nodes:  # a win in one move, for example, needs no search
            thoughts.append(f"depth {analysis.depth}-{analysis.selective_depth}, {analysis.nodes} nodes")
        if plies is not None:
            thoughts.append(f"{'wins' if value > 0 else 'loses'} in {plies} {'ply' if plies == 1 else 'plies'}")
        line = [names[i] for i in analysis.lines[0].point_numbers[:12]]
        return {"score": score, "line": line, "thoughts": ", ".join(thoughts)}

    def _choose_side(self, engine: GomokuEngine, position: GomokuPosition, stop_at: float) -> Choice:
        """Choose the colour with the better position; in swap2, choose two more stones if the position is even."""
        value = engine.analyse(position, stop_at=stop_at).value
        chooser = 2 if position.phase is Phase.CHOOSE else 1
        own_colour = BLACK if position.black == chooser else WHITE
        if self.game.opening == "swap2" and position.phase is Phase.CHOOSE and abs(value) < _MAX_EVEN_VALUE:
            return Choice.PLACE
        return Choice.STAY if (value > 0) == (own_colour == position.colour) else Choice.SWAP

    def _wants_to_take_over(self, engine: GomokuEngine, position: GomokuPosition, stop_at: float) -> bool:
        """Return whether the player to move has the worse position, so that taking over the first stone is better."""
        return engine.analyse(position, stop_at=stop_at - max(0.0, (stop_at - time.monotonic()) / 2)).value < 0

    def _choose_opening_stone(self, engine: GomokuEngine, position: GomokuPosition, stop_at: float) -> int:
        """Return the next stone of an opening that the engine considers even."""
        if not self.planned_stones or any(position.cells[i] for i in self.planned_stones):
            wanted_stones = (3 if position.phase is Phase.PLACE_THREE else 5) - position.stones
            openings = self._candidate_openings(position, wanted_stones)
            self.planned_stones = self._most_even_stones(engine, position, openings, stop_at)
        first, *later_stones = self.planned_stones
        self.planned_stones = tuple(later_stones)
        return first

    def _candidate_openings(self, position: GomokuPosition, count: int) -> Iterable[tuple[int, ...]]:
        """Yield random sets of stones for an opening. The opponent may choose either side, so only balance counts."""
        size, rng = self.game.size, random.Random()
        low, high = max(0, size // 2 - 5), min(size, size // 2 + 6)
        central_points = [row * size + column for row, column in product(range(low, high), repeat=2)]
        edge_points = [
            i for i in range(size * size) if min(i % size, i // size) < 3 or max(i % size, i // size) > size - 4
        ]
        for _ in range(1000):
            stones = tuple(rng.sample(edge_points if rng.random() < 0.3 else central_points, count))
            if not any(position.cells[i] for i in stones):
                yield stones

    def _most_even_stones(
        self, engine: GomokuEngine, position: GomokuPosition, candidates: Iterable[tuple[int, ...]], stop_at: float
    ) -> tuple[int, ...]:
        """Return the stones with the most even value, among as many candidates as there is time for."""
        best_stones: tuple[int, ...] = ()
        least_imbalance = WIN_VALUE + 1
        for stones in candidates:
            if best_stones and (time.monotonic() > stop_at - 0.05 or least_imbalance < 3):
                break
            next_position = position
            for i in stones:
                next_position = next_position.play(self.game.board.points[i])
            value = abs(engine.analyse(next_position, stop_at=stop_at, nodes=_OPENING_NODES).value)
            if value < min(least_imbalance, CERTAIN_THRESHOLD):
                best_stones, least_imbalance = stones, value
            elif not best_stones:
                best_stones = stones
        return best_stones
