"""Explains the effects of a move to a beginner, in any game: threats, prepared moves, and stones that are lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.boards import Place
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.node import CERTAIN_THRESHOLD, advantage
from gomogo_core.search.result import ExpectedEnd, PositionAnalysis

_DEFENCE_VERB = "blocks"  # the first word of an idea that only stops the opponent
# facts that begin with these words are no reason to prefer a move
_INSIGNIFICANT_FACTS = ("stays close", "opens", "is in line")
_PREPARATION = "prepares"  # the first word of a benefit that only a later move has
_MAX_FORCED_MOVES = 3  # after more moves, the player may save the stones by a move that the analysis does not expect
_MAX_CAPTURING_MOVES = 8  # moves of a line in which stones are looked for that it loses; later ones are hardly forced
_MAX_PREPARING_MOVES = 3  # a move later in a line is not named: too much must happen before it

PositionT = TypeVar("PositionT", bound=Position)


class Hint(NamedTuple):
    """A move, and the reason for it: the end of a sentence that begins with the move."""

    move: Move
    reason: str


class TeachingMark(NamedTuple):
    """A mark that the page draws on a place of the board, to help beginners.

    The kind is one of these: "liberties" (`text` is their number); "link" to another stone of the chain (`text` is its
    place); "atari"; "territory black" or "territory white"; "closes" for an edge that closes a box; "gives" for an edge
    after which the next player can close one.
    """

    place: str
    kind: str
    text: str = ""


class Explainer(Generic[PositionT]):
    """Explains the moves of a game. The base class explains a move by its evaluation and by `describe_effect`.

    `prefers_facts` tells whether a fact about a move, such as a cut, is a better reason for it than the move that it
    prepares. `names_winning_line` tells whether a review names the moves that win against a mistake.
    """

    prefers_facts: ClassVar[bool] = False
    names_winning_line: ClassVar[bool] = False

    def explain_move(self, position_before: PositionT, move: Move, position_after: PositionT, name: str = "") -> str:
        """Explain a move in one or more sentences.

        name: the player's name; by default the colour.
        """
        player = name or side_name(position_before, position_before.to_move)
        idea = self._describe_idea(position_before, move)
        facts = [fact for fact in (idea, *self._facts(position_before, move, position_after, idea)) if fact]
        move_text = position_before.game.format(move)
        sentence = f"{player} {move_text}: {join_facts(facts)}." if facts else f"{player} played {move_text}."
        sentence = f"{sentence} {self._answer_sentence(position_before, move, position_after)}".rstrip()
        return "\n".join(text for text in (sentence, position_after.explain_move(position_before, move)) if text)

    def describe_effects(self, position: PositionT, move: Move) -> str:
        """Describe the effects of a legal move without its player, for example "blocks a four".

        The description is the threat that the evaluation finds. Without a threat, it lists the facts that follow from
        the rules; it is empty if there are none.
        """
        if idea := node_of(position).describe_move(move):
            return idea
        next_position: Any = position.play(move)
        return join_facts([fact for fact in self._facts(position, move, next_position, "") if fact])

    def explain_preference(
        self,
        position: PositionT,
        move: str,
        line: Sequence[str],
        answers: Sequence[str],
        verdict: str = "was better",
        *,
        is_proved: bool = False,
        decided_stones: str = "",
        gained_area: str = "",
    ) -> str:
        """Explain in sentences why the first move of a line is better than the move that was played.

        move: the played move. line: the better move, and the moves that would follow. answers: the best answer to the
        played move, and the moves that would follow; empty if it is unknown. verdict: the effect of the better move,
        such as "wins". is_proved: whether both lines are proved to be best. decided_stones, gained_area: the results of
        these methods; empty if the ends are unknown.
        """
        reason, harm = self._compare_moves(position, move, line, answers, is_proved=is_proved)
        # the reason may name a capture of the same stones
        if decided_stones and f"stones at {decided_stones.split(',')[0].split()[-1]}" not in reason:
            first_fact = "" if reason == best_point_words(position) else reason.split(", and ")[0]
            reason, harm = ", and ".join(filter(None, (decided_stones, first_fact))), ""
        reason = reason or gained_area
        better_move = _as_subject(position, line[0])
        return " ".join(text for text in (f"{better_move} {verdict}{f': it {reason}' * bool(reason)}.", harm) if text)

    def hint(
        self, position: PositionT, move: Move, value: float, clear_lead: float, analysis: PositionAnalysis | None = None
    ) -> Hint:
        """Return the hint for a position.

        move: the best move. value: its value, for the mover. clear_lead: the value of a clear lead. analysis: the
        analysis of the compiled engine that found the move, if there is one.
        """
        effects = self._hint_effects(position, move, None if analysis is None else analysis.expected_end)
        warning = "" if value > CERTAIN_THRESHOLD else self._hint_warning(position, move)
        effects = "; ".join(filter(None, (effects, warning)))
        if abs(value) <= CERTAIN_THRESHOLD:
            result = f"your chance to win is about {shown_chance(value, clear_lead)} %"
        elif value > 0:
            result = "this wins"
        else:
            result = "the game is lost against perfect play"
        return Hint(move, "; ".join(filter(None, (effects, result))))

    def line_reason(self, position: PositionT, move: Move) -> str:
        """Return the reason for the first move of a line of an analysis, as the end of a sentence that begins with the
        move; empty in games whose engines give the reasons, or none.
        """
        return ""

    def count_lines(self, analysis: PositionAnalysis) -> int:
        """Return the number of lines that a search for a hint compares in the second half of its time."""
        return 1

    def likely_result(self, position: PositionT, analyse: Callable[[], PositionAnalysis | None]) -> str:
        """Return a sentence on the likely result, which `analyse` finds; empty if the game has no expected scores."""
        return ""

    def warning_before_pass(self, position: PositionT, move: Move) -> str:
        """Return a warning, without a full stop, that a pass may leave dead stones on the board; else ""."""
        return ""

    def dead_stones_before_pass(self, position: PositionT, move: Move) -> Mapping[Seat, Sequence[Point]] | None:
        """Return the points of each player's stones that look dead, if `move` is a pass; else None."""
        return None

    def dead_stones_at_end(self, position: PositionT) -> tuple[list[Point], str]:
        """Return the points of the stones that look dead at the end of a game, and a sentence about them."""
        return [], ""

    def decided_stones(self, position: PositionT, move: str, ends: Sequence[ExpectedEnd]) -> str:
        """Return a predicate on the stones whose life a better move decides; empty if there are none.

        move: the played move. ends: the expected ends after the better move and after the played one, or none.
        """
        return ""

    def gained_area(self, position: PositionT, ends: Sequence[ExpectedEnd]) -> str:
        """Return a predicate on the part of the board where a better move gains most; empty if there is none.

        ends: as in `decided_stones`.
        """
        return ""

    def stones_expected_dead(self, position: PositionT, owners: Mapping[Place, float]) -> list[Point]:
        """Return the points of the stones that look dead. owners: the owner of each point, as in `ExpectedEnd`."""
        return []

    def teaching_marks(self, position: PositionT) -> Iterator[TeachingMark]:
        """Yield the marks of a position; none in games without stones to capture or boxes to close."""
        yield from ()

    def teaching_label(self, position: PositionT) -> str:
        """Return the label of the switch that shows the marks, or "" if there are none in this game."""
        return ""

    def _hint_effects(self, position: PositionT, move: Move, end: ExpectedEnd | None) -> str:
        """Return the effects of the move of a hint."""
        return self.describe_effects(position, move)

    def _hint_warning(self, position: PositionT, move: Move) -> str:
        """Return the danger that the move of a hint leaves, if it does not win; empty if there is none."""
        return ""

    def _compare_moves(
        self, position: PositionT, move: str, line: Sequence[str], answers: Sequence[str], *, is_proved: bool
    ) -> tuple[str, str]:
        """Return the benefit of the better move, as a predicate, and sentences about the harm of the played move.

        `explain_preference` describes the parameters.
        """
        answer = answers[0] if answers else ""
        reason = self._describe_benefit(position, line, answer)
        harm = _lost_stones_words(position, move, answers, line) or self._describe_harm(position, move, answer)
        if position.game.parse(move) is PASS and reason.startswith(_PREPARATION):  # later moves do not judge a pass
            reason = ""
        return reason, harm

    def _describe_benefit(self, position: PositionT, line: Sequence[str], answer: str) -> str:
        """Describe the benefit of the first move of a line: its threat, or the move that it prepares. Without such a
        benefit, list the facts that follow from the rules; without a fact, name the answer that it prevents. With
        `prefers_facts`, a strong fact or the prevented answer comes before the prepared move.
        """
        game, move = position.game, position.game.parse(line[0])
        if idea := node_of(position).describe_move(move):
            return idea
        if move is PASS:
            return ""
        next_position: Any = position.play(move)
        all_facts = self._facts(position, move, next_position, "")
        facts = [fact for fact in all_facts if fact and not fact.startswith(_INSIGNIFICANT_FACTS)]
        is_best_answer = answer == line[0] and isinstance(game.board, PointBoard)
        best_point = best_point_words(position)
        if self.prefers_facts and (facts or is_best_answer):
            return join_facts(facts) or best_point
        later = next_position
        for count, text in enumerate(line[1:_MAX_PREPARING_MOVES], 1):
            if later.why_illegal(game.parse(text)) or later.outcome() is not None:
                break
            idea = node_of(later).describe_move(game.parse(text))
            if later.to_move == position.to_move and idea and not idea.startswith(_DEFENCE_VERB):
                # the idea is true only on the board after these moves
                if not (replies := " ".join(line[1:count])):
                    return f"{_PREPARATION} {text}, which {idea}"
                opponent = side_name(position, next_position.to_move)
                return f"{_PREPARATION} {text}. After {opponent}'s best reply {replies}, {text} {idea}"
            later = later.play(game.parse(text))
        return best_point if not facts and is_best_answer else join_facts(facts)

    def _describe_harm(self, position: PositionT, move: str, answer: str) -> str:
        """Return a sentence about the threat that the played move allows; empty if the best answer makes no threat."""
        next_position: Any = position.play(position.game.parse(move))
        if not answer or next_position.why_illegal(reply := position.game.parse(answer)):
            return ""
        threat = self._describe_threat(next_position, reply)
        if not threat or threat.startswith(_DEFENCE_VERB):
            return ""
        return f"{_as_subject(position, move)} allows {'a pass' if reply is PASS else answer}, which {threat}."

    def _describe_idea(self, position: PositionT, move: Move) -> str:
        """Describe the effect of a move, for the explanation of a played move; empty if the evaluation finds none."""
        return node_of(position).describe_move(move) or ""

    def _describe_threat(self, position: PositionT, move: Move) -> str:
        """Describe the threat or the row that a move makes, for a sentence about the move that allows it; empty if
        there is none.
        """
        return node_of(position).describe_move(move) or ""

    def _answer_sentence(self, position_before: PositionT, move: Move, position_after: PositionT) -> str:
        """Return a sentence on the opponent's answers to the threat that a move makes; empty if there is none."""
        return ""

    def _facts(self, position_before: PositionT, move: Move, position_after: PositionT, idea: str) -> Iterator[str]:
        """Yield the facts about a move that follow from the rules.

        idea: the evaluation's description of the move, which the facts do not repeat.
        """
        if not idea:
            yield position_before.describe_effect(move)


