"""The checks that every game must pass. `gomogo game check NAME` runs them.

Each check has a name, the sentence that it proves, and a function that tests the game. The module uses rules and
drawings, but no agent, no clock and no file.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.etree import ElementTree

from gomogo_core.drawing.svg import svg
from gomogo_core.drawing.text import picture
from gomogo_core.games import load
from gomogo_core.games.base import Game, IllegalMove, Move, Position, ReasonKind
from gomogo_core.games.boards import Place
from gomogo_core.wire.lines import spaced_text

_MAX_MOVES = 2000  # a longer random game counts as endless
_CHECKED_POSITION_COUNT = 12  # the number of positions of a random game to check, including the first and the last
# values that are not moves of any game
_NON_MOVES: tuple[Hashable, ...] = ("h8", None, (1, 1), ("h", 0), -1, 0.5)


class GameCheckFailed(Exception):
    """Raised if a game fails a check. The message is a sentence about the fault."""


@dataclass(frozen=True, slots=True)
class GameCheck:
    """One check of a game. requirement: the sentence that the check proves.

    run: a function that raises GameCheckFailed if the sentence is false.
    """

    name: str
    requirement: str
    run: Callable[[RandomGames], None]


@dataclass(frozen=True, slots=True)
class GameCheckResult:
    """The result of one check. requirement: the sentence of the check. fault: a sentence about the fault; empty if
    there is no fault.
    """

    check: str
    requirement: str
    fault: str = ""


@dataclass(frozen=True)
class RandomGames:
    """Random games with the same options. count: the number of games. seed: equal seeds give equal games."""

    game: Game
    count: int
    seed: int

    @cached_property
    def move_lists(self) -> list[list[Move]]:
        """The moves of each random game, up to its end."""
        return [self._random_moves(random.Random(self.seed + number)) for number in range(self.count)]

    def require(self, condition: object, moves: list[Move], fault: str) -> None:
        """Raise GameCheckFailed unless a condition holds. moves: the moves so far. fault: a clause about the fault."""
        if not condition:
            raise GameCheckFailed(f"After {' '.join(map(self.game.format, moves)) or 'no move'}: {fault}.")

    def _random_moves(self, generator: random.Random) -> list[Move]:
        position, moves = self.game.start(), list[Move]()
        while position.outcome() is None:
            legal_moves = list(position.moves())
            if not legal_moves or len(moves) == _MAX_MOVES:
                state = "has no moves left" if not legal_moves else "is not over"
                raise GameCheckFailed(f"After {len(moves)} random moves the game {state}, and outcome() is None.")
            moves.append(generator.choice(legal_moves))
            position = position.play(moves[-1])
        return moves

    def positions(self) -> Iterator[tuple[list[Move], Position]]:
        """Yield positions of each game, evenly spread from the first to the last, each with the moves before it."""
        for moves in self.move_lists:
            position = self.game.start()
            step = max(1, len(moves) // (_CHECKED_POSITION_COUNT - 1))
            for move_count in range(len(moves) + 1):
                if move_count % step == 0 or move_count == len(moves):
                    yield moves[:move_count], position
                if move_count < len(moves):
                    position = position.play(moves[move_count])


def check_game(name: str, *, games: int = 10, seed: int = 0, **options: object) -> Iterator[GameCheckResult]:
    """Run every check on random games of the game called `name`. Raises UserError for an unknown game or option.

    games: the number of random games.
    """
    random_games = RandomGames(load(name, **options), games, seed)
    for check in CHECKS:
        fault = ""
        try:
            check.run(random_games)
        except GameCheckFailed as error:
            fault = str(error)
        except Exception as error:  # an exception is also a fault of the game
            fault = f"It raised {type(error).__name__}: {error}"
        yield GameCheckResult(check.name, check.requirement, fault)


def _check_start_position(games: RandomGames) -> None:
    start = games.game.start()
    games.require(start.game == games.game and start.to_move == 1, [], "seat 1 is not to move in this game")
    games.require(start.outcome() is None and any(True for _ in start.moves()), [], "there is no move")


def _check_game_ends(games: RandomGames) -> None:
    for moves in games.move_lists:
        outcome = games.game.replay(moves).outcome()
        assert outcome is not None
        seats = games.game.seats
        games.require(len(outcome.ranks) == seats and min(outcome.ranks) == 1, moves, f"ranks are {outcome.ranks}")
        games.require(outcome.scores is None or len(outcome.scores) == seats, moves, f"scores are {outcome.scores}")
        kind = outcome.reason.kind
        games.require(kind is ReasonKind.RULES, moves, f"the reason is of kind {kind}")


def _check_notation(games: RandomGames) -> None:
    game = games.game
    for moves, position in games.positions():
        for move in position.moves():
            move_text = game.format(move)
            for text in (move_text, f"  {move_text.upper()} ", spaced_text(move_text)):
                games.require(game.parse(text) == move, moves, f"{text!r} is not read as the move {move_text}")


def _check_legal_moves(games: RandomGames) -> None:
    for moves, position in games.positions():
        legal_moves = list(position.moves())
        games.require(len(legal_moves) == len(set(legal_moves)), moves, "moves() yields a move twice")
        games.require(
            (position.outcome() is None) == bool(legal_moves), moves, "moves() and outcome() disagree on the end"
        )
        facts_before = position.key(), position.rows(), position.diagram()
        for move in legal_moves:
            move_text = games.game.format(move)
            reason = position.why_illegal(move)
            games.require(reason is None, moves, f"{move_text} is among the moves, and illegal: {reason}")
            games.require(position.play(move) != position, moves, f"{move_text} changes nothing")
            games.require(
                isinstance(position.describe_effect(move), str), moves, f"describe_effect({move_text}) is not a text"
            )
            warning = position.warning(move)
            games.require(warning is None or warning, moves, f"warning({move_text}) is an empty text")
        is_unchanged = facts_before == (position.key(), position.rows(), position.diagram())
        games.require(is_unchanged, moves, "the position changed while moves were tried: positions must be immutable")


def _check_illegal_moves(games: RandomGames) -> None:
    all_moves = {move for _, position in games.positions() for move in position.moves()}
    for moves, position in games.positions():
        legal_moves = set(position.moves())
        for move in (all_moves | set(_NON_MOVES)) - legal_moves:
            reason = position.why_illegal(move)
            games.require(isinstance(reason, str) and reason, moves, f"why_illegal({move!r}) gives no reason")
            try:
                position.play(move)
            except IllegalMove as error:
                games.require(error.why == reason, moves, f"play({move!r}) gives another reason than why_illegal")
            else:
                games.require(False, moves, f"play({move!r}) accepts a move that is not among the moves")


def _check_diagrams(games: RandomGames) -> None:
    for moves, position in games.positions():
        parsed_position = games.game.from_diagram(position.diagram())
        games.require(parsed_position == position, moves, "from_diagram(diagram()) is another position")
        for method in ("diagram", "rows", "outcome", "facts"):
            games.require(
                getattr(parsed_position, method)() == getattr(position, method)(),
                moves,
                f"{method}() of from_diagram(diagram()) differs",
            )
        games.require(
            (parsed_position.to_move, list(parsed_position.moves())) == (position.to_move, list(position.moves())),
            moves,
            "the turn or the moves of from_diagram(diagram()) differ",
        )


def _check_position_keys(games: RandomGames) -> None:
    facts_by_key: dict[Hashable, object] = {}
    for moves, position in games.positions():
        facts = tuple(position.moves()), position.to_move, position.outcome(), position.rows()
        games.require(
            facts_by_key.setdefault(position.key(), facts) == facts,
            moves,
            "another position has the same key, and other moves, turn, end or rows",
        )


def _check_position_facts(games: RandomGames) -> None:
    for moves, position in games.positions():
        facts = position.facts()
        games.require(
            json.loads(json.dumps(facts)) == facts,
            moves,
            "facts() is not the same after it was written as JSON and read",
        )
        text = "".join(position.rows())  # this text is written to `position.json` without escapes
        games.require(json.loads(f'"{text}"') == text, moves, "rows() has characters that JSON must escape")
        marks = {position.mark(seat) for seat in range(1, games.game.seats + 1)}
        games.require(len(marks) == games.game.seats, moves, "two seats have the same mark")


def _check_drawing(games: RandomGames) -> None:
    names = [f"p{seat}" for seat in range(1, games.game.seats + 1)]
    for moves, position in games.positions():
        last_move = moves[-1] if moves else None
        ElementTree.fromstring(svg(position, names, last_move, interactive=True, territory=True))
        games.require(picture(position, names, last_move), moves, "its picture as text is empty")


def _check_move_places(games: RandomGames) -> None:
    game, board = games.game, games.game.board
    for moves, position in games.positions():
        winning_places = position.winning_places()
        games.require(
            board is not None or not winning_places, moves, "winning_places() names places, and there is no board"
        )
        games.require(
            board is None or all(winning_place in board.name_of for winning_place in winning_places),
            moves,
            "a winning cell is off the board",
        )
        for move in position.moves():
            place, move_text = position.place_to_mark(move), game.format(move)
            games.require(
                place is None or board is not None, moves, f"{move_text} marks a place, and there is no board"
            )
            if place is None or board is None:
                continue
            games.require(place in board.name_of, moves, f"{move_text} marks {place}, which is off the board")
            marked_place = position.play(move).place_marked_by(move)
            games.require(
                marked_place == place, moves, f"{move_text} was to mark {place}, and has marked {marked_place}"
            )
            move_there = position.move_at(place)
            is_same = (
                move_there is not None
                and position.why_illegal(move_there) is None
                and position.place_to_mark(move_there) == place
            )
            games.require(is_same, moves, f"{move_text} marks {place}, and move_at({place}) means {move_there}")


def _check_changed_places(games: RandomGames) -> None:
    if games.game.board is None:
        return
    for moves in games.move_lists:
        position = games.game.start()
        signs = _signs_by_place(position)
        for move in moves:
            previous_position, position = position, position.play(move)
            signs.update((name, sign) for sign, names in position.changes(previous_position) for name in names)
        games.require(
            signs == _signs_by_place(position), moves, "the changes() of all moves together do not give the last board"
        )


def _signs_by_place(position: Position) -> dict[str, str]:
    """Return the sign on every place, by the name of the place."""
    assert position.game.board is not None
    rows = position.rows()
    blank_rows = ["\0" * len(row) for row in rows]
    return {name: sign for sign, names in position.game.board.changes(blank_rows, rows) for name in names}


def _check_symmetries(games: RandomGames) -> None:
    game = games.game
    for symmetry_index, symmetry in enumerate(game.symmetries()):
        for moves, position in games.positions():
            images = [symmetry(move) for move in moves]
            games.require(symmetry_index or images == moves, moves, "the first symmetry is not the identity")
            image_position = game.replay(images)
            under_symmetry = f"under symmetry {symmetry_index} of symmetries()"
            is_same = (image_position.to_move, image_position.outcome()) == (position.to_move, position.outcome())
            games.require(is_same, moves, f"the turn or the end differs {under_symmetry}")
            is_same = set(image_position.moves()) == {symmetry(move) for move in position.moves()}
            games.require(is_same, moves, f"the moves differ {under_symmetry}")
            winning_places: set[Place] = {symmetry(place) for place in position.winning_places()}
            games.require(
                len(winning_places) == len(image_position.winning_places()),
                moves,
                f"the winning cells differ {under_symmetry}",
            )


CHECKS = (
    GameCheck("starts", "it starts with seat 1 to move, with moves and without an outcome", _check_start_position),
    GameCheck("ends", "random games end by the rules of the game, and every seat gets a rank", _check_game_ends),
    GameCheck(
        "notation", "every legal move is read back from its written form, in any case and spacing", _check_notation
    ),
    GameCheck(
        "legal_moves", "moves() yields each legal move once, and playing changes no position", _check_legal_moves
    ),
    GameCheck("illegal_moves", "play() refuses every other move, with a reason", _check_illegal_moves),
    GameCheck("diagrams", "a diagram shows the whole position", _check_diagrams),
    GameCheck(
        "keys", "positions with the same key have the same moves, player to move and outcome", _check_position_keys
    ),
    GameCheck("facts", "facts can be written as JSON, and every seat has a mark of its own", _check_position_facts),
    GameCheck("drawn", "every position can be drawn, as SVG and as text", _check_drawing),
    GameCheck(
        "places", "each move marks the place that it declares, and a click there plays such a move", _check_move_places
    ),
    GameCheck("changes", "the changes of all moves give the last board", _check_changed_places),
    GameCheck("symmetries", "each declared symmetry keeps moves, player to move and outcome", _check_symmetries),
)
