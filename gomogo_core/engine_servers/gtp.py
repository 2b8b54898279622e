"""Offers an agent as an engine to GoGui, Sabaki and other controllers that use version 2 of the Go Text Protocol.

This module reads commands and writes answers; the move provider gets moves from the agent. The command `gomogo-game
NAME OPTIONS-AS-JSON` selects another of Gomogo's games on boards of points. GoGui shows these games by its commands
`gogui-rules_…`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from gomogo_core import __version__, games
from gomogo_core.drawing.coordinates import coordinates_of
from gomogo_core.drawing.text import picture
from gomogo_core.engine_servers.move_provider import CannotMove, MoveProvider, check_two_players
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Game, Move, Position
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply, last_move, positions_after
from gomogo_core.protocols.gtp import GAME_COMMAND
from gomogo_core.protocols.vertices import COLOUR_NAMES, MAX_BOARD_SIZE, format_vertex, parse_vertex

_SEAT_BY_COLOUR = {"b": 1, "black": 1, "w": 2, "white": 2}
_PASS = "pass"
_MAX_NUMBER = 1e9  # larger numbers from a controller are refused


class CommandRefused(Exception):
    """Raised for a command that the engine refuses. The answer is a question mark with the message."""


class GtpServer:
    """Answers the commands of a controller.

    game: the first game. default_control: the time control until the controller sets one. is_over: whether `quit` has
    arrived.
    """

    def __init__(self, move_provider: MoveProvider, game: Game, default_control: TimeControl) -> None:
        check_two_players(game)
        if not _has_vertices(game):
            raise UserError(
                f"GTP is for boards of points with at most {MAX_BOARD_SIZE} columns, not for this {game.name}.",
                "Choose go, gomoku, robogo …, or a smaller board.",
            )
        self._move_provider, self._game, self._default_control = move_provider, game, default_control
        self._plies: list[Ply] = []
        # the number of plies after each pass that this engine added for the opponent
        self._added_pass_plies: set[int] = set()
        # the main time, the overtime, and the number of stones in an overtime
        self._time_settings_values: tuple[float, float, int] | None = None
        # by seat: the seconds left, and the number of stones to play in these seconds
        self._time_left_by_seat: dict[int, tuple[float, int]] = {}
        self._start_error: CannotMove | UserError | None = None  # the error of the agent's start, until it is reported
        self.is_over = False

    def answer(self, line: str) -> str | None:
        """Return the answer to a line, followed by an empty line; None for a line without a command."""
        words = re.sub(r"[\0-\x08\n-\x1f]", "", line.partition("#")[0]).split()  # without control characters
        if not words:
            return None
        command_id = words.pop(0) if words[0].isdigit() else ""
        if not words:
            return f"?{command_id} no command\n\n"
        name, arguments = words[0], words[1:]
        command = _COMMANDS.get(name)
        if command is None:
            return f"?{command_id} unknown command\n\n"
        try:
            answer = command(self, arguments)
        except (CommandRefused, CannotMove) as error:
            return f"?{command_id} {' '.join(str(error).split())}\n\n"
        except UserError as error:
            return f"?{command_id} {error.problem}\n\n"
        return f"={command_id} {answer}".rstrip(" ") + "\n\n"

    @property
    def _board(self) -> PointBoard:
        board = self._game.board
        assert isinstance(board, PointBoard)  # other games are refused
        return board

    @property
    def _position(self) -> Position:
        return positions_after(self._game, self._plies)[-1]

    def _quit(self, _: list[str]) -> str:
        self.is_over = True
        return ""

    # The board

    def _boardsize(self, words: list[str]) -> str:
        size = _parse_number(words, int)
        size_option = {spec.name: spec for spec in self._game.declared_options}["size"]
        if not (size_option.low or 1) <= size <= min(size_option.high or MAX_BOARD_SIZE, MAX_BOARD_SIZE):
            raise CommandRefused("unacceptable size")
        options = dict(self._game.non_default_options)
        for name in ("size", "rows", "cols", "max_moves"):
            options.pop(name, None)
        self._game = games.load(self._game.name, **{**options, "size": size})
        self._forget_game()
        return ""

    def _clear_board(self, _: list[str]) -> str:
        self._forget_game()
        self._prepare(1)
        return ""

    def _forget_game(self) -> None:
        self._plies, self._added_pass_plies = [], set()
        self._time_left_by_seat, self._start_error = {}, None

    def _prepare(self, seat: int) -> None:
        """Load the agent before its clock runs. If that fails, the next `genmove` reports the error."""
        if self._start_error is None:
            try:
                self._move_provider.prepare(self._game, self._plies, self._control(seat)[0], seat)
            except (CannotMove, UserError) as error:
                self._start_error = error

    def _komi(self, words: list[str]) -> str:
        komi = _parse_number(words, float)
        if "komi" in self._game.options:
            self._game, self._start_error = games.load(self._game.name, **{**self._game.options, "komi": komi}), None
            self._prepare(self._position.to_move)
        return ""

    def _play_game(self, words: list[str]) -> str:
        """Play another game. words: the game's name, and its options as JSON."""
        if not words:
            raise CommandRefused("syntax error: no game")
        try:
            options = json.loads(" ".join(words[1:]) or "{}")
            game = games.load(words[0], **options)
        except (ValueError, TypeError, RecursionError):
            raise CommandRefused("syntax error: the options are no JSON object") from None
        if not _has_vertices(game) or game.seats != 2:
            problem = f"is not for two on a board of points with at most {MAX_BOARD_SIZE} columns"
            raise CommandRefused(f"this {game.name} {problem}")
        if not self._move_provider.agent.plays(game.name):
            raise CommandRefused(f"{self._move_provider.agent.spec} does not play {game.name}")
        self._game = game
        return self._clear_board([])

    def _play(self, words: list[str]) -> str:
        if len(words) != 2:
            raise CommandRefused("syntax error: play COLOUR VERTEX")
        self._pass_turn_to(_seat_of_colour(words[0]))
        move = self._move(words[1])
        if self._position.why_illegal(move):
            raise CommandRefused("illegal move")
        self._plies.append(Ply(_seat_of_colour(words[0]), self._game.format(move)))
        self._prepare(3 - _seat_of_colour(words[0]))
        return ""

    def _move(self, text: str) -> Move:
        if text.casefold() == _PASS:
            try:
                return self._game.parse(_PASS)
            except ValueError:
                raise CommandRefused("illegal move") from None
        point = parse_vertex(self._board, text)
        if point is None:
            raise CommandRefused("invalid vertex")
        return point

    def _pass_turn_to(self, seat: int) -> None:
        """Add a pass of the opponent if `seat` moves twice in a row. GTP's controllers place handicap stones in this
        way.
        """
        position = self._position
        if position.outcome() is None and position.to_move != seat:
            if not any(self._game.format(move) == _PASS for move in position.moves()):
                raise CommandRefused(f"it is {COLOUR_NAMES[position.to_move]}'s turn")
            self._plies.append(Ply(position.to_move, _PASS))
            self._added_pass_plies.add(len(self._plies))

    def _undo(self, _: list[str]) -> str:
        if not self._plies:
            raise CommandRefused("cannot undo")
        self._plies.pop()
        if len(self._plies) in self._added_pass_plies:  # also undo the pass that let this colour move twice
            self._plies.pop()
        self._added_pass_plies = {number for number in self._added_pass_plies if number <= len(self._plies)}
        return ""

    # Thinking

    def _generate_move(self, words: list[str], *, play: bool) -> str:
        """Return the agent's move. play: whether to add the move to the game."""
        if not words:
            raise CommandRefused("syntax error: genmove COLOUR")
        seat, earlier_plies = _seat_of_colour(words[0]), list(self._plies)
        self._pass_turn_to(seat)
        control, seconds_left = self._control(seat)
        try:
            if self._start_error is not None:
                start_error, self._start_error = self._start_error, None
                raise start_error
            text = self._move_provider.choose_move(self._game, self._plies, control, seconds_left)
        except (CannotMove, UserError):
            self._plies = earlier_plies
            raise
        if play and text != RESIGN:
            self._plies.append(Ply(seat, text))
        else:
            self._plies = earlier_plies
        if text == RESIGN:
            return text
        move = self._game.parse(text)
        return format_vertex(self._board, move) if isinstance(move, Point) else _PASS

    def _time_settings(self, words: list[str]) -> str:
        if len(words) != 3:
            raise CommandRefused("syntax error: time_settings MAIN OVERTIME STONES")
        main_time, overtime = _parse_number(words, float), _parse_number(words[1:], float)
        self._time_settings_values = (main_time, overtime, int(_parse_number(words[2:], float)))
        self._time_left_by_seat = {}
        return ""

    def _time_left(self, words: list[str]) -> str:
        if len(words) != 3:
            raise CommandRefused("syntax error: time_left COLOUR SECONDS STONES")
        seconds, stones = _parse_number(words[1:], float), int(_parse_number(words[2:], float))
        self._time_left_by_seat[_seat_of_colour(words[0])] = seconds, stones
        return ""

    def _control(self, seat: int) -> tuple[TimeControl, float | None]:
        """Return the limits of the next move, and the time left in the game.

        Main time is for the whole game. In overtime each move gets an equal share of the time left. Overtime without
        stones means no limit; the usual control then applies.
        """
        if self._time_settings_values is None:
            return self._default_control, None
        main_time, overtime, stones = self._time_settings_values
        first_limit = (main_time, 0) if main_time > 0 else (overtime, stones)
        seconds, stones_left = self._time_left_by_seat.get(seat, first_limit)
        if stones_left > 0:
            return TimeControl(per_move=max(0.01, seconds / stones_left)), None
        if main_time > 0:
            return TimeControl(per_move=None, total=main_time), max(0.01, seconds)
        return self._default_control, None

    # The state of the game

    def _showboard(self, _: list[str]) -> str:
        position, names = self._position, [f"({COLOUR_NAMES[seat]})" for seat in (1, 2)]
        last_point = last_move(self._game, self._plies)
        return f"\n{picture(position, names, last_point, coordinates=coordinates_of('book', self._game))}"

    def _final_score(self, _: list[str]) -> str:
        outcome = self._position.outcome()
        scores = outcome.scores if outcome is not None and outcome.scores else self._position.facts().get("scores")
        if outcome is not None and not outcome.scores and outcome.winner:
            return f"{'BW'[outcome.winner - 1]}+R"
        if not scores:
            raise CommandRefused("cannot score: the game is not over")
        margin = scores[0] - scores[1]
        return "0" if margin == 0 else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"

    def _final_status_list(self, words: list[str]) -> str:
        """Return the stones with the given status. By Gomogo's rules every stone on the board at the end is alive."""
        if not words or words[0] not in ("alive", "dead", "seki"):
            raise CommandRefused("syntax error: final_status_list alive|dead|seki")
        return "" if words[0] != "alive" else " ".join(format_vertex(self._board, point) for point in self._stones())

    def _stones(self) -> Iterator[Point]:
        rows = self._position.rows()
        return (point for point in self._board.points if rows[point.row - 1][point.column - 1] != ".")

    # GoGui's commands for games other than Go

    def _rules_board(self, _: list[str]) -> str:
        marks = {self._position.mark(1): "X", self._position.mark(2): "O"}
        return "\n" + "\n".join(" ".join(marks.get(mark, ".") for mark in row) for row in self._position.rows())

    def _rules_legal_moves(self, _: list[str]) -> str:
        moves = self._position.moves()
        return " ".join(format_vertex(self._board, move) if isinstance(move, Point) else str(move) for move in moves)

    def _rules_final_result(self, _: list[str]) -> str:
        outcome = self._position.outcome()
        if outcome is None:
            return ""
        if outcome.winner is None:
            return "a draw"
        return f"{COLOUR_NAMES[outcome.winner].title()} wins: {outcome.detail or outcome.reason.value}"


