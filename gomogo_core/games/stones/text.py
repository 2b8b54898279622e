"""Positions of the games of the Go family as text: writing and parsing diagrams, and explanations for beginners.

The module reads the attributes of positions, and contains no rules.
"""

from __future__ import annotations

import re

from gomogo_core.games.base import BadDiagram, IllegalMove, Move, NotAMove, Position
from gomogo_core.games.boards.points import CELL_CODES, Point
from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.games.stones.ko import EarlierBoards
from gomogo_core.games.stones.rules import COLOURS, GoFamilyGame, GoFamilyPosition
from gomogo_core.printable import count_with_noun

_MAX_LISTED_ITEMS = 8  # the largest number of chains or points that a sentence lists


class GoFamilyGameWithDiagrams(GoFamilyGame):
    """A game of the Go family that parses diagrams into positions."""

    def from_diagram(self, text: str) -> GoFamilyPosition:
        """Parse the text of `diagram`. Raises BadDiagram.

        A diagram without a footer means no captures and no ko. It also means that black is to move, unless black has
        more stones than white.
        """
        cells, footer = self.board.parse_drawing(text, CELL_CODES)
        board = _board_from_cells(self, cells)
        try:
            to_move, move_count = _parse_turn(board, footer)
            first_captures, second_captures = map(_parse_count, footer.get("captures", "0 0").split())
            passes = _parse_count(footer.get("passes", "0"))
            last_move = self.parse(footer["last"]) if "last" in footer else None
            ko_points = [self.board.parse(name) for name in footer.get("ko", "").split()]
        except (ValueError, IndexError):
            raise BadDiagram(
                "The lines below the board do not say who moves, or how many moves and captures there were.",
                "Write them as `to move: seat 1`, `moves: 12`, `captures: 3 0`, `last: d4`, or leave them out.",
            ) from None
        if to_move != 1 + move_count % 2:
            raise BadDiagram(
                f"After {move_count} moves it is not the turn of seat {to_move}: black, seat 1, moved first.",
                "Leave out the line `moves:` or the line `to move:`.",
            )
        earlier_boards, previous_board_key = None, None
        if "played" in footer and self.has_superko:
            earlier_boards = _read_earlier_boards(self, board, to_move, move_count, footer)
        if ko_points and self.ko == "simple" and self.captures:
            previous_board_key = _board_key_before(board, to_move, self.bit_geometry.index_of[ko_points[0]])
        position = self.position_class(
            self,
            board,
            to_move,
            move_count,
            passes,
            (first_captures, second_captures),
            previous_board_key,
            earlier_boards,
            last_move,
        )
        if ko_points and self.ko != "none" and list(map(str, ko_points)) != position.ko_point_names():
            raise BadDiagram(
                f"The line `ko:` says {footer['ko']}, but the ko rule does not forbid exactly these points.",
                "Leave the line out if there is no ko. Under superko, add the line `played:` with all earlier moves.",
            )
        return position


