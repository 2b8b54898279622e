"""Offers an agent as an engine that speaks Gomocup's protocol, for Piskvork, c-gomoku-cli and similar managers.

This module reads commands and writes answers; the move provider gets moves from the agent.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence

from gomogo_core import __version__, games
from gomogo_core.engine_servers.move_provider import CannotMove, MoveProvider
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, IllegalMove, NotAMove
from gomogo_core.games.boards.points import Point
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply, positions_after
from gomogo_core.protocols.gomocup import UNLIMITED_MS

LINE_END = "\r\n"
_STONE_PATTERN = re.compile(r"\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})(?:\s*,\s*([0-9]))?\s*")
_FASTEST_MOVE_SECONDS = 0.1  # seconds for a move if the manager says "as fast as possible"
# The options of the game, by the number of INFO rule. Rule 5 equals 4: in Renju black wins by exactly five only.
_RULE_OPTIONS = {0: {}, 1: {"exact": True}, 4: {"renju": True}, 5: {"renju": True}}


class CommandError(Exception):
    """Raised for a command that cannot be executed. The answer is ERROR with the message."""


class GomocupServer:
    """Answers the commands of a manager. default_control: the time control until INFO sets one. is_over: whether
    END has arrived.
    """

    def __init__(self, move_provider: MoveProvider, default_control: TimeControl) -> None:
        self._move_provider, self._default_control = move_provider, default_control
        self._size, self._rule_number, self._has_started = 15, 0, False
        self._turn_limit_ms: int | None = None
        self._game_limit_ms = 0
        self._game_time_left_ms: int | None = None
        self._plies: list[Ply] = []
        self._stone_lines: list[str] | None = None  # the stones of a BOARD command that is not yet complete
        self._stone_command = ""  # the command whose stones are in self._stone_lines: BOARD or SWAP2BOARD
        self.is_over = False

    def answer(self, line: str) -> str | None:
        """Return the answer to a line, or None for a line without an answer."""
        line = line.strip()
        if not line:
            return None
        command_word, _, arguments = line.partition(" ")
        name = command_word.upper()
        try:
            if self._stone_lines is not None:
                return self._board_line(line)
            command = _COMMANDS.get(name)
            if command is None:
                return f"UNKNOWN {line[:80]}{LINE_END}"
            answer = command(self, arguments.strip())
        except (CommandError, CannotMove) as error:
            return f"ERROR {' '.join(str(error).split())}{LINE_END}"
        except UserError as error:
            return f"ERROR {error.problem}{LINE_END}"
        return None if answer is None else f"{answer}{LINE_END}"

    # Setting up a game

    def _about(self, _: str) -> str:
        agent = self._move_provider.agent
        return f'name="{agent.name}", version="{__version__}", author="Gomogo", country="", www=""'

    def _start(self, arguments: str) -> str:
        if not re.fullmatch(r"[0-9]{1,4}", arguments) or not 5 <= int(arguments) <= 26:
            raise CommandError(f"the size {arguments[:20] or 'is missing and'} must be from 5 to 26")
        self._size, self._has_started = int(arguments), True
        return self._restart("")

    def _rectstart(self, arguments: str) -> str:
        sides = re.fullmatch(r"([0-9]+)\s*,\s*([0-9]+)", arguments)
        if sides is None or sides[1] != sides[2]:
            raise CommandError("only square boards are supported")
        return self._start(sides[1])

    def _restart(self, _: str) -> str:
        self._plies = []
        self._prepare()
        return "OK"

    def _prepare(self) -> None:
        """Load the agent for the first seat. The agent may change to the second seat before its first move."""
        self._move_provider.prepare(self._game(), self._plies, self._control(), 1)

    def _info(self, arguments: str) -> None:
        """Store the keys of INFO that this module supports, and ignore all others, as the protocol demands."""
        key, _, value = arguments.partition(" ")
        if not re.fullmatch(r"-?[0-9]{1,18}", value.strip()):
            return
        number = int(value.strip())
        if key == "timeout_turn":
            self._turn_limit_ms = number
        elif key == "timeout_match":
            self._game_limit_ms = number
        elif key == "time_left":
            self._game_time_left_ms = number
        elif key == "rule":
            if number & ~2 not in _RULE_OPTIONS:  # a continuous game (the bit 2) has the same rules for moves
                raise CommandError(f"rule {number} is not supported")
            self._rule_number = number & ~2
            if self._has_started:
                # INFO has no answer; the next command reports the error
                with contextlib.suppress(CannotMove, UserError):
                    self._prepare()

    def _end(self, _: str) -> None:
        self.is_over = True

    def _game(self, opening: str = "none") -> Game:
        return games.load("gomoku", size=self._size, opening=opening, **_RULE_OPTIONS[self._rule_number])

    def _control(self) -> TimeControl:
        per_move = self._default_control.per_move
        if self._turn_limit_ms is not None:
            is_unlimited = self._turn_limit_ms >= UNLIMITED_MS
            per_move = None if is_unlimited else max(_FASTEST_MOVE_SECONDS, self._turn_limit_ms / 1000)
        game_seconds = self._game_limit_ms / 1000 if 0 < self._game_limit_ms < UNLIMITED_MS else None
        return TimeControl(per_move, game_seconds)

    # Moves

    def _begin(self, _: str) -> str:
        self._plies = []
        return self._answer_with_move()

    def _turn(self, arguments: str) -> str:
        self._place_stone(self._move_text(arguments))
        return self._answer_with_move()

    def _takeback(self, arguments: str) -> str:
        text = self._move_text(arguments)
        if not self._plies or self._plies[-1].move != text:
            raise CommandError(f"{arguments} was not the last move")
        self._plies.pop()
        return "OK"

    def _begin_stones(self, command: str) -> None:
        self._stone_lines, self._stone_command = [], command

    def _board_line(self, line: str) -> str | None:
        assert self._stone_lines is not None
        if line.upper() != "DONE":
            self._stone_lines.append(line)
            return None
        lines, self._stone_lines = self._stone_lines, None
        return (self._move_on_board(lines) if self._stone_command == "BOARD" else self._swap2(lines)) + LINE_END

    def _move_on_board(self, lines: Sequence[str]) -> str:
        """Set up the stones of BOARD and answer with a move. lines: one stone x,y,owner each, in any order."""
        stones = {"1": list[str](), "2": list[str]()}
        for line in lines:
            match = _STONE_PATTERN.fullmatch(line)
            if match is None or match[3] not in stones:
                raise CommandError(f"{line[:40]} is not a stone x,y,1 or x,y,2")
            stones[match[3]].append(self._move_text(f"{match[1]},{match[2]}"))
        own_count, opponent_count = len(stones["1"]), len(stones["2"])
        if opponent_count - own_count not in (0, 1):
            raise CommandError(f"{own_count} own stones and {opponent_count} of the opponent: it is not our turn")
        stones_by_seat = (stones["2"], stones["1"]) if opponent_count > own_count else (stones["1"], stones["2"])
        self._plies = []
        for number in range(own_count + opponent_count):
            self._place_stone(stones_by_seat[number % 2][number // 2])
        return self._answer_with_move()

    def _swap2(self, lines: Sequence[str]) -> str:
        """Answer SWAP2BOARD: place the first three stones, or choose a colour by SWAP or by one or two stones."""
        stones = [self._move_text(line) for line in lines]
        if len(stones) not in (0, 3, 5):
            raise CommandError(f"{len(stones)} stones: swap2 needs 0, 3 or 5")
        game, earlier_moves = self._game("swap2"), stones[:3] + (["place", *stones[3:]] if len(stones) == 5 else [])
        plies: list[Ply] = []
        for text in earlier_moves:
            ply = Ply(positions_after(game, plies)[-1].to_move, text)
            try:
                positions_after(game, [*plies, ply])
            except (IllegalMove, NotAMove) as error:
                raise CommandError(str(error)) from None
            plies.append(ply)
        own_seat, answer_words, is_opening_over = positions_after(game, plies)[-1].to_move, list[str](), False
        while not is_opening_over and (position := positions_after(game, plies)[-1]).to_move == own_seat:
            text = self._move_provider.choose_move(game, plies, self._control(), self._seconds_left())
            plies.append(Ply(own_seat, text))
            if text[-1].isdigit():
                answer_words.append(self._coordinates(text))
                is_opening_over = not position.is_opening_turn
        return " ".join(answer_words) or "SWAP"

    def _place_stone(self, text: str) -> None:
        game = self._game()
        position = positions_after(game, self._plies)[-1]
        try:
            position.play(game.parse(text))
        except (IllegalMove, NotAMove) as error:
            raise CommandError(str(error)) from None
        self._plies.append(Ply(position.to_move, text))

    def _answer_with_move(self) -> str:
        game = self._game()
        text = self._move_provider.choose_move(game, self._plies, self._control(), self._seconds_left())
        if text == "resign":
            raise CommandError("the agent resigns")
        self._plies.append(Ply(positions_after(game, self._plies)[-1].to_move, text))
        return self._coordinates(text)

    def _seconds_left(self) -> float | None:
        if not 0 < self._game_limit_ms < UNLIMITED_MS:
            return None
        milliseconds_left = self._game_limit_ms if self._game_time_left_ms is None else self._game_time_left_ms
        return max(0.01, milliseconds_left / 1000)

    def _move_text(self, coordinates: str) -> str:
        """Convert `x,y` to the notation of Gomogo's games."""
        match = _STONE_PATTERN.fullmatch(coordinates)
        if match is None or int(match[1]) >= self._size or int(match[2]) >= self._size:
            raise CommandError(f"{coordinates[:40]} is not a point of a board of size {self._size}")
        return str(Point(int(match[1]) + 1, int(match[2]) + 1))

    def _coordinates(self, text: str) -> str:
        point = self._game().parse(text)
        assert isinstance(point, Point)
        return f"{point.column - 1},{point.row - 1}"


_COMMANDS: dict[str, Callable[[GomocupServer, str], str | None]] = {
    "ABOUT": GomocupServer._about,
    "START": GomocupServer._start,
    "RECTSTART": GomocupServer._rectstart,
    "RESTART": GomocupServer._restart,
    "INFO": GomocupServer._info,
    "END": GomocupServer._end,
    "BEGIN": GomocupServer._begin,
    "TURN": GomocupServer._turn,
    "TAKEBACK": GomocupServer._takeback,
    "BOARD": lambda server, _: server._begin_stones("BOARD"),
    "SWAP2BOARD": lambda server, _: server._begin_stones("SWAP2BOARD"),
}
