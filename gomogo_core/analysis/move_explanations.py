"""Explains the effects of a move to a beginner, such as rows, captures, territory and boxes given away.

The module uses positions and their evaluation, but no search, no session and no user interface.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from gomogo_core.analysis.box_explanations import edge_facts, explain_edges
from gomogo_core.analysis.go_reasons import CUT_THREAT, cut_fact, stone_reason
from gomogo_core.drawing.colours import side_name
from gomogo_core.games.base import Move, Position, Seat
from gomogo_core.games.boards import Place
from gomogo_core.games.boards.points import Point, PointBoard
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.games.go import GoPosition
from gomogo_core.games.gomoku import GomokuPosition
from gomogo_core.games.stones.board import StoneBoard
from gomogo_core.games.stones.rules import COLOURS, PASS, GoFamilyPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.search.evaluation import node_of
from gomogo_core.search.evaluation.gomoku_node import number_word
from gomogo_core.search.playouts.dead_stones import dead_stones

_DEFENCE_VERB = "blocks"  # the first word of an idea that only stops the opponent
# the beginnings of facts that are no reason to prefer a move
_INSIGNIFICANT_FACTS = ("places a new stone", "stays close", "opens")
_PREPARATION = "prepares"  # the first word of a benefit that only a later move has
_MAX_CAPTURING_MOVES = 8  # moves of a line in which stones are looked for that it loses; later ones are hardly forced
_MAX_PREPARING_MOVES = 3  # a move later in a line is not named: too much must happen before it
_MAX_CLOSE_DISTANCE = 2  # stones within this distance can soon form a row
_MAX_URGENT_LIBERTIES = 3  # an explanation mentions an opponent's chain with at most this number of liberties


def explain_move(position_before: Position, move: Move, position_after: Position, name: str = "") -> str:
    """Explain a move in one or more sentences.

    name: the player's name; by default the colour.
    """
    player = name or side_name(position_before, position_before.to_move)
    idea = node_of(position_before).describe_move(move) or ""
    facts = [fact for fact in (idea, *_facts(position_before, move, position_after, idea)) if fact]
    move_text = position_before.game.format(move)
    sentence = f"{player} {move_text}: {_join_facts(facts)}." if facts else f"{player} played {move_text}."
    return "\n".join(text for text in (sentence, position_after.explain_move(position_before, move)) if text)


def describe_effects(position: Position, move: Move) -> str:
    """Describe the effects of a legal move without its player, for example "blocks a four".

    The description is the threat that the evaluation finds. Without a threat, it lists the facts that follow from the
    rules; it is empty if there are none.
    """
    idea = node_of(position).describe_move(move)
    return idea or _join_facts([fact for fact in _facts(position, move, position.play(move), "") if fact])


def explain_preference(
    position: Position,
    move: str,
    line: Sequence[str],
    answers: Sequence[str],
    verdict: str = "was better",
    *,
    is_proved: bool = False,
) -> str:
    """Explain in sentences why the first move of a line is better than the move that was played.

    move: the played move. line: the better move, and the moves that would follow. answers: the best answer to the
    played move, and the moves that would follow; empty if it is unknown. verdict: the effect of the better move, such
    as "wins". is_proved: whether both lines are proved to be best.
    """
    answer = answers[0] if answers else ""
    if isinstance(position, DotsAndBoxesPosition):
        reason, sentences = explain_edges(position, move, line, answers, is_proved=is_proved)
        harm = " ".join(sentences)
    else:
        reason = _describe_benefit(position, line, answer)
        harm = _lost_stones_words(position, move, answers, line) or _describe_harm(position, move, answer)
        if position.game.parse(move) is PASS and reason.startswith(_PREPARATION):  # later moves do not judge a pass
            reason = ""
    better_move = _as_subject(position, line[0])
    return " ".join(text for text in (f"{better_move} {verdict}{f': it {reason}' * bool(reason)}.", harm) if text)


def _as_subject(position: Position, move: str) -> str:
    """Return a move as the first words of a sentence."""
    return "A pass" if position.game.parse(move) is PASS else move


def _describe_benefit(position: Position, line: Sequence[str], answer: str) -> str:
    """Describe the benefit of the first move of a line: its threat, or the move that it prepares. Without such a
    benefit, list the facts that follow from the rules; without a fact, name the answer that it prevents. In Go and
    related games, a teacher's reason comes first, and facts such as a cut, or the answer that the move prevents, come
    before the prepared move.
    """
    game, move = position.game, position.game.parse(line[0])
    if isinstance(position, GoFamilyPosition) and (reason := stone_reason(position, move, is_benefit=True)):
        return reason.removesuffix(CUT_THREAT).replace("your ", f"{COLOURS[position.to_move]}'s ")
    if idea := node_of(position).describe_move(move):
        return idea
    if move is PASS:
        return ""
    next_position = position.play(move)
    all_facts = _facts(position, move, next_position, "")
    facts = [fact for fact in all_facts if fact and not fact.startswith(_INSIGNIFICANT_FACTS)]
    strong_facts = [fact for fact in facts if not fact.startswith("extends")]
    is_best_answer = answer == line[0] and isinstance(game.board, PointBoard)
    best_point = f"takes {side_name(position, next_position.to_move)}'s best point"
    if isinstance(position, GoFamilyPosition) and (strong_facts or is_best_answer):
        return _join_facts(strong_facts) or best_point
    later = next_position
    for count, text in enumerate(line[1:_MAX_PREPARING_MOVES], 1):
        if later.why_illegal(game.parse(text)) or later.outcome() is not None:
            break
        idea = node_of(later).describe_move(game.parse(text))
        if later.to_move == position.to_move and idea and not idea.startswith(_DEFENCE_VERB):
            # the idea is a fact on the board after these moves only
            return f"{_PREPARATION} {text}, which after {' '.join(line[1:count])} {idea}"
        later = later.play(game.parse(text))
    return best_point if not facts and is_best_answer else _join_facts(facts)


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


def _describe_harm(position: Position, move: str, answer: str) -> str:
    """Return a sentence about the threat that the played move allows; empty if the best answer makes no threat."""
    game = position.game
    played_move = game.parse(move)
    if played_move is PASS and isinstance(position, GoPosition):
        opponent = 3 - position.to_move
        if dead_points := dead_stones(position.play(PASS))[opponent]:
            stones = count_with_noun(len(dead_points), f"dead {COLOURS[opponent]} stone")
            verb, object_ = ("is", "it") if len(dead_points) == 1 else ("are", "them")
            return (
                f"If both players pass while {stones} {verb} on the board, every stone counts as alive: "
                f"capture {object_} first."
            )
    next_position = position.play(played_move)
    if not answer or next_position.why_illegal(game.parse(answer)):
        return ""
    reply = game.parse(answer)
    idea = node_of(next_position).describe_move(reply) or (
        cut_fact(next_position, reply, next_position.to_move) if isinstance(next_position, GoFamilyPosition) else ""
    )
    allows = f"{_as_subject(position, move)} allows {_as_object(next_position, answer)}"
    if not idea or idea.startswith(_DEFENCE_VERB):
        return ""
    return f"{allows}, which {idea}{_row_words(next_position, reply, idea)}."


def _row_words(position: Position, move: Move, idea: str) -> str:
    """Return the end of a sentence that names the stones with which a move in Gomoku makes its rows.

    idea: the evaluation's description of the move.
    """
    if not isinstance(position, GomokuPosition) or not isinstance(move, Point):
        return ""
    lengths = range(position.game.line - 2, position.game.line + 1)
    shortest = next((length for length in lengths if number_word(length) in idea.replace("s ", " ").split()), math.inf)
    rows = [row for row in _fullest_rows(position, move, position.colour) if len(row) + 1 >= shortest]
    return f" with {' '.join(str(stone) for row in rows for stone in row)}" if rows else ""


def _as_object(position: Position, move: str) -> str:
    """Return a move as the object of a verb."""
    return "a pass" if position.game.parse(move) is PASS else move


def _facts(position_before: Position, move: Move, position_after: Position, idea: str) -> Iterator[str]:
    """Yield the facts about a move that follow from the rules.

    idea: the evaluation's description of the move, which the facts do not repeat.
    """
    if isinstance(position_before, GoFamilyPosition) and isinstance(position_after, GoFamilyPosition):
        if move is PASS:
            yield from () if idea else _passing_facts(position_before, position_after)
        else:
            yield from _liberty_facts(position_before, move, position_after)
    elif isinstance(position_before, GomokuPosition) and isinstance(move, Point):
        if missed := _missed_row(position_before, move, position_after):
            yield missed
        elif not idea or position_after.outcome() is None:  # nothing matters beside a win
            yield from _row_facts(position_before, move, idea)
    elif isinstance(position_before, DotsAndBoxesPosition) and isinstance(position_after, DotsAndBoxesPosition):
        yield from edge_facts(position_before, position_after)
    elif not idea:
        yield position_before.describe_effect(move)


def _join_facts(facts: list[str]) -> str:
    return "".join(facts) if len(facts) < 2 else f"{', '.join(facts[:-1])}, and {facts[-1]}"


# Rows in Gomoku


def _missed_row(position_before: GomokuPosition, move: Point, position_after: Position) -> str:
    """Return the fact that a move misses a win in one, or leaves one to the opponent; empty if it does neither.

    It is more important than any fact about the stone itself.
    """
    if position_after.outcome() is not None or not isinstance(position_after, GomokuPosition):
        return ""
    if own_win := _winning_point(position_before):
        return f"misses the row of {position_before.game.line} at {own_win}"
    theirs = _winning_point(position_after)
    return f"leaves {COLOURS[position_after.colour]} a row of {position_before.game.line} at {theirs}" if theirs else ""


def _winning_point(position: GomokuPosition) -> Point | None:
    """Return a point at which the player to move wins at once; None if there is none."""
    for point in position.game.board.points:
        if position.cells[position.game.board.number_of[point]]:
            continue
        if max(_most_stones_by_direction(position, point, position.colour)) < position.game.line - 1:
            continue
        outcome = None if position.why_illegal(point) else position.play(point).outcome()
        if outcome is not None and outcome.winner == position.to_move:
            return point
    return None


def _row_facts(position_before: GomokuPosition, move: Point, idea: str) -> Iterator[str]:
    """Yield facts about the longest row that the stone extends, and about the opponent's longest row that it stops."""
    colour, line = position_before.colour, position_before.game.line
    own_rows = _most_stones_by_direction(position_before, move, colour)
    opponent_rows = _most_stones_by_direction(position_before, move, 3 - colour)
    stops = max(opponent_rows) > 1 and "blocks" not in idea
    if stops:
        yield f"stops a row of {max(opponent_rows)} {COLOURS[3 - colour]} stones"
    rows = sum(stone_count > 0 for stone_count in own_rows)
    if max(own_rows) > 1 and "makes" not in idea:
        yield f"builds a row of {max(own_rows) + 1} with room for {line}"
    elif rows > 1 and not idea:
        yield f"builds on {rows} rows at once"
    elif not idea and not stops:
        yield _distance_words(position_before, move)


