"""The page on which a visitor finds a better move for each mistake of a reviewed game.

The page looks like the page of a puzzle. But the moves are judged by a review, not by a proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gomogo.page.analysis.links import position_url
from gomogo.page.archive.reviews import (
    RetryScore,
    ReviewInProgress,
    Reviews,
    findings_to_show,
    lead_after_move,
    requested_time_word,
    review_query,
)
from gomogo.page.board_view import describe_game, draw_board, line_ghosts, off_board_moves
from gomogo.page.play.classroom import Classroom
from gomogo.page.puzzles.pages import answer_boards, board_after, render_puzzle, requested_moves
from gomogo.page.server.context import PageContext
from gomogo.text.names import display_name
from gomogo_core.analysis.explainers.dots_and_boxes import describe_worse_edge
from gomogo_core.analysis.retries import (
    best_within_error,
    judge_played_move,
    judge_retry,
    judge_retry_by_boxes,
    judge_retry_by_points,
    retry_task,
)
from gomogo_core.analysis.review import Review
from gomogo_core.analysis.review_losses import confirmed_points_lost
from gomogo_core.analysis.review_results import PositionResult, ReviewFinding
from gomogo_core.analysis.review_sentences import boxes_words
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import Position
from gomogo_core.games.boards.points import PointBoard
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.puzzles.answers import answer_sentence, move_effect
from gomogo_core.puzzles.attempts import Verdict, area_around, play_tried
from gomogo_core.records.game_record import PlayedGame

_TOO_BUSY = "The computer was too busy to judge the move.", "Try it again."


class _MistakeToRetry(NamedTuple):
    """A mistake to retry. number: the number of moves before it. position: the position before it.

    review_so_far: the mistakes found so far. result: the result of the search of `position`. next_retry_url: the URL of
    the next mistake; empty after the last mistake. all_numbers: the numbers of the moves that can be retried.
    """

    review: ReviewInProgress
    review_so_far: Review
    finding: ReviewFinding
    number: int
    position: Position
    result: PositionResult
    next_retry_url: str
    all_numbers: Sequence[int]

    @property
    def played_move(self) -> str:
        return self.review.played_game.plies[self.number].move


def retry_url(played_game: PlayedGame, findings: Iterable[ReviewFinding], query: str) -> str:
    """Return the URL of the retry of the first of these mistakes for which the review has a better move.

    The URL is empty if there is none, and in games for more than two players, whose values do not compare. query: the
    end of the URL.
    """
    first_finding = next(filter(_can_be_retried, findings), None) if len(played_game.names) == 2 else None
    return f"/games/{quote(played_game.key)}/retry?move={first_finding.number}{query}" if first_finding else ""


def _can_be_retried(finding: ReviewFinding) -> bool:
    return bool(finding.better_move)


class RetryPages:
    """The handlers of the retries."""

    def __init__(self, context: PageContext, reviews: Reviews, classroom: Classroom | None) -> None:
        self._context, self._reviews, self._classroom = context, reviews, classroom

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/games/{key}/retry", self.show_retry),
            Route("/games/{key}/retry/try", self.judge_move),
            Route("/games/{key}/retry/answer", self.send_answer),
            Route("/games/{key}/retry/hint", self.send_hint),
        ]

    async def show_retry(self, request: Request) -> Response:
        """Show the position before a mistake; with ?tried=MOVE the verdict on a move, with ?answer=1 the better move.

        While the review has not found the mistake, the visitor is sent to the review.
        """
        try:
            retry = self._requested_retry(request)
        except UserError:
            return RedirectResponse(_game_url(request), 303)
        tried_moves = requested_moves(request)[:1]
        verdict, words, wrong = await self._judge(retry, tried_moves[0]) if tried_moves else (Verdict.OPEN, "", ())
        answer = retry.result.line if request.query_params.get("answer") else ()
        line = answer or (tried_moves if verdict is Verdict.SOLVED else ())
        played_game, position = retry.review.played_game, retry.position
        you = self._context.own_seat(request, played_game.key)
        return render_puzzle(
            self._context,
            request,
            position,
            "/games",
            title="Learn from your mistakes",
            about=f"{describe_game(played_game.rules())}, move {retry.finding.number}, {_count_words(retry)}",
            goal=retry_task(
                retry.played_move,
                "You" if you == position.to_move else display_name(played_game.names[position.to_move - 1]),
                retry.finding.noun,
            ),
            words=_answer_words(retry) if answer else words or f"{self._mover_words(retry)} is to move.",
            verdict="answer" if answer else verdict.value,
            tried=tried_moves if verdict is Verdict.SOLVED else (),
            part=answer_boards(position, self._move_before_mistake(retry), answer)[0]
            if answer
            else self._board_after_try(retry, line, wrong),
            line=line,
            analysis=self._analysis_url(retry, line),
            next_url=retry.next_retry_url or _game_url(request),
            next_words="Next mistake" if retry.next_retry_url else "Back to the review",
            list_url=_game_url(request),
            list_words="Back to the review",
            off_board=tuple(off_board_moves(position)),
            mistakes=retry.all_numbers,
        )

    async def judge_move(self, request: Request) -> Response:
        """Send the verdict on the tried move to the script; without a move, the position before the mistake.

        A hint removes a wrong move from the board; the script then requests the position without a move.
        """
        retry = self._requested_retry(request)
        tried_moves = requested_moves(request)[-1:]
        open_words = f"{self._mover_words(retry)} is to move."
        verdict, words, wrong = (
            await self._judge(retry, tried_moves[0]) if tried_moves else (Verdict.OPEN, open_words, ())
        )
        right = tried_moves if verdict is Verdict.SOLVED else ()
        part = self._board_after_try(retry, right, wrong)
        answer = {"verdict": verdict, "words": words, "tried": right, "line": right, "part": part}
        return JSONResponse({**answer, "analysis": self._analysis_url(retry, right)})

    def send_answer(self, request: Request) -> Response:
        """Send the boards of the better move and of the moves after it to the script."""
        retry = self._requested_retry(request)
        line = retry.result.line
        parts = answer_boards(retry.position, self._move_before_mistake(retry), line)
        return JSONResponse({"line": line, "start": 0, "parts": parts, "words": _answer_words(retry)})

    def send_hint(self, request: Request) -> Response:
        """Send the better move and the area around it to the script."""
        retry = self._requested_retry(request)
        position, move = retry.position, retry.result.best_move
        return JSONResponse({"move": move, "area": area_around(position, position.game.parse(move))})

    def _requested_retry(self, request: Request) -> _MistakeToRetry:
        """Return the mistake that the URL names.

        Raises UserError if the review has found no better move there, or if the class forbids the review now.
        """
        played_game = self._context.requested_game(request)
        if self._classroom and (
            refusal := self._classroom.find_review_refusal(request.state.visitor, played_game.positions())
        ):
            raise refusal
        review = self._reviews.review_of(played_game, requested_time_word(request.query_params), self._context.loop)
        move_text, shown_review = request.query_params.get("move", ""), review.review()
        finding = next((candidate for candidate in shown_review.findings if str(candidate.number) == move_text), None)
        if finding is None or not retry_url(played_game, [finding], ""):
            raise UserError("The review names no better move there.", "Wait until the review is complete.")
        number, is_both = finding.number - 1, request.query_params.get("both") == "1"
        mistakes = findings_to_show(played_game, shown_review, for_both_players=is_both)
        later_mistakes = [mistake for mistake in mistakes if mistake.number > finding.number]
        all_numbers = sorted({finding.number, *(mistake.number for mistake in mistakes if _can_be_retried(mistake))})
        next_retry_url = retry_url(played_game, later_mistakes, review_query(request.query_params))
        position, result = played_game.positions()[number], shown_review.results[number]
        return _MistakeToRetry(review, shown_review, finding, number, position, result, next_retry_url, all_numbers)

    async def _judge(self, retry: _MistakeToRetry, move_text: str) -> tuple[Verdict, str, Sequence[str]]:
        """Return the verdict on a move, a sentence, and a wrong move with the opponent's best answer to it, if the
        answer is known. Raises UserError for an illegal move.
        """
        best_move, seat = retry.result.best_move, retry.position.to_move
        move = retry.position.game.format(play_tried(retry.position, move_text)[0])
        advantage_before, advantage_after = (
            retry.review_so_far.advantage_of(seat, retry.number + move_count) for move_count in (0, 1)
        )
        points_lost = confirmed_points_lost(retry.position, retry.result) if retry.finding.costs_only_points else 0.0
        if move == retry.played_move:
            box_words = boxes_words(retry.position, retry.result)
            is_accepted, words = judge_played_move(move, advantage_after, box_words, points_lost)
            after = retry.review_so_far.results.get(retry.number + 1)
            answer = "" if after is None or after.seat == seat else after.best_move
        else:
            reason = retry.result.idea or retry.result.effect
            game, box_count = retry.position.game, retry.position.game.box_count
            proved_lead = lead_after_move(retry.position, retry.result, seat) if box_count else None
            tried = best = RetryScore(advantage_before, proved_lead)
            if move != best_move:
                tried = await self._score_after(retry, move)
                if proved_lead is None:
                    best = await self._score_after(retry, best_move)
                elif tried.lead is None:  # the win chances of a decided game say nothing about boxes
                    raise UserError(*_TOO_BUSY)
            elif not (box_count or game.scores_places) and abs(advantage_before) < 1:  # a longer search may prove a win
                tried = best = await self._score_after(retry, best_move)
            answer = tried.answer
            # searches of Go differ by chance, but a loss half as large as that of the mistake is none of their errors
            error = min(math.hypot(tried.error, best.error), max(0.0, advantage_before - advantage_after) / 2)
            if abs(best.advantage) == 1:  # proved
                error = 0.0
            best_advantage = best_within_error(best.advantage, tried.advantage, error)
            if tried.lead is None or best.lead is None or not (points_lost or box_count):
                is_accepted, words = judge_retry(
                    advantage_before, advantage_after, best_move, move, tried.advantage, best_advantage, reason
                )
            elif isinstance(retry.position, DotsAndBoxesPosition):
                played_lead = self._lead_after_mistake(retry)
                is_accepted, words = judge_retry_by_boxes(
                    best_move,
                    move,
                    tried.lead,
                    best.lead,
                    played_lead,
                    box_count,
                    reason,
                    harm=describe_worse_edge(retry.position, move, best_move),
                )
            else:
                lead_error = min(math.hypot(tried.lead_error, best.lead_error), points_lost / 2)
                best_lead = best_within_error(best.lead, tried.lead, lead_error)
                is_accepted, words = judge_retry_by_points(best_move, move, tried.lead, best_lead, points_lost)
        if is_accepted:
            return Verdict.SOLVED, words, ()
        if not answer or retry.position.game.box_count:  # an answer in boxes takes several edges
            return Verdict.WRONG, words, (move,)
        sentence, request = words.rsplit(". ", 1)
        return Verdict.WRONG, f"{sentence}. {_reply_sentence(retry.position, move, answer)} {request}", (move, answer)

    async def _score_after(self, retry: _MistakeToRetry, move: str) -> RetryScore:
        """Return the mover's score after a move. Raises UserError if the computer was too busy to search."""
        score = await self._reviews.score_after(retry.review, retry.number, retry.position, move)
        if score is None:
            raise UserError(*_TOO_BUSY)
        return score

    @staticmethod
    def _lead_after_mistake(retry: _MistakeToRetry) -> float | None:
        """Return the mover's proved lead after the mistake in Dots and Boxes; None if it is unknown."""
        number = retry.number + 1
        position = retry.review.played_game.positions()[number]
        return lead_after_move(position, retry.review_so_far.results.get(number), retry.position.to_move)

    def _board_after_try(self, retry: _MistakeToRetry, right: Sequence[str], wrong: Sequence[str] = ()) -> Markup:
        """Return the board after a right move, with the move of the review as a ghost stone; without a right move, the
        board before the mistake, with the wrong move and the answer to it as ghost stones.
        """
        position, best_move = retry.position, retry.result.best_move
        if not right or best_move in right:
            before = self._move_before_mistake(retry)
            return board_after(position, before, right, interactive=not right, ghosts=wrong)
        game = position.game
        move = game.parse(right[0])
        ghosts = line_ghosts(position, [game.parse(best_move)])
        return draw_board(position.play(move), move, interactive=False, ghosts=ghosts)

    @staticmethod
    def _mover_words(retry: _MistakeToRetry) -> str:
        """Return the player to move: by the colour, or without stones by the name, as in the rest of the page."""
        position = retry.position
        has_stones = isinstance(position.game.board, PointBoard)
        return (
            side_name(position, position.to_move)
            if has_stones
            else display_name(retry.review.played_game.names[position.to_move - 1])
        )

    @staticmethod
    def _move_before_mistake(retry: _MistakeToRetry) -> tuple[str, ...]:
        return (
            tuple(ply.move for ply in retry.review.played_game.plies[retry.number - 1 : retry.number])
            if retry.number
            else ()
        )

    @staticmethod
    def _analysis_url(retry: _MistakeToRetry, line: Iterable[str]) -> str:
        moves = [ply.move for ply in retry.review.played_game.plies[: retry.number]]
        return position_url(retry.position.game, [*moves, *line])


