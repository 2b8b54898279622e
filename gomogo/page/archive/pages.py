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
from gomogo.page.archive.charts import draw_review, greatest_final_lead
from gomogo.page.archive.replay_view import (
    analysis_caption,
    evaluation_chart,
    last_move_sentence,
    replay_board,
)
from gomogo.page.archive.retries import RetryPages, retry_url
from gomogo.page.archive.reviews import (
    REVIEW_SECONDS,
    ReviewInProgress,
    Reviews,
    findings_to_show,
    only_human,
    requested_time_word,
    review_origin,
    time_query,
)
from gomogo.page.board_view import PlayerLine, coordinate_attributes, describe_game, ordered_games, player_lines
from gomogo.page.play.classroom import Classroom
from gomogo.page.puzzles.pages import find_puzzle, puzzle_url
from gomogo.page.server.cache import Cache
from gomogo.page.server.context import PageContext
from gomogo.page.watch.standings_rows import StandingsTableRow, standings_rows
from gomogo.text.names import display_name
from gomogo.text.numbers import format_accuracy
from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.review import MORE_TIME_CLAUSE, Review
from gomogo_core.analysis.review_results import ReviewFinding, win_chance_percent
from gomogo_core.analysis.review_sentences import boxes_words, move_result_words
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import RESIGN, Position, Seat
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.level_names import level_of_player
from gomogo_core.printable import count_with_noun
from gomogo_core.records import queries
from gomogo_core.records.formats import FORMATS, game_file_name
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.turning_point import turning_point
from gomogo_core.session.sentences import ending_sentence
from tournaments.standings import compute_standings

_PAGE_SIZE = 50  # games on one page of the list
_MAX_RATED_RUNS = 10  # the number of the latest runs whose ratings the page of agents shows
# the labels of the switches of a replay; "both" extends the review to the opponent's mistakes
_MARK_LABELS = {
    "review": "Review",
    "both": "Both players",
    "numbers": "Numbers",
    "thoughts": "Thoughts",
}


