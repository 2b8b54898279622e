"""The pages about finished games: search, replay, review, export; and the list of players.

The module uses records and the store, and does not change them.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gomogo.page.analysis.links import ViewedLine, new_game_url, position_url
from gomogo.page.archive.evaluation_curve import review_graph
from gomogo.page.archive.replay_view import analysis_caption, evaluation_curve, position_words, replay_board
from gomogo.page.archive.retries import RetryPages, retry_url
from gomogo.page.archive.reviews import (
    TIMES,
    ReviewInProgress,
    Reviews,
    findings_to_show,
    only_human,
    requested_time,
    time_query,
)
from gomogo.page.board_view import PlayerLine, describe_game, ordered_games, player_lines
from gomogo.page.play.classroom import Classroom
from gomogo.page.puzzles.pages import puzzle_of, puzzle_url
from gomogo.page.server.cache import Cache
from gomogo.page.server.context import PageContext
from gomogo.page.watch.standings_rows import StandingsTableRow, standings_rows
from gomogo.text.names import display_name
from gomogo.text.numbers import format_accuracy
from gomogo_core.analysis.dead_stones import dead_stones_at_end
from gomogo_core.analysis.move_explanations import explain_move, seat_name
from gomogo_core.analysis.review import Review
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Position, Seat
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.levels import level_of
from gomogo_core.printable import counted
from gomogo_core.puzzles.teaching import teaching_label
from gomogo_core.records import queries
from gomogo_core.records.formats import FORMATS, file_name
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.turning_point import turning_point
from gomogo_core.session.words import ending_sentence
from tournaments.standings import compute_standings

_PAGE_SIZE = 50  # games
_MAX_RATED_RUNS = 10  # number of the latest runs whose ratings are shown
# the labels of the switches of a replay; "both" extends the review to the opponent's mistakes
_MARK_LABELS = {
    "review": "Review",
    "both": "Both players",
    "numbers": "Numbers",
    "thoughts": "Thoughts",
}


class Archive:
    """The handlers of the pages about finished games. classroom: the class whose rules limit the reviews."""

    def __init__(self, context: PageContext, classroom: Classroom | None = None) -> None:
        self.context, self.classroom = context, classroom
        self.reviews = Reviews(context.engines)
        self._agents = Cache[Markup]()

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/games", self.games),
            Route("/games/{key}/review", self.review),
            *RetryPages(self.context, self.reviews).routes(),
            Route("/games/{key}.{ending}", self.export),
            Route("/games/{key}", self.game),
            Route("/agents", self.agents),
        ]

    def games(self, request: Request) -> Response:
        """Show the games that match the query's player, result, reason, opening and tournament."""
        asked = queries.GameQuery(
            *(request.query_params.get(name, "")[:200].strip() for name in queries.GameQuery._fields)
        )
        page = request.query_params.get("page", "0")
        number = int(page) if page.isdecimal() and len(page) < 6 else 0
        try:
            found = queries.find_games(self.context.store, asked, _PAGE_SIZE + 1, number * _PAGE_SIZE)
        except UserError as wrong:
            return self.context.error_response(request, wrong, "/games", 400)
        given = {name: value for name, value in asked._asdict().items() if value}
        rows = [
            {
                **one._asdict(),
                "won_by": _winner_words(one),
                "when": time.strftime("%Y-%m-%d %H:%M", time.localtime(one.started)),
            }
            for one in found[:_PAGE_SIZE]
        ]
        return self.context.render_page(
            request,
            "games.html",
            "/games",
            asked=asked,
            games=ordered_games(),
            reasons=queries.stored_reasons(self.context.store),
            rows=rows,
            newer=f"/games?{urlencode({**given, 'page': number - 1})}" if number else "",
            older=f"/games?{urlencode({**given, 'page': number + 1})}" if len(found) > _PAGE_SIZE else "",
        )

    def game(self, request: Request) -> Response:
        """Show a game after N moves, for ?move=N; by default after its last move."""
        played = self.context.requested_game(request)
        positions, count, you = played.positions(), len(played.plies), self.context.own_seat(request, played.key)
        asked = request.query_params.get("move", "")
        at = min(int(asked), count) if asked.isdecimal() and len(asked) < 7 else count
        shows = [name for name in _MARK_LABELS if request.query_params.get(name) == "1"]
        level = requested_time(request.query_params)
        more = "".join(f"&{name}=1" for name in shows) + time_query(level)
        review_in_progress = self._start_review(request, played) if "review" in shows else None
        found = review_in_progress.review() if review_in_progress else None
        findings = {one.number: one for one in found.findings} if found else {}
        here = findings.get(at)
        better = found.results[at - 1].line if found and here and here.better_move else ()
        person = only_human(played)
        shown_findings = findings_to_show(played, found, both="both" in shows) if found else []
        judged = [one.number for one in shown_findings]
        following = next((number for number in judged if number > at), next(iter(judged), None))
        offered = {
            "review": True,
            "both": found is not None and person is not None,
            "numbers": True,
            "thoughts": any(played.values) or any(played.lines),
        }
        steps = [
            (0, "first"),
            (max(0, at - 1), "back"),
            (min(count, at + 1), "forward"),
            (count, "last"),
        ]
        moves = [ply.move for ply in played.plies if ply.move != RESIGN]
        dead, dead_words = dead_stones_at_end(positions[at]) if found else ([], "")
        annotation = here.annotation if here else ""
        shown = replay_board(played, positions, at, shows, better, annotation=annotation, dead=dead)
        if found and review_in_progress:
            shown = replace(shown, player_lines=_with_summaries(shown.player_lines, found, review_in_progress))
        sides = [seat_name(positions[0], seat) for seat in (1, 2)]
        return self.context.render_page(
            request,
            "game.html",
            "/games",
            key=played.key,
            game=played.game,
            title=" – ".join(map(display_name, played.names)),
            about=self._game_text(played),
            status_line=ending_sentence(played, you, format_name=display_name)
            if at == count
            else position_words(played, at, you),
            steps=steps,
            more=more,
            marked="".join(f"&{name}=1" for name in shows),
            toggles={
                name: {"words": _MARK_LABELS[name], "is_on": name in shows, "rest": _toggle_url(shows, name)}
                for name, is_offered in offered.items()
                if is_offered
            },
            caption=analysis_caption(played, positions[at], at) if "thoughts" in shows else "",
            at=at,
            count=count,
            turning=turning_point(played),
            curve=evaluation_curve(played, at),
            graph=Markup(review_graph(found, sides, count, played.outcome.winner, at, more))
            if found and len(played.names) == 2
            else "",
            progress=_progress(review_in_progress),
            times=[(name, name.capitalize(), name == level) for name in TIMES] if found else [],
            shown=shown,
            findings=findings,
            finding=here.sentence if here else "",
            explained="" if here else dead_words or _explanation(played, positions, at),
            retry=retry_url(played, [here] if here else shown_findings, more),
            puzzle=_puzzle_url(played, at - 1) if here else "",
            mistake=following,
            note=found.note if found and (at == count or not findings) and not here else "",
            from_here=_new_game_url(played, positions, *((at - 1, None) if here else (at, you or person))),
            analysis=position_url(played.rules(), moves, at),
            teach=teaching_label(positions[at]),
            marks=f"/analysis/marks?{position_url(played.rules(), moves, at).partition('?')[2]}",
            endings=[ending for ending in FORMATS if _can_export(played, ending)],
        )

    def _game_text(self, played: PlayedGame) -> str:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(played.started))
        return f"{describe_game(played.rules())}, {when}"

    def export(self, request: Request) -> Response:
        """Send the game as a file."""
        kind = request.path_params["ending"]
        try:
            if kind not in FORMATS:
                raise UserError(f"There is no format {kind[:20]!r}.", f"Choose from {', '.join(FORMATS)}.")
            played = self.context.store.game(request.path_params["key"])
            content = FORMATS[kind].write(played)
        except UserError as wrong:
            return self.context.error_response(request, wrong, "/games", 404)
        return self.context.file_response(content, file_name(played, kind))

    def review(self, request: Request) -> Response:
        """Show the review of a game: each player's accuracy, and the mistakes."""
        played = self.context.requested_game(request)
        review_in_progress = self._start_review(request, played)
        found = review_in_progress.review()
        return self.context.render_page(
            request,
            "review.html",
            "/games",
            key=played.key,
            title=" – ".join(map(display_name, played.names)),
            status_line=ending_sentence(played, self.context.own_seat(request, played.key), format_name=display_name),
            summaries=_summaries(found, played, played.positions()[-1], ended=review_in_progress.ended),
            findings=[(one, retry_url(played, [one], "&review=1&both=1")) for one in found.findings],
            progress=_progress(review_in_progress),
            note=found.note,
        )

    def _start_review(self, request: Request, played: PlayedGame) -> ReviewInProgress:
        """Raises UserError if the rules of the class forbid the review now."""
        if self.classroom and (refused := self.classroom.review_refusal(request.state.visitor, played.positions())):
            raise refused
        return self.reviews.review_of(played, requested_time(request.query_params), self.context.loop)

    def agents(self, request: Request) -> Response:
        """Show the players in the store, and the agents that visitors can play."""
        store = self.context.store
        text = self._agents.get("", lambda: (store.latest_games(1), store.runs()[:1]), self._render_agents)
        return self.context.render_page(request, "agents.html", "/agents", text=text)

    def _render_agents(self) -> Markup:
        ratings = self._ratings()
        players = [
            {**one._asdict(), "rating": ratings.get((one.name, one.game))}
            for one in queries.player_results(self.context.store)
        ]
        return self.context.render_part(
            "_agents.html",
            players=players,
            agents=self.context.settings.agents,
            may_train=bool(self.context.settings.hosts),
        )

    def _ratings(self) -> Mapping[tuple[str, str], tuple[StandingsTableRow, str]]:
        """Return each player's row by name and game, from the latest run whose page shows the player's Elo, with the
        name of the run.
        """
        found: dict[tuple[str, str], tuple[StandingsTableRow, str]] = {}
        for run in self.context.store.runs()[:_MAX_RATED_RUNS]:
            for row in standings_rows(compute_standings(self.context.store, run)):
                if row.margin:
                    found.setdefault((row.name, run.settings["game"]), (row, run.name))
        return found


