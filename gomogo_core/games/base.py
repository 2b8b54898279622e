"""What every game is: its rules with their options, its positions, and how a game can end.

Knows no particular game, and no clock, file, process or screen. Standard library only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import Any, ClassVar, TypeAlias

from gomogo_core.errors import UserError, nearest

Seat: TypeAlias = int  # who moves first is 1, the next is 2 …; not a colour: swaps change colours, never seats
Move: TypeAlias = Hashable  # a frozen value; each game says which (Gomoku: a Point or a Choice)


class NotAMove(ValueError):
    """The text is no move of this game. `hint` says what a move looks like."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(f"{text!r} is not a move: {hint}")
        self.text = text
        self.hint = hint


class IllegalMove(ValueError):
    """The move exists in this game, but not in this position. `why` is the rule's own sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class BadOption(UserError):
    """A game was asked for with an option it does not have, or a value it cannot take."""


class BadDiagram(UserError):
    """A text does not show a position of this game."""


class Reason(Enum):
    """Why a game ended. `kind` says whose doing it was: the rules', a player's choice, a player's fault, or ours."""

    FIVE = "five"
    CAPTURES = "captures"
    SCORE = "score"
    BOXES = "boxes"
    BOARD_FULL = "board_full"
    TWO_PASSES = "two_passes"
    MOVE_CAP = "move_cap"
    FORBIDDEN = "forbidden"
    RESIGNED = "resigned"
    OUT_OF_TIME = "out_of_time"
    ILLEGAL_MOVE = "illegal_move"
    NOT_A_MOVE = "not_a_move"
    OUT_OF_TURN = "out_of_turn"
    CRASHED = "crashed"
    TOO_MUCH_MEMORY = "too_much_memory"
    REFEREE_FAULT = "referee_fault"
    INTERRUPTED = "interrupted"
    ALL_CRASHED = "all_crashed"

    @property
    def kind(self) -> str:
        """One of "rules", "choice", "forfeit" (the agent's fault: a loss), "void" (our fault: played again)."""
        return _KINDS.get(self, "rules")


