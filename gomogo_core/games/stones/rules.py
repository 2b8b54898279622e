"""The common rules of Go, Capture Go and Robogo: stones with liberties, captures, suicide, ko, passes.

The module defines no way to win: each game has its own `_find_outcome`. docs/reference/games.md describes the rules. Ko
and superko follow the logical rules of Go by J. Tromp and B. Taylor (1995); the option `ko` selects the variant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar

from gomogo_core.games.base import Game, IllegalMove, Move, Outcome, Position, Reason, Seat, option
from gomogo_core.games.boards import Change, Place, Symmetry
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.games.stones.board import BLACK, WHITE, BitGeometry, StoneBoard, bit_geometry
from gomogo_core.games.stones.ko import EarlierBoards, repeating_points_mask

COLOURS = {BLACK: "black", WHITE: "white"}
SUICIDE_REASON = "suicide: the stone would have no liberty"


class Pass(Enum):
    """The move that places no stone."""

    PASS = "pass"

    def __str__(self) -> str:
        return self.value


PASS = Pass.PASS


def side_option(default: int, description: str, *, high: int) -> Any:
    """Declare one of the options `rows` and `cols`. By default, the side has the length `size`."""
    default_from: Callable[[Mapping[str, Any]], Any] = lambda chosen_options: chosen_options["size"]  # noqa: E731
    return option(default, description, low=1, high=high, default_from=default_from, default_formula="size")


def ko_option(default: str) -> Any:
    """Declare the option `ko`."""
    return option(
        default, "which earlier boards a move may not repeat", choices=("simple", "positional", "situational")
    )


def move_cap_option() -> Any:
    """Declare the option `max_moves`, the number of moves after which a game ends: by default, 3 for each point."""
    return option(
        1083,
        "number of moves, passes included, after which the game ends",
        low=1,
        default_from=lambda chosen_options: 3 * chosen_options["rows"] * chosen_options["cols"],
        default_formula="3 · rows · cols",
    )


class GoFamilyGame(Game):
    """A game of the family of Go (Go, Capture Go or Robogo): a game on a board of points with chains and liberties.

    `ko` names the ko rule; "none" means that a move may repeat any earlier board. `max_moves` is the number of moves
    after which the game ends, or None for no limit. `captures` tells whether stones can be captured, and
    `position_class` is the class of the game's positions.
    """

    size: int = option(19, "points along each side", low=2, high=25)
    rows: int = side_option(19, "rows of points", high=25)
    cols: int = side_option(19, "points in a row", high=25)
    passing: bool = option(True, "a player may pass; if not, a player who cannot move loses")
    suicide: bool = option(False, "a move may leave its own stones without liberties: they are removed")

    ko: str = "none"
    max_moves: int | None = None
    captures: bool = True
    moves_are_board_places: ClassVar[bool] = True
    row_1_is_at_bottom: ClassVar[bool] = True
    position_class: ClassVar[type[GoFamilyPosition]]

    @cached_property
    def has_superko(self) -> bool:
        """Whether the ko rule concerns all earlier boards; False if stones cannot be captured, because then no board
        can be repeated.
        """
        return self.captures and self.ko in ("positional", "situational")

    def derived_options(self, parsed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the value of the option `size`: the longer side of the board, but at least the option's smallest
        value.
        """
        min_size = next(spec.low for spec in self.declared_options if spec.name == "size")
        return {"size": max(parsed["rows"], parsed["cols"], min_size or 1)}

    @cached_property
    def bit_geometry(self) -> BitGeometry:
        """The geometry of the board as bit masks, in which each point has the number of a bit."""
        return bit_geometry(self.cols, self.rows)

    @property
    def board(self) -> PointBoard:
        """The geometry of the board as points with names."""
        return self.bit_geometry.point_board

    def symmetries(self) -> Sequence[Symmetry]:
        """Return all symmetries of the board."""
        return self.board.symmetries()

    def start(self) -> GoFamilyPosition:
        """Return the empty board, with black to move from seat 1."""
        return self.position_class(self, StoneBoard.of(self.bit_geometry))

    def parse(self, text: str) -> Move:
        """Parse a Point from "d4", "D 4" or "4,4", or PASS from "pass". Raises NotAMove."""
        return PASS if text.strip().casefold() == "pass" else self.board.parse(text)

    def format(self, move: Move) -> str:
        """Return the canonical text, "d4" or "pass"."""
        return "pass" if move is PASS else self.board.name_of[move]

    def how_to_move(self) -> str:
        """Return one sentence for a human at the console."""
        sentence = f"Type a column letter and a row, like {self.board.names[self.board.area // 2]}"
        return f"{sentence}, or pass." if self.passing else f"{sentence}."

    @abstractmethod
    def from_diagram(self, text: str) -> GoFamilyPosition:
        """Parse a diagram. Raises BadDiagram if the text does not describe a position of this game."""


