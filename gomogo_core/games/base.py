"""The base classes of every game: rules with options, positions, and outcomes.

The module does not depend on a particular game, and uses no clock, file, process or screen. It needs only the standard
library.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from enum import Enum, StrEnum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeAlias

from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games._options import BadOption, Option, ReadOnlyOptions, option
from gomogo_core.games.boards import Board, Change, Place, Symmetry

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
    "ReasonKind",
    "Seat",
    "option",
]

Seat: TypeAlias = int  # 1 for the first player, 2 for the second …; not a colour: swaps change colours, never seats
RESIGN = "resign"  # the text that stands for a move when a player resigns, in every game
MAX_CACHED_BOARDS = 64  # visitors of the page can choose any size, and the geometries of all sizes take 250 MB
Move: TypeAlias = Hashable  # an immutable value; each game defines its type (Gomoku: a Point or a Choice)

_MAX_QUOTED_CHARACTERS = 60  # the longest part of a wrong move that the message quotes


class NotAMove(ValueError):
    """The text is not a move of this game. `hint` describes the format of a move."""

    def __init__(self, text: str, hint: str) -> None:
        # a program may have sent a line of 64 KB
        quoted = text if len(text) <= _MAX_QUOTED_CHARACTERS else f"{text[:_MAX_QUOTED_CHARACTERS]}…"
        super().__init__(f"{quoted!r} is not a move: {hint}")
        self.text = text
        self.hint = hint


class IllegalMove(ValueError):
    """The move exists in this game, but is not legal in this position. `why` names the broken rule."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.why = reason


class BadDiagram(UserError):
    """A text does not describe a position of this game."""


class ReasonKind(StrEnum):
    """The kind of a reason. FORFEIT is a fault of an agent, which then loses. After VOID, the game is played again.

    VOID is a fault of the arena, or an interrupt.
    """

    RULES = "rules"
    CHOICE = "choice"
    FORFEIT = "forfeit"
    VOID = "void"


class Reason(Enum):
    """The reason why a game ended. `kind` tells whose fault or choice the end was."""

    LINE = "line"
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
    CPU_OUT_OF_TURN = "cpu_out_of_turn"
    REFEREE_FAULT = "referee_fault"
    INTERRUPTED = "interrupted"
    ALL_CRASHED = "all_crashed"

    @classmethod
    def _missing_(cls, value: object) -> Reason | None:
        """Accept "five", the name of LINE in the records of earlier versions."""
        return cls.LINE if value == "five" else None

    @cached_property
    def kind(self) -> ReasonKind:
        """The kind of this reason: the rules, a player's choice, an agent's fault, or a fault of the arena."""
        return _KIND_BY_REASON.get(self, ReasonKind.RULES)

    @property
    def ended_by(self) -> str:
        """The reason in words that follow "the game was ended by".

        >>> Reason.LINE.ended_by, Reason.TWO_PASSES.ended_by
        ('stones in a row', 'two passes')
        """
        return _ENDED_BY_WORDS.get(self, self.value.replace("_", " "))


_KIND_BY_REASON = {
    Reason.RESIGNED: ReasonKind.CHOICE,
    Reason.AGREEMENT: ReasonKind.CHOICE,
    Reason.OUT_OF_TIME: ReasonKind.FORFEIT,
    Reason.ILLEGAL_MOVE: ReasonKind.FORFEIT,
    Reason.NOT_A_MOVE: ReasonKind.FORFEIT,
    Reason.OUT_OF_TURN: ReasonKind.FORFEIT,
    Reason.CRASHED: ReasonKind.FORFEIT,
    Reason.TOO_MUCH_MEMORY: ReasonKind.FORFEIT,
    Reason.CPU_OUT_OF_TURN: ReasonKind.FORFEIT,
    Reason.REFEREE_FAULT: ReasonKind.VOID,
    Reason.INTERRUPTED: ReasonKind.VOID,
    Reason.ALL_CRASHED: ReasonKind.VOID,
}

