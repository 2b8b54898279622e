"""Parsers of files: agents, tournaments, records in three forms, saved games, results, openings, levels."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from gomogo.commands import rate
from gomogo.commands.play import saved_game
from gomogo.report._embedded import BoardIndex, embedded_game
from gomogo_core import catalogue, levels
from gomogo_core.catalogue._folders import folder_agent
from gomogo_core.catalogue._python_files import file_agent
from gomogo_core.drawing.svg import svg
from gomogo_core.errors import UserError
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records import live_format, positions
from gomogo_core.records.formats import FORMATS
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.rows import game_row, seat_rows
from gomogo_core.wire.analysis import analysis_in_move_file
from tests.reading._parsers import Parser, decode_text
from tournaments import opening_book, spec


@cache
def folder() -> Path:
    """A folder for what must be read from a file, in memory where there is such a place; it goes with this process."""
    new_folder = Path(tempfile.mkdtemp(prefix="reading-", dir=in_memory()))
    atexit.register(shutil.rmtree, new_folder, ignore_errors=True)
    return new_folder


def in_memory() -> str | None:
    """The place in memory, unless another one is asked for."""
    return "/dev/shm" if os.path.isdir("/dev/shm") and "TMPDIR" not in os.environ else None


def from_file(name: str, read_bytes: Callable[[Path], object]) -> Callable[[bytes], object]:
    """Read what is in a file of this name."""

    def written(content: bytes) -> object:
        path = folder() / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return read_bytes(path)

    return written


def create_record(**record_fields: Any) -> PlayedGame:
    """The record of a short game."""
    rules = load("gomoku", size=7)
    moves = [rules.format(move) for move in islice(rules.start().moves(), 4)]
    plies = tuple(Ply(1 + number % 2, move) for number, move in enumerate(moves))
    plain: dict[str, Any] = {
        "game": "gomoku",
        "options": rules.options,
        "specs": ("ann", "bob"),
        "names": ("ann", "bob"),
        "controls": (TimeControl(5.0), TimeControl(None, 60.0, 1.0)),
        "plies": plies,
        "opening_length": 1,
        "seconds": (0.1, 0.2, 0.3),
        "clocks": (None, 59.0, None),
        "thoughts": ("good", None, "bad]\\"),
        "warnings": ((2, 1, "early"),),
        "outcome": Outcome.won_by(1, Reason.RESIGNED, "resigned"),
        "started": 1.7e9,
        "duration": 1.0,
        "outputs": ("hello", ""),
    }
    return PlayedGame(**{**plain, **record_fields})


def format_record(played: PlayedGame) -> None:
    """Whatever was read can be written again in every form that knows the game, and made into rows."""
    for form in FORMATS.values():
        with suppress(UserError):
            form.write(played)
    for rows in positions.POSITION_FORMATS.values():
        for _ in rows([played]):
            pass
    _ = game_row(played, 1, "played", None), seat_rows(played, played.specs), svg(played.positions()[-1])
    json.loads(embedded_game(played, BoardIndex()), parse_constant=refuse_constant)
    assert played.outcome.is_void or played.winner in (None, *played.names)
    assert all(1 <= seat <= len(played.names) for seat in played.forfeits)


def refuse_constant(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON for a browser")


def _record(ending: str) -> Callable[[bytes], object]:
    return lambda content: format_record(FORMATS[ending].read(content, f"game.{ending}"))


def _go() -> PlayedGame:
    rules = load("go", size=9)
    plies = (Ply(1, "d4"), Ply(2, "pass"), Ply(1, "pass"))
    options = {"game": "go", "options": rules.options, "plies": plies, "opening_length": 0}
    return create_record(**options, outcome=rules.replay(["d4", "pass", "pass"]).outcome())


def _book(ending: str, game: str, **options: object) -> Callable[[bytes], object]:
    rules = load(game, **options)
    return from_file(
        f"book.{ending}", lambda path: [rules.replay(line) for line in opening_book.read_book(path, rules, 20)]
    )


def _agent(content: bytes) -> catalogue.Agent:
    return catalogue.agent(decode_text(content))


def _levels(path: Path) -> object:
    before, levels._LEVELS_FOLDER = levels._LEVELS_FOLDER, path.parent
    try:
        return [rung.name for rung in levels.levels_of_game("any")]
    finally:
        levels._LEVELS_FOLDER = before


def _live(path: Path) -> object:
    return live_format.live_games(path.parent)


_TOML = b'name = "bot"\ncommand = ["./bot", "{team}", "{here}"]\nprotocol = "gtp"\ngames = ["go"]\nbuild = "make"\n'
_CHOOSE = (
    b'"""A bot."""\nGAMES = ("gomoku",)\nKEEP_RUNNING = True\ndef choose(position, clock, *, depth: int = 3): ...\n'
)
_TOURNAMENT = b"""name = "spring"
game = "gomoku"
options = { size = 15, opening = "none" }
agents = ["random_mover", "alpha_beta?depth=2"]
games_per_pair = 20
openings = "random:4"
[time]
per_move = 10.0
[odds."random_mover"]
total = 5
"""
_FOREIGN = b"(;GM[4]FF[4]SZ[15]PB[x]PW[y]RE[B+R]DT[2020-01-01]TM[600]OT[5 s a move];B[hh];W[ig];B[gg]C[a]BL[3])"
_FOREIGN_GO = b"(;GM[1]SZ[9]KM[6.5]RE[W+3.5]RU[Japanese];B[ee];W[];B[dc](;W[cc])(;W[dd]))"
_SAVED = {
    "schema": 1,
    "game": "gomoku",
    "options": {"size": 7},
    "specs": ["human", "greedy"],
    "controls": [{"per_move": 5.0}, {"total": 9.0, "increment": 1.0}],
    "plies": [[1, "d4"], [2, "e4"]],
}
_LEVELS = b"levels = [" + b'{ agent = "greedy", seconds = 5 },' * 8 + b"]\n"
_RESULTS = b"first,second,score,pair\nann,bob,1,1\nbob,ann,0.5,1\nann,cid,0,\n"
_STARTED = {"event": "started", "run": "r", "process": 1, "game": "go", "names": ["a", "b"], "at": 1.0}
_DEEP = 3000

PARSERS = (
    Parser(
        "agent_toml",
        from_file("bot/agent.toml", lambda path: folder_agent(str(path.parent), path.parent)),
        accepted=(
            _TOML,
            b'command = "./bot {team}"\nready = true',
            b'command="x"\nprotocol="json"\noptions={a=1,b=true}',
        ),
        refused=(
            b'command = "{nobody}"',
            b"a = " + b"[" * _DEEP,
            b"command = \xff",
            b'command = "\'"',
            b"memory_mb = 1",
        ),
    ),
    Parser(
        "agent_python",
        from_file("bot.py", lambda path: file_agent(str(path), path, {"depth": "4"})),
        accepted=(_CHOOSE,),
        refused=(b"def choose(): ...\n", b"(" * _DEEP, b"x = " + b"-" * _DEEP + b"1", b"\0", _CHOOSE + b"GAMES = 5\n"),
    ),
    Parser(
        "agent_specs",
        _agent,
        accepted=(
            b"greedy",
            b"alpha_beta?depth=3",
            b"files:TEAM:./bot 'a b'",
            b"gomocup:./pbrain-x?depth=5&memory_mb=64",
        ),
        refused=(
            b"",
            b"a\0b",
            b"~nobody/x.py",
            b"x" * 5000 + b".py",
            b"gtp:'",
            b"json:",
            b"greedy?x=1",
            b"files:a/b:c",
        ),
    ),
    Parser(
        "tournaments",
        from_file("t.toml", spec.read_spec),
        accepted=(_TOURNAMENT, b'agents = []\nformat = "swiss"\nrounds = 3\n'),
        refused=(
            b"agents = 1",
            b"a = " + b"[" * _DEEP,
            b"seed = " + b"9" * 5000,
            b"\xff",
            b"x = nan",
            b"[time]\ntotal = inf",
        ),
    ),
    Parser(
        "sgf",
        _record("sgf"),
        accepted=(FORMATS["sgf"].write(create_record()), FORMATS["sgf"].write(_go()), _FOREIGN, _FOREIGN_GO),
        refused=(
            b"(;GM[4]OPTIONS[" + b"[" * _DEEP + b"])",
            b"(" * _DEEP,
            b"(;SZ[" + b"9" * 5000 + b"])",
        ),
    ),
    Parser(
        "psq",
        _record("psq"),
        accepted=(FORMATS["psq"].write(create_record()), b"Piskvorky 15x15, 11:11, 0\n8,8,100\n9,9,-1\na\nb\n-1\n"),
        refused=(
            b"",
            b"Piskvorky 15x16, 11:11, 0\n",
            b"Piskvorky 999x999, 1:1, 0\n1,1,1\n",
            b"Piskvorky 15x15, 1:1, 0\n0,0\n",
        ),
    ),
    Parser(
        "records",
        _record("json"),
        accepted=(FORMATS["json"].write(create_record()), FORMATS["json"].write(_go())),
        refused=(b"[" * 100_000, b"{}", b"1e999", b'{"schema": 1}', b'{"schema": ' + b"9" * 5000 + b"}"),
    ),
    Parser(
        "saved_games",
        from_file("saved.json", saved_game.read_saved_game),
        accepted=(json.dumps(_SAVED).encode(),),
        refused=(b"[" * 100_000, b"[]", json.dumps({**_SAVED, "options": 1}).encode(), b'{"schema": ' + b"9" * 5000),
    ),
    Parser(
        "results",
        from_file("results.csv", rate._read_results),
        accepted=(_RESULTS, b"\xef\xbb\xbfFirst;x,second,Score,first\n,b,1,a\n", b"first,second,score\r\na,b,1\r\n"),
        refused=(
            b"",
            b"first,second\n",
            b"\xff",
            b"," * 200_000,
        ),
    ),
    Parser(
        "openings_text",
        _book("txt", "gomoku"),
        accepted=(b"0,0, 1,-1, -2,3\n# none\nh8i9 j10\n", b"\xef\xbb\xbfh8 # centre\r\n"),
        refused=(b"", b"0,0, 99,99", b"0,0, " + b"9" * 5000 + b",1", b"h8 h8", b"\xff", b"x" * 100_000),
    ),
    Parser(
        "openings_sgf",
        _book("sgf", "go", size=9),
        accepted=(b"(;GM[1]SZ[9];B[ee];W[dd])(;SZ[9];B[aa])",),
        refused=(
            b"(;SZ[9]AB[aa];B[bb])",
            b"(;",
            b"(" * _DEEP,
            b"(;SZ[19];B[aa])",
            b"(;SZ[9];B[aa];B[bb])",
            b"(;SZ[" + b"9" * 5000,
        ),
    ),
    Parser(
        "openings_psq",
        _book("psq", "gomoku"),
        accepted=(b"Piskvorky 15x15, 11:11, 0\n8,8,100\n9,9,0\na\nb\n0\n",),
        refused=(
            b"Piskvorky 15x15, 11:11, 0\n",
            b"Piskvorky 9x9, 11:11, 0\n1,1,1\n",
            b"Piskvorky 15x15, 1:1, 0\n8,8\n8,8\n",
        ),
    ),
    Parser(
        "levels",
        from_file("levels/any.toml", _levels),
        accepted=(_LEVELS,),
        refused=(
            b"",
            b"levels = 5",
            b"levels = [1]",
            b"levels = [{ agent = 1, seconds = [] }]",
            b"x = " + b"[" * _DEEP,
        ),
    ),
    Parser(
        "thoughts",
        analysis_in_move_file,
        accepted=(
            b'a h 8\n{"score": 1, "line": ["h8"], "thoughts": "x", "values": {"h8": 0.5}}\n',
            b'a h 8\n{"values": {"\\ud800": 1e999}}\n',
            b"a h 8\n{" + b'"x":[' * _DEEP,
        ),
    ),
    Parser(
        "live_files",
        from_file("live/x.jsonl", _live),
        accepted=(
            json.dumps(_STARTED).encode() + b'\n{"event": "moved"}\n{"ev',
            b"[" * 100_000 + b"\n",
            b"\xff\n",
            b"{}\n[]\n",
        ),
    ),
)
