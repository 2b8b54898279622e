"""Writes and reads a game of Gomoku, Go or Go's relatives as SGF (file format 4), which many programs can show.

Each family of games has a module of its own. Gomogo's own properties hold the values for which SGF has no property:
OPTIONS, REASON, SECONDS, and those of the families. Other programs keep these properties.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from sgfmill import sgf

from gomogo_core import __version__
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, Move, NotAMove, Outcome, Position, Reason, ReasonKind, Seat
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.level_names import displayed_name, recorded_name
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.printable import printable
from gomogo_core.records import _sgf_gomoku, _sgf_stones
from gomogo_core.records.board_setup import moves_to_set_up
from gomogo_core.records.game_record import MAX_SECONDS, PlayedGame


class SgfFamily(Protocol):
    """The interface of the module for a family of games, `_sgf_gomoku` or `_sgf_stones`."""

    GAME_NUMBER: int  # of the family's games in SGF

    def supports(self, game: Game) -> bool:
        """Return whether the game belongs to this family."""

    def board_side(self, game: Game) -> int | None:
        """Return the number of points along each side; None for a board that readers of SGF do not accept."""

    def seat_of_black(self, position: Position) -> Seat:
        """Return the seat that has black."""

    def stone_colour(self, position: Position) -> str:
        """Return the colour of the next stone, B or W."""

    def write_rules(self, root: Any, game: Game) -> None:
        """Write the rules by the names that other programs use."""

    def write_move(self, node: Any, position: Position, move: Move) -> None:
        """Write a move as a property of its node."""

    def read_rules(self, root: Any, size: int) -> Game:
        """Return the game with its options. Raises ValueError and UserError."""

    def read_move(self, node: Any, position: Position) -> Move | None:
        """Return the move in a node, or None if there is none. Raises ValueError."""


_TERRITORY_RULES = re.compile(rb"\bRU\s*\[\s*(japanese|korean)\b", re.IGNORECASE)  # the rules that count territory
SETUP_PROPERTIES = ("AB", "AW", "AE")  # the properties that set up stones; read in the root only
_FAMILIES: dict[int, SgfFamily] = {family.GAME_NUMBER: family for family in (_sgf_gomoku, _sgf_stones)}
_FORFEIT_LETTERS = {Reason.RESIGNED: "R", Reason.OUT_OF_TIME: "T"}  # other forfeits have the letter F
_SCORE_PATTERN = re.compile(r"[bw]\+([0-9]+(\.[0-9]+)?)")
_TIME_PER_MOVE = re.compile(r"([0-9.]{1,9}) s a move")  # as `_write_root` writes it


def family_and_board_side(game: Game, remedy: str, source: str = "") -> tuple[SgfFamily, int]:
    """Return the family of a game, and the number of points along each side of its board.

    remedy, source: the remedy in the error, and the file that it names. Raises UserError if SGF cannot express the game
    or its board.
    """
    family = next((family for family in _FAMILIES.values() if family.supports(game)), None)
    if family is not None and (board_side := family.board_side(game)) is not None:
        return family, board_side
    board = "" if family is None else " on a board that is not square"
    problem = f"SGF is only for gomoku, Go and Go's relatives on square boards, and this is {game.name}{board}."
    raise UserError(f"{source}: {problem}" if source else problem, remedy)


def family_by_number(number: int) -> SgfFamily:
    """Return the family whose games have this number in SGF. Raises ValueError."""
    if number not in _FAMILIES:
        raise ValueError(f"it contains game number {number}, and only 4 (gomoku) and 1 (Go) can be read")
    return _FAMILIES[number]


def setup_moves(root: Any, game: Game) -> list[Move]:
    """Return moves that set up the stones of the root node (AB, AW). The list is empty if the root has no stones.

    The player to move is that of PL, else that of the first move, else White after a handicap. Raises UserError.
    """
    row_count = game.board.rows if isinstance(game.board, PointBoard) else 0
    names = [(seat, name) for seat, name in ((1, "AB"), (2, "AW")) if root.has_property(name)]
    stones = {seat: _setup_points(root, name, game, row_count) for seat, name in names}
    if not any(stones.values()):
        return []
    first_colour = next((colour for node in root.owner.get_main_sequence() if (colour := node.get_move()[0])), None)
    colour = root.get("PL") if root.has_property("PL") else first_colour or ("w" if root.has_property("HA") else None)
    to_move = {"b": 1, "w": 2}.get(colour) if colour else None
    return [game.parse(move) for move in moves_to_set_up(game, stones, to_move)]


def _setup_points(root: Any, name: str, game: Game, row_count: int) -> list[str]:
    """Return the points of AB or AW in the order of the file, so that the plies of a saved handicap are kept."""
    order = {value: index for index, value in enumerate(root.get_raw_list(name))}
    points = sorted((Point(column + 1, row_count - row) for row, column in root.get(name)), key=game.format)
    points.sort(key=lambda point: order.get(_sgf_gomoku.place_text(point).encode(), 0))
    return list(map(game.format, points))


def write_sgf(played_game: PlayedGame) -> bytes:
    """Return the game as SGF. Raises UserError for a game or a board that SGF cannot express."""
    rules = played_game.rules()
    family, board_side = family_and_board_side(rules, "Export it with --format json.")
    positions = played_game.positions()
    black = family.seat_of_black(positions[-1])
    tree = sgf.Sgf_game(size=board_side)
    _write_root(tree.get_root(), played_game, black)
    write_rules(tree.get_root(), rules, family, played_game.options)
    handicap = _handicap_stones(played_game, family)
    if handicap:
        tree.get_root().set("HA", len(handicap))
        tree.get_root().set_raw_list("AB", [_sgf_gomoku.place_text(rules.parse(name)).encode() for name in handicap])
    handicap_plies = max(0, 2 * len(handicap) - 1)
    for ply_index, (position, ply) in enumerate(zip(positions, played_game.plies, strict=False)):
        if ply_index < handicap_plies:
            continue
        node = tree.extend_main_sequence()
        family.write_move(node, position, rules.parse(ply.move))
        if (index := ply_index - played_game.opening_length) >= 0:
            _write_time_and_thoughts(node, played_game, index, position, family.seat_of_black(position))
    content: bytes = tree.serialise()
    return content


def _handicap_stones(played_game: PlayedGame, family: SgfFamily) -> list[str]:
    """Return the points of an opening in which Black places two or more stones and White passes; else nothing.

    Other programs read such an opening as a handicap, and do not show White's passes as moves.
    """
    opening = [ply.move for ply in played_game.plies[: played_game.opening_length]]
    stones, passes = opening[::2], opening[1::2]
    is_handicap = family is _sgf_stones and len(stones) == len(passes) + 1 > 1
    return stones if is_handicap and set(passes) == {"pass"} and "pass" not in stones else []


def write_rules(root: Any, game: Game, family: SgfFamily, options: Mapping[str, Any]) -> None:
    """Write the game with its rules. options: those of the game that the file names."""
    root.set("GM", family.GAME_NUMBER)
    root.set("AP", ("Gomogo", __version__))
    family.write_rules(root, game)
    escaped_options = json.dumps(dict(options)).replace("\\", "\\\\").replace("]", "\\]")
    root.set_raw_list("OPTIONS", [escaped_options.encode()])


def _write_root(root: Any, played_game: PlayedGame, black: Seat) -> None:
    outcome, control = played_game.outcome, played_game.controls[0]
    write_players(root, played_game, black)
    root.set("DT", datetime.fromtimestamp(played_game.started, UTC).strftime("%Y-%m-%d"))
    root.set("RE", _result_text(outcome, black))
    if control.total is not None:
        root.set("TM", control.total)
    if control.per_move is not None:
        root.set("OT", f"{control.per_move:g} s a move")
    root.set("C", printable(f"{outcome.reason.value}: {outcome.detail}", lines=True))
    root.set_raw_list("REASON", [outcome.reason.value.encode()])


def write_players(root: Any, played_game: PlayedGame, black: Seat) -> None:
    """Write the names of the players. black: the seat that has black."""
    root.set("PB", printable(displayed_name(played_game.names[black - 1])))
    root.set("PW", printable(displayed_name(played_game.names[2 - black])))


def _result_text(outcome: Outcome, black: Seat) -> str:
    if outcome.is_void:
        return "Void"
    if outcome.winner is None:
        return "0"
    letter_or_score = "F" if outcome.reason.kind is ReasonKind.FORFEIT else ""
    if outcome.reason in (Reason.SCORE, Reason.MOVE_CAP) and outcome.scores is not None:
        letter_or_score = f"{abs(outcome.scores[0] - outcome.scores[1]):g}"
    return f"{'B' if outcome.winner == black else 'W'}+{_FORFEIT_LETTERS.get(outcome.reason, letter_or_score)}"


def _write_time_and_thoughts(node: Any, played_game: PlayedGame, index: int, position: Position, black: Seat) -> None:
    comment_lines = [f"{played_game.seconds[index]:.3f} s", *filter(None, [played_game.thoughts[index]])]
    if node.has_property("CHOICE"):
        name = displayed_name(played_game.names[position.to_move - 1])
        comment_lines.insert(0, f"{name}: {node.get_raw('CHOICE').decode()}")
    node.set("C", printable("\n".join(comment_lines), lines=True))
    node.set_raw_list("SECONDS", [f"{played_game.seconds[index]:.6f}".encode()])
    if (seconds_left := played_game.clocks[index]) is not None:
        node.set("BL" if position.to_move == black else "WL", seconds_left)


def read_sgf(content: bytes, source: str) -> PlayedGame:
    """Read the game in an SGF file of Gomogo or of another program. Raises UserError. source: the name of the file."""
    try:
        tree = sgf.Sgf_game.from_bytes(content)
        return _build_record(tree)
    except UserError as error:
        raise UserError(f"{source}: {error.problem}", error.remedy) from None
    except NotAMove as error:
        raise _unreadable_file_error(source, str(error)) from None
    except IllegalMove as error:
        raise _unreadable_file_error(source, error.why) from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise _unreadable_file_error(source, str(error) or "a property has no readable value") from None


def scoring_note(content: bytes) -> str:
    """Return a sentence if the rules of a game of Go in an SGF file count differently from Gomogo; else ""."""
    if b"OPTIONS[" in content or not (rules := _TERRITORY_RULES.search(content)):
        return ""
    return f"Gomogo counts area; this game was played with {rules[1].decode().capitalize()} rules."


def _unreadable_file_error(source: str, reason: str) -> UserError:
    return UserError(
        f"{source} is not an SGF file of a game that Gomogo knows: {reason}.", "Use a file that was exported as SGF."
    )


def _build_record(tree: Any) -> PlayedGame:
    root = tree.get_root()
    game_number = root.get("GM") if root.has_property("GM") else _sgf_stones.GAME_NUMBER  # the default of SGF is Go
    family = family_by_number(game_number)
    rules = family.read_rules(root, tree.get_size())
    position = rules.start()
    plies, seconds, notes = list[Ply](), list[float](), list[str | None]()
    for move in setup_moves(root, rules):
        plies.append(Ply(position.to_move, rules.format(move)))
        position = position.play(move)
    for node in tree.get_main_sequence()[1:]:
        move = family.read_move(node, position)
        if move is None:
            continue
        if reason := position.why_illegal(move):
            raise IllegalMove(reason)
        plies.append(Ply(position.to_move, rules.format(move)))
        has_time = node.has_property("SECONDS")
        if has_time or seconds:
            seconds.append(_read_seconds(node) if has_time else 0.0)
            notes.append((_read_property(node, "C") or "").partition("\n")[2] or None)
        position = position.play(move)
    black = family.seat_of_black(position)
    colours = [recorded_name(_read_property(root, key) or colour) for key, colour in (("PB", "black"), ("PW", "white"))]
    names = tuple(colours if black == 1 else colours[::-1])
    return PlayedGame(
        game=rules.name,
        options=dict(rules.options),
        specs=names,
        names=names,
        controls=(_read_time_control(root),) * 2,
        plies=tuple(plies),
        opening_length=len(plies) - len(seconds),
        seconds=tuple(seconds),
        clocks=(None,) * len(seconds),
        thoughts=tuple(notes),
        warnings=(),
        outcome=_read_outcome(root, position, family, black),
        started=_read_date(root),
        duration=sum(seconds),
    )


def _read_outcome(root: Any, last_position: Position, family: SgfFamily, black: Seat) -> Outcome:
    """Return the outcome that the file states, or the outcome of the last position.

    The outcome of the last position counts if Gomogo wrote the file, or if the file names no winner.
    """
    outcome, result = last_position.outcome(), (_read_property(root, "RE") or "?").casefold()
    if outcome is not None and (root.has_property("REASON") or not result.startswith(("b+", "w+"))):
        return outcome
    if result in ("0", "draw") and root.has_property("REASON"):
        return Outcome.draw(Reason(root.get("REASON")), _read_detail(root))
    if result in ("0", "draw"):
        return Outcome.draw(Reason.BOARD_FULL, "a draw, according to the file")
    if not result.startswith(("b+", "w+")):
        return Outcome((0, 0), Reason.INTERRUPTED, "the file names no winner")
    winner = black if result[0] == "b" else 3 - black
    if root.has_property("REASON"):
        return Outcome.won_by(winner, Reason(root.get("REASON")), _read_detail(root))
    if outcome is not None and outcome.winner == winner:
        return outcome
    # another program has written the file; it may count stones as dead, but Gomogo's rules do not
    is_score = family is _sgf_stones and _SCORE_PATTERN.fullmatch(result)
    reason = Reason.SCORE if is_score else Reason.OUT_OF_TIME if result[2:].startswith("t") else Reason.RESIGNED
    return Outcome.won_by(winner, reason, f"{result.upper()}, according to the file")


def _read_detail(root: Any) -> str:
    """Return the part of the root's comment that follows the reason, as Gomogo writes it."""
    return (_read_property(root, "C") or "").partition(": ")[2]


def _read_time_control(root: Any) -> TimeControl:
    total = float(root.get("TM")) if root.has_property("TM") else 0.0
    per_move = _TIME_PER_MOVE.fullmatch(_read_property(root, "OT") or "")
    return TimeControl(float(per_move[1]) if per_move else None, total or None)


def _read_seconds(node: Any) -> float:
    seconds = float(node.get_raw("SECONDS"))
    if not 0 <= seconds < MAX_SECONDS:
        raise ValueError("SECONDS is not a valid time")
    return seconds


def _read_property(node: Any, key: str) -> str | None:
    return str(node.get(key)) if node.has_property(key) else None


def _read_date(root: Any) -> float:
    try:
        return datetime.strptime((_read_property(root, "DT") or "")[:10], "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
