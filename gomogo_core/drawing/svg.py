"""Draws any position of any game as one SVG picture without scripts: the board, its markings, the players.

The module uses positions and names, but no page, clock or player. It needs only the standard library.

Pages rely on this structure. The root is `svg.gomogo-board`. Each point is one `g.point` with `data-point="h8"`, and
each edge of boxes one `g.edge` with `data-edge="h7"`. Moves have the same names in files, even if the picture shows
other coordinates. A place whose move has another name (in a game where pieces fall into columns) has `data-move` too;
`data-move` is empty if a click on the place plays no move.

With `interactive`, each place has the role `button`, an accessible name ("h 8, black"; "h 7, open") and a transparent
`rect.hit`. One place has tabindex 0 and the others have -1. So the tab key stops once per board, and the arrow keys
move within the board (a roving tabindex, as the WAI-ARIA Authoring Practices describe for grids).
`aria-current="true"` is on the last move. With `accessible`, the places have the name and the rectangle too, and the
role `img`.

The classes are `stone black`, `stone white`, `last`, `won`, `ko`, `number`, `territory black`, `heat`, `value`, `star`,
`line`, `sign`, `coordinate`, `ghost`, `drawn`, `latest`, `author owner-0`, `open`, `box owner-0` to `owner-5`, `arrow`
and `player`. A page that must not embed styles uses the rules of `stylesheet()`, in which all colours are custom
properties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from gomogo_core.drawing.coordinates import FILE_COORDINATES, Coordinates
from gomogo_core.drawing.svg_boxes import BoxesPicture
from gomogo_core.drawing.svg_elements import arrow, element, escape_text, join_elements, label
from gomogo_core.drawing.svg_marks import Marks
from gomogo_core.drawing.svg_points import PointsPicture
from gomogo_core.drawing.svg_rows import RowsPicture
from gomogo_core.drawing.svg_style import OWNER_COLOUR_COUNT, embedded_style, stylesheet
from gomogo_core.drawing.text import player_state
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.games.boards import Place
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import Point, PointBoard

__all__ = ["stylesheet", "svg"]

_LINE_HEIGHT = 26  # the height of a line of text below the board
_LETTER_WIDTH = 8.6  # the approximate width of a character of text below the board; some fonts are wider
_MIN_WIDTH = 200  # the least width of a picture with text below the board


def svg(
    position: Position,
    names: Sequence[str] = (),
    last: Move | None = None,
    *,
    numbered_places: Sequence[Move | Place] = (),
    arrows: Sequence[tuple[Move | Place, Move | Place]] = (),
    heat: Mapping[Move, float] | None = None,
    ghosts: Mapping[Move, str] | None = None,
    territory: bool = False,
    dead: Sequence[Point] = (),
    annotation: str = "",
    interactive: bool = False,
    accessible: bool = False,
    coordinates: bool | Coordinates = True,
    title: str = "",
    style: bool = True,
    width: int = 0,
) -> str:
    """Return the picture as well-formed XML.

    names: the players' names, by seat. With names, text below the board shows each player's mark and captures, and the
    player to move. last: the last move, which is marked. numbered_places: places that get the numbers 1, 2, 3 … arrows:
    pairs of places, each joined by an arrow. heat: values of moves from an agent's analysis, shown on free places.
    ghosts: better moves, each with the mark of its player, drawn half transparent, stones with a dashed outline.
    territory: whether to show the owners of empty points, in games with captures. dead: stones that look dead, marked
    by a cross. annotation: "?" or "??", drawn beside the last move.

    interactive: whether each place is a button. accessible: whether each place has a name for screen readers.
    coordinates: the coordinates to show; True for Gomogo's own, False for none. On boards of boxes, True shows the
    names of open edges. title: the picture's name for screen readers. style: whether to embed the style rules, light
    and dark. width: the least width in the picture's own units, with which all pictures of a game have the same size.
    """
    game = position.game
    shown_coordinates = FILE_COORDINATES if coordinates is True else coordinates or None
    named = _place_name_function(game)
    marks = Marks(
        None if last is None else named(position.place_marked_by(last) or last),
        {named(place): number for number, place in enumerate(numbered_places, 1)},
        {named(position.place_to_mark(move) or move): value for move, value in (heat or {}).items()},
        territory,
        {named(position.place_to_mark(move) or move): sign for move, sign in (ghosts or {}).items()},
        frozenset(map(named, dead)),
    )
    board = _board_picture(position, marks, shown_coordinates)
    role = "button" if interactive else "img" if accessible else None
    players = list(_describe_players(position, names))
    width, height = board.width, board.height
    if players:
        width = max(_MIN_WIDTH, board.width, *(int(50 + _LETTER_WIDTH * len(words)) for _, words in players))
        height += _LINE_HEIGHT * len(players) + 12
    board_left = (width - board.width) // 2
    accessible_name = title or f"{game.name}{f', last move {marks.last}' if marks.last else ''}"
    ends = [(board.centre_of(named(start)), board.centre_of(named(end))) for start, end in arrows]
    drawn_arrows = [arrow(start, end) for start, end in ends if start and end]
    drawn_annotation = _draw_annotation(board.centre_of(marks.last or ""), annotation)
    board_elements = join_elements([board.elements(role), *drawn_arrows, *drawn_annotation])
    shift = f"translate({board_left} 0)" if board_left else None
    children = join_elements(
        [
            "" if role else element("title", escape_text(accessible_name)),
            element("style", embedded_style().strip()) if style else "",
            element("rect", class_="ground", width=width, height=height, rx=6),
            element("g", f"\n{board_elements}\n", transform=shift),
            *_player_lines(position, players, board.height),
        ]
    )
    return element(
        "svg",
        f"\n{children}\n",
        xmlns="http://www.w3.org/2000/svg",
        class_="gomogo-board",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="group" if role else "img",
        aria_label=accessible_name,
    )


def _draw_annotation(centre: tuple[float, float] | None, annotation: str) -> Iterator[str]:
    """Yield the elements of an annotation beside a place, such as "?" for a mistake; nothing if there is no place."""
    if annotation and centre is not None:
        x, y = centre[0] + 13, centre[1] - 13
        yield element("circle", class_="sign", cx=x, cy=y, r=11) + label(annotation, (x, y), "sign-words")


def _place_name_function(game: Game) -> Callable[[Move | Place], str]:
    """Return a function that returns the name of a place of the board, or the text of a move that marks no place."""
    names: Mapping[Place, str] = {} if game.board is None else game.board.name_of
    return lambda place: names[place] if place in names else game.format(place)


def _board_picture(
    position: Position, marks: Marks, coordinates: Coordinates | None
) -> PointsPicture | BoxesPicture | RowsPicture:
    board = position.game.board
    if isinstance(board, EdgeBoard):
        return BoxesPicture(position, board, marks, show_names=coordinates is not None)
    if isinstance(board, PointBoard):
        return PointsPicture(position, board, marks, coordinates)
    return RowsPicture(position)


def _describe_players(position: Position, names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each seat that has a name, with a description of its player."""
    outcome = position.outcome()
    for seat, name in enumerate(names, 1):
        words = [name, *player_state(position, seat)]
        if outcome is None and seat == position.to_move:
            words.append("to move")
        elif outcome is not None and outcome.winner == seat:
            words += filter(None, ("won", outcome.detail))
        yield seat, ", ".join(words)


def _player_lines(position: Position, players: Sequence[tuple[int, str]], top: int) -> Iterator[str]:
    has_boxes = isinstance(position.game.board, EdgeBoard)
    for line, (seat, description) in enumerate(players):
        y = top + _LINE_HEIGHT * line + _LINE_HEIGHT // 2
        mark = position.mark(seat)
        if has_boxes:
            kind = f"box owner-{(seat - 1) % OWNER_COLOUR_COUNT}"
            square = element("rect", class_=kind, x=14, y=y - 10, width=20, height=20)
            sign = square + label(mark, (24, y), "owner")
        elif mark in "xo":
            sign = element("circle", class_=f"stone {'black' if mark == 'x' else 'white'}", cx=24, cy=y, r=9)
        else:
            sign = label(mark, (24, y), "owner")
        yield element("g", sign, class_="swatch") + label(description, (42, y), "player")
