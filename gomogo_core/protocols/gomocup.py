"""Engines that speak Gomocup's protocol (called brains, pbrain-…) as players of Gomoku.

Source: "New Gomocup protocol", version 2 (gomocup.org). The program Piskvork uses this protocol. Commands are lines
that end with CR LF. Points are `x,y`, counted from 0 at the upper left corner. The module gives no verdict.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache

from gomogo_core.games.base import Game, Reason
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Choice, Gomoku, GomokuPosition
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.processes.limits import DEFAULT_MEMORY_MB
from gomogo_core.protocols.descriptor import AgentProtocol
from gomogo_core.protocols.engine_client import Engine, EngineAnswer, EngineOutput
from gomogo_core.protocols.reported_scores import find_score

UNLIMITED_MS = 2**31 - 1  # the value of "no limit" in INFO
# seconds to wait for the answer to RESTART and TAKEBACK: a brain that knows them answers at once
_COMMAND_ANSWER_TIMEOUT = 3.0
_POINT_PATTERN = re.compile(r"\s*(-?[0-9]{1,9})\s*,\s*(-?[0-9]{1,9})\s*")
_OWN_STONE_PATTERN = re.compile(r"([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*,\s*1")
_POINTS_PATTERN = re.compile(r"-?[0-9]{1,9}\s*,\s*-?[0-9]{1,9}(?:\s+-?[0-9]{1,9}\s*,\s*-?[0-9]{1,9})*")
_WORD_PATTERN = re.compile(r"[A-Za-z]+")
_REFUSAL_WORDS = ("UNKNOWN", "ERROR")
_MESSAGE_WORDS = ("MESSAGE", "DEBUG", *_REFUSAL_WORDS, "SUGGEST", "OK")
# Gomocup's numbers of the rules, by the game's options `exact` and `renju`
_RULE_NUMBERS = {(False, False): 0, (True, False): 1, (False, True): 4, (True, True): 4}
# the keys of these settings in INFO, as Rapfi and Yixin read them
_SEARCH_INFO_KEYS = {"nodes": "max_node", "depth": "max_depth", "threads": "thread_num"}


class GomocupEngine(Engine):
    """An engine that speaks Gomocup's protocol."""

    _board_size = 0  # the size of the last board
    _plies: Sequence[Ply] = ()  # the plies of this game
    _plies_on_board = -1  # the number of plies on the brain's own board; -1 if that is unknown
    _question_command = ""  # the command that asked for the last move
    _refusable_infos = 0  # the number of INFO commands that a later UNKNOWN or ERROR may refuse
    _refuses_info = True  # assumed until the answer to ABOUT shows otherwise
    _ignores_about = False  # whether the brain does not answer ABOUT

    @classmethod
    def why_unsupported(cls, game: Game) -> str | None:
        """Accept five in a row (free, exact or Renju) on any board, and the opening swap2."""
        if not isinstance(game, Gomoku):
            return f"Gomocup's protocol is for Gomoku, not for {game.name}"
        if game.line != 5:
            return f"Gomocup's protocol knows five in a row only, not {game.line}"
        if game.opening not in ("none", "swap2"):
            return f"Gomocup's protocol has no opening={game.opening}"
        return None

    def begin_game(self, setup: GameSetup, *, is_next_game: bool, moves_to_undo: Sequence[Ply] | None = None) -> bool:
        """Send START, or RESTART after a game on a board of the same size, or TAKEBACK if a human took moves back."""
        game, plies_on_board = setup.game, self._plies_on_board
        assert isinstance(game, Gomoku)
        self._setup = setup
        self._time_control = setup.controls[self.seat - 1]
        self._rule_number = _RULE_NUMBERS[game.exact, game.renju]
        is_same_size, self._board_size = is_next_game and game.size == self._board_size, game.size
        self._remaining_moves: list[str] = []  # the remaining moves of an answer with several moves
        self._points_by_coordinates, self._coordinates_by_point = _point_notations(game.size)
        if is_next_game and not is_same_size:
            return False  # RESTART keeps the size, and a brain need not accept START twice
        undo_points = None if moves_to_undo is None else [self._coordinates_by_point.get(p.move) for p in moves_to_undo]
        if is_same_size and undo_points is not None and None not in undo_points:
            self._plies_on_board = plies_on_board - len(undo_points)
            self._first_commands = [f"TAKEBACK {point}" for point in undo_points]
        else:
            self._plies_on_board = 0
            self._first_commands = ["RESTART" if is_same_size else f"START {game.size}"]
        if self._first_commands:
            self.send(f"{self._first_commands[0]}\r\n")
        return True

    def wait_until_ready(self, deadline: float) -> Failure | None:
        """Wait for OK after each of the first commands, and then send the limits.

        A brain that refuses START gets RECTSTART. A brain that refuses TAKEBACK or RESTART gets a new process.
        """
        refusal = None
        while self._first_commands:
            command, is_start = self._first_commands[0], self._first_commands[0].startswith("START")
            answer = self._next_status_line(
                deadline if is_start else min(deadline, time.monotonic() + _COMMAND_ANSWER_TIMEOUT)
            )
            if answer[:2].upper() == "OK":
                del self._first_commands[0]
            elif is_start and not answer:
                return self.readiness_failure()
            elif is_start:
                refusal = Failure(Reason.CRASHED, f"answered {command} by {answer[:200]!r}")
                self._first_commands = [f"RECTSTART {self._board_size},{self._board_size}"]
            elif refusal is not None:
                return refusal
            else:
                self.restart()
                self.begin_game(self._setup, is_next_game=False)
                continue
            if self._first_commands:
                self.send(f"{self._first_commands[0]}\r\n")
        self._refusable_infos = 0
        self._send_settings()
        if self._setup.game.start().is_opening_turn:
            self._wait_for_refusals()
        return None

    def _wait_for_refusals(self) -> None:
        """Read all refusals of INFO, so that a later refusal can only be a refusal of SWAP2BOARD.

        The answer to ABOUT shows that the brain has answered all earlier commands.
        """
        if self._ignores_about:
            return
        self.send("ABOUT\r\n")
        deadline, refusals, info_count = time.monotonic() + _COMMAND_ANSWER_TIMEOUT, 0, self._refusable_infos
        while (line := self.next_line(deadline)) is not None:
            first_word = _first_word(line)
            refusals += first_word in _REFUSAL_WORDS
            if first_word not in _MESSAGE_WORDS or refusals > info_count:
                self._refusable_infos, self._refuses_info = 0, refusals > 0
                return
        self._ignores_about = True

    def _next_status_line(self, deadline: float) -> str:
        """Return the next line that begins with OK, UNKNOWN or ERROR; empty if there is none until `deadline`."""
        while (line := self.next_line(deadline)) is not None:
            if _first_word(line) in ("OK", *_REFUSAL_WORDS):
                return line
        return ""

    def moves_on_board(self) -> Sequence[Ply] | None:
        """Return the moves on the engine's own board; None if swap2 may have changed the owners of stones."""
        return list(self._plies[: self._plies_on_board]) if 0 <= self._plies_on_board <= len(self._plies) else None

    def send_limits(self, setup: GameSetup, deadline: float) -> None:
        """Send the time limits as INFO commands."""
        self._setup, self._time_control = setup, setup.controls[self.seat - 1]
        self._send_info(self._time_info())

    def _time_info(self) -> dict[str, int | str]:
        control = self._time_control
        turn_seconds = control.per_move if control.per_move is not None else control.total
        return {
            "timeout_turn": _milliseconds(turn_seconds),
            "timeout_match": 0 if control.total is None else _milliseconds(control.total),
            "time_left": _milliseconds(control.total),
        }

    def _send_settings(self) -> None:
        settings = self.settings
        info = {
            **self._time_info(),
            "max_memory": (settings.memory_mb or DEFAULT_MEMORY_MB) * 2**20,
            "game_type": 1,
            "rule": self._rule_number,
            **{_SEARCH_INFO_KEYS[name]: limit for name, limit in settings.limits.items() if name in _SEARCH_INFO_KEYS},
            **dict(settings.options),
        }
        self._send_info(info)

    def _send_info(self, info: Mapping[str, object]) -> None:
        self.send("".join(f"INFO {name} {value}\r\n" for name, value in info.items()))
        self._refusable_infos += len(info)

    def ask(self, turn: Turn) -> Failure | None:
        """Send TURN if only the opponent's move is new, else BEGIN, BOARD or SWAP2BOARD."""
        if self._remaining_moves:
            return None  # the brain's last answer contains the move
        self._plies = plies = turn.plies
        position = turn.position
        assert isinstance(position, GomokuPosition)
        seconds_left = turn.clocks[self.seat - 1]
        clock_command = "" if seconds_left is None else f"INFO time_left {_milliseconds(seconds_left)}\r\n"
        board_is_current = self._plies_on_board == len(plies) - 1 and not turn.refusal
        is_choosing = position.is_opening_turn
        if board_is_current and plies and not is_choosing and (point := self._coordinates_by_point.get(plies[-1].move)):
            self._question_command = "TURN"
            self.send(f"{clock_command}TURN {point}\r\n")
        elif is_choosing:
            self._question_command = "SWAP2BOARD"
            self._refusable_infos += self._refuses_info and bool(clock_command)
            self.send(f"{clock_command}SWAP2BOARD\r\n{self._stone_lines(turn, owners=False)}DONE\r\n")
        elif not plies:
            self._question_command = "BEGIN"
            self.send(f"{clock_command}BEGIN\r\n")
        else:
            self._question_command = "BOARD"
            self.send(f"{clock_command}BOARD\r\n{self._stone_lines(turn, owners=True)}DONE\r\n")
        self._plies_on_board = len(plies) + 1
        return None

    def _stone_lines(self, turn: Turn, *, owners: bool) -> str:
        """Return a line for every stone, in the order of play.

        owners: whether to append 1 to the brain's stones and 2 to the opponent's.
        """
        position, lines = turn.position, []
        assert isinstance(position, GomokuPosition)
        for ply in turn.plies:
            if ply.move in self._coordinates_by_point:
                point = position.game.parse(ply.move)
                assert isinstance(point, Point)
                owner = f",{1 if position.at(point) == self.seat else 2}" if owners else ""
                lines.append(f"{self._coordinates_by_point[ply.move]}{owner}\r\n")
        return "".join(lines)

    def parse_answer(self, line: str, turn: Turn, engine_output: EngineOutput) -> EngineAnswer | Failure | None:
        """Parse a point, or points and SWAP in swap2. Add the texts of MESSAGE, DEBUG and ERROR to `engine_output`."""
        is_choosing = turn.position.is_opening_turn
        if not is_choosing and (text := self._points_by_coordinates.get(line)) is not None:
            return EngineAnswer(text, original_text=line)
        engine_output.last_line = line
        first_word = _first_word(line)
        if first_word in _MESSAGE_WORDS:
            self._handle_message(first_word, line[len(first_word) :].lstrip(": \t"), engine_output)
            return self._failure_of_refusal(first_word, line) if first_word in _REFUSAL_WORDS else None
        if is_choosing:
            return self._opening_answer(line, turn)
        if match := _POINT_PATTERN.fullmatch(line):
            point = self._point_notation(match[1], match[2])
            return EngineAnswer(point, original_text=line) if point else self._off_board_failure(line)
        if (match := _OWN_STONE_PATTERN.fullmatch(line)) and (point := self._point_notation(match[1], match[2])):
            return EngineAnswer(point, warnings=(f"answered {line!r} instead of x,y",), original_text=line)
        problem = "is neither a point x,y nor a message of the protocol"
        return Failure(Reason.NOT_A_MOVE, f"answered {line[:80]!r}, which {problem}")

    def _failure_of_refusal(self, refusal: str, line: str) -> Failure | None:
        """Return a failure if the engine refused to move; None if it may have refused an INFO command instead.

        refusal: the first word of `line`, UNKNOWN or ERROR.
        """
        names_question = self._question_command in line.upper().split()[1:]
        can_only_be_question = self._question_command == "SWAP2BOARD" and not self._refusable_infos
        if can_only_be_question or (
            names_question and (refusal == "UNKNOWN" or self._question_command == "SWAP2BOARD")
        ):
            return Failure(Reason.NOT_A_MOVE, f"answered {self._question_command} by {line[:80]!r}")
        self._refusable_infos = max(0, self._refusable_infos - 1)
        return None

    def _handle_message(self, word: str, text: str, engine_output: EngineOutput) -> None:
        # accept the point; the brain sends it again
        if word == "SUGGEST" and (point := _POINT_PATTERN.fullmatch(text)):
            self.send(f"PLAY {point[1]},{point[2]}\r\n")
        elif word in ("MESSAGE", "ERROR", "DEBUG") and text:
            engine_output.add_comment(text)
            if (score := find_score(text)) is not None:
                engine_output.score = score

    def _opening_answer(self, line: str, turn: Turn) -> EngineAnswer | Failure:
        """Parse an answer to SWAP2BOARD, which depends on the number of stones on the board.

        On an empty board the answer is three points; after three stones it is SWAP, one point, or two points; after
        five stones it is SWAP or one point. Gomogo takes one move at a time, so the first move is returned now, and the
        others in the next turns. With one point, the brain chooses the colour to move, because it places the next
        stone. With SWAP, it chooses the other colour.
        """
        position, stone_count = turn.position, sum(ply.move in self._coordinates_by_point for ply in turn.plies)
        assert isinstance(position, GomokuPosition)
        is_swap = line.upper() == "SWAP"
        # this check comes first, because findall takes half a minute for 64 KB of digits
        has_points = not is_swap and _POINTS_PATTERN.fullmatch(line)
        points = [self._point_notation(x, y) for x, y in _POINT_PATTERN.findall(line)] if has_points else []
        if not is_swap and any(not point for point in points):
            return self._off_board_failure(line)
        if len(points) not in {0: (3,), 3: (0, 1, 2), 5: (0, 1)}.get(stone_count, ()) or (not points and not is_swap):
            return Failure(Reason.NOT_A_MOVE, f"answered {line[:80]!r} to SWAP2BOARD of {stone_count} stones")
        if len(points) < 2:
            seat_to_move = 3 - self.seat if is_swap else self.seat
            colours = (Choice.SWAP, Choice.STAY)
            points.insert(0, next(choice.value for choice in colours if position.play(choice).to_move == seat_to_move))
        elif len(points) == 2:
            points.insert(0, Choice.PLACE.value)
        self._remaining_moves = points[1:]
        self._plies_on_board = -1  # the owners of the stones may have changed
        return EngineAnswer(points[0])

    def _off_board_failure(self, line: str) -> Failure:
        coordinates = f"coordinates on this board are 0 to {self._board_size - 1}"
        return Failure(Reason.NOT_A_MOVE, f"answered {line[:80]!r}, but {coordinates}")

    def await_move(self, turn: Turn) -> Reply | Failure:
        """Return the next move of an earlier answer that had several moves. If there is none, ask the engine."""
        if self._remaining_moves and not turn.refusal:
            turn.on_waiting()
            return Reply(self._remaining_moves.pop(0), 0.0)
        self._remaining_moves = []
        return super().await_move(turn)

    def looks_like_answer(self, line: str) -> bool:
        """Return whether the line is a point."""
        return line in self._points_by_coordinates or bool(_POINT_PATTERN.fullmatch(line))

    def quit_line(self) -> str:
        """Return the command END."""
        return "END\r\n"

    def _point_notation(self, x: str, y: str) -> str:
        """Return the point in Gomogo's notation; empty if it is not on the board."""
        return self._points_by_coordinates.get(f"{x.lstrip('0') or '0'},{y.lstrip('0') or '0'}", "")


def _first_word(line: str) -> str:
    """Return the first word of a line in capitals, for example ERROR for `error: too small`."""
    match = _WORD_PATTERN.match(line)
    return match[0].upper() if match else ""


@lru_cache(maxsize=32)
def _point_notations(size: int) -> tuple[dict[str, str], dict[str, str]]:
    """Return two mappings of points: from Gomocup's notation to Gomogo's, and the reverse."""
    coordinates_by_point = {str(Point(x + 1, y + 1)): f"{x},{y}" for y in range(size) for x in range(size)}
    return {coordinates: point for point, coordinates in coordinates_by_point.items()}, coordinates_by_point


def _milliseconds(seconds: float | None) -> int:
    return UNLIMITED_MS if seconds is None else min(UNLIMITED_MS, max(0, round(seconds * 1000)))


PROTOCOL = AgentProtocol(
    "gomocup",
    "Gomocup's and Piskvork's protocol for Gomoku, through pipes",
    GomocupEngine,
    games=("gomoku",),
    optional_game_options={"opening": "swap2"},
)