_KINDS = {
    Reason.RESIGNED: "choice",
    Reason.OUT_OF_TIME: "forfeit",
    Reason.ILLEGAL_MOVE: "forfeit",
    Reason.NOT_A_MOVE: "forfeit",
    Reason.OUT_OF_TURN: "forfeit",
    Reason.CRASHED: "forfeit",
    Reason.TOO_MUCH_MEMORY: "forfeit",
    Reason.REFEREE_FAULT: "void",
    Reason.INTERRUPTED: "void",
    Reason.ALL_CRASHED: "void",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    ranks: by seat, 1 is best, equal ranks share; all 0 in a void game.
    detail: for the rules' own ends the last words of the result line ("5 in a row", "by 3 captures");
        for a forfeit the sentence that proves it ("h 8 is occupied …").
    scores: by seat, where the game counts something.
    """

    ranks: tuple[int, ...]
    reason: Reason
    detail: str = ""
    scores: tuple[float, ...] | None = None

    @property
    def winner(self) -> Seat | None:
        """The seat that won alone, or None."""
        return self.ranks.index(1) + 1 if self.ranks.count(1) == 1 else None

    @property
    def void(self) -> bool:
        """Whether the game counts for nothing and is to be played again."""
        return self.reason.kind == "void"

    @staticmethod
    def won_by(seat: Seat, reason: Reason, detail: str = "", seats: int = 2) -> Outcome:
        """`seat` wins; all others share the second place."""
        return Outcome(tuple(1 if s == seat else 2 for s in range(1, seats + 1)), reason, detail)

    @staticmethod
    def tie(reason: Reason, detail: str = "", seats: int = 2) -> Outcome:
        """Nobody wins."""
        return Outcome((1,) * seats, reason, detail)


class Position(ABC):
    """One moment of a game. Immutable: `play` gives another one, so undo, replay and search come for free."""

    __slots__ = ()

    game: Game
    to_move: Seat  # never assume that seats alternate: a closed box moves again

    @abstractmethod
    def key(self) -> Hashable:
        """What makes two positions the same for the rules; for tables."""

    @abstractmethod
    def moves(self) -> Iterator[Move]:
        """Every legal move, in the game's own order; none once the game is over."""

    @abstractmethod
    def why_illegal(self, move: Move) -> str | None:
        """The sentence that says which rule forbids `move`, or None when it is legal. Never raises."""

    @abstractmethod
    def play(self, move: Move) -> Position:
        """The position after `move`. Raises IllegalMove with the sentence of `why_illegal`."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @abstractmethod
    def rows(self) -> tuple[str, ...]:
        """The board alone, a row of characters each, row 1 first."""

    @abstractmethod
    def diagram(self) -> str:
        """The board and a footer with all that it does not show; `game.from_diagram` reads it back."""

    def mark(self, seat: Seat) -> str:
        """The character with which `rows` shows what belongs to `seat` now."""
        return "xo"[seat - 1] if seat <= 2 else str(seat)

    def warning(self, move: Move) -> str | None:
        """A sentence for a person about to play a legal move that loses by a rule, or None."""
        return None

    def task(self) -> str:
        """A sentence for a person whose turn is not simply to make a move, or an empty text."""
        return ""

    def facts(self) -> dict[str, Any]:
        """What a bot may want beside the board: `captures` and `scores` by seat, `moves_left`, where they exist."""
        return {}

    def withdraw(self, seat: Seat) -> Position:
        """The position in which `seat` has left and the others play on. Only games for three and more have one."""
        raise IllegalMove(f"{self.game.name} ends when a player leaves")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game == other.game and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __str__(self) -> str:
        return self.diagram()


def option(
    default: Any, about: str, *, low: int | None = None, high: int | None = None, of: tuple[str, ...] = ()
) -> Any:
    """A field of a Game that a user may set: its default, a sentence, and the values it can take."""
    return field(default=default, metadata={"about": about, "low": low, "high": high, "of": of})


@dataclass(frozen=True)
class Game(ABC):
    """The rules of one game with its options. Frozen: equal options make equal games.

    A subclass is a frozen dataclass whose fields are all made with `option`; values given as text are read.
    """

    name: ClassVar[str]

    def __post_init__(self) -> None:
        for spec in fields(self):
            value = _read_option(self.name, spec.name, getattr(self, spec.name), spec.default, spec.metadata)
            object.__setattr__(self, spec.name, value)

    @property
    def seats(self) -> int:
        """How many players it takes."""
        return 2

    @property
    def options(self) -> dict[str, int | float | bool | str]:
        """Every option with its value, in the order the game lists them."""
        return {spec.name: getattr(self, spec.name) for spec in fields(self)}

    @abstractmethod
    def start(self) -> Position:
        """The position before the first move."""

    @abstractmethod
    def parse(self, text: str) -> Move:
        """Read a move as people and programs write it ("h 8", "H8", "8,8"). Raises NotAMove."""

    @abstractmethod
    def format(self, move: Move) -> str:
        """The move's one written form ("h8"): parse(format(move)) == move."""

    @abstractmethod
    def from_diagram(self, text: str) -> Position:
        """The position that `Position.diagram` drew. Raises BadDiagram."""

    def how_to_move(self) -> str:
        """One sentence for a person at the console."""
        return "Type a move."

    def replay(self, moves: Any) -> Position:
        """The position after `moves` (moves, or texts of moves) from the start. Raises NotAMove and IllegalMove."""
        position = self.start()
        for move in moves:
            position = position.play(self.parse(move) if isinstance(move, str) else move)
        return position


_YES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def _read_option(game: str, name: str, value: Any, default: Any, limits: Mapping[str, Any]) -> Any:
    def refuse(why: str, remedy: str) -> BadOption:
        return BadOption(f"{name} {value} {why}", remedy)

    if isinstance(default, bool):
        read = _YES.get(str(value).casefold())
        if read is None:
            raise refuse(f"is neither true nor false: {game} needs one of them", f"Give {name}=true or {name}=false.")
        return read
    if isinstance(default, (int, float)):
        kind = "a whole number" if isinstance(default, int) else "a number"
        try:
            if isinstance(value, bool) or (isinstance(default, int) and isinstance(value, float) and value % 1):
                raise ValueError
            number = type(default)(value)
            if number != number or number in (float("inf"), float("-inf")):
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            raise refuse(f"is not {kind}", f"Give {name}=N with N {kind}, for example {name}={default}.") from None
        low, high = limits["low"], limits["high"]
        reach = f"{game} needs {low} to {high}" if high is not None else f"{game} needs {low} at least"
        if low is not None and number < low:
            raise refuse(f"is too small: {reach}", f"Try {name}={low} or more.")
        if high is not None and number > high:
            raise refuse(f"is too large: {reach}", f"Try {name}={high} or less.")
        return number
    word = str(value).casefold()
    if word not in limits["of"]:
        raise refuse(f"is not known: {game} knows {', '.join(limits['of'])}", nearest(word, limits["of"]))
    return word
