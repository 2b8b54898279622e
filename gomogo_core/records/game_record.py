"""The record of one played game, and the listener that makes it while the game runs.

The methods `as_json` and `from_json` convert a record to plain values and back. The module does not depend on databases
or files.
"""

from __future__ import annotations

import json
import math
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from gomogo_core import __version__
from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Game, Move, NotAMove, Outcome, Position, Reason, ReasonKind, Seat
from gomogo_core.games.boards import Place
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ended, Event, GameSetup, Moved, PlayerLeft, Ply, Started, Warned, positions_after
from gomogo_core.processes.limits import SandboxLevel

SCHEMA = 1  # the schema of the JSON form; increase it when readers of the older form would misread the new form
# the most seconds of a move in a record, thirty thousand years, so that no sum of times overflows
MAX_SECONDS = 1e12

_T = TypeVar("_T")


class DepartedPlayer(NamedTuple):
    """One of three or more players who lost or resigned while the others played on.

    detail: a sentence with the evidence.
    """

    seat: Seat
    reason: Reason
    detail: str


class Machine(NamedTuple):
    """The machine on which a game was played.

    host: the machine's name. worker: the name of the worker; empty if there was only one worker. cores: the numbers of
    the cores that the game's programs could use. load: the share of these cores' time that other programs used, from 0
    to 1. waited: the seconds in which the referee was ready to run, but had no core. load and waited are None if the
    system does not count them.
    """

    host: str
    worker: str = ""
    cores: tuple[int, ...] = ()
    load: float | None = None
    waited: float | None = None


