"""A game that people play on the page, as far as it went: who sits where, what was played, taken back and said.

Knows rules and records; no thread, no store, no request. The moves listed here are the game: whoever referees it reads
them off, and writes down those of agents.
"""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from threading import RLock
from typing import Any, NamedTuple

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Game, IllegalMove, Move, NotAMove, Outcome, Position, Reason, Seat
from gomogo_core.play.events import Ply
from gomogo_core.records.played import Leaver, PlayedGame

SCHEMA = 1  # of the plain form
_TRY = "It costs nothing: try another."


class Refused(UserError):
    """What a person asked for cannot be, by the rules or because it is not theirs to ask. It costs nothing."""


class NeedsWord(UserError):
    """A legal move loses by a rule: it is played only when the person says so again."""


@dataclass(frozen=True, slots=True)
class Chair:
    """Who has a seat. spec: an agent's, or "human". seconds: an agent's for a move. sitter: the person's, "" for nobody
    yet. invite: what the link holds by which somebody takes it.
    """

    name: str
    spec: str
    seconds: float | None = None
    sitter: str = ""
    invite: str = ""

    @property
    def person(self) -> bool:
        """Whether it is for a person."""
        return self.spec == "human"

    @property
    def free(self) -> bool:
        """Whether a person has yet to come."""
        return self.person and not self.sitter


class Made(NamedTuple):
    """One thing done: a move, or that somebody left. told: what it did beside being played."""

    seat: Seat
    move: str
    seconds: float
    told: str = ""
    thoughts: str | None = None
    score: float | None = None
    line: str | None = None
    values: Mapping[str, float] | None = None


