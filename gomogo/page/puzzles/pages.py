"""The pages of puzzles and of the introductions to the games.

The browser stores which puzzles a visitor has solved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from gomogo.page.analysis.links import ViewedLine, position_url, read_query
from gomogo.page.board_view import (
    describe_game,
    draw_board,
    game_title,
    line_ghosts,
    off_board_moves,
    ordered_games,
    play_line,
    player_lines,
)
from gomogo.page.play.form_choices import beginner_game_fields
from gomogo.page.puzzles.searches import PuzzleSearches
from gomogo.page.server.context import PageContext
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Position
from gomogo_core.printable import count_with_noun
from gomogo_core.puzzles.answers import answer_sentence
from gomogo_core.puzzles.attempts import (
    Attempt,
    Verdict,
    area_around,
    hint,
    judge_attempt,
    solution_words,
    whole_solution,
)
from gomogo_core.puzzles.lessons import LESSON_SUMMARIES, LessonStep, StepAttempt, lesson_steps, try_step
from gomogo_core.puzzles.making import puzzle_at
from gomogo_core.puzzles.puzzle import LEVELS, Puzzle, chain_at, shipped_puzzles, solving_order

# the URL of a position that is not a stored puzzle has this word in place of the key, and the moves as a query
_URL_POSITION_KEY = "position"
_MAX_TRIED_MOVES = 60  # the maximum number of tried moves in a URL
_MAX_CARDS = 60  # puzzles on the page of a tournament


class PuzzlePages:
    """The handlers of the pages of puzzles and introductions. check_not_playing: raises UserError if the visitor is
    playing the position against another person.
    """

    def __init__(self, context: PageContext, check_not_playing: Callable[[str, ViewedLine], None]) -> None:
        self.context, self._check_not_playing = context, check_not_playing
        self._searches = PuzzleSearches(context.store, context.analysis_pool)

    def routes(self) -> list[Route]:
        """Return the routes of the handlers."""
        return [
            Route("/puzzles", self.show_overview),
            Route("/puzzles/{game}", self.redirect_to_first),
            Route("/runs/{name}/puzzles", self.show_run),
            Route("/puzzle/{key}", self.show_puzzle),
            Route("/puzzle/{key}/try", self.judge_moves),
            Route("/puzzle/{key}/answer", self.send_solution),
            Route("/puzzle/{key}/hint", self.send_hint),
            Route("/learn/{game}", self.show_lesson_step),
            Route("/learn/{game}/try", self.judge_step),
            Route("/learn/{game}/hint", self.send_step_hint),
        ]

    def show_overview(self, request: Request) -> Response:
        """Show the list of games with their puzzles and introductions."""
        rows = []
        for name in ordered_games():
            own_puzzles = _puzzles_of_game(name)
            if own_puzzles:
                picture = draw_board(
                    own_puzzles[len(own_puzzles) // 2].position, None, interactive=False, accessible=False, title=""
                )
                kinds = sorted({puzzle.kind for puzzle in own_puzzles})
                rows.append(
                    {
                        "name": name,
                        "keys": [puzzle.key for puzzle in own_puzzles],
                        "levels": [(level, *_puzzles_of_level(own_puzzles, level)) for level in LEVELS],
                        "themes": [(kind, _shipped_keys(name, {"theme": kind})) for kind in kinds if len(kinds) > 1],
                        "picture": picture,
                    }
                )
        return self.context.render_page(request, "puzzles.html", "/puzzles", rows=rows, shipped=list(shipped_puzzles()))

    def redirect_to_first(self, request: Request) -> Response:
        """Redirect to the first puzzle of a game; with ?level= or ?theme=, to the first one of that choice."""
        name, choice = request.path_params["game"], _requested_choice(request)
        keys = _shipped_keys(name, choice)
        if not keys:
            error = UserError(f"There are no puzzles for {name[:40]!r}.", "Choose a game from the list.")
            return self.context.error_response(request, error, "/puzzles", 404)
        return RedirectResponse(f"/puzzle/{keys[0]}{f'?{urlencode(choice)}' if choice else ''}", 303)

    def show_run(self, request: Request) -> Response:
        """Show the puzzles found in the games of a tournament; with ?level=, only those of that difficulty."""
        run = self.context.requested_run(request)
        search, level = self._searches.search_of(run, self.context.loop), _requested_choice(request).get("level", "")
        puzzles = sorted(search.puzzles_by_key.values(), key=lambda puzzle: LEVELS.index(puzzle.level))
        address = f"/runs/{quote(run.name)}/puzzles"
        return self.context.render_page(
            request,
            "run_puzzles.html",
            "/puzzles",
            run=run.name,
            status_line=search.progress_text,
            searching=not search.has_ended,
            levels=[
                (
                    address + (f"?level={level_name}" if level_name else ""),
                    (level_name or "all").capitalize(),
                    level_name == level,
                )
                for level_name in ("", *LEVELS)
            ],
            cards=[
                {
                    "key": puzzle.key,
                    "where": f"{puzzle_url(puzzle.game, puzzle.moves)}&run={quote(run.name)}",
                    "words": puzzle.goal_sentence,
                    "level": puzzle.level,
                    "picture": draw_board(puzzle.position, None, interactive=False, accessible=False, title=""),
                }
                for puzzle in puzzles
                if level in ("", puzzle.level)
            ][:_MAX_CARDS],
        )

    def show_puzzle(self, request: Request) -> Response:
        """Show a puzzle; with ?tried=MOVES after these moves, with ?answer=1 after the solution. With ?due=1 the script
        leads to the next puzzle that is due, of any game.
        """
        try:
            puzzle = self._requested_puzzle(request)
            attempt = judge_attempt(puzzle, requested_moves(request))
        except UserError as error:
            return self.context.error_response(request, error, "/puzzles", 404)
        line = whole_solution(puzzle, attempt.right_tries) if request.query_params.get("answer") else []
        moves = tuple(line) or attempt.played_moves
        return render_puzzle(
            self.context,
            request,
            puzzle.position,
            title=f"{game_title(puzzle.game.name)} puzzle",
            about=f"{describe_game(puzzle.game)}, {puzzle.level}",
            key=puzzle.key,
            goal=puzzle.goal_sentence,
            words=_answer_words(puzzle, line, attempt)
            if line
            else puzzle.goal_explanation
            if attempt.verdict is Verdict.OPEN and not moves
            else attempt.sentence,
            verdict="answer" if line else attempt.verdict.value,
            tried=attempt.right_tries,
            part=_solution_boards(puzzle, line, attempt)[len(attempt.played_moves)]
            if line
            else _attempt_board(puzzle, attempt),
            line=list(moves),
            analysis=position_url(puzzle.game, [*puzzle.moves, *moves]),
            others=_shipped_keys(puzzle.game.name, _requested_choice(request))
            if puzzle.key in shipped_puzzles()
            else [],
            shipped=list(shipped_puzzles()) if request.query_params.get("due") else (),
            choice=urlencode(_requested_choice(request)),
            next_url=_list_url(request, puzzle),
            list_url=_list_url(request, puzzle),
        )

    def judge_moves(self, request: Request) -> Response:
        """Send the verdict on the tried moves to the script."""
        puzzle = self._requested_puzzle(request)
        attempt = judge_attempt(puzzle, requested_moves(request))
        line = [*attempt.played_moves, *attempt.continuation]
        return JSONResponse(
            {
                "verdict": attempt.verdict,
                "words": attempt.sentence,
                "tried": attempt.right_tries,
                "line": attempt.played_moves,
                "part": _attempt_board(puzzle, attempt),
                "analysis": position_url(puzzle.game, [*puzzle.moves, *attempt.played_moves]),
                "continuation": {"line": line, "start": None, "parts": _continuation_boards(puzzle, line, attempt)}
                if attempt.continuation
                else None,
            }
        )

    def send_solution(self, request: Request) -> Response:
        """Send the boards of the solution to the script. The solution begins with the right moves tried so far, and
        `start` is the number of moves up to the first one that the visitor has not seen.
        """
        puzzle = self._requested_puzzle(request)
        attempt = judge_attempt(puzzle, requested_moves(request))
        line = whole_solution(puzzle, attempt.right_tries)
        return JSONResponse(
            {
                "line": line,
                "start": len(attempt.played_moves),
                "parts": _solution_boards(puzzle, line, attempt),
                "words": _answer_words(puzzle, line, attempt),
            }
        )

    def send_hint(self, request: Request) -> Response:
        """Send a right move and the area around it to the script."""
        puzzle = self._requested_puzzle(request)
        move, area = hint(puzzle, _right_moves(puzzle, requested_moves(request)))
        return JSONResponse({"move": move, "area": area})

    def show_lesson_step(self, request: Request) -> Response:
        """Show a step of the introduction to a game."""
        name = request.path_params["game"]
        try:
            steps = lesson_steps(name)
            number = _step_index(request, len(steps))
            step = steps[number]
            attempt = try_step(step, requested_moves(request))
        except UserError as error:
            return self.context.error_response(request, error, "/puzzles", 404)
        return render_puzzle(
            self.context,
            request,
            step.position,
            "",
            title=f"{game_title(name)}: introduction",
            about=f"step {number + 1} of {len(steps)}: {step.title}",
            game=name,
            goal=step.task,
            words=attempt.words,
            verdict=attempt.verdict,
            tried=_right_lesson_moves(requested_moves(request), attempt),
            address=f"/learn/{name}?step={number + 1}",
            part=_lesson_board(step, attempt),
            line=requested_moves(request),
            analysis=position_url(step.game, step.moves),
            list_url="/puzzles",
            steps=[(f"/learn/{name}?step={at}", lesson_step.title) for at, lesson_step in enumerate(steps, 1)],
            step=number,
            off_board=[move for move in off_board_moves(step.position) if move.move in step.answers],
            first_game=beginner_game_fields(name),
            lesson_summary=LESSON_SUMMARIES[name],
            other_lessons=_lessons_after(name),
        )

    def judge_step(self, request: Request) -> Response:
        """Send the verdict on the tried moves of an introduction to the script."""
        steps = lesson_steps(request.path_params["game"])
        step = steps[_step_index(request, len(steps))]
        tried_moves = requested_moves(request)
        attempt = try_step(step, tried_moves)
        right_moves = _right_lesson_moves(tried_moves, attempt)
        return JSONResponse(
            {
                "verdict": attempt.verdict,
                "words": attempt.words,
                "tried": right_moves,
                "line": right_moves,
                "part": _lesson_board(step, attempt),
                "analysis": position_url(step.game, step.moves),
            }
        )

    def send_step_hint(self, request: Request) -> Response:
        """Send the hint of a step in words, a right move and the area around it to the script."""
        steps = lesson_steps(request.path_params["game"])
        step = steps[_step_index(request, len(steps))]
        tried_moves = requested_moves(request)
        attempt = try_step(step, tried_moves)
        if attempt.verdict != Verdict.OPEN:
            raise UserError("This step is solved.", "Go to the next step.")
        move = (step.answers, *step.later_answers)[len(tried_moves)][0]
        area = area_around(attempt.position, step.game.parse(move), min_moves=2)  # the boards are small
        return JSONResponse({"words": step.hint, "move": move, "area": area})

    def _requested_puzzle(self, request: Request) -> Puzzle:
        """Return the puzzle that the URL names. Raises UserError if there is none."""
        key = request.path_params["key"]
        if key != _URL_POSITION_KEY:
            if key in shipped_puzzles():
                return shipped_puzzles()[key]
            raise UserError("There is no such puzzle.", "Choose one from the list.")
        line = read_query(request.query_params)
        self._check_not_playing(request.state.visitor, line)
        puzzle = find_puzzle(line.game, tuple(line.moves[: line.move_number]))
        if puzzle is None:
            raise UserError("No win and no best move is proved in this position.", "Analyse the position instead.")
        return puzzle


def render_puzzle(
    context: PageContext, request: Request, position: Position, active_path: str = "/puzzles", **values: Any
) -> Response:
    """Render the page of a puzzle, an introduction or a retry. position: the position at the start."""
    fields = {name: value for name, value in request.query_params.items() if name not in ("tried", "answer")}
    shared = {
        "key": "",
        "address": f"{request.url.path}?{urlencode(fields)}" if fields else request.url.path,
        "fields": fields,
        "turn": position.mark(position.to_move),
        "you": player_lines(position, [""] * position.game.seats)[position.to_move - 1],  # the visitor plays this side
        "your_side": side_name(position, position.to_move),
        "others": [],
        "shipped": (),
        "choice": "",
        "next_url": "",
        "next_words": "Next puzzle",
        "list_words": "All puzzles",
        "off_board": (),
        "steps": (),
        "step": 0,
        "mistakes": (),
    }
    return context.render_page(request, "puzzle.html", active_path, **{**shared, **values})


def _puzzles_of_level(puzzles: Sequence[Puzzle], level: str) -> tuple[list[str], str]:
    """Return the keys of the puzzles of a level, and the number of moves to find in them, such as "2 to 3 moves"; in
    Dots and Boxes, the number of turns.
    """
    level_puzzles = [puzzle for puzzle in puzzles if puzzle.level == level]
    turns = {puzzle.turns for puzzle in level_puzzles} or {0}
    noun = "turn" if puzzles[0].game.box_count else "move"
    words = count_with_noun(max(turns), noun)
    return [puzzle.key for puzzle in level_puzzles], words if len(turns) == 1 else f"{min(turns)} to {words}"


def _shipped_keys(game: str, choice: Mapping[str, str]) -> list[str]:
    """Return the keys of Gomogo's puzzles for a game in the order of solving. choice: a level and a theme, which is the
    kind of a puzzle; empty for all.
    """
    return [
        puzzle.key
        for puzzle in _puzzles_of_game(game)
        if choice.get("level") in (None, puzzle.level) and choice.get("theme") in (None, puzzle.kind)
    ]


@cache
def _puzzles_of_game(name: str) -> Sequence[Puzzle]:
    """Return Gomogo's puzzles for a game in the order of solving."""
    return solving_order(puzzle for puzzle in shipped_puzzles().values() if puzzle.game.name == name)