BY_HAND_SPEC = "files:{}:by hand"  # the spec of a team whose program somebody else starts


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """All facts of a finished game.

    key: a unique name of this game. specs: the specs of the agents ("alpha_beta?depth=3"), and names: the displayed
    names, both by seat. plies: all moves; the first `opening_length` of them are the opening. seconds, clocks,
    thoughts: one value for each move after the opening. scores, lines, values: one value for each of these moves, as in
    `Moved`; empty if no player reported any. warnings: for each warning, the number of moves before it, the seat, and a
    sentence. departed: the players that left while others played on, in the order in which they left; each has a ply
    `resign`. outputs: the end of each program's output, by seat. started: the Unix time of the start. duration: the
    seconds that the game took.

    machine: the machine of the game, if known. cpu: the seconds of CPU time that each program used from the first
    request to the end, by seat. waited: the seconds in which each program was ready to run, but had no core. Both are
    empty if nothing was counted. cpu_out_of_turn: the CPU time that each program used out of turn, or empty. doubtful:
    the reason why a loss on time may be the machine's fault, or empty. sandbox: the sandbox level; None in records that
    are older than the sandbox levels. hashes: the hashes of the agents' files in a tournament, by seat.
    """

    game: str
    options: dict[str, Any]
    specs: tuple[str, ...]
    names: tuple[str, ...]
    controls: tuple[TimeControl, ...]
    plies: tuple[Ply, ...]
    opening_length: int
    seconds: tuple[float, ...]
    clocks: tuple[float | None, ...]
    thoughts: tuple[str | None, ...]
    warnings: tuple[tuple[int, Seat, str], ...]
    outcome: Outcome
    started: float
    duration: float
    seed: int | None = None
    departed: tuple[DepartedPlayer, ...] = ()
    outputs: tuple[str, ...] = ()
    scores: tuple[float | None, ...] = ()
    lines: tuple[str | None, ...] = ()
    values: tuple[Mapping[str, float] | None, ...] = ()
    machine: Machine | None = None
    cpu: tuple[float | None, ...] = ()
    waited: tuple[float | None, ...] = ()
    cpu_out_of_turn: tuple[float, ...] = ()
    doubtful: str = ""
    sandbox: SandboxLevel | None = None
    hashes: tuple[str, ...] = ()
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    version: str = __version__

    def rules(self) -> Game:
        """Return the rules of the game."""
        return load(self.game, **self.options)

    def positions(self) -> list[Position]:
        """Return every position, from the start to the end."""
        return positions_after(self.rules(), self.plies)

    def move_values(self, move_count: int, game: Game | None = None) -> dict[Move, float]:
        """Return the values that the player to move after `move_count` moves reported; empty if the player reported
        none.

        game: the rules, if the caller already has them.
        """
        index = move_count - self.opening_length
        values = self.values[index] if 0 <= index < len(self.values) else None
        values_by_move, game = dict[Move, float](), game or self.rules()
        for text, value in values.items() if isinstance(values, Mapping) else ():
            if isinstance(value, int | float) and math.isfinite(value):  # a file may contain any value
                with suppress(NotAMove):
                    values_by_move[game.parse(text)] = float(value)
        return values_by_move

    def expected_moves(self, move_count: int) -> list[Move]:
        """Return the moves that the player to move after `move_count` moves expected, up to an unreadable move."""
        index = move_count - self.opening_length
        line = self.lines[index] if 0 <= index < len(self.lines) else None
        moves, game = list[Move](), self.rules()
        with suppress(NotAMove):
            for text in line.split() if isinstance(line, str) else ():
                moves.append(game.parse(text))
        return moves

    def marked_places(self, positions: Sequence[Position], move_count: int) -> list[Move | Place]:
        """Return the place that each of the first `move_count` moves changed; the move itself if it changed no place.

        positions: the result of `positions()`.
        """
        game, places = positions[0].game, list[Move | Place]()
        for ply, next_position in zip(self.plies[:move_count], positions[1:], strict=False):
            if ply.move != RESIGN:
                move = game.parse(ply.move)
                places.append(next_position.place_marked_by(move) or move)
        return places

    def expected_places(self, position: Position, move_count: int) -> list[Place]:
        """Return the places that the expected moves change, up to the first illegal move.

        position: the position after `move_count` moves.
        """
        places = list[Place]()
        for move in self.expected_moves(move_count):
            if position.why_illegal(move):
                break
            if (place := position.place_to_mark(move)) is not None:
                places.append(place)
            position = position.play(move)
        return places

    @property
    def forfeits(self) -> dict[Seat, Reason]:
        """The seats that lost by a forfeit, and the reasons. In games of three or more players, several may forfeit."""
        reasons = {player.seat: player.reason for player in self.departed}
        if self.outcome.reason.kind is ReasonKind.FORFEIT:
            reasons[self.outcome.ranks.index(2) + 1] = self.outcome.reason
        return {seat: reason for seat, reason in reasons.items() if reason.kind is ReasonKind.FORFEIT}

    def detail_of_loss(self, seat: Seat) -> str:
        """Return the sentence with the evidence for the loss of a seat. Others may have played on after its loss."""
        return next((player.detail for player in self.departed if player.seat == seat), self.outcome.detail)

    @property
    def winner(self) -> str | None:
        """The name of the winner; None if nobody won."""
        seat = self.outcome.winner
        return None if seat is None else self.names[seat - 1]

    def as_json(self) -> dict[str, Any]:
        """Return the record as plain values for JSON, which `from_json` converts back."""
        return {
            "schema": SCHEMA,
            **dict(zip(_JSON_NAMES, _field_values(self), strict=True)),  # asdict would copy every move, in 3 ms
            "controls": [control.as_dict() for control in self.controls],
            "left": [(seat, reason.value, detail) for seat, reason, detail in self.departed],
            "outcome": {**self.outcome._asdict(), "reason": self.outcome.reason.value},
            "machine": self.machine and self.machine._asdict(),
        }

    def as_json_text(self) -> str:
        """Return the result of `as_json` as JSON text, for a store. `json.dumps` would take five times as long."""
        import msgspec  # imported here, because an agent's process imports no library

        if self.scores or self.values:  # scores may be infinite, which msgspec would write as null
            return json.dumps(self.as_json())
        try:
            return msgspec.json.encode(self.as_json()).decode()
        except UnicodeEncodeError:  # an agent's output contains half of a surrogate pair, which `json.dumps` accepts
            return json.dumps(self.as_json())

    @staticmethod
    def from_json(json_values: Mapping[str, Any]) -> PlayedGame:
        """Convert the values of `as_json` to a record.

        Raises ValueError for another schema, and KeyError or TypeError for wrong values.
        """
        if json_values["schema"] != SCHEMA:
            raise ValueError(f"a game record of schema {json_values['schema']}; this program reads {SCHEMA}")
        fields_by_name: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in json_values.items()
        }
        del fields_by_name["schema"]
        outcome = fields_by_name["outcome"]
        scores = tuple(outcome["scores"]) if outcome["scores"] else None
        fields_by_name["outcome"] = Outcome(
            tuple(outcome["ranks"]), Reason(outcome["reason"]), outcome["detail"], scores
        )
        fields_by_name["controls"] = tuple(TimeControl(**control) for control in fields_by_name["controls"])
        fields_by_name["plies"] = tuple(Ply(*ply) for ply in fields_by_name["plies"])
        fields_by_name["opening_length"] = fields_by_name.pop("opening")
        departed = fields_by_name.pop("left", ())
        fields_by_name["departed"] = tuple(
            DepartedPlayer(seat, Reason(reason), detail) for seat, reason, detail in departed
        )
        if (machine := fields_by_name.get("machine")) is not None:
            fields_by_name["machine"] = Machine(**{**machine, "cores": tuple(machine["cores"])})
        fields_by_name["warnings"] = tuple(
            (count, seat, warning) for count, seat, warning in fields_by_name["warnings"]
        )
        return PlayedGame(**fields_by_name)


