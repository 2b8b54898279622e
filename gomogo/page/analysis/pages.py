"""The pages of the analysis board: any position of any game, with a tree of variations and live analysis.

The module uses the rules and the pool of analysis processes. It uses sessions only to refuse the analysis of a game
that the visitor is playing.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any
from urllib.parse import quote, urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gomogo.page.analysis.links import (
    ViewedLine,
    new_game_url,
    option_texts,
    position_url,
    read_query,
    size_choices,
)
from gomogo.page.analysis.pool import AnalysisRequest
from gomogo.page.archive.reviews import review_query
from gomogo.page.board_view import (
    BoardView,
    describe_game,
    draw_board,
    off_board_moves,
    ordered_games,
    player_lines,
    seat_colour,
)
from gomogo.page.play.classroom import Classroom
from gomogo.page.play.form_choices import option_fields
from gomogo.page.play.resemblance import LINE_LENGTH
from gomogo.page.server.context import ClosedStream, PageContext, form_field
from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.live_analysis import MAX_LINES
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Game, IllegalMove, NotAMove, Position
from gomogo_core.games.boards.edges import EdgeBoard
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.printable import count_with_noun
from gomogo_core.records.board_setup import edges_to_set_up, moves_to_set_up
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.json_tree import nodes_from_json, read_json_tree, write_json_tree
from gomogo_core.records.sgf import family_and_board_side, scoring_note
from gomogo_core.records.sgf_tree import VariationNode, read_tree, write_tree
from gomogo_core.session.actions import ActionRefused

_MAX_STONES_TEXT = 2000  # characters of the text that lists the stones of one colour
_MISTAKE_PATTERN = re.compile(r"(\d{1,4})(\?[?!]?)(?!\S)")  # the number of a move and its annotation
_ANALYSIS_SECONDS = 120.0  # the time limit of an analysis


class AnalysisPages:
    """The handlers of the analysis board. classroom: the class that limits its students' analyses, or None."""

    def __init__(self, context: PageContext, classroom: Classroom | None = None) -> None:
        self.context, self.analysis_pool, self.classroom = context, context.analysis_pool, classroom
        self._running_analyses: dict[str, AnalysisRequest] = {}

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/analysis", self.show_board),
            Route("/position", self.redirect_old_link),
            Route("/analysis/board", self.send_board),
            Route("/analysis/setup", self.set_up_position),
            Route("/analysis/marks", self.send_marks),
            Route("/analysis/start", self.start_analysis, methods=["POST"]),
            Route("/analysis/stop", self.stop_analysis, methods=["POST"]),
            Route("/analysis/sgf", self.send_sgf, methods=["POST"]),
            Route("/analysis/read", self.read_sgf, methods=["POST"]),
            Route("/play/{key}/analysis", self.redirect_session),
            Route("/play/{key}/marks", self.send_session_marks),
        ]

    async def show_board(self, request: Request) -> Response:
        """Show the position in the URL, or an empty board if the URL has none."""
        from anyio.to_thread import run_sync

        try:
            line = await run_sync(read_query, request.query_params)
        except UserError as error:
            return self.context.error_response(request, error, "/analysis", 400)
        await self.analysis_pool.prepare(line.game.name, dict(line.game.options))
        return await run_sync(self._show_line, request, line)

    def _show_line(self, request: Request, line: ViewedLine) -> Response:
        query, name = request.query_params, line.game.name
        return self.context.render_page(
            request,
            "analysis.html",
            "/analysis",
            name=name,
            seats=line.game.seats,
            rules=describe_game(line.game).partition(", ")[2],
            set_options=option_texts(line.game),
            values={key: str(value).lower() for key, value in line.game.options.items()},
            moves=line.moves,
            move_number=line.move_number,
            position_urls=[
                position_url(line.game, line.moves, number, line.set_up) for number in range(len(line.moves) + 1)
            ],
            set_up=line.set_up,
            **self._review_values(query),
            agents=self.context.settings.analysis_agents_for(name),
            games=ordered_games(),
            sizes=size_choices(line.game),
            fields=[field for field in option_fields(name) if field.group == "Rules"],
            is_new="new" in query,
            example=" ".join(_example_moves(line.game)),
            live_part=self._render_board(line, query),
            new_game_url=new_game_url(line),
            teaching_label=explainer_of(line.game).teaching_label(line.position),
            scores_places=line.game.scores_places,
            stones=_set_up_places(line),
            sides=[side_name(line.position, seat) for seat in range(1, line.game.seats + 1)],
            is_sgf=_can_save_sgf(line.game),
        )

    def _reviewed_game(self, query: Mapping[str, str]) -> PlayedGame | None:
        """Return the game whose review led to the analysis board; None if no review did."""
        try:
            return self.context.store.game(query["reviewed"]) if query.get("reviewed") else None
        except UserError:  # the game was deleted
            return None

    def _review_values(self, query: QueryParams) -> dict[str, Any]:
        """Return the template values about the review that led here: its URL, the fields by which other URLs refer to
        it, and the annotations of its mistakes by the number of the move.
        """
        if (played := self._reviewed_game(query)) is None:
            return {"review_url": "", "review_query": "", "mistakes": {}}
        move, settings = query.get("reviewed-move", ""), review_query(query)
        where = {"reviewed": played.key, "reviewed-move": move if move.isdecimal() else "0"}
        return {
            "review_url": f"/games/{quote(played.key)}?move={where['reviewed-move']}{settings}",
            "review_query": urlencode(where) + settings,
            "mistakes": {int(number): mark for number, mark in _MISTAKE_PATTERN.findall(query.get("mistakes", ""))},
        }

    def redirect_old_link(self, request: Request) -> Response:
        """Redirect links from earlier versions of Gomogo to the analysis board."""
        return RedirectResponse(f"/analysis?{request.url.query}", 301)

    def send_board(self, request: Request) -> Response:
        """Send the board of a position and the texts around it to the script."""
        try:
            line = read_query(request.query_params)
        except ActionRefused as error:  # a click on an occupied point, for example
            return self.context.error_response(request, error)
        url = position_url(line.game, line.moves)
        return JSONResponse(
            {
                "part": self._render_board(line, request.query_params),
                "moves": line.moves,
                "where": url,
                "play": new_game_url(line),
            }
        )

    def set_up_position(self, request: Request) -> Response:
        """Redirect to a board that starts with the stones or the edges in the URL."""
        query = request.query_params
        try:
            rules = {name: value for name, value in query.items() if name != "moves"}
            to_move = {"black": 1, "white": 2, "blue": 1, "orange": 2}.get(query.get("turn", ""))
            if edges := query.get("edges"):
                line = read_query({**rules, "moves": "", "move": edges})
                moves = edges_to_set_up(line.game, line.moves, to_move) if to_move else line.moves
                url = position_url(line.game, moves, None, len(moves))
                return self.context.success_response(request, redirect_url=url)
            game = read_query(rules).game
            stones = {
                seat: query.get(name, "")[:_MAX_STONES_TEXT].split() for seat, name in ((1, "black"), (2, "white"))
            }
            moves = moves_to_set_up(game, stones, to_move)
        except UserError as error:
            return self.context.error_response(request, error, "/analysis", 400)
        return self.context.success_response(request, redirect_url=position_url(game, moves, None, len(moves)))

    def send_marks(self, request: Request) -> Response:
        """Send the teaching marks of a position, such as stones in atari, to the script."""
        line = read_query(request.query_params)
        self._check_class_rules(request.state.visitor, [*line.earlier_positions, line.position])
        return _teaching_marks(line.position)

    def _check_class_rules(self, visitor: str, positions: Sequence[Position]) -> None:
        """Raise UserError if the rules of the class forbid help in the last of these positions now."""
        if self.classroom and (refusal := self.classroom.find_help_refusal(visitor, positions)):
            raise refusal

    def send_session_marks(self, request: Request) -> Response:
        """Send the teaching marks of a game in progress to the script."""
        session = self.context.requested_session(request)
        self._check_class_rules(request.state.visitor, session.recent_history(LINE_LENGTH - 1)[1])
        with session.lock:
            return _teaching_marks(session.position)

    def _render_board(self, line: ViewedLine, query: QueryParams) -> str:
        position, moves = line.position, line.moves[: line.move_number]
        outcome = position.outcome()
        last_move = line.game.parse(moves[-1]) if len(moves) > line.set_up else None
        played = self._reviewed_game(query)
        sides = [side_name(position, seat) for seat in range(1, line.game.seats + 1)]
        names: Sequence[str] = sides
        if played and len(played.names) == len(names):
            names = played.names
        dead, dead_words = explainer_of(position.game).dead_stones_at_end(position)
        if outcome:
            winner = f"{seat_colour(position, outcome.winner).capitalize()} won: " if outcome.winner else ""
            ending = f"{winner}{outcome.detail or outcome.reason.ended_by}"
            status = f"The game is over. {ending[:1].upper()}{ending[1:]}. {dead_words}".rstrip()
        else:
            task = position.describe_task()
            colour = seat_colour(position, position.to_move)
            status = f"Move {len(moves) + 1 - line.set_up}: {colour} is to move.{' ' + task if task else ''}"
            if line.set_up == len(moves) and (places := _set_up_places(line)):
                count = sum(len(names.split()) for names in places.values())
                noun, verb = "edge" if "edges" in places else "stone", "is" if count == 1 else "are"
                status = f"{count_with_noun(count, noun)} {verb} set up. {status}" if count else status
        if any(captures := position.facts().get("captures", ())):
            status += f" Captured by black: {captures[0]}, by white: {captures[1]}."
        view = BoardView(
            draw_board(position, last_move, interactive=outcome is None, territory=outcome is not None, dead=dead),
            position.diagram(),
            player_lines(position, names),
            off_board_moves=tuple(off_board_moves(position)),
        )
        return self.context.render_part(
            "_analysis.html", shown=view, sides=sides, status=status, line=line, position_url=position_url
        )

    async def start_analysis(self, request: Request) -> Response:
        """Analyse a position, and stream the results as lines of JSON until the analysis ends."""
        from anyio.to_thread import run_sync

        form, visitor = request.state.form, request.state.visitor
        agent, lines = form_field(form, "agent") or "strongest", form_field(form, "lines")
        line = await run_sync(read_query, {name: values[0] for name, values in form.items() if values})
        if agent not in self.context.settings.analysis_agents_for(line.game.name):
            raise UserError("This agent cannot analyse here.", "Choose an agent from the list.")
        await run_sync(self.check_not_playing, visitor, line)
        analysis = AnalysisRequest(
            line.game.name,
            dict(line.game.options),
            line.moves[: line.move_number],
            agent,
            min(MAX_LINES, int(lines)) if lines.isdecimal() and len(lines) < 3 else 3,
            _ANALYSIS_SECONDS,
        )
        if (earlier_analysis := self._running_analyses.get(visitor)) is not None:
            earlier_analysis.stop()
        self._running_analyses[visitor] = analysis
        return ClosedStream(self._stream_results(visitor, analysis), media_type="application/x-ndjson")

    async def _stream_results(self, visitor: str, analysis: AnalysisRequest) -> AsyncGenerator[bytes]:
        try:
            async with aclosing(self.analysis_pool.analyse(analysis)) as answers:
                async for answer in answers:
                    if "waiting" in answer:
                        queue = f"Requests before yours: {answer['waiting']}" if answer["waiting"] else "You are next"
                        answer["words"] = f"The server is busy. {queue}."
                    yield (json.dumps(answer) + "\n").encode()
        finally:
            analysis.stop()
            if self._running_analyses.get(visitor) is analysis:
                del self._running_analyses[visitor]

    async def stop_analysis(self, request: Request) -> Response:
        """Stop the visitor's analysis."""
        if (analysis := self._running_analyses.get(request.state.visitor)) is not None:
            analysis.stop()
        return JSONResponse({})

    def check_not_playing(self, visitor: str, line: ViewedLine) -> None:
        """Raise UserError if the visitor is playing this position against another person, or plays in a class."""
        self._check_class_rules(visitor, [*line.earlier_positions, line.position])
        moves = line.moves[: line.move_number]
        for session in self.context.sessions.sessions_of(visitor):
            if session.is_running_between_humans and session.game == line.game:
                played_moves = [action.move for action in session.actions]
                if (
                    played_moves and moves[: len(played_moves)] == played_moves
                ) or line.position.key() == session.position.key():
                    raise UserError(
                        "You are playing this position against another person.", "Analyse it when that game is over."
                    )

    def redirect_session(self, request: Request) -> Response:
        """Redirect to the analysis board with a session's moves."""
        session = self.context.requested_session(request)
        with session.lock:
            if session.is_running_between_humans and session.seats_of(request.state.visitor):
                contest = UserError("You are playing this game against another person.", "Analyse it when it is over.")
                return self.context.error_response(request, contest, f"/play/{session.key}", 403)
            moves = [action.move for action in session.actions if action.move != RESIGN]
        return RedirectResponse(position_url(session.game, moves, len(moves)), 303)

    def send_sgf(self, request: Request) -> Response:
        """Send the visitor's tree of variations as a file: as SGF, or as JSON if SGF cannot express the game."""
        form = request.state.form
        try:
            query = {name: values[0] for name, values in form.items() if values}
            game, played_game = read_query(query).game, self._reviewed_game(query)
            nodes = _parse_sgf_nodes(form_field(form, "tree"))
            if not _can_save_sgf(game):
                return self.context.file_response(write_json_tree(game, nodes), f"{game.name}-analysis.json")
            is_same_game = played_game is not None and played_game.rules() == game
            content = write_tree(game, nodes, played_game if is_same_game else None)
        except (NotAMove, IllegalMove, ValueError) as error:
            raise UserError(f"The variations cannot be written: {error}.", "Load the page again.") from None
        return self.context.file_response(content, f"{game.name}-analysis.sgf")

    def read_sgf(self, request: Request) -> Response:
        """Send the tree of variations in a file to the script."""
        content = form_field(request.state.form, "sgf")
        game, nodes = read_json_tree(content) if content.lstrip().startswith("{") else read_tree(content)
        tree = [{name: value for name, value in node._asdict().items() if value is not False} for node in nodes]
        start = [node.move for node in nodes if node.is_set_up]
        url = position_url(game, start, None, len(start))
        answer = {"where": url, "game": game.name, "options": option_texts(game), "tree": tree}
        return JSONResponse({**answer, "note": scoring_note(content.encode())})


