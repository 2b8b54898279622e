"""Introductions: the rules and first ideas of each game in steps. A step has a position, a sentence with a task, and
the moves that solve it.

The module uses positions and a search of one move. The tests prove the answers of the steps that ask for a win.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from gomogo_core import games
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.puzzles.answers import move_effect
from gomogo_core.puzzles.attempts import Verdict, play_tried
from gomogo_core.puzzles.boxes_proofs import captures_of
from gomogo_core.search import SearchLimits, alpha_beta


@dataclass(frozen=True)
class LessonStep:
    """One step of an introduction. task: one or two sentences. game_name: the game's name. moves: the moves that lead
    to the position; a player who needs no stone there passes, if the game has passes. answers: the moves that fulfil
    the task; empty if every move fulfils it. marked: the points or edges with a mark on the board. hint: the sentence
    after a wrong move, and after a request for a hint before any move. success: the sentence after a right move.
    options: the options of the game. later_answers: in Dots and Boxes, the right edges of each further move of the same
    turn.
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
    later_answers: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def game(self) -> Game:
        """The rules."""
        return games.load(self.game_name, **dict(self.options))

    @cached_property
    def position(self) -> Position:
        """The position of the step."""
        return self.game.replay(self.moves)


class StepAttempt(NamedTuple):
    """The verdict on the last of the tried moves in a step, with a sentence. position: after the right moves.

    refutation: a wrong move and the opponent's answer to it, where an answer is known.
    """

    position: Position
    verdict: Verdict
    words: str
    refutation: tuple[str, ...] = ()


def try_step(step: LessonStep, moves: Sequence[str]) -> StepAttempt:
    """Judge the tried moves, of which only the last one may be wrong.

    Raises UserError for an illegal move, and for a move after the step is solved.
    """
    position, all_answers = step.position, (step.answers, *step.later_answers)
    if len(moves) > len(all_answers):
        raise UserError("This step is solved.", "Go to the next step.")
    for text, answers in zip(moves, all_answers, strict=False):
        move, next_position = play_tried(position, text)
        if answers and step.game.format(move) not in answers:
            sentence, refutation = _refute(step, move, next_position)
            return StepAttempt(position, Verdict.WRONG, f"{sentence}{step.hint} Try again.", refutation)
        position = next_position
    if len(moves) == len(all_answers):
        return StepAttempt(position, Verdict.SOLVED, step.success)
    if not moves:
        return StepAttempt(position, Verdict.OPEN, "")
    assert isinstance(position, DotsAndBoxesPosition)
    box_words = count_with_noun(captures_of(position).boxes, "more box", "more boxes")
    return StepAttempt(position, Verdict.OPEN, f"Right. You can take {box_words}.")


def _refute(step: LessonStep, move: Move, next_position: Position) -> tuple[str, tuple[str, ...]]:
    """Return a sentence, with a space after it, on the opponent's answer to a wrong move, and both moves.

    Both are empty in games without rows, and if the answer makes and stops nothing.
    """
    if "line" not in step.game.options or next_position.outcome() is not None:
        return "", ()
    answer = alpha_beta.search(next_position, SearchLimits(depth=1)).move
    if not (effect := move_effect(next_position, answer)):
        return "", ()
    moves = step.game.format(move), step.game.format(answer)
    opponent = side_name(next_position, next_position.to_move).lower()
    return f"After {moves[0]}, {opponent} plays {moves[1]} and {effect}. ", moves


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
_LOOP_OPTIONS, _COUNT_OPTIONS = (("rows", 3), ("cols", 4)), (("rows", 3), ("cols", 3))
_LADDER_OPTIONS = (("size", 7),)
_NO_SECOND_EYE_MOVES = "a3 pass b3 pass c3 a2 d3 b2 e3 c2 e2 d2 e1 d1"  # lead to a chain in a corner
_COUNTED_MOVES = "c1 d1 c2 d2 c3 d3 c4 d4 c5 d5 b1 a1"  # lead to walls between two territories, and a lost stone

