"""Analyses a position by any agent, or by an engine of another project, and reports its best moves while it thinks.

An engine with GTP's `lz-analyze` reports many moves repeatedly. Any other agent is asked for its move again and
again, each time with more time; the moves that it reports before its answer are passed on too. The results have the
form of `gomogo_core.analysis.live_analysis.as_json`. The module uses arenas and players, but no user interface.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from gomogo_core.analysis.live_analysis import certain_result_words, line_markings
from gomogo_core.arena import Arena
from gomogo_core.cancellation import GameCancelled, cancellable
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.judge import judge
from gomogo_core.play.player import Failure, Reply, ReportedAnalysis, SoloPlayer, Turn
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.protocols.gtp import AnalysedMove, GtpEngine
from gomogo_core.protocols.reported_scores import WIN_SCORE
from gomogo_core.search import SearchLimits, plies_to_end
from gomogo_core.wire.lines import distinct_team_names

_FIRST_ANSWER_SECONDS = 0.5  # seconds for the first answer; each later answer gets twice the time
_MIN_USED_TIME_SHARE = 0.6  # an agent that uses less than this share of its time would not use more time
_MAX_VARIATION_MOVES = 12  # the most moves of a variation

AnalysisResult = dict[str, Any]


@dataclass(eq=False)
class _AnalysisRequest:
    """A position to analyse.

    lines: the greatest number of moves to report. results: a queue of results, which ends with None or an error.
    stop_event: whether the user has stopped the analysis.
    """

    agent: Agent
    game: Game
    moves: Sequence[str]
    lines: int
    limits: SearchLimits
    results: SimpleQueue[AnalysisResult | UserError | None] = field(default_factory=SimpleQueue)
    stop_event: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        self.stop_event.set()
        self.results.put(None)


class AgentAnalyser:
    """Analyses one position at a time by an agent. As a context manager, it ends the agents' processes.

    An engine stays loaded for the next position, unless it was stopped in the middle of an answer.
    """

    def __init__(self, sandbox: SandboxLevel = DEFAULT_SANDBOX) -> None:
        self._sandbox = sandbox
        self._requests = SimpleQueue[_AnalysisRequest | None]()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> AgentAnalyser:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._requests.put(None)
            self._thread.join()

    def stream_analyses(
        self, agent: Agent, game: Game, moves: Sequence[str], limits: SearchLimits, lines: int = 3
    ) -> Iterator[AnalysisResult]:
        """Repeatedly yield the best moves in the position after `moves`, until a limit is reached or the agent has
        finished.

        `limits.stop()` ends the analysis. lines: the number of moves. Raises UserError if the agent cannot play
        this game, or if it fails.
        """
        request = _AnalysisRequest(agent, game, moves, lines, limits)
        limits.interrupt = request.stop
        if self._thread is None:
            self._thread = threading.Thread(target=self._answer_requests, daemon=True)
            self._thread.start()
        self._requests.put(request)
        try:
            while (result := request.results.get()) is not None:
                if isinstance(result, UserError):
                    raise result
                yield result
        finally:
            request.stop_event.set()

    def _answer_requests(self) -> None:
        with Arena(sandbox=self._sandbox) as arena:
            while (request := self._requests.get()) is not None:
                try:
                    with cancellable(request.stop_event):
                        _RequestRunner(arena, request).run()
                except GameCancelled:
                    pass
                except UserError as error:
                    request.results.put(error)
                finally:
                    arena.release_agent()
                    request.results.put(None)


class _RequestRunner:
    """Executes one request in an arena."""

    def __init__(self, arena: Arena, request: _AnalysisRequest) -> None:
        self._arena, self._request = arena, request
        positions = [request.game.start()]
        plies = list[Ply]()
        for move in request.moves:
            seat = positions[-1].to_move
            plies.append(Ply(seat, move))
            positions.append(request.game.apply_action(positions[-1], seat, move))
        self._plies, self.position = tuple(plies), positions[-1]
        self._previous_position = positions[-2] if plies else None
        seat_to_move = self.position.to_move
        seats = range(1, request.game.seats + 1)
        self._has_reported = False
        names = [request.agent.name if seat == seat_to_move else "opponent" for seat in seats]
        self._names = distinct_team_names(names)

    def run(self) -> None:
        """Ask the agent with more and more time, until an answer takes much less time than it may."""
        limits, seconds = self._request.limits, _FIRST_ANSWER_SECONDS
        load_started_at = limits.now()
        player = self._arena.seat_agent(self._request.agent, self._game_setup(seconds), self.position.to_move)
        failure = player.await_ready()
        limits.stop_at += limits.now() - load_started_at  # loading is not part of the engine's search
        while failure is None and (seconds_left := limits.stop_at - limits.now()) > 0:
            if isinstance(player, GtpEngine) and player.can_analyse:
                failure = player.analyse(self._turn(seconds_left), self._report_moves, lambda: limits.is_stopped)
                break
            allowed_seconds = min(seconds, seconds_left)
            seconds_taken = self._ask_and_report(player, seconds_left)
            seconds_left = limits.stop_at - limits.now()
            if seconds_taken < _MIN_USED_TIME_SHARE * allowed_seconds or seconds_left < seconds_taken:
                break
            seconds = min(2 * max(allowed_seconds, seconds_taken), seconds_left)
            failure = player.set_limits_and_seat(self._game_setup(seconds), self.position.to_move)
        if failure is not None:
            raise self._user_error(failure)
        if not self._has_reported and not self._request.stop_event.is_set():
            raise UserError(f"{player.name} reported no move in time.", "Give it more time.")

    def _game_setup(self, seconds: float) -> GameSetup:
        controls = (TimeControl(per_move=seconds),) * self._request.game.seats
        return GameSetup(self._request.game, self._names, controls, self._plies, None)

    def _turn(self, seconds: float) -> Turn:
        clocks = (None,) * self._request.game.seats
        return Turn(
            self.position, self._previous_position, self._plies, seconds, 0.0, clocks, on_output=self._report_analysis
        )

    def _ask_and_report(self, player: SoloPlayer, seconds_left: float) -> float:
        """Ask the agent for its move, and report the move. Return the seconds that the agent took."""
        turn = self._turn(seconds_left)
        answer = player.await_move(turn)
        if isinstance(answer, Failure) and self._request.limits.is_stopped:
            return 0.0  # the agent had more time, but the user's limit has passed
        verdict = answer if isinstance(answer, Failure) else judge(self.position, answer, turn.clock)
        if isinstance(verdict, Failure):
            raise self._user_error(verdict)
        assert isinstance(answer, Reply)
        moves = self._legal_first_moves(answer.line or "")
        if moves[:1] != [verdict.move]:
            moves = [verdict.move]
        self._put_result([self._result_line(moves, answer.score)])
        return answer.seconds_taken

    def _user_error(self, failure: Failure) -> UserError:
        agent = self._request.agent
        if failure.reason is Reason.RESIGNED:
            return UserError(f"{agent.name} resigns in this position.", "Ask another agent, or about another position.")
        remedy = f"Check it: gomogo agent check '{agent.spec}'."
        return UserError(f"{agent.name} gave no analysis: {failure.evidence}.", remedy)

    def _report_analysis(self, analysis: ReportedAnalysis) -> None:
        """Report the line that the agent expects, if the agent has reported a line before its move."""
        if moves := self._legal_first_moves(analysis.line or ""):
            self._put_result([self._result_line(moves, analysis.score)])

    def _report_moves(self, analysed_moves: Sequence[AnalysedMove]) -> None:
        lines = list[AnalysisResult]()
        for analysed_move in analysed_moves[: self._request.lines]:
            if moves := self._legal_first_moves(analysed_move.line):
                lines.append(self._result_line(moves, None, analysed_move.advantage))
        if lines:
            self._put_result(lines, sum(analysed_move.visits for analysed_move in analysed_moves))

    def _legal_first_moves(self, text: str) -> list[str]:
        """Read the moves of `text` up to the first illegal one. Return them in the game's notation."""
        game, position, moves = self._request.game, self.position, list[str]()
        for word in text.split()[:_MAX_VARIATION_MOVES]:
            try:
                move = game.parse(word)
                position = position.play(move)
            except (NotAMove, IllegalMove):
                break
            moves.append(game.format(move))
        return moves

    def _result_line(self, moves: Sequence[str], score: float | None, advantage: float | None = None) -> AnalysisResult:
        """Return a line of the result. score: the score in the agent's own unit. advantage: the advantage from -1 to 1.
        Both are None if not reported.

        Scores of different agents cannot be compared, except those of a certain win or loss.
        """
        description = ""
        if score is not None:
            plies = plies_to_end(score)
            if not plies and WIN_SCORE / 2 < abs(score) < WIN_SCORE:
                plies = round(WIN_SCORE - abs(score))
            description = f"score {score:g}" if plies is None else certain_result_words(plies, is_win=score > 0)
            advantage = advantage if plies is None else math.copysign(1.0, score)
        elif advantage is not None:
            description = f"wins {50 + 50 * advantage:.0f} % of games"
        game = self._request.game
        stones = line_markings(self.position, [game.parse(move) for move in moves])
        return {
            "move": moves[0],
            "value": None if score is None else round(score, 3),
            "score": None if advantage is None else round(advantage, 3),
            "words": description,
            "points": None,
            "lead": None,
            "uncertain": False,
            "playouts": None,
            "reason": "",
            "line": list(moves),
            "stones": stones,
        }

    def _put_result(self, lines: list[AnalysisResult], nodes: int | None = None) -> None:
        scores = {line["move"]: line["score"] for line in lines if line["score"] is not None}
        seconds = round(self._request.limits.seconds, 3)
        result: AnalysisResult = {"lines": lines, "lead": None, "depth": None, "nodes": nodes, "seconds": seconds}
        result |= {"scores": scores, "expected_end": None}
        self._request.results.put(result)
        self._has_reported = True