def _distance_words(position: GomokuPosition, point: Point) -> str:
    """Describe the distance of an empty point from the stones on the board; on an empty board, from the middle."""
    board = position.game.board
    stones = [stone for stone in board.points if position.cells[board.number_of[stone]]]
    if stones:
        distance = min(max(abs(stone.row - point.row), abs(stone.column - point.column)) for stone in stones)
        is_close = distance <= _MAX_CLOSE_DISTANCE
        return "stays close to the other stones" if is_close else "opens away from the other stones"
    margin = min(point.row - 1, point.column - 1, board.rows - point.row, board.columns - point.column)
    is_central = 3 * margin >= min(board.rows, board.columns) - 2
    return "opens in the middle of the board" if is_central else "opens near the edge"


def _most_stones_by_direction(position: GomokuPosition, point: Point, colour: int) -> list[int]:
    """Return, for each direction, the number of stones in the row that `_fullest_rows` returns."""
    return list(map(len, _fullest_rows(position, point, colour)))


def _fullest_rows(position: GomokuPosition, point: Point, colour: int) -> list[list[Point]]:
    """Return, for each direction, a colour's stones in the possible winning row through a point that has most of them.

    The point is empty. A possible winning row contains no stone of the other colour.
    """
    geometry, line = position.game.board, position.game.line
    number, rows = geometry.number_of[point], []
    for places, index in zip(geometry.lines_through[number], geometry.index_in_line[number], strict=True):
        cells, points, fullest = position.cells[places], geometry.points[places], list[Point]()
        for first_index in range(max(0, index - line + 1), min(index, len(cells) - line) + 1):
            window = range(first_index, first_index + line)
            stones = [points[i] for i in window if cells[i] == colour]
            if len(stones) > len(fullest) and not any(cells[i] == 3 - colour for i in window):
                fullest = stones
        rows.append(fullest)
    return rows


