"""Small boards of the running games, shown side by side.

Uses live files, sessions and board views; knows no requests. Thread-safe.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from gomogo.page.board_view import board, game_title, rules_text, status_text
from gomogo.page.watch.running_game import RunningGame
from gomogo.text.names import shown_name
from gomogo_core.records.live_format import LiveGame
from gomogo_core.session.game_session import GameSession

MAX_BOARDS = 12  # at a time; each other game has a line of text


@dataclass(frozen=True, slots=True)
class BoardCard:
    """The template values of one running game. where: the URL of its page. title: the players. about: the game and its
    run.

    status: the player to move. clocks: the times left of players with a total time. board: the picture; empty if there
    are too many boards.
    """

    key: str
    where: str
    title: str
    about: str
    status: str
    clocks: str
    board: Markup


class RunningBoards:
    """The running games of other processes, with their boards. folder: the folder of live files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._followed: dict[str, RunningGame] = {}
        self._guard = threading.Lock()

    def of(self, games: Sequence[LiveGame]) -> tuple[list[BoardCard], list[LiveGame]]:
        """Return cards of the first games, and the games for which there is no card."""
        with self._guard:
            self._followed = {key: one for key, one in self._followed.items() if one.path.exists()}
            cards = [card for game in games[:MAX_BOARDS] if (card := self._card(game.key)) is not None]
        shown = {card.key for card in cards}
        return cards, [game for game in games if game.key not in shown]

    def _card(self, key: str) -> BoardCard | None:
        one = self._followed.setdefault(key, RunningGame(self._folder / f"{key}.jsonl"))
        if not one.read():
            return None
        shown = one.board_view(small=True)
        clocks = " – ".join(f"{player.name} {player.clock}" for player in shown.player_lines if player.clock)
        title = " – ".join(player.name for player in shown.player_lines)
        return BoardCard(key, f"/watch/{key}", title, one.about, one.status, clocks, shown.board)


def session_cards(sessions: Sequence[GameSession], limit: int) -> list[BoardCard]:
    """Return cards of the sessions on the page, the first `limit` of them with boards."""
    cards = []
    for number, one in enumerate(sessions):
        with one.lock:
            game, position = one.game, one.position
            drawn = Markup()
            if number < limit:
                title = f"{game_title(game.name)} board"
                drawn = board(position, one.last, interactive=False, spoken=False, coordinates=False, title=title)
            names = " – ".join(map(shown_name, one.names))
            cards.append(
                BoardCard(one.key, f"/play/{one.key}", names, rules_text(game), status_text(one, ()), "", drawn)
            )
    return cards
