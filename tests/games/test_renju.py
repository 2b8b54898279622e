"""Renju: the points forbidden to black, and the penalty.

Knows no other opening or option of Gomoku.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from gomogo_core.games import load
from gomogo_core.games._renju import why_forbidden
from gomogo_core.games.base import Reason
from gomogo_core.games.gomoku import Gomoku, GomokuPosition

POSITIONS = Path(__file__).parent / "data" / "renju_forbidden.jsonl"


def parse_marked_diagram(diagram: str) -> tuple[bytes, int, int]:
    """Return the cells, the size, and the number of the point marked `*`."""
    rows = [line.replace(" ", "") for line in diagram.split("\n") if line.strip()]
    signs = "".join(rows)
    assert {len(row) for row in rows} == {len(rows)}
    return bytes(max(0, ".xo".find(sign)) for sign in signs), len(rows), signs.index("*")


def forbidden_reason(diagram: str) -> str | None:
    return why_forbidden(*parse_marked_diagram(diagram))


def forbidden_reason_in_row(row: str) -> str | None:
    """Return the verdict on a board of size 15 with only this middle row, which begins at the left edge."""
    signs = row.replace(" ", "").ljust(15, ".")
    return forbidden_reason("\n".join(signs if n == 7 else "." * 15 for n in range(15)))


def test_an_independent_program_forbids_the_same_points_of_600_positions() -> None:
    game = load("gomoku", renju=True)
    assert isinstance(game, Gomoku)
    different = {}
    lines = POSITIONS.read_text().splitlines()
    for number, line in enumerate(lines):
        answer = json.loads(line)
        cells = bytearray(225)
        for colour, names in ((1, answer["black"]), (2, answer["white"])):
            for name in names:
                cells[game.board.names.index(name)] = colour
        signs = "".join(".xo"[cell] for cell in cells)
        position = game.from_diagram("\n".join(signs[i : i + 15] for i in range(0, 225, 15)))
        own_points = sorted(map(str, position.forbidden_points()))
        if own_points != sorted(answer["forbidden"]):
            different[number] = own_points
    assert len(lines) == 600
    assert different == {}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (". x x * x x .", None),  # five
        ("x x x * x x .", "overline"),
        ("x x x x * x x x x", "overline"),
        ("o x x x * x x o", "overline"),
        (". . x x * x . .", None),  # a straight four: two points complete one and the same four
        ("o x x * x . .", None),
        ("x . x * x . x", "double four"),
        (". x x . x * . x x", "double four"),
        ("x x x . * . x x x", "double four"),
        ("x . x x * . . x", None),  # one four: the right end would need two stones
        ("x . x * x . x x", None),  # the right four would become six
        ("o x . x * x . x o", "double four"),
        (". . x x * . . .", None),  # one three
    ],
)
def test_one_line_alone_can_be_forbidden(row: str, problem: str | None) -> None:
    assert forbidden_reason_in_row(row) == problem
    assert forbidden_reason_in_row(row.replace(" ", "")[::-1].rjust(15, ".")) == problem


CROSS = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . * x x . .
. . . . x . . . .
. . . . x . . . .
. . . . . . . . .
. . . . . . . . .
"""


def diagram_with_stones(diagram: str, **stones: str) -> str:
    """Return the diagram with other signs at some points: changed(CROSS, i5="o")."""
    rows = [list(line.replace(" ", "")) for line in diagram.split("\n") if line.strip()]
    for name, sign in stones.items():
        rows[int(name[1:]) - 1]["abcdefghijklmno".index(name[0])] = sign
    return "\n".join("".join(row) for row in rows)


def test_two_threes_are_forbidden() -> None:
    assert forbidden_reason(CROSS) == "double three"


def test_three_threes_are_a_double_three() -> None:
    assert forbidden_reason(diagram_with_stones(CROSS, d4="x", c3="x")) == "double three"


def test_a_broken_three_is_a_three() -> None:
    assert forbidden_reason(diagram_with_stones(CROSS, f5=".", h5="x")) == "double three"


def test_a_three_and_a_four_are_allowed() -> None:
    assert forbidden_reason(diagram_with_stones(CROSS, e8="x", e9="o")) is None


def test_two_fours_are_forbidden() -> None:
    assert forbidden_reason(diagram_with_stones(CROSS, e8="x", d5="x")) == "double four"


def test_two_closed_fours_are_forbidden() -> None:
    assert forbidden_reason(diagram_with_stones(CROSS, e8="x", e9="o", d5="x", c5="o")) == "double four"


def test_two_fours_and_a_three_are_a_double_four() -> None:
    assert forbidden_reason(diagram_with_stones(CROSS, e8="x", d5="x", d4="x", f6="x")) == "double four"