def _has_vertices(game: Game) -> bool:
    """Return whether the moves of the game are points of a board, and the board has a GTP letter for each column."""
    return game.moves_are_board_places and isinstance(game.board, PointBoard) and game.board.columns <= MAX_BOARD_SIZE


def _seat_of_colour(colour: str) -> int:
    try:
        return _SEAT_BY_COLOUR[colour.casefold()]
    except KeyError:
        raise CommandRefused("invalid colour") from None


def _parse_number(words: list[str], number_type: type[int] | type[float]) -> int | float:
    try:
        number = number_type(words[0])
        if abs(float(number)) > _MAX_NUMBER:
            raise ValueError
    except (IndexError, ValueError, OverflowError):
        raise CommandRefused("syntax error: a number is missing, or too large") from None
    return number


_COMMANDS: dict[str, Callable[[GtpServer, list[str]], str]] = {
    "protocol_version": lambda server, _: "2",
    "name": lambda server, _: f"Gomogo {server._move_provider.agent.name}",
    "version": lambda server, _: __version__,
    "known_command": lambda server, words: str(bool(words) and words[0] in _COMMANDS).lower(),
    "list_commands": lambda server, _: "\n".join(_COMMANDS),
    "quit": GtpServer._quit,
    "boardsize": GtpServer._boardsize,
    "clear_board": GtpServer._clear_board,
    "komi": GtpServer._komi,
    "play": GtpServer._play,
    "genmove": lambda server, words: server._generate_move(words, play=True),
    "reg_genmove": lambda server, words: server._generate_move(words, play=False),
    "undo": GtpServer._undo,
    "time_settings": GtpServer._time_settings,
    "time_left": GtpServer._time_left,
    "final_score": GtpServer._final_score,
    "final_status_list": GtpServer._final_status_list,
    "showboard": GtpServer._showboard,
    GAME_COMMAND: GtpServer._play_game,
    "gogui-rules_game_id": lambda server, _: {"go": "Go"}.get(server._game.name, server._game.name.title()),
    "gogui-rules_board_size": lambda server, _: str(server._board.columns),
    "gogui-rules_board": GtpServer._rules_board,
    "gogui-rules_side_to_move": lambda server, _: COLOUR_NAMES[server._position.to_move],
    "gogui-rules_legal_moves": GtpServer._rules_legal_moves,
    "gogui-rules_final_result": GtpServer._rules_final_result,
}