def _reply_sentence(position: Position, move: str, answer: str) -> str:
    """Return a sentence on the opponent's best answer to a wrong move."""
    next_position = position.play(position.game.parse(move))
    effect = move_effect(next_position, position.game.parse(answer))
    opponent = side_name(next_position, next_position.to_move)
    return f"{opponent}'s best answer is {answer}{f', which {effect}' * bool(effect)}."


def _answer_words(retry: _MistakeToRetry) -> str:
    """Return sentences on the better move: its line, and where boxes or points count, the reason in the review."""
    game, best_move = retry.position.game, retry.result.best_move
    _, found, reason = retry.finding.sentence.partition(f" {best_move} ")
    answer = answer_sentence(retry.position, retry.result.line)
    return f"{answer} {best_move} {reason}" if found and (game.box_count or game.scores_places) else answer


def _count_words(retry: _MistakeToRetry) -> str:
    """Return the number of the mistake among all, such as "mistake 2 of 3"; "so far" while the review is running."""
    count = f"mistake {retry.all_numbers.index(retry.finding.number) + 1} of {len(retry.all_numbers)}"
    return count if retry.review.has_ended else f"{count} so far"


def _game_url(request: Request) -> str:
    """Return the URL of the reviewed game at the mistake."""
    move_text, key = request.query_params.get("move", ""), quote(request.path_params["key"])
    return f"/games/{key}?move={move_text if move_text.isdecimal() else 0}{review_query(request.query_params)}"