# Chains and territory


def _liberty_facts(position_before: GoFamilyPosition, move: Move, position_after: GoFamilyPosition) -> Iterator[str]:
    """Yield facts about the effects of a stone on chains of both colours and, where it counts, on territory."""
    if not position_before.game.captures or not isinstance(move, Point):
        return
    geometry, seat = position_before.game.bit_geometry, position_before.to_move
    place = geometry.index_of[move]
    stones, liberty_mask, _ = position_after.board.chain(place)
    if not stones:  # the move removed the player's own stones; the position's `explain_move` describes this
        return
    neighbours, board_before = geometry.neighbour_masks[place], position_before.board
    joined_chain_count = sum(1 for _ in board_before.chains_of(neighbours & board_before.stone_mask(seat)))
    count, liberties = stones.bit_count(), count_with_noun(liberty_mask.bit_count(), "liberty", "liberties")
    if joined_chain_count > 1:
        yield f"joins {joined_chain_count} chains into one of {count} stones with {liberties}"
    elif joined_chain_count:
        yield f"extends a chain to {count} stones with {liberties}"
    else:
        yield f"places a new stone with {liberties}"
    if cut := cut_fact(position_before, move, seat):
        yield cut
    opponent_colour = COLOURS[3 - seat]
    pressed_chains = list(position_after.board.chains_of(neighbours & position_after.board.stone_mask(3 - seat)))
    if pressed_chains:
        target, liberties_left, _ = min(pressed_chains, key=lambda chain: chain[1].bit_count())
        if 1 < liberties_left.bit_count() <= _MAX_URGENT_LIBERTIES:
            chain_words = "a stone" if target.bit_count() == 1 else f"a chain of {target.bit_count()}"
            yield f"leaves {chain_words} of {opponent_colour} with {liberties_left.bit_count()} liberties"
    if position_before.game.scores_places:
        yield from _territory_facts(position_before.board, position_after.board, seat)