@dataclass
class Sitting:
    """The game. What changes is changed under `lock`; `version` grows with every change, `epoch` when moves go."""

    game: Game
    chairs: tuple[Chair, ...]
    key: str = field(default_factory=lambda: uuid.uuid4().hex)
    started: float = field(default_factory=time.time)
    made: list[Made] = field(default_factory=list)
    undone: list[tuple[int, Seat, str]] = field(default_factory=list)
    left: list[Leaver] = field(default_factory=list)
    outcome: Outcome | None = None
    note: str = ""  # a sentence on this table for all who see it: who is served before, what went wrong
    version: int = 0
    epoch: int = 0
    stored: bool = False  # its record stands in the store
    gone: bool = False  # it was deleted
    greeting: str = ""  # which level the opponent has, and why: to be read as the game begins
    given_up: set[str] = field(default_factory=set)  # the people who ask for it to be deleted
    lock: RLock = field(default_factory=RLock, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._line = [self.game.start()]
        for one in self.made:
            self._line.append(self._after(self._line[-1], one))
        self.turn_since = time.monotonic()
        self.changed_at = -math.inf  # on the monotonic clock of this server; not since it was read from the store

    @property
    def names(self) -> tuple[str, ...]:
        """What each is called, by seat."""
        return tuple(chair.name for chair in self.chairs)

    @property
    def position(self) -> Position:
        """Where the game stands."""
        return self._line[-1]

    @property
    def before(self) -> Position | None:
        """The position before the last move."""
        return self._line[-2] if len(self._line) > 1 else None

    @property
    def plies(self) -> tuple[Ply, ...]:
        """What was done so far."""
        return tuple(Ply(one.seat, one.move) for one in self.made)

    def last_round(self) -> list[tuple[Position, Move, Position]]:
        """The moves since the one of whoever is to move, that one too, but for the very last: each with the positions
        before and after it.
        """
        first = max(0, len(self.made) - len(self.chairs))
        return [
            (self._line[number], self.game.parse(one.move), self._line[number + 1])
            for number, one in enumerate(self.made[first:-1], first)
            if one.move != RESIGN
        ]

    @property
    def last(self) -> Move | None:
        """The last move, if there is one."""
        return next((self.game.parse(one.move) for one in reversed(self.made) if one.move != RESIGN), None)

    @property
    def over(self) -> bool:
        """Whether nothing more can be played."""
        return self.outcome is not None or self.position.outcome() is not None or self.gone or self._resigned

    @property
    def _resigned(self) -> bool:
        away = sum(one.move == RESIGN for one in self.made)
        return away > 0 and away >= len(self.chairs) - 1

    @property
    def ended_by(self) -> Seat | None:
        """Who gave up last, where that ended the game."""
        return self.made[-1].seat if self._resigned else None

    def standing(self) -> tuple[Ply, ...]:
        """What a referee begins with: by whose leaving the game ended is told by the outcome, and no ply."""
        return self.plies[:-1] if self._resigned else self.plies

    @property
    def waiting_for_people(self) -> bool:
        """Whether somebody who was invited has yet to come."""
        return any(chair.free for chair in self.chairs)

    @property
    def with_agents(self) -> bool:
        """Whether an agent sits here."""
        return not all(chair.person for chair in self.chairs)

    @property
    def needs_referee(self) -> bool:
        """Whether something is to be done that no person does: an agent's move, or the record of the end."""
        if self.over:
            return not self.stored
        return not self.waiting_for_people and not self.chairs[self.position.to_move - 1].person

    def seats_of(self, sitter: str) -> tuple[Seat, ...]:
        """The seats that are this person's."""
        return tuple(seat for seat, chair in enumerate(self.chairs, 1) if sitter and chair.sitter == sitter)

    def sat(self) -> dict[Seat, str]:
        """Who sits in each seat that a person has taken."""
        return {seat: chair.sitter for seat, chair in enumerate(self.chairs, 1) if chair.sitter}

    def take_seat(self, invite: str, sitter: str, name: str) -> Seat:
        """Let a person sit down on the chair that was kept for whoever has `invite`. Raises Refused."""
        for seat, chair in enumerate(self.chairs, 1):
            if chair.free and chair.invite == invite:
                changed = replace(chair, sitter=sitter, invite="", name=name)
                self.chairs = (*self.chairs[: seat - 1], changed, *self.chairs[seat:])
                self._changed()
                return seat
        raise Refused("That seat is taken.", "Ask whoever sent the link for another game.")

    # What is done

    def play(self, sitter: str, text: str, *, sure: bool = False) -> Made:
        """A person's move. Raises Refused with the rule's sentence, NeedsWord where it would lose by a rule."""
        seat = self._turn_of(sitter)
        try:
            move = self.game.parse(text)
        except NotAMove as wrong:
            raise Refused(f"{text[:40]!r} is not a move: {wrong.hint}.", _TRY) from None
        if why := self.position.why_illegal(move):
            raise Refused(f"No: {why}.", _TRY)
        if not sure and (warning := self.position.warning(move)):
            raise NeedsWord(f"{warning}.", "Play it all the same?")
        return self.add(Made(seat, self.game.format(move), time.monotonic() - self.turn_since))

    def resign(self, sitter: str) -> None:
        """Let a person give the game up, whoever's turn it is. Raises Refused."""
        seats = [seat for seat in self._theirs(sitter) if not self._away(seat)]
        if self.over or not seats:
            raise Refused("The game is over.", "Begin another.")
        seat = self.position.to_move if self.position.to_move in seats else seats[0]
        self.leave(seat, Reason.RESIGNED, "resigned")
        if not self._resigned:  # the others play on, and need not wait for the next move to know it
            self.epoch += 1

    def leave(self, seat: Seat, reason: Reason, detail: str) -> None:
        """Write down that a player has lost by its own doing."""
        if not self._away(seat):
            self.left.append(Leaver(seat, reason, detail))
            self.add(Made(seat, RESIGN, 0.0))

    def give_up(self, sitter: str) -> list[str]:
        """Write down that a person asks for the game to be deleted; the names of those who have not yet, if any."""
        self.given_up.add(sitter)
        return [chair.name for chair in self.chairs if chair.sitter and chair.sitter not in self.given_up]

    def take_back(self, sitter: str) -> None:
        """Take back the person's last move and all that followed. Raises Refused where others would have to agree."""
        seats = self._theirs(sitter)
        if self.over:
            raise Refused("The game is over: what was played stays.", "Begin another.")
        if any(chair.person and chair.sitter != sitter for chair in self.chairs):
            raise Refused("Another person plays too: what was played stays.", "Go on, or resign.")
        mine = [number for number, one in enumerate(self.made) if one.seat in seats and one.move != RESIGN]
        if not mine:
            raise Refused("There is no move of yours to take back.", self.game.how_to_move())
        stay = mine[-1]
        self.undone.append((len(self.made), self.position.to_move, f"took back {len(self.made) - stay} of the moves"))
        del self.made[stay:]
        del self._line[stay + 1 :]
        still = {one.seat for one in self.made if one.move == RESIGN}
        self.left = [leaver for leaver in self.left if leaver.seat in still]
        self.epoch += 1
        self._changed()

    def add(self, one: Made) -> Made:
        """Add what was done, by anybody, and say what it did. Raises IllegalMove and NotAMove."""
        now = self.position
        told = "" if one.move == RESIGN else now.told(self.game.parse(one.move))
        after = self._after(now, one)
        one = one._replace(told=told)
        self.made.append(one)
        self._line.append(after)
        self._changed()
        return one

    def end(self, outcome: Outcome) -> None:
        """Write down how it ended."""
        self.outcome = outcome
        self._changed()

    def say(self, note: str) -> None:
        """Leave a sentence for all who see the table."""
        if self.note != note:
            self.note = note
            self._changed()

    def touch(self) -> None:
        """Let everybody who looks at it see it anew."""
        self.version += 1

    def _changed(self) -> None:
        self.version += 1
        self.turn_since = self.changed_at = time.monotonic()

    def _after(self, position: Position, one: Made) -> Position:
        if one.move == RESIGN and self.game.seats == 2:
            return position
        try:
            return self.game.follow(position, one.seat, one.move)
        except IllegalMove:
            if one.move == RESIGN:  # the last but one leaves: the game ends, and no position says so
                return position
            raise

    def _away(self, seat: Seat) -> bool:
        return any(one.seat == seat and one.move == RESIGN for one in self.made)

    def _theirs(self, sitter: str) -> tuple[Seat, ...]:
        seats = self.seats_of(sitter)
        if not seats:
            raise Refused("You do not play in this game.", "Begin one of your own.")
        return seats

    def _turn_of(self, sitter: str) -> Seat:
        seats = self._theirs(sitter)
        if self.over:
            raise Refused("The game is over.", "Begin another.")
        if self.waiting_for_people:
            raise Refused("Not everybody is there yet.", "Send the link to whom you play with.")
        if self.position.to_move not in seats:
            raise Refused("It is not your turn.", f"{self.names[self.position.to_move - 1]} is to move.")
        return self.position.to_move

    # What remains

    def record(self, played: PlayedGame) -> PlayedGame:
        """The record of the whole game; `played`: that of its last stretch, since a referee sat down to it."""
        plies = self.standing()
        moves = self.made[: len(plies)]
        return replace(
            played,
            key=self.key,
            names=self.names,
            specs=tuple(chair.spec for chair in self.chairs),
            plies=plies,
            opening=0,
            seconds=tuple(one.seconds for one in moves),
            clocks=(None,) * len(plies),
            thoughts=tuple(one.thoughts for one in moves),
            scores=_where_any([one.score for one in moves]),
            lines=_where_any([one.line for one in moves]),
            values=_where_any([one.values for one in moves]),
            warnings=(*self.undone, *played.warnings),
            left=tuple(self.left[:-1] if self._resigned else self.left),
            started=self.started,
            duration=max(0.0, time.time() - self.started),
        )

    def as_json(self) -> dict[str, Any]:
        """Plain values that JSON can carry; `from_json` gives an equal sitting back."""
        return {
            "schema": SCHEMA,
            "game": self.game.name,
            "options": self.game.options,
            "chairs": [asdict(chair) for chair in self.chairs],
            "key": self.key,
            "started": self.started,
            "made": self.made,
            "undone": self.undone,
            "left": [(seat, reason.value, detail) for seat, reason, detail in self.left],
            "outcome": self.outcome and {**self.outcome._asdict(), "reason": self.outcome.reason.value},
            "note": self.note,
            "version": self.version,
            "stored": self.stored,
            "greeting": self.greeting,
            "given_up": sorted(self.given_up),
        }

    @staticmethod
    def from_json(plain: Mapping[str, Any]) -> Sitting:
        """Read what `as_json` gave. Raises ValueError for another schema."""
        if plain["schema"] != SCHEMA:
            raise ValueError(f"a sitting of schema {plain['schema']}; this program reads {SCHEMA}")
        end = plain["outcome"]
        return Sitting(
            games.load(plain["game"], **plain["options"]),
            tuple(Chair(**chair) for chair in plain["chairs"]),
            plain["key"],
            plain["started"],
            [Made(*one) for one in plain["made"]],
            [(count, seat, what) for count, seat, what in plain["undone"]],
            [Leaver(seat, Reason(why), what) for seat, why, what in plain["left"]],
            end
            and Outcome(
                tuple(end["ranks"]), Reason(end["reason"]), end["detail"], end["scores"] and tuple(end["scores"])
            ),
            plain["note"],
            plain["version"],
            stored=plain["stored"],
            greeting=plain.get("greeting", ""),
            given_up=set(plain.get("given_up", ())),
        )


def _where_any(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(values) if any(value is not None for value in values) else ()