class ArchivePages:
    """The handlers of the pages about finished games. classroom: the class whose rules limit the reviews."""

    def __init__(self, context: PageContext, classroom: Classroom | None = None) -> None:
        self.context, self.classroom = context, classroom
        self.reviews = Reviews(context.analysis_pool)
        self._agents_cache = Cache[Markup]()

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/games", self.show_games),
            Route("/games/{key}/review", self.show_review),
            *RetryPages(self.context, self.reviews, self.classroom).routes(),
            Route("/games/{key}.{ending}", self.send_file),
            Route("/games/{key}", self.show_game),
            Route("/agents", self.show_agents),
        ]

    def show_games(self, request: Request) -> Response:
        """Show the games that match the player, result, reason, opening and tournament in the URL."""
        query = queries.GameQuery(
            *(request.query_params.get(name, "")[:200].strip() for name in queries.GameQuery._fields)
        )
        page = request.query_params.get("page", "0")
        number = int(page) if page.isdecimal() and len(page) < 6 else 0
        try:
            found_games = queries.find_games(self.context.store, query, _PAGE_SIZE + 1, number * _PAGE_SIZE)
        except UserError as error:
            return self.context.error_response(request, error, "/games", 400)
        query_values = {name: value for name, value in query._asdict().items() if value}
        rows = [
            {
                **summary._asdict(),
                "won_by": _winner_words(summary),
                "when": time.strftime("%Y-%m-%d %H:%M", time.localtime(summary.started)),
            }
            for summary in found_games[:_PAGE_SIZE]
        ]
        return self.context.render_page(
            request,
            "games.html",
            "/games",
            asked=query,
            games=ordered_games(),
            reasons=queries.stored_reasons(self.context.store),
            rows=rows,
            newer=f"/games?{urlencode({**query_values, 'page': number - 1})}" if number else "",
            older=f"/games?{urlencode({**query_values, 'page': number + 1})}" if len(found_games) > _PAGE_SIZE else "",
        )

    def show_game(self, request: Request) -> Response:
        """Show a game; with ?move=N after N moves, else after its last move."""
        played_game = self.context.requested_game(request)
        positions, move_count, visitor_seat = (
            played_game.positions(),
            len(played_game.plies),
            self.context.own_seat(request, played_game.key),
        )
        requested_move = request.query_params.get("move", "")
        move_number = (
            min(int(requested_move), move_count)
            if requested_move.isdecimal() and len(requested_move) < 7
            else move_count
        )
        shown_marks = [name for name in _MARK_LABELS if request.query_params.get(name) == "1"]
        review_time = requested_time_word(request.query_params)
        marks_query = "".join(f"&{name}=1" for name in shown_marks)
        query_end = marks_query + time_query(review_time)
        if "review" in shown_marks and (refusal := self._refuse_review(request, played_game)):
            return refusal
        review_in_progress = self._start_review(request, played_game) if "review" in shown_marks else None
        review = review_in_progress.review(visitor_seat) if review_in_progress else None
        findings = {finding.number: finding for finding in review.findings} if review else {}
        line_step = _requested_line_step(request.query_params)
        # a better line is about the next move, so the page does not explain the last move
        current_finding = findings.get(move_number) if line_step is None else None
        better_of = move_number + (line_step is not None)  # the mistake whose better line is shown
        better = findings.get(better_of)
        better_line = review.results[better_of - 1].line if review and better and better.better_move else ()
        if line_step is not None:
            line_step = min(line_step, len(better_line)) if better_line else None
        human_seat = only_human(played_game)
        shown_findings = findings_to_show(played_game, review, for_both_players="both" in shown_marks) if review else []
        judged = [finding.number for finding in shown_findings]
        mistakes_ahead = [number for number in judged if number > move_number]
        next_mistake = next(iter(mistakes_ahead or judged), None)
        offered_marks = {
            "review": True,
            "both": review is not None and human_seat is not None,
            "numbers": True,
            "thoughts": any(played_game.values) or any(played_game.lines),
        }
        moves = [ply.move for ply in played_game.plies if ply.move != RESIGN]
        shown_moves, shown_number = moves, move_number  # with those of the better line
        if line_step is not None:
            shown_moves, shown_number = [*moves[:move_number], *better_line], move_number + line_step
        explainer, position = explainer_of(positions[0].game), positions[move_number]
        dead, dead_words = explainer.dead_stones_at_end(position) if review and line_step is None else ([], "")
        annotation = current_finding.annotation if current_finding else ""
        board_view = replay_board(
            played_game,
            positions,
            move_number,
            shown_marks,
            # after the mistake, show only the better move, because the line does not continue from that position
            better_line[: 1 if line_step is None else None],
            line_step=line_step,
            annotation=annotation,
            dead=dead,
        )
        if review and review_in_progress:
            board_view = replace(
                board_view, player_lines=_with_summaries(board_view.player_lines, review, review_in_progress)
            )
        progress = _review_progress(review_in_progress)
        has_note = not progress and not current_finding and (move_number in (0, move_count) or not findings)
        sides = _side_names(played_game, positions[0])
        analysis_url = position_url(played_game.rules(), shown_moves, shown_number)
        return self.context.render_page(
            request,
            "game.html",
            "/games",
            key=played_game.key,
            game=played_game.game,
            title=" – ".join(map(display_name, played_game.names)),
            description=self._game_line(played_game),
            status_line=ending_sentence(played_game, visitor_seat, format_name=display_name)
            if move_number == move_count
            else last_move_sentence(played_game, move_number, visitor_seat)
            if line_step is None
            else f"The better line: {line_step} of {count_with_noun(len(better_line), 'move')}.",
            steps=_step_buttons(move_number, move_count, line_step, len(better_line), query_end),
            query_end=query_end,
            marks_query=marks_query,
            toggles={
                name: {
                    "label": _MARK_LABELS[name],
                    "is_on": name in shown_marks,
                    "query_end": _toggle_url(shown_marks, name),
                }
                for name, is_offered in offered_marks.items()
                if is_offered
            },
            caption=analysis_caption(played_game, positions[move_number], move_number)
            if "thoughts" in shown_marks
            else "",
            move_number=move_number,
            move_count=move_count,
            turning_point=review.turning_point if review else turning_point(played_game),
            evaluation_chart=evaluation_chart(played_game, move_number),
            review_chart=Markup(
                draw_review(review, sides, [ply.move for ply in played_game.plies], move_number, query_end)
            )
            if review and len(played_game.names) == 2
            else "",
            progress=progress,
            review_times=[(name, name.capitalize(), name == review_time) for name in REVIEW_SECONDS] if review else [],
            shown=board_view,
            findings=findings,
            sides=sides,
            greatest_lead=greatest_final_lead(review) if review else 0,
            finding_sentence=_with_win_chances(played_game, review, current_finding)
            if review and current_finding
            else "",
            has_better_line=current_finding is not None and len(better_line) > 1,
            better_line=better_line if line_step is not None else (),
            better_sentence=_with_win_chances(played_game, review, better) if review and better else "",
            line_step=line_step,
            explanation=""
            if current_finding or better_line
            else dead_words or _explanation(played_game, positions, move_number, review),
            retry_url=retry_url(played_game, [current_finding] if current_finding else shown_findings, query_end),
            puzzle_url=_puzzle_url(played_game, move_number - 1) if current_finding else "",
            next_mistake=next_mistake,
            has_mistake_ahead=bool(mistakes_ahead),
            summary=_summary_words(played_game, review, visitor_seat) if has_note and review else "",
            time_words=_time_words(review, review_time, f"?move={move_number}{marks_query}")
            if has_note and review
            else (),
            new_games=_new_games(
                played_game, positions, move_number, sides, visitor_seat or human_seat, at_mistake=bool(current_finding)
            ),
            analysis_url=analysis_url
            + (review_origin(played_game, review, move_number, request.query_params) if review else ""),
            teaching_label=explainer_of(positions[0].game).teaching_label(positions[0]),
            marks_url=f"/analysis/marks?{analysis_url.partition('?')[2]}",
            file_endings=[ending for ending in FORMATS if _can_export(played_game, ending)],
        )

    def _game_line(self, played_game: PlayedGame) -> str:
        start_date = time.strftime("%Y-%m-%d %H:%M", time.localtime(played_game.started))
        return f"{describe_game(played_game.rules())}, {start_date}"

    def send_file(self, request: Request) -> Response:
        """Send the game as a file in the format that the URL names."""
        kind = request.path_params["ending"]
        try:
            if kind not in FORMATS:
                raise UserError(f"There is no format {kind[:20]!r}.", f"Choose from {', '.join(FORMATS)}.")
            played_game = self.context.store.game(request.path_params["key"])
            content = FORMATS[kind].write(played_game)
        except UserError as error:
            return self.context.error_response(request, error, "/games", 404)
        return self.context.file_response(content, game_file_name(played_game, kind))

    def show_review(self, request: Request) -> Response:
        """Show the review of a game: each player's accuracy, and the mistakes."""
        played_game = self.context.requested_game(request)
        if refusal := self._refuse_review(request, played_game):
            return refusal
        review_in_progress = self._start_review(request, played_game)
        visitor_seat = self.context.own_seat(request, played_game.key)
        review = review_in_progress.review(visitor_seat)
        return self.context.render_page(
            request,
            "review.html",
            "/games",
            key=played_game.key,
            scores_places=played_game.rules().scores_places,
            title=" – ".join(map(display_name, played_game.names)),
            status_line=ending_sentence(played_game, visitor_seat, format_name=display_name),
            summaries=_player_summaries(
                review, played_game, played_game.positions()[-1], has_ended=review_in_progress.has_ended
            ),
            findings=[(finding, retry_url(played_game, [finding], "&review=1&both=1")) for finding in review.findings],
            progress=_review_progress(review_in_progress),
            summary=_summary_words(played_game, review, visitor_seat),
            time_words=_time_words(review, requested_time_word(request.query_params), "?"),
            coordinate_attributes=coordinate_attributes(played_game.rules()),
        )

    def _refuse_review(self, request: Request, played_game: PlayedGame) -> Response | None:
        """Return a page that waits for the end of a game of the class, if the class forbids this review until then;
        else None.
        """
        if self.classroom and (
            refusal := self.classroom.find_review_refusal(request.state.visitor, played_game.positions())
        ):
            return self.context.error_response(request, refusal, f"/games/{played_game.key}", must_wait=True)
        return None

    def _start_review(self, request: Request, played_game: PlayedGame) -> ReviewInProgress:
        """Return the review of a game; begin it if there is none."""
        return self.reviews.review_of(played_game, requested_time_word(request.query_params), self.context.loop)

    def show_agents(self, request: Request) -> Response:
        """Show the players in the store, and the agents that visitors can play."""
        store = self.context.store
        text = self._agents_cache.get("", lambda: (store.latest_games(1), store.runs()[:1]), self._render_agents)
        return self.context.render_page(request, "agents.html", "/agents", text=text)

    def _render_agents(self) -> Markup:
        rated_rows = self._rated_rows()
        players = [
            {**result._asdict(), "rating": rated_rows.get((result.name, result.game))}
            for result in queries.player_results(self.context.store)
        ]
        return self.context.render_part(
            "_agents.html",
            players=players,
            agents=self.context.settings.agents,
            may_train=bool(self.context.settings.hosts),
        )

    def _rated_rows(self) -> Mapping[tuple[str, str], tuple[StandingsTableRow, str]]:
        """Return each player's row by name and game, from the latest run whose page shows the player's Elo, with the
        name of the run.
        """
        rows_by_game: dict[tuple[str, str], tuple[StandingsTableRow, str]] = {}
        for run in self.context.store.runs()[:_MAX_RATED_RUNS]:
            for row in standings_rows(compute_standings(self.context.store, run)):
                if row.elo_text != "–":
                    rows_by_game.setdefault((row.name, run.settings["game"]), (row, run.name))
        return rows_by_game