def _territory_facts(board_before: StoneBoard, board_after: StoneBoard, seat: Seat) -> Iterator[str]:
    """Yield facts about the changes of both territories.

    While only one player has stones, these own the whole board, so the function yields nothing.
    """
    boards = (board_before, board_after)
    if all(board.black_mask and board.white_mask for board in boards):
        own_before, own_after = (board.territory_masks()[seat - 1].bit_count() for board in boards)
        other_before, other_after = (board.territory_masks()[2 - seat].bit_count() for board in boards)
        if own_after > own_before:
            yield f"surrounds {count_with_noun(own_after - own_before, 'more point')}"
        if other_after < other_before:
            lost_points = count_with_noun(other_before - other_after, "point")
            yield f"takes {lost_points} of {COLOURS[3 - seat]}'s territory away"


def _passing_facts(position_before: GoFamilyPosition, position_after: GoFamilyPosition) -> Iterator[str]:
    if position_after.outcome() is None:
        opponent_colour = COLOURS[3 - position_before.to_move]
        yield f"places no stone; if {opponent_colour} passes too, the game ends{_result_of_passing(position_after)}"
    else:
        yield "the second pass in a row ends the game"


def _result_of_passing(position: GoFamilyPosition) -> str:
    """Return the end of a sentence with the result of one more pass; empty if one more pass does not end the game."""
    outcome = position.play(PASS).outcome()
    if outcome is None:
        return ""
    if outcome.winner is None:
        return " as a draw"
    return f" and {COLOURS[outcome.winner]} wins {outcome.detail}"
