"""What controllers say to us as an engine, in two protocols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import cast

from gomogo.commands.engine import _MAX_LINE_LENGTH
from gomogo_core.engine_servers.gomocup import GomocupServer
from gomogo_core.engine_servers.gtp import GtpServer
from gomogo_core.engine_servers.move_provider import CannotMove, MoveProvider
from gomogo_core.games import load
from gomogo_core.games.base import Game, Seat
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from tests.reading._parsers import Parser, decode_text

_LINES = 40  # lines of one input that are answered


class _First:
    """Stands for a move provider: plays the first legal move."""

    agent = SimpleNamespace(name="first", spec="first", plays=lambda game: True)

    def prepare(self, game: Game, plies: Sequence[Ply], control: TimeControl, seat: Seat) -> None: ...

    def choose_move(
        self, game: Game, plies: Sequence[Ply], control: TimeControl, moves_left: float | None = None
    ) -> str:
        position = game.start()
        for ply in plies:
            position = game.apply_action(position, ply.seat, ply.move)
        if position.outcome() is not None:
            raise CannotMove("the game is over")
        return game.format(next(iter(position.moves())))


def _answers(server: Callable[[], GomocupServer | GtpServer]) -> Callable[[bytes], object]:
    def answered(content: bytes) -> object:
        engine_server = server()
        for line in decode_text(content).splitlines(keepends=True)[:_LINES]:
            if (answer := engine_server.answer(line[:_MAX_LINE_LENGTH])) is not None:
                assert answer.isprintable() or "\n" in answer
            if engine_server.is_over:
                break
        return None

    return answered


_THINKER, _TIME = cast(MoveProvider, _First()), TimeControl(5.0)

PARSERS = (
    Parser(
        "gomocup_engine",
        _answers(lambda: GomocupServer(_THINKER, _TIME)),
        accepted=(
            b"ABOUT\nSTART 15\nINFO timeout_turn 1000\nINFO rule 1\nBEGIN\nTURN 7,7\nTAKEBACK 7,7\n",
            b"START 20\nBOARD\n10,10,1\n10,11,2\nDONE\nEND\n",
            b"RECTSTART 15,15\nSWAP2BOARD\n7,7\n8,8\n9,9\nDONE\n",
            b"START \xc2\xb2\nRECTSTART 9,\xd9\xa3\nTURN " + b"9" * 4090 + b",1\nINFO timeout_match -5\nBEGIN\n",
        ),
    ),
    Parser(
        "gtp_engine",
        _answers(lambda: GtpServer(_THINKER, load("go", size=9), _TIME)),
        accepted=(
            b"1 list_commands\nboardsize 9\nkomi 6.5\nplay b D4\ngenmove w\nundo\nshowboard\nfinal_score\n",
            b'gomogo-game gomoku {"size": 15}\nplay black H8\nreg_genmove white\ngogui-rules_legal_moves\n',
            b"time_settings 300 10 5\ntime_left b 20 1\ngenmove b\nplay b pass\nplay w pass\nfinal_status_list alive\n",
            b"gomogo-game go " + b"[" * 4000 + b"\nboardsize 1e3\ntime_settings nan inf -1\n\xc2\xb2 name\nkomi nan\n",
        ),
    ),
)