def _requested_line_step(query: Mapping[str, str]) -> int | None:
    """Return the number of moves of the better line that the URL shows on the board; None if it shows no line.

    The field `better` is this number plus 1.
    """
    asked = query.get("better", "")
    return int(asked) - 1 if asked.isdecimal() and int(asked[:4]) > 0 and len(asked) < 5 else None


def _step_buttons(
    move_number: int, move_count: int, line_step: int | None, line_length: int, query_end: str
) -> list[tuple[str, str, bool]]:
    """Return the URL and the name of each button that steps through the game, or through the better line; and whether
    the step leads to the shown position. A step back from the start of the line leads to the game.
    """
    at, last_number = (move_number, move_count) if line_step is None else (line_step, line_length)
    targets = {"first": 0, "back": max(0, at - 1), "forward": min(last_number, at + 1), "last": last_number}
    found = []
    for step, to in targets.items():
        url = f"?move={to if line_step is None else move_number}{query_end}"
        leaves = line_step == 0 and step == "back"
        found.append((url if line_step is None or leaves else f"{url}&better={to + 1}", step, to == at and not leaves))
    return found


def _side_names(played_game: PlayedGame, start: Position) -> list[str]:
    """Return the names of the sides of a game for two: the players' names in a game without stones, if they differ;
    else the colours.
    """
    seats, names = [side_name(start, seat) for seat in (1, 2)], list(map(display_name, played_game.names))
    return seats if isinstance(start.game.board, PointBoard) or names[0] == names[1] else names


