"""Read opening books: a text file with an opening per line, an SGF or PSQ file, or a folder of such files.

The module parses the lines of text files; gomogo_core.records reads SGF and PSQ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Move, NotAMove, Position
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.records.psq import Stone
from gomogo_core.regular_files import read_regular

_MAX_FILE_BYTES = 10_000_000  # Gomocup's largest file of openings has 20 KB
_FILE_SUFFIXES = (".psq", ".sgf", ".txt")  # suffixes of the files that are read in a folder
_OFFSETS_PATTERN = re.compile(
    r"-?[0-9]{1,9}[ \t]*,[ \t]*-?[0-9]{1,9}([ \t]*,[ \t]*-?[0-9]{1,9}[ \t]*,[ \t]*-?[0-9]{1,9})*"
)
_UNSEPARATED_MOVES_PATTERN = re.compile(r"([a-z][0-9]{1,4}){2,}", re.IGNORECASE)  # "h8i9g10"
_REMEDY = "Correct this opening, or remove it."


def read_book(path: Path, game: Game, plies: int | None = None) -> list[Sequence[Move]]:
    """Return every opening of a file, or of all files of a folder in the order of their names.

    plies: the number of moves to take from each opening; None for all. Raises UserError, with file and line, for a line
    that is not an opening of this game.
    """
    files = _find_opening_files(path) if path.is_dir() else [path]
    return [moves for file in files for moves in _read_openings(file, game, plies)]


def _find_opening_files(folder: Path) -> list[Path]:
    files = sorted(file for file in folder.iterdir() if file.suffix.casefold() in _FILE_SUFFIXES and file.is_file())
    if not files:
        raise UserError(
            f"The folder {folder} contains no openings: no file in it ends in {', '.join(_FILE_SUFFIXES)}.",
            "Put such files there, or name a file.",
        )
    return files


def _read_openings(path: Path, game: Game, plies: int | None) -> Iterator[Sequence[Move]]:
    from gomogo_core.records import psq, sgf_lines

    content, name = _read_bytes(path), str(path)
    if path.suffix.casefold() == ".sgf":
        lines: Iterable[tuple[str, Sequence[Move]]] = sgf_lines.main_lines(content, name, game, plies)
    elif path.suffix.casefold() == ".psq":
        moves_of_file = _read_psq_moves(psq.read_stones(content, name), game, name)
        lines = [(name, _check_moves(moves_of_file, game, plies))]
    else:
        lines = _parse_lines(content, name, game, plies)
    for source, moves in lines:
        if not moves:
            raise UserError(f"{source}: this opening has no moves.", _REMEDY)
        if game.replay(moves).outcome() is not None:
            raise UserError(
                f"{source}: this opening ends the game.",
                "Remove this opening, or take fewer moves from each: openings_plies = 4.",
            )
        yield moves


def _read_bytes(path: Path) -> bytes:
    try:
        content = read_regular(path, _MAX_FILE_BYTES + 1)
    except OSError as error:
        random_setting = re.fullmatch(r"[A-Za-z_]+:(\d+)", path.name)  # perhaps a misspelt "random:4"
        remedy = 'Give the path of a file, or write "random:4".'
        if random_setting:
            remedy = f"Write random:{random_setting[1]} for random openings, or give the path of a file."
        raise UserError(f"The file of openings {path} cannot be read: {error.strerror}.", remedy) from None
    if len(content) > _MAX_FILE_BYTES:
        raise UserError(
            f"The file of openings {path} is larger than {_MAX_FILE_BYTES // 1_000_000} MB.", "Use a part of it."
        )
    return content


def _parse_lines(content: bytes, source: str, game: Game, plies: int | None) -> Iterator[tuple[str, Sequence[Move]]]:
    """Yield the openings of a text file, one per line, each with its file and line number.

    A line has moves, or offsets from the centre as in Gomocup.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line_number = content[: error.start].count(b"\n") + 1
        problem = f"{source}, line {line_number}: the openings are not UTF-8 text."
        raise UserError(problem, "Save them as UTF-8.") from None
    line_count = 0
    for line_number, line in enumerate(text.splitlines(), 1):
        if moves := line.partition("#")[0].strip():
            line_count += 1
            location = f"{source}, line {line_number}"
            yield location, _check_moves(_parse_line(moves, game, location), game, plies)
    if not line_count:
        raise UserError(
            f"The file of openings {source} is empty.", f"Write one opening per line, like {_example_line(game)}."
        )