@pytest.mark.parametrize(
    ("description", "stones", "problem"),
    [
        ("closed beside its stones", {"h5": "o"}, None),
        ("room for five only, so not for a straight four", {"c5": "o", "i5": "o"}, None),
        ("room for six", {"c5": "o"}, "double three"),
        ("six on one side, closed on the other", {"b5": "x", "i5": "o"}, None),
        ("six on one side, open on the other", {"b5": "x"}, "double three"),
    ],
)
def test_a_three_needs_room_for_a_straight_four(description: str, stones: dict[str, str], problem: str | None) -> None:
    assert forbidden_reason(diagram_with_stones(CROSS, **stones)) == problem, description


def test_a_three_against_the_edge_does_not_count() -> None:
    assert (
        forbidden_reason(
            diagram_with_stones(CROSS, e5=".", e6=".", e7=".", f5=".", g5=".", a5="*", b5="x", c5="x", a6="x", a7="x")
        )
        is None
    )
    assert forbidden_reason(
        diagram_with_stones(CROSS, e5=".", e6=".", e7=".", f5=".", g5=".", b5="*", c5="x", d5="x", b6="x", b7="x")
    ) == ("double three")


ONE_WAY = diagram_with_stones(CROSS, i5="o")  # now only d5 makes the row a straight four


def test_a_three_with_one_way_to_a_straight_four_is_a_three() -> None:
    assert forbidden_reason(ONE_WAY) == "double three"


def test_a_three_does_not_count_if_its_straight_four_is_a_double_four() -> None:
    assert forbidden_reason(diagram_with_stones(ONE_WAY, d2="x", d3="x", d4="x")) is None
    assert forbidden_reason(diagram_with_stones(ONE_WAY, d3="x", d4="x")) == "double three"


def test_a_three_does_not_count_if_its_straight_four_is_an_overline() -> None:
    assert forbidden_reason(diagram_with_stones(ONE_WAY, d2="x", d3="x", d4="x", d6="x", d7="x")) is None


def test_a_three_does_not_count_if_its_straight_four_makes_a_five() -> None:
    assert forbidden_reason(diagram_with_stones(ONE_WAY, d3="x", d4="x", d6="x", d7="x")) is None


def test_a_three_does_not_count_if_its_straight_four_is_a_double_three() -> None:
    at_d5_two_threes = diagram_with_stones(ONE_WAY, d6="x", d7="x", c4="x")
    assert forbidden_reason(at_d5_two_threes) is None
    assert forbidden_reason(diagram_with_stones(at_d5_two_threes, c4=".")) == "double three"


def test_a_false_three_does_not_invalidate_the_three_before_it() -> None:
    at_d5_two_threes = diagram_with_stones(
        ONE_WAY, d6="x", d7="x", c4="x", d9="o"
    )  # only d4 makes column d a straight four
    assert forbidden_reason(at_d5_two_threes) is None
    at_d4_two_fours = diagram_with_stones(at_d5_two_threes, a4="x", b4="x")
    assert forbidden_reason(at_d4_two_fours) == "double three"


def test_a_five_takes_precedence_over_forbidden_shapes() -> None:
    five = {"d5": "x", "h5": "x"}
    for forbidden, problem in (
        ({"e8": "x", "e3": "x", "e4": "x"}, "overline"),
        ({"e8": "x", "d4": "x", "c3": "x", "b2": "x"}, "double four"),
        ({"d4": "x", "c3": "x"}, "double three"),
    ):
        assert forbidden_reason(diagram_with_stones(CROSS, **forbidden)) == problem
        assert forbidden_reason(diagram_with_stones(CROSS, **forbidden, **five)) is None


Place = tuple[int, int]


def naive_forbidden_reason(black: frozenset[Place], free: frozenset[Place], at: Place) -> str | None:
    """Apply the definitions of the rules word by word, on sets of points; "five" if black wins."""
    black, free = black | {at}, free - {at}

    def row(black: frozenset[Place], column_step: int, down: int) -> frozenset[Place]:
        """Return the unbroken row through `at`."""
        row_points = {at}
        for sign in (1, -1):
            column, line = at
            while (column := column + sign * column_step, line := line + sign * down) in black:
                row_points.add((column, line))
        return frozenset(row_points)

    def fours(black: frozenset[Place], way: Place) -> list[frozenset[Place]]:
        """Return every four through `at`, once per point that makes it five."""
        near = {(at[0] + n * way[0], at[1] + n * way[1]) for n in range(-4, 5)} & free - black
        rows = ((row(black | {end}, *way), end) for end in near)
        return [five - {end} for five, end in rows if len(five) == 5 and end in five]

    ways = ((1, 0), (0, 1), (1, 1), (1, -1))
    lengths = [len(row(black, *way)) for way in ways]
    if 5 in lengths:
        return "five"
    if max(lengths) > 5:
        return "overline"
    if sum(len(set(fours(black, way))) for way in ways) > 1:
        return "double four"

    def is_three(way: Place) -> bool:
        for end in {(at[0] + n * way[0], at[1] + n * way[1]) for n in range(-3, 4)} & free:
            completed_fours = [four for four in fours(black | {end}, way) if end in four]
            if (
                len(completed_fours) == 2
                and completed_fours[0] == completed_fours[1]
                and naive_forbidden_reason(black, free, end) is None
            ):
                return True
        return False

    return "double three" if sum(map(is_three, ways)) > 1 else None