def _explanation(
    played_game: PlayedGame, positions: Sequence[Position], move_number: int, review: Review | None
) -> str:
    """Return an explanation of the move with this number; empty for number 0, and if a player left the game.

    With a review, the explanation also names the lead and the lost points in Go, or the win chance. In Dots and Boxes,
    it also names a loss of boxes that is too small for a mark, because the graph of the review shows this loss. If no
    result is proved there, the explanation says so.
    """
    if not move_number or played_game.plies[move_number - 1].move == RESIGN:
        return ""
    ply, position_before = played_game.plies[move_number - 1], positions[move_number - 1]
    named = isinstance(position_before.game.board, PointBoard)
    name = "" if named else display_name(played_game.names[ply.seat - 1])
    words = explainer_of(position_before.game).explain_move(
        position_before, position_before.game.parse(ply.move), positions[move_number], name
    )
    result = review.results.get(move_number - 1) if review else None
    small_loss = boxes_words(position_before, result) if result else ""
    if review and _is_estimate(played_game, review, move_number - 1):
        return f"{words} The result is not proved here, so a mistake may have no mark."
    if small_loss:
        return f"{words} {ply.move} {small_loss}."
    if not review:
        return words
    move_result = move_result_words(played_game, positions, review.results, review.advantages, move_number - 1)
    sentence, line_break, others = words.partition("\n")
    return f"{sentence} {move_result}".rstrip() + line_break + others


