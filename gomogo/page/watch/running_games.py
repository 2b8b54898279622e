"""Small boards of the running games, shown side by side.

The module uses live files, sessions and board views, and does not depend on HTTP requests. Several threads may use it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from gomogo.page.board_view import (
    PlayerLine,
    clock_since,
    describe_game,
    draw_card_board,
    player_lines,
    status_text,
)
from gomogo.page.watch.running_game import RunningGame
from gomogo.text.names import display_name
from gomogo_core.drawing.text import printable
from gomogo_core.games.base import RESIGN, Outcome, Reason, ReasonKind
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.live_format import LiveGame
from gomogo_core.session.game_session import GameSession

MAX_BOARDS = 12  # boards on one page; each further game has a line of text


@dataclass(frozen=True, slots=True)
class BoardCard:
    """The template values of one game in a group of boards.

    url: its page. player_lines: a line for each player. description: the game with its options, and the run.

    status: the player to move, or the end or pause of the game. is_over: whether the game has ended. is_paused: whether
    a teacher has paused it. clock_end: the Unix time at which the running clock reaches zero; None if no clock is
    running. board: the picture; empty if the page has too many boards already. reason: the end of the status of a
    finished game, such as ": resignation".
    """

    key: str
    url: str
    player_lines: tuple[PlayerLine, ...]
    description: str
    status: str
    is_over: bool
    clock_end: float | None
    board: Markup
    is_paused: bool = False
    reason: str = ""

    @property
    def title(self) -> str:
        """The names of the players."""
        return " – ".join(line.name for line in self.player_lines)


class RunningBoards:
    """The running games of other processes, with their boards. folder: the folder of live files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running_games: dict[str, RunningGame] = {}
        self._games_lock = threading.Lock()

    def cards_of(self, games: Sequence[LiveGame]) -> tuple[list[BoardCard], list[LiveGame]]:
        """Return cards of the first games, and the games for which there is no card."""
        with self._games_lock:
            self._running_games = {key: game for key, game in self._running_games.items() if game.path.exists()}
            cards = [card for game in games[:MAX_BOARDS] if (card := self._card(game.key)) is not None]
        shown_keys = {card.key for card in cards}
        return cards, [game for game in games if game.key not in shown_keys]

    def _card(self, key: str) -> BoardCard | None:
        running_game = self._running_games.setdefault(key, RunningGame(self._folder / f"{key}.jsonl"))
        if not running_game.read_events():
            return None
        view = running_game.board_view(small=True)
        lines = view.player_lines
        is_over = not any(line.is_to_move for line in lines)
        end = None if is_over else _clock_end(running_game.clock_at_turn_start, running_game.last_event_at)
        return BoardCard(
            key,
            f"/watch/{key}",
            lines,
            running_game.description,
            running_game.status_line,
            is_over,
            end,
            view.board,
        )


def session_cards(sessions: Sequence[GameSession], limit: int) -> list[BoardCard]:
    """Return cards of these sessions. Only the first `limit` cards have boards."""
    cards = []
    for number, session in enumerate(sessions):
        with session.lock:
            game, position, clocks = session.game, session.position, session.clocks()
            picture = Markup()
            if number < limit:
                picture = draw_card_board(position, session.last)
            lines = player_lines(position, session.names, clocks, is_over=session.is_over)
            clock_start = clock_since(session)
            end = None if clock_start is None else _clock_end(clocks[position.to_move - 1], clock_start)
            status = _result_words(_outcome(session), session.names) if session.is_over else status_text(session, ())
            url = f"/games/{session.key}" if session.is_stored else f"/play/{session.key}"
            cards.append(
                BoardCard(
                    session.key,
                    url,
                    lines,
                    describe_game(game),
                    status,
                    session.is_over,
                    end,
                    picture,
                    session.is_paused,
                    _reason_words(_outcome(session)) if session.is_over else "",
                )
            )
    return cards


def assign_places(places: Sequence[str], keys: Sequence[str]) -> list[str]:
    """Return these keys of games in the order of their boards; "" is a free place.

    places: the previous places. A game on the first page, which has `MAX_BOARDS` places, keeps its place. Any other
    game takes the first free place. If more than half of the places are free, all games move up.
    """
    kept = [key if key in keys else "" for key in places]
    for key in keys:
        if key in kept:
            continue
        if "" in kept:
            kept[kept.index("")] = key
        else:
            kept.append(key)
    while kept and (not kept[-1] or (len(kept) > MAX_BOARDS and "" in kept)):
        if last := kept.pop():
            kept[kept.index("")] = last
    return [key for key in kept if key] if 2 * kept.count("") > len(kept) else kept


def played_cards(games: Sequence[PlayedGame]) -> list[BoardCard]:
    """Return cards of finished games, with their last positions."""
    cards = []
    for played_game in games:
        position, game = played_game.positions()[-1], played_game.rules()
        last_move = next((ply.move for ply in reversed(played_game.plies) if ply.move != RESIGN), None)
        move = None if last_move is None else game.parse(last_move)
        picture = draw_card_board(position, move)
        lines = player_lines(position, played_game.names, is_over=True)
        status = _result_words(played_game.outcome, played_game.names)
        url = f"/games/{played_game.key}"
        cards.append(
            BoardCard(
                played_game.key,
                url,
                lines,
                describe_game(game),
                status,
                True,
                None,
                picture,
                reason=_reason_words(played_game.outcome),
            )
        )
    return cards


def _clock_end(seconds_left: float | None, since: float | None) -> float | None:
    """Return the Unix time at which a clock reaches zero. seconds_left: the seconds that it
    had at the time `since` of the monotonic clock.
    """
    if seconds_left is None or since is None:
        return None
    return round(time.time() + seconds_left - (time.monotonic() - since), 1)


def short_result(session: GameSession) -> str:
    """Return a short sentence on the result of a finished session, without a full stop."""
    outcome, names = _outcome(session), list(map(display_name, session.names))
    if outcome is None:
        return "The game is over"
    opponent_names = [name for seat, name in enumerate(names, 1) if seat != outcome.winner]
    if outcome.winner is None:
        return f"{', '.join(opponent_names[:-1])} and {opponent_names[-1]} drew"
    return f"{names[outcome.winner - 1]} beat {' and '.join(opponent_names)}"


def _outcome(session: GameSession) -> Outcome | None:
    """Return the outcome of a finished session; None until the referee has recorded a resignation."""
    return session.outcome or session.position.outcome()


def _result_words(outcome: Outcome | None, names: Sequence[str]) -> str:
    if outcome is None:
        return "The game is over"
    return f"{display_name(names[outcome.winner - 1])} won" if outcome.winner else "A draw"


def _reason_words(outcome: Outcome | None) -> str:
    """Return the reason of a result, as words that follow `_result_words`; empty until the outcome is known."""
    if outcome is None:
        return ""
    has_details = outcome.reason.kind is ReasonKind.RULES or outcome.reason is Reason.AGREEMENT
    words = printable(outcome.detail) if has_details and outcome.detail else outcome.reason.ended_by
    words = words.removesuffix(" the game")  # "the teacher decided", so that the words hide less of a small board
    return f" {words}" if words.startswith("by ") else f": {words}"