@pytest.mark.parametrize(("size", "boards"), [(5, 60), (7, 60), (9, 60)])
def test_the_renju_rules_agree_with_the_literal_definitions(size: int, boards: int) -> None:
    rng = random.Random(size)
    seen_reasons = set()
    for crowd in range(boards):
        cells = bytes(rng.choices((0, 1, 2), (12, 3 + crowd % 6, 1), k=size * size))
        stones_by_kind = [
            frozenset((i % size, i // size) for i, cell in enumerate(cells) if cell == kind) for kind in (0, 1)
        ]
        for column, line in sorted(stones_by_kind[0]):
            naive_reason = naive_forbidden_reason(stones_by_kind[1], stones_by_kind[0], (column, line))
            assert why_forbidden(cells, size, line * size + column) == (
                None if naive_reason == "five" else naive_reason
            )
            seen_reasons.add(naive_reason)
    assert size == 5 or seen_reasons == {None, "five", "overline", "double four", "double three"}


def position_after(moves: str, **options: object) -> GomokuPosition:
    position = load("gomoku", renju=True, **options).replay(moves.split())
    assert isinstance(position, GomokuPosition)
    return position


def outcome_fields(position: GomokuPosition) -> tuple[int | None, Reason, str] | None:
    outcome = position.outcome()
    return (outcome.winner, outcome.reason, outcome.detail) if outcome else None


DOUBLE_THREE = "h9 a1 h10 a15 i8 o1 j8 o15"  # h8 is forbidden now


def test_a_forbidden_move_is_legal_and_loses() -> None:
    position = position_after(DOUBLE_THREE)
    h8 = position.game.parse("h8")
    assert position.why_illegal(h8) is None
    assert h8 in list(position.moves())
    assert outcome_fields(position) is None
    after = position.play(h8)
    assert outcome_fields(after) == (2, Reason.FORBIDDEN, "double three")
    assert list(after.moves()) == []


def test_exactly_the_forbidden_moves_have_a_warning() -> None:
    position = position_after(DOUBLE_THREE)
    warnings = {str(move): warning for move in position.moves() if (warning := position.warning(move))}
    assert warnings == {"h8": "h8 is forbidden to black (double three): it loses at once"}
    assert list(map(str, position.forbidden_points())) == ["h8"]
    assert position.warning(position.game.parse("h9")) is None  # occupied: illegal, not forbidden


def test_white_can_play_shapes_forbidden_to_black() -> None:
    white_moves_same = position_after("e1 h9 e3 h10 e5 i8 e7 j8 e9")
    assert white_moves_same.forbidden_points() == ()
    assert all(white_moves_same.warning(move) is None for move in white_moves_same.moves())
    assert outcome_fields(white_moves_same.play(white_moves_same.game.parse("h8"))) is None


def test_white_can_play_a_point_forbidden_to_black() -> None:
    position = position_after(DOUBLE_THREE + " n2")
    assert outcome_fields(position.play(position.game.parse("h8"))) is None


def test_blacks_overline_loses_and_whites_wins() -> None:
    assert outcome_fields(position_after("a1 a3 b1 b4 c1 c5 e1 d6 f1 e8 d1")) == (2, Reason.FORBIDDEN, "overline")
    assert outcome_fields(position_after("a3 a1 b4 b1 c5 c1 d7 e1 e8 f1 g9 d1")) == (2, Reason.LINE, "5 in a row")


def test_blacks_double_four_loses() -> None:
    assert outcome_fields(position_after("a1 a3 c1 b4 e1 c5 g1 e7 d1")) == (2, Reason.FORBIDDEN, "double four")


def test_blacks_five_wins_with_a_simultaneous_overline() -> None:
    both_rows = "a5 o1 b5 o3 c5 o5 d5 o7 e2 o9 e3 o11 e4 o13 e6 n1 e7 n3 e5"
    assert outcome_fields(position_after(both_rows)) == (1, Reason.LINE, "5 in a row")


def test_after_a_swap_the_seat_with_black_loses_by_a_forbidden_move() -> None:
    position = position_after("h9 a1 h10 swap a15 i8 o1 j8 o15", opening="swap")
    assert position.to_move == 2
    assert outcome_fields(position.play(position.game.parse("h8"))) == (1, Reason.FORBIDDEN, "double three")


def test_a_loss_by_a_forbidden_move_survives_a_diagram() -> None:
    after = position_after(DOUBLE_THREE + " h8")
    assert after.game.from_diagram(after.diagram()).outcome() == after.outcome()


def test_a_board_without_renju_forbids_nothing() -> None:
    game = load("gomoku")
    position = game.replay(DOUBLE_THREE.split())
    assert isinstance(position, GomokuPosition)
    assert position.forbidden_points() == ()
    assert position.play(game.parse("h8")).outcome() is None
