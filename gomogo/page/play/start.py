"""The start page, and the page with the form for a new game. The pages of a running game are in `pages`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.analysis.links import ViewedLine, read_named_values, read_query
from gomogo.page.board_view import describe_game, draw_board, ordered_games, rules_summary, seat_colour
from gomogo.page.play.form_choices import (
    FieldError,
    board_size_choices,
    clock_choices,
    handicap_choices,
    level_choices,
    max_seats,
    option_fields,
)
from gomogo.page.play.new_game import FormValues, create_session, read_form_values, visitor_name
from gomogo.page.server.context import PageContext, form_field, wants_json
from gomogo.text.names import display_name
from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Move, Position
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.puzzles.puzzle import shipped_puzzles
from gomogo_core.records.live_format import live_games
from gomogo_core.session.game_session import GameSession

_SECONDS_PER_DAY = 86400
_DAILY_STEP = 37  # puzzles from one day's puzzle to that of the next day, so that the games alternate
_MAX_LISTED_SESSIONS = 10  # the visitor's games that are listed without their boards
_MAX_SESSION_BOARDS = 3  # the visitor's running games that are shown with their boards
_MAX_RUNNING_GAMES = 3  # running games that the start page names


class StartPages:
    """The handlers of the start page and of the form for a new game. folder: the folder of live files."""

    def __init__(self, context: PageContext, folder: Path) -> None:
        self.context, self.sessions, self.folder = context, context.sessions, folder

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [Route("/", self.show_home), Route("/play", self.start_game, methods=["POST"])]

    def show_home(self, request: Request) -> Response:
        """Show the start page or, for ?game=NAME, the form for a new game."""
        if name := request.query_params.get("game"):
            form = read_form_values({key: request.query_params.getlist(key) for key in request.query_params})
            own_name = visitor_name(self.context, request.state.visitor)
            return self._render_form(request, name, form._replace(name=own_name))
        visitor = request.state.visitor
        own_sessions = self.sessions.sessions_of(visitor)
        running_games = live_games(self.folder)
        named = [
            *(session.names for session in self.sessions.active_sessions() if session not in own_sessions),
            *(session.names for session in running_games),
        ]
        game_titles = [" – ".join(map(display_name, names)) for names in named]
        more_text = (
            f" and {len(game_titles) - _MAX_RUNNING_GAMES} more" if len(game_titles) > _MAX_RUNNING_GAMES else ""
        )
        unfinished, finished = (
            [session for session in own_sessions if not session.is_over],
            [session for session in own_sessions if session.is_over],
        )
        return self.context.render_page(
            request,
            "home.html",
            "/",
            cards=sorted(_game_cards(), key=lambda card: _card_order(card["name"], own_sessions)),
            shipped=list(shipped_puzzles()),
            puzzle=_puzzle_of_day(int(time.time()) // _SECONDS_PER_DAY),
            running=f"{', '.join(game_titles[:_MAX_RUNNING_GAMES])}{more_text}.".replace("..", ".")
            if game_titles
            else "",
            unfinished=[
                _session_entry(session, visitor) | {"picture": _draw_small_board(session.position)}
                for session in unfinished[:_MAX_SESSION_BOARDS]
            ],
            others=[
                _session_entry(session, visitor)
                for session in [*unfinished[_MAX_SESSION_BOARDS:], *finished][:_MAX_LISTED_SESSIONS]
            ],
        )

    def _render_form(
        self, request: Request, name: str, form_values: FormValues, error: UserError | None = None, status: int = 200
    ) -> Response:
        """Show the form for a new game. form_values: the values of its fields. error: an error, shown at its field."""
        try:
            games.rules(name)  # check the untrusted name before it is used in the path of a file
            level_words = level_choices(name)
        except UserError as unknown:
            return self.context.error_response(request, unknown, status=404)
        if error is not None and not isinstance(error, FieldError):
            error = FieldError("", error.problem, error.remedy)
        chosen_options = {**read_named_values(form_values.size), **{k: v for k, v in form_values.options.items() if v}}
        query = {"game": name, **{f"option-{key}": value for key, value in chosen_options.items()}}
        try:
            line = read_query(query | ({"moves": form_values.moves} if form_values.moves else {}))
        except UserError as refused:
            line = read_query({"game": name})
            error = error or FieldError("", refused.problem, refused.remedy)
        last_move = line.game.parse(line.moves[-1]) if line.moves else None
        sizes, fields = board_size_choices(name), option_fields(name)
        usual_size = sizes[0][0] if sizes else ""
        return self.context.render_page(
            request,
            "new_game.html",
            "/",
            status,
            game=name,
            about=rules_summary(games.load(name)),
            preview=_draw_small_board(line.position, last_move),
            continued=_continuation(line) if line.moves else "",
            usual_size=usual_size,
            sizes=sorted(sizes, key=lambda size: int(size[1].partition("×")[0])),
            fields=fields,
            handicaps=handicap_choices(name),
            coloured=max_seats(name) == 2 and isinstance(games.load(name).board, PointBoard),
            seats=max_seats(name),
            levels=level_words,
            agents=self.context.settings.agents_for(name),
            given=form_values,
            error=error,
            clocks=[(value, words, value == form_values.clock) for value, words in clock_choices()],
            # a continued game has the rules of the previous game, so its link does not show them
            open=(
                (error is not None or not form_values.moves)
                and any(form_values.options.get(field.name, "") not in ("", field.value) for field in fields)
            )
            or any(form_values.more_opponents)
            or bool(form_values.seconds or form_values.clock),
        )

    def start_game(self, request: Request) -> Response:
        """Start the game that the form describes."""
        context, visitor = self.context, request.state.visitor
        try:
            session = create_session(
                request.state.form, visitor, context.store, context.settings, visitor_name(context, visitor)
            )
            self.sessions.start_session(session, visitor)
        except UserError as error:
            form = request.state.form
            if wants_json(request):
                return context.error_response(request, error, status=400)
            return self._render_form(request, form_field(form, "game") or "gomoku", read_form_values(form), error, 400)
        return context.success_response(request, redirect_url=f"/play/{session.key}")


def _session_entry(session: GameSession, visitor: str) -> dict[str, Any]:
    """Return the template values of a session in a list of the visitor's games."""
    own_turn = False
    if session.is_over:
        state = "over"
    elif session.has_free_seats:
        state = "waiting for a player"
    elif session.position.to_move in session.seats_of(visitor):
        state, own_turn = "your turn", True
    else:
        state = f"{display_name(session.names[session.position.to_move - 1])} is to move"
    own_seats = session.seats_of(visitor)
    opponents = [display_name(name) for seat, name in enumerate(session.names, 1) if seat not in own_seats]
    return {
        "key": session.key,
        "opponents": f"against {' and '.join(opponents)}" if opponents else "at this screen",
        "game": describe_game(session.game),
        "moves": sum(action.move != RESIGN for action in session.actions),
        "state": state,
        "own_turn": own_turn,
    }