def _can_save_sgf(game: Game) -> bool:
    """Return whether a game can be saved as an SGF file."""
    try:
        family_and_board_side(game, "")
    except UserError:
        return False
    return True


def _teaching_marks(position: Position) -> Response:
    return JSONResponse([mark._asdict() for mark in explainer_of(position.game).teaching_marks(position)])


def _parse_sgf_nodes(text: str) -> list[VariationNode]:
    """Return the tree that the script sent as JSON. Raises UserError if it is invalid."""
    try:
        return nodes_from_json(json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise UserError("The variations cannot be read.", "Load the page again.") from None


def _set_up_places(line: ViewedLine) -> dict[str, str]:
    """Return the points with stones of each colour, or the drawn edges in their order, as text."""
    position, board = line.position, line.game.board
    if isinstance(board, EdgeBoard):
        return {"edges": " ".join(line.moves[: line.move_number])}
    if not isinstance(board, PointBoard) or position.game.seats != 2:
        return {}
    return {
        words: " ".join(
            str(Point(row, column))
            for row, line in enumerate(position.rows(), 1)
            for column, mark in enumerate(line, 1)
            if mark == sign
        )
        for words, sign in (("black", "x"), ("white", "o"))
    }


def _example_moves(game: Game) -> list[str]:
    """Return three legal moves as examples of the notation that a visitor can type."""
    position, moves = game.start(), list[str]()
    while len(moves) < 3 and position.outcome() is None:
        legal = list(position.moves())
        text = game.format(legal[len(legal) // 2])
        moves.append(text)
        position = position.play(game.parse(text))
    return moves
