"""The boards of the games that are being played now, small, side by side.

Knows live files, sittings, and how a board is shown; no request. Safe to be used from many threads.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from gomogo.page.live_game import GameSoFar
from gomogo.page.shown import board, called, rules_of, status_of
from gomogo.page.sitting import Sitting
from gomogo_core.drawing.text import visible
from gomogo_core.records.live import LiveGame

MOST = 6  # boards at a time: the others are a line each


@dataclass(frozen=True, slots=True)
class Card:
    """One game. where: its page. title: who plays. about: what, and of which run. status: whose turn it is.

    clocks: who has any. board: empty where there are too many.
    """

    key: str
    where: str
    title: str
    about: str
    status: str
    clocks: str
    board: Markup


class Boards:
    """Follows the games whose boards are asked for. folder: that of the live files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._followed: dict[str, GameSoFar] = {}
        self._guard = threading.Lock()

    def of(self, games: Sequence[LiveGame]) -> tuple[list[Card], list[LiveGame]]:
        """The boards of the first of them, and the games that have none here."""
        with self._guard:
            self._followed = {key: one for key, one in self._followed.items() if one.path.exists()}
            cards = [card for game in games[:MOST] if (card := self._card(game.key)) is not None]
        shown = {card.key for card in cards}
        return cards, [game for game in games if game.key not in shown]

    def _card(self, key: str) -> Card | None:
        one = self._followed.setdefault(key, GameSoFar(self._folder / f"{key}.jsonl"))
        if not one.read():
            return None
        shown = one.shown(spoken=False)  # small, and the whole game is a link away
        clocks = " – ".join(f"{sitter.name} {sitter.clock}" for sitter in shown.sitters if sitter.clock)
        title = " – ".join(sitter.name for sitter in shown.sitters)
        return Card(key, f"/watch/{key}", title, one.about, one.status, clocks, shown.board)


def at_tables(sittings: Sequence[Sitting], room: int) -> list[Card]:
    """The games that people play on the page, the first `room` of them with their boards."""
    cards = []
    for number, one in enumerate(sittings):
        with one.lock:
            game, position = one.game, one.position
            drawn = Markup()
            if number < room:
                title = f"{called(game.name)} board"
                drawn = board(position, one.last, interactive=False, spoken=False, title=title)
            names = " – ".join(map(visible, one.names))
            cards.append(Card(one.key, f"/play/{one.key}", names, rules_of(game), status_of(one, ()), "", drawn))
    return cards