_FIELD_NAMES = tuple(each.name for each in fields(PlayedGame))
_JSON_NAMES = tuple({"departed": "left", "opening_length": "opening"}.get(name, name) for name in _FIELD_NAMES)
_field_values = attrgetter(*_FIELD_NAMES)


def empty_if_all_none(values: Sequence[_T]) -> tuple[_T, ...]:
    """Return the values as a tuple. If each value is None, as in the record of most games, the tuple is empty."""
    return () if values.count(None) == len(values) else tuple(values)


class Recorder:
    """A listener that makes the record of a game. played_game: the record, once the game has ended."""

    def __init__(self, setup: GameSetup, specs: tuple[str, ...], sandbox: SandboxLevel = "none") -> None:
        self._setup, self._specs, self._sandbox = setup, specs, sandbox
        self._moves: list[Moved] = []  # includes an entry for each departure while others played on
        self._departed: list[DepartedPlayer] = []
        self._warnings: list[tuple[int, Seat, str]] = []
        self._started = time.time()
        self._started_monotonic = time.monotonic()
        self.played_game: PlayedGame | None = None

    def __call__(self, event: Event) -> None:
        """Add one event to the record."""
        if isinstance(event, Started):
            self._started, self._started_monotonic = time.time(), time.monotonic()
        elif isinstance(event, Moved):
            self._moves.append(event)
        elif isinstance(event, PlayerLeft):
            self._moves.append(Moved(event.seat, RESIGN, event.position, 0.0))
            self._departed.append(DepartedPlayer(event.seat, event.reason, event.detail))
        elif isinstance(event, Warned):
            self._warnings.append((len(self._setup.opening) + len(self._moves), event.seat, event.warning))
        elif isinstance(event, Ended):
            self.played_game = self._build_record(event.outcome)

    def _build_record(self, outcome: Outcome) -> PlayedGame:
        setup = self._setup
        columns: Any = tuple(zip(*self._moves, strict=True)) or ((),) * len(Moved._fields)
        seats, moves, _, seconds, clocks, thoughts, scores, lines, values = columns
        return PlayedGame(
            game=setup.game.name,
            options=dict(setup.game.options),
            specs=self._specs,
            names=setup.names,
            controls=setup.controls,
            plies=setup.opening + tuple(map(Ply, seats, moves)),
            opening_length=len(setup.opening),
            seconds=seconds,
            clocks=clocks,
            thoughts=thoughts,
            scores=empty_if_all_none(scores),
            lines=empty_if_all_none(lines),
            values=empty_if_all_none(values),
            warnings=tuple(self._warnings),
            outcome=outcome,
            started=self._started,
            duration=time.monotonic() - self._started_monotonic,
            seed=setup.seed,
            departed=tuple(self._departed),
            sandbox=self._sandbox,
        )

    def with_outputs(
        self,
        outputs: tuple[str, ...],
        remarks: Sequence[tuple[Seat, str]] = (),
        cpu_out_of_turn: tuple[float, ...] = (),
    ) -> PlayedGame:
        """Return the record with the programs' output, remarks about them, and their CPU time out of turn.

        Call this after the game has ended.
        """
        assert self.played_game is not None
        warnings = [*self._warnings, *((len(self.played_game.plies), seat, remark) for seat, remark in remarks)]
        return replace(self.played_game, outputs=outputs, warnings=tuple(warnings), cpu_out_of_turn=cpu_out_of_turn)