_ENDED_BY_WORDS = {
    Reason.LINE: "stones in a row",
    Reason.SCORE: "points",
    Reason.BOARD_FULL: "a full board",
    Reason.NO_MOVE: "no legal move",
    Reason.MOVE_CAP: "the limit of moves",
    Reason.FORBIDDEN: "a forbidden move",
    Reason.RESIGNED: "resignation",
    Reason.OUT_OF_TIME: "time",
    Reason.ILLEGAL_MOVE: "an illegal move",
    Reason.NOT_A_MOVE: "an unreadable move",
    Reason.OUT_OF_TURN: "a move out of turn",
    Reason.CRASHED: "a crash",
    Reason.CPU_OUT_OF_TURN: "CPU time out of turn",
    Reason.INTERRUPTED: "an interruption",
}


class Outcome(NamedTuple):
    """The result of a game.

    `ranks` holds the rank of each seat: 1 is best, and tied seats share a rank. In a void game all ranks are 0.
    `detail` is the end of the result line ("5 in a row", "by 3 captures"); for a forfeit it is the sentence that proves
    the fault ("h 8 is occupied …"). `scores` holds the score of each seat in games with scores, else it is None.
    """

    ranks: tuple[int, ...]
    reason: Reason
    detail: str = ""
    scores: tuple[float, ...] | None = None

    @property
    def winner(self) -> Seat | None:
        """The seat that won alone; None if no seat did."""
        return self.ranks.index(1) + 1 if self.ranks.count(1) == 1 else None

    @property
    def is_void(self) -> bool:
        """Whether the game does not count and must be played again."""
        return self.reason.kind is ReasonKind.VOID

    def rank_departed_last(self, departed: Sequence[Seat]) -> Outcome:
        """Return the outcome with the departed seats ranked behind all others. The first seat to leave has the last
        rank.
        """
        if not departed:
            return self
        remaining_ranks = sorted(rank for seat, rank in enumerate(self.ranks, 1) if seat not in departed)
        ranks = tuple(
            len(self.ranks) - departed.index(seat) if seat in departed else 1 + remaining_ranks.index(rank)
            for seat, rank in enumerate(self.ranks, 1)
        )
        return self._replace(ranks=ranks)

    @staticmethod
    def won_by(seat: Seat, reason: Reason, detail: str = "", seats: int = 2) -> Outcome:
        """Return the outcome in which `seat` wins and all others share the second place."""
        return Outcome(tuple(1 if s == seat else 2 for s in range(1, seats + 1)), reason, detail)

    @staticmethod
    def draw(reason: Reason, detail: str = "", seats: int = 2) -> Outcome:
        """Return the outcome without a winner."""
        return Outcome((1,) * seats, reason, detail)