def _requested_choice(request: Request) -> dict[str, str]:
    """Return the difficulty and the theme in the URL, if there are any."""
    fields = {name: request.query_params.get(name) for name in ("level", "theme")}
    kinds = {puzzle.kind for puzzle in shipped_puzzles().values()}
    return {name: value for name, value in fields.items() if value and value in (LEVELS if name == "level" else kinds)}


def _list_url(request: Request, puzzle: Puzzle) -> str:
    """Return the URL of the list from which the visitor came: the puzzles of a tournament, or all."""
    run = request.query_params.get("run", "")
    return f"/runs/{quote(run)}/puzzles" if run else f"/puzzles#{puzzle.game.name}"


def _lessons_after(name: str) -> list[str]:
    """Return the names of the other games with an introduction, from the next one on."""
    ordered = list(LESSON_SUMMARIES)
    index = ordered.index(name)
    return [*ordered[index + 1 :], *ordered[:index]]


def _step_index(request: Request, count: int) -> int:
    """Return the index of the step in the URL."""
    step_text = request.query_params.get("step", "")
    return min(count, max(1, int(step_text))) - 1 if step_text.isdecimal() and len(step_text) < 4 else 0


def requested_moves(request: Request) -> tuple[str, ...]:
    """Return the tried moves in the URL. Raises UserError if there are too many."""
    moves = tuple(request.query_params.get("tried", "").split())
    if len(moves) > _MAX_TRIED_MOVES:
        raise UserError(f"The link has more than {_MAX_TRIED_MOVES} moves.", "Begin the puzzle again.")
    return tuple(move[:40] for move in moves)