def _explanation(played: PlayedGame, positions: Sequence[Position], move_number: int) -> str:
    """Explain the last of the first `move_number` moves; empty before the first one and after a departure."""
    if not move_number or played.plies[move_number - 1].move == RESIGN:
        return ""
    ply, before = played.plies[move_number - 1], positions[move_number - 1]
    named = isinstance(before.game.board, PointBoard)
    name = "" if named else display_name(played.names[ply.seat - 1])
    return explain_move(before, before.game.parse(ply.move), positions[move_number], name)


def _progress(review_in_progress: ReviewInProgress | None) -> str:
    """Return a sentence on the progress of a review; empty if it has ended."""
    if review_in_progress is None or review_in_progress.ended:
        return ""
    return f"Review in progress: {len(review_in_progress.results)} of {review_in_progress.count} positions."


def _summaries(
    review: Review, played: PlayedGame, position: Position, *, ended: bool
) -> list[tuple[PlayerLine, tuple[str, str, str]]]:
    """Return each player's line on the page, and as texts the accuracy and the numbers of mistakes and of blunders.

    ended: whether the review is complete; numbers from the first positions alone would mislead.
    """
    lines = player_lines(position, played.names)
    return [
        (line, (format_accuracy(one.accuracy), str(one.mistakes), str(one.blunders)) if ended else ("…", "…", "…"))
        for line, one in zip(lines, review.players, strict=True)
    ]