def _is_estimate(played_game: PlayedGame, review: Review, number: int) -> bool:
    """Return whether the review could only estimate the result of Dots and Boxes after this number of moves."""
    result = review.results.get(number)
    is_boxes = played_game.game == "dots_and_boxes" and len(played_game.names) == 2
    return is_boxes and result is not None and not result.is_solved


def _with_win_chances(played_game: PlayedGame, review: Review, finding: ReviewFinding) -> str:
    """Return the sentence on a mistake. If the sentence has no win chances, add those before and after the mistake."""
    known = {finding.number - 1, finding.number} <= review.advantages.keys()
    result = review.results.get(finding.number - 1)
    is_proved = result is not None and result.expected_end is not None and result.is_solved  # the sentence names it
    doubt = " The chances are estimates." if _is_estimate(played_game, review, finding.number - 1) else ""
    if "%" in finding.sentence:
        return f"{finding.sentence}{doubt}"
    if len(played_game.names) != 2 or not known or is_proved:
        return finding.sentence
    seat = played_game.plies[finding.number - 1].seat
    before, after = (win_chance_percent(review.advantage_of(seat, finding.number - back)) for back in (1, 0))
    return finding.sentence + (f" The win chance fell from {before} to {after} %.{doubt}" if after < before else "")


def _summary_words(played_game: PlayedGame, review: Review, seat: Seat | None) -> str:
    """Return the summary of a review, with praise for a visitor without a mistake in a complete review.

    A loser is not praised: the summary says when the game was lost.
    """
    is_flawless = (
        not review.missing
        and seat
        and not any(played_game.plies[finding.number - 1].seat == seat for finding in review.findings)
    )
    has_lost = played_game.outcome.winner not in (None, seat)
    praise = "You made no mistake." if is_flawless and review.findings and not has_lost else ""
    return " ".join(filter(None, (praise, review.summary)))


def _time_words(review: Review, review_time: str, url: str) -> tuple[str, str, str, str]:
    """Return the sentence about the search time in three parts, and the URL of the next longer review.

    The middle part is the link; the URL is empty for the longest review. url: the URL without the time.
    """
    before, words, after = review.time_note.partition(MORE_TIME_CLAUSE)
    times = list(REVIEW_SECONDS)
    longer = times[times.index(review_time) + 1 :][:1]
    return before, words, after, f"{url}&time={longer[0]}".replace("?&", "?") if longer else ""


def _review_progress(review_in_progress: ReviewInProgress | None) -> str:
    """Return a sentence on the progress of a review; empty if it has ended."""
    if review_in_progress is None or review_in_progress.has_ended:
        return ""
    searched, count = len(review_in_progress.results), review_in_progress.position_count
    if searched >= count:
        return f"Review in progress: all {count_with_noun(count, 'position')} searched, doubtful moves are checked."
    return f"Review in progress: {searched} of {count} positions."