MoveReader = Callable[[Position], Move]  # a function that returns a move of a book, given the position before it
WrittenMove = tuple[str, str, MoveReader]  # the file and line of a move, its text, and its reader


def _check_moves(line: Iterator[WrittenMove], game: Game, plies: int | None) -> Sequence[Move]:
    """Return the first `plies` moves of a line; None returns all. Raises UserError for an illegal move."""
    position, moves = game.start(), list[Move]()
    for source, text, read_move in islice(line, plies):
        move = read_move(position)
        if reason := position.why_illegal(move):
            raise UserError(f"{source}: {text}: {reason}.", _REMEDY)
        position = position.play(move)
        moves.append(move)
    return moves


def _parse_line(line: str, game: Game, source: str) -> Iterator[WrittenMove]:
    if _OFFSETS_PATTERN.fullmatch(line):
        for offset in map(str.strip, re.findall(r"[^,]+,[^,]+", line)):
            yield source, offset, _create_point_reader(_parse_offset(offset, game, source), source)
        return
    for word in line.split():
        for move_text in re.findall(r"[A-Za-z][0-9]+", word) if _UNSEPARATED_MOVES_PATTERN.fullmatch(word) else [word]:
            yield source, move_text, _create_move_reader(_parse_move(move_text, game, source))


def _create_move_reader(move: Move) -> MoveReader:
    return lambda position: move


def _create_point_reader(point: Point, source: str) -> MoveReader:
    """Return the reader of a move at a point. The reader raises UserError if the position has no move at the point."""

    def read(position: Position) -> Move:
        move = position.move_at(point)
        if move is None:
            raise UserError(f"{source}: {position.game.name} has no move at {point}.", _REMEDY)
        return move

    return read


def _read_psq_moves(stones: Iterator[Stone], game: Game, source: str) -> Iterator[WrittenMove]:
    """Yield the moves of a PSQ file. Raises UserError if the file and the game have boards of different sizes."""
    board = game.board
    for line_number, (columns, rows), point, _ in stones:
        if not isinstance(board, PointBoard) or (board.columns, board.rows) != (columns, rows):
            expected_board = f"a board of {board.columns}×{board.rows}" if isinstance(board, PointBoard) else game.name
            raise UserError(
                f"{source}, line 1: the board has {columns}×{rows} points, but the openings are for {expected_board}.",
                "Use a file with a board of that size.",
            )
        location = f"{source}, line {line_number}"
        yield location, f"{point.column},{point.row}", _create_point_reader(point, location)


def _parse_move(text: str, game: Game, source: str) -> Move:
    try:
        return game.parse(text)
    except NotAMove as error:
        offsets = ", or offsets from the centre like 0,0, 1,-1" if isinstance(game.board, PointBoard) else ""
        raise UserError(f"{source}: {error}.", f"Write moves like {_example_line(game)}{offsets}.") from None


def _example_line(game: Game) -> str:
    """Return an example line of two moves."""
    return " ".join(map(game.format, islice(game.start().moves(), 2)))


def _parse_offset(text: str, game: Game, source: str) -> Point:
    board = game.board
    if not isinstance(board, PointBoard):
        raise UserError(
            f"{source}: the line has offsets from the centre, and the board of {game.name} has none.",
            "Write moves, separated by blanks.",
        )
    columns_right, rows_down = (int(number_text) for number_text in text.split(","))
    point = Point(board.columns // 2 + 1 + columns_right, board.rows // 2 + 1 + rows_down)
    if point not in board.number_of:
        raise UserError(
            f"{source}: {text} is outside a board of {board.columns}×{board.rows}.",
            "Use a larger board, or correct it.",
        )
    return point