class GoFamilyPositionWithDiagrams(GoFamilyPosition):
    """A position that can be written as a diagram, and explained in sentences."""

    __slots__ = ()

    def describe_effect(self, move: Move) -> str:
        """Return a phrase with the number of stones that `move` captures; "" if it captures none."""
        if not isinstance(move, Point) or not self.game.captures:
            return ""
        next_board = self._board_after_stone(self.game.bit_geometry.index_of[move])
        return capture_text(next_board.captured_mask.bit_count(), next_board.self_captured_mask.bit_count())

    def explain(self) -> str:
        """List the chains in atari, the points that ko forbids, and the progress of both players."""
        sentences = _atari_sentences(self) if self.game.captures and self.outcome() is None else []
        for name in self.ko_point_names() if self.outcome() is None else ():
            problem = self.why_illegal(self.game.parse(name))
            sentences.append(f"{_colour_name(self.to_move)} may not play {name} now ({problem}).")
        return "\n".join([*sentences, *self.explain_closeness_to_win()])

    def explain_move(self, before: Position, move: Move) -> str:
        """Explain the captures that `move` made; return "" without captures."""
        if not isinstance(move, Point) or not self.game.captures:
            return ""
        colour, geometry = _colour_name(before.to_move), self.game.bit_geometry
        if self_captured_mask := self.board.self_captured_mask:
            stones = count_with_noun(self_captured_mask.bit_count(), "stone")
            return f"{colour} removed {stones} of its own: they had no liberty and captured nothing."
        return "\n".join(
            f"{colour} captured {_join_points(geometry.points_in(chain))} by playing {move}, the last liberty of "
            f"{'that stone' if chain.bit_count() == 1 else 'that chain'}."
            for chain in geometry.groups(self.board.captured_mask)
        )

    def explain_closeness_to_win(self) -> list[str]:
        """Return sentences that tell how close each player is to winning this game."""
        return []

    def diagram(self) -> str:
        """Draw the board and a footer: the player to move, the number of moves, captures, passes, the points that ko
        forbids, and for superko the moves that led here.
        """
        colour = self.to_move
        mover_text = "nobody" if self.outcome() else f"seat {colour} ({COLOURS[colour]} {'xo'[colour - 1]})"
        footer = {"to move": mover_text, "moves": str(self.moves_played)}
        if self.game.captures:
            footer["captures"] = " ".join(map(str, self.captures))
        if self.passes:
            footer["passes"] = str(self.passes)
        if self.last is not None:
            footer["last"] = self.game.format(self.last)
        if ko := self.ko_point_names():
            footer["ko"] = " ".join(ko)
        if (earlier_boards := self.earlier_boards) is not None:
            if earlier_boards.origin_move_number or earlier_boards.origin.key or earlier_boards.origin_colour != BLACK:
                rows = self.game.bit_geometry.rows_of(
                    earlier_boards.origin.black_mask, earlier_boards.origin.white_mask
                )
                footer["from"] = f"{'/'.join(rows)} seat {earlier_boards.origin_colour}"
            footer["played"] = " ".join("pass" if move is None else str(move) for move in earlier_boards.moves)
        return self.game.board.draw(self.rows(), footer)


def _parse_turn(board: StoneBoard, footer: dict[str, str]) -> tuple[int, int]:
    """Return the player to move and the number of moves; if the footer gives only one of them, compute the other."""
    black, white = board.black_mask.bit_count(), board.white_mask.bit_count()
    if "moves" in footer:
        move_count = _parse_count(footer["moves"])
        to_move = 1 + move_count % 2
    else:
        to_move, move_count = 1 + (black > white), black + white
    if (turn := footer.get("to move", "nobody")) != "nobody":
        to_move = _parse_count(turn.split()[1])
        if to_move not in (1, 2):
            raise ValueError(f"there is no seat {to_move}")
    if "moves" not in footer and to_move != 1 + move_count % 2:
        move_count += 1
    return to_move, move_count