@lru_cache(maxsize=500)
def find_puzzle(game: Game, moves: tuple[str, ...]) -> Puzzle | None:
    """Return the puzzle of a position, or None if no goal is proved there within about a second."""
    return puzzle_at(game, moves, game.replay(moves))


def puzzle_url(game: Game, moves: Sequence[str]) -> str:
    """Return the URL of the puzzle for a position."""
    return f"/puzzle/{_URL_POSITION_KEY}?{position_url(game, moves).partition('?')[2]}"


def _right_moves(puzzle: Puzzle, moves: tuple[str, ...]) -> tuple[str, ...]:
    """Return the moves at the start of `moves` up to the first wrong one."""
    return judge_attempt(puzzle, moves).right_tries


def _attempt_board(puzzle: Puzzle, attempt: Attempt) -> Markup:
    """Return the board of an attempt, with the chain to capture marked. A wrong move and its refutation are ghosts."""
    return board_after(
        puzzle.position,
        puzzle.last_move,
        attempt.played_moves,
        interactive=attempt.verdict is not Verdict.SOLVED,
        target=puzzle.target,
        ghosts=attempt.refutation,
        first_numbered=len(attempt.played_moves) - attempt.reply_length,
    )


def _continuation_boards(puzzle: Puzzle, line: Sequence[str], attempt: Attempt) -> list[Markup]:
    """Return the boards after 0, 1, 2 … moves of the line that continues a solved puzzle. None of them has ghosts."""
    start = len(attempt.played_moves)
    return [
        board_after(puzzle.position, puzzle.last_move, line[:count], interactive=False, first_numbered=start)
        for count in range(len(line) + 1)
    ]