def _with_summaries(
    lines: Sequence[PlayerLine], review: Review, review_in_progress: ReviewInProgress
) -> tuple[PlayerLine, ...]:
    """Add each player's accuracy, mistakes and blunders to the lines of the players, once the review is complete."""
    found = []
    for line, one in zip(lines, review.players, strict=True):
        words = [line.score_text]
        if review_in_progress.ended:
            words.append(f"accuracy {format_accuracy(one.accuracy)}")
            words += [counted(n, what) for n, what in ((one.mistakes, "mistake"), (one.blunders, "blunder")) if n]
        found.append(replace(line, score_text=", ".join(filter(None, words))))
    return tuple(found)


def _winner_words(summary: queries.GameSummary) -> str:
    """Return the winner's name, or words if there is no single winner."""
    if summary.winner:
        return summary.names[summary.winner - 1]
    return "nobody" if len(summary.names) == 2 else "nobody alone"


def _toggle_url(shows: Collection[str], name: str) -> str:
    """Return the end of the URL that switches the marks `name` on or off."""
    return "".join(f"&{one}=1" for one in _MARK_LABELS if (one in shows) != (one == name))


def _new_game_url(played: PlayedGame, positions: Sequence[Position], move_number: int, seat: Seat | None) -> str:
    """Return the URL for a new game from a position, against the level that played in this game; empty if the game is
    over or a player has resigned.

    seat: of the visitor; None for the player to move.
    """
    moves = [ply.move for ply in played.plies[:move_number]]
    level = next(filter(None, map(level_of, played.names)), None)
    line = ViewedLine(played.rules(), moves, move_number, positions[move_number])
    return "" if RESIGN in moves else new_game_url(line, seat, level)


def _puzzle_url(played: PlayedGame, before: int) -> str:
    """Return the URL of the puzzle after `before` moves; empty if no move is proved to be better than the
    played one.
    """
    moves, game = tuple(ply.move for ply in played.plies), played.rules()
    found = None if RESIGN in moves[: before + 1] else puzzle_of(game, moves[:before])
    if found is None or game.parse(moves[before]) in found.right_moves(found.position, found.turns):
        return ""
    return puzzle_url(game, moves[:before])


def _can_export(played: PlayedGame, kind: str) -> bool:
    """Return whether the game can be written in this format."""
    try:
        FORMATS[kind].write(played)
    except UserError:
        return False
    return True
