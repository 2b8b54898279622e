"""Any position of any game as one SVG picture, text without scripts: the board, what is marked on it, who plays.

Knows positions and names; no page, clock or player. Standard library only.

What a page can rely on: the root is `svg.gomogo-board`. Each point is one `g.point` with `data-point="h8"`, each edge
of boxes one `g.edge` with `data-edge="h7"`, named as moves are written, whatever coordinates are shown. In a picture
made `interactive` each of them has role `button`, an accessible name ("h 8, black"; "h 7, open") and a transparent
`rect.hit`; one has tabindex 0 and the others -1, so that a board is one stop of the tab key and a page moves on in it
by the arrow keys (a roving tabindex, as the WAI-ARIA Authoring Practices have it for grids). `aria-current="true"` is
on the last move. In one made `spoken` they have the name and the rectangle too, and role `img`. Classes within:
`stone black`, `stone white`, `last`, `won`, `ko`, `number`, `territory black`, `heat`, `value`, `star`, `line`,
`coordinate`, `drawn`, `latest`, `open`, `box owner-0` to `owner-5`, `arrow`, `player`.
`stylesheet()` has the rules for pages that may not embed style, with custom properties for all colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gomogo_core.drawing._svg_boxes import BoxesPicture
from gomogo_core.drawing._svg_elements import arrow, element, joined, label, words
from gomogo_core.drawing._svg_marks import Marks
from gomogo_core.drawing._svg_points import PointsPicture
from gomogo_core.drawing._svg_rows import RowsPicture
from gomogo_core.drawing._svg_style import OWNERS, embedded, stylesheet
from gomogo_core.drawing.coordinates import OURS, Coordinates
from gomogo_core.drawing.text import standing
from gomogo_core.games._edges import Edges
from gomogo_core.games._grid import Grid
from gomogo_core.games.base import Move, Position

__all__ = ["stylesheet", "svg"]

_LINE = 26  # height of a line beneath the board
_LETTER = 8.6  # about the breadth of a character there; the widest fonts have more
_LEAST = 200  # a picture's breadth


def svg(
    position: Position,
    names: Sequence[str] = (),
    last: Move | None = None,
    *,
    numbers: Sequence[Move] = (),
    arrows: Sequence[tuple[Move, Move]] = (),
    heat: Mapping[Move, float] | None = None,
    territory: bool = False,
    interactive: bool = False,
    spoken: bool = False,
    coordinates: bool | Coordinates = True,
    title: str = "",
    style: bool = True,
    width: int = 0,
) -> str:
    """The picture, well-formed XML.

    names: by seat; beneath the board stands who plays what, has captured what and is to move, if they are given.
    last: the move to mark. numbers: moves in order; each that is on the board gets its number, from 1. arrows: from
    one move's place to another's. heat: a value for each of some moves, an agent's thoughts: shown where the place is
    free. territory: show whose the empty points are, in games with captures. interactive, spoken: see the module.
    coordinates: whether to show them, or those to show; on boards of boxes the names of the open edges. title: what the
    picture is called for who does not see it. style: whether to embed the rules, light and dark. width: at least so
    wide, in its own units, so that the pictures of one game can be alike.
    """
    game = position.game
    shown = OURS if coordinates is True else coordinates or None
    marks = Marks(
        None if last is None else game.format(last),
        {game.format(move): number for number, move in enumerate(numbers, 1)},
        {game.format(move): value for move, value in (heat or {}).items()},
        territory,
    )
    board = _picture(position, marks, shown)
    role = "button" if interactive else "img" if spoken else None
    players = list(_players(position, names))
    width = (
        max(_LEAST, board.width, *(int(50 + _LETTER * len(said)) for _, said in players)) if players else board.width
    )
    height = board.height + (_LINE * len(players) + 12 if players else 0)
    begun = (width - board.width) // 2
    called = title or f"{game.name}{f', last move {marks.last}' if marks.last else ''}"
    pointing = [
        arrow(begin, end)
        for one, other in arrows
        if (begin := board.at(game.format(one))) and (end := board.at(game.format(other)))
    ]
    inside = joined(
        [
            "" if role else element("title", words(called)),
            element("style", embedded().strip()) if style else "",
            element("rect", class_="ground", width=width, height=height, rx=6),
            element(
                "g",
                "\n" + joined([board.elements(role), *pointing]) + "\n",
                transform=f"translate({begun} 0)" if begun else None,
            ),
            *_beneath(position, players, board.height),
        ]
    )
    return element(
        "svg",
        f"\n{inside}\n",
        xmlns="http://www.w3.org/2000/svg",
        class_="gomogo-board",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="group" if role else "img",
        aria_label=called,
    )


def _picture(
    position: Position, marks: Marks, coordinates: Coordinates | None
) -> PointsPicture | BoxesPicture | RowsPicture:
    if isinstance(edges := getattr(position.game, "board", None), Edges):
        return BoxesPicture(position, edges, marks, named=coordinates is not None)
    if isinstance(grid := getattr(position.game, "grid", None), Grid):
        return PointsPicture(position, grid, marks, coordinates)
    return RowsPicture(position)


def _players(position: Position, names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Each seat that has a name, and what is to be said of who sits there."""
    ended = position.outcome()
    for seat, name in enumerate(names, 1):
        turn = ["to move"] if ended is None and seat == position.to_move else []
        won = [f"won, {ended.detail}" if ended.detail else "won"] if ended and ended.winner == seat else []
        yield seat, ", ".join([name, *standing(position, seat), *turn, *won])


def _beneath(position: Position, players: Sequence[tuple[int, str]], top: int) -> Iterator[str]:
    boxes = isinstance(getattr(position.game, "board", None), Edges)
    for line, (seat, said) in enumerate(players):
        y = top + _LINE * line + _LINE // 2
        mark = position.mark(seat)
        if boxes:
            square = element("rect", class_=f"box owner-{(seat - 1) % OWNERS}", x=14, y=y - 10, width=20, height=20)
            sign = square + label(mark, (24, y), "owner")
        elif mark in "xo":
            sign = element("circle", class_=f"stone {'black' if mark == 'x' else 'white'}", cx=24, cy=y, r=9)
        else:
            sign = label(mark, (24, y), "owner")
        yield element("g", sign, class_="swatch") + label(said, (42, y), "player")