class Position(ABC):
    """A position of a game. Positions are immutable: `play` returns a new position.

    So a game needs no code for undo, replay and search.
    """

    __slots__ = ()

    game: Game
    to_move: Seat  # seats need not alternate: a player who closes a box moves again
    captures: tuple[int, ...] = ()  # by seat, in games with captures

    @property
    def pass_ends_game(self) -> bool:
        """Whether a pass now ends the game; False in a game without passes."""
        return False

    @property
    def is_opening_turn(self) -> bool:
        """Whether an opening rule governs the next move: a choice, a takeover, or a stone before the last choice."""
        return False

    @abstractmethod
    def key(self) -> Hashable:
        """Return a key for hash tables. Positions that the rules treat alike have equal keys."""

    @abstractmethod
    def moves(self) -> Iterator[Move]:
        """Yield every legal move in a fixed order that the game chooses; none after the end of the game."""

    @abstractmethod
    def why_illegal(self, move: Move) -> str | None:
        """Return a sentence about the rule that forbids `move`, or None if the move is legal. Never raises an error."""

    @abstractmethod
    def play(self, move: Move) -> Position:
        """Return the position after `move`. Raises IllegalMove with the sentence of `why_illegal`."""

    @abstractmethod
    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""

    @abstractmethod
    def rows(self) -> tuple[str, ...]:
        """Return the board as rows of characters, row 1 first, without coordinates."""

    @abstractmethod
    def diagram(self) -> str:
        """Return the board and a footer with the rest of the state as text; `game.from_diagram` parses this text."""

    def mark(self, seat: Seat) -> str:
        """Return the character with which `rows` shows the pieces of `seat` in this position."""
        return "xo"[seat - 1] if seat <= 2 else str(seat)

    def place_to_mark(self, move: Move) -> Place | None:
        """Return the place that a legal `move` would change; None for a pass or a choice, or without a board."""
        return self.place_marked_by(move)

    def place_marked_by(self, move: Move) -> Place | None:
        """Return the place that the last move, `move`, has changed; None if it has changed no place."""
        board = self.game.board
        return move if board is not None and self.game.moves_are_board_places and move in board.name_of else None

    def move_at(self, place: Place) -> Move | None:
        """Return the move that a click on `place` plays, legal or not; None if a click there plays no move."""
        return place if self.game.moves_are_board_places else None

    def takeover_move(self) -> Move | None:
        """Return the move that takes over the opponent's first stone, or None if the rules do not allow it now."""
        return None

    def winning_places(self) -> tuple[Place, ...]:
        """Return the places of the winning row, or an empty tuple if there is none."""
        return ()

    def capturable_stones(self, seat: Seat) -> frozenset[Place]:
        """Return the places of a seat's stones, in games whose stones can be captured; else an empty set."""
        return frozenset()

    def territory(self) -> Mapping[Seat, Sequence[Place]]:
        """Return the empty places that each seat's stones enclose, in games with territory; else an empty mapping."""
        return {}

    def changes(self, before: Position) -> list[Change]:
        """Return the places that look different in the position `before`; none in a game without a board."""
        board = self.game.board
        return [] if board is None else board.changes(before.rows(), self.rows())

    def warning(self, move: Move) -> str | None:
        """Return a warning for a human if this legal move loses by a rule, at once or after a reply; else None."""
        return None

    def describe_effect(self, move: Move) -> str:
        """Describe the captures of a legal `move`, as in "takes 2 boxes and moves again"; "" if it captures nothing."""
        return ""

    def explain(self) -> str:
        """Explain this position to a beginner, for example threats and territories; return "" by default."""
        return ""

    def explain_move(self, before: Position, move: Move) -> str:
        """Explain to a beginner the effects of `move`, which led from the position `before` to this one.

        Returns "" by default.
        """
        return ""

    def describe_task(self) -> str:
        """Describe the task of the player to move; return "" if the task is an ordinary move."""
        return ""

    def facts(self) -> dict[str, Any]:
        """Return facts that a bot cannot see on the board, such as `captures`, `scores` by seat and `moves_left`."""
        return {}

    def withdraw(self, seat: Seat) -> Position:
        """Return the position after `seat` has left and the others continue; only in games of three or more players."""
        raise IllegalMove(f"{self.game.name} ends when a player leaves")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game == other.game and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __str__(self) -> str:
        return self.diagram()

    def _repr_svg_(self) -> str | None:
        """Return the position as SVG, or None if `set_notebook_renderer` has not been called yet. Notebooks call this
        method.
        """
        return None if _render is None else _render(self)


_render: Callable[[Position], str] | None = None


def set_notebook_renderer(render: Callable[[Position], str]) -> None:
    """Let notebooks show every position as the SVG that `render` returns. The module `gomogo_core.drawing.notebook`
    calls this function.
    """
    global _render
    _render = render


