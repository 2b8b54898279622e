"""Asks any agent, or an engine of another project, for its best moves in a position, while it thinks.

Engines that know GTP's `lz-analyze` report many moves all the time. Any other agent is asked for its move with more and
more time; its output in the meantime is reported too. The results are those of `gomogo_core.analysis.live.as_json`.
Uses arenas and players, but no user interface.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from gomogo_core.analysis.live import stones_of
from gomogo_core.arena import Arena
from gomogo_core.cancellation import Cancelled, cancellable
from gomogo_core.catalogue import Agent
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.judge import judge
from gomogo_core.play.player import Failure, Reply, SoloPlayer, Thoughts, Turn
from gomogo_core.processes.limits import DEFAULT, Level
from gomogo_core.protocols.gtp import AnalysedMove, GtpEngine
from gomogo_core.protocols.reported_scores import WON
from gomogo_core.search import SearchLimits, plies_to_end
from gomogo_core.wire.lines import make_names_distinct

_FIRST = 0.5  # seconds of the first answer; each later one has twice the time
_SHORT = 0.6  # an agent that needs less than this share of its time would not use more time
_VARIATION_MOVES = 12  # moves of a variation

Result = dict[str, Any]


@dataclass(eq=False)
class _Question:
    """A position, and the results so far; None ends them."""

    agent: Agent
    game: Game
    moves: Sequence[str]
    lines: int
    limits: SearchLimits
    results: SimpleQueue[Result | UserError | None] = field(default_factory=SimpleQueue)
    stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        self.stopped.set()
        self.results.put(None)


class Consultant:
    """Asks agents one position at a time. A context manager that ends their processes.

    An engine stays loaded for the next position, unless it was stopped in the middle of an answer.
    """

    def __init__(self, sandbox: Level = DEFAULT) -> None:
        self._sandbox = sandbox
        self._questions = SimpleQueue[_Question | None]()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Consultant:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._questions.put(None)
            self._thread.join()

    def stream_analyses(
        self, agent: Agent, game: Game, moves: Sequence[str], limits: SearchLimits, lines: int = 3
    ) -> Iterator[Result]:
        """Yield the best moves after `moves` again and again, until the limits, or `limits.stop()`, or the agent's end.

        Raises UserError if the agent cannot play this game, or fails.
        """
        question = _Question(agent, game, moves, lines, limits)
        limits.interrupt = question.stop
        if self._thread is None:
            self._thread = threading.Thread(target=self._answer_questions, daemon=True)
            self._thread.start()
        self._questions.put(question)
        try:
            while (result := question.results.get()) is not None:
                if isinstance(result, UserError):
                    raise result
                yield result
        finally:
            question.stopped.set()

    def _answer_questions(self) -> None:
        with Arena(sandbox=self._sandbox) as arena:
            while (question := self._questions.get()) is not None:
                try:
                    with cancellable(question.stopped):
                        _Consultation(arena, question).run()
                except Cancelled:
                    pass
                except UserError as wrong:
                    question.results.put(wrong)
                finally:
                    arena.release_agent()
                    question.results.put(None)


class _Consultation:
    """One question to an agent."""

    def __init__(self, arena: Arena, question: _Question) -> None:
        self._arena, self._question = arena, question
        positions = [question.game.start()]
        plies = list[Ply]()
        for move in question.moves:
            seat = positions[-1].to_move
            plies.append(Ply(seat, move))
            positions.append(question.game.apply_action(positions[-1], seat, move))
        self._plies, self.position = tuple(plies), positions[-1]
        self._before = positions[-2] if plies else None
        mover = self.position.to_move
        seats = range(1, question.game.seats + 1)
        self._has_reported = False
        self._names = make_names_distinct([question.agent.name if seat == mover else "opponent" for seat in seats])

    def run(self) -> None:
        """Ask with more and more time, until an answer needs much less than it may."""
        limits, seconds = self._question.limits, _FIRST
        began = limits.now()
        player = self._arena.take_seat(self._question.agent, self._table(seconds), self.position.to_move)
        failure = player.ready()
        limits.stop_at += limits.now() - began  # an engine may take long to load: that is not its time to search
        while failure is None and (left := limits.stop_at - limits.now()) > 0:
            if isinstance(player, GtpEngine) and player.analyses:
                failure = player.analyse(self._turn(left), self._report_moves, lambda: limits.stopped)
                break
            asked = min(seconds, left)
            taken = self._ask(player, left)
            left = limits.stop_at - limits.now()
            if taken < _SHORT * asked or left < taken:
                break
            seconds = min(2 * max(asked, taken), left)
            failure = player.change_terms(self._table(seconds), self.position.to_move)
        if failure is not None:
            raise self._mistake(failure)
        if not self._has_reported and not self._question.stopped.is_set():
            raise UserError(f"{player.name} named no move in its time.", "Give it more time.")

    def _table(self, seconds: float) -> GameSetup:
        controls = (TimeControl(per_move=seconds),) * self._question.game.seats
        return GameSetup(self._question.game, self._names, controls, self._plies, None)

    def _turn(self, seconds: float) -> Turn:
        clocks = (None,) * self._question.game.seats
        return Turn(self.position, self._before, self._plies, seconds, 0.0, clocks, on_output=self._report_thoughts)

    def _ask(self, player: SoloPlayer, left: float) -> float:
        """Report the agent's move. Returns the seconds that it took."""
        turn = self._turn(left)
        got = player.choose(turn)
        if isinstance(got, Failure) and self._question.limits.stopped:
            return 0.0  # the user's limit has passed, not the agent's
        verdict = got if isinstance(got, Failure) else judge(self.position, got, turn.clock)
        if isinstance(verdict, Failure):
            raise self._mistake(verdict)
        assert isinstance(got, Reply)
        expected = self._moves(got.line or "")
        self._put([self._line(expected if expected[:1] == [verdict.move] else [verdict.move], got.score)])
        return got.seconds

    def _mistake(self, failure: Failure) -> UserError:
        agent = self._question.agent
        if failure.reason is Reason.RESIGNED:
            return UserError(f"{agent.name} resigns in this position.", "Ask another agent, or about another position.")
        return UserError(
            f"{agent.name} gave no analysis: {failure.evidence}.", f"Check it: gomogo agent check '{agent.spec}'."
        )

    def _report_thoughts(self, thoughts: Thoughts) -> None:
        """Report an agent's output before its move, if it names moves."""
        if moves := self._moves(thoughts.line or ""):
            self._put([self._line(moves, thoughts.score)])

    def _report_moves(self, analysed: Sequence[AnalysedMove]) -> None:
        lines = list[Result]()
        for one in analysed[: self._question.lines]:
            if moves := self._moves(one.line):
                lines.append(self._line(moves, None, one.advantage))
        if lines:
            self._put(lines, sum(one.visits for one in analysed))

    def _moves(self, text: str) -> list[str]:
        """Return the moves at the beginning of a line that the rules allow, as the game writes them."""
        game, position, found = self._question.game, self.position, list[str]()
        for word in text.split()[:_VARIATION_MOVES]:
            try:
                move = game.parse(word)
                position = position.play(move)
            except (NotAMove, IllegalMove):
                break
            found.append(game.format(move))
        return found

    def _line(self, moves: Sequence[str], score: float | None, advantage: float | None = None) -> Result:
        """Return a line. score: in the agent's own unit. It cannot be compared, unless it is a certain win or loss."""
        words = ""
        if score is not None:
            plies = plies_to_end(score) or (round(WON - abs(score)) if WON / 2 < abs(score) < WON else None)
            words = f"score {score:g}" if plies is None else f"{'wins' if score > 0 else 'loses'} in {plies}"
            advantage = advantage if plies is None else math.copysign(1.0, score)
        elif advantage is not None:
            words = f"wins {50 + 50 * advantage:.0f} % of games"
        game = self._question.game
        stones = stones_of(self.position, [game.parse(move) for move in moves])
        return {
            "move": moves[0],
            "value": None if score is None else round(score, 3),
            "score": None if advantage is None else round(advantage, 3),
            "words": words,
            "line": list(moves),
            "stones": stones,
        }

    def _put(self, lines: list[Result], nodes: int | None = None) -> None:
        scores = {line["move"]: line["score"] for line in lines if line["score"] is not None}
        seconds = round(self._question.limits.seconds, 3)
        found = {"lines": lines, "lead": None, "depth": None, "nodes": nodes, "seconds": seconds, "scores": scores}
        self._question.results.put(found)
        self._has_reported = True