def _solution_boards(puzzle: Puzzle, line: Sequence[str], attempt: Attempt) -> list[Markup]:
    return answer_boards(puzzle.position, puzzle.last_move, line, start=len(attempt.played_moves), target=puzzle.target)


def _answer_words(puzzle: Puzzle, line: Sequence[str], attempt: Attempt) -> str:
    """Return the sentences on an answer: the moves that the board shows, and in Dots and Boxes their result."""
    moves_sentence = answer_sentence(attempt.position, line[len(attempt.played_moves) :])
    return f"{moves_sentence} {solution_words(puzzle, line)}".rstrip()


def answer_boards(
    position: Position, last_move: Sequence[str], line: Sequence[str], *, start: int = 0, target: str = ""
) -> list[Markup]:
    """Return the boards after 0, 1, 2 … moves of an answer. The board after `start` moves shows the other moves as
    ghosts.
    """
    return [
        board_after(
            position,
            last_move,
            line[:count],
            interactive=False,
            target=target,
            ghosts=line[start:] if count == start else (),
            first_numbered=start,
        )
        for count in range(len(line) + 1)
    ]


def board_after(
    position: Position,
    last_move: Sequence[str],
    moves: Sequence[str],
    *,
    interactive: bool,
    target: str = "",
    ghosts: Sequence[str] = (),
    first_numbered: int | None = None,
) -> Markup:
    """Return the board after some moves from a position.

    last_move: the last move before the position, or nothing. target: a point of the chain to mark; empty for none.
    ghosts: moves after `moves`, drawn faintly. first_numbered: the index of the move in `moves` that has the number 1;
    None for no numbers.
    """
    parse = position.game.parse
    line = list(map(parse, moves))
    first = len(line) if first_numbered is None else first_numbered
    position, numbered = play_line(play_line(position, line[:first])[0], line[first:])
    last_move = moves[-1:] or last_move
    marks = {"ghosts": line_ghosts(position, list(map(parse, ghosts))), "numbered_places": numbered}
    marked = chain_at(position, target)  # nothing once the chain is captured
    return _draw_marked_board(position, last_move, interactive=interactive, marked=marked, **marks)


