"""What engines say to us as players, in three protocols: while they get ready, and instead of a move."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from gomogo_core.games import load
from gomogo_core.games.base import Game, NotAMove, Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import GameSetup, Ply
from gomogo_core.play.player import Failure, Reply, Turn
from gomogo_core.processes.process import Process
from gomogo_core.protocols.engine_client import Engine
from gomogo_core.protocols.gomocup import GomocupEngine
from gomogo_core.protocols.gtp import GtpEngine
from gomogo_core.protocols.json_lines import JsonEngine
from gomogo_core.protocols.settings import NO_SETTINGS
from tests.reading._of_files import create_record, format_record
from tests.reading._parsers import Parser

_NAMES = ("alpha", "beta")
_NOW = 0.0  # an expired deadline: only the output so far counts


class _Gone:
    """Replaces a process whose output has ended: the test feeds the output to the conversation."""

    input = output = -1
    exit_fd, output_text, too_much_memory, folder = None, "", False, Path()

    def exit_description(self) -> str:
        return "exited with code 0"

    def wait(self, seconds: float) -> bool:
        return True

    def end(self) -> None: ...

    def begin_turn(self) -> None: ...

    def end_turn(self, *, loaded: bool = True) -> None: ...


def _says(kind: Callable[..., Engine], game: Game, welcome: bytes) -> Callable[[bytes], object]:
    """Let an engine get ready with the bytes before the first NUL, if any, and then answer a question."""
    controls = (TimeControl(5.0), TimeControl(None, 60.0))
    table = GameSetup(game, _NAMES, controls)
    replay = [next(iter(game.start().moves()))]
    after = game.start().play(replay[0])

    def answered(content: bytes) -> object:
        first, nul, later_bytes = content.partition(b"\0")
        engine = kind("alpha", lambda: cast(Process, _Gone()), NO_SETTINGS)
        seat = after.to_move
        engine.start(table, seat)
        assert engine.conversation is not None
        engine.conversation._add_output((first or welcome) + b"\n" if nul else welcome)
        if (failure := engine.await_ready()) is not None:
            return _keep(failure)
        talk = engine.conversation
        turn = Turn(
            position=after,
            previous_position=game.start(),
            plies=[Ply(game.start().to_move, game.format(replay[0]))],
            allowed_seconds=_NOW,
            grace=_NOW,
            clocks=(None, 60.0),
            on_waiting=lambda: talk._add_output((later_bytes if nul else content) + b"\n"),
        )
        engine.ask = lambda turn: None  # type: ignore[method-assign]  # our own words need no reading
        choice = engine.await_move(turn)
        if isinstance(choice, Reply):
            try:
                game.parse(choice.text)
            except NotAMove as error:
                choice = Failure(Reason.NOT_A_MOVE, str(error))
        return _keep(choice)

    return answered


def _keep(choice: Reply | Failure) -> object:
    """Whatever an engine said can be kept in a record, and that written in every form."""
    if isinstance(choice, Failure):
        format_record(create_record(outcome=Outcome.won_by(1, choice.reason, choice.evidence)))
        return choice
    thoughts, scores, lines = (choice.thoughts, None, None), (choice.score, None, None), (choice.line, None, None)
    format_record(replace(create_record(), thoughts=thoughts, scores=scores, lines=lines))
    return choice


_GTP = "\n".join(f"={number}" + "\n" for number in range(9)).encode()
_READY = json.dumps({"ready": True, "keep": True}).encode() + b"\n"

PARSERS = (
    Parser(
        "gomocup_player",
        _says(GomocupEngine, load("gomoku"), b"OK\n"),
        accepted=(
            b"7,7",
            b"MESSAGE ev 35\r\n7,7\r\n",
            b"SUGGEST 1,1\n1,1",
            b"ERROR x\0",
            b"OK - ready\0007,7",
            b"UNKNOWN\0",
        ),
        refused=(),
    ),
    Parser(
        "gomocup_swap2",
        _says(GomocupEngine, load("gomoku", opening="swap2"), b"OK\n"),
        accepted=(b"7,7 8,8 9,9", b"SWAP", b"7,7", b"7,7 8,8", b"-1,2 3,4 5,6"),
    ),
    Parser(
        "gtp_player",
        _says(GtpEngine, load("go", size=9), b"= play\ntime_left\n\n" + _GTP),
        accepted=(
            b"= D4\n",
            b"=12 pass # sure\n\n",
            b"= resign\n\n",
            b"? cannot\n\n",
            b"# ev 3\n= Q99\n",
            b"= a\nb\n\n= c\0",
        ),
    ),
    Parser(
        "json_player",
        _says(JsonEngine, load("dots_and_boxes"), _READY),
        accepted=(
            b'{"move": "h0"}',
            b'{"thoughts": "so", "score": 1e308, "line": ["h0", "h1"]}\n{"move": ["h", 0]}',
            b'{"thoughts": "\\ud800]\\u0000", "move": "\\udfff"}',
            b'{"ready": true}\0{"score": ' + b"9" * 400 + b"}",
            b"[" * 60_000 + b"\0",
        ),
    ),
)