def _parse_count(text: str) -> int:
    """Parse a number. Raises ValueError for a number that no game reaches."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"{text} is not a number")
    return int(text)


def _board_key_before(board: StoneBoard, to_move: int, point_index: int) -> int | None:
    """Return the key of the board before the last move, if a stone on the point would repeat that board."""
    if not board.empty_mask >> point_index & 1:
        return None
    earlier_board = board.place_stone(to_move, point_index)
    if earlier_board.key == board.key:  # the last stone removed itself (suicide), so the board before it was the same
        return board.key
    captured_mask = earlier_board.captured_mask
    if (
        captured_mask.bit_count() != 1
        or earlier_board.place_stone(3 - to_move, captured_mask.bit_length() - 1).key != board.key
    ):
        return None
    return earlier_board.key


def _board_from_cells(game: GoFamilyGame, cells: bytes) -> StoneBoard:
    points = dict(zip(game.board.points, cells, strict=True))
    masks = [0, 0, 0]
    for point, colour in points.items():
        masks[colour] |= 1 << game.bit_geometry.index_of[point]
    board = StoneBoard.of(game.bit_geometry, masks[BLACK], masks[WHITE])
    for _, liberties, places in board.chains_of(masks[BLACK] | masks[WHITE]) if game.captures else ():
        if not liberties:
            raise BadDiagram(
                f"The stone on {game.bit_geometry.points[places[0]]} has no liberty.",
                "Leave a point next to its chain empty: a chain without one is captured.",
            )
    return board


def _read_earlier_boards(
    game: GoFamilyGame, board: StoneBoard, to_move: int, move_count: int, footer: dict[str, str]
) -> EarlierBoards:
    """Return the earlier boards that the lines `from` and `played` of a footer describe.

    Raises BadDiagram if the moves in these lines do not lead to `board`.
    """
    moves = footer["played"].split()
    rows, _, seat_text = footer.get("from", "").partition(" ")
    try:
        origin_move_number = move_count - len(moves)
        colour = _parse_count(seat_text.removeprefix("seat ")) if seat_text else BLACK
        if origin_move_number < 0 or colour != 1 + origin_move_number % 2:
            raise ValueError
        origin = StoneBoard.of(game.bit_geometry)
        if rows:
            origin = _board_from_cells(game, game.board.parse_drawing(rows.replace("/", "\n"), CELL_CODES)[0])
        position = game.position_class(game, origin, colour, origin_move_number)
        for move in moves:
            position = position.play(game.parse(move))
        if position.board.key != board.key or (position.to_move != to_move and position.outcome() is None):
            raise ValueError
    except (NotAMove, IllegalMove, BadDiagram, ValueError):
        raise BadDiagram(
            "The moves in the line `played:` do not lead to the board above.",
            "Leave the lines `played:` and `from:` out: then earlier boards are not known.",
        ) from None
    assert position.earlier_boards is not None
    return position.earlier_boards


def capture_text(captured_count: int, self_captured_count: int) -> str:
    """Describe the captures of a move, as in "captures 2 stones"; return "" without captures."""
    if self_captured_count:
        return f"removes {count_with_noun(self_captured_count, 'stone')} of its own (suicide)"
    return f"captures {count_with_noun(captured_count, 'stone')}" if captured_count else ""


def _atari_sentences(position: GoFamilyPosition) -> list[str]:
    board, geometry = position.board, position.game.bit_geometry
    sentences = []
    for chain_mask, liberties, places in board.chains_of(board.black_mask | board.white_mask):
        if liberties & (liberties - 1) == 0:
            owner, last_liberty = _colour_name(board.colour(places[0])), geometry.points_in(liberties)[0]
            chain_points = _join_points(geometry.points_in(chain_mask))
            sentences.append(f"In atari: {owner} at {chain_points}, whose last liberty is {last_liberty}.")
    if (unlisted_count := len(sentences) - _MAX_LISTED_ITEMS) > 0:
        sentences[_MAX_LISTED_ITEMS:] = [f"{unlisted_count} more chains are in atari."]
    return sentences


def _colour_name(colour: int) -> str:
    return COLOURS[colour].capitalize()


def _join_points(points: list[Point]) -> str:
    names = " ".join(map(str, points[:_MAX_LISTED_ITEMS]))
    return f"{names} and {len(points) - _MAX_LISTED_ITEMS} more" if len(points) > _MAX_LISTED_ITEMS else names


def territory_sentences(position: GoFamilyPosition) -> list[str]:
    """Return one sentence about the territory of each player."""
    geometry = position.game.bit_geometry
    sentences = []
    for colour, mask in zip((BLACK, WHITE), position.board.territory_masks(), strict=True):
        places = geometry.points_in(mask)
        names = f" ({_join_points(places)})" if 0 < len(places) <= _MAX_LISTED_ITEMS else ""
        sentences.append(f"Territory of {COLOURS[colour]}: {count_with_noun(len(places), 'point')}{names}.")
    return sentences