def _player_summaries(
    review: Review, played_game: PlayedGame, position: Position, *, has_ended: bool
) -> list[tuple[PlayerLine, tuple[str, ...]]]:
    """Return each player's line on the page, and as texts the accuracy and the numbers of inaccuracies, of mistakes and
    of blunders.

    has_ended: whether the review is complete; before that there are no numbers, since those of the first positions
    alone would mislead.
    """
    lines = player_lines(position, played_game.names)
    return [
        (
            line,
            (format_accuracy(summary.accuracy), str(summary.inaccuracies), str(summary.mistakes), str(summary.blunders))
            if has_ended
            else ("…",) * 4,
        )
        for line, summary in zip(lines, review.players, strict=True)
    ]


def _with_summaries(
    lines: Sequence[PlayerLine], review: Review, review_in_progress: ReviewInProgress
) -> tuple[PlayerLine, ...]:
    """Add each player's accuracy, mistakes and blunders to the lines of the players, once the review is complete."""
    summaries = []
    for line, summary in zip(lines, review.players, strict=True):
        words = [line.score_text]
        if review_in_progress.has_ended:
            words.append(f"accuracy {format_accuracy(summary.accuracy)}")
            words += summary.finding_counts
        summaries.append(replace(line, score_text=", ".join(filter(None, words))))
    return tuple(summaries)


def _winner_words(summary: queries.GameSummary) -> str:
    """Return the winner's name, or words if there is no single winner."""
    if summary.winner:
        return summary.names[summary.winner - 1]
    return "nobody" if len(summary.names) == 2 else "nobody alone"


def _toggle_url(shows: Collection[str], name: str) -> str:
    """Return the end of the URL that switches the marks `name` on or off."""
    return "".join(f"&{mark}=1" for mark in _MARK_LABELS if (mark in shows) != (mark == name))


def _new_games(
    played_game: PlayedGame,
    positions: Sequence[Position],
    move_number: int,
    sides: Sequence[str],
    seat: Seat | None,
    *,
    at_mistake: bool,
) -> list[tuple[str, str]]:
    """Return the new games that the page offers, as words and a URL: one from the shown position; at a mistake, one
    with another move in its place, and one against the mistake.

    sides: the names of both players. seat: the visitor's seat; None for that of the player to move.
    """
    if not at_mistake:
        url = _new_game_url(played_game, positions, move_number, seat)
        return [("Play from here", url)] if url else []
    move, mover = played_game.plies[move_number - 1].move, played_game.plies[move_number - 1].seat
    names = list(map(display_name, played_game.names)) if len(played_game.names) > 2 else sides
    opponent = 3 - mover if len(names) == 2 else positions[move_number].to_move
    offers = [
        (f"Instead of {move}, as {names[mover - 1]}", _new_game_url(played_game, positions, move_number - 1, mover)),
        (f"After {move}, as {names[opponent - 1]}", _new_game_url(played_game, positions, move_number, opponent)),
    ]
    return [(words, url) for words, url in offers if url]


def _new_game_url(played_game: PlayedGame, positions: Sequence[Position], move_number: int, seat: Seat | None) -> str:
    """Return the URL for a new game from a position, against the level that played in this game; empty if the game is
    over or a player has resigned.

    seat: the visitor's seat; None for that of the player to move.
    """
    moves = [ply.move for ply in played_game.plies[:move_number]]
    level = next(filter(None, map(level_of_player, played_game.names)), None)
    line = ViewedLine(played_game.rules(), moves, move_number, positions[move_number])
    return "" if RESIGN in moves else new_game_url(line, seat, level)


def _puzzle_url(played_game: PlayedGame, move_count: int) -> str:
    """Return the URL of the puzzle after `move_count` moves. It is empty if no other move is proved to be better than
    the played one.
    """
    moves, game = tuple(ply.move for ply in played_game.plies), played_game.rules()
    puzzle = None if RESIGN in moves[: move_count + 1] else find_puzzle(game, moves[:move_count])
    if puzzle is None or game.parse(moves[move_count]) in puzzle.right_moves(puzzle.position, puzzle.turns):
        return ""
    return puzzle_url(game, moves[:move_count])


def _can_export(played_game: PlayedGame, kind: str) -> bool:
    """Return whether the game can be written in this format."""
    try:
        FORMATS[kind].write(played_game)
    except UserError:
        return False
    return True