# in the order in which a beginner learns the games: Capture Go is a first step to Go
LESSON_SUMMARIES = {
    "gomoku": "You know how to complete and stop rows, and how two threats at once and fours in succession win.",
    "capture_go": "You know how to capture and save stones, how two ataris at once win, and how a net catches a stone.",
    "go": "You know liberties, eyes and ko, how a game ends, and how a ladder, a net and a snapback capture stones.",
    "dots_and_boxes": "You know how to take chains, when to leave two or four boxes, and how to count long chains.",
    "robogo": "You know which rows win, how to stop a row, and how a capture breaks or opens one.",
}
# fmt: off
LESSONS = [
    LessonStep(
        "Five in a row",
        "Players place one stone in turn. Five in a row win: across, down or diagonally. Complete the row.",
        "gomoku", _names("c5 c4 d5 d4 e5 e4 f5 c6"), _names("b5 g5"), _names("c5 d5 e5 f5"),
        "The row of four runs across, and the points at both its ends are free.",
        "Five in a row: black wins.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Stop a four",
        "White has four in a row, and one end is free. If you do not stop it, white wins. Stop the row.",
        "gomoku", _names("b5 c5 c6 d5 d4 e5 e6 f5"), _names("g5"), _names("c5 d5 e5 f5"),
        "Your stone on b5 stops the left end already. White needs the other one to make five.",
        "White cannot complete this row any more.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "An open three",
        "Three stones with free points at both ends become four with two free ends. Make such a four.",
        "gomoku", _names("d5 d4 e5 e6 f5 f4"), _names("c5 g5"), _names("d5 e5 f5"),
        "The three stones stand side by side in row 5. A fourth beside either end leaves free points at both ends.",
        "White can stop one end only: you complete the other one.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Stop a three",
        "White has an open three. After one more stone you could not stop both ends. Stop it next to the row.",
        "gomoku", _names("d4 d5 e6 e5 f4 f5"), _names("c5 g5"), _names("d5 e5 f5"),
        "One end of the row is enough: a four with one free end can be stopped.",
        "White can make a four now, but the four has one free end, and you stop it.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Two threats at once",
        "A move that makes two rows dangerous wins: the opponent stops only one. Find the point on both rows.",
        "gomoku", _names("e3 f4 e4 d3 e6 e2 c5 d6 d5 f6 f5 b5"), _names("e5"), _names("e3 e4 e6 c5 d5 f5"),
        "Three black stones stand in row 5, and three in column e. One empty point lies in both lines.",
        "Two rows of four: white stops one, and you complete the other one.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "A three with a gap",
        "Three stones with one gap are as strong as three in a row. Make a four with two free ends.",
        "gomoku", _names("c5 d4 d5 e4 f5 d6"), _names("e5"), _names("c5 d5 f5"),
        "A stone at an end leaves the gap, and white plays there. Fill it yourself.",
        "Four in a row, and both ends are free: white stops one end only.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "A four and a three",
        "White must answer a four at once. Make a four that also makes three in a row down, with two free ends.",
        "gomoku", _names("c5 b5 d5 c4 e5 d4 f6 e7 f7 g8"), _names("f5"), _names("c5 d5 e5 f6 f7"),
        "The row across needs a fourth stone at its right end, which is also the next point of column f.",
        "White stops the four at g5. Then your three becomes a four with two free ends.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Two open threes",
        "White stops one open three, but not two at once. Make two of them with one stone.",
        "gomoku", _names("d5 d4 e5 e4 f6 g7 f7 h7"), _names("f5"), _names("d5 e5 f6 f7"),
        "Two stones stand side by side in row 5, and two in column f. Both lines cross at an empty point.",
        "White stops one three, and you make a four with two free ends of the other one.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Fours in succession",
        "White must answer each four. Make a four that prepares two fours at once with your next stone.",
        "gomoku", _names("c5 b5 d5 f8 e5 b8 f6 a4 f7 b4 d6 g8 c7 a8"), _names("f4 f5"),
        _names("c5 d5 e5 c7 d6 f6 f7"),
        "Row 5 and the diagonal from c7 lack two stones each. Both lines have an empty point in column f.",
        "White stops this four. Your next four lies in two lines, so white cannot stop it.", _GOMOKU_OPTIONS,
    ),
    LessonStep(
        "Liberties",
        "Empty points beside a stone are its liberties. Without liberties it is captured. Capture the marked stone.",
        "go", _names("c4 pass b3 pass d3 c3"), _names("c2"), _names("c3"),
        "Black has three of the four points beside c3. The fourth is above it.",
        "The white stone had no liberty left, so it is taken off the board.", _GO_OPTIONS,
    ),
    LessonStep(
        "Atari",
        "A stone with one liberty is in atari. Your stone on c3 is in atari: give it more liberties.",
        "go", _names("c3 c4 pass b3 pass d3"), _names("c2"), _names("c3"),
        "White stands on three of the four points beside c3. A stone on the fourth, above it, makes a longer chain.",
        "The two black stones are one chain, with three liberties.", _GO_OPTIONS,
    ),
    LessonStep(
        "Chains",
        "Stones of one colour side by side are a chain, and share their liberties. Capture the two white stones.",
        "go", _names("b4 pass c4 pass a3 pass d3 b3 b2 c3"), _names("c2"), _names("b3 c3"),
        "The two stones share one liberty. It lies above the right one.",
        "Both stones are captured together.", _GO_OPTIONS,
    ),
    LessonStep(
        "No liberty, no move",
        "A stone needs a liberty, unless it captures. The point a1 has none, but a stone there captures. Play it.",
        "go", _names("b2 pass c1 b1 a3 a2"), _names("a1"), _names("a1"),
        "Both white stones have one liberty, and it is the same point: the corner.",
        "Your stone captured, and so it has liberties.", _GO_OPTIONS,
    ),
    LessonStep(
        "Territory",
        "Your stones count in the end, and the empty points that only you surround. Close your wall.",
        "go", _names("b5 c5 b4 c4 b3 c3 b2 c2"), _names("b1"), _names("b2 b3 b4 b5"),
        "Your wall goes down column b, but one point of it is empty: white could enter at the top.",
        "The column on the left is your territory.", _GO_OPTIONS,
    ),
    LessonStep(
        "Two eyes",
        "An eye is an empty point inside your stones. A chain with two eyes is safe for ever. Make two eyes.",
        "go", _names("a2 a3 b2 b3 c2 c3 d2 d3 d1 e3 pass e2 pass e1"), _names("b1"), _names("a2 b2 c2 d2 d1"),
        "If you play elsewhere, white plays b1, and the chain dies. Take the middle of the three empty points.",
        "White may play at neither a1 nor c1, so your stones live.", _GO_OPTIONS,
    ),
    LessonStep(
        "Ko",
        "White may not take your stone back at once if that repeats the board: this is ko. Capture the marked stone.",
        "go", _names("b2 c2 a3 d3 b4 c4 pass b3"), _names("c3"), _names("b3"),
        "Three of the four points beside b3 are black. The fourth is on its right.",
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
        "A stone in your own area gains nothing, and one in white's area is lost. Use the button Pass.",
        "Black has 7 stones and 8 points of territory: 15. White has 5 and 5: 10. Black wins.", _GO_OPTIONS,
    ),
    LessonStep(
        "A ladder",
        "You can chase a stone with an atari at each move, up to the edge. Begin the ladder: drive it to your stones.",
        "go", _names("c2 pass d2 pass b3 c3"), _names("c4"), _names("c3"),
        "After an atari, white runs to the other liberty. Your stones at the top must be there already.",
        "White can only run, always into the next atari. At the edge, no liberty is left.", _LADDER_OPTIONS,
    ),
    LessonStep(
        "A net",
        "To capture a stone, you need not touch it. Play where both its ways out meet.",
        "go", _names("c2 pass d2 pass b3 pass b4 c3"), _names("d4"), _names("c3"),
        "White can run to the right or down. One point stops both ways: it touches the stone at a corner only.",
        "Wherever white runs now, you stop it: the stone is caught in a net.", _GO_OPTIONS,
    ),
    LessonStep(
        "A snapback",
        "You may give a stone to win more. Give one inside white's shape, and capture a2 and b2 at the next move.",
        "go", _names("d3 d1 c3 a2 b3 d2 a3 b2 c2 c1"), _names("b1"), _names("a2 b2"),
        "Two points are free at the corner. Your stone must separate the two white chains.",
        "If white takes the stone at a1, you play at b1 again, and take three stones.", _GO_OPTIONS,
    ),
    LessonStep(
        "The second eye",
        "White needs two eyes, and has three empty points in a row. Take away the second eye: then white is lost.",
        "go", _names(_NO_SECOND_EYE_MOVES), _names("b1"), _names("a2 b2 c2 d2 d1"),
        "White would play in the middle to make two eyes. That point is yours, too.",
        "White has one eye only, so you can fill it in the end. The white chain is lost.", _GO_OPTIONS,
    ),
    LessonStep(
        "The first capture wins",
        "Capture Go is a first step to Go: the first player to capture a stone wins. Capture the marked stone.",
        "capture_go", _names("c4 pass b3 pass d3 c3"), _names("c2"), _names("c3"),
        "Black has three of the four points beside c3. The fourth is above it.",
        "You captured first: black wins.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "Save your stone",
        "Your stone on c3 has one liberty left. If you do nothing, white captures it and wins. Save it.",
        "capture_go", _names("c3 c4 pass b3 pass d3"), _names("c2"), _names("c3"),
        "White stands on three of the four points beside c3. A stone on the fourth, above it, makes a longer chain.",
        "The chain has three liberties now.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "Capture before you defend",
        "Both sides have a stone in atari, and it is your turn. The first capture wins.",
        "capture_go", _names("c4 c3 b3 b4 d3 a3"), _names("c2"), _names("b3 c3"),
        "Do not save b3. The white stone on c3 has one liberty: it lies above.",
        "Your capture came first.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "Two ataris at once",
        "One move can attack two chains. White saves one of them, and you capture the other. Find it.",
        "capture_go", _names("b4 pass a3 pass d4 b3 e3 d3"), _names("c3"), _names("b3 d3"),
        "Each white chain has two liberties, and they share one.",
        "Both white chains have one liberty: black captures next.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "At the edge",
        "A stone at the edge has fewer liberties. Capture the white stone in the corner.",
        "capture_go", _names("a2 a1"), _names("b1"), _names("a1"),
        "A corner has two points beside it, and black has one of them.",
        "A stone in the corner has two liberties only. Black wins.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "A net",
        "To capture a stone, you need not touch it. Play where both its ways out meet.",
        "capture_go", _names("c2 pass d2 pass b3 pass b4 c3"), _names("d4"), _names("c3"),
        "White can run to the right or down. One point stops both ways: it touches the stone at a corner only.",
        "Wherever white runs now, you stop it and capture first.", _CAPTURE_GO_OPTIONS,
    ),
    LessonStep(
        "A row wins",
        "On this small board four stones in a row win, across or down. Complete the row.",
        "robogo", _names("b4 pass c4 b5 d4 c5"), _names("a4 e4"), _names("b4 c4 d4"),
        "The points at both ends of the three black stones are free.",
        "Four in a row: black wins.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Diagonals do not count",
        "Rows count across and down only: three stones on a diagonal are no threat. Complete the row down.",
        "robogo", _names("b2 pass c3 pass d4 pass b3 pass b4 b1"), _names("b5"), _names("b2 b3 b4"),
        "Black has three stones in column b. One end of them is free.",
        "Four stones down: black wins.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Stop a row",
        "White has three in a row, and one end is free. Stop it.",
        "robogo", _names("a4 b4 pass c4 pass d4"), _names("e4"), _names("b4 c4 d4"),
        "Your stone on a4 stops the left end already. White needs the other one to make four.",
        "White needs another row now.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Captures break rows",
        "White completes four in column d at d5. Your stone there also takes the last liberty of d6. Play it.",
        "robogo", _names("c6 d3 e6 d4 d7 d6"), _names("d5"), _names("d6"),
        "White's row in column d lacks one point, which is also the last liberty of d6: be there first.",
        "The stone on d6 is captured, and the row is broken.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Two threats at once",
        "A row of three with two free ends cannot be stopped. Make one.",
        "robogo", _names("c4 pass d4 pass"), _names("b4 e4"), _names("c4 d4"),
        "Two black stones stand side by side in row 4. A third beside either of them leaves both ends free.",
        "White stops one end, and you complete the other.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Capture to open a row",
        "White's stone on c4 stops your row. It has one liberty left: capture it, and the row is open again.",
        "robogo", _names("d4 pass e4 c4 f4 g4 c3 f3 b4 e3"), _names("c5"), _names("c4"),
        "Three of the four points beside c4 are black. The fourth is below it.",
        "The point c4 is empty again, white may not play there, and you complete four in a row.", _ROBOGO_OPTIONS,
    ),
    LessonStep(
        "Close a box",
        "Players draw one edge in turn. The player who draws the fourth side of a box owns it. Close the box.",
        "dots_and_boxes", _names("h0 v0 v1 h5"), _names("h2"), _names("h0 v0 v1"),
        "The box at the top left has its top and both its sides.",
        "The box is yours, and you move again.", _BOXES_OPTIONS,
    ),
    LessonStep(
        "Give nothing away",
        "A third side lets the other player close the box. Draw an edge that gives no box a third side.",
        "dots_and_boxes", _names("h0 v0 h5 v5"), _names("h1 h4 v2 v3"), _names("h0 v0 h5 v5"),
        "Two boxes have two sides already: leave them alone, and draw a side of another box.",
        "No box has three sides, so the other player takes nothing.", _BOXES_OPTIONS,
    ),
    LessonStep(
        "Take a whole chain",
        "Boxes in a row form a chain: each box that you close opens the next one. Take all four boxes.",
        "dots_and_boxes", _names("h0 h1 h2 h4 h5 v0 v2 v5"), _names("v1"), _names("h0 h2 v0"),
        "One box has three sides at each time. Draw its fourth side, and go on until no box is left.",
        "The whole chain is yours: four boxes in one turn.", _BOXES_OPTIONS,
        (_names("h3"), _names("v4"), _names("v3")),
    ),
    LessonStep(
        "Two boxes with one edge",
        "One edge can be the fourth side of two boxes. Find it.",
        "dots_and_boxes", _names("h0 h1 h2 h3 v0 v2"), _names("v1"), _names("h0 h2 v0 h1 h3 v2"),
        "The two boxes at the top lack one side, and it is the same edge.",
        "Two boxes at once, and you move again.", _BOXES_OPTIONS,
    ),
    LessonStep(
        "Open the shorter chain",
        "No edge is safe any more. Open the chain that costs less: the single box, or the row of three below.",
        "dots_and_boxes", _names("h1 h2 h3 h4 h5 h6 h7 h8 v1 v3 v2"), _names("h0 v0"), _names("h3 h4 h5 h6 h7 h8"),
        "An edge of the row gives away its three boxes. The box at the top left is alone.",
        "The other player takes one box, but must then open the row: you take its three boxes.", _WIDE_BOXES_OPTIONS,
    ),
    LessonStep(
        "Leave two boxes",
        "Take one box at the top and leave two: close the right end. Then you need not open the row below.",
        "dots_and_boxes", _names("h0 h1 h2 h3 h4 h5 h6 h7 h8 v0"), _names("v1"), _names("v0 h0 h1 h2 h3 h4 h5"),
        "First take the box on the left. After all three, you would have to open the row below: leave two of them.",
        "The other player takes two boxes with one edge, but must then open the row of three: you win by 4 to 2.",
        _WIDE_BOXES_OPTIONS, (_names("v3"),),
    ),
    LessonStep(
        "Leave four boxes of a loop",
        "Four boxes in a ring are a loop. Leave all four, in two pairs: the other player must then open the chain.",
        "dots_and_boxes", _names("h0 h1 h8 h9 v0 v5 v2 v7 h2 h10 v3 v8 v4 v9 h12 h13 h14 h15 h6 v14 v1"), _names("v6"),
        _names("h0 h1 h8 h9 v0 v5 v2 v7"),
        "One edge divides the ring into two pairs: then each of the four boxes lacks one side.",
        "The other player takes two boxes with each of two edges, and must then open the chain: you win by 8 to 4.",
        _LOOP_OPTIONS,
    ),
    LessonStep(
        "The last safe edge",
        "The player who must open the first long chain loses boxes. Draw the last edge that gives no box a third side.",
        "dots_and_boxes", _names("h3 h7 v7 h0 h2 h1 h5 v4"), _names("h4"), _names("h0 h1 h2 h3 h5 h7 v4 v7"),
        "The two boxes in the middle have one side each, and they share an edge.",
        "Now each edge gives boxes away, and the other player must draw one: you win by 4 to 2.", _WIDE_BOXES_OPTIONS,
    ),
    LessonStep(
        "Count the long chains",
        "Long chains have three or more boxes. You began, and with 16 dots you want an even number. Make two.",
        "dots_and_boxes", _names("h7 h4 h9 h11 h3 h5 h6 h10 v1 v3"), _names("h8"),
        _names("h3 h4 h5 h6 h7 h9 h10 h11"),
        "The middle row and the bottom row have one way between them, at the right. Separate the rows there.",
        "Two long chains. When no edge is safe, the other player must open one: you win by 5 to 4.", _COUNT_OPTIONS,
    ),
    LessonStep(
        "The end",
        "At the end, the player with more boxes wins. You have one box, the other player two. Take the last box.",
        "dots_and_boxes", _names("h0 h2 v0 h1 v1 v2 h3 h4 v3 v4 h5"), _names("v5"), _names("h3 v4 h5"),
        "The box at the bottom right has three sides. The missing one is at the edge of the board.",
        "Two boxes each: the game is a draw.", _BOXES_OPTIONS,
    ),
]
# fmt: on
