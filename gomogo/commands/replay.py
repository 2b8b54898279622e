"""The command `gomogo replay`: step through a stored game with the arrow keys.

The module handles keys and the terminal; `gomogo_core.drawing` draws the position.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import click

from gomogo import complete
from gomogo.commands._find_game import check_move_number, find_game
from gomogo.options import store_option

if TYPE_CHECKING:
    from gomogo_core.records.game_record import PlayedGame

# the characters that each key sends in a Unix terminal and on Windows
_BACK_KEYS = {"\x1b[D", "\x1bOD", "\xe0K", "\x00K", "h", "b", "-"}
_FORWARD_KEYS = {"\x1b[C", "\x1bOC", "\xe0M", "\x00M", "l", "f", " ", "\r", "\n", "+"}
_FIRST_MOVE_KEYS = {"\x1b[H", "\x1bOH", "\x1b[1~", "\xe0G", "0"}
_LAST_MOVE_KEYS = {"\x1b[F", "\x1bOF", "\x1b[4~", "\xe0O", "$"}
_QUIT_KEYS = {"q", "Q", "\x1b", "\x03", "\x04", ""}
_KEYS_HELP = "← back   → forward   Home, End   q quit"
_CLEAR_SCREEN = "\x1b[H\x1b[2J\x1b[3J"


@click.command(short_help="Step through a stored game.")
@click.argument("selector", metavar="[GAME]", default="last", shell_complete=complete.stored_games)
@click.option("--move", type=click.IntRange(min=0), metavar="N", help="Show only the position after N moves.")
@store_option
def command(selector: str, move: int | None, store: str | None) -> None:
    """Step through a stored game.

    Name the GAME by the beginning of its key, by the file of its record (.json, .sgf, .psq), or as `last`.

    The keys ← and → step back and forward, Home and End go to the first and last position, and q quits. If the output
    is not a terminal, the command prints all moves and the last position.
    """
    played_game = find_game(selector, store)
    if move is not None:
        check_move_number(played_game, move)
        click.echo(_position_text(played_game, move))
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(played_game)
    else:
        click.echo(
            "\n".join(
                [
                    _heading(played_game),
                    "",
                    *_move_list(played_game),
                    "",
                    _position_text(played_game, len(played_game.plies)),
                ]
            )
        )


def _step_through(played_game: PlayedGame) -> None:
    number, last_number, colour = 0, len(played_game.plies), not os.environ.get("NO_COLOR")
    while True:
        text = _position_text(played_game, number, colour=colour)
        click.echo(f"{_CLEAR_SCREEN}{_heading(played_game)}\n\n{text}\n\n{_KEYS_HELP}")
        key = click.getchar()
        if key in _QUIT_KEYS:
            return
        if key in _BACK_KEYS:
            number = max(0, number - 1)
        elif key in _FORWARD_KEYS:
            number = min(last_number, number + 1)
        elif key in _FIRST_MOVE_KEYS or key in _LAST_MOVE_KEYS:
            number = 0 if key in _FIRST_MOVE_KEYS else last_number


def _heading(played_game: PlayedGame) -> str:
    from gomogo_core.drawing.text import printable

    options = ", ".join(f"{key} {value}" for key, value in played_game.options.items())
    return f"{' against '.join(map(printable, played_game.names))}: {played_game.game} ({options})"


def _move_list(played_game: PlayedGame) -> list[str]:
    """Return lines with all moves and their seconds, five moves per line."""
    from gomogo_core.drawing.text import printable

    cells = []
    for number, ply in enumerate(played_game.plies, 1):
        index = number - played_game.opening_length - 1
        seconds = f"{played_game.seconds[index]:.2f} s" if index >= 0 else "opening"
        cells.append(f"{number:>3} {printable(ply.move):<4} {seconds:>8}")
    return ["   ".join(cells[begin : begin + 5]) for begin in range(0, len(cells), 5)]


def _position_text(played_game: PlayedGame, number: int, *, colour: bool = False) -> str:
    """Return the position after `number` moves, with time, analysis and warnings of the last move."""
    from gomogo_core.drawing.text import picture, printable
    from gomogo_core.play.events import last_move
    from gomogo_core.session.sentences import ending_sentence

    game, position = played_game.rules(), played_game.positions()[number]
    last_move_played = last_move(game, played_game.plies[:number])
    board = picture(
        position, played_game.names, last_move_played, colour=colour, width=shutil.get_terminal_size().columns
    )
    details = [f"move {number} of {len(played_game.plies)}"]
    index = number - played_game.opening_length - 1
    if 0 <= index < len(played_game.seconds):
        details.append(f"{played_game.seconds[index]:.3f} s")
        if played_game.thoughts[index]:
            details.append(printable(str(played_game.thoughts[index])))
        if played_game.scores and (score := played_game.scores[index]) is not None:
            details.append(f"score {score:zg}")
        if played_game.lines and (line := played_game.lines[index]):
            details.append(f"expects {printable(line)}")
    elif number:
        details.append("of the opening")
    details += [
        f"{printable(played_game.names[seat - 1])}: {printable(warning)}"
        for warning_number, seat, warning in played_game.warnings
        if warning_number == number
    ]
    lines = [board, "", "; ".join(details)]
    if number == len(played_game.plies):
        lines.append("Not finished." if played_game.outcome.is_void else ending_sentence(played_game))
    return "\n".join(lines)