def _card_order(name: str, own_sessions: Sequence[GameSession]) -> tuple[int, int]:
    """Return the place of a game's card: the visitor's last game first, then the usual order."""
    played_names = [session.game.name for session in own_sessions]
    return played_names.index(name) if name in played_names else len(played_names), ordered_games().index(name)


@cache
def _game_cards() -> list[dict[str, Any]]:
    """Return the template values of the games' cards on the start page."""
    return [
        {"name": name, "about": rules_summary(games.load(name)), "picture": _draw_small_board(_card_position(name))}
        for name in ordered_games()
    ]


def _card_position(name: str) -> Position:
    """Return a position for the card of a game: the position of a puzzle or, without puzzles, the start position."""
    own_positions = [puzzle.position for puzzle in shipped_puzzles().values() if puzzle.game.name == name]
    return own_positions[len(own_positions) // 2] if own_positions else games.load(name).start()


def _continuation(line: ViewedLine) -> str:
    """Return a sentence about the position from which a game continues."""
    count, position = len(line.moves), line.position
    colour = seat_colour(position, position.to_move)
    return f"The game continues after {count} move{'s' * (count != 1)}: {colour} is to move."


@lru_cache(maxsize=2)
def _puzzle_of_day(day: int) -> dict[str, Any]:
    """Return the puzzle that the start page shows on a day. day: the number of the day, by Greenwich time."""
    puzzles = list(shipped_puzzles().values())
    puzzle = puzzles[day * _DAILY_STEP % len(puzzles)]
    return {
        "key": puzzle.key,
        "game": puzzle.game.name,
        "goal": puzzle.goal_sentence,
        "level": puzzle.level,
        "picture": _draw_small_board(puzzle.position),
    }


def _draw_small_board(position: Position, last_move: Move | None = None) -> Markup:
    return draw_board(position, last_move, interactive=False, accessible=False, coordinates=False)
