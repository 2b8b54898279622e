"""A game of gomoku as SGF (GM[4], file format 4), which other programs show; read back too.

Knows the record and the rules. What SGF has no word for stands in properties of our own, which others keep:
OPTIONS, REASON, CHOICE, SECONDS.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from sgfmill import sgf

from gomogo_core import __version__
from gomogo_core.errors import UserError
from gomogo_core.games._grid import LETTERS, Point
from gomogo_core.games.base import IllegalMove, Move, NotAMove, Outcome, Position, Reason
from gomogo_core.games.gomoku import BLACK, Choice, Gomoku, GomokuPosition
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.played import PlayedGame

_GOMOKU = 4  # the number SGF gives the game
_ENDS = {Reason.RESIGNED: "R", Reason.OUT_OF_TIME: "T"}  # other forfeits are F, ends by the rules have no letter
_TAKEOVER = "takeover"
_A_MOVE = re.compile(r"([0-9.]{1,9}) s a move")  # as we write the time in OT


def write(played: PlayedGame) -> bytes:
    """The game as SGF. Raises UserError for a game other than gomoku."""
    rules = played.rules()
    if not isinstance(rules, Gomoku):
        raise UserError(f"SGF is written for gomoku, and this is {played.game}.", "Export it with --format json.")
    positions = played.positions()
    tree = sgf.Sgf_game(size=rules.size)
    _write_root(tree.get_root(), played, rules, positions[-1])
    for number, (position, ply) in enumerate(zip(positions, played.plies, strict=False)):
        node = tree.extend_main_sequence()
        _write_move(node, position, rules.parse(ply.move))
        if number >= played.opening:
            _write_thinking(node, played, number - played.opening, position)
    content: bytes = tree.serialise()
    return content


def _write_root(root: Any, played: PlayedGame, rules: Gomoku, last: Position) -> None:
    assert isinstance(last, GomokuPosition)
    outcome, control = played.outcome, played.controls[0]
    root.set("GM", _GOMOKU)
    root.set("AP", ("Gomogo", __version__))
    root.set("PB", played.names[last.black - 1])
    root.set("PW", played.names[2 - last.black])
    root.set("DT", datetime.fromtimestamp(played.started, UTC).strftime("%Y-%m-%d"))
    root.set("RE", _result(outcome, last.black))
    root.set("RU", "Renju" if rules.renju else "Standard" if rules.exact else "Freestyle")
    if control.total is not None:
        root.set("TM", control.total)
    if control.per_move is not None:
        root.set("OT", f"{control.per_move:g} s a move")
    root.set("C", f"{outcome.reason.value}: {outcome.detail}")
    root.set_raw_list("OPTIONS", [_escaped(json.dumps(played.options))])
    root.set_raw_list("REASON", [outcome.reason.value.encode()])


def _escaped(text: str) -> bytes:
    return text.replace("\\", "\\\\").replace("]", "\\]").encode()


def _result(outcome: Outcome, black: int) -> str:
    if outcome.void:
        return "Void"
    if outcome.winner is None:
        return "0"
    end = _ENDS.get(outcome.reason, "F" if outcome.reason.kind == "forfeit" else "")
    return f"{'B' if outcome.winner == black else 'W'}+{end}"


def _write_move(node: Any, position: Position, move: Move) -> None:
    assert isinstance(position, GomokuPosition)
    if isinstance(move, Choice):
        node.set_raw_list("CHOICE", [move.value.encode()])
        return
    assert isinstance(move, Point)
    if position.at(move) is not None:
        node.set_raw_list("CHOICE", [_TAKEOVER.encode()])
        return
    place = LETTERS[move.column - 1] + LETTERS[move.row - 1]  # our own: sgfmill's set_move fails on the 26th column
    node.set_raw_list("B" if position.colour == BLACK else "W", [place.encode()])


def _write_thinking(node: Any, played: PlayedGame, number: int, position: Position) -> None:
    words = [f"{played.seconds[number]:.3f} s"]
    if played.thoughts[number]:
        words.append(str(played.thoughts[number]))
    if node.has_property("CHOICE"):
        words.insert(0, f"{played.names[position.to_move - 1]}: {node.get_raw('CHOICE').decode()}")
    node.set("C", "\n".join(words).replace("\0", ""))
    node.set_raw_list("SECONDS", [f"{played.seconds[number]:.6f}".encode()])
    if (left := played.clocks[number]) is not None and isinstance(position, GomokuPosition):
        node.set("BL" if position.to_move == position.black else "WL", left)


def read(content: bytes, where: str) -> PlayedGame:
    """The game in an SGF file, ours or another program's. Raises UserError that says what is wrong."""
    try:
        tree = sgf.Sgf_game.from_bytes(content)
        return _read(tree)
    except UserError as wrong:
        raise UserError(f"{where}: {wrong.what}", wrong.remedy) from None
    except NotAMove as wrong:
        raise _refused(where, str(wrong)) from None
    except IllegalMove as wrong:
        raise _refused(where, wrong.why) from None
    except (ValueError, KeyError, TypeError, RecursionError) as wrong:
        raise _refused(where, str(wrong) or "a property has no readable value") from None


