"""Lets programs be players that read and write one JSON object per line. This protocol is for new bots that prefer
pipes.

Each question contains the whole state of the game, so a bot need not remember anything. docs/reference/pipes.md
describes the protocol in full. The module gives no verdict.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Turn
from gomogo_core.protocols.descriptor import AgentProtocol
from gomogo_core.protocols.engine_client import START_LIMIT, Engine, EngineAnswer, EngineOutput
from gomogo_core.wire.analysis import parse_analysis, parse_json_object, without_surrogates
from gomogo_core.wire.lines import result_line
from gomogo_core.wire.position_json import PositionFormatter, game_json


class JsonEngine(Engine):
    """A bot that reads and writes JSON objects."""

    _keeps_running = False  # whether the bot has announced that one process plays game after game

    def begin_game(self, setup: GameSetup, *, is_next_game: bool, moves_to_undo: Sequence[Ply] | None = None) -> bool:
        """Send the bot the name of the game, the game's options and the bot's own settings."""
        if is_next_game and not self._keeps_running:
            return False
        self._keeps_running = False
        controls = {name: asdict(control) for name, control in zip(setup.names, setup.controls, strict=True)}
        game_values = game_json(setup.game, setup.names, controls, len(setup.opening), setup.seed)
        self.send_limits(setup)
        settings = {**self.settings.limits, "settings": dict(self.settings.options)}
        self._send_message({"type": "game", **game_values, **self._game_fields, **settings})
        return True

    def send_limits(self, setup: GameSetup, deadline: float = 0.0) -> None:
        """Store the setup of the game, because each question contains it."""
        names = setup.names
        self._team_names, self._position_formatter = names, PositionFormatter(names)
        self._game_fields: dict[str, Any] = {
            "game": setup.game.name,
            "options": setup.game.options,
            "teams": list(names),
        }
        self._game_fields |= {"you": names[self.seat - 1], "seat": self.seat}

    def _send_message(self, message: dict[str, Any]) -> None:
        self.send(json.dumps(message) + "\n")

    def wait_until_ready(self, deadline: float) -> Failure | None:
        """Wait for the bot's `ready`."""
        while (line := self.next_line(deadline)) is not None:
            message = parse_json_object(line)
            # the number 1 is also accepted, because languages without booleans write it
            if message is not None and message.get("ready") == 1:
                self._keeps_running = message.get("keep") == 1
                return None
            if message is None:
                return Failure(Reason.NOT_A_MOVE, f"wrote {line[:80]!r}, which is not a JSON object")
        return Failure(Reason.OUT_OF_TIME, f'did not write {{"ready": true}} within {START_LIMIT:g} s of its start')

    def ask(self, turn: Turn) -> Failure | None:
        """Send the complete state of the game, and ask for a move."""
        allowed_seconds = None if math.isinf(turn.allowed_seconds) else turn.allowed_seconds
        position_json = self._position_formatter.format_position(
            turn.position, turn.previous_position, len(turn.plies), allowed_seconds, turn.clocks
        )
        position = json.loads(position_json)
        move_number = position.pop("moves")
        moves = [[self._team_names[ply.seat - 1], ply.move] for ply in turn.plies]
        refusal = {"refused": turn.refusal} if turn.refusal else {}
        self._send_message(
            {"type": "turn", **self._game_fields, "move_number": move_number, "moves": moves, **position, **refusal}
        )
        return None

    def parse_answer(self, line: str, turn: Turn, engine_output: EngineOutput) -> EngineAnswer | Failure | None:
        """Parse an object. An object with a move is the answer. The thoughts and scores of other objects are added to
        `engine_output`.
        """
        message = parse_json_object(line)
        engine_output.last_line = line
        if message is None:
            return Failure(Reason.NOT_A_MOVE, f"wrote {line[:80]!r}, which is not a JSON object")
        analysis = parse_analysis(message)
        if analysis.score is not None:
            engine_output.score = analysis.score
        if analysis.thoughts:
            engine_output.add_comment(analysis.thoughts)
        if analysis.values:
            engine_output.move_values = dict(analysis.values)
        if analysis.line is not None:
            engine_output.line = analysis.line
        if "move" not in message:
            return None
        move = message["move"]
        return EngineAnswer(without_surrogates(move) if isinstance(move, str) else _value_text(move))

    def looks_like_answer(self, line: str) -> bool:
        """Return whether the line contains a move."""
        return "move" in (parse_json_object(line) or {})

    def finish(self, outcome: Outcome) -> None:
        """Send the outcome."""
        super().finish(outcome)
        if self.conversation is None or self.conversation.is_closed:
            return
        winner = outcome.winner
        outcome_values = {"winner": None if winner is None else self._team_names[winner - 1], "ranks": outcome.ranks}
        result = result_line(outcome, self._team_names).strip()
        self._send_message({"type": "end", **outcome_values, "reason": outcome.reason.value, "result": result})


def _value_text(value: Any) -> str:
    """Return a value as JSON, or the name of its type if it is nested too deeply."""
    try:
        return json.dumps(value)
    except RecursionError:
        return f"a {type(value).__name__} of many levels"


PROTOCOL = AgentProtocol("json", "one JSON object a line, through pipes", JsonEngine)
