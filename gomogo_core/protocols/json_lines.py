"""Programs that read and write one JSON object a line: the protocol for new bots that prefer pipes.

Each question tells all: a bot need remember nothing. docs/reference/pipes.md has it in full. Makes no verdict.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from gomogo_core.games.base import Game, Outcome, Reason
from gomogo_core.play.events import Ply, Table
from gomogo_core.play.player import Failure, Turn
from gomogo_core.protocols._engine import START_LIMIT, Answer, Engine, Spoken
from gomogo_core.protocols.settings import Settings
from gomogo_core.wire.facts import Facts, game_json
from gomogo_core.wire.lines import result_line

_MOST = 2000  # characters of thoughts that are kept
_MOST_VALUES, _LONGEST_MOVE = 400, 12  # moves of which values are kept, and characters of one


class JsonEngine(Engine):
    """A bot that speaks in JSON objects."""

    _keeps = False  # whether it has said that it plays game after game

    @classmethod
    def why_not(cls, game: Game, settings: Settings) -> str | None:
        """Every game can be told."""
        return None

    def greet(self, table: Table, *, again: bool, back: Sequence[Ply] | None = None) -> bool:
        """Tell the game and its terms."""
        assert self.talk is not None
        if again and not self._keeps:
            return False
        self._keeps = False
        controls = {name: asdict(control) for name, control in zip(table.names, table.controls, strict=True)}
        about = game_json(table.game, table.names, controls, len(table.opening), table.seed)
        self.tell_terms(table)
        asked = {**self.settings.limits, "settings": dict(self.settings.options)}
        self._tell({"type": "game", **about, **self._about, **asked})
        return True

    def tell_terms(self, table: Table, until: float = 0.0) -> None:
        """Take notice: each question tells the seconds, and who sits where."""
        names = table.names
        self._names, self._facts = names, Facts(names)
        self._about: dict[str, Any] = {"game": table.game.name, "options": table.game.options, "teams": list(names)}
        self._about |= {"you": names[self.seat - 1], "seat": self.seat}

    def _tell(self, message: dict[str, Any]) -> None:
        assert self.talk is not None
        self.talk.say(json.dumps(message) + "\n")

    def settle(self, until: float) -> Failure | None:
        """Wait until it says that it is ready."""
        assert self.talk is not None
        while (line := self.talk.line(until)) is not None:
            told = _object(line)
            if told is not None and told.get("ready") == 1:  # true, and what languages without a word for it write
                self._keeps = told.get("keep") == 1
                return None
            if told is None:
                return Failure(Reason.NOT_A_MOVE, f"wrote {line[:80]!r}, which is no JSON object")
        return Failure(Reason.OUT_OF_TIME, f'did not say {{"ready": true}} within {START_LIMIT:g} s of its start')

    def ask(self, turn: Turn) -> Failure | None:
        """Tell all that there is to know, and whose turn it is."""
        allowed = None if math.isinf(turn.allowed) else turn.allowed
        facts = self._facts.text(turn.position, turn.before, len(turn.plies), allowed, turn.clocks)
        told = json.loads(facts)
        count = told.pop("moves")
        moves = [[self._names[ply.seat - 1], ply.move] for ply in turn.plies]
        refused = {"refused": turn.refused} if turn.refused else {}
        self._tell({"type": "turn", **self._about, "move_number": count, "moves": moves, **told, **refused})
        return None

    def heard(self, line: str, turn: Turn, spoken: Spoken) -> Answer | Failure | None:
        """An object with a move is the answer; others may tell thoughts and scores."""
        told = _object(line)
        spoken.last = line
        if told is None:
            return Failure(Reason.NOT_A_MOVE, f"wrote {line[:80]!r}, which is no JSON object")
        thoughts, score, expected = told.get("thoughts"), told.get("score"), told.get("line")
        if (number := _number(score)) is not None:
            spoken.score = number
        if isinstance(thoughts, str) and thoughts:
            spoken.lines.append(_whole(thoughts[:_MOST]))
        if values := _values(told.get("values")):
            spoken.values = values
        if isinstance(expected, list) and all(isinstance(move, str) for move in expected):
            spoken.line = _whole(" ".join(expected)[:_MOST])
        if "move" not in told:
            return None
        move = told["move"]
        return Answer(_whole(move) if isinstance(move, str) else _written(move))

    def looks_early(self, line: str) -> bool:
        """A move."""
        return "move" in (_object(line) or {})

    def finish(self, outcome: Outcome) -> None:
        """Tell how it ended."""
        super().finish(outcome)
        if self.talk is None or self.talk.closed:
            return
        winner = outcome.winner
        told = {"winner": None if winner is None else self._names[winner - 1], "ranks": outcome.ranks}
        result = result_line(outcome, self._names).strip()
        self._tell({"type": "end", **told, "reason": outcome.reason.value, "result": result})


def _values(told: Any) -> dict[str, float]:
    """What is told of moves, as far as it is numbers: of as many as a large board has, to six digits."""
    items = islice(told.items(), _MOST_VALUES) if isinstance(told, dict) else ()
    numbers = {_whole(move[:_LONGEST_MOVE]): _number(value) for move, value in items}
    return {move: float(f"{value:.6g}") for move, value in numbers.items() if value is not None}


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:  # JSON's whole numbers have no end
        return None
    return number if math.isfinite(number) else None


def _written(value: Any) -> str:
    """A value that is no text, as text; of one that is nested too deep for that, what it is."""
    try:
        return json.dumps(value)
    except RecursionError:
        return f"a {type(value).__name__} of many levels"


def _object(line: str) -> dict[str, Any] | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _whole(text: str) -> str:
    """The text without halves of characters, which JSON can name and no file can hold."""
    return text.encode("utf-8", "replace").decode()
