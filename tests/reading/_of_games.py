"""Parsers of rules and wire: moves, diagrams, lines of an agent's file, scores in an engine's output."""

from __future__ import annotations

from functools import cache

from gomogo_core.games import load, names
from gomogo_core.games.base import BadDiagram, Game, NotAMove, Position
from gomogo_core.protocols.reported_scores import find_score
from gomogo_core.wire.lines import MoveLine, check_teams, moves_in_history, parse_move_line
from tests.reading._parsers import Parser, decode_text

_TEAMS = ("alpha", "beta")


@cache
def _games() -> tuple[Game, ...]:
    special = (load("gomoku", opening="swap2"), load("gomoku", opening="takeover"), load("go", size=9, ko="positional"))
    return (*(load(name) for name in names()), *special)


@cache
def _positions() -> tuple[Position, ...]:
    """The start of each game, and one where something stands."""
    return tuple(
        position for game in _games() for start in [game.start()] for position in (start, start.play(_first(start)))
    )


def _first(position: Position) -> object:
    return next(iter(position.moves()))


def _chosen(content: bytes) -> tuple[int, bytes]:
    """A number, which the first byte gives, and the rest."""
    return (content[0] if content else 0), content[1:]


def _move(content: bytes) -> object:
    game_index, text = _chosen(content)
    game = _games()[game_index % len(_games())]
    move = game.parse(decode_text(text))
    assert game.parse(game.format(move)) == move
    return move


def _diagram(content: bytes) -> Position:
    game_index, text = _chosen(content)
    game = _games()[game_index % len(_games())]
    position = game.from_diagram(decode_text(text))
    assert game.from_diagram(position.diagram()).diagram() == position.diagram()
    next(iter(position.moves()), None)
    return position


def _line(content: bytes) -> MoveLine:
    game_index, text = _chosen(content)
    line = parse_move_line(text, "alpha", _TEAMS, _positions()[game_index % len(_positions())])
    assert len(line.move_or_error) <= 4200
    return line


def _history(content: bytes) -> object:
    return list(moves_in_history(content.decode("ascii", "replace")))


def _teams(content: bytes) -> object:
    teams = decode_text(content).split("\0")
    check_teams(teams)
    return teams


def _score(content: bytes) -> float | None:
    return find_score(decode_text(content))


def _numbered(*texts: str) -> tuple[bytes, ...]:
    """Each text behind the number of each game's."""
    return tuple(bytes([game_index]) + text.encode() for game_index in range(len(_games())) for text in texts)


def _diagrams() -> tuple[bytes, ...]:
    starts = [(game_index, game.start()) for game_index, game in enumerate(_games())]
    played = [(game_index, start.play(_first(start))) for game_index, start in starts]
    return tuple(bytes([game_index]) + position.diagram().encode() for game_index, position in (*starts, *played))


PARSERS = (
    Parser(
        "moves",
        _move,
        accepted=(b"\x00d4", b"\x01h0", b"\x02 D 4 ", b"\x03h8", b"\x034,4", b"\x02pass", b"\x05swap"),
        refused=_numbered("", "z99", "h" + "9" * 5000, "h٣", "1,", "²,²"),
        refusals=(NotAMove,),
    ),
    Parser(
        "diagrams",
        _diagram,
        accepted=_diagrams(),
        refused=_numbered("", "1 . . .\nto move: seat 3", "to move:\nmoves: 9\nko: a1 a1"),
        refusals=(BadDiagram,),
    ),
    Parser(
        "lines", _line, accepted=_numbered("alpha h 8\n", "beta h 8", "alpha", "", "alpha v\x000", "\ufeffalpha a 1")
    ),
    Parser("history", _history, accepted=(b"alpha h 8\nbeta pass\n", b"alpha\n", b"\n\n")),
    Parser("teams", _teams, accepted=(b"alpha\0beta", b"a.b-c_d"), refused=(b"alpha\0ALPHA", b"../x", b"")),
    Parser("scores", _score, accepted=(b"depth 9 ev 35 n 10K", b"EVAL -M5", b"winrate: 61.5%", b"score " + b"9" * 999)),
)