class GoFamilyPosition(Position):
    """A position of a game of the family of Go: a board with stones, and the earlier boards that the ko rule needs.

    `moves_played` counts all moves so far, passes included; `passes` counts the passes since the last stone. `captures`
    holds the number of stones that each seat has captured. For simple ko, `previous_board_key` is the key of the board
    before the last move. For superko, `earlier_boards` holds all earlier boards. `last` is the last move.
    """

    __slots__ = ("_legal_mask", "_outcome", "board", "captures", "earlier_boards", "game", "last", "moves_played",
                 "passes", "previous_board_key", "to_move")  # fmt: skip
    game: GoFamilyGame
    captures: tuple[int, int]

    def __init__(
        self,
        game: GoFamilyGame,
        board: StoneBoard,
        to_move: Seat = BLACK,
        moves_played: int = 0,
        passes: int = 0,
        captures: tuple[int, int] = (0, 0),
        previous_board_key: int | None = None,
        earlier_boards: EarlierBoards | None = None,
        last: Move | None = None,
    ) -> None:
        self.game, self.board, self.to_move, self.moves_played = game, board, to_move, moves_played
        self.passes, self.captures, self.previous_board_key, self.last = passes, captures, previous_board_key, last
        if earlier_boards is None and game.has_superko:
            earlier_boards = EarlierBoards.after_origin(
                board, to_move, moves_played, situational=game.ko == "situational"
            )
        self.earlier_boards = earlier_boards
        self._legal_mask: int | None = None
        self._outcome = self._find_outcome()

    @abstractmethod
    def _find_outcome(self) -> Outcome | None:
        """Return the outcome by the rules of this game; called once, by __init__."""

    def _outcome_without_legal_move(self) -> Outcome | None:
        """Return the outcome in which the player to move loses, if it has no legal move and may not pass, else None."""
        if self.game.passing or self.legal_mask:
            return None
        return Outcome.won_by(3 - self.to_move, Reason.NO_MOVE, "no move left")

    # The board

    @property
    def pass_ends_game(self) -> bool:
        """Whether a pass now ends the game, because it is the second in a row."""
        return self.passes == 1 and self.game.passing

    def at(self, point: Point) -> Seat | None:
        """Return the seat whose stone is on `point`; None for an empty point."""
        return self.board.colour(self.game.bit_geometry.index_of[point]) or None

    def rows(self) -> tuple[str, ...]:
        """Return the rows: "x" for black, "o" for white, "." for an empty point."""
        return self.game.bit_geometry.rows_of(self.board.black_mask, self.board.white_mask)

    def territory(self) -> Mapping[Seat, Sequence[Point]]:
        """Return, for each seat, the points of the empty regions that touch stones of that seat's colour only."""
        black, white = self.board.territory_masks()
        return {BLACK: self.game.bit_geometry.points_in(black), WHITE: self.game.bit_geometry.points_in(white)}

    def changes(self, before: Position) -> list[Change]:
        """Return the points that look different in `before`. Comparing masks takes half the time of comparing rows."""
        if not isinstance(before, GoFamilyPosition):
            return super().changes(before)
        old_board, new_board = before.board, self.board
        masks = (
            ("x", new_board.black_mask & ~old_board.black_mask),
            ("o", new_board.white_mask & ~old_board.white_mask),
            (".", new_board.empty_mask & ~old_board.empty_mask),
        )
        return [Change(sign, tuple(map(str, self.game.bit_geometry.points_in(mask)))) for sign, mask in masks if mask]

    def capturable_stones(self, seat: Seat) -> frozenset[Place]:
        """Return the points of a colour's stones; an empty set if the rules have no captures."""
        if not self.game.captures:
            return frozenset()
        return frozenset(self.game.bit_geometry.points_in(self.board.stone_mask(seat)))

    def key(self) -> Hashable:
        """Return a key with the board, the player to move, the passes and the points that ko forbids.

        Under superko, the key has all earlier boards instead of those points. If the game has a move limit, the key
        also has the number of moves.
        """
        ko: Hashable = None  # in a finished game, ko forbids nothing
        if self._outcome is None:
            ko = frozenset(self.earlier_boards.board_numbers) if self.earlier_boards is not None else self.ko_mask()
        moves_played = self.moves_played if self.game.max_moves is not None else 0
        return self.board.key, self.to_move, self.passes, moves_played, ko, self._extra_key_part()

    def _extra_key_part(self) -> Hashable:
        """Return a further part of the position's key; Capture Go returns the captures, other games None."""
        return None

    # Legal moves

    @property
    def legal_mask(self) -> int:
        """The mask of the points where a stone may be placed now, if the game is not over."""
        if self._legal_mask is None:
            self._legal_mask = self.board.empty_mask & ~self._forbidden_mask()
        return self._legal_mask

    def _forbidden_mask(self) -> int:
        if not self.game.captures:
            return 0
        return self.ko_mask() | (0 if self.game.suicide else self.board.suicide_mask(self.to_move))

    def ko_mask(self) -> int:
        """Return the mask of the points that the ko rule forbids to the player to move."""
        board, seat = self.board, self.to_move
        if self.earlier_boards is not None:
            earlier_keys = self.earlier_boards.keys_with_one_stone_more(board, seat)
        elif self.previous_board_key is not None:
            earlier_keys = [self.previous_board_key]
        else:
            return 0
        repeating_mask = repeating_points_mask(board, seat, earlier_keys) if earlier_keys else 0
        if self.game.suicide:
            geometry = self.game.bit_geometry
            for i in geometry.point_indices_in(board.suicide_mask(seat)):
                if self._breaks_ko(board.place_stone(seat, i)):
                    repeating_mask |= geometry.masks[i]
        return repeating_mask

    def _breaks_ko(self, board: StoneBoard) -> bool:
        """Return whether the ko rule forbids a move that leads to `board`."""
        if (earlier_boards := self.earlier_boards) is not None:
            return earlier_boards.has_occurred(board, earlier_boards.board_number(board, 3 - self.to_move))
        return self.previous_board_key == board.key

    def moves(self) -> Iterator[Move]:
        """Yield every legal point, row by row; then PASS, if passing is allowed."""
        if self._outcome is not None:
            return iter(())
        moves: list[Any] = self.game.bit_geometry.points_in(self.legal_mask)
        if self.game.passing:
            moves.append(PASS)
        return iter(moves)

    def why_illegal(self, move: Move) -> str | None:
        """Return the rule that forbids `move`; None for a legal move.

        For ko, the text has the number of the move after which the same board occurred.
        """
        if self._outcome is not None:
            return "the game is over"
        if move is PASS:
            return None if self.game.passing else "passing is not allowed in this game"
        i = self.game.bit_geometry.index_of.get(move) if isinstance(move, Point) else None
        if i is None:
            return f"{move} is not on this board"
        if colour := self.board.colour(i):
            return f"{move} is occupied by {COLOURS[colour]}"
        next_board = self._board_after_stone(i)
        if next_board.self_captured_mask and not self.game.suicide:
            return SUICIDE_REASON
        if not self._breaks_ko(next_board):
            return None
        move_number = self.moves_played - 1
        if self.earlier_boards is not None:
            move_number = self.earlier_boards.first_occurrence(next_board, 3 - self.to_move)
        reason = f"ko: the board would be as it was {f'after move {move_number}' if move_number else 'at the start'}"
        return reason + ", with the same player to move" * (self.game.ko == "situational")

    def _board_after_stone(self, point_index: int) -> StoneBoard:
        place = self.board.place_stone if self.game.captures else self.board.place_stone_without_captures
        return place(self.to_move, point_index)

    def play(self, move: Move) -> GoFamilyPosition:
        """Return the position after `move`. Raises IllegalMove."""
        game, seat, earlier_boards = self.game, self.to_move, self.earlier_boards
        if move is PASS:
            if problem := self.why_illegal(move):
                raise IllegalMove(problem)
            if earlier_boards is not None:
                earlier_boards = earlier_boards.after_move(
                    None, self.board, earlier_boards.board_number(self.board, 3 - seat)
                )
            return self._next_position(self.board, self.passes + 1, self.captures, earlier_boards, move)
        i = game.bit_geometry.index_of.get(move) if isinstance(move, Point) else None
        if i is None or self._outcome is not None or not self.board.empty_mask >> i & 1:
            raise IllegalMove(self.why_illegal(move) or "")
        next_board = self._board_after_stone(i)
        if earlier_boards is None:
            repeats_board = self.previous_board_key == next_board.key if game.ko == "simple" else False
        else:
            board_number = earlier_boards.board_number(next_board, 3 - seat)
            repeats_board = earlier_boards.has_occurred(next_board, board_number)
            earlier_boards = earlier_boards.after_move(move, next_board, board_number)  # type: ignore[arg-type]
        if repeats_board or (next_board.self_captured_mask and not game.suicide):
            raise IllegalMove(self.why_illegal(move) or "")
        captures = self.captures
        if next_board.captured_mask or next_board.self_captured_mask:
            own_captures = captures[seat - 1] + next_board.captured_mask.bit_count()
            # stones that commit suicide count as the opponent's captures
            opponent_captures = captures[2 - seat] + next_board.self_captured_mask.bit_count()
            captures = (own_captures, opponent_captures) if seat == BLACK else (opponent_captures, own_captures)
        return self._next_position(next_board, 0, captures, earlier_boards, move)

    def _next_position(
        self,
        board: StoneBoard,
        passes: int,
        captures: tuple[int, int],
        earlier_boards: EarlierBoards | None,
        move: Move,
    ) -> GoFamilyPosition:
        previous_board_key = self.board.key if self.game.ko == "simple" and self.game.captures else None
        history = (captures, previous_board_key, earlier_boards, move)
        return type(self)(self.game, board, 3 - self.to_move, self.moves_played + 1, passes, *history)

    # The end

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        return self._outcome

    def warning(self, move: Move) -> str | None:
        """Return a warning if a pass loses the game at once, or loses it when the opponent passes too."""
        if move is not PASS or self.why_illegal(move):
            return None
        next_position, opponent = self.play(PASS), 3 - self.to_move
        next_outcome = next_position.outcome()
        outcome = next_outcome or next_position.play(PASS).outcome()
        if outcome is None or outcome.winner != opponent:
            return None
        colour = COLOURS[opponent]
        return (
            f"{'A pass ends the game' if next_outcome else f'If {colour} passes too'}, {colour} wins {outcome.detail}"
        )

    def describe_task(self) -> str:
        """Return a sentence about the opponent's pass, if another pass ends the game; else an empty text."""
        if not self.pass_ends_game or self._outcome is not None:
            return ""
        return f"{COLOURS[3 - self.to_move].capitalize()} passed. If you pass too, the game ends."

    def facts(self) -> dict[str, Any]:
        """Return the captures of each seat, the passes since the last stone, the points that ko forbids, and the number
        of moves left before the move limit.
        """
        facts: dict[str, Any] = {"captures": list(self.captures)} if self.game.captures else {}
        facts["passes"] = self.passes
        if self.game.ko != "none":
            facts["ko"] = self.ko_point_names()
        if self.game.max_moves is not None:
            facts["moves_left"] = self.game.max_moves - self.moves_played
        return facts

    def ko_point_names(self) -> list[str]:
        """Return the names of the points that ko forbids to the player to move; none after the end of the game.

        Where passing is not allowed, the names are also returned after the end, because ko may have ended the game.
        """
        if self._outcome is not None and self.game.passing:
            return []
        return [str(point) for point in self.game.bit_geometry.points_in(self.ko_mask())]
