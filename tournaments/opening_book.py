"""Books of openings: a file of lines, of games in SGF or of a game in PSQ, or a folder of such files.

Uses the format of lines; gomogo_core.records reads SGF and PSQ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Move, NotAMove, Position
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.records.psq import Stone
from gomogo_core.regular_files import read_regular

_MOST_BYTES = 10_000_000  # the largest file of openings: Gomocup's largest has 20 KB
_ENDINGS = (".psq", ".sgf", ".txt")  # endings of the files that are read in a folder
_OFFSETS = re.compile(r"-?[0-9]{1,9}[ \t]*,[ \t]*-?[0-9]{1,9}([ \t]*,[ \t]*-?[0-9]{1,9}[ \t]*,[ \t]*-?[0-9]{1,9})*")
_TOGETHER = re.compile(r"([a-z][0-9]{1,4}){2,}", re.IGNORECASE)  # "h8i9g10"
_MEND = "Correct it, or remove it."


def read_book(path: Path, game: Game, plies: int | None = None) -> list[Sequence[Move]]:
    """Return every opening of a file, or of the files of a folder by their names. plies: moves of each; None for all.

    Raises UserError, with file and line, for a line that is no opening of this game.
    """
    files = _files(path) if path.is_dir() else [path]
    return [moves for file in files for moves in _read(file, game, plies)]


def _files(folder: Path) -> list[Path]:
    found = sorted(file for file in folder.iterdir() if file.suffix.casefold() in _ENDINGS and file.is_file())
    if not found:
        raise UserError(
            f"The folder {folder} holds no openings: no file in it ends in {', '.join(_ENDINGS)}.",
            "Put them there, or name a file.",
        )
    return found


def _read(path: Path, game: Game, plies: int | None) -> Iterator[Sequence[Move]]:
    from gomogo_core.records import psq, sgf_lines

    content = _content(path)
    if path.suffix.casefold() == ".sgf":
        lines: Iterator[tuple[str, Sequence[Move]]] = sgf_lines.main_lines(content, str(path), game, plies)
    elif path.suffix.casefold() == ".psq":
        lines = iter([(str(path), _legal_moves(_stones(psq.stones(content, str(path)), game, str(path)), game, plies))])
    else:
        lines = _lines(content, str(path), game, plies)
    for where, moves in lines:
        if not moves:
            raise UserError(f"{where}: there is no move.", _MEND)
        if game.replay(moves).outcome() is not None:
            raise UserError(
                f"{where}: the game is over before it begins.",
                "Take it out, or take fewer moves of each: openings_plies = 4.",
            )
        yield moves


def _content(path: Path) -> bytes:
    try:
        content = read_regular(path, _MOST_BYTES + 1)
    except OSError as fault:
        raise UserError(
            f"The openings {path} cannot be read: {fault.strerror}.", 'Give a file\'s path, or "random:4".'
        ) from None
    if len(content) > _MOST_BYTES:
        raise UserError(f"The openings {path} are larger than {_MOST_BYTES // 1_000_000} MB.", "Take a part of them.")
    return content


def _lines(content: bytes, source: str, game: Game, plies: int | None) -> Iterator[tuple[str, Sequence[Move]]]:
    """Yield the openings of a text, one per line: offsets from the centre as in Gomocup, or moves."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        number = content[: fault.start].count(b"\n") + 1
        raise UserError(f"{source}, line {number}: the openings are not UTF-8 text.", "Save them as UTF-8.") from None
    found = 0
    for number, line in enumerate(text.splitlines(), 1):
        if said := line.partition("#")[0].strip():
            found += 1
            place = f"{source}, line {number}"
            yield place, _legal_moves(_moves(said, game, place), game, plies)
    if not found:
        raise UserError(f"The openings {source} hold no line.", f"Write an opening a line, like {_example(game)}.")


# where a move stands in the file, its text, and the function that reads it in the position before it
Written = tuple[str, str, Callable[[Position], Move]]


def _legal_moves(line: Iterator[Written], game: Game, plies: int | None) -> Sequence[Move]:
    """Return the moves, all legal. Raises UserError for the first that is not."""
    position, moves = game.start(), list[Move]()
    for where, word, read in islice(line, plies):
        move = read(position)
        if why := position.why_illegal(move):
            raise UserError(f"{where}: {word}: {why}.", _MEND)
        position = position.play(move)
        moves.append(move)
    return moves


def _moves(line: str, game: Game, source: str) -> Iterator[Written]:
    if _OFFSETS.fullmatch(line):
        for offset in re.findall(r"[^,]+,[^,]+", line):
            yield source, offset.strip(), _move_at_point(_from_offset(offset.strip(), game, source), source)
        return
    for word in line.split():
        for part in re.findall(r"[A-Za-z][0-9]+", word) if _TOGETHER.fullmatch(word) else [word]:
            yield source, part, _fixed_move(_from_text(part, game, source))


def _fixed_move(move: Move) -> Callable[[Position], Move]:
    return lambda position: move


def _move_at_point(point: Point, source: str) -> Callable[[Position], Move]:
    """Return the move of a point in a position. The function raises UserError if the point has none."""

    def read(position: Position) -> Move:
        move = position.move_at(point)
        if move is None:
            raise UserError(f"{source}: no move of {position.game.name} is made at {point}.", _MEND)
        return move

    return read


def _stones(stones: Iterator[Stone], game: Game, source: str) -> Iterator[Written]:
    """Return the opening of a PSQ file on a board of this size."""
    board = game.board
    for line, (columns, rows), point, _ in stones:
        if not isinstance(board, PointBoard) or (board.columns, board.rows) != (columns, rows):
            own = f"a board of {board.columns}×{board.rows}" if isinstance(board, PointBoard) else game.name
            raise UserError(
                f"{source}, line 1: its board has {columns}×{rows} points, and openings are asked for {own}.",
                "Take a file of such a board.",
            )
        yield f"{source}, line {line}", f"{point.column},{point.row}", _move_at_point(point, f"{source}, line {line}")


def _from_text(word: str, game: Game, source: str) -> Move:
    try:
        return game.parse(word)
    except NotAMove as wrong:
        offsets = ", or offsets from the centre like 0,0, 1,-1" if isinstance(game.board, PointBoard) else ""
        raise UserError(f"{source}: {wrong}.", f"Write moves like {_example(game)}{offsets}.") from None


def _example(game: Game) -> str:
    """Return an example line of two moves."""
    return " ".join(map(game.format, islice(game.start().moves(), 2)))


def _from_offset(word: str, game: Game, source: str) -> Point:
    grid = game.board
    if not isinstance(grid, PointBoard):
        raise UserError(f"{source}: {game.name} has no centre to count from.", "Write moves, separated by blanks.")
    right, down = (int(number) for number in word.split(","))
    point = Point(grid.columns // 2 + 1 + right, grid.rows // 2 + 1 + down)
    if point not in grid.number_of:
        raise UserError(
            f"{source}: {word} is off a board of {grid.columns}×{grid.rows}.", "Take a larger board, or correct it."
        )
    return point