class Game(ABC):
    """The rules of one game with its options. Games are frozen, and games with equal options are equal.

    A subclass declares its options as class attributes made with `option`; values given as text are parsed.
    `declared_options` lists them in order. `score_unit` is the unit of the scores, singular and plural. `scores_places`
    tells whether a player's score counts the places that the player owns at the end, which an analysis can estimate.
    `quiet_opening_length` is the number of first moves of which many are equally good: a review marks them only with
    certainty.
    `moves_are_board_places` is True if a move is the place where it puts a piece. It is False in a game in which pieces
    fall or move; the positions of such a game define `place_to_mark` and `move_at`. `row_1_is_at_bottom` is True if
    people count the rows of the game's points from the bottom, and the columns without i, as books about Go do.
    """

    name: ClassVar[str]
    moves_are_board_places: ClassVar[bool] = False
    row_1_is_at_bottom: ClassVar[bool] = False
    score_unit: ClassVar[tuple[str, str]] = ("point", "points")
    scores_places: ClassVar[bool] = False
    quiet_opening_length: ClassVar[int] = 0
    declared_options: ClassVar[tuple[Option, ...]] = ()

    def __init_subclass__(cls) -> None:
        own_options = [value._replace(name=name) for name, value in vars(cls).items() if isinstance(value, Option)]
        cls.declared_options = tuple({spec.name: spec for spec in (*cls.declared_options, *own_options)}.values())

    def __init__(self, **options: Any) -> None:
        """Parse the options. Raises BadOption for an unknown option or value."""
        option_names = [spec.name for spec in self.declared_options]
        for name in options:
            if name not in option_names:
                raise BadOption(f"{self.name} has no option {name!r}.", suggest_name(name, option_names))
        parsed: dict[str, Any] = {}
        for spec in self.declared_options:
            value = options[spec.name] if spec.name in options else spec.default_for(parsed)
            parsed[spec.name] = spec.parse(self.name, value)
        parsed.update(self.derived_options(parsed))
        self.options: Mapping[str, Any] = ReadOnlyOptions(parsed)
        vars(self).update(parsed)
        self.check_options()

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
    def non_default_options(self) -> dict[str, Any]:
        """The options whose values differ from their defaults."""
        defaults = {spec.name: spec.default_for(self.options) for spec in self.declared_options}
        return {name: self.options[name] for name, default in defaults.items() if self.options[name] != default}

    def derived_options(self, parsed: Mapping[str, Any]) -> dict[str, Any]:
        """Return options whose values follow from the `parsed` options, so that equal games have equal options."""
        return {}

    def check_options(self) -> None:  # noqa: B027  (most games have no options that can contradict each other)
        """Raise BadOption if options contradict each other. Games with such options override this method."""

    @property
    def opening_advice(self) -> str:
        """A rule of thumb for positions that are too early for a computation, as a sentence; empty if there is none."""
        return ""

    @property
    def seats(self) -> int:
        """The number of players."""
        return 2

    @property
    def box_count(self) -> int:
        """The number of boxes of which the players' scores consist; 0 in a game without boxes."""
        return 0

    @property
    def board(self) -> Board | None:
        """The geometry of the board; None for a game whose only picture of a position is its rows of characters."""
        return None

    def symmetries(self) -> Sequence[Symmetry]:
        """Return the symmetries of the rules, the identity first. A symmetry maps moves to moves and places to places.

        If every move of a game is replaced by its image, every position becomes its image. A game whose rules are the
        same in all directions returns `self.board.symmetries()`.
        """
        return [lambda move: move]

    @abstractmethod
    def start(self) -> Position:
        """Return the position before the first move."""

    @abstractmethod
    def parse(self, text: str) -> Move:
        """Parse a move as humans and programs write it ("h 8", "H8", "8,8"). Raises NotAMove."""

    @abstractmethod
    def format(self, move: Move) -> str:
        """Return the move's canonical text ("h8"): parse(format(move)) == move."""

    @abstractmethod
    def from_diagram(self, text: str) -> Position:
        """Parse the text of `Position.diagram`. Raises BadDiagram."""

    def how_to_move(self) -> str:
        """Return one sentence that tells a human at the console how to enter a move."""
        return "Type a move."

    def apply_action(self, position: Position, seat: Seat, text: str) -> Position:
        """Return the position after an action of `seat`, given as text: a move, or "resign" to leave the game.

        Raises NotAMove and IllegalMove.
        """
        return position.withdraw(seat) if text == RESIGN else position.play(self.parse(text))

    def replay(self, moves: Iterable[Move | str]) -> Position:
        """Return the position after `moves` (moves or texts) from the start. Raises NotAMove and IllegalMove."""
        position = self.start()
        for move in moves:
            position = position.play(self.parse(move) if isinstance(move, str) else move)
        return position