def _right_lesson_moves(tried_moves: tuple[str, ...], attempt: StepAttempt) -> tuple[str, ...]:
    """Return the moves that were tried in an introduction. If the last move is wrong, it is left out."""
    return tried_moves[:-1] if attempt.verdict == Verdict.WRONG else tried_moves


def _lesson_board(step: LessonStep, attempt: StepAttempt) -> Markup:
    """Return the board after a try. A wrong move and the answer to it are ghosts."""
    solved = attempt.verdict == Verdict.SOLVED
    marked = () if solved else step.marked
    return _draw_marked_board(
        attempt.position,
        (),
        interactive=not solved and bool(step.answers),
        marked=marked,
        territory=solved and "pass" in step.answers,  # the step about the end of a game of Go
        ghosts=line_ghosts(attempt.position, list(map(step.game.parse, attempt.refutation))),
    )


def _draw_marked_board(
    position: Position, last_move: Sequence[str], *, interactive: bool, marked: Sequence[str], **marks: Any
) -> Markup:
    game = position.game
    board_image = draw_board(
        position,
        game.parse(last_move[0]) if last_move else None,
        interactive=interactive and position.outcome() is None,
        **marks,
    )
    for name in marked:
        board_image = Markup(re.sub(rf'data-(point|edge)="{name}"', r"\g<0> data-target", str(board_image), count=1))
    return board_image