def shown_chance(value: float, clear_lead: float) -> int:
    """Return the mover's win chance in percent. A search without a proof cannot be certain."""
    return min(max(round(50 + 50 * advantage(value, clear_lead)), 1), 99)


def _as_subject(position: Position, move: str) -> str:
    """Return a move as the first words of a sentence."""
    return "A pass" if position.game.parse(move) is PASS else move


def _lost_stones_words(position: Position, move: str, answers: Sequence[str], better_line: Sequence[str]) -> str:
    """Name the stones that the player loses in the moves after the played one, but not in those after the better one.

    Returns an empty text if there are none, in particular in games without captures.
    """
    lost, capturing_moves = _first_lost_stones(position, (move, *answers))
    lost_anyway, _ = _first_lost_stones(position, better_line)
    if not lost or lost & lost_anyway:
        return ""
    points = sorted(map(str, lost))
    stones, them = ("stone", "it") if len(points) == 1 else (f"{len(points)} stones", "them")
    captor = side_name(position, 3 - position.to_move)
    if len(capturing_moves) > _MAX_FORCED_MOVES and len(points) == 1 and position.game.scores_places:
        return ""  # a stone that is given up does not matter
    if len(capturing_moves) > _MAX_FORCED_MOVES:
        later = f"{captor} captures the {stones} at {points[0]}: {' '.join(capturing_moves)}"
        return f"In the moves that the analysis expects after {move}, {later}."
    how = f"{captor} captures {them} with {' '.join(capturing_moves)}"
    return f"{_as_subject(position, move)} loses the {stones} at {points[0]}: {how}."


def _first_lost_stones(position: Position, line: Sequence[str]) -> tuple[frozenset[Place], Sequence[str]]:
    """Return the mover's stones that the opponent captures first in a line, and the moves from the second of the line
    to the capture; no stones and no moves if there is no capture. Stones that the line places after its first move do
    not count: the reader does not see them on the board.
    """
    later, seat, stones_left = position, position.to_move, frozenset[Place]()
    for count, text in enumerate(line[:_MAX_CAPTURING_MOVES], 1):
        move = later.game.parse(text)
        if later.outcome() is not None or later.why_illegal(move):
            break
        later = later.play(move)
        own_stones = later.capturable_stones(seat)
        if later.to_move == seat and (lost := stones_left - own_stones):
            return lost, line[1:count]
        stones_left = own_stones if count == 1 else stones_left & own_stones
    return frozenset(), ()


def best_point_words(position: Position) -> str:
    """Describe a move on the point of the opponent's best answer to another move."""
    return f"takes {side_name(position, 3 - position.to_move)}'s best point"


def join_facts(facts: list[str]) -> str:
    """Return facts as a list in a sentence."""
    return "".join(facts) if len(facts) < 2 else f"{', '.join(facts[:-1])}, and {facts[-1]}"