def _refused(where: str, why: str) -> UserError:
    return UserError(f"{where} is no SGF file of gomoku: {why}.", "Take a file that was exported as SGF.")


def _read(tree: Any) -> PlayedGame:
    root = tree.get_root()
    if root.has_property("GM") and root.get("GM") != _GOMOKU:
        raise ValueError(f"it holds game number {root.get('GM')}, and gomoku's is {_GOMOKU}")
    rules = _rules(root, tree.get_size())
    position = rules.start()
    plies, seconds, notes = list[Ply](), list[float](), list[str | None]()
    for node in tree.get_main_sequence()[1:]:
        move = _read_move(node, position)
        if move is None:
            continue
        plies.append(Ply(position.to_move, rules.format(move)))
        timed = node.has_property("SECONDS")
        if timed or seconds:
            seconds.append(float(node.get_raw("SECONDS")) if timed else 0.0)
            notes.append(_thoughts(node))
        position = position.play(move)
    colours = [_property(root, key) or colour for key, colour in (("PB", "black"), ("PW", "white"))]
    names = tuple(colours if position.black == 1 else colours[::-1])
    return PlayedGame(
        game=rules.name,
        options=rules.options,
        specs=names,
        names=names,
        controls=(_control(root),) * 2,
        plies=tuple(plies),
        opening=len(plies) - len(seconds),
        seconds=tuple(seconds),
        clocks=(None,) * len(seconds),
        thoughts=tuple(notes),
        warnings=(),
        outcome=_outcome(root, position),
        started=_date(root),
        duration=sum(seconds),
    )


def _rules(root: Any, size: int) -> Gomoku:
    rule = (_property(root, "RU") or "").casefold()
    options: Any = {"renju": "renju" in rule, "exact": "standard" in rule}
    if root.has_property("OPTIONS"):
        options = json.loads(root.get("OPTIONS"))
    if not isinstance(options, dict):
        raise ValueError("OPTIONS holds no options")
    return Gomoku(**{**options, "size": size})


def _read_move(node: Any, position: GomokuPosition) -> Move | None:
    if node.has_property("CHOICE"):
        choice = node.get("CHOICE")
        if choice != _TAKEOVER:
            return Choice(choice)
        if position.last is None:
            raise ValueError("a take-over has no stone to take")
        return position.game.grid.points[position.last]
    _, raw = node.get_raw_move()
    place = (raw or b"").decode("ascii")
    if not place or (place == "tt" and position.game.size <= 19):  # a pass, which gomoku has not
        return None
    if len(place) != 2 or not set(place) <= set(LETTERS):
        raise ValueError(f"{place!r} is no point")
    return Point(LETTERS.index(place[0]) + 1, LETTERS.index(place[1]) + 1)


def _outcome(root: Any, last: GomokuPosition) -> Outcome:
    """The rules' own end where the last position shows one; else what the file says."""
    if (outcome := last.outcome()) is not None:
        return outcome
    result = (_property(root, "RE") or "?").casefold()
    if result in ("0", "draw"):
        return Outcome.tie(Reason.BOARD_FULL, "a draw, says the file")
    if not result.startswith(("b+", "w+")):
        return Outcome((0, 0), Reason.INTERRUPTED, "the file names no winner")
    winner = last.black if result[0] == "b" else 3 - last.black
    if root.has_property("REASON"):
        return Outcome.won_by(winner, Reason(root.get("REASON")), (_property(root, "C") or "").partition(": ")[2])
    reason = Reason.OUT_OF_TIME if result[2:].startswith("t") else Reason.RESIGNED
    return Outcome.won_by(winner, reason, f"{result.upper()}, says the file")


def _control(root: Any) -> TimeControl:
    total = float(root.get("TM")) if root.has_property("TM") else 0.0
    a_move = _A_MOVE.fullmatch(_property(root, "OT") or "")
    return TimeControl(float(a_move[1]) if a_move else None, total or None)


def _thoughts(node: Any) -> str | None:
    return (_property(node, "C") or "").partition("\n")[2] or None


def _property(node: Any, key: str) -> str | None:
    return str(node.get(key)) if node.has_property(key) else None


def _date(root: Any) -> float:
    try:
        return datetime.strptime((_property(root, "DT") or "")[:10], "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
