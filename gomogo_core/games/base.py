"""What every game is: its rules with their options, its positions, and how a game can end.

Knows no particular game, and no clock, file, process or screen. Standard library only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from enum import Enum
from importlib import import_module
from typing import Any, ClassVar, NamedTuple, TypeAlias

from gomogo_core.errors import UserError, nearest
from gomogo_core.games._options import BadOption, Option, option

__all__ = [
    "RESIGN",
    "BadDiagram",
    "BadOption",
    "Game",
    "IllegalMove",
    "Move",
    "NotAMove",
    "Option",
    "Outcome",
    "Position",
    "Reason",
    "Seat",
    "option",
]

Seat: TypeAlias = int  # who moves first is 1, the next is 2 …; not a colour: swaps change colours, never seats
RESIGN = "resign"  # how leaving is written, in every game
MOST_SIZES = 64  # of boards whose geometry is kept: a page may be asked for every size there is, and all take 250 MB
Move: TypeAlias = Hashable  # a frozen value; each game says which (Gomoku: a Point or a Choice)


_SHOWN = 60  # characters of what is no move, in the sentence that says so


class NotAMove(ValueError):
    """The text is no move of this game. `hint` says what a move looks like."""

    def __init__(self, text: str, hint: str) -> None:
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"  # a program may have said 64 KB
        super().__init__(f"{shown!r} is not a move: {hint}")
        self.text = text
        self.hint = hint


class IllegalMove(ValueError):
    """The move exists in this game, but not in this position. `why` is the rule's own sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class BadDiagram(UserError):
    """A text does not show a position of this game."""


class Reason(Enum):
    """Why a game ended. `kind` says whose doing it was: the rules', a player's choice, a player's fault, or ours."""

    FIVE = "five"
    CAPTURES = "captures"
    SCORE = "score"
    BOXES = "boxes"
    BOARD_FULL = "board_full"
    NO_MOVE = "no_move"
    TWO_PASSES = "two_passes"
    MOVE_CAP = "move_cap"
    FORBIDDEN = "forbidden"
    RESIGNED = "resigned"
    AGREEMENT = "agreement"
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
    Reason.AGREEMENT: "choice",
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


class Outcome(NamedTuple):
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

    def told(self, move: Move) -> str:
        """A sentence on what `move`, legal here, does beside being played ("takes 2 boxes and moves again"), or ""."""
        return ""

    def explain(self, before: Position | None, move: Move | None) -> str:
        """Sentences for a beginner on what stands here: why stones were taken, whose territory is whose; or "".

        before and move: the position before the last move, and that move, where there is one.
        """
        return ""

    def explain_move(self, before: Position, move: Move) -> str:
        """Sentences for a beginner on what `move`, which led here from `before`, did and why; or ""."""
        return ""

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

    def _repr_svg_(self) -> str:
        """The picture that notebooks look for under this name. Rules know no pictures: it is sought when asked for."""
        picture: str = import_module("gomogo_core.drawing.notebook").picture(self)
        return picture


class Game(ABC):
    """The rules of one game with its options. Frozen: equal options make equal games.

    A subclass declares its options as class attributes made with `option`; values given as text are read.
    declared: what the game lets a user set, in order. points: what its scores count, one of them and many.
    """

    name: ClassVar[str]
    points: ClassVar[tuple[str, str]] = ("point", "points")
    declared: ClassVar[tuple[Option, ...]] = ()

    def __init_subclass__(cls) -> None:
        own = [value._replace(name=name) for name, value in vars(cls).items() if isinstance(value, Option)]
        cls.declared = tuple({spec.name: spec for spec in (*cls.declared, *own)}.values())

    def __init__(self, **options: Any) -> None:
        """Read the options. Raises BadOption for one the game does not have, or a value it cannot take."""
        known = [spec.name for spec in self.declared]
        for given in options:
            if given not in known:
                raise BadOption(f"{self.name} has no option {given!r}.", nearest(given, known))
        self.options: dict[str, Any] = {}
        for spec in self.declared:
            value = options[spec.name] if spec.name in options else spec.unless_given(self.options)
            self.options[spec.name] = spec.read(self.name, value)
        self.options.update(self.settled())
        vars(self).update(self.options)
        self.check()

    def __setattr__(self, name: str, value: object) -> None:
        if name != "options" or name in vars(self):
            raise AttributeError(f"a game is frozen: {name} cannot be set")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Game) and self.options == other.options

    def __hash__(self) -> int:
        return hash((type(self), *self.options.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.options.items())})"

    @property
    def changed(self) -> dict[str, Any]:
        """The options that are not what they are when nobody asks, beside the others."""
        return {s.name: self.options[s.name] for s in self.declared if self._unusual(s)}

    def _unusual(self, spec: Option) -> bool:
        return bool(self.options[spec.name] != spec.unless_given(self.options))

    def settled(self) -> dict[str, Any]:
        """Of the options just read those that others decide, so that equal games have equal options."""
        return {}

    def check(self) -> None:  # noqa: B027  (most games have nothing to say)
        """Raise BadOption where options do not go together. A game that has such ones says so here."""

    @property
    def seats(self) -> int:
        """How many players it takes."""
        return 2

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

    def follow(self, position: Position, seat: Seat, text: str) -> Position:
        """The position after what `seat` did as it is written: a move, or "resign", by which it leaves the others.

        Raises NotAMove and IllegalMove.
        """
        return position.withdraw(seat) if text == RESIGN else position.play(self.parse(text))

    def replay(self, moves: Any) -> Position:
        """The position after `moves` (moves, or texts of moves) from the start. Raises NotAMove and IllegalMove."""
        position = self.start()
        for move in moves:
            position = position.play(self.parse(move) if isinstance(move, str) else move)
        return position
