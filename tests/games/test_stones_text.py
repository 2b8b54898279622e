"""Diagrams of Go, Capture Go and Robogo: the footer has all state that the board does not show, and can be parsed.

Knows no rule of its own; any text is a position or is refused with a reason.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gomogo_core.games.base import BadDiagram
from gomogo_core.games.stones.rules import GoFamilyPosition
from tests.games._stones import load_stones_game, play_moves, position_after, position_from_picture, random_game

NAMES = ("go", "capture_go", "robogo")
bounded = settings(max_examples=100, deadline=None, derandomize=True, database=None)

KO = """\
  a b c d
1 . x o . 1
2 x . x o 2
3 . x o . 3
4 . . . . 4
  a b c d
to move: seat 2 (white o)
moves: 9
captures: 1 0
last: c2
ko: b2"""
KO_MOVES = "b1 c1 a2 d2 b3 c3 pass b2 c2"


def test_a_diagram_shows_the_board_and_the_hidden_state() -> None:
    position = position_after("go", KO_MOVES, size=4)
    assert position.diagram() == str(position) == KO
    assert load_stones_game("go", size=4).from_diagram(KO) == position


def test_with_superko_a_diagram_lists_the_played_moves() -> None:
    position = position_after("go", KO_MOVES, size=4, ko="positional")
    assert position.diagram() == f"{KO}\nplayed: {KO_MOVES}"
    assert position.game.from_diagram(position.diagram()) == position


def test_with_superko_a_continued_diagram_includes_its_initial_board() -> None:
    position = play_moves(
        position_from_picture("go", ". x . o\nx o o o\n. . . .\nmoves: 7", ko="positional"), "pass c1 a1"
    )
    assert position.diagram().splitlines()[-6:] == [
        "moves: 10",
        "captures: 0 2",
        "last: a1",
        "ko: b1",
        "from: .x.o/xooo/.... seat 2",
        "played: pass c1 a1",
    ]
    copy = position.game.from_diagram(position.diagram())
    assert (copy, copy.diagram()) == (position, position.diagram())


def test_a_diagram_shows_passes_and_the_end() -> None:
    once, over = position_after("go", "a1 pass", size=2), position_after("go", "a1 pass pass", size=2)
    assert once.diagram().splitlines()[4:] == [
        "to move: seat 1 (black x)",
        "moves: 2",
        "captures: 0 0",
        "passes: 1",
        "last: pass",
    ]
    assert over.diagram().splitlines()[4:6] == ["to move: nobody", "moves: 3"]
    assert over.game.from_diagram(over.diagram()) == over


def test_a_board_can_have_more_rows_than_columns() -> None:
    assert position_after("go", "a1", rows=3, cols=1).diagram().splitlines()[:5] == [
        "  a",
        "1 x 1",
        "2 . 2",
        "3 . 3",
        "  a",
    ]


@pytest.mark.parametrize(
    ("footer", "to_move", "number"),
    [
        ("", 2, 3),  # black has more stones
        ("moves: 8", 1, 8),
        ("moves: 9", 2, 9),
        ("to move: seat 1", 1, 4),
        ("to move: seat 2", 2, 3),
        ("to move: seat 1 (black x)\nmoves: 12", 1, 12),
        ("captures: 3 0", 2, 3),
        ("note: from a book", 2, 3),
    ],
)
def test_omitted_footer_fields_are_inferred(footer: str, to_move: int, number: int) -> None:
    position = position_from_picture("go", f"x x .\n. o .\n. . .\n{footer}")
    assert (position.to_move, position.moves_played) == (to_move, number)
    assert position.game.from_diagram(position.diagram()) == position


def test_a_finished_game_from_a_diagram_is_the_same_again() -> None:
    """The diagram does not depend on the first player, or on the ko of its last move."""
    position = play_moves(position_from_picture("go", ". . .\n. x .\n. . .\nto move: seat 1"), "pass pass")
    assert position.outcome() is not None
    assert position.game.from_diagram(position.diagram()) == position
    capped = position_after("go", KO_MOVES, size=4, max_moves=9)
    assert capped.outcome() is not None
    assert capped.game.from_diagram(capped.diagram()) == capped


BOARD = ". x o .\nx . x o\n. x o .\n. . . .\n"
TURN = "The lines below the board do not say who moves, or how many moves and captures there were."
KO_LINE = "but the ko rule does not forbid exactly these points."
PLAYED = "The moves in the line `played:` do not lead to the board above."


@pytest.mark.parametrize(
    ("ko", "footer", "problem"),
    [
        ("simple", "to move: black", TURN),
        ("simple", "to move: seat", TURN),
        ("simple", "to move: seat 3", TURN),
        ("simple", "to move: seat two", TURN),
        ("simple", "moves: -1", TURN),
        ("simple", "moves: many", TURN),
        ("simple", "moves: " + "9" * 5000, TURN),
        ("simple", "captures: 1", TURN),
        ("simple", "captures: 1 2 3", TURN),
        ("simple", "captures: a b", TURN),
        ("simple", "passes: -1", TURN),
        ("simple", "last: e5", TURN),
        ("simple", "ko: z9", TURN),
        (
            "simple",
            "moves: 9\nto move: seat 1",
            "After 9 moves it is not the turn of seat 1: black, seat 1, moved first.",
        ),
        ("simple", "moves: 9\nko: a1", f"The line `ko:` says a1, {KO_LINE}"),
        ("simple", "moves: 9\nko: b1", f"The line `ko:` says b1, {KO_LINE}"),
        ("simple", "moves: 9\nko: b2 d4", f"The line `ko:` says b2 d4, {KO_LINE}"),
        ("positional", "moves: 9\nko: b2", f"The line `ko:` says b2, {KO_LINE}"),
        ("positional", f"moves: 9\nplayed: {KO_MOVES} d1", PLAYED),
        ("positional", f"moves: 8\nplayed: {KO_MOVES}", PLAYED),
        ("positional", "moves: 9\nplayed: b1 z9", PLAYED),
        ("positional", f"moves: 12\nplayed: {KO_MOVES} pass pass pass", PLAYED),
        ("positional", "moves: 9\nplayed: a1 a1", PLAYED),
        ("positional", "moves: 9\nfrom: ..../..../..../.... seat 2\nplayed: a1", PLAYED),
        ("positional", "moves: 9\nfrom: ..../.... seat 1\nplayed: a1", PLAYED),
        ("positional", "moves: 9\nfrom: ox../x.../..../.... seat 1\nplayed: a1", PLAYED),
        ("positional", f"moves: 9\nfrom: ..../..../..../.... seat 7\nplayed: {KO_MOVES}", PLAYED),
        ("positional", f"moves: 9\nfrom: ..../..../..../.... seat {'9' * 5000}\nplayed: {KO_MOVES}", PLAYED),
    ],
)
def test_an_impossible_footer_is_refused_with_the_reason(ko: str, footer: str, problem: str) -> None:
    with pytest.raises(BadDiagram) as error_info:
        position_from_picture("go", BOARD + footer, ko=ko)
    assert error_info.value.problem == problem
    assert error_info.value.remedy.endswith(".")


@pytest.mark.parametrize(
    ("picture", "problem", "remedy"),
    [
        (
            "o x .\nx . .\n. . .",
            "The stone on a1 has no liberty.",
            "Leave a point next to its chain empty: a chain without one is captured.",
        ),
        (
            "x x\nx x",
            "The stone on a1 has no liberty.",
            "Leave a point next to its chain empty: a chain without one is captured.",
        ),
        (
            ". .\n. . .",
            "The row '. . .' does not show 2 points.",
            "Write each row as 2 of the characters . x o + - _ b # w.",
        ),
    ],
)
def test_an_impossible_board_is_refused_with_the_reason(picture: str, problem: str, remedy: str) -> None:
    with pytest.raises(BadDiagram) as error_info:
        position_from_picture("go", picture)
    assert (error_info.value.problem, error_info.value.remedy) == (problem, remedy)


def test_stones_without_liberties_are_valid_without_captures() -> None:
    assert position_from_picture("robogo", "o x .\nx . .\n. . .", line=3, captures=False).rows()[0] == "ox."


def random_options(name: str, draw: random.Random) -> dict[str, Any]:
    options: dict[str, Any] = {"rows": draw.randint(1, 5), "cols": draw.randint(4, 5), "suicide": draw.random() < 0.3}
    if name != "capture_go":
        options |= {"ko": draw.choice(("simple", "positional", "situational")), "max_moves": draw.randint(5, 60)}
    return options | ({"target": 9} if name == "capture_go" else {})


def assert_texts_round_trip(position: GoFamilyPosition) -> None:
    """A drawn position is parsed as the same position, with the same moves and sentences, and drawn the same again."""
    copy = position.game.from_diagram(position.diagram())
    assert copy == position
    assert copy.diagram() == position.diagram()
    assert copy.outcome() == position.outcome()
    assert list(copy.moves()) == list(position.moves())
    assert (copy.moves_played, copy.passes, copy.captures) == (
        position.moves_played,
        position.passes,
        position.captures,
    )
    for point in position.game.board.points:
        assert copy.why_illegal(point) == position.why_illegal(point)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_continues_from_a_diagram(name: str) -> None:
    """In the middle of a game, a diagram without its past starts another game, which is drawn and parsed as well."""
    draw = random.Random(8)
    for _ in range(25):
        game = load_stones_game(name, **random_options(name, draw))
        middle = play_and_check_random_game(game.start(), draw)
        board = "\n".join(middle.rows())
        play_and_check_random_game(game.from_diagram(f"{board}\nto move: seat {draw.choice((1, 2))}"), draw)


def play_and_check_random_game(start: GoFamilyPosition, draw: random.Random) -> GoFamilyPosition:
    """Check some positions of a random game, all with a ko, and the last. Returns one of them."""
    positions: list[GoFamilyPosition] = [position for position, _ in random_game(start, draw)]
    for position in positions:
        if draw.random() < 0.3 or position.outcome() is not None or position.ko_point_names():
            assert_texts_round_trip(position)
    return positions[len(positions) // 2]


LINES = ("to move", "moves", "captures", "passes", "last", "ko", "from", "played", "note")
words = st.sampled_from(
    "seat nobody pass 0 1 2 3 9 -1 a1 b2 c2 c3 d1 e5 ..../..../..../.... .xo./x.xo/.xo./.... x seat ² ٣ 1e3 : /".split()  # noqa: SIM905
)
footers = st.lists(
    st.tuples(st.sampled_from(LINES), st.lists(words | st.text(max_size=3), max_size=5).map(" ".join)), max_size=6
).map(lambda pairs: "\n".join(f"{name}: {value}" for name, value in pairs))


@pytest.mark.slow
@pytest.mark.parametrize("ko", ["simple", "positional", "situational"])
@bounded
@given(footers)
@example("moves: 9\nko: b2")
def test_arbitrary_footers_are_parsed_or_refused(ko: str, footer: str) -> None:
    for name, options in (("go", {"ko": ko, "suicide": True}), ("robogo", {"ko": ko}), ("capture_go", {"target": 5})):
        text = BOARD + footer
        try:
            position = load_stones_game(name, rows=4, cols=4, **options).from_diagram(text)
        except BadDiagram:
            continue
        assert_texts_round_trip(position)
        assert isinstance(position.explain(), str)
        for move in list(position.moves())[:3]:
            assert_texts_round_trip(position.play(move))


@bounded
@given(st.text(alphabet="xo.ab123 :\n/", max_size=60) | st.text(max_size=40))
def test_arbitrary_diagrams_are_parsed_or_refused(text: str) -> None:
    for name in NAMES:
        try:
            position = load_stones_game(name, rows=2, cols=4).from_diagram(text)
        except BadDiagram:
            continue
        assert_texts_round_trip(position)
