"""Read opening books: a text file with an opening per line, an SGF or PSQ file, or a folder of such files.

The module parses the lines of text files; gomogo_core.records reads SGF and PSQ.
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

_MAX_BYTES = 10_000_000  # size limit of a file of openings: Gomocup's largest has 20 KB
_SUFFIXES = (".psq", ".sgf", ".txt")  # suffixes of the files that are read in a folder
_OFFSETS = re.compile(r"-?[0-9]{1,9}[ \t]*,[ \t]*-?[0-9]{1,9}([ \t]*,[ \t]*-?[0-9]{1,9}[ \t]*,[ \t]*-?[0-9]{1,9})*")
_UNSEPARATED = re.compile(r"([a-z][0-9]{1,4}){2,}", re.IGNORECASE)  # "h8i9g10"
_REMEDY = "Correct it, or remove it."


def read_book(path: Path, game: Game, plies: int | None = None) -> list[Sequence[Move]]:
    """Return every opening of a file, or of all files of a folder in the order of their names.

    plies: the number of moves to take from each opening; None for all. Raises UserError, with file and line, for a line
    that is not an opening of this game.
    """
    files = _opening_files(path) if path.is_dir() else [path]
    return [moves for file in files for moves in _read_openings(file, game, plies)]


def _opening_files(folder: Path) -> list[Path]:
    found = sorted(file for file in folder.iterdir() if file.suffix.casefold() in _SUFFIXES and file.is_file())
    if not found:
        raise UserError(
            f"The folder {folder} contains no openings: no file in it ends in {', '.join(_SUFFIXES)}.",
            "Put such files there, or name a file.",
        )
    return found


def _read_openings(path: Path, game: Game, plies: int | None) -> Iterator[Sequence[Move]]:
    from gomogo_core.records import psq, sgf_lines

    content = _read_bytes(path)
    if path.suffix.casefold() == ".sgf":
        lines: Iterator[tuple[str, Sequence[Move]]] = sgf_lines.main_lines(content, str(path), game, plies)
    elif path.suffix.casefold() == ".psq":
        lines = iter(
            [(str(path), _check_moves(_psq_moves(psq.read_stones(content, str(path)), game, str(path)), game, plies))]
        )
    else:
        lines = _parse_lines(content, str(path), game, plies)
    for where, moves in lines:
        if not moves:
            raise UserError(f"{where}: there is no move.", _REMEDY)
        if game.replay(moves).outcome() is not None:
            raise UserError(
                f"{where}: the game is over before it begins.",
                "Remove this opening, or take fewer moves from each: openings_plies = 4.",
            )
        yield moves


def _read_bytes(path: Path) -> bytes:
    try:
        content = read_regular(path, _MAX_BYTES + 1)
    except OSError as fault:
        plies = re.fullmatch(r"[A-Za-z_]+:(\d+)", path.name)  # perhaps a misspelt "random:4"
        remedy = 'Give the path of a file, or write "random:4".'
        if plies:
            remedy = f"Write random:{plies[1]} for random openings, or give the path of a file."
        raise UserError(f"The file of openings {path} cannot be read: {fault.strerror}.", remedy) from None
    if len(content) > _MAX_BYTES:
        raise UserError(
            f"The file of openings {path} is larger than {_MAX_BYTES // 1_000_000} MB.", "Use a part of it."
        )
    return content


def _parse_lines(content: bytes, source: str, game: Game, plies: int | None) -> Iterator[tuple[str, Sequence[Move]]]:
    """Yield the openings of a text file, one per line, each with its file and line number.

    A line has moves, or offsets from the centre as in Gomocup.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        number = content[: fault.start].count(b"\n") + 1
        raise UserError(f"{source}, line {number}: the openings are not UTF-8 text.", "Save them as UTF-8.") from None
    found = 0
    for number, line in enumerate(text.splitlines(), 1):
        if moves := line.partition("#")[0].strip():
            found += 1
            place = f"{source}, line {number}"
            yield place, _check_moves(_parse_line(moves, game, place), game, plies)
    if not found:
        raise UserError(
            f"The file of openings {source} is empty.", f"Write one opening per line, like {_example_line(game)}."
        )


MoveReader = Callable[[Position], Move]  # returns a written move; the argument is the position before the move
WrittenMove = tuple[str, str, MoveReader]  # the file and line of a move, its text, and its reader


def _check_moves(line: Iterator[WrittenMove], game: Game, plies: int | None) -> Sequence[Move]:
    """Return the first `plies` moves of a line; None returns all. Raises UserError for an illegal move."""
    position, moves = game.start(), list[Move]()
    for where, word, read in islice(line, plies):
        move = read(position)
        if why := position.why_illegal(move):
            raise UserError(f"{where}: {word}: {why}.", _REMEDY)
        position = position.play(move)
        moves.append(move)
    return moves


def _parse_line(line: str, game: Game, source: str) -> Iterator[WrittenMove]:
    if _OFFSETS.fullmatch(line):
        for offset in re.findall(r"[^,]+,[^,]+", line):
            yield source, offset.strip(), _reader_of_point(_parse_offset(offset.strip(), game, source), source)
        return
    for word in line.split():
        for part in re.findall(r"[A-Za-z][0-9]+", word) if _UNSEPARATED.fullmatch(word) else [word]:
            yield source, part, _reader_of_move(_parse_move(part, game, source))


def _reader_of_move(move: Move) -> MoveReader:
    return lambda position: move


def _reader_of_point(point: Point, source: str) -> MoveReader:
    """Return the reader of a move at a point. The reader raises UserError if the position has no move at the point."""

    def read(position: Position) -> Move:
        move = position.move_at(point)
        if move is None:
            raise UserError(f"{source}: {position.game.name} has no move at {point}.", _REMEDY)
        return move

    return read


def _psq_moves(stones: Iterator[Stone], game: Game, source: str) -> Iterator[WrittenMove]:
    """Yield the moves of a PSQ file. Raises UserError if its board has another size than the game's."""
    board = game.board
    for line, (columns, rows), point, _ in stones:
        if not isinstance(board, PointBoard) or (board.columns, board.rows) != (columns, rows):
            own = f"a board of {board.columns}×{board.rows}" if isinstance(board, PointBoard) else game.name
            raise UserError(
                f"{source}, line 1: the board has {columns}×{rows} points, but the openings are for {own}.",
                "Use a file with a board of that size.",
            )
        yield f"{source}, line {line}", f"{point.column},{point.row}", _reader_of_point(point, f"{source}, line {line}")


def _parse_move(word: str, game: Game, source: str) -> Move:
    try:
        return game.parse(word)
    except NotAMove as wrong:
        offsets = ", or offsets from the centre like 0,0, 1,-1" if isinstance(game.board, PointBoard) else ""
        raise UserError(f"{source}: {wrong}.", f"Write moves like {_example_line(game)}{offsets}.") from None


def _example_line(game: Game) -> str:
    """Return an example line of two moves."""
    return " ".join(map(game.format, islice(game.start().moves(), 2)))


def _parse_offset(word: str, game: Game, source: str) -> Point:
    grid = game.board
    if not isinstance(grid, PointBoard):
        raise UserError(
            f"{source}: the line has offsets from the centre, and the board of {game.name} has none.",
            "Write moves, separated by blanks.",
        )
    right, down = (int(number) for number in word.split(","))
    point = Point(grid.columns // 2 + 1 + right, grid.rows // 2 + 1 + down)
    if point not in grid.number_of:
        raise UserError(
            f"{source}: {word} is outside a board of {grid.columns}×{grid.rows}.", "Use a larger board, or correct it."
        )
    return point
