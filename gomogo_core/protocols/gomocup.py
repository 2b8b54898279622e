"""Gomocup brains (pbrain-…, the protocol of Piskvork) as players of Gomoku.

Source: gomocup.org, "New Gomocup protocol", version 2. Commands are lines that end with CR LF; points are `x,y`,
counted from 0 at the upper left corner. Makes no verdict.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache

from gomogo_core.games.base import Game, Position, Reason
from gomogo_core.games.boards.points import Point
from gomogo_core.games.gomoku import Choice, Gomoku, GomokuPosition, Phase
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.protocols.descriptor import AgentProtocol
from gomogo_core.protocols.engine_client import Engine, EngineAnswer, EngineOutput
from gomogo_core.protocols.reported_scores import score_in

UNLIMITED_MS = 2**31 - 1  # the value of "no limit" in INFO
# seconds for OK to RESTART and TAKEBACK, which load nothing; a brain may ignore a command that it does not know
_PATIENCE = 3.0
_POINT = re.compile(r"\s*(-?[0-9]{1,9})\s*,\s*(-?[0-9]{1,9})\s*")
_OWN_STONE = re.compile(r"([0-9]{1,9})\s*,\s*([0-9]{1,9})\s*,\s*1")
_POINTS = re.compile(r"-?[0-9]{1,9}\s*,\s*-?[0-9]{1,9}(?:\s+-?[0-9]{1,9}\s*,\s*-?[0-9]{1,9})*")
_WORD = re.compile(r"[A-Za-z]+")
_REFUSALS = ("UNKNOWN", "ERROR")
_TALK = ("MESSAGE", "DEBUG", *_REFUSALS, "SUGGEST", "OK")
# Gomocup's numbers of rules, by (exact, renju)
_RULES = {(False, False): 0, (True, False): 1, (False, True): 4, (True, True): 4}
# the keys of these settings in INFO, as Rapfi and Yixin know them
_SEARCH = {"nodes": "max_node", "depth": "max_depth", "threads": "thread_num"}


class GomocupEngine(Engine):
    """A Gomocup brain."""

    _size = 0  # the size of the last board
    _plies: Sequence[Ply] = ()  # the plies of this game
    _known = -1  # the number of plies on the brain's own board; -1 if that is unknown
    _question = ""  # the command that asked for the last move
    _refusable = 0  # the number of INFOs that UNKNOWN or ERROR may still refuse, although INFO has no answer
    _refuses_info = True  # assumed until the answer to ABOUT shows otherwise
    _mute = False  # whether it does not answer ABOUT

    @classmethod
    def why_not(cls, game: Game) -> str | None:
        """Accept five in a row (free, exact or Renju) on any board, and the opening swap2."""
        if not isinstance(game, Gomoku):
            return f"Gomocup's protocol is for Gomoku, not for {game.name}"
        if game.line != 5:
            return f"Gomocup's protocol knows five in a row only, not {game.line}"
        if game.opening not in ("none", "swap2"):
            return f"Gomocup's protocol knows no opening={game.opening}"
        return None

    def greet(self, table: GameSetup, *, again: bool, back: Sequence[Ply] | None = None) -> bool:
        """Send START; RESTART after a game on a board of this size; TAKEBACK if a human took moves back."""
        assert self.talk is not None
        game, known = table.game, self._known
        assert isinstance(game, Gomoku)
        self._table, self._control, self._rule = table, table.controls[self.seat - 1], _RULES[game.exact, game.renju]
        same, self._size = again and game.size == self._size, game.size
        self._owed: list[str] = []  # the remaining moves of an answer with several moves
        self._texts, self._coordinates = _names(game.size)
        if again and not same:
            return False  # RESTART keeps the size, and a brain need not accept START twice
        if same and back is not None and all(ply.move in self._coordinates for ply in back):
            self._known = known - len(back)
            self._greeting = [f"TAKEBACK {self._coordinates[ply.move]}" for ply in back]
        else:
            self._known = 0
            self._greeting = ["RESTART" if same else f"START {game.size}"]
        if self._greeting:
            self.talk.say(f"{self._greeting[0]}\r\n")
        return True

    def wait_until_ready(self, until: float) -> Failure | None:
        """Wait for OK to each command of the greeting, then send the limits.

        A brain that refuses START may know RECTSTART; a brain without TAKEBACK or RESTART gets a new process.
        """
        assert self.talk is not None
        refusal = None
        while self._greeting:
            command, starts = self._greeting[0], self._greeting[0].startswith("START")
            answer = self._answer_to(until if starts else min(until, time.monotonic() + _PATIENCE))
            if answer[:2].upper() == "OK":
                del self._greeting[0]
            elif starts and not answer:
                return self.readiness_failure()
            elif starts:
                refusal = Failure(Reason.CRASHED, f"answered {command} by {answer[:200]!r}")
                self._greeting = [f"RECTSTART {self._size},{self._size}"]
            elif refusal is not None:
                return refusal
            else:
                self.restart()
                self.greet(self._table, again=False)
                continue
            if self._greeting:
                self.talk.say(f"{self._greeting[0]}\r\n")
        self._refusable = 0
        self._send_information()
        if _opening(self._table.game.start()):
            self._drain_output()
        return None

    def _drain_output(self) -> None:
        """Read the refusals of INFO before SWAP2BOARD can be refused. They end with the answer to ABOUT."""
        assert self.talk is not None
        if self._mute:
            return
        self.talk.say("ABOUT\r\n")
        until, refusals, told = time.monotonic() + _PATIENCE, 0, self._refusable
        while (line := self.talk.line(until)) is not None:
            word = _word(line)
            refusals += word in _REFUSALS
            if word not in _TALK or refusals > told:
                self._refusable, self._refuses_info = 0, refusals > 0
                return
        self._mute = True

    def _answer_to(self, until: float) -> str:
        """Return the next line with OK, UNKNOWN or ERROR; "" if none comes."""
        assert self.talk is not None
        while (line := self.talk.line(until)) is not None:
            if _word(line) in ("OK", *_REFUSALS):
                return line
        return ""

    def moves_on_board(self) -> Sequence[Ply] | None:
        """Return the moves on the engine's board, or None if swap2 may have changed their owners."""
        return list(self._plies[: self._known]) if 0 <= self._known <= len(self._plies) else None

    def tell_terms(self, table: GameSetup, until: float) -> None:
        """Send the time limits as INFO commands."""
        self._table, self._control = table, table.controls[self.seat - 1]
        self._send_info(self._times())

    def _times(self) -> dict[str, int | str]:
        control = self._control
        turn = control.per_move if control.per_move is not None else control.total
        return {
            "timeout_turn": _milliseconds(turn),
            "timeout_match": 0 if control.total is None else _milliseconds(control.total),
            "time_left": _milliseconds(control.total),
        }

    def _send_information(self) -> None:
        settings = self.settings
        info = {
            **self._times(),
            "max_memory": (settings.memory_mb or 0) * 2**20,
            "game_type": 1,
            "rule": self._rule,
            **{word: getattr(settings, name) for name, word in _SEARCH.items() if name in settings.limits},
            **dict(settings.options),
        }
        self._send_info(info)

    def _send_info(self, info: Mapping[str, object]) -> None:
        assert self.talk is not None
        self.talk.say("".join(f"INFO {name} {value}\r\n" for name, value in info.items()))
        self._refusable += len(info)

    def ask(self, turn: Turn) -> Failure | None:
        """Send TURN if only the opponent's move is new; else BEGIN, BOARD or SWAP2BOARD."""
        assert self.talk is not None
        if self._owed:
            return None  # its last answer contains the move
        self._plies = plies = turn.plies
        position = turn.position
        assert isinstance(position, GomokuPosition)
        left = turn.clocks[self.seat - 1]
        clock = "" if left is None else f"INFO time_left {_milliseconds(left)}\r\n"
        in_step = self._known == len(plies) - 1 and not turn.refused
        if in_step and plies and plies[-1].move in self._coordinates and not _opening(position):
            self._question = "TURN"
            self.talk.say(f"{clock}TURN {self._coordinates[plies[-1].move]}\r\n")
        elif _opening(position):
            self._question = "SWAP2BOARD"
            self._refusable += self._refuses_info and bool(clock)
            self.talk.say(f"{clock}SWAP2BOARD\r\n{self._lines(turn, owners=False)}DONE\r\n")
        elif not plies:
            self._question = "BEGIN"
            self.talk.say(f"{clock}BEGIN\r\n")
        else:
            self._question = "BOARD"
            self.talk.say(f"{clock}BOARD\r\n{self._lines(turn, owners=True)}DONE\r\n")
        self._known = len(plies) + 1
        return None

    def _lines(self, turn: Turn, *, owners: bool) -> str:
        """Return every stone, in the order of play. owners: append 1 to the brain's stones and 2 to the opponent's."""
        position, lines = turn.position, []
        assert isinstance(position, GomokuPosition)
        for ply in turn.plies:
            if ply.move in self._coordinates:
                point = position.game.parse(ply.move)
                assert isinstance(point, Point)
                owner = f",{1 if position.at(point) == self.seat else 2}" if owners else ""
                lines.append(f"{self._coordinates[ply.move]}{owner}\r\n")
        return "".join(lines)

    def parse_answer(self, line: str, turn: Turn, spoken: EngineOutput) -> EngineAnswer | Failure | None:
        """Parse a point, or points and SWAP in swap2; store MESSAGE, DEBUG and ERROR."""
        if (text := self._texts.get(line)) is not None and not _opening(turn.position):
            return EngineAnswer(text)
        spoken.last = line
        word = _word(line)
        if word in _TALK:
            self._handle_message(word, line[len(word) :].lstrip(": \t"), spoken)
            return self._question_failure(word, line) if word in _REFUSALS else None
        if _opening(turn.position):
            return self._opening_answer(line, turn)
        if match := _POINT.fullmatch(line):
            point = self._point(match[1], match[2])
            return EngineAnswer(point) if point else self._off_the_board(line)
        if (match := _OWN_STONE.fullmatch(line)) and (point := self._point(match[1], match[2])):
            return EngineAnswer(point, warnings=(f"answered {line!r}, as BOARD has stones, and not x,y",))
        return Failure(
            Reason.NOT_A_MOVE, f"answered {line[:80]!r}, which is neither a point x,y nor MESSAGE or the like"
        )

    def _question_failure(self, word: str, line: str) -> Failure | None:
        """Return a failure if the engine refused the question; None if it may have refused an INFO instead."""
        named = self._question in line.upper().split()[1:]
        alone = self._question == "SWAP2BOARD" and not self._refusable
        if alone or (named and (word == "UNKNOWN" or self._question == "SWAP2BOARD")):
            return Failure(Reason.NOT_A_MOVE, f"answered {self._question} by {line[:80]!r}")
        self._refusable = max(0, self._refusable - 1)
        return None

    def _handle_message(self, word: str, text: str, spoken: EngineOutput) -> None:
        assert self.talk is not None
        if word == "SUGGEST" and (point := _POINT.fullmatch(text)):  # accept the point; the brain then sends it again
            self.talk.say(f"PLAY {point[1]},{point[2]}\r\n")
        elif word in ("MESSAGE", "ERROR", "DEBUG") and text:
            spoken.lines.append(text)
            if (score := score_in(text)) is not None:
                spoken.score = score

    def _opening_answer(self, line: str, turn: Turn) -> EngineAnswer | Failure:
        """Parse an answer to SWAP2BOARD: three points; then SWAP or one or two points; then SWAP or a point.

        Our games take one move at a time, so the first is returned now, and the others in the next turns. A point is
        the brain's own next stone, so the brain takes the colours that are to move; by SWAP it takes the others.
        """
        position, stones = turn.position, sum(ply.move in self._coordinates for ply in turn.plies)
        assert isinstance(position, GomokuPosition)
        swapping = line.upper() == "SWAP"
        several = not swapping and _POINTS.fullmatch(
            line
        )  # checked first: findall in 64 KB of digits takes half a minute
        points = [self._point(x, y) for x, y in _POINT.findall(line)] if several else []
        if not swapping and any(not point for point in points):
            return self._off_the_board(line)
        if len(points) not in {0: (3,), 3: (0, 1, 2), 5: (0, 1)}.get(stones, ()) or (not points and not swapping):
            return Failure(Reason.NOT_A_MOVE, f"answered {line[:80]!r} to SWAP2BOARD of {stones} stones")
        if len(points) < 2:
            mover = 3 - self.seat if swapping else self.seat
            colours = (Choice.SWAP, Choice.STAY)
            points.insert(0, next(choice.value for choice in colours if position.play(choice).to_move == mover))
        elif len(points) == 2:
            points.insert(0, Choice.PLACE.value)
        self._owed = points[1:]
        self._known = -1  # the owners of the stones may have changed
        return EngineAnswer(points[0])

    def _off_the_board(self, line: str) -> Failure:
        return Failure(Reason.NOT_A_MOVE, f"answered {line[:80]!r}: off a board of 0 to {self._size - 1} each way")

    def choose(self, turn: Turn) -> Reply | Failure:
        """Return the next move of an earlier answer with several moves; if there is none, ask."""
        if self._owed and not turn.refused:
            turn.on_waiting()
            return Reply(self._owed.pop(0), 0.0)
        self._owed = []
        return super().choose(turn)

    def looks_early(self, line: str) -> bool:
        """Return whether the line is a point."""
        return line in self._texts or bool(_POINT.fullmatch(line))

    def quit_command(self) -> str:
        """Send END."""
        return "END\r\n"

    def _point(self, x: str, y: str) -> str:
        """Return the point in our notation, or "" if it is off the board."""
        return self._texts.get(f"{x.lstrip('0') or '0'},{y.lstrip('0') or '0'}", "")


def _word(line: str) -> str:
    """Return the first word of a line, in capitals: ERROR of `error: too small`."""
    match = _WORD.match(line)
    return match[0].upper() if match else ""


def _opening(position: Position) -> bool:
    """Return whether the position belongs to swap2: the players still choose colours."""
    return isinstance(position, GomokuPosition) and position.phase is not Phase.PLAY


@lru_cache(maxsize=32)
def _names(size: int) -> tuple[dict[str, str], dict[str, str]]:
    """Return two mappings: from Gomocup's notation of each point to ours, and from ours to Gomocup's."""
    theirs = {str(Point(x + 1, y + 1)): f"{x},{y}" for y in range(size) for x in range(size)}
    return {their: our for our, their in theirs.items()}, theirs


def _milliseconds(seconds: float | None) -> int:
    return UNLIMITED_MS if seconds is None else min(UNLIMITED_MS, max(0, round(seconds * 1000)))


PROTOCOL = AgentProtocol(
    "gomocup",
    "Gomocup's and Piskvork's protocol for Gomoku, through pipes",
    GomocupEngine,
    games=("gomoku",),
    may_lack={"opening": "swap2"},
)
