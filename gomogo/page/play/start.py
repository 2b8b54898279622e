"""The start page, and the form for a new game.

Uses requests and sessions; the pages of a running game are in `pages`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from inspect import getdoc
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.board_view import board, game_title, rules_words
from gomogo.page.play.new_game import (
    FieldError,
    FormValues,
    board_sizes,
    clock_choices,
    form_values,
    level_choices,
    option_fields,
    own_name,
    seats_of,
    session_of,
)
from gomogo.page.server.context import PageContext, form_field, wants_json
from gomogo.text.names import shown_name
from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Position
from gomogo_core.puzzles.puzzle import shipped_puzzles
from gomogo_core.records.live_format import live_games
from gomogo_core.session.game_session import GameSession

_LISTED = 10  # other games of the visitor
_CONTINUED = 3  # running games of the visitor that are shown with their boards
_FIRST_CARDS = ("gomoku", "go")  # for a visitor who has not played yet
_RUNNING_NAMED = 3  # running games that the start page names


class StartPages:
    """The handlers of the start page and of the form for a new game. folder: the folder of live files."""

    def __init__(self, context: PageContext, folder: Path) -> None:
        self.context, self.sessions, self.folder = context, context.sessions, folder

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [Route("/", self.home), Route("/play", self.begin, methods=["POST"])]

    def home(self, request: Request) -> Response:
        """Show the games, or the form for a new game with ?game=NAME."""
        if name := request.query_params.get("game"):
            asked = form_values({key: request.query_params.getlist(key) for key in request.query_params})
            own = own_name(self.context, request.state.visitor)
            return self._form(request, name, asked._replace(name=own))
        visitor = request.state.visitor
        mine = self.sessions.of(visitor)
        running = live_games(self.folder)
        named = [*(one.names for one in self.sessions.played_now()), *(one.names for one in running)]
        shown = [" – ".join(map(shown_name, names)) for names in named]
        more = f" and {len(shown) - _RUNNING_NAMED} more" if len(shown) > _RUNNING_NAMED else ""
        unfinished, finished = [one for one in mine if not one.is_over], [one for one in mine if one.is_over]
        return self.context.page(
            request,
            "home.html",
            "/",
            cards=sorted(_game_cards(), key=lambda one: _place_of_card(one["name"], mine)),
            running=f"{', '.join(shown[:_RUNNING_NAMED])}{more}.".replace("..", ".") if shown else "",
            unfinished=[
                _session_entry(one, visitor) | {"picture": _picture(one.position)} for one in unfinished[:_CONTINUED]
            ],
            others=[_session_entry(one, visitor) for one in [*unfinished[_CONTINUED:], *finished][:_LISTED]],
        )

    def _form(
        self, request: Request, name: str, given: FormValues, wrong: UserError | None = None, status: int = 200
    ) -> Response:
        """Show the form for a new game. wrong: the reason of a refusal, shown beside its field."""
        try:
            games.rules(name)  # check it before a file is looked up by this untrusted name
            known = level_choices(name)
        except UserError as unknown:
            return self.context.refuse(request, unknown, status=404)
        if wrong is not None and not isinstance(wrong, FieldError):
            wrong = FieldError("", wrong.what, wrong.remedy)
        sizes = board_sizes(name)
        usual_size = sizes[0][0] if sizes else ""
        return self.context.page(
            request,
            "new_game.html",
            "/",
            status,
            game=name,
            about=_rules_sentence(name),
            preview=_picture(_start_position(name, usual_size)),
            usual_size=usual_size,
            sizes=sorted(sizes, key=lambda one: int(one[1].partition("×")[0])),
            fields=option_fields(name),
            seats=seats_of(name),
            levels=known,
            agents=self.context.settings.agents_for(name),
            given=given,
            wrong=wrong,
            clocks=[(value, words, value == given.clock) for value, words in clock_choices()],
            open=any(given.options.values()) or any(given.more) or bool(given.seconds or given.clock),
        )

    def begin(self, request: Request) -> Response:
        """Start the game of the form."""
        context, visitor = self.context, request.state.visitor
        try:
            session = session_of(
                request.state.form, visitor, context.store, context.settings, own_name(context, visitor)
            )
            self.sessions.begin(session, visitor)
        except UserError as wrong:
            form = request.state.form
            if wants_json(request):
                return context.refuse(request, wrong, status=400)
            return self._form(request, form_field(form, "game") or "gomoku", form_values(form), wrong, 400)
        return context.done(request, go=f"/play/{session.key}")


def _session_entry(session: GameSession, visitor: str) -> dict[str, Any]:
    """Return the values of a session in a list of the visitor's games."""
    mine = False
    if session.is_over:
        state = "over"
    elif session.is_waiting_for_humans:
        state = "waiting for a player"
    elif session.position.to_move in session.seats_of(visitor):
        state, mine = "your turn", True
    else:
        state = f"{shown_name(session.names[session.position.to_move - 1])} is to move"
    return {
        "key": session.key,
        "names": [shown_name(name) for name in session.names],
        "game": rules_words(session.game),
        "moves": sum(one.move != RESIGN for one in session.actions),
        "state": state,
        "mine": mine,
    }


def _place_of_card(name: str, mine: Sequence[GameSession]) -> tuple[int, int]:
    """Return the place of a game's card: the visitor's last game first, then the usual order."""
    played = [one.game.name for one in mine]
    usual = _FIRST_CARDS.index(name) if name in _FIRST_CARDS else len(_FIRST_CARDS)
    return played.index(name) if name in played else len(played), usual


@cache
def _game_cards() -> list[dict[str, Any]]:
    """Return the values of each game's card."""
    return [
        {"name": name, "about": _rules_sentence(name), "picture": _picture(_card_position(name))}
        for name in games.names()
    ]


def _card_position(name: str) -> Position:
    """Return a position of a game as players reach it: that of a puzzle, or the start of a game without puzzles."""
    own = [one.position for one in shipped_puzzles().values() if one.game.name == name]
    return own[len(own) // 2] if own else _start_position(name, "")


def _start_position(name: str, size: str) -> Position:
    """Return the start of a game. size: the options of its size as the form has them, or "" for the default."""
    return games.load(name, **dict(pair.split("=") for pair in size.split())).start()


def _picture(position: Position) -> Markup:
    title = f"A board of {game_title(position.game.name)}"
    return board(position, None, interactive=False, spoken=False, coordinates=False, title=title)


def _rules_sentence(name: str) -> str:
    """Return the rules of a game in one sentence, with the default values of its options."""
    usual = games.load(name).options
    summary = (getdoc(games.rules(name)) or "").partition("\n")[0]
    return re.sub(r"`(\w+)`", lambda match: str(usual.get(match[1], match[1])), summary)
