"""Introductions: a few steps for each game, each with a position, a sentence with a task, and the moves that solve it.

The module knows positions only. The tests prove the answers of the steps that ask for a win.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gomogo_core import games
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Position
from gomogo_core.puzzles.attempts import Verdict, play_tried


@dataclass(frozen=True)
class LessonStep:
    """One step of an introduction. task: one or two sentences. game_name: the game's name. moves: the moves that lead
    to the position; a player who needs no stone there passes, if the game has passes. answers: the moves that fulfil
    the task; empty if every move fulfils it. marked: the points or edges with a mark on the board. hint: the sentence
    after a wrong move. success: the sentence after a right move. options: the options of the game.
    """

    title: str
    task: str
    game_name: str
    moves: tuple[str, ...]
    answers: tuple[str, ...]
    marked: tuple[str, ...]
    hint: str
    success: str
    options: tuple[tuple[str, Any], ...] = field(default=())

    @cached_property
    def game(self) -> Game:
        """The rules."""
        return games.load(self.game_name, **dict(self.options))

    @cached_property
    def position(self) -> Position:
        """The position of the step."""
        return self.game.replay(self.moves)


def try_step(step: LessonStep, moves: Sequence[str]) -> tuple[Position, str, str]:
    """Return the position, the verdict and a sentence after a tried move. moves: at most one move.

    Raises UserError for an illegal move.
    """
    if not moves:
        return step.position, Verdict.OPEN, ""
    move, next_position = play_tried(step.position, moves[0])
    if step.answers and step.game.format(move) not in step.answers:
        return step.position, Verdict.WRONG, f"{step.hint} Try again."
    return next_position, Verdict.SOLVED, step.success


def lesson_steps(game: str) -> list[LessonStep]:
    """Return the steps of a game. Raises UserError if the game has no introduction."""
    lessons = [lesson for lesson in LESSONS if lesson.game_name == game]
    if not lessons:
        raise UserError(f"There is no introduction to {game[:40]!r}.", "Choose a game from the list.")
    return lessons


def lesson_lengths() -> Mapping[str, int]:
    """Return the number of steps of each game."""
    return Counter(step.game_name for step in LESSONS)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_GOMOKU_OPTIONS, _GO_OPTIONS = (("size", 9),), (("size", 5),)
_CAPTURE_GO_OPTIONS = (("size", 5),)
_ROBOGO_OPTIONS, _BOXES_OPTIONS = (("size", 7), ("line", 4)), (("rows", 2), ("cols", 2))
_WIDE_BOXES_OPTIONS = (("rows", 2), ("cols", 3))
_COUNTED_MOVES = "c1 d1 c2 d2 c3 d3 c4 d4 c5 d5 b1 a1"  # lead to walls between two territories, and a lost stone

# in the order in which a beginner learns the games: Capture Go is a first step to Go
LESSON_SUMMARIES = {
    "gomoku": "You know how to complete a row, when to stop a four or a three, and why two threats at once win.",
    "capture_go": "You know how to capture and save stones, who captures first, and why two ataris at once win.",
    "go": "You know liberties, atari, chains, eyes and ko, which stones are lost, and how passing ends the game.",
    "dots_and_boxes": "You know how to take a chain, which chain to open first, and why you sometimes leave two boxes.",
    "robogo": "You know which rows win, how to stop a row, and how a capture breaks one.",
}
# fmt: off
LESSONS = [
    LessonStep(
        "Five in a row",
        "Players place one stone in turn. Five in a row win: across, down or diagonally. Complete the row.",
        "gomoku", _names("c5 c4 d5 d4 e5 e4 f5 c6"), _names("b5 g5"), _names("c5 d5 e5 f5"),
        "That stone does not complete the row of four black stones.",
        "Five in a row: black wins.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Stop a four",
        "White has four in a row, and one end is free. If you do not stop it, white wins. Stop the row.",
        "gomoku", _names("b5 c5 c6 d5 d4 e5 e6 f5"), _names("g5"), _names("c5 d5 e5 f5"),
        "White now plays g5 and has five. Stop the row at its free end.",
        "White cannot complete this row any more.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "An open three",
        "Three stones with free points at both ends become four with two free ends. Make such a four.",
        "gomoku", _names("d5 d4 e5 e6 f5 f4"), _names("c5 g5"), _names("d5 e5 f5"),
        "Add a stone at an end of the three black stones.",
        "White can stop one end only: you complete the other one.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Stop a three",
        "White has an open three. After one more stone you could not stop both ends. Stop it next to the row.",
        "gomoku", _names("d4 d5 e6 e5 f4 f5"), _names("c5 g5"), _names("d5 e5 f5"),
        "White could make a four with two free ends. Play next to the row.",
        "White can make a four now, but the four has one free end, and you stop it.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Two threats at once",
        "A move that makes two rows dangerous wins: the opponent stops only one. Find the point on both rows.",
        "gomoku", _names("e3 f4 e4 d3 e6 e2 c5 d6 d5 f6 f5 b5"), _names("e5"), _names("e3 e4 e6 c5 d5 f5"),
        "Look for the point where the row across and the row down meet.",
        "Two rows of four: white stops one, and you complete the other one.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Liberties",
        "Empty points beside a stone are its liberties. Without liberties it is captured. Capture the marked stone.",
        "go", _names("c4 pass b3 pass d3 c3"), _names("c2"), _names("c3"),
        "One liberty of the white stone is left: the empty point beside it.",
        "The white stone had no liberty left, so it is taken off the board.", _GO_OPTIONS,
    ),
    LessonStep(
        "Atari",
        "A stone with one liberty is in atari. Your stone on c3 is in atari: give it more liberties.",
        "go", _names("c3 c4 pass b3 pass d3"), _names("c2"), _names("c3"),
        "White now takes c3. Add a stone at its last liberty.",
        "The two black stones are one chain, with three liberties.", _GO_OPTIONS,
    ),
    LessonStep(
        "Chains",
        "Stones of one colour side by side are a chain, and share their liberties. Capture the two white stones.",
        "go", _names("b4 pass c4 pass a3 pass d3 b3 b2 c3"), _names("c2"), _names("b3 c3"),
        "The chain of two has one liberty left.",
        "Both stones are captured together.", _GO_OPTIONS,
    ),
    LessonStep(
        "No liberty, no move",
        "A stone needs a liberty, unless it captures. The point a1 has none, but a stone there captures. Play it.",
        "go", _names("b2 pass c1 b1 a3 a2"), _names("a1"), _names("a1"),
        "Play at a1: it takes the last liberty of b1 and a2.",
        "Your stone captured, and so it has liberties.", _GO_OPTIONS,
    ),
    LessonStep(
        "Territory",
        "Your stones count in the end, and the empty points that only you surround. Close your wall.",
        "go", _names("b5 c5 b4 c4 b3 c3 b2 c2"), _names("b1"), _names("b2 b3 b4 b5"),
        "White could enter at b1. Close the wall there.",
        "The column on the left is your territory.", _GO_OPTIONS,
    ),
    LessonStep(
        "Two eyes",
        "An eye is an empty point inside your stones. A chain with two eyes is safe for ever. Make two eyes.",
        "go", _names("a2 a3 b2 b3 c2 c3 d2 d3 d1 e3 pass e2 pass e1"), _names("b1"), _names("a2 b2 c2 d2 d1"),
        "White now plays b1 and captures the chain later. Take the middle of the three empty points.",
        "White may play at neither a1 nor c1, so your stones live.", _GO_OPTIONS,
    ),
    LessonStep(
        "Ko",
        "White may not take your stone back at once if that repeats the board: this is ko. Capture the marked stone.",
        "go", _names("b2 c2 a3 d3 b4 c4 pass b3"), _names("c3"), _names("b3"),
        "The white stone on b3 has one liberty left.",
        "At b3 white would repeat the board: white has to play elsewhere first, and you can fill b3.", _GO_OPTIONS,
    ),
    LessonStep(
        "Lost stones count",
        "When both pass, every stone counts, also one that is lost. Capture the marked stone before you pass.",
        "go", _names(_COUNTED_MOVES), _names("a2"), _names("a1"),
        "If both pass now, you have no territory on the left, and white wins. Take the last liberty of a1.",
        "The stone on a1 is captured, and the left side is your territory.", _GO_OPTIONS,
    ),
    LessonStep(
        "The end",
        "White has passed. No move gains a point any more. Pass, too: then the game ends and is counted.",
        "go", _names(f"{_COUNTED_MOVES} a2 pass"), _names("pass"), _names("c1 c2 c3 c4 c5"),
        "That gains no point. Use the button Pass.",
        "Black has 7 stones and 8 points of territory: 15. White has 5 and 5: 10. Black wins.", _GO_OPTIONS,
    ),
    LessonStep(
        "The first capture wins",
        "Capture Go is a first step to Go: the first player to capture a stone wins. Capture the marked stone.",
        "capture_go", _names("c4 pass b3 pass d3 c3"), _names("c2"), _names("c3"),
        "The white stone on c3 has one liberty left.",
        "You captured first: black wins.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "Save your stone",
        "Your stone on c3 has one liberty left. If you do nothing, white captures it and wins. Save it.",
        "capture_go", _names("c3 c4 pass b3 pass d3"), _names("c2"), _names("c3"),
        "White captures c3 and wins. Add a stone at its last liberty.",
        "The chain has three liberties now.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "Capture before you defend",
        "Both sides have a stone in atari, and it is your turn. The first capture wins.",
        "capture_go", _names("c4 c3 b3 b4 d3 a3"), _names("c2"), _names("b3 c3"),
        "Look for a white stone with one liberty.",
        "Your capture came first.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "Two ataris at once",
        "One move can attack two chains. White saves one of them, and you capture the other. Find it.",
        "capture_go", _names("b4 pass a3 pass d4 b3 e3 d3"), _names("c3"), _names("b3 d3"),
        "Find the point that both white chains need.",
        "Both white chains have one liberty: black captures next.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "At the edge",
        "A stone at the edge has fewer liberties. Capture the white stone in the corner.",
        "capture_go", _names("a2 a1"), _names("b1"), _names("a1"),
        "The corner stone has one liberty left.",
        "A stone in the corner has two liberties only. Black wins.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "A row wins",
        "On this small board four stones in a row win, across or down. Complete the row.",
        "robogo", _names("b4 pass c4 b5 d4 c5"), _names("a4 e4"), _names("b4 c4 d4"),
        "The black row of three lacks one stone.",
        "Four in a row: black wins.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Diagonals do not count",
        "Rows count across and down only: three stones on a diagonal are no threat. Complete the row down.",
        "robogo", _names("b2 pass c3 pass d4 pass b3 pass b4 b1"), _names("b5"), _names("b2 b3 b4"),
        "Look for three black stones in a column.",
        "Four stones down: black wins.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Stop a row",
        "White has three in a row, and one end is free. Stop it.",
        "robogo", _names("a4 b4 pass c4 pass d4"), _names("e4"), _names("b4 c4 d4"),
        "White completes the row at e4. Play there.",
        "White needs another row now.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Captures break rows",
        "White completes four in column d at d5. Your stone there also takes the last liberty of d6. Play it.",
        "robogo", _names("c6 d3 e6 d4 d7 d6"), _names("d5"), _names("d6"),
        "White plays d5 and wins. Play there first.",
        "The stone on d6 is captured, and the row is broken.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Two threats at once",
        "A row of three with two free ends cannot be stopped. Make one.",
        "robogo", _names("c4 pass d4 pass"), _names("b4 e4"), _names("c4 d4"),
        "Add a stone next to the two black stones in row 4.",
        "White stops one end, and you complete the other.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Close a box",
        "Players draw one edge in turn. The player who draws the fourth side of a box owns it. Close the box.",
        "dots_and_boxes", _names("h0 v0 v1 h5"), _names("h2"), _names("h0 v0 v1"),
        "One box has three sides: draw its fourth.",
        "The box is yours, and you move again.", _BOXES_OPTIONS,
    ),
    LessonStep(
        "Give nothing away",
        "A third side lets the other player close the box. Draw an edge that gives no box a third side.",
        "dots_and_boxes", _names("h0 v0 h5 v5"), _names("h2 h3 v1 v4"), _names("h0 v0 h5 v5"),
        "That edge would be the third side of a box. Find a safe one.",
        "No box has three sides, so the other player takes nothing.", _BOXES_OPTIONS,
    ),
    LessonStep(
        "Take a whole chain",
        "Boxes in a row form a chain: each box you close opens the next one. Take the first box of the chain.",
        "dots_and_boxes", _names("h0 h1 h2 h3 v0 h4 h5 v3"), _names("v1 v4"), _names("h0 h2 v0 h4 v3"),
        "Look for the box with three sides.",
        "You took a box, and the next box of the chain has three sides now.", _BOXES_OPTIONS,
    ),
    LessonStep(
        "Two boxes with one edge",
        "One edge can be the fourth side of two boxes. Find it.",
        "dots_and_boxes", _names("h0 h1 h2 h3 v0 v2"), _names("v1"), _names("h0 h2 v0 h1 h3 v2"),
        "Look for the edge between two boxes with three sides each.",
        "Two boxes at once, and you move again.", _BOXES_OPTIONS,
    ),
    LessonStep(
        "Open the shorter chain",
        "No edge is safe any more. Open the chain that costs less: the single box, or the row of three below.",
        "dots_and_boxes", _names("h1 h2 h3 h4 h5 h6 h7 h8 v1 v3 v2"), _names("h0 v0"), _names("h3 h4 h5 h6 h7 h8"),
        "That edge gives away all three boxes of the row.",
        "The other player takes one box, but must then open the row: you take its three boxes.", _WIDE_BOXES_OPTIONS,
    ),
    LessonStep(
        "Leave two boxes",
        "If you take both boxes at the top, you must open the row below. Close the right end: leave both boxes.",
        "dots_and_boxes", _names("h0 h1 h2 h3 h4 h5 h6 h7 h8 v0 v1"), _names("v3"), _names("v1 h1 h2 h4 h5"),
        "Then you must draw an edge of the row below, and lose its three boxes. Leave two boxes instead.",
        "The other player takes two boxes with one edge, but must then open the row of three: you win by 4 to 2.",
        _WIDE_BOXES_OPTIONS,
    ),
    LessonStep(
        "The end",
        "At the end, the player with more boxes wins. You have one box, the other player two. Take the last box.",
        "dots_and_boxes", _names("h0 h2 v0 h1 v1 v2 h3 h4 v3 v4 h5"), _names("v5"), _names("h3 v4 h5"),
        "One box is open: draw its fourth side.",
        "Two boxes each: the game is a draw.", _BOXES_OPTIONS,
    ),
]
# fmt: on
