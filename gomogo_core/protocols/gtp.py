"""Engines that speak GTP, the Go Text Protocol (version 2), as players: GNU Go, Fuego, KataGo, Gomogo's own `gomogo
engine`.

All these engines play Go. Engines with the command `gomogo-game`, as Gomogo's own do, also play other games on a
board of points. Gomogo's rules decide the result, never the engine. The module gives no verdict.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

from gomogo_core.cancellation import shielded
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Game, NotAMove, Outcome, Reason
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Turn
from gomogo_core.protocols.conversation import MAX_LINE_BYTES, LineTooLong
from gomogo_core.protocols.descriptor import AgentProtocol
from gomogo_core.protocols.engine_client import START_LIMIT, Engine, EngineAnswer, EngineOutput
from gomogo_core.protocols.reported_scores import find_score
from gomogo_core.protocols.vertices import COLOUR_NAMES, MAX_BOARD_SIZE, format_vertex, parse_vertex

GAME_COMMAND = "gomogo-game"  # a private command of Gomogo's engines; its arguments are NAME and the options as JSON
_SUPPORTED_GAMES = ("go", "gomoku", "capture_go", "robogo")
_PASS = "pass"
_LIMIT_COMMANDS = {  # GTP has no command for these limits, so the commands are those of KataGo, Leela Zero and Fuego
    "nodes": {
        "kata-set-param": "maxVisits {}",
        "lz-setoption": "name visits value {}",
        "uct_param_player": "max_games {}",
    },
    "threads": {"kata-set-param": "numSearchThreads {}", "uct_param_search": "number_threads {}"},
}
# the analysis command of Leela Zero, KataGo and others, and the interval of reports in hundredths of a second
_ANALYSE_COMMAND, _ANALYSE_INTERVAL = "lz-analyze", 20
_OPTIONAL_COMMANDS = ("undo", "time_settings", "time_left", "final_score", _ANALYSE_COMMAND, GAME_COMMAND,
                      *chain(*_LIMIT_COMMANDS.values()))  # fmt: skip
_STOP_INTERVAL = 0.03  # seconds between two checks whether to stop an analysis
_STOP_TIMEOUT = 1.0  # seconds to wait for the end of an analysis
_SCORE_TIMEOUT = 5.0  # seconds to wait for an engine's own score of a finished game, which decides nothing


class AnalysedMove(NamedTuple):
    """A move in an engine's analysis. line: the principal variation, which begins with the move. advantage: the
    advantage of the player to move, from -1 to 1. visits: the number of playouts.
    """

    line: str
    advantage: float
    visits: int


class GtpEngine(Engine):
    """An engine that speaks GTP. Each setting `name=value` is sent as the command `name value`."""

    keeps_blank_lines = True
    _known_commands: frozenset[str] = frozenset()
    # the move in an answer to genmove; None again after the empty line that ends the answer
    _unfinished_answer: str | None = None
    _takes_whole_seconds = True  # whether the engine takes only whole seconds
    _has_time_limit = False  # whether the engine has received a time limit
    _board_moves: list[Ply] | None = None  # the moves on the engine's own board; None if they are unknown

    @classmethod
    def why_unsupported(cls, game: Game) -> str | None:
        """Accept games on square boards of up to 25 points a side, without an opening rule."""
        board = game.board
        if not isinstance(board, PointBoard) or game.name not in _SUPPORTED_GAMES:
            return f"GTP is for boards of points, not for {game.name}"
        if board.columns != board.rows or board.columns > MAX_BOARD_SIZE:
            return f"GTP knows square boards of up to {MAX_BOARD_SIZE} points a side, not {board.columns}×{board.rows}"
        if game.options.get("opening", "none") != "none":
            return f"GTP has no opening={game.options['opening']}"
        return None

    def begin_game(self, setup: GameSetup, *, is_next_game: bool, moves_to_undo: Sequence[Ply] | None = None) -> bool:
        """Store the game; `wait_until_ready` sends the commands, one after another."""
        self._setup = setup
        self._is_next_game = is_next_game
        self._undo_count = None if moves_to_undo is None else len(moves_to_undo)
        return True

    def wait_until_ready(self, deadline: float) -> Failure | None:
        """Send the game, its board, its komi and its times.

        If moves of the last game were taken back and that game continues, undo these moves and send only the times.
        """
        if self._undo_count is not None:
            undo_result = self._undo(self._undo_count, deadline)
            if isinstance(undo_result, Failure):
                return undo_result
            if undo_result:
                return self._set_time(deadline)
        return self._set_up_game(deadline) or self._set_time(deadline)

    def _undo(self, move_count: int, deadline: float) -> bool | Failure:
        """Undo this number of moves on the engine's board. Return False if the engine has no `undo`, or refuses it."""
        if move_count and "undo" not in self._known_commands:
            return False
        for _ in range(move_count):
            answer = self._send_command("undo", deadline)
            if isinstance(answer, Failure):
                return answer
            if not answer[0]:
                return False
            if self._board_moves:
                self._board_moves.pop()
        return True

    def _set_up_game(self, deadline: float) -> Failure | None:
        game, self._board_moves = self._setup.game, []
        if not self._is_next_game:
            if isinstance(commands_or_failure := self._supported_commands(deadline), Failure):
                return commands_or_failure
            self._known_commands = commands_or_failure
        commands = [*self._limit_commands(), *(f"{name} {value}" for name, value in self.settings.options)]
        if GAME_COMMAND in self._known_commands:
            commands.append(f"{GAME_COMMAND} {game.name} {json.dumps(game.options)}")
        elif game.name != "go":
            raise UserError(
                f"{self.name} does not know {game.name}: without {GAME_COMMAND}, a GTP engine plays only Go.",
                "Play Go with it: --game go.",
            )
        commands += [f"boardsize {self._board.columns}", "clear_board"]
        if "komi" in game.options:
            commands.append(f"komi {game.options['komi']:g}")
        for command in commands:
            if isinstance(answer := self._require_success(command, deadline), Failure):
                return answer
        return None

    def _supported_commands(self, deadline: float) -> frozenset[str] | Failure:
        """Return the commands that the engine lists. If it has no list, ask for each command that this module uses."""
        list_answer = self._send_command("list_commands", deadline)
        if isinstance(list_answer, Failure):
            return list_answer
        if list_answer[0]:
            return frozenset(list_answer[1].split())
        answers = {name: self._send_command(f"known_command {name}", deadline) for name in _OPTIONAL_COMMANDS}
        failure = next((answer for answer in answers.values() if isinstance(answer, Failure)), None)
        return failure or frozenset(name for name, answer in answers.items() if answer == (True, "true"))

    def _limit_commands(self) -> list[str]:
        """Return the commands that limit the engine's search; the arena limits its memory. Raises UserError."""
        commands = list[str]()
        for name in ("nodes", "threads"):
            if (limit := getattr(self.settings, name)) is None:
                continue
            forms = _LIMIT_COMMANDS[name].items()
            known_forms = [f"{command} {argument}" for command, argument in forms if command in self._known_commands]
            if not known_forms:
                raise UserError(
                    f"{self.name} cannot take {name}={limit}: GTP has no command for it, and the engine does not know "
                    f"{' or '.join(_LIMIT_COMMANDS[name])}.",
                    "Give the engine's own command instead, as in gtp:gnugo --mode gtp?level=5.",
                )
            commands.append(known_forms[0].format(limit))
        return commands

    def send_limits(self, setup: GameSetup, deadline: float) -> Failure | None:
        """Send the command time_settings."""
        self._setup = setup
        return self._set_time(deadline)

    def _set_time(self, deadline: float) -> Failure | None:
        """Send the time limits. A limit per move is sent as an overtime for one stone.

        GTP counts whole seconds, but some engines accept fractions, so fractions are tried first.
        """
        control = self._setup.controls[self.seat - 1]
        is_unlimited = control.per_move is None and control.total is None
        if "time_settings" not in self._known_commands or (is_unlimited and not self._has_time_limit):
            return None
        main_time, overtime, stones, self._has_time_limit = control.total or 0.0, 0.0, 0, not is_unlimited
        if is_unlimited:
            overtime = 1.0  # an overtime without stones is GTP's "no limit"
        elif control.total is None and control.per_move is not None:
            overtime, stones = control.per_move, 1
        for numbers in ((f"{main_time:g}", f"{overtime:g}"), (str(math.ceil(main_time)), str(math.ceil(overtime)))):
            answer = self._send_command(f"time_settings {numbers[0]} {numbers[1]} {stones}", deadline)
            if isinstance(answer, Failure):
                return answer
            if answer[0]:
                self._takes_whole_seconds = numbers[0].isdigit() and numbers[1].isdigit()
                return None
        return None

    @property
    def _board(self) -> PointBoard:
        board = self._setup.game.board
        assert isinstance(board, PointBoard)  # `why_unsupported` has refused every other game
        return board

    def _send_command(self, command: str, deadline: float) -> tuple[bool, str] | Failure:
        """Send a command. Return whether the command succeeded, and the text of the engine's answer."""
        self.send(command + "\n")
        lines, characters = list[str](), 0
        while (line := self.next_line(deadline)) is not None:
            if line.startswith("#") or (not line and not lines):
                continue
            if not lines and line[0] not in "=?":
                return Failure(
                    Reason.NOT_A_MOVE, f"answered {command!r} by {line[:80]!r}, which begins neither by = nor by ?"
                )
            if not line:
                return lines[0][0] == "=", "\n".join([lines[0][1:].lstrip("0123456789").strip(), *lines[1:]])
            lines.append(line)
            characters += len(line)
            if characters > MAX_LINE_BYTES:
                return Failure(Reason.NOT_A_MOVE, f"answered {command!r} by more than {MAX_LINE_BYTES:,} bytes")
        quoted_line = "nothing" if not lines else repr(lines[0][:80])
        return Failure(Reason.OUT_OF_TIME, f"answered {command!r} by {quoted_line} and no empty line")

    def _require_success(self, command: str, deadline: float) -> str | Failure:
        """Send a command that must succeed. Return the text of the answer, or a failure."""
        answer = self._send_command(command, deadline)
        if isinstance(answer, Failure):
            return answer
        if not answer[0]:
            return Failure(Reason.CRASHED, f"refused {command!r}: {answer[1][:200]}")
        return answer[1]

    def ask(self, turn: Turn) -> Failure | None:
        """Send the new moves, and ask for a move."""
        deadline = time.monotonic() + turn.allowed_seconds + turn.grace
        if failure := self._send_moves(turn.plies, deadline):
            return failure
        seconds_left, colour = turn.clocks[self.seat - 1], COLOUR_NAMES[self.seat]
        if "time_left" in self._known_commands and seconds_left is not None:
            seconds = f"{seconds_left:.2f}"
            if self._takes_whole_seconds and seconds_left > 0:
                seconds = str(max(1, int(seconds_left)))
            answer = self._send_command(f"time_left {colour} {seconds} 0", deadline)
            if isinstance(answer, Failure):
                return answer
        self._unfinished_answer = None
        self.send(f"genmove {colour}\n")
        return None

    @property
    def can_analyse(self) -> bool:
        """Whether the engine has a command that reports its best moves until it is stopped."""
        return _ANALYSE_COMMAND in self._known_commands

    def analyse(
        self, turn: Turn, report: Callable[[Sequence[AnalysedMove]], None], is_stopped: Callable[[], bool]
    ) -> Failure | None:
        """Report the engine's best moves repeatedly, the best move first, until `is_stopped` returns True."""
        if failure := self._send_moves(turn.plies, time.monotonic() + START_LIMIT):
            return failure
        self.send(f"{_ANALYSE_COMMAND} {COLOUR_NAMES[self.seat]} {_ANALYSE_INTERVAL}\n")
        self.is_answer_pending = True
        with shielded():  # a request to stop ends the loop below, so that the engine can play on
            while not is_stopped():
                line = self.next_line(time.monotonic() + _STOP_INTERVAL)
                if line is None:
                    if failure := self.exit_failure():
                        return failure
                elif line.startswith("?"):
                    return Failure(Reason.NOT_A_MOVE, f"answered {_ANALYSE_COMMAND} by {line[:200]!r}")
                elif moves := self._analysed_moves(line):
                    report(moves)
            # any command ends the analysis, even an empty one; an empty line ends the answer
            self.send("\n")
            deadline = time.monotonic() + _STOP_TIMEOUT
            while line := self.next_line(deadline):
                pass
        self.is_answer_pending = line is None
        return None

    def _analysed_moves(self, line: str) -> list[AnalysedMove]:
        """Parse `info move D4 visits 9 winrate 5120 order 0 pv D4 Q16 info move …`; winrate is in ten thousandths."""
        analysed_moves = list[AnalysedMove]()
        for info in line.split("info ")[1:]:
            words = info.split()
            values = dict(zip(words[::2], words[1::2], strict=False))
            expected_words = words[words.index("pv") + 1 :] if "pv" in words else words[1:2]
            vertices = map(str.casefold, expected_words)
            moves = [_PASS if vertex == _PASS else parse_vertex(self._board, vertex) for vertex in vertices]
            if values.get("winrate", "").isdigit() and values.get("visits", "").isdigit() and None not in moves:
                advantage = min(10_000, int(values["winrate"])) / 5000 - 1
                analysed_moves.append(AnalysedMove(" ".join(map(str, moves)), advantage, int(values["visits"])))
        return analysed_moves

    def _send_moves(self, plies: Sequence[Ply], deadline: float) -> Failure | None:
        """Send the new moves. If the referee refused the engine's last move, undo that move on the engine's board
        first.
        """
        board_moves = self._board_moves
        if board_moves and board_moves[:-1] == plies and isinstance(undo_failure := self._undo(1, deadline), Failure):
            return undo_failure
        if board_moves is None or board_moves != plies[: len(board_moves)]:
            if isinstance(answer := self._require_success("clear_board", deadline), Failure):
                return answer
            board_moves = []
        for ply in plies[len(board_moves) :]:
            move = self._setup.game.parse(ply.move)
            vertex_text = format_vertex(self._board, move) if isinstance(move, Point) else _PASS
            answer = self._require_success(f"play {COLOUR_NAMES[ply.seat]} {vertex_text}", deadline)
            if isinstance(answer, Failure):
                return answer
        self._board_moves = list(plies)
        return None

    def parse_answer(self, line: str, turn: Turn, engine_output: EngineOutput) -> EngineAnswer | Failure | None:
        """Parse the answer to genmove. Add comments, and lines before the answer, to `engine_output`."""
        if not line:
            answer, self._unfinished_answer = self._unfinished_answer, None
            return None if answer is None else self._parse_move(answer, turn)
        if self._unfinished_answer is None and line.startswith("="):  # further text, up to the empty line, is a comment
            self._unfinished_answer, _, line = line[1:].lstrip("0123456789").strip().partition(" ")
            if not line:
                return None
        if self._unfinished_answer == "":  # some engines put the answer on a line of its own
            self._unfinished_answer, _, line = line.partition(" ")
            if not line:
                return None
        if self._unfinished_answer is None and line.startswith("?"):
            return Failure(Reason.NOT_A_MOVE, f"answered genmove by {line[:200]!r}")
        engine_output.last_line = line
        engine_output.add_comment(line.lstrip("# "))
        if (score := find_score(line)) is not None:
            engine_output.score = score
        return None

    def _parse_move(self, text: str, turn: Turn) -> EngineAnswer | Failure:
        word = text.casefold()
        if word == RESIGN:
            return EngineAnswer(RESIGN)
        self._board_moves = None  # the engine's board is unknown until its answer has been read
        game = self._setup.game
        if word == _PASS:
            move = _PASS
        else:
            point = parse_vertex(self._board, word)
            if point is None:
                return Failure(Reason.NOT_A_MOVE, f"answered genmove by {text[:80]!r}, which is not on this board")
            move = game.format(point)
        try:
            game.parse(move)
        except NotAMove as error:
            return Failure(Reason.NOT_A_MOVE, str(error))
        self._board_moves = [*turn.plies, Ply(self.seat, move)]  # the engine has played the move on its own board
        return EngineAnswer(move, original_text=text)

    def finish(self, outcome: Outcome) -> None:
        """Ask for the engine's score of a finished game of Go, and add a remark if it differs from the rules' score."""
        super().finish(outcome)
        if outcome.reason is not Reason.SCORE or outcome.scores is None or "final_score" not in self._known_commands:
            return
        if self.conversation is None or self.is_answer_pending or self._has_ended():
            return
        try:
            answer = self._send_command("final_score", time.monotonic() + _SCORE_TIMEOUT)
        except LineTooLong:
            answer = Failure(Reason.NOT_A_MOVE, "")
        black, white = outcome.scores
        if isinstance(answer, Failure):
            self.is_answer_pending = True  # the answer may still arrive, and must not be read in another game
        elif answer[0] and _black_lead(answer[1]) not in (None, black - white):
            engine_result, our_result = answer[1].upper(), f"{'B' if black > white else 'W'}+{abs(black - white):g}"
            self.remarks = (
                f"counts {engine_result} at the end, but the rules count {our_result}: are dead stones on the board?",
            )

    def moves_on_board(self) -> Sequence[Ply] | None:
        """Return the moves on the engine's board, or None if they are unknown."""
        return self._board_moves

    def looks_like_answer(self, line: str) -> bool:
        """Return whether the line is an answer without a question."""
        return line[:1] in ("=", "?") and len(line) > 1

    def quit_line(self) -> str:
        """Return the command quit."""
        return "quit\n"


def _black_lead(score: str) -> float | None:
    """Return Black's lead in points from a score in GTP's notation; None for other texts.

    >>> _black_lead("B+3.5"), _black_lead("w+81.0"), _black_lead("0"), _black_lead("unknown")
    (3.5, -81.0, 0.0, None)
    """
    if match := re.fullmatch(r"([bw])\+(\d{1,4}(?:\.\d{1,4})?)", score.casefold()):
        return float(match[2]) if match[1] == "b" else -float(match[2])
    return 0.0 if score in ("0", "0.0") or score.casefold() == "draw" else None


PROTOCOL = AgentProtocol(
    "gtp",
    "the Go Text Protocol, through pipes",
    GtpEngine,
    games=_SUPPORTED_GAMES,
    settings=("nodes", "memory_mb", "threads"),
    first_game_only=True,  # other games need GAME_COMMAND
    counts_whole_seconds=True,
)
